// custom_calls: see custom_calls.h.
#include "frontend/import/custom_calls.h"

#include "base/vec.h"
#include "frontend/frontend.h"
#include "ir/builder.h"

typedef struct Calls {
    Arena *arena;
    VEC(Op *) ops;
} Calls;

static bool collect(Op *op, void *user) {
    Calls *calls = user;
    if (op->code == OP_CUSTOM_CALL) vec_push(calls->arena, &calls->ops, op);
    return true;
}

PassResult import_custom_calls(Module *module, PassContext *pass, ImportCall *import) {
    PassResult result = PASS_UNCHANGED;
    // What takes the place of a call may have calls, too.
    for (bool changed = true; changed;) {
        Calls calls = {.arena = pass->scratch};
        changed = false;
        region_walk(module->body, collect, &calls);
        for (int64_t i = 0; i < calls.ops.count; i++)
            changed = import(module, pass->scratch, calls.ops.data[i]) || changed;
        if (changed) result = PASS_CHANGED;
    }
    return result;
}

static bool set_place(Op *op, void *user) {
    op->loc = user;
    return true;
}

static bool fits_results(const Op *call, const Op *returned) {
    bool fits = returned && returned->operand_count == call->result_count;
    for (int i = 0; fits && i < call->result_count; i++)
        fits = op_operand(returned, i)->type == op_result_type(call, i);
    return fits;
}

// The text's ops in a region of their own, whose arguments are the call's operands. NULL:
// they do not fit.
static Region *read_ops(
    Module *module, Arena *scratch, const Op *call, StrView name, StrView text) {
    Region *region = ARENA_NEW(module->arena, Region);
    for (int i = 0; i < call->operand_count; i++)
        region_add_arg(module, region, op_operand_type(call, i), call->loc);
    // Of wrong operands: the call stays, and is refused where it is used.
    Diags *diags = diags_create(scratch);
    text = arena_strview(module->arena, text);
    bool fits = frontend_read_ops(module, region, name, text, 0, diags) &&
                fits_results(call, region_terminator(region));
    return fits ? region : NULL;
}

bool custom_call_fits(Module *module, Arena *scratch, const Op *call, StrView name, StrView text) {
    return read_ops(module, scratch, call, name, text) != NULL;
}

bool replace_custom_call(Module *module, Arena *scratch, Op *call, StrView name, StrView text) {
    Region *region = read_ops(module, scratch, call, name, text);
    if (!region) return false;
    Op *end = region_terminator(region);
    region_walk(region, set_place, (void *)(uintptr_t)call->loc);
    for (int i = 0; i < call->result_count; i++) {
        Value *value = op_operand(end, i);
        value->sharding = op_result(call, i)->sharding;
        value_replace_uses(op_result(call, i), value);
    }
    for (int i = 0; i < call->operand_count; i++)
        value_replace_uses(region->args[i], op_operand(call, i));
    for (Op *made = region->first, *next; made != end; made = next) {
        next = made->next;
        op_move_before(made, call);
    }
    op_erase(end);
    op_erase(call);
    return true;
}

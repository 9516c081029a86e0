// inline: calls, composites and named computations become the body of what they call.
//
//   In      any verified module.
//   Out     no func.call, stablehlo.composite or sdy.named_computation. Functions stay
//           (dce removes the private ones).
//   Keeps   shardings: where an argument or result of the callee has one that the value does not
//           have, a sharding_constraint says so. Fails on recursion, on functions without a body,
//           and when the program would become too large.
//
//   before  %0 = call @f(%a)
//           func private @f(%x) { %y = stablehlo.negate %x  return %y }
//   after   %0 = stablehlo.negate %a
#include "ir/simplify/inline.h"

#include "base/vec.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef VEC(Op *) OpList;

typedef enum Progress { NOT_STARTED, OPEN, DONE } Progress;

typedef struct Function {
    Op *func;
    OpList calls;     // in program order
    int64_t next;     // of calls: where the search goes on
    int64_t op_count; // of the body, once calls are inlined
    Progress progress;
} Function;

typedef struct Inliner {
    Module *module;
    PassContext *pass;
    StrMap functions; // name -> Function
    Function *listed; // the function whose ops are being listed
    int64_t total;    // ops of all functions
    bool changed;
} Inliner;

static bool list_op(Op *op, void *user) {
    Inliner *inliner = user;
    inliner->listed->op_count++;
    if (op->code == OP_CALL || op->code == OP_COMPOSITE)
        vec_push(inliner->pass->scratch, &inliner->listed->calls, op);
    return true;
}

// The value with the sharding: itself when it has it, else constrained to it.
static Value *with_sharding(Builder *builder, Value *value, const Sharding *sharding) {
    if (!sharding || value->sharding == sharding) return value;
    Value *constrained = build_unary(builder, OP_SDY_CONSTRAINT, value);
    constrained->sharding = sharding;
    return constrained;
}

static const Sharding *result_sharding(const Op *func, const Op *call, int i) {
    const Sharding *own = op_result(call, i)->sharding;
    return own || !func->result_shardings ? own : func->result_shardings[i];
}

void inline_call(Module *module, Arena *scratch, Op *call, const Op *func) {
    const Region *body = func_body(func);
    Builder builder = builder_before(module, call);
    PtrMap values = ptr_map(scratch);
    for (int i = 0; i < body->arg_count; i++) {
        Value *value = with_sharding(&builder, op_operand(call, i), body->args[i]->sharding);
        ptr_map_set(&values, body->args[i], value);
    }
    for (const Op *op = body->first; op != body->last; op = op->next)
        op_clone(&builder, op, &values);
    for (int i = 0; i < call->result_count; i++) {
        Value *returned = op_operand(body->last, i);
        Value *value = ptr_map_get(&values, returned);
        value = with_sharding(&builder, value ? value : returned, result_sharding(func, call, i));
        value_replace_uses(op_result(call, i), value);
    }
    op_erase(call);
}

static bool inline_calls(Inliner *inliner, Function *function) {
    enum { MAX_OPS = 1 << 24 };
    for (int64_t i = 0; i < function->calls.count; i++) {
        Op *call = function->calls.data[i];
        const Function *callee = str_map_get(&inliner->functions, call_callee(call));
        function->op_count += callee->op_count;
        inliner->total += callee->op_count;
        if (inliner->total > MAX_OPS) {
            diag_error(
                inliner->pass->diags, call->loc,
                "'%.*s' op inlining calls makes the program larger than %d ops", SV_ARG(call->name),
                (int)MAX_OPS);
            return false;
        }
        inline_call(inliner->module, inliner->pass->scratch, call, callee->func);
        inliner->changed = true;
    }
    return true;
}

// The callee of the next call; NULL with a diagnostic when it cannot be inlined.
static Function *open_callee(Inliner *inliner, Op *call) {
    StrView name = call_callee(call);
    Function *callee = str_map_get(&inliner->functions, name);
    Diags *diags = inliner->pass->diags;
    if (!check_callee(call, callee ? callee->func : NULL, diags)) return NULL;
    if (callee->progress == OPEN) {
        diag_error(
            diags, call->loc, "'%.*s' op calls '%.*s' recursively", SV_ARG(call->name),
            SV_ARG(name));
        return NULL;
    }
    return callee;
}

// Depth first without recursion: callees are inlined into before their callers.
static bool inline_into(Inliner *inliner, Function *root) {
    VEC(Function *) stack = {0};
    root->progress = OPEN;
    vec_push(inliner->pass->scratch, &stack, root);
    while (stack.count) {
        Function *function = vec_last(&stack);
        if (function->next == function->calls.count) {
            if (!inline_calls(inliner, function)) return false;
            function->progress = DONE;
            stack.count--;
            continue;
        }
        Function *callee = open_callee(inliner, function->calls.data[function->next++]);
        if (!callee) return false;
        if (callee->progress == DONE) continue;
        callee->progress = OPEN;
        vec_push(inliner->pass->scratch, &stack, callee);
    }
    return true;
}

static const Sharding *nth_sharding(const Op *op, AttrName name, int i) {
    const Attr *attr = op_attr(op, name);
    return attr && attr->kind == ATTR_SHARDINGS && i < attr->count ? attr->shardings[i] : NULL;
}

// The body's ops move out of the region.
static void inline_named(Inliner *inliner, Op *named) {
    Region *body = named->regions[0];
    Builder builder = builder_before(inliner->module, named);
    for (int i = 0; i < body->arg_count; i++) {
        const Sharding *sharding = nth_sharding(named, NAME_IN_SHARDINGS, i);
        value_replace_uses(body->args[i], with_sharding(&builder, op_operand(named, i), sharding));
    }
    Op *end = body->last;
    for (Op *op = body->first, *next; op != end; op = next) {
        next = op->next;
        op_move_before(op, named);
    }
    for (int i = 0; i < named->result_count; i++) {
        const Sharding *sharding = nth_sharding(named, NAME_OUT_SHARDINGS, i);
        value_replace_uses(
            op_result(named, i), with_sharding(&builder, op_operand(end, i), sharding));
    }
    op_erase(named);
    inliner->changed = true;
}

static bool collect_named(Op *op, void *user) {
    Inliner *inliner = user;
    if (op->code == OP_SDY_NAMED) vec_push(inliner->pass->scratch, &inliner->listed->calls, op);
    return true;
}

PassResult pass_inline(Module *module, PassContext *pass) {
    Inliner inliner = {.module = module, .pass = pass, .functions = str_map(pass->scratch)};
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_FUNC) continue;
        Function *function = ARENA_NEW(pass->scratch, Function);
        function->func = op;
        inliner.listed = function;
        region_walk(func_body(op), list_op, &inliner);
        inliner.total += function->op_count;
        str_map_set(&inliner.functions, func_name(op), function);
    }
    for (Op *op = module->body->first; op; op = op->next) {
        Function *function =
            op->code == OP_FUNC ? str_map_get(&inliner.functions, func_name(op)) : NULL;
        if (function && function->progress == NOT_STARTED && !inline_into(&inliner, function))
            return PASS_FAILED;
    }
    Function named = {0};
    inliner.listed = &named;
    region_walk(module->body, collect_named, &inliner);
    for (int64_t i = 0; i < named.calls.count; i++) // outer ones first: their ops keep their places
        inline_named(&inliner, named.calls.data[i]);
    return inliner.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

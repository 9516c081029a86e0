// Ops that the evaluator has no words of its own for: shorthands that legalize_chlo makes core ops.
// The op is put into a function, that is legalized, and called.
#include "ir/builder.h"
#include "ir/eval/eval_internal.h"
#include "ir/pass/passes.h"

// The function that does what the op does; NULL after a diagnostic. In a module of
// its own, kept for the next time.
static const Op *legalized(Eval *eval, const Op *op) {
    const Op *known = ptr_map_get(&eval->legalized, op);
    if (known) return known;
    Module *module = module_create(eval->module->context, eval->arena);
    Builder builder = builder_at_end(module, module->body);
    builder.loc = op->loc;
    Op *func = build_op(&builder, OP_FUNC, 0, NULL, 0, NULL, 1);
    PtrMap values = ptr_map(eval->arena);
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        if (ptr_map_get(&values, operand)) continue;
        ptr_map_set(
            &values, operand, region_add_arg(module, func_body(func), operand->type, op->loc));
    }
    builder = builder_at_end(module, func_body(func));
    Op *clone = op_clone(&builder, op, &values);
    Value **results = ARENA_ARRAY(eval->arena, Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result(clone, i);
    build_return(&builder, OP_FUNC_RETURN, op->result_count, results);
    PassContext pass = {.scratch = eval->arena, .diags = eval->diags};
    if (pass_legalize_chlo(module, &pass) == PASS_FAILED) return NULL;
    for (const Op *left = func_body(func)->first; left; left = left->next) {
        if (left->code != op->code) continue;
        eval_unsupported(eval, op, "of this form");
        return NULL;
    }
    ptr_map_set(&eval->legalized, op, func);
    return func;
}

bool eval_shorthand(Eval *eval, const Op *op) {
    const Op *func = legalized(eval, op);
    if (!func) return false;
    Lanes lanes = eval->lanes;
    int args = func_body(func)->arg_count;
    Tensor **in = eval_scratch(eval, op, (int64_t)lanes.count * args + 1, sizeof *in);
    Tensor **out = eval_scratch(eval, op, (int64_t)lanes.count * op->result_count + 1, sizeof *out);
    if (!in || !out) return false;
    for (int k = 0; k < lanes.count; k++) {
        for (int i = 0, arg = 0; i < op->operand_count; i++) {
            bool seen = false; // an operand given twice is one argument
            for (int j = 0; j < i; j++)
                seen = seen || op_operand(op, j) == op_operand(op, i);
            if (seen) continue;
            in[k * args + arg++] = eval_retain(eval_get(eval, op_operand(op, i), lanes.ids[k]));
        }
    }
    if (!eval_call_function(eval, op, func, lanes, in, out)) return false;
    for (int k = 0; k < lanes.count; k++) {
        for (int i = 0; i < op->result_count; i++)
            eval_set(eval, op_result(op, i), lanes.ids[k], out[k * op->result_count + i]);
    }
    return true;
}

// --- asynchronous ops: done when they start ---

// The future holds the results of the region.
bool eval_async_start(Eval *eval, const Op *op) {
    Lanes lanes = eval->lanes;
    int count = op_result_type(op, 0)->part_count;
    Tensor **in = eval_scratch(eval, op, (int64_t)lanes.count * op->operand_count + 1, sizeof *in);
    Tensor **out = eval_scratch(eval, op, (int64_t)lanes.count * count + 1, sizeof *out);
    if (!in || !out) return false;
    for (int k = 0; k < lanes.count; k++) {
        for (int i = 0; i < op->operand_count; i++)
            in[k * op->operand_count + i] =
                eval_retain(eval_get(eval, op_operand(op, i), lanes.ids[k]));
    }
    if (!eval_region(eval, op->regions[0], lanes, in, out)) return false;
    for (int k = 0; k < lanes.count; k++) {
        Tensor *future = eval_tuple_tensor(eval, op, op_result_type(op, 0), count, out + k * count);
        if (!future) return false;
        eval_set(eval, op_result(op, 0), lanes.ids[k], future);
    }
    return true;
}

bool eval_async_done(Eval *eval, const Op *op) {
    const Tensor *future = eval_operand(eval, op, 0);
    for (int i = 0; i < op->result_count; i++)
        eval_set_result(eval, op, i, eval_retain(future->parts[i]));
    return true;
}

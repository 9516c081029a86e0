// Control flow: while, if, case, calls, named computations. All are team ops: lanes that take the
// same branch run it together, one branch after the other.
#include "ir/eval/eval_internal.h"

// [lane][operand] of the op, one more user each; in scratch memory.
static Tensor **operands_of_lanes(Eval *eval, const Op *op, Lanes lanes) {
    Tensor **args = eval_scratch(eval, op, (int64_t)lanes.count * op->operand_count, sizeof *args);
    for (int k = 0; args && k < lanes.count; k++) {
        for (int i = 0; i < op->operand_count; i++) {
            args[(int64_t)k * op->operand_count + i] =
                eval_retain(eval_get(eval, op_operand(op, i), lanes.ids[k]));
        }
    }
    return args;
}

static void set_results(Eval *eval, const Op *op, Lanes lanes, Tensor *const *results) {
    for (int k = 0; k < lanes.count; k++) {
        for (int i = 0; i < op->result_count; i++)
            eval_set(
                eval, op_result(op, i), lanes.ids[k], results[(int64_t)k * op->result_count + i]);
    }
}

static bool call_with_operands(Eval *eval, const Op *op, StrView name) {
    const Op *func = eval_callee(eval, op, name);
    if (!func) return false;
    const Region *body = func_body(func);
    Lanes lanes = eval->lanes;
    const Op *terminator = region_terminator(body);
    if (body->arg_count != op->operand_count || !terminator ||
        terminator->operand_count != op->result_count)
        return eval_fail(eval, op, "does not fit the signature of '@%.*s'", SV_ARG(name));
    Tensor **args = operands_of_lanes(eval, op, lanes);
    Tensor **results =
        eval_scratch(eval, op, (int64_t)lanes.count * op->result_count, sizeof *results);
    if (!args || !results || !eval_call_function(eval, op, func, lanes, args, results))
        return false;
    set_results(eval, op, lanes, results);
    return true;
}

bool eval_call(Eval *eval, const Op *op) {
    return call_with_operands(
        eval, op, op_text(op, op->code == OP_COMPOSITE ? NAME_DECOMPOSITION : NAME_CALLEE));
}

bool eval_named_computation(Eval *eval, const Op *op) {
    Lanes lanes = eval->lanes;
    const Region *body = op->regions[0];
    const Op *terminator = region_terminator(body);
    if (body->arg_count != op->operand_count || !terminator ||
        terminator->operand_count != op->result_count)
        return eval_fail(eval, op, "has a body that does not fit its operands and results");
    Tensor **args = operands_of_lanes(eval, op, lanes);
    Tensor **results =
        eval_scratch(eval, op, (int64_t)lanes.count * op->result_count, sizeof *results);
    if (!args || !results || !eval_region(eval, body, lanes, args, results)) return false;
    set_results(eval, op, lanes, results);
    return true;
}

// The region that a lane runs: if has its two, case the one of its index (the last
// one for an index out of range).
static int chosen_branch(Eval *eval, const Op *op, int lane) {
    int64_t index = tensor_int(eval_get(eval, op_operand(op, 0), lane), 0);
    if (op->code == OP_IF) return index ? 0 : 1;
    return index < 0 || index >= op->region_count ? op->region_count - 1 : (int)index;
}

bool eval_branches(Eval *eval, const Op *op) {
    Lanes lanes = eval->lanes;
    int *chosen = eval_scratch(eval, op, lanes.count, sizeof *chosen);
    int *ids = eval_scratch(eval, op, lanes.count, sizeof *ids);
    Tensor **results =
        eval_scratch(eval, op, (int64_t)lanes.count * op->result_count, sizeof *results);
    if (!chosen || !ids || !results) return false;
    for (int k = 0; k < lanes.count; k++)
        chosen[k] = chosen_branch(eval, op, lanes.ids[k]);
    for (int r = 0; r < op->region_count; r++) {
        Lanes here = {ids, 0};
        for (int k = 0; k < lanes.count; k++) {
            if (chosen[k] == r) ids[here.count++] = lanes.ids[k];
        }
        if (here.count == 0) continue;
        const Op *terminator = region_terminator(op->regions[r]);
        if (op->regions[r]->arg_count != 0 || !terminator ||
            terminator->operand_count != op->result_count)
            return eval_fail(eval, op, "has a branch that does not fit its results");
        if (!eval_region(eval, op->regions[r], here, NULL, results)) return false;
        set_results(eval, op, here, results);
    }
    return true;
}

// Runs the condition on the lanes, keeps those in `ids` that go on; the others get
// their carried values as results.
static bool keep_running_lanes(
    Eval *eval, const Op *op, int *ids, int *count, Tensor **carried, Tensor **spare) {
    int width = op->operand_count;
    int64_t total = (int64_t)*count * width;
    for (int64_t i = 0; i < total; i++)
        eval_retain(carried[i]);
    if (!eval_region(eval, op->regions[0], (Lanes){ids, *count}, carried, spare)) return false;
    int kept = 0;
    for (int k = 0; k < *count; k++) {
        bool goes_on = tensor_int(spare[k], 0) != 0;
        eval_release(eval, spare[k]);
        for (int i = 0; i < width; i++) {
            Tensor *tensor = carried[(int64_t)k * width + i];
            if (goes_on)
                carried[(int64_t)kept * width + i] = tensor;
            else
                eval_set(eval, op_result(op, i), ids[k], tensor);
        }
        if (goes_on) ids[kept++] = ids[k];
    }
    *count = kept;
    return true;
}

bool eval_while(Eval *eval, const Op *op) {
    Lanes lanes = eval->lanes;
    int count = lanes.count;
    Tensor **carried = operands_of_lanes(eval, op, lanes);
    Tensor **next = eval_scratch(eval, op, (int64_t)count * (op->operand_count + 1), sizeof *next);
    int *ids = eval_scratch(eval, op, count, sizeof *ids);
    if (!carried || !next || !ids) return false;
    for (int k = 0; k < count; k++)
        ids[k] = lanes.ids[k];
    const Op *condition = region_terminator(op->regions[0]),
             *body = region_terminator(op->regions[1]);
    if (!condition || condition->operand_count != 1 || !body ||
        body->operand_count != op->operand_count ||
        op->regions[0]->arg_count != op->operand_count ||
        op->regions[1]->arg_count != op->operand_count)
        return eval_fail(eval, op, "has regions that do not fit its operands");
    for (;;) {
        if (eval->max_steps && ++eval->steps > eval->max_steps)
            return eval_fail(
                eval, op, "was still running after %lld steps", (long long)eval->max_steps);
        if (!keep_running_lanes(eval, op, ids, &count, carried, next)) return false;
        if (count == 0) return true;
        if (!eval_region(eval, op->regions[1], (Lanes){ids, count}, carried, next)) return false;
        for (int64_t i = 0; i < (int64_t)count * op->operand_count; i++)
            carried[i] = next[i];
    }
}

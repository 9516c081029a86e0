// Runs regions op by op for the lanes that are there together, and lets values go after their last
// use.
#include "ir/eval/eval_internal.h"

// The same on every lane that has the same operands?
static bool is_shareable(const Op *op) {
    return op->region_count == 0 && !op_has(op, TRAIT_EFFECT) && op->result_count > 0 &&
           op->code != OP_PARTITION_ID && op->code != OP_REPLICA_ID;
}

// Lane k of eval->lanes takes the results of an earlier lane whose operands are the same tensors.
static bool share_results(Eval *eval, const Op *op, int k) {
    int lane = eval->lanes.ids[k];
    for (int j = 0; j < k; j++) {
        int other = eval->lanes.ids[j];
        bool is_same = true;
        for (int i = 0; i < op->operand_count && is_same; i++) {
            const Value *value = op_operand(op, i);
            is_same = eval_get(eval, value, lane) == eval_get(eval, value, other);
        }
        if (!is_same) continue;
        for (int i = 0; i < op->result_count; i++)
            eval_set(
                eval, op_result(op, i), lane, eval_retain(eval_get(eval, op_result(op, i), other)));
        return true;
    }
    return false;
}

bool eval_plain(Eval *eval, const Op *op) { return eval->functions[op->code](eval, op); }

bool eval_run_op(Eval *eval, const Op *op) {
    if (eval->max_steps && eval->steps >= eval->max_steps)
        return eval_fail(
            eval, op, "was reached after the limit of %lld steps", (long long)eval->max_steps);
    eval->steps++;
    int mark = eval_scratch_mark(eval);
    bool ok = true;
    if (eval->is_team_op(op->code)) {
        ok = eval->functions[op->code](eval, op);
    } else {
        bool shareable = eval->lanes.count > 1 && is_shareable(op);
        for (int k = 0; k < eval->lanes.count && ok; k++) {
            eval->lane = eval->lanes.ids[k];
            if (shareable && share_results(eval, op, k)) continue;
            ok = eval->functions[op->code](eval, op);
        }
    }
    eval_scratch_release(eval, mark);
    return ok;
}

static bool collect_results(Eval *eval, const Op *terminator, Lanes lanes, Tensor **results) {
    int count = terminator->operand_count;
    for (int k = 0; k < lanes.count; k++) {
        for (int i = 0; i < count; i++) {
            Tensor *tensor = eval_get(eval, op_operand(terminator, i), lanes.ids[k]);
            if (!tensor) return eval_fail(eval, terminator, "has an operand without a value");
            results[(int64_t)k * count + i] = eval_retain(tensor);
        }
    }
    return true;
}

bool eval_region(
    Eval *eval, const Region *region, Lanes lanes, Tensor *const *args, Tensor **results) {
    const Op *terminator = region_terminator(region);
    if (!terminator || !op_has(terminator, TRAIT_TERMINATOR))
        return eval_fail(eval, region->owner, "has a region without a terminator");
    if (eval->depth >= EVAL_MAX_DEPTH)
        return eval_fail(eval, region->owner, "is nested more than %d deep", EVAL_MAX_DEPTH);
    eval_find_last_uses(eval, region);
    Lanes outer = eval->lanes;
    int outer_lane = eval->lane;
    eval->lanes = lanes;
    eval->depth++;
    for (int k = 0; k < lanes.count; k++) {
        for (int i = 0; i < region->arg_count; i++)
            eval_set(eval, region->args[i], lanes.ids[k], args[(int64_t)k * region->arg_count + i]);
    }
    bool ok = true;
    for (const Op *op = region->first; op != terminator && ok; op = op->next) {
        ok = eval_run_op(eval, op);
        if (ok) eval_drop_dead(eval, op);
    }
    ok = ok && collect_results(eval, terminator, lanes, results);
    if (ok) eval_drop_region(eval, region, lanes);
    eval->depth--;
    eval->lanes = outer;
    eval->lane = outer_lane;
    return ok;
}

const Op *eval_callee(Eval *eval, const Op *op, StrView name) {
    const Op *func = ptr_map_get(&eval->callees, op);
    if (func) return func;
    Op *found = module_find_func(eval->module, name);
    if (!found || found->region_count == 0 || !func_body(found)->first) {
        eval_fail(eval, op, "calls '@%.*s', which is not defined", SV_ARG(name));
        return NULL;
    }
    ptr_map_set(&eval->callees, op, found);
    return found;
}

bool eval_call_function(
    Eval *eval, const Op *op, const Op *func, Lanes lanes, Tensor *const *args, Tensor **results) {
    for (const CallFrame *frame = eval->calls; frame; frame = frame->parent) {
        if (frame->func == func) {
            StrView name = func_name(func);
            return eval_fail(eval, op, "calls '@%.*s' recursively", SV_ARG(name));
        }
    }
    CallFrame frame = {func, eval->calls};
    eval->calls = &frame;
    bool ok = eval_region(eval, func_body(func), lanes, args, results);
    eval->calls = frame.parent;
    return ok;
}

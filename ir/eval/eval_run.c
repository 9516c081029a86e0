// The evaluator's entries: whole functions, all devices of a local program, one op; and
// the table of the ops' functions.
#include "ir/eval/eval_internal.h"

static EvalFn *const evaluators[OP_COUNT] = {
#define IR(infer, eval, scalar, convert) eval_##eval
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ir, ...) \
    [OP_##name] = ir,
#include "ir/dialects/ops.def"
};

// What follows control flow or talks between lanes.
static EvalFn *const team_functions[] = {
    eval_call,
    eval_while,
    eval_branches,
    eval_manual_computation,
    eval_named_computation,
    eval_all_gather,
    eval_all_reduce,
    eval_all_to_all,
    eval_reduce_scatter,
    eval_collective_broadcast,
    eval_collective_permute,
    eval_collective_reduce,
    eval_shorthand,
    eval_async_start,
    eval_run_parallel};

static bool is_team_op(OpCode code) {
    for (size_t i = 0; i < sizeof team_functions / sizeof *team_functions; i++) {
        if (evaluators[code] == team_functions[i]) return true;
    }
    return false;
}

static Eval eval_create(
    Arena *arena, const Module *module, const EvalOptions *options, EvalChecks *checks,
    Diags *diags) {
    return (Eval){
        .functions = evaluators,
        .is_team_op = is_team_op,
        .arena = arena,
        .module = module,
        .diags = diags,
        .checks = checks,
        .max_steps = options ? options->max_steps : 0,
        .max_bytes = options && options->max_bytes > 0 ? (size_t)options->max_bytes : 0,
        .print = options ? options->print : NULL,
        .print_user = options ? options->print_user : NULL,
        .replica_count = 1,
        .partition_count = 1,
        .slots = ptr_map(arena),
        .deaths = ptr_map(arena),
        .regions = ptr_map(arena),
        .bodies = ptr_map(arena),
        .callees = ptr_map(arena),
        .legalized = ptr_map(arena),
        .probes = str_map(arena)};
}

// Runs func on lanes 0 .. lane_count-1.
static bool eval_entry(
    Eval *eval, const Op *func, int lane_count, const Tensor *const *inputs, Tensor **results) {
    const Region *body = func_body(func);
    const Op *terminator = region_terminator(body);
    if (!terminator) return eval_fail(eval, func, "has no body");
    int64_t arg_count = body->arg_count, result_count = terminator->operand_count;
    int *ids = ARENA_ARRAY(eval->arena, int, lane_count);
    for (int k = 0; k < lane_count; k++)
        ids[k] = k;
    Tensor **args = ARENA_ARRAY(eval->arena, Tensor *, arg_count * lane_count + 1);
    Tensor **made = ARENA_ARRAY(eval->arena, Tensor *, result_count * lane_count + 1);
    PtrMap imported = ptr_map(eval->arena); // lanes with the same input share its tensor
    for (int64_t i = 0; i < arg_count * lane_count; i++) {
        Tensor *known = ptr_map_get(&imported, inputs[i]);
        args[i] = known ? eval_retain(known) : eval_import(eval, inputs[i]);
        if (!known) ptr_map_set(&imported, inputs[i], args[i]);
    }
    if (!eval_call_function(eval, func, func, (Lanes){ids, lane_count}, args, made)) return false;
    PtrMap exported = ptr_map(eval->arena);
    for (int64_t i = 0; i < result_count * lane_count; i++) {
        Tensor *copy = ptr_map_get(&exported, made[i]);
        if (!copy) {
            copy = eval_export(eval->arena, made[i]);
            ptr_map_set(&exported, made[i], copy);
        }
        results[i] = copy;
        eval_release(eval, made[i]);
    }
    return true;
}

bool eval_function(
    Arena *arena, const Module *module, const Op *func, const Tensor *const *inputs,
    Tensor **results, const EvalOptions *options, EvalChecks *checks, Diags *diags) {
    if (options && options->device_count > 1) {
        diag_error(
            diags, func->loc, "a global program runs on one lane, not on %lld devices",
            (long long)options->device_count);
        return false;
    }
    Eval eval = eval_create(arena, module, options, checks, diags);
    return eval_entry(&eval, func, 1, inputs, results);
}

static int64_t module_int(const Module *module, const char *name) {
    const Attr *attr = op_extra(module->op, name);
    return attr && attr->kind == ATTR_INT && attr->integer > 0 ? attr->integer : 1;
}

bool eval_devices(
    Arena *arena, const Module *module, const Op *func, int64_t device_count,
    const Tensor *const *inputs, Tensor **results, const EvalOptions *options, Diags *diags) {
    if (device_count < 1 || device_count > EVAL_MAX_LANES) {
        diag_unsupported(
            diags, func->loc, "evaluating on %lld devices (at most %d) is not supported",
            (long long)device_count, EVAL_MAX_LANES);
        return false;
    }
    Eval eval = eval_create(arena, module, options, NULL, diags);
    eval.on_devices = true;
    eval.replica_count = module_int(module, "mhlo.num_replicas");
    if (eval.replica_count > device_count || device_count % eval.replica_count != 0)
        eval.replica_count = 1;
    eval.partition_count = device_count / eval.replica_count;
    return eval_entry(&eval, func, (int)device_count, inputs, results);
}

// Can the op be computed from its operands alone?
static bool is_foldable(const Op *op) {
    if (op->result_count == 0 || is_team_op(op->code)) return false;
    if (op_has(op, TRAIT_EFFECT) || op_has(op, TRAIT_COLLECTIVE) || op_has(op, TRAIT_TERMINATOR))
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!type_is_static(op_result_type(op, i))) return false;
    }
    return op->code != OP_PARTITION_ID && op->code != OP_REPLICA_ID &&
           evaluators[op->code] != eval_absent && evaluators[op->code] != eval_none;
}

bool eval_op(
    Arena *arena, const Module *module, const Op *op, const Tensor *const *operands,
    Tensor **results) {
    if (!is_foldable(op)) return false;
    static const int lane_zero = 0;
    Eval eval = eval_create(arena, module, NULL, NULL, diags_create(arena));
    eval.lanes = (Lanes){&lane_zero, 1};
    for (int i = 0; i < op->operand_count; i++)
        eval_set(&eval, op_operand(op, i), 0, eval_import(&eval, operands[i]));
    if (!eval_run_op(&eval, op)) return false;
    for (int i = 0; i < op->result_count; i++)
        results[i] = eval_export(arena, eval_get(&eval, op_result(op, i), 0));
    return true;
}

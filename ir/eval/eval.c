// The evaluator's driver: runs regions op by op for the lanes that are there, and lets values go after their last use.
#include "ir/eval/eval_internal.h"

#include <stdarg.h>

static EvalFn *const evaluators[OP_COUNT] = {
#define OP(name, text, operands, results, regions, traits, infer, evaluate, ...) \
    [OP_##name] = eval_##evaluate,
#include "ir/dialects/ops.def"
};

// --- diagnostics ---

bool eval_fail(Eval *eval, const Op *op, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    StrBuf text = strbuf(eval->diags->arena);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    diag_error(eval->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), strbuf_cstring(&text));
    return false;
}

bool eval_unsupported(Eval *eval, const Op *op, const char *what) {
    diag_unsupported(
        eval->diags, op->loc, "'%.*s' op %s is not supported by the evaluator", SV_ARG(op->name),
        what);
    return false;
}

bool eval_absent(Eval *eval, const Op *op) {
    diag_unsupported(
        eval->diags, op->loc, "'%.*s' op is not supported by the evaluator", SV_ARG(op->name));
    return false;
}

bool eval_none(Eval *eval, const Op *op) {
    (void)eval;
    (void)op;
    return true;
}

// --- values ---

Tensor *eval_get(const Eval *eval, const Value *value, int lane) {
    const Slot *slot = ptr_map_get(&eval->slots, value);
    return slot && lane < slot->capacity ? slot->lanes[lane] : NULL;
}

void eval_set(Eval *eval, const Value *value, int lane, Tensor *tensor) {
    Slot *slot = ptr_map_get(&eval->slots, value);
    if (!slot) {
        slot = ARENA_NEW(eval->arena, Slot);
        ptr_map_set(&eval->slots, value, slot);
    }
    if (lane >= slot->capacity) {
        int capacity = lane == 0 ? 1 : lane < 8 ? 8 : 2 * lane;
        Tensor **grown = ARENA_ARRAY(eval->arena, Tensor *, capacity);
        for (int i = 0; i < slot->capacity; i++)
            grown[i] = slot->lanes[i];
        slot->lanes = grown;
        slot->capacity = capacity;
    }
    Tensor *before = slot->lanes[lane];
    slot->lanes[lane] = tensor;
    eval_release(eval, before);
}

Tensor *eval_operand(const Eval *eval, const Op *op, int i) {
    return eval_get(eval, op_operand(op, i), eval->lane);
}

void eval_set_result(Eval *eval, const Op *op, int i, Tensor *tensor) {
    eval_set(eval, op_result(op, i), eval->lane, tensor);
}

static void drop_value(Eval *eval, const Value *value, Lanes lanes) {
    Slot *slot = ptr_map_get(&eval->slots, value);
    for (int k = 0; slot && k < lanes.count; k++) {
        int lane = lanes.ids[k];
        if (lane >= slot->capacity) continue;
        eval_release(eval, slot->lanes[lane]);
        slot->lanes[lane] = NULL;
    }
}

// --- last uses ---

typedef struct LastUseWalk {
    const Region *region;
    Op *top;          // the op of the region that contains what is walked
    PtrMap last_uses; // Value * -> Op *
} LastUseWalk;

typedef struct DeadValue {
    const Value *value;
    struct DeadValue *next;
} DeadValue;

static bool note_last_use(Op *op, void *user) {
    LastUseWalk *walk = user;
    for (int i = 0; i < op->operand_count; i++) {
        Value *value = op_operand(op, i);
        if (value_region(value) == walk->region)
            ptr_map_set(&walk->last_uses, value, walk->top); // the last one stays
    }
    return true;
}

static void note_death(Eval *eval, const Value *value, const Op *op) {
    DeadValue *dead = ARENA_NEW(eval->arena, DeadValue);
    *dead = (DeadValue){value, ptr_map_get(&eval->deaths, op)};
    ptr_map_set(&eval->deaths, op, dead);
}

// For every value of the region: the op after which nobody needs it.
static void find_last_uses(Eval *eval, const Region *region) {
    if (ptr_map_has(&eval->regions, region)) return;
    ptr_map_set(&eval->regions, region, eval);
    LastUseWalk walk = {region, NULL, ptr_map(eval->arena)};
    for (Op *op = region->first; op; op = op->next) {
        walk.top = op;
        note_last_use(op, &walk);
        for (int r = 0; r < op->region_count; r++)
            region_walk(op->regions[r], note_last_use, &walk);
    }
    for (int i = 0; i < region->arg_count; i++) {
        const Op *last = ptr_map_get(&walk.last_uses, region->args[i]);
        if (last) note_death(eval, region->args[i], last);
    }
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++) {
            const Op *last = ptr_map_get(&walk.last_uses, op_result(op, i));
            note_death(eval, op_result(op, i), last ? last : op);
        }
    }
}

static void drop_dead_values(Eval *eval, const Op *op) {
    for (DeadValue *dead = ptr_map_get(&eval->deaths, op); dead; dead = dead->next)
        drop_value(eval, dead->value, eval->lanes);
}

static void drop_region_values(Eval *eval, const Region *region, Lanes lanes) {
    for (int i = 0; i < region->arg_count; i++)
        drop_value(eval, region->args[i], lanes);
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++)
            drop_value(eval, op_result(op, i), lanes);
    }
}

// --- running ---

// Called once for all lanes: what follows control flow or talks between lanes.
static bool is_team_op(OpCode code) {
    switch ((int)code) {
    case OP_CALL:
    case OP_COMPOSITE:
    case OP_WHILE:
    case OP_IF:
    case OP_CASE:
    case OP_SDY_MANUAL:
    case OP_SDY_NAMED:
    case OP_ALL_GATHER:
    case OP_ALL_REDUCE:
    case OP_ALL_TO_ALL:
    case OP_COLLECTIVE_BROADCAST:
    case OP_COLLECTIVE_PERMUTE:
    case OP_COLLECTIVE_REDUCE:
    case OP_REDUCE_SCATTER:
    case OP_EINSUM:
    case OP_UNARY_EINSUM:
    case OP_TORCH_INDEX_SELECT:
    case OP_CROSS_REPLICA_SUM:
    case OP_ASYNC_START:
    case OP_RUN_PARALLEL: return true;
    default: return false;
    }
}

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

bool eval_plain(Eval *eval, const Op *op) { return evaluators[op->code](eval, op); }

static bool run_op(Eval *eval, const Op *op) {
    if (eval->max_steps && eval->steps >= eval->max_steps)
        return eval_fail(
            eval, op, "was reached after the limit of %lld steps", (long long)eval->max_steps);
    eval->steps++;
    int mark = eval_scratch_mark(eval);
    bool ok = true;
    if (is_team_op(op->code)) {
        ok = evaluators[op->code](eval, op);
    } else {
        bool shareable = eval->lanes.count > 1 && is_shareable(op);
        for (int k = 0; k < eval->lanes.count && ok; k++) {
            eval->lane = eval->lanes.ids[k];
            if (shareable && share_results(eval, op, k)) continue;
            ok = evaluators[op->code](eval, op);
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
    find_last_uses(eval, region);
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
        ok = run_op(eval, op);
        if (ok) drop_dead_values(eval, op);
    }
    ok = ok && collect_results(eval, terminator, lanes, results);
    if (ok) drop_region_values(eval, region, lanes);
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

// --- the entries ---

static Eval eval_create(
    Arena *arena, const Module *module, const EvalOptions *options, EvalChecks *checks,
    Diags *diags) {
    return (Eval){
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
    if (!run_op(&eval, op)) return false;
    for (int i = 0; i < op->result_count; i++)
        results[i] = eval_export(arena, eval_get(&eval, op_result(op, i), 0));
    return true;
}

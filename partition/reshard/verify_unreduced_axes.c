// verify_unreduced_axes: no op loses or changes what its values are unreduced over, but for
// those that are there to do so.
//
//   In      any verified module
//   Out     the same. Fails where unreduced axes get lost: at an op other than
//           constraints, reshards and reductions, at a call, or at a return; the first
//           place in each function is reported. Behind a constraint or reshard, and
//           between several meshes, nothing is compared.
//
//   fails   %1 = stablehlo.add %0, %0 [{"x"}]      where %0 is [{"x"}], unreduced={"y"}
#include "ir/analysis/data_flow.h"
#include "ir/verify/verify.h"
#include "partition/collectives/reductions.h"
#include "partition/passes.h"

typedef struct Checking {
    Module *module;
    Arena *scratch;
    Diags *diags;
} Checking;

static const Value *behind_barriers(const Value *value) {
    while (value->def && value->def->code == OP_SDY_BARRIER)
        value = op_operand(value->def, 0);
    return value;
}

static const Sharding *sharding_behind_barriers(const Checking *checking, const Value *value) {
    return value_sharding(checking->module, behind_barriers(value));
}

static bool is_reshard(const Op *op) {
    return op && (op->code == OP_SDY_RESHARD || op->code == OP_SDY_CONSTRAINT);
}

static bool comes_from_reshard(const Value *value) {
    return is_reshard(behind_barriers(value)->def);
}

// ---- calls and returns: both sides have the same unreduced axes ----

static AxisSpan unreduced_of(const Sharding *sharding) {
    return sharding ? (AxisSpan){sharding->unreduced_count, sharding->unreduced} : (AxisSpan){0};
}

static bool contains(AxisSpan axes, const AxisRef *axis) {
    for (int i = 0; i < axes.count; i++) {
        if (axis_ref_equal(&axes.axes[i], axis)) return true;
    }
    return false;
}

// The names of the axes of `axes` that `others` does not have, sorted into the list, each once.
static void add_missing(AxisSpan axes, AxisSpan others, AxisList *names) {
    for (int i = 0; i < axes.count; i++) {
        StrView name = axes.axes[i].name;
        if (contains(others, &axes.axes[i])) continue;
        int place = names->count;
        while (place > 0 && strview_compare(names->axes[place - 1].name, name) > 0)
            place--;
        bool is_known = place > 0 && strview_equal(names->axes[place - 1].name, name);
        if (is_known || names->count == MAX_AXIS_REFS) continue;
        for (int n = names->count++; n > place; n--)
            names->axes[n] = names->axes[n - 1];
        names->axes[place] = (AxisRef){.name = name, .pre_size = 1};
    }
}

static bool check_equal(
    const Checking *checking, const Op *op, const Sharding *from, const Sharding *to,
    const char *place, int index, const char *end) {
    AxisList names = {0};
    add_missing(unreduced_of(from), unreduced_of(to), &names);
    add_missing(unreduced_of(to), unreduced_of(from), &names);
    if (names.count == 0) return true;
    StrBuf text = strbuf(checking->scratch);
    for (int i = 0; i < names.count; i++) {
        if (i) strbuf_puts(&text, ", ");
        strbuf_append(&text, names.axes[i].name);
    }
    diag_error(
        checking->diags, op->loc, "'%.*s' op has unreduced axes mismatch for '%s' at %s %d%s",
        SV_ARG(op->name), strbuf_cstring(&text), place, index, end);
    return false;
}

static bool check_call(const Checking *checking, const Op *call) {
    const Op *callee = module_find_func(checking->module, op_text(call, NAME_CALLEE));
    if (!callee) return true;
    const Region *body = func_body(callee);
    for (int i = 0; i < call->operand_count && i < body->arg_count; i++) {
        const Value *operand = op_operand(call, i);
        if (comes_from_reshard(operand)) continue;
        if (!check_equal(
                checking, call, sharding_behind_barriers(checking, operand),
                value_sharding(checking->module, body->args[i]), "call argument", i, "."))
            return false;
    }
    for (int i = 0; i < call->result_count && i < func_result_count(callee); i++) {
        if (!check_equal(
                checking, call, func_result_sharding(callee, i),
                value_sharding(checking->module, op_result(call, i)), "call result", i, "."))
            return false;
    }
    return true;
}

// What the op around a return says of the returned value, as the body sees it; NULL: nothing.
static const Sharding *returned_sharding(const Checking *checking, const Op *around, int i) {
    if (around->code == OP_FUNC) {
        return i < func_result_count(around) ? func_result_sharding(around, i) : NULL;
    }
    if (i >= around->result_count) return NULL;
    const Sharding *sharding = value_sharding(checking->module, op_result(around, i));
    return around->code == OP_SDY_MANUAL
               ? sharding_without_manual_axes(checking->module, around, sharding)
               : sharding;
}

static bool check_return(const Checking *checking, const Op *op) {
    const Op *around = op_parent_op(op);
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        const Sharding *expected = returned_sharding(checking, around, i);
        if (!expected || comes_from_reshard(operand)) continue;
        if (!check_equal(
                checking, op, sharding_behind_barriers(checking, operand), expected, "return value",
                i,
                " without a blessed operation (e.g., sdy.reshard). This is an invalid transition "
                "from unreduced to reduced."))
            return false;
    }
    return true;
}

// ---- ops ----

// How the body of a reduction combines: sum, max or min; false when it does something else.
static bool body_reduction(const Region *body, ReductionKind *kind) {
    const Op *end = region_terminator(body);
    if (!end || end->code != OP_RETURN || end->operand_count == 0) return false;
    for (int i = 0; i < end->operand_count; i++) {
        const Op *def = op_operand(end, i)->def;
        ReductionKind own;
        if (!def || !reduction_kind_of_body(def->code, &own)) return false;
        if (i && own != *kind) return false;
        *kind = own;
    }
    return true;
}

// The first operands and results of the op, as many as the change counts. Other ops than
// StableHLO's reductions over devices may drop what a reshard has made.
static bool check_transition(const Checking *checking, const Op *op, UnreducedChange change) {
    bool is_collective = op->code == OP_ALL_REDUCE || op->code == OP_REDUCE_SCATTER;
    const Sharding **from = ARENA_ARRAY(checking->scratch, const Sharding *, change.operand_count);
    const Sharding **to = ARENA_ARRAY(checking->scratch, const Sharding *, change.result_count);
    for (int i = 0; i < change.operand_count; i++) {
        const Value *operand = op_operand(op, i);
        bool counts = is_collective || !comes_from_reshard(operand);
        from[i] = counts ? sharding_behind_barriers(checking, operand) : NULL;
    }
    for (int i = 0; i < change.result_count; i++)
        to[i] = sharding_behind_barriers(checking, op_result(op, i));
    change.operands = from;
    change.results = to;
    return verify_unreduced_transition(checking->module, op, &change, checking->diags);
}

typedef bool CheckFn(const Checking *checking, const Op *op);

static UnreducedChange change_of(const Op *op) {
    return (UnreducedChange){
        .operand_count = op->operand_count,
        .result_count = op->result_count,
        .may_add = true,
        .added = REDUCTION_SUM};
}

static bool check_nothing(const Checking *checking, const Op *op) {
    (void)checking;
    (void)op;
    return true;
}

// The verifier has checked the rest.
static bool check_operand_is_sharded(const Checking *checking, const Op *op) {
    if (sharding_behind_barriers(checking, op_operand(op, 0))) return true;
    diag_error(checking->diags, op->loc, "'%.*s' op operand must be sharded.", SV_ARG(op->name));
    return false;
}

static bool check_reduce(const Checking *checking, const Op *op) {
    UnreducedChange change = change_of(op);
    change.operand_count /= 2; // without the initial values
    change.may_add = body_reduction(op->regions[0], &change.added);
    return check_transition(checking, op, change);
}

static bool check_device_reduction(const Checking *checking, const Op *op) {
    UnreducedChange change = change_of(op);
    change.operand_count = op->operand_count > 0;
    change.result_count = op->result_count > 0;
    change.may_add = false;
    change.may_drop = body_reduction(op->regions[0], &change.dropped);
    return check_transition(checking, op, change);
}

typedef struct CheckRow {
    char unused;
    CheckFn *check; // NULL: its values keep their unreduced axes
} CheckRow;

static const CheckRow checks[OP_COUNT] = {
#define UNREDUCED(x) .check = check_##x,
#include "ir/dialects/partition_rows.def"
};

static bool check_op(const Checking *checking, const Op *op) {
    CheckFn *check = checks[op->code].check;
    if (check) return check(checking, op);
    return check_transition(checking, op, change_of(op));
}

// Bodies before the ops that they belong to.
static bool check_region(const Checking *checking, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        for (int r = 0; r < op->region_count; r++) {
            if (!check_region(checking, op->regions[r])) return false;
        }
        if (!check_op(checking, op)) return false;
    }
    return true;
}

PassResult pass_verify_unreduced_axes(Module *module, PassContext *pass) {
    const Checking checking = {.module = module, .scratch = pass->scratch, .diags = pass->diags};
    bool ok = true;
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && !check_region(&checking, func_body(op))) ok = false;
    }
    return ok ? PASS_UNCHANGED : PASS_FAILED;
}

// separate_unreduced: what an op computes becomes unreduced behind the op, unless the op
// itself makes the parts of the sum.
//
//   In      a module whose shardings are final
//   Out     a result is unreduced over axes only if the op sums over dimensions with them, or moves
//           operands that are unreduced over them. What a loop carries, or a conditional gives, is
//           so only if all that it comes from is, and a loop only adds to it
//   Keeps   arguments and results of manual and named computations: what enters or
//           leaves them is resharded there
//
// A constraint's unreduced axes stand on the value that it constrains, whatever makes that value.
// An op that is not linear must not compute on parts, and one that sums nothing would give as
// many copies as the sum has parts.
//
//   before  %1 = stablehlo.tanh %0 [{}] unreduced={"x"}
//   after   %1 = stablehlo.tanh %0 [{}]      %2 = sdy.reshard %1 [{}] unreduced={"x"}
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/collectives/reductions.h"
#include "partition/passes.h"
#include "partition/reshard/reshard_unreduced.h"

typedef struct Separating {
    Module *module;
    Arena *scratch;
    bool changed;
} Separating;

// The axes without those that the operand is unreduced over.
static AxisSpan without_operand(
    Separating *s, const Mesh *mesh, AxisSpan axes, const Value *value) {
    return axes_minus(s->scratch, mesh, axes, unreduced_axes(value_sharding(s->module, value)));
}

// The axes without those of some dimensions of the operand.
static AxisSpan without_dims(
    Separating *s, const Mesh *mesh, AxisSpan axes, const Value *value, IntSpan dims) {
    const Sharding *sharding = value_sharding(s->module, value);
    for (int64_t i = 0; sharding && i < dims.count; i++) {
        axes = axes_minus(s->scratch, mesh, axes, dim_axes(sharding, (int)dims.data[i]));
    }
    return axes;
}

// The axes without those along which a scatter's updates are spread.
static AxisSpan without_scattered(Separating *s, const Mesh *mesh, AxisSpan axes, const Op *op) {
    const Attr *attr = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS);
    const Value *updates = op_operand(op, 2);
    IntSpan windows = attr ? attr->scatter->update_window_dims : (IntSpan){0};
    for (int64_t d = 0; attr && d < updates->type->rank; d++) {
        if (!ints_contain(windows, d))
            axes = without_dims(s, mesh, axes, updates, (IntSpan){&d, 1});
    }
    return axes;
}

// How many operands the op moves or adds elements of, so that of parts of a sum it makes parts; the
// others, behind them, are indices. A conversion of floats rounds the parts instead of the sum.
static int linear_operands(const Op *op) {
    if (op_has(op, TRAIT_LINEAR)) return op->operand_count;
    if (op->code == OP_CONVERT)
        return element_is_float(op_operand_type(op, 0)->element) &&
               element_is_float(op_result_type(op, 0)->element);
    return op->code == OP_DYNAMIC_SLICE ? 1 : op->code == OP_DYNAMIC_UPDATE_SLICE ? 2 : 0;
}

// The axes over which the op does not make parts, of those that its result has.
static AxisSpan axes_not_made(
    Separating *s, const Op *op, const Mesh *mesh, const Sharding *result) {
    const AxisSpan none = {0, NULL};
    OpCode body = reduction_kind_body(result->reduction);
    AxisSpan axes = unreduced_axes(result);
    if (linear_operands(op) > 0 && body == OP_ADD) {
        for (int i = 0; i < linear_operands(op); i++) {
            if (without_operand(s, mesh, axes, op_operand(op, i)).count > 0) return axes;
        }
        return none;
    }
    if (op->code == OP_DOT_GENERAL) {
        const Attr *attr = op_attr(op, NAME_DOT_DIMENSION_NUMBERS);
        for (int i = 0; attr && body == OP_ADD && i < 2; i++) {
            IntSpan dims = i ? attr->dot->rhs_contracting : attr->dot->lhs_contracting;
            axes = without_dims(s, mesh, axes, op_operand(op, i), dims);
            axes = without_operand(s, mesh, axes, op_operand(op, i));
        }
        return axes;
    }
    bool scatters = op->code == OP_SCATTER && op->result_count == 1 &&
                    region_combining_op(op->regions[0]) == body;
    if (scatters) return without_scattered(s, mesh, axes, op);
    bool reduces = op->code == OP_REDUCE && op->result_count == 1 &&
                   region_reduction_op(op->regions[0]) == body;
    if (!reduces) return axes;
    axes = without_dims(s, mesh, axes, op_operand(op, 0), op_ints(op, NAME_DIMENSIONS));
    return without_operand(s, mesh, axes, op_operand(op, 0));
}

// ---- loops and conditionals

// Are all parts of a sum there, over all of the axes?
static bool is_unreduced(Separating *s, const Mesh *mesh, AxisSpan axes, const Value *value) {
    return without_operand(s, mesh, axes, value).count == 0;
}

// Does nobody need the sum of the carry in the loop's body? Linear ops make parts of parts.
static bool only_adds_to(Separating *s, const Mesh *mesh, AxisSpan axes, const Value *carry) {
    for (const Use *use = carry->uses; use; use = use->next) {
        const Op *op = use->owner;
        if (op_has(op, TRAIT_TERMINATOR) && use_index(use) == carry->index) continue;
        bool may_make_parts = linear_operands(op) > 0 || op->code == OP_SDY_RESHARD;
        if (!may_make_parts || op->result_count != 1) return false;
        const Value *result = op_result(op, 0);
        if (!is_unreduced(s, mesh, axes, result)) return false;
        if (op->code == OP_SDY_RESHARD) continue;
        if (axes_not_made(s, op, mesh, result->sharding).count > 0) return false;
    }
    return true;
}

static bool region_gives_parts(
    Separating *s, const Mesh *mesh, AxisSpan axes, const Region *region, int i) {
    const Op *end = region_terminator(region);
    return end && i < end->operand_count && is_unreduced(s, mesh, axes, op_operand(end, i));
}

// May result i of a loop or a conditional stay parts of a sum?
static bool stays_in_parts(
    Separating *s, const Op *op, const Mesh *mesh, const Sharding *result, int i) {
    AxisSpan axes = unreduced_axes(result);
    if (op->code == OP_WHILE) {
        const Region *condition = op->regions[0], *body = op->regions[1];
        return is_unreduced(s, mesh, axes, op_operand(op, i)) && !condition->args[i]->uses &&
               region_gives_parts(s, mesh, axes, body, i) &&
               only_adds_to(s, mesh, axes, body->args[i]);
    }
    if (op->code != OP_IF && op->code != OP_CASE) return false;
    for (int r = 0; r < op->region_count; r++) {
        if (!region_gives_parts(s, mesh, axes, op->regions[r], i)) return false;
    }
    return true;
}

// What enters and leaves these is brought to the sharding that they say.
static bool is_reshard_or_region(const Op *op) {
    bool is_region = op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
    return is_region || op->code == OP_SDY_CONSTRAINT || op->code == OP_SDY_RESHARD;
}

static bool visit(Op *op, void *user) {
    Separating *s = user;
    bool has_own_way =
        op_has(op, TRAIT_TERMINATOR) || op_has(op, TRAIT_COLLECTIVE) || is_reshard_or_region(op);
    for (int i = 0; i < op->result_count && !has_own_way; i++) {
        Value *result = op_result(op, i);
        const Sharding *whole = result->sharding;
        const Mesh *mesh = whole ? sharding_mesh(s->module, whole) : NULL;
        if (!mesh || whole->unreduced_count == 0 || stays_in_parts(s, op, mesh, whole, i)) continue;
        AxisSpan axes = axes_not_made(s, op, mesh, whole);
        if (axes.count == 0) continue;
        AxisSpan kept = axes_minus(s->scratch, mesh, unreduced_axes(whole), axes);
        result->sharding = sharding_with_unreduced(s->module->context, whole, kept);
        Builder builder = builder_after(s->module, op);
        Value *reshard = build_reshard(&builder, result, whole);
        value_replace_uses_except(result, reshard, reshard->def);
        s->changed = true;
    }
    return true;
}

PassResult pass_separate_unreduced(Module *module, PassContext *pass) {
    Separating separating = {.module = module, .scratch = pass->scratch};
    region_walk(module->body, visit, &separating);
    return separating.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

// settle_annotations: what a program's annotations say that propagation and
// reshards would not keep as it is said.
//
//   In      a module as it was read
//   Out     operands and results of sdy's collectives have exact shardings; an operand
//           that is an argument, or had an open sharding or none, is a reshard, so that
//           what is around does not change it.
//           sdy.all_reduce and sdy.reduce_scatter combine what is unreduced; along other axes they
//           are reshards.
//           No annotations in the bodies of reductions, sorts and the like, whose values are no
//           arrays of the mesh.
//           No data-flow edges: they are put where they belong for propagation alone.
//           No value is unreduced with max or min: a device that has the whole value has as good a
//           part. But for what a manual computation returns so along its own axes, which is
//           combined right behind it.
//   Keeps   everything else. Cannot fail.
//
//   before  %1 = stablehlo.add %0, %0
//           %2 = sdy.all_slice [{"x"}] %1 out_sharding=[{"x"}]
//   after   %1 = stablehlo.add %0, %0
//           %2 = sdy.reshard %1 [{}]
//           %3 = sdy.all_slice [{"x"}] %2 out_sharding=[{"x"}]
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/collectives/reductions.h"
#include "partition/passes.h"
#include "partition/propagate/projection.h"
#include "partition/reshard/reshard_unreduced.h"

typedef struct Settling {
    Module *module;
    Arena *scratch;
    bool changed;
} Settling;

// Does the region belong to the body of a reduction, a sort ...?
static bool is_body(const Region *region) {
    for (; region && region->owner; region = region->owner->parent) {
        if (region->owner->code == OP_FUNC || region->owner->code == OP_MODULE) return false;
        if (!op_has_data_flow(region->owner)) return true;
    }
    return false;
}

// ---- shardings ----

// The unreduced axes of a manual computation's result that are its own: each device returns its
// part.
static AxisSpan manual_parts(const Settling *settling, const Op *op, const Sharding *sharding) {
    AxisRef *parts = ARENA_ARRAY(settling->scratch, AxisRef, sharding->unreduced_count);
    int count = 0;
    for (int a = 0; a < sharding->unreduced_count; a++) {
        if (op_has_manual_axis(op, sharding->unreduced[a].name))
            parts[count++] = sharding->unreduced[a];
    }
    return (AxisSpan){count, parts};
}

static const Sharding *settle_sharding(
    const Sharding *sharding, const ShardingPlace *place, void *user) {
    const Settling *settling = user;
    const AxisSpan none = {0, NULL};
    bool is_listed = place->op->code == OP_SDY_MANUAL || place->op->code == OP_SDY_NAMED;
    if (place->value && !is_listed && is_body(value_region(place->value))) return NULL;
    if (sharding->unreduced_count == 0 || sharding->reduction == REDUCTION_SUM) return sharding;
    bool is_returned =
        place->op->code == OP_SDY_MANUAL && place->value && place->value->def == place->op;
    AxisSpan kept = is_returned ? manual_parts(settling, place->op, sharding) : none;
    return sharding_with_unreduced(settling->module->context, sharding, kept);
}

// ---- ops ----

// The axes over which an all_reduce or reduce_scatter combines.
static AxisSpan reduced_axes(Arena *arena, const Op *op) {
    const Attr *attr = op_attr(op, NAME_AXES);
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, (attr->count + 1) * MAX_AXIS_REFS);
    int count = 0;
    for (int i = 0; i < attr->count; i++) {
        if (op->code == OP_SDY_ALL_REDUCE) {
            axes[count++] = attr->axes[i];
            continue;
        }
        for (int k = 0; k < attr->axes_per_dim[i].count; k++)
            axes[count++] = attr->axes_per_dim[i].axes[k];
    }
    return (AxisSpan){count, axes};
}

// A value of the program is whole unless its sharding says that it is unreduced: over other axes
// there is nothing to combine, however the op lays it out. False: all axes are unreduced ones.
static bool settle_reduction(Settling *settling, Op *op, const Sharding *from) {
    Module *module = settling->module;
    Value *x = op_operand(op, 0), *result = op_result(op, 0);
    const Mesh *mesh = sharding_mesh(module, result->sharding);
    AxisSpan axes = reduced_axes(settling->scratch, op);
    AxisSpan whole = axes_minus(settling->scratch, mesh, axes, unreduced_axes(from));
    if (whole.count == 0) return false;
    settling->changed = true;
    Builder builder = builder_before(module, op);
    AxisSpan parts = axes_minus(settling->scratch, mesh, axes, whole);
    if (parts.count > 0) {
        Op *reduced = build_op(&builder, OP_SDY_ALL_REDUCE, 1, &x, 1, &x->type, 0);
        op_set_attr(
            module, reduced, NAME_AXES, attr_axes(module->context, parts.count, parts.axes));
        collective_set_reduction(module, reduced, collective_reduction(op));
        AxisSpan left = axes_minus(settling->scratch, mesh, unreduced_axes(from), parts);
        x = op_result(reduced, 0);
        x->sharding = sharding_with_unreduced(module->context, from, left);
    }
    value_replace_uses(result, build_reshard(&builder, x, result->sharding));
    op_erase(op);
    return true;
}

static bool settle_op(Op *op, void *user) {
    Settling *settling = user;
    Module *module = settling->module;
    bool is_edge = op->code == OP_SDY_EDGE || op->code == OP_SDY_FUNC_EDGE;
    bool is_annotation = op->code == OP_SDY_CONSTRAINT || op->code == OP_SDY_RESHARD;
    if (is_edge || (is_annotation && is_body(op->parent))) {
        settling->changed = true;
        value_replace_uses(op_result(op, 0), op_operand(op, 0));
        op_erase(op);
        return true;
    }
    if (!op_is_sdy_collective(op)) return true;
    Value *x = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *from = value_sharding(module, x), *to = result->sharding;
    // An operand without a sharding counts as replicated.
    const Sharding *exact = from ? sharding_closed(module->context, from)
                                 : sharding_replicated_like(module->context, to);
    result->sharding = sharding_closed(module->context, to);
    settling->changed |= result->sharding != to;
    bool is_reduction = op->code == OP_SDY_ALL_REDUCE || op->code == OP_SDY_REDUCE_SCATTER;
    if (is_reduction && settle_reduction(settling, op, exact)) return true;
    if (exact == from && x->def) return true;
    settling->changed = true;
    Builder builder = builder_before(module, op);
    Op *reshard = build_op(&builder, OP_SDY_RESHARD, 1, &x, 1, &x->type, 0);
    op_result(reshard, 0)->sharding = exact;
    op_set_operand(op, 0, op_result(reshard, 0));
    return true;
}

// Do all users combine the parts themselves?
static bool is_combined(const Value *value, const Attr *axes, OpCode body) {
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *user = use->owner;
        if (user->code != OP_SDY_ALL_REDUCE || op_attr(user, NAME_AXES) != axes ||
            collective_reduction(user) != body)
            return false;
    }
    return true;
}

// The devices' parts of a result that is unreduced with max or min, combined. (Parts of a sum
// stay apart as long as possible.)
static void combine_result(Settling *settling, Op *op, int i) {
    Module *module = settling->module;
    Value *result = op_result(op, i);
    const Sharding *sharding = value_sharding(module, result);
    if (!sharding || sharding->unreduced_count == 0 || sharding->reduction == REDUCTION_SUM) return;
    AxisSpan parts = manual_parts(settling, op, sharding);
    const Attr *axes = attr_axes(module->context, parts.count, parts.axes);
    OpCode body = reduction_kind_body(sharding->reduction);
    if (parts.count == 0 || is_combined(result, axes, body)) return;
    Builder builder = builder_after(module, op);
    Op *reduced = build_op(&builder, OP_SDY_ALL_REDUCE, 1, &result, 1, &result->type, 0);
    op_set_attr(module, reduced, NAME_AXES, axes);
    collective_set_reduction(module, reduced, body);
    value_replace_uses(result, op_result(reduced, 0));
    op_set_operand(reduced, 0, result);
    const AxisSpan none = {0, NULL};
    op_result(reduced, 0)->sharding =
        sharding_closed(module->context, sharding_with_unreduced(module->context, sharding, none));
    settling->changed = true;
}

static bool combine_results(Op *op, void *user) {
    for (int i = 0; op->code == OP_SDY_MANUAL && i < op->result_count; i++)
        combine_result(user, op, i);
    return true;
}

PassResult pass_settle_annotations(Module *module, PassContext *pass) {
    Settling settling = {.module = module, .scratch = pass->scratch};
    region_walk(module->body, combine_results, &settling);
    settling.changed |= module_map_shardings(module, settle_sharding, &settling);
    region_walk(module->body, settle_op, &settling);
    return settling.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

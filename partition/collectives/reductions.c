// reductions: how collectives combine, and the split of all_slice(all_reduce(x)) into
// reduce_scatter, all_slice and all_reduce.
#include "partition/collectives/reductions.h"

#include "ir/analysis/data_flow.h"
#include "partition/propagate/projection.h"

OpCode reduction_kind_body(ReductionKind kind) {
    switch (kind) {
    case REDUCTION_SUM: return OP_ADD;
    case REDUCTION_MAX: return OP_MAXIMUM;
    case REDUCTION_MIN: return OP_MINIMUM;
    }
    return OP_ADD;
}

bool reduction_kind_of_body(OpCode body, ReductionKind *kind) {
    for (ReductionKind known = REDUCTION_SUM; known <= REDUCTION_MIN; known++) {
        if (reduction_kind_body(known) != body) continue;
        *kind = known;
        return true;
    }
    return false;
}

OpCode parts_reduction(ElementType element) {
    return element == ELEMENT_F8E8M0FNU ? OP_MAXIMUM : OP_ADD;
}

OpCode collective_reduction(const Op *op) {
    const Attr *name = op_extra(op, "reduction");
    OpCode body;
    if (name && name->kind == ATTR_STRING && op_code_from_text(name->text, &body)) return body;
    return reduction_kind_body((ReductionKind)op_int(op, NAME_REDUCTION_OP, REDUCTION_SUM));
}

void collective_set_reduction(Module *module, Op *op, OpCode body) {
    if (body == OP_ADD) return;
    if (body == OP_MAXIMUM || body == OP_MINIMUM) {
        ReductionKind kind = body == OP_MAXIMUM ? REDUCTION_MAX : REDUCTION_MIN;
        op_set_attr(
            module, op, NAME_REDUCTION_OP,
            attr_enum(module->context, ENUM_SDY_REDUCTION, (int)kind));
        return;
    }
    const Attr *name = attr_string(module->context, op_code_text(body));
    op_set_extra(module, op, SV("reduction"), name);
}

void collective_copy_reduction(Module *module, Op *to, const Op *from) {
    collective_set_reduction(module, to, collective_reduction(from));
}

static int find_axis(const AxisList *list, const AxisRef *axis) {
    for (int i = 0; i < list->count; i++) {
        if (axis_ref_equal(&list->axes[i], axis)) return i;
    }
    return -1;
}

static void remove_axis(AxisList *list, int index) {
    for (int i = index + 1; i < list->count; i++)
        list->axes[i - 1] = list->axes[i];
    list->count--;
}

ScatterAxes scatter_axes(Arena *arena, const Op *all_reduce, const Op *slice) {
    const Attr *reduced = op_attr(all_reduce, NAME_AXES), *sliced = op_attr(slice, NAME_AXES);
    ScatterAxes axes = {
        .scattered = ARENA_ARRAY(arena, AxisList, sliced->count),
        .sliced = ARENA_ARRAY(arena, AxisList, sliced->count)};
    for (int i = 0; i < reduced->count && i < MAX_AXIS_REFS; i++)
        axes.reduced.axes[axes.reduced.count++] = reduced->axes[i];
    for (int d = 0; d < sliced->count; d++) {
        const AxisSpan *all = &sliced->axes_per_dim[d];
        for (int i = 0; i < all->count; i++) {
            int at = axes.sliced[d].count ? -1 : find_axis(&axes.reduced, &all->axes[i]);
            AxisList *list = at >= 0 ? &axes.scattered[d] : &axes.sliced[d];
            list->axes[list->count++] = all->axes[i];
            if (at >= 0) remove_axis(&axes.reduced, at);
        }
        axes.any_scattered = axes.any_scattered || axes.scattered[d].count > 0;
        axes.any_sliced = axes.any_sliced || axes.sliced[d].count > 0;
    }
    return axes;
}

// The operand's dims with the scattered axes behind their own; the rest as the slice has it.
static const Sharding *scattered_sharding(
    const Module *module, Arena *arena, const Value *x, const Sharding *out,
    const AxisList *scattered) {
    const Sharding *own = value_sharding(module, x);
    const Mesh *mesh = sharding_mesh(module, out);
    DimSharding dims[MAX_RANK] = {0};
    for (int d = 0; d < out->rank; d++) {
        AxisSpan before = own && d < own->rank ? dim_axes(own, d) : (AxisSpan){0, NULL};
        AxisRef *axes = ARENA_ARRAY(arena, AxisRef, before.count + scattered[d].count);
        int count = 0;
        for (int i = 0; i < before.count; i++)
            axes[count++] = before.axes[i];
        for (int i = 0; i < scattered[d].count; i++)
            axes_append(mesh, axes, &count, scattered[d].axes[i]);
        dims[d] = (DimSharding){.axis_count = count, .axes = axes, .priority = PRIORITY_NONE};
    }
    Sharding result = *out;
    result.dims = dims;
    return sharding_intern(module->context, &result);
}

static Value *build_on_dims(
    Builder *builder, OpCode code, Value *x, int rank, const AxisList *axes, const Sharding *out) {
    Op *op = build_op(builder, code, 1, &x, 1, &x->type, 0);
    op_set_attr(
        builder->module, op, NAME_AXES, attr_axes_per_dim(builder->module->context, rank, axes));
    op_result(op, 0)->sharding = out;
    return op_result(op, 0);
}

static Value *build_sum(
    Builder *builder, const Op *like, Value *x, const AxisList *axes, const Sharding *out) {
    Op *sum = build_op(builder, OP_SDY_ALL_REDUCE, 1, &x, 1, &x->type, 0);
    op_set_attr(
        builder->module, sum, NAME_AXES,
        attr_axes(builder->module->context, axes->count, axes->axes));
    collective_copy_reduction(builder->module, sum, like);
    op_result(sum, 0)->sharding = out;
    return op_result(sum, 0);
}

// Does a slice take an axis of which a part is still to be reduced? Then that comes first.
static bool slice_takes_reduced(const Mesh *mesh, const ScatterAxes *axes, int rank) {
    for (int d = 0; d < rank; d++) {
        for (int i = 0; i < axes->sliced[d].count; i++) {
            for (int k = 0; k < axes->reduced.count; k++) {
                if (axis_ref_overlaps(mesh, &axes->sliced[d].axes[i], &axes->reduced.axes[k]))
                    return true;
            }
        }
    }
    return false;
}

Value *build_reduce_scatter(
    Builder *builder, Arena *arena, const Op *all_reduce, const Op *slice,
    const ScatterAxes *axes) {
    Module *module = builder->module;
    Value *x = op_operand(all_reduce, 0);
    const Sharding *out = op_result(slice, 0)->sharding;
    int rank = op_attr(slice, NAME_AXES)->count;
    bool sum_first = slice_takes_reduced(sharding_mesh(module, out), axes, rank);
    const Sharding *scattered =
        axes->any_sliced ? scattered_sharding(module, arena, x, out, axes->scattered) : out;
    if (axes->any_scattered) {
        x = build_on_dims(builder, OP_SDY_REDUCE_SCATTER, x, rank, axes->scattered, scattered);
        collective_copy_reduction(module, x->def, all_reduce);
    }
    if (sum_first) x = build_sum(builder, all_reduce, x, &axes->reduced, scattered);
    if (axes->any_sliced) x = build_on_dims(builder, OP_SDY_ALL_SLICE, x, rank, axes->sliced, out);
    if (axes->reduced.count == 0 || sum_first) return x;
    return build_sum(builder, all_reduce, x, &axes->reduced, out);
}

// reshard_reshape: the common sharding of a reshape of which a factor cannot
// take all axes of its dimension.
//
//   1. The side that is sharded more gives all its axes, factor by factor.
//   2. Each side takes them anew: every axis, or what divides the room of it, goes to the first
//      factor with room for it; what no factor can take is left over at the side's last factor.
//   3. Both sides, as shardings and seen through the rule again, keep what they have in common.
//
//   before  [{"x", "y"}, {}] -> [{}, {"x", "y"}]
//           ([ij, k])->([i, jk]) {i=4, j=6, k=8}, "x"=6, "y"=4
//   after   i: "x":(1)2, "y":(1)2; j: "x":(2)3, "y":(2)2
//
//   source  Shardy, the comments of its explicit reshards pass
#include "base/vec.h"
#include "partition/reshard/reshard_choice.h"

static const TensorFactors *side_factors(const ShardingRule *rule, int side) {
    return side == 0 ? &rule->operands[0] : &rule->results[0];
}

static int64_t side_size(const Projection *projection, int side) {
    int64_t size = 1;
    for (int f = 0; f < projection->rule->factor_count; f++) {
        const FactorSharding *factor = &projection->tensors[side].factors[f];
        if (!factor->is_present) continue;
        size *= axis_list_size(projection->mesh, factor->axes.axes, factor->axes.count);
        size *= axis_list_size(projection->mesh, factor->overflow.axes, factor->overflow.count);
    }
    return size;
}

static bool has_overflow(const Projection *projection) {
    for (int side = 0; side < 2; side++) {
        for (int f = 0; f < projection->rule->factor_count; f++) {
            if (projection->tensors[side].factors[f].overflow.count > 0) return true;
        }
    }
    return false;
}

// The axes of all factors of a side, with those that they cannot take.
static AxisSpan side_axes(Arena *arena, const Projection *projection, int side) {
    VEC(AxisRef) axes = {0};
    for (int f = 0; f < projection->rule->factor_count; f++) {
        const FactorSharding *factor = &projection->tensors[side].factors[f];
        if (!factor->is_present) continue;
        for (int i = 0; i < factor->axes.count; i++)
            vec_push(arena, &axes, factor->axes.axes[i]);
        for (int i = 0; i < factor->overflow.count; i++)
            vec_push(arena, &axes, factor->overflow.axes[i]);
    }
    return (AxisSpan){(int)axes.count, axes.data};
}

// A factor that takes axes.
typedef struct Taker {
    FactorSharding *factor;
    int64_t room;
    AxisRef *axes; // that it has
    int count;
} Taker;

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Gives the axis to the factors, in order; what none of them takes stays in
// *axis. False when nothing is left.
static bool give_axis(const Mesh *mesh, Taker *takers, int count, AxisRef *axis) {
    for (bool is_used = true; is_used;) {
        is_used = false;
        for (int i = 0; i < count; i++) {
            int64_t size = axis_ref_size(mesh, axis), pre_size = axis_ref_pre_size(axis);
            if (takers[i].room <= 1) continue;
            int64_t common = common_divisor(takers[i].room, size);
            if (common == 1 && size != 1) continue;
            is_used = true;
            takers[i].room /= common;
            AxisRef part = axis_ref_make(mesh, axis->name, pre_size, common);
            axes_append(mesh, takers[i].axes, &takers[i].count, part);
            if (common == size) return false;
            *axis = axis_ref_make(mesh, axis->name, pre_size * common, size / common);
        }
    }
    return true;
}

static void redistribute(Arena *arena, Projection *projection, int side, AxisSpan all) {
    const Mesh *mesh = projection->mesh;
    const TensorFactors *tensor = side_factors(projection->rule, side);
    VEC(Taker) takers = {0};
    for (int d = 0; d < tensor->rank; d++) {
        for (int i = 0; i < tensor->dims[d].count; i++) {
            int f = tensor->dims[d].factors[i];
            FactorSharding *factor = &projection->tensors[side].factors[f];
            if (!factor->is_present) continue;
            // A part of an axis at least halves the room, so there are at most 63 of them.
            Taker taker = {
                factor, projection->rule->factors[f].size,
                ARENA_ARRAY(arena, AxisRef, all.count + 64), 0};
            vec_push(arena, &takers, taker);
        }
    }
    AxisRef *rest = ARENA_ARRAY(arena, AxisRef, all.count + 1);
    int rest_count = 0;
    for (int i = 0; i < all.count && takers.count > 0; i++) {
        AxisRef axis = all.axes[i];
        if (rest_count > 0 || give_axis(mesh, takers.data, (int)takers.count, &axis))
            axes_append(mesh, rest, &rest_count, axis);
    }
    for (int64_t i = 0; i < takers.count; i++) {
        takers.data[i].factor->axes = (AxisSpan){takers.data[i].count, takers.data[i].axes};
        takers.data[i].factor->overflow = (AxisSpan){0, NULL};
    }
    if (takers.count > 0) vec_last(&takers).factor->overflow = (AxisSpan){rest_count, rest};
}

static AxisSpan common_prefix(Arena *arena, const Mesh *mesh, AxisSpan a, AxisSpan b) {
    AxisRef *axes = ARENA_ARRAY(arena, AxisRef, a.count + 1);
    int count = 0;
    for (int i = 0; i < a.count && i < b.count; i++) {
        const AxisRef *x = &a.axes[i], *y = &b.axes[i];
        if (axis_ref_equal(x, y)) {
            axes[count++] = *x;
            continue;
        }
        if (axis_ref_is_prefix(mesh, x, y)) axes[count++] = *x;
        if (axis_ref_is_prefix(mesh, y, x)) axes[count++] = *y;
        break;
    }
    return (AxisSpan){count, axes};
}

static Projection *copy_projection(Arena *arena, const Projection *from) {
    Projection *copy = ARENA_NEW(arena, Projection);
    *copy = *from;
    copy->tensors = ARENA_ARRAY(arena, TensorProjection, from->tensor_count);
    for (int t = 0; t < from->tensor_count; t++) {
        copy->tensors[t] = from->tensors[t];
        copy->tensors[t].factors = ARENA_ARRAY(arena, FactorSharding, from->rule->factor_count);
        for (int f = 0; f < from->rule->factor_count; f++)
            copy->tensors[t].factors[f] = from->tensors[t].factors[f];
    }
    return copy;
}

bool reshard_choice_of_reshape(
    Context *context, Arena *arena, const Projection *before, ReshardChoice *choice) {
    if (!has_overflow(before)) return false;
    int more = side_size(before, 0) >= side_size(before, 1) ? 0 : 1;
    AxisSpan all = side_axes(arena, before, more);
    Projection *given = copy_projection(arena, before);
    const Sharding *built[2];
    for (int side = 0; side < 2; side++) {
        redistribute(arena, given, side, all);
        built[side] = projection_sharding(context, given, side, (StrView){0});
    }
    Projection *seen = projection_create(arena, before->rule, before->mesh, built, true);
    int count = before->rule->factor_count;
    *choice = (ReshardChoice){.before = before, .axes = ARENA_ARRAY(arena, AxisSpan, count)};
    for (int f = 0; f < count; f++) {
        const FactorSharding *in = &seen->tensors[0].factors[f];
        const FactorSharding *out = &seen->tensors[1].factors[f];
        choice->axes[f] = in->is_present ? in->axes : out->axes;
        if (in->is_present && out->is_present)
            choice->axes[f] = common_prefix(arena, before->mesh, in->axes, out->axes);
    }
    return true;
}

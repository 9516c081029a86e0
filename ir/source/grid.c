// grid: grids and shardings of the dialect shard.
#include "ir/source/grid.h"

static bool take_grid_and_axes(const Op *op, ShardSpec *spec) {
    spec->grid = op_text(op, NAME_GRID);
    spec->split_axes = op_attr(op, NAME_SPLIT_AXES);
    return spec->split_axes != NULL;
}

bool shard_spec_of_sharding(const Op *sharding, ShardSpec *spec) {
    *spec = (ShardSpec){.partial_type = SHARD_REDUCTION_sum};
    if (sharding->code != OP_SHARD_SHARDING) return false;
    spec->halo_sizes = op_ints(sharding, NAME_STATIC_HALO_SIZES);
    spec->offsets = op_ints(sharding, NAME_STATIC_SHARDED_DIMS_OFFSETS);
    return take_grid_and_axes(sharding, spec);
}

bool shard_spec_of(const Op *shard, ShardSpec *spec) {
    if (shard->operand_count == 2) {
        const Op *from = op_operand(shard, 1)->def;
        return from && shard_spec_of_sharding(from, spec);
    }
    *spec = (ShardSpec){
        .partial = op_ints(shard, NAME_PARTIAL_AXES),
        .partial_type = op_int(shard, NAME_PARTIAL_TYPE, SHARD_REDUCTION_sum)};
    return take_grid_and_axes(shard, spec);
}

IntSpan spec_axes(const ShardSpec *spec, int dim) {
    if (!spec->split_axes || dim >= spec->split_axes->count) return (IntSpan){NULL, 0};
    const Attr *axes = spec->split_axes->items[dim];
    return (IntSpan){axes->ints, axes->count};
}

static bool spans_equal(IntSpan a, IntSpan b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; i++) {
        if (a.data[i] != b.data[i]) return false;
    }
    return true;
}

bool spec_equal(const ShardSpec *a, const ShardSpec *b) {
    int count =
        a->split_axes->count > b->split_axes->count ? a->split_axes->count : b->split_axes->count;
    for (int d = 0; d < count; d++) {
        if (!spans_equal(spec_axes(a, d), spec_axes(b, d))) return false;
    }
    bool same_partial = spans_equal(a->partial, b->partial) &&
                        (a->partial.count == 0 || a->partial_type == b->partial_type);
    return strview_equal(a->grid, b->grid) && same_partial &&
           spans_equal(a->halo_sizes, b->halo_sizes) && spans_equal(a->offsets, b->offsets);
}

IntSpan grid_shape(const Module *module, StrView name) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_SHARD_GRID && strview_equal(op_text(op, NAME_SYM_NAME), name))
            return op_ints(op, NAME_SHAPE);
    }
    return (IntSpan){NULL, 0};
}

int64_t grid_group_size(IntSpan shape, IntSpan axes) {
    int64_t size = 1;
    for (int i = 0; i < axes.count; i++) {
        if (axes.data[i] >= shape.count || shape.data[axes.data[i]] == DIM_DYNAMIC)
            return DIM_DYNAMIC;
        size *= shape.data[axes.data[i]];
    }
    return size;
}

// local_window: windows over sharded dimensions: each device fetches the
// border that its windows reach into.
#include "ir/analysis/cumulative.h"
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

// One dimension of a windowed op.
typedef struct Window {
    int64_t size, stride, low, high, base_dilation, dilation;
} Window;

static bool window_is_trivial(const Window *w) {
    return w->size == 1 && w->stride == 1 && w->low == 0 && w->high == 0 && w->base_dilation == 1;
}

// Elements of the dilated operand that `count` neighbouring windows cover.
static int64_t window_extent(const Window *w, int64_t count) {
    return count == 0 ? 0 : (count - 1) * w->stride + (w->size - 1) * w->dilation + 1;
}

// ---- reduce_window ----

static Window reduce_window_dim(Local *local, const Op *op, int d) {
    int rank = op_operand_type(op, 0)->rank;
    Arena *arena = local->scratch;
    const int64_t *padding = op_ints_or(arena, op, NAME_PADDING, 2 * rank, 0);
    return (Window){
        .size = op_ints_or(arena, op, NAME_WINDOW_DIMENSIONS, rank, 1)[d],
        .stride = op_ints_or(arena, op, NAME_WINDOW_STRIDES, rank, 1)[d],
        .low = padding[2 * d],
        .high = padding[2 * d + 1],
        .base_dilation = op_ints_or(arena, op, NAME_BASE_DILATIONS, rank, 1)[d],
        .dilation = op_ints_or(arena, op, NAME_WINDOW_DILATIONS, rank, 1)[d],
    };
}

// The attributes of a windowed op after its operand was fetched with padding and
// dilation along the given dimensions.
static void set_fetched(
    Local *local, const Op *op, Op *made, AttrName dilations, unsigned fetched, int rank) {
    const int64_t *padding = op_ints_or(local->scratch, op, NAME_PADDING, 2 * rank, 0);
    const int64_t *base = op_ints_or(local->scratch, op, dilations, rank, 1);
    int64_t new_padding[2 * MAX_RANK], new_base[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        bool is_fetched = fetched >> d & 1;
        new_padding[2 * d] = is_fetched ? 0 : padding[2 * d];
        new_padding[2 * d + 1] = is_fetched ? 0 : padding[2 * d + 1];
        new_base[d] = is_fetched ? 1 : base[d];
    }
    op_set_attr(
        local->module, made, NAME_PADDING, attr_int_matrix(local->context, rank, 2, new_padding));
    op_set_attr(local->module, made, dilations, attr_ints(local->context, rank, new_base));
}

// What the tiles before this one (after it when in reverse) hold, at each place of the other
// dimensions, in the tile's shape.
static Value *held_before(
    Local *local, OpCode body, int d, const DimTiles *tiles, bool reverse, Value *x, Value *init) {
    Builder *b = &local->builder;
    int64_t one[MAX_RANK], others[MAX_RANK], along = d;
    int count = 0;
    for (int i = 0; i < x->type->rank; i++) {
        one[i] = i == d ? 1 : x->type->dims[i];
        if (i != d) others[count++] = i;
    }
    Value *total = build_reshape(b, build_reduce(b, body, x, 1, &along), x->type->rank, one);
    Value *totals = emit_gather_dim(local, total, tiles, d);
    // Of the totals with index i, those with i < c count, or i > c: -c + i in (-inf, 0) or [1,
    // inf).
    Value *minus = local_affine(local, tiles, -1, 0);
    totals = reverse ? local_mask_dim(local, totals, d, minus, 1, INT64_MAX, init)
                     : local_mask_dim(local, totals, d, minus, INT64_MIN, 0, init);
    Value *before = build_reduce(b, body, totals, 1, &along);
    return build_broadcast_in_dim(b, before, x->type, others);
}

// Each tile's own cumulation, and what the tiles before it hold: their totals are made by reading
// the tiles, so that the cumulation is stored once, in one kernel with what is added to it.
static Value *cumulate_tiles(
    Local *local, const Op *op, OpCode body, int d, const DimTiles *tiles, bool reverse, Value *x,
    Value *init) {
    int rank = x->type->rank;
    x = local_mask_padding(local, x, tiles, d, init);
    Value *before = held_before(local, body, d, tiles, reverse, x, init);
    Value *operands[2] = {x, init};
    Op *own = local_clone(local, op, 2, operands, &x->type);
    int64_t sizes[MAX_RANK], padding[2 * MAX_RANK] = {0};
    for (int i = 0; i < rank; i++)
        sizes[i] = i == d ? tiles->tile : 1;
    padding[2 * d + (reverse ? 1 : 0)] = tiles->tile - 1;
    op_set_attr(local->module, own, NAME_WINDOW_DIMENSIONS, attr_ints(local->context, rank, sizes));
    op_set_attr(
        local->module, own, NAME_PADDING, attr_int_matrix(local->context, rank, 2, padding));
    return build_binary(&local->builder, body, before, op_result(own, 0));
}

static bool try_cumulative(Local *local, const Op *op, const Sharding *in, const Sharding *out) {
    if (op->result_count != 1) return false;
    OpCode body = region_reduction_op(op->regions[0]);
    bool reverse = false;
    int d = cumulative_dim(op, &reverse);
    if (d < 0 || body == OP_COUNT) return false;
    DimTiles tiles = tiles_of(local, op_operand_type(op, 0), in, d);
    if (tiles.count == 1) return false;
    Value *init = local_value_as(local, op_operand(op, 1), NULL);
    Value *x = local_value_as(local, op_operand(op, 0), in);
    x = cumulate_tiles(local, op, body, d, &tiles, reverse, x, init);
    local_set_as(local, op_result(op, 0), x, out);
    return true;
}

// Windows whose tiles would begin between two elements of the dilated operand need the whole
// dimension.
static unsigned misaligned_dims(Local *local, const Op *op, const Sharding *out) {
    unsigned dims = 0;
    const Type *type = op_result_type(op, 0);
    for (int d = 0; d < type->rank; d++) {
        Window w = reduce_window_dim(local, op, d);
        DimTiles tiles = tiles_of(local, type, out, d);
        if (tiles.count > 1 && tiles.tile * w.stride % w.base_dilation != 0) dims |= 1u << d;
    }
    return dims;
}

bool local_reduce_window(Local *local, const Op *op) {
    int count = op->result_count, rank = op_operand_type(op, 0)->rank;
    const Sharding *in, *out;
    local_agree(local, op_operand(op, 0), op_result(op, 0), &in, &out);
    unsigned whole = misaligned_dims(local, op, out);
    in = sharding_without_dims(local->context, in, whole);
    out = sharding_without_dims(local->context, out, whole);
    if (try_cumulative(local, op, in, out)) return true;
    Value **operands = ARENA_ARRAY(local->scratch, Value *, 2 * count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, count);
    unsigned fetched = 0;
    for (int i = 0; i < count; i++) {
        Value *x = local_value_as(local, op_operand(op, i), in);
        Value *init = local_value_as(local, op_operand(op, count + i), NULL);
        types[i] = local_type(local, op_result_type(op, i), out);
        for (int d = 0; d < rank; d++) {
            Window w = reduce_window_dim(local, op, d);
            DimTiles from = tiles_of(local, op_operand_type(op, 0), in, d);
            if (from.count == 1 || window_is_trivial(&w)) continue;
            int64_t tile = types[i]->dims[d];
            x = local_fetch_dilated(
                local, x, &from, d, init, w.base_dilation,
                (HaloRange){
                    tile * w.stride, -w.low, window_extent(&w, tile),
                    window_extent(&w, op_result_type(op, i)->dims[d]) - w.low});
            fetched |= 1u << d;
        }
        operands[i] = x;
        operands[count + i] = init;
    }
    Op *made = local_clone(local, op, 2 * count, operands, types);
    if (!made) return false;
    if (fetched) set_fetched(local, op, made, NAME_BASE_DILATIONS, fetched, rank);
    for (int i = 0; i < count; i++) {
        local_set_as(local, op_result(op, i), op_result(made, i), out);
    }
    return true;
}

// Windows over one sharded dimension of select_and_scatter that touch a device's tile of the
// operand: `count` of them from window first + coordinate * tile / stride on.
typedef struct WindowRange {
    int64_t first, count;
} WindowRange;

static WindowRange touching_windows(const Window *w, int64_t tile) {
    int64_t first = -((w->size - 1) / w->stride);
    return (WindowRange){first, (tile - 1) / w->stride - first + 1};
}

// Dimensions with real windows that must be whole: their tiles do not begin with a
// window, or the source lies otherwise.
static unsigned select_whole_dims(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *source = op_operand(op, 1);
    unsigned whole = 0;
    for (int d = 0; d < operand->type->rank; d++) {
        Window w = reduce_window_dim(local, op, d);
        if (window_is_trivial(&w)) continue;
        DimTiles tiles = value_tiles(local, op_result(op, 0), d);
        DimTiles in = value_tiles(local, operand, d), from = value_tiles(local, source, d);
        bool fits = tiles_equal(&tiles, &in) && tiles_equal(&tiles, &from) && tiles.tile > 0 &&
                    tiles.tile % w.stride == 0 && select_may_fetch(local->scratch, op, d);
        if (!fits) whole |= 1u << d;
    }
    return whole;
}

// The windows that touch a tile lie in a slab around it; what they scatter beyond the tile is cut
// off, for its owner has it too.
bool local_select_and_scatter(Local *local, const Op *op) {
    const Value *result = op_result(op, 0);
    int rank = result->type->rank;
    const Sharding *sharding =
        sharding_without_dims(local->context, local_sharding(result), select_whole_dims(local, op));
    Value *x = local_value_as(local, op_operand(op, 0), sharding);
    Value *source = local_value_as(local, op_operand(op, 1), sharding);
    Value *init = local_value_as(local, op_operand(op, 2), NULL);
    int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK];
    bool is_fetched = false;
    for (int d = 0; d < rank; d++) {
        Window w = reduce_window_dim(local, op, d);
        DimTiles tiles = tiles_of(local, result->type, sharding, d);
        limits[d] = tiles.tile;
        if (tiles.count == 1 || window_is_trivial(&w)) continue;
        WindowRange touching = touching_windows(&w, tiles.tile);
        DimTiles windows = tiles_of(local, op_operand_type(op, 1), sharding, d);
        int64_t step = tiles.tile / w.stride;
        bool is_apart = touching.first == 0 && touching.count == windows.tile;
        if (is_apart && !tiles_are_padded(&windows)) continue; // no window reaches another tile
        source = local_fetch(
            local, source, &windows, d, (HaloRange){step, touching.first, touching.count, 0});
        Value *offset = local_affine(local, &windows, step, touching.first);
        source = local_mask_dim(
            local, source, d, offset, 0, windows.global, local_zero(local, source->type));
        int64_t low = touching.first * w.stride;
        int64_t size = (touching.count - 1) * w.stride + w.size;
        if (size < tiles.tile - low) size = tiles.tile - low; // strides leave elements out
        x = local_fetch(local, x, &tiles, d, (HaloRange){tiles.tile, low, size, 0});
        is_fetched = true;
        starts[d] = -low;
        limits[d] = tiles.tile - low;
    }
    Value *operands[3] = {x, source, init};
    Op *made = local_clone(local, op, 3, operands, &x->type);
    if (!made) return false;
    x = op_result(made, 0);
    if (is_fetched) x = build_slice(&local->builder, x, starts, limits, NULL);
    local_set_as(local, result, x, sharding);
    return true;
}

// ---- convolution ----

// The op's dimension numbers, and how operands and result lie during the op.
typedef struct Conv {
    const Op *op;
    const ConvDims *dims;
    int64_t feature_groups, batch_groups;
    const Sharding *lhs, *rhs, *out;
} Conv;

static Window conv_window(Local *local, const Conv *conv, int i) {
    int count = conv->dims->input_spatial.count;
    Arena *arena = local->scratch;
    const int64_t *padding = op_ints_or(arena, conv->op, NAME_PADDING, 2 * count, 0);
    return (Window){
        .size = op_operand_type(conv->op, 1)->dims[conv->dims->kernel_spatial.data[i]],
        .stride = op_ints_or(arena, conv->op, NAME_WINDOW_STRIDES, count, 1)[i],
        .low = padding[2 * i],
        .high = padding[2 * i + 1],
        .base_dilation = op_ints_or(arena, conv->op, NAME_LHS_DILATION, count, 1)[i],
        .dilation = op_ints_or(arena, conv->op, NAME_RHS_DILATION, count, 1)[i],
    };
}

static DimTiles lhs_tiles(Local *local, const Conv *conv, int64_t d) {
    return tiles_of(local, op_operand_type(conv->op, 0), conv->lhs, (int)d);
}

static DimTiles rhs_tiles(Local *local, const Conv *conv, int64_t d) {
    return tiles_of(local, op_operand_type(conv->op, 1), conv->rhs, (int)d);
}

static DimTiles out_tiles(Local *local, const Conv *conv, int64_t d) {
    return tiles_of(local, op_result_type(conv->op, 0), conv->out, (int)d);
}

// Dimensions of operands and result that will be whole; -1 = none.
static void conv_drop(Local *local, Conv *conv, int64_t lhs, int64_t rhs, int64_t out) {
    if (lhs >= 0) conv->lhs = sharding_without_dims(local->context, conv->lhs, 1u << lhs);
    if (rhs >= 0) conv->rhs = sharding_without_dims(local->context, conv->rhs, 1u << rhs);
    if (out >= 0) conv->out = sharding_without_dims(local->context, conv->out, 1u << out);
}

static bool divides(const DimTiles *tiles, int64_t groups) {
    return groups % tiles->count == 0 && !tiles_are_padded(tiles);
}

// Group dimensions: the grouped dimension of the left operand, the kernel's and the
// result's output features go together.
static void conv_agree_groups(Local *local, Conv *conv, int64_t lhs_dim, int64_t *groups) {
    const ConvDims *dims = conv->dims;
    DimTiles lhs = lhs_tiles(local, conv, lhs_dim);
    DimTiles rhs = rhs_tiles(local, conv, dims->kernel_output_feature);
    DimTiles out = out_tiles(local, conv, dims->output_feature);
    bool fits = tiles_equal(&lhs, &rhs) && tiles_equal(&rhs, &out) && divides(&lhs, *groups) &&
                divides(&rhs, *groups) && divides(&out, *groups);
    if (fits) {
        *groups /= lhs.count;
    } else {
        conv_drop(local, conv, lhs_dim, dims->kernel_output_feature, dims->output_feature);
    }
}

// Features and batch. False where partial sums would not be what the
// all_reduce behind the op expects.
static bool conv_agree_features(Local *local, Conv *conv) {
    const ConvDims *dims = conv->dims;
    if (conv->feature_groups > 1) {
        conv_agree_groups(local, conv, dims->input_feature, &conv->feature_groups);
    } else if (conv->batch_groups > 1) {
        conv_agree_groups(local, conv, dims->input_batch, &conv->batch_groups);
    } else {
        DimTiles rhs = rhs_tiles(local, conv, dims->kernel_output_feature);
        DimTiles out = out_tiles(local, conv, dims->output_feature);
        if (!tiles_equal(&rhs, &out)) {
            conv_drop(local, conv, -1, dims->kernel_output_feature, dims->output_feature);
        }
    }
    if (op_int(conv->op, NAME_BATCH_GROUP_COUNT, 1) == 1) {
        DimTiles lhs = lhs_tiles(local, conv, dims->input_batch);
        DimTiles out = out_tiles(local, conv, dims->output_batch);
        if (!tiles_equal(&lhs, &out)) {
            conv_drop(local, conv, dims->input_batch, -1, dims->output_batch);
        }
    } else {
        conv_drop(local, conv, -1, -1, dims->output_batch);
    }
    DimTiles rhs = rhs_tiles(local, conv, dims->kernel_input_feature);
    if (op_int(conv->op, NAME_FEATURE_GROUP_COUNT, 1) > 1) return rhs.count == 1;
    DimTiles lhs = lhs_tiles(local, conv, dims->input_feature);
    return tiles_equal(&lhs, &rhs);
}

// Spatial dimension i: sharded alike in the left operand and the result (halo), or in the left
// operand and the kernel (partial sums).
static bool conv_agree_spatial(Local *local, Conv *conv, int i) {
    int64_t l = conv->dims->input_spatial.data[i], k = conv->dims->kernel_spatial.data[i];
    int64_t o = conv->dims->output_spatial.data[i];
    DimTiles lhs = lhs_tiles(local, conv, l), rhs = rhs_tiles(local, conv, k);
    DimTiles out = out_tiles(local, conv, o);
    Window w = conv_window(local, conv, i);
    if (rhs.count > 1) {
        const int64_t *reversal = op_ints_or(
            local->scratch, conv->op, NAME_WINDOW_REVERSAL, conv->dims->input_spatial.count, 0);
        return tiles_equal(&lhs, &rhs) && out.count == 1 && !reversal[i] &&
               rhs.tile * w.dilation % w.base_dilation == 0;
    }
    if (!tiles_equal(&lhs, &out) || out.tile * w.stride % w.base_dilation != 0) {
        conv_drop(local, conv, l, -1, o);
    }
    return true;
}

static void conv_fetch_spatial(Local *local, const Conv *conv, int i, Value **lhs, Value **rhs) {
    int l = (int)conv->dims->input_spatial.data[i], k = (int)conv->dims->kernel_spatial.data[i];
    DimTiles from = lhs_tiles(local, conv, l), kernel = rhs_tiles(local, conv, k);
    DimTiles out = out_tiles(local, conv, conv->dims->output_spatial.data[i]);
    Window w = conv_window(local, conv, i);
    Value *zero = local_zero(local, (*lhs)->type);
    int64_t stride = out.tile * w.stride, limit = window_extent(&w, out.global) - w.low;
    if (kernel.count > 1) {
        *rhs = local_mask_padding(local, *rhs, &kernel, k, local_zero(local, (*rhs)->type));
        w.size = kernel.tile;
        stride = kernel.tile * w.dilation;
        limit = 0;
    }
    *lhs = local_fetch_dilated(
        local, *lhs, &from, l, zero, w.base_dilation,
        (HaloRange){stride, -w.low, window_extent(&w, out.tile), limit});
}

static bool conv_mask_features(Local *local, const Conv *conv, Value **lhs, Value **rhs) {
    int l = (int)conv->dims->input_feature, r = (int)conv->dims->kernel_input_feature;
    DimTiles tiles = lhs_tiles(local, conv, l);
    if (op_int(conv->op, NAME_FEATURE_GROUP_COUNT, 1) > 1 || !tiles_are_padded(&tiles)) return true;
    *lhs = local_mask_padding(local, *lhs, &tiles, l, local_zero(local, (*lhs)->type));
    *rhs = local_mask_padding(local, *rhs, &tiles, r, local_zero(local, (*rhs)->type));
    return true;
}

static void set_groups(Local *local, const Conv *conv, Op *made) {
    op_set_attr(
        local->module, made, NAME_FEATURE_GROUP_COUNT,
        attr_int(local->context, conv->feature_groups, ELEMENT_I64));
    op_set_attr(
        local->module, made, NAME_BATCH_GROUP_COUNT,
        attr_int(local->context, conv->batch_groups, ELEMENT_I64));
}

bool local_convolution(Local *local, const Op *op) {
    Conv conv = {
        .op = op,
        .dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv,
        .feature_groups = op_int(op, NAME_FEATURE_GROUP_COUNT, 1),
        .batch_groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1),
        .lhs = local_sharding(op_operand(op, 0)),
        .rhs = local_sharding(op_operand(op, 1)),
        .out = local_sharding(op_result(op, 0)),
    };
    int spatial = conv.dims->input_spatial.count;
    bool fits = conv_agree_features(local, &conv);
    for (int i = 0; i < spatial; i++)
        fits = fits && conv_agree_spatial(local, &conv, i);
    if (!fits) {
        diag_unsupported(
            local->diags, op->loc, "'%.*s' op with operands that are sharded differently",
            SV_ARG(op->name));
        return false;
    }
    Value *lhs = local_value_as(local, op_operand(op, 0), conv.lhs);
    Value *rhs = local_value_as(local, op_operand(op, 1), conv.rhs);
    conv_mask_features(local, &conv, &lhs, &rhs);
    unsigned fetched = 0;
    for (int i = 0; i < spatial; i++) {
        Window w = conv_window(local, &conv, i);
        DimTiles tiles = lhs_tiles(local, &conv, conv.dims->input_spatial.data[i]);
        if (tiles.count == 1 || window_is_trivial(&w)) continue;
        conv_fetch_spatial(local, &conv, i, &lhs, &rhs);
        fetched |= 1u << i;
    }
    Value *operands[2] = {lhs, rhs};
    const Type *type = local_type(local, op_result_type(op, 0), conv.out);
    Op *made = local_clone(local, op, 2, operands, &type);
    if (!made) return false;
    if (fetched) set_fetched(local, op, made, NAME_LHS_DILATION, fetched, spatial);
    set_groups(local, &conv, made);
    local_set_as(local, op_result(op, 0), op_result(made, 0), conv.out);
    return true;
}

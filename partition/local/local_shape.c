// local_shape: constants, and ops that move elements without computing, on tiles.
#include "partition/local/local.h"
#include "partition/local/tile_reach.h"
#include "partition/propagate/projection.h"
#include "partition/rules/sharding_rule.h"

// The result's local type when it lies as `sharding` says.
static const Type *result_type_as(Local *local, const Op *op, const Sharding *sharding) {
    return local_type(local, op_result_type(op, 0), sharding);
}

// ---- elementwise ----

bool local_same(Local *local, const Op *op) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    const Sharding *sharding = op->result_count ? local_sharding(op_result(op, 0)) : NULL;
    int rank = op->result_count ? op_result_type(op, 0)->rank : 0;
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        bool is_scalar = operand->type->rank == 0 && rank > 0;
        operands[i] = is_scalar ? local_value_as(local, operand, NULL)
                                : local_value_as(local, operand, sharding);
    }
    for (int i = 0; i < op->result_count; i++) {
        types[i] = local_type(local, op_result_type(op, i), sharding);
    }
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    for (int i = 0; i < op->result_count; i++) {
        local_set_as(local, op_result(op, i), op_result(made, i), sharding);
    }
    return true;
}

// The minor dimension that comes or goes is whole on every device; it may not take part in a
// sharding.
bool local_bitcast_convert(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    int in_rank = operand->type->rank, out_rank = result->type->rank;
    int common = in_rank < out_rank ? in_rank : out_rank;
    unsigned minor = 0;
    for (int d = common; d < out_rank; d++)
        minor |= 1u << d;
    const Sharding *out = sharding_without_dims(local->context, local_sharding(result), minor);
    int from[MAX_RANK];
    for (int d = 0; d < in_rank; d++)
        from[d] = d < common ? d : -1;
    const Sharding *in = sharding_select_dims(local->context, out, in_rank, from);
    Value *x = local_value_as(local, operand, in);
    const Type *type = result_type_as(local, op, out);
    Op *made = local_clone(local, op, 1, &x, &type);
    local_set_as(local, result, op_result(made, 0), out);
    return true;
}

// ---- constants ----

bool local_constant(Local *local, const Op *op) {
    const Value *result = op_result(op, 0);
    const Attr *elements = op_attr(op, NAME_VALUE);
    const Sharding *sharding = local_sharding(result);
    const Type *type = result_type_as(local, op, sharding);
    if (elements->is_splat && type != result->type) {
        const Attr *splat =
            attr_elements(local->context, type, true, elements->data, elements->data_size);
        local_set(local, result, build_constant(&local->builder, splat));
        return true;
    }
    // a clone, for a quantized constant's type is not that of its elements
    Op *made = local_clone(local, op, 0, NULL, &result->type);
    if (!made) return false;
    if (op->code == OP_SDY_CONSTANT) {
        made->code = OP_CONSTANT;
        made->name = op_code_text(OP_CONSTANT);
    }
    local_set_as(local, result, op_result(made, 0), NULL);
    return true;
}

bool local_iota(Local *local, const Op *op) {
    const Value *result = op_result(op, 0);
    int d = (int)op_int(op, NAME_IOTA_DIMENSION, 0);
    const Type *type = result_type_as(local, op, local_sharding(result));
    Value *iota = build_iota(&local->builder, type, d);
    DimTiles tiles = value_tiles(local, result, d);
    if (tiles.count > 1) {
        Value *offset = local_tile_offset(local, &tiles);
        offset = build_convert(&local->builder, offset, type->element);
        iota = build_binary(&local->builder, OP_ADD, iota, local_splat(local, offset, type));
    }
    local_set(local, result, iota);
    return true;
}

// ---- broadcast, transpose ----

bool local_broadcast_in_dim(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    const Sharding *out = local_sharding(result);
    int from[MAX_RANK];
    for (int d = 0; d < operand->type->rank; d++) {
        int64_t size = operand->type->dims[d], result_size = result->type->dims[dims.data[d]];
        from[d] = size == result_size ? (int)dims.data[d] : -1;
    }
    const Sharding *in = sharding_select_dims(local->context, out, operand->type->rank, from);
    Value *x = local_value_as(local, operand, in);
    const Type *type = result_type_as(local, op, out);
    local_set(local, result, build_broadcast_in_dim(&local->builder, x, type, dims.data));
    return true;
}

bool local_transpose(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    IntSpan permutation = op_ints(op, NAME_PERMUTATION);
    const Sharding *in = local_sharding(operand);
    int from[MAX_RANK];
    for (int d = 0; d < result->type->rank; d++)
        from[d] = (int)permutation.data[d];
    const Sharding *out = sharding_select_dims(local->context, in, result->type->rank, from);
    Value *x = build_transpose(&local->builder, local_value(local, operand), permutation.data);
    local_set_as(local, result, x, out);
    return true;
}

// ---- reshape ----

// Dimensions that a reshape merges or splits, on both sides: all but those that lie between
// equal products with equal sizes.
static void reshape_mixed_dims(
    const Type *in, const Type *out, unsigned *in_mixed, unsigned *out_mixed) {
    *in_mixed = *out_mixed = 0;
    int i = 0, o = 0;
    while (i < in->rank || o < out->rank) {
        if (i < in->rank && o < out->rank && in->dims[i] == out->dims[o]) {
            i++;
            o++;
            continue;
        }
        // A segment with equal products: a_i * .. = b_o * ..
        int64_t in_product = 1, out_product = 1;
        int in_first = i, out_first = o;
        do {
            bool take_in = o == out->rank || (i < in->rank && in_product <= out_product);
            if (take_in && i < in->rank)
                in_product *= in->dims[i++];
            else if (o < out->rank)
                out_product *= out->dims[o++];
            else
                break;
        } while (in_product != out_product);
        for (int d = in_first; d < i; d++)
            *in_mixed |= 1u << d;
        for (int d = out_first; d < o; d++)
            *out_mixed |= 1u << d;
    }
}

static bool all_divide(Local *local, const Type *type, const Sharding *sharding, unsigned dims) {
    for (int d = 0; d < type->rank; d++) {
        DimTiles tiles = tiles_of(local, type, sharding, d);
        if (dims >> d & 1 && tiles_are_padded(&tiles)) return false;
    }
    return true;
}

// The sharding of the result when the operand lies as `in` says and nothing
// moves; false when there is none.
static bool reshape_sharding(Local *local, const Op *op, const Sharding *in, const Sharding **out) {
    const Mesh *mesh = local_mesh(local, in);
    *out = NULL;
    if (!mesh) return true;
    const ShardingRule *rule = op_sharding_rule(local->scratch, op, false, NULL);
    if (!rule) return false;
    const Sharding *shardings[2] = {in, NULL};
    Projection *projection = projection_create(local->scratch, rule, mesh, shardings, false);
    for (int f = 0; f < rule->factor_count; f++) {
        const FactorSharding *factor = &projection->tensors[0].factors[f];
        if (!factor->is_present) continue;
        if (factor->overflow.count > 0) return false;
        if (factor->axes.count == 0) continue;
        if (!projection->tensors[1].factors[f].is_present) return false;
        projection_expand(projection, 1, f, factor->axes);
    }
    *out = projection_sharding(local->context, projection, 1, in->mesh_name);
    return true;
}

static int64_t local_elements(Local *local, const Type *type, const Sharding *sharding) {
    return type_element_count(local_type(local, type, sharding));
}

bool local_reshape(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *in = local_sharding(operand), *out = NULL;
    unsigned in_mixed, out_mixed;
    reshape_mixed_dims(operand->type, result->type, &in_mixed, &out_mixed);
    bool in_place =
        reshape_sharding(local, op, in, &out) && all_divide(local, operand->type, in, in_mixed) &&
        all_divide(local, result->type, out, out_mixed) &&
        local_elements(local, operand->type, in) == local_elements(local, result->type, out);
    if (!in_place) {
        in = sharding_without_dims(local->context, in, in_mixed);
        if (!reshape_sharding(local, op, in, &out)) in = out = NULL;
    }
    Value *x = local_value_as(local, operand, in);
    const Type *type = result_type_as(local, op, out);
    local_set_as(local, result, build_reshape(&local->builder, x, type->rank, type->dims), out);
    return true;
}

// ---- slice, pad, reverse, concatenate: through slabs of neighbours ----

bool local_slice(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *in, *out;
    Value *x = local_agree(local, operand, result, &in, &out);
    IntSpan starts = op_ints(op, NAME_START_INDICES);
    IntSpan limits = op_ints(op, NAME_LIMIT_INDICES);
    IntSpan strides = op_ints(op, NAME_STRIDES);
    int64_t starts_of[MAX_RANK], limits_of[MAX_RANK], strides_of[MAX_RANK]; // of one last slice
    for (int d = 0; d < operand->type->rank; d++) {
        starts_of[d] = 0;
        limits_of[d] = -1; // to the end
        strides_of[d] = 1;
        int64_t start = starts.data[d], stride = strides.count ? strides.data[d] : 1;
        DimTiles from = tiles_of(local, operand->type, in, d);
        DimTiles to = tiles_of(local, result->type, out, d);
        if (from.count == 1) {
            starts_of[d] = start;
            limits_of[d] = limits.data[d];
            strides_of[d] = stride;
        } else if (start == 0 && from.tile == to.tile * stride) { // every tile has its own part
            limits_of[d] = from.tile;
            strides_of[d] = stride;
        } else if (from.global != to.global || start != 0) {
            int64_t size = to.tile == 0 ? 0 : (to.tile - 1) * stride + 1;
            HaloRange wanted = {to.tile * stride, start, size, limits.data[d]};
            x = local_fetch(local, x, &from, d, wanted);
            limits_of[d] = size;
            strides_of[d] = stride;
        }
    }
    for (int d = 0; d < operand->type->rank; d++) {
        if (limits_of[d] < 0) limits_of[d] = x->type->dims[d];
    }
    x = build_slice(&local->builder, x, starts_of, limits_of, strides_of);
    local_set_as(local, result, x, out);
    return true;
}

// The pad and the slice behind it that make a device's tile of the result. What is not set
// pads nothing and slices nothing.
typedef struct TilePad {
    int64_t low[MAX_RANK], high[MAX_RANK], interior[MAX_RANK];
    DimTiles tiles[MAX_RANK]; // the slice begins at base + shift * coordinate
    int64_t shift[MAX_RANK], base[MAX_RANK];
    bool slices;
} TilePad;

// One dimension of a pad of a sharded dimension.
typedef struct DimPad {
    DimTiles from, to;
    TileReach reach;
} DimPad;

// x with `before` and `after` elements of the neighbours: it is padded so that every device's tile
// lies in it, and the tile is cut out where it does not begin at the same place everywhere.
static Value *pad_own_tile(
    Local *local, Value *x, int d, const DimPad *pad, Value *fill, TilePad *all) {
    int64_t count = pad->reach.before + pad->from.tile + pad->reach.after, to = pad->to.tile;
    if (pad->reach.before + pad->reach.after > 0) {
        x = local_fetch(
            local, x, &pad->from, d, (HaloRange){pad->from.tile, -pad->reach.before, count, 0});
    }
    if (pad->reach.before + pad->reach.after > 0 || tiles_are_padded(&pad->from)) {
        Value *offset = local_affine(local, &pad->from, pad->from.tile, -pad->reach.before);
        x = local_mask_dim(local, x, d, offset, 0, pad->from.global, fill);
    }
    // The first element becomes element low - before * step + c * shift of the tile.
    int64_t low = pad->reach.low - pad->reach.before * pad->reach.step,
            shift = pad->from.tile * pad->reach.step - to;
    int64_t extent = (count - 1) * pad->reach.step + 1, last = low + (pad->from.count - 1) * shift;
    all->interior[d] = pad->reach.step - 1;
    if (shift == 0) {
        all->low[d] = low;
        all->high[d] = to - low - extent;
        return x;
    }
    int64_t most = last > low ? last : low, least = last > low ? low : last;
    int64_t front = most > 0 ? most : 0, end = front - least + to;
    all->low[d] = front;
    all->high[d] = end > front + extent ? end - front - extent : 0;
    all->tiles[d] = pad->to;
    all->shift[d] = -shift;
    all->base[d] = front - low;
    all->slices = true;
    return x;
}

static Value *pad_sharded_dim(
    Local *local, Value *x, int d, DimPad *pad, Value *fill, TilePad *all) {
    if (pad->from.global == 0 || pad->to.tile == 0) {
        all->low[d] = pad->from.global == 0 ? pad->to.tile : 0;
        all->high[d] = pad->from.global == 0 ? 0 : -pad->from.tile;
        return x;
    }
    tile_reach_of_pad(&pad->reach);
    bool is_own = pad->reach.before + pad->reach.after == 0;
    if (is_own || pad->to.tile % pad->reach.step != 0)
        return pad_own_tile(local, x, d, pad, fill, all);
    return local_fetch_dilated(
        local, x, &pad->from, d, fill, pad->reach.step,
        (HaloRange){pad->to.tile, -pad->reach.low, pad->to.tile, pad->to.global - pad->reach.low});
}

bool local_pad(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *in, *out;
    Value *x = local_agree(local, operand, result, &in, &out);
    Value *fill = local_value_as(local, op_operand(op, 1), NULL);
    IntSpan lows = op_ints(op, NAME_EDGE_PADDING_LOW);
    IntSpan highs = op_ints(op, NAME_EDGE_PADDING_HIGH);
    IntSpan interiors = op_ints(op, NAME_INTERIOR_PADDING);
    int rank = operand->type->rank;
    TilePad all = {0};
    Builder *b = &local->builder;
    for (int d = 0; d < rank; d++) {
        int64_t interior = interiors.count ? interiors.data[d] : 0;
        int64_t low = lows.data[d], high = highs.data[d];
        if (low == 0 && high == 0 && interior == 0) continue;
        DimTiles from = tiles_of(local, operand->type, in, d);
        DimTiles to = tiles_of(local, result->type, out, d);
        if (from.count == 1) {
            all.low[d] = low;
            all.high[d] = high;
            all.interior[d] = interior;
        } else {
            DimPad pad = {.from = from, .to = to};
            pad.reach = (TileReach){
                .count = from.count,
                .global = from.global,
                .from = from.tile,
                .to = to.tile,
                .low = low,
                .step = interior + 1,
            };
            x = pad_sharded_dim(local, x, d, &pad, fill, &all);
        }
    }
    x = build_pad(b, x, fill, all.low, all.high, all.interior);
    const Type *type = result_type_as(local, op, out);
    if (all.slices) {
        Value *starts[MAX_RANK];
        for (int d = 0; d < rank; d++)
            starts[d] = local_affine(local, &all.tiles[d], all.shift[d], all.base[d]);
        x = build_dynamic_slice(b, x, starts, type->dims);
    }
    local_set_as(local, result, x, out);
    return true;
}

bool local_reverse(Local *local, const Op *op) {
    const Value *operand = op_operand(op, 0), *result = op_result(op, 0);
    const Sharding *sharding = local_sharding(operand);
    Value *x = local_value(local, operand);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < dims.count; i++) {
        DimTiles tiles = tiles_of(local, operand->type, sharding, (int)dims.data[i]);
        if (tiles.count > 1) x = local_mirror(local, x, &tiles);
    }
    Op *made = local_clone(local, op, 1, &x, &x->type);
    x = op_result(made, 0);
    for (int i = 0; i < dims.count; i++) {
        int d = (int)dims.data[i];
        DimTiles tiles = tiles_of(local, operand->type, sharding, d);
        // Tiles in reverse order begin with the padding of the last one: the
        // reversed array starts that much later.
        int64_t padding = tiles.count * tiles.tile - tiles.global;
        if (tiles.count == 1 || padding == 0) continue;
        tiles.global += padding;
        x = local_fetch(local, x, &tiles, d, (HaloRange){tiles.tile, padding, tiles.tile, 0});
    }
    local_set_as(local, result, x, sharding);
    return true;
}

// The tile of the result, from the part that begins at `start` of its dimension d; what the part
// does not reach is anything.
static Value *tile_of_part(
    Local *local, const Op *op, int i, const Sharding *out, const DimTiles *to, int64_t start) {
    int d = (int)op_int(op, NAME_DIMENSION, 0);
    const Value *part = op_operand(op, i);
    const Attr *splat = value_splat(part);
    if (splat) {
        const Type *type = result_type_as(local, op, out);
        return build_constant(
            &local->builder,
            attr_elements(local->context, type, true, splat->data, splat->data_size));
    }
    DimTiles from = value_tiles(local, part, d);
    if (from.count == to->count && from.tile == to->tile) {
        from = tiles_of(local, part->type, out, d);
        HaloRange wanted = {to->tile, -start, to->tile, 0};
        return local_fetch(local, local_value_as(local, part, out), &from, d, wanted);
    }
    Value *x = local_value_as(local, part, sharding_without_dims(local->context, out, 1u << d));
    x = local_pad_dim(local, x, d, local_zero(local, x->type), to->tile, to->tile, 0);
    Value *begin = local_affine(local, to, to->tile, to->tile - start);
    return local_dynamic_slice_dim(local, x, d, begin, to->tile);
}

// Operand q fills the elements [start, start + size) of the result's dimension d.
bool local_concatenate(Local *local, const Op *op) {
    if (local_roll(local, op)) return true;
    const Value *result = op_result(op, 0);
    int d = (int)op_int(op, NAME_DIMENSION, 0);
    const Sharding *out = local_sharding(result);
    DimTiles to = value_tiles(local, result, d);
    const Type *type = result_type_as(local, op, out);
    if (to.count == 1) {
        Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
        for (int i = 0; i < op->operand_count; i++)
            operands[i] = local_value_as(local, op_operand(op, i), out);
        Value *all = build_concatenate(&local->builder, op->operand_count, operands, d);
        local_set(local, result, all);
        return true;
    }
    Value *joined = NULL, *offset = local_tile_offset(local, &to);
    int64_t start = 0;
    for (int i = 0; i < op->operand_count; i++) {
        int64_t size = op_operand_type(op, i)->dims[d];
        if (size == 0) continue;
        Value *part = tile_of_part(local, op, i, out, &to, start);
        // From its first element on an operand covers what the earlier ones left.
        joined = joined ? local_mask_dim(local, joined, d, offset, INT64_MIN, start, part) : part;
        start += size;
    }
    local_set(local, result, joined ? joined : local_splat(local, local_zero(local, type), type));
    return true;
}

// Index vectors of gather, scatter and dynamic slices, relative to tiles.
#include "partition/local/indexed/local_indices.h"

int slice_place(IntSpan removed, IntSpan batching, IntSpan windows, int d) {
    if (ints_contain(removed, d) || ints_contain(batching, d)) return -1;
    int place = 0;
    for (int i = 0; i < d; i++)
        place += !ints_contain(removed, i) && !ints_contain(batching, i);
    return (int)windows.data[place];
}

int index_place(int64_t vector_dim, IntSpan windows, int rank, int d) {
    int place = 0;
    for (int i = 0; i < d; i++)
        place += i != vector_dim;
    int seen = 0;
    for (int r = 0; r < rank; r++) {
        if (ints_contain(windows, r)) continue;
        if (seen++ == place) return r;
    }
    return -1;
}

Value *signed_indices(Local *local, Value *indices) {
    ElementType element = indices->type->element;
    ElementType wide =
        element_bits(element) > 32 || element == ELEMENT_UI32 ? ELEMENT_I64 : ELEMENT_I32;
    return element == wide ? indices : build_convert(&local->builder, indices, wide);
}

Value *spread_components(
    Local *local, Value *const *components, int count, const Type *indices, int64_t vector_dim) {
    Builder *b = &local->builder;
    if (count == 1) return local_splat(local, components[0], indices);
    Value **parts = ARENA_ARRAY(local->scratch, Value *, count);
    for (int i = 0; i < count; i++)
        parts[i] = build_reshape(b, components[i], 1, &(int64_t){1});
    return build_broadcast_in_dim(b, build_concatenate(b, count, parts, 0), indices, &vector_dim);
}

Value *spread_numbers(
    Local *local, const int64_t *numbers, int count, const Type *indices, int64_t vector_dim) {
    Builder *b = &local->builder;
    if (count == 1) return build_splat_int(b, indices, numbers[0]);
    int64_t size = count;
    const Type *wide = type_tensor(local->context, ELEMENT_I64, 1, &size);
    const Attr *elements =
        attr_elements(local->context, wide, false, numbers, (size_t)count * sizeof *numbers);
    Value *all = build_constant(b, elements);
    if (indices->element != ELEMENT_I64) all = build_convert(b, all, indices->element);
    return build_broadcast_in_dim(b, all, indices, &vector_dim);
}

Value **component_offsets(
    Local *local, const Type *input, const Sharding *sharding, unsigned shifted, IntSpan map,
    ElementType element) {
    Value **offsets = ARENA_ARRAY(local->scratch, Value *, map.count);
    for (int i = 0; i < map.count; i++) {
        int d = (int)map.data[i];
        DimTiles tiles = tiles_of(local, input, sharding, d);
        if (shifted >> d & 1) {
            offsets[i] = build_convert(&local->builder, local_tile_offset(local, &tiles), element);
        } else {
            offsets[i] = build_splat_int(&local->builder, type_scalar(local->context, element), 0);
        }
    }
    return offsets;
}

Value *all_components(Local *local, Value *mask, int64_t vector_dim) {
    if (vector_dim == mask->type->rank) return mask;
    return build_reduce(&local->builder, OP_AND, mask, 1, &vector_dim);
}

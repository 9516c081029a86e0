// Which axis of a kernel each dimension of a value that it reads is, and transpositions by which
// neighbours come from far apart.
#include "codegen/fuse/readers.h"

#include <string.h>

DimMap map_none(void) {
    DimMap map;
    memset(map.axis, -1, sizeof map.axis);
    return map;
}

DimMap map_identity(int rank) {
    DimMap map = map_none();
    for (int d = 0; d < rank; d++)
        map.axis[d] = (signed char)d;
    return map;
}

// Of a stored value, as its kernel writes it.
DimMap map_of_member(const FusionRoot *root, const Value *value) {
    for (int64_t i = 0; i < root->members.count; i++) {
        if (root->members.data[i] == value) return root->maps.data[i];
    }
    return map_none();
}

// Dimensions of the operand that are dimensions of the reshape's result.
static DimMap map_reshape(const Type *from, const Type *to, DimMap map) {
    DimMap of = map_none();
    int64_t before = 1, after = 1; // elements of the dimensions so far
    for (int d = 0, k = 0; d < from->rank; d++) {
        while (k < to->rank && (after < before || to->dims[k] == 1))
            after *= to->dims[k++];
        if (before == after && k < to->rank && to->dims[k] == from->dims[d])
            of.axis[d] = map.axis[k];
        before *= from->dims[d];
    }
    return of;
}

// Where operand i is read by those who read the result so.
DimMap map_operand(const Op *op, int i, DimMap map) {
    const Type *from = op_operand_type(op, i);
    DimMap of = map_none();
    if (op->result_count == 0 || from->kind != TYPE_TENSOR) return of;
    const Type *to = op_result_type(op, 0);
    if (op_has(op, TRAIT_POINTWISE) || op->code == OP_MAP)
        return type_same_shape(from, to) ? map : of;
    if (op->code == OP_RESHAPE) return map_reshape(from, to, map);
    IntSpan dims = {0};
    switch (op->code) { // NOLINT(hicpp-multiway-paths-covered): the others are read anywhere
    case OP_BROADCAST_IN_DIM:
        dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
        for (int d = 0; d < from->rank; d++)
            if (from->dims[d] == to->dims[dims.data[d]]) of.axis[d] = map.axis[dims.data[d]];
        break;
    case OP_TRANSPOSE:
        dims = op_ints(op, NAME_PERMUTATION);
        for (int d = 0; d < from->rank; d++)
            of.axis[dims.data[d]] = map.axis[d];
        break;
    case OP_SLICE:
        for (int d = 0; d < from->rank; d++)
            if (from->dims[d] == to->dims[d]) of.axis[d] = map.axis[d];
        break;
    case OP_REDUCE:
        dims = op_ints(op, NAME_DIMENSIONS);
        for (int d = 0, k = 0; d < from->rank && i < op->operand_count / 2; d++) {
            bool is_reduced = false;
            for (int r = 0; r < dims.count; r++)
                is_reduced = is_reduced || dims.data[r] == d;
            if (!is_reduced) of.axis[d] = map.axis[k++];
        }
        break;
    default: break;
    }
    return of;
}

// ---- transpositions

enum { CACHED_ELEMENTS = 4096 };

bool is_lane_move(const Op *op) {
    if (op->code != OP_TRANSPOSE || type_element_count(op_result_type(op, 0)) <= CACHED_ELEMENTS)
        return false;
    IntSpan permutation = op_ints(op, NAME_PERMUTATION);
    const Type *from = op_operand_type(op, 0);
    int last = from->rank - 1, to = permutation.count - 1;
    while (last >= 0 && from->dims[last] == 1)
        last--;
    while (to >= 0 && from->dims[permutation.data[to]] == 1)
        to--;
    return to >= 0 && permutation.data[to] != last;
}

static bool is_read_by_rows(const Readers *readers) {
    for (int i = 0; i < readers->count; i++) {
        if (readers->list[i].root->has_rows) return true;
    }
    return false;
}

// Does a sum read the value beside another array, whose neighbours are together? One of the two
// would be read across its rows, at each element from another line of the cache.
static bool is_summed_beside_others(
    const Fusion *fusion, const Value *value, const Readers *readers) {
    bool is_summed = false, is_beside = false;
    for (int i = 0; i < readers->count; i++)
        is_summed = is_summed || readers->list[i].root->kind == KERNEL_REDUCE;
    for (const Use *use = value->uses; use; use = use->next) {
        if (!op_has(use->owner, TRAIT_POINTWISE)) continue;
        for (int i = 0; i < use->owner->operand_count; i++) {
            const Value *other = op_operand(use->owner, i);
            bool is_alike = value_info(fusion, other)->is_free ||
                            (other->def &&
                             (other->def->code == OP_BROADCAST_IN_DIM || is_lane_move(other->def)));
            is_beside = is_beside || !is_alike;
        }
    }
    return is_summed && is_beside;
}

bool lane_move_is_stored(const Fusion *fusion, const Value *value, const Readers *readers) {
    return is_lane_move(value->def) &&
           (is_read_by_rows(readers) || is_summed_beside_others(fusion, value, readers));
}

// lane_moves: transpositions by which neighbours in the result come from far apart.
#include "codegen/fuse/readers.h"

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

// gather_lookup: rows of a table of which every device has a part: see join_gathers.c.
#include "codegen/passes/lookup/lookup.h"

static const GatherDims *dims_of(const Lookup *look) {
    return op_attr(look->op, NAME_DIMENSION_NUMBERS)->gather;
}

// Number k of the index vectors that are all alike on a device.
static bool component_on(
    const Lookup *look, const Value *value, int k, int64_t device, int64_t *number) {
    int64_t count = dims_of(look)->start_index_map.count;
    if (count == 1 || value_splat(value)) return number_on(look, value, device, number);
    const Op *op = def_of(value, OP_BROADCAST_IN_DIM);
    if (!op || op_ints(op, NAME_BROADCAST_DIMENSIONS).count != 1 ||
        op_ints(op, NAME_BROADCAST_DIMENSIONS).data[0] != dims_of(look)->index_vector_dim)
        return false;
    value = op_operand(op, 0);
    const Op *parts = def_of(value, OP_CONCATENATE), *known = def_of(value, OP_CONSTANT);
    if (known) *number = attr_element_int(op_attr(known, NAME_VALUE), k);
    if (known || !parts) return known;
    return parts->operand_count == count && number_on(look, op_operand(parts, k), device, number);
}

// Is each number of the index vectors where the device's part begins (is_last: ends)? Along other
// dimensions its part is all.
static bool are_ends(const Lookup *look, const Value *value, bool is_last) {
    IntSpan map = dims_of(look)->start_index_map;
    for (int k = 0; k < map.count; k++) {
        int d = (int)map.data[k];
        int64_t size = op_operand_type(look->op, 0)->dims[d];
        for (int64_t i = 0; i < look->replicas->devices; i++) {
            int64_t device = attr_element_int(look->together.groups, i), number;
            int64_t place = d == look->dim ? i % look->together.size : 0;
            if (!component_on(look, value, k, device, &number) ||
                number != place * size + (is_last ? size - 1 : 0))
                return false;
        }
    }
    return true;
}

// first <= i, i <= last, or both.
static bool is_condition(const Lookup *look, const Value *value, bool *has_first, bool *has_last) {
    const Op *op = value->def;
    if (op && op->code == OP_AND)
        return is_condition(look, op_operand(op, 0), has_first, has_last) &&
               is_condition(look, op_operand(op, 1), has_first, has_last);
    if (!op || op->code != OP_COMPARE || op_operand(op, 0) != look->place) return false;
    int64_t how = op_int(op, NAME_COMPARISON_DIRECTION, DIRECTION_EQ);
    bool is_first = how == DIRECTION_GE, is_last = how == DIRECTION_LE;
    if ((!is_first && !is_last) || !are_ends(look, op_operand(op, 1), is_last)) return false;
    *(is_first ? has_first : has_last) = true;
    return true;
}

static bool begins_true(const Op *reduce) {
    const Attr *init = value_splat(op_operand(reduce, 1));
    return init && attr_element_int(init, 0) != 0;
}

// Is the mask what holds of each row's place, for all elements of the row?
static bool is_mask(const Lookup *look, const Value *mask) {
    const GatherDims *dims = dims_of(look);
    const Op *rows = def_of(mask, OP_BROADCAST_IN_DIM);
    if (rows) {
        IntSpan to = op_ints(rows, NAME_BROADCAST_DIMENSIONS);
        int next = 0;
        for (int d = 0; d < mask->type->rank; d++) {
            if (ints_contain(dims->offset_dims, d)) continue;
            if (next == to.count || to.data[next++] != d) return false;
        }
        if (next != to.count) return false;
        mask = op_operand(rows, 0);
    }
    if (mask->type->rank + dims->offset_dims.count != op_result_type(look->op, 0)->rank)
        return false;
    const Op *op = mask->def; // all of the numbers of a place
    bool is_all = op && op->code == OP_REDUCE && op->result_count == 1 &&
                  region_reduction_op(op->regions[0]) == OP_AND && begins_true(op) &&
                  op_ints(op, NAME_DIMENSIONS).count == 1 &&
                  op_ints(op, NAME_DIMENSIONS).data[0] == dims->index_vector_dim;
    bool is_one = op && op->code == OP_RESHAPE && dims->start_index_map.count == 1;
    if (is_all || is_one) mask = op_operand(op, 0);
    bool has_first = false, has_last = false;
    return is_condition(look, mask, &has_first, &has_last) && has_first && has_last;
}

// Is every place one of the table?
static bool is_inside(const Lookup *look, int k) {
    const Op *clamp = def_of(look->place, OP_CLAMP);
    int64_t low, high, rows = look->together.size * op_operand_type(look->op, 0)->dims[look->dim];
    return clamp && component_on(look, op_operand(clamp, 0), k, 0, &low) && low >= 0 &&
           component_on(look, op_operand(clamp, 2), k, 0, &high) && high < rows;
}

bool find_gather(Lookup *look) {
    const Op *select = def_of(op_operand(look->sum, 0), OP_SELECT);
    look->op = select ? def_of(op_operand(select, 1), OP_GATHER) : NULL;
    const Attr *zero = select ? value_splat(op_operand(select, 2)) : NULL;
    if (!look->op || !zero || attr_element_double(zero, 0) != 0) return false;
    const Op *place = def_of(op_operand(look->op, 1), OP_SUBTRACT);
    if (!place) return false;
    look->array = op_operand(look->op, 0);
    look->place = op_operand(place, 0);
    IntSpan map = dims_of(look)->start_index_map;
    int rank = op_operand_type(look->op, 0)->rank;
    const int64_t *sizes = op_ints_or(look->replicas->arena, look->op, NAME_SLICE_SIZES, rank, 1);
    for (int k = 0; k < map.count; k++) {
        look->dim = (int)map.data[k];
        if (sizes[look->dim] == 1 && is_inside(look, k) &&
            are_ends(look, op_operand(place, 1), false))
            return is_mask(look, op_operand(select, 0));
    }
    return false;
}

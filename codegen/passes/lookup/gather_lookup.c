// gather_lookup: rows of a table of which every device has a part: see join_gathers.c.
#include "codegen/passes/lookup/lookup.h"

static int64_t part_size(const Lookup *look) {
    return op_operand_type(look->op, 0)->dims[look->dim];
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
    if ((!is_first && !is_last) ||
        !is_end_of_parts(look, op_operand(op, 1), part_size(look), is_last))
        return false;
    *(is_first ? has_first : has_last) = true;
    return true;
}

static bool begins_true(const Op *reduce) {
    const Attr *init = value_splat(op_operand(reduce, 1));
    return init && attr_element_int(init, 0) != 0;
}

// Is the mask what holds of each row's place, for all elements of the row?
static bool is_mask(const Lookup *look, const Value *mask) {
    const GatherDims *dims = op_attr(look->op, NAME_DIMENSION_NUMBERS)->gather;
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
    const Op *op = mask->def; // all of the one number of a place
    bool is_all = op && op->code == OP_REDUCE && op->result_count == 1 &&
                  region_reduction_op(op->regions[0]) == OP_AND && begins_true(op) &&
                  type_element_count(op_operand_type(op, 0)) == type_element_count(mask->type);
    if (is_all || (op && op->code == OP_RESHAPE)) mask = op_operand(op, 0);
    bool has_first = false, has_last = false;
    return is_condition(look, mask, &has_first, &has_last) && has_first && has_last;
}

// Is every place a row of the table?
static bool is_inside(const Lookup *look) {
    const Op *clamp = def_of(look->place, OP_CLAMP);
    if (!clamp) return false;
    const Attr *low = value_splat(op_operand(clamp, 0)), *high = value_splat(op_operand(clamp, 2));
    int64_t rows = look->together.size * part_size(look);
    return low && high && attr_element_int(low, 0) >= 0 && attr_element_int(high, 0) < rows;
}

bool find_gather(Lookup *look) {
    const Op *select = def_of(op_operand(look->sum, 0), OP_SELECT);
    look->op = select ? def_of(op_operand(select, 1), OP_GATHER) : NULL;
    const Attr *zero = select ? value_splat(op_operand(select, 2)) : NULL;
    if (!look->op || !zero || attr_element_double(zero, 0) != 0) return false;
    const GatherDims *dims = op_attr(look->op, NAME_DIMENSION_NUMBERS)->gather;
    if (dims->start_index_map.count != 1 || dims->operand_batching_dims.count > 0) return false;
    look->dim = (int)dims->start_index_map.data[0];
    if (op_ints(look->op, NAME_SLICE_SIZES).data[look->dim] != 1) return false;
    const Op *place = def_of(op_operand(look->op, 1), OP_SUBTRACT);
    if (!place) return false;
    look->place = op_operand(place, 0);
    return is_end_of_parts(look, op_operand(place, 1), part_size(look), false) && is_inside(look) &&
           is_mask(look, op_operand(select, 0));
}

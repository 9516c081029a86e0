#include "ir/analysis/cumulative.h"

// Number i of an attribute, which may be absent or a splat.
static int64_t number_at(const Op *op, AttrName name, int i, int64_t otherwise) {
    IntSpan numbers = op_ints(op, name);
    if (i < numbers.count) return numbers.data[i];
    const Attr *attr = op_attr(op, name);
    bool is_splat = attr && attr->kind == ATTR_ELEMENTS && attr->is_splat && numbers.count > 0;
    return is_splat ? numbers.data[0] : otherwise;
}

int cumulative_dim(const Op *op, bool *is_reversed) {
    const Type *type = op_operand_type(op, 0);
    int found = -1;
    for (int d = 0; d < type->rank; d++) {
        int64_t size = number_at(op, NAME_WINDOW_DIMENSIONS, d, 1), whole = type->dims[d];
        int64_t low = number_at(op, NAME_PADDING, 2 * d, 0),
                high = number_at(op, NAME_PADDING, 2 * d + 1, 0);
        if (number_at(op, NAME_WINDOW_STRIDES, d, 1) != 1 ||
            number_at(op, NAME_BASE_DILATIONS, d, 1) != 1 ||
            number_at(op, NAME_WINDOW_DILATIONS, d, 1) != 1)
            return -1;
        if (size == 1 && low == 0 && high == 0) continue;
        bool is_one_way = low + high == whole - 1 && (low == 0 || high == 0);
        if (found >= 0 || size != whole || !is_one_way) return -1;
        *is_reversed = low == 0;
        found = d;
    }
    return found;
}

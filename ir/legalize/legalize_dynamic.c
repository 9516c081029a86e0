// Ops whose sizes are operands, where these are constants or the result's type is static: the
// static forms.
#include "ir/legalize/refine_ops.h"
#include "ir/verify/verify.h"

// The numbers of a constant list of `count`; {NULL, 0} when the value is no such constant.
static IntSpan constant_ints(const Legalizer *legalizer, const Value *value, int count) {
    const int64_t *numbers = constant_numbers(legalizer->pass->scratch, value, count);
    return numbers ? (IntSpan){numbers, count} : (IntSpan){NULL, -1};
}

static bool is_static(const Op *op) {
    return type_is_static(op_operand_type(op, 0)) && type_is_static(op_result_type(op, 0));
}

bool convert_dynamic_reshape(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    if (!is_static(op) || type->quant) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *x = op_operand(op, 0);
    return legalize_replace_one(legalizer, op, build_reshape(&builder, x, type->rank, type->dims));
}

bool convert_dynamic_broadcast_in_dim(Legalizer *legalizer, Op *op) {
    if (!is_static(op)) return false;
    Builder builder = builder_before(legalizer->module, op);
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    Value *x = op_operand(op, 0);
    return legalize_replace_one(
        legalizer, op, build_broadcast_in_dim(&builder, x, op_result_type(op, 0), dims.data));
}

bool convert_dynamic_iota(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    if (!type_is_static(type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    int dimension = (int)op_int(op, NAME_IOTA_DIMENSION, 0);
    return legalize_replace_one(legalizer, op, build_iota(&builder, type, dimension));
}

// Starts that are no constants, with constant sizes and strides of one: dynamic_slice. The
// program promises that it is in range.
static bool legalize_moving_slice(Legalizer *legalizer, Op *op) {
    const Type *type = op_operand_type(op, 0), *result = op_result_type(op, 0);
    const int64_t *lengths = slice_lengths(legalizer->pass->scratch, op);
    IntSpan strides = constant_ints(legalizer, op_operand(op, 3), type->rank);
    if (!is_static(op) || !lengths || strides.count != type->rank) return false;
    for (int d = 0; d < type->rank; d++) {
        bool fits =
            strides.data[d] == 1 && lengths[d] == result->dims[d] && lengths[d] <= type->dims[d];
        if (!fits) return false;
    }
    Builder builder = builder_before(legalizer->module, op);
    Value *starts[MAX_RANK];
    for (int64_t d = 0; d < type->rank; d++) {
        int64_t limit = d + 1, stride = 1;
        Value *start = build_slice(&builder, op_operand(op, 1), &d, &limit, &stride);
        starts[d] = build_reshape(&builder, start, 0, NULL);
    }
    Value *slice = build_dynamic_slice(&builder, op_operand(op, 0), starts, lengths);
    return legalize_replace_one(legalizer, op, slice);
}

// Constant starts, limits and strides that are in range.
bool convert_real_dynamic_slice(Legalizer *legalizer, Op *op) {
    const Type *type = op_operand_type(op, 0), *result = op_result_type(op, 0);
    int rank = type->rank;
    IntSpan start = constant_ints(legalizer, op_operand(op, 1), rank);
    IntSpan limit = constant_ints(legalizer, op_operand(op, 2), rank);
    IntSpan stride = constant_ints(legalizer, op_operand(op, 3), rank);
    if (start.count != rank) return legalize_moving_slice(legalizer, op);
    if (!is_static(op) || limit.count != rank || stride.count != rank) return false;
    for (int d = 0; d < rank; d++) {
        bool in_range = start.data[d] >= 0 && start.data[d] <= limit.data[d] &&
                        limit.data[d] <= type->dims[d] && stride.data[d] > 0;
        if (!in_range) return false;
        int64_t length = limit.data[d] - start.data[d], step = stride.data[d];
        if (length / step + (length % step != 0) != result->dims[d]) return false;
    }
    Builder builder = builder_before(legalizer->module, op);
    Value *x = op_operand(op, 0);
    return legalize_replace_one(
        legalizer, op, build_slice(&builder, x, start.data, limit.data, stride.data));
}

bool convert_dynamic_pad(Legalizer *legalizer, Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    IntSpan low = constant_ints(legalizer, op_operand(op, 2), rank);
    IntSpan high = constant_ints(legalizer, op_operand(op, 3), rank);
    IntSpan interior = constant_ints(legalizer, op_operand(op, 4), rank);
    if (!is_static(op) || low.count != rank || high.count != rank || interior.count != rank)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    // The verifier has compared the sizes.
    Value *padded = build_pad(
        &builder, op_operand(op, 0), op_operand(op, 1), low.data, high.data, interior.data);
    return legalize_replace_one(legalizer, op, padded);
}

// The same op without its last operand, which becomes an attribute.
static Op *build_static(
    Legalizer *legalizer, Op *op, OpCode code, AttrName name, const Attr *attr) {
    Builder builder = builder_before(legalizer->module, op);
    Value *operands[] = {op_operand(op, 0), op_operand(op, 1)};
    const Type *type = op_result_type(op, 0);
    Op *made = build_op(&builder, code, 2, operands, 1, &type, 0);
    for (int i = 0; i < op->attr_count; i++)
        op_set_attr(legalizer->module, made, op->attrs[i].name, op->attrs[i].value);
    op_set_attr(legalizer->module, made, name, attr);
    made->extra = op->extra;
    return made;
}

// The attribute was an operand when the op was verified: it is checked now.
static bool replace_by_static(Legalizer *legalizer, Op *op, Op *made) {
    if (verify_op(legalizer->module, made, legalizer->pass->diags))
        return legalize_replace_one(legalizer, op, op_result(made, 0));
    legalizer->failed = true;
    return false;
}

bool convert_dynamic_gather(Legalizer *legalizer, Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    IntSpan sizes = constant_ints(legalizer, op_operand(op, 2), rank);
    if (!is_static(op) || sizes.count != rank) return false;
    const Attr *attr = attr_ints(legalizer->module->context, sizes.count, sizes.data);
    Op *gather = build_static(legalizer, op, OP_GATHER, NAME_SLICE_SIZES, attr);
    return replace_by_static(legalizer, op, gather);
}

bool convert_dynamic_conv(Legalizer *legalizer, Op *op) {
    int spatial = op_operand_type(op, 0)->rank - 2;
    IntSpan padding = constant_ints(legalizer, op_operand(op, 2), 2 * spatial);
    if (!is_static(op) || padding.count != 2 * spatial) return false;
    const Attr *attr = attr_int_matrix(legalizer->module->context, spatial, 2, padding.data);
    Op *conv = build_static(legalizer, op, OP_CONVOLUTION, NAME_PADDING, attr);
    return replace_by_static(legalizer, op, conv);
}

bool convert_tensor_cast(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    return x->type == op_result_type(op, 0) && legalize_replace_one(legalizer, op, x);
}

bool convert_get_dimension_size(Legalizer *legalizer, Op *op) {
    int64_t size = op_operand_type(op, 0)->dims[op_int(op, NAME_DIMENSION, 0)];
    if (size < 0 || size > INT32_MAX) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(
        legalizer, op, build_splat_int(&builder, op_result_type(op, 0), size));
}

// The part of the operand that a constant size leaves.
bool convert_set_dimension_size(Legalizer *legalizer, Op *op) {
    const Type *type = op_operand_type(op, 0);
    IntSpan size = constant_ints(legalizer, op_operand(op, 1), 1);
    int dimension = (int)op_int(op, NAME_DIMENSION, 0);
    bool fits = size.count == 1 && is_static(op) && size.data[0] >= 0 &&
                size.data[0] <= type->dims[dimension] &&
                op_result_type(op, 0)->dims[dimension] == size.data[0];
    if (!fits) return false;
    Value *x = op_operand(op, 0);
    if (type == op_result_type(op, 0)) return legalize_replace_one(legalizer, op, x);
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK], stride[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        limit[d] = d == dimension ? size.data[0] : type->dims[d];
        stride[d] = 1;
    }
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_slice(&builder, x, start, limit, stride));
}

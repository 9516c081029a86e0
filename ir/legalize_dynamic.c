// Ops whose sizes are operands, where these are constants or the result's type is static: the static forms.
#include "ir/legalize.h"
#include "ir/verify.h"

// The numbers of a constant list; {NULL, 0} when the value is no constant.
static IntSpan constant_ints(const Value *value) {
    if (!value->def || value->def->code != OP_CONSTANT) return (IntSpan){0};
    return op_ints(value->def, NAME_VALUE);
}

static bool is_static(const Op *op) {
    return type_is_static(op_operand_type(op, 0)) && type_is_static(op_result_type(op, 0));
}

static bool legalize_reshape(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    if (!is_static(op) || type->quant) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *x = op_operand(op, 0);
    return legalize_replace_one(legalizer, op, build_reshape(&builder, x, type->rank, type->dims));
}

static bool legalize_broadcast_in_dim(Legalizer *legalizer, Op *op) {
    if (!is_static(op)) return false;
    Builder builder = builder_before(legalizer->module, op);
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    Value *x = op_operand(op, 0);
    return legalize_replace_one(
        legalizer, op, build_broadcast_in_dim(&builder, x, op_result_type(op, 0), dims.data));
}

static bool legalize_iota(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    if (!type_is_static(type)) return false;
    Builder builder = builder_before(legalizer->module, op);
    int dimension = (int)op_int(op, NAME_IOTA_DIMENSION, 0);
    return legalize_replace_one(legalizer, op, build_iota(&builder, type, dimension));
}

// Constant starts, limits and strides that are in range.
static bool legalize_slice(Legalizer *legalizer, Op *op) {
    const Type *type = op_operand_type(op, 0), *result = op_result_type(op, 0);
    IntSpan start = constant_ints(op_operand(op, 1)), limit = constant_ints(op_operand(op, 2));
    IntSpan stride = constant_ints(op_operand(op, 3));
    int rank = type->rank;
    if (!is_static(op) || start.count != rank || limit.count != rank || stride.count != rank)
        return false;
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

static bool legalize_pad(Legalizer *legalizer, Op *op) {
    IntSpan low = constant_ints(op_operand(op, 2)), high = constant_ints(op_operand(op, 3));
    IntSpan interior = constant_ints(op_operand(op, 4));
    int rank = op_operand_type(op, 0)->rank;
    if (!is_static(op) || low.count != rank || high.count != rank || interior.count != rank)
        return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *padded = build_pad( // the verifier has compared the sizes
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

static bool legalize_gather(Legalizer *legalizer, Op *op) {
    IntSpan sizes = constant_ints(op_operand(op, 2));
    if (!is_static(op) || sizes.count != op_operand_type(op, 0)->rank) return false;
    const Attr *attr = attr_ints(legalizer->module->context, sizes.count, sizes.data);
    Op *gather = build_static(legalizer, op, OP_GATHER, NAME_SLICE_SIZES, attr);
    return replace_by_static(legalizer, op, gather);
}

static bool legalize_conv(Legalizer *legalizer, Op *op) {
    IntSpan padding = constant_ints(op_operand(op, 2));
    int spatial = op_operand_type(op, 0)->rank - 2;
    if (!is_static(op) || padding.count != 2 * spatial) return false;
    const Attr *attr = attr_int_matrix(legalizer->module->context, spatial, 2, padding.data);
    Op *conv = build_static(legalizer, op, OP_CONVOLUTION, NAME_PADDING, attr);
    return replace_by_static(legalizer, op, conv);
}

static bool legalize_cast(Legalizer *legalizer, Op *op) {
    Value *x = op_operand(op, 0);
    return x->type == op_result_type(op, 0) && legalize_replace_one(legalizer, op, x);
}

static bool legalize_get_dimension_size(Legalizer *legalizer, Op *op) {
    int64_t size = op_operand_type(op, 0)->dims[op_int(op, NAME_DIMENSION, 0)];
    if (size < 0 || size > INT32_MAX) return false;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(
        legalizer, op, build_splat_int(&builder, op_result_type(op, 0), size));
}

// A dimension that is set to the size that it has.
static bool legalize_set_dimension_size(Legalizer *legalizer, Op *op) {
    const Type *type = op_operand_type(op, 0);
    IntSpan size = constant_ints(op_operand(op, 1));
    bool same = size.count == 1 && type == op_result_type(op, 0) && type_is_static(type) &&
                size.data[0] == type->dims[op_int(op, NAME_DIMENSION, 0)];
    return same && legalize_replace_one(legalizer, op, op_operand(op, 0));
}

bool legalize_dynamic_op(Legalizer *legalizer, Op *op) {
    switch (op->code) {
    case OP_DYNAMIC_RESHAPE: return legalize_reshape(legalizer, op);
    case OP_DYNAMIC_BROADCAST_IN_DIM: return legalize_broadcast_in_dim(legalizer, op);
    case OP_DYNAMIC_IOTA: return legalize_iota(legalizer, op);
    case OP_REAL_DYNAMIC_SLICE: return legalize_slice(legalizer, op);
    case OP_DYNAMIC_PAD: return legalize_pad(legalizer, op);
    case OP_DYNAMIC_GATHER: return legalize_gather(legalizer, op);
    case OP_DYNAMIC_CONV: return legalize_conv(legalizer, op);
    case OP_TENSOR_CAST: return legalize_cast(legalizer, op);
    case OP_GET_DIMENSION_SIZE: return legalize_get_dimension_size(legalizer, op);
    case OP_SET_DIMENSION_SIZE: return legalize_set_dimension_size(legalizer, op);
    default: return false;
    }
}

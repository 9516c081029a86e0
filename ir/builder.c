// Making ops: the inserter and the shorthands for common ops.
#include "ir/builder.h"

#include <assert.h>
#include <math.h>

Builder builder_at_end(Module *module, Region *region) {
    return (Builder){.module = module, .region = region};
}

Builder builder_before(Module *module, Op *op) {
    return (Builder){.module = module, .region = op->parent, .before = op, .loc = op->loc};
}

Builder builder_after(Module *module, Op *op) {
    return (Builder){.module = module, .region = op->parent, .before = op->next, .loc = op->loc};
}

static void link_op(Op *op, Region *region, Op *before) {
    op->parent = region;
    op->next = before;
    op->prev = before ? before->prev : region->last;
    *(op->prev ? &op->prev->next : &region->first) = op;
    *(before ? &before->prev : &region->last) = op;
}

static void link_use(Use *use, Value *value) {
    use->value = value;
    use->prev = NULL;
    use->next = value->uses;
    if (value->uses) value->uses->prev = use;
    value->uses = use;
}

static void init_value(Module *module, Value *value, const Type *type, int index, const Loc *loc) {
    value->type = type;
    value->index = index;
    value->loc = loc;
    value->number = (int32_t)module->next_value_number++;
}

Op *build_op(
    Builder *builder, OpCode code, int operand_count, Value *const *operands, int result_count,
    const Type *const *result_types, int region_count) {
    Module *module = builder->module;
    size_t uses = (size_t)operand_count * sizeof(Use);
    char *memory =
        arena_alloc(module->arena, sizeof(Op) + uses + (size_t)result_count * sizeof(Value));
    Op *op = (void *)memory;
    op->code = code;
    op->name = op_code_text(code);
    op->loc = builder->loc;
    op->number = (int32_t)module->next_op_number++;
    op->operand_count = operand_count;
    if (operand_count) op->operands = (void *)(memory + sizeof(Op));
    for (int i = 0; i < operand_count; i++) {
        op->operands[i].owner = op;
        link_use(&op->operands[i], operands[i]);
    }
    op->result_count = result_count;
    if (result_count) op->results = (void *)(memory + sizeof(Op) + uses);
    for (int i = 0; i < result_count; i++) {
        init_value(module, &op->results[i], result_types[i], i, builder->loc);
        op->results[i].def = op;
    }
    op->region_count = region_count;
    if (region_count) op->regions = ARENA_ARRAY(module->arena, Region *, region_count);
    for (int i = 0; i < region_count; i++) {
        op->regions[i] = ARENA_NEW(module->arena, Region);
        op->regions[i]->owner = op;
        op->regions[i]->index = i;
    }
    if (builder->region) link_op(op, builder->region, builder->before);
    return op;
}

Op *build_unregistered(
    Builder *builder, StrView name, int operand_count, Value *const *operands, int result_count,
    const Type *const *result_types, int region_count) {
    Op *op = build_op(
        builder, OP_UNREGISTERED, operand_count, operands, result_count, result_types,
        region_count);
    op->name = context_name(builder->module->context, name);
    return op;
}

Value *region_add_arg(Module *module, Region *region, const Type *type, const Loc *loc) {
    // The array grows at powers of two.
    int count = region->arg_count;
    if ((count & (count - 1)) == 0) {
        Value **args = ARENA_ARRAY(module->arena, Value *, count ? 2 * (int64_t)count : 1);
        for (int i = 0; i < count; i++)
            args[i] = region->args[i];
        region->args = args;
    }
    Value *value = ARENA_NEW(module->arena, Value);
    init_value(module, value, type, count, loc);
    value->region = region;
    region->args[region->arg_count++] = value;
    return value;
}

static Value *build_one(
    Builder *builder, OpCode code, int count, Value *const *operands, const Type *type) {
    return op_result(build_op(builder, code, count, operands, 1, &type, 0), 0);
}

static void set_ints(
    Builder *builder, Value *value, AttrName name, int count, const int64_t *ints) {
    op_set_attr(
        builder->module, value->def, name, attr_ints(builder->module->context, count, ints));
}

static void set_int(Builder *builder, Value *value, AttrName name, int64_t number) {
    op_set_attr(
        builder->module, value->def, name, attr_int(builder->module->context, number, ELEMENT_I64));
}

Value *build_unary(Builder *builder, OpCode code, Value *x) {
    return build_one(builder, code, 1, &x, x->type);
}

Value *build_binary(Builder *builder, OpCode code, Value *x, Value *y) {
    return build_one(builder, code, 2, (Value *[]){x, y}, x->type);
}

static int compare_type(ElementType element) {
    switch (element_class(element)) {
    case CLASS_BOOL:
    case CLASS_UINT: return COMPARE_UNSIGNED;
    case CLASS_SINT: return COMPARE_SIGNED;
    case CLASS_FLOAT:
    case CLASS_COMPLEX: return COMPARE_FLOAT;
    }
    return COMPARE_NOTYPE;
}

Value *build_compare(Builder *builder, int direction, Value *x, Value *y) {
    Context *context = builder->module->context;
    const Type *type = type_with_element(context, x->type, ELEMENT_I1);
    Value *result = build_one(builder, OP_COMPARE, 2, (Value *[]){x, y}, type);
    op_set_attr(
        builder->module, result->def, NAME_COMPARISON_DIRECTION,
        attr_enum(context, ENUM_DIRECTION, direction));
    op_set_attr(
        builder->module, result->def, NAME_COMPARE_TYPE,
        attr_enum(context, ENUM_COMPARE, compare_type(x->type->element)));
    return result;
}

Value *build_select(Builder *builder, Value *predicate, Value *on_true, Value *on_false) {
    Value *operands[] = {predicate, on_true, on_false};
    return build_one(builder, OP_SELECT, 3, operands, on_true->type);
}

Value *build_convert(Builder *builder, Value *x, ElementType element) {
    const Type *type = type_with_element(builder->module->context, x->type, element);
    return build_one(builder, OP_CONVERT, 1, &x, type);
}

Value *build_constant(Builder *builder, const Attr *elements) {
    Value *result = build_one(builder, OP_CONSTANT, 0, NULL, elements->type);
    op_set_attr(builder->module, result->def, NAME_VALUE, elements);
    return result;
}

// Writes one element's storage; returns its size.
static size_t store_number(ElementType element, double number, void *storage) {
    const FloatFormat *format = element_float_format(element_real_part(element));
    size_t size = element_bytes(element);
    uint64_t bits;
    if (format) { // complex: the imaginary part stays 0
        bits = float_encode(format, number);
        memcpy(storage, &bits, element_bytes(element_real_part(element)));
    } else if (element_class(element) == CLASS_BOOL) {
        *(unsigned char *)storage = number != 0;
    } else {
        bits = number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
        memcpy(storage, &bits, size);
    }
    return size;
}

Value *build_splat(Builder *builder, const Type *tensor, double number) {
    uint64_t storage[2] = {0};
    size_t size = store_number(tensor->element, number, storage);
    return build_constant(
        builder, attr_elements(builder->module->context, tensor, true, storage, size));
}

Value *build_negative_zeros(Builder *builder, const Type *tensor) {
    uint64_t storage[2] = {0};
    size_t size = store_number(tensor->element, -0.0, storage);
    bool is_complex = element_class(tensor->element) == CLASS_COMPLEX;
    if (is_complex) memcpy((char *)storage + size / 2, storage, size / 2);
    return build_constant(
        builder, attr_elements(builder->module->context, tensor, true, storage, size));
}

Value *build_splat_int(Builder *builder, const Type *tensor, int64_t number) {
    ElementClass class = element_class(tensor->element);
    if (class == CLASS_FLOAT || class == CLASS_COMPLEX)
        return build_splat(builder, tensor, (double)number);
    uint64_t storage = class == CLASS_BOOL ? number != 0 : (uint64_t)number;
    return build_constant(
        builder,
        attr_elements(
            builder->module->context, tensor, true, &storage, element_bytes(tensor->element)));
}

Value *build_iota(Builder *builder, const Type *tensor, int dimension) {
    Value *result = build_one(builder, OP_IOTA, 0, NULL, tensor);
    set_int(builder, result, NAME_IOTA_DIMENSION, dimension);
    return result;
}

Value *build_reshape(Builder *builder, Value *x, int rank, const int64_t *dims) {
    const Type *type = type_with_dims(builder->module->context, x->type, rank, dims);
    return build_one(builder, OP_RESHAPE, 1, &x, type);
}

Value *build_transpose(Builder *builder, Value *x, const int64_t *permutation) {
    int64_t dims[MAX_RANK] = {0};
    int rank = x->type->rank;
    for (int d = 0; d < rank; d++)
        dims[d] = x->type->dims[permutation[d]];
    const Type *type = type_with_dims(builder->module->context, x->type, rank, dims);
    Value *result = build_one(builder, OP_TRANSPOSE, 1, &x, type);
    set_ints(builder, result, NAME_PERMUTATION, rank, permutation);
    return result;
}

Value *build_broadcast_in_dim(
    Builder *builder, Value *x, const Type *tensor, const int64_t *dimensions) {
    Value *result = build_one(builder, OP_BROADCAST_IN_DIM, 1, &x, tensor);
    set_ints(builder, result, NAME_BROADCAST_DIMENSIONS, x->type->rank, dimensions);
    return result;
}

Value *build_slice(
    Builder *builder, Value *x, const int64_t *start, const int64_t *limit, const int64_t *stride) {
    int64_t dims[MAX_RANK] = {0}, ones[MAX_RANK];
    int rank = x->type->rank;
    for (int d = 0; d < MAX_RANK; d++)
        ones[d] = 1;
    if (!stride) stride = ones;
    for (int d = 0; d < rank; d++)
        dims[d] = (limit[d] - start[d] + stride[d] - 1) / stride[d];
    const Type *type = type_with_dims(builder->module->context, x->type, rank, dims);
    Value *result = build_one(builder, OP_SLICE, 1, &x, type);
    set_ints(builder, result, NAME_START_INDICES, rank, start);
    set_ints(builder, result, NAME_LIMIT_INDICES, rank, limit);
    set_ints(builder, result, NAME_STRIDES, rank, stride);
    return result;
}

Value *build_pad(
    Builder *builder, Value *x, Value *padding_value, const int64_t *low, const int64_t *high,
    const int64_t *interior) {
    int64_t dims[MAX_RANK] = {0}, zeros[MAX_RANK] = {0};
    int rank = x->type->rank;
    if (!interior) interior = zeros;
    for (int d = 0; d < rank; d++) {
        int64_t size = x->type->dims[d];
        int64_t gaps = size > 0 ? (size - 1) * interior[d] : 0;
        dims[d] = low[d] + size + gaps + high[d];
    }
    const Type *type = type_with_dims(builder->module->context, x->type, rank, dims);
    Value *result = build_one(builder, OP_PAD, 2, (Value *[]){x, padding_value}, type);
    set_ints(builder, result, NAME_EDGE_PADDING_LOW, rank, low);
    set_ints(builder, result, NAME_EDGE_PADDING_HIGH, rank, high);
    set_ints(builder, result, NAME_INTERIOR_PADDING, rank, interior);
    return result;
}

Value *build_concatenate(Builder *builder, int count, Value *const *operands, int dimension) {
    assert(count > 0);
    int64_t dims[MAX_RANK] = {0};
    const Type *first = operands[0]->type;
    for (int d = 0; d < first->rank; d++)
        dims[d] = first->dims[d];
    for (int i = 1; i < count; i++)
        dims[dimension] += operands[i]->type->dims[dimension];
    const Type *type = type_with_dims(builder->module->context, first, first->rank, dims);
    Value *result = build_one(builder, OP_CONCATENATE, count, operands, type);
    set_int(builder, result, NAME_DIMENSION, dimension);
    return result;
}

Value *build_dynamic_slice(Builder *builder, Value *x, Value *const *starts, const int64_t *sizes) {
    int rank = x->type->rank;
    Value *operands[MAX_RANK + 1] = {x};
    for (int d = 0; d < rank; d++)
        operands[d + 1] = starts[d];
    const Type *type = type_with_dims(builder->module->context, x->type, rank, sizes);
    Value *result = build_one(builder, OP_DYNAMIC_SLICE, rank + 1, operands, type);
    set_ints(builder, result, NAME_SLICE_SIZES, rank, sizes);
    return result;
}

Value *build_dynamic_update_slice(Builder *builder, Value *x, Value *update, Value *const *starts) {
    int rank = x->type->rank;
    Value *operands[MAX_RANK + 2] = {x, update};
    for (int d = 0; d < rank; d++)
        operands[d + 2] = starts[d];
    return build_one(builder, OP_DYNAMIC_UPDATE_SLICE, rank + 2, operands, x->type);
}

// The storage of the smallest or largest value of a real element type, infinities included.
static uint64_t extreme_bits(ElementType element, bool largest) {
    const FloatFormat *format = element_float_format(element);
    int bits = element_bits(element);
    if (format && format->has_infinity)
        return float_encode(format, largest ? (double)INFINITY : -(double)INFINITY);
    if (format) { // the finite formats: all bits but those that mean NaN
        uint64_t magnitude = (UINT64_C(1) << (bits - (format->is_unsigned ? 0 : 1))) - 1;
        if (format->is_unsigned && !largest) return 0;
        if (format->has_nan && !format->nan_is_minus_zero) magnitude--;
        return largest ? magnitude : magnitude | UINT64_C(1) << (bits - 1);
    }
    switch (element_class(element)) {
    case CLASS_BOOL: return largest;
    case CLASS_UINT: return !largest ? 0 : bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    case CLASS_SINT: {
        int64_t max = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
        return (uint64_t)(largest ? max : -max - 1);
    }
    case CLASS_FLOAT:
    case CLASS_COMPLEX: return 0;
    }
    return 0;
}

const Attr *reduction_neutral(Context *context, OpCode body, const Type *scalar) {
    ElementType element = scalar->element;
    uint64_t storage[2] = {0};
    if (body == OP_MULTIPLY) {
        store_number(element, 1, storage);
    } else if (body == OP_AND) {
        storage[0] = element_class(element) == CLASS_BOOL ? 1 : UINT64_MAX;
        if (element_class(element) == CLASS_UINT) storage[0] = extreme_bits(element, true);
    } else if (body == OP_MAXIMUM) {
        storage[0] = extreme_bits(element, false);
    } else if (body == OP_MINIMUM) {
        storage[0] = extreme_bits(element, true);
    } // else zero: add, or, xor
    return attr_elements(context, scalar, true, storage, element_bytes(element));
}

void build_reduction_body(
    Module *module, Region *region, OpCode body, ElementType element, const Loc *loc) {
    const Type *scalar = type_scalar(module->context, element);
    Value *a = region_add_arg(module, region, scalar, loc);
    Value *b = region_add_arg(module, region, scalar, loc);
    Builder builder = builder_at_end(module, region);
    builder.loc = loc;
    Value *result = build_binary(&builder, body, a, b);
    build_return(&builder, OP_RETURN, 1, &result);
}

Value *build_reduce(Builder *builder, OpCode body, Value *x, int dim_count, const int64_t *dims) {
    Context *context = builder->module->context;
    ElementType element = x->type->element;
    int64_t kept[MAX_RANK] = {0};
    int rank = 0;
    for (int d = 0; d < x->type->rank; d++) {
        bool is_reduced = false;
        for (int i = 0; i < dim_count; i++)
            is_reduced = is_reduced || dims[i] == d;
        if (!is_reduced) kept[rank++] = x->type->dims[d];
    }
    const Type *scalar = type_scalar(context, element);
    Value *neutral = build_constant(builder, reduction_neutral(context, body, scalar));
    const Type *type = type_tensor(context, element, rank, kept);
    Op *op = build_op(builder, OP_REDUCE, 2, (Value *[]){x, neutral}, 1, &type, 1);
    op_set_attr(builder->module, op, NAME_DIMENSIONS, attr_ints(context, dim_count, dims));
    build_reduction_body(builder->module, op->regions[0], body, element, builder->loc);
    return op_result(op, 0);
}

void build_return(Builder *builder, OpCode code, int count, Value *const *values) {
    build_op(builder, code, count, values, 0, NULL, 0);
}

Value *build_own_numbers(
    Builder *builder, ElementType element, int64_t devices, int64_t count, const int64_t *numbers) {
    Context *context = builder->module->context;
    int64_t sizes[2] = {1, count};
    const Attr *table = attr_int_matrix(context, (int)devices, (int)count, numbers);
    const Type *u32 = type_scalar(context, ELEMENT_UI32);
    Value *starts[2];
    starts[0] = op_result(build_op(builder, OP_PARTITION_ID, 0, NULL, 1, &u32, 0), 0);
    starts[1] = build_splat_int(builder, u32, 0);
    Value *line = build_dynamic_slice(builder, build_constant(builder, table), starts, sizes);
    return build_convert(builder, build_reshape(builder, line, 1, &count), element);
}

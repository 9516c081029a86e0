// padded_values: what the values of a program hold while it is padded.
#include "partition/shardy/padded_values.h"

#include "base/checked.h"
#include "ir/analysis/data_flow.h"
#include "partition/shardy/padding.h"

// ---- types ----

const Type *real_type(const PaddedValues *values, const Value *value) {
    const Type *type = ptr_map_get(&values->real, value);
    return type ? type : value->type;
}

void set_real_type(PaddedValues *values, Value *value, const Type *real) {
    if (value->type != real) ptr_map_set(&values->real, value, (void *)(uintptr_t)real);
}

// Has the tensor, padded for as many devices as there may be, a number of
// elements that can be written down?
static bool sizes_fit(const Type *type) {
    int64_t count = 0;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] > INT64_MAX >> 8) return false;
    }
    return checked_product(type->dims, type->rank, &count) && count <= INT64_MAX >> 8;
}

const Type *divisible_type(const PaddedValues *values, const Value *value) {
    const Type *real = real_type(values, value);
    const Sharding *sharding = value_sharding(values->module, value);
    const Mesh *mesh = sharding ? sharding_mesh(values->module, sharding) : NULL;
    if (!mesh || mesh_is_maximal(mesh) || real->kind != TYPE_TENSOR) return real;
    if (!type_is_static(real) || sharding->rank != real->rank) return real;
    if (real->quant || !sizes_fit(real)) return real;
    const Type *padded = padded_type(values->module->context, mesh, real, sharding);
    return sizes_fit(padded) ? padded : real;
}

// ---- padding that comes and goes ----

bool padding_is_zero(const PaddedValues *values, const Value *value) {
    return !ptr_map_has(&values->real, value) || ptr_map_has(&values->zeros, value);
}

void set_padding_is_zero(PaddedValues *values, const Value *value) {
    ptr_map_set(&values->zeros, value, values);
}

// `made` stands for `value`, with more or less padding.
static Value *made_of(PaddedValues *values, const Value *value, Value *made) {
    set_real_type(values, made, real_type(values, value));
    if (padding_is_zero(values, value)) set_padding_is_zero(values, made);
    values->changed = true;
    return made;
}

Value *value_as(PaddedValues *values, Builder *builder, Value *value, const Type *type) {
    if (value->type == type) return value;
    Context *context = values->module->context;
    const Sharding *sharding = value_sharding(values->module, value);
    int64_t kept[MAX_RANK] = {0};
    for (int d = 0; d < type->rank; d++) {
        int64_t size = value->type->dims[d];
        kept[d] = size < type->dims[d] ? size : type->dims[d];
    }
    const Type *trimmed = type_with_dims(context, type, type->rank, kept);
    if (value->type != trimmed)
        value = made_of(values, value, trim_to_type(builder, value, trimmed, sharding));
    if (value->type != type)
        value = made_of(values, value, pad_to_type(builder, value, type, sharding));
    return value;
}

void operand_as(PaddedValues *values, Op *op, int i, const Type *type) {
    if (op_operand_type(op, i) == type) return;
    Builder builder = builder_before(values->module, op);
    op_set_operand(op, i, value_as(values, &builder, op_operand(op, i), type));
}

void settle(PaddedValues *values, Value *value) {
    const Type *type = divisible_type(values, value);
    if (type == value->type) return;
    Builder builder = value->def ? builder_after(values->module, value->def)
                                 : builder_before(values->module, value->region->first);
    Value *made = value_as(values, &builder, value, type);
    const Op *first = made->def; // it, or the op before it, uses the value
    if (op_operand(first, 0) != value) first = op_operand(first, 0)->def;
    value_replace_uses_except(value, made, first);
}

// ---- masks ----

static Value *with_sharding(Value *value, const Sharding *sharding) {
    value->sharding = sharding;
    return value;
}

// Is the index along dimension d below the limit? Of the shape of `like`.
static Value *index_below(
    Builder *builder, const Type *like, int d, int64_t limit, const Sharding *sharding) {
    Context *context = builder->module->context;
    ElementType index = like->dims[d] <= INT32_MAX ? ELEMENT_I32 : ELEMENT_I64;
    const Type *type = type_with_element(context, like, index);
    Value *iota = with_sharding(build_iota(builder, type, d), sharding);
    Value *bound = build_splat_int(builder, type_scalar(context, index), limit);
    bound = with_sharding(build_broadcast_in_dim(builder, bound, type, NULL), sharding);
    Value *below = with_sharding(build_compare(builder, DIRECTION_LT, iota, bound), sharding);
    op_set_attr(builder->module, below->def, NAME_COMPARE_TYPE, NULL); // follows from the elements
    return below;
}

static bool is_padded_along(const PaddedValues *values, const Value *value, int d) {
    return value->type->dims[d] != real_type(values, value)->dims[d];
}

Value *mask_padding(
    PaddedValues *values, Builder *builder, Value *value, unsigned dims, Value *fill) {
    const Sharding *sharding = value_sharding(values->module, value);
    const Type *type = value->type, *real = real_type(values, value);
    Value *inside = NULL;
    for (int d = 0; d < type->rank; d++) {
        if (!(dims >> d & 1) || !is_padded_along(values, value, d)) continue;
        Value *below = index_below(builder, type, d, real->dims[d], sharding);
        inside =
            inside ? with_sharding(build_binary(builder, OP_AND, inside, below), sharding) : below;
    }
    if (!inside) return value;
    Value *fills = with_sharding(build_broadcast_in_dim(builder, fill, type, NULL), sharding);
    Value *masked = with_sharding(build_select(builder, inside, value, fills), sharding);
    set_real_type(values, masked, real);
    values->changed = true;
    return masked;
}

Value *zero_padding(PaddedValues *values, Builder *builder, Value *value, unsigned dims) {
    unsigned padded = 0;
    for (int d = 0; d < value->type->rank; d++)
        padded |= is_padded_along(values, value, d) ? 1u << d : 0;
    if (!(padded & dims) || padding_is_zero(values, value)) return value;
    const Type *scalar = type_with_dims(values->module->context, value->type, 0, NULL);
    Value *masked = mask_padding(values, builder, value, dims, build_splat(builder, scalar, 0));
    if (!(padded & ~dims)) set_padding_is_zero(values, masked);
    return masked;
}

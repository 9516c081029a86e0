// padding: types that divide, and values that grow or shrink behind their elements.
#include "partition/shardy/padding.h"

const Type *padded_type(
    Context *context, const Mesh *mesh, const Type *type, const Sharding *sharding) {
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d < type->rank; d++)
        dims[d] = padded_size(type->dims[d], sharding_dim_size(mesh, sharding, d));
    return type_with_dims(context, type, type->rank, dims);
}

Value *pad_to_type(Builder *builder, Value *x, const Type *to, const Sharding *sharding) {
    if (x->type == to) return x;
    int64_t low[MAX_RANK] = {0}, high[MAX_RANK] = {0};
    for (int d = 0; d < to->rank; d++)
        high[d] = to->dims[d] - x->type->dims[d];
    const Type *scalar = type_with_dims(builder->module->context, x->type, 0, NULL);
    Value *padded = build_pad(builder, x, build_splat(builder, scalar, 0), low, high, NULL);
    padded->sharding = sharding;
    return padded;
}

Value *trim_to_type(Builder *builder, Value *x, const Type *to, const Sharding *sharding) {
    if (x->type == to) return x;
    int64_t start[MAX_RANK] = {0};
    Value *trimmed = build_slice(builder, x, start, to->dims, NULL);
    trimmed->sharding = sharding;
    return trimmed;
}

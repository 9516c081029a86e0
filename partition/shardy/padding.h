// Tensors whose dimensions are made divisible: types, and values that grow or shrink behind their
// elements.
#ifndef SHARDC_PARTITION_PADDING_H
#define SHARDC_PARTITION_PADDING_H

#include "ir/builder.h"

// The least multiple of `parts` that is at least `size`.
static inline int64_t padded_size(int64_t size, int64_t parts) {
    return (size + parts - 1) / parts * parts;
}

// The type with every dimension padded to a multiple of the number of devices that share it.
const Type *padded_type(
    Context *context, const Mesh *mesh, const Type *type, const Sharding *sharding);

// x with more or fewer elements at the ends of its dimensions: what is added is zero.
// The made value has the sharding.
Value *pad_to_type(Builder *builder, Value *x, const Type *to, const Sharding *sharding);
Value *trim_to_type(Builder *builder, Value *x, const Type *to, const Sharding *sharding);

#endif

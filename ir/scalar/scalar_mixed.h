// The functions of scalar_ops.def that mix element types, and how operands are loaded in pieces.
// Private to scalar_apply.c and scalar_mixed.c.
#ifndef SHARDC_IR_SCALAR_MIXED_H
#define SHARDC_IR_SCALAR_MIXED_H

#include "ir/scalar/scalar.h"

enum { CHUNK = 128 }; // elements that are computed at once

typedef bool MixedFn(
    const Op *op, int64_t count, const ScalarArg *args, ElementType element, char *result);
#define MIXED(name) MixedFn scalar_mixed_##name;
#include "ir/scalar/scalar_ops.def"

static inline bool complex_less(double _Complex x, double _Complex y) {
    return creal(x) < creal(y) || (creal(x) == creal(y) && cimag(x) < cimag(y));
}

static inline const char *arg_at(const ScalarArg *arg, int64_t i) {
    return (const char *)arg->data + (arg->is_splat ? 0 : (size_t)i * element_bytes(arg->element));
}

static inline void load_real(const ScalarArg *arg, int64_t start, int64_t count, double *out) {
    scalar_load_real(arg->element, arg_at(arg, start), arg->is_splat ? 0 : 1, count, out);
}

static inline void load_int(const ScalarArg *arg, int64_t start, int64_t count, int64_t *out) {
    scalar_load_int(arg->element, arg_at(arg, start), arg->is_splat ? 0 : 1, count, out);
}

static inline void load_complex(
    const ScalarArg *arg, int64_t start, int64_t count, double _Complex *out) {
    scalar_load_complex(arg->element, arg_at(arg, start), arg->is_splat ? 0 : 1, count, out);
}

static inline int64_t chunk_at(int64_t start, int64_t count) {
    return count - start < CHUNK ? count - start : CHUNK;
}

#endif

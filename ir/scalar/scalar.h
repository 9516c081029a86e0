// Pointwise ops on arrays of elements: the one definition of what an op computes, for the
// evaluator and constant folding.
//
// Elements are widened to a carrier, computed there, and rounded once to the element type:
//   float    double, then f32, then the narrow type (as XLA, which computes narrow
//            floats in f32); f64 stays double
//   signed   int64_t, wrapping     unsigned, i1   uint64_t, wrapping (i1: the lowest bit)
//   complex  double _Complex
// Functions of f64 and complex functions are computed in long double and rounded to the carrier.
// Accuracy: 0.51 ulp nearly everywhere where long double is wider than double; docs/numerics.md has
// the bounds (sinh and cosh of f32: as CHLO expands them).
#ifndef SHARDC_IR_SCALAR_H
#define SHARDC_IR_SCALAR_H

#include "ir/op.h"

#include <complex.h>
#include <string.h>

// re + im i, exact for infinities and signed zeros (as CMPLX, which not every compiler has).
static inline double _Complex complex_of(double re, double im) {
    double parts[2] = {re, im};
    double _Complex z = 0;
    memcpy(&z, parts, sizeof z);
    return z;
}

// The rows of scalar_ops.def.
typedef enum ScalarFn {
    SCALAR_none,
#define SCALAR1(name, ...) SCALAR_##name,
#define SCALAR2(name, ...) SCALAR_##name,
#define MIXED(name)        SCALAR_##name,
#include "ir/scalar/scalar_ops.def"
    SCALAR_COUNT
} ScalarFn;

ScalarFn op_code_scalar(OpCode code); // the column of ops.def
// The elementwise op that computes the function and nothing else: OP_ADD of
// that of OP_CHLO_BROADCAST_ADD.
OpCode scalar_op(ScalarFn scalar);

// One operand: `count` elements, or one element for all.
typedef struct ScalarArg {
    const void *data;
    ElementType element;
    bool is_splat;
} ScalarArg;

// Result i = op(args i). Attributes (compare's direction, reduce_precision's bits) are read from
// op; `code` is the op to compute. False when the op is not defined on these element types.
// `result` may be one of the operands' data if the element sizes are equal.
bool scalar_apply(
    OpCode code, const Op *op, int64_t count, const ScalarArg *args, ElementType element,
    void *result);

// Elements to carriers and back. Strides are in elements.
void scalar_load_real(
    ElementType element, const void *data, int64_t stride, int64_t count, double *out);
void scalar_load_int(
    ElementType element, const void *data, int64_t stride, int64_t count, int64_t *out);
void scalar_load_complex(
    ElementType element, const void *data, int64_t stride, int64_t count,
    double _Complex *out); // real elements too
void scalar_store_real(ElementType element, const double *in, int64_t count, void *data);
void scalar_store_int(ElementType element, const int64_t *in, int64_t count, void *data); // wraps
void scalar_store_complex(
    ElementType element, const double _Complex *in, int64_t count, void *data);
// Any element type to any other, as stablehlo.convert.
void scalar_convert(ElementType from, const void *in, ElementType to, void *out, int64_t count);

// A float as an integer in total order: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
int64_t scalar_total_order_key(ElementType element, const void *data);

// Special functions (scalar_math.c), for doubles.
double scalar_digamma(double x);
double scalar_lgamma(double x);
double scalar_erf_inv(double x);
double scalar_zeta(double x, double q); // Hurwitz: sum of (q + k)^-x
double scalar_polygamma(double n, double x);
double scalar_bessel_i1e(double x);
double scalar_cosh_f32(double x); // as programs see it that CHLO expands: several ulp for large x
double scalar_sinh_f32(double x);
double scalar_sign(double x);
double scalar_maximum(double x, double y);
double scalar_minimum(double x, double y);
int64_t scalar_int_power(int64_t x, int64_t y, bool is_signed);

// Complex functions (scalar_complex.c): robust near overflow, underflow and the branch cuts.
double _Complex scalar_cmul(double _Complex x, double _Complex y);
double _Complex scalar_cdiv(double _Complex x, double _Complex y);
double _Complex scalar_cpow(double _Complex x, double _Complex y);
// w with asin(x) = (atan2(Re x, Re w), sign(Im x) Im w) and
// acos(x) = (atan2(Re w, Re x), -sign(Im x) Im w)
double _Complex scalar_asin_acos_kernel(double _Complex x);
double _Complex scalar_csqrt(double _Complex x);
double _Complex scalar_crsqrt(double _Complex x);
double _Complex scalar_cexp(double _Complex x);
double _Complex scalar_cexpm1(double _Complex x);
double _Complex scalar_clog(double _Complex x);
double _Complex scalar_clog1p(double _Complex x);
double _Complex scalar_clogistic(double _Complex x);
double _Complex scalar_csign(double _Complex x);
double _Complex scalar_ccbrt(double _Complex x);
double _Complex scalar_csquare(double _Complex x);
double _Complex scalar_catan2(double _Complex y, double _Complex x);

#endif

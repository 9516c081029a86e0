// The scalar ops as LLVM's instructions: arithmetic, conversions and functions, a file per class of
// elements or family of functions. The rows of ir/scalar/scalar_ops.def name them
// (emit_functions.h). This header has what other emitters use, too: short names for building
// expressions on one type, and the functions that others are made of.
#ifndef SHARDC_CODEGEN_EMIT_MATH_H
#define SHARDC_CODEGEN_EMIT_MATH_H

#include "codegen/emit/emit_state.h"

typedef struct MathType {
    Emit *e;
    LLVMTypeRef real, bits; // float and i32, or double and i64
    bool is_f64;
} MathType;

typedef LLVMValueRef Num;

MathType math_type(Emit *e, bool is_f64);
Num math_constant(const MathType *m, double x);
Num math_bits(const MathType *m, uint64_t x);
Num math_add(const MathType *m, Num x, Num y);
Num math_sub(const MathType *m, Num x, Num y);
Num math_mul(const MathType *m, Num x, Num y);
Num math_div(const MathType *m, Num x, Num y);
Num math_fma(const MathType *m, Num x, Num y, Num z); // x*y + z, rounded once where the target can
Num math_neg(const MathType *m, Num x);
Num math_abs(const MathType *m, Num x);
Num math_sqrt(const MathType *m, Num x);
Num math_sign_of(const MathType *m, Num size, Num sign); // |size| with sign's sign
Num math_less(const MathType *m, Num x, Num y);          // ordered comparisons: i1
Num math_equal(const MathType *m, Num x, Num y);
Num math_is_nan(const MathType *m, Num x);
Num math_select(const MathType *m, Num condition, Num x, Num y);
Num math_min(const MathType *m, Num x, Num y); // a NaN in x stays
Num math_max(const MathType *m, Num x, Num y);
// c[0] + c[1] x + ... + c[count-1] x^(count-1), Horner
Num math_polynomial(const MathType *m, Num x, int count, const double *c);
Num math_to_real(const MathType *m, Num integer); // sitofp
Num math_as_bits(const MathType *m, Num x);
Num math_as_real(const MathType *m, Num bits);

Num math_int_op(const MathType *m, LLVMOpcode op, Num x, uint64_t y);
Num math_widen(const MathType *d, Num x);  // f32 to f64
Num math_narrow(const MathType *m, Num x); // f64 to f32
Num math_libm(const MathType *m, const char *name, Num x);
Num math_libm2(const MathType *m, const char *name, Num x, Num y);

// In the type of m. exp: within 1 ulp, subnormal results included; log: 1 ulp.
Num math_exp(const MathType *m, Num x);
Num math_exp_at_most_one(const MathType *m, Num x); // for x <= 0 and NaN
Num math_log(const MathType *m, Num x);
// log(x), with rest = x - 1, which may have digits that x has no place for, where x is near 1
Num math_log_near_one(const MathType *m, Num x, Num rest);
Num math_exp_in_double(const MathType *d, Num x); // to 1e-12, for f32 results
Num math_exp_of_medium(const MathType *m, Num x); // of |x| <= 87, or NaN; f32
void math_sine_and_cosine(const MathType *m, Num x, Num *sine, Num *cosine); // f32

#endif

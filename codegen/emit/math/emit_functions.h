// The emitters that the rows of ir/scalar/scalar_ops.def name: one function for each class of
// elements on which an op is defined.
//
//   emit_real_f     floating point, in f32 or f64 (narrow floats are widened before and rounded
//                   after)
//   emit_int_f      signed and unsigned integers
//   emit_bool_f     i1
//   emit_complex_f  complex numbers, on parts in double or (OWN, PART) in the element's own
//                   precision; a PART's result is `re` alone
//   emit_mixed_f    ops that read attributes or mix types
#ifndef SHARDC_CODEGEN_EMIT_FUNCTIONS_H
#define SHARDC_CODEGEN_EMIT_FUNCTIONS_H

#include "codegen/emit/math/emit_math.h"
#include "ir/scalar/scalar.h"

typedef struct Complex {
    LLVMValueRef re, im;
} Complex;

typedef Num RealFn1(const MathType *m, Num x);
typedef Num RealFn2(const MathType *m, Num x, Num y);
typedef LLVMValueRef IntFn1(Emit *e, bool is_signed, LLVMValueRef x);
typedef LLVMValueRef IntFn2(Emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef y);
typedef LLVMValueRef BoolFn1(Emit *e, LLVMValueRef x);
typedef LLVMValueRef BoolFn2(Emit *e, LLVMValueRef x, LLVMValueRef y);
typedef Complex ComplexFn1(Emit *e, Complex x);
typedef Complex ComplexFn2(Emit *e, Complex x, Complex y);
typedef Scalar MixedEmitFn(Emit *e, const Op *op, const Scalar *operands);

#define REAL(x, f)    RealFn1 emit_real_##f;
#define EXACT(x, f)   RealFn1 emit_real_##f;
#define TEST(x, f)    RealFn1 emit_real_##f;
#define INT(s, u, f)  IntFn1 emit_int_##f;
#define BOOL(x, f)    BoolFn1 emit_bool_##f;
#define COMPLEX(x, f) ComplexFn1 emit_complex_##f;
#define OWN(x, f)     ComplexFn1 emit_complex_##f;
#define PART(x, f)    ComplexFn1 emit_complex_##f;
#define NO
#define ABSENT
#define SCALAR1(name, floats, integers, bools, complexes) floats integers bools complexes
#include "ir/scalar/scalar_ops.def"

#define REAL(x, f)    RealFn2 emit_real_##f;
#define EXACT(x, f)   RealFn2 emit_real_##f;
#define INT(s, u, f)  IntFn2 emit_int_##f;
#define BOOL(x, f)    BoolFn2 emit_bool_##f;
#define COMPLEX(x, f) ComplexFn2 emit_complex_##f;
#define OWN(x, f)     ComplexFn2 emit_complex_##f;
#define NO
#define ABSENT
#define SCALAR2(name, floats, integers, bools, complexes) floats integers bools complexes
#include "ir/scalar/scalar_ops.def"

#define MIXED(name) MixedEmitFn emit_mixed_##name;
#include "ir/scalar/scalar_ops.def"

#endif

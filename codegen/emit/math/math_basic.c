// Functions of real numbers as expressions without branches or calls, so that
// loops around them become vectors.
//
// f32: range reduction and minimax polynomials (Remez exchange, relative error; the coefficients
// were computed with 60 digits and rounded), in f32 where that is accurate, else in f64. Bounds
// over all f32 numbers, in ulp of the result, are checked by tests/unit/codegen/test_math.c. f64:
// exp, log, logistic and some others likewise; the rest are calls of libm.
//
// Sources of the methods: Cody and Waite, Software Manual for the Elementary Functions,
// 1980 (reductions); Payne and Hanek, SIGNUM 18, 1983 (large angles); Muller,
// Elementary Functions, 3rd ed., 2016.
#include "codegen/emit/math/emit_functions.h"

MathType math_type(Emit *e, bool is_f64) {
    MathType m = {.e = e, .is_f64 = is_f64};
    m.real = is_f64 ? LLVMDoubleTypeInContext(e->context) : LLVMFloatTypeInContext(e->context);
    m.bits = is_f64 ? LLVMInt64TypeInContext(e->context) : LLVMInt32TypeInContext(e->context);
    return m;
}

Num math_constant(const MathType *m, double x) { return LLVMConstReal(m->real, x); }
Num math_bits(const MathType *m, uint64_t x) { return LLVMConstInt(m->bits, x, 0); }
Num math_add(const MathType *m, Num x, Num y) { return LLVMBuildFAdd(m->e->builder, x, y, ""); }
Num math_sub(const MathType *m, Num x, Num y) { return LLVMBuildFSub(m->e->builder, x, y, ""); }
Num math_mul(const MathType *m, Num x, Num y) { return LLVMBuildFMul(m->e->builder, x, y, ""); }
Num math_div(const MathType *m, Num x, Num y) { return LLVMBuildFDiv(m->e->builder, x, y, ""); }
Num math_neg(const MathType *m, Num x) { return LLVMBuildFNeg(m->e->builder, x, ""); }
Num math_abs(const MathType *m, Num x) { return emit_intrinsic(m->e, "llvm.fabs", m->real, 1, &x); }
Num math_sqrt(const MathType *m, Num x) {
    return emit_intrinsic(m->e, "llvm.sqrt", m->real, 1, &x);
}

Num math_fma(const MathType *m, Num x, Num y, Num z) {
    if (!m->e->target->has_fma) return math_add(m, math_mul(m, x, y), z);
    Num all[3] = {x, y, z};
    return emit_intrinsic(m->e, "llvm.fma", m->real, 3, all);
}

Num math_sign_of(const MathType *m, Num size, Num sign) {
    Num both[2] = {size, sign};
    return emit_intrinsic(m->e, "llvm.copysign", m->real, 2, both);
}

Num math_less(const MathType *m, Num x, Num y) {
    return LLVMBuildFCmp(m->e->builder, LLVMRealOLT, x, y, "");
}
Num math_equal(const MathType *m, Num x, Num y) {
    return LLVMBuildFCmp(m->e->builder, LLVMRealOEQ, x, y, "");
}
Num math_is_nan(const MathType *m, Num x) {
    return LLVMBuildFCmp(m->e->builder, LLVMRealUNO, x, x, "");
}
Num math_select(const MathType *m, Num condition, Num x, Num y) {
    return LLVMBuildSelect(m->e->builder, condition, x, y, "");
}
Num math_min(const MathType *m, Num x, Num y) { return math_select(m, math_less(m, y, x), y, x); }
Num math_max(const MathType *m, Num x, Num y) { return math_select(m, math_less(m, x, y), y, x); }

Num math_polynomial(const MathType *m, Num x, int count, const double *c) {
    Num sum = math_constant(m, c[count - 1]);
    for (int k = count - 2; k >= 0; k--)
        sum = math_fma(m, sum, x, math_constant(m, c[k]));
    return sum;
}

Num math_as_bits(const MathType *m, Num x) {
    return LLVMBuildBitCast(m->e->builder, x, m->bits, "");
}
Num math_as_real(const MathType *m, Num bits) {
    return LLVMBuildBitCast(m->e->builder, bits, m->real, "");
}
Num math_to_real(const MathType *m, Num integer) {
    return LLVMBuildSIToFP(m->e->builder, integer, m->real, "");
}

Num math_int_op(const MathType *m, LLVMOpcode op, Num x, uint64_t y) {
    return LLVMBuildBinOp(m->e->builder, op, x, math_bits(m, y), "");
}

Num math_libm(const MathType *m, const char *name, Num x) {
    return emit_libm(m->e, name, m->real, 1, &x);
}

Num math_libm2(const MathType *m, const char *name, Num x, Num y) {
    Num both[2] = {x, y};
    return emit_libm(m->e, name, m->real, 2, both);
}

Num math_widen(const MathType *d, Num x) { return LLVMBuildFPExt(d->e->builder, x, d->real, ""); }
Num math_narrow(const MathType *m, Num x) {
    return LLVMBuildFPTrunc(m->e->builder, x, m->real, "");
}

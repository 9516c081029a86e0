// Floating-point arithmetic as ir/scalar/scalar_ops.def defines it: maximum and minimum pass NaN
// on. Functions: emit_exp.c, emit_trig.c, emit_erf.c, emit_special.c.
#include "codegen/emit/math/emit_functions.h"

#include <math.h>

// In a reduction the largest of -0 and 0 may be either, which saves two instructions of five.
static Num ignore_sign_of_zero(Emit *e, Num x) {
    if (e->reassociate && LLVMIsAInstruction(x))
        LLVMSetFastMathFlags(x, LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros);
    return x;
}

static Num compare(const MathType *m, LLVMRealPredicate predicate, Num x, Num y) {
    return LLVMBuildFCmp(m->e->builder, predicate, x, y, "");
}

Num emit_real_abs(const MathType *m, Num x) { return emit_intrinsic1(m->e, "llvm.fabs", x); }

Num emit_real_ceil(const MathType *m, Num x) { return emit_intrinsic1(m->e, "llvm.ceil", x); }

Num emit_real_floor(const MathType *m, Num x) { return emit_intrinsic1(m->e, "llvm.floor", x); }

Num emit_real_round_nearest_afz(const MathType *m, Num x) {
    return emit_intrinsic1(m->e, "llvm.round", x);
}

Num emit_real_round_nearest_even(const MathType *m, Num x) {
    return emit_intrinsic1(m->e, "llvm.roundeven", x);
}

Num emit_real_sqrt(const MathType *m, Num x) { return emit_intrinsic1(m->e, "llvm.sqrt", x); }

Num emit_real_rsqrt(const MathType *m, Num x) {
    return math_div(m, math_constant(m, 1), emit_real_sqrt(m, x));
}

Num emit_real_negate(const MathType *m, Num x) { return math_neg(m, x); }

// Zero and NaN stay.
Num emit_real_sign(const MathType *m, Num x) {
    Num sign = emit_intrinsic_of_two(m->e, "llvm.copysign", math_constant(m, 1), x);
    return emit_choose(m->e, compare(m, LLVMRealONE, x, math_constant(m, 0)), sign, x);
}

Num emit_real_square(const MathType *m, Num x) { return math_mul(m, x, x); }

Num emit_real_same(const MathType *m, Num x) {
    (void)m;
    return x;
}

Num emit_real_zero(const MathType *m, Num x) {
    (void)x;
    return math_constant(m, 0);
}

Num emit_real_add(const MathType *m, Num x, Num y) {
    return emit_reassociable(m->e, math_add(m, x, y));
}

Num emit_real_subtract(const MathType *m, Num x, Num y) { return math_sub(m, x, y); }

Num emit_real_multiply(const MathType *m, Num x, Num y) {
    return emit_reassociable(m->e, math_mul(m, x, y));
}

Num emit_real_divide(const MathType *m, Num x, Num y) { return math_div(m, x, y); }

Num emit_real_remainder(const MathType *m, Num x, Num y) {
    return LLVMBuildFRem(m->e->builder, x, y, "");
}

Num emit_real_maximum(const MathType *m, Num x, Num y) {
    return ignore_sign_of_zero(m->e, emit_intrinsic_of_two(m->e, "llvm.maximum", x, y));
}

Num emit_real_minimum(const MathType *m, Num x, Num y) {
    return ignore_sign_of_zero(m->e, emit_intrinsic_of_two(m->e, "llvm.minimum", x, y));
}

Num emit_real_is_finite(const MathType *m, Num x) {
    return compare(m, LLVMRealONE, math_abs(m, x), math_constant(m, (double)INFINITY));
}

Num emit_real_is_inf(const MathType *m, Num x) {
    return compare(m, LLVMRealOEQ, math_abs(m, x), math_constant(m, (double)INFINITY));
}

Num emit_real_is_pos_inf(const MathType *m, Num x) {
    return compare(m, LLVMRealOEQ, x, math_constant(m, (double)INFINITY));
}

Num emit_real_is_neg_inf(const MathType *m, Num x) {
    return compare(m, LLVMRealOEQ, x, math_neg(m, math_constant(m, (double)INFINITY)));
}

// fft_butterfly: by halves for 2, 4 and 8; odd lengths by pairs of terms t and p - t, whose sums
// meet cosines and whose differences meet sines.
#include "codegen/lower/fft_butterfly.h"

#include <math.h>

#define TURN 6.28318530717958647692

static FftPair plus(FftMachine *m, FftPair x, FftPair y) {
    LLVMBuilderRef b = m->e->builder;
    return (FftPair){LLVMBuildFAdd(b, x.re, y.re, ""), LLVMBuildFAdd(b, x.im, y.im, "")};
}

static FftPair minus(FftMachine *m, FftPair x, FftPair y) {
    LLVMBuilderRef b = m->e->builder;
    return (FftPair){LLVMBuildFSub(b, x.re, y.re, ""), LLVMBuildFSub(b, x.im, y.im, "")};
}

static LLVMValueRef constant(FftMachine *m, double x) {
    return fft_splat(m, LLVMConstReal(m->number, x));
}

// x + factor * y
static FftPair plus_scaled(FftMachine *m, FftPair x, double factor, FftPair y) {
    LLVMValueRef c = constant(m, factor);
    LLVMValueRef re[3] = {y.re, c, x.re}, im[3] = {y.im, c, x.im};
    return (FftPair){
        emit_intrinsic(m->e, "llvm.fmuladd", m->vector, 3, re),
        emit_intrinsic(m->e, "llvm.fmuladd", m->vector, 3, im)};
}

static FftPair scaled(FftMachine *m, double factor, FftPair x) {
    LLVMBuilderRef b = m->e->builder;
    LLVMValueRef c = constant(m, factor);
    return (FftPair){LLVMBuildFMul(b, x.re, c, ""), LLVMBuildFMul(b, x.im, c, "")};
}

// sign * i * x
static FftPair turned(FftMachine *m, int64_t sign, FftPair x) {
    LLVMBuilderRef b = m->e->builder;
    if (sign > 0) return (FftPair){LLVMBuildFNeg(b, x.im, ""), x.re};
    return (FftPair){x.im, LLVMBuildFNeg(b, x.re, "")};
}

static void two(FftMachine *m, FftPair *x, FftPair *y) {
    FftPair sum = plus(m, *x, *y);
    *y = minus(m, *x, *y);
    *x = sum;
}

static void four(FftMachine *m, int64_t sign, FftPair *x) {
    FftPair a = plus(m, x[0], x[2]), b = minus(m, x[0], x[2]);
    FftPair c = plus(m, x[1], x[3]), d = turned(m, sign, minus(m, x[1], x[3]));
    x[0] = plus(m, a, c);
    x[1] = plus(m, b, d);
    x[2] = minus(m, a, c);
    x[3] = minus(m, b, d);
}

static void eight(FftMachine *m, int64_t sign, FftPair *x) {
    FftPair even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    four(m, sign, even);
    four(m, sign, odd);
    const double half = 0.70710678118654752440;
    odd[1] = scaled(m, half, plus(m, odd[1], turned(m, sign, odd[1])));
    odd[2] = turned(m, sign, odd[2]);
    odd[3] = scaled(m, half, minus(m, turned(m, sign, odd[3]), odd[3]));
    for (int r = 0; r < 4; r++) {
        x[r] = even[r];
        x[r + 4] = odd[r];
        two(m, &x[r], &x[r + 4]);
    }
}

static void odd_length(FftMachine *m, int p, int64_t sign, FftPair *x) {
    int pairs = (p - 1) / 2;
    FftPair sums[MAX_FFT_RADIX], differences[MAX_FFT_RADIX], first = x[0];
    for (int t = 1; t <= pairs; t++) {
        sums[t] = plus(m, x[t], x[p - t]);
        differences[t] = minus(m, x[t], x[p - t]);
    }
    for (int t = 1; t <= pairs; t++)
        x[0] = plus(m, x[0], sums[t]);
    for (int r = 1; r <= pairs; r++) {
        FftPair even = first, odd = {NULL, NULL};
        for (int t = 1; t <= pairs; t++) {
            double angle = TURN * (double)(r * t % p) / p;
            even = plus_scaled(m, even, cos(angle), sums[t]);
            odd = t == 1 ? scaled(m, sin(angle), differences[t])
                         : plus_scaled(m, odd, sin(angle), differences[t]);
        }
        odd = turned(m, sign, odd);
        x[r] = plus(m, even, odd);
        x[p - r] = minus(m, even, odd);
    }
}

void fft_butterfly(FftMachine *m, int p, int64_t sign, FftPair *x) {
    if (p == 2)
        two(m, &x[0], &x[1]);
    else if (p == 4)
        four(m, sign, x);
    else if (p == 8)
        eight(m, sign, x);
    else
        odd_length(m, p, sign, x);
}

// fft_real: with z[k] = x[2k] + i x[2k+1], Z its transform, m = n / 2 and Z[m] = Z[0],
//     X[k] = (Z[k] + conj Z[m-k] + sign i exp(sign 2 pi i k / n) (Z[k] - conj Z[m-k])) / 2
// is the transform of x up to k = m; the same formula makes Z of X for the inverse transform, where
// the imaginary parts of X[0] and X[m] do not count. Source: Cooley, Lewis, Welch, "The fast
// Fourier transform algorithm", Journal of Sound and Vibration 12, 1970.
#include "codegen/lower/fft_real.h"

static LLVMValueRef number(FftMachine *m, int64_t x) { return emit_i64_constant(m->e, x); }

static LLVMValueRef plus(FftMachine *m, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildNSWAdd(m->e->builder, x, y, "");
}

bool fft_real_fits(int64_t n, int width) { return n % 2 == 0 && n / 2 > width; }

void fft_real_place(FftReal *real, int64_t number_bytes, int64_t *scratch) {
    real->roots_at = *scratch;
    if (real->n / 2 > MAX_FFT_TABLE) *scratch += (number_bytes * real->n + 63) / 64 * 64;
}

void fft_real_begin(FftMachine *m, FftReal *real) {
    int64_t half = real->n / 2;
    if (half <= MAX_FFT_TABLE) {
        real->roots = fft_constant_roots(m, m->number, half, 1, real->n, m->sign);
        return;
    }
    real->roots = emit_scratch(m->e, real->roots_at);
    FftRoots roots = fft_roots(m, real->n, m->sign);
    EmitLoop *k = emit_loop_constant(m->e, half, false);
    fft_table_store(m, real->roots, k->phi, fft_root(m, &roots, k->phi));
    emit_loop_end(m->e, k);
}

static FftPair backwards(FftMachine *m, FftPair x) {
    int lanes[MAX_FFT_LANES];
    for (int l = 0; l < m->width; l++)
        lanes[l] = m->width - 1 - l;
    return (FftPair){fft_shuffle(m, x.re, x.re, lanes), fft_shuffle(m, x.im, x.im, lanes)};
}

// Of z = Z[k] and w = Z[m-k], for as many k's as there are lanes.
static FftPair combine(FftMachine *m, FftPair z, FftPair w, FftPair root) {
    LLVMBuilderRef b = m->e->builder;
    LLVMValueRef half = fft_splat(m, LLVMConstReal(m->number, 0.5));
    FftPair sum = {LLVMBuildFAdd(b, z.re, w.re, ""), LLVMBuildFSub(b, z.im, w.im, "")};
    FftPair other = {LLVMBuildFSub(b, z.re, w.re, ""), LLVMBuildFAdd(b, z.im, w.im, "")};
    FftPair turned = fft_times(m, other, root);
    LLVMOpcode re = m->sign < 0 ? LLVMFAdd : LLVMFSub, im = m->sign < 0 ? LLVMFSub : LLVMFAdd;
    return (FftPair){
        LLVMBuildFMul(b, LLVMBuildBinOp(b, re, sum.re, turned.im, ""), half, ""),
        LLVMBuildFMul(b, LLVMBuildBinOp(b, im, sum.im, turned.re, ""), half, "")};
}

// k = 0, and m.
static void combine_ends(
    FftMachine *m, const FftReal *real, LLVMValueRef from, LLVMValueRef first, LLVMValueRef to,
    LLVMValueRef to_first) {
    LLVMBuilderRef b = m->e->builder;
    LLVMValueRef half = number(m, real->n / 2), zero = LLVMConstNull(m->number);
    FftPair x = fft_table_load(m, from, first);
    if (m->sign < 0) {
        FftPair begin = {LLVMBuildFAdd(b, x.re, x.im, ""), zero};
        FftPair end = {LLVMBuildFSub(b, x.re, x.im, ""), zero};
        fft_table_store(m, to, to_first, begin);
        fft_table_store(m, to, plus(m, to_first, half), end);
        return;
    }
    FftPair last = fft_table_load(m, from, plus(m, first, half));
    LLVMValueRef factor = LLVMConstReal(m->number, 0.5);
    FftPair begin = {
        LLVMBuildFMul(b, LLVMBuildFAdd(b, x.re, last.re, ""), factor, ""),
        LLVMBuildFMul(b, LLVMBuildFSub(b, x.re, last.re, ""), factor, "")};
    fft_table_store(m, to, to_first, begin);
}

// The last block of k's overlaps the one before it.
void fft_real_line(
    FftMachine *m, const FftReal *real, LLVMValueRef from, LLVMValueRef first, LLVMValueRef to,
    LLVMValueRef to_first) {
    Emit *e = m->e;
    int64_t half = real->n / 2, width = m->width;
    combine_ends(m, real, from, first, to, to_first);
    EmitLoop *block = emit_loop_constant(e, (half - 1 + width - 1) / width, false);
    LLVMValueRef both[2] = {
        LLVMBuildNSWMul(e->builder, block->phi, number(m, width), ""), number(m, half - 1 - width)};
    LLVMValueRef k = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
    k = plus(m, k, number(m, 1));
    LLVMValueRef back = LLVMBuildNSWSub(e->builder, number(m, half - width + 1), k, "");
    FftPair z = fft_neighbours_load(m, from, plus(m, first, k));
    FftPair w = backwards(m, fft_neighbours_load(m, from, plus(m, first, back)));
    FftPair x = combine(m, z, w, fft_neighbours_load(m, real->roots, k));
    fft_neighbours_store(m, to, plus(m, to_first, k), x);
    emit_loop_end(e, block);
}

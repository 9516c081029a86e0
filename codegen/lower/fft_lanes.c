// fft_lanes: Stockham passes, one per factor p of the length: with n = p m and s = the
// product of the factors before,
//     y[q + s (p j + r)] =
//         (sum over t of x[q + s (j + m t)] exp(sign 2 pi i r t / p)) exp(sign 2 pi i j r / n),
//     then n = m, s = s p.
// A length with a large prime factor is a convolution: with c[k] = exp(sign pi i k^2 / n),
//     X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]),
// by transforms of a power of two at least 2 n - 1. The inverse one is the transform with real and
// imaginary parts exchanged. Sources: Van Loan, Computational Frameworks for the Fast Fourier
// Transform, SIAM 1992, 1.7; Bluestein, IEEE Trans. Audio Electroacoustics 18(4), 1970.
#include "codegen/lower/fft_lanes.h"

#include "codegen/lower/fft_butterfly.h"

static LLVMValueRef number(FftMachine *m, int64_t x) { return emit_i64_constant(m->e, x); }

// ---- lengths

// The factors of n up to MAX_FFT_RADIX; *rest: what remains.
static int factors_of(int64_t n, uint8_t *factors, int64_t *rest) {
    int count = 0, twos = 0;
    for (; n % 2 == 0; n /= 2)
        twos++;
    for (; twos >= 5 || twos == 3; twos -= 3)
        factors[count++] = 8;
    for (; twos >= 2; twos -= 2)
        factors[count++] = 4;
    if (twos) factors[count++] = 2;
    for (int p = 3; p <= MAX_FFT_RADIX; p += 2) {
        for (; n % p == 0; n /= p)
            factors[count++] = (uint8_t)p;
    }
    *rest = n;
    return count;
}

FftLength fft_length_of(int64_t n, int64_t number_bytes, int64_t *scratch) {
    FftLength length = {.n = n, .padded = n};
    int64_t rest;
    length.count = factors_of(n, length.factors, &rest);
    if (rest > 1) {
        for (length.padded = 1; length.padded < 2 * n - 1;)
            length.padded *= 2;
        length.count = factors_of(length.padded, length.factors, &rest);
    }
    length.roots_at = *scratch;
    if (length.padded > MAX_FFT_TABLE) *scratch += 2 * number_bytes * length.padded;
    if (length.padded == n) return length;
    length.chirp_at = *scratch;
    *scratch += 2 * number_bytes * n;
    length.spectrum_at = *scratch;
    *scratch += 2 * number_bytes * length.padded;
    return length;
}

// ---- passes

typedef struct Pass {
    LLVMValueRef from, to, roots;
    int64_t sign, p, m, s;         // see above
    const FftEnds *loads, *stores; // instead of from and to; NULL = none
} Pass;

static FftPair pass_load(FftMachine *m, const Pass *pass, LLVMValueRef k) {
    return pass->loads ? pass->loads->load(m, pass->loads, k) : fft_pair_load(m, pass->from, k);
}

static void pass_store(FftMachine *m, const Pass *pass, LLVMValueRef k, FftPair x) {
    if (pass->stores)
        pass->stores->store(m, pass->stores, k, x);
    else
        fft_pair_store(m, pass->to, k, x);
}

static void emit_butterfly(
    FftMachine *machine, const Pass *pass, LLVMValueRef q, LLVMValueRef j,
    const FftPair *twiddles) {
    LLVMBuilderRef b = machine->e->builder;
    LLVMValueRef at = LLVMBuildNSWMul(b, j, number(machine, pass->s), "");
    at = LLVMBuildNSWAdd(b, at, q, "");
    FftPair x[MAX_FFT_RADIX];
    for (int64_t t = 0; t < pass->p; t++)
        x[t] = pass_load(
            machine, pass, LLVMBuildNSWAdd(b, at, number(machine, pass->s * pass->m * t), ""));
    if (pass->p > 1) fft_butterfly(machine, (int)pass->p, pass->sign, x);
    at = LLVMBuildNSWMul(b, j, number(machine, pass->s * pass->p), "");
    at = LLVMBuildNSWAdd(b, at, q, "");
    for (int64_t r = 0; r < pass->p; r++) {
        if (r > 0 && pass->m > 1) x[r] = fft_times(machine, x[r], twiddles[r]);
        pass_store(machine, pass, LLVMBuildNSWAdd(b, at, number(machine, pass->s * r), ""), x[r]);
    }
}

static void emit_pass(FftMachine *machine, const Pass *pass) {
    Emit *e = machine->e;
    EmitLoop *j = emit_loop_constant(e, pass->m, false);
    FftPair twiddles[MAX_FFT_RADIX];
    for (int64_t r = 1; r < pass->p && pass->m > 1; r++) {
        LLVMValueRef k = LLVMBuildNSWMul(e->builder, j->phi, number(machine, r * pass->s), "");
        twiddles[r] = fft_splat_pair(machine, fft_table_load(machine, pass->roots, k));
    }
    EmitLoop *q = emit_loop_constant(e, pass->s, false);
    emit_butterfly(machine, pass, q->phi, j->phi, twiddles);
    emit_loop_end(e, q);
    emit_loop_end(e, j);
}

// All passes of the padded length, from `ends` or buffer `from`; returns where the
// result lies unless `ends` stores it.
static int emit_passes(
    FftMachine *m, const FftLength *length, int64_t sign, int from, const FftEnds *ends) {
    Pass pass = {.roots = length->roots, .sign = sign, .m = length->padded, .s = 1};
    int count = length->count ? length->count : 1;
    for (int k = 0; k < count; k++, from ^= 1) {
        pass.from = m->buffers[from];
        pass.to = m->buffers[from ^ 1];
        pass.loads = k == 0 && ends->load ? ends : NULL;
        pass.stores = k + 1 == count && ends->store ? ends : NULL;
        pass.p = length->count ? length->factors[k] : 1;
        pass.m /= pass.p;
        emit_pass(m, &pass);
        pass.s *= pass.p;
    }
    return from;
}

// ---- convolutions

static bool is_convolution(const FftLength *length) { return length->padded != length->n; }

// The spectrum of conj(c[k]) around 0, in the table.
static void make_spectrum(FftMachine *m, const FftLength *length) {
    Emit *e = m->e;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef zero = LLVMConstNull(m->vector);
    EmitLoop *k = emit_loop_constant(e, length->padded, false);
    fft_pair_store(m, m->buffers[0], k->phi, (FftPair){zero, zero});
    emit_loop_end(e, k);
    k = emit_loop_constant(e, length->n, false);
    FftPair c = fft_splat_pair(m, fft_table_load(m, length->chirp, k->phi));
    c.im = LLVMBuildFNeg(b, c.im, "");
    LLVMValueRef back = LLVMBuildNSWSub(b, number(m, length->padded), k->phi, "");
    back = LLVMBuildURem(b, back, number(m, length->padded), "");
    fft_pair_store(m, m->buffers[0], k->phi, c);
    fft_pair_store(m, m->buffers[0], back, c);
    emit_loop_end(e, k);
    int at = emit_passes(m, length, -1, 0, &(FftEnds){NULL, NULL});
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef lane = LLVMConstInt(i32, 0, 0);
    k = emit_loop_constant(e, length->padded, false);
    FftPair x = fft_pair_load(m, m->buffers[at], k->phi);
    x.re = LLVMBuildExtractElement(b, x.re, lane, "");
    x.im = LLVMBuildExtractElement(b, x.im, lane, "");
    fft_table_store(m, length->spectrum, k->phi, x);
    emit_loop_end(e, k);
}

static void make_chirp(FftMachine *m, const FftLength *length) {
    Emit *e = m->e;
    FftRoots roots = fft_roots(m, 2 * length->n, m->sign);
    EmitLoop *k = emit_loop_constant(e, length->n, false);
    LLVMValueRef square = LLVMBuildNSWMul(e->builder, k->phi, k->phi, "");
    square = LLVMBuildURem(e->builder, square, number(m, 2 * length->n), "");
    fft_table_store(m, length->chirp, k->phi, fft_root(m, &roots, square));
    emit_loop_end(e, k);
}

void fft_length_begin(FftMachine *m, FftLength *length) {
    Emit *e = m->e;
    int64_t n = length->padded, sign = is_convolution(length) ? -1 : m->sign;
    if (n <= MAX_FFT_TABLE) {
        length->roots = fft_constant_roots(m, m->number, n, 1, n, sign);
    } else {
        length->roots = emit_scratch(e, length->roots_at);
        FftRoots roots = fft_roots(m, n, sign);
        EmitLoop *k = emit_loop_constant(e, n, false);
        fft_table_store(m, length->roots, k->phi, fft_root(m, &roots, k->phi));
        emit_loop_end(e, k);
    }
    if (!is_convolution(length)) return;
    length->chirp = emit_scratch(e, length->chirp_at);
    length->spectrum = emit_scratch(e, length->spectrum_at);
    make_chirp(m, length);
    make_spectrum(m, length);
}

// The elements times c; what lies behind them is 0.
static void multiply_begin(FftMachine *m, const FftLength *length, const FftEnds *ends) {
    Emit *e = m->e;
    EmitLoop *k = emit_loop_constant(e, length->n, false);
    FftPair x = ends->load ? ends->load(m, ends, k->phi) : fft_pair_load(m, m->buffers[0], k->phi);
    FftPair c = fft_splat_pair(m, fft_table_load(m, length->chirp, k->phi));
    fft_pair_store(m, m->buffers[0], k->phi, fft_times(m, x, c));
    emit_loop_end(e, k);
    LLVMValueRef zero = LLVMConstNull(m->vector);
    k = emit_loop_begin(
        e, number(m, length->n), number(m, length->padded), 1, length->padded, false);
    fft_pair_store(m, m->buffers[0], k->phi, (FftPair){zero, zero});
    emit_loop_end(e, k);
}

// Parts exchanged behind the product, for the inverse transform.
static void multiply_spectrum(FftMachine *m, const FftLength *length, int at) {
    EmitLoop *k = emit_loop_constant(m->e, length->padded, false);
    FftPair x = fft_pair_load(m, m->buffers[at], k->phi);
    x = fft_times(m, x, fft_splat_pair(m, fft_table_load(m, length->spectrum, k->phi)));
    fft_pair_store(m, m->buffers[at], k->phi, (FftPair){x.im, x.re});
    emit_loop_end(m->e, k);
}

static void multiply_end(FftMachine *m, const FftLength *length, int at, const FftEnds *ends) {
    Emit *e = m->e;
    LLVMValueRef scale = fft_splat(m, LLVMConstReal(m->number, 1 / (double)length->padded));
    EmitLoop *k = emit_loop_constant(e, length->n, false);
    FftPair x = fft_pair_load(m, m->buffers[at], k->phi);
    x = (FftPair){
        LLVMBuildFMul(e->builder, x.im, scale, ""), LLVMBuildFMul(e->builder, x.re, scale, "")};
    x = fft_times(m, x, fft_splat_pair(m, fft_table_load(m, length->chirp, k->phi)));
    if (ends->store)
        ends->store(m, ends, k->phi, x);
    else
        fft_pair_store(m, m->buffers[at], k->phi, x);
    emit_loop_end(e, k);
}

int fft_length_run(FftMachine *m, const FftLength *length, const FftEnds *ends) {
    if (!is_convolution(length)) return emit_passes(m, length, m->sign, 0, ends);
    const FftEnds none = {NULL, NULL};
    multiply_begin(m, length, ends);
    int at = emit_passes(m, length, -1, 0, &none);
    multiply_spectrum(m, length, at);
    at = emit_passes(m, length, -1, at, &none);
    multiply_end(m, length, at, ends);
    return at;
}

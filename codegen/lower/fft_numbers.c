// Numbers of Fourier transforms: see fft_numbers.h.
#include "codegen/lower/fft_numbers.h"

#include <math.h>

#define TURN 6.28318530717958647692

static LLVMValueRef number(FftMachine *m, int64_t x) { return emit_i64_constant(m->e, x); }

LLVMValueRef fft_number_address(FftMachine *m, LLVMValueRef array, LLVMValueRef at) {
    return LLVMBuildInBoundsGEP2(m->e->builder, m->number, array, &at, 1, "");
}

static LLVMValueRef row_address(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row, int part) {
    LLVMBuilderRef b = m->e->builder;
    LLVMValueRef at = LLVMBuildNSWMul(b, row, number(m, 2 * m->width), "");
    if (part) at = LLVMBuildNSWAdd(b, at, number(m, m->width), "");
    return fft_number_address(m, buffer, at);
}

static unsigned alignment(const FftMachine *m) { return (unsigned)element_bytes(m->real); }

FftPair fft_pair_load(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row) {
    FftPair x;
    x.re = LLVMBuildLoad2(m->e->builder, m->vector, row_address(m, buffer, row, 0), "");
    x.im = LLVMBuildLoad2(m->e->builder, m->vector, row_address(m, buffer, row, 1), "");
    LLVMSetAlignment(x.re, alignment(m));
    LLVMSetAlignment(x.im, alignment(m));
    return x;
}

void fft_pair_store(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row, FftPair x) {
    LLVMBuilderRef b = m->e->builder;
    LLVMSetAlignment(LLVMBuildStore(b, x.re, row_address(m, buffer, row, 0)), alignment(m));
    LLVMSetAlignment(LLVMBuildStore(b, x.im, row_address(m, buffer, row, 1)), alignment(m));
}

LLVMValueRef fft_splat(FftMachine *m, LLVMValueRef x) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context);
    LLVMValueRef none = LLVMGetPoison(m->vector), zero = LLVMConstInt(i32, 0, 0);
    LLVMValueRef one = LLVMBuildInsertElement(m->e->builder, none, x, zero, "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(i32, (unsigned)m->width));
    return LLVMBuildShuffleVector(m->e->builder, one, none, zeros, "");
}

FftPair fft_times(FftMachine *m, FftPair x, FftPair y) {
    LLVMBuilderRef b = m->e->builder;
    LLVMTypeRef type = LLVMTypeOf(x.re);
    LLVMValueRef cross = LLVMBuildFMul(b, x.im, y.im, ""), other = LLVMBuildFMul(b, x.im, y.re, "");
    LLVMValueRef re[3] = {x.re, y.re, LLVMBuildFNeg(b, cross, "")}, im[3] = {x.re, y.im, other};
    return (FftPair){
        emit_intrinsic(m->e, "llvm.fmuladd", type, 3, re),
        emit_intrinsic(m->e, "llvm.fmuladd", type, 3, im)};
}

FftPair fft_splat_pair(FftMachine *m, FftPair x) {
    return (FftPair){fft_splat(m, x.re), fft_splat(m, x.im)};
}

FftPair fft_table_load(FftMachine *m, LLVMValueRef table, LLVMValueRef k) {
    LLVMBuilderRef b = m->e->builder;
    LLVMValueRef at = LLVMBuildNSWMul(b, k, number(m, 2), "");
    LLVMValueRef next = LLVMBuildNSWAdd(b, at, number(m, 1), "");
    return (FftPair){
        LLVMBuildLoad2(b, m->number, fft_number_address(m, table, at), ""),
        LLVMBuildLoad2(b, m->number, fft_number_address(m, table, next), "")};
}

void fft_table_store(FftMachine *m, LLVMValueRef table, LLVMValueRef k, FftPair x) {
    LLVMBuilderRef b = m->e->builder;
    LLVMValueRef at = LLVMBuildNSWMul(b, k, number(m, 2), "");
    LLVMValueRef next = LLVMBuildNSWAdd(b, at, number(m, 1), "");
    LLVMBuildStore(b, x.re, fft_number_address(m, table, at));
    LLVMBuildStore(b, x.im, fft_number_address(m, table, next));
}

// ---- vectors in memory

static LLVMValueRef vector_address(FftMachine *m, LLVMValueRef array, LLVMValueRef at, int part) {
    LLVMValueRef numbers = LLVMBuildNSWMul(m->e->builder, at, number(m, 2), "");
    if (part) {
        LLVMValueRef lanes = number(m, (int64_t)part * m->width);
        numbers = LLVMBuildNSWAdd(m->e->builder, numbers, lanes, "");
    }
    return fft_number_address(m, array, numbers);
}

LLVMValueRef fft_vector_load(FftMachine *m, LLVMValueRef array, LLVMValueRef at, int part) {
    LLVMValueRef address = vector_address(m, array, at, part);
    LLVMValueRef x = LLVMBuildLoad2(m->e->builder, m->vector, address, "");
    LLVMSetAlignment(x, (unsigned)element_bytes(m->real));
    return x;
}

void fft_vector_store(
    FftMachine *m, LLVMValueRef array, LLVMValueRef at, int part, LLVMValueRef x) {
    LLVMValueRef store = LLVMBuildStore(m->e->builder, x, vector_address(m, array, at, part));
    LLVMSetAlignment(store, (unsigned)element_bytes(m->real));
}

LLVMValueRef fft_shuffle(FftMachine *m, LLVMValueRef x, LLVMValueRef y, const int *lanes) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->e->context);
    LLVMValueRef mask[MAX_FFT_LANES];
    for (int l = 0; l < m->width; l++)
        mask[l] = LLVMConstInt(i32, (unsigned)lanes[l], 0);
    LLVMValueRef all = LLVMConstVector(mask, (unsigned)m->width);
    return LLVMBuildShuffleVector(m->e->builder, x, y, all, "");
}

FftPair fft_neighbours_load(FftMachine *m, LLVMValueRef array, LLVMValueRef at) {
    LLVMValueRef x = fft_vector_load(m, array, at, 0), y = fft_vector_load(m, array, at, 1);
    int even[MAX_FFT_LANES], odd[MAX_FFT_LANES];
    for (int l = 0; l < m->width; l++) {
        even[l] = 2 * l;
        odd[l] = 2 * l + 1;
    }
    return (FftPair){fft_shuffle(m, x, y, even), fft_shuffle(m, x, y, odd)};
}

void fft_neighbours_store(FftMachine *m, LLVMValueRef array, LLVMValueRef at, FftPair x) {
    int low[MAX_FFT_LANES], high[MAX_FFT_LANES];
    for (int l = 0; l < m->width; l++) {
        low[l] = l / 2 + l % 2 * m->width;
        high[l] = (l + m->width) / 2 + (l + m->width) % 2 * m->width;
    }
    fft_vector_store(m, array, at, 0, fft_shuffle(m, x.re, x.im, low));
    fft_vector_store(m, array, at, 1, fft_shuffle(m, x.re, x.im, high));
}

// ---- roots

LLVMValueRef fft_constant_table(
    FftMachine *m, LLVMTypeRef type, int64_t count, LLVMValueRef *numbers) {
    LLVMTypeRef array = LLVMArrayType2(type, (uint64_t)count);
    LLVMValueRef table = LLVMAddGlobal(m->e->module, array, "roots");
    LLVMSetInitializer(table, LLVMConstArray2(type, numbers, (uint64_t)count));
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, 64);
    return table;
}

LLVMValueRef fft_constant_roots(
    FftMachine *m, LLVMTypeRef type, int64_t count, int64_t step, int64_t n, int64_t sign) {
    LLVMValueRef *numbers = ARENA_ARRAY(m->e->arena, LLVMValueRef, 2 * count);
    for (int64_t k = 0; k < count; k++) {
        double angle = TURN * ((double)(k * step) / (double)n);
        numbers[2 * k] = LLVMConstReal(type, cos(angle));
        numbers[2 * k + 1] = LLVMConstReal(type, (double)sign * sin(angle));
    }
    return fft_constant_table(m, type, 2 * count, numbers);
}

FftRoots fft_roots(FftMachine *m, int64_t n, int64_t sign) {
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(m->e->context);
    FftRoots roots = {.step = 1};
    while (roots.step * roots.step < n)
        roots.step *= 2;
    roots.low = fft_constant_roots(m, f64, roots.step, 1, n, sign);
    roots.high = fft_constant_roots(m, f64, (n - 1) / roots.step + 1, roots.step, n, sign);
    return roots;
}

FftPair fft_root(FftMachine *m, const FftRoots *roots, LLVMValueRef k) {
    FftMachine wide = *m;
    LLVMBuilderRef b = m->e->builder;
    wide.number = LLVMDoubleTypeInContext(m->e->context);
    LLVMValueRef step = number(m, roots->step);
    FftPair low = fft_table_load(&wide, roots->low, LLVMBuildURem(b, k, step, ""));
    FftPair high = fft_table_load(&wide, roots->high, LLVMBuildUDiv(b, k, step, ""));
    FftPair root = fft_times(&wide, low, high);
    return (FftPair){
        LLVMBuildFPCast(b, root.re, m->number, ""), LLVMBuildFPCast(b, root.im, m->number, "")};
}

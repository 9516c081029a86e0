// Numbers of Fourier transforms: vectors of real and of imaginary parts, and roots of unity.
#ifndef SHARDC_CODEGEN_LOWER_FFT_NUMBERS_H
#define SHARDC_CODEGEN_LOWER_FFT_NUMBERS_H

#include "codegen/emit/emit_state.h"

enum {
    MAX_FFT_TABLE = 4096, // more roots are computed when the kernel runs
    MAX_FFT_LANES = 64
};

typedef struct FftPair {
    LLVMValueRef re, im;
} FftPair;

// What the transforms of a kernel share.
typedef struct FftMachine {
    Emit *e;
    ElementType real; // f32 or f64
    int width;        // lanes
    int64_t sign;
    LLVMTypeRef number, vector;
    LLVMValueRef buffers[2]; // element k of the lines: `width` real parts, then the imaginary ones
} FftMachine;

FftPair fft_pair_load(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row);
void fft_pair_store(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row, FftPair x);
LLVMValueRef fft_number_address(FftMachine *m, LLVMValueRef array, LLVMValueRef at);
LLVMValueRef fft_splat(FftMachine *m, LLVMValueRef number);
FftPair fft_splat_pair(FftMachine *m, FftPair x);
FftPair fft_times(FftMachine *m, FftPair x, FftPair y);

// Vectors of an array of complex numbers, from complex number `at` on, and a vector further
// (part 1).
LLVMValueRef fft_vector_load(FftMachine *m, LLVMValueRef array, LLVMValueRef at, int part);
void fft_vector_store(FftMachine *m, LLVMValueRef array, LLVMValueRef at, int part, LLVMValueRef x);
LLVMValueRef fft_shuffle(FftMachine *m, LLVMValueRef x, LLVMValueRef y, const int *lanes);
// As many complex numbers side by side as there are lanes.
FftPair fft_neighbours_load(FftMachine *m, LLVMValueRef array, LLVMValueRef at);
void fft_neighbours_store(FftMachine *m, LLVMValueRef array, LLVMValueRef at, FftPair x);

// exp(sign 2 pi i k / n) for k that the program computes: a product, in
// double, of entries of two tables.
typedef struct FftRoots {
    int64_t step;
    LLVMValueRef low, high; // exp(... k / n) for k < step, and for multiples of step
} FftRoots;
// exp(sign 2 pi i k step / n) for k < count, as a constant table of elements of this type.
LLVMValueRef fft_constant_roots(
    FftMachine *m, LLVMTypeRef type, int64_t count, int64_t step, int64_t n, int64_t sign);
LLVMValueRef fft_constant_table(
    FftMachine *m, LLVMTypeRef type, int64_t count, LLVMValueRef *numbers);
FftRoots fft_roots(FftMachine *m, int64_t n, int64_t sign);
FftPair fft_root(FftMachine *m, const FftRoots *roots, LLVMValueRef k); // two numbers, no vectors
// One complex number of a table.
FftPair fft_table_load(FftMachine *m, LLVMValueRef table, LLVMValueRef k);
void fft_table_store(FftMachine *m, LLVMValueRef table, LLVMValueRef k, FftPair x);

#endif

// Fourier transforms of several lines at once, one in each vector lane: vectors of real and of imaginary parts, and nothing that depends on the lane.
#ifndef SHARDC_CODEGEN_LOWER_FFT_LANES_H
#define SHARDC_CODEGEN_LOWER_FFT_LANES_H

#include "codegen/emit/emit_state.h"

enum { MAX_FFT_FACTORS = 64, MAX_FFT_TABLE = 4096 }; // more roots are computed when the kernel runs

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

// A transform of length n: by its prime factors, or, where one is large, as a convolution of a padded length (Bluestein).
typedef struct FftLength {
    int64_t n, padded; // padded = n: by factors
    int count;
    uint8_t factors[MAX_FFT_FACTORS];        // of padded
    int64_t roots_at, chirp_at, spectrum_at; // in the scratch
    LLVMValueRef roots, chirp, spectrum;
} FftLength;

// From shapes alone; takes its tables' place from *scratch.
FftLength fft_length_of(int64_t n, int64_t number_bytes, int64_t *scratch);
// Fills the tables: once per call of the kernel. Uses the buffers.
void fft_length_begin(FftMachine *m, FftLength *length);
// Where the elements of the lines come from and go to; NULL = a buffer. Each is asked for once, in any order, and a store comes after all loads only if the
// length has several factors: they must not be the same memory.
typedef struct FftEnds {
    FftPair (*load)(FftMachine *m, const struct FftEnds *ends, LLVMValueRef k);
    void (*store)(FftMachine *m, const struct FftEnds *ends, LLVMValueRef k, FftPair x);
} FftEnds;
// Transforms what `ends` loads, or what lies in buffer 0; returns the number of the buffer in which the result lies if `ends` does not store it.
int fft_length_run(FftMachine *m, const FftLength *length, const FftEnds *ends);

// ---- numbers
FftPair fft_pair_load(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row);
void fft_pair_store(FftMachine *m, LLVMValueRef buffer, LLVMValueRef row, FftPair x);
LLVMValueRef fft_number_address(FftMachine *m, LLVMValueRef array, LLVMValueRef at);
LLVMValueRef fft_splat(FftMachine *m, LLVMValueRef number);
FftPair fft_times(FftMachine *m, FftPair x, FftPair y);

// exp(sign 2 pi i k / n) for k that the program computes: a product, in double, of entries of two tables.
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

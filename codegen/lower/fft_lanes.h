// Fourier transforms of several lines at once, one in each vector lane: vectors of real and of
// imaginary parts, and nothing that depends on the lane.
#ifndef SHARDC_CODEGEN_LOWER_FFT_LANES_H
#define SHARDC_CODEGEN_LOWER_FFT_LANES_H

#include "codegen/lower/fft_numbers.h"

enum { MAX_FFT_FACTORS = 64 };

// A transform of length n: by its prime factors, or, where one is large, as a convolution
// of a padded length (Bluestein).
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
// Where the elements of the lines come from and go to; NULL = a buffer. Each is asked for
// once, in any order, and a store comes after all loads only if the length has several
// factors: they must not be the same memory.
typedef struct FftEnds {
    FftPair (*load)(FftMachine *m, const struct FftEnds *ends, LLVMValueRef k);
    void (*store)(FftMachine *m, const struct FftEnds *ends, LLVMValueRef k, FftPair x);
} FftEnds;
// Transforms what `ends` loads, or what lies in buffer 0; returns the number of the buffer in which
// the result lies if `ends` does not store it.
int fft_length_run(FftMachine *m, const FftLength *length, const FftEnds *ends);

#endif

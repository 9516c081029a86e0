// Fourier transforms of lines of real numbers by transforms of half the length.
#ifndef SHARDC_CODEGEN_LOWER_FFT_REAL_H
#define SHARDC_CODEGEN_LOWER_FFT_REAL_H

#include "codegen/lower/fft_numbers.h"

// n real numbers, an even number of them, are m = n / 2 complex ones, which are transformed.
typedef struct FftReal {
    int64_t n;
    int64_t roots_at; // in the scratch
    LLVMValueRef roots;
} FftReal;

bool fft_real_fits(int64_t n, int width);
// Takes the place of its table from *scratch.
void fft_real_place(FftReal *real, int64_t number_bytes, int64_t *scratch);
void fft_real_begin(FftMachine *m, FftReal *real); // fills it: once per call of the kernel
// Of one line, from complex number `first` of an array to another array. Forward: from the
// transform of the m pairs to the m + 1 numbers of the real line's. Inverse: the other way.
void fft_real_line(
    FftMachine *m, const FftReal *real, LLVMValueRef from, LLVMValueRef first, LLVMValueRef to,
    LLVMValueRef to_first);

#endif

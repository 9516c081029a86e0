// Transforms of a few vectors in registers.
#ifndef SHARDC_CODEGEN_LOWER_FFT_BUTTERFLY_H
#define SHARDC_CODEGEN_LOWER_FFT_BUTTERFLY_H

#include "codegen/lower/fft_numbers.h"

enum { MAX_FFT_RADIX = 31 }; // larger prime factors are transformed as convolutions

// y[r] = sum over t of x[t] exp(sign 2 pi i r t / p), in place. p: 2, 4, 8, or odd.
void fft_butterfly(FftMachine *m, int p, int64_t sign, FftPair *x);

#endif

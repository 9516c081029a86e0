// Transforms of one dimension of an array of complex numbers in the scratch.
#ifndef SHARDC_CODEGEN_LOWER_FFT_LINES_H
#define SHARDC_CODEGEN_LOWER_FFT_LINES_H

#include "codegen/lower/fft_lanes.h"

// The array is [outer, n, stride]; n is transformed. A long line may be transformed as a
// matrix [n / columns, columns].
typedef struct FftStep {
    int64_t outer, n, stride;
    int64_t columns; // 0 = not as a matrix
    double scale;    // of the results
    FftLength length, row_length;
    int64_t turns_at; // in the scratch
    LLVMValueRef turns;
    FftRoots roots;
} FftStep;

// From shapes alone. `width`: lanes.
FftStep fft_step_of(int64_t outer, int64_t n, int64_t stride, int width);
// Takes the place of its tables from *scratch.
void fft_step_place(FftStep *step, int width, int64_t number_bytes, int64_t *scratch);
int64_t fft_step_rows(const FftStep *step); // the longest transform, with what is padded

// Fills the tables: once per call of the kernel.
void fft_step_begin(FftMachine *m, FftStep *step);
// Transforms arrays[from]; returns the number of the array in which the result lies. Both have room
// for a vector of complex numbers more. A line of a step that has columns, at once from one array
// into another; `through` has room for it. Nothing beyond the line is read or written.
void fft_line_run(
    FftMachine *m, const FftStep *step, LLVMValueRef from, LLVMValueRef through, LLVMValueRef to);
int fft_step_run(FftMachine *m, const FftStep *step, LLVMValueRef arrays[2], int from);

#endif

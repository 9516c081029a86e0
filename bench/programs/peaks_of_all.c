// The peaks of all cores together, as a JSON object: operations per second by type, bytes per
// second read and copied. Each is the best of several short measurements in which every core takes
// part: what another process takes away is not the machine's limit.
#include "peaks.h"

#include <stdio.h>

enum { ROUNDS = 8 };

static double operations(PeakKind kind) {
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
#pragma omp parallel reduction(+ : sum)
        sum += peak_operations(kind);
        if (sum > best) best = sum;
    }
    return best;
}

static double bytes(double measure(void)) {
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
#pragma omp parallel reduction(+ : sum)
        sum += measure();
        if (sum > best) best = sum;
    }
    return best;
}

int main(void) {
    printf(
        "{\"f32\":%.4g,\"f64\":%.4g,\"bf16\":%.4g,\"i8\":%.4g,\"read\":%.4g,\"copy\":%.4g}\n",
        operations(PEAK_F32), operations(PEAK_F64), operations(PEAK_BF16),
        operations(PEAK_BYTES_I8), bytes(peak_read), bytes(peak_copy));
    return 0;
}

// Times, and elements as numbers: what the files of `shardc run` need to measure and compare.
#define _POSIX_C_SOURCE 200809L
#include "ir/scalar/scalar.h"
#include "tools/run/run.h"

#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double run_now(void) { return read_clock(CLOCK_MONOTONIC); }

double run_cpu_time(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void run_sort_times(RunResult *result) {
    if (result->runs)
        qsort(result->seconds, (size_t)result->runs, sizeof *result->seconds, compare_seconds);
}

double run_load_real(ElementType element, const void *data, int64_t i) {
    const char *at = (const char *)data + (size_t)i * element_bytes(element);
    double number = 0;
    int64_t whole = 0;
    if (element_is_float(element)) {
        scalar_load_real(element, at, 1, 1, &number);
        return number;
    }
    scalar_load_int(element, at, 1, 1, &whole);
    return element_class(element) == CLASS_UINT ? (double)(uint64_t)whole : (double)whole;
}

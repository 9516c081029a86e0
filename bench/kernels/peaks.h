// The machine's peaks of one core, measured in a few milliseconds: what kernels are compared with.
#ifndef SHARDC_BENCH_PEAKS_H
#define SHARDC_BENCH_PEAKS_H

typedef enum PeakKind { PEAK_F32, PEAK_F64, PEAK_BF16, PEAK_BYTES_I8, PEAK_COUNT } PeakKind;

double peaks_now(void);     // seconds
double peaks_own_now(void); // that this process computed: on a busy machine the time of one thread

// Operations per second (a multiply-add is two) of the fastest form that this CPU has for the type:
// fused multiply-adds of its widest vectors, pair and quad dots, or tile registers. One short
// measurement, about a millisecond: the caller keeps the largest of many.
double peak_operations(PeakKind kind);
// Bytes per second of reading an array of so many bytes again and again, one measurement of at most
// ten milliseconds: beyond the caches, memory's speed.
double peak_read(double bytes);
// Bytes per second, read and written, of copies between arrays beyond the caches.
double peak_copy(void);

#endif

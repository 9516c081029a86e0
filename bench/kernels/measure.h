// Times of one program: ours and, in turns with it, a peer's.
#ifndef SHARDC_BENCH_MEASURE_H
#define SHARDC_BENCH_MEASURE_H

#include "shardc/shardc.h"

#include "peaks.h"
#include "peer.h"

typedef struct Settings {
    int threads;
    double seconds;
    const char *only, *cpu, *peer_python, *peer_script;
} Settings;

typedef struct Timing {
    double seconds, peer_seconds;        // the best run; 0 = there is no peer, or it failed
    double operations, reading, copying; // the highest peaks, of one core
} Timing;

// Runs `executable` on numbers of its own for a while. `kind` is the peak to measure beside it;
// `peer` (may be NULL) has the same program.
shardc_status *measure(
    shardc_executable *executable, PeakKind kind, Peer *peer, const Settings *settings,
    Timing *timing);

// Bytes of all arguments and results.
double bytes_of_arrays(const shardc_model *model);

#endif

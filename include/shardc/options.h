/* Compile options. */
#ifndef SHARDC_OPTIONS_H
#define SHARDC_OPTIONS_H

#include "shardc/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called from the compiling thread when a phase begins and as it advances: done of
 * total (0 of 0 when unknown). */
typedef void shardc_progress_fn(void *user, const char *phase, int done, int total);

/* What a report is. */
typedef enum shardc_report_kind {
    SHARDC_REPORT_PROGRAM = 0,
    SHARDC_REPORT_TIMES = 1
} shardc_report_kind;

/* Called from the compiling thread when a compilation is done. text: borrowed for the call. */
typedef void shardc_report_fn(void *user, shardc_report_kind kind, const char *text);

/* Set struct_size (or call shardc_options_init); zero or NULL means the default.
 * Strings are borrowed for the call. */
typedef struct shardc_options {
    size_t struct_size;
    const char *entry; /* function to compile; default: main, or the only public function */
    const char *mesh;  /* "x=4,y=2": other sizes for the axes of the program's mesh */
    const char *name;  /* of the model, a C identifier; default: from the module's name */
    /* "native" (default) or as LLVM names it: "x86-64-v3", "sapphirerapids" */
    const char *target_cpu;
    const char *target; /* triple; default: this machine's. Other machines: objects only */
    int optimize; /* 0..3, plus 1 (so that 0 is the default): 1 = -O0 ... 4 = -O3; default -O2 */
    int compile_threads;   /* default: one per core */
    int reference_kernels; /* 1: plain loops instead of blocked kernels */
    /* a pass: the program after it goes to `report`, or without one to
     * shardc_executable_printed. An unknown name is an error, which lists the passes; so is one
     * that did not run, with those that did */
    const char *print_after;
    shardc_progress_fn *progress;
    void *progress_user;
    /* for executables */
    int threads; /* workers that run the program; default: one per core */
    int profile; /* 1: record events of every execution */
    /* devices that wait so long at a barrier that no device can complete, or for one custom
     * function, fail the execution; default 60, negative: never */
    double watchdog_seconds;
    /* for programs with dynamic dimensions: one entry per argument, separated by commas, each a
     * type "tensor<2x3xf32>", "none" (as the program says), or a constant
     * "dense<3> : tensor<i32>", which the argument is then taken to be in every execution */
    const char *input_types;
    /* names of custom functions, separated by commas, that a file may call beside those registered
     * with the context: the loading program provides them (shardc/custom.h) */
    const char *custom;
    /* gets what print_after and time_passes ask for, before anything is written */
    shardc_report_fn *report;
    void *report_user;
    int time_passes; /* 1: a table of what every pass took */
    /* for executables in memory, and texts: 1: every device has arrays of its own, its tiles:
     * shardc_execute_tiles */
    int tiled;
    int keep_code; /* for executables in memory: 1: keep what shardc_executable_serialize needs */
    /* a folder for compiled kernels and for whole programs in memory, which later compilations read
     * instead of compiling them again; NULL: that of the environment variable SHARDC_CACHE, or
     * none; "": none */
    const char *cache;
    /* arguments whose arrays hold the same bytes in every execution, until
     * shardc_executable_rebind says otherwise; where the arrays lie may change. What the program
     * computes of them alone may be kept between executions, as weights in the form in which they
     * are multiplied. Separated by commas: names as shardc_executable_model has them,
     * beginnings of names ("params*"), numbers from 0, ranges of numbers ("2-5"), or "all", which
     * are all that are not donated. NULL: none. Beside their temporaries, devices keep about the
     * size of these arguments for each way in which they are multiplied (as they are, transposed,
     * converted) */
    const char *constant_arguments;
} shardc_options;

SHARDC_API void shardc_options_init(shardc_options *options);

#ifdef __cplusplus
}
#endif
#endif

// What the code generator is asked for.
#ifndef SHARDC_CODEGEN_OPTIONS_H
#define SHARDC_CODEGEN_OPTIONS_H

#include "base/strview.h"
#include "ir/pass/pass_log.h"

typedef struct CodegenOptions {
    StrView name; // of the model: C identifier; empty = "model"
    // NULL or "native" = this machine with all its features; else as LLVM names it
    const char *target_cpu;
    const char *target; // triple; NULL = this machine's
    int optimize;       // 0..3, default 2
    int threads;        // compile threads; 0 = one per core
    bool in_memory;     // the code is to run in this process: other machines' is refused
    int64_t shard;      // >= 0: code for this device alone (per-shard file); -1 = all
    int custom_count;   // custom calls of these names are compiled: see custom_calls of the model
    const StrView *custom_names;
    // more of them, also with results in the place of operands; may be NULL
    bool (*knows_custom)(void *user, StrView name);
    void *knows_user;
    bool reference_kernels; // plain loops instead of the blocked contract kernels
    // list of arguments whose arrays stay the same from execution to execution
    // (constant_arguments.c); NULL = none
    const char *constant_arguments;
    const char *cache; // folder of compiled objects; NULL = none
    PassLog *log;      // times, and the program after a pass; NULL = none
    // may be NULL; from the calling thread only
    void (*progress)(void *user, const char *phase, int done, int total);
    void *progress_user;
} CodegenOptions;

#endif

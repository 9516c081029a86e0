// One compilation: what the phases of the pipeline `codegen` share.
#ifndef SHARDC_CODEGEN_COMPILE_H
#define SHARDC_CODEGEN_COMPILE_H

#include "codegen/kernel/kernel.h"
#include "codegen/options.h"
#include "codegen/target/optimize.h"

typedef struct Compile {
    Arena *arena;
    DeviceProgram *program;
    const CodegenOptions *options;
    OutputForm form;
    ObjectCache *cache; // NULL = none
    Target target;
    Plan plan;
    const char *name;
    int job_count;
    CompileJob *jobs;       // one per distinct kernel
    const char **functions; // their symbols
    int custom_call_count;
    const Op **custom_calls;
    int output_count;
    StrView *outputs; // kernels, what they share, the device program
    StrView header;
    Diags *diags;
} Compile;

// supported.c: false with a diagnostic for each op of the program that cannot be compiled.
bool check_supported(const Compile *compile);
// constant_arguments.c: marks @main with options->constant_arguments; false with a diagnostic.
bool mark_constant_arguments(const Compile *compile);
// phases.c: all outputs, one after the other.
void append_outputs(StrBuf *out, const Compile *compile);

#endif

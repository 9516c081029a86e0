// The door of run/: inputs, executions, comparisons and reports of `shardc run`,
// which cmd_run.c puts together.
#ifndef SHARDC_TOOLS_RUN_H
#define SHARDC_TOOLS_RUN_H

#include "tools/tool.h"

// One whole array: an input or an output.
typedef struct RunArray {
    const Type *type;
    void *data;         // 64-byte aligned
    const char *name;   // "arg0", or what the program calls it
    const char *origin; // of an input: the file; NULL = drawn from the seed
} RunArray;

typedef struct RunOptions {
    Source source;
    TextList in, expect, compare;
    const char *in_dir, *out_dir, *profile;
    int64_t seed, threads, repeat;
    double rtol, atol, min_time;
    // arrays are tiles in a first dimension of devices, as programs of one device have them in any
    // case
    bool local;
    bool interpret, json, quiet, reference, time_passes;
    struct KnownFile **known_files; // that inputs came from, see run_inputs.c
    shardc_options compile;
} RunOptions;

// What ran: its arrays, and how long it took.
typedef struct RunResult {
    int input_count, output_count;
    RunArray *inputs, *outputs;
    int device_count;
    bool interpreted;
    shardc_executable *executable; // NULL when interpreted; freed by run_free
    double compile_seconds;
    int runs;
    double *seconds;    // [runs], malloc
    double cpu_seconds; // the least of all threads' processor time of an execution
} RunResult;

void run_free(RunResult *result);

// ---- run_measures.c

double run_now(void);      // seconds
double run_cpu_time(void); // seconds of all threads
void run_sort_times(RunResult *result);
double run_load_real(ElementType element, const void *data, int64_t i); // floats and integers

// ---- run_interpret.c: the evaluator, and programs that check themselves

// Runs the program in the evaluator. The exit status. inputs: those of another
// run, or NULL: from files or drawn.
int run_interpret(
    Tool *tool, const RunOptions *options, const RunArray *inputs, int input_count,
    RunResult *result);
// Does the program check itself, or start programs on several devices? Then it
// runs, in *status is how it went.
bool run_checking(Tool *tool, const RunOptions *options, RunResult *result, int *status);

// ---- run_native.c

// Compiles or loads the program and executes it. The exit status; inputs as for run_interpret.
int run_native(
    Tool *tool, const RunOptions *options, const RunArray *inputs, int input_count,
    RunResult *result);
// The last line of --json.
void run_print_json(Tool *tool, RunResult *result);
// Prints the profile's table and adds OUT.json and OUT.trace.json (a suffix .json of OUT is
// dropped).
int run_write_profile(Tool *tool, const RunResult *result, FileSet *files, const char *path);

// ---- run_inputs.c

// The arrays of values: of a tuple those of its parts. Tokens are among them,
// without data and without files.
RunArray *run_leaves(Tool *tool, const RunArray *values, int count, int *leaves);
// The types of an entry's arguments where the program leaves dimensions open: from input_types
// (shardc_options) when it is given, else from the files. With files, small integer arguments of
// such a program are constants, because shapes may depend on them. *text: input_types for the
// compiler; NULL when the program is static. False after printing what is wrong.
bool run_argument_types(
    Tool *tool, Module *module, const Op *entry, const RunOptions *options, RunArray *inputs,
    const char **text);
// Fills in the inputs' data: from files, or drawn from the seed: floats normal with deviation 0.1,
// integers 0..7. Their types and names are set. False after printing what is wrong.
bool run_inputs(Tool *tool, const RunOptions *options, RunArray *inputs, int count);

// ---- run_compare.c

// How far two arrays of one type are from each other.
typedef struct Difference {
    // elements beyond the tolerances; the first; the one that is farthest
    int64_t count, first, worst;
    double got, expected;     // at the first (of the part that differs)
    double largest, relative; // |got - expected|, and that by |expected|: the largest of each
    bool same_bits;
} Difference;

// Compares outputs with files; prints every output that differs. False when one does or cannot be
// read.
bool run_expect(Tool *tool, const RunOptions *options, const RunResult *result);
// Runs another program, library or the evaluator on the same inputs and prints how far each
// output is from its. The exit status.
int run_compare(Tool *tool, const RunOptions *options, const char *with, const RunResult *result);

// ---- run_report.c

// What went in and what came out, in words, on standard output.
void run_print_inputs(const RunOptions *options, const RunResult *result);
void run_print_outputs(const RunResult *result);
void run_print_times(RunResult *result);
// D/out0.npy ..., tokens not counted.
bool run_write(Tool *tool, const RunResult *result, FileSet *files, const char *folder);

#endif

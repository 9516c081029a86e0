// Passes: functions over a module, run in order, timed, counted, printed and checked by one runner.
// passes.def lists them and their pipelines.
#ifndef SHARDC_IR_PASS_H
#define SHARDC_IR_PASS_H

#include "ir/module.h"
#include "ir/pass/pass_log.h"

typedef enum PassResult { PASS_UNCHANGED, PASS_CHANGED, PASS_FAILED } PassResult;

// name=value as a pass is given it; borrowed text.
typedef struct PassOption {
    StrView name, value;
} PassOption;

typedef struct PassContext {
    Module *module; // what the passes work on; a pass may put another one in its place
    Arena *scratch; // reset after the pass
    Diags *diags;
    PassLog *log;                  // of times, and of the module after a pass; NULL = not recorded
    struct Provenance *provenance; // partition/ records here where shardings come from; NULL = none
    const struct CallPartitioner *partitioner; // of custom calls; NULL = none
    const Attr *input_types; // array: types or constants of the entry's arguments, where the
                             // program leaves them open; NULL = none
    // filled when the module becomes one device's; NULL = not recorded
    struct DeviceProgram *program;
    struct Compile *compile;     // codegen/'s phases: what they make of the program
    const struct Target *target; // codegen/'s passes: the machine; NULL = not known
    void (*progress)(void *user, const char *step); // each step of the outermost pipeline; or NULL
    void *progress_user;
    const struct PassInstrumentation *instrumentation; // NULL = none
    // Set by the runner, but for the options of the pass that the caller runs.
    const struct Pass *pass;
    int option_count;
    const PassOption *options;
    int depth; // of pipelines around the pass
} PassContext;

typedef PassResult PassFn(Module *module, PassContext *pass);

// What is done around every pass, for options that passes declare and do not look at themselves.
// `before` returns what `after` gets; after a pass that failed there is no `after`.
typedef struct PassInstrumentation {
    void *(*before)(PassContext *pass);
    void (*after)(PassContext *pass, void *state);
} PassInstrumentation;

typedef bool PassPrintFn(StrBuf *out, const PassContext *pass);

typedef enum PassOptionKind {
    PASS_FLAG,  // true or false
    PASS_COUNT, // a number from 1
    PASS_WORD,  // one of some words
    PASS_TEXT
} PassOptionKind;

typedef struct PassOptionInfo {
    const char *name;
    PassOptionKind kind;
    const char *otherwise; // the value when it is not given
    const char *words;     // of an PASS_WORD: "basic aggressive"
} PassOptionInfo;

// A pass in a pipeline.
typedef struct PassStep {
    const char *condition; // a flag of the pipeline; "!flag": when it is off; "": always
    const struct Pass *pass;
    const char *options; // as on a command line; the value $NAME is the pipeline's option NAME
} PassStep;

// A row of passes.def.
typedef struct Pass {
    const char *name;              // as sdy_opt and MLIR name it: "sdy-close-shardings"
    PassFn *run;                   // NULL: a pipeline
    const PassStep *steps;         // of a pipeline; the last one has no pass
    const PassOptionInfo *options; // the last one has no name
    PassPrintFn *print;            // what --print-after prints; NULL: the module
    const char *help;              // one line
    const struct Pass *inner; // the pipeline that the pass runs on parts of the program; NULL: none
} Pass;

// Options of the pass that runs; what is not given has the value that passes.def says.
StrView pass_option(const PassContext *pass, const char *name);
bool pass_flag(const PassContext *pass, const char *name);
int64_t pass_count(const PassContext *pass, const char *name);

// Reads "a=1 b='x y' c" (c is true) into options, which borrow from the text. Returns their number,
// -1 when there are more than `most`.
int pass_options_read(StrView text, int most, PassOption *options);
// Does the pass have these options, each once and with a value of its kind? False
// with what is wrong in *problem.
bool pass_options_check(const Pass *pass, int count, const PassOption *options, StrBuf *problem);

// Runs a pass, or a pipeline up to the first pass that fails, on context->module with context's
// options. In builds with SHARDC_CHECK_PASSES: verifies the module after every pass, and checks
// that PASS_UNCHANGED left the printed form as it was.
PassResult pass_run(const Pass *pass, PassContext *context);

// Calls `change` for every op of the entry function, also inside of other ops, in region_walk's
// order. `change` says whether it changed the program; it may erase the op that it is given.
// PASS_UNCHANGED where there is no entry function.
PassResult pass_over_main(Module *module, bool (*change)(Op *op, void *user), void *user);

#endif

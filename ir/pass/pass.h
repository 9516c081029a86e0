// Passes: functions over a module, run in order, timed and checked.
#ifndef SHARDC_IR_PASS_H
#define SHARDC_IR_PASS_H

#include "ir/module.h"
#include "ir/pass/pass_log.h"

typedef enum PassResult { PASS_UNCHANGED, PASS_CHANGED, PASS_FAILED } PassResult;

// name=value options of one pass ("--sdy-x=enable-y=true"); values are borrowed text.
typedef struct PassOption {
    StrView name, value;
} PassOption;

typedef struct PassContext {
    Arena *scratch; // reset after the pass
    Diags *diags;
    int option_count;
    const PassOption *options;
    PassLog *log; // of times, and of the module after a pass; NULL = nobody asks
    struct Provenance
        *provenance; // partition/ records here where shardings come from; NULL = nobody asks
} PassContext;

typedef PassResult PassFn(Module *module, PassContext *pass);

typedef struct Pass {
    const char *name; // as sdy_opt and MLIR name it: "sdy-close-shardings"
    PassFn *run;
    const char *help; // one line
} Pass;

StrView pass_option(const PassContext *pass, const char *name); // empty when absent
bool pass_flag(const PassContext *pass, const char *name, bool otherwise);

// Runs one pass. In builds with SHARDC_CHECK_PASSES: verifies the module afterwards and checks that PASS_UNCHANGED left the printed
// form as it was. False after an error.
bool pass_run(const Pass *pass, Module *module, PassContext *context);
// Prints the module where the log wants it after a pass of this name (which pass_run does).
void pass_print(const Module *module, PassContext *context, const char *name);

// Passes that need no mesh (ir/simplify.c, cse.c, dce.c, fold.c, inline.c). All keep op locations; of merged ops the first's.
PassFn pass_canonicalize; // canonical form and algebra that keeps every bit of every result
PassFn pass_cse;          // equal pure ops (same shardings) become one
PassFn pass_dce;          // ops without uses and effects, unused private functions (symbol-dce)
PassFn pass_fold;         // small constant expressions through the evaluator
PassFn
    pass_inline; // every func.call, composite (by its decomposition) and named_computation becomes the callee's body; recursion is an error
PassFn
    pass_refine_shapes; // ir/legalize/refine.h: the entry's dynamic dimensions become the sizes that follow from its arguments
PassFn pass_legalize_quantized; // quantised tensors become their stored integers
PassFn
    pass_legalize_chlo; // chlo.broadcast_*, constant_like, is_inf ... and dot, broadcast, real_dynamic_slice with constants ... to the core ops

#endif

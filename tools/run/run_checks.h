// Test functions as native code: the values that a function checks are computed by a compiled
// program and compared by the evaluator.
#ifndef SHARDC_TOOLS_RUN_CHECKS_H
#define SHARDC_TOOLS_RUN_CHECKS_H

#include "ir/eval/eval.h"
#include "tools/tool.h"

// check.* ops or custom calls, or programs that are started on devices; anywhere
bool has_checks(const Module *module);

// Runs the function (no arguments) natively. Its constants are handed to the compiled
// program at run time, so that nothing is computed while it is compiled. Needs check
// ops in the function's own block.
//
// False with a diagnostic in `diags`, or with *status set (the caller's), where the
// function cannot be compiled or run; it is then unsupported or wrong as they say.
// checks: out, what the checks found.
bool check_native(
    Tool *tool, const Module *module, const Op *func, Diags *diags, EvalChecks *checks,
    shardc_status **status);

#endif

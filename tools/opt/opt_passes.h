// The door of opt/, for fuzzers: the passes that shardc-opt offers, and how their options are
// written.
#ifndef SHARDC_TOOLS_OPT_PASSES_H
#define SHARDC_TOOLS_OPT_PASSES_H

#include "ir/pass/pass.h"

enum { MAX_PASS_OPTIONS = 32 };

typedef struct PassCall {
    const Pass *pass;
    int option_count;
    PassOption options[MAX_PASS_OPTIONS];
} PassCall;

// The passes that work on a module alone, in the order of passes.def.
int opt_pass_count(void);
const Pass *opt_pass(int number);
// Their names, separated by commas.
void opt_pass_names(StrBuf *out);
// For --help: the pipelines, each with its passes and options in order, then the passes of no
// pipeline.
void opt_pass_list(Arena *arena, StrBuf *out);

// Reads NAME or NAME=OPTIONS, with options as in "a=1 b='x y' c" (c is true); they borrow from the
// text. False with what is wrong in *problem.
bool opt_pass_call(StrView text, PassCall *call, StrBuf *problem);

// Runs it in a scratch arena of its own, then verifies the module, in whose
// place there may be another one.
bool opt_pass_run(const PassCall *call, Module **module, PassLog *log, Diags *diags);

#endif

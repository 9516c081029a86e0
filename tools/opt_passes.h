// The passes that shardc-opt offers, and how their options are written.
#ifndef SHARDC_TOOLS_OPT_PASSES_H
#define SHARDC_TOOLS_OPT_PASSES_H

#include "ir/pass/pass.h"

enum { MAX_PASS_OPTIONS = 32 };

typedef struct PassCall {
    const Pass *pass;
    int option_count;
    PassOption options[MAX_PASS_OPTIONS];
} PassCall;

// Those of partition/passes.def, then those of other folders.
int opt_pass_count(void);
const Pass *opt_pass(int i);

bool opt_has_pass(StrView name);

// Reads NAME or NAME=OPTIONS, with options as in "a=1 b='x y' c" (c is true); they borrow from the text. Returns NULL or what is wrong.
const char *opt_pass_call(StrView text, PassCall *call);

// Runs it in a scratch arena of its own, then verifies the module.
bool opt_pass_run(const PassCall *call, Module *module, PassLog *log, Diags *diags);

#endif

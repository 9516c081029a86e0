// Inlining one call; pass_inline (ir/pass/pass.h) does all.
#ifndef SHARDC_IR_INLINE_H
#define SHARDC_IR_INLINE_H

#include "ir/module.h"

// The body of `func` (which has one) takes the place of the call. Where an argument or result of
// the function has a sharding that the value does not have, a sharding_constraint says so.
void inline_call(Module *module, Arena *scratch, Op *call, const Op *func);

#endif

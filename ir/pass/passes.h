// The passes of all folders: function pass_NAME and row NAME_pass of each row of passes.def. Who
// runs NAME_pass is linked with its folder.
#ifndef SHARDC_IR_PASSES_H
#define SHARDC_IR_PASSES_H

#include "ir/pass/pass.h"

#define PASS(name, text, options, help) \
    PassFn pass_##name;                 \
    extern const Pass name##_pass;
#define PHASE(name, text, print, help)             PASS(name, text, , help)
#define PIPELINE(name, text, options, steps, help) extern const Pass name##_pass;
#include "ir/pass/passes.def"

#endif

// Defines the rows of one part of passes.def: include ir/pass/passes.h, #define PASSES_OF_IR (or
// another part), include this. Once per folder, in its pass table.

#define FLAG(name, otherwise)        {name, PASS_FLAG, otherwise, ""},
#define COUNT(name)                  {name, PASS_COUNT, "1", ""},
#define WORD(name, words, otherwise) {name, PASS_WORD, otherwise, words},
#define TEXT(name)                   {name, PASS_TEXT, "", ""},
#define OPTIONS(...)           \
    (const PassOptionInfo[]) { \
        __VA_ARGS__ { 0 }      \
    }
#define NONE OPTIONS()

#define STEP(pass)                   {"", &pass##_pass, ""},
#define STEP_WITH(pass, options)     {"", &pass##_pass, options},
#define STEP_IF(flag, pass, options) {flag, &pass##_pass, options},
#define STEPS(...)        \
    (const PassStep[]) {  \
        __VA_ARGS__ { 0 } \
    }

#define PASS(name, text, options, help) \
    const Pass name##_pass = {text, pass_##name, NULL, options, NULL, help, NULL};
#define PASS_WITH_PARTS(name, text, inner, options, help) \
    const Pass name##_pass = {text, pass_##name, NULL, options, NULL, help, &inner##_pass};
#define PHASE(name, text, print, help) \
    const Pass name##_pass = {text, pass_##name, NULL, NONE, print, help, NULL};
#define PIPELINE(name, text, options, steps, help) \
    const Pass name##_pass = {text, NULL, steps, options, NULL, help, NULL};
#include "ir/pass/passes.def"

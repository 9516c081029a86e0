// MLIR's text form of modules (docs: the pretty form of every op as StableHLO and Shardy print it).
#ifndef SHARDC_IR_PRINT_H
#define SHARDC_IR_PRINT_H

#include "base/map.h"
#include "ir/module.h"

typedef struct PrintOptions {
    bool generic;   // "stablehlo.add"(%0, %1) <{...}> : ...
    bool locations; // loc(...) trailers
    // dense constants with more elements print as dense_resource<__elided__>; 0 = never
    int64_t elide_larger;
} PrintOptions;

// options may be NULL
void print_module(StrBuf *out, const Module *module, const PrintOptions *options);
// one op with its regions, for messages and debugging
void print_op(StrBuf *out, const Op *op, const PrintOptions *options);

// The names that print_module gives to the values of the module, and one of them as the text has
// it: %2#1. False when the map has none.
PtrMap print_value_names(Arena *arena, const Module *module);
bool print_value_name_of(StrBuf *out, const PtrMap *names, const Value *value);

#endif

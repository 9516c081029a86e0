// Inside passes/: what constant arguments alone decide.
#ifndef SHARDC_CODEGEN_CONSTANT_VALUES_H
#define SHARDC_CODEGEN_CONSTANT_VALUES_H

#include "ir/module.h"

typedef struct ConstantValues {
    const bool *known; // by Value.number; NULL = no argument is constant
    int64_t values;    // of known: values that were made later are not known
} ConstantValues;

// The values of @main itself, outside of its loops and branches, that are made of constants and
// arguments which @main says are constant, by ops that give the same each time.
ConstantValues constant_values_find(const Module *module, const Op *main, Arena *arena);
bool constant_values_have(const ConstantValues *constants, const Value *value);

// A layer of a constant stack: what a loop takes by a number that it counts.
typedef struct Layer {
    const Op *slice; // the dynamic_slice of one place of the stack; NULL = there is none
    int dim;         // along which layers are stacked
    Value *number;   // which one
} Layer;
// Is the value a layer, in another shape or order or converted? Ops from it to the slice are such,
// and leave room for one more dimension.
Layer constant_layer_of(const ConstantValues *constants, const Value *value);

#endif

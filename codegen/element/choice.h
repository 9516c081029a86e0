// Bodies of reductions that choose one of two pairs.
#ifndef SHARDC_CODEGEN_CHOICE_H
#define SHARDC_CODEGEN_CHOICE_H

#include "ir/module.h"

// Is the result of a body on two pairs (value, number) always one of the pairs? See choice.c.
bool reduction_chooses(const Region *body);

#endif

// The names of a function's inputs and outputs.
#ifndef SHARDC_IR_ARRAY_NAMES_H
#define SHARDC_IR_ARRAY_NAMES_H

#include "ir/module.h"

// Argument i as the program calls it: its location's name ("params['w']"), else its name in the text (%bias, HLO's parameter), else, and
// where several have that name, "arg<i>". In the arena.
const char *argument_name(Arena *arena, const Op *func, int i);

// Result i: its jax.result_info ("result[1]['b']"), else, and where several have it, "result<i>".
const char *result_name(Arena *arena, const Op *func, int i);

#endif

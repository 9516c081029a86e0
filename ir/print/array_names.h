// The names of a function's inputs and outputs.
#ifndef SHARDC_IR_ARRAY_NAMES_H
#define SHARDC_IR_ARRAY_NAMES_H

#include "ir/module.h"

// The arguments as the program calls them: the location's name ("params['w']"),
// else the name in the text (%bias, HLO's parameter), else, and where several have
// that name, "arg<i>". In the arena.
const char **argument_names(Arena *arena, const Op *func);

// The results: their jax.result_info ("result[1]['b']"), else, and where several have it,
// "result<i>".
const char **result_names(Arena *arena, const Op *func);

#endif

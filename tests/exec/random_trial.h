// One random program, evaluated and compiled in several ways, and what is found.
#ifndef SHARDC_TESTS_EXEC_RANDOM_TRIAL_H
#define SHARDC_TESTS_EXEC_RANDOM_TRIAL_H

#include "random_program.h"

enum {
    EXIT_SAME = 0,
    EXIT_WRONG = 10,
    EXIT_REFUSED = 11, // by the compiler
    EXIT_INVALID = 12, // by the reader or the evaluator
    EXIT_SKIPPED = 77
};

// What a child says about its program; in memory that it shares with its parent.
typedef struct Finding {
    char text[1500];
} Finding;

// Runs the program in all ways; one of EXIT_*.
int run_program(Arena *arena, const RandomProgram *program, Finding *finding);

#endif

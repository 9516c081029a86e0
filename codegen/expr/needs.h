// What the value of an expression depends on: variables of axes and scalars, as sets of bits.
#ifndef SHARDC_CODEGEN_PLAN_NEEDS_H
#define SHARDC_CODEGEN_PLAN_NEEDS_H

#include "codegen/expr/expr.h"

typedef struct Needs {
    Arena *arena;
    const ExprBuilder *b;
    int variables, scalars, words; // that the builder had given when this was made
    const Fold *open; // its accumulators are given from outside (those of a scan); NULL = none
    PtrMap known;     // Expr to its set
} Needs;

Needs needs_create(Arena *arena, const ExprBuilder *b);
// The set: bit `id` for a variable, bit `variables + id` for a scalar. What a
// fold makes itself is not in it.
const uint64_t *needs_of(Needs *n, const Expr *x);
const uint64_t *needs_of_fold(Needs *n, const Fold *fold);

static inline bool needs_has(const uint64_t *set, int bit) {
    return set[bit / 64] >> (bit % 64) & 1;
}

#endif

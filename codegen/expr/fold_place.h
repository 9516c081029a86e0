// The places of a fold, one after the other.
#ifndef SHARDC_CODEGEN_FOLD_PLACE_H
#define SHARDC_CODEGEN_FOLD_PLACE_H

#include "codegen/expr/expr.h"

// All places of a fold in order, from {.fold = fold}; false behind the last.
typedef struct FoldPlace {
    const Fold *fold;
    bool is_started;
    int64_t at[MAX_RANK];
} FoldPlace;

bool fold_next_place(FoldPlace *place);
void fold_substitute_place(Substitution *s, const FoldPlace *place); // axes become constants

#endif

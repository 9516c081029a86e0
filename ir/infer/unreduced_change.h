// How an op may change the axes that its values are unreduced over.
#ifndef SHARDC_IR_UNREDUCED_CHANGE_H
#define SHARDC_IR_UNREDUCED_CHANGE_H

#include "ir/sharding/sharding.h"

// How an op changes which axes its values are unreduced over. Entries of the lists may be NULL.
typedef struct UnreducedChange {
    int operand_count, result_count;
    const Sharding *const *operands, *const *results;
    bool may_add, may_drop;       // unreduced axes at all
    ReductionKind added, dropped; // how those that it adds and drops must be combined
} UnreducedChange;

#endif

// Ops that compute the same become one: what cse and merge_equal_ops share.
#ifndef SHARDC_IR_MERGE_OPS_H
#define SHARDC_IR_MERGE_OPS_H

#include "ir/module.h"

// May the op be merged with an equal one? Of ops with regions it says yes to
// reductions with a body of one op alone.
typedef bool MayMergeFn(const Op *op);

// The first of equal ops that see each other stays. Equal: same code, operands (two that commute in
// any order), attributes, types, shardings. True: anything changed.
bool merge_ops(Region *region, Arena *scratch, MayMergeFn *may_merge);

#endif

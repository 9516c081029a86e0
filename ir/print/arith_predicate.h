// The predicates of arith.cmpi and arith.cmpf as MLIR numbers them, which is
// how its generic form writes them.
#ifndef SHARDC_IR_PRINT_ARITH_PREDICATE_H
#define SHARDC_IR_PRINT_ARITH_PREDICATE_H

#include "ir/op.h"

// ARITH_PREDICATE_*; -1 of the other op's
int64_t arith_predicate_number(OpCode code, int64_t predicate);
// -1 when the op has no such predicate
int arith_predicate_from_number(OpCode code, int64_t number);
#endif

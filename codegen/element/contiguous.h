// Along which dimension a value lies in memory.
#ifndef SHARDC_CODEGEN_CONTIGUOUS_H
#define SHARDC_CODEGEN_CONTIGUOUS_H

#include "codegen/expr/expr.h"

// The dimension of a value along which neighbouring elements are made of neighbours in memory, for
// most of what is read; -1 = none.
int contiguous_dim(ExprBuilder *b, const Value *value);

#endif

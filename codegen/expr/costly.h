// Is what an expression computes at an element worth more than a few cheap operations?
#ifndef SHARDC_CODEGEN_COSTLY_H
#define SHARDC_CODEGEN_COSTLY_H

#include "codegen/expr/expr.h"

// Has it an operation of 8 cheap ones' cost, or a fold, if these count? *known: what was found
// before of this kernel's expressions, with the same answer to that; empty at first.
bool expr_is_costly(PtrMap *known, const Expr *x, bool folds_count);

#endif

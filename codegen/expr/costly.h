// What an expression computes at an element, in cheap operations.
#ifndef SHARDC_CODEGEN_COSTLY_H
#define SHARDC_CODEGEN_COSTLY_H

#include "codegen/expr/expr.h"

// Has it an operation of 8 cheap ones' cost, or a fold, if these count? *known: what was found
// before of this kernel's expressions, with the same answer to that; empty at first.
bool expr_is_costly(PtrMap *known, const Expr *x, bool folds_count);
// All that it computes, but for what is in *seen, which it joins. What is read counts nothing.
double expr_work(PtrMap *seen, const Expr *x);

#endif

// Contractions as folds.
#ifndef SHARDC_CODEGEN_PRODUCT_H
#define SHARDC_CODEGEN_PRODUCT_H

#include "codegen/expr/fold.h"

// At one index of the op's result; NULL after a diagnostic.
const Fold *fold_of_product(ExprBuilder *b, const Op *op, const IndexExpr *const *index);

#endif

// Elements of views.
#ifndef SHARDC_CODEGEN_VIEW_H
#define SHARDC_CODEGEN_VIEW_H

#include "codegen/element/element.h"

// Of ops that only move elements; NULL when the op is not one of them.
const Expr *element_of_view(ExprBuilder *b, const Value *value, const IndexExpr *const *index);

#endif

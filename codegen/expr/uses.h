// The index expressions that expressions are made of: what loops are planned from.
#ifndef SHARDC_CODEGEN_PLAN_USES_H
#define SHARDC_CODEGEN_PLAN_USES_H

#include "codegen/expr/expr.h"

typedef enum UseKind {
    USE_ADDRESS,   // element number in an operand or table
    USE_STORE,     // the same, written
    USE_CONDITION, // low <= x < high
    USE_NUMBER     // the number itself: iota, table look-ups, devices
} UseKind;

typedef struct IndexUse {
    UseKind kind;
    const IndexExpr *index;
    const Value *stored;     // USE_ADDRESS of an operand
    const Expr *load;        // the same, of an operand or a table
    int64_t low, high;       // USE_CONDITION
    bool is_in_fold;         // depends on a fold's axis
    bool is_fold_contiguous; // is contiguous in one
    int64_t fold_stride;     // elements from step to step of its closest one; 0 = unknown
} IndexUse;

typedef VEC(IndexUse) IndexUses;

typedef struct UseWalk {
    ExprBuilder *b;
    IndexUses *uses;
    PtrMap seen;
} UseWalk;

UseWalk use_walk(ExprBuilder *b, IndexUses *uses);
void uses_of_expr(UseWalk *walk, const Expr *x); // each expression once per walk
void uses_add(UseWalk *walk, IndexUse use); // and those inside: table look-ups, run-time numbers
void uses_inside(UseWalk *walk, const IndexExpr *x);

#endif

// Inside of the printing of stages: expressions.
#ifndef SHARDC_CODEGEN_PRINT_EXPR_H
#define SHARDC_CODEGEN_PRINT_EXPR_H

#include "codegen/plan/stage.h"

typedef struct StagePrint {
    StrBuf *out;
    Arena *scratch;
    const Stage *stage;
    PtrMap levels;  // Expr, Fold: 1 + number of the innermost axis + 1; ALONE inside of a fold
    PtrMap counts;  // Expr: how often it is used
    PtrMap names;   // Expr, Fold: 1 + number, of those that were printed
    PtrMap scalars; // Expr: the text of a result of a pass
    int x_count, f_count;
    int indent;
} StagePrint;

enum {
    ALONE = 1000,  // level of what depends on a fold's axis or accumulator
    ANY_LEVEL = -1 // where a level is asked for
};

// Which axes does it need? 0 = none, else 1 + the number of the innermost one.
intptr_t print_level_of(StagePrint *p, const Expr *x);
void print_expr(StagePrint *p, const Expr *x);
void print_index_expr(const StagePrint *p, const IndexExpr *x);
void print_index_list(StagePrint *p, int rank, const IndexExpr *const *index);
void print_operand(StagePrint *p, const Value *value);
void print_device(StagePrint *p, const IndexExpr *device); // NULL: nothing
void print_fold_axes(StagePrint *p, int count, const FoldAxis *axes);
// "add over i3:16 of x from start", or all accumulators
void print_fold(StagePrint *p, const Fold *fold);
StrView print_op_name(OpCode code); // without its dialect

#endif

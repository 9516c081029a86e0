// Stages of a kernel: what it stores, over which axes.
//
//   STAGE_MAP      for all axes: output[..] = expression. The expressions may contain folds, and
//                  numbers that the kernel reads first.
//   STAGE_FOLD     the same, where the outputs are made of the results of one fold, the root:
//                  it may run by rows (each result by loops of its own) or by columns (a
//                  block of results side by side)
//   STAGE_SCAN     for all axes but the serial one: accumulators = start; along the serial axis:
//                  accumulators = step, then the outputs
//   STAGE_ATTENTION  a softmax between two products, in one pass over blocks of keys (attention.h)
//   STAGE_ROWS     for all axes (a row): one pass after the other over the elements of the row.
//                  A pass has folds, whose results are scalars of the row for what follows,
//                  stores, and locals: values of the row's elements that later passes read.
//                  Then come the stage's own stores.
//   STAGE_SPECIAL  an op with an emitter of its own, which reads its operands' elements as
//                  expressions
#ifndef SHARDC_CODEGEN_PLAN_STAGE_H
#define SHARDC_CODEGEN_PLAN_STAGE_H

#include "codegen/expr/expr.h"
#include "codegen/target/target.h"

typedef enum StageKind {
    STAGE_MAP,
    STAGE_FOLD,
    STAGE_SCAN,
    STAGE_ROWS,
    STAGE_ATTENTION,
    STAGE_SPECIAL
} StageKind;

typedef enum AxisRole {
    AXIS_PARALLEL, // its places are independent
    AXIS_SERIAL    // one after the other
} AxisRole;

typedef struct Axis {
    int64_t extent;
    AxisRole role;
    int variable;
} Axis;

typedef struct Store {
    const Value *output;
    const IndexExpr *device; // NULL = the own one
    const IndexExpr *index[MAX_RANK];
    const IndexExpr *at; // its number in the output's memory
    const Expr *value;
} Store;

// An operand of a special op that is no stored value: its element over axes of its own.
typedef struct StageOperand {
    const Value *value;
    Axis axes[MAX_RANK];
    const Expr *element;
} StageOperand;

// An array in the cache for one row.
typedef struct RowLocal {
    ElementType element;
    int64_t count;  // elements, of all columns
    int64_t offset; // bytes, in the lane's scratch; locals that are never alive together share them
} RowLocal;

typedef struct RowKeep {
    int local;
    const IndexExpr *at; // place in the local
    const Expr *value;
} RowKeep;

// All folds of a pass, which have no axes of their own, and their results' scalars. One without
// accumulators is a number of the row that later passes use.
typedef struct RowFold {
    const Fold *fold;
    const Expr *const *results; // [fold->result_count] EXPR_SCALAR
} RowFold;

// For all axes: values, then keeps, folds' steps and stores of them.
typedef struct RowPass {
    int axis_count;
    FoldAxis axes[MAX_RANK];
    int fold_count, keep_count, store_count;
    const RowFold *folds;
    const RowKeep *keeps;
    const Store *stores;
    int cost;            // of what its folds and locals compute of an element, in cheap operations
    struct Space *space; // its loops
} RowPass;

typedef struct Rows {
    // Columns: so many rows are made together, side by side, and locals hold them all; 0 = one row.
    int64_t columns;
    int place; // variable: the row's number among these
    int pass_count, local_count;
    // 1 + the pass that makes the last pass's stores of the row before beside its own work; after
    // the last row they are made alone. 0 = each row's are made in their turn.
    int late;
    RowPass *passes;
    RowLocal *locals;
    int64_t local_bytes; // of scratch
} Rows;

typedef struct Stage {
    StageKind kind;
    ExprBuilder *exprs; // of its expressions
    int axis_count;
    Axis axes[MAX_RANK];
    bool is_reversed; // STAGE_SCAN: the serial axis runs downwards
    int store_count;
    Store *stores;               // all values are computed before the first is stored
    const Fold *fold;            // STAGE_FOLD, STAGE_SCAN
    const Op *op;                // STAGE_SPECIAL
    struct Attention *attention; // STAGE_ATTENTION
    int operand_count;
    StageOperand *operands;
    Rows *rows;          // STAGE_ROWS
    struct Space *space; // its loops: see space.h. NULL: not planned, or a special one
    // By operand of the kernel: the elements before it that are known when the kernel runs; all
    // accesses count them, too. NULL: of no operand there are any.
    const IndexExpr **starts;
} Stage;

Stage *stage_create(ExprBuilder *b, StageKind kind, int stores); // room for so many
void stage_add_store(
    Stage *stage, const Value *output, const IndexExpr *const *index, const Expr *value);
// Where the output's element at an index of the value that is made goes, and what it is.
Store stage_store(
    ExprBuilder *b, const KernelOperand *output, const IndexExpr *const *index, const Expr *value);
// The stores of all outputs of the builder's kernel at an index of `result`, whose
// elements they are computed from.
void stage_add_stores(
    ExprBuilder *b, Stage *stage, const Value *result, const IndexExpr *const *index);
// Stage.starts, of all operands.
void stage_add_starts(Stage *stage);
// Axes over the dimensions, and their variables as indices.
void stage_add_axes(
    ExprBuilder *b, Stage *stage, int rank, const int64_t *dims, const IndexExpr **index);

// The substitution puts indices in the place of the axes; NULL = stays.
void stage_set_axes(Substitution *s, const Stage *stage, const IndexExpr *const *index);

// The content of the stage, from which equal ones are found; the same in every process.
void stage_key(StrBuf *out, const Stage *stage);

#endif

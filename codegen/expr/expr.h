// What a kernel computes, as data: expressions over index expressions, as a DAG.
//
// An expression is the scalar at one place of the kernel's iteration space. Its leaves are
// loads of stored values (an access: operand, device, index), constants, numbers of the index
// itself and scalars of whoever evaluates it (accumulators, arguments). Views are gone: they
// are in the index expressions. Expressions are interned in their builder: equal ones are one
// pointer, and none is ever changed.
//
// A fold runs over axes of its own: its steps are expressions of its axes' variables and of its
// accumulators, which are scalars.
#ifndef SHARDC_CODEGEN_PLAN_EXPR_H
#define SHARDC_CODEGEN_PLAN_EXPR_H

#include "base/map.h"
#include "base/vec.h"
#include "codegen/expr/index_map.h"
#include "codegen/kernel/kernel.h"

enum { MAX_REDUCED = 16 }; // results of one reduce

typedef struct Expr Expr;
typedef struct Fold Fold;

typedef enum ExprKind {
    EXPR_REAL,       // a number of the element type: `real`
    EXPR_CONSTANT,   // element `id` of the constant `elements`
    EXPR_TABLE,      // element `at` of the small constant `elements`
    EXPR_LOAD,       // stored[index] on `device`; `at` is its number in the operand's memory
    EXPR_NUMBER,     // the index expression `at`, converted
    EXPR_TEST,       // i1: do all guards hold?
    EXPR_OP,         // a pointwise op of the operands
    EXPR_ARITHMETIC, // operand 0 `code` operand 1, a step of a fold: see Fold.in_lanes
    EXPR_CONVERT,    // stablehlo.convert to `element`
    EXPR_BITS,       // the bits of the operands, the first lowest, from bit `at` (NULL = 0) on
    EXPR_SELECT,     // operand 0 ? operand 1 : operand 2
    // operand 0 where all guards hold and operand 2 (if any) is true, else
    // operand 1; only that one is computed
    EXPR_CHOICE,
    EXPR_FOLD,  // result `id` of a fold
    EXPR_LOCAL, // element `at` of the stage's local `id`
    EXPR_SCALAR // number `id` of those that the reader gives: accumulators, region arguments
} ExprKind;

// Holds where low <= x < high.
typedef struct Guard {
    const IndexExpr *x;
    int64_t low, high;
} Guard;

struct Expr {
    ExprKind kind;
    ElementType element;
    int number; // unique in the builder, in order of creation
    OpCode code;
    const Op *op; // EXPR_OP: for its attributes
    int64_t id;
    double real;
    const Attr *elements;
    const Value *stored;     // EXPR_LOAD: a kernel operand
    const IndexExpr *device; // EXPR_LOAD: NULL = the own one
    int rank;
    const IndexExpr *const *index; // [rank] EXPR_LOAD
    const IndexExpr *at;
    int operand_count, guard_count;
    const Expr *const *operands;
    const Guard *guards;
    const Fold *fold;
};

typedef struct FoldAxis {
    int variable;
    int64_t extent;
} FoldAxis;

// accumulators = start; for all axes, the first outermost: where the guards hold,
// accumulators = step; results = result.
struct Fold {
    int number; // unique in the builder
    int axis_count, count, result_count, guard_count;
    const FoldAxis *axes;
    const Expr *const *accumulators; // [count] EXPR_SCALAR
    const Expr *const *start;        // [count] in the accumulators' types
    const Expr *const *step;         // [count]
    const Expr *const *result;       // [result_count]
    const Guard *guards;
    // the innermost axis may run in vector lanes: the steps' EXPR_ARITHMETIC may be reassociated
    bool in_lanes;
    bool is_sum; // all are sums of floats: long ones are summed in blocks
    bool unroll; // few steps: no loops, constant indices
    // the body, if it chooses (reduction_chooses) and number 1 grows along the only axis; else NULL
    const Region *choice;
};

// A number that is only known when the kernel runs: an integer expression, clamped.
typedef struct RuntimeNumber {
    const Expr *x; // NULL: the own device's id
    int64_t low, high;
} RuntimeNumber;

typedef struct IndexTable {
    int64_t count;
    const int64_t *numbers;
} IndexTable;

// What is known of the tiles of a kernel's operand: see whole_array.h.
typedef struct WholeArray {
    bool is_known;
    const int64_t *origins;
} WholeArray;

typedef struct ValueBinding {
    const Value *value;
    const Expr *x;
} ValueBinding;

// How the element of a value is found that is neither bound nor remembered
// (element/find_element.c): expressions of values contain those of others.
typedef struct ExprBuilder ExprBuilder;
typedef const Expr *FindElementFn(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index);

struct ExprBuilder {
    Arena *arena;
    const DeviceProgram *program;
    const Kernel *kernel; // its inputs are where expressions end
    IndexBuilder *index;
    Diags *diags;
    bool failed;
    int variable_count, scalar_count; // ids given so far
    VEC(RuntimeNumber) runtimes;      // by id; [0] is the own device's
    VEC(IndexTable) tables;           // by id
    VEC(ValueBinding) bindings;
    VEC(bool) is_fold_variable;        // by id
    int environment, last_environment; // number of the current bindings
    const IndexExpr *device;           // of the element in the making; NULL = the own one
    int depth;                         // of the recursion
    int expr_count, fold_count;
    struct ExprEntry **exprs; // buckets
    struct FoldEntry **folds;
    struct ElementEntry **elements; // what expr_of found
    FindElementFn *find_element;
    PtrMap device_folds; // const Value*: a fold over devices that makes it
    WholeArray *origins; // by operand of the kernel; NULL = not looked for yet
};

// only_device: the program is for that device alone; -1 = any. See
// expr_builder_create (element/element.h).
ExprBuilder *expr_builder_with(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, int64_t only_device,
    FindElementFn *find_element, Diags *diags);
// A builder for copies of what `from` has: gives no id that `from` gave.
ExprBuilder *expr_builder_after(Arena *arena, const ExprBuilder *from, Diags *diags);

// --- memory (whole_array.c)
// Elements before the kernel's operand k that are known when it runs (buffer_is_stacked).
const IndexExpr *expr_operand_start(ExprBuilder *b, int k);
// Number of the element at index[] in the operand's memory.
const IndexExpr *expr_element_number(
    ExprBuilder *b, const Value *stored, const IndexExpr *const *index);

const Expr *expr_load(
    ExprBuilder *b, const Value *stored, const IndexExpr *device, const IndexExpr *const *index);

// --- construction (expr.c). Expressions that are known are simplified.
const Expr *expr_real(ExprBuilder *b, ElementType element, double real);
const Expr *expr_constant(ExprBuilder *b, const Attr *elements, const IndexExpr *at);
const Expr *expr_number(ExprBuilder *b, ElementType element, const IndexExpr *at);
const Expr *expr_test(ExprBuilder *b, int guard_count, const Guard *guards);
const Expr *expr_op(ExprBuilder *b, const Op *op, const Expr *const *operands);
const Expr *expr_arithmetic(ExprBuilder *b, OpCode code, const Expr *x, const Expr *y);
const Expr *expr_convert(ExprBuilder *b, const Expr *x, ElementType element);
const Expr *expr_bits(
    ExprBuilder *b, ElementType element, int count, const Expr *const *parts, const IndexExpr *at);
const Expr *expr_select(ExprBuilder *b, const Expr *condition, const Expr *x, const Expr *y);
// condition: NULL = the guards alone
const Expr *expr_choice(
    ExprBuilder *b, int guard_count, const Guard *guards, const Expr *condition, const Expr *inside,
    const Expr *outside);
const Expr *expr_fold(ExprBuilder *b, const Fold *fold, int result);
const Expr *expr_local(ExprBuilder *b, ElementType element, int id, const IndexExpr *at);
const Expr *expr_scalar(ExprBuilder *b, ElementType element, int id);
const Expr *expr_new_scalar(ExprBuilder *b, ElementType element);
const Expr *expr_intern(ExprBuilder *b, Expr x);                // arrays are copied
const Fold *expr_intern_fold(ExprBuilder *b, const Fold *fold); // arrays are copied

// Drops guards that always hold and appends the others to list[]; *count may grow
// by one. False: it never holds.
bool guard_add(Guard *list, int *count, Guard guard);

// --- indices
int expr_new_variable(ExprBuilder *b, bool is_fold);
const IndexExpr *expr_own_device(ExprBuilder *b);
const IndexExpr *expr_current_device(ExprBuilder *b); // of the element in the making
// x clamped to [low, high], as an index.
const IndexExpr *expr_runtime(ExprBuilder *b, const Expr *x, int64_t low, int64_t high);
// The same, by device where the device decides it (by_device.c).
const IndexExpr *expr_start(ExprBuilder *b, const Expr *x, int64_t low, int64_t high);
// numbers[at], 0 beyond them; without a table where the numbers follow a rule (table.c).
const IndexExpr *expr_table(
    ExprBuilder *b, int64_t count, const int64_t *numbers, const IndexExpr *at);

// --- copies with other indices and scalars (substitute.c)
typedef struct Substitution {
    ExprBuilder *to;
    const ExprBuilder *from;          // may be `to`
    int variable_count, scalar_count; // those that `from` has given
    const IndexExpr **variables;      // by id; NULL = stays
    const Expr **scalars;             // by id; NULL = stays
    const IndexExpr *device;          // for the own device; NULL = stays
    const Fold *fold;                 // NULL, or a fold whose results are these expressions
    const Expr *const *results;
    PtrMap known;
} Substitution;

Substitution substitution(ExprBuilder *to, const ExprBuilder *from);
const Expr *expr_substitute(Substitution *s, const Expr *x);
const IndexExpr *expr_substitute_index(Substitution *s, const IndexExpr *x);
Guard guard_substitute(Substitution *s, Guard guard);

// The choice without guards of the device's number, where that can be (by_device.c); others stay.
const Expr *expr_by_device(ExprBuilder *b, const Expr *x);

#endif

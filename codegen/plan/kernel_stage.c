// From a kernel's root op and outputs to its stage.
#include "codegen/plan/kernel_stage.h"

#include "codegen/element/element.h"
#include "codegen/element/product.h"
#include "codegen/element/reduce.h"
#include "codegen/element/window.h"
#include "codegen/expr/uses.h"
#include "codegen/kernel/lower_class.h"
#include "codegen/plan/rows/rows.h"
#include "codegen/plan/space.h"

#include <string.h>

typedef const IndexExpr *Index;

static Stage *map_stage(ExprBuilder *b, const Value *first) {
    Stage *stage = stage_create(b, STAGE_MAP, b->kernel->output_count);
    Index index[MAX_RANK];
    stage_add_axes(b, stage, first->type->rank, first->type->dims, index);
    stage_add_stores(b, stage, first, index);
    return stage;
}

typedef const Fold *FoldOfOp(ExprBuilder *b, const Op *op, const IndexExpr *const *index);

static Stage *fold_stage(ExprBuilder *b, const Op *op, FoldOfOp *fold_of) {
    Stage *stage = stage_create(b, STAGE_FOLD, b->kernel->output_count);
    const Type *type = op_result_type(op, 0);
    Index index[MAX_RANK];
    stage_add_axes(b, stage, type->rank, type->dims, index);
    stage->fold = fold_of(b, op, index);
    if (!stage->fold) return stage;
    for (int i = 0; i < op->result_count; i++)
        expr_bind(b, op_result(op, i), expr_fold(b, stage->fold, i));
    stage_add_stores(b, stage, op_result(op, 0), index);
    return stage;
}

// One fold of all reductions of the kernel.
static Stage *reductions_stage(ExprBuilder *b, const Kernel *kernel) {
    int count = 1 + kernel->also_count;
    if (count == 1) return fold_stage(b, kernel->root, fold_of_reduce);
    const Op **ops = ARENA_ARRAY(b->arena, const Op *, count);
    ops[0] = kernel->root;
    memcpy(&ops[1], kernel->also, (size_t)kernel->also_count * sizeof ops[0]);
    Stage *stage = stage_create(b, STAGE_FOLD, kernel->output_count);
    const Type *type = op_result_type(ops[0], 0);
    Index index[MAX_RANK];
    stage_add_axes(b, stage, type->rank, type->dims, index);
    stage->fold = fold_of_reduces(b, count, ops, index);
    if (!stage->fold) return stage;
    for (int i = 0; i < count; i++)
        expr_bind(b, op_result(ops[i], 0), expr_fold(b, stage->fold, i));
    stage_add_stores(b, stage, op_result(ops[0], 0), index);
    return stage;
}

// A fold of few steps is part of the expression.
static Stage *reduce_stage(ExprBuilder *b, const Kernel *kernel) {
    Stage *stage = reductions_stage(b, kernel);
    if (!stage->fold || !stage->fold->unroll) return stage;
    stage->kind = STAGE_MAP;
    stage->fold = NULL;
    return stage;
}

Stage *stage_of_product(ExprBuilder *b, const Op *op) { return fold_stage(b, op, fold_of_product); }

static Stage *scan_stage(ExprBuilder *b, const Op *op, int dim, bool is_reversed) {
    Stage *stage = stage_create(b, STAGE_SCAN, b->kernel->output_count);
    const Type *type = op_result_type(op, 0);
    Index index[MAX_RANK];
    stage_add_axes(b, stage, type->rank, type->dims, index);
    stage->axes[dim].role = AXIS_SERIAL;
    stage->is_reversed = is_reversed;
    stage->fold = fold_of_scan(b, op, index);
    if (!stage->fold) return stage;
    for (int i = 0; i < op->result_count; i++)
        expr_bind(b, op_result(op, i), expr_fold(b, stage->fold, i));
    stage_add_stores(b, stage, op_result(op, 0), index);
    return stage;
}

static Stage *window_stage(ExprBuilder *b, const Op *op) {
    bool is_reversed = false;
    int dim = scan_dim(op, &is_reversed);
    return dim >= 0 ? scan_stage(b, op, dim, is_reversed) : fold_stage(b, op, fold_of_window);
}

// The slice that an update in place writes.
static Stage *update_stage(ExprBuilder *b, const Op *op) {
    Stage *stage = stage_create(b, STAGE_MAP, b->kernel->output_count);
    const Type *type = op_result_type(op, 0), *update = op_operand_type(op, 1);
    Index index[MAX_RANK], at[MAX_RANK];
    stage_add_axes(b, stage, update->rank, update->dims, index);
    for (int d = 0; d < type->rank; d++) {
        const Expr *start = expr_of(b, op_operand(op, 2 + d), NULL);
        int64_t last = type->dims[d] - update->dims[d];
        at[d] = index_add(b->index, expr_start(b, start, 0, last), index[d]);
    }
    stage_add_store(stage, b->kernel->outputs[0].value, at, expr_of(b, op_operand(op, 1), index));
    return stage;
}

// The operands that the op's emitter reads as expressions, and what becomes of its result.
static Stage *special_stage(ExprBuilder *b, const Op *op) {
    const Kernel *kernel = b->kernel;
    Stage *stage = stage_create(b, STAGE_SPECIAL, b->kernel->output_count);
    stage->op = op;
    stage->operands = ARENA_ARRAY(b->arena, StageOperand, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        const Type *type = operand->type;
        StageOperand *into = &stage->operands[stage->operand_count++];
        into->value = operand;
        // tokens, and what lies in the output already, are not read as expressions
        if (type->kind != TYPE_TENSOR || kernel_operand(kernel, operand) >= 0) continue;
        if (!operand->def || (op_is_in_place(op) && i < op->result_count)) continue;
        Stage axes = {0};
        Index index[MAX_RANK];
        stage_add_axes(b, &axes, type->rank, type->dims, index);
        memcpy(into->axes, axes.axes, sizeof axes.axes);
        into->element = expr_of(b, operand, index);
    }
    if (!kernel->has_epilogue) return stage;
    const Value *result = op_result(op, 0);
    Index index[MAX_RANK];
    stage_add_axes(b, stage, result->type->rank, result->type->dims, index);
    expr_bind(b, result, expr_new_scalar(b, result->type->element));
    stage_add_stores(b, stage, result, index);
    return stage;
}

Stage *stage_of_kernel(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, const Target *target,
    Diags *diags) {
    ExprBuilder *b = expr_builder_create(arena, program, kernel, target->only_device, diags);
    const Op *root = kernel->root;
    if (kernel->has_rows) {
        Stage *rows = rows_stage(b, target);
        return b->failed ? NULL : rows;
    }
    Stage *stage = NULL;
    switch (kernel->kind) {
    case KERNEL_LOOP: stage = map_stage(b, kernel_made(&kernel->outputs[0])); break;
    case KERNEL_REDUCE:
        if (root->code == OP_REDUCE)
            stage = reduce_stage(b, kernel);
        else
            stage = map_stage(b, kernel->outputs[0].value);
        break;
    case KERNEL_WINDOW: stage = window_stage(b, root); break;
    case KERNEL_SELECT_SCATTER: stage = fold_stage(b, root, fold_of_selection); break;
    case KERNEL_UPDATE: stage = update_stage(b, root); break;
    case KERNEL_ATTENTION: // attention_stage.c
    case KERNEL_BLOCKS: break;
    case KERNEL_CONTRACT:
    case KERNEL_CONV:
    case KERNEL_SCATTER:
    case KERNEL_SORT:
    case KERNEL_FFT:
    case KERNEL_CHOLESKY:
    case KERNEL_SOLVE:
    case KERNEL_RANDOM:
    case KERNEL_CUSTOM:
    case KERNEL_TILE_IN:
    case KERNEL_TILE_OUT: stage = special_stage(b, root); break;
    }
    return b->failed ? NULL : stage;
}

// ---- updates in place that read what they change

// Does the index differ among the elements of the slice?
static bool varies(const Stage *stage, const IndexExpr *index) {
    for (int a = 0; a < stage->axis_count; a++) {
        if (stage->axes[a].extent > 1 && index_depends_on(index, stage->axes[a].variable))
            return true;
    }
    return false;
}

// An element of the slice is made of what the load reads. Whatever else the load's index is: where
// it is the store's along the slice, no other element of the slice is read.
static bool is_apart(const Stage *stage, const Store *store, const Expr *load) {
    if (load->device) return false;
    for (int d = 0; d < load->rank; d++) {
        if (varies(stage, store->index[d]) && load->index[d] != store->index[d]) return false;
    }
    return true;
}

bool update_reads_apart(const Plan *plan, const Kernel *kernel, const Buffer *buffer) {
    if (type_element_count(op_operand_type(kernel->root, 1)) == 1) return true;
    Arena *arena = arena_child(plan->arena);
    const Stage *stage = stage_of_kernel(arena, plan->program, kernel, plan->target, plan->diags);
    bool fits = stage && stage->store_count == 1;
    if (fits) {
        IndexUses uses = {0};
        UseWalk walk = use_walk(stage->exprs, &uses);
        uses_of_expr(&walk, stage->stores[0].value);
        for (int d = 0; d < kernel->outputs[0].value->type->rank; d++)
            uses_inside(&walk, stage->stores[0].index[d]);
        for (int64_t u = 0; u < uses.count && fits; u++) {
            const Value *stored = uses.data[u].stored;
            int k = stored ? kernel_operand(kernel, stored) : -1;
            if (k < kernel->output_count) continue;
            if (kernel->inputs[k - kernel->output_count].buffer != buffer) continue;
            fits = is_apart(stage, &stage->stores[0], uses.data[u].load);
        }
    }
    arena_reset(arena);
    return fits;
}

// ---- rows that overwrite what they read

// What a pass reads of the buffer; `pass` may be the number of passes: the stage's own stores.
static void read_of_pass(UseWalk *walk, const Stage *stage, int pass) {
    const Rows *rows = stage->rows;
    if (pass == rows->pass_count) {
        for (int i = 0; i < stage->store_count; i++)
            uses_of_expr(walk, stage->stores[i].value);
        return;
    }
    Substitution same = substitution(stage->exprs, stage->exprs);
    pass_uses(walk, &same, &rows->passes[pass]);
    pass_uses_around(walk, &rows->passes[pass]);
}

static const Store *find_store(const Stage *stage, const Value *output, int *pass) {
    for (int p = 0; p < stage->rows->pass_count; p++) {
        const RowPass *at = &stage->rows->passes[p];
        for (int i = 0; i < at->store_count; i++) {
            *pass = p;
            if (at->stores[i].output == output) return &at->stores[i];
        }
    }
    return NULL;
}

// Before the pass that stores, a row reads no other row; in it, no other element; then nothing.
static bool fits_rows(const Stage *stage, const Store *store, int stored, int pass, IndexUse use) {
    if (pass > stored || use.load->device || store->device) return false;
    for (int d = 0; d < use.load->rank; d++) {
        bool is_same = use.load->index[d] == store->index[d];
        if (!is_same && (pass == stored || varies(stage, store->index[d]))) return false;
    }
    return true;
}

bool rows_read_apart(
    const Plan *plan, const Kernel *kernel, const Buffer *buffer, const Value *output) {
    if (!kernel->has_rows) return false;
    Arena *arena = arena_child(plan->arena);
    const Stage *stage = stage_of_kernel(arena, plan->program, kernel, plan->target, plan->diags);
    int stored = -1;
    const Store *store =
        stage && stage->kind == STAGE_ROWS ? find_store(stage, output, &stored) : NULL;
    bool fits = store != NULL;
    for (int pass = 0; fits && pass <= stage->rows->pass_count; pass++) {
        IndexUses uses = {0};
        UseWalk walk = use_walk(stage->exprs, &uses);
        read_of_pass(&walk, stage, pass);
        for (int64_t u = 0; u < uses.count && fits; u++) {
            const Value *read = uses.data[u].stored;
            int k = read ? kernel_operand(kernel, read) : -1;
            if (k < kernel->output_count) continue;
            if (kernel->inputs[k - kernel->output_count].buffer != buffer) continue;
            fits = fits_rows(stage, store, stored, pass, uses.data[u]);
        }
    }
    arena_reset(arena);
    return fits;
}

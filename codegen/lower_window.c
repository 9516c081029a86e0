// lower_window: reduce_window. A window that covers all that lies before (or behind) an element, as cumulative sums have it, is a running fold:
// O(n). Other windows are folded at every element, small ones without loops.
#include "codegen/lower.h"
#include "codegen/window.h"

#include <string.h>

typedef const IndexExpr *Index;

enum { MAX_UNROLLED_WINDOW = 32 };

Window window_of(Emit *e, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    Window w = {.rank = type->rank, .count = 1};
    const int64_t *size = op_ints_or(e->arena, op, NAME_WINDOW_DIMENSIONS, w.rank, 1);
    const int64_t *stride = op_ints_or(e->arena, op, NAME_WINDOW_STRIDES, w.rank, 1);
    const int64_t *base = op_ints_or(e->arena, op, NAME_BASE_DILATIONS, w.rank, 1);
    const int64_t *dilation = op_ints_or(e->arena, op, NAME_WINDOW_DILATIONS, w.rank, 1);
    const int64_t *padding = op_ints_or(e->arena, op, NAME_PADDING, 2 * w.rank, 0);
    for (int d = 0; d < w.rank; d++) {
        w.size[d] = size[d];
        w.stride[d] = stride[d];
        w.base_dilation[d] = base[d];
        w.dilation[d] = dilation[d];
        w.low[d] = padding[2 * d];
        w.base[d] = type->dims[d];
        w.count *= size[d];
    }
    return w;
}

bool window_place(
    Emit *e, const Window *window, const IndexExpr *const *o, const IndexExpr *const *w,
    const IndexExpr **at, LLVMValueRef *condition) {
    *condition = NULL;
    for (int d = 0; d < window->rank; d++) {
        Index x = index_add(
            e->index, index_scale(e->index, o[d], window->stride[d]),
            index_scale(e->index, w[d], window->dilation[d]));
        x = index_add_constant(e->index, x, -window->low[d]);
        Index tests[2] = {NULL, NULL};
        int64_t limits[2] = {1, window->base[d]};
        if (window->base_dilation[d] > 1)
            tests[0] = index_mod(e->index, x, window->base_dilation[d]);
        at[d] = tests[1] = index_div(e->index, x, window->base_dilation[d]);
        for (int t = 0; t < 2; t++) {
            IndexTruth truth = tests[t] ? index_in_range(tests[t], 0, limits[t]) : INDEX_ALWAYS;
            if (truth == INDEX_NEVER) return false;
            if (truth == INDEX_ALWAYS) continue;
            LLVMValueRef test = emit_index_in_range(e, tests[t], 0, limits[t]);
            *condition = *condition ? LLVMBuildAnd(e->builder, *condition, test, "") : test;
        }
    }
    return true;
}

// --- folds at every element ---

typedef struct WindowUser {
    Reduction r;
    Window window;
    const Op *op;
} WindowUser;

static void window_start(Emit *e, const Fold *fold, const Index *index, Scalar *accumulators) {
    const WindowUser *user = fold->user;
    Index none[MAX_RANK] = {NULL};
    (void)index;
    for (int i = 0; i < user->r.count && !e->failed; i++) {
        Scalar start = emit_element(e, op_operand(user->op, user->r.count + i), none);
        accumulators[i] = reduction_widen(e, &user->r, i, start);
    }
}

// Padding counts as the init value.
static void window_step(
    Emit *e, const Fold *fold, const Index *index, const Index *at, Scalar *accumulators,
    bool reassociate) {
    const WindowUser *user = fold->user;
    Index place[MAX_RANK], none[MAX_RANK] = {NULL};
    LLVMValueRef condition;
    Scalar x[MAX_REDUCED] = {0}, padding[MAX_REDUCED] = {0};
    bool exists = window_place(e, &user->window, index, at, place, &condition);
    for (int i = 0; i < user->r.count && !e->failed; i++)
        padding[i] = emit_element(e, op_operand(user->op, user->r.count + i), none);
    if (!exists) {
        memcpy(x, padding, sizeof x);
    } else {
        EmitIf branch = {0};
        if (condition) branch = emit_if(e, condition);
        for (int i = 0; i < user->r.count && !e->failed; i++)
            x[i] = emit_element(e, op_operand(user->op, i), place);
        if (condition) emit_end_if(e, &branch);
        for (int i = 0; condition && i < user->r.count && !e->failed; i++)
            x[i] = emit_phi(e, &branch, x[i], padding[i]);
    }
    if (!e->failed) reduction_step(e, &user->r, accumulators, x, reassociate);
}

static void window_finish(Emit *e, const Fold *fold, const Scalar *accumulators, Scalar *results) {
    const WindowUser *user = fold->user;
    for (int i = 0; i < user->r.count; i++)
        results[i] = reduction_finish(e, &user->r, i, accumulators[i]);
}

static bool window_fold(Emit *e, const Op *op, Fold *fold) {
    WindowUser *user = ARENA_NEW(e->arena, WindowUser);
    *fold =
        (Fold){.user = user, .start = window_start, .step = window_step, .finish = window_finish};
    if (!reduction_of(e, op, op->regions[0], &user->r)) return false;
    user->op = op;
    user->window = window_of(e, op);
    fold->count = user->r.count;
    memcpy(fold->accumulator, user->r.accumulator, sizeof fold->accumulator);
    fold->loop_count = user->window.rank;
    memcpy(fold->extent, user->window.size, sizeof user->window.size);
    fold->unroll = user->window.count <= MAX_UNROLLED_WINDOW;
    return true;
}

static void window_element(Emit *e, void *user, const Index *index) {
    const Fold *fold = user;
    const WindowUser *window = fold->user;
    Scalar results[MAX_REDUCED];
    if (!fold_element(e, fold, index, results)) return;
    for (int i = 0; i < fold->count; i++)
        emit_bind(e, op_result(window->op, i), &results[i]);
    store_outputs_of(e, op_result(window->op, 0), index);
    for (int i = 0; i < fold->count; i++)
        emit_bind(e, op_result(window->op, i), NULL);
}

// --- running folds ---

// The dimension along which the window is cumulative: output o folds elements 0 .. o (or o .. n-1: *is_reversed); -1 when it is not so.
static int cumulative_dim(const Window *w, const Type *result, bool *is_reversed) {
    int dim = -1;
    for (int d = 0; d < w->rank; d++) {
        if (w->stride[d] != 1 || w->dilation[d] != 1 || w->base_dilation[d] != 1) return -1;
        if (w->size[d] == 1 && w->low[d] == 0 && result->dims[d] == w->base[d]) continue;
        bool is_whole = w->size[d] == w->base[d] && result->dims[d] == w->base[d];
        if (dim >= 0 || !is_whole || (w->low[d] != 0 && w->low[d] != w->size[d] - 1)) return -1;
        *is_reversed = w->low[d] == 0;
        dim = d;
    }
    return dim;
}

typedef struct Scan {
    const Fold *fold;
    const Op *op;
    int dim;
    bool is_reversed;
    SpaceBlock *block;
    int64_t width;                    // elements that step together: few when they lie far apart
    LLVMValueRef arrays[MAX_REDUCED]; // [width] accumulators
} Scan;

enum { SCAN_WIDTH = 256, SCAN_ROWS = 8 };

// One element of the scan: the accumulators at `place` of the arrays take it in and are stored as results.
static void scan_element(Emit *e, const Scan *scan, Index *index, Index step, LLVMValueRef place) {
    const WindowUser *user = scan->fold->user;
    int64_t extent = user->window.base[scan->dim];
    index[scan->dim] =
        scan->is_reversed ? index_sub(e->index, index_constant(e->index, extent - 1), step) : step;
    Scalar sums[MAX_REDUCED], x[MAX_REDUCED], results[MAX_REDUCED];
    int count = user->r.count;
    for (int i = 0; i < count && !e->failed; i++)
        x[i] = emit_element(e, op_operand(scan->op, i), index);
    if (e->failed) return;
    for (int i = 0; i < count; i++)
        sums[i] = emit_private_load(e, user->r.accumulator[i], scan->arrays[i], place);
    reduction_step(e, &user->r, sums, x, false);
    if (e->failed) return;
    for (int i = 0; i < count; i++)
        emit_private_store(e, user->r.accumulator[i], scan->arrays[i], place, sums[i]);
    window_finish(e, scan->fold, sums, results);
    for (int i = 0; i < count; i++)
        emit_bind(e, op_result(scan->op, i), &results[i]);
    store_outputs_of(e, op_result(scan->op, 0), index);
    for (int i = 0; i < count; i++)
        emit_bind(e, op_result(scan->op, i), NULL);
}

// A block of the other dimensions' inner axis: all of them step along the scanned dimension together.
static void scan_block(Emit *e, void *user, SpaceBlock *block) {
    Scan *scan = user;
    const WindowUser *window = scan->fold->user;
    Index index[MAX_RANK];
    Scalar sums[MAX_REDUCED];
    LLVMValueRef width = emit_i64_constant(e, scan->width);
    EmitLoop *blocks = emit_loop_begin(e, block->low, block->high, scan->width, block->size, false);
    LLVMValueRef ends[2] = {LLVMBuildNSWAdd(e->builder, blocks->phi, width, ""), block->high};
    LLVMValueRef last = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, ends);
    int64_t extent = window->window.base[scan->dim];
    for (int pass = 0; pass < 2; pass++) { // fill the accumulators, then step
        EmitLoop *steps = pass ? emit_loop_constant(e, extent, false) : NULL;
        EmitLoop *loop = emit_loop_begin(e, blocks->phi, last, 1, block->size, true);
        LLVMValueRef place = LLVMBuildNSWSub(e->builder, loop->phi, blocks->phi, "");
        space_block_index(e, block, loop->index, index);
        if (steps) {
            scan_element(e, scan, index, steps->index, place);
        } else {
            window_start(e, scan->fold, index, sums);
            for (int i = 0; i < window->r.count && !e->failed; i++)
                emit_private_store(e, window->r.accumulator[i], scan->arrays[i], place, sums[i]);
        }
        emit_loop_end(e, loop);
        if (steps) emit_loop_end(e, steps);
    }
    emit_loop_end(e, blocks);
}

static void scan_trial(Emit *e, void *user, const Index *index) {
    Scan *scan = user;
    Index at[MAX_RANK];
    memcpy(at, index, sizeof at);
    EmitLoop *steps = emit_loop_constant(
        e, ((const WindowUser *)scan->fold->user)->window.base[scan->dim], false);
    scan_element(e, scan, at, steps->index, emit_i64_constant(e, 0));
    emit_loop_end(e, steps);
}

static bool emit_scan(Emit *e, const Fold *fold, const Op *op, int dim, bool is_reversed) {
    const Type *type = op_result_type(op, 0);
    Scan *scan = ARENA_NEW(e->arena, Scan);
    *scan =
        (Scan){.fold = fold, .op = op, .dim = dim, .is_reversed = is_reversed, .width = SCAN_WIDTH};
    if (dim == type->rank - 1) scan->width = SCAN_ROWS;
    int64_t dims[MAX_RANK];
    memcpy(dims, type->dims, sizeof dims);
    dims[dim] = type->dims[dim] ? 1 : 0;
    Space *space = ARENA_NEW(e->arena, Space);
    const WindowUser *user = fold->user;
    for (int i = 0; i < user->r.count; i++) // of the trial's function
        scan->arrays[i] = LLVMGetPoison(LLVMPointerTypeInContext(e->context, 0));
    if (!space_plan(e, space, type->rank, dims, scan_trial, scan)) return false;
    for (int i = 0; i < user->r.count; i++)
        scan->arrays[i] =
            emit_alloca(e, emit_memory_type(e, user->r.accumulator[i]), scan->width, 64);
    space->tile = -1;
    space->block = scan_block;
    space_emit(e, space);
    return !e->failed;
}

// --- the kernel ---

void window_grid(Kernel *kernel, const Target *target) {
    (void)target;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = type_element_count(op_result_type(kernel->root, 0));
    kernel->grid = grid_of_bytes(2 * kernel->bytes);
    kernel->scratch_bytes = 0;
}

bool window_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    Fold *fold = ARENA_NEW(e->arena, Fold);
    if (!window_fold(e, op, fold)) return false;
    const WindowUser *user = fold->user;
    bool is_reversed = false;
    int dim = cumulative_dim(&user->window, type, &is_reversed);
    if (dim >= 0 && user->window.size[dim] > 4) return emit_scan(e, fold, op, dim, is_reversed);
    Space *space = ARENA_NEW(e->arena, Space);
    if (!space_plan(e, space, type->rank, type->dims, window_element, fold)) return false;
    space_emit(e, space);
    return !e->failed;
}

// Folds over windows: reduce_window, its cumulative form, select_and_scatter.
#include "codegen/element/window.h"

#include "ir/analysis/cumulative.h"

#include <string.h>

typedef const IndexExpr *Index;

enum {
    MAX_UNROLLED_WINDOW = 32,
    MAX_UNROLLED_SELECT = 16, // positions of a window that select_and_scatter looks at ...
    MAX_UNROLLED_PAIRS = 9    // ... for each of the windows that contain an element
};

Window window_of(ExprBuilder *b, const Op *op) {
    const Type *type = op_operand_type(op, 0);
    Window w = {.rank = type->rank, .count = 1};
    const int64_t *size = op_ints_or(b->arena, op, NAME_WINDOW_DIMENSIONS, w.rank, 1);
    const int64_t *stride = op_ints_or(b->arena, op, NAME_WINDOW_STRIDES, w.rank, 1);
    const int64_t *base = op_ints_or(b->arena, op, NAME_BASE_DILATIONS, w.rank, 1);
    const int64_t *dilation = op_ints_or(b->arena, op, NAME_WINDOW_DILATIONS, w.rank, 1);
    const int64_t *padding = op_ints_or(b->arena, op, NAME_PADDING, 2 * w.rank, 0);
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
    ExprBuilder *b, const Window *window, const Index *o, const Index *w, Index *at, Guard *guards,
    int *guard_count) {
    for (int d = 0; d < window->rank; d++) {
        Index x = index_add(
            b->index, index_scale(b->index, o[d], window->stride[d]),
            index_scale(b->index, w[d], window->dilation[d]));
        x = index_add_constant(b->index, x, -window->low[d]);
        int64_t dilation = window->base_dilation[d];
        at[d] = index_div(b->index, x, dilation);
        if (dilation > 1 &&
            !guard_add(guards, guard_count, (Guard){index_mod(b->index, x, dilation), 0, 1}))
            return false;
        if (!guard_add(guards, guard_count, (Guard){at[d], 0, window->base[d]})) return false;
    }
    return true;
}

// ---- reduce_window

// Padding counts as the init value.
const Fold *fold_of_window(ExprBuilder *b, const Op *op, const Index *index) {
    Reduction *r = ARENA_NEW(b->arena, Reduction);
    if (!reduction_of(b, op, op->regions[0], r)) return NULL;
    Window window = window_of(b, op);
    FoldDraft *draft = fold_draft(b);
    Index w[MAX_RANK], place[MAX_RANK], none[MAX_RANK] = {NULL};
    for (int d = 0; d < window.rank; d++)
        w[d] = fold_add_axis(b, draft, window.size[d]);
    Guard guards[2 * MAX_RANK];
    int guard_count = 0;
    bool exists = window_place(b, &window, index, w, place, guards, &guard_count);
    const Expr *start[MAX_REDUCED], *x[MAX_REDUCED];
    for (int i = 0; i < r->count; i++) {
        start[i] = x[i] = expr_of(b, op_operand(op, r->count + i), none);
        if (!exists) continue;
        const Expr *inside = expr_of(b, op_operand(op, i), place);
        x[i] = expr_choice(b, guard_count, guards, NULL, inside, start[i]);
    }
    if (b->failed) return NULL;
    reduction_begin(b, r, draft, start);
    reduction_step(b, r, draft, x);
    draft->fold.unroll = window.count <= MAX_UNROLLED_WINDOW;
    return fold_done(b, draft);
}

// ---- cumulative windows

int scan_dim(const Op *op, bool *is_reversed) {
    enum { SHORT = 4 }; // windows of so few elements are written out
    int dim = cumulative_dim(op, is_reversed);
    return dim >= 0 && op_operand_type(op, 0)->dims[dim] > SHORT ? dim : -1;
}

const Fold *fold_of_scan(ExprBuilder *b, const Op *op, const Index *index) {
    Reduction *r = ARENA_NEW(b->arena, Reduction);
    if (!reduction_of(b, op, op->regions[0], r)) return NULL;
    FoldDraft *draft = fold_draft(b);
    Index none[MAX_RANK] = {NULL};
    const Expr *start[MAX_REDUCED], *x[MAX_REDUCED];
    for (int i = 0; i < r->count; i++) {
        start[i] = expr_of(b, op_operand(op, r->count + i), none);
        x[i] = expr_of(b, op_operand(op, i), index);
    }
    if (b->failed) return NULL;
    reduction_begin(b, r, draft, start);
    reduction_step(b, r, draft, x);
    return fold_done(b, draft);
}

// ---- select_and_scatter: every element of the result asks the windows that contain it whether
// they selected it, in the order of the source

// Is the position of the window of source index o that is `mine` the selected one? A position is
// selected over what was selected before, when nothing was, or when select(old, new) does not hold.
static const Expr *is_selected(
    ExprBuilder *b, const Op *op, const Window *window, const Index *o, const Index *mine) {
    FoldDraft *draft = fold_draft(b);
    ElementType element = op_operand_type(op, 0)->element;
    Index w[MAX_RANK], at[MAX_RANK];
    Guard here[MAX_RANK];
    for (int d = 0; d < window->rank; d++) {
        w[d] = fold_add_axis(b, draft, window->size[d]);
        here[d] = (Guard){index_sub(b->index, w[d], mine[d]), 0, 1};
    }
    const Expr *no = expr_real(b, ELEMENT_I1, 0), *yes = expr_real(b, ELEMENT_I1, 1);
    int has_one = fold_add_accumulator(b, draft, ELEMENT_I1, no);
    int best = fold_add_accumulator(b, draft, element, expr_real(b, element, 0));
    int is_mine = fold_add_accumulator(b, draft, ELEMENT_I1, no);
    if (window_place(b, window, o, w, at, draft->guards, &draft->fold.guard_count)) {
        const Expr *pair[2] = {draft->accumulators[best], expr_of(b, op_operand(op, 0), at)},
                   *keeps;
        expr_of_region(b, op->regions[0], pair, &keeps);
        if (b->failed) return no;
        const Expr *stays = expr_arithmetic(b, OP_AND, draft->accumulators[has_one], keeps);
        draft->step[has_one] = yes;
        draft->step[best] = expr_select(b, stays, pair[0], pair[1]);
        const Expr *is_here = expr_test(b, window->rank, here);
        draft->step[is_mine] = expr_select(b, stays, draft->accumulators[is_mine], is_here);
    }
    draft->result[0] = draft->accumulators[is_mine];
    draft->fold.result_count = 1;
    draft->fold.unroll = window->count <= MAX_UNROLLED_SELECT;
    return expr_fold(b, fold_done(b, draft), 0);
}

// Steps go through the positions that the element may have backwards, so through the windows
// forwards.
const Fold *fold_of_selection(ExprBuilder *b, const Op *op, const Index *index) {
    Window window = window_of(b, op);
    const Type *source = op_operand_type(op, 1);
    FoldDraft *draft = fold_draft(b);
    Index mine[MAX_RANK], o[MAX_RANK], none[MAX_RANK] = {NULL};
    bool exists = true;
    for (int d = 0; d < window.rank; d++) {
        Index at = fold_add_axis(b, draft, window.size[d]);
        mine[d] = index_sub(b->index, index_constant(b->index, window.size[d] - 1), at);
        // the window in which the element has position `mine`:
        // o = (index + low - mine * dilation) / stride
        Index x = index_add_constant(
            b->index, index_scale(b->index, index[d], window.base_dilation[d]), window.low[d]);
        x = index_sub(b->index, x, index_scale(b->index, mine[d], window.dilation[d]));
        o[d] = index_div(b->index, x, window.stride[d]);
        Guard guards[2] = {
            {index_mod(b->index, x, window.stride[d]), 0, 1}, {o[d], 0, source->dims[d]}};
        for (int t = 0; t < 2; t++)
            exists = guard_add(draft->guards, &draft->fold.guard_count, guards[t]) && exists;
    }
    ElementType element = op_result_type(op, 0)->element;
    int sum = fold_add_accumulator(b, draft, element, expr_of(b, op_operand(op, 2), none));
    if (exists) {
        const Expr *selected = is_selected(b, op, &window, o, mine);
        const Expr *pair[2] = {draft->accumulators[sum], expr_of(b, op_operand(op, 1), o)}, *added;
        expr_of_region(b, op->regions[1], pair, &added);
        draft->step[sum] = expr_choice(b, 0, NULL, selected, added, draft->accumulators[sum]);
    }
    draft->result[0] = draft->accumulators[sum];
    draft->fold.result_count = 1;
    draft->fold.unroll = window.count <= MAX_UNROLLED_PAIRS;
    return b->failed ? NULL : fold_done(b, draft);
}

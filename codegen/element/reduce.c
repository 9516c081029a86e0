// Folds over dimensions (reduce) and over devices (all_reduce, reduce_scatter).
#include "codegen/element/reduce.h"

#include "codegen/element/choice.h"
#include "codegen/element/collective.h"
#include "codegen/element/reduction.h"

#include <string.h>

enum {
    MAX_UNROLLED_DEVICES = 64,
    CHEAP_STEPS = 15,          // are written out in any fold: fewer than a vector has lanes
    COSTLY_STEPS = 31,         // where steps are costly: a loop over the vectors of one row would
                               // leave most lanes idle there
    COSTLY_EXPRS = 8,          // of a costly step; a sum of what lies in memory has four
    MOST_UNROLLED_EXPRS = 512, // of all steps together
};

typedef const IndexExpr *Index;

// Does the second of two numbers grow along the only axis?
static bool grows_along(const FoldDraft *draft, const Reduction *r, const Expr *const *x) {
    int64_t factor;
    return draft->fold.axis_count == 1 && r->count == 2 && x[1]->kind == EXPR_NUMBER &&
           element_bits(x[1]->element) >= 32 &&
           index_is_affine_in(x[1]->at, draft->axes[0].variable, &factor) && factor > 0 &&
           reduction_chooses(r->body);
}

// One op's accumulators and step, at a place of its operands.
static bool add_reduce(
    ExprBuilder *b, const Op *op, const Reduction *r, FoldDraft *draft, const Index *place) {
    Index none[MAX_RANK] = {NULL};
    const Expr *start[MAX_REDUCED], *x[MAX_REDUCED];
    for (int i = 0; i < r->count; i++) {
        start[i] = expr_of(b, op_operand(op, r->count + i), none);
        x[i] = expr_of(b, op_operand(op, i), place);
    }
    if (b->failed) return false;
    reduction_begin(b, r, draft, start);
    reduction_step(b, r, draft, x);
    if (grows_along(draft, r, x)) draft->fold.choice = r->body;
    return true;
}

static bool is_sum(const Reduction *r) {
    return r->is_simple && r->count == 1 && r->simple[0] == OP_ADD &&
           element_is_float(r->element[0]);
}

// Are the steps so few, and each so small, that they are written out one after the other? Then
// vectors run along the results.
static bool has_few_steps(const ExprBuilder *b, const FoldDraft *draft, int exprs) {
    bool is_costly = draft->fold.choice || exprs >= COSTLY_EXPRS;
    int64_t steps = 1, most = is_costly ? COSTLY_STEPS : CHEAP_STEPS;
    for (int k = 0; k < draft->fold.axis_count; k++) {
        steps *= draft->axes[k].extent;
        if (steps > most) return false;
    }
    return !b->kernel->has_rows && steps * exprs <= MOST_UNROLLED_EXPRS;
}

const Fold *fold_of_reduces(ExprBuilder *b, int count, const Op *const *ops, const Index *index) {
    const Type *type = op_operand_type(ops[0], 0);
    IntSpan dims = op_ints(ops[0], NAME_DIMENSIONS);
    bool is_reduced[MAX_RANK] = {false};
    for (int k = 0; k < dims.count; k++)
        is_reduced[dims.data[k]] = true;
    FoldDraft *draft = fold_draft(b);
    Index place[MAX_RANK];
    for (int d = 0, next = 0; d < type->rank; d++)
        place[d] = is_reduced[d] ? fold_add_axis(b, draft, type->dims[d]) : index[next++];
    draft->fold.in_lanes = draft->fold.is_sum = true;
    int known = b->expr_count;
    for (int i = 0; i < count; i++) {
        Reduction *r = ARENA_NEW(b->arena, Reduction);
        if (!reduction_of(b, ops[i], ops[i]->regions[0], r)) return NULL;
        if (!add_reduce(b, ops[i], r, draft, place)) return NULL;
        draft->fold.in_lanes =
            draft->fold.in_lanes && r->is_simple && !op_extra(ops[i], REDUCES_IN_ORDER);
        draft->fold.is_sum = draft->fold.in_lanes && draft->fold.is_sum && is_sum(r);
    }
    draft->fold.unroll = has_few_steps(b, draft, b->expr_count - known);
    return fold_join_axes(b, fold_done(b, draft));
}

const Fold *fold_of_reduce(ExprBuilder *b, const Op *op, const Index *index) {
    return fold_of_reduces(b, 1, &op, index);
}

// The members in the order of the group, one after the other. All elements of an op have the same
// axis and accumulator: where passes over a row name its elements alike, their folds are the same.
static const Expr *fold_devices(
    ExprBuilder *b, const Op *op, int operand, const Index *index, const DeviceGroups *groups) {
    Reduction *r = ARENA_NEW(b->arena, Reduction);
    if (!reduction_of(b, op, op->regions[0], r)) return NULL;
    FoldDraft *draft = fold_draft(b);
    const Value *value = op_operand(op, operand);
    draft->like = ptr_map_get(&b->device_folds, op_result(op, operand));
    Index device = group_member(b, groups, index_constant(b->index, 0));
    const Expr *start = element_on_device(b, value, index, device);
    Index k = fold_add_axis(b, draft, groups->size - 1);
    Index next = index_add_constant(b->index, k, 1);
    if (!groups->is_even)
        draft->guards[draft->fold.guard_count++] = group_has_member(b, groups, next);
    device = group_member(b, groups, next);
    const Expr *x = groups->size > 1 ? element_on_device(b, value, index, device) : start;
    if (b->failed) return NULL;
    reduction_begin(b, r, draft, &start);
    reduction_step(b, r, draft, &x);
    draft->fold.unroll = groups->size <= MAX_UNROLLED_DEVICES;
    const Fold *fold = fold_done(b, draft);
    ptr_map_set(&b->device_folds, op_result(op, operand), (void *)(uintptr_t)fold);
    return expr_fold(b, fold, 0);
}

const Expr *element_of_reduction(ExprBuilder *b, const Op *op, int result, const Index *index) {
    const Expr *nothing = expr_real(b, op_result_type(op, result)->element, 0);
    if (op->code == OP_REDUCE) {
        const Fold *fold = fold_of_reduce(b, op, index);
        return fold ? expr_fold(b, fold, result) : nothing;
    }
    const Type *type = op_operand_type(op, result);
    DeviceGroups groups = device_groups(b, op);
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)type->rank * sizeof index[0]);
    if (op->code == OP_REDUCE_SCATTER) {
        int64_t d = op_int(op, NAME_SCATTER_DIMENSION, 0);
        Index offset =
            index_scale(b->index, group_position(b, &groups), op_result_type(op, result)->dims[d]);
        at[d] = index_add(b->index, at[d], offset);
    }
    const Expr *x = fold_devices(b, op, result, at, &groups);
    return x ? x : nothing;
}

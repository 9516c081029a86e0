// One element of a reduction, by loops in place: reduce, and sums over devices (all_reduce, reduce_scatter).
#include "codegen/reduction.h"

#include <string.h>

enum { MAX_UNROLLED_DEVICES = 64, MAX_DENSE_DEPTH = 64 };

typedef const IndexExpr *Index;

// --- reduce ---

// Is element (i, j) of the value at the place number i * dims + j, whatever dims are joined: pointwise ops on dense arrays of one shape?
static bool is_dense(const Emit *e, const Value *value, int depth) {
    int operand = kernel_operand(e->kernel, value);
    if (value->type->rank == 0) return true;
    if (operand >= e->kernel->output_count)
        return e->kernel->inputs[operand - e->kernel->output_count].buffer->is_dense;
    const Op *op = value->def;
    if (!op || depth == 0) return false;
    if (op->code == OP_CONSTANT) return op_attr(op, NAME_VALUE)->is_splat;
    if (op->code == OP_BROADCAST_IN_DIM) return op_operand_type(op, 0)->rank == 0;
    if (!op_has(op, TRAIT_POINTWISE) && op->code != OP_RESHAPE) return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_dense(e, op_operand(op, i), depth - 1)) return false;
    }
    return true;
}

// The user data of a reduce's fold: reduced dimensions as loops, neighbours joined where that keeps addresses simple.
typedef struct ReduceUser {
    Reduction r;
    const Op *op;
    bool is_reduced[MAX_RANK];                    // by dimension of the operands
    int first_dim[MAX_RANK], dim_count[MAX_RANK]; // by loop
} ReduceUser;

static void make_loops(const Emit *e, ReduceUser *user, Fold *fold) {
    const Type *type = op_operand_type(user->op, 0);
    bool joins = true;
    for (int i = 0; i < user->r.count; i++)
        joins = joins && is_dense(e, op_operand(user->op, i), MAX_DENSE_DEPTH);
    for (int d = 0; d < type->rank; d++) {
        if (!user->is_reduced[d]) continue;
        int last = fold->loop_count - 1;
        if (joins && last >= 0 && user->first_dim[last] + user->dim_count[last] == d) {
            user->dim_count[last]++;
            fold->extent[last] *= type->dims[d];
            continue;
        }
        user->first_dim[fold->loop_count] = d;
        user->dim_count[fold->loop_count] = 1;
        fold->extent[fold->loop_count++] = type->dims[d];
    }
}

static void reduce_start(Emit *e, const Fold *fold, const Index *index, Scalar *accumulators) {
    const ReduceUser *user = fold->user;
    Index none[MAX_RANK] = {NULL};
    (void)index;
    for (int i = 0; i < user->r.count && !e->failed; i++) {
        Scalar start = emit_element(e, op_operand(user->op, user->r.count + i), none);
        accumulators[i] = reduction_widen(e, &user->r, i, start);
    }
}

static void reduce_step(
    Emit *e, const Fold *fold, const Index *index, const Index *at, Scalar *accumulators,
    bool reassociate) {
    const ReduceUser *user = fold->user;
    const Type *type = op_operand_type(user->op, 0);
    Index place[MAX_RANK];
    Scalar x[MAX_REDUCED];
    for (int d = 0, next = 0; d < type->rank; d++) {
        if (!user->is_reduced[d]) place[d] = index[next++];
    }
    for (int k = 0; k < fold->loop_count; k++) {
        int d = user->first_dim[k];
        index_delinear(e->index, at[k], user->dim_count[k], &type->dims[d], &place[d]);
    }
    for (int i = 0; i < user->r.count && !e->failed; i++)
        x[i] = emit_element(e, op_operand(user->op, i), place);
    if (!e->failed) reduction_step(e, &user->r, accumulators, x, reassociate);
}

static void reduce_finish(Emit *e, const Fold *fold, const Scalar *accumulators, Scalar *results) {
    const ReduceUser *user = fold->user;
    for (int i = 0; i < user->r.count; i++)
        results[i] = reduction_finish(e, &user->r, i, accumulators[i]);
}

bool reduce_fold(Emit *e, const Op *op, Fold *fold) {
    ReduceUser *user = ARENA_NEW(e->arena, ReduceUser);
    *fold =
        (Fold){.user = user, .start = reduce_start, .step = reduce_step, .finish = reduce_finish};
    if (!reduction_of(e, op, op->regions[0], &user->r)) return false;
    user->op = op;
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int k = 0; k < dims.count; k++)
        user->is_reduced[dims.data[k]] = true;
    make_loops(e, user, fold);
    fold->count = user->r.count;
    memcpy(fold->accumulator, user->r.accumulator, sizeof fold->accumulator);
    fold->vectorize = user->r.is_simple;
    fold->is_sum = user->r.is_simple && fold->count == 1 && user->r.simple[0] == OP_ADD &&
                   element_is_float(user->r.element[0]);
    return true;
}

// --- over devices ---

static Scalar element_of_member(
    Emit *e, const Value *value, const Index *index, const DeviceGroups *groups, Index position) {
    Index device = emit_group_member(e, groups, position), outer = e->state->device;
    e->state->device = device;
    Scalar x = emit_element(e, value, index);
    e->state->device = outer;
    return x;
}

// The members in the order of the group, one after the other.
static bool fold_devices(
    Emit *e, const Op *op, int operand, const Index *index, const DeviceGroups *groups,
    Scalar *result) {
    Reduction *r = ARENA_NEW(e->arena, Reduction);
    if (!reduction_of(e, op, op->regions[0], r)) return false;
    const Value *value = op_operand(op, operand);
    Scalar first = element_of_member(e, value, index, groups, index_constant(e->index, 0));
    if (e->failed) return false;
    Scalar sum = reduction_widen(e, r, 0, first);
    if (groups->size <= MAX_UNROLLED_DEVICES) {
        for (int64_t k = 1; k < groups->size; k++) {
            Scalar x = element_of_member(e, value, index, groups, index_constant(e->index, k));
            if (e->failed) return false;
            reduction_step(e, r, &sum, &x, false);
        }
    } else {
        LLVMValueRef local = emit_local(e, r->accumulator[0]);
        emit_local_set(e, local, sum);
        LLVMValueRef start = emit_i64_constant(e, 1), stop = emit_i64_constant(e, groups->size);
        EmitLoop *loop = emit_loop_begin(e, start, stop, 1, groups->size, false);
        Scalar x = element_of_member(e, value, index, groups, loop->index);
        if (e->failed) return false;
        sum = emit_local_get(e, local, r->accumulator[0]);
        reduction_step(e, r, &sum, &x, false);
        emit_local_set(e, local, sum);
        emit_loop_end(e, loop);
        sum = emit_local_get(e, local, r->accumulator[0]);
    }
    *result = reduction_finish(e, r, 0, sum);
    return !e->failed;
}

static bool device_reduction_element(
    Emit *e, const Op *op, int operand, const Index *index, Scalar *result) {
    const Type *type = op_operand_type(op, operand);
    DeviceGroups groups = emit_device_groups(e, op);
    Index at[MAX_RANK];
    memcpy(at, index, (size_t)type->rank * sizeof index[0]);
    if (op->code == OP_REDUCE_SCATTER) {
        int64_t d = op_int(op, NAME_SCATTER_DIMENSION, 0);
        Index offset = index_scale(
            e->index, emit_group_position(e, &groups), op_result_type(op, operand)->dims[d]);
        at[d] = index_add(e->index, at[d], offset);
    }
    return fold_devices(e, op, operand, at, &groups, result);
}

bool emit_reduction_element(
    Emit *e, const Op *op, int result, const IndexExpr *const *index, Scalar *results) {
    if (op->code != OP_REDUCE)
        return device_reduction_element(e, op, result, index, &results[result]);
    Fold *fold = ARENA_NEW(e->arena, Fold);
    if (!reduce_fold(e, op, fold)) return false;
    return fold_element(e, fold, index, results);
}

// optimize_collectives: fewer bytes over the same sdy collectives.
//
//   In      sdy collectives (after reshard_to_collectives)
//   Out     - all_slice(all_reduce(x)) is a reduce_scatter
//           - sums of all_reduced values are reduced once; slices, sums and broadcasts change
//             places with all_reduce where the array is smaller on the other side
//   Keeps   results up to the order of summation
//
//   before  %1 = sdy.all_reduce {"x"} %0      %2 = sdy.all_slice [{"x"}, {}] %1
//   after   %2 = sdy.reduce_scatter [{"x"}, {}] %0
#include "ir/builder.h"
#include "partition/collectives/reductions.h"
#include "partition/cost.h"
#include "partition/passes.h"

typedef struct Optimizer {
    Module *module;
    Arena *scratch;
    bool changed;
} Optimizer;

static void replace(Optimizer *optimizer, Op *op, Value *with) {
    value_replace_uses(op_result(op, 0), with);
    op_erase(op);
    optimizer->changed = true;
}

static bool is_sum(const Op *op) {
    return op && op->code == OP_SDY_ALL_REDUCE && collective_reduction(op) == OP_ADD;
}

static Op *only_all_reduce(const Value *value) {
    Op *def = value->def;
    return is_sum(def) && value_has_one_use(value) && value->sharding ? def : NULL;
}

// An all_reduce like `like` of another value.
static Value *all_reduce_like(
    Optimizer *optimizer, Builder *builder, const Op *like, Value *x, const Sharding *out) {
    Op *op = build_op(builder, OP_SDY_ALL_REDUCE, 1, &x, 1, &x->type, 0);
    op_set_attr(optimizer->module, op, NAME_AXES, op_attr(like, NAME_AXES));
    collective_copy_reduction(optimizer->module, op, like);
    op->loc = like->loc;
    if (!out) { // the mesh of the axes must be known
        StrView mesh_name = op_result(like, 0)->sharding->mesh_name;
        out = sharding_replicated(optimizer->module->context, mesh_name, x->type->rank);
    }
    op_result(op, 0)->sharding = out;
    return op_result(op, 0);
}

static Value *clone_with(
    Optimizer *optimizer, Builder *builder, const Op *op, int operand_count,
    Value *const *operands) {
    PtrMap renamed = ptr_map(optimizer->scratch);
    for (int i = 0; i < operand_count; i++) {
        ptr_map_set(&renamed, op_operand(op, i), operands[i]);
    }
    return op_result(op_clone(builder, op, &renamed), 0);
}

// ---- reduce_scatter ----

// The slices of an all_reduce together are smaller than its result.
static bool scatter_pays(const Optimizer *optimizer, const Op *all_reduce) {
    const Value *sum = op_result(all_reduce, 0);
    int64_t bytes = 0;
    for (const Use *use = sum->uses; use; use = use->next) {
        if (use->owner->code != OP_SDY_ALL_SLICE) return false;
        const Sharding *sharding = op_result(use->owner, 0)->sharding;
        bytes += tile_bytes(optimizer->module, sum->type, sharding);
    }
    return bytes < tile_bytes(optimizer->module, sum->type, sum->sharding);
}

static bool form_reduce_scatter(Optimizer *optimizer, Op *slice) {
    if (slice->code != OP_SDY_ALL_SLICE) return false;
    Op *all_reduce = op_operand(slice, 0)->def;
    if (!all_reduce || all_reduce->code != OP_SDY_ALL_REDUCE) return false;
    if (!scatter_pays(optimizer, all_reduce)) return false;
    ScatterAxes axes = scatter_axes(optimizer->scratch, all_reduce, slice);
    if (!axes.any_scattered) return false;
    Builder builder = builder_before(optimizer->module, slice);
    builder.loc = all_reduce->loc;
    Value *part = build_reduce_scatter(&builder, optimizer->scratch, all_reduce, slice, &axes);
    replace(optimizer, slice, part);
    if (!op_result(all_reduce, 0)->uses) op_erase(all_reduce);
    return true;
}

// ---- all_reduce changes places ----

// a + b of two sums over the same axes.
static bool merge_sums(Optimizer *optimizer, Op *op) {
    if (op->code != OP_ADD && op->code != OP_SUBTRACT) return false;
    Op *first = only_all_reduce(op_operand(op, 0)), *second = only_all_reduce(op_operand(op, 1));
    if (!first || !second || first == second) return false;
    if (op_attr(first, NAME_AXES) != op_attr(second, NAME_AXES)) return false;
    if (first->parent != op->parent || second->parent != op->parent) return false;
    if (op_result_type(op, 0)->element == ELEMENT_I1) return false;
    Builder builder = builder_before(optimizer->module, op);
    Value *operands[2] = {op_operand(first, 0), op_operand(second, 0)};
    Value *sum = clone_with(optimizer, &builder, op, 2, operands);
    replace(
        optimizer, op,
        all_reduce_like(optimizer, &builder, first, sum, op_result(op, 0)->sharding));
    op_erase(first);
    op_erase(second);
    return true;
}

static bool is_zero(const Value *value) {
    const Op *def = value->def;
    if (!def || (def->code != OP_CONSTANT && def->code != OP_SDY_CONSTANT)) return false;
    const Attr *elements = op_attr(def, NAME_VALUE);
    if (element_class(value->type->element) == CLASS_COMPLEX) return false;
    return attr_element_double(elements, 0) == 0;
}

// slice and sum after all_reduce: less to reduce when they come first.
static bool shrink_before_sum(Optimizer *optimizer, Op *op) {
    bool is_reduce = op->code == OP_REDUCE && op->result_count == 1 &&
                     region_reduction_op(op->regions[0]) == OP_ADD &&
                     op_result_type(op, 0)->element != ELEMENT_I1 && is_zero(op_operand(op, 1));
    if (!is_reduce && op->code != OP_SLICE) return false;
    Op *sum = only_all_reduce(op_operand(op, 0));
    if (!sum || sum->parent != op->parent) return false;
    Value *operands[2] = {op_operand(sum, 0), is_reduce ? op_operand(op, 1) : NULL};
    Builder builder = builder_before(optimizer->module, op);
    Value *small = clone_with(optimizer, &builder, op, is_reduce ? 2 : 1, operands);
    replace(
        optimizer, op,
        all_reduce_like(optimizer, &builder, sum, small, op_result(op, 0)->sharding));
    op_erase(sum);
    return true;
}

// all_reduce of a broadcast: the small array is reduced.
static bool sum_before_broadcast(Optimizer *optimizer, Op *op) {
    if (op->code != OP_SDY_ALL_REDUCE || !op_result(op, 0)->sharding) return false;
    Op *broadcast = op_operand(op, 0)->def;
    if (!broadcast || broadcast->code != OP_BROADCAST_IN_DIM) return false;
    if (broadcast->parent != op->parent) return false;
    Value *small = op_operand(broadcast, 0);
    const Value *large = op_result(broadcast, 0);
    int64_t before = tile_bytes(optimizer->module, large->type, large->sharding);
    int64_t after = tile_bytes(optimizer->module, small->type, small->sharding);
    if (after >= before) return false;
    Builder builder = builder_before(optimizer->module, op);
    Value *sum = all_reduce_like(optimizer, &builder, op, small, small->sharding);
    Value *result = clone_with(optimizer, &builder, broadcast, 1, &sum);
    replace(optimizer, op, result);
    return true;
}

static bool visit(Op *op, void *user) {
    Optimizer *optimizer = user;
    if (form_reduce_scatter(optimizer, op)) return true;
    if (merge_sums(optimizer, op)) return true;
    if (shrink_before_sum(optimizer, op)) return true;
    sum_before_broadcast(optimizer, op);
    return true;
}

PassResult pass_optimize_collectives(Module *module, PassContext *pass) {
    bool changed = false;
    for (int round = 0; round < 16; round++) {
        Optimizer optimizer = {.module = module, .scratch = pass->scratch};
        region_walk(module->body, visit, &optimizer);
        changed = changed || optimizer.changed;
        if (!optimizer.changed) break;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

// apply_sharding_constraints: a constraint that is the only word on its input becomes the input's
// sharding.
//
//   In      data-flow edges are in place
//   Out     the input of a fully closed constraint (or of a manual computation) without a sharding
//           and without another constraint has its sharding; a target of an edge keeps none, its
//           uses take the constraint's result instead. Where a chain of constraints dangles, later
//           uses of its input take the last one.
//
//   before  %1 = add %a, %b           %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]>
//   after   %1 = add %a, %b {[{"x"}]} %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]>
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/provenance.h"
#include "partition/rules/sharding_rule.h"

static bool is_constraint(const Op *op) { return op->code == OP_SDY_CONSTRAINT; }

static const Sharding *constraint_sharding(const Op *op) { return op_result(op, 0)->sharding; }

static bool has_other_constraint(const Value *input, const Sharding *sharding) {
    for (const Use *use = input->uses; use; use = use->next) {
        if (is_constraint(use->owner) && constraint_sharding(use->owner) != sharding) return true;
        if (use->owner->code == OP_SDY_MANUAL &&
            region_in_sharding(use->owner, use_index(use)) != sharding)
            return true;
    }
    return false;
}

static bool is_constrained(const Value *input, const Op *except) {
    for (const Use *use = input->uses; use; use = use->next) {
        if (use->owner != except &&
            (is_constraint(use->owner) || use->owner->code == OP_SDY_MANUAL))
            return true;
    }
    return false;
}

// Parity with GSPMD rather than need: open constraints, and values with several, are left alone.
static bool should_apply(const Module *module, const Value *input, const Sharding *sharding) {
    return sharding && value_sharding_holder(input) && !value_sharding(module, input) &&
           sharding_is_fully_closed(sharding) && !has_other_constraint(input, sharding);
}

static bool is_edge_target(const Value *value) {
    return (value->def && value->def->code == OP_SDY_EDGE) || edge_of_target(value);
}

// Unreduced axes do not propagate, so the input must have them itself.
static void copy_unreduced(Module *module, Value *input, const Sharding *sharding) {
    if (sharding->unreduced_count == 0) return;
    const Sharding *old = value_sharding(module, input);
    if (!old) old = sharding_fully_open(module->context, sharding->mesh_name, sharding->rank);
    Sharding with = *old;
    with.unreduced = sharding->unreduced;
    with.unreduced_count = sharding->unreduced_count;
    with.reduction = sharding->reduction;
    value_set_sharding(module, input, sharding_intern(module->context, &with));
}

static void move_after_value(Op *op, Value *value) {
    Op *before = value->def ? value->def->next : value->region->first;
    if (before && before != op) op_move_before(op, before);
}

static Op *new_constraint(Module *module, Value *input, const Sharding *sharding, const Loc *loc) {
    Builder builder = {.module = module, .region = value_region(input), .loc = loc};
    builder.before = input->def ? input->def->next : input->region->first;
    Op *constraint = build_op(&builder, OP_SDY_CONSTRAINT, 1, &input, 1, &input->type, 0);
    op_result(constraint, 0)->sharding = sharding;
    return constraint;
}

typedef struct Applier {
    Arena *arena;
    Provenance *provenance;
} Applier;

static void apply(
    const Applier *applier, Module *module, Op *op, Value *input, const Sharding *sharding) {
    if (!should_apply(module, input, sharding)) return;
    if (!is_edge_target(input)) {
        value_set_sharding(module, input, sharding);
        const ShardingRule *rule = op_sharding_rule(applier->arena, op, false, NULL);
        if (rule) op_write_sharding_rule(module, op, rule); // as Shardy leaves it there
        provenance_copy_constraint(applier->provenance, module, input, op, sharding);
        return;
    }
    Op *constraint = op;
    if (is_constraint(op)) {
        move_after_value(op, input);
    } else {
        constraint = new_constraint(module, input, sharding, op->loc);
    }
    value_replace_uses_except(input, op_result(constraint, 0), constraint);
    copy_unreduced(module, input, sharding);
}

// The last constraint of a chain of at least two that begins with `head`, when nothing else
// constrains the chain's input or its inner values; NULL otherwise.
static Op *chain_tail(const Module *module, Op *head) {
    const Value *input = op_operand(head, 0);
    if (input->def && is_constraint(input->def)) return NULL;
    if (value_sharding(module, input) || is_constrained(input, head)) return NULL;
    Op *tail = head;
    while (value_has_one_use(op_result(tail, 0)) &&
           is_constraint(op_result(tail, 0)->uses->owner)) {
        tail = op_result(tail, 0)->uses->owner;
    }
    return tail != head && !is_constrained(op_result(tail, 0), NULL) ? tail : NULL;
}

static bool comes_after(const Op *op, const Op *other) {
    for (const Op *next = op->next; next; next = next->next) {
        if (next == other) return true;
    }
    return false;
}

static void replace_later_uses(Arena *arena, Op *head, Op *tail) {
    VEC(Use *) later = {0};
    for (Use *use = op_operand(head, 0)->uses; use; use = use->next) {
        const Op *owner = use->owner;
        if (owner == head || owner->code == OP_FUNC_RETURN || owner->parent != tail->parent)
            continue;
        if (comes_after(tail, owner)) vec_push(arena, &later, use);
    }
    for (int64_t i = 0; i < later.count; i++) {
        op_set_operand(later.data[i]->owner, use_index(later.data[i]), op_result(tail, 0));
    }
}

static void visit(Module *module, const Applier *applier, Op *op) {
    if (is_constraint(op)) {
        Op *tail = chain_tail(module, op);
        if (tail) replace_later_uses(applier->arena, op, tail);
        apply(applier, module, op, op_operand(op, 0), constraint_sharding(op));
    } else if (op->code == OP_SDY_MANUAL) {
        for (int i = 0; i < op->operand_count; i++) {
            apply(applier, module, op, op_operand(op, i), region_in_sharding(op, i));
        }
    }
}

// Post-order: regions before the op that has them. Nesting is limited by the readers.
static void walk(Module *module, const Applier *applier, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int r = 0; r < op->region_count; r++)
            walk(module, applier, op->regions[r]);
        visit(module, applier, op);
    }
}

PassResult pass_apply_sharding_constraints(Module *module, PassContext *pass) {
    const Applier applier = {.arena = pass->scratch, .provenance = pass->provenance};
    walk(module, &applier, module->body);
    return PASS_CHANGED;
}

static bool make_reshard(Op *op, void *user) {
    if (is_constraint(op)) {
        op_set_attr(user, op, NAME_SHARDING_RULE, NULL);
        op->code = OP_SDY_RESHARD;
        op->name = op_code_text(OP_SDY_RESHARD);
    }
    return true;
}

PassResult pass_constraint_to_reshard(Module *module, PassContext *pass) {
    (void)pass;
    region_walk(module->body, make_reshard, module);
    return PASS_CHANGED;
}

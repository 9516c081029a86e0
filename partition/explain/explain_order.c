// explain_order: why an axis came to one dimension of a value before it could come to another: user
// priority, op order, size, time.
#include "partition/explain/explain_internal.h"

// The user priority of the annotation at the beginning of a chain; 0 is the highest.
static int root_priority(
    const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis) {
    ChainRoot root = chain_root(mesh, place, dim, axis);
    const Sharding *written = root.place ? root.place->written : NULL;
    if (!written || root.dim >= written->rank) return 0;
    int priority = written->dims[root.dim].priority;
    return priority == PRIORITY_NONE ? 0 : priority;
}

// The first round in which the op propagates along a factor of this kind.
static int first_round(const Op *op, FactorKind kind) {
    for (int round = 0; round < LAST_ROUND; round++) {
        OpDirections directions = op_priority_directions(round, op);
        Directions allowed =
            kind == FACTOR_PASS_THROUGH ? directions.pass_through : directions.other;
        if (allowed != PROPAGATION_NONE) return round;
    }
    return LAST_ROUND;
}

const char *explain_order(Explainer *explainer, const Decision *decision, const Contest *contest) {
    Arena *arena = explainer->arena;
    const Provenance *provenance = explainer->base.provenance;
    const Mesh *mesh = decision->mesh;
    const AxisRef *axis = &contest->axis;
    const ProvenancePlace *held =
        provenance_of_value(provenance, decision->tensors[contest->holder]);
    const ProvenancePlace *other =
        provenance_of_value(provenance, decision->tensors[contest->rival]);
    int held_dim = rule_factor_dim(decision->rule, contest->holder, contest->held);
    int other_dim = rule_factor_dim(decision->rule, contest->rival, contest->wanted);
    const Arrival *first = held ? provenance_arrival(mesh, held, held_dim, axis) : NULL;
    const Arrival *second = other ? provenance_arrival(mesh, other, other_dim, axis) : NULL;
    if (!first || !first->step || !second) return NULL;
    int first_priority = root_priority(mesh, held, held_dim, axis);
    int second_priority = root_priority(mesh, other, other_dim, axis);
    if (first_priority < second_priority) {
        return arena_printf(
            arena, "user priority %d comes before user priority %d", first_priority,
            second_priority);
    }
    int number = first->step->number;
    const char *by = step_op(first->step) ? op_text_of(arena, step_op(first->step)) : "func.return";
    if (second->step && second->step->number > number) {
        return arena_printf(
            arena, "step %d brought it, and %s got it in step %d only", number,
            value_text(explainer, decision->tensors[contest->rival]), second->step->number);
    }
    if (first->step->op == decision->op) {
        return arena_printf(
            arena,
            "in step %d both factors could have it, and that of the larger tensor goes first",
            number);
    }
    int round = first_round(decision->op, decision->rule->factors[contest->wanted].kind);
    if (first->step->round >= 0 && first->step->round < round) {
        return arena_printf(
            arena, "%s takes part from op round %d on, %s from op round %d on only", by,
            first->step->round, op_text_of(arena, decision->op), round);
    }
    return arena_printf(
        arena, "%s had its turn before %s (step %d, in the same op round)", by,
        op_text_of(arena, decision->op), number);
}

// reshard_inserter: see reshard_inserter.h.
#include "partition/reshard/reshard_inserter.h"

#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/collectives/reductions.h"
#include "partition/plan/mesh_translation.h"
#include "partition/provenance.h"
#include "partition/reshard/reshard_choice.h"
#include "partition/reshard/reshard_spans.h"
#include "partition/reshard/reshard_unreduced.h"
#include "partition/rules/sharding_rule.h"

#include <assert.h>

enum { SCRATCH_LIMIT = 1 << 20 }; // bytes of scratch memory before it is given back

// ---- pieces ----

static const Sharding *effective(
    const Inserter *inserter, const Type *type, const Sharding *sharding, StrView mesh_name) {
    if (sharding) return sharding;
    return sharding_replicated(inserter->context, mesh_name, type->rank);
}

bool inserter_places_alike(const Inserter *inserter, const Sharding *a, const Sharding *b) {
    if (a == b) return true;
    if (sharding_is_fully_replicated(a) && sharding_is_fully_replicated(b)) return true;
    const AxisSpan none = {0, NULL};
    if (a) a = sharding_with_unreduced(inserter->context, a, none);
    if (b) b = sharding_with_unreduced(inserter->context, b, none);
    return sharding_same_placement(inserter->module, a, b);
}

Value *inserter_reshard(Inserter *inserter, Builder *builder, Value *x, const Sharding *sharding) {
    inserter->changed = true;
    return build_reshard(builder, x, sharding);
}

bool inserter_gains_unreduced(const Inserter *inserter, const Sharding *from, const Sharding *to) {
    const Mesh *mesh = to ? sharding_mesh(inserter->module, to) : NULL;
    if (!mesh || to->unreduced_count == 0) return false;
    AxisSpan had = unreduced_axes(from);
    return axes_minus(inserter->scratch, mesh, unreduced_axes(to), had).count > 0;
}

// x, which lies as `from` says, as `to` says: its dims, then what becomes unreduced.
static Value *bring(
    Inserter *inserter, Builder *builder, Value *x, const Sharding *from, const Sharding *to) {
    const Mesh *mesh = to ? sharding_mesh(inserter->module, to) : NULL;
    if (to && mesh && from && to->unreduced_count > 0) {
        const Mesh *from_mesh = sharding_mesh(inserter->module, from);
        const AxisSpan none = {0, NULL};
        bool same_axes = from_mesh && mesh_same_axes(from_mesh, mesh);
        const Sharding *before =
            same_axes
                ? sharding_before_unreduced(inserter->context, inserter->scratch, mesh, from, to)
                : sharding_with_unreduced(inserter->context, to, none);
        bool is_here = inserter_places_alike(inserter, from, before) && from_mesh == mesh;
        if (!is_here) {
            x = inserter_reshard(inserter, builder, x, before);
            from = before;
        }
        return inserter_unreduced(inserter, builder, x, from, to);
    }
    if (inserter_places_alike(inserter, from, to)) return x;
    return inserter_reshard(
        inserter, builder, x, to ? to : sharding_replicated_like(inserter->context, from));
}

// Behind the op that makes the value, or at the begin of the region whose argument it is.
static Builder builder_after_value(Module *module, Value *value, const Op *user) {
    Builder builder;
    if (value->def) {
        builder = builder_after(module, value->def);
    } else {
        builder = builder_at_end(module, value->region);
        builder.before = value->region->first;
    }
    builder.loc = user->loc;
    return builder;
}

// The place of what is inserted for operand or result i of the op.
static const Loc *place_of(
    const Inserter *inserter, CauseKind kind, const Op *op, int i, Value *value,
    const Sharding *from, const Sharding *to) {
    const Cause cause = {
        .kind = kind,
        .op = op,
        .index = i,
        .value = value,
        .from = from,
        .to = to,
        .decision = inserter->decision,
    };
    return provenance_cause(inserter->provenance, &cause);
}

// The sharding of the value, or, where it has none, of what came through propagation barriers to
// it.
const Sharding *source_sharding(const Module *module, const Value *value) {
    const Sharding *sharding = value_sharding(module, value);
    while (!sharding && value->def && value->def->code == OP_SDY_BARRIER) {
        value = op_operand(value->def, 0);
        sharding = value_sharding(module, value);
    }
    return sharding;
}

void inserter_reshard_operand(
    Inserter *inserter, Op *op, int i, const Sharding *wanted, bool is_edge, bool has_rule) {
    Value *operand = op_operand(op, i);
    if (operand->type->kind != TYPE_TENSOR) return;
    const Sharding *own = has_rule ? source_sharding(inserter->module, operand)
                                   : value_sharding(inserter->module, operand);
    Builder builder = is_edge ? builder_after_value(inserter->module, operand, op)
                              : builder_before(inserter->module, op);
    CauseKind kind = inserter->decision ? CAUSE_OPERAND : CAUSE_RECEIVER;
    if (inserter->provenance && !inserter_places_alike(inserter, own, wanted)) {
        builder.loc = place_of(inserter, kind, op, i, operand, own, wanted);
    }
    operand = bring(inserter, &builder, operand, own, wanted);
    if (operand != op_operand(op, i)) op_set_operand(op, i, operand);
}

static Value *make_all_reduce(
    Inserter *inserter, Builder *builder, Value *x, AxisSpan axes, const Sharding *out,
    OpCode body) {
    inserter->changed = true;
    Op *op = build_op(builder, OP_SDY_ALL_REDUCE, 1, &x, 1, &x->type, 0);
    op_set_attr(
        inserter->module, op, NAME_AXES, attr_axes(inserter->context, axes.count, axes.axes));
    collective_set_reduction(inserter->module, op, body);
    op_result(op, 0)->sharding = out;
    return op_result(op, 0);
}

// ---- unreduced operands ----

void inserter_reduce_operand(
    Inserter *inserter, Op *op, int i, const Sharding *user, bool is_edge) {
    Value *operand = op_operand(op, i);
    const Sharding *own = value_sharding(inserter->module, operand);
    if (!own || own->unreduced_count == 0) return;
    const Mesh *mesh = sharding_mesh(inserter->module, own);
    AxisSpan kept = unreduced_axes(user);
    AxisSpan axes = axes_minus(inserter->scratch, mesh, unreduced_axes(own), kept);
    if (axes.count == 0) return;
    AxisSpan left = axes_minus(inserter->scratch, mesh, unreduced_axes(own), axes);
    const Sharding *out = sharding_with_unreduced(inserter->context, own, left);
    OpCode body = reduction_kind_body(own->reduction);
    Builder builder = is_edge ? builder_after_value(inserter->module, operand, op)
                              : builder_before(inserter->module, op);
    builder.loc = place_of(inserter, CAUSE_PARTIAL, op, i, operand, own, out);
    op_set_operand(op, i, make_all_reduce(inserter, &builder, operand, axes, out, body));
}

Value *inserter_unreduced(
    Inserter *inserter, Builder *builder, Value *x, const Sharding *from, const Sharding *to) {
    const Mesh *mesh = to ? sharding_mesh(inserter->module, to) : NULL;
    UnreducedSteps steps;
    if (!mesh || !from) return x;
    if (!unreduced_steps(inserter->context, inserter->scratch, mesh, from, to, &steps)) return x;
    inserter->changed = true;
    if (steps.copies.count > 0) {
        Op *made = build_op(builder, OP_SDY_REPLICATED_TO_UNREDUCED, 1, &x, 1, &x->type, 0);
        op_set_attr(
            inserter->module, made, NAME_AXES,
            attr_axes(inserter->context, steps.copies.count, steps.copies.axes));
        x = op_result(made, 0);
        x->sharding = steps.after_copies;
    }
    if (steps.leaving) {
        Op *made = build_op(builder, OP_SDY_TO_UNREDUCED, 1, &x, 1, &x->type, 0);
        op_set_attr(
            inserter->module, made, NAME_AXES,
            attr_axes_per_dim(inserter->context, from->rank, steps.leaving));
        x = op_result(made, 0);
        x->sharding = steps.after_leaving;
    }
    // An axis that stood behind a gained one left with it, and is summed at once where
    // nobody asked for parts of that sum.
    AxisSpan now = unreduced_axes(x->sharding);
    AxisSpan wanted = unreduced_axes(to);
    AxisSpan surplus = axes_minus(inserter->scratch, mesh, now, wanted);
    surplus = axes_minus(inserter->scratch, mesh, surplus, unreduced_axes(from));
    if (surplus.count == 0) return x;
    AxisSpan left = axes_minus(inserter->scratch, mesh, now, surplus);
    const Sharding *out = sharding_with_unreduced(inserter->context, x->sharding, left);
    return make_all_reduce(inserter, builder, x, surplus, out, reduction_kind_body(to->reduction));
}

void inserter_expand_reshard(Inserter *inserter, Op *op) {
    Value *x = op_operand(op, 0);
    const Sharding *to = op_result(op, 0)->sharding;
    const Sharding *from = value_sharding(inserter->module, x);
    if (!to || to->unreduced_count == 0) return;
    from = effective(inserter, x->type, from, to->mesh_name);
    Builder builder = builder_before(inserter->module, op);
    if (!inserter_gains_unreduced(inserter, from, to)) return;
    if (!value_sharding(inserter->module, x)) value_set_sharding(inserter->module, x, from);
    Value *y = bring(inserter, &builder, x, from, to);
    if (y == x) return;
    op_set_operand(op, 0, y);
    if (y->sharding != to) return;
    value_replace_uses(op_result(op, 0), y);
    op_erase(op);
}

// ---- one op with a rule ----

Value *tensor_value(const Op *op, int t) {
    return t < op->operand_count ? op_operand(op, t) : op_result(op, t - op->operand_count);
}

// Meshes with the same axes in other device orders: the one that most tensors name, the first of
// several. NULL when the axes differ.
static const Mesh *most_frequent_mesh(Inserter *inserter, Tensors *tensors) {
    const Mesh *best = NULL;
    int best_count = 0;
    for (int t = 0; t < tensors->count; t++) {
        const Sharding *sharding = tensors->shardings[t];
        const Mesh *mesh = sharding ? sharding_mesh(inserter->module, sharding) : NULL;
        if (!sharding || (mesh && mesh->axis_count == 0 && mesh->id_count == 0)) continue;
        if (!mesh || mesh_is_maximal(mesh) || (best && !mesh_same_axes(mesh, best))) return NULL;
        int count = 0;
        for (int other = 0; other < tensors->count; other++) {
            const Sharding *named = tensors->shardings[other];
            count += named && sharding_mesh(inserter->module, named) == mesh;
        }
        if (count <= best_count) continue;
        best = mesh;
        best_count = count;
        tensors->mesh_name = sharding->mesh_name;
    }
    return best;
}

bool inserter_find_mesh(Inserter *inserter, Tensors *tensors) {
    tensors->mesh =
        common_mesh(inserter->module, tensors->count, tensors->shardings, &tensors->mesh_name);
    if (tensors->mesh) return !mesh_is_maximal(tensors->mesh) && tensors->mesh_name.size > 0;
    tensors->mesh = most_frequent_mesh(inserter, tensors);
    return tensors->mesh != NULL;
}

bool inserter_collect(Inserter *inserter, const Op *op, Tensors *tensors) {
    *tensors = (Tensors){
        .operand_count = op->operand_count,
        .count = op->operand_count + op->result_count,
    };
    tensors->types = ARENA_ARRAY(inserter->scratch, const Type *, tensors->count);
    tensors->shardings = ARENA_ARRAY(inserter->scratch, const Sharding *, tensors->count);
    bool any = false;
    for (int t = 0; t < tensors->count; t++) {
        const Value *value = tensor_value(op, t);
        if (!type_is_static(value->type)) return false;
        tensors->types[t] = value->type;
        tensors->shardings[t] = source_sharding(inserter->module, value);
        any = any || tensors->shardings[t];
    }
    return any;
}

// What the projection sees: shardings over other meshes in terms of the op's mesh.
static const Sharding **known_shardings(Inserter *inserter, const Tensors *tensors) {
    const Sharding **known = ARENA_ARRAY(inserter->scratch, const Sharding *, tensors->count);
    for (int t = 0; t < tensors->count; t++) {
        const Sharding *sharding = tensors->shardings[t];
        const Mesh *mesh = sharding ? sharding_mesh(inserter->module, sharding) : NULL;
        if (mesh && !mesh_same_axes(mesh, tensors->mesh)) {
            const Sharding names = {.mesh_name = tensors->mesh_name};
            known[t] = sharding_on_mesh(
                inserter->context, inserter->scratch, sharding, mesh, tensors->mesh, &names);
            continue;
        }
        if (!mesh) continue;
        Sharding named = *sharding;
        if (mesh != tensors->mesh) named.mesh_name = tensors->mesh_name;
        known[t] = sharding_intern(inserter->context, &named);
    }
    return known;
}

static AxisSpan final_axes(const ReshardChoice *choice, int f) {
    if (!choice->is_consistent) return choice->axes[f];
    const Projection *projection = choice->before;
    for (int t = 0; t < projection->tensor_count; t++) {
        const FactorSharding *factor = &projection->tensors[t].factors[f];
        if (factor->is_present && factor->axes.count > 0) return factor->axes;
    }
    return (AxisSpan){0, NULL};
}

AxisSpan inserter_reduction_axes(
    Inserter *inserter, const ReshardChoice *choice, const Mesh *mesh, const Sharding *result) {
    const ShardingRule *rule = choice->before->rule;
    AxisList list = {0};
    for (int f = 0; f < rule->factor_count; f++) {
        if (rule->factors[f].kind != FACTOR_REDUCTION) continue;
        AxisSpan axes = final_axes(choice, f);
        for (int i = 0; i < axes.count && list.count < MAX_AXIS_REFS; i++) {
            list.axes[list.count++] = axes.axes[i];
        }
    }
    AxisSpan all = {list.count, list.axes};
    return axes_minus(inserter->scratch, mesh, all, unreduced_axes(result));
}

// dot: the result's axes of one of its factors are exactly the reduction axes, which both operands
// have: the result is resharded, so that all_reduce and slice become a reduce_scatter.
static int reduction_conflict(
    Inserter *inserter, const Op *op, const Projection *projection, ReshardChoice *choice,
    int *side) {
    if (op->code != OP_DOT_GENERAL && op->code != OP_DOT) return -1;
    const ShardingRule *rule = projection->rule;
    int conflict = -1;
    *side = 0;
    AxisList reduced = {0};
    AxisSpan *axes = ARENA_ARRAY(inserter->scratch, AxisSpan, rule->factor_count);
    for (int f = 0; f < rule->factor_count; f++) {
        const FactorSharding *in_op[3];
        for (int t = 0; t < 3; t++)
            in_op[t] = &projection->tensors[t].factors[f];
        if (in_op[0]->is_present && in_op[1]->is_present) {
            if (!axis_span_equal(in_op[0]->axes, in_op[1]->axes)) return -1;
            axes[f] = in_op[0]->axes;
            if (rule->factors[f].kind != FACTOR_REDUCTION) {
                if (axis_span_equal(axes[f], in_op[2]->axes)) continue;
                if (conflict >= 0) return -1;
                conflict = f;
                *side = type_element_count(op_operand_type(op, 1)) >
                        type_element_count(op_operand_type(op, 0));
                continue;
            }
            for (int i = 0; i < axes[f].count && reduced.count < MAX_AXIS_REFS; i++) {
                reduced.axes[reduced.count++] = axes[f].axes[i];
            }
            continue;
        }
        const FactorSharding *operand = in_op[0]->is_present ? in_op[0] : in_op[1];
        axes[f] = operand->axes;
        if (axis_span_equal(operand->axes, in_op[2]->axes)) continue;
        if (conflict >= 0) return -1;
        conflict = f;
        *side = in_op[0]->is_present ? 0 : 1;
    }
    if (conflict < 0) return -1;
    AxisSpan in_result = projection->tensors[2].factors[conflict].axes;
    if (in_result.count == 0) return -1;
    if (!axis_span_equal(in_result, (AxisSpan){reduced.count, reduced.axes})) return -1;
    if (!reshard_axes_disjoint(projection, axes)) return -1; // M and N by the same axis
    choice->before = projection;
    choice->is_consistent = false;
    choice->axes = axes;
    return conflict;
}

static const Decision *decision_on(
    const Inserter *inserter, const Op *op, const ShardingRule *rule, const Tensors *tensors,
    const Sharding **before, const Sharding **after) {
    if (!inserter->provenance) return NULL;
    Decision decision = {
        .op = op,
        .rule = rule,
        .mesh = tensors->mesh,
        .operand_count = tensors->operand_count,
        .tensor_count = tensors->count,
        .tensors = ARENA_ARRAY(inserter->scratch, Value *, tensors->count),
        .before = before,
        .after = after,
    };
    for (int t = 0; t < tensors->count; t++)
        decision.tensors[t] = tensor_value(op, t);
    return provenance_decision(inserter->provenance, &decision);
}

// What is unreduced over axes by which the operand is to be sharded is summed first.
// Returns what is wanted of the sum.
static const Sharding *reduce_sharded(Inserter *inserter, Op *op, int i, const Sharding *wanted) {
    Value *operand = op_operand(op, i);
    const Sharding *own = value_sharding(inserter->module, operand);
    if (!own || !wanted || own->unreduced_count == 0) return wanted;
    const Mesh *mesh = sharding_mesh(inserter->module, own);
    AxisSpan left = unreduced_axes(own);
    for (int d = 0; d < wanted->rank; d++)
        left = axes_minus(inserter->scratch, mesh, left, dim_axes(wanted, d));
    AxisSpan axes = axes_minus(inserter->scratch, mesh, unreduced_axes(own), left);
    if (axes.count == 0) return wanted;
    const Sharding *out = sharding_with_unreduced(inserter->context, own, left);
    Builder builder = builder_before(inserter->module, op);
    builder.loc = place_of(inserter, CAUSE_PARTIAL, op, i, operand, own, out);
    OpCode body = reduction_kind_body(own->reduction);
    op_set_operand(op, i, make_all_reduce(inserter, &builder, operand, axes, out, body));
    AxisSpan kept = axes_minus(inserter->scratch, mesh, unreduced_axes(wanted), axes);
    return sharding_with_unreduced(inserter->context, wanted, kept);
}

void inserter_begin(
    Inserter *inserter, const ShardingRule *rule, const Tensors *tensors, OpReshards *reshards) {
    const Sharding **known = known_shardings(inserter, tensors);
    *reshards = (OpReshards){.rule = rule, .tensors = tensors, .known = known};
    reshards->choice.before =
        projection_create(inserter->scratch, rule, tensors->mesh, known, true);
    reshards->choice.is_consistent = true;
}

bool inserter_choose_reduction(
    Inserter *inserter, const Op *op, OpReshards *reshards, PrefersReductionFn *prefers) {
    ReshardChoice reduced = reshards->choice;
    int side, conflict = reduction_conflict(inserter, op, reduced.before, &reduced, &side);
    if (conflict < 0 || !prefers(op, reduced.axes[conflict], side)) return false;
    reshards->choice = reduced;
    return true;
}

void inserter_choose(Inserter *inserter, const Op *op, OpReshards *reshards) {
    ReshardChoice *choice = &reshards->choice;
    const Projection *projection = choice->before;
    bool is_reshaped =
        op->code == OP_RESHAPE &&
        reshard_choice_of_reshape(inserter->context, inserter->scratch, projection, choice);
    if (!is_reshaped)
        *choice = reshard_choice(inserter->scratch, projection, reshards->tensors->types);
}

void inserter_apply_operands(
    Inserter *inserter, Op *op, OpReshards *reshards, ReshardOperandFn *reshard) {
    const Tensors *tensors = reshards->tensors;
    ReshardChoice *choice = &reshards->choice;
    const Sharding **known = reshards->known;
    const Sharding *result_sharding = op->result_count ? op_result(op, 0)->sharding : NULL;
    reshards->reduced = inserter_reduction_axes(inserter, choice, tensors->mesh, result_sharding);
    const Sharding **wanted = ARENA_ARRAY(inserter->scratch, const Sharding *, tensors->count);
    for (int t = 0; t < tensors->count; t++) {
        wanted[t] = known[t];
        if (!choice->is_consistent) {
            wanted[t] = reshard_choice_sharding(
                inserter->context, inserter->scratch, choice, t, known[t], tensors->mesh_name);
        }
    }
    reshards->wanted = wanted;
    inserter->decision = decision_on(inserter, op, reshards->rule, tensors, known, wanted);
    for (int t = 0; t < tensors->operand_count; t++) {
        wanted[t] = reduce_sharded(inserter, op, t, wanted[t]);
        reshard(inserter, op, t, wanted[t], false, true);
    }
}

void inserter_apply_results(Inserter *inserter, Op *op, OpReshards *reshards) {
    const Sharding **wanted = reshards->wanted + reshards->tensors->operand_count;
    StrView mesh_name = reshards->tensors->mesh_name;
    reshards->moved = ARENA_ARRAY(inserter->scratch, Value *, op->result_count);
    for (int i = op->result_count - 1; i >= 0; i--) {
        Value *result = op_result(op, i);
        const Sharding *before = result->sharding;
        if (inserter_places_alike(inserter, before, wanted[i])) continue;
        result->sharding = wanted[i];
        Builder builder = builder_after(inserter->module, op);
        const Sharding *back = effective(inserter, result->type, before, mesh_name);
        builder.loc = place_of(inserter, CAUSE_RESULT, op, i, result, wanted[i], back);
        Value *y = inserter_reshard(inserter, &builder, result, back);
        value_replace_uses_except(result, y, y->def);
        reshards->moved[i] = y;
    }
}

void inserter_sum_results(Inserter *inserter, Op *op, const OpReshards *reshards, OpCode body) {
    if (reshards->reduced.count == 0 || body == OP_COUNT) return;
    for (int i = op->result_count - 1; i >= 0; i--) {
        Value *result = op_result(op, i);
        Builder builder = builder_after(inserter->module, op);
        const Sharding *out =
            effective(inserter, result->type, result->sharding, reshards->tensors->mesh_name);
        builder.loc = place_of(inserter, CAUSE_REDUCTION, op, i, result, out, out);
        Value *sum = make_all_reduce(inserter, &builder, result, reshards->reduced, out, body);
        value_replace_uses_except(result, sum, sum->def);
    }
}

// ---- receivers of values ----

// What the op that encloses a terminator wants of the operand i; false for bodies of reductions.
static bool returned_sharding(
    const Inserter *inserter, const Op *terminator, int i, const Sharding **wanted) {
    const Op *parent = op_parent_op(terminator);
    *wanted = NULL;
    if (!parent) return false;
    if (parent->code == OP_FUNC) {
        if (parent->result_shardings) *wanted = parent->result_shardings[i];
    } else if (parent->code == OP_WHILE) {
        if (terminator->parent != parent->regions[0]) *wanted = parent->results[i].sharding;
    } else if (parent->code == OP_IF || parent->code == OP_CASE) {
        *wanted = parent->results[i].sharding;
    } else if (parent->code == OP_SDY_MANUAL) {
        const Sharding *out = region_out_sharding(parent, i);
        *wanted = sharding_without_manual_axes(inserter->module, parent, out);
    } else if (parent->code == OP_SDY_NAMED) {
        *wanted = region_out_sharding(parent, i);
    } else {
        return false;
    }
    return true;
}

static const Sharding *callee_argument_sharding(const Module *module, const Op *call, int i) {
    const Op *callee = module_find_func(module, op_text(call, NAME_CALLEE));
    return callee && i < func_body(callee)->arg_count ? func_body(callee)->args[i]->sharding : NULL;
}

// What the op, which passes its operands on, wants of operand i.
static const Sharding *received_sharding(const Inserter *inserter, const Op *op, int i) {
    if (op->code == OP_CALL) return callee_argument_sharding(inserter->module, op, i);
    bool has_region_shardings = op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
    return has_region_shardings ? region_in_sharding(op, i) : op->results[i].sharding;
}

bool inserter_receives(Inserter *inserter, Op *op, ReshardOperandFn *reshard) {
    const Sharding *wanted;
    if (op_has(op, TRAIT_TERMINATOR)) {
        bool is_edge = op_parent_op(op) && op_parent_op(op)->code != OP_FUNC;
        for (int i = 0; i < op->operand_count; i++) {
            if (!returned_sharding(inserter, op, i, &wanted)) return true;
            inserter_reduce_operand(inserter, op, i, wanted, is_edge);
            reshard(inserter, op, i, wanted, is_edge, false);
        }
        return true;
    }
    bool receives = op->code == OP_WHILE || op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED ||
                    op->code == OP_OPTIMIZATION_BARRIER || op->code == OP_CALL;
    for (int i = 0; receives && i < op->operand_count; i++) {
        wanted = received_sharding(inserter, op, i);
        inserter_reduce_operand(inserter, op, i, wanted, true);
        reshard(inserter, op, i, wanted, true, false);
    }
    return receives || op_is_sdy_collective(op);
}
typedef struct InserterWalk {
    Inserter *inserter;
    InserterVisit *visit;
} InserterWalk;

static bool visit_op(Op *op, void *user) {
    const InserterWalk *walk = user;
    Inserter *inserter = walk->inserter;
    bool ok = walk->visit(inserter, op);
    inserter->decision = NULL;
    if (arena_bytes(inserter->scratch) > SCRATCH_LIMIT) arena_reset(inserter->scratch);
    return ok;
}

Inserter inserter_create(Module *module, const PassContext *pass) {
    return (Inserter){
        .module = module,
        .context = module->context,
        .scratch = arena_child(pass->scratch),
        .diags = pass->diags,
        .provenance = pass->provenance,
    };
}

bool inserter_run(Inserter *inserter, InserterVisit *visit) {
    InserterWalk walk = {inserter, visit};
    return region_walk(inserter->module->body, visit_op, &walk);
}

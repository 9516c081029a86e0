// explain_reasons: sentences on who wanted which axis where, who won and why.
#include "partition/explain/explain_internal.h"

static void add_reason(Explainer *explainer, Reasons *reasons, const char *sentence) {
    for (int64_t i = 0; i < reasons->count; i++) {
        if (strcmp(reasons->data[i], sentence) == 0) return;
    }
    vec_push(explainer->arena, reasons, sentence);
}

// ---- chains in short ----

const char *root_text(const Explainer *explainer, const ChainRoot *root) {
    Arena *arena = explainer->arena;
    const ProvenancePlace *place = root->place;
    if (!place) return "an unknown place";
    Value *value = place->place.value;
    if (!value) return arena_printf(arena, "the annotation of result %d", place->place.result);
    const Op *def = value->def;
    const char *where = loc_text(arena, value->loc);
    const char *name = value_text(explainer, value);
    if (def && (def->code == OP_SDY_CONSTRAINT || def->code == OP_SDY_RESHARD)) {
        return arena_printf(arena, "the sharding constraint %s (%s)", name, where);
    }
    const Op *owner = def ? NULL : value->region->owner;
    if (owner && owner->code == OP_FUNC) {
        return arena_printf(arena, "the annotation of argument %s (%s)", name, where);
    }
    if (owner || (def && def->code == OP_SDY_MANUAL)) {
        const Op *op = owner ? owner : def;
        return arena_printf(
            arena, "the %s_shardings of %s (%s)", owner ? "in" : "out", op_text_of(arena, op),
            loc_text(arena, op->loc));
    }
    return arena_printf(arena, "the annotation of %s (%s)", name, where);
}

// " in step 7 (user priority 0, op round 2, basic), through stablehlo.add (f.mlir:4:3)"
static const char *arrival_text(const Explainer *explainer, const Arrival *arrival) {
    Arena *arena = explainer->arena;
    const ProvenanceStep *step = arrival ? arrival->step : NULL;
    if (!step) return "";
    const Op *op = step_op(step);
    const char *by = op ? op_text_of(arena, op) : "func.return";
    return arena_printf(
        arena, ", by step %d through %s (user priority %d, op round %d, %s)", step->number, by,
        step->user_priority, step->round < 0 ? 0 : step->round,
        step->strategy == STRATEGY_BASIC ? "basic" : "aggressive");
}

static const char *chain_text(
    const Explainer *explainer, const Mesh *mesh, const ProvenancePlace *place, int dim,
    const AxisRef *axis) {
    Arena *arena = explainer->arena;
    ChainRoot root = chain_root(mesh, place, dim, axis);
    if (!root.place) return "nothing that is recorded";
    if (root.steps == 0) return root_text(explainer, &root);
    return arena_printf(
        arena, "dim %d of %s, %d step%s of propagation away", root.dim, root_text(explainer, &root),
        root.steps, root.steps == 1 ? "" : "s");
}

// Where an axis of a value came from; NULL when nothing is recorded.
static const char *origin_sentence(
    const Explainer *explainer, const Mesh *mesh, Value *value, int dim, const AxisRef *axis) {
    const ProvenancePlace *place = provenance_of_value(explainer->base.provenance, value);
    const Arrival *arrival = place ? provenance_arrival(mesh, place, dim, axis) : NULL;
    if (!arrival) return NULL;
    Arena *arena = explainer->arena;
    return arena_printf(
        arena, "%s has %s in dim %d from %s%s", value_text(explainer, value),
        axis_text(arena, axis), dim, chain_text(explainer, mesh, place, dim, axis),
        arrival_text(explainer, arrival));
}

static void add_origin(
    Explainer *explainer, const Mesh *mesh, Value *value, int dim, const AxisRef *axis,
    Reasons *reasons) {
    const char *sentence = origin_sentence(explainer, mesh, value, dim, axis);
    if (sentence) add_reason(explainer, reasons, sentence);
}

static bool is_listed(const Mesh *mesh, const AxisRef *axes, int count, const AxisRef *axis) {
    for (int i = 0; i < count; i++) {
        if (axis_ref_overlaps(mesh, &axes[i], axis)) return true;
    }
    return false;
}

static bool dim_has_axis(const Mesh *mesh, const Sharding *sharding, int d, const AxisRef *axis) {
    if (!sharding || d >= sharding->rank) return false;
    return is_listed(mesh, sharding->dims[d].axes, sharding->dims[d].axis_count, axis);
}

// The axes of `sharding` in dims that `other` splits otherwise; with other NULL all of them.
static void add_axis_reasons(
    Explainer *explainer, Value *value, const Sharding *sharding, const Sharding *other,
    Reasons *reasons) {
    const Mesh *mesh = sharding ? sharding_mesh(explainer->base.module, sharding) : NULL;
    for (int d = 0; mesh && d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            const AxisRef *axis = &sharding->dims[d].axes[i];
            bool is_same = other && axis_span_equal(dim_axes(sharding, d), dim_axes(other, d));
            if (!is_same) add_origin(explainer, mesh, value, d, axis, reasons);
        }
    }
}

// ---- why an axis did not come to a value ----

static int dim_with_axis(const Mesh *mesh, const Sharding *sharding, const AxisRef *axis) {
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            if (axis_ref_overlaps(mesh, &sharding->dims[d].axes[i], axis)) return d;
        }
    }
    return -1;
}

static const char *blocked_text(
    const Explainer *explainer, const Mesh *mesh, const Value *value, const ProvenancePlace *place,
    int dim, const AxisRef *axis) {
    Arena *arena = explainer->arena;
    const Sharding *sharding = place ? place->propagated : NULL;
    const char *name = axis_text(arena, axis);
    if (!sharding || dim >= sharding->rank) return "propagation brought no sharding to it";
    int other = dim_with_axis(mesh, sharding, axis);
    if (other >= 0 && other != dim) {
        return arena_printf(
            arena, "%s shards its dim %d already, from %s%s", name, other,
            chain_text(explainer, mesh, place, other, axis),
            arrival_text(explainer, provenance_arrival(mesh, place, other, axis)));
    }
    if (is_listed(mesh, sharding->replicated, sharding->replicated_count, axis)) {
        return arena_printf(arena, "its annotation lists %s as replicated", name);
    }
    if (!sharding->dims[dim].is_open) {
        return arena_printf(
            arena, "its annotation %s closes dim %d",
            sharding_text(arena, place->written ? place->written : sharding), dim);
    }
    if (sharding->dims[dim].axis_count > 0) {
        StrBuf list = strbuf(arena);
        axis_list_print(&list, sharding->dims[dim].axes, sharding->dims[dim].axis_count);
        return arena_printf(
            arena, "its dim %d is sharded over %s, which does not begin with the same axes", dim,
            strbuf_cstring(&list));
    }
    int64_t size = axis_ref_size(mesh, axis);
    if (value->type->dims[dim] % size != 0) {
        return arena_printf(
            arena, "%s of size %lld does not divide its %lld elements", name, (long long)size,
            (long long)value->type->dims[dim]);
    }
    return "propagation ended before it got there, because other tensors of the ops between "
           "disagree";
}

// ---- a decision ----

// An axis at a decision: which tensors have it, on which factors.
typedef struct AxisUse {
    AxisRef axis;
    int factor_count; // different ones, at most 2 are kept
    int factors[2];
    int winner; // factor that has it after the decision; -1: none
} AxisUse;

typedef struct Reasoning {
    Explainer *explainer;
    const Decision *decision;
    Projection *before, *after;
    Reasons *reasons;
} Reasoning;

static bool has_axis(const Projection *projection, int t, int f, const AxisRef *axis) {
    const FactorSharding *factor = &projection->tensors[t].factors[f];
    return factor->is_present &&
           is_listed(projection->mesh, factor->axes.axes, factor->axes.count, axis);
}

static int64_t elements_with(const Reasoning *reasoning, int f, const AxisRef *axis) {
    int64_t elements = 0;
    for (int t = 0; t < reasoning->before->tensor_count; t++) {
        if (!has_axis(reasoning->before, t, f, axis)) continue;
        elements += type_element_count(reasoning->decision->tensors[t]->type);
    }
    return elements;
}

static AxisUse axis_use_of(const Reasoning *reasoning, const AxisRef *axis) {
    AxisUse use = {.axis = *axis, .winner = -1};
    for (int f = 0; f < reasoning->decision->rule->factor_count; f++) {
        bool before = false;
        for (int t = 0; t < reasoning->before->tensor_count; t++) {
            before = before || has_axis(reasoning->before, t, f, axis);
            if (has_axis(reasoning->after, t, f, axis)) use.winner = f;
        }
        if (!before) continue;
        if (use.factor_count < 2) use.factors[use.factor_count] = f;
        use.factor_count++;
    }
    return use;
}

// "factor i (dim 0 of %0, dim 0 of %5)"
static const char *holders_text(const Reasoning *reasoning, int f, const AxisRef *axis) {
    Arena *arena = reasoning->explainer->arena;
    StrBuf out = strbuf(arena);
    strbuf_printf(&out, "factor %s (", factor_text(arena, f));
    bool first = true;
    for (int t = 0; t < reasoning->before->tensor_count; t++) {
        if (!has_axis(reasoning->before, t, f, axis)) continue;
        strbuf_printf(
            &out, "%sdim %d of %s", first ? "" : ", ",
            rule_factor_dim(reasoning->decision->rule, t, f),
            value_text(reasoning->explainer, reasoning->decision->tensors[t]));
        first = false;
    }
    strbuf_puts(&out, ")");
    return strbuf_cstring(&out);
}

static void add_origins(const Reasoning *reasoning, int f, const AxisRef *axis) {
    const Decision *decision = reasoning->decision;
    for (int t = 0; t < decision->tensor_count; t++) {
        int dim = rule_factor_dim(decision->rule, t, f);
        if (dim < 0 || !has_axis(reasoning->before, t, f, axis)) continue;
        add_origin(
            reasoning->explainer, decision->mesh, decision->tensors[t], dim, axis,
            reasoning->reasons);
    }
}

// Why propagation left it like that: the tensors that have both factors, and the axis on one.
static void add_order(const Reasoning *reasoning, const AxisRef *axis, int held, int wanted) {
    const Decision *decision = reasoning->decision;
    const ShardingRule *rule = decision->rule;
    Arena *arena = reasoning->explainer->arena;
    Contest contest = {.axis = *axis, .held = held, .wanted = wanted, .rival = -1};
    for (int t = 0; t < decision->tensor_count; t++) {
        if (contest.rival < 0 && has_axis(reasoning->before, t, wanted, axis)) contest.rival = t;
    }
    for (int t = 0; t < decision->tensor_count && contest.rival >= 0; t++) {
        int other = rule_factor_dim(rule, t, wanted);
        if (other < 0 || !has_axis(reasoning->before, t, held, axis)) continue;
        contest.holder = t;
        const char *order = explain_order(reasoning->explainer, decision, &contest);
        if (!order) continue;
        add_reason(
            reasoning->explainer, reasoning->reasons,
            arena_printf(
                arena, "%s has %s in dim %d and not in dim %d: %s",
                value_text(reasoning->explainer, decision->tensors[t]), axis_text(arena, axis),
                rule_factor_dim(rule, t, held), other, order));
    }
}

static void add_conflict(const Reasoning *reasoning, const AxisUse *use) {
    Arena *arena = reasoning->explainer->arena;
    const char *axis = axis_text(arena, &use->axis);
    add_reason(
        reasoning->explainer, reasoning->reasons,
        arena_printf(
            arena, "two factors of %s compete for %s: %s and %s",
            op_text_of(arena, reasoning->decision->op), axis,
            holders_text(reasoning, use->factors[0], &use->axis),
            holders_text(reasoning, use->factors[1], &use->axis)));
    for (int i = 0; i < 2; i++)
        add_origins(reasoning, use->factors[i], &use->axis);
    for (int i = 0; i < 2; i++)
        add_order(reasoning, &use->axis, use->factors[i], use->factors[1 - i]);
    if (use->winner < 0) {
        add_reason(
            reasoning->explainer, reasoning->reasons,
            arena_printf(arena, "no factor gets %s: the op is not sharded over it", axis));
        return;
    }
    int loser = use->factors[0] == use->winner ? use->factors[1] : use->factors[0];
    int64_t won = elements_with(reasoning, use->winner, &use->axis);
    int64_t lost = elements_with(reasoning, loser, &use->axis);
    const char *why = won > lost   ? "because more elements are sharded that way"
                      : won < lost ? "although fewer elements are sharded that way"
                                   : "because as many elements are sharded either way, and the "
                                     "order of factors decides";
    add_reason(
        reasoning->explainer, reasoning->reasons,
        arena_printf(
            arena, "factor %s gets %s, %s (%lld, and %lld for factor %s)",
            factor_text(arena, use->winner), axis, why, (long long)won, (long long)lost,
            factor_text(arena, loser)));
}

// Tensors that have the factor, but not the axis.
static void add_missing(const Reasoning *reasoning, const AxisUse *use) {
    const Decision *decision = reasoning->decision;
    Arena *arena = reasoning->explainer->arena;
    int f = use->factors[0];
    for (int t = 0; t < decision->tensor_count; t++) {
        int dim = rule_factor_dim(decision->rule, t, f);
        if (dim < 0 || has_axis(reasoning->before, t, f, &use->axis)) continue;
        Value *value = decision->tensors[t];
        const ProvenancePlace *place =
            provenance_of_value(reasoning->explainer->base.provenance, value);
        add_origins(reasoning, f, &use->axis);
        add_reason(
            reasoning->explainer, reasoning->reasons,
            arena_printf(
                arena, "dim %d of %s does not have %s: %s", dim,
                value_text(reasoning->explainer, value), axis_text(arena, &use->axis),
                blocked_text(reasoning->explainer, decision->mesh, value, place, dim, &use->axis)));
    }
}

// Is the factor behind another one in a dim?
static bool is_minor(const Reasoning *reasoning, int f) {
    const ShardingRule *rule = reasoning->decision->rule;
    for (int t = 0; t < reasoning->decision->tensor_count; t++) {
        const TensorFactors *tensor =
            t < rule->operand_count ? &rule->operands[t] : &rule->results[t - rule->operand_count];
        int dim = rule_factor_dim(rule, t, f);
        if (dim >= 0 && tensor->dims[dim].factors[0] != f) return true;
    }
    return false;
}

static void explain_axis(const Reasoning *reasoning, const AxisRef *axis) {
    AxisUse use = axis_use_of(reasoning, axis);
    const ShardingRule *rule = reasoning->decision->rule;
    if (use.factor_count > 1) {
        add_conflict(reasoning, &use);
        return;
    }
    if (use.factor_count == 0) return;
    if (rule->factors[use.factors[0]].kind == FACTOR_NEED_REPLICATION) {
        Arena *arena = reasoning->explainer->arena;
        add_reason(
            reasoning->explainer, reasoning->reasons,
            arena_printf(
                arena, "%s needs %s unsharded: %s cannot shard it",
                op_text_of(arena, reasoning->decision->op),
                holders_text(reasoning, use.factors[0], axis), axis_text(arena, axis)));
        return;
    }
    add_missing(reasoning, &use);
    if (use.winner >= 0 || !is_minor(reasoning, use.factors[0])) return;
    add_reason(
        reasoning->explainer, reasoning->reasons,
        arena_printf(
            reasoning->explainer->arena,
            "%s cannot keep %s on %s: a factor before it in a dimension is not sharded completely",
            op_text_of(reasoning->explainer->arena, reasoning->decision->op),
            axis_text(reasoning->explainer->arena, axis),
            holders_text(reasoning, use.factors[0], axis)));
}

// Has the axis to do with what the cause changes: is it on a dim of the value that changes?
static bool is_relevant(const Reasoning *reasoning, const Cause *cause, const AxisRef *axis) {
    const Mesh *mesh = reasoning->decision->mesh;
    for (int d = 0; d < cause->value->type->rank; d++) {
        AxisSpan from = cause->from ? dim_axes(cause->from, d) : (AxisSpan){0, NULL};
        AxisSpan to = cause->to ? dim_axes(cause->to, d) : (AxisSpan){0, NULL};
        if (axis_span_equal(from, to)) continue;
        if (is_listed(mesh, from.axes, from.count, axis)) return true;
        if (is_listed(mesh, to.axes, to.count, axis)) return true;
    }
    return false;
}

// Is a part of the axis claimed by itself? Then the parts are explained.
static bool is_split_up(const Reasoning *reasoning, const AxisRef *axis) {
    const Projection *before = reasoning->before;
    for (int t = 0; t < before->tensor_count; t++) {
        for (int f = 0; f < before->rule->factor_count; f++) {
            AxisSpan axes = before->tensors[t].factors[f].axes;
            for (int i = 0; i < axes.count; i++) {
                if (!axis_ref_equal(axis, &axes.axes[i]) &&
                    axis_ref_contains(before->mesh, axis, &axes.axes[i])) {
                    return true;
                }
            }
        }
    }
    return false;
}

static void say_reduced(const Reasoning *reasoning) {
    const Decision *decision = reasoning->decision;
    for (int f = 0; f < decision->rule->factor_count; f++) {
        if (decision->rule->factors[f].kind != FACTOR_REDUCTION) continue;
        for (int t = 0; t < decision->operand_count; t++) {
            AxisSpan axes = reasoning->after->tensors[t].factors[f].axes;
            for (int i = 0; i < axes.count; i++)
                add_origins(reasoning, f, &axes.axes[i]);
        }
    }
}

void explain_decision(Explainer *explainer, const Cause *cause, Reasons *reasons) {
    const Decision *decision = cause->decision;
    Reasoning reasoning = {
        .explainer = explainer,
        .decision = decision,
        .before = projection_create(
            explainer->arena, decision->rule, decision->mesh, decision->before, true),
        .after = projection_create(
            explainer->arena, decision->rule, decision->mesh, decision->after, true),
        .reasons = reasons,
    };
    if (cause->kind == CAUSE_REDUCTION) {
        say_reduced(&reasoning);
        return;
    }
    bool is_made = cause->kind == CAUSE_RESULT; // what it lies as elsewhere is what was recorded
    const Sharding *known = is_made ? cause->to : cause->from;
    add_axis_reasons(explainer, cause->value, known, is_made ? cause->from : cause->to, reasons);
    for (int t = 0; t < decision->tensor_count; t++) {
        const TensorProjection *tensor = &reasoning.before->tensors[t];
        for (int f = 0; f < decision->rule->factor_count; f++) {
            for (int i = 0; i < tensor->factors[f].axes.count; i++) {
                const AxisRef *axis = &tensor->factors[f].axes.axes[i];
                if (is_relevant(&reasoning, cause, axis) && !is_split_up(&reasoning, axis)) {
                    explain_axis(&reasoning, axis);
                }
            }
        }
    }
}

// ---- what a place wants ----

static const ProvenancePlace *wanting_place(const Explainer *explainer, const Cause *cause) {
    const Provenance *provenance = explainer->base.provenance;
    if (cause->kind == CAUSE_CONSTRAINT) {
        return provenance_of_value(provenance, op_result(cause->op, 0));
    }
    const Op *parent = op_has(cause->op, TRAIT_TERMINATOR) ? op_parent_op(cause->op) : NULL;
    if (parent && parent->code == OP_FUNC) {
        return provenance_of_result(provenance, parent, cause->index);
    }
    if (parent && cause->index < parent->result_count) {
        return provenance_of_value(provenance, op_result(parent, cause->index));
    }
    if (cause->op->code == OP_SDY_MANUAL && cause->op->region_count > 0 &&
        cause->index < cause->op->regions[0]->arg_count) {
        return provenance_of_value(provenance, cause->op->regions[0]->args[cause->index]);
    }
    if (cause->index < cause->op->result_count) {
        return provenance_of_value(provenance, op_result(cause->op, cause->index));
    }
    return NULL;
}

void explain_wanted(Explainer *explainer, const Cause *cause, Reasons *reasons) {
    const ProvenancePlace *place = wanting_place(explainer, cause);
    add_axis_reasons(explainer, cause->value, cause->from, cause->to, reasons);
    const Sharding *to = cause->to ? cause->to : cause->from;
    const Mesh *mesh = to ? sharding_mesh(explainer->base.module, to) : NULL;
    if (!place || !mesh) return;
    for (const Arrival *arrival = place->first; arrival; arrival = arrival->next) {
        if (dim_has_axis(mesh, cause->from, arrival->dim, &arrival->axis)) continue;
        add_reason(
            explainer, reasons,
            arena_printf(
                explainer->arena, "%s in dim %d is required by %s",
                axis_text(explainer->arena, &arrival->axis), arrival->dim,
                chain_text(explainer, mesh, place, arrival->dim, &arrival->axis)));
    }
    if (!cause->from || place->written == NULL) return;
    for (int d = 0; d < cause->from->rank && d < place->written->rank; d++) {
        if (cause->from->dims[d].axis_count == 0 || place->written->dims[d].axis_count > 0)
            continue;
        if (place->written->dims[d].is_open) continue;
        ChainRoot root = {.place = place};
        add_reason(
            explainer, reasons,
            arena_printf(explainer->arena, "%s closes dim %d", root_text(explainer, &root), d));
    }
}

// ---- ops that communicate by themselves ----

void explain_operands(
    Explainer *explainer, const Collective *collective, Reasons *reasons,
    shardc_explain_collective *out) {
    Arena *arena = explainer->arena;
    for (int64_t i = 0; i < explainer->listed.count; i++) {
        const ListedValue listed = explainer->listed.data[i];
        if (!listed.value || !listed.value->def) continue;
        if (!loc_same_origin(listed.value->loc, collective->loc)) continue;
        if (out->value < 0) {
            out->value = (int32_t)i;
            bool is_whole = sharding_is_fully_replicated(listed.sharding);
            out->from = out->to = is_whole ? "" : sharding_text(arena, listed.sharding);
        }
        add_axis_reasons(explainer, listed.value, listed.sharding, NULL, reasons);
        const Op *def = listed.value->def;
        for (int k = 0; k < def->operand_count; k++) {
            Value *operand = op_operand(def, k);
            add_axis_reasons(
                explainer, operand, value_sharding(explainer->base.module, operand), NULL, reasons);
        }
    }
}

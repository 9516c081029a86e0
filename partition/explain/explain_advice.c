// explain_advice: changes of one annotation that make a collective cheaper. Candidates come from
// the annotations that the shardings which met lead back to; each is tried: a copy of the program
// is changed and partitioned, and only what measures better is given.
//
//   a conflict over an axis    the axis leaves the annotation that it comes
//                              from, or goes to another dim there
//   a reshard of a value       the value gets the wanted sharding by annotation or
//                              constraint; the result follows the value
//   a partial result           it is wanted split over the reduced axes (a reduce_scatter)
#include "ir/builder.h"
#include "ir/print/print.h"
#include "partition/explain/explain_internal.h"

#include <assert.h>

enum { MAX_CANDIDATES = 32, MAX_ADVICE = 3 };

// A change of the source: of the sharding of an argument, op result or constraint, of a
// function result, or a new constraint.
typedef enum EditKind { EDIT_VALUE, EDIT_RESULT, EDIT_CONSTRAINT } EditKind;

typedef struct Candidate {
    EditKind kind;
    Value *value; // of the source; EDIT_RESULT: NULL
    Op *func;     // EDIT_RESULT
    int result;
    const Sharding *before, *after;
    Cost cost;
    int64_t here_bytes;
} Candidate;

// A candidate that was tried, and what its collectives were; their ops and causes are
// gone. Collectives share candidates.
struct Trial {
    Candidate candidate;
    bool ran;
    Collectives collectives;
};

typedef struct Advisor {
    Explainer *explainer;
    const Collective *collective;
    Candidate candidates[MAX_CANDIDATES];
    int count;
} Advisor;

// ---- candidates ----

// Is the sharding one that the source can have: on a mesh that it names?
static bool is_writable(const Advisor *advisor, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(advisor->explainer->source, sharding) : NULL;
    return mesh && sharding->unreduced_count == 0;
}

static bool same_change(const Candidate *a, const Candidate *b) {
    return a->kind == b->kind && a->value == b->value && a->func == b->func &&
           a->result == b->result && a->after == b->after;
}

static void add(Advisor *advisor, Candidate candidate) {
    if (!is_writable(advisor, candidate.after) || candidate.before == candidate.after) return;
    for (int i = 0; i < advisor->count; i++) {
        if (same_change(&advisor->candidates[i], &candidate)) return;
    }
    if (advisor->count < MAX_CANDIDATES) advisor->candidates[advisor->count++] = candidate;
}

// The value of the source that a value of the propagated program is; NULL when it is none.
static Value *source_value(const Advisor *advisor, const Value *value) {
    const Explainer *explainer = advisor->explainer;
    Value *arg = value->def ? NULL : source_arg(explainer, value->loc);
    if (arg) return arg->type == value->type ? arg : NULL;
    Op *op = value->def ? source_op(explainer, value->loc) : NULL;
    if (!op || value->index >= op->result_count) return NULL;
    bool same = is_same_op(op, value->def) && op_result(op, value->index)->type == value->type;
    return same ? op_result(op, value->index) : NULL;
}

static bool is_function_argument(const Value *value) {
    return value_is_argument(value) && value->region->owner->code == OP_FUNC;
}

// The value is to lie as `sharding` says: an argument by its annotation,
// anything else by a constraint.
static void add_sharding(Advisor *advisor, const Value *value, const Sharding *sharding) {
    Value *source = source_value(advisor, value);
    if (!source || !sharding || sharding->rank != source->type->rank) return;
    Candidate candidate = {.kind = EDIT_CONSTRAINT, .value = source, .after = sharding};
    bool is_constraint = source->def && source->def->code == OP_SDY_CONSTRAINT;
    if (is_constraint || is_function_argument(source)) {
        candidate.kind = EDIT_VALUE;
        candidate.before = source->sharding;
    }
    add(advisor, candidate);
}

static const Sharding *with_dims(
    const Advisor *advisor, const Sharding *sharding, const DimSharding *dims) {
    Sharding changed = *sharding;
    changed.dims = dims;
    return sharding_intern(advisor->explainer->source->context, &changed);
}

// Without the axis; and, where dim >= 0, with it as the last of that dim. NULL
// when it does not divide the dim.
static const Sharding *move_axis(
    const Advisor *advisor, const Sharding *sharding, const Type *type, const AxisRef *axis,
    int dim) {
    const Mesh *mesh = sharding_mesh(advisor->explainer->source, sharding);
    DimSharding dims[MAX_RANK];
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *old = &sharding->dims[d];
        AxisRef *axes = ARENA_ARRAY(advisor->explainer->arena, AxisRef, old->axis_count + 1);
        int count = 0;
        for (int i = 0; i < old->axis_count; i++) {
            if (!axis_ref_overlaps(mesh, &old->axes[i], axis)) axes[count++] = old->axes[i];
        }
        if (d == dim) axes[count++] = *axis;
        dims[d] = *old;
        dims[d].axes = axes;
        dims[d].axis_count = count;
        if (count == 0 && !old->is_open) dims[d].priority = PRIORITY_NONE;
        if (d == dim && type->dims[d] % axis_list_size(mesh, axes, count) != 0) return NULL;
    }
    return with_dims(advisor, sharding, dims);
}

// The whole annotation as either of the shardings that met, where it is on an
// array like the one that is moved.
static void add_replacements(Advisor *advisor, Candidate candidate, const Type *type) {
    const Cause *cause = advisor->collective->cause;
    if (!cause || cause->value->type->rank != type->rank) return;
    for (int d = 0; d < type->rank; d++) {
        if (cause->value->type->dims[d] != type->dims[d]) return;
    }
    const Sharding *met[2] = {cause->from, cause->to};
    for (int i = 0; i < 2; i++) {
        candidate.after = met[i];
        if (met[i]) add(advisor, candidate);
    }
}

static void add_moves(
    Advisor *advisor, Candidate candidate, const Type *type, const AxisRef *axis) {
    for (int d = -1; d < candidate.before->rank; d++) {
        candidate.after = move_axis(advisor, candidate.before, type, axis, d);
        if (candidate.after) add(advisor, candidate);
    }
    add_replacements(advisor, candidate, type);
}

// The annotation at the beginning of a chain, without the axis or with it elsewhere.
static void add_root(Advisor *advisor, const ChainRoot *root) {
    const ProvenancePlace *place = root->place;
    if (!place) return;
    Explainer *explainer = advisor->explainer;
    if (!place->place.value) {
        Op *func = source_op(explainer, place->place.op->loc);
        if (!func || func->code != OP_FUNC) return;
        const Sharding *before = func_result_sharding(func, place->place.result);
        const Op *end = region_terminator(func_body(func));
        if (!before || !is_writable(advisor, before)) return;
        Candidate candidate = {
            .kind = EDIT_RESULT, .func = func, .result = place->place.result, .before = before};
        add_moves(advisor, candidate, op_operand_type(end, place->place.result), &root->axis);
        return;
    }
    Value *value = source_value(advisor, place->place.value);
    if (!value || !value->sharding || !is_writable(advisor, value->sharding)) return;
    Candidate candidate = {.kind = EDIT_VALUE, .value = value, .before = value->sharding};
    add_moves(advisor, candidate, value->type, &root->axis);
}

static void add_roots_at(Advisor *advisor, const ProvenancePlace *place, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(advisor->explainer->base.module, sharding) : NULL;
    if (!place || !mesh) return;
    for (int d = 0; d < sharding->rank; d++) {
        for (int i = 0; i < sharding->dims[d].axis_count; i++) {
            ChainRoot root = chain_root(mesh, place, d, &sharding->dims[d].axes[i]);
            add_root(advisor, &root);
        }
    }
}

static void add_roots(Advisor *advisor, Value *value, const Sharding *sharding) {
    const Provenance *provenance = advisor->explainer->base.provenance;
    add_roots_at(advisor, provenance_of_value(provenance, value), sharding);
}

// ---- candidates of a decision ----

// Result r with the axes that operand t has on their common factors, its own elsewhere.
static const Sharding *follow_operand(
    const Advisor *advisor, const Decision *decision, int t, int r) {
    const Value *result = decision->tensors[r];
    const Sharding *from = decision->before[t], *own = decision->before[r];
    if (!from) return NULL;
    if (!own)
        own = sharding_replicated(
            advisor->explainer->source->context, from->mesh_name, result->type->rank);
    DimSharding dims[MAX_RANK];
    bool is_taken[MAX_RANK] = {0};
    for (int d = 0; d < own->rank; d++)
        dims[d] = own->dims[d];
    for (int f = 0; f < decision->rule->factor_count; f++) {
        int in = rule_factor_dim(decision->rule, t, f), out = rule_factor_dim(decision->rule, r, f);
        if (in < 0 || out < 0 || is_taken[out]) continue;
        dims[out] = from->dims[in];
        is_taken[out] = true;
    }
    // An axis that the operand has on one dim leaves the others.
    for (int d = 0; d < own->rank; d++) {
        for (int e = 0; e < own->rank && !is_taken[d]; e++) {
            for (int i = 0; is_taken[e] && i < dims[e].axis_count; i++) {
                for (int k = 0; k < dims[d].axis_count; k++) {
                    if (axis_ref_overlaps(decision->mesh, &dims[e].axes[i], &dims[d].axes[k]))
                        dims[d].axis_count = k;
                }
            }
        }
    }
    return with_dims(advisor, own, dims);
}

static void add_decision(Advisor *advisor, const Cause *cause) {
    const Decision *decision = cause->decision;
    for (int t = 0; t < decision->tensor_count; t++)
        add_roots(advisor, decision->tensors[t], decision->before[t]);
    for (int t = 0; t < decision->operand_count; t++) {
        add_sharding(advisor, decision->tensors[t], decision->after[t]);
        for (int r = decision->operand_count; r < decision->tensor_count; r++)
            add_sharding(advisor, decision->tensors[r], follow_operand(advisor, decision, t, r));
    }
}

// A partial result is wanted split over each axis that it is reduced over.
static void add_scatters(Advisor *advisor, const Cause *cause) {
    const Decision *decision = cause->decision;
    Arena *arena = advisor->explainer->arena;
    const Sharding *own = cause->to;
    Projection *after =
        projection_create(arena, decision->rule, decision->mesh, decision->after, true);
    if (!own) return;
    for (int f = 0; f < decision->rule->factor_count; f++) {
        if (decision->rule->factors[f].kind != FACTOR_REDUCTION) continue;
        for (int t = 0; t < decision->operand_count; t++) {
            AxisSpan axes = after->tensors[t].factors[f].axes;
            for (int i = 0; i < axes.count; i++) {
                for (int d = 0; d < own->rank; d++) {
                    const Sharding *split =
                        move_axis(advisor, own, cause->value->type, &axes.axes[i], d);
                    add_sharding(advisor, cause->value, split);
                }
            }
        }
    }
}

static void add_receiver(Advisor *advisor, const Cause *cause) {
    const Explainer *explainer = advisor->explainer;
    const Provenance *provenance = explainer->base.provenance;
    add_roots(advisor, cause->value, cause->from);
    const Op *parent = op_has(cause->op, TRAIT_TERMINATOR) ? op_parent_op(cause->op) : NULL;
    if (parent && parent->code == OP_FUNC) {
        const ProvenancePlace *place = provenance_of_result(provenance, parent, cause->index);
        Op *func = source_op(explainer, parent->loc);
        add_roots_at(advisor, place, cause->to);
        if (!func || func->code != OP_FUNC || !func_result_sharding(func, cause->index)) return;
        const Sharding *after = cause->from;
        if (!after) {
            after = sharding_replicated(
                explainer->source->context, cause->to->mesh_name, cause->to->rank);
        }
        add(advisor, (Candidate){
                         .kind = EDIT_RESULT,
                         .func = func,
                         .result = cause->index,
                         .before = func_result_sharding(func, cause->index),
                         .after = after,
                     });
        return;
    }
    const Op *owner = parent ? parent : cause->op;
    if (cause->index < owner->result_count) {
        add_roots(advisor, op_result(owner, cause->index), cause->to);
    }
    add_sharding(advisor, cause->value, cause->to);
}

static void add_constraint_cause(Advisor *advisor, const Cause *cause) {
    add_sharding(advisor, op_result(cause->op, 0), cause->from);
    add_roots(advisor, op_result(cause->op, 0), cause->to);
    add_roots(advisor, cause->value, cause->from);
    add_sharding(advisor, cause->value, cause->to);
}

// The op communicates by itself: the annotations that its tensors' axes come from.
static void add_own(Advisor *advisor) {
    const Explainer *explainer = advisor->explainer;
    for (int64_t i = 0; i < explainer->listed.count; i++) {
        const ListedValue listed = explainer->listed.data[i];
        bool is_made = listed.value && listed.value->def;
        if (!is_made || !loc_same_origin(listed.value->loc, advisor->collective->loc)) continue;
        add_roots(advisor, listed.value, listed.sharding);
        const Op *def = listed.value->def;
        for (int k = 0; k < def->operand_count; k++) {
            Value *operand = op_operand(def, k);
            add_roots(advisor, operand, value_sharding(explainer->base.module, operand));
        }
    }
}

static void find_candidates(Advisor *advisor) {
    const Cause *cause = advisor->collective->cause;
    if (!cause) {
        if (!is_written_collective(advisor->collective)) add_own(advisor);
        return;
    }
    switch (cause->kind) {
    case CAUSE_CONSTRAINT: add_constraint_cause(advisor, cause); break;
    case CAUSE_RECEIVER:
    case CAUSE_PARTIAL: add_receiver(advisor, cause); break;
    case CAUSE_REDUCTION:
    case CAUSE_OPERAND:
    case CAUSE_RESULT:
        if (cause->kind == CAUSE_REDUCTION) add_scatters(advisor, cause);
        if (cause->decision) add_decision(advisor, cause);
        break;
    }
}

// ---- trials ----

typedef struct Target {
    const Candidate *candidate;
    Module *module;
    bool found;
} Target;

static void put_constraint(Target *target, Value *value) {
    Builder builder = {.module = target->module, .region = value_region(value)};
    builder.before = value->def ? value->def->next : builder.region->first;
    Op *constraint = build_op(&builder, OP_SDY_CONSTRAINT, 1, &value, 1, &value->type, 0);
    op_result(constraint, 0)->sharding = target->candidate->after;
    value_replace_uses_except(value, op_result(constraint, 0), constraint);
}

static void change_value(Target *target, Value *value) {
    target->found = true;
    if (target->candidate->kind == EDIT_CONSTRAINT) {
        put_constraint(target, value);
    } else {
        value->sharding = target->candidate->after;
    }
}

// Copies have their originals' locations.
static bool change_op(Op *op, void *user) {
    Target *target = user;
    const Candidate *candidate = target->candidate;
    if (candidate->kind == EDIT_RESULT) {
        if (!loc_same_origin(op->loc, candidate->func->loc)) return true;
        func_set_result_sharding(target->module, op, candidate->result, candidate->after);
        target->found = true;
        return false;
    }
    const Value *value = candidate->value;
    if (value->def) {
        if (!loc_same_origin(op->loc, value->loc) || op->result_count <= value->index) return true;
        change_value(target, op_result(op, value->index));
        return false;
    }
    for (int r = 0; r < op->region_count; r++) {
        const Region *region = op->regions[r];
        if (value->index >= region->arg_count ||
            !loc_same_origin(region->args[value->index]->loc, value->loc))
            continue;
        change_value(target, region->args[value->index]);
        return false;
    }
    return true;
}

// A copy of the source with the candidate's change; NULL when its place is not found.
static Module *changed_copy(const Explainer *explainer, const Candidate *candidate, Arena *arena) {
    Target target = {.candidate = candidate, .module = module_clone(explainer->source, arena)};
    region_walk(target.module->body, change_op, &target);
    return target.found ? target.module : NULL;
}

static bool partition_owned(
    const Explainer *explainer, Module *module, Arena *arena, Partitioned *partitioned,
    Diags *diags) {
    *partitioned =
        (Partitioned){.arena = arena, .module = module, .provenance = provenance_create(arena)};
    PartitionOptions options = explainer->options->partition;
    options.only_propagate = false;
    options.provenance = partitioned->provenance;
    return partition_module(module, &options, &partitioned->program, diags);
}

bool partition_copy(
    const Explainer *explainer, const Module *module, Arena *arena, Partitioned *partitioned,
    Diags *diags) {
    return partition_owned(explainer, module_clone(module, arena), arena, partitioned, diags);
}

static void run_trial(const Explainer *explainer, Trial *trial, Arena *scratch) {
    Diags *diags = diags_create(scratch);
    Module *module = changed_copy(explainer, &trial->candidate, scratch);
    Partitioned partitioned;
    if (!module || !partition_owned(explainer, module, scratch, &partitioned, diags)) return;
    Collectives collectives = {0};
    find_collectives(explainer, &partitioned, &collectives);
    trial->ran = true;
    trial->candidate.cost = cost_of(&partitioned, &collectives);
    for (int64_t i = 0; i < collectives.count; i++)
        vec_push(explainer->arena, &trial->collectives, collectives.data[i]);
}

static const Trial *trial_of(Explainer *explainer, const Candidate *candidate, Arena *scratch) {
    for (int64_t i = 0; i < explainer->trials.count; i++) {
        if (same_change(&explainer->trials.data[i]->candidate, candidate))
            return explainer->trials.data[i];
    }
    Trial *trial = ARENA_NEW(explainer->arena, Trial);
    trial->candidate = *candidate;
    run_trial(explainer, trial, scratch);
    arena_reset(scratch);
    vec_push(explainer->arena, &explainer->trials, trial);
    return trial;
}

// What the collectives at the same place cost then, and those of the constraint that was put in.
static int64_t bytes_then(const Collectives *collectives, const Collective *like) {
    int64_t bytes = bytes_at(collectives, like);
    for (int64_t i = 0; i < collectives->count; i++) {
        if (collectives->data[i].is_new) bytes += collectives->data[i].bytes;
    }
    return bytes;
}

// ---- the best ----

// More work than now by what rounding of tiles cannot explain.
static bool costs_work(const Cost *base, const Candidate *candidate) {
    return candidate->cost.work > base->work + base->work / 20;
}

static bool is_better(const Cost *base, const Candidate *a, const Candidate *b) {
    bool a_costs = costs_work(base, a), b_costs = costs_work(base, b);
    if (a_costs != b_costs) return b_costs;
    if (a->cost.bytes != b->cost.bytes) return a->cost.bytes < b->cost.bytes;
    if (a->cost.argument_bytes != b->cost.argument_bytes) {
        return a->cost.argument_bytes < b->cost.argument_bytes;
    }
    return a->cost.work < b->cost.work;
}

static int keep_better(const Cost *base, Candidate *best, int count, const Candidate *candidate) {
    int at = count;
    while (at > 0 && is_better(base, candidate, &best[at - 1]))
        at--;
    if (at == MAX_ADVICE) return count;
    if (count < MAX_ADVICE) count++;
    for (int i = count - 1; i > at; i--)
        best[i] = best[i - 1];
    best[at] = *candidate;
    return count;
}

static const char *jax_text(Arena *arena, const Sharding *sharding) {
    StrBuf out = strbuf(arena);
    strbuf_puts(&out, "P(");
    for (int d = 0; d < sharding->rank; d++) {
        const DimSharding *dim = &sharding->dims[d];
        if (d) strbuf_puts(&out, ", ");
        if (dim->axis_count == 0) strbuf_puts(&out, dim->is_open ? "P.UNCONSTRAINED" : "None");
        if (dim->axis_count > 0 && dim->is_open) return "";
        if (dim->axis_count > 1) strbuf_putc(&out, '(');
        for (int i = 0; i < dim->axis_count; i++) {
            if (dim->axes[i].size != 0) return "";
            strbuf_printf(&out, "%s'%.*s'", i ? ", " : "", SV_ARG(dim->axes[i].name));
        }
        if (dim->axis_count > 1) strbuf_putc(&out, ')');
    }
    strbuf_putc(&out, ')');
    return strbuf_cstring(&out);
}

static const char *what_text(const Explainer *explainer, const Candidate *candidate) {
    Arena *arena = explainer->arena;
    if (candidate->kind == EDIT_RESULT) {
        return arena_printf(arena, "change the annotation of result %d", candidate->result);
    }
    const Value *value = candidate->value;
    assert(value && "only function results are no values");
    const char *name = value_text(explainer, value);
    if (candidate->kind == EDIT_CONSTRAINT) {
        return arena_printf(arena, "add a sharding constraint on %s", name);
    }
    const char *verb = candidate->before ? "change the" : "add an";
    if (!value->def)
        return arena_printf(
            arena, "%s annotation %s argument %s", verb, candidate->before ? "of" : "to", name);
    if (value->def->code == OP_SDY_CONSTRAINT) {
        return arena_printf(arena, "change the sharding constraint %s", name);
    }
    return arena_printf(arena, "%s annotation %s %s", verb, candidate->before ? "of" : "to", name);
}

static const char *program_text(const Explainer *explainer, const Candidate *candidate) {
    StrBuf out = strbuf(explainer->arena);
    Module *module = changed_copy(explainer, candidate, explainer->arena);
    print_module(&out, module, NULL);
    return strbuf_cstring(&out);
}

static shardc_explain_advice advice_of(const Explainer *explainer, const Candidate *candidate) {
    Arena *arena = explainer->arena;
    const Loc *loc = candidate->value ? candidate->value->loc : candidate->func->loc;
    return (shardc_explain_advice){
        .what = what_text(explainer, candidate),
        .location = loc_text(arena, loc),
        .before = sharding_text(arena, candidate->before),
        .after = sharding_text(arena, candidate->after),
        .jax = jax_text(arena, candidate->after),
        .bytes = candidate->here_bytes,
        .total_bytes = candidate->cost.bytes,
        .argument_bytes = candidate->cost.argument_bytes,
        .work = candidate->cost.work,
        .program = explainer->options->programs ? program_text(explainer, candidate) : NULL,
    };
}

void advise(
    Explainer *explainer, const Collectives *collectives, const Collective *collective,
    const Cost *cost, shardc_explain_collective *out) {
    Advisor *advisor = ARENA_NEW(explainer->arena, Advisor);
    *advisor = (Advisor){.explainer = explainer, .collective = collective};
    find_candidates(advisor);
    Candidate best[MAX_ADVICE];
    int count = 0;
    int64_t bytes = bytes_at(collectives, collective);
    Arena *scratch = arena_child(explainer->arena);
    for (int i = 0; i < advisor->count; i++) {
        const Trial *trial = trial_of(explainer, &advisor->candidates[i], scratch);
        Candidate candidate = trial->candidate;
        candidate.here_bytes = bytes_then(&trial->collectives, collective);
        bool is_cheaper =
            trial->ran && candidate.here_bytes < bytes && candidate.cost.bytes < cost->bytes &&
            candidate.cost.loop_bytes <= cost->loop_bytes && candidate.cost.work / 2 <= cost->work;
        if (is_cheaper) count = keep_better(cost, best, count, &candidate);
    }
    shardc_explain_advice *advice = ARENA_ARRAY(explainer->arena, shardc_explain_advice, count);
    for (int i = 0; i < count; i++)
        advice[i] = advice_of(explainer, &best[i]);
    out->advice = advice;
    out->advice_count = count;
    if (count > 0) return;
    out->no_advice = "no annotation leads to it";
    if (advisor->count == 0) return;
    out->no_advice = arena_printf(
        explainer->arena,
        "%d change%s of one annotation %s tried, and none makes it cheaper at less than twice the "
        "arithmetic",
        advisor->count, advisor->count == 1 ? "" : "s", advisor->count == 1 ? "was" : "were");
}

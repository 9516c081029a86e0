// explain_collectives: the collectives of a device program, what they cost, and the
// sentence on why each is there.
#include "base/checked.h"
#include "partition/explain/explain_internal.h"

// ---- what there is ----

static bool is_device_collective(const Op *op) {
    return op_dialect(op) == DIALECT_STABLEHLO && op_has(op, TRAIT_COLLECTIVE);
}

static int group_size_of(const Op *op) {
    const Attr *groups = op_attr(op, NAME_REPLICA_GROUPS);
    bool is_matrix = groups && groups->kind == ATTR_ELEMENTS && groups->type->rank == 2;
    return is_matrix ? (int)groups->type->dims[1] : 0;
}

static int loop_depth_of(const Op *op) {
    int depth = 0;
    for (const Op *parent = op_parent_op(op); parent; parent = op_parent_op(parent))
        depth += parent->code == OP_WHILE;
    return depth;
}

typedef struct Finder {
    const Explainer *explainer;
    const Partitioned *partitioned;
    Collectives *collectives;
} Finder;

static void find_part(const Finder *finder, const Op *op, int i) {
    const Value *result = op_result(op, i);
    Collective found = {
        .op = op,
        .loc = op->result_count > 1 && result->loc ? result->loc : op->loc,
        .group_size = group_size_of(op),
        .loop_depth = loop_depth_of(op),
        .border = -1,
    };
    found.cause = provenance_cause_at(finder->partitioned->provenance, found.loc);
    found.source = source_op(finder->explainer, found.loc);
    if (type_is_static(result->type)) found.bytes = (int64_t)type_bytes(result->type);
    if (found.cause) {
        if (found.cause->kind == CAUSE_RECEIVER) found.border = found.cause->index;
        found.is_new = found.cause->kind == CAUSE_CONSTRAINT && !found.source;
    }
    vec_push(finder->partitioned->arena, finder->collectives, found);
}

static bool find(Op *op, void *user) {
    for (int i = 0; is_device_collective(op) && i < op->result_count; i++)
        find_part(user, op, i);
    return true;
}

// Most bytes first; of equal ones in program order.
static void sort_by_bytes(Collectives *collectives) {
    for (int64_t i = 1; i < collectives->count; i++) {
        Collective moved = collectives->data[i];
        int64_t k = i;
        for (; k > 0 && collectives->data[k - 1].bytes < moved.bytes; k--)
            collectives->data[k] = collectives->data[k - 1];
        collectives->data[k] = moved;
    }
}

void find_collectives(
    const Explainer *explainer, const Partitioned *partitioned, Collectives *collectives) {
    Finder finder = {explainer, partitioned, collectives};
    region_walk(partitioned->program.module->body, find, &finder);
    sort_by_bytes(collectives);
}

bool same_place(const Collective *a, const Collective *b) {
    if (a->source != b->source || a->border != b->border) return false;
    if (a->source) return true;
    return a->cause == b->cause && (a->cause || (a->op == b->op && a->loc == b->loc));
}

int64_t bytes_at(const Collectives *collectives, const Collective *like) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < collectives->count; i++) {
        if (same_place(&collectives->data[i], like)) bytes += collectives->data[i].bytes;
    }
    return bytes;
}

// ---- what it costs ----

// Multiplications and additions, roughly; nothing for ops that only move data.
static int64_t work_of(const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        if (!type_is_static(op_operand_type(op, i))) return 0;
    }
    if (op->result_count == 0 || !type_is_static(op_result_type(op, 0))) return 0;
    int64_t elements = type_element_count(op_result_type(op, 0)), inner = 1;
    if (op->code == OP_DOT_GENERAL) {
        const Attr *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS);
        for (int i = 0; dims && i < dims->dot->lhs_contracting.count; i++)
            inner *= op_operand_type(op, 0)->dims[dims->dot->lhs_contracting.data[i]];
        return 2 * elements * inner;
    }
    if (op->code == OP_CONVOLUTION) {
        const Type *kernel = op_operand_type(op, 1);
        const Attr *dims = op_attr(op, NAME_DIMENSION_NUMBERS);
        int64_t out = dims ? kernel->dims[dims->conv->kernel_output_feature] : 1;
        return out > 0 ? 2 * elements * (type_element_count(kernel) / out) : 0;
    }
    if (op->code == OP_REDUCE) return type_element_count(op_operand_type(op, 0));
    return op_has(op, TRAIT_POINTWISE) ? elements : 0;
}

static bool add_work(Op *op, void *user) {
    int64_t *work = user;
    if (!checked_add(*work, work_of(op), work)) *work = INT64_MAX;
    return true;
}

Cost cost_of(const Partitioned *partitioned, const Collectives *collectives) {
    Cost cost = {0};
    for (int64_t i = 0; i < collectives->count; i++) {
        const Collective *collective = &collectives->data[i];
        cost.bytes += collective->bytes;
        if (collective->loop_depth > 0) cost.loop_bytes += collective->bytes;
    }
    const DeviceProgram *program = &partitioned->program;
    for (int i = 0; i < program->arg_count; i++) {
        const Type *type = program->args[i].local;
        if (type_is_static(type)) cost.argument_bytes += (int64_t)type_bytes(type);
    }
    region_walk(program->module->body, add_work, &cost.work);
    return cost;
}

// ---- why it is there ----

static const char *sharded_as(Arena *arena, const Sharding *sharding) {
    if (sharding_is_fully_replicated(sharding)) return "replicated";
    return arena_printf(arena, "sharded as %s", sharding_text(arena, sharding));
}

static const char *receiver_sentence(
    Arena *arena, const Cause *cause, const char *value, const char *op) {
    const char *to = sharded_as(arena, cause->to);
    const Op *parent = op_has(cause->op, TRAIT_TERMINATOR) ? op_parent_op(cause->op) : NULL;
    if (parent && parent->code == OP_FUNC) {
        return arena_printf(
            arena, "%s is result %d of the program, which has to be %s", value, cause->index, to);
    }
    if (parent) {
        return arena_printf(
            arena, "%s is returned by the body of %s as its result %d, which is %s", value,
            op_text_of(arena, parent), cause->index, to);
    }
    return arena_printf(
        arena, "%s enters %s as operand %d, which is %s inside", value, op, cause->index, to);
}

static const char *reduced_axes(Arena *arena, const Cause *cause) {
    StrBuf out = strbuf(arena);
    const Decision *decision = cause->decision;
    Projection *after =
        projection_create(arena, decision->rule, decision->mesh, decision->after, true);
    for (int f = 0; f < decision->rule->factor_count; f++) {
        if (decision->rule->factors[f].kind != FACTOR_REDUCTION) continue;
        for (int t = 0; t < decision->operand_count; t++) {
            AxisSpan axes = after->tensors[t].factors[f].axes;
            int dim = rule_factor_dim(decision->rule, t, f);
            if (dim < 0 || axes.count == 0) continue;
            StrBuf list = strbuf(arena);
            axis_list_print(&list, axes.axes, axes.count);
            strbuf_printf(
                &out, "%sdim %d of operand %d is sharded over %s", out.size ? ", " : "", dim, t,
                strbuf_cstring(&list));
        }
    }
    return strbuf_cstring(&out);
}

const char *cause_sentence(Explainer *explainer, const Cause *cause) {
    Arena *arena = explainer->arena;
    const char *value = value_text(explainer, cause->value);
    const char *op = op_text_of(arena, cause->op);
    const char *from = sharded_as(arena, cause->from), *to = sharded_as(arena, cause->to);
    switch (cause->kind) {
    case CAUSE_CONSTRAINT:
        return arena_printf(
            arena, "the program constrains %s, which is %s, to be %s", value, from, to);
    case CAUSE_OPERAND:
        return arena_printf(
            arena, "%s needs operand %d, %s, %s, but it is %s", op, cause->index, value, to, from);
    case CAUSE_RESULT:
        return arena_printf(
            arena, "%s computes result %d, %s, %s, but it has to be %s", op, cause->index, value,
            from, to);
    case CAUSE_REDUCTION:
        return arena_printf(
            arena, "%s reduces a sharded dimension: %s; every device has a partial %s", op,
            cause->decision ? reduced_axes(arena, cause) : "its operands", value);
    case CAUSE_PARTIAL: {
        StrBuf axes = strbuf(arena);
        if (cause->from)
            axis_list_print(&axes, cause->from->unreduced, cause->from->unreduced_count);
        return arena_printf(
            arena, "%s is unreduced over %s, and %s needs it reduced", value, strbuf_cstring(&axes),
            op);
    }
    case CAUSE_RECEIVER: return receiver_sentence(arena, cause, value, op);
    }
    return "";
}

bool is_written_collective(const Collective *collective) {
    return !collective->cause && collective->source && op_has(collective->source, TRAIT_COLLECTIVE);
}

static const char *own_sentence(Explainer *explainer, const Collective *collective) {
    Arena *arena = explainer->arena;
    const Op *source = collective->source;
    if (is_written_collective(collective)) {
        return arena_printf(
            arena, "the program itself communicates here (%s): no annotation can avoid it",
            op_text_of(arena, source));
    }
    return arena_printf(
        arena,
        "%s needs elements of its operands, or computes elements of its result, that are on "
        "other devices",
        source ? op_text_of(arena, source) : "an op");
}

static void fill_cause(
    Explainer *explainer, const Cause *cause, Reasons *reasons, shardc_explain_collective *out) {
    Arena *arena = explainer->arena;
    bool from_is_whole = sharding_is_fully_replicated(cause->from);
    bool to_is_whole = sharding_is_fully_replicated(cause->to);
    out->cause = cause_sentence(explainer, cause);
    out->from = from_is_whole ? "" : sharding_text(arena, cause->from);
    out->to = to_is_whole ? "" : sharding_text(arena, cause->to);
    out->value = listed_value(explainer, cause->value);
    if (cause->decision) {
        explain_decision(explainer, cause, reasons);
    } else {
        explain_wanted(explainer, cause, reasons);
    }
}

void fill_collective(
    Explainer *explainer, const Collective *collective, shardc_explain_collective *out) {
    Arena *arena = explainer->arena;
    const Op *source = collective->source;
    Reasons reasons = {0};
    *out = (shardc_explain_collective){
        .kind = arena_cstring(arena, op_code_mnemonic(collective->op->code)),
        .bytes = collective->bytes,
        .group_size = collective->group_size,
        .loop_depth = collective->loop_depth,
        .part_count = collective->op->result_count,
        .op = op_text_of(arena, source ? source : collective->op),
        .location = loc_text(arena, collective->loc),
        .value = -1,
        .from = "",
        .to = "",
        .no_advice = "",
    };
    fill_groups(explainer, collective->op, out);
    if (collective->cause) {
        out->op = op_text_of(arena, collective->cause->op);
        fill_cause(explainer, collective->cause, &reasons, out);
    } else {
        out->cause = own_sentence(explainer, collective);
        explain_operands(explainer, collective, &reasons, out);
        if (is_written_collective(collective)) reasons.count = 0;
    }
    out->reason_count = (int32_t)reasons.count;
    out->reasons = reasons.data;
}

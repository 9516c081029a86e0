// propagation_debug: what provenance has recorded, as attributes of the module.
#include "partition/shardy/propagation_debug.h"

#include "base/vec.h"
#include "partition/passes.h"
#include "partition/provenance.h"

#include <string.h>

static const char edges_name[] = "sdy.propagation_edges";
static const char origins_name[] = "sdy.sharding_origins";
// of constraints and manual computations
static const char origin_name[] = "sdy.sharding_origin_name";

// An axis that moved through an op. Tensors: operands, then results.
typedef struct Edge {
    int step;
    AxisRef axis;
    int source, target;
} Edge;

typedef struct EdgeList {
    VEC(Edge) edges;
    int operand_count;
} EdgeList;

typedef struct Origin {
    AxisRef axis;
    StrView text;
} Origin;

// The origins of one value: of axes as they came.
typedef struct OriginList {
    Value *value;
    VEC(Origin) origins;
} OriginList;

typedef struct PropagationDebug {
    Module *module;
    Arena *arena;
    bool edges, origins;
    Provenance *provenance;
    int64_t first_step; // of the provenance's steps
    int64_t first_copy; // and of its copies of constraints
    int first_number;   // added to their numbers, of which the first is `base`
    int base;
    PtrMap op_edges;      // Op * to EdgeList *
    VEC(Op *) ops;        // its keys, in order
    PtrMap value_origins; // Value * to OriginList *
    VEC(OriginList *) all_origins;
} PropagationDebug;

// ---- steps that are in the module ----

static bool find_last_step(Op *op, void *user) {
    int *last = user;
    const Attr *attr = op_extra(op, edges_name);
    if (!attr || attr->kind != ATTR_EDGES) return true;
    for (int i = 0; i < attr->count; i++) {
        int64_t number = attr->steps[i].step;
        if (number > *last && number < INT32_MAX / 2) *last = (int)number;
    }
    return true;
}

// ---- origins ----

static OriginList *origins_of(PropagationDebug *debug, Value *value) {
    Value *key = provenance_value_key(value);
    OriginList *list = ptr_map_get(&debug->value_origins, key);
    if (list) return list;
    list = ARENA_NEW(debug->arena, OriginList);
    list->value = key;
    ptr_map_set(&debug->value_origins, key, list);
    vec_push(debug->arena, &debug->all_origins, list);
    return list;
}

// The first origin of an axis counts.
static void add_origin(PropagationDebug *debug, Value *value, AxisRef axis, StrView text) {
    OriginList *list = origins_of(debug, value);
    for (int64_t i = 0; i < list->origins.count; i++) {
        if (axis_ref_equal(&list->origins.data[i].axis, &axis)) return;
    }
    vec_push(debug->arena, &list->origins, ((Origin){axis, text}));
}

static void add_origins(
    PropagationDebug *debug, Value *value, const Sharding *sharding, StrView text) {
    for (int d = 0; sharding && d < sharding->rank; d++) {
        AxisSpan axes = dim_axes(sharding, d);
        for (int i = 0; i < axes.count; i++)
            add_origin(debug, value, axes.axes[i], text);
    }
}

// The origin of the axis itself, or of one that is part of it or of which it is part.
static const Origin *find_origin(
    PropagationDebug *debug, const Mesh *mesh, Value *value, AxisRef axis) {
    const OriginList *list = origins_of(debug, value);
    for (int64_t i = 0; i < list->origins.count; i++) {
        if (axis_ref_equal(&list->origins.data[i].axis, &axis)) return &list->origins.data[i];
    }
    for (int64_t i = 0; i < list->origins.count; i++) {
        const AxisRef *other = &list->origins.data[i].axis;
        if (axis_ref_contains(mesh, other, &axis) || axis_ref_contains(mesh, &axis, other))
            return &list->origins.data[i];
    }
    return NULL;
}

// "input: 3"
static StrView numbered(Arena *arena, const char *before, int64_t number) {
    StrBuf text = strbuf(arena);
    strbuf_printf(&text, "%s%lld", before, (long long)number);
    return strbuf_view(&text);
}

// "mc_0_input: 1" of the manual computation that is called "mc_0"
static StrView manual_origin(Arena *arena, StrView name, bool is_output, int i) {
    StrBuf text = strbuf(arena);
    strbuf_printf(&text, "%.*s_%s: %d", SV_ARG(name), is_output ? "output" : "input", i);
    return strbuf_view(&text);
}

static void set_origin_name(PropagationDebug *debug, Op *op, StrView name) {
    op_set_extra(
        debug->module, op, strview(origin_name), attr_string(debug->module->context, name));
}

static void begin_constraint(PropagationDebug *debug, Op *op, int64_t number) {
    StrView name = numbered(debug->arena, "constraint_", number);
    Value *operand = op_operand(op, 0);
    add_origins(debug, op_result(op, 0), op_result(op, 0)->sharding, name);
    add_origins(debug, operand, value_sharding(debug->module, operand), name);
    set_origin_name(debug, op, name);
}

static void begin_manual(PropagationDebug *debug, Op *op, int64_t number) {
    StrView self = numbered(debug->arena, "mc_", number);
    for (int i = 0; i < op->operand_count; i++) {
        StrView name = manual_origin(debug->arena, self, false, i);
        add_origins(debug, op->regions[0]->args[i], region_in_sharding(op, i), name);
        Value *source = op_operand(op, i);
        add_origins(debug, source, value_sharding(debug->module, source), name);
    }
    for (int i = 0; i < op->result_count; i++) {
        StrView name = manual_origin(debug->arena, self, true, i);
        add_origins(debug, op_result(op, i), region_out_sharding(op, i), name);
    }
    set_origin_name(debug, op, self);
}

// Ops of one code are numbered inner ones first. Nesting is limited by the readers.
typedef void BeginFn(PropagationDebug *debug, Op *op, int64_t number);

static int64_t begin_ops(
    PropagationDebug *debug, Region *region, OpCode code, BeginFn *begin, int64_t number) {
    for (Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->region_count; i++)
            number = begin_ops(debug, op->regions[i], code, begin, number);
        if (op->code == code) begin(debug, op, number++);
    }
    return number;
}

static void begin_func(PropagationDebug *debug, Op *func) {
    Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        StrView name = numbered(debug->arena, "input: ", i);
        add_origins(debug, body->args[i], body->args[i]->sharding, name);
    }
    const Op *end = region_terminator(body);
    for (int i = 0; end && i < end->operand_count; i++) {
        StrView name = numbered(debug->arena, "output: ", i);
        add_origins(debug, op_operand(end, i), func_result_sharding(func, i), name);
    }
}

static void begin_origins(PropagationDebug *debug) {
    Region *body = debug->module->body;
    begin_ops(debug, body, OP_SDY_CONSTRAINT, begin_constraint, 0);
    begin_ops(debug, body, OP_SDY_MANUAL, begin_manual, 0);
    for (Op *op = body->first; op; op = op->next) {
        if (op->code == OP_FUNC) begin_func(debug, op);
    }
}

static PropagationDebug *begin(Module *module, PassContext *pass) {
    bool edges = pass_flag(pass, "debug-propagation-edge-sharding");
    bool origins = pass_flag(pass, "debug-sharding-origins");
    if (!edges && !origins) return NULL;
    if (!pass->provenance) pass->provenance = provenance_create(pass->scratch);
    PropagationDebug *debug = ARENA_NEW(pass->scratch, PropagationDebug);
    *debug = (PropagationDebug){
        .module = module,
        .arena = pass->scratch,
        .edges = edges,
        .origins = origins,
        .provenance = pass->provenance,
        .first_step = pass->provenance->steps.count,
        .first_copy = pass->provenance->copies.count,
        .base = pass->provenance->step_count,
        .op_edges = ptr_map(pass->scratch),
        .value_origins = ptr_map(pass->scratch)};
    int last = -1;
    region_walk(module->body, find_last_step, &last);
    debug->first_number = last + 1;
    if (origins) begin_origins(debug);
    return debug;
}

// ---- steps ----

static EdgeList *edges_of(PropagationDebug *debug, Op *op, int operand_count) {
    EdgeList *list = ptr_map_get(&debug->op_edges, op);
    if (list) return list;
    list = ARENA_NEW(debug->arena, EdgeList);
    list->operand_count = operand_count;
    ptr_map_set(&debug->op_edges, op, list);
    vec_push(debug->arena, &debug->ops, op);
    return list;
}

// The same move of an axis again adds nothing.
static void add_edge(PropagationDebug *debug, EdgeList *list, Edge edge) {
    for (int64_t i = 0; i < list->edges.count; i++) {
        const Edge *other = &list->edges.data[i];
        if (other->source == edge.source && other->target == edge.target &&
            axis_ref_equal(&other->axis, &edge.axis))
            return;
    }
    vec_push(debug->arena, &list->edges, edge);
}

// The operand of a sharding_constraint got its sharding.
static void add_constraint(PropagationDebug *debug, const ConstraintCopy *copy) {
    const Op *constraint = copy->op;
    if (constraint->code != OP_SDY_CONSTRAINT) return;
    int step = debug->first_number++;
    Value *operand = copy->value, *result = op_result(constraint, 0);
    EdgeList *list = edges_of(debug, result->def, 1);
    const Mesh *mesh = sharding_mesh(debug->module, result->sharding);
    for (int d = 0; mesh && d < result->sharding->rank; d++) {
        AxisSpan axes = dim_axes(result->sharding, d);
        for (int i = 0; i < axes.count; i++) {
            add_edge(debug, list, (Edge){step, axes.axes[i], 1, 0});
            const Origin *origin = find_origin(debug, mesh, result, axes.axes[i]);
            if (debug->origins && origin) add_origin(debug, operand, axes.axes[i], origin->text);
        }
    }
}

// What a step's tensor stands for: a function's result for the value that the function returns.
static Value *tensor_value(const ProvenancePlace *place) {
    if (place->place.value) return place->place.value;
    const Op *end = region_terminator(func_body(place->place.op));
    return op_operand(end, place->place.result);
}

static const Mesh *step_mesh(const Module *module, const ProvenanceStep *step) {
    for (int t = 0; t < step->tensor_count; t++) {
        const Value *value = tensor_value(step->tensors[t]);
        const Sharding *sharding = value_sharding(module, value);
        if (sharding) return sharding_mesh(module, sharding);
    }
    return NULL;
}

static void add_step(PropagationDebug *debug, const ProvenanceStep *step) {
    // Ops are the module's, which may change; steps see them as constant.
    const ProvenancePlace *last = step->tensors[step->tensor_count - 1];
    Op *op = step->op ? op_result(step->op, 0)->def : (Op *)last->place.op;
    if (!op->parent) return; // erased since
    EdgeList *list = edges_of(debug, op, step->operand_count);
    const Mesh *mesh = step_mesh(debug->module, step);
    int number = step->number - debug->base + debug->first_number;
    for (int64_t i = 0; i < step->moves.count; i++) {
        const AxisMove *move = &step->moves.data[i];
        if (move->source < 0) continue;
        add_edge(debug, list, (Edge){number, move->axis, move->source, move->target});
        if (!debug->origins || !mesh) continue;
        const Origin *origin =
            find_origin(debug, mesh, tensor_value(step->tensors[move->source]), move->axis);
        if (!origin) continue;
        add_origin(debug, tensor_value(step->tensors[move->target]), move->axis, origin->text);
    }
}

// ---- writing ----

static int compare_axes(const AxisRef *a, const AxisRef *b) {
    int order = strview_compare(a->name, b->name);
    if (order != 0) return order;
    if (a->pre_size != b->pre_size) return a->pre_size < b->pre_size ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static int compare_edges(const Edge *a, const Edge *b) {
    if (a->step != b->step) return a->step < b->step ? -1 : 1;
    int order = compare_axes(&a->axis, &b->axis);
    if (order != 0) return order;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

static void sort_edges(EdgeList *list) {
    for (int64_t i = 1; i < list->edges.count; i++) {
        Edge edge = list->edges.data[i];
        int64_t at = i;
        for (; at > 0 && compare_edges(&edge, &list->edges.data[at - 1]) < 0; at--)
            list->edges.data[at] = list->edges.data[at - 1];
        list->edges.data[at] = edge;
    }
}

static EdgeEnd tensor_end(const EdgeList *list, int t) {
    bool is_result = t >= list->operand_count;
    return (EdgeEnd){is_result, is_result ? t - list->operand_count : t};
}

// {"x" = operand-0 -> [operand-1, result-0]} of all edges from i on with one axis and
// source; returns the edge behind them.
static int64_t join_targets(Arena *arena, const EdgeList *list, int64_t i, AxisEdge *joined) {
    const Edge *first = &list->edges.data[i];
    int64_t end = i;
    for (; end < list->edges.count; end++) {
        const Edge *edge = &list->edges.data[end];
        if (edge->step != first->step || edge->source != first->source ||
            !axis_ref_equal(&edge->axis, &first->axis))
            break;
    }
    EdgeEnd *targets = ARENA_ARRAY(arena, EdgeEnd, end - i);
    for (int64_t t = i; t < end; t++)
        targets[t - i] = tensor_end(list, list->edges.data[t].target);
    *joined = (AxisEdge){first->axis, tensor_end(list, first->source), (int)(end - i), targets};
    return end;
}

static const Attr *edges_attr(PropagationDebug *debug, EdgeList *list) {
    sort_edges(list);
    PropagationStep *steps = ARENA_ARRAY(debug->arena, PropagationStep, list->edges.count);
    AxisEdge *edges = ARENA_ARRAY(debug->arena, AxisEdge, list->edges.count);
    int step_count = 0;
    for (int64_t i = 0; i < list->edges.count;) {
        PropagationStep *step = &steps[step_count++];
        *step = (PropagationStep){.step = list->edges.data[i].step, .edges = edges};
        while (i < list->edges.count && list->edges.data[i].step == step->step) {
            i = join_targets(debug->arena, list, i, edges++);
            step->edge_count++;
        }
    }
    const Attr prototype = {.kind = ATTR_EDGES, .count = step_count, .steps = steps};
    return attr_intern(debug->module->context, &prototype);
}

// As in Shardy, the first result of a function has the edges of all.
static void write_edges(PropagationDebug *debug) {
    for (int64_t i = 0; i < debug->ops.count; i++) {
        Op *op = debug->ops.data[i];
        EdgeList *list = ptr_map_get(&debug->op_edges, op);
        if (!op->parent || list->edges.count == 0) continue;
        const Attr *attr = edges_attr(debug, list);
        if (op->code == OP_FUNC) {
            func_set_dict_entry(debug->module, op, false, 0, strview(edges_name), attr);
        } else {
            op_set_extra(debug->module, op, strview(edges_name), attr);
        }
    }
}

// {x = "input: 0"}; an origin that is `self`, the value's own, is called "self".
static const Attr *origins_attr(PropagationDebug *debug, const OriginList *list, StrView self) {
    Context *context = debug->module->context;
    StrView *names = ARENA_ARRAY(debug->arena, StrView, list->origins.count);
    const Attr **items = ARENA_ARRAY(debug->arena, const Attr *, list->origins.count);
    for (int64_t i = 0; i < list->origins.count; i++) {
        const AxisRef *axis = &list->origins.data[i].axis;
        StrBuf name = strbuf(debug->arena);
        strbuf_append(&name, axis->name);
        if (axis->size)
            strbuf_printf(&name, ":(%lld)%lld", (long long)axis->pre_size, (long long)axis->size);
        names[i] = context_name(context, strbuf_view(&name));
        StrView text = list->origins.data[i].text;
        items[i] = attr_string(context, self.size && strview_equal(text, self) ? SV("self") : text);
    }
    return attr_dict(context, (int)list->origins.count, names, items);
}

// How the value calls itself as an origin; empty: it is none.
static StrView own_origin(PropagationDebug *debug, const Value *value) {
    const Op *owner = value->def ? value->def : value->region->owner;
    if (owner->code == OP_FUNC) return numbered(debug->arena, "input: ", value->index);
    const Attr *name = op_extra(owner, origin_name);
    if (!name || name->kind != ATTR_STRING) return (StrView){0};
    if (owner->code != OP_SDY_MANUAL) return name->text;
    return manual_origin(debug->arena, name->text, value->def != NULL, value->index);
}

// The dictionaries of all results of an op; empty ones where nothing is known.
static void set_result_origins(PropagationDebug *debug, const Value *value, const Attr *dict) {
    Op *op = value->def;
    const Attr *old = op_extra(op, origins_name);
    const Attr **dicts = ARENA_ARRAY(debug->arena, const Attr *, op->result_count);
    for (int i = 0; i < op->result_count; i++) {
        bool is_known = old && old->kind == ATTR_ARRAY && i < old->count;
        dicts[i] = is_known ? old->items[i] : attr_dict(debug->module->context, 0, NULL, NULL);
    }
    dicts[value->index] = dict;
    op_set_extra(
        debug->module, op, strview(origins_name),
        attr_array(debug->module->context, op->result_count, dicts));
}

static void write_value_origins(PropagationDebug *debug, const OriginList *list) {
    Value *value = list->value;
    if (value->def && !value->def->parent) return; // erased since
    Op *edge = edge_of_target(value);
    Value *seen = edge ? op_result(edge, 0) : value; // what users see
    for (const Use *use = seen->uses; use; use = use->next) {
        Op *func = use->owner->code == OP_FUNC_RETURN ? op_parent_op(use->owner) : NULL;
        if (!func) continue;
        StrView self = numbered(debug->arena, "output: ", use_index(use));
        func_set_dict_entry(
            debug->module, func, false, use_index(use), strview(origins_name),
            origins_attr(debug, list, self));
    }
    const Attr *dict = origins_attr(debug, list, own_origin(debug, value));
    if (edge) {
        op_set_extra(debug->module, edge, strview(origins_name), dict);
    } else if (!value->def) {
        if (value->region->owner->code == OP_FUNC)
            func_set_dict_entry(
                debug->module, value->region->owner, true, value->index, strview(origins_name),
                dict);
    } else if (value->def->code == OP_SDY_CONSTRAINT) {
        op_set_extra(debug->module, value->def, strview(origins_name), dict);
    } else {
        set_result_origins(debug, value, dict);
    }
}

static void end(PropagationDebug *debug) {
    const Provenance *provenance = debug->provenance;
    for (int64_t i = debug->first_copy; i < provenance->copies.count; i++)
        add_constraint(debug, &provenance->copies.data[i]);
    for (int64_t i = debug->first_step; i < debug->provenance->steps.count; i++)
        add_step(debug, debug->provenance->steps.data[i]);
    if (debug->edges) write_edges(debug);
    if (!debug->origins) return;
    for (int64_t i = 0; i < debug->all_origins.count; i++) {
        if (debug->all_origins.data[i]->origins.count > 0)
            write_value_origins(debug, debug->all_origins.data[i]);
    }
}

// ---- after propagation ----

static void sink_attr(
    Module *module, Arena *arena, Op *op, int count, Value *const *owners, const char *from,
    StrView to) {
    const Attr **items = ARENA_ARRAY(arena, const Attr *, count);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const Op *edge = edge_of_target(owners[i]);
        const Attr *attr = edge ? op_extra(edge, from) : NULL;
        if (attr) items[kept++] = attr;
    }
    op_set_extra(module, op, to, attr_array(module->context, kept, items));
}

typedef struct Sink {
    Module *module;
    const PassContext *pass;
    bool edges, origins;
} Sink;

// Moves what the edges of a while, a manual computation ... say to the op itself.
static bool sink_op(Op *op, void *user) {
    const Sink *sink = user;
    Module *module = sink->module;
    const PassContext *pass = sink->pass;
    if (!op_has_data_flow(op)) return true;
    bool has_args = op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
    int args = has_args ? op->regions[0]->arg_count : 0;
    Value *const *arg_owners = has_args ? op->regions[0]->args : NULL;
    Value **results = ARENA_ARRAY(pass->scratch, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        results[i] = op_result(op, i);
    if (sink->origins) {
        sink_attr(
            module, pass->scratch, op, args, arg_owners, origins_name,
            SV("sdy.block_arg_sharding_origins"));
        sink_attr(
            module, pass->scratch, op, op->result_count, results, origins_name,
            SV("sdy.result_sharding_origins"));
    }
    if (sink->edges) {
        sink_attr(
            module, pass->scratch, op, args, arg_owners, edges_name,
            SV("sdy.block_arg_propagation_edges"));
        sink_attr(
            module, pass->scratch, op, op->result_count, results, edges_name,
            SV("sdy.result_propagation_edges"));
    }
    return true;
}

// ---- around passes ----

static bool has_option(const Pass *pass, const char *name) {
    for (const PassOptionInfo *info = pass->options; info->name; info++) {
        if (strcmp(info->name, name) == 0) return true;
    }
    return false;
}

static void *before_pass(PassContext *pass) {
    if (has_option(pass->pass, "sink-debug-sharding-origins")) {
        Sink sink = {
            pass->module, pass, pass_flag(pass, "sink-debug-propagation-edge-sharding"),
            pass_flag(pass, "sink-debug-sharding-origins")};
        if (sink.edges || sink.origins) region_walk(pass->module->body, sink_op, &sink);
    }
    return has_option(pass->pass, "debug-sharding-origins") ? begin(pass->module, pass) : NULL;
}

static void after_pass(PassContext *pass, void *state) {
    (void)pass;
    if (state) end(state);
}

const PassInstrumentation propagation_debug = {before_pass, after_pass};

typedef struct Removal {
    Module *module;
    Arena *scratch;
} Removal;

// remove_propagation_debug_info: all of these attributes go; names of origins stay, as in Shardy.
static bool remove_debug_info(Op *op, void *user) {
    static const char *const names[] = {
        edges_name,   "sdy.block_arg_propagation_edges", "sdy.result_propagation_edges",
        origins_name, "sdy.block_arg_sharding_origins",  "sdy.result_sharding_origins"};
    enum { NAMES = sizeof names / sizeof names[0] };
    const Removal *removal = user;
    Module *module = removal->module;
    for (int n = 0; op->code != OP_FUNC && n < NAMES; n++) {
        if (op_extra(op, names[n])) op_set_extra(module, op, strview(names[n]), NULL);
    }
    for (int list = 0; op->code == OP_FUNC && list < 2; list++) {
        FuncDicts dicts = func_dicts_open(module, op, list == 0, removal->scratch);
        for (int i = 0; i < dicts.count; i++) {
            for (int n = 0; n < NAMES; n++)
                func_dicts_set(&dicts, i, strview(names[n]), NULL);
        }
        func_dicts_close(&dicts);
    }
    return true;
}

PassResult pass_remove_propagation_debug_info(Module *module, PassContext *pass) {
    Removal removal = {module, pass->scratch};
    region_walk(module->body, remove_debug_info, &removal);
    return PASS_CHANGED;
}

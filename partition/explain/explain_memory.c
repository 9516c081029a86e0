// explain_memory: what is alive where most memory is, as if every array had memory of its own from
// the op that makes it to the last that reads it.
//
// Ops that hold regions or call functions need, beside what is alive around them, the most that is
// alive inside. Constants of one number, and what only renames dimensions, need none.
#include "base/checked.h"
#include "ir/analysis/data_flow.h"
#include "partition/explain/explain_internal.h"

#include <stdlib.h>
#include <string.h>

// What is alive in one region where most is.
typedef struct Peak {
    int64_t bytes;
    const Op *op;       // innermost; NULL: nothing is alive
    VEC(Value *) alive; // there
} Peak;

typedef struct Meter {
    const Module *module;
    Arena *arena;
    PtrMap regions; // Region * to its Peak *, when it is known: functions are called often
    int64_t *positions, *order; // by Op.number: in its region, and in the module
    int64_t next;
    int depth;
} Meter;

enum { MOST_DEPTH = 256, MOST_RENAMES = 64 };

static bool number_op(Op *op, void *user) {
    Meter *meter = user;
    meter->order[op->number] = meter->next++;
    return true;
}

static int64_t bytes_of(const Value *value) {
    const Op *op = value->def;
    bool is_free =
        op && (op->code == OP_RESHAPE || (op->code == OP_CONSTANT && op_attr(op, NAME_VALUE) &&
                                          op_attr(op, NAME_VALUE)->is_splat));
    bool has_size = value->type->kind == TYPE_TENSOR && type_is_static(value->type);
    return has_size && !is_free ? (int64_t)type_bytes(value->type) : 0;
}

static void add(int64_t *sum, int64_t bytes) {
    if (!checked_add(*sum, bytes, sum)) *sum = INT64_MAX;
}

// The last op of the region that reads the value, or what renames it; its own op when none does.
static int64_t last_use(
    const Region *region, const Value *value, const int64_t *positions, int renames) {
    int64_t last = value->def ? positions[value->def->number] : 0;
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *reader = region_ancestor_of(region, use->owner);
        if (!reader) continue;
        int64_t at = positions[reader->number];
        if (reader->code == OP_RESHAPE && renames < MOST_RENAMES)
            at = last_use(region, op_result(reader, 0), positions, renames + 1);
        if (at > last) last = at;
    }
    return last;
}

static const Peak *peak_of(Meter *meter, const Region *region);

// The most that is alive inside of the op, in one of its regions or the function that it calls.
static const Peak *inner_peak(Meter *meter, const Op *op) {
    const Peak *most = NULL;
    if (op->code == OP_CALL) {
        const Op *callee = module_find_func(meter->module, op_text(op, NAME_CALLEE));
        return callee && callee->region_count ? peak_of(meter, func_body(callee)) : NULL;
    }
    bool holds = op->code == OP_WHILE || op->code == OP_IF || op->code == OP_CASE ||
                 op->code == OP_SDY_MANUAL || op->code == OP_SDY_NAMED;
    for (int r = 0; holds && r < op->region_count; r++) {
        const Peak *peak = peak_of(meter, op->regions[r]);
        if (!most || peak->bytes > most->bytes) most = peak;
    }
    return most;
}

typedef struct Interval {
    Value *value;
    int64_t first, last, bytes;
} Interval;

static int64_t result_bytes(const Op *op) {
    int64_t bytes = 0;
    for (int i = 0; i < op->result_count; i++)
        add(&bytes, bytes_of(op_result(op, i)));
    return bytes;
}

static void measure(Meter *meter, const Region *region, Peak *peak) {
    int64_t *positions = meter->positions, at = 0;
    VEC(Interval) intervals = {0};
    for (const Op *op = region->first; op; op = op->next)
        positions[op->number] = at++;
    int64_t *change = ARENA_ARRAY(meter->arena, int64_t, at + 1); // of what is alive
    for (const Op *op = region->first; op; op = op->next) {
        for (int i = 0; i < op->result_count; i++) {
            Value *value = op_result(op, i);
            Interval interval = {
                value, positions[op->number], last_use(region, value, positions, 0),
                bytes_of(value)};
            if (interval.bytes == 0) continue;
            vec_push(meter->arena, &intervals, interval);
            add(&change[interval.first], interval.bytes);
            add(&change[interval.last + 1], -interval.bytes);
        }
    }
    int64_t alive = 0, best = -1;
    bool is_inside = false; // the op's own results are not there yet
    const Peak *best_inner = NULL;
    at = 0;
    for (const Op *op = region->first; op; op = op->next, at++) {
        add(&alive, change[at]);
        const Peak *inner = inner_peak(meter, op);
        int64_t bytes = alive;
        // What a region returns becomes the results; that of a loop's body while the
        // results hold what it began with.
        int64_t results = inner && op->code != OP_WHILE ? result_bytes(op) : 0;
        if (inner && inner->bytes > results)
            add(&bytes, inner->bytes - results);
        else
            inner = NULL;
        if (best >= 0 && bytes <= peak->bytes) continue;
        best = at;
        is_inside = results > 0 && inner;
        peak->bytes = bytes;
        peak->op = inner && inner->op ? inner->op : op;
        best_inner = inner;
    }
    for (int64_t i = 0; i < intervals.count; i++) {
        const Interval *interval = &intervals.data[i];
        bool is_there = interval->first < best || (interval->first == best && !is_inside);
        if (is_there && interval->last >= best)
            vec_push(meter->arena, &peak->alive, interval->value);
    }
    for (int64_t i = 0; best_inner && i < best_inner->alive.count; i++)
        vec_push(meter->arena, &peak->alive, best_inner->alive.data[i]);
}

static const Peak *peak_of(Meter *meter, const Region *region) {
    Peak *peak = ptr_map_get(&meter->regions, region);
    if (peak) return peak;
    peak = ARENA_NEW(meter->arena, Peak);
    ptr_map_set(&meter->regions, region, peak); // also where calls go in circles
    if (meter->depth >= MOST_DEPTH) return peak;
    meter->depth++;
    measure(meter, region, peak);
    meter->depth--;
    return peak;
}

// ---- telling ----

static shardc_explain_live live_of(
    const Explainer *explainer, const Meter *meter, const Value *value) {
    Arena *arena = explainer->arena;
    const Op *last = NULL;
    for (const Use *use = value->uses; use; use = use->next) {
        if (!last || meter->order[use->owner->number] > meter->order[last->number])
            last = use->owner;
    }
    return (shardc_explain_live){
        .name = value_text(explainer, value),
        .type = type_text(arena, value->type),
        .bytes = value->type->kind == TYPE_TENSOR ? (int64_t)type_bytes(value->type) : 0,
        .op = value->def ? op_text_of(arena, value->def) : "argument",
        .location = loc_text(arena, value->loc),
        .last_op = last ? op_text_of(arena, last) : "",
        .last_location = last ? loc_text(arena, last->loc) : "",
    };
}

static int most_bytes_first(const void *a, const void *b) {
    const shardc_explain_live *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->name, y->name);
}

void fill_memory(
    const Explainer *explainer, const Module *module, const Op *func, shardc_explain_memory *out) {
    Arena *arena = explainer->arena;
    Meter meter = {
        .module = module,
        .arena = arena,
        .regions = ptr_map(arena),
        .positions = ARENA_ARRAY(arena, int64_t, module->next_op_number),
        .order = ARENA_ARRAY(arena, int64_t, module->next_op_number)};
    region_walk(module->body, number_op, &meter);
    const Region *body = func_body(func);
    const Peak *peak = peak_of(&meter, body);
    const Op *exit = region_terminator(body);
    shardc_explain_live *live =
        ARENA_ARRAY(arena, shardc_explain_live, peak->alive.count + body->arg_count);
    int count = 0;
    *out = (shardc_explain_memory){
        .op = peak->op ? op_text_of(arena, peak->op) : "",
        .location = peak->op ? loc_text(arena, peak->op->loc) : "",
        .live = live};
    for (int i = 0; i < body->arg_count; i++) {
        add(&out->argument_bytes, bytes_of(body->args[i]));
        if (bytes_of(body->args[i]) > 0) live[count++] = live_of(explainer, &meter, body->args[i]);
    }
    for (int i = 0; exit && i < exit->operand_count; i++)
        add(&out->result_bytes, bytes_of(op_operand(exit, i)));
    for (int64_t i = 0; i < peak->alive.count; i++)
        live[count++] = live_of(explainer, &meter, peak->alive.data[i]);
    out->live_count = count;
    qsort(live, (size_t)count, sizeof *live, most_bytes_first);
    out->peak_bytes = out->argument_bytes;
    add(&out->peak_bytes, peak->bytes);
}

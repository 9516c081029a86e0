// canonicalize: what Shardy's ops simplify to, as MLIR's pass of that name does it.
//
//   In      any verified module
//   Out     - collectives that do nothing, undo each other or can be one are gone;
//           unused ops without effects too
//           - a reshard of a reshard is one; a reshard that another one of the same data makes
//             unneeded is that one
//           - collectives of the dialect shard among one device are gone
//           - manual computations have no unused argument, and are inlined where their axes have
//             one device
// enabled-patterns=reshard, or collective: only a reshard of a reshard, only collectives.
//
//   Keeps   results and where they lie. Unused collectives, but for all_to_all, stay: they have an
//           effect to Shardy. Cannot fail.
//
//   before  %1 = sdy.all_reduce {"x"} %0      %2 = sdy.all_slice [{}, {"x"}] %1
//   after   %2 = sdy.reduce_scatter [{}, {"x"}] %0
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "partition/collectives/reductions.h"
#include "partition/passes.h"
#include "partition/propagate/propagate_internal.h"
#include "partition/reshard/redundant_reshard.h"
#include "partition/reshard/reshard_unreduced.h"

#include <assert.h>

typedef struct Canonicalizer {
    Module *module;
    Arena *scratch;
    bool reshards, collectives, others; // what to simplify
    bool changed;
} Canonicalizer;

static bool replace(Canonicalizer *canonicalizer, Op *op, Value *with) {
    value_replace_uses(op_result(op, 0), with);
    op_erase(op);
    canonicalizer->changed = true;
    return true;
}

// ---- collectives ----

static bool has_no_axes(const Op *op) {
    const Attr *axes = op_attr(op, NAME_AXES);
    if (axes->kind == ATTR_AXES) return axes->count == 0;
    for (int d = 0; d < axes->count; d++) {
        if (axes->axes_per_dim[d].count) return false;
    }
    return true;
}

static Op *operand_def(const Op *op, OpCode code) {
    Op *def = op_operand(op, 0)->def;
    return def && def->code == code ? def : NULL;
}

// The other op's operand is the result: it goes there and back over the same axes.
static bool undo(Canonicalizer *canonicalizer, Op *op, OpCode code) {
    const Op *inner = operand_def(op, code);
    if (!inner || op_attr(inner, NAME_AXES) != op_attr(op, NAME_AXES)) return false;
    return replace(canonicalizer, op, op_operand(inner, 0));
}

// Every use slices alike.
static bool uses_are_like(const Value *value, const Op *slice) {
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner->code != OP_SDY_ALL_SLICE) return false;
        if (op_attr(use->owner, NAME_AXES) != op_attr(slice, NAME_AXES)) return false;
    }
    return true;
}

static bool form_reduce_scatter(Canonicalizer *canonicalizer, const Op *slice) {
    Op *all_reduce = operand_def(slice, OP_SDY_ALL_REDUCE);
    if (!all_reduce || !uses_are_like(op_result(all_reduce, 0), slice)) return false;
    ScatterAxes axes = scatter_axes(canonicalizer->scratch, all_reduce, slice);
    if (axes.reduced.count > 0) return false;
    Builder builder = builder_before(canonicalizer->module, all_reduce);
    Value *part = build_reduce_scatter(&builder, canonicalizer->scratch, all_reduce, slice, &axes);
    while (op_result(all_reduce, 0)->uses)
        replace(canonicalizer, op_result(all_reduce, 0)->uses->owner, part);
    op_erase(all_reduce);
    return true;
}

static bool simplify_slice(Canonicalizer *canonicalizer, Op *op) {
    if (has_no_axes(op)) return replace(canonicalizer, op, op_operand(op, 0));
    return undo(canonicalizer, op, OP_SDY_ALL_GATHER) || form_reduce_scatter(canonicalizer, op);
}

// A sum of what was made partial by slicing is a gather.
static bool gather_instead(Canonicalizer *canonicalizer, Op *op) {
    const Op *inner = operand_def(op, OP_SDY_TO_UNREDUCED);
    if (!inner || !op_result(inner, 0)->sharding) return false;
    const Attr *per_dim = op_attr(inner, NAME_AXES), *reduced = op_attr(op, NAME_AXES);
    AxisList all = {0};
    for (int d = 0; d < per_dim->count; d++) {
        for (int i = 0; i < per_dim->axes_per_dim[d].count && all.count < MAX_AXIS_REFS; i++)
            all.axes[all.count++] = per_dim->axes_per_dim[d].axes[i];
    }
    const Mesh *mesh = sharding_mesh(canonicalizer->module, op_result(inner, 0)->sharding);
    AxisSpan sorted = axes_sorted(canonicalizer->scratch, mesh, (AxisSpan){all.count, all.axes});
    if (!axis_span_equal(sorted, (AxisSpan){reduced->count, reduced->axes})) return false;
    Builder builder = builder_before(canonicalizer->module, op);
    Value *x = op_operand(inner, 0);
    Op *gather = build_op(&builder, OP_SDY_ALL_GATHER, 1, &x, 1, &x->type, 0);
    op_set_attr(canonicalizer->module, gather, NAME_AXES, per_dim);
    op_result(gather, 0)->sharding = op_result(op, 0)->sharding;
    return replace(canonicalizer, op, op_result(gather, 0));
}

static bool simplify_all_reduce(Canonicalizer *canonicalizer, Op *op) {
    if (has_no_axes(op)) return replace(canonicalizer, op, op_operand(op, 0));
    return undo(canonicalizer, op, OP_SDY_REPLICATED_TO_UNREDUCED) ||
           gather_instead(canonicalizer, op);
}

static bool params_overlap(const Attr *a, const Attr *b) {
    for (int i = 0; i < a->count; i++) {
        for (int k = 0; k < b->count; k++) {
            const AllToAllParam *p = &a->all_to_all[i], *q = &b->all_to_all[k];
            if (p->source_dim == q->source_dim || p->source_dim == q->target_dim ||
                p->target_dim == q->source_dim || p->target_dim == q->target_dim)
                return true;
        }
    }
    return false;
}

// Both lists in one, sorted by source.
static const Attr *params_merged(Canonicalizer *canonicalizer, const Attr *a, const Attr *b) {
    AllToAllParam *all = ARENA_ARRAY(canonicalizer->scratch, AllToAllParam, a->count + b->count);
    int i = 0, k = 0;
    while (i < a->count || k < b->count) {
        bool first = k == b->count ||
                     (i < a->count && a->all_to_all[i].source_dim < b->all_to_all[k].source_dim);
        AllToAllParam *next = &all[i + k];
        *next = first ? a->all_to_all[i++] : b->all_to_all[k++];
    }
    const Attr prototype = {.kind = ATTR_ALL_TO_ALL, .count = i + k, .all_to_all = all};
    return attr_intern(canonicalizer->module->context, &prototype);
}

static bool simplify_all_to_all(Canonicalizer *canonicalizer, Op *op) {
    if (!op_result(op, 0)->uses) {
        op_erase(op);
        canonicalizer->changed = true;
        return true;
    }
    Op *inner = operand_def(op, OP_SDY_ALL_TO_ALL);
    if (!inner || !value_has_one_use(op_result(inner, 0))) return false;
    const Attr *first = op_attr(inner, NAME_PARAMS), *second = op_attr(op, NAME_PARAMS);
    if (params_overlap(first, second)) return false;
    op_set_attr(
        canonicalizer->module, op, NAME_PARAMS, params_merged(canonicalizer, first, second));
    op_set_operand(op, 0, op_operand(inner, 0));
    op_erase(inner);
    canonicalizer->changed = true;
    return true;
}

static bool simplify_permute(Canonicalizer *canonicalizer, Op *op) {
    Value *x = op_operand(op, 0);
    const Sharding *from = value_sharding(canonicalizer->module, x);
    const Sharding *to = op_result(op, 0)->sharding;
    if (from != to && !sharding_same_placement(canonicalizer->module, from, to)) return false;
    return replace(canonicalizer, op, x);
}

// ---- reshards ----

static bool simplify_reshard(Canonicalizer *canonicalizer, Op *op) {
    if (canonicalizer->others) {
        Value *same = redundant_reshard_value(canonicalizer->module, canonicalizer->scratch, op);
        if (same) return replace(canonicalizer, op, same);
    }
    if (!canonicalizer->reshards) return false;
    Op *inner = operand_def(op, OP_SDY_RESHARD);
    if (!inner || !value_has_one_use(op_result(inner, 0))) return false;
    op_set_operand(op, 0, op_operand(inner, 0));
    op_erase(inner);
    canonicalizer->changed = true;
    return true;
}

// ---- manual computations ----

static bool drop_unused_args(Canonicalizer *canonicalizer, Op *op) {
    const Attr *given = op_attr(op, NAME_IN_SHARDINGS);
    const Sharding **kept = ARENA_ARRAY(canonicalizer->scratch, const Sharding *, given->count);
    int count = 0, before = op->operand_count;
    Region *body = op->regions[0];
    for (int i = 0; i < before; i++) {
        if (body->args[i]->uses) kept[count++] = given->shardings[i];
    }
    if (count == before) return false;
    for (int i = before - 1; i >= 0; i--) {
        if (body->args[i]->uses) continue;
        region_remove_arg(body, i);
        op_remove_operand(op, i);
    }
    region_set_shardings(canonicalizer->module, op, NAME_IN_SHARDINGS, count, kept);
    canonicalizer->changed = true;
    return true;
}

static const Mesh *manual_mesh(const Module *module, const Op *op) {
    const Sharding *sharding = op->operand_count  ? region_in_sharding(op, 0)
                               : op->result_count ? region_out_sharding(op, 0)
                                                  : NULL;
    return sharding ? sharding_mesh(module, sharding) : NULL;
}

// Do all devices along the manual axes together make one?
static bool has_one_device(const Module *module, const Op *op) {
    const Attr *axes = op_attr(op, NAME_MANUAL_AXES);
    const Mesh *mesh = manual_mesh(module, op);
    if (!mesh) return op->operand_count == 0 && op->result_count == 0;
    for (int i = 0; i < axes->count; i++) {
        if (mesh_axis_size(mesh, axes->axes[i].name) != 1) return false;
    }
    return true;
}

static bool inline_manual(Canonicalizer *canonicalizer, Op *op) {
    if (!has_one_device(canonicalizer->module, op)) return false;
    Region *body = op->regions[0];
    for (int i = 0; i < op->operand_count; i++)
        value_replace_uses(body->args[i], op_operand(op, i));
    Op *end = region_terminator(body);
    assert(end);
    while (body->first != end)
        op_move_before(body->first, op);
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), op_operand(end, i));
    op_erase(op);
    canonicalizer->changed = true;
    return true;
}

// ---- the pass ----

static bool simplify_without_axes(Canonicalizer *canonicalizer, Op *op) {
    return has_no_axes(op) && replace(canonicalizer, op, op_operand(op, 0));
}

typedef bool SimplifyFn(Canonicalizer *canonicalizer, Op *op);

typedef struct SimplifyRow {
    char unused;
    SimplifyFn *simplify; // NULL: it has no simpler form
} SimplifyRow;

static const SimplifyRow collectives[OP_COUNT] = {
#define SIMPLIFIED(x) .simplify = simplify_##x,
#include "ir/dialects/partition_rows.def"
};

static bool simplify(Canonicalizer *canonicalizer, Op *op) {
    if (op->code == OP_SDY_RESHARD) return simplify_reshard(canonicalizer, op);
    if (op->code == OP_SDY_MANUAL && canonicalizer->others)
        return drop_unused_args(canonicalizer, op) || inline_manual(canonicalizer, op);
    SimplifyFn *own = collectives[op->code].simplify;
    return canonicalizer->collectives && own && own(canonicalizer, op);
}

// The ops of one region as they are now: rewrites may build, move and erase ops
// around the one that is visited.
static void sweep(Canonicalizer *canonicalizer, Region *region) {
    VEC(Op *) ops = {0};
    for (Op *op = region->first; op; op = op->next)
        vec_push(canonicalizer->scratch, &ops, op);
    for (int64_t i = 0; i < ops.count; i++) {
        Op *op = ops.data[i];
        if (op->parent != region) continue;
        for (int k = 0; k < op->region_count; k++)
            sweep(canonicalizer, op->regions[k]);
        simplify(canonicalizer, op);
    }
}

// The last op first, so that what only unused ops use goes at once.
static void remove_dead(Canonicalizer *canonicalizer, Region *region) {
    for (Op *op = region->last, *prev; op; op = prev) {
        prev = op->prev;
        for (int i = 0; i < op->region_count; i++)
            remove_dead(canonicalizer, op->regions[i]);
        if (!op_is_dead(op)) continue;
        op_erase(op);
        canonicalizer->changed = true;
    }
}

PassResult pass_canonicalize_sdy(Module *module, PassContext *pass) {
    StrView patterns = pass_option(pass, "enabled-patterns");
    bool all = patterns.size == 0;
    bool changed = all && pass_canonicalize_shard(module, pass) == PASS_CHANGED;
    // Every rewrite but the fusion of reduce_scatters removes an op or an operand, so this ends.
    while (true) {
        Canonicalizer canonicalizer = {
            .module = module,
            .scratch = pass->scratch,
            .reshards = all || strview_is(patterns, "reshard"),
            .collectives = all || strview_is(patterns, "collective"),
            .others = all};
        sweep(&canonicalizer, module->body);
        remove_dead(&canonicalizer, module->body);
        if (!canonicalizer.changed) break;
        changed = true;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

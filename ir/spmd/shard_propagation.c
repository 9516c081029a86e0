// shard_propagation: sharding-propagation: annotates what stands around annotated values, op by op.
//
//   In      a verified module with shard.shard on some values.
//   Out     every op that has a sharded neighbour has its operands annotated for users and its
//           results annotated, as one choice of grid axes for its loops says. Ops are visited
//           backward, then forward (option traversal). Of several choices the first wins that
//           reshards no annotated value, then one that reshards none that is annotated for this op.
//   Fails   at an op whose loops are not known, where one is visited.
//
//   before  %0 = tosa.tanh %x : ...
//           %1 = shard.shard %0 to %s : tensor<8x16xf32>
//   after   %2 = shard.shard %x to %s annotate_for_users
//           %0 = tosa.tanh %2
//           %1 = shard.shard %0 to %s
#include "ir/spmd/spmd.h"

enum { MAX_VALUES = MAX_LOOPS, MAX_CHOICES = 64 };

typedef struct Propagation {
    Module *module;
    PassContext *pass;
    bool is_inline; // shardings are written as attributes: partial values exist
    bool changed;
} Propagation;

// A choice: the grid and its axes along each loop.
typedef struct Choice {
    StrView grid;
    int loops;
    IntSpan axes[MAX_LOOPS];
} Choice;

// The shardings of an op's values that are asked for; NULL where none is.
typedef struct RequestedShardings {
    int count;
    bool is_must[MAX_VALUES];
    const ShardSpec *specs[MAX_VALUES];
} RequestedShardings;

static bool spans_equal(IntSpan a, IntSpan b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; i++) {
        if (a.data[i] != b.data[i]) return false;
    }
    return true;
}

// --- what is annotated ---

static ShardSpec *spec_in(Propagation *p, const Op *shard) {
    ShardSpec *spec = ARENA_NEW(p->pass->scratch, ShardSpec);
    return shard_spec_of(shard, spec) ? spec : NULL;
}

// Of a result: its own annotation must be, when it is the only user; that for its users may be.
static void result_request(
    Propagation *p, const Value *result, RequestedShardings *requested, int at) {
    const Op *own = NULL, *other = NULL;
    for (const Use *use = result->uses; use; use = use->next) {
        if (use->owner->code != OP_SHARD_SHARD || use_index(use) != 0) continue;
        if (op_attr(use->owner, NAME_ANNOTATE_FOR_USERS)) {
            other = use->owner;
        } else {
            own = use->owner;
        }
    }
    if (own && !value_has_one_use(result)) return;
    const Op *shard = own ? own : other;
    requested->is_must[at] = own != NULL;
    requested->specs[at] = shard ? spec_in(p, shard) : NULL;
}

static RequestedShardings wishes_of(Propagation *p, const Op *op) {
    RequestedShardings requested = {.count = op->operand_count + op->result_count};
    for (int i = 0; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        if (!def || def->code != OP_SHARD_SHARD) continue;
        requested.is_must[i] = op_attr(def, NAME_ANNOTATE_FOR_USERS) != NULL;
        requested.specs[i] = spec_in(p, def);
    }
    for (int i = 0; i < op->result_count; i++)
        result_request(p, op_result(op, i), &requested, op->operand_count + i);
    return requested;
}

// --- choices ---

static bool fill(Choice *choice, StrView grid, IntSpan axes, int loop) {
    bool other_grid = choice->grid.size > 0 && grid.size > 0 && !strview_equal(choice->grid, grid);
    IntSpan *here = &choice->axes[loop];
    if (other_grid || (here->count > 0 && !spans_equal(*here, axes))) return false;
    for (int d = 0; d < choice->loops; d++) {
        for (int i = 0; d != loop && i < axes.count; i++) {
            if (ints_contain(choice->axes[d], axes.data[i])) return false;
        }
    }
    if (grid.size > 0) choice->grid = grid;
    if (here->count == 0) *here = axes;
    return true;
}

static bool fill_from(Choice *choice, const ShardSpec *spec, const LoopMap *map) {
    if (choice->grid.size == 0) choice->grid = spec->grid;
    for (int r = 0; r < map->count; r++) {
        IntSpan axes = spec_axes(spec, r);
        if (map->results[r] < 0) {
            if (axes.count > 0) return false;
        } else if (
            r < spec->split_axes->count && !fill(choice, spec->grid, axes, map->results[r])) {
            return false;
        }
    }
    return true;
}

// The choice that the requested shardings make, results first; false where they
// contradict each other or say nothing.
static bool choose(
    const Op *op, const Loops *loops, const RequestedShardings *requested, Choice *choice) {
    *choice = (Choice){.loops = loops->count};
    IntSpan partial = {NULL, 0};
    bool any = false;
    for (int half = 0; half < 2; half++) {
        int from = half == 0 ? op->operand_count : 0;
        int to = half == 0 ? requested->count : op->operand_count;
        for (int i = from; i < to; i++) {
            const ShardSpec *spec = requested->specs[i];
            if (!spec) continue;
            any = true;
            if (half == 0 && spec->partial.count > 0) partial = spec->partial;
            if (!fill_from(choice, spec, &loops->maps[i])) return false;
        }
    }
    if (partial.count > 0) { // parts of a sum: along the first reduction, when none is sharded
        int first = -1;
        for (int d = loops->count - 1; d >= 0; d--) {
            if (!loops->is_reduction[d]) continue;
            if (choice->axes[d].count > 0) return any;
            first = d;
        }
        if (first < 0 || !fill(choice, (StrView){NULL, 0}, partial, first)) return false;
    }
    return any;
}

// The sharding of value i that a choice means; NULL for what is no tensor.
static const ShardSpec *meant(
    Propagation *p, const Op *op, const Loops *loops, const Choice *choice, int i) {
    const Type *type =
        i < op->operand_count ? op_operand_type(op, i) : op_result_type(op, i - op->operand_count);
    if (type->kind != TYPE_TENSOR || type->unranked || type->rank > MAX_LOOPS) return NULL;
    ShardSpec *spec = ARENA_NEW(p->pass->scratch, ShardSpec);
    AxisSets sets = {.count = type->rank};
    for (int r = 0; r < type->rank; r++) {
        int loop = r < loops->maps[i].count ? loops->maps[i].results[r] : -1;
        sets.axes[r] = loop >= 0 ? choice->axes[loop] : (IntSpan){NULL, 0};
    }
    spec->grid = choice->grid;
    spec->partial_type = SHARD_REDUCTION_sum;
    spec->split_axes = axis_sets_attr(p->module->context, &sets, !p->is_inline);
    if (i < op->operand_count || !p->is_inline) return spec;
    int64_t *partial = ARENA_ARRAY(p->pass->scratch, int64_t, MAX_AXES * 2);
    int count = 0;
    for (int d = 0; d < loops->count; d++) {
        for (int a = 0; loops->is_reduction[d] && a < choice->axes[d].count; a++)
            partial[count++] = choice->axes[d].data[a];
    }
    spec->partial = (IntSpan){partial, count};
    if (count > 0) (void)loops_reduction(op, &spec->partial_type);
    return spec;
}

// 0: the choice reshards no annotated value; 1: none that is annotated for this op; 2: one that is
static int cost_of(Propagation *p, const Op *op, const Loops *loops, const Choice *choice) {
    int cost = 0;
    for (int i = 0; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        const ShardSpec *spec = meant(p, op, loops, choice, i);
        if (!spec || !def || def->code != OP_SHARD_SHARD) continue;
        const ShardSpec *there = spec_in(p, def);
        if (there && spec_equal(there, spec)) continue;
        if (op_attr(def, NAME_ANNOTATE_FOR_USERS)) return 2;
        cost = 1;
    }
    for (int i = 0; i < op->result_count; i++) {
        const ShardSpec *spec = meant(p, op, loops, choice, op->operand_count + i);
        for (const Use *use = op_result(op, i)->uses; use && spec; use = use->next) {
            if (use->owner->code != OP_SHARD_SHARD) continue;
            const ShardSpec *there = spec_in(p, use->owner);
            if (there && spec_equal(there, spec)) continue;
            if (!op_attr(use->owner, NAME_ANNOTATE_FOR_USERS)) return 2;
            cost = 1;
        }
    }
    return cost;
}

// Tries which of the requested that may be are: all, then fewer, results before operands.
static bool find_choice(
    Propagation *p, const Op *op, const Loops *loops, const RequestedShardings *all, Choice *best) {
    int optional[MAX_VALUES], count = 0, best_cost = 3;
    for (int half = 0; half < 2; half++) { // those of results change slowest
        int from = half == 0 ? op->operand_count : 0;
        int to = half == 0 ? all->count : op->operand_count;
        for (int i = from; i < to; i++) {
            if (all->specs[i] && !all->is_must[i]) optional[count++] = i;
        }
    }
    if (count > 6) count = 6; // at most MAX_CHOICES; what is beyond is always asked for
    for (int mask = 0; mask < 1 << count; mask++) {
        RequestedShardings requested = *all;
        for (int k = 0; k < count; k++) {
            if (mask >> (count - 1 - k) & 1) requested.specs[optional[k]] = NULL;
        }
        Choice choice;
        if (!choose(op, loops, &requested, &choice) || choice.grid.size == 0) continue;
        int cost = cost_of(p, op, loops, &choice);
        if (cost >= best_cost) continue;
        *best = choice;
        best_cost = cost;
        if (cost == 0) break;
    }
    return best_cost < 3;
}

// --- annotations ---

// Every user gets the result by an annotation of its own.
static void annotate_result(Propagation *p, Value *result, const ShardSpec *spec) {
    Value *made = NULL;
    for (Use *use = result->uses, *next; use; use = next) {
        next = use->next;
        Op *user = use->owner;
        bool is_shard = user->code == OP_SHARD_SHARD;
        bool is_own = is_shard && !op_attr(user, NAME_ANNOTATE_FOR_USERS);
        if (made && user == made->def) continue;
        const ShardSpec *there = is_own ? spec_in(p, user) : NULL;
        if (there && spec_equal(there, spec)) {
            if (!made) made = op_result(user, 0);
            continue;
        }
        if (!made) {
            Builder builder = builder_after(p->module, result->def);
            made = build_annotation(&builder, result, spec, false, p->is_inline);
            next = result->uses; // the new use stands in front of the others
        }
        if (user != made->def) op_set_operand(user, use_index(use), made);
        p->changed = true;
    }
}

static void annotate_operand(Propagation *p, Op *op, int i, const ShardSpec *spec) {
    Value *value = op_operand(op, i);
    const Op *def = value->def;
    if (def && def->code == OP_SHARD_SHARD && op_attr(def, NAME_ANNOTATE_FOR_USERS)) {
        const ShardSpec *there = spec_in(p, def);
        if (there && spec_equal(there, spec)) return;
    }
    Builder builder = builder_before(p->module, op);
    Value *made = build_annotation(&builder, value, spec, true, p->is_inline);
    for (int k = i; k < op->operand_count; k++) {
        if (op_operand(op, k) == value) op_set_operand(op, k, made);
    }
    p->changed = true;
}

static bool is_passed_over(const Op *op) {
    return op_has(op, TRAIT_TERMINATOR) || op_has(op, TRAIT_CONSTANT) ||
           op_dialect(op) == DIALECT_SHARD;
}

static bool visit(Propagation *p, Op *op) {
    Loops loops;
    if (is_passed_over(op)) return true;
    if (!sharding_loops(op, &loops)) {
        bool has_tensor = false;
        for (int i = 0; i < op->operand_count; i++)
            has_tensor = has_tensor || op_operand_type(op, i)->kind == TYPE_TENSOR;
        for (int i = 0; i < op->result_count; i++)
            has_tensor = has_tensor || op_result_type(op, i)->kind == TYPE_TENSOR;
        if (!has_tensor) return true;
        diag_error(
            p->pass->diags, op->loc, "'%.*s' op sharding interface is not implemented.",
            SV_ARG(op->name));
        return false;
    }
    RequestedShardings requested = wishes_of(p, op);
    Choice choice;
    if (!find_choice(p, op, &loops, &requested, &choice)) return true;
    for (int i = 0; i < op->result_count; i++) {
        const ShardSpec *spec = meant(p, op, &loops, &choice, op->operand_count + i);
        if (spec) annotate_result(p, op_result(op, i), spec);
    }
    for (int i = 0; i < op->operand_count; i++) {
        const ShardSpec *spec = meant(p, op, &loops, &choice, i);
        if (spec) annotate_operand(p, op, i, spec);
    }
    return true;
}

static bool visit_all(Propagation *p, Op **ops, int count, bool backward) {
    for (int i = 0; i < count; i++) {
        if (!visit(p, ops[backward ? count - 1 - i : i])) return false;
    }
    return true;
}

static bool propagate(Propagation *p, const Op *func, StrView traversal) {
    const Region *body = func_body(func);
    int count = 0;
    for (const Op *op = body->first; op; op = op->next)
        count++;
    Op **ops = ARENA_ARRAY(p->pass->scratch, Op *, count + 1);
    count = 0;
    for (Op *op = body->first; op; op = op->next)
        ops[count++] = op;
    bool is_backward = strview_is(traversal, "backward");
    bool is_forward = strview_is(traversal, "forward");
    bool ends_backward = strview_is(traversal, "forward-backward");
    if (!is_forward && !ends_backward && !visit_all(p, ops, count, true)) return false;
    if (!is_backward && !visit_all(p, ops, count, false)) return false;
    return !ends_backward || visit_all(p, ops, count, true);
}

PassResult pass_propagate_shard(Module *module, PassContext *pass) {
    Propagation p = {
        .module = module, .pass = pass, .is_inline = module_has_inline_shardings(module)};
    for (Op *func = module->body->first; func; func = func->next) {
        if (func->code != OP_FUNC || !func_body(func)->first) continue;
        if (!propagate(&p, func, pass_option(pass, "traversal"))) return PASS_FAILED;
    }
    return p.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

// rows: the folds over a row become passes, and what several passes compute of an element becomes a
// local.
//
//   In      outputs whose expressions contain folds that depend on nothing but the row.
//   Out     passes in the order in which folds need each other; folds of one level share a pass.
//           All passes over as many elements have the same variables, so equal expressions of two
//           passes are one pointer: where they cost more than to keep them, the first pass does.
//
//     parallel i0:2048                                          row
//       pass i2:2048        f0 = maximum of arg0[i0, i2]
//       pass i2:2048        x0 = exponential(arg0[i0, i2] - f0), kept; f1 = add of x0
//       pass i2:2048        result0[i0, i2] = x0 / f1
#include "codegen/plan/rows.h"

#include "codegen/element/element.h"
#include "codegen/expr/needs.h"
#include "codegen/kernel/lower_class.h"

#include <string.h>

typedef const IndexExpr *Index;

enum {
    KEEP_COST = 8, // cheap operations: less is computed again
    NESTED_COST = 1000,
    MAX_COST = 1 << 20,
    LOCAL_LINE = 64
};

// Axes of passes over the elements of a row.
typedef struct Class {
    int axis_count;
    FoldAxis axes[MAX_RANK];
    int64_t count;
    Index position; // number of the element
} Class;

typedef struct Found {
    const Fold *fold;  // as it was
    const Fold *clean; // with the variables of its class, without axes
    const Expr **results;
    int level, class;
} Found;

typedef struct Draft {
    int level, class;
    bool in_lanes;
    VEC(RowFold) folds;
    VEC(Store) stores;
    VEC(RowKeep) keeps;
} Draft;

typedef struct Kept {
    const Expr *x;
    int class, first, last; // passes
    const Expr *load;
} Kept;

typedef struct Build {
    ExprBuilder *b;
    Arena *arena;
    Stage *stage;
    Needs needs;
    PtrMap levels;    // Expr: 1 + number of passes before it is known
    VEC(Found) folds; // those inside before those around
    VEC(Class) classes;
    VEC(Draft *) passes;
    // Expr: cost + 1; 1 + the pass that computes it first; 1 + the last pass that was here
    PtrMap costs, first, seen;
    VEC(Kept) kept;
} Build;

// ---- folds and levels

static int larger(int x, int y) { return x > y ? x : y; }

static int collect(Build *build, const Expr *x);

static int collect_index(Build *build, Index x) {
    int level = 0;
    for (int i = 0; x && i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of) level = larger(level, collect_index(build, atom->of));
        if (atom->kind != INDEX_RUNTIME) continue;
        const Expr *number = build->b->runtimes.data[atom->id].x;
        if (number) level = larger(level, collect(build, number));
    }
    return level;
}

static int collect_guards(Build *build, int count, const Guard *guards) {
    int level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, collect_index(build, guards[i].x));
    return level;
}

static int collect_list(Build *build, int count, const Expr *const *list) {
    int level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, collect(build, list[i]));
    return level;
}

// Does it depend on nothing but the row?
static bool is_row_fold(Build *build, const Fold *fold) {
    if (fold->unroll || fold->guard_count || fold->axis_count == 0) return false;
    const uint64_t *needs = needs_of_fold(&build->needs, fold);
    for (int id = 0; id < build->needs.variables; id++) {
        if (build->b->is_fold_variable.data[id] && needs_has(needs, id)) return false;
    }
    for (int id = 0; id < build->needs.scalars; id++) {
        if (needs_has(needs, build->needs.variables + id)) return false;
    }
    return true;
}

static int collect_fold(Build *build, const Fold *fold) {
    void *known = ptr_map_get(&build->levels, fold);
    if (known) return (int)(intptr_t)known - 1;
    int level = collect_guards(build, fold->guard_count, fold->guards);
    level = larger(level, collect_list(build, fold->count, fold->start));
    level = larger(level, collect_list(build, fold->count, fold->step));
    level = larger(level, collect_list(build, fold->result_count, fold->result));
    if (is_row_fold(build, fold)) {
        vec_push(build->arena, &build->folds, ((Found){.fold = fold, .level = level}));
        level++;
    }
    ptr_map_set(&build->levels, fold, (void *)(intptr_t)(level + 1));
    return level;
}

// Finds the row folds inside; the number of passes after which x is known.
static int collect(Build *build, const Expr *x) {
    void *known = ptr_map_get(&build->levels, x);
    if (known) return (int)(intptr_t)known - 1;
    int level = collect_list(build, x->operand_count, x->operands);
    level = larger(level, collect_index(build, x->at));
    level = larger(level, collect_index(build, x->device));
    level = larger(level, collect_guards(build, x->guard_count, x->guards));
    if (x->fold) level = larger(level, collect_fold(build, x->fold));
    ptr_map_set(&build->levels, x, (void *)(intptr_t)(level + 1));
    return level;
}

// ---- classes

static int64_t product(int count, const FoldAxis *axes) {
    int64_t total = 1;
    for (int k = 0; k < count; k++)
        total *= axes[k].extent;
    return total;
}

static bool same_extents(const Class *class, int count, const FoldAxis *axes) {
    if (class->axis_count != count) return false;
    for (int k = 0; k < count; k++) {
        if (class->axes[k].extent != axes[k].extent) return false;
    }
    return true;
}

// The class of passes over these axes. One axis fits to all classes of as many
// elements, which are then made finer.
static int class_of(Build *build, int count, const FoldAxis *axes) {
    int64_t total = product(count, axes);
    for (int64_t i = 0; i < build->classes.count; i++) {
        Class *class = &build->classes.data[i];
        if (class->count != total) continue;
        if (same_extents(class, count, axes) || count == 1) return (int)i;
        if (class->axis_count > 1) continue;
        class->axis_count = count;
        memcpy(class->axes, axes, (size_t)count * sizeof axes[0]);
        return (int)i;
    }
    Class class = {.axis_count = count, .count = total};
    memcpy(class.axes, axes, (size_t)count * sizeof axes[0]);
    vec_push(build->arena, &build->classes, class);
    return (int)build->classes.count - 1;
}

static void name_class(Build *build, Class *class) {
    ExprBuilder *b = build->b;
    class->position = index_constant(b->index, 0);
    for (int k = 0; k < class->axis_count; k++) {
        int64_t extent = class->axes[k].extent;
        class->axes[k].variable = expr_new_variable(b, true);
        Index i = index_variable(b->index, class->axes[k].variable, extent);
        class->position = index_add(b->index, index_scale(b->index, class->position, extent), i);
    }
}

// A substitution that knows all folds that are clean, and puts the class's
// variables in the place of these axes.
static Substitution cleaning(Build *build, const Class *class, int count, const FoldAxis *axes) {
    ExprBuilder *b = build->b;
    Substitution s = substitution(b, b);
    for (int64_t i = 0; i < build->folds.count; i++) {
        const Found *found = &build->folds.data[i];
        for (int r = 0; found->clean && r < found->fold->result_count; r++)
            ptr_map_set(
                &s.known, expr_fold(b, found->fold, r), (void *)(uintptr_t)found->results[r]);
    }
    for (int k = 0; class && k < count; k++) {
        Index i = index_variable(b->index, class->axes[k].variable, class->axes[k].extent);
        s.variables[axes[k].variable] = count == class->axis_count ? i : class->position;
    }
    return s;
}

static const Expr *const *clean_list(Substitution *s, int count, const Expr *const *list) {
    const Expr **clean = (const Expr **)arena_alloc_array(s->to->arena, count + 1, sizeof *clean);
    for (int i = 0; i < count; i++)
        clean[i] = expr_substitute(s, list[i]);
    return clean;
}

static void clean_fold(Build *build, Found *found) {
    const Fold *fold = found->fold;
    const Class *class = &build->classes.data[found->class];
    Substitution s = cleaning(build, class, fold->axis_count, fold->axes);
    Fold clean = *fold;
    clean.axis_count = 0;
    clean.start = clean_list(&s, fold->count, fold->start);
    clean.step = clean_list(&s, fold->count, fold->step);
    clean.result = clean_list(&s, fold->result_count, fold->result);
    found->clean = expr_intern_fold(build->b, &clean);
    found->results = (const Expr **)arena_alloc_array(
        build->arena, fold->result_count + 1, sizeof *found->results);
    for (int r = 0; r < fold->result_count; r++)
        found->results[r] = expr_new_scalar(build->b, fold->result[r]->element);
}

// ---- passes

static Draft *pass_at(Build *build, int level, int class, bool in_lanes) {
    for (int64_t i = 0; i < build->passes.count; i++) {
        Draft *pass = build->passes.data[i];
        if (pass->level == level && pass->class == class && pass->in_lanes == in_lanes) return pass;
    }
    Draft *pass = ARENA_NEW(build->arena, Draft);
    *pass = (Draft){.level = level, .class = class, .in_lanes = in_lanes};
    vec_push(build->arena, &build->passes, pass);
    int64_t i = build->passes.count - 1; // in the order of the levels
    for (; i > 0 && build->passes.data[i - 1]->level > level; i--)
        build->passes.data[i] = build->passes.data[i - 1];
    build->passes.data[i] = pass;
    return pass;
}

// The output's index: the row's axes, and new ones for its other dimensions, which are given back.
static int output_index(
    Build *build, const KernelOperand *output, const Index *row, Index *index, FoldAxis *axes) {
    const Type *type = kernel_made(output)->type;
    int count = 0;
    for (int d = 0; d < type->rank; d++) {
        if (output->row_axis[d] >= 0) {
            index[d] = row[output->row_axis[d]];
        } else if (type->dims[d] == 1) {
            index[d] = index_constant(build->b->index, 0);
        } else {
            axes[count] = (FoldAxis){expr_new_variable(build->b, true), type->dims[d]};
            index[d] = index_variable(build->b->index, axes[count].variable, type->dims[d]);
            count++;
        }
    }
    return count;
}

typedef struct Output {
    Store store;
    int axis_count, class, level;
    FoldAxis axes[MAX_RANK];
} Output;

static void find_outputs(Build *build, Output *outputs) {
    const Kernel *kernel = build->b->kernel;
    Index row[MAX_RANK];
    stage_add_axes(build->b, build->stage, kernel->row_rank, kernel->row_dims, row);
    for (int i = 0; i < kernel->output_count; i++) {
        const Value *value = kernel_made(&kernel->outputs[i]);
        Index index[MAX_RANK];
        Output *output = &outputs[i];
        output->axis_count = output_index(build, &kernel->outputs[i], row, index, output->axes);
        const Expr *x = expr_of(build->b, value, index);
        output->store = stage_store(build->b, &kernel->outputs[i], index, x);
    }
}

static void place_output(Build *build, Output *output) {
    const Class *class = output->axis_count ? &build->classes.data[output->class] : NULL;
    Substitution s = cleaning(build, class, output->axis_count, output->axes);
    Store *store = &output->store;
    for (int d = 0; d < store->output->type->rank; d++)
        store->index[d] = expr_substitute_index(&s, store->index[d]);
    store->at = expr_substitute_index(&s, store->at);
    if (store->device) store->device = expr_substitute_index(&s, store->device);
    store->value = expr_substitute(&s, store->value);
    if (!class)
        build->stage->stores[build->stage->store_count++] = *store;
    else
        vec_push(build->arena, &pass_at(build, output->level, output->class, true)->stores, *store);
}

static void make_passes(Build *build) {
    const Kernel *kernel = build->b->kernel;
    Output *outputs = ARENA_ARRAY(build->arena, Output, kernel->output_count);
    find_outputs(build, outputs);
    if (build->b->failed) return;
    build->needs = needs_create(build->arena, build->b);
    for (int i = 0; i < kernel->output_count; i++) {
        Output *output = &outputs[i];
        output->level = collect(build, output->store.value);
        if (output->axis_count) output->class = class_of(build, output->axis_count, output->axes);
    }
    for (int64_t i = 0; i < build->folds.count; i++) {
        Found *found = &build->folds.data[i];
        found->class = class_of(build, found->fold->axis_count, found->fold->axes);
    }
    for (int64_t i = 0; i < build->classes.count; i++)
        name_class(build, &build->classes.data[i]);
    for (int64_t i = 0; i < build->folds.count; i++) {
        Found *found = &build->folds.data[i];
        clean_fold(build, found);
        Draft *pass = pass_at(build, found->level, found->class, found->fold->in_lanes);
        RowFold fold = {found->clean, found->results};
        vec_push(build->arena, &pass->folds, fold);
    }
    for (int i = 0; i < kernel->output_count; i++)
        place_output(build, &outputs[i]);
}

// ---- locals

static bool is_of_row(Build *build, const Expr *x) { // the same for all its elements
    const uint64_t *needs = needs_of(&build->needs, x);
    for (int64_t i = 0; i < build->classes.count; i++) {
        const Class *class = &build->classes.data[i];
        for (int k = 0; k < class->axis_count; k++) {
            if (needs_has(needs, class->axes[k].variable)) return false;
        }
    }
    return true;
}

// Of the arithmetic and the loads, where each pass makes them anew.
static int cost_of(Build *build, const Expr *x) {
    void *known = ptr_map_get(&build->costs, x);
    if (known) return (int)(intptr_t)known - 1;
    int cost = 0;
    if (!is_of_row(build, x)) {
        bool is_op = x->kind == EXPR_OP || x->kind == EXPR_ARITHMETIC;
        cost = is_op ? (int)op_code_cost(x->code) : x->kind == EXPR_FOLD ? NESTED_COST : 1;
        // narrow floats are computed as wide ones and rounded
        if (is_op && element_is_float(x->element) && element_bytes(x->element) < 4) cost += 4;
        for (int i = 0; i < x->operand_count && cost < MAX_COST; i++)
            cost += cost_of(build, x->operands[i]);
    }
    ptr_map_set(&build->costs, x, (void *)(intptr_t)(cost + 1));
    return cost;
}

static Kept *kept_of(Build *build, const Expr *x) {
    for (int64_t i = 0; i < build->kept.count; i++) {
        if (build->kept.data[i].x == x) return &build->kept.data[i];
    }
    return NULL;
}

// What the pass computes; what an earlier one has computed is kept from there on, if that costs
// less. (Only what is computed at every element can be kept, so choices are looked at as a whole.)
static void visit(Build *build, const Expr *x, int pass, int threshold) {
    if ((intptr_t)ptr_map_get(&build->seen, x) == pass + 1 || is_of_row(build, x)) return;
    ptr_map_set(&build->seen, x, (void *)(intptr_t)(pass + 1));
    int first = (int)(intptr_t)ptr_map_get(&build->first, x) - 1;
    if (first >= 0 && cost_of(build, x) > threshold) {
        Kept *kept = kept_of(build, x);
        if (kept) {
            kept->last = pass;
            return;
        }
        int class = build->passes.data[first]->class;
        vec_push(build->arena, &build->kept, ((Kept){x, class, first, pass, NULL}));
        return;
    }
    if (first < 0) ptr_map_set(&build->first, x, (void *)(intptr_t)(pass + 1));
    if (x->kind == EXPR_CHOICE) return;
    for (int i = 0; i < x->operand_count; i++)
        visit(build, x->operands[i], pass, threshold);
}

static void find_kept(Build *build, int threshold) {
    build->kept.count = 0;
    build->first = ptr_map(build->arena);
    build->seen = ptr_map(build->arena);
    for (int64_t p = 0; p < build->passes.count; p++) {
        const Draft *pass = build->passes.data[p];
        for (int64_t i = 0; i < pass->folds.count; i++) {
            const Fold *fold = pass->folds.data[i].fold;
            for (int k = 0; k < fold->count; k++)
                visit(build, fold->step[k], (int)p, threshold);
        }
        for (int64_t i = 0; i < pass->stores.count; i++)
            visit(build, pass->stores.data[i].value, (int)p, threshold);
    }
}

// Memory that one local has after the other: the pass that reads the last of the one may write
// the other, element by element.
typedef struct Slot {
    int class, last;
    size_t element_bytes;
    int64_t offset;
} Slot;

static void place_locals(Build *build, Rows *rows) {
    VEC(Slot) slots = {0};
    rows->local_count = (int)build->kept.count;
    rows->locals = ARENA_ARRAY(build->arena, RowLocal, build->kept.count);
    rows->local_bytes = 0;
    bool *is_placed = ARENA_ARRAY(build->arena, bool, build->kept.count);
    for (int64_t n = 0; n < build->kept.count; n++) {
        int64_t next = -1; // the earliest of those that are left
        for (int64_t i = 0; i < build->kept.count; i++) {
            bool is_earlier = next < 0 || build->kept.data[i].first < build->kept.data[next].first;
            if (!is_placed[i] && is_earlier) next = i;
        }
        is_placed[next] = true;
        const Kept *kept = &build->kept.data[next];
        size_t size = element_bytes(kept->x->element);
        Slot *slot = NULL;
        for (int64_t i = 0; i < slots.count && !slot; i++) {
            Slot *s = &slots.data[i];
            if (s->class == kept->class && s->element_bytes == size && s->last <= kept->first)
                slot = s;
        }
        int64_t count = build->classes.data[kept->class].count;
        if (!slot) {
            vec_push(build->arena, &slots, ((Slot){kept->class, 0, size, rows->local_bytes}));
            slot = &slots.data[slots.count - 1];
            int64_t bytes = count * (int64_t)size;
            rows->local_bytes += (bytes + LOCAL_LINE - 1) / LOCAL_LINE * LOCAL_LINE;
        }
        slot->last = kept->last;
        rows->locals[next] = (RowLocal){kept->x->element, count, slot->offset};
    }
}

// Fewer locals where they do not fit into the cache.
static void choose_locals(Build *build, Rows *rows, const Target *target) {
    build->needs = needs_create(build->arena, build->b);
    build->costs = ptr_map(build->arena);
    for (int threshold = KEEP_COST;; threshold *= 2) {
        find_kept(build, threshold);
        place_locals(build, rows);
        if (build->kept.count == 0 || rows->local_bytes <= target->l2_bytes / 2) return;
    }
}

// ---- the result

static Substitution loading(Build *build, int pass) {
    Substitution s = substitution(build->b, build->b);
    for (int64_t i = 0; i < build->kept.count; i++) {
        const Kept *kept = &build->kept.data[i];
        if (kept->first < pass) ptr_map_set(&s.known, kept->x, (void *)(uintptr_t)kept->load);
    }
    return s;
}

static void finish_pass(Build *build, int p, RowPass *pass) {
    const Draft *draft = build->passes.data[p];
    const Class *class = &build->classes.data[draft->class];
    Substitution s = loading(build, p);
    pass->axis_count = class->axis_count;
    memcpy(pass->axes, class->axes, sizeof class->axes);
    RowFold *folds = ARENA_ARRAY(build->arena, RowFold, draft->folds.count);
    for (int64_t i = 0; i < draft->folds.count; i++) {
        Fold fold = *draft->folds.data[i].fold;
        fold.step = clean_list(&s, fold.count, fold.step);
        folds[i] = (RowFold){expr_intern_fold(build->b, &fold), draft->folds.data[i].results};
    }
    Store *stores = ARENA_ARRAY(build->arena, Store, draft->stores.count);
    for (int64_t i = 0; i < draft->stores.count; i++) {
        stores[i] = draft->stores.data[i];
        stores[i].value = expr_substitute(&s, stores[i].value);
    }
    RowKeep *keeps = ARENA_ARRAY(build->arena, RowKeep, build->kept.count);
    for (int64_t i = 0; i < build->kept.count; i++) {
        const Kept *kept = &build->kept.data[i];
        if (kept->first != p) continue;
        keeps[pass->keep_count++] =
            (RowKeep){(int)i, class->position, expr_substitute(&s, kept->x)};
    }
    pass->fold_count = (int)draft->folds.count;
    pass->store_count = (int)draft->stores.count;
    pass->folds = folds;
    pass->stores = stores;
    pass->keeps = keeps;
}

Stage *rows_stage(ExprBuilder *b, const Target *target) {
    Build build = {.b = b, .arena = b->arena};
    build.levels = ptr_map(b->arena);
    build.stage = stage_create(b, STAGE_ROWS, b->kernel->output_count);
    Rows *rows = build.stage->rows = ARENA_NEW(b->arena, Rows);
    make_passes(&build);
    if (b->failed) return build.stage;
    choose_locals(&build, rows, target);
    for (int64_t i = 0; i < build.kept.count; i++) {
        Kept *kept = &build.kept.data[i];
        Index at = build.classes.data[kept->class].position;
        kept->load = expr_local(b, kept->x->element, (int)i, at);
    }
    rows->pass_count = (int)build.passes.count;
    rows->passes = ARENA_ARRAY(b->arena, RowPass, rows->pass_count);
    for (int p = 0; p < rows->pass_count; p++)
        finish_pass(&build, p, &rows->passes[p]);
    return build.stage;
}

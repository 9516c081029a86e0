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
//
// Where neighbouring rows lie side by side (they are columns), a block of them is made together:
// a local holds the block's elements, and so many columns make a block that the locals stay in
// the cache. Then everything that several passes read is kept, loads as well: lines of a column
// lie far apart. Numbers of a row that are computed from folds are computed once, by the pass
// before those that use them.
#include "codegen/plan/rows/rows.h"

#include "codegen/element/element.h"
#include "codegen/kernel/lower_class.h"
#include "codegen/plan/rows/row_locals.h"

#include <string.h>

typedef const IndexExpr *Index;

// ---- folds and levels

static int larger(int x, int y) { return x > y ? x : y; }

static int collect(RowsBuild *build, const Expr *x);

static int collect_index(RowsBuild *build, Index x) {
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

static int collect_guards(RowsBuild *build, int count, const Guard *guards) {
    int level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, collect_index(build, guards[i].x));
    return level;
}

static int collect_list(RowsBuild *build, int count, const Expr *const *list) {
    int level = 0;
    for (int i = 0; i < count; i++)
        level = larger(level, collect(build, list[i]));
    return level;
}

// Does it depend on nothing but the row?
static bool is_row_fold(RowsBuild *build, const Fold *fold) {
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

static int collect_fold(RowsBuild *build, const Fold *fold) {
    void *known = ptr_map_get(&build->levels, fold);
    if (known) return (int)(intptr_t)known - 1;
    int level = collect_guards(build, fold->guard_count, fold->guards);
    level = larger(level, collect_list(build, fold->count, fold->start));
    level = larger(level, collect_list(build, fold->count, fold->step));
    level = larger(level, collect_list(build, fold->result_count, fold->result));
    if (is_row_fold(build, fold)) {
        vec_push(build->arena, &build->folds, ((FoundFold){.fold = fold, .level = level}));
        level++;
    }
    ptr_map_set(&build->levels, fold, (void *)(intptr_t)(level + 1));
    return level;
}

// Finds the row folds inside; the number of passes after which x is known.
static int collect(RowsBuild *build, const Expr *x) {
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

static bool same_extents(const RowClass *class, int count, const FoldAxis *axes) {
    if (class->axis_count != count) return false;
    for (int k = 0; k < count; k++) {
        if (class->axes[k].extent != axes[k].extent) return false;
    }
    return true;
}

// The class of passes over these axes. One axis fits to all classes of as many
// elements, which are then made finer.
static int class_of(RowsBuild *build, int count, const FoldAxis *axes) {
    int64_t total = product(count, axes);
    for (int64_t i = 0; i < build->classes.count; i++) {
        RowClass *class = &build->classes.data[i];
        if (class->count != total) continue;
        if (same_extents(class, count, axes) || count == 1) return (int)i;
        if (class->axis_count > 1) continue;
        class->axis_count = count;
        memcpy(class->axes, axes, (size_t)count * sizeof axes[0]);
        return (int)i;
    }
    RowClass class = {.axis_count = count, .count = total};
    memcpy(class.axes, axes, (size_t)count * sizeof axes[0]);
    vec_push(build->arena, &build->classes, class);
    return (int)build->classes.count - 1;
}

static void name_class(RowsBuild *build, RowClass *class) {
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
static Substitution cleaning(
    RowsBuild *build, const RowClass *class, int count, const FoldAxis *axes) {
    ExprBuilder *b = build->b;
    Substitution s = substitution(b, b);
    for (int64_t i = 0; i < build->folds.count; i++) {
        const FoundFold *found = &build->folds.data[i];
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

static void clean_fold(RowsBuild *build, FoundFold *found) {
    const Fold *fold = found->fold;
    const RowClass *class = &build->classes.data[found->class];
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

static RowDraft *pass_at(RowsBuild *build, int level, int class, bool in_lanes) {
    for (int64_t i = 0; i < build->passes.count; i++) {
        RowDraft *pass = build->passes.data[i];
        if (pass->level == level && pass->class == class && pass->in_lanes == in_lanes) return pass;
    }
    RowDraft *pass = ARENA_NEW(build->arena, RowDraft);
    *pass = (RowDraft){.level = level, .class = class, .in_lanes = in_lanes};
    vec_push(build->arena, &build->passes, pass);
    int64_t i = build->passes.count - 1; // in the order of the levels
    for (; i > 0 && build->passes.data[i - 1]->level > level; i--)
        build->passes.data[i] = build->passes.data[i - 1];
    build->passes.data[i] = pass;
    return pass;
}

// The output's index: the row's axes, and new ones for its other dimensions, which are given back.
static int output_index(
    RowsBuild *build, const KernelOperand *output, const Index *row, Index *index, FoldAxis *axes) {
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

static void find_outputs(RowsBuild *build, Output *outputs) {
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

static void place_output(RowsBuild *build, Output *output) {
    const RowClass *class = output->axis_count ? &build->classes.data[output->class] : NULL;
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

static void make_passes(RowsBuild *build) {
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
        FoundFold *found = &build->folds.data[i];
        found->class = class_of(build, found->fold->axis_count, found->fold->axes);
    }
    for (int64_t i = 0; i < build->classes.count; i++)
        name_class(build, &build->classes.data[i]);
    for (int64_t i = 0; i < build->folds.count; i++) {
        FoundFold *found = &build->folds.data[i];
        clean_fold(build, found);
        RowDraft *pass = pass_at(build, found->level, found->class, found->fold->in_lanes);
        RowFold fold = {found->clean, found->results};
        vec_push(build->arena, &pass->folds, fold);
    }
    for (int i = 0; i < kernel->output_count; i++)
        place_output(build, &outputs[i]);
}

// ---- the result

static Substitution loading(RowsBuild *build, int pass) {
    Substitution s = substitution(build->b, build->b);
    for (int64_t i = 0; i < build->kept.count; i++) {
        const RowKept *kept = &build->kept.data[i];
        if (kept->first < pass) ptr_map_set(&s.known, kept->x, (void *)(uintptr_t)kept->load);
    }
    for (int64_t i = 0; i < build->numbers.count; i++) {
        const RowNumber *number = &build->numbers.data[i];
        if (number->pass < pass)
            ptr_map_set(&s.known, number->x, (void *)(uintptr_t)number->scalar);
    }
    return s;
}

// Where a local holds the element.
static Index local_place(RowsBuild *build, const Rows *rows, const RowClass *class) {
    if (!rows->columns) return class->position;
    IndexBuilder *b = build->b->index;
    return index_add(b, index_scale(b, class->position, rows->columns), build->place);
}

static int cost_of_pass(RowsBuild *build, const RowPass *pass) {
    int cost = 0;
    for (int i = 0; i < pass->keep_count; i++)
        cost += row_cost(build, pass->keeps[i].value);
    for (int i = 0; i < pass->fold_count; i++) {
        const Fold *fold = pass->folds[i].fold;
        for (int k = 0; k < fold->count; k++)
            cost += row_cost(build, fold->step[k]);
    }
    return cost;
}

static void finish_pass(RowsBuild *build, int p, const Rows *rows, RowPass *pass) {
    const RowDraft *draft = build->passes.data[p];
    const RowClass *class = &build->classes.data[draft->class];
    Substitution s = loading(build, p);
    pass->axis_count = class->axis_count;
    memcpy(pass->axes, class->axes, sizeof class->axes);
    RowFold *folds = ARENA_ARRAY(build->arena, RowFold, draft->folds.count + build->numbers.count);
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
        const RowKept *kept = &build->kept.data[i];
        if (kept->first != p) continue;
        keeps[pass->keep_count++] =
            (RowKeep){(int)i, local_place(build, rows, class), expr_substitute(&s, kept->x)};
    }
    pass->fold_count = (int)draft->folds.count;
    pass->fold_count += row_number_folds(build, p, &folds[pass->fold_count]);
    pass->store_count = (int)draft->stores.count;
    pass->folds = folds;
    pass->stores = stores;
    pass->keeps = keeps;
    if (!rows->columns) pass->cost = cost_of_pass(build, pass);
}

Stage *rows_stage(ExprBuilder *b, const Target *target) {
    RowsBuild build = {.b = b, .arena = b->arena};
    build.levels = ptr_map(b->arena);
    build.stage = stage_create(b, STAGE_ROWS, b->kernel->output_count);
    Rows *rows = build.stage->rows = ARENA_NEW(b->arena, Rows);
    make_passes(&build);
    if (b->failed) return build.stage;
    row_choose_locals(&build, rows, target);
    if (rows->columns) {
        row_find_numbers(&build);
        row_fit_stack(&build, rows);
        rows->place = expr_new_variable(b, true);
        build.place = index_variable(b->index, rows->place, rows->columns);
    }
    for (int64_t i = 0; i < build.kept.count; i++) {
        RowKept *kept = &build.kept.data[i];
        Index at = local_place(&build, rows, &build.classes.data[kept->class]);
        kept->load = expr_local(b, kept->x->element, (int)i, at);
    }
    rows->pass_count = (int)build.passes.count;
    rows->passes = ARENA_ARRAY(b->arena, RowPass, rows->pass_count);
    for (int p = 0; p < rows->pass_count; p++)
        finish_pass(&build, p, rows, &rows->passes[p]);
    return build.stage;
}

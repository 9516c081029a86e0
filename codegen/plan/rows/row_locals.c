// row_locals: what several passes compute of an element is kept from the first of them on,
// where that costs less than to compute it again and fits into the cache. Of columns, that
// decides how many are made together.
#include "codegen/plan/rows/row_locals.h"

#include "codegen/expr/costly.h"
#include "codegen/kernel/lower_class.h"

#include <string.h>

enum {
    KEEP_COST = 8,      // cheap operations: less is computed again
    MOST_COLUMNS = 512, // of a block
    FEW_BLOCKS = 16,
    WIDE_LINES = 8, // of a block beyond the second-level cache
    PAIR = 2,       // of lines, which CPUs fetch together
    L3_PART = 16,   // a lane's
    STACK_BYTES = 32 << 10,
    NESTED_COST = 1000,
    MAX_COST = 1 << 20,
    LOCAL_LINE = 64
};

static bool is_of_row(RowsBuild *build, const Expr *x) { // the same for all its elements
    const uint64_t *needs = needs_of(&build->needs, x);
    for (int64_t i = 0; i < build->classes.count; i++) {
        const RowClass *class = &build->classes.data[i];
        for (int k = 0; k < class->axis_count; k++) {
            if (needs_has(needs, class->axes[k].variable)) return false;
        }
    }
    return true;
}

// The same in all columns of a block, which lie along the last axis of more than one.
static bool is_of_block(RowsBuild *build, const Expr *x) {
    const Needs *needs = &build->needs;
    const Stage *stage = build->stage;
    const uint64_t *set = needs_of(&build->needs, x);
    int last = stage->axis_count - 1;
    while (last > 0 && stage->axes[last].extent == 1)
        last--;
    if (last >= 0 && needs_has(set, stage->axes[last].variable)) return false;
    for (int id = 0; id < needs->scalars; id++)
        if (needs_has(set, needs->variables + id)) return false;
    return true;
}

// Of the arithmetic and the loads, where each pass makes them anew.
int row_cost(RowsBuild *build, const Expr *x) {
    void *known = ptr_map_get(&build->costs, x);
    if (known) return (int)(intptr_t)known - 1;
    int cost = 0;
    if (!is_of_row(build, x)) {
        bool is_op = x->kind == EXPR_OP || x->kind == EXPR_ARITHMETIC;
        cost = is_op ? (int)op_code_cost(x->code) : x->kind == EXPR_FOLD ? NESTED_COST : 1;
        // narrow floats are computed as wide ones and rounded
        if (is_op && element_is_float(x->element) && element_bytes(x->element) < 4) cost += 4;
        for (int i = 0; i < x->operand_count && cost < MAX_COST; i++)
            cost += row_cost(build, x->operands[i]);
    }
    ptr_map_set(&build->costs, x, (void *)(intptr_t)(cost + 1));
    return cost;
}

static RowKept *kept_of(RowsBuild *build, const Expr *x) {
    for (int64_t i = 0; i < build->kept.count; i++) {
        if (build->kept.data[i].x == x) return &build->kept.data[i];
    }
    return NULL;
}

// What the pass computes; what an earlier one has computed is kept from there on, if that costs
// less. (Only what is computed at every element can be kept, so choices are looked at as a whole.)
static void visit(RowsBuild *build, const Expr *x, int pass, int threshold) {
    if ((intptr_t)ptr_map_get(&build->seen, x) == pass + 1 || is_of_row(build, x)) return;
    ptr_map_set(&build->seen, x, (void *)(intptr_t)(pass + 1));
    int first = (int)(intptr_t)ptr_map_get(&build->first, x) - 1;
    // what a block of columns shares is read where it lies
    bool is_shared = build->b->kernel->by_columns && is_of_block(build, x);
    if (first >= 0 && row_cost(build, x) > (is_shared ? KEEP_COST : threshold)) {
        RowKept *kept = kept_of(build, x);
        if (kept) {
            kept->last = pass;
            return;
        }
        int class = build->passes.data[first]->class;
        vec_push(build->arena, &build->kept, ((RowKept){x, class, first, pass, NULL}));
        return;
    }
    if (first < 0) ptr_map_set(&build->first, x, (void *)(intptr_t)(pass + 1));
    if (x->kind == EXPR_CHOICE) return;
    for (int i = 0; i < x->operand_count; i++)
        visit(build, x->operands[i], pass, threshold);
}

static void find_kept(RowsBuild *build, int threshold) {
    build->kept.count = 0;
    build->first = ptr_map(build->arena);
    build->seen = ptr_map(build->arena);
    for (int64_t p = 0; p < build->passes.count; p++) {
        const RowDraft *pass = build->passes.data[p];
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

static void place_locals(RowsBuild *build, Rows *rows) {
    VEC(Slot) slots = {0};
    int64_t columns = rows->columns ? rows->columns : 1;
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
        const RowKept *kept = &build->kept.data[next];
        size_t size = element_bytes(kept->x->element);
        Slot *slot = NULL;
        for (int64_t i = 0; i < slots.count && !slot; i++) {
            Slot *s = &slots.data[i];
            if (s->class == kept->class && s->element_bytes == size && s->last <= kept->first)
                slot = s;
        }
        int64_t count = build->classes.data[kept->class].count * columns;
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

// Columns whose elements fill a line of memory of the largest operand.
static int64_t line_columns(const Kernel *kernel) {
    size_t bytes = 0, size = LOCAL_LINE;
    for (int i = 0; i < kernel->input_count; i++) {
        const Type *type = kernel->inputs[i].value->type;
        if (type_bytes(type) <= bytes) continue;
        bytes = type_bytes(type);
        size = element_bytes(type->element);
    }
    return size < LOCAL_LINE ? LOCAL_LINE / (int64_t)size : 1;
}

static bool place_block(
    RowsBuild *build, Rows *rows, int64_t columns, int64_t last, int64_t cache) {
    rows->columns = columns < last ? columns : last;
    place_locals(build, rows);
    return rows->local_bytes <= cache;
}

// The locals of the widest block of columns with which they fit into the second-level cache, where
// that is a pair of lines at least, which is read as fast as more of them; else of a wide block in
// a lane's part of the third level, or of a line; false: none.
static bool place_columns(RowsBuild *build, Rows *rows, const Target *target) {
    const Kernel *kernel = build->b->kernel;
    int64_t line = line_columns(kernel), all = 1, last = 1, most = MOST_COLUMNS;
    int64_t near = target->l2_bytes / 2, far = target->l3_bytes / L3_PART;
    for (int d = 0; d < kernel->row_rank; d++) {
        all *= kernel->row_dims[d];
        if (kernel->row_dims[d] > 1) last = kernel->row_dims[d];
    }
    while (most > line && all / most < FEW_BLOCKS)
        most /= 2;
    int64_t least = most < PAIR * line ? most : PAIR * line;
    for (int64_t width = most; width >= least; width /= 2)
        if (place_block(build, rows, width, last, near)) return true;
    int64_t wide = most < WIDE_LINES * line ? most : WIDE_LINES * line;
    for (int64_t width = wide; width >= least; width /= 2)
        if (place_block(build, rows, width, last, far)) return true;
    for (int64_t width = least; width >= line; width /= 2)
        if (place_block(build, rows, width, last, near)) return true;
    return false;
}

// Fewer locals where they do not fit into the cache.
void row_choose_locals(RowsBuild *build, Rows *rows, const Target *target) {
    bool by_columns = build->b->kernel->by_columns, fits = false;
    build->needs = needs_create(build->arena, build->b);
    build->costs = ptr_map(build->arena);
    for (int threshold = by_columns ? 0 : KEEP_COST; !fits; threshold += threshold + !threshold) {
        find_kept(build, threshold);
        if (by_columns) {
            fits = place_columns(build, rows, target);
        } else {
            place_locals(build, rows);
            fits = rows->local_bytes <= target->l2_bytes / 2;
        }
        fits = fits || build->kept.count == 0;
    }
}

// ---- numbers of the row

typedef struct NumberSearch {
    RowsBuild *build;
    bool *is_result; // by scalar: of a fold of the row
    PtrMap costly;   // see expr_is_costly
    PtrMap seen;     // of the pass
    int pass;
} NumberSearch;

// Does it need results of folds? *others: or accumulators.
static bool needs_folds(const NumberSearch *search, const Expr *x, bool *others) {
    Needs *needs = &search->build->needs;
    const uint64_t *set = needs_of(needs, x);
    bool any = false;
    *others = false;
    for (int id = 0; id < needs->scalars; id++) {
        if (!needs_has(set, needs->variables + id)) continue;
        any = any || search->is_result[id];
        *others = *others || !search->is_result[id];
    }
    return any;
}

// Of what the pass computes at every element. (A choice may not compute them at all.)
static void find_numbers(NumberSearch *search, const Expr *x) {
    RowsBuild *build = search->build;
    if (x->kind == EXPR_CHOICE || x->kind == EXPR_SCALAR || ptr_map_get(&search->seen, x)) return;
    ptr_map_set(&search->seen, x, build);
    bool others, uses_folds = needs_folds(search, x, &others);
    if (!is_of_row(build, x) || others) {
        for (int i = 0; i < x->operand_count; i++)
            find_numbers(search, x->operands[i]);
        return;
    }
    if (!uses_folds && !expr_is_costly(&search->costly, x, true)) return;
    for (int64_t i = 0; i < build->numbers.count; i++) {
        if (build->numbers.data[i].x == x) return;
    }
    const Expr *scalar = expr_new_scalar(build->b, x->element);
    int pass = uses_folds ? search->pass - 1 : -1;
    vec_push(build->arena, &build->numbers, ((RowNumber){x, scalar, pass}));
}

static void search_passes(NumberSearch *search) {
    RowsBuild *build = search->build;
    for (int64_t p = 0; p < build->passes.count; p++) {
        const RowDraft *pass = build->passes.data[p];
        search->pass = (int)p;
        search->seen = ptr_map(build->arena);
        for (int64_t i = 0; i < pass->folds.count; i++) {
            const Fold *fold = pass->folds.data[i].fold;
            for (int k = 0; k < fold->count; k++)
                find_numbers(search, fold->step[k]);
        }
        for (int64_t i = 0; i < pass->stores.count; i++)
            find_numbers(search, pass->stores.data[i].value);
    }
}

// A pass without elements, before all others.
static void add_first_pass(RowsBuild *build) {
    RowClass class = {.count = 1, .position = index_constant(build->b->index, 0)};
    vec_push(build->arena, &build->classes, class);
    RowDraft *first = ARENA_NEW(build->arena, RowDraft);
    *first = (RowDraft){.level = -1, .class = (int)build->classes.count - 1};
    vec_push(build->arena, &build->passes, first);
    for (int64_t p = build->passes.count - 1; p > 0; p--)
        build->passes.data[p] = build->passes.data[p - 1];
    build->passes.data[0] = first;
    for (int64_t i = 0; i < build->kept.count; i++) {
        build->kept.data[i].first++;
        build->kept.data[i].last++;
    }
    for (int64_t i = 0; i < build->numbers.count; i++)
        build->numbers.data[i].pass++;
}

// What a column's folds and numbers take, which are arrays of the block on the stack.
static int64_t column_bytes(const RowsBuild *build) {
    size_t bytes = 1;
    for (int64_t p = 0; p < build->passes.count; p++) {
        const RowDraft *pass = build->passes.data[p];
        for (int64_t i = 0; i < pass->folds.count; i++) {
            const Fold *fold = pass->folds.data[i].fold;
            for (int k = 0; k < fold->count; k++) // sums have another one for the part in progress
                bytes += element_bytes(fold->accumulators[k]->element) << fold->is_sum;
            for (int r = 0; r < fold->result_count; r++)
                bytes += element_bytes(fold->result[r]->element);
        }
    }
    for (int64_t i = 0; i < build->numbers.count; i++)
        bytes += element_bytes(build->numbers.data[i].x->element);
    return (int64_t)bytes;
}

void row_fit_stack(RowsBuild *build, Rows *rows) {
    int64_t most = STACK_BYTES / column_bytes(build), width = MOST_COLUMNS;
    if (rows->columns <= most) return;
    while (width > most && width > 1)
        width /= 2;
    rows->columns = width;
    place_locals(build, rows);
}

void row_find_numbers(RowsBuild *build) {
    NumberSearch search = {.build = build, .costly = ptr_map(build->arena)};
    search.is_result = ARENA_ARRAY(build->arena, bool, build->needs.scalars + 1);
    for (int64_t i = 0; i < build->folds.count; i++) {
        const FoundFold *found = &build->folds.data[i];
        for (int r = 0; r < found->fold->result_count; r++)
            search.is_result[found->results[r]->id] = true;
    }
    search_passes(&search);
    for (int64_t i = 0; i < build->numbers.count; i++) {
        if (build->numbers.data[i].pass >= 0) continue;
        add_first_pass(build);
        return;
    }
}

// The pass's numbers as folds without accumulators.
int row_number_folds(RowsBuild *build, int pass, RowFold *folds) {
    int count = 0;
    for (int64_t i = 0; i < build->numbers.count; i++) {
        RowNumber *number = &build->numbers.data[i];
        if (number->pass != pass) continue;
        Fold fold = {.result_count = 1, .result = &number->x};
        folds[count++] = (RowFold){expr_intern_fold(build->b, &fold), &number->scalar};
    }
    return count;
}

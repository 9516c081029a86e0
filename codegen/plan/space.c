// Planning of loop nests: see space.h.
#include "codegen/plan/space.h"

#include "codegen/plan/cuts.h"

#include <string.h>

enum {
    MAX_ROUNDS = 8,
    FEW_PLACES = 8,
    MANY_PLACES = 64,
    LEAST_COLUMNS = 4,
    IN_ORDER_LOW = 128, // bytes of a row of columns
    IN_ORDER_HIGH = 2048
};

// The loops in the making.
typedef struct Nest {
    Space *space;
    const Stage *stage;
    const RowPass *pass; // of this pass of the stage; NULL = of the stage's axes
    Arena *scratch;
    int part_variables[MAX_PARTS]; // ids
    IndexUses uses;                // with the parts as loops
} Nest;

static void uses_of_stores(UseWalk *walk, Substitution *s, int count, const Store *stores) {
    for (int i = 0; i < count; i++) {
        const IndexExpr *at = expr_substitute_index(s, stores[i].at);
        uses_add(walk, (IndexUse){.kind = USE_STORE, .index = at});
        if (stores[i].device) {
            const IndexExpr *device = expr_substitute_index(s, stores[i].device);
            uses_add(walk, (IndexUse){.kind = USE_NUMBER, .index = device});
        }
        uses_of_expr(walk, expr_substitute(s, stores[i].value));
    }
}

void pass_uses(UseWalk *walk, Substitution *s, const RowPass *pass) {
    for (int i = 0; i < pass->fold_count; i++) {
        const Fold *fold = pass->folds[i].fold;
        for (int k = 0; k < fold->count; k++)
            uses_of_expr(walk, expr_substitute(s, fold->step[k]));
    }
    for (int i = 0; i < pass->keep_count; i++)
        uses_of_expr(walk, expr_substitute(s, pass->keeps[i].value));
    uses_of_stores(walk, s, pass->store_count, pass->stores);
}

void pass_uses_around(UseWalk *walk, const RowPass *pass) {
    for (int i = 0; i < pass->fold_count; i++) {
        const Fold *fold = pass->folds[i].fold;
        for (int k = 0; k < fold->count; k++)
            uses_of_expr(walk, fold->start[k]);
        for (int k = 0; k < fold->result_count; k++)
            uses_of_expr(walk, fold->result[k]);
    }
}

void stage_uses(UseWalk *walk, Substitution *s, const Stage *stage) {
    uses_of_stores(walk, s, stage->store_count, stage->stores);
    for (int p = 0; stage->rows && p < stage->rows->pass_count; p++)
        pass_uses(walk, s, &stage->rows->passes[p]);
}

// What the index expressions are with one loop per part.
static void find_uses(Nest *nest) {
    const Stage *stage = nest->stage;
    const Space *space = nest->space;
    ExprBuilder *b = expr_builder_after(nest->scratch, stage->exprs, stage->exprs->diags);
    const IndexExpr *index[MAX_RANK];
    for (int d = 0; d < space->rank; d++) {
        bool is_serial = !nest->pass && stage->axes[d].role == AXIS_SERIAL;
        index[d] = is_serial ? NULL : index_constant(b->index, 0);
    }
    for (int p = 0; p < space->part_count; p++) {
        const SpacePart *part = &space->parts[p];
        nest->part_variables[p] = expr_new_variable(b, false);
        const IndexExpr *x = index_variable(b->index, nest->part_variables[p], part->extent);
        index[part->dim] =
            index_add(b->index, index[part->dim], index_scale(b->index, x, part->stride));
    }
    Substitution s = substitution(b, stage->exprs);
    nest->uses = (IndexUses){0};
    UseWalk walk = use_walk(b, &nest->uses);
    if (nest->pass) {
        for (int k = 0; k < nest->pass->axis_count; k++)
            s.variables[nest->pass->axes[k].variable] = index[k];
        pass_uses(&walk, &s, nest->pass);
        return;
    }
    stage_set_axes(&s, stage, index);
    stage_uses(&walk, &s, stage);
}

// --- parts ---

static int part_of_variable(const Nest *nest, int id) {
    for (int p = 0; p < nest->space->part_count; p++) {
        if (nest->part_variables[p] == id) return p;
    }
    return -1;
}

static bool is_part_of_uneven(const Space *space, int p) {
    return space->parts[p].is_uneven || (p > 0 && space->parts[p - 1].is_uneven);
}

// Windows with strides over 65 places: 33 times 2 places, of which the last one does not exist.
static bool splits_unevenly(const Nest *nest, const SpacePart *part, int64_t by) {
    enum { LEAST_TIMES = 4 };
    bool is_whole = part->stride == 1 && part->extent == nest->space->dims[part->dim];
    bool is_loop = nest->stage->kind == STAGE_MAP || nest->stage->kind == STAGE_FOLD;
    return is_loop && is_whole && by <= SMALL_DIVISOR && part->extent >= LEAST_TIMES * by;
}

static bool split_part(const Nest *nest, int p, int64_t by) {
    Space *space = nest->space;
    SpacePart *part = &space->parts[p];
    bool is_uneven = by > 0 && part->extent % by != 0;
    if (by <= 1 || by >= part->extent || space->part_count == MAX_PARTS ||
        is_part_of_uneven(space, p) || (is_uneven && !splits_unevenly(nest, part, by)))
        return false;
    memmove(part + 1, part, (size_t)(space->part_count - p) * sizeof *part);
    space->part_count++;
    part[0].extent = (part[0].extent + by - 1) / by;
    part[0].stride *= by;
    part[0].is_uneven = is_uneven;
    part[1].extent = by;
    return true;
}

// The first split that a division or remainder in x asks for.
static bool split_for(Nest *nest, const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (!atom->of) continue;
        bool divides = atom->kind == INDEX_DIV || atom->kind == INDEX_MOD;
        for (int k = 0; divides && k < atom->of->term_count; k++) {
            const IndexAtom *inner = atom->of->atoms[k];
            if (inner->kind != INDEX_VARIABLE) continue;
            int p = part_of_variable(nest, inner->id);
            int64_t factor = atom->of->factors[k];
            if (p < 0 || factor < 1 || atom->by % factor != 0) continue;
            if (atom->of->constant != 0 && atom->by / factor > SMALL_DIVISOR) continue;
            if (split_part(nest, p, atom->by / factor)) return true;
        }
        if (split_for(nest, atom->of)) return true;
    }
    return false;
}

// --- axes ---

// Can parts p and p+1 be one loop, p * extent(p+1) + (p+1)?
static bool can_join(const Nest *nest, int p) {
    if (is_part_of_uneven(nest->space, p) || is_part_of_uneven(nest->space, p + 1)) return false;
    int64_t inner = nest->space->parts[p + 1].extent;
    int64_t first, end;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        int64_t a = 0, b = 0;
        bool is_affine = index_is_affine_in(use->index, nest->part_variables[p], &a) &&
                         index_is_affine_in(use->index, nest->part_variables[p + 1], &b);
        if (!is_affine) return false;
        if (a == inner * b) continue;
        if (use->kind != USE_CONDITION || b != 0 ||
            !condition_interval(nest->space, p, nest->part_variables[p], use, &first, &end))
            return false;
    }
    return true;
}

static void make_axes(const Nest *nest) {
    Space *space = nest->space;
    space->axis_count = 0;
    for (int p = 0; p < space->part_count; p++) {
        if (p > 0 && can_join(nest, p - 1)) {
            SpaceAxis *axis = &space->axes[space->axis_count - 1];
            axis->count++;
            axis->extent *= space->parts[p].extent;
            continue;
        }
        space->axes[space->axis_count++] =
            (SpaceAxis){.first = p, .count = 1, .extent = space->parts[p].extent};
    }
}

// --- order ---

static int64_t axis_factor(
    const Nest *nest, const SpaceAxis *axis, const IndexUse *use, bool *is_affine) {
    int64_t factor = 0;
    *is_affine = index_is_affine_in(
        use->index, nest->part_variables[axis->first + axis->count - 1], &factor);
    return factor < 0 ? -factor : factor;
}

static bool is_access(const IndexUse *use) {
    return use->kind == USE_ADDRESS || use->kind == USE_STORE;
}

static bool is_map(const Nest *nest) { return !nest->pass && nest->stage->kind == STAGE_MAP; }

// Contiguous accesses count most, stores more than loads: in a map even more than several loads,
// as tiles of those are transposed on the way.
static double axis_score(const Nest *nest, const SpaceAxis *axis) {
    enum { STORE = 3, STORE_OF_MAP = 9 };
    double score = 0, store = is_map(nest) ? STORE_OF_MAP : STORE;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        bool is_affine;
        if (!is_access(use)) continue;
        int64_t factor = axis_factor(nest, axis, use, &is_affine);
        if (!is_affine) continue;
        if (factor == 1) score += use->kind == USE_STORE ? store : 2;
        if (factor == 0) score += 1;
    }
    if (axis->extent < FEW_PLACES) score *= (double)axis->extent / FEW_PLACES;
    return score;
}

// Is some access contiguous along axis a, and has longer steps along axis `other`?
static bool is_contiguous_across(const Nest *nest, int a, int other) {
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        bool is_affine, is_other_affine;
        if (!is_access(use)) continue;
        int64_t here = axis_factor(nest, &nest->space->axes[a], use, &is_affine);
        int64_t there = axis_factor(nest, &nest->space->axes[other], use, &is_other_affine);
        if (is_affine && is_other_affine && here == 1 && there > 1) return true;
    }
    return false;
}

// Do the short rows of axis `inner` that a store writes lie one after the other along axis a?
static bool lies_behind(const Nest *nest, int a, int inner) {
    int64_t extent = nest->space->axes[inner].extent;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        bool is_affine, is_inner_affine;
        if (use->kind != USE_STORE) continue;
        int64_t step = axis_factor(nest, &nest->space->axes[a], use, &is_affine);
        int64_t within = axis_factor(nest, &nest->space->axes[inner], use, &is_inner_affine);
        if (is_affine && is_inner_affine && within == 1 && step == extent) return true;
    }
    return false;
}

// The axis with the highest score, the last one of equals.
static int best_axis(const Nest *nest) {
    const Space *space = nest->space;
    int inner = space->axis_count - 1;
    double best = -1;
    for (int a = space->axis_count - 1; a >= 0; a--) {
        double score = axis_score(nest, &space->axes[a]);
        if (score > best + 0.5) {
            best = score;
            inner = a;
        }
    }
    return inner;
}

// Does a short row of the axis begin where a number from memory says? Vectors across such rows
// would gather each element.
static bool begins_anywhere(const Nest *nest, int inner) {
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        bool is_affine;
        if (use->kind != USE_ADDRESS) continue;
        if (axis_factor(nest, &nest->space->axes[inner], use, &is_affine) != 1 || !is_affine)
            continue;
        for (int i = 0; i < use->index->term_count; i++) {
            const IndexAtom *atom = use->index->atoms[i];
            if (atom->kind == INDEX_RUNTIME && atom->id != 0) return true;
        }
    }
    return false;
}

static void choose_order(const Nest *nest) {
    Space *space = nest->space;
    space->inner = best_axis(nest);
    if (space->axis_count < 2) return;
    int64_t few = is_map(nest) ? FEW_PLACES : FEW_PLACES - 1,
            places = space->axes[space->inner].extent;
    for (int a = space->axis_count - 1; a >= 0 && space->tile < 0; a--) {
        int64_t extent = space->axes[a].extent;
        if (a == space->inner) continue;
        bool is_across = is_contiguous_across(nest, a, space->inner);
        bool is_longer = is_map(nest) && places <= few && extent >= MANY_PLACES &&
                         !begins_anywhere(nest, space->inner);
        if (is_longer && (is_across || lies_behind(nest, a, space->inner))) {
            space->shared = space->inner;
            space->inner = a;
            return;
        }
        if (!is_across || places < FEW_PLACES) continue;
        *(extent <= few ? &space->shared : &space->tile) = a;
    }
}

// The axis along which rows of the inner axis that uses of this kind name lie one after the other,
// the same for all of them but `other`; -1 = there is none. Rows that are the same along `other`
// are read again and again: they stay in the cache, in whatever order.
static int axis_behind(const Nest *nest, UseKind kind, int other) {
    const Space *space = nest->space;
    int found = -1;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        bool is_affine;
        if (use->kind != kind) continue;
        if (axis_factor(nest, &space->axes[space->inner], use, &is_affine) != 1 || !is_affine)
            continue;
        int behind = -1;
        bool is_same = false;
        for (int a = 0; a < space->axis_count; a++) {
            int64_t step = axis_factor(nest, &space->axes[a], use, &is_affine);
            is_same = is_same || (a == other && is_affine && step == 0);
            if (is_affine && a != space->inner && step == space->axes[space->inner].extent)
                behind = a;
        }
        if (behind < 0 || behind == other || is_same) continue;
        if (found >= 0 && found != behind) return -1;
        found = behind;
    }
    return found;
}

// Short rows that are read in one order and written in another are both read and written in runs
// by blocks of some kilobytes.
static void choose_block(const Nest *nest) {
    enum { LONG_ROW = 256, BLOCK = 512, MOST = 16, LEAST = 4 }; // the first two: elements
    Space *space = nest->space;
    if (nest->pass || nest->stage->kind != STAGE_MAP || space->inner < 0 || space->tile >= 0 ||
        space->shared >= 0)
        return;
    int64_t row = space->axes[space->inner].extent;
    int written = axis_behind(nest, USE_STORE, -1),
        read = written < 0 ? -1 : axis_behind(nest, USE_ADDRESS, written);
    if (row < FEW_PLACES || row > LONG_ROW || read < 0 || read > written) return;
    int64_t block = BLOCK / row < MOST ? BLOCK / row : MOST;
    if (block < LEAST) block = LEAST;
    if (space->axes[written].extent <= block) return;
    space->read = read;
    space->written = written;
    space->block = block;
}

static bool stores_contiguously(const Nest *nest) {
    const Space *space = nest->space;
    if (space->inner < 0) return false;
    const SpaceAxis *axis = &space->axes[space->inner];
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        int64_t factor = 0;
        if (use->kind != USE_STORE) continue;
        int variable = nest->part_variables[axis->first + axis->count - 1];
        if (!index_is_affine_in(use->index, variable, &factor) || factor != 1) return false;
    }
    return true;
}

static bool turns(const Nest *nest) {
    if (nest->space->tile < 0) return false;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        bool is_affine;
        if (use->kind != USE_ADDRESS) continue;
        int64_t factor = axis_factor(nest, &nest->space->axes[nest->space->tile], use, &is_affine);
        if (!is_affine || (factor != 0 && factor != 1)) return false;
    }
    return true;
}

// Would vectors along the fold's axes gather more loads than vectors along the results? A load that
// is the same for neighbours is none: one number serves the whole vector.
static bool prefers_columns(const Nest *nest) {
    if (nest->space->inner < 0) return false;
    const SpaceAxis *inner = &nest->space->axes[nest->space->inner];
    int along_fold = 0, along_results = 0;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        if (use->kind != USE_ADDRESS || !use->is_in_fold) continue;
        bool is_affine;
        bool is_near = axis_factor(nest, inner, use, &is_affine) <= 1;
        along_fold += !use->is_fold_contiguous;
        along_results += !is_affine || !is_near;
    }
    return along_results < along_fold && inner->extent >= LEAST_COLUMNS;
}

// Do the fold's loads read rows of memory, each as long as the inner axis, one after the other?
// Short rows are worth a loop each: CPUs foresee what is read in order.
static bool folds_in_order(const Nest *nest) {
    const SpaceAxis *inner = &nest->space->axes[nest->space->inner];
    int loads = 0;
    for (int64_t u = 0; u < nest->uses.count; u++) {
        const IndexUse *use = &nest->uses.data[u];
        if (use->kind != USE_ADDRESS || !use->is_in_fold) continue;
        bool is_affine;
        int64_t factor = axis_factor(nest, inner, use, &is_affine);
        if (!is_affine || factor != 1 || use->fold_stride != inner->extent || !use->stored)
            return false;
        int64_t size = (int64_t)element_bytes(use->stored->type->element);
        int64_t bytes = inner->extent * size, low = size < 4 ? 4 * IN_ORDER_LOW : IN_ORDER_LOW;
        if (bytes < low || bytes > IN_ORDER_HIGH) return false;
        loads++;
    }
    return loads > 0;
}

static bool split_any(Nest *nest) {
    for (int64_t u = 0; u < nest->uses.count; u++) {
        if (split_for(nest, nest->uses.data[u].index)) return true;
    }
    return false;
}

// The loops over `dims` of a nest whose parts are one per dimension yet.
static void plan_nest(Nest *nest) {
    Space *space = nest->space;
    for (int d = 0; d < space->rank; d++) {
        if (space->dims[d] == 0) return; // nothing to do
    }
    for (int d = 0; d < space->rank; d++) {
        if (space->dims[d] != 1)
            space->parts[space->part_count++] =
                (SpacePart){.dim = d, .extent = space->dims[d], .stride = 1};
    }
    for (int round = 0; round < MAX_ROUNDS; round++) {
        arena_reset(nest->scratch);
        find_uses(nest);
        if (round + 1 == MAX_ROUNDS || !split_any(nest)) break;
    }
    make_axes(nest);
    make_cuts(nest->space, nest->part_variables, &nest->uses);
    choose_order(nest);
    choose_block(nest);
    space->stores_contiguously = stores_contiguously(nest);
    space->turns = turns(nest);
    StageKind kind = nest->stage->kind;
    space->by_columns = kind == STAGE_FOLD && prefers_columns(nest);
    space->steps_in_order = space->by_columns && folds_in_order(nest);
    if (space->by_columns || kind == STAGE_SCAN || kind == STAGE_ROWS) space->tile = -1;
    // a row is not cut
    if (kind == STAGE_ROWS && !nest->pass && !nest->stage->rows->columns) space->inner = -1;
}

static Space *new_space(const Stage *stage, int rank) {
    Space *space = ARENA_NEW(stage->exprs->arena, Space);
    space->inner = space->tile = space->shared = -1;
    space->rank = rank;
    return space;
}

Space *space_plan(const Stage *stage, Arena *scratch) {
    Space *space = new_space(stage, stage->axis_count);
    for (int d = 0; d < stage->axis_count; d++) {
        const Axis *axis = &stage->axes[d];
        bool is_serial = axis->role == AXIS_SERIAL && axis->extent > 0;
        space->dims[d] = is_serial ? 1 : axis->extent;
    }
    Nest nest = {.space = space, .stage = stage, .scratch = scratch};
    plan_nest(&nest);
    for (int p = 0; stage->rows && p < stage->rows->pass_count; p++) {
        RowPass *pass = &stage->rows->passes[p];
        pass->space = new_space(stage, pass->axis_count);
        for (int k = 0; k < pass->axis_count; k++)
            pass->space->dims[k] = pass->axes[k].extent;
        Nest inner = {.space = pass->space, .stage = stage, .pass = pass, .scratch = scratch};
        plan_nest(&inner);
    }
    arena_reset(scratch);
    return space;
}

bool space_is_missing(const Space *space, int axis, int64_t at, const IndexExpr *const *here) {
    int p = space->axes[axis].first, a = axis;
    if (p > 0 && space->parts[p - 1].is_uneven) {
        p--;
        a--;
    }
    if (!space->parts[p].is_uneven) return false;
    const IndexExpr *other = here[a == axis ? a + 1 : a];
    int64_t stride = space->parts[p].stride, all = space->dims[space->parts[p].dim];
    if (!other) return false;
    return a == axis ? at * stride + other->low >= all : other->low * stride + at >= all;
}

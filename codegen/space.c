// Planning of loop nests (see space.h) from the index expressions of a trial emission.
#include "codegen/space.h"

#include <assert.h>
#include <string.h>

enum {
    MAX_TRIALS = 8,
    MAX_PIECES = 36,
    SMALL_DIVISOR = 8, // strides and dilations: worth a piece per remainder
    MAX_BREAKS = 4     // pieces at which one division's value changes
};

// --- the trial ---

// Loops over the parts as they are, each with its own variable.
static bool trial_body(Emit *e, void *user) {
    Space *space = user;
    EmitLoop *loops[MAX_PARTS] = {NULL};
    const IndexExpr *index[MAX_RANK];
    for (int d = 0; d < space->rank; d++)
        index[d] = index_constant(e->index, 0);
    for (int p = 0; p < space->part_count; p++) {
        const SpacePart *part = &space->parts[p];
        loops[p] = emit_loop_constant(e, part->extent, false);
        space->part_variables[p] = loops[p]->variable;
        index[part->dim] = index_add(
            e->index, index[part->dim], index_scale(e->index, loops[p]->index, part->stride));
    }
    space->body(e, space->user, index);
    for (int p = space->part_count - 1; p >= 0; p--)
        emit_loop_end(e, loops[p]);
    return !e->failed;
}

// --- parts ---

static int part_of_variable(const Space *space, int id) {
    for (int p = 0; p < space->part_count; p++) {
        if (space->part_variables[p] == id) return p;
    }
    return -1;
}

static bool split_part(Space *space, int p, int64_t by) {
    SpacePart *part = &space->parts[p];
    if (by <= 1 || by >= part->extent || part->extent % by != 0 || space->part_count == MAX_PARTS)
        return false;
    memmove(part + 1, part, (size_t)(space->part_count - p) * sizeof *part);
    space->part_count++;
    part[0].extent /= by;
    part[0].stride *= by;
    part[1].extent = by;
    return true;
}

// The first split that a division or remainder in x asks for.
static bool split_for(Space *space, const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (!atom->of) continue;
        bool divides = atom->kind == INDEX_DIV || atom->kind == INDEX_MOD;
        for (int k = 0; divides && k < atom->of->term_count; k++) {
            const IndexAtom *inner = atom->of->atoms[k];
            if (inner->kind != INDEX_VARIABLE) continue;
            int p = part_of_variable(space, inner->id);
            int64_t factor = atom->of->factors[k];
            if (p < 0 || factor < 1 || atom->by % factor != 0) continue;
            if (atom->of->constant != 0 && atom->by / factor > SMALL_DIVISOR) continue;
            if (split_part(space, p, atom->by / factor)) return true;
        }
        if (split_for(space, atom->of)) return true;
    }
    return false;
}

// --- axes ---

// The condition holds on an interval of the part's variable (first, end), so the axis can be cut there.
static bool condition_interval(
    const Space *space, const IndexUse *use, int p, int64_t *first, int64_t *end) {
    const IndexExpr *x = use->index;
    if (x->term_count != 1 || x->atoms[0]->kind != INDEX_VARIABLE ||
        x->atoms[0]->id != space->part_variables[p])
        return false;
    int64_t factor = x->factors[0], low = use->low - x->constant, high = use->high - x->constant;
    if (factor < 0) { // low <= -f v < high: -high < f v <= -low
        int64_t swap = low;
        low = 1 - high;
        high = 1 - swap;
        factor = -factor;
    }
    int64_t extent = space->parts[p].extent;
    *first = low <= 0 ? 0 : (low + factor - 1) / factor;
    *end = high <= 0 ? 0 : (high + factor - 1) / factor;
    if (*first > extent) *first = extent;
    if (*end > extent) *end = extent;
    return true;
}

// Can parts p and p+1 be one loop, p * extent(p+1) + (p+1)?
static bool can_join(const Space *space, int p) {
    int64_t inner = space->parts[p + 1].extent;
    int64_t first, end;
    for (int64_t u = 0; u < space->uses.count; u++) {
        const IndexUse *use = &space->uses.data[u];
        int64_t a = 0, b = 0;
        bool is_affine = index_is_affine_in(use->index, space->part_variables[p], &a) &&
                         index_is_affine_in(use->index, space->part_variables[p + 1], &b);
        if (!is_affine) return false;
        if (a == inner * b) continue;
        if (use->kind != USE_CONDITION || b != 0 ||
            !condition_interval(space, use, p, &first, &end))
            return false;
    }
    return true;
}

static void add_cut(SpaceAxis *axis, int64_t at) {
    if (at <= 0 || at >= axis->extent || axis->cut_count == MAX_CUTS) return;
    int k = 0;
    while (axis->cuts[k] < at)
        k++;
    if (axis->cuts[k] == at) return;
    memmove(
        &axis->cuts[k + 1], &axis->cuts[k],
        (size_t)(axis->cut_count + 1 - k) * sizeof axis->cuts[0]);
    axis->cuts[k] = at;
    axis->cut_count++;
}

static void make_axes(Space *space) {
    space->axis_count = 0;
    for (int p = 0; p < space->part_count; p++) {
        if (p > 0 && can_join(space, p - 1)) {
            SpaceAxis *axis = &space->axes[space->axis_count - 1];
            axis->count++;
            axis->extent *= space->parts[p].extent;
            continue;
        }
        space->axes[space->axis_count++] =
            (SpaceAxis){.first = p, .count = 1, .extent = space->parts[p].extent};
    }
}

static int64_t floor_div(int64_t x, int64_t by) { return x / by - (x % by < 0); }

// Cuts the axis where a division (or remainder) of its only part's variable changes its value, if these places are few.
static void cut_at_breaks(const Space *space, SpaceAxis *axis, const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (!atom->of) continue;
        cut_at_breaks(space, axis, atom->of);
        bool divides = atom->kind == INDEX_DIV || atom->kind == INDEX_MOD;
        const IndexExpr *of = atom->of;
        if (!divides || of->term_count != 1 || of->atoms[0]->kind != INDEX_VARIABLE ||
            of->factors[0] < 1)
            continue;
        if (of->atoms[0]->id != space->part_variables[axis->first]) continue;
        int64_t factor = of->factors[0], by = atom->by;
        int64_t low = floor_div(of->constant, by),
                high = floor_div(of->constant + factor * (axis->extent - 1), by);
        if (high - low > (axis->extent <= SMALL_DIVISOR ? SMALL_DIVISOR : MAX_BREAKS)) continue;
        for (int64_t q = low + 1; q <= high; q++)
            add_cut(axis, (q * by - of->constant + factor - 1) / factor);
        for (int64_t v = 1; axis->extent <= SMALL_DIVISOR && v < axis->extent; v++)
            add_cut(axis, v);
    }
}

// Cuts every axis where the conditions on its first part change.
static void make_cuts(Space *space) {
    int pieces = 1;
    for (int a = space->axis_count - 1; a >= 0; a--) { // the inner ones matter most
        SpaceAxis *axis = &space->axes[a];
        axis->cut_count = 1;
        axis->cuts[0] = 0;
        axis->cuts[1] = axis->extent;
        int64_t inner = axis->extent / space->parts[axis->first].extent;
        for (int64_t u = 0; u < space->uses.count; u++) {
            int64_t first, end;
            const IndexUse *use = &space->uses.data[u];
            if (axis->count == 1) cut_at_breaks(space, axis, use->index);
            if (use->kind != USE_CONDITION ||
                !condition_interval(space, use, axis->first, &first, &end))
                continue;
            add_cut(axis, first * inner);
            add_cut(axis, end * inner);
        }
        if (pieces * axis->cut_count > MAX_PIECES) { // too much code: the branches stay
            axis->cut_count = 1;
            axis->cuts[1] = axis->extent;
        }
        pieces *= axis->cut_count;
    }
}

// --- order ---

static int64_t axis_factor(
    const Space *space, const SpaceAxis *axis, const IndexUse *use, bool *is_affine) {
    int64_t factor = 0;
    *is_affine = index_is_affine_in(
        use->index, space->part_variables[axis->first + axis->count - 1], &factor);
    return factor < 0 ? -factor : factor;
}

static bool is_access(const IndexUse *use) {
    return use->kind == USE_ADDRESS || use->kind == USE_STORE;
}

// Contiguous accesses count most, stores more than loads.
static double axis_score(const Space *space, const SpaceAxis *axis) {
    double score = 0;
    for (int64_t u = 0; u < space->uses.count; u++) {
        const IndexUse *use = &space->uses.data[u];
        bool is_affine;
        if (!is_access(use)) continue;
        int64_t factor = axis_factor(space, axis, use, &is_affine);
        if (!is_affine) continue;
        if (factor == 1) score += use->kind == USE_STORE ? 3 : 2;
        if (factor == 0) score += 1;
    }
    if (axis->extent < 8) score *= (double)axis->extent / 8;
    return score;
}

static void choose_order(Space *space) {
    space->inner = space->axis_count - 1;
    space->tile = -1;
    double best = -1;
    for (int a = space->axis_count - 1; a >= 0; a--) {
        double score = axis_score(space, &space->axes[a]);
        if (score > best + 0.5) {
            best = score;
            space->inner = a;
        }
    }
    if (space->axis_count < 2) return;
    const SpaceAxis *inner = &space->axes[space->inner];
    for (int a = space->axis_count - 1; a >= 0 && space->tile < 0; a--) {
        const SpaceAxis *axis = &space->axes[a];
        if (a == space->inner || axis->extent < 8 || inner->extent < 8) continue;
        for (int64_t u = 0; u < space->uses.count; u++) {
            const IndexUse *use = &space->uses.data[u];
            bool is_affine, is_inner_affine;
            if (!is_access(use)) continue;
            int64_t here = axis_factor(space, axis, use, &is_affine);
            int64_t there = axis_factor(space, inner, use, &is_inner_affine);
            if (is_affine && is_inner_affine && here == 1 && there > 1) space->tile = a;
        }
    }
}

bool space_plan(Emit *e, Space *space, int rank, const int64_t *dims, SpaceBody *body, void *user) {
    *space = (Space){.rank = rank, .body = body, .user = user, .vectorize = true};
    for (int d = 0; d < rank; d++) {
        space->dims[d] = dims[d];
        if (dims[d] != 1)
            space->parts[space->part_count++] =
                (SpacePart){.dim = d, .extent = dims[d], .stride = 1};
    }
    for (int p = 0; p < space->part_count; p++) {
        if (space->parts[p].extent == 0) return true; // nothing to do: see space_emit
    }
    for (int trial = 0; trial < MAX_TRIALS; trial++) {
        space->uses = (IndexUses){0};
        if (!emit_trial(e, trial_body, space, &space->uses)) return false;
        bool is_split = false;
        for (int64_t u = 0; u < space->uses.count && !is_split && trial + 1 < MAX_TRIALS; u++)
            is_split = split_for(space, space->uses.data[u].index);
        if (!is_split) break;
    }
    make_axes(space);
    make_cuts(space);
    choose_order(space);
    return true;
}

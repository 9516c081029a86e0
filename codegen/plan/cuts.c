// Cuts of loops: see cuts.h.
#include "codegen/plan/cuts.h"

#include <string.h>

enum {
    MAX_PIECES = 36,
    MAX_UNEVEN_PIECES = 64, // with those that do not exist
    MAX_BREAKS = 4          // pieces at which one division's value changes
};

// --- conditions ---

// A condition low <= factor * variable + rest < high of a part's variable.
typedef struct Condition {
    int64_t factor, low, high;
    int64_t least, most; // rest: of numbers that no loop changes
} Condition;

static bool is_of_loops(const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_VARIABLE || (atom->of && is_of_loops(atom->of))) return true;
    }
    return false;
}

static bool find_condition(Condition *condition, const IndexUse *use, int variable) {
    const IndexExpr *x = use->index;
    *condition =
        (Condition){.low = use->low, .high = use->high, .least = x->constant, .most = x->constant};
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        int64_t factor = x->factors[i];
        if (atom->kind == INDEX_VARIABLE && atom->id == variable) {
            condition->factor = factor;
            continue;
        }
        if (atom->kind == INDEX_VARIABLE || (atom->of && is_of_loops(atom->of))) return false;
        condition->least += factor * (factor < 0 ? atom->high : atom->low);
        condition->most += factor * (factor < 0 ? atom->low : atom->high);
    }
    return condition->factor != 0;
}

// Where it holds for this rest: [first, end) of the variable, 0 <= variable < extent.
static void interval_of(
    const Condition *condition, int64_t rest, int64_t extent, int64_t *first, int64_t *end) {
    int64_t factor = condition->factor, low = condition->low - rest, high = condition->high - rest;
    if (factor < 0) { // low <= -f v < high: -high < f v <= -low
        int64_t swap = low;
        low = 1 - high;
        high = 1 - swap;
        factor = -factor;
    }
    *first = low <= 0 ? 0 : (low + factor - 1) / factor;
    *end = high <= 0 ? 0 : (high + factor - 1) / factor;
    if (*first > extent) *first = extent;
    if (*end > extent) *end = extent;
}

bool condition_interval(
    const Space *space, int p, int variable, const IndexUse *use, int64_t *first, int64_t *end) {
    Condition condition;
    if (!find_condition(&condition, use, variable) || use->index->term_count != 1) return false;
    interval_of(&condition, condition.least, space->parts[p].extent, first, end);
    return true;
}

// --- cuts ---

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

static int64_t floor_div(int64_t x, int64_t by) { return x / by - (x % by < 0); }

// Cuts the axis where a division (or remainder) of its only part's variable changes its
// value, if these places are few.
static void cut_at_breaks(SpaceAxis *axis, int variable, const IndexExpr *x) {
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (!atom->of) continue;
        cut_at_breaks(axis, variable, atom->of);
        bool divides = atom->kind == INDEX_DIV || atom->kind == INDEX_MOD;
        const IndexExpr *of = atom->of;
        if (!divides || of->term_count != 1 || of->atoms[0]->kind != INDEX_VARIABLE ||
            of->factors[0] < 1)
            continue;
        if (of->atoms[0]->id != variable) continue;
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

// Boundaries that move over more than a part of the axis leave no long piece.
static void cut_at_condition(const Space *space, SpaceAxis *axis, const Condition *condition) {
    enum { LEAST_SHARE = 4 };
    int64_t extent = space->parts[axis->first].extent, inner = axis->extent / extent;
    int64_t factor = condition->factor < 0 ? -condition->factor : condition->factor;
    if ((condition->most - condition->least) / factor > extent / LEAST_SHARE) return;
    for (int side = 0; side < 2; side++) {
        int64_t first, end;
        interval_of(condition, side ? condition->most : condition->least, extent, &first, &end);
        add_cut(axis, first * inner);
        add_cut(axis, end * inner);
    }
}

// One piece; of an uneven dimension's axes two, as some of their places exist with each other and
// others do not.
static void begin_cuts(const Space *space, SpaceAxis *axis) {
    int p = axis->first;
    axis->cut_count = 1;
    axis->cuts[0] = 0;
    axis->cuts[1] = axis->extent;
    if (space->parts[p].is_uneven) add_cut(axis, axis->extent - 1);
    if (p > 0 && space->parts[p - 1].is_uneven)
        add_cut(axis, space->dims[space->parts[p].dim] % axis->extent);
}

// Of too many pieces the longest one stays apart, if they are few enough then.
static void cut_out_longest(const Space *space, SpaceAxis *axis, int most) {
    int best = 0;
    for (int k = 1; k < axis->cut_count; k++) {
        if (axis->cuts[k + 1] - axis->cuts[k] > axis->cuts[best + 1] - axis->cuts[best]) best = k;
    }
    int64_t first = axis->cuts[best], end = axis->cuts[best + 1];
    begin_cuts(space, axis);
    add_cut(axis, first);
    add_cut(axis, end);
    if (axis->cut_count > most) begin_cuts(space, axis); // the branches stay
}

void make_cuts(Space *space, const int *variables, const IndexUses *uses) {
    int pieces = 1, most = MAX_PIECES;
    for (int p = 0; p < space->part_count; p++)
        most = space->parts[p].is_uneven ? MAX_UNEVEN_PIECES : most;
    for (int a = space->axis_count - 1; a >= 0; a--) { // the inner ones matter most
        SpaceAxis *axis = &space->axes[a];
        int variable = variables[axis->first];
        begin_cuts(space, axis);
        for (int64_t u = 0; u < uses->count; u++) {
            const IndexUse *use = &uses->data[u];
            Condition condition;
            if (axis->count == 1) cut_at_breaks(axis, variable, use->index);
            if (use->kind == USE_CONDITION && find_condition(&condition, use, variable))
                cut_at_condition(space, axis, &condition);
        }
        if (pieces * axis->cut_count > most) cut_out_longest(space, axis, most / pieces);
        pieces *= axis->cut_count;
    }
}

// sort_runs: where some ranks of a slice lie, which consists of sorted runs.
//
// Of each run the number of its elements among the first `rank` of the slice is sought, between low
// and high. The element in the middle of the widest range is looked for in all ranges; the sum of
// the places is its rank. So it and all before it are among the first, or it and all behind it are
// not. Equal elements are in the order of their positions, as in a stable sort.
//
//     source  Varman et al., as passes/split/split_sorts.c
//     cost    about log2(run) widest ranges of each run, and as many comparisons in every run for
//             each of them, at the most
#include "codegen/lower/sort/sort.h"

typedef const IndexExpr *Index;

int64_t sort_runs_place(SortPlan *plan, int64_t at) {
    int64_t bytes = round_up(8 * (plan->runs + 1), 64);
    plan->begins = at;
    plan->ends = at + bytes;
    plan->cuts = at + 2 * bytes;
    plan->segments = at + 3 * bytes;
    return at + 4 * bytes;
}

LLVMValueRef sort_number(Emit *e, int64_t array, LLVMValueRef at) {
    return emit_private_load(e, ELEMENT_I64, emit_scratch(e, array), at).value;
}

static void set_number(Emit *e, int64_t array, LLVMValueRef at, LLVMValueRef x) {
    emit_private_store(
        e, ELEMENT_I64, emit_scratch(e, array), at, (Scalar){.element = ELEMENT_I64, .value = x});
}

static LLVMValueRef half_of(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildLShr(e->builder, LLVMBuildAdd(e->builder, x, y, ""), number(e, 1), "");
}

// Steps until a range of a run is empty, if each halves it.
static int64_t halvings(const SortPlan *plan) {
    int64_t steps = 1;
    while ((int64_t)1 << (steps - 1) <= plan->run)
        steps++;
    return steps;
}

// The search for a rank. Positions are those of the slice.
typedef struct Search {
    const SortPlan *plan;
    const SortSlice *slice;
    LLVMValueRef rank;
    int64_t low, high; // arrays
} Search;

// How many elements of run j, from its beginning, are before the element at `middle` of run
// `which`: a position.
static LLVMValueRef place_in_run(
    Emit *e, const Search *s, LLVMValueRef j, LLVMValueRef which, LLVMValueRef middle) {
    LLVMBuilderRef b = e->builder;
    const SortPlan *plan = s->plan;
    LLVMValueRef low = sort_local(e, sort_number(e, s->low, j)),
                 high = sort_local(e, sort_number(e, s->high, j));
    LLVMValueRef is_earlier = LLVMBuildICmp(b, LLVMIntSLT, j, which, ""),
                 is_same = LLVMBuildICmp(b, LLVMIntEQ, j, which, "");
    EmitLoop *step = emit_loop_constant(e, halvings(plan), false);
    LLVMValueRef at = half_of(e, sort_get(e, low), sort_get(e, high));
    LLVMValueRef is_open = LLVMBuildICmp(b, LLVMIntSLT, sort_get(e, low), sort_get(e, high), "");
    LLVMValueRef other = sort_minimum(e, at, number(e, plan->count - 1));
    // an element of an earlier run is before the one sought unless that is less
    Index x = emit_variable(e, LLVMBuildSelect(b, is_earlier, middle, other, ""), plan->count),
          y = emit_variable(e, LLVMBuildSelect(b, is_earlier, other, middle, ""), plan->count);
    LLVMValueRef is_before = sort_comes_before_in(e, plan, s->slice, x, y);
    if (e->failed) return NULL;
    is_before = LLVMBuildXor(b, is_before, is_earlier, "");
    LLVMValueRef is_below = LLVMBuildICmp(b, LLVMIntSLT, at, middle, "");
    is_before = LLVMBuildSelect(b, is_same, is_below, is_before, "");
    LLVMValueRef rises = LLVMBuildAnd(b, is_open, is_before, ""),
                 falls = LLVMBuildAnd(b, is_open, LLVMBuildNot(b, is_before, ""), "");
    LLVMValueRef behind = LLVMBuildAdd(b, at, number(e, 1), "");
    LLVMBuildStore(b, LLVMBuildSelect(b, rises, behind, sort_get(e, low), ""), low);
    LLVMBuildStore(b, LLVMBuildSelect(b, falls, at, sort_get(e, high), ""), high);
    emit_loop_end(e, step);
    return sort_get(e, low);
}

// The ranges become what is before the element at `middle` of run `which`, or what is not.
static bool narrow(Emit *e, const Search *s, LLVMValueRef which, LLVMValueRef middle) {
    LLVMBuilderRef b = e->builder;
    const SortPlan *plan = s->plan;
    LLVMValueRef before = sort_local(e, number(e, 0));
    EmitLoop *j = emit_loop_constant(e, plan->runs, false);
    LLVMValueRef place = place_in_run(e, s, j->phi, which, middle);
    if (!place) return false;
    set_number(e, plan->cuts, j->phi, place);
    LLVMValueRef start = LLVMBuildMul(b, j->phi, number(e, plan->run), "");
    LLVMBuildStore(
        b, LLVMBuildAdd(b, sort_get(e, before), LLVMBuildSub(b, place, start, ""), ""), before);
    emit_loop_end(e, j);
    LLVMValueRef is_among = LLVMBuildICmp(b, LLVMIntSLT, sort_get(e, before), s->rank, "");
    j = emit_loop_constant(e, plan->runs, false);
    LLVMValueRef cut = sort_number(e, plan->cuts, j->phi);
    LLVMValueRef is_same = LLVMBuildICmp(b, LLVMIntEQ, j->phi, which, "");
    LLVMValueRef with = LLVMBuildAdd(b, cut, LLVMBuildZExt(b, is_same, emit_i64(e), ""), "");
    LLVMValueRef low = sort_number(e, s->low, j->phi), high = sort_number(e, s->high, j->phi);
    set_number(e, s->low, j->phi, LLVMBuildSelect(b, is_among, with, low, ""));
    set_number(e, s->high, j->phi, LLVMBuildSelect(b, is_among, high, cut, ""));
    emit_loop_end(e, j);
    return true;
}

// The run with the widest range; the width to the local.
static LLVMValueRef widest(Emit *e, const Search *s, LLVMValueRef width) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef which = sort_local(e, number(e, 0));
    LLVMBuildStore(b, number(e, 0), width);
    EmitLoop *j = emit_loop_constant(e, s->plan->runs, false);
    LLVMValueRef own =
        LLVMBuildSub(b, sort_number(e, s->high, j->phi), sort_number(e, s->low, j->phi), "");
    LLVMValueRef is_wider = LLVMBuildICmp(b, LLVMIntSGT, own, sort_get(e, width), "");
    LLVMBuildStore(b, LLVMBuildSelect(b, is_wider, own, sort_get(e, width), ""), width);
    LLVMBuildStore(b, LLVMBuildSelect(b, is_wider, j->phi, sort_get(e, which), ""), which);
    emit_loop_end(e, j);
    return sort_get(e, which);
}

// Both arrays of the search become the positions at which its rank begins in each run.
static bool find_rank(Emit *e, const Search *s) {
    LLVMBuilderRef b = e->builder;
    const SortPlan *plan = s->plan;
    EmitLoop *j = emit_loop_constant(e, plan->runs, false);
    LLVMValueRef start = LLVMBuildMul(b, j->phi, number(e, plan->run), "");
    LLVMValueRef end = LLVMBuildAdd(b, start, number(e, plan->run), "");
    set_number(e, s->low, j->phi, start);
    set_number(e, s->high, j->phi, sort_minimum(e, end, number(e, plan->count)));
    emit_loop_end(e, j);
    LLVMValueRef width = sort_local(e, number(e, 1));
    EmitLoop *step = emit_loop_constant(e, plan->runs * halvings(plan), false);
    LLVMValueRef is_open = LLVMBuildICmp(b, LLVMIntSGT, sort_get(e, width), number(e, 0), "");
    EmitIf open = emit_if(e, is_open);
    LLVMValueRef which = widest(e, s, width);
    EmitIf any = emit_if(e, LLVMBuildICmp(b, LLVMIntSGT, sort_get(e, width), number(e, 0), ""));
    LLVMValueRef middle = half_of(e, sort_number(e, s->low, which), sort_number(e, s->high, which));
    if (!narrow(e, s, which, middle)) return false;
    emit_end_if(e, &any);
    emit_end_if(e, &open);
    emit_loop_end(e, step);
    return true;
}

// Which part of the list is each run's. A comparator that is no order may have found anything: runs
// get no more than the list's `count` places.
static void share_list(Emit *e, const SortPlan *plan, LLVMValueRef count) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef at = sort_local(e, number(e, 0));
    set_number(e, plan->segments, number(e, 0), number(e, 0));
    EmitLoop *j = emit_loop_constant(e, plan->runs, false);
    LLVMValueRef own = LLVMBuildSub(
        b, sort_number(e, plan->ends, j->phi), sort_number(e, plan->begins, j->phi), "");
    LLVMValueRef both[2] = {own, number(e, 0)};
    own = emit_intrinsic(e, "llvm.smax", emit_i64(e), 2, both);
    own = sort_minimum(e, own, LLVMBuildSub(b, count, sort_get(e, at), ""));
    LLVMValueRef begin = sort_number(e, plan->begins, j->phi);
    set_number(e, plan->ends, j->phi, LLVMBuildAdd(b, begin, own, ""));
    LLVMBuildStore(b, LLVMBuildAdd(b, sort_get(e, at), own, ""), at);
    set_number(e, plan->segments, LLVMBuildAdd(b, j->phi, number(e, 1), ""), sort_get(e, at));
    emit_loop_end(e, j);
}

bool sort_find_ranks(
    Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef first, LLVMValueRef last) {
    Search begin = {plan, slice, first, plan->begins, plan->ends};
    Search end = {plan, slice, last, plan->ends, plan->segments};
    if (!find_rank(e, &begin) || !find_rank(e, &end)) return false;
    share_list(e, plan, LLVMBuildSub(e->builder, last, first, ""));
    return true;
}

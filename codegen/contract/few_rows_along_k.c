// few_rows_along_k: products of a large operand whose memory runs along k with few rows: some lines
// at a time, sums[line][row] in registers over all of k, each in vector lanes that are summed at
// the end.
//
// Several places of memory are read at once and left soon, which no CPU foresees: what comes next
// is prefetched into the second-level cache.
#include "codegen/contract/few_rows_vectors.h"

#include <limits.h>

enum { MOST_LINES = 4, MOST_UNROLL = 4 };

typedef struct AlongK {
    Vectors v;
    int lines, first_row, rows, unroll;
    int64_t ahead;                 // elements from what is read to what is prefetched
    LLVMValueRef from[MOST_LINES]; // each line's first element
    LLVMValueRef sums[MOST_LINES][MOST_FEW_ROWS][MOST_UNROLL];
} AlongK;

// The products of one vector of k's.
static void add_vector(AlongK *a, LLVMValueRef k, int unrolled, LLVMValueRef mask) {
    Vectors *v = &a->v;
    FewRows *x = v->x;
    Emit *e = v->e;
    int count = v->math.lanes * x->how->group;
    LLVMValueRef large[MOST_LINES];
    LLVMTypeRef small_type = emit_memory_type(e, x->small_type);
    for (int line = 0; line < a->lines; line++) {
        LLVMValueRef at = few_element_at(v, v->stored, a->from[line], k);
        if (a->first_row == 0) few_prefetch(v, at, a->ahead);
        large[line] = few_packed(v, few_load(v, at, count, mask));
    }
    for (int row = 0; row < a->rows; row++) {
        LLVMValueRef at = LLVMBuildNSWAdd(
            e->builder, k, emit_number(e, (a->first_row + row) * x->small_stride), "");
        LLVMValueRef small = LLVMBuildLoad2(
            e->builder, v->math.groups, few_element_at(v, small_type, x->small, at), "");
        LLVMSetAlignment(small, (unsigned)element_bytes(x->small_type));
        for (int line = 0; line < a->lines; line++) {
            LLVMValueRef local = a->sums[line][row][unrolled];
            few_set(
                v, local,
                contract_multiply_add(&v->math, large[line], small, few_get(v, local, 64)), 64);
        }
    }
}

static LLVMValueRef add(Vectors *v, LLVMValueRef x, LLVMValueRef y) {
    return element_is_float(v->math.accumulator) ? LLVMBuildFAdd(v->e->builder, x, y, "")
                                                 : LLVMBuildAdd(v->e->builder, x, y, "");
}

// The sum of all lanes of the unrolled sums.
static LLVMValueRef whole_sum(AlongK *a, int line, int row) {
    Vectors *v = &a->v;
    LLVMBuilderRef b = v->e->builder;
    LLVMValueRef all = few_get(v, a->sums[line][row][0], 64);
    for (int i = 1; i < a->unroll; i++)
        all = add(v, all, few_get(v, a->sums[line][row][i], 64));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->e->context);
    for (int half = v->math.lanes / 2; half > 0; half /= 2) {
        LLVMValueRef lanes[64];
        for (int i = 0; i < v->math.lanes; i++)
            lanes[i] = LLVMConstInt(i32, (unsigned)((i + half) % v->math.lanes), 0);
        LLVMValueRef turned = LLVMBuildShuffleVector(
            b, all, all, LLVMConstVector(lanes, (unsigned)v->math.lanes), "");
        all = add(v, all, turned);
    }
    all = LLVMBuildExtractElement(b, all, LLVMConstInt(i32, 0, 0), "");
    return v->x->is_raised ? LLVMBuildSub(b, all, few_excess_of(v, a->first_row + row), "") : all;
}

// Some rows' sums of a->lines lines from `line` on.
static void multiply_rows(AlongK *a, const IndexExpr *line) {
    Vectors *v = &a->v;
    FewRows *x = v->x;
    Emit *e = v->e;
    int64_t count = v->math.lanes * x->how->group, step = count * a->unroll, K = x->c->k.size;
    int64_t whole = K / step * step;
    for (int i = 0; i < a->lines * a->rows * a->unroll; i++) {
        LLVMValueRef *local =
            &a->sums[i / a->unroll / a->rows][i / a->unroll % a->rows][i % a->unroll];
        *local = few_local(v);
        few_set(v, *local, LLVMConstNull(v->math.vector), 64);
    }
    if (whole > 0) {
        EmitLoop *k = emit_loop_begin(e, emit_number(e, 0), emit_number(e, whole), step, K, false);
        for (int i = 0; i < a->unroll; i++)
            add_vector(
                a, LLVMBuildNSWAdd(e->builder, k->phi, emit_number(e, i * count), ""), i, NULL);
        emit_loop_end(e, k);
    }
    for (int64_t k = whole; k < K; k += count) {
        LLVMValueRef mask =
            k + count <= K ? NULL : few_lanes_below(v, (int)count, emit_number(e, K - k));
        add_vector(a, emit_number(e, k), (int)((k - whole) / count), mask);
    }
    for (int i = 0; i < a->lines; i++) {
        const IndexExpr *at = index_add_constant(e->index, line, i);
        for (int row = 0; row < a->rows; row++) {
            LLVMBuildStore(
                e->builder, whole_sum(a, i, row), few_sum_address(v, a->first_row + row, at));
        }
    }
}

static void multiply_lines(AlongK *a, const IndexExpr *line) {
    Vectors *v = &a->v;
    FewRows *x = v->x;
    for (int i = 0; i < a->lines; i++)
        a->from[i] = contraction_place_address(
            v->e, &x->place, index_add_constant(v->e->index, line, i),
            index_constant(v->e->index, 0));
    int groups = (x->rows + a->rows - 1) / a->rows, most = a->rows;
    for (int group = 0; group < groups; group++) {
        a->first_row = group * most;
        a->rows = x->rows - a->first_row < most ? x->rows - a->first_row : most;
        multiply_rows(a, line);
    }
    a->rows = most;
}

// To the same k's of the next lines, or where those would not stay in the cache until then, to
// later k's. Short lines with gaps between them are no stream: they are asked for earlier.
static int64_t lines_ahead(const AlongK *a) {
    enum { FAR = 2048 };
    const FewRows *x = a->v.x;
    int64_t bytes = a->lines * x->c->k.size * (int64_t)a->v.stored_bytes;
    if (bytes > x->e->target->l2_bytes / 4) return FAR / (int64_t)a->v.stored_bytes;
    int64_t groups = x->place.line_stride > x->c->k.size ? few_pieces_ahead(bytes) : 1;
    return groups * a->lines * x->place.line_stride;
}

// Rows that so many lines meet together: beside the sums a register is each line's, and one or two
// are the small operand's.
static int rows_together(const FewRows *x, int lines) {
    int limit = few_sums_limit(x->e), left = x->e->target->vector_registers - lines - 2;
    return (limit < left ? limit : left) / lines;
}

// The lines and rows that load least; of those the fewest groups of rows. With 32 registers it is
// always four lines.
static void choose_lines(AlongK *a) {
    const FewRows *x = a->v.x;
    const int fewest = x->e->target->vector_registers < 32 ? 2 : MOST_LINES;
    double least = (double)INT_MAX;
    for (int lines = MOST_LINES; lines >= fewest; lines--) {
        int most = rows_together(x, lines), groups = (x->rows + most - 1) / most;
        int rows = (x->rows + groups - 1) / groups;
        double loads = (double)(groups * (lines + rows)) / lines;
        if (loads > least) continue;
        least = loads;
        a->lines = lines;
        a->rows = rows;
    }
}

void few_rows_vectors_along_k(FewRows *x) {
    Emit *e = x->e;
    AlongK *a = ARENA_NEW(e->arena, AlongK);
    *a = (AlongK){.v = few_vectors_of(x)};
    choose_lines(a);
    a->ahead = lines_ahead(a);
    int limit = few_sums_limit(e);
    a->unroll = limit / (a->lines * a->rows);
    a->unroll = a->unroll >= MOST_UNROLL ? MOST_UNROLL : a->unroll >= 2 ? 2 : 1;
    LLVMValueRef first = emit_index(e, x->first), lines = emit_number(e, a->lines);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, x->stop, first, "");
    LLVMValueRef rest = LLVMBuildSRem(e->builder, count, lines, "");
    LLVMValueRef whole = LLVMBuildNSWSub(e->builder, x->stop, rest, "");
    EmitLoop *line = emit_loop_begin(e, first, whole, a->lines, x->lines, false);
    multiply_lines(a, line->index);
    emit_loop_end(e, line);
    if (x->lines % a->lines == 0 && FEW_ROWS_CHUNK % a->lines == 0) return;
    a->lines = 1;
    line = emit_loop_begin(e, whole, x->stop, 1, x->lines, false);
    multiply_lines(a, line->index);
    emit_loop_end(e, line);
}

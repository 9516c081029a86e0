// few_rows_along_lines: products of a large operand whose memory runs along lines with few rows:
// sums[row][vectors of lines] in registers over a block of k's; they wait in the window, which
// stays in the first-level cache. The k's of a dot's group are interleaved in registers. The next
// block's k's are prefetched into the second-level cache.
#include "codegen/contract/few_rows_vectors.h"

enum { MOST_VECTORS = 4 };
enum { MOST_UNROLLED_PRODUCTS = 32 }; // in the code of a loop over k

static unsigned vector_bytes(const Vectors *v) {
    return (unsigned)(v->math.lanes * (int)element_bytes(v->math.accumulator));
}

typedef struct AlongLines {
    Vectors v;
    int vectors; // of lines
    int first_row, rows;
    LLVMValueRef mask; // of the last vectors' lines; NULL = all
    LLVMValueRef kept; // [step][vectors] of the block's groups, for all rows but the first; or NULL
    int64_t ahead;     // elements from a block of k's to the next one
} AlongLines;

// Lanes of two vectors in turns: the first half of all, or the second.
static LLVMValueRef interleave(Vectors *v, LLVMValueRef even, LLVMValueRef odd, bool is_second) {
    enum { MOST = 128 };
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->e->context);
    LLVMValueRef from[MOST];
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(even)), first = is_second ? count / 2 : 0;
    for (unsigned j = 0; j < count; j++)
        from[j] = LLVMConstInt(i32, first + j / 2 + (j % 2 ? count : 0), 0);
    return LLVMBuildShuffleVector(v->e->builder, even, odd, LLVMConstVector(from, count), "");
}

// Two rows as one of twice as wide elements, and the same of four.
static void interleave_rows(Vectors *v, int count, LLVMValueRef *rows) {
    LLVMTypeRef type = LLVMTypeOf(rows[0]);
    unsigned size = LLVMGetVectorSize(type) / 2;
    unsigned bits = 8 * (unsigned)element_bytes(v->x->large_type);
    LLVMTypeRef wide = LLVMVectorType(LLVMIntTypeInContext(v->e->context, 2 * bits), size);
    LLVMValueRef halves[2][2] = {{NULL}};
    for (int pair = 0; pair < count / 2; pair++) {
        for (int half = 0; half < 2; half++) {
            LLVMValueRef x = interleave(v, rows[2 * pair], rows[2 * pair + 1], half);
            halves[half][pair] = LLVMBuildBitCast(v->e->builder, x, wide, "");
        }
    }
    for (int half = 0; half < 2; half++) {
        for (int part = 0; part < count / 2; part++) {
            LLVMValueRef x = halves[half][0];
            if (count == 4) x = interleave(v, halves[half][0], halves[half][1], part);
            rows[half * (count / 2) + part] =
                LLVMBuildBitCast(v->e->builder, x, v->math.groups, "");
        }
    }
}

// The rows of a group's k's, of which `count` exist, in the order of lines: as many vectors of
// groups.
static void load_rows(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k, int count, LLVMValueRef *into) {
    Vectors *v = &a->v;
    Emit *e = v->e;
    int group = v->math.how->group, lanes = v->math.lanes;
    for (int i = 0; i < a->vectors; i += group) {
        const IndexExpr *at = index_add_constant(e->index, line, (int64_t)i * lanes);
        for (int j = 0; j < group; j++) {
            if (j >= count) {
                into[i + j] = LLVMConstNull(LLVMTypeOf(into[i]));
                continue;
            }
            LLVMValueRef address =
                contraction_place_address(e, &v->x->place, at, index_add_constant(e->index, k, j));
            if (a->first_row == 0) few_prefetch(v, address, a->ahead);
            into[i + j] = few_packed(v, few_load(v, address, group * lanes, a->mask));
        }
        interleave_rows(v, group, into + i);
    }
}

// The vectors of groups of a step, of whose last group `count` k's exist, from memory.
static void read_groups(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k, int count, LLVMValueRef *into) {
    Vectors *v = &a->v;
    if (v->math.how->group > 1) {
        load_rows(a, line, k, count, into);
        return;
    }
    for (int i = 0; i < a->vectors; i++) {
        const IndexExpr *at = index_add_constant(v->e->index, line, (int64_t)i * v->math.lanes);
        LLVMValueRef address = contraction_place_address(v->e, &v->x->place, at, k);
        if (a->first_row == 0) few_prefetch(v, address, a->ahead);
        into[i] = few_widen(v, few_load(v, address, v->math.lanes, a->mask));
    }
}

// The same for step number `step` of a block. The first rows keep what they have read for the
// others: its k's may lie so far apart that a cache, whose places follow from the address, has few
// places for them.
static void load_groups(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k, int count, const IndexExpr *step,
    LLVMValueRef *into) {
    Vectors *v = &a->v;
    unsigned alignment = vector_bytes(v);
    if (!a->kept || a->first_row == 0) read_groups(a, line, k, count, into);
    for (int i = 0; a->kept && i < a->vectors; i++) {
        const IndexExpr *at = index_scale(v->e->index, step, a->vectors);
        LLVMValueRef place = emit_index(v->e, index_add_constant(v->e->index, at, i));
        place = few_element_at(v, v->math.groups, a->kept, place);
        if (a->first_row == 0) {
            LLVMSetAlignment(LLVMBuildStore(v->e->builder, into[i], place), alignment);
        } else {
            into[i] = LLVMBuildLoad2(v->e->builder, v->math.groups, place, "");
            LLVMSetAlignment(into[i], alignment);
        }
    }
}

typedef LLVMValueRef RowSums[MOST_FEW_ROWS][MOST_VECTORS];

// One group of k's, step number `step` of a block, of which `count` exist, times the vectors of
// lines from `line` on.
static void add_step(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k, int count, const IndexExpr *step,
    RowSums sums) {
    Vectors *v = &a->v;
    FewRows *x = v->x;
    Emit *e = v->e;
    int group = x->how->group;
    LLVMValueRef large[MOST_VECTORS];
    load_groups(a, line, k, count, step, large);
    for (int row = 0; row < a->rows; row++) {
        const IndexExpr *at = index_scale(e->index, k, x->rows);
        at = index_add_constant(e->index, at, (int64_t)(a->first_row + row) * group);
        LLVMTypeRef small_type = emit_memory_type(e, x->small_type);
        LLVMValueRef place = few_element_at(v, small_type, x->small, emit_index(e, at));
        LLVMValueRef small = LLVMBuildLoad2(e->builder, v->math.group, place, "");
        LLVMSetAlignment(small, (unsigned)element_bytes(x->small_type));
        small = contract_splat(&v->math, small);
        for (int i = 0; i < a->vectors; i++) {
            LLVMValueRef sum = few_get(v, sums[row][i], 64);
            few_set(v, sums[row][i], contract_multiply_add(&v->math, large[i], small, sum), 64);
        }
    }
}

// steps * group k's from k_first on (of the last group there are `last`), as code for few of them
// in a loop: LLVM takes long for many vectors.
static void add_all_steps(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k_first, int steps, int last,
    RowSums sums) {
    Emit *e = a->v.e;
    IndexBuilder *b = e->index;
    int group = a->v.x->how->group, whole = last == group ? steps : steps - 1;
    int unrolled = MOST_UNROLLED_PRODUCTS / (a->rows * a->vectors);
    if (unrolled < 2) unrolled = 2;
    int looped = whole >= 2 * unrolled ? whole / unrolled * unrolled : 0;
    if (looped > 0) {
        EmitLoop *loop = emit_loop_constant(e, looped / unrolled, false);
        for (int i = 0; i < unrolled; i++) {
            const IndexExpr *at = index_add_constant(b, index_scale(b, loop->index, unrolled), i);
            const IndexExpr *k = index_add(b, k_first, index_scale(b, at, group));
            add_step(a, line, k, group, at, sums);
        }
        emit_loop_end(e, loop);
    }
    for (int i = looped; i < steps; i++) {
        const IndexExpr *k = index_add_constant(b, k_first, (int64_t)i * group);
        add_step(a, line, k, i < whole ? group : last, index_constant(b, i), sums);
    }
}

// The products of rows first_row .. first_row + rows - 1 and the k's of the steps with the vectors
// of lines from `line` on.
static void add_rows(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k_first, int steps, int last) {
    Vectors *v = &a->v;
    Emit *e = v->e;
    unsigned alignment = (unsigned)element_bytes(v->x->c->accumulator);
    RowSums sums, places;
    for (int row = 0; row < a->rows; row++) {
        for (int i = 0; i < a->vectors; i++) {
            const IndexExpr *at = index_add_constant(e->index, line, (int64_t)i * v->math.lanes);
            places[row][i] = few_sum_address(v, a->first_row + row, at);
            sums[row][i] = few_local(v);
            few_set(v, sums[row][i], few_get(v, places[row][i], alignment), 64);
        }
    }
    add_all_steps(a, line, k_first, steps, last, sums);
    for (int row = 0; row < a->rows; row++) {
        for (int i = 0; i < a->vectors; i++)
            few_set(v, places[row][i], few_get(v, sums[row][i], 64), alignment);
    }
}

// All rows, as many at a time as registers allow; what they read stays in the first-level cache.
static void add_block(
    AlongLines *a, const IndexExpr *line, const IndexExpr *k_first, int steps, int last) {
    int all = a->v.x->rows, most = a->rows;
    for (a->first_row = 0; a->first_row < all; a->first_row += most) {
        a->rows = all - a->first_row < most ? all - a->first_row : most;
        add_rows(a, line, k_first, steps, last);
    }
    a->rows = most;
}

// All lines of the window, for these k's.
static void add_steps(AlongLines *a, const IndexExpr *k_first, int steps, int last) {
    FewRows *x = a->v.x;
    Emit *e = x->e;
    int most = a->vectors, least = x->how->group;
    int64_t width = (int64_t)most * a->v.math.lanes, narrow = (int64_t)least * a->v.math.lanes;
    LLVMValueRef first = emit_index(e, x->first);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, x->stop, first, "");
    LLVMValueRef rest = LLVMBuildSRem(e->builder, count, emit_number(e, width), "");
    LLVMValueRef whole = LLVMBuildNSWSub(e->builder, x->stop, rest, "");
    EmitLoop *line = emit_loop_begin(e, first, whole, width, x->lines, false);
    add_block(a, line->index, k_first, steps, last);
    emit_loop_end(e, line);
    if (x->lines % width == 0 && x->window % width == 0 && FEW_ROWS_CHUNK % width == 0) return;
    line = emit_loop_begin(e, whole, x->stop, narrow, x->lines, false);
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, x->stop, line->phi, "");
    a->mask = few_lanes_below(&a->v, (int)narrow, left);
    a->vectors = least;
    add_block(a, line->index, k_first, steps, last);
    a->vectors = most;
    a->mask = NULL;
    emit_loop_end(e, line);
}

static void clear_window(AlongLines *a) {
    FewRows *x = a->v.x;
    Emit *e = x->e;
    int64_t lanes = a->v.math.lanes;
    EmitLoop *line = emit_loop_begin(e, emit_index(e, x->first), x->stop, lanes, x->lines, false);
    for (int row = 0; row < x->rows; row++) {
        LLVMValueRef start = LLVMConstNull(a->v.math.vector);
        if (x->is_raised) {
            LLVMValueRef excess = contract_splat(&a->v.math, few_excess_of(&a->v, row));
            start = LLVMBuildSub(e->builder, start, excess, "");
        }
        few_set(
            &a->v, few_sum_address(&a->v, row, line->index), start,
            (unsigned)element_bytes(x->c->accumulator));
    }
    emit_loop_end(e, line);
}

// How many k's of so many lines lie between a block of k's and the one that is asked for. Where the
// lines' memory has gaps, as a device's columns of a whole array, the CPU itself foresees little:
// what is asked for has to be on its way for longer.
static int64_t rows_ahead(const FewRows *x, int64_t block, int64_t lines) {
    enum { LEAST_BETWEEN_GAPS = 64 };
    int64_t bytes = lines * (int64_t)element_bytes(x->place.stored->type->element);
    int64_t rows = few_pieces_ahead(block * bytes) * block;
    bool has_gaps = x->place.k_stride > lines;
    if (has_gaps && rows < LEAST_BETWEEN_GAPS &&
        LEAST_BETWEEN_GAPS * bytes <= x->e->target->l2_bytes / 4)
        return LEAST_BETWEEN_GAPS;
    return rows;
}

void few_rows_vectors_along_lines(FewRows *x) {
    Emit *e = x->e;
    AlongLines *a = ARENA_NEW(e->arena, AlongLines);
    *a = (AlongLines){.v = few_vectors_of(x)};
    int group = x->how->group, limit = few_sums_limit(e);
    // beside the sums registers hold a vector of each and one or two of the small operand's
    bool is_wide = 4 * x->rows <= limit && 4 * x->rows + 6 <= e->target->vector_registers;
    a->vectors = is_wide || group == 4 ? 4 : 2;
    int most = limit / a->vectors, parts = (x->rows + most - 1) / most;
    a->rows = (x->rows + parts - 1) / parts;
    // steps: more than eight places of memory at once are more than some CPUs foresee, which counts
    // as long as rows are few
    int64_t block = group == 1 && parts > 2 ? 16 : 8;
    if (parts > 1) a->kept = emit_alloca(e, a->v.math.groups, block * a->vectors, 64);
    int64_t lines = x->lines < x->window ? x->lines : x->window;
    a->ahead = rows_ahead(x, block * group, lines) * x->place.k_stride;
    int64_t steps = (x->c->k.size + group - 1) / group;
    int64_t whole = x->c->k.size / group / block, rest = steps - whole * block;
    clear_window(a);
    if (whole > 0) {
        EmitLoop *k = emit_loop_constant(e, whole, false);
        add_steps(a, index_scale(e->index, k->index, block * group), (int)block, group);
        emit_loop_end(e, k);
    }
    if (rest > 0)
        add_steps(
            a, index_constant(e->index, whole * block * group), (int)rest,
            (int)(x->c->k.size - (whole * block + rest - 1) * group));
}

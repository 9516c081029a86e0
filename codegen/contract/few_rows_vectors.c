// few_rows_vectors: products of a large operand that lies in memory with few rows, in explicit
// vectors.
//
//     memory along k:      four lines at a time, sums[line][row] in registers over all of k, each
//                          in vector lanes that are summed at the end
//     memory along lines:  sums[row][vectors of lines] in registers over a block of k's; they wait
//                          in the window, which stays in the first-level cache. The k's of a dot's
//                          group are interleaved in registers.
//
// Both read several places of memory at once and leave them soon, which no CPU foresees: what comes
// next is prefetched into the second-level cache.
#include "codegen/contract/few_rows.h"
#include "codegen/emit/emit_state.h"

enum { MOST_LINES = 4, MOST_UNROLL = 4, MOST_VECTORS = 4, REGISTERS_FOR_SUMS = 24 };
enum { MOST_UNROLLED_PRODUCTS = 32 }; // in the code of a loop over k

bool few_rows_along_k(const FewRows *x) { return x->place.stored && x->place.k_stride == 1; }

bool few_rows_along_lines(const FewRows *x) { return x->place.stored && x->place.line_stride == 1; }

typedef struct Vectors {
    FewRows *x;
    Emit *e;
    ContractVectors math;
    LLVMTypeRef stored; // the large operand's element in memory
    unsigned stored_bytes;
} Vectors;

static Vectors vectors_of(FewRows *x) {
    Emit *e = x->e;
    ElementType element = x->place.stored->type->element;
    return (Vectors){
        .x = x,
        .e = e,
        .math = contract_vectors(e, e->builder, x->how, x->c->accumulator, x->small_type),
        .stored = emit_memory_type(e, element),
        .stored_bytes = (unsigned)element_bytes(element)};
}

static int sums_limit(const Emit *e) {
    return e->target->vector_registers >= 32 ? REGISTERS_FOR_SUMS : REGISTERS_FOR_SUMS / 2;
}

// ---- vectors

// i1 for each of `count` lanes: is it below `limit`?
static LLVMValueRef lanes_below(Vectors *v, int count, LLVMValueRef limit) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->e->context);
    LLVMValueRef *numbers = ARENA_ARRAY(v->e->arena, LLVMValueRef, count);
    for (int i = 0; i < count; i++)
        numbers[i] = emit_number(v->e, i);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->e->context);
    LLVMTypeRef wide = LLVMVectorType(i64, (unsigned)count);
    LLVMBuilderRef b = v->e->builder;
    LLVMValueRef limits =
        LLVMBuildInsertElement(b, LLVMGetPoison(wide), limit, LLVMConstInt(i32, 0, 0), "");
    limits = LLVMBuildShuffleVector(
        b, limits, limits, LLVMConstNull(LLVMVectorType(i32, (unsigned)count)), "");
    return LLVMBuildICmp(b, LLVMIntSLT, LLVMConstVector(numbers, (unsigned)count), limits, "");
}

// `count` elements of the large operand, zero where the mask (NULL = none) is.
static LLVMValueRef load_stored(Vectors *v, LLVMValueRef address, int count, LLVMValueRef mask) {
    LLVMTypeRef type = LLVMVectorType(v->stored, (unsigned)count);
    LLVMBuilderRef b = v->e->builder;
    if (!mask) {
        LLVMValueRef load = LLVMBuildLoad2(b, type, address, "");
        LLVMSetAlignment(load, v->stored_bytes);
        return load;
    }
    LLVMTypeRef overloads[2] = {type, LLVMPointerTypeInContext(v->e->context, 0)};
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.load", 16);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(v->e->module, id, overloads, 2);
    LLVMTypeRef call = LLVMIntrinsicGetType(v->e->context, id, overloads, 2);
    LLVMValueRef arguments[4] = {address, NULL, NULL, NULL};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->e->context);
    bool has_alignment = LLVMCountParamTypes(call) == 4; // until LLVM 21
    int next = 1;
    if (has_alignment) arguments[next++] = LLVMConstInt(i32, v->stored_bytes, 0);
    arguments[next++] = mask;
    arguments[next++] = LLVMConstNull(type);
    return LLVMBuildCall2(b, call, function, arguments, (unsigned)next, "");
}

// x << bits, or x ^ bits, in all lanes.
static LLVMValueRef with_bits(Vectors *v, LLVMOpcode op, LLVMValueRef x, unsigned long long bits) {
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned count = LLVMGetVectorSize(type);
    LLVMValueRef *all = ARENA_ARRAY(v->e->arena, LLVMValueRef, count);
    for (unsigned i = 0; i < count; i++)
        all[i] = LLVMConstInt(LLVMGetElementType(type), bits, 0);
    return LLVMBuildBinOp(v->e->builder, op, x, LLVMConstVector(all, count), "");
}

// As the accumulator's elements; floats only.
static LLVMValueRef widen(Vectors *v, LLVMValueRef x) {
    ElementType from = v->x->place.stored->type->element;
    LLVMBuilderRef b = v->e->builder;
    if (from == v->x->c->accumulator) return x;
    if (from != ELEMENT_BF16) return LLVMBuildFPExt(b, x, v->math.vector, "");
    unsigned lanes = (unsigned)v->math.lanes;
    LLVMTypeRef i16 = LLVMVectorType(LLVMInt16TypeInContext(v->e->context), lanes);
    LLVMTypeRef i32 = LLVMVectorType(LLVMInt32TypeInContext(v->e->context), lanes);
    LLVMTypeRef f32 = LLVMVectorType(LLVMFloatTypeInContext(v->e->context), lanes);
    x = LLVMBuildZExt(b, LLVMBuildBitCast(b, x, i16, ""), i32, "");
    x = LLVMBuildBitCast(b, with_bits(v, LLVMShl, x, 16), f32, "");
    return v->x->c->accumulator == ELEMENT_F64 ? LLVMBuildFPExt(b, x, v->math.vector, "") : x;
}

// As the elements that are multiplied.
static LLVMValueRef as_packed(Vectors *v, LLVMValueRef x) {
    const FewRows *rows = v->x;
    ElementType from = rows->place.stored->type->element;
    if (rows->how->group == 1) return widen(v, x);
    if (rows->is_raised) return with_bits(v, LLVMXor, x, 0x80);
    if (from == rows->large_type) return x;
    LLVMTypeRef type =
        LLVMVectorType(emit_memory_type(v->e, rows->large_type), LLVMGetVectorSize(LLVMTypeOf(x)));
    return from == ELEMENT_UI8 ? LLVMBuildZExt(v->e->builder, x, type, "")
                               : LLVMBuildSExt(v->e->builder, x, type, "");
}

static LLVMValueRef vector_local(Vectors *v) { return emit_alloca(v->e, v->math.vector, 1, 64); }

static LLVMValueRef vector_get(Vectors *v, LLVMValueRef address, unsigned alignment) {
    LLVMValueRef x = LLVMBuildLoad2(v->e->builder, v->math.vector, address, "");
    LLVMSetAlignment(x, alignment);
    return x;
}

static void vector_set(Vectors *v, LLVMValueRef address, LLVMValueRef x, unsigned alignment) {
    LLVMSetAlignment(LLVMBuildStore(v->e->builder, x, address), alignment);
}

static unsigned vector_bytes(const Vectors *v) {
    return (unsigned)(v->math.lanes * (int)element_bytes(v->math.accumulator));
}

static LLVMValueRef element_at(Vectors *v, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef at) {
    return LLVMBuildInBoundsGEP2(v->e->builder, type, base, &at, 1, "");
}

static LLVMValueRef sum_address(Vectors *v, int row, const IndexExpr *line) {
    IndexBuilder *b = v->e->index;
    line = index_add_constant(b, index_sub(b, line, v->x->first), row * v->x->pitch);
    return element_at(v, v->math.scalar, v->x->sums, emit_index(v->e, line));
}

// Asks for the cache line `ahead` elements behind the address, which need not exist.
static void prefetch(Vectors *v, LLVMValueRef address, int64_t ahead) {
    contract_prefetch(v->e, address, emit_number(v->e, ahead * v->stored_bytes));
}

// ---- memory along k

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
        LLVMValueRef at = element_at(v, v->stored, a->from[line], k);
        if (a->first_row == 0) prefetch(v, at, a->ahead);
        large[line] = as_packed(v, load_stored(v, at, count, mask));
    }
    for (int row = 0; row < a->rows; row++) {
        LLVMValueRef at = LLVMBuildNSWAdd(
            e->builder, k, emit_number(e, (a->first_row + row) * x->small_stride), "");
        LLVMValueRef small =
            LLVMBuildLoad2(e->builder, v->math.groups, element_at(v, small_type, x->small, at), "");
        LLVMSetAlignment(small, (unsigned)element_bytes(x->small_type));
        for (int line = 0; line < a->lines; line++) {
            LLVMValueRef local = a->sums[line][row][unrolled];
            vector_set(
                v, local,
                contract_multiply_add(&v->math, large[line], small, vector_get(v, local, 64)), 64);
        }
    }
}

static LLVMValueRef add(Vectors *v, LLVMValueRef x, LLVMValueRef y) {
    return element_is_float(v->math.accumulator) ? LLVMBuildFAdd(v->e->builder, x, y, "")
                                                 : LLVMBuildAdd(v->e->builder, x, y, "");
}

// 128 times the sum of a row of the small operand.
static LLVMValueRef excess_of(Vectors *v, int row) {
    LLVMValueRef at = element_at(v, v->math.scalar, v->x->excess, emit_number(v->e, row));
    return LLVMBuildLoad2(v->e->builder, v->math.scalar, at, "");
}

// The sum of all lanes of the unrolled sums.
static LLVMValueRef whole_sum(AlongK *a, int line, int row) {
    Vectors *v = &a->v;
    LLVMBuilderRef b = v->e->builder;
    LLVMValueRef all = vector_get(v, a->sums[line][row][0], 64);
    for (int i = 1; i < a->unroll; i++)
        all = add(v, all, vector_get(v, a->sums[line][row][i], 64));
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
    return v->x->is_raised ? LLVMBuildSub(b, all, excess_of(v, a->first_row + row), "") : all;
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
        *local = vector_local(v);
        vector_set(v, *local, LLVMConstNull(v->math.vector), 64);
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
            k + count <= K ? NULL : lanes_below(v, (int)count, emit_number(e, K - k));
        add_vector(a, emit_number(e, k), (int)((k - whole) / count), mask);
    }
    for (int i = 0; i < a->lines; i++) {
        const IndexExpr *at = index_add_constant(e->index, line, i);
        for (int row = 0; row < a->rows; row++) {
            LLVMBuildStore(
                e->builder, whole_sum(a, i, row), sum_address(v, a->first_row + row, at));
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

// How many pieces of that many bytes are multiplied while memory answers.
static int64_t pieces_ahead(int64_t bytes) {
    enum { LEAST_AHEAD = 4096 };
    return bytes > 0 ? (LEAST_AHEAD + bytes - 1) / bytes : 1;
}

// To the same k's of the next lines, or where those would not stay in the cache until then, to
// later k's. Short lines with gaps between them are no stream: they are asked for earlier.
static int64_t lines_ahead(const AlongK *a) {
    enum { FAR = 2048 };
    const FewRows *x = a->v.x;
    int64_t bytes = MOST_LINES * x->c->k.size * (int64_t)a->v.stored_bytes;
    if (bytes > x->e->target->l2_bytes / 4) return FAR / (int64_t)a->v.stored_bytes;
    int64_t groups = x->place.line_stride > x->c->k.size ? pieces_ahead(bytes) : 1;
    return groups * MOST_LINES * x->place.line_stride;
}

void few_rows_vectors_along_k(FewRows *x) {
    Emit *e = x->e;
    AlongK *a = ARENA_NEW(e->arena, AlongK);
    *a = (AlongK){.v = vectors_of(x), .lines = MOST_LINES};
    a->ahead = lines_ahead(a);
    int limit = sums_limit(e), most = limit / MOST_LINES;
    int groups = (x->rows + most - 1) / most;
    a->rows = (x->rows + groups - 1) / groups;
    a->unroll = limit / (a->lines * a->rows);
    a->unroll = a->unroll >= MOST_UNROLL ? MOST_UNROLL : a->unroll >= 2 ? 2 : 1;
    LLVMValueRef first = emit_index(e, x->first), lines = emit_number(e, a->lines);
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, x->stop, first, "");
    LLVMValueRef rest = LLVMBuildSRem(e->builder, count, lines, "");
    LLVMValueRef whole = LLVMBuildNSWSub(e->builder, x->stop, rest, "");
    EmitLoop *line = emit_loop_begin(e, first, whole, a->lines, x->lines, false);
    multiply_lines(a, line->index);
    emit_loop_end(e, line);
    if (x->lines % a->lines == 0) return;
    a->lines = 1;
    line = emit_loop_begin(e, whole, x->stop, 1, x->lines, false);
    multiply_lines(a, line->index);
    emit_loop_end(e, line);
}

// ---- memory along lines

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
            if (a->first_row == 0) prefetch(v, address, a->ahead);
            into[i + j] = as_packed(v, load_stored(v, address, group * lanes, a->mask));
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
        if (a->first_row == 0) prefetch(v, address, a->ahead);
        into[i] = widen(v, load_stored(v, address, v->math.lanes, a->mask));
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
        place = element_at(v, v->math.groups, a->kept, place);
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
        LLVMValueRef place = element_at(v, small_type, x->small, emit_index(e, at));
        LLVMValueRef small = LLVMBuildLoad2(e->builder, v->math.group, place, "");
        LLVMSetAlignment(small, (unsigned)element_bytes(x->small_type));
        small = contract_splat(&v->math, small);
        for (int i = 0; i < a->vectors; i++) {
            LLVMValueRef sum = vector_get(v, sums[row][i], 64);
            vector_set(v, sums[row][i], contract_multiply_add(&v->math, large[i], small, sum), 64);
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
            places[row][i] = sum_address(v, a->first_row + row, at);
            sums[row][i] = vector_local(v);
            vector_set(v, sums[row][i], vector_get(v, places[row][i], alignment), 64);
        }
    }
    add_all_steps(a, line, k_first, steps, last, sums);
    for (int row = 0; row < a->rows; row++) {
        for (int i = 0; i < a->vectors; i++)
            vector_set(v, places[row][i], vector_get(v, sums[row][i], 64), alignment);
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
    a->mask = lanes_below(&a->v, (int)narrow, left);
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
            LLVMValueRef excess = contract_splat(&a->v.math, excess_of(&a->v, row));
            start = LLVMBuildSub(e->builder, start, excess, "");
        }
        vector_set(
            &a->v, sum_address(&a->v, row, line->index), start,
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
    int64_t rows = pieces_ahead(block * bytes) * block;
    bool has_gaps = x->place.k_stride > lines;
    if (has_gaps && rows < LEAST_BETWEEN_GAPS &&
        LEAST_BETWEEN_GAPS * bytes <= x->e->target->l2_bytes / 4)
        return LEAST_BETWEEN_GAPS;
    return rows;
}

void few_rows_vectors_along_lines(FewRows *x) {
    Emit *e = x->e;
    AlongLines *a = ARENA_NEW(e->arena, AlongLines);
    *a = (AlongLines){.v = vectors_of(x)};
    int group = x->how->group, limit = sums_limit(e);
    a->vectors = limit / x->rows >= 4 || group == 4 ? 4 : 2;
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

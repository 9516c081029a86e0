// lower_few_rows: products of a large operand and one with few rows (or columns), as when a
// language model makes one token.
//
// Nothing of the large operand is packed: it is read once, in its own order, and multiplied with
// all rows of the small one, which lies in the scratch: in explicit vectors where it lies in memory
// (few_rows_along_k.c, few_rows_along_lines.c), else element by element, as what follows says. A
// line is a column of the large operand B (N of them), or a row where A is the large one; a lane
// takes a range of lines.
//
//     memory runs along lines:  for some k's:  for each line:
//         sums[row][line] += small[row][k] * large[k][line]
//     memory runs along k:      for each line:
//         sums[row][line] = sum over k of small[row][k] * large[line][k], k in vector lanes
//
// Either way the order of a sum does not depend on which lines a lane has.
#include "codegen/contract/few_rows.h"
#include "codegen/emit/emit_state.h"

enum {
    MOST_COMPUTED_ROWS = 4,
    MOST_SMALL_BYTES = 1 << 20,
    WINDOW_SUMS = 4096, // in the first-level cache
    WIDE_SUMS = 12288,  // for the sake of wide windows, beyond it
    MOST_STEPS = 8      // k's between a load and a store of the sums
};

// With room for zeros behind the last k of every row.
static int64_t small_bytes(const Contraction *c, int64_t rows) {
    enum { MOST_LANES = 64 };
    int64_t k = (c->k.size + MOST_LANES - 1) / MOST_LANES * MOST_LANES;
    return rows * k * (int64_t)element_bytes(c->accumulator);
}

// The same with rows a vector further apart (prepare).
static int64_t scratch_of_small(const Contraction *c, int64_t rows) {
    enum { LARGEST_VECTOR = 64, LINE = 64 };
    int64_t apart = rows * LARGEST_VECTOR * (int64_t)element_bytes(c->accumulator);
    return (small_bytes(c, rows) + apart + LINE - 1) / LINE * LINE;
}

// How the CPU multiplies operands that both have the first one's elements, outside of its tile
// registers.
static const ContractRow *narrow_row(const Contraction *c, const Target *target) {
    ElementType type = c->lhs->type->element;
    bool is_one = c->m.size == 1 || c->n.size == 1;
    return target_contract(
        target, type, type, c->accumulator, is_one ? CONTRACT_ONE_ROW : CONTRACT_VECTORS);
}

static bool is_dot(const ContractRow *row) {
    return row->product == PRODUCT_DOT || row->product == PRODUCT_DOT_AND_ADD;
}

// With a short K and few lines a lane's sum has few products, and what comes before and after them
// (a sum over the lanes of each result) takes longer than packing.
static bool is_short(const Contraction *c, const Target *target, int64_t rows) {
    enum { ROWS_PER_VECTOR = 3, FEW_ELEMENTS = 1 << 16 };
    int64_t step = contract_lanes(c, target) * c->how->group;
    int64_t lines = c->m.size > c->n.size ? c->m.size : c->n.size;
    return rows > MOST_COMPUTED_ROWS && lines * c->k.size <= FEW_ELEMENTS &&
           rows >= ROWS_PER_VECTOR * ((c->k.size + step - 1) / step);
}

// Are the large operand's k's its last dimension?
static bool ends_with_k(const Contraction *c, bool is_lhs) {
    const int *dims = is_lhs ? c->lhs_k : c->rhs_k;
    int last = (is_lhs ? c->lhs : c->rhs)->type->rank - 1;
    for (int i = 0; i < c->k.rank; i++) {
        if (dims[i] == last) return true;
    }
    return false;
}

// Four rows of bytes fill vectors of four times as many lines, and sums of them few registers.
static bool takes_dots(const Contraction *c, const Target *target, int64_t rows) {
    enum { MOST_ROWS_OF_BYTES = 16 };
    const ContractRow *row = narrow_row(c, target);
    return is_dot(row) &&
           (row->group < 4 || rows <= MOST_ROWS_OF_BYTES || ends_with_k(c, c->n.size < c->m.size));
}

// Would A's rows, multiplied as they lie, keep enough sums in registers?
static bool rows_fill_tiles(const Contraction *c, const Target *target) {
    enum { LEAST_COLUMNS = 9, LEAST_SUMS = 10 };
    int lanes = contract_lanes(c, target);
    if (c->row_bytes == 0 || c->n.size < LEAST_COLUMNS || c->n.size > c->m.size) return false;
    Tile tile = contract_tile(c, target);
    return c->m.size >= tile.rows && contract_reads_rows(c, target, tile, c->row_bytes) &&
           tile.rows * ((c->n.size + lanes - 1) / lanes) >= LEAST_SUMS;
}

// Does the second-level cache hold B, in vectors that the micro-kernel takes from there? Then its
// sums stay in registers, while here each few k's load and store them.
static bool has_near_vectors(const Kernel *kernel, const Contraction *c, const Target *target) {
    if (c->k.rank != 1 || c->n.rank == 0 || c->n.size < c->m.size || ends_with_k(c, false))
        return false;
    return contract_reads_vectors(c, target) &&
           contract_rhs_is_near(c, target, contract_tile(c, target)) &&
           contraction_is_plain(kernel, c, false);
}

// Sums of a few vectors, the last of them in part, wait for their own stores: these have a mask,
// and the loads of the next k's come soon.
static bool waits_for_stores(const Contraction *c, const Target *target, int64_t rows) {
    enum { LEAST_ROWS = 16, MOST_VECTORS = 8 };
    int64_t lines = c->m.size > c->n.size ? c->m.size : c->n.size;
    int lanes = contract_lanes(c, target);
    return rows >= LEAST_ROWS && lines < MOST_VECTORS * lanes && lines % lanes != 0 &&
           !ends_with_k(c, c->n.size < c->m.size);
}

bool few_rows_apply(const Kernel *kernel, const Contraction *c, const Target *target) {
    int64_t rows = c->m.size < c->n.size ? c->m.size : c->n.size;
    enum { PAIR = 2, MOST_QUADS_BESIDE_TILES = 7, MOST_PAIRS_BESIDE_TILES = 4 };
    int64_t most = c->how->group == PAIR ? MOST_PAIRS_BESIDE_TILES : MOST_QUADS_BESIDE_TILES;
    if (c->panel_columns || (c->in_tiles && rows > most)) return false;
    if (c->conv || rows > MOST_FEW_ROWS || small_bytes(c, rows) > MOST_SMALL_BYTES) return false;
    if (is_short(c, target, rows) || rows_fill_tiles(c, target)) return false;
    if (rows <= MOST_COMPUTED_ROWS) return true;
    if (has_near_vectors(kernel, c, target) || waits_for_stores(c, target, rows)) return false;
    if (!element_is_float(c->accumulator) && !takes_dots(c, target, rows)) return false;
    return contraction_is_plain(kernel, c, c->n.size < c->m.size);
}

// Chunks worth a lane of their own, in bytes of the large operand; of more rows than two for each
// of its elements the products count.
enum { LEAST_CHUNK = 16 << 10 };

static int64_t work_of_line(const Contraction *c, int64_t rows) {
    return c->k.size * (rows > 8 ? rows / 2 : 4);
}

static FewRows few_rows_of(Emit *e, const Contraction *c) {
    bool large_is_lhs = c->n.size < c->m.size;
    int64_t rows = large_is_lhs ? c->n.size : c->m.size;
    FewRows x = {.e = e, .c = c, .large_is_lhs = large_is_lhs, .rows = (int)rows};
    x.lines = large_is_lhs ? c->m.size : c->n.size;
    // WIDEST: lines of the vectors that a dot of four bytes needs. WIDE: of each k, memory is read
    // that far before the next k, which may be another page.
    enum { WIDEST = 64, WIDE = 1024, APART = 16 };
    x.window = WINDOW_SUMS / rows;
    if (x.window < WIDE) x.window = WIDE_SUMS / rows < WIDE ? WIDE_SUMS / rows : WIDE;
    x.window = x.window / WIDEST * WIDEST;
    x.pitch = x.window + APART;
    x.chunk = FEW_ROWS_CHUNK;
    while (x.chunk < x.lines && x.chunk * work_of_line(c, rows) < LEAST_CHUNK)
        x.chunk *= 2;
    return x;
}

void few_rows_set_grid(Kernel *kernel, const Contraction *c) {
    FewRows x = few_rows_of(NULL, c);
    kernel->grid = c->batch.size * ((x.lines + x.chunk - 1) / x.chunk);
    if (c->batch.size * x.lines * work_of_line(c, x.rows) < LEAST_CHUNK) kernel->grid = 1;
    enum { MOST_LANES = 64 }; // the last vector of a window's row
    kernel->scratch_bytes =
        scratch_of_small(c, x.rows) +
        (x.rows * x.pitch + MOST_LANES) * (int64_t)element_bytes(c->accumulator);
    matmul_set_costs(kernel, c);
}

static Scalar element(FewRows *x, bool is_large, const IndexExpr *line, const IndexExpr *k) {
    return contraction_element(x->e, x->c, is_large == x->large_is_lhs, x->matmul->batch, line, k);
}

static LLVMValueRef small_place(FewRows *x, int row, const IndexExpr *k) {
    return emit_index(x->e, index_add_constant(x->e->index, k, row * x->c->k.size));
}

static LLVMValueRef sum_place(FewRows *x, int row, const IndexExpr *line) {
    line = index_sub(x->e->index, line, x->first);
    return emit_index(x->e, index_add_constant(x->e->index, line, row * x->pitch));
}

static void widen_small(FewRows *x) {
    Emit *e = x->e;
    EmitLoop *row = emit_loop_constant(e, x->rows, false);
    EmitLoop *k = emit_loop_constant(e, x->c->k.size, true);
    Scalar value = element(x, false, row->index, k->index);
    const IndexExpr *at =
        index_add(e->index, k->index, index_scale(e->index, row->index, x->c->k.size));
    emit_private_store(e, x->c->accumulator, x->small, emit_index(e, at), value);
    emit_loop_end(e, k);
    emit_loop_end(e, row);
}

// The k's from .. to - 1 of a row: those that exist, or zeros.
static void pack_small_row(
    FewRows *x, const IndexExpr *row, int64_t from, int64_t to, bool exists) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    if (from == to) return;
    EmitLoop *k =
        emit_loop_begin(e, emit_number(e, from), emit_number(e, to), 1, x->small_stride, true);
    if (!few_rows_along_k(x)) k->lanes = 1; // vectors would be scattered
    Scalar value = exists ? element(x, false, row, k->index) : emit_constant(e, x->small_type, 0);
    const IndexExpr *at = index_add(b, k->index, index_scale(b, row, x->small_stride));
    if (!few_rows_along_k(x)) {
        int64_t group = x->how->group;
        at = index_scale(b, index_div(b, k->index, group), x->rows * group);
        at = index_add(b, at, index_mod(b, k->index, group));
        at = index_add(b, at, index_scale(b, row, group));
    }
    emit_private_store(e, x->small_type, x->small, emit_index(e, at), value);
    emit_loop_end(e, k);
}

// [k][row] from memory that runs along rows.
static void pack_small_columns(FewRows *x) {
    Emit *e = x->e;
    EmitLoop *k = emit_loop_constant(e, x->c->k.size, false);
    EmitLoop *row = emit_loop_constant(e, x->rows, true);
    Scalar value = element(x, false, row->index, k->index);
    const IndexExpr *at = index_add(e->index, index_scale(e->index, k->index, x->rows), row->index);
    emit_private_store(e, x->small_type, x->small, emit_index(e, at), value);
    emit_loop_end(e, row);
    emit_loop_end(e, k);
}

// As vectors read it.
static void pack_small(FewRows *x) {
    bool runs_along_rows = !contraction_k_is_contiguous(x->e, x->c, !x->large_is_lhs);
    if (runs_along_rows && !few_rows_along_k(x) && x->how->group == 1 &&
        x->small_stride == x->c->k.size) {
        pack_small_columns(x);
        return;
    }
    EmitLoop *row = emit_loop_constant(x->e, x->rows, false);
    pack_small_row(x, row->index, 0, x->c->k.size, true);
    pack_small_row(x, row->index, x->c->k.size, x->small_stride, false);
    emit_loop_end(x->e, row);
}

static Scalar multiply_add(Emit *e, Scalar a, Scalar b, Scalar sum) {
    if (!element_is_float(sum.element) || !e->target->has_fma) {
        return emit_arithmetic(e, OP_ADD, sum, emit_arithmetic(e, OP_MULTIPLY, a, b));
    }
    LLVMValueRef operands[3] = {a.value, b.value, sum.value};
    LLVMTypeRef type = LLVMTypeOf(sum.value);
    return (Scalar){
        .element = sum.element, .value = emit_intrinsic(e, "llvm.fma", type, 3, operands)};
}

static EmitLoop *lines_begin(FewRows *x, bool vectorize) {
    return emit_loop_begin(x->e, emit_index(x->e, x->first), x->stop, 1, x->lines, vectorize);
}

// ---- memory runs along lines

static void clear_sums(FewRows *x) {
    Emit *e = x->e;
    EmitLoop *line = lines_begin(x, true);
    for (int row = 0; row < x->rows; row++)
        emit_private_store(
            e, x->c->accumulator, x->sums, sum_place(x, row, line->index),
            emit_constant(e, x->c->accumulator, 0));
    emit_loop_end(e, line);
}

// The products of k_first .. k_first + steps - 1.
static void add_steps(FewRows *x, const IndexExpr *k_first, int steps) {
    Emit *e = x->e;
    ElementType type = x->c->accumulator;
    const IndexExpr *k[MOST_STEPS];
    Scalar small[MOST_FEW_ROWS][MOST_STEPS], large[MOST_STEPS];
    for (int i = 0; i < steps; i++) {
        k[i] = index_add_constant(e->index, k_first, i);
        for (int row = 0; row < x->rows; row++)
            small[row][i] = emit_private_load(e, type, x->small, small_place(x, row, k[i]));
    }
    EmitLoop *line = lines_begin(x, true);
    for (int i = 0; i < steps; i++)
        large[i] = element(x, true, line->index, k[i]);
    for (int row = 0; row < x->rows; row++) {
        Scalar sum = emit_private_load(e, type, x->sums, sum_place(x, row, line->index));
        for (int i = 0; i < steps; i++)
            sum = multiply_add(e, small[row][i], large[i], sum);
        emit_private_store(e, type, x->sums, sum_place(x, row, line->index), sum);
    }
    emit_loop_end(e, line);
}

static void sum_along_lines(FewRows *x) {
    Emit *e = x->e;
    int steps = x->rows <= 2 ? MOST_STEPS : MOST_STEPS / 2;
    int64_t whole = x->c->k.size / steps, rest = x->c->k.size % steps;
    clear_sums(x);
    if (whole > 0) {
        EmitLoop *k = emit_loop_constant(e, whole, false);
        add_steps(x, index_scale(e->index, k->index, steps), steps);
        emit_loop_end(e, k);
    }
    if (rest > 0) add_steps(x, index_constant(e->index, whole * steps), (int)rest);
}

// ---- memory runs along k

// Loops over all k, one for each dimension; the innermost one is of independent products.
static int k_loops_begin(FewRows *x, EmitLoop **loops, const IndexExpr **k) {
    IndexBuilder *b = x->e->index;
    const IndexSpace *space = &x->c->k;
    *k = index_constant(b, 0);
    for (int d = 0; d < space->rank; d++) {
        loops[d] = emit_loop_constant(x->e, space->dims[d], d + 1 == space->rank);
        *k = index_add(b, index_scale(b, *k, space->dims[d]), loops[d]->index);
    }
    return space->rank;
}

static void sum_along_k(FewRows *x) {
    Emit *e = x->e;
    ElementType type = x->c->accumulator;
    EmitLoop *line = lines_begin(x, false), *loops[MAX_RANK];
    LLVMValueRef sums[MOST_FEW_ROWS] = {0};
    for (int row = 0; row < x->rows; row++) {
        sums[row] = emit_local(e, type);
        emit_local_set(e, sums[row], emit_constant(e, type, 0));
    }
    const IndexExpr *k;
    int depth = k_loops_begin(x, loops, &k);
    Scalar large = element(x, true, line->index, k);
    for (int row = 0; row < x->rows; row++) {
        Scalar small = emit_private_load(e, type, x->small, small_place(x, row, k));
        Scalar product = emit_arithmetic(e, OP_MULTIPLY, small, large);
        bool outer = e->reassociate;
        e->reassociate = true;
        emit_local_set(
            e, sums[row], emit_arithmetic(e, OP_ADD, emit_local_get(e, sums[row], type), product));
        e->reassociate = outer;
    }
    while (depth > 0)
        emit_loop_end(e, loops[--depth]);
    for (int row = 0; row < x->rows; row++)
        emit_private_store(
            e, type, x->sums, sum_place(x, row, line->index), emit_local_get(e, sums[row], type));
    emit_loop_end(e, line);
}

// ---- the kernel

static void finish(FewRows *x) {
    Emit *e = x->e;
    Matmul *matmul = x->matmul;
    const IndexExpr *zero = index_constant(e->index, 0);
    FinishRange lines = {emit_index(e, x->first), x->stop, x->lines};
    FinishRange rows = {emit_number(e, 0), emit_number(e, x->rows), x->rows};
    FinishRange m = x->large_is_lhs ? lines : rows, n = x->large_is_lhs ? rows : lines;
    matmul_finish_part(matmul, index_sub(e->index, zero, x->first), zero, zero, m, n);
}

// How places are multiplied: as the operands' elements are in memory, if the CPU has dots of them,
// else widened.
static void choose_row(FewRows *x) {
    Emit *e = x->e;
    const Contraction *c = x->c;
    const ContractRow *dots = narrow_row(c, e->target);
    ElementType element = c->lhs->type->element, stored = x->place.stored->type->element;
    bool is_narrow = element_is_float(c->accumulator) ? element == ELEMENT_BF16 : true;
    bool is_same = c->rhs->type->element == element && stored == element;
    if (is_narrow && is_same && is_dot(dots)) {
        x->how = dots;
        x->large_type = dots->packed_lhs;
        x->small_type = dots->packed_rhs;
        x->is_raised = dots->lhs == ELEMENT_I8 && dots->packed_lhs == ELEMENT_UI8;
    } else if (element_is_float(c->accumulator)) {
        x->how = c->how;
        x->large_type = x->small_type = c->accumulator;
    } else {
        x->place.stored = NULL;
    }
}

// 128 times the sum of each row of the small operand, behind the rows.
static void sum_small(FewRows *x) {
    Emit *e = x->e;
    ElementType type = x->c->accumulator;
    LLVMValueRef behind =
        emit_number(e, x->rows * x->small_stride * (int64_t)element_bytes(x->small_type));
    x->excess = LLVMBuildInBoundsGEP2(
        e->builder, LLVMInt8TypeInContext(e->context), x->small, &behind, 1, "");
    EmitLoop *row = emit_loop_constant(e, x->rows, false);
    LLVMValueRef sum = emit_local(e, type);
    emit_local_set(e, sum, emit_constant(e, type, 0));
    EmitLoop *k = emit_loop_constant(e, x->c->k.size, true);
    Scalar value = emit_convert(e, element(x, false, row->index, k->index), type);
    emit_local_set(e, sum, emit_arithmetic(e, OP_ADD, emit_local_get(e, sum, type), value));
    emit_loop_end(e, k);
    Scalar all = emit_local_get(e, sum, type);
    all = emit_arithmetic(e, OP_MULTIPLY, all, emit_constant(e, type, 128));
    emit_private_store(e, type, x->excess, emit_index(e, row->index), all);
    emit_loop_end(e, row);
}

// Finds out how the large operand is read, and writes the small one as that needs it.
static void prepare(FewRows *x) {
    Emit *e = x->e;
    Contraction *c = &x->matmul->c;
    ElementType accumulator = c->accumulator;
    bool found = contraction_place(e, c, x->large_is_lhs, x->matmul->batch, &x->place);
    if (!found || (x->place.k_stride != 1 && x->place.line_stride != 1)) x->place.stored = NULL;
    if (x->place.stored) choose_row(x);
    if (!x->place.stored) {
        widen_small(x);
        return;
    }
    int64_t step = contract_lanes(c, e->target) * x->how->group;
    x->small_stride = (c->k.size + step - 1) / step * step;
    // rows some power of two apart would share their places in the cache
    enum { APART = 512 };
    if (few_rows_along_k(x) && x->small_stride * (int64_t)element_bytes(x->small_type) % APART == 0)
        x->small_stride += step;
    ElementType *packed = x->large_is_lhs ? &c->rhs_packed : &c->lhs_packed;
    *packed = x->small_type;
    pack_small(x);
    if (x->is_raised) sum_small(x);
    *packed = accumulator;
}

// Lines first .. stop of one batch entry, in windows.
static void multiply_lines(FewRows *x, LLVMValueRef first, LLVMValueRef stop) {
    Emit *e = x->e;
    prepare(x);
    EmitLoop *window = emit_loop_begin(e, first, stop, x->window, x->lines, false);
    x->first = window->index;
    x->stop = emit_minimum(
        e, stop, LLVMBuildNSWAdd(e->builder, window->phi, emit_number(e, x->window), ""));
    if (few_rows_along_k(x)) {
        few_rows_vectors_along_k(x);
    } else if (few_rows_along_lines(x)) {
        few_rows_vectors_along_lines(x);
    } else if (contraction_k_is_contiguous(e, x->c, x->large_is_lhs)) {
        sum_along_k(x);
    } else {
        sum_along_lines(x);
    }
    finish(x);
    emit_loop_end(e, window);
}

bool few_rows_emit(Emit *e, const Contraction *c) {
    Matmul *matmul = ARENA_NEW(e->arena, Matmul);
    FewRows x = few_rows_of(e, c);
    x.matmul = matmul;
    x.small = emit_scratch(e, 0);
    matmul->e = e;
    matmul->c = *c;
    contraction_widen(&matmul->c, e->target);
    x.c = &matmul->c;
    int pitch = (int)x.pitch;
    matmul->blocks.tile = x.large_is_lhs ? (Tile){pitch, x.rows} : (Tile){x.rows, pitch};
    matmul->tile_is_turned = x.large_is_lhs;
    matmul->tiles_at = scratch_of_small(c, x.rows);
    x.sums = emit_scratch(e, matmul->tiles_at);
    int64_t chunks = (x.lines + x.chunk - 1) / x.chunk;
    LLVMValueRef size = emit_number(e, x.chunk), begin = e->begin, end = e->end;
    LLVMBuilderRef b = e->builder;
    if (e->kernel->grid == 1) { // all of the batch at once
        begin = LLVMBuildNSWMul(b, begin, emit_number(e, chunks * c->batch.size), "");
        end = LLVMBuildNSWMul(b, end, emit_number(e, chunks * c->batch.size), "");
    }
    ChunkGroups entries = emit_chunk_groups(e, begin, end, chunks, c->batch.size);
    index_delinear(e->index, entries.loop->index, c->batch.rank, c->batch.dims, matmul->batch);
    LLVMValueRef first = LLVMBuildNSWMul(b, entries.first, size, ""),
                 stop = LLVMBuildNSWMul(b, entries.stop, size, "");
    multiply_lines(&x, first, emit_minimum(e, stop, emit_number(e, x.lines)));
    emit_loop_end(e, entries.loop);
    return !e->failed;
}

// lower_solve: triangular systems, op(a) x = b or x op(a) = b, a part of the right
// sides of one matrix per chunk.
//
// The part's unknowns lie in the scratch as rows of `width` right sides, whichever way x
// lies in memory. Rows are solved in blocks: a block's sums over all known rows are one
// register tile, rows x width, as in a matrix product; what the rows of the block owe each
// other is subtracted inside of it.
//
//     for blocks of rows i, from the first row that a has only a diagonal element of
//       t[r, :] = b[i + r, :] - sum over the known j of a[i + r, j] x[j, :]    (t in registers)
//       x[i + r, :] = (t[r, :] - sum over s < r of a[i + r, i + s] x[i + s, :]) / a[i + r, i + r]
//
// Complex rows are a vector of real and one of imaginary parts. The tile depends on
// the shape and the target alone.
#include "codegen/lower/lower_matrix.h"

typedef const IndexExpr *Index;

enum {
    MAX_ROWS = 8,    // of a block
    WIDE_VECTORS = 4 // of a row, if there are right sides enough
};

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

typedef struct Solve {
    const Op *op;
    Matrix a, x, b;   // x and b transposed when the unknown is on the left of the matrix
    int64_t n, sides; // unknowns; right sides
    int64_t parts;    // of the right sides
    int width, rows;  // of a part; of a block
    bool is_lower, has_unit_diagonal;
    int numbers;      // in an element: 2 = complex
    ElementType real; // of each
    LLVMTypeRef vector;
    LLVMValueRef scratch;
} Solve;

// Rows of all right sides of the part.
typedef struct Row {
    LLVMValueRef part[2]; // real, imaginary
} Row;

static ElementType real_of(ElementType element) {
    element = matrix_working_type(element);
    if (element == ELEMENT_C64) return ELEMENT_F32;
    return element == ELEMENT_C128 ? ELEMENT_F64 : element;
}

// Wide rows share each element of a among many right sides; narrow ones give more parts to share
// out.
static void choose_tile(Solve *s, const Target *target) {
    int lanes = target->vector_bits / element_bits(s->real), vectors = WIDE_VECTORS / s->numbers;
    if (lanes < 1) lanes = 1;
    while (vectors > 1 && s->sides <= (int64_t)4 * vectors * lanes)
        vectors /= 2;
    s->width = vectors * lanes;
    while (s->width / 2 >= s->sides)
        s->width /= 2;
    s->rows = (target->vector_registers - 8) / (vectors * s->numbers);
    if (s->rows > MAX_ROWS) s->rows = MAX_ROWS;
    if (s->rows < 1) s->rows = 1;
    s->parts = (s->sides + s->width - 1) / s->width;
}

// op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
static Solve solve_of(const Op *op, const Target *target) {
    Solve s = {.op = op};
    const Type *type = op_result_type(op, 0);
    bool is_left = op_int(op, NAME_LEFT_SIDE, 0) != 0;
    int64_t transpose = op_int(op, NAME_TRANSPOSE_A, TRANSPOSE_NO_TRANSPOSE);
    s.a = (Matrix){.value = op_operand(op, 0), .is_conjugated = transpose == TRANSPOSE_ADJOINT};
    s.a.is_transposed =
        (transpose == TRANSPOSE_TRANSPOSE || transpose == TRANSPOSE_ADJOINT) == is_left;
    s.b = (Matrix){.value = op_operand(op, 1), .is_transposed = !is_left};
    s.x = (Matrix){.value = op_result(op, 0), .is_transposed = !is_left};
    s.is_lower = (op_int(op, NAME_LOWER, 0) != 0) != s.a.is_transposed;
    s.has_unit_diagonal = op_int(op, NAME_UNIT_DIAGONAL, 0) != 0;
    s.numbers = element_class(type->element) == CLASS_COMPLEX ? 2 : 1;
    s.real = real_of(type->element);
    if (type->rank < 2) return s;
    s.n = type->dims[type->rank - (is_left ? 2 : 1)];
    s.sides = type->dims[type->rank - (is_left ? 1 : 2)];
    if (s.sides > 0) choose_tile(&s, target);
    return s;
}

static int64_t row_numbers(const Solve *s) { return (int64_t)s->numbers * s->width; }

void solve_grid(Kernel *kernel, const Target *target) {
    Solve s = solve_of(kernel->root, target);
    const Type *type = op_result_type(kernel->root, 0);
    int64_t count = type->rank >= 2 ? matrix_count(type) : 1;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = count * s.n * s.n * s.sides;
    kernel->grid = count * s.parts > 0 ? count * s.parts : 1;
    kernel->scratch_bytes = (int64_t)element_bytes(s.real) * s.n * row_numbers(&s);
}

// ---- rows in the scratch

// The row of the matrix that is solved at a step.
static Index row_at(Emit *e, const Solve *s, Index step) {
    return s->is_lower ? step : index_sub(e->index, index_constant(e->index, s->n - 1), step);
}

static LLVMValueRef row_address(Emit *e, const Solve *s, Index row, int part) {
    LLVMValueRef at = emit_index(
        e, index_add_constant(
               e->index, index_scale(e->index, row, row_numbers(s)), (int64_t)part * s->width));
    return LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, s->real), s->scratch, &at, 1, "");
}

static Row load_row(Emit *e, const Solve *s, Index row) {
    Row x = {{NULL}};
    for (int p = 0; p < s->numbers; p++) {
        x.part[p] = LLVMBuildLoad2(e->builder, s->vector, row_address(e, s, row, p), "");
        LLVMSetAlignment(x.part[p], (unsigned)element_bytes(s->real));
    }
    return x;
}

static void store_row(Emit *e, const Solve *s, Index row, Row x) {
    for (int p = 0; p < s->numbers; p++) {
        LLVMValueRef store = LLVMBuildStore(e->builder, x.part[p], row_address(e, s, row, p));
        LLVMSetAlignment(store, (unsigned)element_bytes(s->real));
    }
}

static LLVMValueRef splat(Emit *e, const Solve *s, LLVMValueRef x) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef poison = LLVMGetPoison(s->vector);
    LLVMValueRef one = LLVMBuildInsertElement(e->builder, poison, x, LLVMConstInt(i32, 0, 0), "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(i32, (unsigned)s->width));
    return LLVMBuildShuffleVector(e->builder, one, poison, mask, "");
}

static LLVMValueRef multiply_add(
    Emit *e, const Solve *s, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
    LLVMValueRef all[3] = {x, y, sum};
    if (e->target->has_fma) return emit_intrinsic(e, "llvm.fma", s->vector, 3, all);
    return LLVMBuildFAdd(e->builder, LLVMBuildFMul(e->builder, x, y, ""), sum, "");
}

// t - factor x
static Row without(Emit *e, const Solve *s, Row t, Scalar factor, Row x) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef minus = splat(e, s, LLVMBuildFNeg(b, factor.value, ""));
    if (s->numbers == 1) return (Row){{multiply_add(e, s, minus, x.part[0], t.part[0])}};
    LLVMValueRef imag = splat(e, s, factor.imag), minus_imag = LLVMBuildFNeg(b, imag, "");
    Row next = {{NULL}};
    next.part[0] = multiply_add(e, s, minus, x.part[0], t.part[0]);
    next.part[0] = multiply_add(e, s, imag, x.part[1], next.part[0]);
    next.part[1] = multiply_add(e, s, minus, x.part[1], t.part[1]);
    next.part[1] = multiply_add(e, s, minus_imag, x.part[0], next.part[1]);
    return next;
}

// ---- the right sides into the scratch, the unknowns out of it

// One element of the part in the scratch.
static Scalar load_element(Emit *e, const Solve *s, Index row, EmitLoop *side) {
    LLVMValueRef at[2] = {NULL};
    for (int p = 0; p < s->numbers; p++)
        at[p] = LLVMBuildInBoundsGEP2(
            e->builder, emit_memory_type(e, s->real), row_address(e, s, row, p), &side->phi, 1, "");
    ElementType element = matrix_working_type(s->x.value->type->element);
    LLVMValueRef zero = number(e, 0);
    Scalar x = {.element = element, .value = emit_private_load(e, s->real, at[0], zero).value};
    if (s->numbers == 2) x.imag = emit_private_load(e, s->real, at[1], zero).value;
    return x;
}

static void store_element(Emit *e, const Solve *s, Index row, EmitLoop *side, Scalar x) {
    LLVMValueRef parts[2] = {x.value, x.imag};
    for (int p = 0; p < s->numbers; p++) {
        Scalar real = {.element = s->real, .value = parts[p]};
        emit_private_store(e, s->real, row_address(e, s, row, p), side->phi, real);
    }
}

// Loops over all rows and the right sides [0, count) of the part, the
// contiguous dimension of b inside.
typedef struct PartLoops {
    EmitLoop *outer, *row, *side, *inner;
} PartLoops;

static PartLoops part_loops(Emit *e, const Solve *s, LLVMValueRef count) {
    PartLoops loops = {0};
    if (s->b.is_transposed) {
        loops.outer = loops.side = emit_loop_begin(e, number(e, 0), count, 1, s->width, false);
        loops.inner = loops.row = emit_loop_constant(e, s->n, true);
    } else {
        loops.outer = loops.row = emit_loop_constant(e, s->n, false);
        loops.inner = loops.side = emit_loop_begin(e, number(e, 0), count, 1, s->width, true);
    }
    return loops;
}

static void end_part_loops(Emit *e, const PartLoops *loops) {
    emit_loop_end(e, loops->inner);
    emit_loop_end(e, loops->outer);
}

static void load_part(Emit *e, const Solve *s, Index first, LLVMValueRef count) {
    if (s->sides % s->width) {
        LLVMValueRef zero = LLVMConstNull(s->vector);
        EmitLoop *row = emit_loop_constant(e, s->n, false);
        store_row(e, s, row->index, (Row){{zero, zero}});
        emit_loop_end(e, row);
    }
    PartLoops loops = part_loops(e, s, count);
    Index side = index_add(e->index, first, loops.side->index);
    Scalar x = matrix_element(e, &s->b, loops.row->index, side);
    if (!e->failed) store_element(e, s, loops.row->index, loops.side, x);
    end_part_loops(e, &loops);
}

static void store_part(Emit *e, const Solve *s, Index first, LLVMValueRef count) {
    PartLoops loops = part_loops(e, s, count);
    Scalar x = load_element(e, s, loops.row->index, loops.side);
    x = emit_convert(e, x, s->x.value->type->element);
    matrix_store(e, &s->x, loops.row->index, index_add(e->index, first, loops.side->index), x);
    end_part_loops(e, &loops);
}

// ---- blocks of rows

// x / the diagonal element, each right side as the op itself divides.
static Row divide(Emit *e, const Solve *s, Index row, Row x) {
    Scalar diagonal = matrix_element(e, &s->a, row, row);
    if (s->numbers == 1)
        return (Row){{LLVMBuildFDiv(e->builder, x.part[0], splat(e, s, diagonal.value), "")}};
    store_row(e, s, row, x);
    EmitLoop *side = emit_loop_constant(e, s->width, true);
    Scalar one = load_element(e, s, row, side);
    store_element(e, s, row, side, emit_arithmetic(e, OP_DIVIDE, one, diagonal));
    emit_loop_end(e, side);
    return load_row(e, s, row);
}

// The `rows` rows from step `first` on.
static void solve_block(Emit *e, const Solve *s, Index first, int rows) {
    Index at[MAX_ROWS];
    LLVMValueRef sums[MAX_ROWS][2];
    for (int r = 0; r < rows; r++) {
        at[r] = row_at(e, s, index_add_constant(e->index, first, r));
        Row x = load_row(e, s, at[r]);
        for (int p = 0; p < s->numbers; p++) {
            sums[r][p] = emit_alloca(e, s->vector, 1, 0);
            LLVMBuildStore(e->builder, x.part[p], sums[r][p]);
        }
    }
    EmitLoop *known = emit_loop_begin(e, number(e, 0), emit_index(e, first), 1, s->n, false);
    Index j = row_at(e, s, known->index);
    Row x = load_row(e, s, j);
    for (int r = 0; r < rows && !e->failed; r++) {
        Row t = {{NULL}};
        for (int p = 0; p < s->numbers; p++)
            t.part[p] = LLVMBuildLoad2(e->builder, s->vector, sums[r][p], "");
        t = without(e, s, t, matrix_element(e, &s->a, at[r], j), x);
        for (int p = 0; p < s->numbers; p++)
            LLVMBuildStore(e->builder, t.part[p], sums[r][p]);
    }
    emit_loop_end(e, known);
    Row solved[MAX_ROWS];
    for (int r = 0; r < rows && !e->failed; r++) {
        Row t = {{NULL}};
        for (int p = 0; p < s->numbers; p++)
            t.part[p] = LLVMBuildLoad2(e->builder, s->vector, sums[r][p], "");
        for (int q = 0; q < r; q++)
            t = without(e, s, t, matrix_element(e, &s->a, at[r], at[q]), solved[q]);
        solved[r] = s->has_unit_diagonal ? t : divide(e, s, at[r], t);
        store_row(e, s, at[r], solved[r]);
    }
}

bool solve_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    if (!matrix_is_supported(e)) return false;
    Solve s = solve_of(op, e->target);
    if (matrix_count(type) == 0 || s.n == 0 || s.sides == 0) return true;
    s.vector = LLVMVectorType(emit_register_type(e, s.real), (unsigned)s.width);
    s.scratch = emit_scratch(e, 0);
    EmitLoop *chunk = emit_chunk_loop(e);
    Index matrix = index_div(e->index, chunk->index, s.parts);
    matrix_choose(e, &s.a, matrix);
    matrix_choose(e, &s.b, matrix);
    matrix_choose(e, &s.x, matrix);
    Index first = index_scale(e->index, index_mod(e->index, chunk->index, s.parts), s.width);
    LLVMValueRef rest = LLVMBuildSub(e->builder, number(e, s.sides), emit_index(e, first), "");
    LLVMValueRef counts[2] = {rest, number(e, s.width)};
    LLVMValueRef count = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, counts);
    load_part(e, &s, first, count);
    int64_t blocks = s.n / s.rows, left = s.n % s.rows;
    if (blocks) {
        EmitLoop *block = emit_loop_constant(e, blocks, false);
        solve_block(e, &s, index_scale(e->index, block->index, s.rows), s.rows);
        emit_loop_end(e, block);
    }
    if (left) solve_block(e, &s, index_constant(e->index, s.n - left), (int)left);
    store_part(e, &s, first, count);
    emit_loop_end(e, chunk);
    return !e->failed;
}

// lower_solve: cholesky and triangular_solve, one matrix (and for triangular_solve one part of its right sides) per chunk, in the result's memory.
#include "codegen/emit/lower.h"
#include "codegen/emit/emit_state.h"

typedef const IndexExpr *Index;

enum { SIDE_PART = 32 }; // right sides per chunk

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

// The matrices of one value: batch indices, then (row, column).
typedef struct Matrix {
    const Value *value;
    bool is_transposed, is_conjugated;
    Index batch[MAX_RANK];
    LLVMValueRef wide; // narrow floats: the matrix as f32 in the scratch, row-major; else NULL
    int64_t columns;   // of it
} Matrix;

// In which the loops compute.
static ElementType working_type(ElementType element) {
    return element_is_float(element) && element != ELEMENT_F64 ? ELEMENT_F32 : element;
}

static bool is_narrow(ElementType element) { return working_type(element) != element; }

static LLVMValueRef wide_place(Emit *e, const Matrix *m, Index i, Index j) {
    return emit_index(e, index_add(e->index, index_scale(e->index, i, m->columns), j));
}

static void matrix_index(const Matrix *m, Index i, Index j, Index *at) {
    int rank = m->value->type->rank;
    for (int d = 0; d < rank - 2; d++)
        at[d] = m->batch[d];
    at[rank - 2] = m->is_transposed ? j : i;
    at[rank - 1] = m->is_transposed ? i : j;
}

static Scalar conjugate(Emit *e, const Matrix *m, Scalar x) {
    if (m->is_conjugated && x.imag) x.imag = LLVMBuildFNeg(e->builder, x.imag, "");
    return x;
}

// An element that the kernel itself writes: never remembered.
static Scalar matrix_load(Emit *e, const Matrix *m, Index i, Index j) {
    if (m->wide) return emit_private_load(e, ELEMENT_F32, m->wide, wide_place(e, m, i, j));
    Index at[MAX_RANK];
    matrix_index(m, i, j, at);
    return conjugate(e, m, emit_load(e, m->value, emit_address(e, m->value, at)));
}

static void matrix_store(Emit *e, const Matrix *m, Index i, Index j, Scalar x) {
    if (m->wide) {
        emit_private_store(e, ELEMENT_F32, m->wide, wide_place(e, m, i, j), x);
        return;
    }
    Index at[MAX_RANK];
    matrix_index(m, i, j, at);
    emit_store(e, m->value, emit_address(e, m->value, at), conjugate(e, m, x));
}

// An element of an operand.
static Scalar matrix_element(Emit *e, const Matrix *m, Index i, Index j) {
    Index at[MAX_RANK];
    matrix_index(m, i, j, at);
    Scalar x = conjugate(e, m, emit_element(e, m->value, at));
    return emit_convert(e, x, working_type(x.element));
}

// Columns [column_low, column_high) of the wide copy into the value, rounded once.
static void matrix_flush(
    Emit *e, const Matrix *m, int64_t rows, LLVMValueRef column_low, LLVMValueRef column_high) {
    if (!m->wide) return;
    Matrix narrow = *m;
    narrow.wide = NULL;
    EmitLoop *row = emit_loop_constant(e, rows, false);
    EmitLoop *column = emit_loop_begin(e, column_low, column_high, 1, m->columns, true);
    Scalar x = matrix_load(e, m, row->index, column->index);
    matrix_store(
        e, &narrow, row->index, column->index, emit_convert(e, x, m->value->type->element));
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

static Scalar op2(Emit *e, OpCode code, Scalar x, Scalar y) {
    return emit_arithmetic(e, code, x, y);
}

static void batch_index(Emit *e, const Type *type, Index number_of_matrix, Index *batch) {
    index_delinear(e->index, number_of_matrix, type->rank - 2, type->dims, batch);
}

static int64_t batch_count(const Type *type) {
    int64_t count = 1;
    for (int d = 0; d < type->rank - 2; d++)
        count *= type->dims[d];
    return count;
}

// --- cholesky ---

void cholesky_grid(Kernel *kernel, const Target *target) {
    (void)target;
    const Type *type = op_result_type(kernel->root, 0);
    int64_t n = type->rank >= 2 ? type->dims[type->rank - 1] : 1,
            count = type->rank >= 2 ? batch_count(type) : 1;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = count * n * n * n / 3;
    kernel->grid = count > 0 ? count : 1;
    kernel->scratch_bytes = is_narrow(type->element) ? 4 * n * n : 0;
}

// sum of l[i, k] * conj l[j, k] over k < j
static Scalar row_product(Emit *e, const Matrix *l, Index i, Index j, LLVMValueRef end, int64_t n) {
    ElementType element = working_type(l->value->type->element);
    LLVMValueRef sum = emit_local(e, element);
    emit_local_set(e, sum, emit_constant(e, element, 0));
    EmitLoop *loop = emit_loop_begin(e, number(e, 0), end, 1, n, true);
    Scalar x = matrix_load(e, l, i, loop->index), y = matrix_load(e, l, j, loop->index);
    if (y.imag) y.imag = LLVMBuildFNeg(e->builder, y.imag, "");
    bool outer = e->reassociate;
    e->reassociate = true;
    Scalar product = op2(e, OP_MULTIPLY, x, y);
    emit_local_set(e, sum, op2(e, OP_ADD, emit_local_get(e, sum, element), product));
    e->reassociate = outer;
    emit_loop_end(e, loop);
    return emit_local_get(e, sum, element);
}

// L row by row: l[i, j] = (a[i, j] - sum l[i, k] conj l[j, k]) / l[j, j], l[i, i] = sqrt(a[i, i] - sum |l[i, k]|^2).
static void cholesky_matrix(Emit *e, const Matrix *a, const Matrix *l, int64_t n) {
    EmitLoop *row = emit_loop_constant(e, n, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), row->phi, 1, n, false);
    Scalar sum = row_product(e, l, row->index, column->index, column->phi, n);
    Scalar x = op2(e, OP_SUBTRACT, matrix_element(e, a, row->index, column->index), sum);
    Scalar root = matrix_load(e, l, column->index, column->index);
    x.value = LLVMBuildFDiv(e->builder, x.value, root.value, "");
    if (x.imag) x.imag = LLVMBuildFDiv(e->builder, x.imag, root.value, "");
    matrix_store(e, l, row->index, column->index, x);
    emit_loop_end(e, column);
    sum = row_product(e, l, row->index, row->index, row->phi, n);
    x = op2(e, OP_SUBTRACT, matrix_element(e, a, row->index, row->index), sum);
    x.value = emit_intrinsic(e, "llvm.sqrt", LLVMTypeOf(x.value), 1, &x.value);
    if (x.imag) x.imag = LLVMConstNull(LLVMTypeOf(x.imag));
    matrix_store(e, l, row->index, row->index, x);
    EmitLoop *rest = emit_loop_begin(
        e, LLVMBuildAdd(e->builder, row->phi, number(e, 1), ""), number(e, n), 1, n, true);
    matrix_store(
        e, l, row->index, rest->index, emit_constant(e, working_type(l->value->type->element), 0));
    emit_loop_end(e, rest);
    emit_loop_end(e, row);
    matrix_flush(e, l, n, number(e, 0), number(e, n));
}

static bool refuse(Emit *e, const char *why) {
    diag_unsupported(
        e->diags, e->kernel->root->loc, "'%.*s' %s is not supported in native code",
        SV_ARG(e->kernel->root->name), why);
    return false;
}

static bool is_computable(ElementType element) {
    return element_is_float(element) || element_class(element) == CLASS_COMPLEX;
}

bool cholesky_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    if (!is_computable(type->element)) return refuse(e, "of this element type");
    if (type->rank < 2) return refuse(e, "of something else than matrices");
    bool is_upper = op_int(op, NAME_LOWER, 0) == 0;
    int64_t n = type->dims[type->rank - 1];
    EmitLoop *chunk = emit_chunk_loop(e);
    Matrix a = {.value = op_operand(op, 0), .is_transposed = is_upper, .is_conjugated = is_upper};
    Matrix l = {.value = op_result(op, 0), .is_transposed = is_upper, .is_conjugated = is_upper};
    batch_index(e, type, chunk->index, a.batch);
    batch_index(e, type, chunk->index, l.batch);
    l.columns = n;
    if (is_narrow(type->element)) l.wide = emit_scratch(e, 0);
    if (batch_count(type) > 0 && n > 0) cholesky_matrix(e, &a, &l, n);
    emit_loop_end(e, chunk);
    return !e->failed;
}

// --- triangular_solve ---

typedef struct Solve {
    const Op *op;
    Matrix a, x,
        b; // x and b transposed when the unknown is on the left of the matrix: then a column is a row in memory
    int64_t n, sides; // unknowns; right sides
    int64_t parts;    // of the right sides
    bool is_lower, has_unit_diagonal;
} Solve;

// op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
static Solve solve_of(const Op *op) {
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
    if (type->rank < 2) return s;
    s.n = type->dims[type->rank - (is_left ? 2 : 1)];
    s.sides = type->dims[type->rank - (is_left ? 1 : 2)];
    s.parts = (s.sides + SIDE_PART - 1) / SIDE_PART;
    return s;
}

void solve_grid(Kernel *kernel, const Target *target) {
    (void)target;
    Solve s = solve_of(kernel->root);
    const Type *type = op_result_type(kernel->root, 0);
    int64_t count = type->rank >= 2 ? batch_count(type) : 1;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = count * s.n * s.n * s.sides;
    kernel->grid = count * s.parts > 0 ? count * s.parts : 1;
    kernel->scratch_bytes = is_narrow(type->element) ? 4 * s.n * s.sides : 0;
}

// x[i, side] = (b[i, side] - sum over the known j of a[i, j] x[j, side]) / a[i, i] for all sides of the part
static void solve_row(
    Emit *e, const Solve *s, EmitLoop *step, LLVMValueRef low, LLVMValueRef high) {
    Index i = s->is_lower ? step->index
                          : index_sub(e->index, index_constant(e->index, s->n - 1), step->index);
    EmitLoop *side = emit_loop_begin(e, low, high, 1, s->sides, true);
    matrix_store(e, &s->x, i, side->index, matrix_element(e, &s->b, i, side->index));
    emit_loop_end(e, side);
    EmitLoop *known = emit_loop_begin(e, number(e, 0), step->phi, 1, s->n, false);
    Index j = s->is_lower ? known->index
                          : index_sub(e->index, index_constant(e->index, s->n - 1), known->index);
    Scalar factor = matrix_element(e, &s->a, i, j);
    side = emit_loop_begin(e, low, high, 1, s->sides, true);
    Scalar product = op2(e, OP_MULTIPLY, factor, matrix_load(e, &s->x, j, side->index));
    Scalar rest = op2(e, OP_SUBTRACT, matrix_load(e, &s->x, i, side->index), product);
    matrix_store(e, &s->x, i, side->index, rest);
    emit_loop_end(e, side);
    emit_loop_end(e, known);
    if (s->has_unit_diagonal) return;
    Scalar diagonal = matrix_element(e, &s->a, i, i);
    side = emit_loop_begin(e, low, high, 1, s->sides, true);
    matrix_store(
        e, &s->x, i, side->index,
        op2(e, OP_DIVIDE, matrix_load(e, &s->x, i, side->index), diagonal));
    emit_loop_end(e, side);
}

bool solve_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    if (!is_computable(type->element)) return refuse(e, "of this element type");
    if (type->rank < 2) return refuse(e, "of something else than matrices");
    Solve s = solve_of(op);
    if (batch_count(type) == 0 || s.n == 0 || s.sides == 0) return true;
    EmitLoop *chunk = emit_chunk_loop(e);
    Index matrix = index_div(e->index, chunk->index, s.parts),
          part = index_mod(e->index, chunk->index, s.parts);
    batch_index(e, type, matrix, s.a.batch);
    batch_index(e, type, matrix, s.b.batch);
    batch_index(e, type, matrix, s.x.batch);
    LLVMValueRef low = emit_index(e, index_scale(e->index, part, SIDE_PART));
    LLVMValueRef ends[2] = {
        LLVMBuildAdd(e->builder, low, number(e, SIDE_PART), ""), number(e, s.sides)};
    LLVMValueRef high = emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, ends);
    s.x.columns = s.sides;
    if (is_narrow(type->element)) s.x.wide = emit_scratch(e, 0);
    EmitLoop *step = emit_loop_constant(e, s.n, false);
    solve_row(e, &s, step, low, high);
    emit_loop_end(e, step);
    matrix_flush(e, &s.x, s.n, low, high);
    emit_loop_end(e, chunk);
    return !e->failed;
}

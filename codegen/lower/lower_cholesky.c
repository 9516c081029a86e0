// lower_cholesky: the factor of one matrix per chunk, in the result's memory.
#include "codegen/lower/lower_matrix.h"

typedef const IndexExpr *Index;

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

void cholesky_grid(Kernel *kernel, const Target *target) {
    (void)target;
    const Type *type = op_result_type(kernel->root, 0);
    int64_t n = type->rank >= 2 ? type->dims[type->rank - 1] : 1,
            count = type->rank >= 2 ? matrix_count(type) : 1;
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = count * n * n * n / 3;
    kernel->grid = count > 0 ? count : 1;
    kernel->scratch_bytes = matrix_is_narrow(type->element) ? 4 * n * n : 0;
}

// sum of l[i, k] * conj l[j, k] over k < j
static Scalar row_product(Emit *e, const Matrix *l, Index i, Index j, LLVMValueRef end, int64_t n) {
    ElementType element = matrix_working_type(l->value->type->element);
    LLVMValueRef sum = emit_local(e, element);
    emit_local_set(e, sum, emit_constant(e, element, 0));
    EmitLoop *loop = emit_loop_begin(e, number(e, 0), end, 1, n, true);
    Scalar x = matrix_load(e, l, i, loop->index), y = matrix_load(e, l, j, loop->index);
    if (y.imag) y.imag = LLVMBuildFNeg(e->builder, y.imag, "");
    bool outer = e->reassociate;
    e->reassociate = true;
    Scalar product = emit_arithmetic(e, OP_MULTIPLY, x, y);
    emit_local_set(e, sum, emit_arithmetic(e, OP_ADD, emit_local_get(e, sum, element), product));
    e->reassociate = outer;
    emit_loop_end(e, loop);
    return emit_local_get(e, sum, element);
}

// The wide copy into the value, rounded once.
static void matrix_flush(Emit *e, const Matrix *m, int64_t n) {
    if (!m->wide) return;
    Matrix narrow = *m;
    narrow.wide = NULL;
    EmitLoop *row = emit_loop_constant(e, n, false);
    EmitLoop *column = emit_loop_constant(e, n, true);
    Scalar x = matrix_load(e, m, row->index, column->index);
    matrix_store(
        e, &narrow, row->index, column->index, emit_convert(e, x, m->value->type->element));
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

// L row by row: l[i, j] = (a[i, j] - sum l[i, k] conj l[j, k]) / l[j, j],
// l[i, i] = sqrt(a[i, i] - sum |l[i, k]|^2).
static void cholesky_matrix(Emit *e, const Matrix *a, const Matrix *l, int64_t n) {
    EmitLoop *row = emit_loop_constant(e, n, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), row->phi, 1, n, false);
    Scalar sum = row_product(e, l, row->index, column->index, column->phi, n);
    Scalar x =
        emit_arithmetic(e, OP_SUBTRACT, matrix_element(e, a, row->index, column->index), sum);
    Scalar root = matrix_load(e, l, column->index, column->index);
    x.value = LLVMBuildFDiv(e->builder, x.value, root.value, "");
    if (x.imag) x.imag = LLVMBuildFDiv(e->builder, x.imag, root.value, "");
    matrix_store(e, l, row->index, column->index, x);
    emit_loop_end(e, column);
    sum = row_product(e, l, row->index, row->index, row->phi, n);
    x = emit_arithmetic(e, OP_SUBTRACT, matrix_element(e, a, row->index, row->index), sum);
    x.value = emit_intrinsic(e, "llvm.sqrt", LLVMTypeOf(x.value), 1, &x.value);
    if (x.imag) x.imag = LLVMConstNull(LLVMTypeOf(x.imag));
    matrix_store(e, l, row->index, row->index, x);
    EmitLoop *rest = emit_loop_begin(
        e, LLVMBuildAdd(e->builder, row->phi, number(e, 1), ""), number(e, n), 1, n, true);
    matrix_store(
        e, l, row->index, rest->index,
        emit_constant(e, matrix_working_type(l->value->type->element), 0));
    emit_loop_end(e, rest);
    emit_loop_end(e, row);
    matrix_flush(e, l, n);
}

bool cholesky_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    if (!matrix_is_supported(e)) return false;
    bool is_upper = op_int(op, NAME_LOWER, 0) == 0;
    int64_t n = type->dims[type->rank - 1];
    EmitLoop *chunk = emit_chunk_loop(e);
    Matrix a = {.value = op_operand(op, 0), .is_transposed = is_upper, .is_conjugated = is_upper};
    Matrix l = {.value = op_result(op, 0), .is_transposed = is_upper, .is_conjugated = is_upper};
    matrix_choose(e, &a, chunk->index);
    matrix_choose(e, &l, chunk->index);
    l.columns = n;
    if (matrix_is_narrow(type->element)) l.wide = emit_scratch(e, 0);
    if (matrix_count(type) > 0 && n > 0) cholesky_matrix(e, &a, &l, n);
    emit_loop_end(e, chunk);
    return !e->failed;
}

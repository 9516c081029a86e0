// Elements of matrices: see lower_matrix.h.
#include "codegen/lower/lower_matrix.h"

typedef const IndexExpr *Index;

ElementType matrix_working_type(ElementType element) {
    return element_is_float(element) && element != ELEMENT_F64 ? ELEMENT_F32 : element;
}

bool matrix_is_narrow(ElementType element) { return matrix_working_type(element) != element; }

int64_t matrix_count(const Type *type) {
    int64_t count = 1;
    for (int d = 0; d < type->rank - 2; d++)
        count *= type->dims[d];
    return count;
}

void matrix_choose(Emit *e, Matrix *m, Index number) {
    const Type *type = m->value->type;
    index_delinear(e->index, number, type->rank - 2, type->dims, m->batch);
}

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

Scalar matrix_load(Emit *e, const Matrix *m, Index i, Index j) {
    if (m->wide) return emit_private_load(e, ELEMENT_F32, m->wide, wide_place(e, m, i, j));
    Index at[MAX_RANK];
    matrix_index(m, i, j, at);
    return conjugate(e, m, emit_load(e, m->value, emit_address(e, m->value, at)));
}

void matrix_store(Emit *e, const Matrix *m, Index i, Index j, Scalar x) {
    if (m->wide) {
        emit_private_store(e, ELEMENT_F32, m->wide, wide_place(e, m, i, j), x);
        return;
    }
    Index at[MAX_RANK];
    matrix_index(m, i, j, at);
    emit_store(e, m->value, emit_address(e, m->value, at), conjugate(e, m, x));
}

Scalar matrix_element(Emit *e, const Matrix *m, Index i, Index j) {
    Index at[MAX_RANK];
    matrix_index(m, i, j, at);
    Scalar x = conjugate(e, m, emit_element(e, m->value, at));
    return emit_convert(e, x, matrix_working_type(x.element));
}

static bool refuse(Emit *e, const char *why) {
    diag_unsupported(
        e->diags, e->kernel->root->loc, "'%.*s' %s is not supported in native code",
        SV_ARG(e->kernel->root->name), why);
    return false;
}

bool matrix_is_supported(Emit *e) {
    const Type *type = op_result_type(e->kernel->root, 0);
    if (!element_is_float(type->element) && element_class(type->element) != CLASS_COMPLEX)
        return refuse(e, "of this element type");
    return type->rank >= 2 || refuse(e, "of something else than matrices");
}

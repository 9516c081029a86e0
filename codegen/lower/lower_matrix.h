// The matrices of a value, for kernels that go through them element by element.
#ifndef SHARDC_CODEGEN_LOWER_MATRIX_H
#define SHARDC_CODEGEN_LOWER_MATRIX_H

#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"

// One of the matrices: batch indices, then (row, column).
typedef struct Matrix {
    const Value *value;
    bool is_transposed, is_conjugated;
    const IndexExpr *batch[MAX_RANK];
    LLVMValueRef wide; // narrow floats: the matrix as f32 in the scratch, row-major; else NULL
    int64_t columns;   // of it
} Matrix;

ElementType matrix_working_type(ElementType element);            // in which the loops compute
bool matrix_is_narrow(ElementType element);                      // the working type is another
int64_t matrix_count(const Type *type);                          // in a value of this type
void matrix_choose(Emit *e, Matrix *m, const IndexExpr *number); // which of them

// An element of an operand, in the working type.
Scalar matrix_element(Emit *e, const Matrix *m, const IndexExpr *i, const IndexExpr *j);
// An element that the kernel itself writes: never remembered.
Scalar matrix_load(Emit *e, const Matrix *m, const IndexExpr *i, const IndexExpr *j);
void matrix_store(Emit *e, const Matrix *m, const IndexExpr *i, const IndexExpr *j, Scalar x);

// False with a diagnostic if the kernel's root has other elements than floats and
// complex numbers, or no matrices.
bool matrix_is_supported(Emit *e);

#endif

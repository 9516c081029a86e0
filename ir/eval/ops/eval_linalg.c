// cholesky, triangular_solve, batch normalisation: computed in double (or double
// complex), rounded once at the end.
#include "ir/eval/eval_internal.h"

#include <math.h>
#include <string.h>

// A tensor's elements as complex numbers, in scratch memory.
static double _Complex *load_all(Eval *eval, const Op *op, const Tensor *tensor) {
    double _Complex *out = eval_scratch(eval, op, tensor_count(tensor), sizeof *out);
    if (out) scalar_load_complex(tensor->type->element, tensor->data, 1, tensor_count(tensor), out);
    return out;
}

static void store_all(const Tensor *tensor, const double _Complex *in) {
    ElementType element = tensor->type->element;
    int64_t count = tensor_count(tensor);
    if (element_class(element) == CLASS_COMPLEX) {
        scalar_store_complex(element, in, count, tensor->data);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double x = creal(in[i]);
        scalar_store_real(
            element, &x, 1, (char *)tensor->data + (size_t)i * element_bytes(element));
    }
}

// In place: a [n, n] becomes its lower factor L with a = L L^H (from the lower triangle), the rest
// zero. A matrix that is not positive definite gives NaN.
static void cholesky_lower(double _Complex *a, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        double diagonal = creal(a[j * n + j]);
        for (int64_t k = 0; k < j; k++) {
            double _Complex x = a[j * n + k];
            diagonal -= creal(x) * creal(x) + cimag(x) * cimag(x);
        }
        double root = sqrt(diagonal);
        a[j * n + j] = root;
        for (int64_t i = j + 1; i < n; i++) {
            double _Complex sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++)
                sum -= scalar_cmul(a[i * n + k], conj(a[j * n + k]));
            a[i * n + j] = complex_of(creal(sum) / root, cimag(sum) / root);
            a[j * n + i] = 0;
        }
    }
}

static void conjugate_transpose(double _Complex *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        a[i * n + i] = conj(a[i * n + i]);
        for (int64_t j = 0; j < i; j++) {
            double _Complex x = a[i * n + j];
            a[i * n + j] = conj(a[j * n + i]);
            a[j * n + i] = conj(x);
        }
    }
}

bool eval_cholesky(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    const Type *type = operand->type;
    Tensor *result = eval_tensor(eval, op, type);
    double _Complex *a = result ? load_all(eval, op, operand) : NULL;
    if (!a || type->rank < 2) return a ? eval_fail(eval, op, "needs a matrix") : false;
    int64_t n = type->dims[type->rank - 1];
    bool is_lower = op_int(op, NAME_LOWER, 0) != 0;
    for (int64_t at = 0; n > 0 && at < tensor_count(operand); at += n * n) {
        if (!is_lower) conjugate_transpose(a + at, n); // the upper triangle becomes the lower one
        cholesky_lower(a + at, n);
        if (!is_lower) conjugate_transpose(a + at, n);
    }
    store_all(result, a);
    eval_set_result(eval, op, 0, result);
    return true;
}

// Solves T x = b for each of `columns` right sides; T(i, j) is a[i * row + j * column], conjugated
// if asked.
typedef struct Triangle {
    const double _Complex *a;
    int64_t n, row, column;
    bool is_lower, is_conjugated, has_unit_diagonal;
} Triangle;

static double _Complex triangle_at(const Triangle *t, int64_t i, int64_t j) {
    double _Complex x = t->a[i * t->row + j * t->column];
    return t->is_conjugated ? conj(x) : x;
}

// b: element (i, k) at b[i * row + k * column]; overwritten with the solution.
static void solve(
    const Triangle *t, double _Complex *b, int64_t row, int64_t column, int64_t columns) {
    for (int64_t k = 0; k < columns; k++) {
        for (int64_t step = 0; step < t->n; step++) {
            int64_t i = t->is_lower ? step : t->n - 1 - step;
            double _Complex sum = b[i * row + k * column];
            int64_t from = t->is_lower ? 0 : i + 1, to = t->is_lower ? i : t->n;
            for (int64_t j = from; j < to; j++)
                sum -= scalar_cmul(triangle_at(t, i, j), b[j * row + k * column]);
            if (!t->has_unit_diagonal) {
                double _Complex d = triangle_at(t, i, i);
                sum = cimag(d) == 0 ? complex_of(creal(sum) / creal(d), cimag(sum) / creal(d))
                                    : scalar_cdiv(sum, d);
            }
            b[i * row + k * column] = sum;
        }
    }
}

// op(a) x = b, or x op(a) = b, which is op(a)^T x^T = b^T.
bool eval_triangular_solve(Eval *eval, const Op *op) {
    const Tensor *a = eval_operand(eval, op, 0), *b = eval_operand(eval, op, 1);
    Tensor *result = eval_tensor(eval, op, b->type);
    double _Complex *matrix = result ? load_all(eval, op, a) : NULL;
    double _Complex *x = matrix ? load_all(eval, op, b) : NULL;
    if (!x) return false;
    if (a->type->rank < 2) return eval_fail(eval, op, "needs a matrix");
    int64_t n = a->type->dims[a->type->rank - 1];
    int64_t rows = b->type->dims[b->type->rank - 2], columns = b->type->dims[b->type->rank - 1];
    bool is_left = op_int(op, NAME_LEFT_SIDE, 0) != 0;
    int64_t transpose = op_int(op, NAME_TRANSPOSE_A, TRANSPOSE_NO_TRANSPOSE);
    bool is_transposed = transpose == TRANSPOSE_TRANSPOSE || transpose == TRANSPOSE_ADJOINT;
    Triangle t = {
        .n = n,
        .is_lower = op_int(op, NAME_LOWER, 0) != 0,
        .is_conjugated = transpose == TRANSPOSE_ADJOINT,
        .has_unit_diagonal = op_int(op, NAME_UNIT_DIAGONAL, 0) != 0};
    if (!is_left) is_transposed = !is_transposed;
    if (is_transposed) t.is_lower = !t.is_lower;
    t.row = is_transposed ? 1 : n;
    t.column = is_transposed ? n : 1;
    if ((is_left ? rows : columns) != n) return eval_fail(eval, op, "has operands that do not fit");
    int64_t count = tensor_count(b) > 0 ? tensor_count(b) / (rows * columns) : 0;
    for (int64_t k = 0; k < count; k++) {
        t.a = matrix + k * n * n;
        double _Complex *right = x + k * rows * columns;
        if (is_left)
            solve(&t, right, columns, 1, columns);
        else
            solve(&t, right, 1, columns, rows);
    }
    store_all(result, x);
    eval_set_result(eval, op, 0, result);
    return true;
}

// --- batch normalisation ---

typedef struct BatchNorm {
    int64_t outer, features, inner; // the operand is [outer, features, inner]
    double epsilon;
    const double *x, *scale;
} BatchNorm;

static double *load_reals(Eval *eval, const Op *op, int i) {
    const Tensor *tensor = eval_operand(eval, op, i);
    double *out = eval_scratch(eval, op, tensor_count(tensor), sizeof *out);
    if (out) scalar_load_real(tensor->type->element, tensor->data, 1, tensor_count(tensor), out);
    return out;
}

static int64_t place_in(const BatchNorm *norm, int64_t o, int64_t f, int64_t i) {
    return (o * norm->features + f) * norm->inner + i;
}

static void mean_and_variance(const BatchNorm *norm, int64_t f, double *mean, double *variance) {
    double count = (double)(norm->outer * norm->inner), sum = 0, squares = 0;
    for (int64_t o = 0; o < norm->outer; o++) {
        for (int64_t i = 0; i < norm->inner; i++)
            sum += norm->x[place_in(norm, o, f, i)];
    }
    *mean = sum / count;
    for (int64_t o = 0; o < norm->outer; o++) {
        for (int64_t i = 0; i < norm->inner; i++) {
            double d = norm->x[place_in(norm, o, f, i)] - *mean;
            squares += d * d;
        }
    }
    *variance = squares / count;
}

// y = scale (x - mean) / sqrt(variance + epsilon) + offset
static void normalise(
    const BatchNorm *norm, int64_t f, double mean, double variance, double offset, double *y) {
    double factor = norm->scale[f] / sqrt(variance + norm->epsilon);
    for (int64_t o = 0; o < norm->outer; o++) {
        for (int64_t i = 0; i < norm->inner; i++) {
            int64_t at = place_in(norm, o, f, i);
            y[at] = factor * (norm->x[at] - mean) + offset;
        }
    }
}

// Gradients as StableHLO's specification derives them.
static void gradients(
    const BatchNorm *norm, int64_t f, double mean, double variance, const double *dy, double *dx,
    double *dscale, double *doffset) {
    double count = (double)(norm->outer * norm->inner),
           inverse = 1 / sqrt(variance + norm->epsilon);
    double sum = 0, weighted = 0;
    for (int64_t o = 0; o < norm->outer; o++) {
        for (int64_t i = 0; i < norm->inner; i++) {
            int64_t at = place_in(norm, o, f, i);
            sum += dy[at];
            weighted += dy[at] * (norm->x[at] - mean);
        }
    }
    for (int64_t o = 0; o < norm->outer; o++) {
        for (int64_t i = 0; i < norm->inner; i++) {
            int64_t at = place_in(norm, o, f, i);
            double centred = norm->x[at] - mean;
            dx[at] = norm->scale[f] * inverse / count *
                     (count * dy[at] - sum - centred * inverse * inverse * weighted);
        }
    }
    dscale[f] = weighted * inverse;
    doffset[f] = sum;
}

// inference: x, scale, offset, mean, variance -> y
// training:  x, scale, offset -> y, mean, variance
// grad:      x, scale, mean, variance, dy -> dx, dscale, doffset
bool eval_batch_norm(Eval *eval, const Op *op) {
    const Type *type = eval_operand(eval, op, 0)->type;
    int64_t feature = op_int(op, NAME_FEATURE_INDEX, 0);
    if (feature < 0 || feature >= type->rank)
        return eval_fail(eval, op, "has a feature index out of range");
    const Attr *epsilon = op_attr(op, NAME_EPSILON);
    BatchNorm norm = {
        .outer = 1,
        .inner = 1,
        .features = type->dims[feature],
        .epsilon = epsilon ? epsilon->number : 0};
    for (int d = 0; d < type->rank; d++) {
        if (d < feature) norm.outer *= type->dims[d];
        if (d > feature) norm.inner *= type->dims[d];
    }
    bool is_training = op->code == OP_BATCH_NORM_TRAINING;
    bool is_inference = op->code == OP_BATCH_NORM_INFERENCE;
    int operand_count = is_training ? 3 : 5, result_count = is_inference ? 1 : 3;
    double *in[5] = {NULL}, *out[3] = {NULL};
    Tensor *results[3] = {NULL};
    for (int i = 0; i < operand_count; i++) {
        in[i] = load_reals(eval, op, i);
        if (!in[i]) return false;
    }
    for (int i = 0; i < result_count; i++) {
        results[i] = eval_result_tensor(eval, op, i);
        out[i] =
            results[i] ? eval_scratch(eval, op, tensor_count(results[i]), sizeof(double)) : NULL;
        if (!out[i]) return false;
    }
    norm.x = in[0];
    norm.scale = in[1];
    for (int64_t f = 0; f < norm.features; f++) {
        if (is_inference) {
            normalise(&norm, f, in[3][f], in[4][f], in[2][f], out[0]);
        } else if (is_training) {
            mean_and_variance(&norm, f, &out[1][f], &out[2][f]);
            normalise(&norm, f, out[1][f], out[2][f], in[2][f], out[0]);
        } else {
            gradients(&norm, f, in[2][f], in[3][f], in[4], out[0], out[1], out[2]);
        }
    }
    for (int i = 0; i < result_count; i++) {
        scalar_store_real(
            results[i]->type->element, out[i], tensor_count(results[i]), results[i]->data);
        eval_set_result(eval, op, i, results[i]);
    }
    return true;
}

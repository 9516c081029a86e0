// infer_linalg: Fourier transforms, Cholesky factors, triangular systems, batch normalisation.
#include "base/checked.h"
#include "ir/infer/infer.h"

// IRFFT: the dimensions but the last are fft_length's, the last holds length / 2 + 1 coefficients.
static bool check_irfft(Infer *infer, const Op *op, IntSpan lengths) {
    const Type *operand = op_operand_type(op, 0);
    const int64_t *dims = operand->dims + operand->rank - lengths.count;
    int last = lengths.count - 1;
    for (int i = 0; i < last; i++) {
        if (!dims_fit(dims[i], lengths.data[i]))
            return infer_fail(
                infer, op,
                "IRFFT requires non-final dimensions to be compatible with fft_length. Got: %s but "
                "wanted %s, and %lld != %lld.",
                infer_ints_text(infer, operand->dims, operand->rank),
                infer_ints_text(infer, lengths.data, lengths.count), (long long)dims[i],
                (long long)lengths.data[i]);
    }
    int64_t expected = lengths.data[last] ? lengths.data[last] / 2 + 1 : 0;
    if (!dims_fit(dims[last], expected))
        return infer_fail(
            infer, op,
            "IRFFT requires innermost dimension to be compatible with fft_length[-1]/2+1. Got: "
            "%lld but "
            "fft_length is %lld.",
            (long long)dims[last], (long long)lengths.data[last]);
    return true;
}

bool infer_fft(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    const Attr *type = op_attr(op, NAME_FFT_TYPE);
    IntSpan lengths = op_ints(op, NAME_FFT_LENGTH);
    if (lengths.count < 1 || lengths.count > 3)
        return infer_fail(infer, op, "rank must be between 1 and 3, but got %d.", lengths.count);
    bool is_rfft = type->integer == FFT_RFFT;
    bool is_complex = element_class(operand->element) == CLASS_COMPLEX;
    if (is_rfft && operand->element != ELEMENT_F32 && operand->element != ELEMENT_F64)
        return infer_fail(
            infer, op, "RFFT requires f32 or f64 input type, but is given '%s'.",
            infer_element_text(infer, operand));
    if (!is_rfft && !is_complex)
        return infer_fail(
            infer, op, "FFT/IFFT/IRFFT take a complex tensor as input, but is given '%s'",
            infer_type_text(infer, operand));
    if (operand->rank < lengths.count)
        return infer_fail(
            infer, op, "operand rank must not be less than fft rank of %d for operand of type '%s'",
            lengths.count, infer_type_text(infer, operand));
    int first = operand->rank - lengths.count, last = operand->rank - 1;
    Type result = *operand;
    for (int i = 0; i < lengths.count; i++) {
        if (lengths.data[i] < 0) return infer_fail(infer, op, "fft_length must be non-negative");
    }
    if (type->integer == FFT_IRFFT) {
        if (!check_irfft(infer, op, lengths)) return false;
        result.element = element_real_part(operand->element);
        result.dims[last] = lengths.data[lengths.count - 1];
        infer_set(infer, 0, type_intern(infer->context, &result));
        return true;
    }
    for (int i = 0; i < lengths.count; i++) {
        if (!dims_fit(operand->dims[first + i], lengths.data[i]))
            return infer_fail(
                infer, op,
                "%s requires innermost dimensions to be compatible with fft_length. Got: %s but "
                "wanted "
                "%s.",
                is_rfft ? "RFFT" : "FFT/IFFT", infer_ints_text(infer, operand->dims, operand->rank),
                infer_ints_text(infer, lengths.data, lengths.count));
    }
    if (is_rfft) {
        result.element = operand->element == ELEMENT_F64 ? ELEMENT_C128 : ELEMENT_C64;
        int64_t length = lengths.data[lengths.count - 1];
        result.dims[last] = length ? length / 2 + 1 : 0;
    }
    infer_set(infer, 0, type_intern(infer->context, &result));
    return true;
}

bool infer_cholesky(Infer *infer, const Op *op) {
    const Type *a = op_operand_type(op, 0);
    if (a->rank < 2)
        return infer_fail(
            infer, op, "argument 'a' must have rank >= 2, got shape %s",
            infer_ints_text(infer, a->dims, a->rank));
    if (!dims_fit(a->dims[a->rank - 1], a->dims[a->rank - 2]))
        return infer_fail(
            infer, op, "minor dimensions of 'a' must have equal size, got shape %s",
            infer_ints_text(infer, a->dims, a->rank));
    infer_set(infer, 0, a);
    return true;
}

bool infer_triangular_solve(Infer *infer, const Op *op) {
    const Type *a = op_operand_type(op, 0), *b = op_operand_type(op, 1);
    const Attr *transpose = op_attr(op, NAME_TRANSPOSE_A);
    const char *a_text = infer_type_text(infer, a), *b_text = infer_type_text(infer, b);
    int rank = a->rank;
    if (a->element != b->element)
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    if (rank < 2)
        return infer_fail(infer, op, "operand 'a' must have rank >= 2, but got '%s'", a_text);
    if (!dims_fit(a->dims[rank - 1], a->dims[rank - 2]))
        return infer_fail(
            infer, op, "two minor dimensions of operand 'a' must be compatible, but got '%s'",
            a_text);
    if (b->rank != rank)
        return infer_fail(
            infer, op, "operands must have equal rank, but got '%s' and '%s'", a_text, b_text);
    bool is_left = op_int(op, NAME_LEFT_SIDE, 0) != 0;
    if (!dims_fit(a->dims[rank - 1], b->dims[is_left ? rank - 2 : rank - 1]))
        return infer_fail(
            infer, op,
            "shared dimension of operands 'a' and 'b' must be compatible, but got '%s' and '%s'",
            a_text, b_text);
    for (int d = 0; d + 2 < rank; d++) {
        if (!dims_fit(a->dims[d], b->dims[d]))
            return infer_fail(
                infer, op,
                "batch dimensions of the operands must be compatible, but got '%s' and '%s'",
                a_text, b_text);
    }
    if (transpose->integer == TRANSPOSE_TRANSPOSE_INVALID)
        return infer_fail(infer, op, "Invalid transpose option value for triangular solve");
    infer_set(infer, 0, b);
    return true;
}

// grad: operand, scale, mean, variance, grad_output; inference: operand, scale, offset,
// mean, variance; training: operand, scale, offset. All but operand and grad_output
// have one dimension, the features.
bool infer_batch_norm(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    bool is_grad = op->code == OP_BATCH_NORM_GRAD;
    int last_feature = is_grad ? 3 : op->operand_count - 1;
    int64_t feature_index = op_int(op, NAME_FEATURE_INDEX, 0);
    const Type *feature = op_operand_type(op, 1);
    for (int i = 1; i <= last_feature; i++) {
        const Type *type = op_operand_type(op, i);
        if (type->rank != 1)
            return infer_fail(
                infer, op, "operand #%d must be 1D tensor of floating-point values, but got '%s'",
                i, infer_type_text(infer, type));
        if (type->element != operand->element)
            return infer_fail(
                infer, op, "requires the same element type for all operands and results");
        if (!shapes_fit(feature, type))
            return infer_fail(
                infer, op, "expects single-dimensional operands to have compatible shapes");
    }
    if (is_grad && !types_fit(operand, op_operand_type(op, 4)))
        return infer_fail(
            infer, op, "expects multi-dimensional operands to have compatible shapes");
    if (feature_index >= operand->rank)
        return infer_fail(
            infer, op,
            "expects featureIndex to be smaller than the rank of multi-dimensional operands; got "
            "featureIndex %lld, and rank %d.",
            (long long)feature_index, operand->rank);
    if (!dims_fit(operand->dims[feature_index], feature->dims[0]))
        return infer_fail(
            infer, op,
            "expects the size of single-dimensional operands to be compatible with feature count, "
            "but "
            "the size of single-dimensional operands is %lld and the feature count is %lld.",
            (long long)feature->dims[0], (long long)operand->dims[feature_index]);
    infer_set(infer, 0, operand);
    for (int i = 1; i < op->result_count; i++)
        infer_set(infer, i, feature);
    return true;
}

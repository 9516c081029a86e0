// fft: mixed radix in double, plain sums for prime factors. Any length; FFT, IFFT, RFFT, IRFFT over the last 1 to 3 dimensions.
#include "ir/eval_internal.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647692;

// exp(sign 2 pi i k / n) for k = 0 .. n-1, each from its own angle in the first octant.
static void unit_roots(int64_t n, int sign, double _Complex *roots) {
    for (int64_t k = 0; k < n; k++) {
        int64_t octant = 8 * k / n;
        double a = two_pi * (double)(8 * k - octant * n) / (8 * (double)n); // 0 <= a < pi/4
        double b = two_pi * (double)((octant + 1) * n - 8 * k) / (8 * (double)n);
        double c = 0, s = 0;
        switch (octant) {
        case 0:
            c = cos(a);
            s = sin(a);
            break;
        case 1:
            c = sin(b);
            s = cos(b);
            break;
        case 2:
            c = -sin(a);
            s = cos(a);
            break;
        case 3:
            c = -cos(b);
            s = sin(b);
            break;
        case 4:
            c = -cos(a);
            s = -sin(a);
            break;
        case 5:
            c = -sin(b);
            s = -cos(b);
            break;
        case 6:
            c = sin(a);
            s = -cos(a);
            break;
        default:
            c = cos(b);
            s = -sin(b);
            break;
        }
        roots[k] = complex_of(c, sign * s);
    }
}

static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++) {
        if (n % p == 0) return p;
    }
    return n;
}

// out[k] = sum over j of in[j * stride] roots[j k step], n terms; `spare` has n places. The depth is the number of prime factors.
static void transform(
    int64_t n, const double _Complex *in, int64_t stride, double _Complex *out,
    double _Complex *spare, const double _Complex *roots, int64_t total) {
    int64_t step = total / n;
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    for (int64_t r = 0; r < p && m > 1; r++)
        transform(m, in + r * stride, stride * p, spare + r * m, out + r * m, roots, total);
    if (m == 1) {
        for (int64_t r = 0; r < p; r++)
            spare[r] = in[r * stride];
    }
    for (int64_t k = 0; k < n; k++) {
        double _Complex sum = 0;
        for (int64_t r = 0; r < p; r++)
            sum += scalar_cmul(spare[r * m + k % m], roots[(r * k % n) * step]);
        out[k] = sum;
    }
}

// Transforms every line of data [dims] along dimension d.
static bool transform_dimension(
    Eval *eval, const Op *op, double _Complex *data, int rank, const int64_t *dims, int d,
    int sign) {
    int64_t n = dims[d], strides[MAX_RANK], outer[MAX_RANK], index[MAX_RANK] = {0}, count = 1;
    row_major_strides(rank, dims, strides);
    for (int i = 0; i < rank; i++) {
        outer[i] = i == d ? 1 : dims[i];
        count *= dims[i];
    }
    if (count == 0) return true;
    double _Complex *roots = eval_scratch(eval, op, n, sizeof *roots);
    double _Complex *line = eval_scratch(eval, op, n, sizeof *line);
    double _Complex *spare = eval_scratch(eval, op, n, sizeof *spare);
    if (!roots || !line || !spare) return false;
    unit_roots(n, sign, roots);
    do {
        int64_t at = 0;
        for (int i = 0; i < rank; i++)
            at += index[i] * strides[i];
        transform(n, data + at, strides[d], line, spare, roots, n);
        for (int64_t k = 0; k < n; k++) {
            double _Complex x = line[k];
            if (sign > 0) x = complex_of(creal(x) / (double)n, cimag(x) / (double)n);
            data[at + k * strides[d]] = x;
        }
    } while (next_index(rank, outer, index));
    return true;
}

// The whole spectrum [.., n] from its first n/2 + 1 columns: X[-k] = conj X[k] in all transformed dimensions.
static void complete_spectrum(
    int rank, int first, const int64_t *half_dims, const int64_t *dims, const double _Complex *half,
    double _Complex *whole) {
    int64_t strides[MAX_RANK], index[MAX_RANK] = {0}, at = 0;
    row_major_strides(rank, half_dims, strides);
    do {
        bool is_mirrored = index[rank - 1] >= half_dims[rank - 1];
        int64_t from = 0;
        for (int d = 0; d < rank; d++) {
            int64_t i = index[d];
            if (is_mirrored && d >= first) i = (dims[d] - i) % dims[d];
            from += i * strides[d];
        }
        double _Complex x = half[from];
        whole[at++] = is_mirrored ? conj(x) : x;
    } while (next_index(rank, dims, index));
}

bool eval_fft(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    IntSpan lengths = op_ints(op, NAME_FFT_LENGTH);
    int64_t length[MAX_RANK], kind = op_int(op, NAME_FFT_TYPE, FFT_FFT);
    int rank = operand->type->rank, count = lengths.count;
    Tensor *result = eval_result_tensor(eval, op, 0);
    if (!result) return false;
    if (count < 1) count = 1;
    if (count > rank) return eval_fail(eval, op, "transforms more dimensions than there are");
    eval_ints(op, NAME_FFT_LENGTH, count, 0, length);
    int first = rank - count;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < rank; d++)
        dims[d] = d >= first ? length[d - first] : operand->type->dims[d];
    int64_t total = 1;
    for (int d = 0; d < rank; d++)
        total *= dims[d];
    double _Complex *data = eval_scratch(eval, op, total, sizeof *data);
    double _Complex *half = eval_scratch(eval, op, tensor_count(operand), sizeof *half);
    if (!data || !half) return false;
    scalar_load_complex(operand->type->element, operand->data, 1, tensor_count(operand), half);
    if (total > 0 && tensor_count(operand) > 0) {
        if (kind == FFT_IRFFT)
            complete_spectrum(rank, first, operand->type->dims, dims, half, data);
        else
            memcpy(data, half, (size_t)total * sizeof *data);
    }
    int sign = kind == FFT_FFT || kind == FFT_RFFT ? -1 : 1;
    for (int d = first; d < rank; d++) {
        if (!transform_dimension(eval, op, data, rank, dims, d, sign)) return false;
    }
    // What the result keeps: all, or the first n/2 + 1 columns.
    int64_t in[MAX_RANK], out[MAX_RANK];
    row_major_strides(rank, dims, in);
    row_major_strides(rank, result->type->dims, out);
    int64_t kept = tensor_count(result);
    double _Complex *values = eval_scratch(eval, op, kept, sizeof *values);
    if (!values) return false;
    if (kept > 0)
        copy_strided(
            rank, result->type->dims, sizeof *values, (char *)values, out, (const char *)data, in);
    if (kind == FFT_IRFFT) {
        for (int64_t i = 0; i < kept; i++) {
            double x = creal(values[i]);
            scalar_store_real(
                result->type->element, &x, 1,
                (char *)result->data + (size_t)i * element_bytes(result->type->element));
        }
    } else {
        scalar_store_complex(result->type->element, values, kept, result->data);
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

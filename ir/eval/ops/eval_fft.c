// fft: FFT, IFFT, RFFT, IRFFT of any length over the last 1 to 3 dimensions, in the
// arithmetic of the element type.
//
// Mixed radix, decimation in time: a line of n = p m values, p the smallest prime factor, is p
// interleaved lines of m values. Their transforms, turned by w_n^(r k), meet in m butterflies of p
// values each. A butterfly pairs what is symmetric: 1 <= q, r <= (p-1)/2,
//     A[q] = x[0] + sum over r of Re w_p^(q r) (x[r] + x[p-r])    X[0] = the sum of x
//     B[q] =        sum over r of Im w_p^(q r) (x[r] - x[p-r])
//     X[q] = A[q] + i B[q]    X[p-q] = A[q] - i B[q]
// so that a real line is transformed as if the imaginary parts were not there. The cost is n times
// the sum of the prime factors. Source: Swarztrauber, "Vectorizing the FFTs", in Parallel
// Computations, Academic Press 1982 (FFTPACK).
#include "ir/eval/eval_internal.h"

#include <math.h>
#include <string.h>

// The transforms of lines of one length.
typedef struct Fft {
    int64_t n;
    bool is_single;         // every sum and product is rounded to f32
    double _Complex *roots; // [n] exp(sign 2 pi i k / n)
    double _Complex *line;  // [n] the result
    double _Complex *spare; // [n]
} Fft;

static double rounded(const Fft *fft, double x) { return fft->is_single ? (double)(float)x : x; }

static double _Complex plus(const Fft *fft, double _Complex x, double _Complex y) {
    return complex_of(rounded(fft, creal(x) + creal(y)), rounded(fft, cimag(x) + cimag(y)));
}

static double _Complex minus(const Fft *fft, double _Complex x, double _Complex y) {
    return complex_of(rounded(fft, creal(x) - creal(y)), rounded(fft, cimag(x) - cimag(y)));
}

static double _Complex scaled(const Fft *fft, double factor, double _Complex x) {
    return complex_of(rounded(fft, factor * creal(x)), rounded(fft, factor * cimag(x)));
}

static double _Complex times(const Fft *fft, double _Complex x, double _Complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    return complex_of(
        rounded(fft, rounded(fft, a * c) - rounded(fft, b * d)),
        rounded(fft, rounded(fft, a * d) + rounded(fft, b * c)));
}

// exp(2 pi i k / n) for 0 <= k <= n / 2, from an angle in the first octant.
static double _Complex root_of_angle(int64_t k, int64_t n) {
    double unit = (double)(0.785398163397448309615660845819875721L / (long double)n); // pi / (4 n)
    int64_t quarter = 8 * k % (2 * n); // the angle within its quarter turn, in units
    double a = unit * (double)quarter, b = unit * (double)(2 * n - quarter);
    switch (8 * k / n) {
    case 0: return complex_of(cos(a), sin(a));
    case 1: return complex_of(sin(b), cos(b));
    case 2: return complex_of(-sin(a), cos(a));
    case 3: return complex_of(-cos(b), sin(b));
    default: return complex_of(-1, 0);
    }
}

// Sines are taken for about sqrt(2 n) roots; any other is the product of one of the first `step`
// roots and one at a multiple of `step`, within 2 ulp of 1 in f64 and rounded once in f32.
static void make_roots(const Fft *fft, int sign) {
    int64_t n = fft->n, step = 2;
    while (step * step <= n / 2)
        step *= 2;
    const Fft wide = {.is_single = false};
    double _Complex *roots = fft->roots;
    for (int64_t k = 0; 2 * k <= n && k < n; k++) {
        bool is_first = k < step || k % step == 0;
        roots[k] =
            is_first ? root_of_angle(k, n) : times(&wide, roots[k % step], roots[k - k % step]);
    }
    for (int64_t k = n / 2 + 1; k < n; k++)
        roots[k] = conj(roots[n - k]);
    for (int64_t k = 0; k < n; k++)
        roots[k] = complex_of(rounded(fft, creal(roots[k])), sign * rounded(fft, cimag(roots[k])));
}

static int64_t smallest_factor(int64_t n) {
    for (int64_t p = 2; p * p <= n; p++) {
        if (n % p == 0) return p;
    }
    return n;
}

// A[q] and B[q] of the butterfly on x[0], x[m] .. x[(p-1) m], which holds the sums of pairs,
// then the differences. The terms are added four at a time (x[0] and the first two to begin
// with), so that errors grow with p / 8.
static void butterfly_sums(
    const Fft *fft, int64_t p, int64_t m, int64_t q, const double _Complex *x, double _Complex *a,
    double _Complex *b) {
    double _Complex a_terms = x[0], b_terms = 0;
    *a = *b = 0;
    for (int64_t r = 1; r <= (p - 1) / 2; r++) {
        double _Complex root = fft->roots[q * r % p * (fft->n / p)];
        a_terms = plus(fft, a_terms, scaled(fft, creal(root), x[r * m]));
        b_terms = plus(fft, b_terms, scaled(fft, cimag(root), x[(p - r) * m]));
        if (r % 4 != 2 && r != (p - 1) / 2) continue;
        *a = plus(fft, *a, a_terms);
        *b = plus(fft, *b, b_terms);
        a_terms = b_terms = 0;
    }
}

// The transform of x[0], x[m] .. x[(p-1) m], p prime, into `out` with the same stride. Overwrites
// x.
static void butterfly(
    const Fft *fft, int64_t p, int64_t m, double _Complex *x, double _Complex *out) {
    if (p == 2) {
        out[0] = plus(fft, x[0], x[m]);
        out[m] = minus(fft, x[0], x[m]);
        return;
    }
    double _Complex sum = x[0];
    for (int64_t r = 1; r <= (p - 1) / 2; r++) {
        double _Complex near = x[r * m], far = x[(p - r) * m];
        x[r * m] = plus(fft, near, far);
        x[(p - r) * m] = minus(fft, near, far);
        sum = plus(fft, sum, x[r * m]);
    }
    out[0] = sum;
    for (int64_t q = 1; q <= (p - 1) / 2; q++) {
        double _Complex a, b;
        butterfly_sums(fft, p, m, q, x, &a, &b);
        b = complex_of(-cimag(b), creal(b));
        out[q * m] = plus(fft, a, b);
        out[(p - q) * m] = minus(fft, a, b);
    }
}

// out[k] = sum over j of in[j * stride] w_n^(j k), n terms; `spare` has n places. The depth
// is the number of prime factors.
static void transform(
    const Fft *fft, int64_t n, const double _Complex *in, int64_t stride, double _Complex *out,
    double _Complex *spare) {
    if (n <= 1) {
        out[0] = in[0];
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    for (int64_t r = 0; r < p; r++) {
        transform(fft, m, in + r * stride, stride * p, spare + r * m, out + r * m);
        for (int64_t k = 1; k < m && r > 0; k++)
            spare[r * m + k] = times(fft, spare[r * m + k], fft->roots[r * k * (fft->n / n)]);
    }
    for (int64_t k = 0; k < m; k++)
        butterfly(fft, p, m, spare + k, out + k);
}

// Transforms every line of data [dims] along dimension d.
static bool transform_dimension(
    Eval *eval, const Op *op, bool is_single, double _Complex *data, int rank, const int64_t *dims,
    int d, int sign) {
    int64_t n = dims[d], strides[MAX_RANK], outer[MAX_RANK], index[MAX_RANK] = {0}, count = 1;
    row_major_strides(rank, dims, strides);
    for (int i = 0; i < rank; i++) {
        outer[i] = i == d ? 1 : dims[i];
        count *= dims[i];
    }
    if (count == 0) return true;
    Fft fft = {.n = n, .is_single = is_single};
    fft.roots = eval_scratch(eval, op, n, sizeof *fft.roots);
    fft.line = eval_scratch(eval, op, n, sizeof *fft.line);
    fft.spare = eval_scratch(eval, op, n, sizeof *fft.spare);
    if (!fft.roots || !fft.line || !fft.spare) return false;
    make_roots(&fft, sign);
    do {
        int64_t at = 0;
        for (int i = 0; i < rank; i++)
            at += index[i] * strides[i];
        transform(&fft, n, data + at, strides[d], fft.line, fft.spare);
        for (int64_t k = 0; k < n; k++) {
            double _Complex x = fft.line[k];
            if (sign > 0)
                x = complex_of(
                    rounded(&fft, creal(x) / (double)n), rounded(&fft, cimag(x) / (double)n));
            data[at + k * strides[d]] = x;
        }
    } while (next_index(rank, outer, index));
    return true;
}

// The whole spectrum [.., n] from its first n/2 + 1 columns: X[-k] = conj X[k]
// in all transformed dimensions.
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
    ElementType element = result->type->element;
    bool is_single = element == ELEMENT_C64 || element == ELEMENT_F32;
    for (int d = first; d < rank; d++) {
        if (!transform_dimension(eval, op, is_single, data, rank, dims, d, sign)) return false;
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

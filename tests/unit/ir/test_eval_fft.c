// ir/eval/ops/eval_fft.c: every type of transform against plain sums in long double.
#include "ir/scalar/scalar.h"
#include "tests/unit/ir/test_eval_programs.h"

#include <float.h>
#include <math.h>

enum { LINES = 3 };

typedef enum Kind { FORWARD, INVERSE, REAL, INVERSE_REAL } Kind;

// A value between -1 and 1, the same in every run.
static double draw(uint64_t *state) {
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(*state >> 40) / 0x1p23 - 1;
}

// `count` numbers into the type's bytes, and back into `kept` as they were stored.
static void fill(ElementType part, uint64_t *state, int64_t count, void *data, double *kept) {
    for (int64_t i = 0; i < count; i++)
        kept[i] = draw(state);
    scalar_store_real(part, kept, count, data);
    scalar_load_real(part, data, 1, count, kept);
}

// exp(2 pi i k / n) for k = 0 .. n-1
static long double *make_roots(Arena *arena, int64_t n) {
    const long double turn = 6.283185307179586476925286766559005768L;
    long double *roots = ARENA_ARRAY(arena, long double, 2 * n);
    for (int64_t k = 0; k < n; k++) {
        roots[2 * k] = cosl(turn * (long double)k / (long double)n);
        roots[2 * k + 1] = sinl(turn * (long double)k / (long double)n);
    }
    return roots;
}

// The exact transform of one line of n complex numbers.
static void plain_sums(
    int64_t n, int sign, const long double *roots, const double *in, long double *out) {
    for (int64_t k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (int64_t j = 0; j < n; j++) {
            long double c = roots[2 * (j * k % n)], s = sign * roots[2 * (j * k % n) + 1];
            long double x = (long double)in[2 * j], y = (long double)in[2 * j + 1];
            re += x * c - y * s;
            im += x * s + y * c;
        }
        out[2 * k] = sign > 0 ? re / (long double)n : re;
        out[2 * k + 1] = sign > 0 ? im / (long double)n : im;
    }
}

// The whole line behind what the operand has of it.
static void whole_line(Kind kind, int64_t n, const double *given, double *line) {
    int64_t half = n / 2 + 1;
    for (int64_t j = 0; j < n; j++) {
        bool is_mirrored = kind == INVERSE_REAL && j >= half;
        int64_t at = is_mirrored ? n - j : j;
        line[2 * j] = kind == REAL ? given[j] : given[2 * at];
        line[2 * j + 1] = kind == REAL ? 0 : is_mirrored ? -given[2 * at + 1] : given[2 * at + 1];
    }
    if (kind != INVERSE_REAL) return;
    line[1] = 0; // what a real line's transform cannot have is not looked at
    if (n % 2 == 0) line[n + 1] = 0;
}

// A function that transforms LINES lines of n numbers.
static Module *fft_program(Arena *arena, Kind kind, ElementType part, int64_t n, Diags *diags) {
    static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    const char *real = part == ELEMENT_F32 ? "f32" : "f64";
    const char *pair = arena_printf(arena, "complex<%s>", real);
    const char *from = arena_printf(
        arena, "tensor<%dx%dx%s>", LINES, (int)(kind == INVERSE_REAL ? n / 2 + 1 : n),
        kind == REAL ? real : pair);
    const char *to = arena_printf(
        arena, "tensor<%dx%dx%s>", LINES, (int)(kind == REAL ? n / 2 + 1 : n),
        kind == INVERSE_REAL ? real : pair);
    const char *text = arena_printf(
        arena,
        "func.func @main(%%a: %s) -> %s {\n"
        "  %%0 = stablehlo.fft %%a, type = %s, length = [%d] : (%s) -> %s\n"
        "  return %%0 : %s\n}\n",
        from, to, names[kind], (int)n, from, to, to);
    return read_program(arena, text, diags);
}

// The root mean square of the errors over that of the exact results, in units of epsilon.
static double fft_error(Arena *arena, Kind kind, ElementType part, int64_t n) {
    int64_t in = kind == INVERSE_REAL ? 2 * (n / 2 + 1) : kind == REAL ? n : 2 * n; // reals
    int64_t out = kind == REAL ? 2 * (n / 2 + 1) : kind == INVERSE_REAL ? n : 2 * n;
    double *given = ARENA_ARRAY(arena, double, LINES *in),
           *line = ARENA_ARRAY(arena, double, 2 * n);
    double *got = ARENA_ARRAY(arena, double, LINES *out);
    long double *exact = ARENA_ARRAY(arena, long double, 2 * n), *roots = make_roots(arena, n);
    Diags *diags = diags_create(arena);
    Module *module = fft_program(arena, kind, part, n, diags);
    const Op *func = module_entry(module, SV(""));
    Tensor *argument = tensor_create(arena, func_body(func)->args[0]->type), *results[1];
    uint64_t state = (uint64_t)n;
    fill(part, &state, LINES * in, argument->data, given);
    if (!eval_function(
            arena, module, func, (const Tensor *const *)&argument, results, NULL, NULL, diags))
        fail_msg("%.*s", SV_ARG(diags->first->message));
    scalar_load_real(part, results[0]->data, 1, LINES * out, got);
    long double errors = 0, squares = 0;
    for (int64_t l = 0; l < LINES; l++) {
        whole_line(kind, n, given + l * in, line);
        plain_sums(n, kind == FORWARD || kind == REAL ? -1 : 1, roots, line, exact);
        for (int64_t k = 0; k < out; k++) {
            long double x = exact[kind == INVERSE_REAL ? 2 * k : k];
            long double error = (long double)got[l * out + k] - x;
            errors += error * error;
            squares += x * x;
        }
    }
    return (double)sqrtl(errors / squares) /
           (part == ELEMENT_F32 ? (double)FLT_EPSILON : DBL_EPSILON);
}

// sqrt of the sum of 3/4 + p/250 over n's prime factors p: what
// docs/numerics.md promises, in epsilon.
static double error_bound(int64_t n) {
    double sum = 0;
    for (int64_t p = 2; n > 1; p++) {
        for (; n % p == 0; n /= p)
            sum += 0.75 + (double)p / 250;
    }
    return sqrt(sum);
}

static void errors_grow_with_the_root_of_the_number_of_factors(void **state) {
    static const int64_t lengths[] = {1,  2,   3,   4,   5,   6,   7,   8,   9,
                                      11, 12,  13,  16,  17,  18,  25,  27,  31,
                                      64, 100, 128, 243, 251, 509, 510, 512, 1009};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (Kind kind = FORWARD; kind <= INVERSE_REAL; kind++) {
            int64_t n = lengths[i];
            double single = fft_error(*state, kind, ELEMENT_F32, n);
            double wide = fft_error(*state, kind, ELEMENT_F64, n), bound = error_bound(n);
            if (single <= bound && wide <= bound) continue;
            fail_msg(
                "kind %d, %d long: errors of %g and %g epsilon, expected up to %g", (int)kind,
                (int)n, single, wide, bound);
        }
    }
}

// A compiler that leaves out one rounding to f32 changes them.
static void the_bits_of_an_f32_transform_are_the_same_in_every_build(void **state) {
    Arena *arena = *state;
    enum { N = 30 };
    double given[2 * N * LINES];
    Diags *diags = diags_create(arena);
    Module *module = fft_program(arena, FORWARD, ELEMENT_F32, N, diags);
    const Op *func = module_entry(module, SV(""));
    Tensor *argument = tensor_create(arena, func_body(func)->args[0]->type), *results[1];
    uint64_t random = 1, hash = 14695981039346656037U;
    fill(ELEMENT_F32, &random, (int64_t)2 * N * LINES, argument->data, given);
    assert_true(eval_function(
        arena, module, func, (const Tensor *const *)&argument, results, NULL, NULL, diags));
    const unsigned char *bytes = results[0]->data;
    for (size_t i = 0; i < sizeof(float) * 2 * N * LINES; i++)
        hash = (hash ^ bytes[i]) * 1099511628211U;
    assert_int_equal(hash, 0x6f391e124bd59edfU);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(errors_grow_with_the_root_of_the_number_of_factors),
        arena_test(the_bits_of_an_f32_transform_are_the_same_in_every_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

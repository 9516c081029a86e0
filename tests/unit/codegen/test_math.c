// The bounds on the error of every function, in ulp of the result, over numbers of all sizes.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

typedef struct Function {
    const char *op; // as MLIR names it
    double (*reference)(double);
    double ulp; // bound
    bool is_f64;
    bool is_dense; // tried on more numbers: its reduction or its ends are delicate
    double least;  // of negative arguments: errors of smaller results are in ulp of this
} Function;

static double logistic(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }

static const Function functions[] = {
    {"stablehlo.exponential", exp, 1.0, false, true, 0},
    {"stablehlo.exponential_minus_one", expm1, 1.5, false, true, 0},
    {"stablehlo.log", log, 1.0, false, false, 0},
    {"stablehlo.log_plus_one", log1p, 1.5, false, true, 0},
    {"stablehlo.logistic", logistic, 2.5, false, true, 0},
    {"stablehlo.tanh", tanh, 2.0, false, true, 0},
    {"stablehlo.sine", sin, 1.5, false, false, 0},
    {"stablehlo.cosine", cos, 1.5, false, false, 0},
    {"stablehlo.tan", tan, 1.0, false, false, 0},
    {"stablehlo.sqrt", sqrt, 0.51, false, false, 0},
    {"stablehlo.rsqrt", rsqrt, 1.6, false, false, 0},
    {"stablehlo.cbrt", cbrt, 0.6, false, false, 0},
    {"chlo.sinh", sinh, 1.0, false, false, 0},
    {"chlo.cosh", cosh, 1.0, false, false, 0},
    {"chlo.asinh", asinh, 1.0, false, false, 0},
    {"chlo.acosh", acosh, 1.0, false, false, 0},
    {"chlo.atanh", atanh, 1.0, false, false, 0},
    {"chlo.asin", asin, 2.0, false, false, 0},
    {"chlo.acos", acos, 2.0, false, false, 0},
    {"chlo.atan", atan, 2.0, false, false, 0},
    {"chlo.erf", erf, 2.0, false, true, 0},
    {"chlo.erfc", erfc, 1.0, false, false, 0},
    {"chlo.erf_inv", scalar_erf_inv, 1.5, false, false, 0},
    {"chlo.lgamma", scalar_lgamma, 1.0, false, true, 1},
    {"chlo.digamma", scalar_digamma, 1.0, false, false, 1},
    {"chlo.bessel_i1e", scalar_bessel_i1e, 1.0, false, false, 0},
    {"stablehlo.exponential", exp, 1.5, true, true, 0},
    {"stablehlo.log", log, 1.5, true, false, 0},
    {"stablehlo.exponential_minus_one", expm1, 1.5, true, true, 0},
    {"stablehlo.log_plus_one", log1p, 1.5, true, true, 0},
    {"stablehlo.logistic", logistic, 3.5, true, true, 0},
    {"chlo.digamma", scalar_digamma, 128, true, false, 1},
    {"chlo.bessel_i1e", scalar_bessel_i1e, 6.0, true, true, 0},
    {"chlo.erf_inv", scalar_erf_inv, 8.0, true, false, 0},
};

enum { COUNT = 1 << 16 };

// The error in units of the last place of a float (double) of want's size, or of least where that
// is larger.
static double ulp_error(double got, double want, double least, bool is_f64) {
    if (isnan(want) || isinf(want))
        return (isnan(want) && isnan(got)) || got == want ? 0 : (double)INFINITY;
    double largest = is_f64 ? 1.7976931348623157e308 : 3.4028234663852886e38;
    if (isinf(got) && fabs(want) >= largest * (1 - 1e-7)) return 0; // rounds to infinity
    int exponent = want == 0 ? -2000 : ilogb(want), low = is_f64 ? -1022 : -126,
        digits = is_f64 ? 52 : 23;
    if (exponent < low) exponent = low;
    if (fabs(want) < least) exponent = ilogb(least);
    return fabs(got - want) / ldexp(1.0, exponent - digits);
}

enum { DENSE_ROUNDS = 24, NEIGHBOURS = 256 };

// Patterns of floats spread evenly, so numbers of all sizes and both signs; every sixth one from
// [-8, 8].
static float spread_number(int64_t i, uint64_t *state) {
    uint32_t bits = (uint32_t)((uint64_t)i * 0x9E3779B9u);
    float x;
    memcpy(&x, &bits, sizeof x);
    if (i % 6 == 0) x = (float)(16 * ((double)kernel_run_random(state) / 2147483648.0 - 0.5));
    return x;
}

// Around the places where a reduction by ln(2) takes the next multiple, and where results end:
// zero, subnormal numbers, one, infinity.
static float delicate_number(int64_t i) {
    static const float ends[] = {0,     1e-38F,  0.17328680F, 0.93F,  4,      8.3F,    9.01F,
                                 10,    16.6F,   17.32868F,   87.33F, 88.37F, 88.72F,  89,
                                 97.6F, 103.97F, 104,         1e5F,   1e38F,  INFINITY};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    int64_t place = i / (2 * NEIGHBOURS);
    float x = place / 2 < ENDS
                  ? ends[place / 2]
                  : (float)((double)(place / 2 - ENDS) * 0.34657359027997264); // ln(2)/2
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (uint32_t)(i % (2 * NEIGHBOURS)) - NEIGHBOURS; // NaN beyond infinity, and below zero
    memcpy(&x, &bits, sizeof x);
    return place % 2 ? -x : x;
}

// Round 0: all sizes; 1: delicate places; then: sizes from 2^-8 to 2^7.
static void fill(KernelRun *run, bool is_f64, int round) {
    char *data = run->inputs[0]->data;
    uint64_t state = 7 + (uint64_t)round;
    for (int64_t i = 0; i < COUNT; i++) {
        float x = round == 0 ? spread_number(i, &state) : delicate_number(i);
        if (round > 1) {
            double size = ldexp(
                1 + (double)kernel_run_random(&state) / 2147483648.0,
                (int)(kernel_run_random(&state) % 15) - 8);
            x = (float)(i % 2 ? -size : size);
        }
        double wide = (double)x * (is_f64 ? 1 + 1e-9 : 1);
        if (is_f64)
            memcpy(data + 8 * i, &wide, 8);
        else
            memcpy(data + 4 * i, &x, 4);
    }
}

static double number_at(const Tensor *tensor, int64_t i) {
    double x;
    scalar_load_real(
        tensor->type->element,
        (char *)tensor->data + (size_t)i * element_bytes(tensor->type->element), 1, 1, &x);
    return x;
}

static double worst_error(const Function *f, const char *cpu, double *worst_at) {
    Arena *arena = arena_create(NULL, NULL);
    const char *type = f->is_f64 ? "tensor<65536xf64>" : "tensor<65536xf32>";
    const char *arrow =
        strncmp(f->op, "chlo", 4) == 0 ? arena_printf(arena, "%s -> %s", type, type) : type;
    const char *text = arena_printf(
        arena, "func.func @main(%%x: %s) -> %s {\n %%0 = %s %%x : %s\n return %%0 : %s\n}", type,
        type, f->op, arrow, type);
    KernelRun run = {0};
    assert_true(kernel_run_create(&run, arena, text, KERNEL_LOOP, OP_COUNT));
    assert_true(kernel_run_compile(&run, cpu, false));
    double worst = 0;
    for (int round = 0; round < (f->is_dense ? DENSE_ROUNDS : 1); round++) {
        fill(&run, f->is_f64, round);
        kernel_run_execute(&run, 1);
        for (int64_t i = 0; i < COUNT; i++) {
            double x = number_at(run.inputs[0], i), got = number_at(run.outputs[0], i),
                   want = f->reference(x);
            double error = ulp_error(got, want, x < 0 ? f->least : 0, f->is_f64);
            if (got == 0 && want == 0 && !signbit(got) != !signbit(want)) error = (double)INFINITY;
            if (error <= worst) continue;
            worst = error;
            *worst_at = x;
        }
    }
    kernel_run_free(&run);
    arena_free(arena);
    return worst;
}

static void expect_bounds(const char *cpu, bool dense_alone) {
    int failures = 0;
    const bool shows_all = getenv("SHARDC_SHOW_ULP"); // NOLINT(concurrency-mt-unsafe): one thread
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (dense_alone && !functions[i].is_dense) continue;
        double at = 0, error = worst_error(&functions[i], cpu, &at);
        if (shows_all || error > functions[i].ulp)
            print_message(
                "%s %s: %.3f ulp at %a\n", functions[i].op, functions[i].is_f64 ? "f64" : "f32",
                error, at);
        if (error > functions[i].ulp) failures++;
    }
    assert_int_equal(failures, 0);
}

static void functions_are_within_their_bounds(void **state) {
    (void)state;
    expect_bounds(NULL, false);
}

// Without the instructions of AVX-512, some functions take other steps.
static void functions_are_within_their_bounds_with_avx2(void **state) {
    (void)state;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        expect_bounds("haswell", true);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_within_their_bounds),
        cmocka_unit_test(functions_are_within_their_bounds_with_avx2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Fourier transforms, scans and transposes of many shapes beside the evaluator: lengths that fill
// vectors and that do not, powers of two, products, primes, lines that are transformed as matrices,
// dimensions shorter than a vector, tiles at the border.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>

// l3_bytes: the cache around which results are written if they are larger; 0 = the target's.
static void check_beside_cache(
    const char *text, KernelKind kind, double tolerance, int64_t l3_bytes) {
    static const int64_t parts[] = {1, 3};
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {.device_count = 1, .l3_bytes = l3_bytes};
    assert_true(kernel_run_create(&run, arena, text, kind, OP_COUNT));
    assert_true(kernel_run_compile(&run, NULL, false));
    for (int i = 0; i < 2; i++) {
        kernel_run_execute(&run, parts[i]);
        double error = kernel_run_error(&run);
        if (error > tolerance)
            print_message("in %d parts: error %g\n%s", (int)parts[i], error, text);
        assert_true(error <= tolerance);
    }
    kernel_run_free(&run);
    arena_free(arena);
}

static void check(const char *text, KernelKind kind, double tolerance) {
    check_beside_cache(text, kind, tolerance, 0);
}

typedef struct Transform {
    const char *operand, *result, *kind, *lengths;
    double tolerance;
} Transform;

static void transforms_agree_with_the_evaluator(void **state) {
    (void)state;
    static const Transform transforms[] = {
        {"3x1xcomplex<f32>", "3x1xcomplex<f32>", "FFT", "1", 1e-6},
        {"40x16xcomplex<f32>", "40x16xcomplex<f32>", "FFT", "16", 1e-5},
        {"5x30xcomplex<f32>", "5x30xcomplex<f32>", "IFFT", "30", 1e-5},
        {"3x37xcomplex<f32>", "3x37xcomplex<f32>", "FFT", "37", 1e-4},
        {"20x37xcomplex<f64>", "20x37xcomplex<f64>", "IFFT", "37", 1e-12},
        {"3x256xcomplex<f32>", "3x256xcomplex<f32>", "FFT", "256", 1e-4},
        {"2x1000xcomplex<f32>", "2x1000xcomplex<f32>", "IFFT", "1000", 1e-5},
        {"2x8192xcomplex<f32>", "2x8192xcomplex<f32>", "FFT", "8192", 1e-3},
        {"2x8192xcomplex<f64>", "2x8192xcomplex<f64>", "IFFT", "8192", 1e-12},
        {"1x1021xcomplex<f32>", "1x1021xcomplex<f32>", "FFT", "1021", 1e-3},
        {"3x512xf32", "3x257xcomplex<f32>", "RFFT", "512", 1e-4},
        {"3x257xcomplex<f32>", "3x512xf32", "IRFFT", "512", 1e-5},
        {"2x35x7xcomplex<f32>", "2x35x7xcomplex<f32>", "IFFT", "35, 7", 1e-5},
        {"2x9x8x3xcomplex<f32>", "2x9x8x3xcomplex<f32>", "FFT", "9, 8, 3", 1e-4},
        {"2x20x300xcomplex<f32>", "2x20x300xcomplex<f32>", "FFT", "20, 300", 1e-3},
        {"2x20x37xcomplex<f64>", "2x20x37xcomplex<f64>", "IFFT", "20, 37", 1e-12},
        {"2x12x9xcomplex<f32>", "2x12x16xf32", "IRFFT", "12, 16", 1e-5},
        {"5x9xf32", "5x5xcomplex<f32>", "RFFT", "9", 1e-5},
        {"40x34xf32", "40x18xcomplex<f32>", "RFFT", "34", 1e-5},
        {"20x51xcomplex<f64>", "20x100xf64", "IRFFT", "100", 1e-13},
        {"3x74xf64", "3x38xcomplex<f64>", "RFFT", "74", 1e-12},
        {"1x38xcomplex<f32>", "1x74xf32", "IRFFT", "74", 1e-5},
        {"1x16384xf32", "1x8193xcomplex<f32>", "RFFT", "16384", 1e-3},
        {"1x8193xcomplex<f32>", "1x16384xf32", "IRFFT", "16384", 1e-6},
        {"2x20x36xf32", "2x20x19xcomplex<f32>", "RFFT", "20, 36", 1e-4},
        {"2x3x4x34xcomplex<f64>", "2x3x4x66xf64", "IRFFT", "3, 4, 66", 1e-13},
    };
    for (size_t i = 0; i < sizeof transforms / sizeof transforms[0]; i++) {
        const Transform *t = &transforms[i];
        char text[512];
        snprintf(
            text, sizeof text,
            "func.func @main(%%a: tensor<%s>) -> tensor<%s> {\n"
            "%%0 = stablehlo.fft %%a, type = %s, length = [%s] : (tensor<%s>) -> tensor<%s>\n"
            "return %%0 : tensor<%s>\n}\n",
            t->operand, t->result, t->kind, t->lengths, t->operand, t->result, t->result);
        check(text, KERNEL_FFT, t->tolerance);
    }
}

typedef struct Scan {
    int dims[2], serial; // the dimension along which it steps
    const char *type;
    bool is_reversed;
} Scan;

static void scan_text(char text[1024], const Scan *x) {
    const char *t = x->type;
    int window[2] = {1, 1}, low[2] = {0, 0}, high[2] = {0, 0};
    window[x->serial] = x->dims[x->serial];
    (x->is_reversed ? high : low)[x->serial] = x->dims[x->serial] - 1;
    char array[64];
    snprintf(array, sizeof array, "tensor<%dx%dx%s>", x->dims[0], x->dims[1], t);
    snprintf(
        text, 1024,
        "func.func @main(%%a: %s) -> %s {\n"
        "%%z = stablehlo.constant dense<%s> : tensor<%s>\n"
        "%%0 = \"stablehlo.reduce_window\"(%%a, %%z) ({\n"
        "^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n"
        "%%1 = stablehlo.add %%p, %%q : tensor<%s>\n"
        "stablehlo.return %%1 : tensor<%s>\n"
        "}) {window_dimensions = array<i64: %d, %d>, padding = dense<[[%d, %d], [%d, %d]]> : "
        "tensor<2x2xi64>} : (%s, tensor<%s>) -> %s\n"
        "return %%0 : %s\n}\n",
        array, array, t[0] == 'i' ? "0" : "0.0", t, t, t, t, t, window[0], window[1], low[0],
        high[0], low[1], high[1], array, t, array, array);
}

static void scans_agree_with_the_evaluator(void **state) {
    (void)state;
    static const int sizes[][2] = {{64, 64}, {70, 130}, {16, 200}, {130, 17}, {15, 40}, {40, 15}};
    static const char *const types[] = {"f32", "f64", "i32", "i8", "i16"};
    char text[1024];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int k = 0; k < 20; k++) {
            Scan scan = {{sizes[i][0], sizes[i][1]}, k & 1, types[k / 4], k & 2};
            scan_text(text, &scan);
            check(text, KERNEL_WINDOW, 1e-4);
        }
    }
}

// Rows that begin lines of memory, and rows that do not.
static void scans_around_the_caches_agree_with_the_evaluator(void **state) {
    (void)state;
    static const int sizes[][2] = {{20, 26224}, {18, 29130}}; // steps, others
    char text[1024];
    for (int k = 0; k < 4; k++) {
        int steps = sizes[k & 1][0], others = sizes[k & 1][1], serial = k >> 1 & 1;
        Scan scan = {{serial ? others : steps, serial ? steps : others}, serial, "f64", !(k & 1)};
        scan_text(text, &scan);
        check_beside_cache(text, KERNEL_WINDOW, 1e-12, 1 << 20);
    }
}

static void transposes_agree_with_the_evaluator(void **state) {
    (void)state;
    static const char *const types[] = {"f32", "bf16", "i8", "f64", "complex<f64>"};
    static const int sizes[][2] = {{256, 256}, {300, 270}, {33, 129}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
            int rows = sizes[i][0], columns = sizes[i][1];
            const char *type = types[k];
            char text[512];
            snprintf(
                text, sizeof text,
                "func.func @main(%%a: tensor<%dx%dx%s>, %%b: tensor<%dx%dx%s>) -> tensor<%dx%dx%s> "
                "{\n"
                "%%0 = stablehlo.transpose %%a, dims = [1, 0] : (tensor<%dx%dx%s>) -> "
                "tensor<%dx%dx%s>\n"
                "%%1 = stablehlo.add %%0, %%b : tensor<%dx%dx%s>\n"
                "return %%1 : tensor<%dx%dx%s>\n}\n",
                rows, columns, type, columns, rows, type, columns, rows, type, rows, columns, type,
                columns, rows, type, columns, rows, type, columns, rows, type);
            check(text, KERNEL_LOOP, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_agree_with_the_evaluator),
        cmocka_unit_test(scans_agree_with_the_evaluator),
        cmocka_unit_test(scans_around_the_caches_agree_with_the_evaluator),
        cmocka_unit_test(transposes_agree_with_the_evaluator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

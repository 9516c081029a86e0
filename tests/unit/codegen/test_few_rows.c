// Matrix products with few rows or columns beside the evaluator: both memory orders of the large
// operand, all element types and ISA levels, lines and k's that leave parts of vectors; operands
// that are slices, transposed, converted or computed.
#include "product_run.h"

static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4"};
enum { CPUS = sizeof cpus / sizeof cpus[0] };

static bool runs_here(const char *cpu) {
    Arena *arena = arena_create(NULL, NULL);
    Diags *diags = diags_create(arena);
    Target target;
    bool runs =
        target_select(arena, NULL, cpu, 2, &target, diags) && target_runs_here(&target, diags);
    arena_free(arena);
    return runs;
}

// batch, rows, lines, k
static const int64_t sizes[][4] = {
    {0, 1, 1, 1},     {0, 1, 77, 100},  {2, 2, 33, 37},  {0, 3, 130, 64},  {3, 5, 70, 31},
    {0, 8, 4200, 18}, {0, 12, 65, 129}, {0, 13, 40, 70}, {0, 16, 97, 200}, {0, 17, 66, 35},
    {2, 25, 97, 18},  {0, 32, 130, 66}, {0, 9, 513, 70}, {2, 26, 33, 100}};

static void all_rows(void **state) {
    (void)state;
    static const char *const types[] = {"bf16", "f32", "f16", "f64"};
    for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]) * 8; i++) {
        const int64_t *size = sizes[i / 8];
        bool is_turned = i & 4; // the large operand is A
        int64_t m = is_turned ? size[2] : size[1], n = is_turned ? size[1] : size[2];
        for (int cpu = 0; cpu < CPUS; cpu++) {
            // every second one, the others at the next size
            if ((i + i / 8 + cpu) % 2 || !runs_here(cpus[cpu])) continue;
            const char *type = types[(cpu + i / 8) % 4];
            if (cpu == 3 && i / 8 % 2 == 0) type = "bf16";
            double tolerance = strcmp(type, "bf16") == 0 ? 0x1p-7 : 1e-3;
            check_product_on(
                cpus[cpu], (Product){size[0], m, n, size[3], i & 1, i & 2, type, type, type},
                tolerance);
        }
    }
}

// Rows that registers take in parts, over several windows of lines and parts of blocks of k's: the
// later parts read what the first has kept.
static void rows_in_parts(void **state) {
    (void)state;
    static const char *const types[] = {"i8", "ui8", "i16", "bf16", "f32"};
    static const int64_t many[][3] = {{16, 1601, 37}, {9, 130, 77}, {13, 900, 66}, {32, 450, 35}};
    for (int i = 0; i < (int)(sizeof many / sizeof many[0]); i++) {
        for (int t = 0; t < 5; t++) {
            const char *cpu = cpus[(i + t) % CPUS], *type = types[t];
            if (!runs_here(cpu)) continue;
            const char *result = t < 3 ? "i32" : type;
            bool is_turned = (i + t) % 2;
            int64_t m = many[i][is_turned], n = many[i][!is_turned];
            check_product_on(
                cpu, (Product){0, m, n, many[i][2], is_turned, false, type, type, result},
                t < 3 ? 0 : 0x1p-6);
        }
    }
}

static const char *const operands[] = {
    // a slice of a larger array, of which two dimensions make K
    "%1 = stablehlo.slice %b [1:3, 0:40, 2:35] : (tensor<4x40x36xf32>) -> tensor<2x40x33xf32>\n"
    "%2 = stablehlo.reshape %1 : (tensor<2x40x33xf32>) -> tensor<80x33xf32>\n",
    // transposed and computed
    "%0 = stablehlo.slice %b [0:1, 0:33, 0:36] : (tensor<4x40x36xf32>) -> tensor<1x33x36xf32>\n"
    "%3 = stablehlo.reshape %0 : (tensor<1x33x36xf32>) -> tensor<33x36xf32>\n"
    "%4 = stablehlo.pad %3, %c, low = [0, 0], high = [0, 44], interior = [0, 0] : "
    "(tensor<33x36xf32>, tensor<f32>) -> tensor<33x80xf32>\n"
    "%1 = stablehlo.tanh %4 : tensor<33x80xf32>\n"
    "%2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<33x80xf32>) -> tensor<80x33xf32>\n",
    // rounded: not what memory holds
    "%0 = stablehlo.slice %b [0:2, 0:40, 0:33] : (tensor<4x40x36xf32>) -> tensor<2x40x33xf32>\n"
    "%3 = stablehlo.convert %0 : (tensor<2x40x33xf32>) -> tensor<2x40x33xbf16>\n"
    "%1 = stablehlo.convert %3 : (tensor<2x40x33xbf16>) -> tensor<2x40x33xf32>\n"
    "%2 = stablehlo.reshape %1 : (tensor<2x40x33xf32>) -> tensor<80x33xf32>\n"};

static void expressions(void **state) {
    (void)state;
    char text[TEXT_SIZE];
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        for (int rows = 1; rows <= 16; rows += 5) {
            snprintf(
                text, sizeof text,
                "func.func @main(%%a: tensor<%dx80xf32>, %%b: tensor<4x40x36xf32>, %%c: "
                "tensor<f32>) -> tensor<%dx33xf32> {\n%s"
                "%%9 = stablehlo.dot_general %%a, %%2, contracting_dims = [1] x [0] : "
                "(tensor<%dx80xf32>, tensor<80x33xf32>) -> tensor<%dx33xf32>\n"
                "return %%9 : tensor<%dx33xf32>\n}\n",
                rows, rows, operands[i], rows, rows, rows);
            check_text_on(NULL, text, 1, 1e-4);
        }
    }
}

// Is this product of f32 made by the micro-kernel, for a CPU with registers of 64 bytes?
static bool is_blocked(int64_t m, int64_t n, int64_t k) {
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    char text[TEXT_SIZE];
    product_text(text, &(Product){0, m, n, k, false, false, "f32", "f32", "f32"});
    assert_true(kernel_run_create(&run, arena, text, KERNEL_CONTRACT, OP_DOT_GENERAL));
    assert_true(kernel_run_compile(&run, "x86-64-v4", true));
    bool found = strstr(arena_cstring(arena, run.assembly), "microkernel") != NULL;
    kernel_run_free(&run);
    arena_free(arena);
    return found;
}

// A's rows are multiplied as they lie where they fill tiles, also rows that meet in few sets of the
// cache; else the columns are few rows. So are B's, beside few rows of A.
static void columns_that_fill_tiles(void **state) {
    (void)state;
    if (runs_here("x86-64-v4")) {
        assert_true(is_blocked(128, 32, 1040));
        assert_true(is_blocked(128, 32, 1024));
        assert_true(is_blocked(128, 12, 1040));
        assert_false(is_blocked(128, 16, 1024));
        assert_false(is_blocked(128, 8, 1040));
        assert_true(is_blocked(32, 128, 1040));  // B's vectors, from the second-level cache
        assert_false(is_blocked(32, 128, 8192)); // which does not hold them
        assert_true(is_blocked(32, 120, 1040));  // the last one in part
    }
    static const int64_t many[][4] = {{0, 61, 32, 1024}, {0, 61, 30, 1040}, {2, 40, 64, 1024},
                                      {0, 33, 12, 2048}, {3, 16, 17, 600},  {0, 9, 9, 1100},
                                      {0, 7, 35, 90},    {2, 20, 47, 33},   {0, 40, 129, 65}};
    for (int i = 0; i < (int)(sizeof many / sizeof many[0]) * CPUS; i++) {
        const int64_t *size = many[i / CPUS];
        const char *cpu = cpus[i % CPUS], *type = i & 1 ? "f32" : "f64";
        Product p = {size[0], size[1], size[2], size[3], false, i & 2, type, type, type};
        if (runs_here(cpu)) check_product_on(cpu, p, 1e-3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rows), cmocka_unit_test(rows_in_parts), cmocka_unit_test(expressions),
        cmocka_unit_test(columns_that_fill_tiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Matrix products by the CPU's tile registers, and with few rows, beside the evaluator: every size
// that leaves part of a tile, every memory order. On other CPUs the same programs run by vectors.
#include "product_run.h"

static bool check_text(const char *text, int64_t devices, double tolerance) {
    return check_text_on(NULL, text, devices, tolerance);
}

static bool check_product(Product p, double tolerance) {
    return check_product_on(NULL, p, tolerance);
}

static const int64_t sizes[][3] = {{1, 1, 1},    {1, 16, 33},   {5, 3, 2},    {16, 17, 31},
                                   {17, 16, 64}, {33, 65, 130}, {20, 64, 33}, {3, 200, 70},
                                   {200, 3, 65}, {70, 130, 400}};

static void all_sizes_in_all_orders(void **state) {
    (void)state;
    bool has_tiles = false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int order = 0; order < 4; order++) {
            Product p = {0,         sizes[i][0], sizes[i][1], sizes[i][2], order & 1,
                         order & 2, "bf16",      "bf16",      "f32"};
            has_tiles = check_product(p, 2e-3);
        }
    }
    if (!has_tiles)
        print_message("this CPU has no tile registers for bf16: checked without them\n");
}

// At most four rows or columns: the large operand is not packed.
static void few_rows(void **state) {
    (void)state;
    static const int64_t few[][4] = {
        {0, 1, 5000, 9}, {3, 2, 70, 300}, {2, 33, 3, 37}, {0, 4, 4, 1}, {5, 1, 1, 50}};
    static const char *const types[] = {"f32", "f64", "bf16"};
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        for (int kind = 0; kind < 12; kind++) {
            const char *type = types[kind >> 2];
            Product p = {few[i][0], few[i][1], few[i][2], few[i][3], kind & 1,
                         kind & 2,  type,      type,      type};
            check_product(p, kind >= 8 ? 0x1p-7 : 1e-4);
        }
    }
}

static void bytes_are_exact(void **state) {
    (void)state;
    static const char *const types[] = {"i8", "ui8"};
    for (int kind = 0; kind < 4; kind++) {
        Product p = {0, 33, 50, 70, kind & 1, kind & 2, types[kind & 1], types[kind >> 1], "i32"};
        if (strcmp(p.lhs, p.rhs) != 0) continue; // StableHLO multiplies equal types
        check_product(p, 0);
        p = (Product){2, 7, 18, 200, !(kind & 1), kind & 2, p.lhs, p.rhs, p.lhs};
        check_product(p, 0);
    }
}

static void results_are_rounded_once(void **state) {
    (void)state;
    check_product((Product){0, 64, 96, 1100, false, false, "bf16", "bf16", "bf16"}, 0x1p-7);
    check_product((Product){3, 40, 33, 50, true, true, "bf16", "bf16", "bf16"}, 0x1p-7);
}

// A is gathered from the neighbours, B computed; contracted over two dimensions.
static void operands_are_expressions(void **state) {
    (void)state;
    static const char text[] =
        "func.func @main(%a: tensor<37x20x2xbf16>, %b: tensor<4x20x50xf32>) -> tensor<37x50xbf16> "
        "{\n"
        "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 2 : i64, replica_groups = dense<[[0, "
        "2], [3, 1]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, "
        "type "
        "= 0>, use_global_device_ids}> : (tensor<37x20x2xbf16>) -> tensor<37x20x4xbf16>\n"
        "%1 = stablehlo.tanh %b : tensor<4x20x50xf32>\n"
        "%2 = stablehlo.convert %1 : (tensor<4x20x50xf32>) -> tensor<4x20x50xbf16>\n"
        "%3 = stablehlo.dot_general %0, %2, contracting_dims = [1, 2] x [1, 0] : "
        "(tensor<37x20x4xbf16>, tensor<4x20x50xbf16>) -> tensor<37x50xbf16>\n"
        "return %3 : tensor<37x50xbf16>\n"
        "}\n";
    check_text(text, 4, 0x1p-7);
}

static bool uses_tiles(const char *cpu, const char *instruction) {
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    char text[TEXT_SIZE];
    product_text(text, &(Product){0, 64, 64, 64, false, false, "bf16", "bf16", "f32"});
    assert_true(kernel_run_create(&run, arena, text, KERNEL_CONTRACT, OP_DOT_GENERAL));
    assert_true(kernel_run_compile(&run, cpu, true));
    bool found = strstr(arena_cstring(arena, run.assembly), instruction) != NULL;
    kernel_run_free(&run);
    arena_free(arena);
    return found;
}

static void the_target_decides(void **state) {
    (void)state;
    assert_true(uses_tiles("sapphirerapids", "tdpbf16ps"));
    assert_true(uses_tiles("sapphirerapids", "tilerelease"));
    assert_false(uses_tiles("x86-64-v4", "tile"));
    assert_false(uses_tiles("znver5", "tdpbf16ps"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes_in_all_orders),  cmocka_unit_test(few_rows),
        cmocka_unit_test(bytes_are_exact),          cmocka_unit_test(results_are_rounded_once),
        cmocka_unit_test(operands_are_expressions), cmocka_unit_test(the_target_decides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

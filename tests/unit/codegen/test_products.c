// Matrix products and convolutions by every row of codegen/target/targets.def that this machine can
// run, beside the evaluator: sizes that leave parts of tiles and of groups of k's, every memory
// order; and the instructions that the others emit.
#include "product_run.h"

// Levels with other rows each: fused multiply-adds of 4, 8 and 16 lanes, dots of pairs and of four.
static const char *const cpus[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "cascadelake", "znver4"};
enum { CPUS = sizeof cpus / sizeof cpus[0] };

static bool runs_here(const char *cpu) {
    Arena *arena = arena_create(NULL, NULL);
    Diags *diags = diags_create(arena);
    Target target;
    bool runs =
        target_select(arena, NULL, cpu, 2, &target, diags) && target_runs_here(&target, diags);
    arena_free(arena);
    if (!runs) print_message("this machine cannot run code for %s: not checked\n", cpu);
    return runs;
}

static const int64_t sizes[][3] = {{1, 1, 1},     {5, 6, 3},      {15, 33, 31},
                                   {16, 40, 64},  {29, 97, 70},   {7, 130, 66},
                                   {61, 20, 257}, {40, 70, 1031}, {1, 90, 700}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

// Each size in one memory order, another one for each CPU.
static void check_all(const char *type, const char *result, double tolerance) {
    for (int cpu = 0; cpu < CPUS; cpu++) {
        if (!runs_here(cpus[cpu])) continue;
        for (int i = 0; i < SIZES; i++) {
            const int64_t *size = sizes[i];
            int order = i + cpu;
            Product p = {0, size[0], size[1], size[2], order & 1, order & 2, type, type, result};
            check_product_on(cpus[cpu], p, tolerance);
        }
    }
}

// Products of bf16 are exact in f32, and are summed in it: the error is that of the sums.
static void bf16_in_f32(void **state) {
    (void)state;
    check_all("bf16", "f32", 1e-3);
}

static void bf16_rounded_once(void **state) {
    (void)state;
    check_all("bf16", "bf16", 0x1p-7);
}

static void floats(void **state) {
    (void)state;
    check_all("f16", "f32", 1e-3);
    check_all("f32", "f32", 1e-3);
    check_all("f64", "f64", 1e-12);
}

static void integers_are_exact(void **state) {
    (void)state;
    static const char *const types[] = {"i8", "ui8", "i16"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        check_all(types[i], "i32", 0);
    check_all("i8", "i8", 0); // wraps
}

// C's sums wait in the scratch between the blocks of K, and B is packed a block at a time.
static void long_sums(void **state) {
    (void)state;
    check_product_on(NULL, (Product){0, 30, 1100, 9001, false, true, "bf16", "bf16", "f32"}, 2e-3);
    check_product_on(NULL, (Product){2, 500, 40, 5000, true, false, "f32", "f32", "f32"}, 2e-3);
}

static void check_convolution_text(const char *text, double tolerance) {
    for (int cpu = 0; cpu < CPUS; cpu++) {
        if (!runs_here(cpus[cpu])) continue;
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run = {.device_count = 1};
        assert_true(kernel_run_create(&run, arena, text, KERNEL_CONV, OP_CONVOLUTION));
        assert_true(kernel_run_compile(&run, cpus[cpu], false));
        kernel_run_execute(&run, 3);
        double error = kernel_run_error(&run);
        if (!(error <= tolerance)) print_message("%s %s: error %g\n", cpus[cpu], text, error);
        assert_true(error <= tolerance);
        kernel_run_free(&run);
        arena_free(arena);
    }
}

// features: of the image in a group.
static void check_convolution(
    const char *type, int64_t features, int64_t groups, double tolerance) {
    char text[TEXT_SIZE];
    const char *result = type[0] == 'i' || type[0] == 'u' ? "i32" : "f32";
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<2x13x17x%dx%s>, %%b: tensor<3x3x%dx21x%s>) -> "
        "tensor<2x7x17x21x%s> {\n"
        "%%0 = stablehlo.convolution(%%a, %%b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
        "f], window = {stride = [2, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
        "feature_group_count = %d : i64} : (tensor<2x13x17x%dx%s>, tensor<3x3x%dx21x%s>) -> "
        "tensor<2x7x17x21x%s>\n"
        "return %%0 : tensor<2x7x17x21x%s>\n}\n",
        (int)(groups * features), type, (int)features, type, result, (int)groups,
        (int)(groups * features), type, (int)features, type, result, result);
    check_convolution_text(text, tolerance);
}

static void convolutions(void **state) {
    (void)state;
    for (int64_t features = 1; features <= 8; features++) {
        check_convolution("bf16", features, 1, 1e-4);
        check_convolution("i8", features, 1, 0);
    }
    check_convolution("f32", 6, 1, 1e-4);
}

// A window's rows do not fit into the first-level cache: tiles go down the image.
static void wide_images(void **state) {
    (void)state;
    check_convolution_text(
        "func.func @main(%a: tensor<2x5x1011x5xf32>, %b: tensor<3x2x5x7xf32>) -> "
        "tensor<2x6x1009x7xf32> {\n"
        "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {pad = [[1, 2], [0, 0]], rhs_dilate = [1, 2], reverse = [true, false]} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<2x5x1011x5xf32>, tensor<3x2x5x7xf32>) -> tensor<2x6x1009x7xf32>\n"
        "return %0 : tensor<2x6x1009x7xf32>\n}\n",
        1e-4);
}

// Too few pixels in a row for a tile: images are packed, some k's of several places at a time.
static void small_images(void **state) {
    (void)state;
    check_convolution_text(
        "func.func @main(%a: tensor<5x6x6x40xf32>, %b: tensor<3x3x40x100xf32>) -> "
        "tensor<5x3x3x100xf32> {\n"
        "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {stride = [2, 2], pad = [[1, 0], [0, 1]]} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<5x6x6x40xf32>, tensor<3x3x40x100xf32>) -> tensor<5x3x3x100xf32>\n"
        "return %0 : tensor<5x3x3x100xf32>\n}\n",
        1e-4);
}

// Even numbers of features are multiplied in pairs, where the CPU has that.
static void convolutions_in_groups(void **state) {
    (void)state;
    static const char *const types[] = {"bf16", "i8", "ui8", "i16", "f32"};
    for (int64_t features = 1; features <= 6; features++) {
        for (int t = 0; t < 5; t++) {
            if (t > 0 && (features + t) % 4 != 0) continue;
            double tolerance = types[t][0] == 'b' || types[t][0] == 'f' ? 1e-4 : 0;
            check_convolution(types[t], features, features % 3 == 0 ? 21 : 7, tolerance);
        }
    }
    check_convolution("bf16", 8, 3, 1e-4);
    check_convolution("bf16", 7, 3, 1e-4);
}

static bool emits(const char *cpu, const char *type, const char *result, const char *instruction) {
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    char text[TEXT_SIZE];
    product_text(text, &(Product){0, 64, 64, 64, false, false, type, type, result});
    assert_true(kernel_run_create(&run, arena, text, KERNEL_CONTRACT, OP_DOT_GENERAL));
    assert_true(kernel_run_compile(&run, cpu, true));
    bool found = strstr(arena_cstring(arena, run.assembly), instruction) != NULL;
    kernel_run_free(&run);
    arena_free(arena);
    return found;
}

static void the_target_decides(void **state) {
    (void)state;
    assert_true(emits("znver4", "bf16", "f32", "vdpbf16ps"));
    assert_true(emits("znver4", "bf16", "bf16", "vdpbf16ps"));
    assert_true(emits("znver4", "bf16", "bf16", "vcvtneps2bf16"));
    assert_false(emits("x86-64-v4", "bf16", "bf16", "vcvtneps2bf16"));
    assert_true(emits("znver4", "i8", "i32", "vpdpbusd"));
    assert_true(emits("cascadelake", "ui8", "i32", "vpdpwssd"));
    assert_true(emits("cascadelake", "i16", "i32", "vpdpwssd"));
    assert_true(emits("x86-64-v4", "i8", "i32", "vpmaddwd"));
    assert_true(emits("x86-64-v3", "i16", "i32", "vpmaddwd"));
    assert_false(emits("x86-64-v4", "bf16", "f32", "vdpbf16ps"));
    assert_false(emits("znver4", "f32", "f32", "vdpbf16ps"));
    assert_false(emits("znver4", "ui16", "i32", "vpdpwssd"));
}

static ElementType packed_bf16(const char *features, ContractUse use) {
    const Target target = {.isa = ISA_AVX512, .features = features};
    return target_contract(&target, ELEMENT_BF16, ELEMENT_BF16, ELEMENT_F32, use)->packed_rhs;
}

// Intel's CPUs without AMX multiply f32 faster than pairs of bf16, but for one row.
static void slow_pairs_are_widened(void **state) {
    (void)state;
    const char *intel = "+avx512bf16,+avx512fp16", *amd = "+avx512bf16,+avx512fp16,+sse4a",
               *tiles = "+amx-bf16,+amx-tile,+avx512bf16,+avx512fp16";
    assert_int_equal(packed_bf16(intel, CONTRACT_TILES), ELEMENT_F32);
    assert_int_equal(packed_bf16(intel, CONTRACT_VECTORS), ELEMENT_F32);
    assert_int_equal(packed_bf16(intel, CONTRACT_ONE_ROW), ELEMENT_BF16);
    assert_int_equal(packed_bf16(amd, CONTRACT_VECTORS), ELEMENT_BF16);
    assert_int_equal(packed_bf16("+avx512bf16", CONTRACT_VECTORS), ELEMENT_BF16);
    assert_int_equal(packed_bf16(tiles, CONTRACT_VECTORS), ELEMENT_BF16);
    assert_int_equal(packed_bf16(tiles, CONTRACT_TILES), ELEMENT_BF16);
}

// Vectors that micro-kernels move to the stack and back; their parameters lie there, too.
static int spills(const char *assembly) {
    int count = 0;
    bool inside = false;
    for (const char *line = assembly; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        int length = (int)strcspn(line, "\n");
        char text[TEXT_SIZE];
        snprintf(text, sizeof text, "%.*s", length, line);
        if (strncmp(text, "microkernel", 11) == 0) inside = true;
        if (strstr(text, "func_end")) inside = false;
        bool is_vector = strstr(text, "%ymm") || strstr(text, "%zmm");
        count += inside && is_vector && strstr(text, "(%rsp)");
    }
    return count;
}

static void stays_in_registers(const char *cpu, const char *text, KernelKind kind, OpCode root) {
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run = {0};
    assert_true(kernel_run_create(&run, arena, text, kind, root));
    assert_true(kernel_run_compile(&run, cpu, true));
    const char *assembly = arena_cstring(arena, run.assembly);
    assert_non_null(strstr(assembly, "\nmicrokernel"));
    if (spills(assembly)) fail_msg("%s: %s", cpu, text);
    kernel_run_free(&run);
    arena_free(arena);
}

static void tiles_stay_in_registers(void **state) {
    (void)state;
    static const char *const types[][2] = {{"f32", "f32"}, {"f64", "f64"}, {"i16", "i32"}};
    static const int64_t columns[] = {40, 48, 64, 257};
    for (int i = 0; i < 3 * 4; i++) {
        const char *const *type = types[i % 3];
        char text[TEXT_SIZE];
        Product product = {0, 255, columns[i / 3], 300, false, false, type[0], type[0], type[1]};
        product_text(text, &product);
        stays_in_registers("x86-64-v3", text, KERNEL_CONTRACT, OP_DOT_GENERAL);
        stays_in_registers("x86-64-v4", text, KERNEL_CONTRACT, OP_DOT_GENERAL);
    }
    // tiles of one vector
    stays_in_registers(
        "x86-64-v3",
        "func.func @main(%a: tensor<2x28x28x64xf32>, %b: tensor<3x3x8x64xf32>) -> "
        "tensor<2x28x28x64xf32> {\n"
        "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
        "feature_group_count = 8 : i64} : (tensor<2x28x28x64xf32>, tensor<3x3x8x64xf32>) -> "
        "tensor<2x28x28x64xf32>\n"
        "return %0 : tensor<2x28x28x64xf32>\n}\n",
        KERNEL_CONV, OP_CONVOLUTION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_stay_in_registers),
        cmocka_unit_test(bf16_in_f32),
        cmocka_unit_test(bf16_rounded_once),
        cmocka_unit_test(floats),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(long_sums),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(wide_images),
        cmocka_unit_test(small_images),
        cmocka_unit_test(convolutions_in_groups),
        cmocka_unit_test(the_target_decides),
        cmocka_unit_test(slow_pairs_are_widened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

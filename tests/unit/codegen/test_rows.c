// Kernels that run row by row, beside the evaluator: as data, and as native code
// in one, three and seven parts.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

typedef struct Case {
    const char *name;
    int row_rank; // leading dimensions of every output
    int passes, locals;
    double tolerance; // relative to max(1, |expected|)
    const char *text;
} Case;

#define SUM(x, dims, from, to, element)                                                        \
    "stablehlo.reduce(" x " init: %z) applies stablehlo.add across dimensions = [" dims "] : " \
    "(tensor<" from "x" element ">, tensor<" element ">) -> tensor<" to "x" element ">\n"

#define SOFTMAX(shape, rows, element, low)                                                       \
    "func.func @main(%a: tensor<" shape "x" element ">) -> tensor<" shape "x" element "> {\n"    \
    "%ninf = stablehlo.constant dense<" low "> : tensor<" element ">\n"                          \
    "%z = stablehlo.constant dense<0.0> : tensor<" element ">\n"                                 \
    "%m = stablehlo.reduce(%a init: %ninf) applies stablehlo.maximum across dimensions = [1] : " \
    "(tensor<" shape "x" element ">, tensor<" element ">) -> tensor<" rows "x" element ">\n"     \
    "%mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<" rows "x" element                \
    ">) -> tensor<" shape "x" element ">\n"                                                      \
    "%d = stablehlo.subtract %a, %mb : tensor<" shape "x" element ">\n"                          \
    "%e = stablehlo.exponential %d : tensor<" shape "x" element ">\n"                            \
    "%s = " SUM(                                                                                 \
        "%e", "1", shape, rows,                                                                  \
        element) "%sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<" rows "x" element   \
                 ">) -> tensor<" shape "x" element ">\n"                                         \
                 "%r = stablehlo.divide %e, %sb : tensor<" shape "x" element ">\n"               \
                 "return %r : tensor<" shape "x" element ">\n"                                   \
                 "}\n"

static const Case cases[] = {
    {"softmax_f32", 1, 3, 1, 1e-06, SOFTMAX("65x1003", "65", "f32", "0xFF800000")},
    {"softmax_f64", 1, 3, 1, 1e-14, SOFTMAX("9x130", "9", "f64", "0xFFF0000000000000")},
    {"softmax_f16", 1, 3, 1, 2e-03, SOFTMAX("20x70", "20", "f16", "0xFC00")},
    {"softmax_bf16", 1, 3, 1, 1e-02, SOFTMAX("20x70", "20", "bf16", "0xFF80")},
    {"softmax_of_one_element", 1, 2, 0, 1e-06, SOFTMAX("5x1", "5", "f32", "0xFF800000")},
    // sums in blocks, streamed stores of rows that do not begin at lines
    {"softmax_of_long_rows", 1, 3, 1, 1e-06, SOFTMAX("130x8195", "130", "f32", "0xFF800000")},
    // a row of two dimensions, two sums in one pass, what others need of the row as a whole
    {"norm_and_its_statistics", 2, 2, 0, 2e-06,
     "func.func @main(%a: tensor<3x5x6x40xf32>, %g: tensor<40xf32>) -> (tensor<3x5xf32>, "
     "tensor<3x5x6x40xf32>, tensor<3x5xf32>) {\n"
     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "%n = stablehlo.constant dense<240.0> : tensor<3x5xf32>\n"
     "%s = " SUM(
         "%a", "2, 3", "3x5x6x40", "3x5",
         "f32") "%mean = stablehlo.divide %s, %n : tensor<3x5xf32>\n"
                "%aa = stablehlo.multiply %a, %a : tensor<3x5x6x40xf32>\n"
                "%q = " SUM(
                    "%aa", "2, 3", "3x5x6x40", "3x5",
                    "f32") "%mb = stablehlo.broadcast_in_dim %mean, dims = [0, 1] : "
                           "(tensor<3x5xf32>) -> "
                           "tensor<3x5x6x40xf32>\n"
                           "%qb = stablehlo.broadcast_in_dim %q, dims = [0, 1] : (tensor<3x5xf32>) "
                           "-> "
                           "tensor<3x5x6x40xf32>\n"
                           "%gb = stablehlo.broadcast_in_dim %g, dims = [3] : (tensor<40xf32>) -> "
                           "tensor<3x5x6x40xf32>\n"
                           "%c = stablehlo.subtract %a, %mb : tensor<3x5x6x40xf32>\n"
                           "%y = stablehlo.multiply %c, %gb : tensor<3x5x6x40xf32>\n"
                           "%r = stablehlo.add %y, %qb : tensor<3x5x6x40xf32>\n"
                           "return %mean, %r, %q : tensor<3x5xf32>, tensor<3x5x6x40xf32>, "
                           "tensor<3x5xf32>\n"
                           "}\n"},
};

static void plan_rows(KernelRun *run, Arena *arena, const Case *c) {
    *run = (KernelRun){.device_count = 1};
    assert_true(kernel_run_create(run, arena, c->text, KERNEL_LOOP, OP_COUNT));
    Kernel *kernel = &run->kernel;
    kernel->has_rows = true;
    kernel->row_rank = c->row_rank;
    for (int i = 0; i < kernel->output_count; i++) {
        const Type *type = kernel->outputs[i].value->type;
        for (int d = 0; d < type->rank; d++) {
            kernel->outputs[i].row_axis[d] = (signed char)(d < c->row_rank ? d : -1);
            if (d < c->row_rank) kernel->row_dims[d] = type->dims[d];
        }
    }
}

static void rows_are_passes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run;
        plan_rows(&run, arena, c);
        assert_true(kernel_run_plan(&run, NULL));
        const Stage *stage = run.kernel.stage;
        assert_int_equal(stage->kind, STAGE_ROWS);
        assert_int_equal(stage->rows->pass_count, c->passes);
        assert_int_equal(stage->rows->local_count, c->locals);
        if (type_element_count(run.kernel.outputs[0].value->type) <= 1 << 17) {
            assert_true(kernel_run_evaluate(&run));
            double error = kernel_run_error(&run);
            if (error > c->tolerance) print_message("stage of %s: error %g\n", c->name, error);
            assert_true(error <= c->tolerance);
        }
        arena_free(arena);
    }
}

// Runs the kernel as a whole and in parts, with the same bits where that is asked for.
static void check_in_parts(KernelRun *run, const char *name, double tolerance, bool same_bits) {
    static const int64_t parts[] = {1, 3, 7};
    size_t bytes = type_bytes(run->outputs[0]->type);
    void *whole = arena_alloc(run->arena, bytes);
    for (int k = 0; k < 3; k++) {
        kernel_run_execute(run, parts[k]);
        double error = kernel_run_error(run);
        if (error > tolerance)
            print_message("%s in %d parts: error %g\n", name, (int)parts[k], error);
        assert_true(error <= tolerance);
        if (k == 0) memcpy(whole, run->outputs[0]->data, bytes);
        if (same_bits) assert_memory_equal(run->outputs[0]->data, whole, bytes);
    }
}

static void rows_agree_with_the_evaluator(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Case *c = &cases[i];
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run;
        plan_rows(&run, arena, c);
        assert_true(kernel_run_compile(&run, NULL, false));
        check_in_parts(&run, c->name, c->tolerance, true);
        kernel_run_free(&run);
        arena_free(arena);
    }
}

// Three folds; what the first pass keeps, the costly second one reads and overwrites.
#define ROWS "tensor<130x8195xf32>"
#define SUM_OF_ROWS(x)                                                                        \
    "stablehlo.reduce(" x " init: %z) applies stablehlo.add across dimensions = [1] : (" ROWS \
    ", tensor<f32>) -> tensor<130xf32>\n"
#define OF_ROWS(x) "stablehlo.broadcast_in_dim " x ", dims = [0] : (tensor<130xf32>) -> " ROWS "\n"

// clang-format off
static const char three_folds[] =
    "func.func @main(%a: " ROWS ") -> " ROWS " {\n"
    "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "%n = stablehlo.constant dense<8195.0> : tensor<130xf32>\n"
    "%t = stablehlo.logistic %a : " ROWS "\n"
    "%s = " SUM_OF_ROWS("%t")
    "%m = stablehlo.divide %s, %n : tensor<130xf32>\n"
    "%mb = " OF_ROWS("%m")
    "%d = stablehlo.subtract %t, %mb : " ROWS "\n"
    "%e = stablehlo.exponential %d : " ROWS "\n"
    "%h = stablehlo.tanh %e : " ROWS "\n"
    "%u = " SUM_OF_ROWS("%h")
    "%ub = " OF_ROWS("%u")
    "%r = stablehlo.divide %h, %ub : " ROWS "\n"
    "return %r : " ROWS "\n"
    "}\n";
// clang-format on

typedef struct LateCase {
    const char *name, *text;
    double tolerance;
    int late;             // 1 + the pass
    int64_t local_arrays; // of the row's size, in the scratch memory
    bool same_bits;       // in any number of parts
} LateCase;

static const LateCase late_cases[] = {
    {"softmax", SOFTMAX("65x1003", "65", "f32", "0xFF800000"), 1e-06, 2, 1, false},
    {"softmax_f64", SOFTMAX("9x130", "9", "f64", "0xFFF0000000000000"), 1e-14, 2, 1, false},
    {"softmax_bf16", SOFTMAX("20x70", "20", "bf16", "0xFF80"), 1e-02, 2, 1, false},
    {"one row", SOFTMAX("1x300", "1", "f32", "0xFF800000"), 1e-06, 2, 1, false},
    {"whole lines", SOFTMAX("260x4096", "260", "f32", "0xFF800000"), 1e-06, 2, 1, true},
    {"streamed", SOFTMAX("130x8195", "130", "f32", "0xFF800000"), 1e-06, 2, 1, false},
    {"streamed_f64", SOFTMAX("70x8195", "70", "f64", "0xFFF0000000000000"), 1e-14, 2, 1, false},
    {"streamed_bf16", SOFTMAX("513x4099", "513", "bf16", "0xFF80"), 1e-02, 2, 1, false},
    {"kept longer", three_folds, 2e-06, 2, 2, false},
};

// A row's stores are made by a pass over the next row, also where they go around the caches: as
// data, and as native code with one row or many per lane, to rows of memory at any place. Rows of
// whole lines have the same bits in any number of parts.
static void late_stores_agree_with_the_evaluator(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof late_cases / sizeof late_cases[0]; i++) {
        const LateCase *c = &late_cases[i];
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run;
        plan_rows(&run, arena, &(Case){.row_rank = 1, .text = c->text});
        run.stores_late = true;
        run.l3_bytes = 1 << 20;
        assert_true(kernel_run_compile(&run, NULL, false));
        const Rows *rows = run.kernel.stage->rows;
        assert_int_equal(rows->late, c->late);
        int64_t array = rows->locals[0].count * (int64_t)element_bytes(rows->locals[0].element);
        assert_int_equal(rows->local_bytes, c->local_arrays * ((array + 63) / 64 * 64));
        if (type_element_count(run.kernel.outputs[0].value->type) <= 1 << 17) {
            assert_true(kernel_run_evaluate(&run));
            assert_true(kernel_run_error(&run) <= c->tolerance);
        }
        check_in_parts(&run, c->name, c->tolerance, c->same_bits);
        kernel_run_free(&run);
        arena_free(arena);
    }
}

// What a row stores after its passes is not stored late, nor what would need more memory than there
// is.
static void other_rows_are_stored_in_their_turn(void **state) {
    (void)state;
    const Case statistics = cases[sizeof cases / sizeof cases[0] - 1];
    const Case large = {.row_rank = 1, .text = three_folds};
    for (int i = 0; i < 2; i++) {
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run;
        plan_rows(&run, arena, i == 0 ? &statistics : &large);
        assert_true(kernel_run_plan(&run, NULL));
        Stage *stage = run.kernel.stage;
        assert_false(rows_store_late(stage, i == 0 ? INT64_MAX : stage->rows->local_bytes, arena));
        assert_int_equal(stage->rows->late, 0);
        arena_free(arena);
    }
}

static bool reads_ahead(const char *text, bool *scales_floats) {
    Arena *arena = arena_create(NULL, NULL);
    const Case c = {.row_rank = 1, .text = text};
    KernelRun run;
    plan_rows(&run, arena, &c);
    assert_true(kernel_run_compile(&run, "znver4", true));
    const char *code = arena_cstring(arena, run.assembly);
    bool found = strstr(code, "prefetcht1");
    *scales_floats = !strstr(code, "vscalefps") || !strstr(code, "vcvtdq2ps\t%zmm");
    kernel_run_free(&run);
    arena_free(arena);
    return found;
}

// The next row comes from memory while the second pass computes; what stays in the cache is not
// asked for.
static void large_rows_are_read_ahead(void **state) {
    (void)state;
    bool scales_floats = false;
    assert_true(reads_ahead(SOFTMAX("256x4096", "256", "f32", "0xFF800000"), &scales_floats));
    assert_true(scales_floats); // as they were rounded, not from integers
    assert_false(reads_ahead(SOFTMAX("64x256", "64", "f32", "0xFF800000"), &scales_floats));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_passes), cmocka_unit_test(rows_agree_with_the_evaluator),
        cmocka_unit_test(late_stores_agree_with_the_evaluator),
        cmocka_unit_test(other_rows_are_stored_in_their_turn),
        cmocka_unit_test(large_rows_are_read_ahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

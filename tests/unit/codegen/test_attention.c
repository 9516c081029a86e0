// Kernels of attention beside the evaluator: as data, and as native code in one, three and seven
// parts, whose bits are the same.
#include "kernel_run.h"
#include "tests/unit/cmocka_all.h"

typedef enum MaskForm {
    MASK_NONE,
    MASK_CAUSAL, // of indices, minus infinity
    MASK_WINDOW, // of indices: a band
    MASK_INPUT,  // any, as an input
    BIAS_INPUT   // added
} MaskForm;

typedef struct Case {
    const char *name, *element; // of queries, keys, values and weights
    const char *score;          // element of the scores
    int batch, groups, heads;   // heads of queries for each group of keys
    int queries, keys, depth, columns;
    MaskForm mask;
    bool divides_sums; // the product is divided instead of the weights
    double tolerance;
} Case;

static const Case cases[] = {
    {"plain", "f32", "f32", 2, 3, 1, 33, 65, 16, 16, MASK_NONE, false, 1e-5},
    {"causal", "f32", "f32", 1, 2, 1, 130, 130, 32, 32, MASK_CAUSAL, false, 1e-5},
    {"band", "f32", "f32", 1, 1, 1, 97, 97, 8, 8, MASK_WINDOW, true, 1e-5},
    {"any mask", "f32", "f32", 1, 2, 1, 40, 51, 12, 20, MASK_INPUT, false, 1e-5},
    {"bias", "f32", "f32", 2, 1, 2, 17, 129, 16, 8, BIAS_INPUT, false, 1e-5},
    {"groups of heads", "f32", "f32", 1, 2, 4, 24, 24, 16, 16, MASK_CAUSAL, true, 1e-5},
    {"more keys than queries", "f32", "f32", 1, 2, 1, 9, 300, 40, 3, MASK_NONE, true, 1e-5},
    {"f64", "f64", "f64", 1, 2, 1, 41, 70, 24, 17, MASK_CAUSAL, false, 1e-13},
    {"f64 through squares", "f64", "f64", 2, 1, 1, 64, 64, 32, 32, MASK_INPUT, true, 1e-13},
    {"bf16", "bf16", "f32", 1, 2, 2, 49, 65, 32, 32, MASK_CAUSAL, false, 2e-2},
    {"bf16 scores", "bf16", "bf16", 1, 2, 1, 20, 33, 16, 17, MASK_INPUT, true, 4e-2},
    {"f16", "f16", "f32", 1, 1, 3, 16, 80, 24, 24, BIAS_INPUT, false, 4e-3},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

// ---- the program

typedef struct Shapes {
    const char *scores, *rows;
} Shapes;

static Shapes shapes_of(Arena *arena, const Case *c) {
    Shapes s;
    s.rows = arena_printf(arena, "%dx%dx%dx%d", c->batch, c->groups, c->heads, c->queries);
    s.scores = arena_printf(arena, "%sx%d", s.rows, c->keys);
    return s;
}

static void put_arguments(StrBuf *out, const Case *c) {
    strbuf_printf(
        out,
        "func.func @main(%%q: tensor<%dx%dx%dx%dx%dx%s>, %%k: tensor<%dx%dx%dx%dx%s>, %%v: "
        "tensor<%dx%dx%dx%dx%s>",
        c->batch, c->groups, c->heads, c->queries, c->depth, c->element, c->batch, c->groups,
        c->keys, c->depth, c->element, c->batch, c->groups, c->keys, c->columns, c->element);
    if (c->mask == MASK_INPUT)
        strbuf_printf(out, ", %%mask: tensor<%dx%dxi1>", c->queries, c->keys);
    if (c->mask == BIAS_INPUT)
        strbuf_printf(out, ", %%bias: tensor<%dx%dx%s>", c->queries, c->keys, c->score);
    strbuf_printf(
        out, ") -> tensor<%dx%dx%dx%dx%dx%s> {\n", c->batch, c->groups, c->heads, c->queries,
        c->columns, c->element);
}

// %masked from %scaled.
static void put_mask(StrBuf *out, const Case *c, const Shapes *s) {
    const char *in = "%mask", *low = "-1.0e30";
    if (c->mask == MASK_NONE) {
        strbuf_printf(
            out, "%%masked = stablehlo.negate %%scaled : tensor<%sx%s>\n", s->scores, c->score);
        return;
    }
    if (c->mask == BIAS_INPUT) {
        strbuf_printf(
            out,
            "%%biases = stablehlo.broadcast_in_dim %%bias, dims = [3, 4] : "
            "(tensor<%dx%dx%s>) -> tensor<%sx%s>\n"
            "%%masked = stablehlo.add %%scaled, %%biases : tensor<%sx%s>\n",
            c->queries, c->keys, c->score, s->scores, c->score, s->scores, c->score);
        return;
    }
    const char *square = arena_printf(out->arena, "%dx%d", c->queries, c->keys);
    if (c->mask != MASK_INPUT) {
        strbuf_printf(
            out,
            "%%i = stablehlo.iota dim = 0 : tensor<%sxi32>\n%%j = stablehlo.iota dim = 1 : "
            "tensor<%sxi32>\n%%past = stablehlo.compare GE, %%i, %%j : (tensor<%sxi32>, "
            "tensor<%sxi32>) -> tensor<%sxi1>\n",
            square, square, square, square, square);
        in = "%past";
        low = strcmp(c->score, "f64") == 0 ? "0xFFF0000000000000" : "0xFF800000";
    }
    if (c->mask == MASK_WINDOW) {
        strbuf_printf(
            out,
            "%%width = stablehlo.constant dense<11> : tensor<%sxi32>\n%%apart = "
            "stablehlo.subtract %%i, %%j : tensor<%sxi32>\n%%near = stablehlo.compare LT, "
            "%%apart, %%width : (tensor<%sxi32>, tensor<%sxi32>) -> tensor<%sxi1>\n%%band = "
            "stablehlo.and %%past, %%near : tensor<%sxi1>\n",
            square, square, square, square, square, square);
        in = "%band";
    }
    if (strcmp(c->score, "bf16") == 0) low = "-1.0e30";
    strbuf_printf(
        out,
        "%%kept = stablehlo.broadcast_in_dim %s, dims = [3, 4] : (tensor<%sxi1>) -> "
        "tensor<%sxi1>\n%%low = stablehlo.constant dense<%s> : tensor<%sx%s>\n"
        "%%masked = stablehlo.select %%kept, %%scaled, %%low : tensor<%sxi1>, tensor<%sx%s>\n",
        in, square, s->scores, low, s->scores, c->score, s->scores, s->scores, c->score);
}

static void put_reduction(
    StrBuf *out, const char *result, const char *op, const char *x, const char *start,
    const Case *c, const Shapes *s) {
    strbuf_printf(
        out,
        "%s = stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = [4] : "
        "(tensor<%sx%s>, tensor<%s>) -> tensor<%sx%s>\n",
        result, x, start, op, s->scores, c->score, c->score, s->rows, c->score);
}

static void put_softmax(StrBuf *out, const Case *c, const Shapes *s) {
    const char *infinity = strcmp(c->score, "f32") == 0   ? "0xFF800000"
                           : strcmp(c->score, "f64") == 0 ? "0xFFF0000000000000"
                                                          : "0xFF80";
    strbuf_printf(
        out,
        "%%ninf = stablehlo.constant dense<%s> : tensor<%s>\n"
        "%%zero = stablehlo.constant dense<0.0> : tensor<%s>\n",
        infinity, c->score, c->score);
    put_reduction(out, "%max", "maximum", "%masked", "%ninf", c, s);
    strbuf_printf(
        out,
        "%%maxs = stablehlo.broadcast_in_dim %%max, dims = [0, 1, 2, 3] : (tensor<%sx%s>) -> "
        "tensor<%sx%s>\n%%less = stablehlo.subtract %%masked, %%maxs : tensor<%sx%s>\n%%e = "
        "stablehlo.exponential %%less : tensor<%sx%s>\n",
        s->rows, c->score, s->scores, c->score, s->scores, c->score, s->scores, c->score);
    put_reduction(out, "%sum", "add", "%e", "%zero", c, s);
    if (!c->divides_sums)
        strbuf_printf(
            out,
            "%%sums = stablehlo.broadcast_in_dim %%sum, dims = [0, 1, 2, 3] : (tensor<%sx%s>) -> "
            "tensor<%sx%s>\n%%p = stablehlo.divide %%e, %%sums : tensor<%sx%s>\n",
            s->rows, c->score, s->scores, c->score, s->scores, c->score);
    strbuf_printf(
        out, "%%w = stablehlo.convert %s : (tensor<%sx%s>) -> tensor<%sx%s>\n",
        c->divides_sums ? "%e" : "%p", s->scores, c->score, s->scores, c->element);
}

static const char *program_of(Arena *arena, const Case *c) {
    StrBuf out = strbuf(arena);
    Shapes s = shapes_of(arena, c);
    const char *result = arena_printf(arena, "%sx%dx%s", s.rows, c->columns, c->element);
    put_arguments(&out, c);
    strbuf_printf(
        &out,
        "%%raw = stablehlo.dot_general %%q, %%k, batching_dims = [0, 1] x [0, 1], "
        "contracting_dims = [4] x [3] : (tensor<%sx%dx%s>, tensor<%dx%dx%dx%dx%s>) -> "
        "tensor<%sx%s>\n%%scale = stablehlo.constant dense<0.25> : tensor<%sx%s>\n"
        "%%scaled = stablehlo.multiply %%raw, %%scale : tensor<%sx%s>\n",
        s.rows, c->depth, c->element, c->batch, c->groups, c->keys, c->depth, c->element, s.scores,
        c->score, s.scores, c->score, s.scores, c->score);
    put_mask(&out, c, &s);
    put_softmax(&out, c, &s);
    strbuf_printf(
        &out,
        "%%y = stablehlo.dot_general %%w, %%v, batching_dims = [0, 1] x [0, 1], "
        "contracting_dims = [4] x [2] : (tensor<%sx%s>, tensor<%dx%dx%dx%dx%s>) -> tensor<%s>\n",
        s.scores, c->element, c->batch, c->groups, c->keys, c->columns, c->element, result);
    if (c->divides_sums)
        strbuf_printf(
            &out,
            "%%sc = stablehlo.convert %%sum : (tensor<%sx%s>) -> tensor<%sx%s>\n%%sums = "
            "stablehlo.broadcast_in_dim %%sc, dims = [0, 1, 2, 3] : (tensor<%sx%s>) -> "
            "tensor<%s>\n%%z = stablehlo.divide %%y, %%sums : tensor<%s>\n",
            s.rows, c->score, s.rows, c->element, s.rows, c->element, result, result);
    strbuf_printf(&out, "return %s : tensor<%s>\n}\n", c->divides_sums ? "%z" : "%y", result);
    return strbuf_cstring(&out);
}

// ---- the kernel

static void plan_attention(KernelRun *run, Arena *arena, const Case *c) {
    *run = (KernelRun){.device_count = 1, .input_low = -1, .input_high = 1};
    assert_true(kernel_run_create(run, arena, program_of(arena, c), KERNEL_ATTENTION, OP_COUNT));
    const Op *products[2] = {NULL, NULL};
    for (const Op *op = func_body(run->func)->first; op; op = op->next) {
        if (op->code == OP_DOT_GENERAL) products[products[0] ? 1 : 0] = op;
    }
    run->kernel.scores = products[0];
    run->kernel.root = products[1];
}

static void is_near(const KernelRun *run, const Case *c, const char *what) {
    double error = kernel_run_error(run);
    if (!(error <= c->tolerance)) print_message("%s of %s: error %g\n", what, c->name, error);
    assert_true(error <= c->tolerance);
}

static void attention_as_data_agrees_with_the_evaluator(void **state) {
    (void)state;
    for (int i = 0; i < CASE_COUNT; i++) {
        Arena *arena = arena_create(NULL, NULL);
        KernelRun run;
        plan_attention(&run, arena, &cases[i]);
        assert_true(kernel_run_plan(&run, NULL));
        assert_int_equal(run.kernel.stage->kind, STAGE_ATTENTION);
        assert_true(kernel_run_evaluate(&run));
        is_near(&run, &cases[i], "the stage");
        arena_free(arena);
    }
}

// The bits do not depend on how the grid is cut.
static void code_is_right(const Case *c, const char *cpu) {
    static const int64_t parts[] = {1, 3, 7};
    Arena *arena = arena_create(NULL, NULL);
    KernelRun run;
    plan_attention(&run, arena, c);
    assert_true(kernel_run_compile(&run, cpu, false));
    size_t bytes = type_bytes(run.outputs[0]->type);
    void *first = arena_alloc(arena, bytes);
    for (int k = 0; k < 3; k++) {
        kernel_run_execute(&run, parts[k]);
        is_near(&run, c, cpu ? cpu : "the code");
        if (k == 0) memcpy(first, run.outputs[0]->data, bytes);
        assert_memory_equal(first, run.outputs[0]->data, bytes);
    }
    kernel_run_free(&run);
    arena_free(arena);
}

static void attention_agrees_with_the_evaluator(void **state) {
    (void)state;
    for (int i = 0; i < CASE_COUNT; i++)
        code_is_right(&cases[i], NULL);
}

#ifdef __x86_64__
static void older_processors_agree(void **state) {
    (void)state;
    for (int i = 0; i < CASE_COUNT; i++) {
        code_is_right(&cases[i], "x86-64");
        if (__builtin_cpu_supports("avx2")) code_is_right(&cases[i], "haswell");
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_as_data_agrees_with_the_evaluator),
#ifdef __x86_64__
        cmocka_unit_test(older_processors_agree),
#endif
        cmocka_unit_test(attention_agrees_with_the_evaluator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

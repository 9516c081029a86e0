// Programs built op by op.
#define _GNU_SOURCE
#include "tests/api/api_test.h"

#include <math.h>

typedef struct Build {
    shardc_context *context;
    shardc_module *module;
    shardc_func *func;
} Build;

static const char *const vector[] = {"tensor<4xf32>"};

// A module with a 2x2 mesh and the beginning of @main.
static Build begin(
    int count, const char *const *types, const char *const *shardings, const int *gifts) {
    Build build = {0};
    const char *const axes[] = {"x", "y"};
    const int64_t sizes[] = {2, 2};
    succeeds(shardc_context_create(NULL, &build.context));
    succeeds(shardc_module_create(build.context, "built", &build.module));
    succeeds(shardc_build_mesh(build.module, "mesh", 2, axes, sizes));
    succeeds(shardc_func_begin(build.module, "main", count, types, shardings, gifts, &build.func));
    return build;
}

static void finish(Build *build) {
    shardc_module_free(build->module);
    shardc_context_free(build->context);
}

static shardc_value argument(const Build *build, int i) {
    shardc_value value = shardc_func_argument(build->func, i);
    assert_true(value != 0);
    return value;
}

// Compiles, runs, and ends the build.
static void run(Build *build, const void *const *inputs, void *const *outputs) {
    shardc_executable *executable = NULL;
    succeeds(shardc_compile(build->module, NULL, &executable));
    finish(build);
    succeeds(shardc_execute(executable, inputs, outputs));
    shardc_executable_free(executable);
}

enum { BATCH = 8, IN = 6, HIDDEN = 10, OUT = 4 };

static void fill(float *data, int count, int seed) {
    for (int i = 0; i < count; i++)
        data[i] = (float)((i * 7 + seed) % 11 - 5) / 8;
}

static shardc_value matmul(shardc_func *func, shardc_value lhs, shardc_value rhs) {
    const int64_t one[] = {1}, zero[] = {0};
    const shardc_dot_dims dims = {
        .contracting_count = 1, .lhs_contracting = one, .rhs_contracting = zero};
    shardc_value result = 0;
    succeeds(shardc_build_dot_general(func, lhs, rhs, &dims, &result));
    return result;
}

static void expected_mlp(
    const float *x, const float *w1, const float *b, const float *w2, float *out) {
    for (int n = 0; n < BATCH; n++) {
        double hidden[HIDDEN];
        for (int h = 0; h < HIDDEN; h++) {
            double sum = (double)b[h];
            for (int i = 0; i < IN; i++)
                sum += (double)x[n * IN + i] * (double)w1[i * HIDDEN + h];
            hidden[h] = tanh(sum);
        }
        for (int o = 0; o < OUT; o++) {
            double sum = 0;
            for (int h = 0; h < HIDDEN; h++)
                sum += hidden[h] * (double)w2[h * OUT + o];
            out[n * OUT + o] = (float)sum;
        }
    }
}

static void a_sharded_mlp_is_built_printed_and_run(void **state) {
    (void)state;
    const char *const types[] = {
        "tensor<8x6xf32>", "tensor<6x10xf32>", "tensor<10xf32>", "tensor<10x4xf32>"};
    const char *const shardings[] = {
        "<@mesh, [{\"x\"}, {}]>", "<@mesh, [{}, {\"y\"}]>", NULL,
        "#sdy.sharding<@mesh, [{\"y\"}, {}]>"};
    Build build = begin(4, types, shardings, NULL);
    shardc_func *func = build.func;
    const int64_t dims[] = {BATCH, HIDDEN}, last[] = {1};
    shardc_value bias, sum, hidden, fixed, result;
    shardc_value first = matmul(func, argument(&build, 0), argument(&build, 1));
    succeeds(shardc_build_broadcast_in_dim(func, argument(&build, 2), 2, dims, 1, last, &bias));
    succeeds(shardc_build_binary(func, "stablehlo.add", first, bias, &sum));
    succeeds(shardc_build_unary(func, "stablehlo.tanh", sum, &hidden));
    succeeds(shardc_build_sharding_constraint(func, hidden, "<@mesh, [{\"x\"}, {\"y\"}]>", &fixed));
    result = matmul(func, fixed, argument(&build, 3));
    const char *const result_shardings[] = {"<@mesh, [{\"x\"}, {}]>"};
    succeeds(shardc_func_finish(func, 1, &result, result_shardings));

    const char *text = NULL;
    shardc_module *again = NULL;
    succeeds(shardc_module_text(build.module, &text));
    assert_non_null(strstr(text, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>"));
    assert_non_null(strstr(text, "stablehlo.tanh"));
    assert_non_null(strstr(text, "sdy.sharding_constraint"));
    succeeds(shardc_module_parse(build.context, "again", text, strlen(text), &again));
    shardc_module_free(again);

    float x[BATCH * IN], w1[IN * HIDDEN], b[HIDDEN], w2[HIDDEN * OUT];
    float out[BATCH * OUT], expected[BATCH * OUT];
    fill(x, BATCH * IN, 1);
    fill(w1, IN * HIDDEN, 2);
    fill(b, HIDDEN, 3);
    fill(w2, HIDDEN * OUT, 4);
    run(&build, (const void *[]){x, w1, b, w2}, (void *[]){out});
    expected_mlp(x, w1, b, w2, expected);
    for (int i = 0; i < BATCH * OUT; i++)
        assert_true(fabsf(out[i] - expected[i]) < 1e-5F);
}

// x and a counter; x doubles five times.
static void a_while_loop_has_two_regions(void **state) {
    (void)state;
    const char *const sharding[] = {"<@mesh, [{\"x\", \"y\"}]>"};
    Build build = begin(1, vector, sharding, NULL);
    shardc_func *func = build.func;
    const char *const types[] = {"tensor<i32>", "tensor<4xf32>"};
    shardc_value zero, one, five, in[2], goes_on, next[2], results[2];
    succeeds(shardc_build_splat(func, "tensor<i32>", 0, &zero));
    succeeds(shardc_build_splat(func, "tensor<i32>", 5, &five));
    succeeds(shardc_build_splat(func, "tensor<i32>", 1, &one));
    succeeds(shardc_region_begin(func, 2, types, in));
    succeeds(shardc_build_compare(func, "LT", in[0], five, &goes_on));
    succeeds(shardc_region_end(func, 1, &goes_on));
    succeeds(shardc_region_begin(func, 2, types, in));
    succeeds(shardc_build_binary(func, "stablehlo.add", in[0], one, &next[0]));
    succeeds(shardc_build_binary(func, "stablehlo.add", in[1], in[1], &next[1]));
    succeeds(shardc_region_end(func, 2, next));
    const shardc_value start[] = {zero, argument(&build, 0)};
    fails_with(
        shardc_build_op(func, "stablehlo.while", 1, start, NULL, 1, NULL, results),
        SHARDC_INVALID_INPUT, "");
    succeeds(shardc_build_op(func, "stablehlo.while", 2, start, NULL, 2, NULL, results));
    fails_with(
        shardc_build_unary(func, "stablehlo.tanh", next[1], NULL), SHARDC_INVALID_INPUT,
        "region that has ended");
    succeeds(shardc_func_finish(func, 1, &results[1], NULL));
    const float x[] = {1, 2, 3, -4};
    float out[4];
    run(&build, (const void *[]){x}, (void *[]){out});
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 32 * x[i]);
}

static void shorthands_compute_what_they_say(void **state) {
    (void)state;
    const char *const types[] = {"tensor<2x3xf32>"};
    Build build = begin(1, types, NULL, NULL);
    shardc_func *func = build.func;
    const float data[] = {10, 20, 30, 40, 50, 60};
    const int64_t swap[] = {1, 0}, six[] = {6}, zero[] = {0}, start[] = {1}, limit[] = {5},
                  stride[] = {2};
    shardc_value x = argument(&build, 0), c, sum, turned, flat, cut, pair[2], is_big, iota, chosen;
    shardc_value all[4];
    succeeds(shardc_build_constant(func, "tensor<2x3xf32>", data, sizeof data, &c));
    succeeds(shardc_build_binary(func, "stablehlo.add", x, c, &sum));
    succeeds(shardc_build_transpose(func, sum, 2, swap, &turned)); // 3x2
    succeeds(shardc_build_reshape(func, turned, 1, six, &flat));
    succeeds(shardc_build_slice(func, flat, 1, start, limit, stride, &cut)); // elements 1, 3
    pair[0] = pair[1] = cut;
    succeeds(shardc_build_concatenate(func, 2, pair, 0, &all[0]));
    succeeds(shardc_build_iota(func, "tensor<6xi32>", 0, &iota));
    succeeds(shardc_build_convert(func, iota, SHARDC_F32, &chosen));
    succeeds(shardc_build_compare(func, "GT", flat, chosen, &is_big));
    succeeds(shardc_build_select(func, is_big, flat, chosen, &all[1]));
    succeeds(shardc_build_reduce(func, "stablehlo.add", flat, 0, 1, zero, &all[2]));
    succeeds(shardc_build_text(
        func,
        "%0 = stablehlo.reduce(%operand0 init: %operand1) applies stablehlo.maximum "
        "across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>\n"
        "return %0 : tensor<f32>",
        2, (shardc_value[]){flat, all[2]}, 1, &all[3]));
    const char *type = NULL;
    succeeds(shardc_value_type(func, cut, &type));
    assert_string_equal(type, "tensor<2xf32>");
    succeeds(shardc_func_finish(func, 4, all, NULL));
    const float in[] = {1, 2, 3, 4, 5, 6};
    float joined[4], picked[6], total, largest;
    run(&build, (const void *[]){in}, (void *[]){joined, picked, &total, &largest});
    const float flat_expected[] = {11, 44, 22, 55, 33, 66};
    assert_memory_equal(picked, flat_expected, sizeof picked);
    assert_true(joined[0] == 44 && joined[1] == 55 && joined[2] == 44 && joined[3] == 55);
    assert_true(total == 231 && largest == 231);
}

static void a_function_calls_another(void **state) {
    (void)state;
    Build build = begin(1, vector, NULL, (const int[]){1});
    shardc_func *helper = NULL;
    shardc_value result;
    succeeds(shardc_func_begin(build.module, "twice", 1, vector, NULL, NULL, &helper));
    shardc_value x = shardc_func_argument(helper, 0);
    fails_with(
        shardc_build_unary(build.func, "stablehlo.tanh", x, NULL), SHARDC_INVALID_INPUT,
        "another function");
    succeeds(shardc_build_binary(helper, "stablehlo.add", x, x, &result));
    succeeds(shardc_func_finish(helper, 1, &result, NULL));
    fails_with(
        shardc_build_unary(helper, "stablehlo.tanh", x, NULL), SHARDC_INVALID_INPUT,
        "already finished");
    x = argument(&build, 0);
    succeeds(
        shardc_build_op(build.func, "func.call", 1, &x, "callee = @twice", 1, vector, &result));
    succeeds(shardc_func_finish(build.func, 1, &result, NULL));
    const float in[] = {1, 2, 3, 4};
    float out[4];
    run(&build, (const void *[]){in}, (void *[]){out});
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 2 * in[i]);
}

// Types, constants and shardings that do not read or do not fit.
static void refuse_wrong_texts(shardc_func *func, shardc_value x) {
    const shardc_code bad = SHARDC_INVALID_INPUT;
    const int64_t five[] = {5};
    shardc_value r;
    fails_with(shardc_build_constant(func, "tensor<2xf32>", five, 4, &r), bad, "8 bytes");
    fails_with(shardc_build_constant(func, "tensor<2xi1>", "ab", 2, &r), bad, "fit");
    fails_with(shardc_build_constant(func, "tensor<?xf32>", five, 4, &r), bad, "known size");
    fails_with(shardc_build_splat(func, "tensor<2xf32> x", 1, &r), bad, "end of the text");
    fails_with(shardc_build_splat(func, "tensor<", 1, &r), bad, "");
    fails_with(shardc_build_splat(func, NULL, 1, &r), bad, "NULL");
    fails_with(shardc_build_splat(func, "tensor<2xi32>", HUGE_VAL, &r), bad, "fit");
    fails_with(shardc_build_iota(func, "tensor<2xi32>", 3, &r), bad, "iota");
    fails_with(shardc_build_sharding_constraint(func, x, "<@mesh, [{\"z\"}]>", &r), bad, "z");
    fails_with(shardc_build_sharding_constraint(func, x, "<@mesh, [", &r), bad, "");
    fails_with(shardc_build_sharding_constraint(func, x, "<@no, [{}]>", &r), bad, "no");
}

static void wrong_ops_are_refused_and_leave_nothing(void **state) {
    (void)state;
    const char *const types[] = {"tensor<4xf32>", "tensor<5xf32>", "!stablehlo.token"};
    Build build = begin(3, types, NULL, NULL);
    shardc_func *func = build.func;
    shardc_value x = argument(&build, 0), y = argument(&build, 1), token = argument(&build, 2), r;
    const shardc_code bad = SHARDC_INVALID_INPUT;
    const int64_t five[] = {5}, odd[] = {-1};
    fails_with(shardc_build_binary(func, "stablehlo.add", x, y, &r), bad, "stablehlo.add");
    fails_with(shardc_build_binary(func, "stablehlo.add", x, 0, &r), bad, "no value");
    fails_with(shardc_build_binary(func, "stablehlo.add", x, x + 100, &r), bad, "no value");
    fails_with(shardc_build_binary(func, "stablehlo.add", x, ~x, &r), bad, "another function");
    fails_with(shardc_build_unary(func, "stablehlo.add", x, &r), bad, "operand");
    fails_with(shardc_build_unary(func, "stablehlo.tanh", token, &r), bad, "tanh");
    fails_with(shardc_build_unary(func, "stablehlo.nothing", x, &r), bad, "no op");
    fails_with(shardc_build_unary(func, NULL, x, &r), bad, "NULL");
    fails_with(shardc_build_unary(func, "stablehlo.return", x, &r), bad, "region");
    fails_with(shardc_build_unary(func, "func.func", x, &r), bad, "belong");
    fails_with(shardc_build_unary(func, "stablehlo.reshape", x, &r), bad, "reshape");
    fails_with(shardc_build_unary(func, "stablehlo.while", x, &r), bad, "region");
    fails_with(shardc_build_reshape(func, x, 1, five, &r), bad, "reshape");
    fails_with(shardc_build_reshape(func, x, 1, odd, &r), bad, "dims[0]");
    fails_with(shardc_build_reshape(func, token, 1, five, &r), bad, "tensor");
    fails_with(shardc_build_reshape(func, x, 99, five, &r), bad, "rank is 99");
    fails_with(shardc_build_transpose(func, x, 1, five, &r), bad, "transpose");
    fails_with(shardc_build_transpose(func, x, 1, NULL, &r), bad, "permutation");
    fails_with(shardc_build_transpose(func, x, -1, five, &r), bad, "rank is -1");
    fails_with(shardc_build_slice(func, x, 1, odd, five, NULL, &r), bad, "slice");
    fails_with(shardc_build_convert(func, x, (shardc_dtype)99, &r), bad, "element type");
    fails_with(shardc_build_compare(func, "XX", x, x, &r), bad, "XX");
    fails_with(shardc_build_concatenate(func, 0, NULL, 0, &r), bad, "concatenate");
    fails_with(shardc_build_concatenate(func, -1, &x, 0, &r), bad, "operand_count is -1");
    fails_with(shardc_build_reduce(func, "stablehlo.tanh", x, 0, 1, five, &r), bad, "body");
    fails_with(shardc_build_reduce(func, "stablehlo.and", x, 0, 0, NULL, &r), bad, "and");
    fails_with(shardc_build_reduce(func, "stablehlo.add", x, 0, 1, five, &r), bad, "reduce");
    fails_with(shardc_build_reduce(func, "stablehlo.add", token, 0, 1, five, &r), bad, "tensor");
    refuse_wrong_texts(func, x);
    fails_with(shardc_build_op(func, "stablehlo.tanh", 1, &x, "a = 1} {", 1, NULL, &r), bad, "");
    fails_with(
        shardc_build_op(func, "stablehlo.tanh", 1, &x, NULL, -3, NULL, &r), bad, "result_count");
    fails_with(shardc_build_op(func, "stablehlo.tanh", 1, NULL, NULL, 1, NULL, &r), bad, "NULL");
    fails_with(shardc_build_op(func, "stablehlo.tanh", 1, &x, NULL, 1, &types[1], &r), bad, "tanh");
    fails_with(shardc_region_end(func, 0, NULL), bad, "no region");
    fails_with(shardc_region_begin(func, 1, NULL, &r), bad, "NULL");
    succeeds(shardc_func_finish(func, 1, &x, NULL));
    const char *text = NULL;
    succeeds(shardc_module_text(build.module, &text));
    assert_null(strstr(text, " = \"stablehlo."));
    assert_null(strstr(text, " = stablehlo."));
    finish(&build);
}

static void wrong_texts_are_refused_and_leave_nothing(void **state) {
    (void)state;
    Build build = begin(1, vector, NULL, NULL);
    static const char *const texts[] = {
        "",
        "return %operand0 : tensor<4xf32>\nreturn %operand0 : tensor<4xf32>",
        "return",
        "return %operand1 : tensor<4xf32>",
        "%0 = stablehlo.tanh %operand0 : tensor<4xf32>",
        "%0 = stablehlo.tanh %operand0 : tensor<5xf32>\nreturn %0 : tensor<5xf32>",
        "%0 = stablehlo.iota dim = 7 : tensor<4xf32>\nreturn %0 : tensor<4xf32>",
        "sdy.mesh @other = <[\"x\"=2]>\nreturn %operand0 : tensor<4xf32>",
        "}\nreturn %operand0 : tensor<4xf32>",
        "^bb0:\nreturn %operand0 : tensor<4xf32>",
        "%0 = stablehlo.tanh %operand0 : tensor<4xf32> loc(#a)\nreturn %0 : tensor<4xf32>",
    };
    shardc_value x = argument(&build, 0), result;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fails_with(
            shardc_build_text(build.func, texts[i], 1, &x, 1, &result), SHARDC_INVALID_INPUT, "");
    }
    succeeds(shardc_func_finish(build.func, 1, &x, NULL));
    const char *text = NULL;
    succeeds(shardc_module_text(build.module, &text));
    assert_null(strstr(text, " = \"stablehlo."));
    assert_null(strstr(text, " = stablehlo."));
    finish(&build);
}

static void wrong_modules_and_functions_are_refused(void **state) {
    (void)state;
    Build build = begin(1, vector, NULL, NULL);
    const shardc_code bad = SHARDC_INVALID_INPUT;
    shardc_module *module = build.module, *none = NULL;
    shardc_func *func = NULL;
    const char *const axes[] = {"x", "x"}, *const quoted[] = {"a\"b"};
    const int64_t sizes[] = {2, 2}, zero[] = {0}, large[] = {INT64_MAX, 2};
    fails_with(shardc_module_create(NULL, "a", &none), bad, "context");
    fails_with(shardc_module_create(build.context, "a b", &none), bad, "identifier");
    fails_with(shardc_build_mesh(NULL, "m", 1, axes, sizes), bad, "NULL");
    fails_with(shardc_build_mesh(module, "m", 2, axes, sizes), bad, "duplicate");
    fails_with(shardc_build_mesh(module, "m", 1, quoted, sizes), bad, "identifier");
    fails_with(shardc_build_mesh(module, "m", 1, axes, zero), bad, "at least 1");
    fails_with(shardc_build_mesh(module, "m", 1, axes, large), bad, "devices");
    fails_with(shardc_build_mesh(module, "m", 99, axes, sizes), bad, "axes");
    fails_with(shardc_build_mesh(module, "mesh", 1, axes, sizes), bad, "already");
    fails_with(shardc_func_begin(module, "mesh", 1, vector, NULL, NULL, &func), bad, "already");
    fails_with(shardc_func_begin(module, "1", 1, vector, NULL, NULL, &func), bad, "identifier");
    fails_with(
        shardc_func_begin(module, "f", -1, vector, NULL, NULL, &func), bad, "argument_count");
    fails_with(shardc_func_begin(module, "f", 1, axes, NULL, NULL, &func), bad, "");
    assert_null(func);
    fails_with(shardc_func_finish(NULL, 0, NULL, NULL), bad, "NULL");
    assert_int_equal(shardc_func_argument(build.func, 1), 0);
    assert_int_equal(shardc_func_argument(NULL, 0), 0);
    shardc_value in[1], x = argument(&build, 0);
    succeeds(shardc_region_begin(build.func, 1, vector, in));
    fails_with(shardc_func_finish(build.func, 1, &x, NULL), bad, "open");
    succeeds(shardc_region_end(build.func, 1, in));
    fails_with(shardc_func_finish(build.func, 1, &x, NULL), bad, "waits");
    succeeds(shardc_func_begin(module, "g", 1, vector, NULL, NULL, &func));
    x = shardc_func_argument(func, 0);
    const char *const missing[] = {NULL};
    fails_with(shardc_build_op(func, "func.call", 1, &x, "callee = @no", 0, NULL, NULL), bad, "no");
    fails_with(shardc_func_begin(module, "f", 1, missing, NULL, NULL, &func), bad, "types[0]");
    finish(&build);
}

// A sharding that cannot be is refused where it is given, with the call, the function, and
// which argument or result it is.
static void shardings_of_a_signature_are_checked_at_once(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"<@no, [{\"x\"}]>", "unknown mesh: @no"},
        {"<@mesh, [{\"z\"}]>", "\"z\""},
        {"<@mesh, [{\"x\"}, {}]>", "rank"},
        {"<@mesh, []>", "rank"},
        {"<@mesh, [{\"x\", \"x\"}]>", "\"x\""},
        {"<@mesh, [{\"x\"}], replicated={\"x\"}>", "\"x\""},
        {"<@mesh, [{\"x\":(1)3}]>", "x"},
        {"<@mesh, [", "expected"},
        {"", "expected"},
        {"mesh", "expected"},
    };
    Build build = begin(1, vector, NULL, NULL);
    const char *const types[] = {"tensor<4xf32>", "tensor<4xf32>"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const shardings[] = {NULL, wrong[i][0]};
        shardc_func *func = NULL;
        shardc_status *status =
            shardc_func_begin(build.module, "other", 2, types, shardings, NULL, &func);
        assert_null(func);
        const char *report = shardc_status_report(status);
        assert_non_null(strstr(report, "shardc_func_begin: "));
        assert_non_null(strstr(report, "'other'"));
        fails_with(status, SHARDC_INVALID_INPUT, wrong[i][1]);
        shardc_value x = argument(&build, 0);
        status = shardc_func_finish(build.func, 1, &x, shardings + 1);
        report = shardc_status_report(status);
        assert_non_null(strstr(report, "shardc_func_finish: "));
        assert_non_null(strstr(report, "'main'"));
        fails_with(status, SHARDC_INVALID_INPUT, wrong[i][1]);
    }
    shardc_value x = argument(&build, 0); // the function is as it was
    succeeds(shardc_func_finish(build.func, 1, &x, NULL));
    finish(&build);
}

// Numbers of values mean nothing in other functions, modules and contexts.
static void values_of_others_are_refused(void **state) {
    (void)state;
    Build one = begin(1, vector, NULL, NULL), two = begin(1, vector, NULL, NULL);
    shardc_module *beside = NULL;
    shardc_func *func = NULL;
    succeeds(shardc_module_create(one.context, "beside", &beside));
    succeeds(shardc_func_begin(beside, "main", 1, vector, NULL, NULL, &func));
    const shardc_value others[] = {argument(&two, 0), shardc_func_argument(func, 0)};
    for (int i = 0; i < 2; i++) {
        const shardc_value x = others[i];
        shardc_value result = 7;
        const char *type = NULL, *text = "return %operand0 : tensor<4xf32>";
        const shardc_code bad = SHARDC_INVALID_INPUT;
        const char *expected = "of another function";
        fails_with(shardc_build_unary(one.func, "stablehlo.abs", x, &result), bad, expected);
        fails_with(shardc_build_text(one.func, text, 1, &x, 1, &result), bad, expected);
        fails_with(
            shardc_build_reduce(one.func, "stablehlo.add", x, 0, 0, NULL, NULL), bad, expected);
        fails_with(shardc_value_type(one.func, x, &type), bad, expected);
        assert_int_equal(result, 0);
        if (i == 0) continue; // the region is in the way
        succeeds(shardc_region_begin(one.func, 0, NULL, NULL));
        fails_with(shardc_region_end(one.func, 1, &x), bad, expected);
        succeeds(shardc_region_end(one.func, 0, NULL));
        fails_with(
            shardc_build_op(one.func, "stablehlo.while", 1, &x, NULL, 1, NULL, NULL), bad,
            expected);
    }
    shardc_module_free(beside);
    finish(&one);
    finish(&two);
}

static const char *const op_names[] = {
#define OP(name, dialect, text, ...) text,
#include "ir/dialects/ops.def"
};

// Zero to two regions that return a value or nothing.
static void build_regions(shardc_func *func, int count, int variant, const char *const *types) {
    for (int i = 0; i < count; i++) {
        shardc_value in[2];
        succeeds(shardc_region_begin(func, variant % 3, types, in));
        succeeds(shardc_region_end(func, variant % 3 ? 1 : 0, in));
    }
}

// No op crashes on operands and regions of any kind; most are refused.
static void every_op_is_built_or_refused(void **state) {
    (void)state;
    const char *const types[] = {
        "tensor<4xf32>",
        "tensor<i32>",
        "tensor<2x2xi1>",
        "!stablehlo.token",
        "tensor<*xf32>",
        "tensor<?x3xf32>",
        "tuple<tensor<4xf32>, tensor<i32>>",
        "tensor<2xcomplex<f32>>",
        "tensor<4x!quant.uniform<i8:f32, 0.5>>"};
    enum { TYPES = sizeof types / sizeof types[0] };
    const char *const attributes[] = {
        NULL, "dimension = 0 : i64, dimensions = array<i64: 0>, permutation = array<i64: 0>",
        "dimension = 9 : i64, dimensions = array<i64: -1, 5>, permutation = array<i64: 7, 7>"};
    int built = 0;
    for (size_t op = 0; op < sizeof op_names / sizeof op_names[0]; op++) {
        for (int variant = 0; variant < 60; variant++) {
            Build build = begin(TYPES, types, NULL, NULL);
            shardc_value operands[4], results[2];
            int uniform = variant % 2;
            for (int i = 0; i < 4; i++)
                operands[i] = argument(&build, (variant + (uniform ? 0 : i)) % TYPES);
            build_regions(build.func, variant % 4 == 3 ? 1 + variant % 2 : 0, variant, types);
            shardc_status *status = shardc_build_op(
                build.func, op_names[op], variant % 5, operands, attributes[variant % 3],
                variant / 5 % 3, variant / 15 % 2 ? &types[variant % (TYPES - 1)] : NULL, results);
            built += !status;
            shardc_status_free(status);
            const char *text = NULL;
            status = shardc_func_finish(build.func, 0, NULL, NULL);
            shardc_status_free(status);
            succeeds(shardc_module_text(build.module, &text));
            finish(&build);
        }
    }
    assert_true(built > 100);
}

static void regions_nest_to_a_limit(void **state) {
    (void)state;
    Build build = begin(1, vector, NULL, NULL);
    shardc_status *status = NULL;
    int depth = 0;
    while (!status && depth < 1000) {
        status = shardc_region_begin(build.func, 0, NULL, NULL);
        depth += !status;
    }
    fails_with(status, SHARDC_INVALID_INPUT, "nested");
    assert_true(depth > 100);
    finish(&build);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sharded_mlp_is_built_printed_and_run),
        cmocka_unit_test(a_while_loop_has_two_regions),
        cmocka_unit_test(shorthands_compute_what_they_say),
        cmocka_unit_test(a_function_calls_another),
        cmocka_unit_test(wrong_ops_are_refused_and_leave_nothing),
        cmocka_unit_test(wrong_texts_are_refused_and_leave_nothing),
        cmocka_unit_test(wrong_modules_and_functions_are_refused),
        cmocka_unit_test(shardings_of_a_signature_are_checked_at_once),
        cmocka_unit_test(values_of_others_are_refused),
        cmocka_unit_test(every_op_is_built_or_refused),
        cmocka_unit_test(regions_nest_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

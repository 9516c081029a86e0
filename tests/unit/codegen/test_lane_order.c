// Whole programs, lane by lane in every order: the bits are the same, and those of
// the evaluator but for rounding.
#include "tests/unit/cmocka_all.h"
#include "tests/unit/codegen/program_run.h"

#include <math.h>

#define MESH                                                \
    "module attributes {mhlo.num_partitions = 4 : i32} {\n" \
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
#define ROWS    "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}"
#define COLUMNS "{sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>}"
#define BOTH    "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\", \"y\"}, {}]>}"
#define WHOLE   "{sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}"

static void assert_near(const shardc_model_array *array, const void *got, const Tensor *expected) {
    int64_t count = array->bytes / array->element_bytes;
    if (strcmp(array->type, "f32") != 0) {
        assert_memory_equal(got, expected->data, (size_t)array->bytes);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        float x = ((const float *)got)[i], y = ((const float *)expected->data)[i];
        assert_true(fabsf(x - y) <= 1e-4F + 1e-4F * fabsf(y));
    }
}

static void assert_same(const ProgramRun *run, void *const *got, void *const *expected) {
    for (int32_t r = 0; r < run->model->result_count; r++) {
        assert_memory_equal(got[r], expected[r], (size_t)run->model->results[r].bytes);
    }
}

// The same with every donated argument in its result's memory, where the plan allows it.
static void check_in_place(
    ProgramRun *run, int64_t team, RunOrder order, uint64_t seed, void *const *expected) {
    const shardc_model *model = run->model;
    void **inputs = arena_copy(run->arena, run->inputs, (size_t)model->arg_count * sizeof *inputs);
    void **outputs = program_run_outputs(run);
    bool any = false;
    for (int32_t r = 0; r < model->result_count; r++) {
        const shardc_model_array *result = &model->results[r];
        if (result->alias < 0 || !result->in_place) continue;
        any = true;
        memcpy(outputs[r], run->inputs[result->alias], (size_t)result->bytes);
        inputs[result->alias] = outputs[r];
    }
    if (!any) return;
    assert_true(program_run(run, team, order, seed, inputs, outputs));
    assert_same(run, outputs, expected);
}

static void check_orders(ProgramRun *run, void *const *expected) {
    static const int64_t teams[] = {1, 2, 3, 5};
    static const RunOrder orders[] = {ORDER_FORWARD, ORDER_BACKWARD, ORDER_RANDOM, ORDER_RANDOM};
    for (size_t t = 0; t < sizeof teams / sizeof *teams; t++) {
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            void **outputs = program_run_outputs(run);
            assert_true(program_run(run, teams[t], orders[o], o, run->inputs, outputs));
            assert_same(run, outputs, expected);
            check_in_place(run, teams[t], orders[o], o, expected);
        }
    }
}

// Returns how many partitions of the devices something is made once for.
static int32_t check_with(const char *text, const char *constant) {
    Arena *arena = arena_create(NULL, NULL);
    Diags *diags;
    ProgramRun *run = program_run_create_with(arena, text, constant, NULL, &diags);
    if (!run) {
        fail_msg("%.*s", SV_ARG(diags->first ? diags->first->message : SV("no diagnostic")));
        return 0;
    }
    assert_int_equal(run->model->kept_bytes > 0, constant != NULL);
    void **expected = program_run_outputs(run);
    assert_true(program_run(run, 1, ORDER_FORWARD, 0, run->inputs, expected));
    Tensor **results = ARENA_ARRAY(arena, Tensor *, run->model->result_count);
    assert_true(program_run_evaluate(run, results));
    for (int32_t r = 0; r < run->model->result_count; r++) {
        assert_near(&run->model->results[r], expected[r], results[r]);
    }
    check_orders(run, expected);
    int32_t shares = run->model->share_count;
    arena_free(arena);
    return shares;
}

static void check(const char *text) { (void)check_with(text, NULL); }

static void products_and_sums_over_devices(void **state) {
    (void)state;
    check(MESH "func.func @main(%a: tensor<24x64xf32> " ROWS ", %b: tensor<64x32xf32> " COLUMNS
               ", %c: tensor<32x64xf32>"
               " {sdy.sharding = #sdy.sharding<@mesh, [{\"y\"}, {}]>}) -> (tensor<24x64xf32> " ROWS
               ", tensor<f32>) {\n"
               "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
               "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
               "(tensor<24x64xf32>, tensor<64x32xf32>) -> tensor<24x32xf32>\n"
               "  %1 = stablehlo.tanh %0 : tensor<24x32xf32>\n"
               "  %2 = stablehlo.dot_general %1, %c, contracting_dims = [1] x [0] : "
               "(tensor<24x32xf32>, tensor<32x64xf32>) -> tensor<24x64xf32>\n"
               "  %3 = stablehlo.add %2, %a : tensor<24x64xf32>\n"
               "  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0, "
               "1] : (tensor<24x64xf32>, tensor<f32>) -> tensor<f32>\n"
               "  return %3, %4 : tensor<24x64xf32>, tensor<f32>\n}\n}\n");
}

static void carries_that_change_places(void **state) {
    (void)state;
    check(MESH "func.func @main(%a: tensor<8x6xf32> " ROWS ", %b: tensor<8x6xf32> " ROWS
               ") -> (tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>, tensor<i32>) {\n"
               "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant "
               "dense<1> : tensor<i32>\n"
               "  %n = stablehlo.constant dense<5> : tensor<i32>\n  %w0 = stablehlo.constant "
               "dense<1.0> : tensor<8x6xf32>\n"
               "  %r:4 = stablehlo.while(%i = %z, %x = %a, %y = %b, %w = %w0) : tensor<i32>, "
               "tensor<8x6xf32>, tensor<8x6xf32>, tensor<8x6xf32>\n"
               "    cond { %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) "
               "-> tensor<i1>\n"
               "      stablehlo.return %p : tensor<i1> }\n"
               "    do { %i2 = stablehlo.add %i, %one : tensor<i32>\n"
               "      %rv = stablehlo.reverse %w, dims = [0] : tensor<8x6xf32>\n"
               "      %ww = stablehlo.add %rv, %x : tensor<8x6xf32>\n"
               "      stablehlo.return %i2, %y, %x, %ww : tensor<i32>, tensor<8x6xf32>, "
               "tensor<8x6xf32>, tensor<8x6xf32> }\n"
               "  return %r#1, %r#2, %r#3, %r#0 : tensor<8x6xf32>, tensor<8x6xf32>, "
               "tensor<8x6xf32>, tensor<i32>\n}\n}\n");
}

static void collectives_in_a_loop(void **state) {
    (void)state;
    check(MESH "func.func @main(%a: tensor<16x16xf32> " BOTH ") -> (tensor<16x16xf32> " BOTH ") {\n"
               "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant "
               "dense<1> : tensor<i32>\n"
               "  %n = stablehlo.constant dense<4> : tensor<i32>\n  %s = stablehlo.constant "
               "dense<0.1> : tensor<16x16xf32>\n"
               "  %r:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<16x16xf32>\n"
               "    cond { %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) "
               "-> tensor<i1>\n"
               "      stablehlo.return %p : tensor<i1> }\n"
               "    do { %i2 = stablehlo.add %i, %one : tensor<i32>\n"
               "      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<16x16xf32>) -> "
               "tensor<16x16xf32>\n"
               "      %d = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : "
               "(tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>\n"
               "      %m = stablehlo.multiply %d, %s : tensor<16x16xf32>\n"
               "      %h = stablehlo.tanh %m : tensor<16x16xf32>\n"
               "      stablehlo.return %i2, %h : tensor<i32>, tensor<16x16xf32> }\n"
               "  return %r#1 : tensor<16x16xf32>\n}\n}\n");
}

// The carry is read by other devices, then updated in place.
static void remote_reads_before_an_update(void **state) {
    (void)state;
    check(
        MESH
        "func.func @main(%a: tensor<16x16xf32> " BOTH ") -> (tensor<16x16xf32> " BOTH ") {\n"
        "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : "
        "tensor<i32>\n"
        "  %n = stablehlo.constant dense<6> : tensor<i32>\n  %f0 = stablehlo.constant dense<0.0> : "
        "tensor<f32>\n"
        "  %r:2 = stablehlo.while(%i = %z, %x = %a) : tensor<i32>, tensor<16x16xf32>\n"
        "    cond { %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "      stablehlo.return %p : tensor<i1> }\n"
        "    do { %i2 = stablehlo.add %i, %one : tensor<i32>\n"
        "      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<16x16xf32>) -> "
        "tensor<16x16xf32>\n"
        "      %c = sdy.sharding_constraint %t <@mesh, [{\"x\", \"y\"}, {}]> : tensor<16x16xf32>\n"
        "      %s = stablehlo.reduce(%c init: %f0) applies stablehlo.maximum across dimensions = "
        "[1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>\n"
        "      %h = stablehlo.cosine %s : tensor<16xf32>\n"
        "      %u = stablehlo.reshape %h : (tensor<16xf32>) -> tensor<16x1xf32>\n"
        "      %x2 = stablehlo.dynamic_update_slice %x, %u, %z, %i : (tensor<16x16xf32>, "
        "tensor<16x1xf32>, tensor<i32>, tensor<i32>) -> tensor<16x16xf32>\n"
        "      stablehlo.return %i2, %x2 : tensor<i32>, tensor<16x16xf32> }\n"
        "  return %r#1 : tensor<16x16xf32>\n}\n}\n");
}

static void updates_in_place(void **state) {
    (void)state;
    check(MESH
          "func.func @main(%a: tensor<6x8xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = "
          "#sdy.sharding<@mesh, [{}, {\"x\"}]>}, %b: tensor<6x8xf32> "
          "{sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) -> (tensor<6x8xf32> {sdy.sharding "
          "= #sdy.sharding<@mesh, [{}, {\"x\"}]>}, tensor<8x6xf32>, tensor<6x8xf32>) {\n"
          "  %z = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> "
          ": tensor<i32>\n  %n = stablehlo.constant dense<4> : tensor<i32>\n"
          "  %r:3 = stablehlo.while(%i = %z, %x = %a, %k = %b) : tensor<i32>, tensor<6x8xf32>, "
          "tensor<6x8xf32>\n"
          "    cond { %p = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> "
          "tensor<i1>\n"
          "      stablehlo.return %p : tensor<i1> }\n"
          "    do { %i2 = stablehlo.add %i, %one : tensor<i32>\n"
          "      %row = stablehlo.dynamic_slice %x, %i, %z, sizes = [1, 8] : (tensor<6x8xf32>, "
          "tensor<i32>, tensor<i32>) -> tensor<1x8xf32>\n"
          "      %e = stablehlo.exponential %k : tensor<6x8xf32>\n"
          "      %k2 = stablehlo.dynamic_update_slice %k, %row, %i2, %z : (tensor<6x8xf32>, "
          "tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>\n"
          "      %x2 = stablehlo.add %x, %k2 : tensor<6x8xf32>\n"
          "      %x3 = stablehlo.multiply %x2, %e : tensor<6x8xf32>\n"
          "      %x4 = stablehlo.tanh %x3 : tensor<6x8xf32>\n"
          "      stablehlo.return %i2, %x4, %k2 : tensor<i32>, tensor<6x8xf32>, tensor<6x8xf32> }\n"
          "  %t = stablehlo.transpose %r#1, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>\n"
          "  return %r#1, %t, %r#2 : tensor<6x8xf32>, tensor<8x6xf32>, tensor<6x8xf32>\n}\n}\n");
}

static void branches_and_results_that_are_inputs(void **state) {
    (void)state;
    check("func.func @main(%a: tensor<8xf32>, %n: tensor<i32>, %p: tensor<i1>) -> (tensor<8xf32>, "
          "tensor<8xf32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>) {\n"
          "  %r:2 = \"stablehlo.case\"(%n) ({ %t = stablehlo.tanh %a : tensor<8xf32>\n"
          "     stablehlo.return %t, %a : tensor<8xf32>, tensor<8xf32> }, { stablehlo.return %a, "
          "%a : tensor<8xf32>, tensor<8xf32> },\n"
          "     { %u = stablehlo.add %a, %a : tensor<8xf32>\n"
          "       stablehlo.return %u, %u : tensor<8xf32>, tensor<8xf32> }) : (tensor<i32>) -> "
          "(tensor<8xf32>, tensor<8xf32>)\n"
          "  %q = \"stablehlo.if\"(%p) ({ %c = stablehlo.constant dense<3.0> : tensor<f32>\n"
          "     stablehlo.return %c : tensor<f32> }, { %c = stablehlo.constant dense<4.0> : "
          "tensor<f32>\n"
          "     stablehlo.return %c : tensor<f32> }) : (tensor<i1>) -> tensor<f32>\n"
          "  return %r#0, %r#1, %q, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<f32>, "
          "tensor<8xf32>, tensor<8xf32>\n}\n");
}

static void empty_arrays_and_constants(void **state) {
    (void)state;
    check("func.func @main(%a: tensor<0x4xf32>, %b: tensor<3xf32>, %unused: tensor<7xf32>) -> "
          "(tensor<0x4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<2xi32>, tensor<4x4xf32>) {\n"
          "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n  %k = stablehlo.constant dense<[5, "
          "6]> : tensor<2xi32>\n"
          "  %0 = stablehlo.add %a, %a : tensor<0x4xf32>\n"
          "  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : "
          "(tensor<0x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
          "  %d = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<0x4xf32>, "
          "tensor<0x4xf32>) -> tensor<4x4xf32>\n"
          "  return %0, %b, %1, %k, %d : tensor<0x4xf32>, tensor<3xf32>, tensor<4xf32>, "
          "tensor<2xi32>, tensor<4x4xf32>\n}\n");
}

static void tiles_that_reach_beyond_the_array(void **state) {
    (void)state;
    check(MESH "func.func @main(%a: tensor<7x5xf32> " BOTH ", %b: tensor<5x3xf32> " COLUMNS
               ") -> (tensor<7x3xf32> " BOTH ", tensor<7x5xf32> " COLUMNS ") {\n"
               "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
               "(tensor<7x5xf32>, tensor<5x3xf32>) -> tensor<7x3xf32>\n"
               "  %1 = stablehlo.negate %a : tensor<7x5xf32>\n"
               "  return %0, %1 : tensor<7x3xf32>, tensor<7x5xf32>\n}\n}\n");
}

static void donated_and_replicated(void **state) {
    (void)state;
    check(MESH "func.func @main(%p: tensor<16x8xf32> {tf.aliasing_output = 0 : i32, sdy.sharding = "
               "#sdy.sharding<@mesh, [{}, {}]>}, %q: tensor<16x8xf32> "
               "{tf.aliasing_output = 1 : i32, sdy.sharding = #sdy.sharding<@mesh, [{\"x\", "
               "\"y\"}, {}]>}, %x: tensor<8x16xf32> " ROWS ") -> (tensor<16x8xf32> " WHOLE
               ", tensor<16x8xf32> " BOTH ") {\n"
               "  %0 = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : "
               "(tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>\n"
               "  %1 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0] : "
               "(tensor<8x16xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>\n"
               "  %2 = stablehlo.subtract %p, %1 : tensor<16x8xf32>\n"
               "  %3 = stablehlo.subtract %q, %1 : tensor<16x8xf32>\n"
               "  return %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>\n}\n}\n");
}

// Devices pack parts of constant weights and multiply with each other's, in and out of a loop; what
// is packed is computed from two of the weights.
static void kept_values(void **state) {
    (void)state;
    static const char text[] = MESH
        "func.func @main(%x: tensor<192x64xf32> " ROWS ", %w: tensor<64x128xf32>, %v: "
        "tensor<64x128xf32>, %u: tensor<3x128x128xf32>) -> (tensor<192x128xf32> " ROWS ") {\n"
        "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %s = stablehlo.add %w, %v : tensor<64x128xf32>\n"
        "  %p = stablehlo.dot_general %x, %s, contracting_dims = [1] x [0] : (tensor<192x64xf32>, "
        "tensor<64x128xf32>) -> tensor<192x128xf32>\n"
        "  %r:2 = stablehlo.while(%i = %z, %y = %p) : tensor<i32>, tensor<192x128xf32>\n"
        "    cond { %c = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "      stablehlo.return %c : tensor<i1> }\n"
        "    do { %i2 = stablehlo.add %i, %one : tensor<i32>\n"
        "      %l = stablehlo.dynamic_slice %u, %i, %z, %z, sizes = [1, 128, 128] : "
        "(tensor<3x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> "
        "tensor<1x128x128xf32>\n"
        "      %m = stablehlo.reshape %l : (tensor<1x128x128xf32>) -> tensor<128x128xf32>\n"
        "      %d = stablehlo.dot_general %y, %m, contracting_dims = [1] x [0] : "
        "(tensor<192x128xf32>, tensor<128x128xf32>) -> tensor<192x128xf32>\n"
        "      %t = stablehlo.tanh %d : tensor<192x128xf32>\n"
        "      stablehlo.return %i2, %t : tensor<i32>, tensor<192x128xf32> }\n"
        "  return %r#1 : tensor<192x128xf32>\n}\n}\n";
    (void)check_with(text, "1-3");
    (void)check_with(text, "3");
    (void)check_with(text, "1,2");
}

// What devices along an axis hold alike is made once, by lanes of all of them: rows that others
// read of, a loop's carry that is a result, an update in place, few rows that are multiplied
// together.
static void made_once(void **state) {
    (void)state;
    static const char text[] = MESH
        "func.func @main(%x: tensor<128x128xf32> " ROWS ", %w: tensor<128x128xf32>, %s: "
        "tensor<3x128x128xf32>, %f: tensor<8x256xf32> " ROWS ", %v: tensor<256x512xf32>) -> "
        "(tensor<128x128xf32> " ROWS ", tensor<3x128x128xf32>, tensor<128xf32>, tensor<8x512xf32> "
        "" ROWS ") {\n"
        "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %nothing = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %e = stablehlo.exponential %w : tensor<128x128xf32>\n"
        "  %d = stablehlo.dot_general %x, %e, contracting_dims = [1] x [0] : (tensor<128x128xf32>, "
        "tensor<128x128xf32>) -> tensor<128x128xf32>\n"
        "  %c = stablehlo.reduce(%d init: %nothing) applies stablehlo.add across dimensions = [0] "
        ": "
        "(tensor<128x128xf32>, tensor<f32>) -> tensor<128xf32>\n"
        "  %r:3 = stablehlo.while(%i = %z, %y = %d, %u = %s) : tensor<i32>, tensor<128x128xf32>, "
        "tensor<3x128x128xf32>\n"
        "    cond { %t = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "      stablehlo.return %t : tensor<i1> }\n"
        "    do { %i2 = stablehlo.add %i, %one : tensor<i32>\n"
        "      %l = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : "
        "(tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>\n"
        "      %a = stablehlo.tanh %l : tensor<128x128xf32>\n"
        "      %b = stablehlo.reshape %a : (tensor<128x128xf32>) -> tensor<1x128x128xf32>\n"
        "      %u2 = stablehlo.dynamic_update_slice %u, %b, %i, %z, %z : (tensor<3x128x128xf32>, "
        "tensor<1x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x128x128xf32>\n"
        "      stablehlo.return %i2, %a, %u2 : tensor<i32>, tensor<128x128xf32>, "
        "tensor<3x128x128xf32> }\n"
        "  %g = stablehlo.dot_general %f, %v, contracting_dims = [1] x [0] : (tensor<8x256xf32>, "
        "tensor<256x512xf32>) -> tensor<8x512xf32>\n"
        "  return %r#1, %r#2, %c, %g : tensor<128x128xf32>, tensor<3x128x128xf32>, "
        "tensor<128xf32>, tensor<8x512xf32>\n}\n}\n";
    assert_true(check_with(text, NULL) > 0);
}

// More ops than a kernel takes are two kernels: what is made of indices alone is made by both, and
// one array lies between them.
static void indices_of_many_ops_are_not_stored(void **state) {
    (void)state;
    enum { OPS = 460, BYTES = 64 * 128 * 4 };
    Arena *arena = arena_create(NULL, NULL);
    StrBuf text = strbuf(arena);
    strbuf_puts(
        &text, "func.func @main(%v0: tensor<64x128xi32>) -> tensor<64x128xi32> {\n"
               "%i = stablehlo.iota dim = 1 : tensor<64x128xi32>\n");
    for (int i = 0; i < OPS; i++)
        strbuf_printf(
            &text, "%%v%d = stablehlo.%s %%v%d, %%i : tensor<64x128xi32>\n", i + 1,
            i % 2 ? "add" : "xor", i);
    strbuf_printf(&text, "return %%v%d : tensor<64x128xi32>\n}\n", OPS);
    Diags *diags;
    ProgramRun *run = program_run_create(arena, strbuf_cstring(&text), NULL, &diags);
    assert_non_null(run);
    assert_int_equal(run->model->arena_bytes, BYTES);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_many_ops_are_not_stored),
        cmocka_unit_test(made_once),
        cmocka_unit_test(products_and_sums_over_devices),
        cmocka_unit_test(carries_that_change_places),
        cmocka_unit_test(collectives_in_a_loop),
        cmocka_unit_test(remote_reads_before_an_update),
        cmocka_unit_test(updates_in_place),
        cmocka_unit_test(branches_and_results_that_are_inputs),
        cmocka_unit_test(empty_arrays_and_constants),
        cmocka_unit_test(tiles_that_reach_beyond_the_array),
        cmocka_unit_test(donated_and_replicated),
        cmocka_unit_test(kept_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

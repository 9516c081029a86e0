// Running out of memory: every call is repeated with its first, second, third ... allocation
// failing. The code is right, nothing leaks, and the same call works afterwards.
#define _GNU_SOURCE // mkdtemp
#include "tests/api/api_test.h"

#include <unistd.h>

// An allocator that fails one allocation and counts what is alive. Compilation may use several
// threads.
typedef struct Counter {
    int64_t allocations, alive, fail_at; // fail_at: number of the allocation that fails, 0 = none
} Counter;

static void *counted_allocate(void *user, size_t size) {
    Counter *counter = user;
    int64_t number = __atomic_add_fetch(&counter->allocations, 1, __ATOMIC_RELAXED);
    if (number == counter->fail_at) return NULL;
    void *memory = malloc(size);
    if (memory) __atomic_add_fetch(&counter->alive, 1, __ATOMIC_RELAXED);
    return memory;
}

static void counted_release(void *user, void *memory) {
    Counter *counter = user;
    if (memory) __atomic_sub_fetch(&counter->alive, 1, __ATOMIC_RELAXED);
    free(memory);
}

static void arm(Counter *counter, int64_t fail_at) {
    counter->allocations = 0;
    counter->fail_at = fail_at;
}

// True when the call is through: it worked. Else it must have said that memory ran out.
static int is_through(shardc_status *status) {
    if (!status) return 1;
    if (shardc_status_code(status) != SHARDC_OUT_OF_MEMORY)
        print_error("%s", shardc_status_report(status));
    assert_int_equal(shardc_status_code(status), SHARDC_OUT_OF_MEMORY);
    shardc_status_free(status);
    return 0;
}

typedef struct Fixture {
    Counter counter;
    shardc_context *context;
    shardc_module *module;
} Fixture;

static void fixture_create(Fixture *fixture) {
    *fixture = (Fixture){0};
    const shardc_allocator allocator = {counted_allocate, counted_release, &fixture->counter};
    succeeds(shardc_context_create(&allocator, &fixture->context));
    succeeds(shardc_module_parse(
        fixture->context, "affine.mlir", affine, strlen(affine), &fixture->module));
}

static void fixture_free(Fixture *fixture) {
    shardc_module_free(fixture->module);
    shardc_context_free(fixture->context);
    assert_int_equal(fixture->counter.alive, 0);
}

static void creating_a_context(void **state) {
    (void)state;
    Counter counter = {0};
    const shardc_allocator allocator = {counted_allocate, counted_release, &counter};
    shardc_context *context = NULL;
    for (int64_t fail_at = 1;; fail_at++) {
        arm(&counter, fail_at);
        int done = is_through(shardc_context_create(&allocator, &context));
        if (!done) {
            assert_null(context);
            assert_int_equal(counter.alive, 0);
        }
        if (done) break;
    }
    assert_true(counter.alive > 0);
    shardc_context_free(context);
    assert_int_equal(counter.alive, 0);
}

// What the context keeps (interned types) may grow in a failed call; it is gone with the context.
static void reading_a_module(void **state) {
    (void)state;
    for (int64_t fail_at = 1;; fail_at++) {
        Fixture fixture = {0};
        const shardc_allocator allocator = {counted_allocate, counted_release, &fixture.counter};
        succeeds(shardc_context_create(&allocator, &fixture.context));
        arm(&fixture.counter, fail_at);
        int done = is_through(shardc_module_parse(
            fixture.context, "affine.mlir", affine, strlen(affine), &fixture.module));
        assert_true(done == (fixture.module != NULL));
        arm(&fixture.counter, 0);
        if (!done) { // the context is still good
            succeeds(shardc_module_parse(
                fixture.context, "affine.mlir", affine, strlen(affine), &fixture.module));
        }
        fixture_free(&fixture);
        if (done) break;
    }
}

// A mesh, a constant, an op with a region, a text: NULL, or what the first call that failed says.
static shardc_status *build_main(shardc_context *context, shardc_module **module) {
    const char *const axes[] = {"x"}, *const types[] = {"tensor<4xf32>"},
                      *const scalars[] = {"tensor<f32>", "tensor<f32>"};
    const char *const shardings[] = {"<@mesh, [{\"x\"}]>"};
    const int64_t sizes[] = {2};
    shardc_func *func = NULL;
    shardc_value zero = 0, in[2] = {0, 0}, sum = 0, total = 0, result = 0;
    shardc_status *status = shardc_module_create(context, "built", module);
    if (!status) status = shardc_build_mesh(*module, "mesh", 1, axes, sizes);
    if (!status) status = shardc_func_begin(*module, "main", 1, types, shardings, NULL, &func);
    if (!status) status = shardc_build_splat(func, "tensor<f32>", 0, &zero);
    if (!status) status = shardc_region_begin(func, 2, scalars, in);
    if (!status) status = shardc_build_binary(func, "stablehlo.add", in[0], in[1], &sum);
    if (!status) status = shardc_region_end(func, 1, &sum);
    const shardc_value operands[] = {shardc_func_argument(func, 0), zero};
    if (!status) {
        status = shardc_build_op(
            func, "stablehlo.reduce", 2, operands, "dimensions = array<i64: 0>", 1, NULL, &total);
    }
    if (!status) {
        status = shardc_build_text(
            func, "%0 = stablehlo.tanh %operand0 : tensor<f32>\nreturn %0 : tensor<f32>", 1, &total,
            1, &result);
    }
    return status ? status : shardc_func_finish(func, 1, &result, NULL);
}

// What fails leaves a module that can be printed and built on.
static void building_a_module(void **state) {
    (void)state;
    for (int64_t fail_at = 1, done = 0; !done; fail_at++) {
        Fixture fixture = {0};
        const shardc_allocator allocator = {counted_allocate, counted_release, &fixture.counter};
        succeeds(shardc_context_create(&allocator, &fixture.context));
        arm(&fixture.counter, fail_at);
        done = is_through(build_main(fixture.context, &fixture.module));
        arm(&fixture.counter, 0);
        const char *text = NULL;
        if (fixture.module) succeeds(shardc_module_text(fixture.module, &text));
        shardc_module_free(fixture.module);
        succeeds(build_main(fixture.context, &fixture.module));
        fixture_free(&fixture);
    }
}

static void printing_a_module(void **state) {
    (void)state;
    Fixture fixture;
    fixture_create(&fixture);
    int64_t alive = fixture.counter.alive;
    for (int64_t fail_at = 1;; fail_at++) {
        const char *text = NULL;
        arm(&fixture.counter, fail_at);
        int done = is_through(shardc_module_text(fixture.module, &text));
        assert_int_equal(fixture.counter.alive, alive);
        if (done) break;
    }
    fixture_free(&fixture);
}

// Compiling makes many allocations and takes its time: the later ones fail at growing distances.
static void compiling(void **state) {
    (void)state;
    const shardc_options options = {.struct_size = sizeof options, .constant_arguments = "all"};
    for (int64_t fail_at = 1, done = 0; !done; fail_at += fail_at < 40 ? 1 : fail_at / 12) {
        Fixture fixture;
        shardc_executable *executable = NULL;
        fixture_create(&fixture);
        arm(&fixture.counter, fail_at);
        done = is_through(shardc_compile(fixture.module, &options, &executable));
        assert_true(done == (executable != NULL));
        arm(&fixture.counter, 0);
        if (!done && fail_at % 5 == 0) succeeds(shardc_compile(fixture.module, NULL, &executable));
        shardc_executable_free(executable);
        fixture_free(&fixture);
    }
}

static void explaining(void **state) {
    (void)state;
    for (int64_t fail_at = 1, done = 0; !done; fail_at += fail_at < 40 ? 1 : fail_at / 12) {
        Fixture fixture;
        shardc_explanation *explanation = NULL;
        fixture_create(&fixture);
        arm(&fixture.counter, fail_at);
        done = is_through(shardc_explain(fixture.module, NULL, NULL, &explanation));
        assert_true(done == (explanation != NULL));
        arm(&fixture.counter, 0);
        shardc_explanation_free(explanation);
        fixture_free(&fixture);
    }
}

static void compiling_to_a_file(void **state) {
    (void)state;
    const char *path = scratch("partitioned.mlir");
    for (int64_t fail_at = 1, done = 0; !done; fail_at += fail_at < 20 ? 1 : fail_at / 8) {
        Fixture fixture;
        fixture_create(&fixture);
        arm(&fixture.counter, fail_at);
        done =
            is_through(shardc_compile_to_file(fixture.module, NULL, SHARDC_EMIT_PARTITIONED, path));
        assert_int_equal(access(path, F_OK) == 0, done); // nothing is left of a failed call
        fixture_free(&fixture);
    }
    remove(path);
    rmdir(scratch_folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creating_a_context), cmocka_unit_test(reading_a_module),
        cmocka_unit_test(building_a_module),  cmocka_unit_test(printing_a_module),
        cmocka_unit_test(compiling),          cmocka_unit_test(compiling_to_a_file),
        cmocka_unit_test(explaining),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

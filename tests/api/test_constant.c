// Constant arguments: what is made of them is kept between executions, until the caller says that
// they changed.
#define _GNU_SOURCE
#include "api_test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>

enum { ROWS = 96, K = 128, N = 128 };

// result = x w, on two devices that have rows of x.
static const char linear[] =
    "module @linear {\n"
    "  sdy.mesh @mesh = <[\"d\"=2]>\n"
    "  func.func @main(\n"
    "      %x: tensor<96x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}, {}]>},\n"
    "      %w: tensor<128x128xf32>)\n"
    "      -> (tensor<96x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"d\"}, {}]>}) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
    "        : (tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<96x128xf32>\n"
    "    return %0 : tensor<96x128xf32>\n"
    "  }\n"
    "}\n";

// The same on one device.
static const char whole[] =
    "module @whole {\n"
    "  func.func @main(%x: tensor<96x128xf32>, %w: tensor<128x128xf32>) -> tensor<96x128xf32> {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
    "        : (tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<96x128xf32>\n"
    "    return %0 : tensor<96x128xf32>\n"
    "  }\n"
    "}\n";

typedef struct Arrays {
    float x[ROWS * K], w[K * N], result[ROWS * N];
} Arrays;

// Row i of x picks row i of w, doubled.
static void set_x(Arrays *arrays) {
    memset(arrays->x, 0, sizeof arrays->x);
    for (int i = 0; i < ROWS; i++)
        arrays->x[i * K + i] = 2;
}

static void set_w(Arrays *arrays, float first) {
    for (int i = 0; i < K * N; i++)
        arrays->w[i] = first + (float)(i % 1001);
}

// Is the result that of the w which begins with this number?
static bool has_result_of(const Arrays *arrays, float first) {
    for (int i = 0; i < ROWS * N; i++)
        if (arrays->result[i] != 2 * (first + (float)(i % 1001))) return false;
    return true;
}

static void execute(shardc_executable *executable, Arrays *arrays) {
    const void *inputs[] = {arrays->x, arrays->w};
    void *outputs[] = {arrays->result};
    memset(arrays->result, 0xff, sizeof arrays->result);
    succeeds(shardc_execute(executable, inputs, outputs));
}

static shardc_options constant(const char *list) {
    shardc_options options;
    shardc_options_init(&options);
    options.constant_arguments = list;
    return options;
}

// Keeps values of the second argument.
static void check_keeps(shardc_executable *executable) {
    const shardc_model *model = shardc_executable_model(executable);
    Arrays *arrays = malloc(sizeof *arrays), *others = malloc(sizeof *others);
    assert_true(arrays && others);
    assert_non_null(model->constant_args);
    assert_int_equal(model->constant_args[0], 0);
    assert_int_equal(model->constant_args[1], 1);
    assert_true(model->kept_bytes > 0 && model->kept_bytes <= model->arena_bytes);
    set_x(arrays);
    for (int first = 1; first < 4; first++) {
        set_w(arrays, (float)first);
        shardc_executable_rebind(executable);
        execute(executable, arrays);
        assert_true(has_result_of(arrays, (float)first));
        set_w(arrays, 100);
        execute(executable, arrays); // what was kept
        assert_true(has_result_of(arrays, (float)first));
        memcpy(others, arrays, sizeof *others);
        execute(executable, others); // arrays may lie elsewhere
        assert_true(has_result_of(others, (float)first));
    }
    free(arrays);
    free(others);
}

static void values_are_kept_until_the_caller_rebinds(void **state) {
    (void)state;
    static const char *const programs[] = {linear, whole}, *const lists[] = {"w", "1"};
    for (int p = 0; p < 2; p++) {
        for (int threads = 1; threads <= 5; threads++) {
            shardc_options options = constant(lists[threads % 2]);
            options.threads = threads;
            shardc_executable *executable = compiled(programs[p], &options);
            check_keeps(executable);
            shardc_executable_free(executable);
        }
    }
    shardc_executable_rebind(NULL);
}

static void without_the_option_nothing_is_kept(void **state) {
    (void)state;
    shardc_executable *executable = compiled(whole, NULL);
    const shardc_model *model = shardc_executable_model(executable);
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    assert_null(model->constant_args);
    assert_int_equal(model->kept_bytes, 0);
    set_x(arrays);
    for (int first = 1; first < 4; first++) {
        set_w(arrays, (float)first);
        execute(executable, arrays);
        assert_true(has_result_of(arrays, (float)first));
        shardc_executable_rebind(executable);
    }
    free(arrays);
    shardc_executable_free(executable);
}

// The number of events of the model's first step in an execution of the instance.
static int first_steps(const shardc_model *model, shardc_model_instance *instance, Arrays *arrays) {
    const void *inputs[] = {arrays->x, arrays->w};
    void *outputs[] = {arrays->result};
    shardc_model_event events[256];
    int found = 0;
    assert_int_equal(model->execute(instance, inputs, outputs), SHARDC_MODEL_OK);
    int64_t count = model->events(instance, events, 256);
    assert_true(count > 0 && count <= 256);
    for (int64_t i = 0; i < count; i++)
        found += events[i].step == 0 && !events[i].is_wait;
    return found;
}

static void weights_are_packed_once_by_each_instance(void **state) {
    (void)state;
    shardc_options options = constant("w");
    shardc_executable *executable = compiled(linear, &options);
    const shardc_model *model = shardc_executable_model(executable);
    const shardc_model_options given = {.struct_size = sizeof given, .threads = 2, .profile = 1};
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    set_x(arrays);
    set_w(arrays, 1);
    for (int round = 0; round < 2; round++) {
        shardc_model_instance *instance = NULL;
        char error[256];
        assert_int_equal(model->create(model, &given, &instance, error, sizeof error), 0);
        for (int i = 0; i < 3; i++) {
            assert_true(first_steps(model, instance, arrays) > 0);
            assert_int_equal(first_steps(model, instance, arrays), 0);
            assert_int_equal(first_steps(model, instance, arrays), 0);
            assert_int_equal(model->rebind(instance), SHARDC_MODEL_OK);
        }
        model->destroy(instance);
    }
    assert_int_equal(model->rebind(NULL), SHARDC_MODEL_INVALID);
    free(arrays);
    shardc_executable_free(executable);
}

// A model as files had it that were made before there were constant arguments.
static void older_models_run(void **state) {
    (void)state;
    shardc_executable *executable = compiled(whole, NULL);
    shardc_model model = *shardc_executable_model(executable);
    shardc_model_instance *instance = NULL;
    Arrays *arrays = malloc(sizeof *arrays);
    char error[256];
    assert_non_null(arrays);
    model.struct_size = offsetof(shardc_model, constant_args);
    model.rebind = NULL;
    assert_int_equal(model.create(&model, NULL, &instance, error, sizeof error), 0);
    set_x(arrays);
    set_w(arrays, 3);
    const void *inputs[] = {arrays->x, arrays->w};
    void *outputs[] = {arrays->result};
    assert_int_equal(model.execute(instance, inputs, outputs), 0);
    assert_true(has_result_of(arrays, 3));
    model.destroy(instance);
    model.struct_size--;
    assert_int_equal(
        model.create(&model, NULL, &instance, error, sizeof error), SHARDC_MODEL_INVALID);
    free(arrays);
    shardc_executable_free(executable);
}

// ---- lists

static void refused(const char *program, const char *list, const char *text) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options = constant(list);
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", program, strlen(program), &module));
    fails_with(shardc_compile(module, &options, &executable), SHARDC_INVALID_INPUT, text);
    assert_null(executable);
    fails_with(
        shardc_compile_to_file(module, &options, SHARDC_EMIT_SO, scratch("refused.so")),
        SHARDC_INVALID_INPUT, text);
    shardc_module_free(module);
    shardc_context_free(context);
}

static void wrong_lists_are_refused(void **state) {
    (void)state;
    refused(whole, "v", "'v' is no argument: there are 0 x, 1 w");
    refused(whole, "", "'' is empty");
    refused(whole, "w,", "'' is empty");
    refused(whole, ",w", "'' is empty");
    refused(whole, "2", "beyond the last argument");
    refused(whole, "0-2", "beyond the last argument");
    refused(whole, "99999999999999999999", "is no argument");
    refused(whole, "1-0", "ends before it begins");
    refused(whole, "-1", "is no argument");
    refused(whole, "1-", "is no argument");
    refused(whole, "y*", "is no argument");
    refused(whole, "*", "is no argument");
    refused(whole, "w['", "is no argument");
    refused(donated, "a", "is donated");
    refused(donated, "0", "is donated");
}

static const char tree[] =
    "module @tree {\n"
    "  func.func @main(\n"
    "      %a: tensor<4xf32> loc(\"p['a,b']\"), %b: tensor<4xf32> loc(\"p[(1, 'c')]\"),\n"
    "      %c: tensor<4xf32> loc(\"q.x\"),\n"
    "      %d: tensor<4xf32> {tf.aliasing_output = 0 : i32} loc(\"all\")) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
    "    %1 = stablehlo.add %c, %d : tensor<4xf32>\n"
    "    %2 = stablehlo.add %0, %1 : tensor<4xf32>\n"
    "    return %2 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

static void names_are_those_of_the_program(void **state) {
    (void)state;
    static const struct {
        const char *list;
        uint8_t constant[4];
    } cases[] = {
        {"p['a,b']", {1, 0, 0, 0}},      {"p[(1, 'c')]", {0, 1, 0, 0}}, {"p*", {1, 1, 0, 0}},
        {"p['a,b'], q.x", {1, 0, 1, 0}}, {"0,2", {1, 0, 1, 0}},         {"1-2,p*", {1, 1, 1, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shardc_options options = constant(cases[i].list);
        shardc_executable *executable = compiled(tree, &options);
        const shardc_model *model = shardc_executable_model(executable);
        assert_non_null(model->constant_args);
        assert_memory_equal(model->constant_args, cases[i].constant, 4);
        shardc_executable_free(executable);
    }
    refused(tree, "all", "is donated"); // it is a name here
    shardc_options options = constant("all");
    shardc_executable *executable = compiled(donated, &options);
    assert_null(shardc_executable_model(executable)->constant_args);
    shardc_executable_free(executable);
}

// ---- many executions at the same time

typedef struct Together {
    shardc_executable *executable;
    float first;
} Together;

static void *execute_often(void *user) {
    const Together *together = user;
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    set_x(arrays);
    set_w(arrays, together->first);
    intptr_t wrong = 0;
    for (int i = 0; i < 20; i++) {
        execute(together->executable, arrays);
        wrong += !has_result_of(arrays, together->first);
    }
    free(arrays);
    return (void *)wrong;
}

static void executions_that_overlap_are_all_rebound(void **state) {
    (void)state;
    enum { THREADS = 6 };
    shardc_options options = constant("w");
    options.threads = 2;
    Together together = {.executable = compiled(linear, &options)};
    for (int round = 0; round < 5; round++) {
        pthread_t threads[THREADS];
        together.first = (float)round;
        shardc_executable_rebind(together.executable);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, execute_often, &together), 0);
        for (int t = 0; t < THREADS; t++) {
            void *wrong = NULL;
            pthread_join(threads[t], &wrong);
            assert_null(wrong);
        }
    }
    shardc_executable_free(together.executable);
}

static void a_child_keeps_what_its_parent_kept(void **state) {
    (void)state;
    shardc_options options = constant("w");
    options.threads = 2;
    shardc_executable *executable = compiled(linear, &options);
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    set_x(arrays);
    set_w(arrays, 1);
    execute(executable, arrays);
    set_w(arrays, 2);
    pid_t child = fork();
    if (child == 0) {
        execute(executable, arrays);
        if (!has_result_of(arrays, 1)) _exit(1);
        shardc_executable_rebind(executable);
        execute(executable, arrays);
        _exit(has_result_of(arrays, 2) ? 0 : 2);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    execute(executable, arrays);
    assert_true(has_result_of(arrays, 1));
    free(arrays);
    shardc_executable_free(executable);
}

// ---- an execution that fails

static const char fragile[] =
    "module @fragile {\n"
    "  func.func @main(%x: tensor<96x128xf32>, %w: tensor<128x128xf32>) -> tensor<96x128xf32> {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]\n"
    "        : (tensor<96x128xf32>, tensor<128x128xf32>) -> tensor<96x128xf32>\n"
    "    %1 = stablehlo.custom_call @may_fail(%0) {api_version = 4 : i32}\n"
    "        : (tensor<96x128xf32>) -> tensor<96x128xf32>\n"
    "    return %1 : tensor<96x128xf32>\n"
    "  }\n"
    "}\n";

static atomic_bool is_to_fail;

static int may_fail(const float *x, float *y, int64_t count) {
    memcpy(y, x, (size_t)count * sizeof *y);
    return atomic_load(&is_to_fail) ? 7 : 0;
}

static void a_failed_execution_keeps_nothing(void **state) {
    (void)state;
    const shardc_custom_parameter parameters[] = {
        {.kind = SHARDC_CUSTOM_OPERAND, .index = 0, .dtype = SHARDC_F32},
        {.kind = SHARDC_CUSTOM_RESULT, .index = 0, .dtype = SHARDC_F32},
        {.kind = SHARDC_CUSTOM_RESULT_COUNT, .index = 0}};
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options = constant("w");
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_register_custom(
        context, "may_fail", (shardc_custom_function *)may_fail, parameters, 3,
        SHARDC_CUSTOM_STATUS, NULL));
    succeeds(shardc_module_parse(context, "test.mlir", fragile, strlen(fragile), &module));
    succeeds(shardc_compile(module, &options, &executable));
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    set_x(arrays);
    const void *inputs[] = {arrays->x, arrays->w};
    void *outputs[] = {arrays->result};
    for (int first = 1; first < 3; first++) { // nothing is kept of what fails first
        atomic_store(&is_to_fail, true);
        set_w(arrays, (float)first);
        fails_with(shardc_execute(executable, inputs, outputs), SHARDC_FAILED, "may_fail");
    }
    atomic_store(&is_to_fail, false);
    set_w(arrays, 5);
    execute(executable, arrays);
    assert_true(has_result_of(arrays, 5));
    atomic_store(&is_to_fail, true); // what was kept before stays
    set_w(arrays, 6);
    fails_with(shardc_execute(executable, inputs, outputs), SHARDC_FAILED, "may_fail");
    atomic_store(&is_to_fail, false);
    execute(executable, arrays);
    assert_true(has_result_of(arrays, 5));
    free(arrays);
    shardc_executable_free(executable);
    shardc_module_free(module);
    shardc_context_free(context);
}

// ---- other forms

static void tiles_are_kept(void **state) {
    (void)state;
    shardc_options options = constant("w");
    options.tiled = 1;
    shardc_executable *executable = compiled(linear, &options);
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    set_x(arrays);
    const void *inputs[] = {arrays->x, arrays->x + ROWS / 2 * K, arrays->w, arrays->w};
    void *outputs[] = {arrays->result, arrays->result + ROWS / 2 * N};
    for (int first = 1; first < 4; first++) {
        set_w(arrays, (float)first);
        shardc_executable_rebind(executable);
        for (int i = 0; i < 2; i++) {
            succeeds(shardc_execute_tiles(executable, inputs, outputs, NULL));
            assert_true(has_result_of(arrays, (float)first));
            set_w(arrays, 100);
        }
    }
    free(arrays);
    shardc_executable_free(executable);
}

static void serialized_executables_keep(void **state) {
    (void)state;
    shardc_options options = constant("w");
    options.keep_code = 1;
    shardc_executable *executable = compiled(linear, &options), *other = NULL;
    char *bytes = NULL;
    size_t size = 0;
    succeeds(shardc_executable_serialize(executable, &bytes, &size));
    shardc_executable_free(executable);
    succeeds(shardc_executable_deserialize(NULL, bytes, size, NULL, &other));
    shardc_bytes_free(bytes);
    check_keeps(other);
    shardc_executable_free(other);
}

static void programs_in_a_cache_differ_by_the_option(void **state) {
    (void)state;
    static const char *const lists[] = {NULL, "w", NULL, "w", "x", "w"};
    char folder[] = "/tmp/shardc-constant-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 6; i++) {
        shardc_options options = constant(lists[i]);
        options.cache = folder;
        shardc_executable *executable = compiled(whole, &options);
        const shardc_model *model = shardc_executable_model(executable);
        bool keeps = lists[i] && *lists[i] == 'w';
        assert_int_equal(model->kept_bytes > 0, keeps);
        if (keeps) check_keeps(executable);
        shardc_executable_free(executable);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

static shardc_executable *in_files(shardc_emit emit, const char *name, const char *load) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options = constant("w");
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", linear, strlen(linear), &module));
    succeeds(shardc_compile_to_file(module, &options, emit, scratch(name)));
    shardc_module_free(module);
    shardc_context_free(context);
    succeeds(shardc_executable_load(scratch(load), NULL, &executable));
    return executable;
}

static void files_keep(void **state) {
    (void)state;
    shardc_executable *executable = in_files(SHARDC_EMIT_SO, "one.so", "one.so");
    check_keeps(executable);
    shardc_executable_free(executable);
    executable = in_files(SHARDC_EMIT_PER_SHARD, "parts.so", "parts.0.so");
    assert_int_equal(shardc_executable_model(executable)->shard_count, 2);
    check_keeps(executable);
    shardc_executable_free(executable);
}

// As a C program calls it by the header that lies beside it.
static void a_library_has_a_function_to_rebind(void **state) {
    (void)state;
    shardc_executable_free(in_files(SHARDC_EMIT_SO, "typed.so", "typed.so"));
    void *library = dlopen(scratch("typed.so"), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    int (*create)(void **, int) = NULL;
    int (*run)(void *, const float *, const float *, float *) = NULL;
    int (*rebind)(void *) = NULL;
    void (*destroy)(void *) = NULL;
    *(void **)&create = dlsym(library, "linear_create");
    *(void **)&run = dlsym(library, "linear_execute");
    *(void **)&rebind = dlsym(library, "linear_rebind");
    *(void **)&destroy = dlsym(library, "linear_destroy");
    assert_true(create && run && rebind && destroy);
    void *instance = NULL;
    Arrays *arrays = malloc(sizeof *arrays);
    assert_non_null(arrays);
    assert_int_equal(create(&instance, 2), 0);
    set_x(arrays);
    for (int first = 1; first < 3; first++) {
        set_w(arrays, (float)first);
        assert_int_equal(rebind(instance), 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(run(instance, arrays->x, arrays->w, arrays->result), 0);
            assert_true(has_result_of(arrays, (float)first));
            set_w(arrays, 50);
        }
    }
    destroy(instance);
    free(arrays);
    dlclose(library);
    char text[4096] = "";
    FILE *header = fopen(scratch("typed.h"), "r");
    assert_non_null(header);
    assert_true(fread(text, 1, sizeof text - 1, header) > 0);
    fclose(header);
    assert_non_null(strstr(text, "int linear_rebind(void *instance);"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_kept_until_the_caller_rebinds),
        cmocka_unit_test(without_the_option_nothing_is_kept),
        cmocka_unit_test(weights_are_packed_once_by_each_instance),
        cmocka_unit_test(older_models_run),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(names_are_those_of_the_program),
        cmocka_unit_test(executions_that_overlap_are_all_rebound),
        cmocka_unit_test(a_child_keeps_what_its_parent_kept),
        cmocka_unit_test(a_failed_execution_keeps_nothing),
        cmocka_unit_test(tiles_are_kept),
        cmocka_unit_test(serialized_executables_keep),
        cmocka_unit_test(programs_in_a_cache_differ_by_the_option),
        cmocka_unit_test(files_keep),
        cmocka_unit_test(a_library_has_a_function_to_rebind),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}

// Diagnostics as data: of statuses, and the warnings of calls that succeed.
#define _GNU_SOURCE // mkdtemp
#include "api_test.h"

static const char uneven[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(\n"
    "    %a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>},\n"
    "    %b: tensor<8x6xf32>) -> (tensor<8x6xf32>\n"
    "        {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8x6xf32>\n"
    "  return %0 : tensor<8x6xf32>\n"
    "}\n";

typedef struct Program {
    shardc_context *context;
    shardc_module *module;
} Program;

static Program read_program(const char *text) {
    Program program = {0};
    succeeds(shardc_context_create(NULL, &program.context));
    succeeds(shardc_module_parse(program.context, "p.mlir", text, strlen(text), &program.module));
    return program;
}

static void free_program(Program *program) {
    shardc_module_free(program->module);
    shardc_context_free(program->context);
}

static size_t warning_count(const shardc_module *module) {
    size_t count = 99;
    const shardc_diagnostic *list = shardc_module_diagnostics(module, &count);
    assert_true((list == NULL) == (count == 0));
    return count;
}

static void check_uneven(const shardc_module *module) {
    size_t count = 0;
    const shardc_diagnostic *list = shardc_module_diagnostics(module, &count);
    assert_int_equal(count, 2);
    assert_int_equal(list[0].severity, SHARDC_WARNING);
    assert_int_equal(list[0].line, 3);
    assert_int_equal(list[0].column, 5);
    assert_string_equal(list[0].file, "p.mlir");
    assert_string_equal(
        list[0].message,
        "argument 0: dimension 0 of size 8 does not divide into 3 parts: it is "
        "sharded as <@mesh, [{}, {\"y\"}]> instead of <@mesh, [{\"x\"}, {\"y\"}]>");
    assert_non_null(strstr(list[0].report, "p.mlir:3:5: warning: argument 0: "));
    assert_non_null(strstr(list[0].report, "\n      %a: tensor<8x6xf32>"));
    assert_non_null(strstr(list[1].message, "result 0: dimension 0 of size 8"));
}

// Other mesh sizes, with which a written sharding cannot be kept.
static void a_sharding_that_does_not_divide_is_reported(void **state) {
    (void)state;
    Program program = read_program(uneven);
    shardc_options options;
    shardc_executable *executable = NULL;
    shardc_explanation *explanation = NULL;
    const char *path = scratch("out");
    shardc_options_init(&options);
    assert_int_equal(warning_count(program.module), 0);
    succeeds(shardc_compile(program.module, &options, &executable));
    assert_int_equal(warning_count(program.module), 0);
    shardc_executable_free(executable);
    options.mesh = "x=3";
    succeeds(shardc_compile(program.module, &options, &executable));
    check_uneven(program.module);
    shardc_executable_free(executable);
    static const shardc_emit all[] = {
        SHARDC_EMIT_SO,         SHARDC_EMIT_OBJECT,      SHARDC_EMIT_ASSEMBLY, SHARDC_EMIT_HEADER,
        SHARDC_EMIT_PROPAGATED, SHARDC_EMIT_PARTITIONED, SHARDC_EMIT_PER_SHARD};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *text = NULL;
        succeeds(shardc_compile_to_file(program.module, NULL, SHARDC_EMIT_PROPAGATED, path));
        assert_int_equal(warning_count(program.module), 0);
        succeeds(shardc_compile_to_file(program.module, &options, all[i], path));
        succeeds(shardc_module_text(program.module, &text)); // leaves the list
        check_uneven(program.module);
    }
    succeeds(shardc_explain(program.module, &options, NULL, &explanation));
    check_uneven(program.module);
    shardc_explanation_free(explanation);
    options.mesh = "nothing=3"; // a call that fails has its diagnostics in its status
    fails_with(
        shardc_compile(program.module, &options, &executable), SHARDC_INVALID_INPUT, "nothing");
    assert_int_equal(warning_count(program.module), 0);
    free_program(&program);
}

// A status has the warnings that were found before the error.
static void a_status_has_all_diagnostics(void **state) {
    (void)state;
    Program program = read_program(uneven);
    shardc_options options;
    shardc_options_init(&options);
    options.mesh = "x=3,y=4000";
    shardc_executable *executable = NULL;
    shardc_status *status = shardc_compile(program.module, &options, &executable);
    size_t count = 0, size = 0;
    const shardc_diagnostic *list = shardc_status_diagnostics(status, &count);
    assert_int_equal(count, 3);
    assert_int_equal(list[0].severity, SHARDC_WARNING);
    assert_int_equal(list[2].severity, SHARDC_ERROR);
    assert_string_equal(list[2].message, shardc_status_message(status));
    for (size_t i = 0; i < count; i++)
        size += strlen(list[i].report);
    assert_int_equal(strlen(shardc_status_report(status)), size);
    fails_with(status, SHARDC_UNSUPPORTED, "12000");
    free_program(&program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sharding_that_does_not_divide_is_reported),
        cmocka_unit_test(a_status_has_all_diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}

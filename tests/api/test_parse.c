// Reading programs through the public API: errors with their places, files, text.
#define _GNU_SOURCE
#include "api_test.h"

static shardc_status *parse(const char *text) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    shardc_status *status = shardc_module_parse(context, "bad.mlir", text, strlen(text), &module);
    if (status) assert_null(module);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static void a_type_error_has_its_line_and_column(void **state) {
    (void)state;
    shardc_status *status =
        parse("func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {\n"
              "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n"
              "  return %0 : tensor<2xf32>\n"
              "}\n");
    assert_int_equal(shardc_status_code(status), SHARDC_INVALID_INPUT);
    int column = 0;
    assert_int_equal(shardc_status_line(status, &column), 2);
    assert_true(column >= 3);
    assert_non_null(strstr(shardc_status_report(status), "bad.mlir:2:"));
    assert_non_null(strstr(shardc_status_report(status), ": error: "));
    assert_non_null(
        strstr(shardc_status_report(status), "stablehlo.add %a, %b")); // the source line
    assert_non_null(strchr(shardc_status_report(status), '^'));
    shardc_status_free(status);
}

// The same call takes the bytes of a portable artifact.
static void an_artifact_is_a_program(void **state) {
    (void)state;
    char bytes[4096];
    FILE *file = fopen("tests/fuzz/seeds/bytecode/newest.mlirbc", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "m.mlirbc", bytes, size, &module));
    shardc_module_free(module);
    shardc_status *status = shardc_module_parse(context, "m.mlirbc", bytes, size / 2, &module);
    assert_int_equal(shardc_status_code(status), SHARDC_INVALID_INPUT);
    assert_non_null(strstr(shardc_status_report(status), "m.mlirbc:byte "));
    assert_null(module);
    shardc_status_free(status);
    shardc_context_free(context);
}

// What a program is compiled for stands beside it, and is in its text afterwards.
static void options_of_reading_complete_the_program(void **state) {
    (void)state;
    static const char program[] =
        "HloModule m\n"
        "ENTRY main { x = f32[8] parameter(0), sharding={devices=[2]0,1}\n"
        "  y = f32[8] parameter(1) ROOT s = f32[8] add(x, y) }\n";
    static const unsigned char yes[] = {1}, second[] = {0, 1};
    const shardc_read_options options = {
        .struct_size = sizeof options,
        .partitions = 2,
        .replicas = 3, // of no matter: nothing communicates
        .whole_inputs = second,
        .whole_input_count = 2,
        .whole_results = yes,
        .whole_result_count = 1};
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    const char *text = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse_with(context, &options, program, strlen(program), &module));
    succeeds(shardc_module_text(module, &text));
    assert_non_null(strstr(text, "mhlo.num_partitions = 2"));
    assert_null(strstr(text, "mhlo.num_replicas"));
    assert_non_null(strstr(text, "[{\"_axis_0\"}]>}, %arg1"));
    assert_non_null(
        strstr(text, "%arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}"));
    assert_non_null(strstr(text, "-> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})"));
    shardc_module_free(module);
    static const char talking[] = "HloModule m\n ENTRY main { ROOT r = u32[] replica-id() }\n";
    succeeds(shardc_module_parse_with(context, &options, talking, strlen(talking), &module));
    succeeds(shardc_module_text(module, &text));
    assert_non_null(strstr(text, "mhlo.num_replicas = 3"));
    shardc_module_free(module);
    shardc_read_options wrong = options;
    wrong.partitions = -1;
    fails_with(
        shardc_module_parse_with(context, &wrong, program, strlen(program), &module),
        SHARDC_INVALID_INPUT, "options->partitions is negative: -1");
    wrong = options;
    wrong.whole_inputs = NULL;
    fails_with(
        shardc_module_parse_with(context, &wrong, program, strlen(program), &module),
        SHARDC_INVALID_INPUT, "options->whole_inputs is NULL");
    shardc_context_free(context);
}

static void broken_texts_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "func.func",
        "func.func @main(",
        "module {",
        "func.func @main() -> tensor<2xf32> {",
        "func.func @main() { %0 = stablehlo.no_such_op : tensor<f32> return }",
        "func.func @main(%a: tensor<99999999999999999999xf32>) { return }",
        "func.func @main(%a: tensor<4611686018427387904x4xf32>) { return }",
        "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %b : tensor<2xf32> }",
        "\177ELF\002\001\001",
        "ML\357R"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        shardc_status *status = parse(texts[i]);
        if (i > 0) {
            assert_non_null(status);
            assert_true(*shardc_status_message(status) != 0);
        }
        shardc_status_free(status);
    }
}

static void every_prefix_of_a_program_is_refused_or_read(void **state) {
    (void)state;
    shardc_context *context = NULL;
    succeeds(shardc_context_create(NULL, &context));
    for (size_t size = 0; size < sizeof affine; size += 3) {
        shardc_module *module = NULL;
        shardc_status *status = shardc_module_parse(context, NULL, affine, size, &module);
        assert_true(!status == (module != NULL));
        shardc_status_free(status);
        shardc_module_free(module);
    }
    shardc_context_free(context);
}

static void nesting_is_limited(void **state) {
    (void)state;
    enum { DEPTH = 20000 };
    char *text = malloc(DEPTH + 64);
    assert_non_null(text);
    int at = sprintf(text, "module attributes {a = ");
    memset(text + at, '[', DEPTH);
    text[at + DEPTH] = 0;
    shardc_status *status = parse(text);
    assert_int_equal(shardc_status_code(status), SHARDC_INVALID_INPUT);
    shardc_status_free(status);
    free(text);
}

static void a_missing_file_is_an_io_error(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    fails_with(
        shardc_module_parse_file(context, "/no/such/file.mlir", &module), SHARDC_IO,
        "/no/such/file.mlir");
    fails_with(shardc_module_parse_file(context, NULL, &module), SHARDC_INVALID_INPUT, "path");
    fails_with(
        shardc_module_parse(NULL, "x", affine, strlen(affine), &module), SHARDC_INVALID_INPUT,
        "context");
    shardc_context_free(context);
}

static void a_module_prints_as_text_that_reads_again(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL, *again = NULL;
    const char *text = NULL, *second = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "affine.mlir", affine, strlen(affine), &module));
    succeeds(shardc_module_text(module, &text));
    assert_non_null(strstr(text, "sdy.mesh @mesh"));
    succeeds(shardc_module_parse(context, "printed.mlir", text, strlen(text), &again));
    succeeds(shardc_module_text(again, &second));
    assert_string_equal(text, second);
    shardc_module_free(again);
    shardc_module_free(module);
    shardc_context_free(context);
}

static void null_is_fine_for_every_free(void **state) {
    (void)state;
    shardc_status_free(NULL);
    shardc_context_free(NULL);
    shardc_module_free(NULL);
    shardc_executable_free(NULL);
    shardc_buffer_free(NULL);
    shardc_profile_free(NULL);
    assert_int_equal(shardc_status_code(NULL), SHARDC_OK);
    assert_string_equal(shardc_status_message(NULL), "");
    assert_string_equal(shardc_version(), SHARDC_VERSION);
}

static void never_called(void *user, void *memory) {
    (void)user;
    (void)memory;
    fail();
}

static void half_an_allocator_is_refused(void **state) {
    (void)state;
    shardc_context *context = NULL;
    const shardc_allocator allocator = {.release = never_called};
    fails_with(shardc_context_create(&allocator, &context), SHARDC_INVALID_INPUT, "allocator");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_error_has_its_line_and_column),
        cmocka_unit_test(an_artifact_is_a_program),
        cmocka_unit_test(options_of_reading_complete_the_program),
        cmocka_unit_test(broken_texts_are_refused),
        cmocka_unit_test(every_prefix_of_a_program_is_refused_or_read),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(a_missing_file_is_an_io_error),
        cmocka_unit_test(a_module_prints_as_text_that_reads_again),
        cmocka_unit_test(null_is_fine_for_every_free),
        cmocka_unit_test(half_an_allocator_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

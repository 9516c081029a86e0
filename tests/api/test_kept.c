// Whole programs that an earlier compilation left in a folder: which are kept, what they depend on.
#define _GNU_SOURCE // mkdtemp
#include "api_test.h"

#include <stdbool.h>

// An entry is a header and what is kept: of a kernel an ELF object, of a program something else.
enum { HEADER_BYTES = 48 };

static char folder[] = "/tmp/shardc-kept-XXXXXX";

static int set_up(void **state) {
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

typedef enum Which { KERNELS, PROGRAMS, ALL } Which;

static bool is_program(const char *path) {
    char text[HEADER_BYTES + 4];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), sizeof text);
    fclose(file);
    return memcmp(
               text + HEADER_BYTES,
               "\x7f"
               "ELF",
               4) != 0;
}

// How many entries the folder has of these; removes them.
static int count(Which which, bool removes) {
    int found = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): its own stream
    for (const struct dirent *entry; (entry = readdir(all));) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (which != ALL && is_program(path) != (which == PROGRAMS)) continue;
        found++;
        if (removes) assert_int_equal(unlink(path), 0);
    }
    closedir(all);
    return found;
}

static int tear_down(void **state) {
    (void)state;
    (void)count(ALL, true);
    return rmdir(folder);
}

static shardc_options cached(void) {
    shardc_options options;
    shardc_options_init(&options);
    options.cache = folder;
    return options;
}

static void computes_affine(shardc_executable *executable) {
    float a[24], b[24], sums[24], total;
    for (int i = 0; i < 24; i++) {
        a[i] = (float)i;
        b[i] = (float)(i * i);
    }
    const void *inputs[] = {a, b};
    void *outputs[] = {sums, &total};
    succeeds(shardc_execute(executable, inputs, outputs));
    for (int i = 0; i < 24; i++)
        assert_true(sums[i] == a[i] * 2 + b[i]);
    assert_true(total == 276);
    shardc_executable_free(executable);
}

static void a_program_is_found_as_a_whole(void **state) {
    (void)state;
    shardc_options options = cached();
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(PROGRAMS, false), 1);
    assert_true(count(KERNELS, true) > 0);
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(ALL, false), 1); // no kernel was compiled
    options.keep_code = 1;
    shardc_executable *executable = compiled(affine, &options), *again = NULL;
    char *bytes = NULL;
    size_t size = 0;
    succeeds(shardc_executable_serialize(executable, &bytes, &size));
    succeeds(shardc_executable_deserialize(NULL, bytes, size, NULL, &again));
    shardc_bytes_free(bytes);
    computes_affine(executable);
    computes_affine(again);
    assert_int_equal(count(ALL, false), 1);
}

static void what_changes_the_code_makes_another_entry(void **state) {
    (void)state;
    int expected = 1;
    shardc_options options = cached();
    computes_affine(compiled(affine, &options));
    options.optimize = 1;
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(PROGRAMS, false), ++expected);
    options.reference_kernels = 1;
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(PROGRAMS, false), ++expected);
    options.mesh = "x=1,y=3";
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(PROGRAMS, false), ++expected);
    options.entry = "main";
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(PROGRAMS, false), ++expected);
    options.name = "other";
    shardc_executable *executable = compiled(affine, &options);
    assert_string_equal(shardc_executable_model(executable)->name, "other");
    computes_affine(executable);
    assert_int_equal(count(PROGRAMS, false), ++expected);
    const shardc_options plain = cached();
    shardc_executable_free(compiled(product, &plain));
    assert_int_equal(count(PROGRAMS, false), ++expected);
    options.threads = 2; // of the execution alone
    options.profile = 1;
    options.compile_threads = 1;
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(PROGRAMS, false), expected);
}

// The devices that the result lies on are the model's, and so the entry's.
static void what_a_program_was_read_with_makes_another_entry(void **state) {
    (void)state;
    static const char plain[] = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                "  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"
                                "  return %0 : tensor<4xf32>\n"
                                "}\n";
    shardc_context *context = NULL;
    succeeds(shardc_context_create(NULL, &context));
    const shardc_options options = cached();
    for (int round = 0; round < 2; round++) {
        for (int partitions = 1; partitions < 4; partitions++) {
            const shardc_read_options read = {
                .struct_size = sizeof read, .name = "p.mlir", .partitions = partitions};
            shardc_module *module = NULL;
            shardc_executable *executable = NULL;
            succeeds(shardc_module_parse_with(context, &read, plain, sizeof plain - 1, &module));
            succeeds(shardc_compile(module, &options, &executable));
            assert_int_equal(shardc_executable_model(executable)->device_count, partitions);
            shardc_executable_free(executable);
            shardc_module_free(module);
        }
        assert_int_equal(count(PROGRAMS, false), 3);
    }
    shardc_context_free(context);
}

// The compilation has more to say than code.
static void what_says_more_than_code_is_compiled(void **state) {
    (void)state;
    shardc_options options = cached();
    options.mesh = "x=3,y=2"; // 4 rows do not divide: a warning, each time
    for (int round = 0; round < 2; round++) {
        shardc_context *context = NULL;
        shardc_module *module = NULL;
        shardc_executable *executable = NULL;
        size_t warnings = 0;
        succeeds(shardc_context_create(NULL, &context));
        succeeds(shardc_module_parse(context, "p", affine, sizeof affine - 1, &module));
        succeeds(shardc_compile(module, &options, &executable));
        (void)shardc_module_diagnostics(module, &warnings);
        assert_int_equal(warnings, 1);
        computes_affine(executable);
        shardc_module_free(module);
        shardc_context_free(context);
    }
    options = cached();
    options.print_after = "kernels";
    shardc_executable *executable = compiled(affine, &options);
    assert_non_null(shardc_executable_printed(executable));
    computes_affine(executable);
    assert_int_equal(count(PROGRAMS, false), 0);
}

// A module that was read, and then built on, is not what was read.
static void modules_that_were_built_on_are_compiled(void **state) {
    (void)state;
    const shardc_options options = cached();
    for (int round = 0; round < 2; round++) {
        shardc_context *context = NULL;
        shardc_module *module = NULL;
        shardc_executable *executable = NULL;
        shardc_func *func = NULL;
        static const char *const types[] = {"tensor<4xf32>"};
        succeeds(shardc_context_create(NULL, &context));
        succeeds(shardc_module_parse(context, "p", affine, sizeof affine - 1, &module));
        succeeds(shardc_func_begin(module, "more", 1, types, NULL, NULL, &func));
        shardc_value x = shardc_func_argument(func, 0);
        succeeds(shardc_func_finish(func, 1, &x, NULL));
        succeeds(shardc_compile(module, &options, &executable));
        computes_affine(executable);
        shardc_module_free(module);
        shardc_context_free(context);
        assert_int_equal(count(PROGRAMS, false), 0);
    }
}

static void damaged_entries_are_compiled_again(void **state) {
    (void)state;
    const shardc_options options = cached();
    computes_affine(compiled(affine, &options));
    int kernels = count(KERNELS, true);
    DIR *all = opendir(folder);
    assert_non_null(all);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): its own stream
    for (const struct dirent *entry; (entry = readdir(all));) {
        char path[512];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, HEADER_BYTES + 8, SEEK_SET), 0);
        assert_int_equal(fwrite("damage", 1, 6, file), 6);
        fclose(file);
    }
    closedir(all);
    computes_affine(compiled(affine, &options));
    assert_int_equal(count(KERNELS, false), kernels);
    assert_int_equal(count(PROGRAMS, false), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_is_found_as_a_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_changes_the_code_makes_another_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_a_program_was_read_with_makes_another_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_says_more_than_code_is_compiled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modules_that_were_built_on_are_compiled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_entries_are_compiled_again, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

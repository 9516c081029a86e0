// Compiling to files and loading them: what is written, and what is refused when a file is
// foreign, truncated or damaged.
#define _GNU_SOURCE
#include "api_test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <unistd.h>

static shardc_status *compile_to(
    const char *text, const shardc_options *options, shardc_emit emit, const char *path) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    shardc_status *status = shardc_compile_to_file(module, options, emit, path);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) print_error("cannot open %s\n", path);
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

static void write_all(const char *path, const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int file_count(const char *folder) {
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    int count = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): its own stream
    while (readdir(opened))
        count++;
    closedir(opened);
    return count - 2;
}

static void check_affine(shardc_executable *executable) {
    float a[24], b[24], sums[24], total = 0;
    for (int i = 0; i < 24; i++) {
        a[i] = (float)i;
        b[i] = (float)(i % 5);
    }
    const void *inputs[] = {a, b};
    void *outputs[] = {sums, &total};
    succeeds(shardc_execute(executable, inputs, outputs));
    for (int i = 0; i < 24; i++)
        assert_true(sums[i] == a[i] * 2 + b[i]);
    assert_true(total == 276);
}

static void a_library_is_written_with_its_header_and_runs(void **state) {
    (void)state;
    size_t size = 0;
    succeeds(compile_to(affine, NULL, SHARDC_EMIT_SO, scratch("model.so")));
    char *header = read_all(scratch("model.h"), &size);
    assert_non_null(strstr(header, "affine_run("));
    assert_non_null(strstr(header, "affine_workspace_bytes("));
    free(header);
    assert_int_equal(file_count(scratch_folder), 2); // nothing temporary is left
    shardc_executable *executable = NULL;
    succeeds(shardc_executable_load(scratch("model.so"), NULL, &executable));
    assert_string_equal(shardc_executable_model(executable)->name, "affine");
    check_affine(executable);
    shardc_executable_free(executable);
}

// As a program would do that has nothing of shardc but model.h.
static void a_library_runs_through_its_uniform_entry(void **state) {
    (void)state;
    succeeds(compile_to(affine, NULL, SHARDC_EMIT_SO, scratch("uniform.so")));
    void *library = dlopen(scratch("uniform.so"), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    const shardc_model *(*entry)(void) = NULL;
    void *symbol = dlsym(library, "shardc_model_entry");
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof entry);
    const shardc_model *model = entry();
    assert_int_equal(model->abi_version, SHARDC_MODEL_ABI);
    assert_int_equal(model->device_count, 4);
    shardc_model_options options = {.struct_size = sizeof options, .threads = 3};
    shardc_model_instance *instance = NULL;
    char error[256] = "";
    assert_int_equal(
        model->create(model, &options, &instance, error, sizeof error), SHARDC_MODEL_OK);
    float a[24], sums[24], total = 0;
    for (int i = 0; i < 24; i++)
        a[i] = (float)i;
    const void *inputs[] = {a, a};
    void *outputs[] = {sums, &total};
    assert_int_equal(model->execute(instance, inputs, outputs), SHARDC_MODEL_OK);
    for (int i = 0; i < 24; i++)
        assert_true(sums[i] == 3 * a[i]);
    assert_true(model->workspace_bytes(model, 3) >= 0);
    model->destroy(instance);
    dlclose(library);
}

static void loading(const char *name, const char *data, size_t size) {
    shardc_executable *executable = NULL;
    write_all(scratch(name), data, size);
    shardc_status *status = shardc_executable_load(scratch(name), NULL, &executable);
    assert_non_null(status);
    assert_null(executable);
    assert_int_equal(shardc_status_code(status), SHARDC_INVALID_INPUT);
    assert_true(*shardc_status_message(status) != 0);
    shardc_status_free(status);
}

static void truncated_and_damaged_libraries_are_refused(void **state) {
    (void)state;
    size_t size = 0;
    succeeds(compile_to(affine, NULL, SHARDC_EMIT_SO, scratch("whole.so")));
    char *data = read_all(scratch("whole.so"), &size);
    const size_t sizes[] = {0,    1,        17,       63,         64,        100,
                            1000, size / 4, size / 2, size - 100, size - 17, size - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] < size) loading("truncated.so", data, sizes[i]);
    }
    for (size_t at = 40; at < size; at += size / 40 + 1) {
        data[at] = (char)(data[at] ^ 0x41);
        loading("damaged.so", data, size);
        data[at] = (char)(data[at] ^ 0x41);
    }
    free(data);
}

static void foreign_files_are_refused(void **state) {
    (void)state;
    shardc_executable *executable = NULL;
    loading("text.so", affine, strlen(affine));
    fails_with(
        shardc_executable_load("/no/such/model.so", NULL, &executable), SHARDC_IO,
        "/no/such/model.so");
    fails_with(shardc_executable_load(NULL, NULL, &executable), SHARDC_INVALID_INPUT, "path");
    fails_with(shardc_executable_load("/", NULL, &executable), SHARDC_IO, "/");
    // a real library that is no model: the one that holds malloc
    Dl_info place;
    void *(*allocate)(size_t) = malloc;
    void *address = NULL;
    memcpy(&address, &allocate, sizeof address);
    if (dladdr(address, &place) && strstr(place.dli_fname, "libc")) {
        fails_with(
            shardc_executable_load(place.dli_fname, NULL, &executable), SHARDC_INVALID_INPUT,
            "not a shardc model");
    }
    assert_null(executable);
}

static void every_form_is_written(void **state) {
    (void)state;
    static const struct {
        shardc_emit emit;
        const char *name, *text;
    } forms[] = {
        {SHARDC_EMIT_OBJECT, "model.o",
         "\x7f"
         "ELF"},
        {SHARDC_EMIT_ASSEMBLY, "model.s", ".text"},
        {SHARDC_EMIT_LLVM, "model.ll", "define"},
        {SHARDC_EMIT_HEADER, "only.h", "affine_run("},
        {SHARDC_EMIT_PROPAGATED, "propagated.mlir", "sdy.sharding"},
        {SHARDC_EMIT_PARTITIONED, "partitioned.mlir", "tensor<2x3xf32>"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        size_t size = 0;
        succeeds(compile_to(affine, NULL, forms[i].emit, scratch(forms[i].name)));
        char *data = read_all(scratch(forms[i].name), &size);
        assert_true(size > 0);
        if (!memmem(data, size, forms[i].text, strlen(forms[i].text))) {
            print_error("%s lacks '%s'\n", forms[i].name, forms[i].text);
            fail();
        }
        free(data);
    }
}

static const char *shard_file(int device) {
    static char name[32];
    snprintf(name, sizeof name, "shard.%d.so", device);
    return scratch(name);
}

// Any one of the files brings the others; what they compute is what one file would.
static void files_of_single_devices_run_together(void **state) {
    (void)state;
    succeeds(compile_to(affine, NULL, SHARDC_EMIT_PER_SHARD, scratch("shard.so")));
    for (int device = 0; device < 4; device++) {
        shardc_executable *executable = NULL;
        succeeds(shardc_executable_load(shard_file(device), NULL, &executable));
        assert_int_equal(shardc_executable_model(executable)->shard_count, 4);
        check_affine(executable);
        shardc_executable_free(executable);
    }
}

// As a program would do that has nothing of shardc but model.h.
static void shards_are_joined_through_the_uniform_entry(void **state) {
    (void)state;
    succeeds(compile_to(affine, NULL, SHARDC_EMIT_PER_SHARD, scratch("shard.so")));
    void *libraries[4];
    const shardc_model *shards[4];
    for (int device = 0; device < 4; device++) {
        libraries[device] = dlopen(shard_file(device), RTLD_NOW | RTLD_LOCAL);
        assert_non_null(libraries[device]);
        const shardc_model *(*entry)(void) = NULL;
        void *symbol = dlsym(libraries[device], "shardc_model_entry");
        memcpy(&entry, &symbol, sizeof entry);
        shards[3 - device] = entry();
        assert_int_equal(shards[3 - device]->first_device, device);
        assert_int_equal(shards[3 - device]->shard_count, 1);
    }
    shardc_model *joined = NULL;
    shardc_model_instance *instance = NULL;
    char error[256] = "";
    assert_int_equal(
        shards[0]->create(shards[0], NULL, &instance, error, sizeof error), SHARDC_MODEL_INVALID);
    assert_non_null(strstr(error, "join the files of all devices"));
    assert_int_equal(
        shards[0]->join(shards, 0, &joined, error, sizeof error), SHARDC_MODEL_INVALID);
    const shardc_model *twice[] = {shards[0], shards[1], shards[0]};
    assert_int_equal(twice[0]->join(twice, 3, &joined, error, sizeof error), SHARDC_MODEL_INVALID);
    assert_string_equal(error, "device 3 is there twice");
    const shardc_model *gap[] = {shards[0], shards[3]};
    assert_int_equal(gap[0]->join(gap, 2, &joined, error, sizeof error), SHARDC_MODEL_INVALID);
    assert_string_equal(error, "the file of device 1 is missing");
    assert_int_equal(shards[0]->join(shards, 4, &joined, error, sizeof error), SHARDC_MODEL_OK);
    assert_int_equal(joined->create(joined, NULL, &instance, error, sizeof error), SHARDC_MODEL_OK);
    float a[24], sums[24], total = 0;
    for (int i = 0; i < 24; i++)
        a[i] = (float)i;
    const void *inputs[] = {a, a};
    void *outputs[] = {sums, &total};
    assert_int_equal(joined->execute(instance, inputs, outputs), SHARDC_MODEL_OK);
    for (int i = 0; i < 24; i++)
        assert_true(sums[i] == 3 * a[i]);
    assert_true(joined->workspace_bytes(joined, 1) >= 0);
    joined->destroy(instance);
    joined->release(joined);
    for (int device = 0; device < 4; device++)
        dlclose(libraries[device]);
}

static const char other_shards[] =
    "module @affine {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})\n"
    "      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
    "    return %a : tensor<8xf32>\n"
    "  }\n"
    "}\n";

static void files_of_different_compilations_are_not_joined(void **state) {
    (void)state;
    succeeds(compile_to(affine, NULL, SHARDC_EMIT_PER_SHARD, scratch("shard.so")));
    succeeds(compile_to(other_shards, NULL, SHARDC_EMIT_PER_SHARD, scratch("other.so")));
    size_t size = 0;
    char *other = read_all(scratch("other.2.so"), &size);
    write_all(shard_file(2), other, size);
    free(other);
    shardc_executable *executable = NULL;
    fails_with(
        shardc_executable_load(shard_file(1), NULL, &executable), SHARDC_INVALID_INPUT,
        "were not made by one compilation");
    assert_int_equal(remove(shard_file(2)), 0);
    fails_with(
        shardc_executable_load(shard_file(1), NULL, &executable), SHARDC_INVALID_INPUT,
        "is not among them");
    assert_null(executable);
}

static void a_failed_compilation_leaves_nothing_behind(void **state) {
    (void)state;
    int before = file_count(scratch_folder);
    fails_with(
        compile_to(affine, NULL, SHARDC_EMIT_SO, "/no/such/folder/model.so"), SHARDC_IO,
        "/no/such/folder");
    fails_with(compile_to(affine, NULL, SHARDC_EMIT_SO, ""), SHARDC_INVALID_INPUT, "path");
    shardc_options options;
    shardc_options_init(&options);
    options.target_cpu = "no-such-cpu";
    shardc_status *status = compile_to(affine, &options, SHARDC_EMIT_SO, scratch("never.so"));
    assert_non_null(status);
    shardc_status_free(status);
    assert_int_equal(file_count(scratch_folder), before);
}

#if defined(__x86_64__)
// Every level either runs, or is refused with what is missing, in memory as from a file.
static void check_level(shardc_module *module, const shardc_options *options) {
    shardc_executable *executable = NULL;
    shardc_status *in_memory = shardc_compile(module, options, &executable);
    if (in_memory) {
        assert_non_null(strstr(shardc_status_message(in_memory), "CPU lacks '"));
        assert_int_equal(shardc_status_code(in_memory), SHARDC_INVALID_INPUT);
        shardc_status_free(in_memory);
    } else {
        check_affine(executable);
    }
    bool runs = executable != NULL;
    shardc_executable_free(executable);
    succeeds(shardc_compile_to_file(module, options, SHARDC_EMIT_SO, scratch("cpu.so")));
    if (runs) {
        succeeds(shardc_executable_load(scratch("cpu.so"), NULL, &executable));
        check_affine(executable);
    } else {
        fails_with(
            shardc_executable_load(scratch("cpu.so"), NULL, &executable), SHARDC_INVALID_INPUT,
            "this CPU lacks '");
    }
    shardc_executable_free(executable);
    assert_int_equal(remove(scratch("cpu.so")), 0);
}
#endif

// Code in memory is for this machine alone; files may be for others, which say what
// they need when they are created.
static void code_for_other_machines_does_not_run_here(void **state) {
    (void)state;
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options = {.struct_size = sizeof options};
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", affine, strlen(affine), &module));
#if defined(__x86_64__)
    options.target = "aarch64-linux-gnu";
#else
    options.target = "x86_64-linux-gnu";
#endif
    fails_with(
        shardc_compile(module, &options, &executable), SHARDC_INVALID_INPUT,
        "cannot run on this machine: compile it to a file");
    assert_null(executable);
    shardc_status *status =
        shardc_compile_to_file(module, &options, SHARDC_EMIT_OBJECT, scratch("other.o"));
    if (status) // a machine that has no linker for the other
        fails_with(status, SHARDC_IO, "no linker for the target was found: install");
    static const char *const strange[] = {
        "aarch64_be-linux-gnu", "x86_64-linux-gnux32", "aarch64-linux-gnu_ilp32", "riscv64-linux"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        options.target = strange[i];
        fails_with(
            shardc_compile_to_file(module, &options, SHARDC_EMIT_OBJECT, scratch("never.o")),
            SHARDC_INVALID_INPUT, "unknown target");
    }
    options.target = NULL;
#if defined(__x86_64__)
    static const char *const cpus[] = {"x86-64", "x86-64-v3",      "x86-64-v4",
                                       "znver4", "sapphirerapids", "icelake-server"};
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        options.target_cpu = cpus[i];
        check_level(module, &options);
    }
#endif
    shardc_module_free(module);
    shardc_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_is_written_with_its_header_and_runs),
        cmocka_unit_test(a_library_runs_through_its_uniform_entry),
        cmocka_unit_test(truncated_and_damaged_libraries_are_refused),
        cmocka_unit_test(foreign_files_are_refused),
        cmocka_unit_test(every_form_is_written),
        cmocka_unit_test(files_of_single_devices_run_together),
        cmocka_unit_test(shards_are_joined_through_the_uniform_entry),
        cmocka_unit_test(files_of_different_compilations_are_not_joined),
        cmocka_unit_test(a_failed_compilation_leaves_nothing_behind),
        cmocka_unit_test(code_for_other_machines_does_not_run_here),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}

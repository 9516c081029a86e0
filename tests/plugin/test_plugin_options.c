// The PJRT plugin: options of compilation that callers name, files of programs
// that they ask for, and tokens.
#define _GNU_SOURCE
#include "plugin_test.h"

#include <dirent.h>
#include <unistd.h>

static const char add_one[] = "module @jit_f {\n"
                              "  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                              "    %one = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
                              "    %0 = stablehlo.add %x, %one : tensor<4xf32>\n"
                              "    return %0 : tensor<4xf32>\n"
                              "  }\n"
                              "}\n";

// The value of an option: a text, a boolean, an integer, or a number.
typedef struct Option {
    const char *name;
    char kind; // 't', 'b', 'i', 'n'
    const char *text;
    int64_t integer;
    double number;
} Option;

#define TEXT(name_, text_)     ((Option){.name = (name_), .kind = 't', .text = (text_)})
#define BOOL(name_, value_)    ((Option){.name = (name_), .kind = 'b', .integer = (value_)})
#define INTEGER(name_, value_) ((Option){.name = (name_), .kind = 'i', .integer = (value_)})
#define NUMBER(name_, value_)  ((Option){.name = (name_), .kind = 'n', .number = (value_)})

static void put_varint(char *bytes, size_t *size, uint64_t value) {
    for (; value > 0x7f; value >>= 7)
        bytes[(*size)++] = (char)((value & 0x7f) | 0x80);
    bytes[(*size)++] = (char)value;
}

static void put_bytes(char *bytes, size_t *size, char tag, const char *data, size_t count) {
    bytes[(*size)++] = tag;
    put_varint(bytes, size, count);
    memcpy(bytes + *size, data, count);
    *size += count;
}

// CompileOptionsProto with an entry of env_option_overrides for each.
static size_t write_overrides(const Option *options, int count, char *bytes) {
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        char value[1100], entry[1200];
        size_t v = 0, e = 0;
        if (options[i].kind == 't')
            put_bytes(value, &v, 0x0a, options[i].text, strlen(options[i].text));
        if (options[i].kind == 'b' || options[i].kind == 'i') {
            value[v++] = options[i].kind == 'b' ? 0x10 : 0x18;
            put_varint(value, &v, (uint64_t)options[i].integer);
        }
        if (options[i].kind == 'n') {
            value[v++] = 0x21;
            memcpy(value + v, &options[i].number, sizeof options[i].number);
            v += sizeof options[i].number;
        }
        put_bytes(entry, &e, 0x0a, options[i].name, strlen(options[i].name));
        put_bytes(entry, &e, 0x12, value, v);
        put_bytes(bytes, &size, 0x3a, entry, e);
    }
    return size;
}

static PJRT_Error *compile_options(PJRT_Client *client, const Option *options, int count) {
    char bytes[4096];
    size_t size = write_overrides(options, count, bytes);
    PJRT_LoadedExecutable *executable = NULL;
    PJRT_Error *error = compile_with(client, add_one, bytes, size, &executable);
    if (executable) destroy_executable(executable);
    return error;
}

static void options_have_values_that_xla_takes(void **state) {
    (void)state;
    const Option good[] = {
        BOOL("xla_embed_ir_in_executable", 1),
        TEXT("xla_embed_ir_in_executable", "False"),
        INTEGER("xla_backend_optimization_level", -1),
        TEXT("xla_backend_optimization_level", " +3 "),
        INTEGER("xla_gpu_redzone_padding_bytes", INT64_C(1) << 40),
        NUMBER("xla_gpu_autotune_gemm_rtol", 0.5),
        TEXT("xla_gpu_autotune_gemm_rtol", "1e-3"),
        TEXT("xla_cpu_opt_preset", "CPU_OPT_PRESET_FAST_COMPILE"),
        INTEGER("xla_cpu_opt_preset", 1),
        TEXT("xla_cpu_opt_preset", "1"),
        TEXT("xla_gpu_enable_command_buffer", ""),
        TEXT("xla_gpu_enable_command_buffer", "FUSION,CUBLAS"),
        TEXT("xla_disable_hlo_passes", "one,two"),
        TEXT("xla_dump_hlo_pass_re", ".*"),
    };
    PJRT_Client *client = create_client(1);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        succeeds(compile_options(client, &good[i], 1), good[i].name);
    destroy_client(client);
}

static void options_are_refused_as_xla_refuses_them(void **state) {
    (void)state;
    const struct {
        Option option;
        const char *message;
    } bad[] = {
        {TEXT("invalid_key", "x"), "No such compile option: 'invalid_key'"},
        {INTEGER("xla_no_such_option", 1), "No such compile option: 'xla_no_such_option'"},
        {TEXT("xla_embed_ir_in_executable", "true"), "'true' is not a valid bool value."},
        {INTEGER("xla_embed_ir_in_executable", 1), "'1' is not a valid bool value."},
        {TEXT("xla_backend_optimization_level", "0x3"), "'0x3' is not a valid int32 value."},
        {BOOL("xla_backend_optimization_level", 1), "'1' is not a valid int32 value."},
        {INTEGER("xla_backend_optimization_level", INT64_C(1) << 40),
         "is not a valid int32 value."},
        {NUMBER("xla_backend_optimization_level", 2.5), "'2.5' is not a valid int32 value."},
        {INTEGER("xla_gpu_autotune_gemm_rtol", 1), "'1' is not a valid float value."},
        {TEXT("xla_gpu_autotune_gemm_rtol", "1e3x"), "'1e3x' is not a valid float value."},
        {TEXT("xla_cpu_opt_preset", "cpu_opt_preset_default"), "is not a valid enum value."},
        {TEXT("xla_cpu_opt_preset", "CPU_OPT_PRESET"), "is not a valid enum value."},
        {TEXT("xla_gpu_enable_command_buffer", "FUSION,+CUBLAS"),
         "While setting option xla_gpu_enable_command_buffer, '+CUBLAS' is not a valid enum "
         "value."},
        {INTEGER("xla_dump_to", 1), "'1' is not a valid string value."},
        {TEXT("xla_backend_extra_options", "a"), "'a' is not a valid message value."},
    };
    PJRT_Client *client = create_client(1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fails_with(
            compile_options(client, &bad[i].option, 1), PJRT_INVALID_ARGUMENT, bad[i].message);
    // an entry that ends in its middle
    static const char damaged[] = {0x3a, 0x03, 0x0a, 0x09, 'x'};
    PJRT_LoadedExecutable *executable = NULL;
    PJRT_Error *error = compile_with(client, add_one, damaged, sizeof damaged, &executable);
    fails_with(error, PJRT_INVALID_ARGUMENT, "damaged");
    destroy_client(client);
}

// ---- files

// Removes the files; returns how many had the ending, and whether one of those had the text.
static int take_files(const char *folder, const char *ending, const char *text, bool *has_text) {
    int count = 0;
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    for (struct dirent *entry; (entry = readdir(opened));) {
        size_t size = strlen(entry->d_name), tail = strlen(ending);
        if (size < tail || strcmp(entry->d_name + size - tail, ending) != 0) continue;
        char path[1024], content[8192];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        content[fread(content, 1, sizeof content - 1, file)] = 0;
        fclose(file);
        *has_text = *has_text || strstr(content, text);
        unlink(path);
        count++;
    }
    closedir(opened);
    return count;
}

static void programs_are_written_where_options_say(void **state) {
    (void)state;
    char folder[] = "/tmp/shardc_dump_XXXXXX", inner[64];
    assert_non_null(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/a/b", folder);
    PJRT_Client *client = create_client(1);
    const Option to_inner = TEXT("xla_dump_to", inner);
    succeeds(compile_options(client, &to_inner, 1), "xla_dump_to");
    bool has_sum = false, has_name = false;
    assert_int_equal(
        take_files(inner, "jit_f.before_optimizations.mlir", "stablehlo.add", &has_sum), 1);
    assert_int_equal(
        take_files(inner, "jit_f.cpu_after_optimizations.mlir", "@main", &has_name), 1);
    assert_true(has_sum && has_name);
    const Option other[] = {TEXT("xla_dump_to", inner), TEXT("xla_dump_hlo_module_re", "^jit_g")};
    succeeds(compile_options(client, other, 2), "xla_dump_hlo_module_re");
    const Option none[] = {TEXT("xla_dump_to", inner), INTEGER("xla_dump_max_hlo_modules", 0)};
    succeeds(compile_options(client, none, 2), "xla_dump_max_hlo_modules");
    assert_int_equal(take_files(inner, "mlir", "", &has_sum), 0);
    // a folder that cannot be made
    const Option below_a_file = TEXT("xla_dump_to", "/dev/null/x");
    fails_with(compile_options(client, &below_a_file, 1), PJRT_INTERNAL, "xla_dump_to");
    destroy_client(client);
    rmdir(inner);
    *strrchr(inner, '/') = 0;
    rmdir(inner);
    rmdir(folder);
}

// A serialized program is written, too, when it is loaded with options that ask for it:
// here by the message DebugOptions.
static void loaded_programs_are_written(void **state) {
    (void)state;
    char folder[] = "/tmp/shardc_dump_XXXXXX", debug[64], build[80], options[96];
    assert_non_null(mkdtemp(folder));
    size_t d = 0, b = 0, n = 0;
    put_varint(debug, &d, 109 << 3 | 2); // xla_dump_to
    put_varint(debug, &d, strlen(folder));
    memcpy(debug + d, folder, strlen(folder));
    d += strlen(folder);
    put_bytes(build, &b, 0x1a, debug, d);
    put_bytes(options, &n, 0x1a, build, b);
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *loaded = compiled(client, add_one, (const int[]){0}, 1);
    PJRT_Executable *executable = described(loaded);
    CALL(Executable_Serialize, bytes, .executable = executable);
    CALL(
        Executable_DeserializeAndLoad, again, .client = client,
        .serialized_executable = bytes.serialized_bytes,
        .serialized_executable_size = bytes.serialized_bytes_size,
        .overridden_serialized_compile_options = options,
        .overridden_serialized_compile_options_size = n);
    bytes.serialized_executable_deleter(bytes.serialized_executable);
    bool has_sum = false;
    assert_int_equal(take_files(folder, "optimizations.mlir", "stablehlo.add", &has_sum), 2);
    assert_true(has_sum);
    destroy_executable(again.loaded_executable);
    CALL(Executable_Destroy, destroy, .executable = executable);
    destroy_executable(loaded);
    destroy_client(client);
    rmdir(folder);
}

// ---- tokens

static void tokens_are_tokens(void **state) {
    (void)state;
    static const char text[] = "func.func @main(%t: !stablehlo.token) -> !stablehlo.token {\n"
                               "  %0 = stablehlo.after_all %t : !stablehlo.token\n"
                               "  return %0 : !stablehlo.token\n"
                               "}\n";
    PJRT_Client *client = create_client(1);
    PJRT_LoadedExecutable *loaded = compiled(client, text, (const int[]){0}, 1);
    PJRT_Executable *executable = described(loaded);
    CALL(Executable_OutputElementTypes, types, .executable = executable);
    assert_int_equal(types.num_output_types, 1);
    assert_int_equal(types.output_types[0], PJRT_TOKEN);
    // callers give an array of no booleans
    const int64_t none[] = {0};
    CALL(
        Client_BufferFromHostBuffer, made, .client = client, .data = "", .type = PJRT_PRED,
        .dims = none, .num_dims = 1, .host_buffer_semantics = PJRT_ONLY_DURING_CALL,
        .memory = memory(client, 0));
    await(made.done_with_host_buffer);
    PJRT_Buffer *inputs[MOST_DEVICES][MOST_ARRAYS] = {{made.buffer}},
                *outputs[MOST_DEVICES][MOST_ARRAYS];
    for (int round = 0; round < 2; round++) { // the second with the token of the first
        succeeds(execute(loaded, 1, 1, inputs, outputs), "Execute");
        CALL(Buffer_ElementType, type, .buffer = outputs[0][0]);
        assert_int_equal(type.type, PJRT_TOKEN);
        CALL(Buffer_Dimensions, dims, .buffer = outputs[0][0]);
        assert_int_equal(dims.num_dims, 0);
        destroy_buffer(inputs[0][0]);
        inputs[0][0] = outputs[0][0];
    }
    destroy_buffer(inputs[0][0]);
    CALL(Executable_Destroy, destroy, .executable = executable);
    destroy_executable(loaded);
    destroy_client(client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_values_that_xla_takes),
        cmocka_unit_test(options_are_refused_as_xla_refuses_them),
        cmocka_unit_test(programs_are_written_where_options_say),
        cmocka_unit_test(loaded_programs_are_written),
        cmocka_unit_test(tokens_are_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

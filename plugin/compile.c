// compile: programs to executables.
#define _POSIX_C_SOURCE 200809L

#include "plugin/ffi/ffi.h"
#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_format(const PJRT_Program *program, const char *name) {
    return program->format_size == strlen(name) &&
           memcmp(program->format, name, program->format_size) == 0;
}

// Which devices run it: the given ones, or the first.
static PJRT_Error *assign_devices(PJRT_Executable *executable, const CompileOptions *options) {
    const PJRT_Client *client = executable->client;
    int64_t count = options->replica_count * options->partition_count;
    bool is_given = options->device_id_count > 0;
    if (count > client->device_count || (is_given && (int64_t)options->device_id_count != count)) {
        return error_create(
            PJRT_INVALID_ARGUMENT,
            "%lld replicas of %lld partitions on %zu devices: shardc has %d devices "
            "(SHARDC_NUM_DEVICES)",
            (long long)options->replica_count, (long long)options->partition_count,
            is_given ? options->device_id_count : (size_t)count, client->device_count);
    }
    executable->replica_count = (int)options->replica_count;
    executable->partition_count = (int)options->partition_count;
    executable->device_count = (int)count;
    executable->device_ids = calloc((size_t)count, sizeof *executable->device_ids);
    if (!executable->device_ids) return error_out_of_memory();
    for (int64_t i = 0; i < count; i++) {
        // given partition by partition; executed replica by replica
        int64_t partition = i % options->partition_count, replica = i / options->partition_count;
        int64_t id =
            is_given ? options->device_ids[partition * options->replica_count + replica] : i;
        if (id < 0 || id >= client->device_count)
            return error_create(PJRT_INVALID_ARGUMENT, "there is no device %lld", (long long)id);
        executable->device_ids[i] = (int)id;
    }
    return NULL;
}

static shardc_status *compile_module(
    const PJRT_Client *client, const PJRT_Program *program, const CompileOptions *asked,
    PJRT_Executable *executable) {
    const shardc_read_options read = {
        .struct_size = sizeof read,
        .partitions = (int)asked->partition_count,
        .replicas = (int)asked->replica_count,
        .whole_inputs = (const unsigned char *)asked->whole_arguments.data,
        .whole_input_count = asked->whole_arguments.size,
        .whole_results = (const unsigned char *)asked->whole_results.data,
        .whole_result_count = asked->whole_results.size};
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    const char *text = NULL;
    shardc_options options;
    shardc_options_init(&options);
    options.tiled = options.keep_code = 1;
    options.threads = client->threads;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = ffi_attach(context);
    if (!status) status = partitioner_attach(context);
    if (!status)
        status =
            shardc_module_parse_with(context, &read, program->code, program->code_size, &module);
    if (!status) status = shardc_module_text(module, &text);
    if (!status) {
        executable->text = strdup(text);
        if (!executable->text) status = shardc_status_create(SHARDC_OUT_OF_MEMORY, "out of memory");
    }
    if (!status) status = shardc_compile(module, &options, &executable->code);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static PJRT_Error *check_devices(PJRT_Executable *executable) {
    if (executable->model->device_count == executable->device_count) return NULL;
    // Nobody said how many replicas there are but the options, and it does not matter.
    executable->is_independent =
        executable->model->device_count == 1 && executable->partition_count == 1;
    if (executable->is_independent) return NULL;
    return error_create(
        PJRT_UNIMPLEMENTED,
        "shardc: the program is for %d devices, but %d replicas of %d partitions are asked for",
        executable->model->device_count, executable->replica_count, executable->partition_count);
}

// What callers ask of it, and files of it that the options ask for.
static PJRT_Error *describe(PJRT_Executable *executable, const Dump *dump) {
    executable->model = shardc_executable_model(executable->code);
    PJRT_Error *error = check_devices(executable);
    if (!error && !executable_describe(executable)) error = error_out_of_memory();
    return error ? error : dump_programs(executable, dump);
}

static PJRT_Error *compile(
    PJRT_Client *client, const PJRT_Program *program, const char *options, size_t options_size,
    PJRT_Executable *executable) {
    if (!is_format(program, "mlir") && !is_format(program, "hlo") &&
        !is_format(program, "hlo_with_config")) {
        return error_create(
            PJRT_UNIMPLEMENTED,
            "shardc: programs of the format '%.*s' are not read; \"mlir\", \"hlo\" and "
            "\"hlo_with_config\" are",
            (int)program->format_size, program->format);
    }
    executable->client = client;
    executable->options = malloc(options_size + 1);
    if (!executable->options) return error_out_of_memory();
    if (options_size) memcpy(executable->options, options, options_size);
    executable->options_size = options_size;
    CompileOptions read;
    PJRT_Error *error = compile_options_read(options, options_size, &read);
    if (!error) error = assign_devices(executable, &read);
    if (!error) error = error_take(compile_module(client, program, &read, executable));
    if (!error) error = describe(executable, &read.dump);
    compile_options_free(&read);
    return error;
}

ENTRY(Client_Compile) {
    args->executable = NULL;
    PJRT_Executable *executable = calloc(1, sizeof *executable);
    if (!executable) return error_out_of_memory();
    atomic_store(&executable->owners, 1);
    PJRT_Error *error = compile(
        args->client, args->program, args->compile_options, args->compile_options_size, executable);
    if (!error) return executable_load(executable, &args->executable);
    executable_release(executable);
    return error;
}

// ---- serialized: three sizes, the options, the program's text, the code

typedef struct Header {
    char magic[16];
    uint64_t options, text, code;
} Header;

static const char magic[16] = "shardc pjrt 1\n";

struct PJRT_SerializedExecutable {
    Bytes bytes;
};

static void free_serialized(PJRT_SerializedExecutable *owned) {
    free(owned->bytes.data);
    free(owned);
}

ENTRY(Executable_Serialize) {
    const PJRT_Executable *executable = args->executable;
    char *code = NULL;
    size_t code_size = 0, text_size = strlen(executable->text);
    PJRT_Error *error =
        error_take(shardc_executable_serialize(executable->code, &code, &code_size));
    if (error) return error;
    Header header = {.options = executable->options_size, .text = text_size, .code = code_size};
    memcpy(header.magic, magic, sizeof magic);
    PJRT_SerializedExecutable *made = calloc(1, sizeof *made);
    if (made) {
        bytes_add(&made->bytes, &header, sizeof header);
        bytes_add(&made->bytes, executable->options, executable->options_size);
        bytes_add(&made->bytes, executable->text, text_size);
        bytes_add(&made->bytes, code, code_size);
    }
    shardc_bytes_free(code);
    if (!made || made->bytes.has_failed) {
        if (made) free_serialized(made);
        return error_out_of_memory();
    }
    args->serialized_bytes = made->bytes.data;
    args->serialized_bytes_size = made->bytes.size;
    args->serialized_executable = made;
    args->serialized_executable_deleter = free_serialized;
    return NULL;
}

static PJRT_Error *load_code(PJRT_Executable *executable, const char *code, size_t size) {
    shardc_options options;
    shardc_options_init(&options);
    options.keep_code = 1;
    options.threads = executable->client->threads;
    shardc_context *context = NULL;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = ffi_attach(context);
    if (!status)
        status = shardc_executable_deserialize(context, code, size, &options, &executable->code);
    shardc_context_free(context);
    return error_take(status);
}

static PJRT_Error *deserialize(
    PJRT_Client *client, const char *bytes, size_t size, const char *options, size_t options_size,
    PJRT_Executable *executable) {
    Header header;
    if (size < sizeof header || memcmp(bytes, magic, sizeof magic) != 0)
        return error_create(PJRT_INVALID_ARGUMENT, "these are no bytes of a shardc executable");
    memcpy(&header, bytes, sizeof header);
    size_t left = size - sizeof header;
    if (header.options > left || header.text > left - header.options ||
        header.code != left - header.options - header.text) {
        return error_create(PJRT_INVALID_ARGUMENT, "the serialized executable is damaged");
    }
    const char *at = bytes + sizeof header;
    executable->client = client;
    executable->options_size = options_size ? options_size : (size_t)header.options;
    executable->options = malloc(executable->options_size + 1);
    executable->text = strndup(at + header.options, (size_t)header.text);
    if (!executable->options || !executable->text) return error_out_of_memory();
    memcpy(executable->options, options_size ? options : at, executable->options_size);
    CompileOptions read;
    PJRT_Error *error = compile_options_read(executable->options, executable->options_size, &read);
    if (!error) error = assign_devices(executable, &read);
    if (!error)
        error = load_code(executable, at + header.options + header.text, (size_t)header.code);
    if (!error) error = describe(executable, &read.dump);
    compile_options_free(&read);
    return error;
}

ENTRY(Executable_DeserializeAndLoad) {
    args->loaded_executable = NULL;
    bool has_options = PJRT_HAS(args, overridden_serialized_compile_options_size);
    PJRT_Executable *executable = calloc(1, sizeof *executable);
    if (!executable) return error_out_of_memory();
    atomic_store(&executable->owners, 1);
    PJRT_Error *error = deserialize(
        args->client, args->serialized_executable, args->serialized_executable_size,
        has_options ? args->overridden_serialized_compile_options : NULL,
        has_options ? args->overridden_serialized_compile_options_size : 0, executable);
    if (!error) return executable_load(executable, &args->loaded_executable);
    executable_release(executable);
    return error;
}

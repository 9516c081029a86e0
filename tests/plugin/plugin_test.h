// What the plugin's tests share: calls of the API's functions, a client, programs, and buffers. As
// a framework uses the plugin: through the table alone.
#ifndef SHARDC_TESTS_PLUGIN_TEST_H
#define SHARDC_TESTS_PLUGIN_TEST_H

#include "plugin/pjrt.h"
#include "plugin/pjrt_extensions.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PJRT_Api *GetPjrtApi(void);

static const PJRT_Api *api;

// CALL(Client_Devices, devices, .client = client): the arguments `devices`
// after the call, which must succeed.
#define CALL(name, args, ...)                                             \
    PJRT_##name##_Args args = {.struct_size = sizeof(args), __VA_ARGS__}; \
    succeeds(api->name(&(args)), #name)
#define CALL_WITHOUT(name, args)                             \
    PJRT_##name##_Args args = {.struct_size = sizeof(args)}; \
    succeeds(api->name(&(args)), #name)
#define FAIL_CALL(name, code, text, ...)                                            \
    do {                                                                            \
        PJRT_##name##_Args failing = {.struct_size = sizeof(failing), __VA_ARGS__}; \
        fails_with(api->name(&failing), code, text);                                \
    } while (0)

static inline void succeeds(PJRT_Error *error, const char *call);
static inline void fails_with(PJRT_Error *error, PJRT_Error_Code code, const char *text);

static inline void free_error(PJRT_Error *error) {
    PJRT_Error_Destroy_Args args = {.struct_size = sizeof args, .error = error};
    api->Error_Destroy(&args);
}

static inline const char *message_of(const PJRT_Error *error) {
    PJRT_Error_Message_Args args = {.struct_size = sizeof args, .error = error};
    api->Error_Message(&args);
    assert_int_equal(strlen(args.message), args.message_size);
    return args.message;
}

static inline void succeeds(PJRT_Error *error, const char *call) {
    if (!error) return;
    print_error("%s: %s\n", call, message_of(error));
    free_error(error);
    fail();
}

static inline void fails_with(PJRT_Error *error, PJRT_Error_Code code, const char *text) {
    assert_non_null(error);
    PJRT_Error_GetCode_Args args = {.struct_size = sizeof args, .error = error};
    assert_null(api->Error_GetCode(&args));
    if (args.code != code || !strstr(message_of(error), text)) {
        print_error(
            "expected code %d and '%s', got code %d: %s\n", (int)code, text, (int)args.code,
            message_of(error));
        fail();
    }
    free_error(error);
}

// ---- clients

static inline PJRT_Client *create_client(int64_t device_count) {
    const PJRT_NamedValue options[] = {
        {.struct_size = sizeof(PJRT_NamedValue),
         .name = "num_devices",
         .name_size = strlen("num_devices"),
         .type = PJRT_INT64,
         .int64_value = device_count,
         .value_size = 1}};
    CALL(Client_Create, args, .create_options = options, .num_options = 1);
    return args.client;
}

static inline void destroy_client(PJRT_Client *client) {
    CALL(Client_Destroy, args, .client = client);
}

static inline PJRT_Device *device(PJRT_Client *client, int id) {
    CALL(Client_LookupDevice, args, .client = client, .id = id);
    return args.device;
}

static inline PJRT_Memory *memory(PJRT_Client *client, int id) {
    CALL(Device_DefaultMemory, args, .device = device(client, id));
    return args.memory;
}

// ---- events and buffers

static inline void await(PJRT_Event *event) {
    CALL(Event_Await, args, .event = event);
    CALL(Event_Destroy, destroy, .event = event);
}

static inline PJRT_Buffer *put(
    PJRT_Client *client, int id, const float *data, size_t rank, const int64_t *dims) {
    CALL(
        Client_BufferFromHostBuffer, args, .client = client, .data = data, .type = PJRT_F32,
        .dims = dims, .num_dims = rank, .host_buffer_semantics = PJRT_ONLY_DURING_CALL,
        .memory = memory(client, id));
    await(args.done_with_host_buffer);
    return args.buffer;
}

static inline void get(PJRT_Buffer *buffer, float *data, size_t count) {
    CALL(Buffer_ToHostBuffer, args, .src = buffer, .dst = data, .dst_size = count * sizeof *data);
    await(args.event);
}

static inline void destroy_buffer(PJRT_Buffer *buffer) {
    CALL(Buffer_Destroy, args, .buffer = buffer);
}

static inline bool is_deleted(PJRT_Buffer *buffer) {
    CALL(Buffer_IsDeleted, args, .buffer = buffer);
    return args.is_deleted;
}

// ---- programs

// A field of a protobuf: its tag, and its number or the length of what follows.
static inline void put_field(char *bytes, size_t *size, int tag, int value) {
    bytes[(*size)++] = (char)tag;
    bytes[(*size)++] = (char)value;
}

// CompileOptionsProto for one replica on these devices.
static inline size_t write_options(const int *ids, int count, char *bytes) {
    char assignment[512], build[600];
    size_t a = 0, b = 0, n = 0;
    put_field(assignment, &a, 0x08, 1); // replicas
    put_field(assignment, &a, 0x10, count);
    for (int i = 0; i < count; i++) {
        put_field(assignment, &a, 0x1a, 3);
        put_field(assignment, &a, 0x0a, 1);
        assignment[a++] = (char)ids[i];
    }
    put_field(build, &b, 0x20, 1);
    put_field(build, &b, 0x28, count);
    put_field(build, &b, 0x4a, (int)a);
    memcpy(build + b, assignment, a);
    b += a;
    put_field(bytes, &n, 0x1a, (int)b);
    memcpy(bytes + n, build, b);
    return n + b;
}

static inline PJRT_Error *compile_with(
    PJRT_Client *client, const char *text, const char *options, size_t size,
    PJRT_LoadedExecutable **executable) {
    char *code = strdup(text);
    const PJRT_Program program = {
        .struct_size = sizeof program,
        .code = code,
        .code_size = strlen(text),
        .format = "mlir",
        .format_size = 4};
    PJRT_Client_Compile_Args args = {
        .struct_size = sizeof args,
        .client = client,
        .program = &program,
        .compile_options = options,
        .compile_options_size = size};
    PJRT_Error *error = api->Client_Compile(&args);
    *executable = args.executable;
    free(code);
    return error;
}

static inline PJRT_Error *try_compile(
    PJRT_Client *client, const char *text, const int *ids, int count,
    PJRT_LoadedExecutable **executable) {
    char options[700];
    size_t size = write_options(ids, count, options);
    return compile_with(client, text, options, size, executable);
}

static inline PJRT_LoadedExecutable *compiled(
    PJRT_Client *client, const char *text, const int *ids, int count) {
    PJRT_LoadedExecutable *executable = NULL;
    succeeds(try_compile(client, text, ids, count, &executable), "Client_Compile");
    return executable;
}

static inline PJRT_Executable *described(PJRT_LoadedExecutable *loaded) {
    CALL(LoadedExecutable_GetExecutable, args, .loaded_executable = loaded);
    return args.executable;
}

static inline void destroy_executable(PJRT_LoadedExecutable *executable) {
    CALL(LoadedExecutable_Destroy, args, .executable = executable);
}

enum { MOST_DEVICES = 8, MOST_ARRAYS = 4 };

// inputs[d][a], outputs[d][r]. Returns the error of the call; its events are waited
// for by whoever reads the outputs.
static inline PJRT_Error *execute(
    PJRT_LoadedExecutable *executable, int devices, size_t arguments,
    PJRT_Buffer *inputs[MOST_DEVICES][MOST_ARRAYS],
    PJRT_Buffer *outputs[MOST_DEVICES][MOST_ARRAYS]) {
    PJRT_Buffer *const *input_lists[MOST_DEVICES];
    PJRT_Buffer **output_lists[MOST_DEVICES];
    PJRT_Event *events[MOST_DEVICES] = {NULL};
    for (int d = 0; d < devices; d++) {
        input_lists[d] = inputs[d];
        output_lists[d] = outputs[d];
    }
    PJRT_ExecuteOptions options = {.struct_size = sizeof options};
    PJRT_LoadedExecutable_Execute_Args args = {
        .struct_size = sizeof args,
        .executable = executable,
        .options = &options,
        .argument_lists = input_lists,
        .num_devices = (size_t)devices,
        .num_args = arguments,
        .output_lists = output_lists,
        .device_complete_events = events};
    PJRT_Error *error = api->LoadedExecutable_Execute(&args);
    for (int d = 0; d < devices && !error; d++) {
        CALL(Event_Destroy, destroy, .event = events[d]);
    }
    return error;
}

#endif

// The PJRT plugin: what frameworks ask at the start, buffers of all kinds, and errors.
#define _GNU_SOURCE
#include "plugin_test.h"

static void the_table_is_complete(void **state) {
    (void)state;
    assert_int_equal(api->struct_size, sizeof *api);
    assert_int_equal(api->version.major_version, 0);
    assert_int_equal(api->version.minor_version, PJRT_API_MINOR);
    const char *first = (const char *)&api->Error_Destroy;
    for (const char *at = first; at < (const char *)(api + 1); at += sizeof(void *)) {
        void *function = NULL;
        memcpy(&function, at, sizeof function);
        assert_non_null(function);
    }
    CALL_WITHOUT(Plugin_Initialize, initialize);
    CALL_WITHOUT(Plugin_Attributes, attributes);
    assert_true(attributes.num_attributes >= 2);
    assert_int_equal(attributes.attributes[0].type, PJRT_INT64_LIST);
}

static void what_is_absent_says_so(void **state) {
    (void)state;
    fails_with(api->Client_DmaMap(NULL), PJRT_UNIMPLEMENTED, "PJRT_Client_DmaMap");
    fails_with(api->Buffer_Bitcast(NULL), PJRT_UNIMPLEMENTED, "PJRT_Buffer_Bitcast");
    fails_with(api->Compile(NULL), PJRT_UNIMPLEMENTED, "PJRT_Compile");
}

static void options_are_checked(void **state) {
    (void)state;
    PJRT_NamedValue option = {
        .struct_size = sizeof option,
        .name = "no_such_option",
        .name_size = strlen("no_such_option"),
        .type = PJRT_STRING,
        .string_value = "8 and more",
        .value_size = 1};
    FAIL_CALL(
        Client_Create, PJRT_INVALID_ARGUMENT, "no_such_option", .create_options = &option,
        .num_options = 1);
    option.name = "num_devices";
    option.name_size = strlen(option.name);
    CALL(Client_Create, args, .create_options = &option, .num_options = 1); // "8"
    CALL(Client_Devices, devices, .client = args.client);
    assert_int_equal(devices.num_devices, 8);
    destroy_client(args.client);
    option.value_size = strlen(option.string_value);
    FAIL_CALL(
        Client_Create, PJRT_INVALID_ARGUMENT, "8 and more", .create_options = &option,
        .num_options = 1);
    option.type = PJRT_BOOL;
    FAIL_CALL(
        Client_Create, PJRT_INVALID_ARGUMENT, "no integer", .create_options = &option,
        .num_options = 1);
    setenv("SHARDC_NUM_DEVICES", "3", 1); // NOLINT(concurrency-mt-unsafe)
    CALL_WITHOUT(Client_Create, three);
    CALL(Client_AddressableDevices, list, .client = three.client);
    assert_int_equal(list.num_addressable_devices, 3);
    destroy_client(three.client);
    unsetenv("SHARDC_NUM_DEVICES"); // NOLINT(concurrency-mt-unsafe)
}

static void devices_and_memories_are_described(void **state) {
    (void)state;
    PJRT_Client *client = create_client(2);
    CALL(Client_PlatformName, name, .client = client);
    assert_int_equal(name.platform_name_size, strlen(name.platform_name));
    CALL(Client_AddressableMemories, memories, .client = client);
    assert_int_equal(memories.num_addressable_memories, 6);
    for (int id = 0; id < 2; id++) {
        CALL(Device_GetDescription, description, .device = device(client, id));
        CALL(DeviceDescription_Id, number, .device_description = description.device_description);
        assert_int_equal(number.id, id);
        CALL(Device_AddressableMemories, own, .device = device(client, id));
        for (size_t i = 0; i < own.num_memories; i++) {
            CALL(Memory_AddressableByDevices, by, .memory = own.memories[i]);
            assert_int_equal(by.num_devices, 1);
            assert_ptr_equal(by.devices[0], device(client, id));
        }
        CALL(Memory_Kind, kind, .memory = memory(client, id));
        assert_string_equal(kind.kind, "device");
        CALL(Device_GetAttributes, attributes, .device = device(client, id));
        attributes.attributes_deleter(attributes.device_attributes);
    }
    FAIL_CALL(Client_LookupDevice, PJRT_INVALID_ARGUMENT, "device 2", .client = client, .id = 2);
    int ids[2] = {7, 7};
    CALL(
        Client_DefaultDeviceAssignment, assignment, .client = client, .num_replicas = 1,
        .num_partitions = 2, .default_assignment_size = 2, .default_assignment = ids);
    assert_true(ids[0] == 0 && ids[1] == 1);
    destroy_client(client);
}

// ---- buffers

static void buffers_take_any_strides_and_give_any_layout(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    float data[24], whole[24];
    for (int i = 0; i < 24; i++)
        data[i] = (float)i;
    // every second column of the transposed array, backwards
    const int64_t dims[] = {3, 4}, strides[] = {-8, 24};
    CALL(
        Client_BufferFromHostBuffer, args, .client = client, .data = data + 5, .type = PJRT_F32,
        .dims = dims, .num_dims = 2, .byte_strides = strides, .num_byte_strides = 2,
        .host_buffer_semantics = PJRT_UNTIL_TRANSFER_COMPLETES, .device = device(client, 0));
    await(args.done_with_host_buffer);
    get(args.buffer, whole, 12);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++)
            assert_true(whole[i * 4 + j] == (float)(5 - 2 * i + 6 * j));
    }
    const int64_t column_major[] = {0, 1};
    PJRT_Buffer_MemoryLayout layout = {.struct_size = sizeof layout, .type = PJRT_TILED};
    layout.tiled.minor_to_major = column_major;
    layout.tiled.minor_to_major_size = 2;
    CALL(
        Buffer_ToHostBuffer, columns, .src = args.buffer, .host_layout = &layout, .dst = whole,
        .dst_size = sizeof whole);
    await(columns.event);
    assert_true(whole[1] == 3 && whole[3] == 11);
    CALL(Buffer_ToHostBuffer, size, .src = args.buffer);
    assert_int_equal(size.dst_size, 48);
    FAIL_CALL(
        Buffer_ToHostBuffer, PJRT_INVALID_ARGUMENT, "48", .src = args.buffer, .dst = whole,
        .dst_size = 40);
    CALL(
        Buffer_CopyRawToHost, raw, .buffer = args.buffer, .dst = whole, .offset = 4,
        .transfer_size = 8);
    await(raw.event);
    assert_true(whole[0] == 11 && whole[1] == 17);
    destroy_buffer(args.buffer);
    destroy_client(client);
}

static void count(PJRT_Error *error, void *user) {
    assert_null(error);
    ++*(int *)user;
}

static void lent_memory_is_given_back_with_the_last_owner(void **state) {
    (void)state;
    PJRT_Client *client = create_client(2);
    static _Alignas(64) float data[16] = {1, 2, 3};
    const int64_t dims[] = {16};
    int returned = 0;
    CALL(
        Client_BufferFromHostBuffer, args, .client = client, .data = data, .type = PJRT_F32,
        .dims = dims, .num_dims = 1, .host_buffer_semantics = PJRT_IMMUTABLE_ZERO_COPY,
        .memory = memory(client, 0));
    CALL(
        Event_OnReady, on, .event = args.done_with_host_buffer, .callback = count,
        .user_arg = &returned);
    CALL(Buffer_UnsafePointer, pointer, .buffer = args.buffer);
    assert_ptr_equal((void *)pointer.buffer_pointer, data);
    CALL(Buffer_IncreaseExternalReferenceCount, pin, .buffer = args.buffer);
    CALL(Buffer_Delete, delete, .buffer = args.buffer);
    assert_true(is_deleted(args.buffer));
    CALL(Buffer_OpaqueDeviceMemoryDataPointer, opaque, .buffer = args.buffer); // pinned
    assert_ptr_equal(opaque.device_memory_ptr, data);
    assert_int_equal(returned, 0);
    CALL(Buffer_DecreaseExternalReferenceCount, unpin, .buffer = args.buffer);
    assert_int_equal(returned, 1);
    FAIL_CALL(Buffer_UnsafePointer, PJRT_INVALID_ARGUMENT, "deleted", .buffer = args.buffer);
    FAIL_CALL(
        Buffer_CopyToMemory, PJRT_INVALID_ARGUMENT, "deleted", .buffer = args.buffer,
        .dst_memory = memory(client, 1));
    FAIL_CALL(
        Buffer_DecreaseExternalReferenceCount, PJRT_INVALID_ARGUMENT, "no external reference",
        .buffer = args.buffer);
    CALL(Event_Destroy, event, .event = args.done_with_host_buffer);
    destroy_buffer(args.buffer);
    destroy_client(client);
}

static void ended(void *data, void *user) {
    (void)data;
    ++*(int *)user;
}

static void views_lie_where_the_array_is_and_is_aligned(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    static _Alignas(64) float data[32] = {1, 2, 3};
    const int64_t dims[] = {16}, nothing[] = {0};
    float copied[16] = {0};
    int count = 0;
    CALL(
        Client_CreateViewOfDeviceBuffer, view, .client = client, .device_buffer_ptr = data,
        .dims = dims, .num_dims = 1, .element_type = PJRT_F32, .memory = memory(client, 0),
        .on_delete_callback = ended, .on_delete_callback_arg = &count);
    CALL(Buffer_UnsafePointer, pointer, .buffer = view.buffer);
    assert_ptr_equal((void *)pointer.buffer_pointer, data);
    get(view.buffer, copied, 16);
    assert_memory_equal(copied, data, sizeof copied);
    assert_int_equal(count, 0);
    destroy_buffer(view.buffer);
    assert_int_equal(count, 1);
    const size_t offsets[] = {1, 4, 8, 16, 32};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        char *place = (char *)data + offsets[i];
        FAIL_CALL(
            Client_CreateViewOfDeviceBuffer, PJRT_INVALID_ARGUMENT, "is not aligned to 64 bytes",
            .client = client, .device_buffer_ptr = place, .dims = dims, .num_dims = 1,
            .element_type = PJRT_F32, .memory = memory(client, 0), .on_delete_callback = ended,
            .on_delete_callback_arg = &count);
    }
    assert_int_equal(count, 1); // who is refused keeps the array
    CALL(
        Client_CreateViewOfDeviceBuffer, empty, .client = client, .dims = nothing, .num_dims = 1,
        .element_type = PJRT_F32, .memory = memory(client, 0));
    destroy_buffer(empty.buffer);
    destroy_client(client);
}

static void copies_lie_on_their_devices(void **state) {
    (void)state;
    PJRT_Client *client = create_client(2);
    const float data[] = {1, 2, 3};
    float copied[3] = {0};
    const int64_t dims[] = {3};
    PJRT_Buffer *buffer = put(client, 0, data, 1, dims);
    CALL(Buffer_CopyToDevice, copy, .buffer = buffer, .dst_device = device(client, 1));
    destroy_buffer(buffer);
    CALL(Buffer_Device, at, .buffer = copy.dst_buffer);
    assert_ptr_equal(at.device, device(client, 1));
    get(copy.dst_buffer, copied, 3);
    assert_memory_equal(copied, data, sizeof data);
    CALL(Buffer_Dimensions, shape, .buffer = copy.dst_buffer);
    assert_true(shape.num_dims == 1 && shape.dims[0] == 3);
    destroy_buffer(copy.dst_buffer);
    destroy_client(client);
}

static void wrong_arrays_are_refused(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    float data[4] = {0};
    int64_t dims[40] = {2, 2};
    FAIL_CALL(
        Client_BufferFromHostBuffer, PJRT_UNIMPLEMENTED, "s1", .client = client, .data = data,
        .type = PJRT_S1, .dims = dims, .num_dims = 2, .memory = memory(client, 0));
    FAIL_CALL(
        Client_BufferFromHostBuffer, PJRT_UNIMPLEMENTED, "32 dimensions", .client = client,
        .data = data, .type = PJRT_F32, .dims = dims, .num_dims = 40, .memory = memory(client, 0));
    FAIL_CALL(
        Client_BufferFromHostBuffer, PJRT_INVALID_ARGUMENT, "neither", .client = client,
        .data = data, .type = PJRT_F32, .dims = dims, .num_dims = 2);
    dims[0] = INT64_MAX / 2;
    dims[1] = 16;
    FAIL_CALL(
        Client_BufferFromHostBuffer, PJRT_INVALID_ARGUMENT, "dimensions", .client = client,
        .data = data, .type = PJRT_F32, .dims = dims, .num_dims = 2, .memory = memory(client, 0));
    destroy_client(client);
}

static void set_late(PJRT_Error *error, void *user) {
    if (error) *(int *)user = (int)strlen(message_of(error));
    if (error) free_error(error);
}

static void events_of_the_caller_carry_errors(void **state) {
    (void)state;
    int seen = 0;
    CALL_WITHOUT(Event_Create, args);
    CALL(Event_OnReady, on, .event = args.event, .callback = set_late, .user_arg = &seen);
    CALL(Event_IsReady, before, .event = args.event);
    assert_false(before.is_ready);
    CALL(
        Event_Set, set, .event = args.event, .error_code = PJRT_INTERNAL, .error_message = "why?",
        .error_message_size = 3);
    assert_int_equal(seen, 3);
    FAIL_CALL(Event_Error, PJRT_INTERNAL, "why", .event = args.event);
    CALL(Event_Destroy, destroy, .event = args.event);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_complete),
        cmocka_unit_test(what_is_absent_says_so),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(devices_and_memories_are_described),
        cmocka_unit_test(buffers_take_any_strides_and_give_any_layout),
        cmocka_unit_test(lent_memory_is_given_back_with_the_last_owner),
        cmocka_unit_test(views_lie_where_the_array_is_and_is_aligned),
        cmocka_unit_test(copies_lie_on_their_devices),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(events_of_the_caller_carry_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

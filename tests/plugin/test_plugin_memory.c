// The PJRT plugin: memory that arrays gave back is that of the next ones of about their size, and
// no more is kept than is in use.
#define _GNU_SOURCE
#include "plugin_test.h"

enum { MEGABYTE = 1 << 20 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#    define SANITIZED
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#        define SANITIZED
#    endif
#endif

// An array of so many bytes, all of them the same.
static PJRT_Buffer *put_bytes(PJRT_Client *client, size_t count, char byte) {
    char *data = malloc(count);
    int64_t dims[] = {(int64_t)count};
    assert_non_null(data);
    memset(data, byte, count);
    CALL(
        Client_BufferFromHostBuffer, args, .client = client, .data = data, .type = PJRT_U8,
        .dims = dims, .num_dims = 1, .host_buffer_semantics = PJRT_ONLY_DURING_CALL,
        .memory = memory(client, 0));
    await(args.done_with_host_buffer);
    free(data);
    return args.buffer;
}

static const char *bytes_of(PJRT_Buffer *buffer) {
    CALL(Buffer_OpaqueDeviceMemoryDataPointer, args, .buffer = buffer);
    return args.device_memory_ptr;
}

static size_t resident_bytes(void) {
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %llu", &pages), 1);
    (void)fclose(file);
    return (size_t)pages * 4096;
}

static void freed_memory_is_used_again(void **state) {
    (void)state;
    PJRT_Client *client = create_client(1);
    PJRT_Buffer *first = put_bytes(client, 3 * MEGABYTE, 1);
    const char *place = bytes_of(first);
    PJRT_Buffer *other = put_bytes(client, 3 * MEGABYTE, 2);
    assert_ptr_not_equal(bytes_of(other), place);
    destroy_buffer(first);
    PJRT_Buffer *small = put_bytes(client, MEGABYTE, 3); // would waste it
    assert_ptr_not_equal(bytes_of(small), place);
    PJRT_Buffer *large = put_bytes(client, 4 * MEGABYTE, 4); // does not fit
    assert_ptr_not_equal(bytes_of(large), place);
    PJRT_Buffer *again = put_bytes(client, 3 * MEGABYTE - 100000, 5);
    assert_ptr_equal(bytes_of(again), place);
    assert_int_equal(bytes_of(again)[0], 5);
    assert_int_equal(bytes_of(again)[3 * MEGABYTE - 100001], 5);
    assert_int_equal(bytes_of(other)[0], 2);
    destroy_buffer(other);
    destroy_buffer(small);
    destroy_buffer(large);
    destroy_buffer(again);
    destroy_client(client);
}

static void no_more_is_kept_than_is_used(void **state) {
    (void)state;
#ifdef SANITIZED
    skip(); // sanitizers keep freed memory themselves
#endif
    enum { COUNT = 24 };
    PJRT_Client *client = create_client(1);
    PJRT_Buffer *buffers[COUNT];
    size_t before = resident_bytes();
    for (int i = 0; i < COUNT; i++) // 8, 9, 10 ... MB: none is of another's size
        buffers[i] = put_bytes(client, (size_t)(8 + i) * MEGABYTE, 1);
    size_t all = resident_bytes() - before;
    assert_true(all > (size_t)300 * MEGABYTE);
    for (int i = 0; i < COUNT; i++)
        destroy_buffer(buffers[i]);
    size_t kept = resident_bytes() - before;
    if (kept > all / 2) fail_msg("%zu bytes of %zu are kept", kept, all);
    destroy_client(client);
}

int main(void) {
    api = GetPjrtApi();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freed_memory_is_used_again),
        cmocka_unit_test(no_more_is_kept_than_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

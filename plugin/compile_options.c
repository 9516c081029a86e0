// compile_options: what xla.CompileOptionsProto asks for.
#include "plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

// Fields of xla.CompileOptionsProto, ExecutableBuildOptionsProto, and DeviceAssignmentProto.
enum {
    OPTIONS_BUILD = 3,
    OPTIONS_OVERRIDES = 7,
    BUILD_REPLICAS = 4,
    BUILD_PARTITIONS = 5,
    BUILD_ASSIGNMENT = 9,
    BUILD_OPEN_RESULTS = 12, // may shardings propagate to them? One flag for all, or one each
    BUILD_OPEN_ARGUMENTS = 18,
    ASSIGNMENT_COMPUTATION = 3,
    COMPUTATION_IDS = 1,
    OVERRIDE_KEY = 1
};

static bool add_id(void *user, uint64_t value) {
    CompileOptions *options = user;
    if (options->device_id_count == options->device_id_capacity) {
        size_t capacity = 2 * options->device_id_capacity + 8;
        int64_t *grown = realloc(options->device_ids, capacity * sizeof *grown);
        if (!grown) return false;
        options->device_ids = grown;
        options->device_id_capacity = capacity;
    }
    options->device_ids[options->device_id_count++] = (int64_t)value;
    return true;
}

// Partition by partition: the ids of each one's replicas.
static bool read_assignment(Proto proto, CompileOptions *options) {
    Field field, id;
    while (proto_next(&proto, &field)) {
        if (field.number != ASSIGNMENT_COMPUTATION || field.wire != 2) continue;
        Proto computation = field.bytes;
        while (proto_next(&computation, &id)) {
            if (id.number == COMPUTATION_IDS && !proto_integers(&id, add_id, options)) return false;
        }
        if (computation.at != computation.end) return false;
    }
    return proto.at == proto.end;
}

// Kept the other way round.
static bool add_flag(void *user, uint64_t is_open) {
    Bytes *flags = user;
    bytes_add(flags, &(unsigned char){is_open == 0}, 1);
    return !flags->has_failed;
}

static bool read_build(Proto proto, CompileOptions *options) {
    Field field;
    while (proto_next(&proto, &field)) {
        if (field.number == BUILD_REPLICAS) options->replica_count = (int64_t)field.value;
        if (field.number == BUILD_PARTITIONS) options->partition_count = (int64_t)field.value;
        if (field.number == BUILD_ASSIGNMENT && field.wire == 2 &&
            !read_assignment(field.bytes, options)) {
            return false;
        }
        if (field.number == BUILD_OPEN_ARGUMENTS &&
            !proto_integers(&field, add_flag, &options->whole_arguments)) {
            return false;
        }
        if (field.number == BUILD_OPEN_RESULTS &&
            !proto_integers(&field, add_flag, &options->whole_results)) {
            return false;
        }
    }
    return proto.at == proto.end;
}

// XLA's own options have no meaning here; others are mistakes.
static PJRT_Error *check_override(Proto entry) {
    static const char prefix[] = "xla_";
    Field field;
    while (proto_next(&entry, &field)) {
        if (field.number != OVERRIDE_KEY || field.wire != 2) continue;
        size_t size = (size_t)(field.bytes.end - field.bytes.at);
        if (size >= strlen(prefix) && memcmp(field.bytes.at, prefix, strlen(prefix)) == 0) continue;
        return error_create(
            PJRT_INVALID_ARGUMENT, "No such compile option: '%.*s'", (int)size,
            (const char *)field.bytes.at);
    }
    return NULL;
}

PJRT_Error *compile_options_read(const char *bytes, size_t size, CompileOptions *options) {
    *options = (CompileOptions){.replica_count = 1, .partition_count = 1};
    Proto proto = {(const unsigned char *)bytes, (const unsigned char *)bytes + size};
    Field field;
    bool good = true;
    PJRT_Error *error = NULL;
    while (good && !error && proto_next(&proto, &field)) {
        if (field.wire != 2) continue;
        if (field.number == OPTIONS_BUILD) good = read_build(field.bytes, options);
        if (field.number == OPTIONS_OVERRIDES) error = check_override(field.bytes);
    }
    if (error) return error;
    if (!good || proto.at != proto.end)
        return error_create(PJRT_INVALID_ARGUMENT, "the compile options are damaged");
    enum { MOST = 1 << 20 };
    if (options->replica_count < 1) options->replica_count = 1;
    if (options->partition_count < 1) options->partition_count = 1;
    if (options->replica_count > MOST || options->partition_count > MOST)
        return error_create(PJRT_INVALID_ARGUMENT, "the compile options ask for too many devices");
    return NULL;
}

void compile_options_free(CompileOptions *options) {
    free(options->device_ids);
    free(options->whole_arguments.data);
    free(options->whole_results.data);
}

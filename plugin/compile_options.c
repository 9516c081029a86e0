// compile_options: what xla.CompileOptionsProto asks for.
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

// Fields of xla.CompileOptionsProto, ExecutableBuildOptionsProto, and DeviceAssignmentProto.
enum {
    OPTIONS_BUILD = 3,
    OPTIONS_OVERRIDES = 7,
    BUILD_DEBUG_OPTIONS = 3,
    BUILD_REPLICAS = 4,
    BUILD_PARTITIONS = 5,
    BUILD_ASSIGNMENT = 9,
    BUILD_OPEN_RESULTS = 12, // may shardings propagate to them? One flag for all, or one each
    BUILD_OPEN_ARGUMENTS = 18,
    ASSIGNMENT_COMPUTATION = 3,
    COMPUTATION_IDS = 1,
    OVERRIDE_KEY = 1,
    OVERRIDE_VALUE = 2,
    VALUE_TEXT = 1,
    VALUE_BOOL = 2,
    VALUE_INTEGER = 3,
    VALUE_NUMBER = 4
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

// ---- options that callers name

static char *copy_text(Proto bytes) {
    return strndup((const char *)bytes.at, (size_t)(bytes.end - bytes.at));
}

static bool set_text(char **to, const char *text) {
    free(*to);
    *to = *text ? strdup(text) : NULL;
    return *to || !*text;
}

// XLA's options that have an effect here: those of its message DebugOptions by their numbers, too.
typedef enum Effect { DUMP_TO, DUMP_MODULES, DUMP_AS_TEXT, DUMP_AS_PROTO, DUMP_MOST } Effect;

static const struct {
    const char *name;
    int number;
    Effect effect;
} effects[] = {
    {"xla_dump_to", 109, DUMP_TO},
    {"xla_dump_hlo_module_re", 110, DUMP_MODULES},
    {"xla_dump_hlo_as_text", 112, DUMP_AS_TEXT},
    {"xla_dump_hlo_as_proto", 113, DUMP_AS_PROTO},
    {"xla_dump_max_hlo_modules", 132, DUMP_MOST},
};

enum { EFFECT_COUNT = sizeof effects / sizeof *effects };

// text: NULL where the value is an integer, or none. False: no memory.
static bool apply(Dump *dump, Effect effect, const char *text, int64_t integer) {
    bool is_true = text ? strcmp(text, "True") == 0 : integer != 0;
    switch (effect) {
    case DUMP_TO: return set_text(&dump->folder, text ? text : "");
    case DUMP_MODULES: return set_text(&dump->pattern, text ? text : "");
    case DUMP_AS_TEXT: dump->as_text = is_true; return true;
    case DUMP_AS_PROTO: dump->as_proto = is_true; return true;
    case DUMP_MOST: dump->most = text ? strtoll(text, NULL, 10) : integer; return true;
    }
    return true;
}

// What the caller's environment (XLA_FLAGS) asks for.
static bool read_debug_options(Proto proto, CompileOptions *options) {
    Field field;
    bool good = true;
    while (good && proto_next(&proto, &field)) {
        for (int i = 0; i < EFFECT_COUNT; i++) {
            if (field.number != effects[i].number) continue;
            char *text = field.wire == 2 ? copy_text(field.bytes) : NULL;
            good = (text || field.wire != 2) &&
                   apply(&options->dump, effects[i].effect, text, (int32_t)field.value);
            free(text);
        }
    }
    return good && proto.at == proto.end;
}

// False: damaged, or no memory. *text: malloc, of the value.
static bool read_value(Proto proto, OptionValue *value, char **text) {
    Field field;
    while (proto_next(&proto, &field)) {
        if (field.number == VALUE_TEXT && field.wire == 2) {
            free(*text);
            *text = copy_text(field.bytes);
            if (!*text) return false;
            *value = (OptionValue){.kind = OPTION_TEXT, .text = *text};
        } else if (field.number == VALUE_BOOL && field.wire == 0) {
            *value = (OptionValue){.kind = OPTION_BOOL, .integer = field.value != 0};
        } else if (field.number == VALUE_INTEGER && field.wire == 0) {
            *value = (OptionValue){.kind = OPTION_INTEGER, .integer = (int64_t)field.value};
        } else if (field.number == VALUE_NUMBER && field.wire == 1) {
            *value = (OptionValue){.kind = OPTION_NUMBER};
            memcpy(&value->number, &field.value, sizeof value->number);
        }
    }
    return proto.at == proto.end;
}

static PJRT_Error *apply_override(const char *name, const OptionValue *value, Dump *dump) {
    PJRT_Error *error = xla_option_check(name, value);
    for (int i = 0; i < EFFECT_COUNT && !error; i++) {
        if (strcmp(effects[i].name, name) != 0) continue;
        const char *text = value->kind == OPTION_TEXT ? value->text : NULL;
        if (!apply(dump, effects[i].effect, text, value->integer)) return error_out_of_memory();
    }
    return error;
}

static PJRT_Error *read_override(Proto entry, CompileOptions *options) {
    char *name = NULL, *text = NULL;
    OptionValue value = {.text = ""};
    Field field;
    bool good = true;
    while (good && proto_next(&entry, &field)) {
        if (field.wire != 2) continue;
        if (field.number == OVERRIDE_KEY) {
            free(name);
            name = copy_text(field.bytes);
            good = name;
        }
        if (field.number == OVERRIDE_VALUE) good = read_value(field.bytes, &value, &text);
    }
    PJRT_Error *error = NULL;
    if (!good || entry.at != entry.end)
        error = error_create(PJRT_INVALID_ARGUMENT, "the compile options are damaged");
    else
        error = apply_override(name ? name : "", &value, &options->dump);
    free(name);
    free(text);
    return error;
}

// ---- all

static bool read_build(Proto proto, CompileOptions *options) {
    Field field;
    while (proto_next(&proto, &field)) {
        if (field.number == BUILD_REPLICAS) options->replica_count = (int64_t)field.value;
        if (field.number == BUILD_PARTITIONS) options->partition_count = (int64_t)field.value;
        if (field.number == BUILD_DEBUG_OPTIONS && field.wire == 2 &&
            !read_debug_options(field.bytes, options)) {
            return false;
        }
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

PJRT_Error *compile_options_read(const char *bytes, size_t size, CompileOptions *options) {
    *options = (CompileOptions){.replica_count = 1, .partition_count = 1, .dump.most = -1};
    Proto proto = {(const unsigned char *)bytes, (const unsigned char *)bytes + size};
    Field field;
    bool good = true;
    PJRT_Error *error = NULL;
    while (good && !error && proto_next(&proto, &field)) {
        if (field.wire != 2) continue;
        if (field.number == OPTIONS_BUILD) good = read_build(field.bytes, options);
        if (field.number == OPTIONS_OVERRIDES) error = read_override(field.bytes, options);
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
    free(options->dump.folder);
    free(options->dump.pattern);
}

// partitioner: custom calls that callers of the API partition by functions that they register:
// jax.experimental.custom_partitioning; and InspectSharding, whose function the program names.
#define _POSIX_C_SOURCE 200809L

#include "plugin/ffi/partitioner.h"

#include "plugin/ffi/ffi_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fields of xla.ShapeProto and xla.OpSharding.
enum {
    SHAPE_TYPE = 2,
    SHAPE_DIMS = 3,
    SHAPE_PARTS = 4,
    TYPE_TUPLE = 13,
    SHARDING_TYPE = 1,
    SHARDING_TILES = 3,
    SHARDING_DEVICES = 4,
    SHARDING_PARTS = 5,
    SHARDING_REPLICATES_LAST = 6,
    SHARDING_REPLICATED = 0,
    SHARDING_TUPLE = 2,
    SHARDING_TILED = 3
};

// ---- registered functions

typedef struct Partitioner {
    char *name;
    PJRT_CallPartitioner_Callbacks *callbacks;
    struct Partitioner *next;
} Partitioner;

static struct {
    pthread_mutex_t lock;
    Partitioner *first; // kept until the process ends
} partitioners = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Partitioner *find(const char *name) {
    Partitioner *found = partitioners.first;
    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    return found;
}

static PJRT_CallPartitioner_Callbacks *callbacks_of(const char *name) {
    pthread_mutex_lock(&partitioners.lock);
    const Partitioner *found = find(name);
    PJRT_CallPartitioner_Callbacks *callbacks = found ? found->callbacks : NULL;
    pthread_mutex_unlock(&partitioners.lock);
    return callbacks;
}

// The last one of a name counts.
static bool add(char *name, PJRT_CallPartitioner_Callbacks *callbacks) {
    Partitioner *made = calloc(1, sizeof *made);
    if (!made) return false;
    pthread_mutex_lock(&partitioners.lock);
    *made = (Partitioner){name, callbacks, partitioners.first};
    partitioners.first = made;
    pthread_mutex_unlock(&partitioners.lock);
    return true;
}

static PJRT_Error *Register_Custom_Partitioner(PJRT_Register_Custom_Partitioner_Args *args) {
    if (!args->callbacks || args->callbacks->version != 0 || !args->callbacks->partition)
        return error_create(
            PJRT_INVALID_ARGUMENT, "shardc: these functions of a partitioner are not known");
    char *name = strndup(args->name, args->name_size);
    if (name && add(name, args->callbacks)) return NULL;
    free(name);
    return error_out_of_memory();
}

// The program says which dimensions of such a call are its batch.
static PJRT_Error *Register_Batch_Partitionable(PJRT_Register_Batch_Partitionable_Args *args) {
    (void)args;
    return NULL;
}

PJRT_Custom_Partitioner_Extension partitioner_extension = {
    .base = {sizeof partitioner_extension, PJRT_EXTENSION_CUSTOM_PARTITIONER, &ffi_extension.base},
    .Register_Custom_Partitioner = Register_Custom_Partitioner,
    .Register_Batch_Partitionable = Register_Batch_Partitionable,
};

// ---- what they are asked

static void write_shape(const shardc_partition_array *array, Bytes *bytes) {
    int32_t type = ffi_type(shardc_dtype_name(array->dtype));
    bytes_varint(bytes, SHAPE_TYPE, (uint64_t)type);
    bytes_packed(bytes, SHAPE_DIMS, array->dims, (size_t)array->rank);
}

static void write_sharding(const shardc_partition_array *array, int64_t devices, Bytes *bytes) {
    int64_t tiles[SHARDC_MAX_RANK + 1];
    size_t rank = (size_t)array->rank;
    if (array->copies == devices) {
        bytes_varint(bytes, SHARDING_TYPE, SHARDING_REPLICATED);
        return;
    }
    memcpy(tiles, array->tiles, rank * sizeof *tiles);
    if (array->copies > 1) tiles[rank++] = array->copies;
    bytes_varint(bytes, SHARDING_TYPE, SHARDING_TILED);
    bytes_packed(bytes, SHARDING_TILES, tiles, rank);
    bytes_packed(bytes, SHARDING_DEVICES, array->devices, (size_t)devices);
    if (array->copies > 1) bytes_varint(bytes, SHARDING_REPLICATES_LAST, 1);
}

// The message of one array, or a tuple's.
static void write_parts(const shardc_partition_request *request, bool is_shape, Bytes *bytes) {
    bool is_tuple = request->result_count != 1;
    if (is_tuple && is_shape) bytes_varint(bytes, SHAPE_TYPE, TYPE_TUPLE);
    if (is_tuple && !is_shape) bytes_varint(bytes, SHARDING_TYPE, SHARDING_TUPLE);
    for (int32_t i = 0; i < request->result_count; i++) {
        Bytes part = {0};
        Bytes *to = is_tuple ? &part : bytes;
        if (is_shape)
            write_shape(&request->results[i], to);
        else
            write_sharding(&request->results[i], request->device_count, to);
        if (is_tuple)
            bytes_bytes(bytes, is_shape ? SHAPE_PARTS : SHARDING_PARTS, part.data, part.size);
        bytes->has_failed = bytes->has_failed || part.has_failed;
        free(part.data);
    }
}

// Texts that the functions are given: of each array its shape and its sharding.
typedef struct Question {
    size_t count; // of arrays: the operands, and the results as one
    PJRT_CallPartitioner_Array *arrays;
    Bytes *bytes; // [2 * count]
} Question;

static void free_question(Question *question) {
    for (size_t i = 0; question->bytes && i < 2 * question->count; i++)
        free(question->bytes[i].data);
    free(question->bytes);
    free(question->arrays);
}

static PJRT_CallPartitioner_String text_of(const Bytes *bytes) {
    return (PJRT_CallPartitioner_String){bytes->data ? bytes->data : "", bytes->size};
}

static bool write_question(const shardc_partition_request *request, Question *question) {
    size_t count = (size_t)request->operand_count + 1;
    *question = (Question){
        .count = count,
        .arrays = calloc(count, sizeof *question->arrays),
        .bytes = calloc(2 * count, sizeof *question->bytes)};
    if (!question->arrays || !question->bytes) return false;
    for (size_t i = 0; i < count; i++) {
        Bytes *shape = &question->bytes[2 * i], *sharding = shape + 1;
        if (i + 1 < count) {
            write_shape(&request->operands[i], shape);
            write_sharding(&request->operands[i], request->device_count, sharding);
        } else {
            write_parts(request, true, shape);
            write_parts(request, false, sharding);
        }
        if (shape->has_failed || sharding->has_failed) return false;
        question->arrays[i] = (PJRT_CallPartitioner_Array){text_of(shape), true, text_of(sharding)};
    }
    return true;
}

// ---- what they answer

typedef struct Answer {
    PJRT_CallPartitioner_Header header;
    const char **shardings;
    size_t *sizes;
} Answer;

static void free_answer(Answer *answer) {
    if (!answer) return;
    if (answer->header.cleanup_fn) answer->header.cleanup_fn(answer->header.data);
    free(answer->shardings);
    free(answer->sizes);
    free(answer);
}

static bool fill_reply(
    const PJRT_CallPartitioner_Partition_Args *args, Answer *answer,
    shardc_partition_reply *reply) {
    answer->shardings = calloc(args->num_args + 1, sizeof *answer->shardings);
    answer->sizes = calloc(args->num_args + 1, sizeof *answer->sizes);
    if (!answer->shardings || !answer->sizes) return false;
    for (size_t i = 0; i < args->num_args; i++) {
        answer->shardings[i] = args->args_sharding[i].data;
        answer->sizes[i] = args->args_sharding[i].size;
    }
    *reply = (shardc_partition_reply){
        .operand_shardings = answer->shardings,
        .operand_sharding_sizes = answer->sizes,
        .result_sharding = args->result_sharding.data,
        .result_sharding_size = args->result_sharding.size,
        .program = args->mlir_module.data,
        .program_size = args->mlir_module.size,
        .owner = answer};
    return true;
}

static int ask(
    PJRT_CallPartitioner_Callbacks *callbacks, const shardc_partition_request *request,
    const Question *question, Answer *answer, shardc_partition_reply *reply, char *error,
    size_t error_size) {
    PJRT_CallPartitioner_Partition_Args args = {
        .num_args = question->count - 1,
        .op_args = question->arrays,
        .op_result = question->arrays[question->count - 1],
        .backend_config = {request->config, request->config_size}};
    callbacks->partition(callbacks, &args);
    answer->header = args.header;
    if (args.header.has_error) {
        (void)snprintf(
            error, error_size, "%.*s", (int)args.header.error_msg.size, args.header.error_msg.data);
        return 1;
    }
    return !fill_reply(&args, answer, reply);
}

// The function is the program's own, in this process.
static int inspect(const shardc_partition_request *request, char *error, size_t error_size) {
    PJRT_ShardingInspector inspector;
    if (request->config_size != sizeof inspector || request->operand_count != 1) {
        (void)snprintf(error, error_size, "it names no function");
        return 1;
    }
    memcpy(&inspector, request->config, sizeof inspector);
    Bytes bytes = {0};
    write_sharding(&request->operands[0], request->device_count, &bytes);
    PJRT_SeenSharding seen = {.sharding = bytes.data, .sharding_size = bytes.size};
    if (!bytes.has_failed) inspector.see(inspector.data, &seen);
    bool has_failed = bytes.has_failed || seen.error;
    if (seen.error) (void)snprintf(error, error_size, "%s", seen.error);
    if (seen.error && seen.free_error) seen.free_error(&seen);
    free(bytes.data);
    return has_failed;
}

static bool is_inspection(const char *name) { return strcmp(name, "InspectSharding") == 0; }

static int partition(
    void *user, const shardc_partition_request *request, shardc_partition_reply *reply, char *error,
    size_t error_size) {
    (void)user;
    (void)snprintf(error, error_size, "out of memory");
    if (is_inspection(request->name)) return inspect(request, error, error_size);
    Question question;
    Answer *answer = calloc(1, sizeof *answer);
    bool good = write_question(request, &question) && answer;
    int failed = 1;
    if (good)
        failed =
            ask(callbacks_of(request->name), request, &question, answer, reply, error, error_size);
    free_question(&question);
    if (failed) free_answer(answer);
    return failed;
}

static void release(void *user, shardc_partition_reply *reply) {
    (void)user;
    free_answer(reply->owner);
}

static int knows(void *user, const char *name) {
    (void)user;
    return is_inspection(name) || callbacks_of(name) != NULL;
}

shardc_status *partitioner_attach(shardc_context *context) {
    const shardc_partitioner partitioner = {
        .struct_size = sizeof partitioner,
        .knows = knows,
        .partition = partition,
        .release = release};
    return shardc_set_partitioner(context, &partitioner);
}

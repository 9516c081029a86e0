// api_buffer: host arrays, and executions on them.
#include "api/api_internal.h"
#include "base/arena.h"
#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

struct shardc_buffer {
    shardc_dtype dtype;
    int rank;
    int64_t dims[SHARDC_MAX_RANK];
    int64_t strides[SHARDC_MAX_RANK]; // bytes
    int64_t count;                    // elements
    size_t bytes;
    bool is_dense; // row-major without gaps
    bool is_owner; // of data
    void *data;
};

// Sizes and dense strides; fails for what cannot be an array.
static shardc_status *buffer_shape(
    const char *call, shardc_buffer *buffer, shardc_dtype dtype, int rank, const int64_t *dims) {
    size_t element = shardc_dtype_size(dtype);
    if (element == 0) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: dtype is no element type: %d", call, (int)dtype);
    }
    if (rank < 0 || rank > SHARDC_MAX_RANK) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: rank is %d, expected 0 to %d", call, rank, SHARDC_MAX_RANK);
    }
    if (rank > 0 && !dims) return status_null(call, "dims");
    // Strides are those of an array whose empty dimensions have one element: these must fit, too.
    int64_t stride = (int64_t)element;
    buffer->count = 1;
    for (int d = rank - 1; d >= 0; d--) {
        if (dims[d] < 0) {
            return status_create(
                SHARDC_INVALID_INPUT, "%s: dims[%d] is negative: %lld", call, d,
                (long long)dims[d]);
        }
        buffer->dims[d] = dims[d];
        buffer->strides[d] = stride;
        if (dims[d] == 0) {
            buffer->count = 0;
        } else if (!checked_mul(stride, dims[d], &stride)) {
            return status_create(
                SHARDC_INVALID_INPUT, "%s: dims make an array of more than 2^63 bytes", call);
        }
    }
    if (buffer->count > 0) buffer->count = stride / (int64_t)element;
    buffer->dtype = dtype;
    buffer->rank = rank;
    buffer->bytes = (size_t)buffer->count * element;
    buffer->is_dense = true;
    return NULL;
}

// The caller's strides. The distance between any two elements must be a number of bytes that there
// is.
static shardc_status *take_strides(
    const char *call, shardc_buffer *buffer, const int64_t *strides) {
    int64_t low = 0, high = (int64_t)shardc_dtype_size(buffer->dtype), span = 0;
    for (int d = 0; d < buffer->rank; d++) {
        int64_t steps = buffer->dims[d] > 0 ? buffer->dims[d] - 1 : 0, reach = 0;
        bool fits = checked_mul(steps, strides[d], &reach);
        if (fits) {
            int64_t *end = reach < 0 ? &low : &high;
            fits = checked_add(*end, reach, end);
        }
        if (!fits || __builtin_sub_overflow(high, low, &span)) {
            return status_create(
                SHARDC_INVALID_INPUT, "%s: strides[%d] is too large: %lld", call, d,
                (long long)strides[d]);
        }
        if (steps > 0 && strides[d] != buffer->strides[d]) buffer->is_dense = false;
        buffer->strides[d] = strides[d];
    }
    if (buffer->count == 0) buffer->is_dense = true;
    return NULL;
}

// Zeroes, to be freed by free().
static void *take_zeroes(size_t size) {
    size_t alignment = pages_alignment(size);
    size = (size + alignment - 1) / alignment * alignment;
    void *data = aligned_alloc(alignment, size);
    if (!data) return NULL;
    pages_prepare(data, size);
    memset(data, 0, size);
    return data;
}

shardc_status *shardc_buffer_create(
    shardc_dtype dtype, int rank, const int64_t *dims, shardc_buffer **buffer) {
    if (!buffer) return status_null(__func__, "buffer");
    *buffer = NULL;
    shardc_buffer made = {0};
    shardc_status *status = buffer_shape(__func__, &made, dtype, rank, dims);
    if (status) return status;
    size_t padded = (made.bytes + 127) / 64 * 64;
    made.data = take_zeroes(padded);
    made.is_owner = true;
    shardc_buffer *kept = malloc(sizeof *kept);
    if (!made.data || !kept) {
        free(made.data);
        free(kept);
        return status_out_of_memory();
    }
    *kept = made;
    *buffer = kept;
    return NULL;
}

shardc_status *shardc_buffer_wrap(
    shardc_dtype dtype, int rank, const int64_t *dims, const int64_t *strides, void *data,
    shardc_buffer **buffer) {
    if (!buffer) return status_null(__func__, "buffer");
    *buffer = NULL;
    shardc_buffer made = {0};
    shardc_status *status = buffer_shape(__func__, &made, dtype, rank, dims);
    if (!status && !data && made.bytes > 0) status = status_null(__func__, "data");
    if (!status && strides) status = take_strides(__func__, &made, strides);
    if (status) return status;
    made.data = data;
    shardc_buffer *kept = malloc(sizeof *kept);
    if (!kept) return status_out_of_memory();
    *kept = made;
    *buffer = kept;
    return NULL;
}

void shardc_buffer_free(shardc_buffer *owned) {
    if (!owned) return;
    if (owned->is_owner) free(owned->data);
    free(owned);
}

void *shardc_buffer_data(shardc_buffer *buffer) { return buffer ? buffer->data : NULL; }

shardc_dtype shardc_buffer_dtype(const shardc_buffer *buffer) {
    return buffer ? buffer->dtype : SHARDC_DTYPE_INVALID;
}

int shardc_buffer_rank(const shardc_buffer *buffer) { return buffer ? buffer->rank : 0; }

const int64_t *shardc_buffer_dims(const shardc_buffer *buffer) {
    return buffer ? buffer->dims : NULL;
}

size_t shardc_buffer_bytes(const shardc_buffer *buffer) { return buffer ? buffer->bytes : 0; }

// Copies all elements between a strided array and a dense one.
static void copy_strided(const shardc_buffer *buffer, char *dense, bool to_dense) {
    size_t element = shardc_dtype_size(buffer->dtype);
    int64_t index[SHARDC_MAX_RANK] = {0};
    char *data = buffer->data;
    for (int64_t i = 0; i < buffer->count; i++) {
        int64_t offset = 0;
        for (int d = 0; d < buffer->rank; d++) {
            offset += index[d] * buffer->strides[d];
        }
        char *packed = dense + (size_t)i * element;
        memcpy(to_dense ? packed : data + offset, to_dense ? data + offset : packed, element);
        for (int d = buffer->rank - 1; d >= 0 && ++index[d] == buffer->dims[d]; d--) {
            index[d] = 0;
        }
    }
}

static bool is_token(const shardc_model_array *array) { return strcmp(array->type, "token") == 0; }

// The message names the buffer as a parameter of shardc_execute_buffers: "inputs[1]".
static shardc_status *check_buffer(
    const shardc_buffer *buffer, const shardc_model_array *array, const char *list, int i) {
    static const char call[] = "shardc_execute_buffers";
    if (!buffer && is_token(array)) return NULL;
    if (!buffer) return status_create(SHARDC_INVALID_INPUT, "%s: %s[%d] is NULL", call, list, i);
    if (is_token(array)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: %s[%d] is a token, which has no array: give NULL", call,
            list, i);
    }
    if (buffer->dtype != shardc_array_dtype(array)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: %s[%d] has elements of type %s, the model has %s", call,
            list, i, shardc_dtype_name(buffer->dtype), array->type);
    }
    if (buffer->rank != array->rank) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: %s[%d] has %d dimensions, the model has %d", call, list, i,
            buffer->rank, array->rank);
    }
    for (int d = 0; d < buffer->rank; d++) {
        if (buffer->dims[d] != array->dims[d]) {
            return status_create(
                SHARDC_INVALID_INPUT,
                "%s: %s[%d] has size %lld in dimension %d, the model has %lld", call, list, i,
                (long long)buffer->dims[d], d, (long long)array->dims[d]);
        }
    }
    return NULL;
}

static shardc_status *check_buffers(
    shardc_buffer *const *buffers, const shardc_model_array *arrays, int count, const char *list) {
    if (!buffers && count > 0) return status_null("shardc_execute_buffers", list);
    shardc_status *status = NULL;
    for (int i = 0; i < count && !status; i++)
        status = check_buffer(buffers[i], &arrays[i], list, i);
    return status;
}

// Dense memory of every buffer: its own, or a copy when it is strided.
static shardc_status *dense_arrays(shardc_buffer *const *buffers, int count, void **dense) {
    for (int i = 0; i < count; i++) {
        if (!buffers[i]) continue; // a token
        dense[i] = buffers[i]->is_dense ? buffers[i]->data : malloc(buffers[i]->bytes + 1);
        if (buffers[i]->is_dense) continue;
        if (!dense[i]) return status_out_of_memory();
        copy_strided(buffers[i], dense[i], true);
    }
    return NULL;
}

static void free_dense(shardc_buffer *const *buffers, int count, void **dense) {
    for (int i = 0; dense && i < count; i++) {
        if (dense[i] && buffers[i] && !buffers[i]->is_dense) free(dense[i]);
    }
    free(dense);
}

shardc_status *shardc_execute_buffers(
    shardc_executable *executable, shardc_buffer *const *inputs, size_t input_count,
    shardc_buffer *const *outputs, size_t output_count) {
    if (!executable) return status_null(__func__, "executable");
    const shardc_model *model = executable->model;
    if (input_count != (size_t)model->arg_count || output_count != (size_t)model->result_count) {
        return status_create(
            SHARDC_INVALID_INPUT,
            "%s: input_count is %zu and output_count %zu, the model has %d and %d", __func__,
            input_count, output_count, model->arg_count, model->result_count);
    }
    shardc_status *status = check_buffers(inputs, model->args, model->arg_count, "inputs");
    if (!status) status = check_buffers(outputs, model->results, model->result_count, "outputs");
    if (status) return status;
    void **in = calloc(input_count + 1, sizeof *in);
    void **out = calloc(output_count + 1, sizeof *out);
    if (!in || !out) {
        free(in);
        free(out);
        return status_out_of_memory();
    }
    status = dense_arrays(inputs, model->arg_count, in);
    if (!status) status = dense_arrays(outputs, model->result_count, out);
    if (!status) status = shardc_execute(executable, (const void *const *)in, out);
    for (int i = 0; !status && i < model->result_count; i++) {
        if (outputs[i] && !outputs[i]->is_dense) copy_strided(outputs[i], out[i], false);
    }
    free_dense(inputs, model->arg_count, in);
    free_dense(outputs, model->result_count, out);
    return status;
}

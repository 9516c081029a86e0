// api_buffer: host arrays, and executions on them.
#define _POSIX_C_SOURCE 200809L

#include "api/api_internal.h"
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
    shardc_buffer *buffer, shardc_dtype dtype, int rank, const int64_t *dims) {
    size_t element = shardc_dtype_size(dtype);
    if (element == 0) {
        return status_create(SHARDC_INVALID_INPUT, "unknown element type %d", (int)dtype);
    }
    if (rank < 0 || rank > SHARDC_MAX_RANK) {
        return status_create(
            SHARDC_INVALID_INPUT, "rank %d is not in 0..%d", rank, SHARDC_MAX_RANK);
    }
    int64_t bytes = 0;
    if (!checked_product(dims, rank, &buffer->count) ||
        !checked_mul(buffer->count, (int64_t)element, &bytes)) {
        return status_create(SHARDC_INVALID_INPUT, "the array's sizes are negative or too large");
    }
    buffer->dtype = dtype;
    buffer->rank = rank;
    buffer->bytes = (size_t)bytes;
    int64_t stride = (int64_t)element;
    for (int d = rank - 1; d >= 0; d--) {
        buffer->dims[d] = dims[d];
        buffer->strides[d] = stride;
        if (dims[d] > 0) stride *= dims[d];
    }
    buffer->is_dense = true;
    return NULL;
}

shardc_status *shardc_buffer_create(
    shardc_dtype dtype, int rank, const int64_t *dims, shardc_buffer **buffer) {
    *buffer = NULL;
    shardc_buffer made = {0};
    shardc_status *status = buffer_shape(&made, dtype, rank, dims);
    if (status) return status;
    size_t padded = (made.bytes + 127) / 64 * 64;
    if (padded < made.bytes) return status_out_of_memory();
    made.data = aligned_alloc(64, padded);
    made.is_owner = true;
    shardc_buffer *kept = malloc(sizeof *kept);
    if (!made.data || !kept) {
        free(made.data);
        free(kept);
        return status_out_of_memory();
    }
    memset(made.data, 0, padded);
    *kept = made;
    *buffer = kept;
    return NULL;
}

shardc_status *shardc_buffer_wrap(
    shardc_dtype dtype, int rank, const int64_t *dims, const int64_t *strides, void *data,
    shardc_buffer **buffer) {
    *buffer = NULL;
    shardc_buffer made = {0};
    shardc_status *status = buffer_shape(&made, dtype, rank, dims);
    if (status) return status;
    if (!data && made.bytes > 0) {
        return status_create(SHARDC_INVALID_INPUT, "there is no memory to wrap");
    }
    for (int d = 0; strides && d < rank; d++) {
        if (dims[d] > 1 && strides[d] != made.strides[d]) made.is_dense = false;
        made.strides[d] = strides[d];
    }
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

void *shardc_buffer_data(shardc_buffer *buffer) { return buffer->data; }
shardc_dtype shardc_buffer_dtype(const shardc_buffer *buffer) { return buffer->dtype; }
int shardc_buffer_rank(const shardc_buffer *buffer) { return buffer->rank; }
const int64_t *shardc_buffer_dims(const shardc_buffer *buffer) { return buffer->dims; }
size_t shardc_buffer_bytes(const shardc_buffer *buffer) { return buffer->bytes; }

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

static shardc_status *check_buffer(
    const shardc_buffer *buffer, const shardc_model_array *array, const char *what, int i) {
    if (!buffer) return status_create(SHARDC_INVALID_INPUT, "%s %d is missing", what, i);
    if (buffer->dtype != shardc_array_dtype(array)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s %d has elements of type %s, the model has %s", what, i,
            shardc_dtype_name(buffer->dtype), array->type);
    }
    if (buffer->rank != array->rank) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s %d has %d dimensions, the model has %d", what, i,
            buffer->rank, array->rank);
    }
    for (int d = 0; d < buffer->rank; d++) {
        if (buffer->dims[d] != array->dims[d]) {
            return status_create(
                SHARDC_INVALID_INPUT, "%s %d has size %lld in dimension %d, the model has %lld",
                what, i, (long long)buffer->dims[d], d, (long long)array->dims[d]);
        }
    }
    return NULL;
}

// Dense memory of every buffer: its own, or a copy when it is strided.
static shardc_status *dense_arrays(
    shardc_buffer *const *buffers, const shardc_model_array *arrays, int count, const char *what,
    void **dense) {
    for (int i = 0; i < count; i++) {
        shardc_status *status = check_buffer(buffers[i], &arrays[i], what, i);
        if (status) return status;
        dense[i] = buffers[i]->is_dense ? buffers[i]->data : malloc(buffers[i]->bytes + 1);
        if (buffers[i]->is_dense) continue;
        if (!dense[i]) return status_out_of_memory();
        copy_strided(buffers[i], dense[i], true);
    }
    return NULL;
}

static void free_dense(shardc_buffer *const *buffers, int count, void **dense) {
    for (int i = 0; dense && i < count; i++) {
        if (dense[i] && !buffers[i]->is_dense) free(dense[i]);
    }
    free(dense);
}

shardc_status *shardc_execute_buffers(
    shardc_executable *executable, shardc_buffer *const *inputs, size_t input_count,
    shardc_buffer *const *outputs, size_t output_count) {
    const shardc_model *model = executable->model;
    if (input_count != (size_t)model->arg_count || output_count != (size_t)model->result_count) {
        return status_create(
            SHARDC_INVALID_INPUT, "%zu inputs and %zu outputs were given, the model has %d and %d",
            input_count, output_count, model->arg_count, model->result_count);
    }
    void **in = calloc(input_count + 1, sizeof *in);
    void **out = calloc(output_count + 1, sizeof *out);
    if (!in || !out) {
        free(in);
        free(out);
        return status_out_of_memory();
    }
    shardc_status *status = dense_arrays(inputs, model->args, model->arg_count, "input", in);
    if (!status) status = dense_arrays(outputs, model->results, model->result_count, "output", out);
    if (!status) status = shardc_execute(executable, (const void *const *)in, out);
    for (int i = 0; !status && i < model->result_count; i++) {
        if (!outputs[i]->is_dense) copy_strided(outputs[i], out[i], false);
    }
    free_dense(inputs, model->arg_count, in);
    free_dense(outputs, model->result_count, out);
    return status;
}

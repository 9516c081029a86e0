// transfers: buffers from the host's arrays, to them, and to other devices and memories.
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

// Which memory is meant by a pair of which one is given; NULL: neither is.
static PJRT_Memory *memory_of(PJRT_Device *device, PJRT_Memory *memory) {
    return memory ? memory : device ? device->memory_list[0] : NULL;
}

static PJRT_Error *check_array(
    PJRT_Buffer_Type type, const int64_t *dims, size_t rank, const PJRT_Memory *memory,
    size_t *bytes) {
    if (!memory) return error_create(PJRT_INVALID_ARGUMENT, "neither device nor memory is given");
    if (array_bytes(type, dims, rank, bytes)) return NULL;
    if (rank > SHARDC_MAX_RANK) {
        return error_create(
            PJRT_UNIMPLEMENTED, "shardc: arrays have at most %d dimensions, this one has %zu",
            SHARDC_MAX_RANK, rank);
    }
    if (type_size(type) == 0) {
        return error_create(
            PJRT_UNIMPLEMENTED, "shardc: there are no arrays of the element type %s",
            type_name(type));
    }
    return error_create(PJRT_INVALID_ARGUMENT, "the dimensions of the array are wrong");
}

// The layout of a buffer to be made.
static PJRT_Error *device_layout(
    const PJRT_Buffer_MemoryLayout *given, const int64_t *dims, size_t rank, size_t element,
    Layout **layout) {
    PJRT_Error *error = layout_read(given, rank, layout);
    if (error || !given || given->type != PJRT_STRIDES) return error;
    if (given->strides.num_byte_strides != rank)
        return error_create(PJRT_INVALID_ARGUMENT, "the layout has another rank");
    if (is_dense(dims, rank, element, given->strides.byte_strides)) return NULL;
    return error_create(
        PJRT_UNIMPLEMENTED,
        "shardc: buffers are dense; a layout of strides may be row-major, others are given as an "
        "order of dimensions");
}

// ---- from the host

// The host's memory as it is: as long as it is lent.
static Storage *borrow(const void *data, shardc_event *lent) {
    Storage *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    memcpy(&made->data, &data, sizeof data); // drops const: it is not writable
    made->lent = shardc_event_retain(lent);
    atomic_store(&made->owners, 1);
    return made;
}

enum { LINE = 64 }; // where arrays begin that are used where they lie

// strides: of the host's array. dense: of the buffer.
static bool may_borrow(
    const PJRT_Client_BufferFromHostBuffer_Args *args, size_t bytes, const int64_t *strides,
    const int64_t *dense) {
    bool is_lent = args->host_buffer_semantics == PJRT_IMMUTABLE_ZERO_COPY ||
                   args->host_buffer_semantics == PJRT_MUTABLE_ZERO_COPY;
    return is_lent && bytes > 0 && (uintptr_t)args->data % LINE == 0 &&
           have_same_strides(args->dims, args->num_dims, strides, dense);
}

static PJRT_Error *fill_storage(
    const PJRT_Client_BufferFromHostBuffer_Args *args, size_t bytes, const int64_t *strides,
    const int64_t *dense, Storage **storage, shardc_event **done) {
    if (may_borrow(args, bytes, strides, dense)) {
        PJRT_Error *error = error_take(shardc_event_create(done));
        if (error) return error;
        *storage = borrow(args->data, *done);
        return *storage ? NULL : error_out_of_memory();
    }
    *storage = storage_create(bytes);
    if (!*storage) return error_out_of_memory();
    if (bytes > 0) {
        if (have_same_strides(args->dims, args->num_dims, strides, dense))
            memcpy((*storage)->data, args->data, bytes);
        else
            copy_strided(
                (*storage)->data, dense, args->data, strides, args->dims, args->num_dims,
                type_size(args->type));
    }
    return NULL;
}

ENTRY(Client_BufferFromHostBuffer) {
    args->buffer = NULL;
    args->done_with_host_buffer = NULL;
    PJRT_Memory *memory = memory_of(args->device, args->memory);
    size_t bytes = 0, element = type_size(args->type);
    Layout *layout = NULL;
    PJRT_Error *error = check_array(args->type, args->dims, args->num_dims, memory, &bytes);
    if (!error)
        error = device_layout(args->device_layout, args->dims, args->num_dims, element, &layout);
    if (error) return error;
    int64_t strides[SHARDC_MAX_RANK], dense[SHARDC_MAX_RANK];
    layout_strides(layout, args->dims, args->num_dims, element, dense);
    dense_strides(args->dims, args->num_dims, element, strides);
    if (args->byte_strides && args->num_byte_strides) {
        if (args->num_byte_strides != args->num_dims)
            return error_create(PJRT_INVALID_ARGUMENT, "the strides have another rank");
        memcpy(strides, args->byte_strides, args->num_dims * sizeof *strides);
    }
    Storage *storage = NULL;
    shardc_event *done = NULL;
    error = fill_storage(args, bytes, strides, dense, &storage, &done);
    if (error) {
        shardc_event_free(done);
        return error;
    }
    args->buffer =
        buffer_create(memory, args->type, args->dims, args->num_dims, layout, storage, NULL);
    if (!args->buffer) {
        shardc_event_free(done);
        return error_out_of_memory();
    }
    if (!done) done = shardc_event_retain(args->client->done);
    args->done_with_host_buffer = event_of(done);
    return NULL;
}

typedef struct View {
    void (*function)(void *data, void *user);
    void *user;
} View;

static void end_view(void *data, void *user) {
    View view = *(View *)user;
    free(user);
    if (view.function) view.function(data, view.user);
}

ENTRY(Client_CreateViewOfDeviceBuffer) {
    args->buffer = NULL;
    PJRT_Memory *memory = memory_of(args->device, PJRT_HAS(args, memory) ? args->memory : NULL);
    size_t bytes = 0;
    Layout *layout = NULL;
    PJRT_Error *error = check_array(args->element_type, args->dims, args->num_dims, memory, &bytes);
    if (!error)
        error = device_layout(
            args->layout, args->dims, args->num_dims, type_size(args->element_type), &layout);
    // the words "is not aligned to" tell jaxlib to copy instead, where that is allowed
    if (!error && (uintptr_t)args->device_buffer_ptr % LINE != 0)
        error = error_create(
            PJRT_INVALID_ARGUMENT,
            "no view of the array: its address %p is not aligned to %d bytes",
            args->device_buffer_ptr, LINE);
    if (error) return error;
    View *view = calloc(1, sizeof *view);
    Storage *storage = view ? borrow(args->device_buffer_ptr, NULL) : NULL;
    if (!storage) {
        free(view);
        return error_out_of_memory();
    }
    args->buffer = buffer_create(
        memory, args->element_type, args->dims, args->num_dims, layout, storage, NULL);
    if (!args->buffer) {
        free(view);
        return error_out_of_memory();
    }
    *view = (View){args->on_delete_callback, args->on_delete_callback_arg};
    storage->release = end_view;
    storage->user = view;
    return NULL;
}

ENTRY(Client_CreateUninitializedBuffer) {
    args->buffer = NULL;
    PJRT_Memory *memory = memory_of(args->device, args->memory);
    size_t bytes = 0;
    Layout *layout = NULL;
    PJRT_Error *error = check_array(
        args->shape_element_type, args->shape_dims, args->shape_num_dims, memory, &bytes);
    if (!error)
        error = device_layout(
            args->shape_layout, args->shape_dims, args->shape_num_dims,
            type_size(args->shape_element_type), &layout);
    if (error) return error;
    Storage *storage = storage_create(bytes);
    if (!storage) return error_out_of_memory();
    args->buffer = buffer_create(
        memory, args->shape_element_type, args->shape_dims, args->shape_num_dims, layout, storage,
        NULL);
    return args->buffer ? NULL : error_out_of_memory();
}

ENTRY(Client_CreateErrorBuffer) {
    args->buffer = NULL;
    size_t bytes = 0;
    Layout *layout = NULL;
    PJRT_Error *error = check_array(
        args->shape_element_type, args->shape_dims, args->shape_num_dims, args->memory, &bytes);
    if (!error)
        error = device_layout(
            args->shape_layout, args->shape_dims, args->shape_num_dims,
            type_size(args->shape_element_type), &layout);
    if (error) return error;
    shardc_event *failed = NULL;
    char *text = strndup(args->error_message, args->error_message_size);
    Storage *storage = text ? storage_create(bytes) : NULL;
    error = storage ? error_take(shardc_event_create(&failed)) : error_out_of_memory();
    if (!error) {
        shardc_event_set(failed, shardc_status_create(SHARDC_FAILED, text));
        args->buffer = buffer_create(
            args->memory, args->shape_element_type, args->shape_dims, args->shape_num_dims, layout,
            storage, failed);
        if (!args->buffer) error = error_out_of_memory();
    } else {
        storage_release(storage);
    }
    shardc_event_free(failed);
    free(text);
    return error;
}

// ---- to the host, to other memories

// A copy that waits for its source.
typedef struct Copy {
    shardc_event *done;
    Storage *from, *to; // `to`: of a buffer, or NULL
    char *target;
    size_t offset, bytes, rank, element;
    int64_t dims[SHARDC_MAX_RANK], strides[SHARDC_MAX_RANK], from_strides[SHARDC_MAX_RANK];
} Copy;

static void copy_end(void *user, const shardc_status *status) {
    Copy *copy = user;
    shardc_status *failed = NULL;
    if (status) {
        failed = shardc_status_create(shardc_status_code(status), shardc_status_message(status));
    } else if (copy->bytes > 0) {
        const char *from = (const char *)copy->from->data + copy->offset;
        if (have_same_strides(copy->dims, copy->rank, copy->strides, copy->from_strides))
            memcpy(copy->target, from, copy->bytes);
        else
            copy_strided(
                copy->target, copy->strides, from, copy->from_strides, copy->dims, copy->rank,
                copy->element);
    }
    storage_release(copy->from);
    storage_release(copy->to);
    shardc_event_set(copy->done, failed);
    shardc_event_free(copy->done);
    free(copy);
}

// The copy of a buffer, its target still missing; NULL with an error.
static Copy *copy_create(PJRT_Buffer *source, const char *what, PJRT_Error **error) {
    Copy *made = calloc(1, sizeof *made);
    *error = made ? NULL : error_out_of_memory();
    if (!made) return NULL;
    made->from = buffer_hold(source);
    if (!made->from)
        *error =
            error_create(PJRT_INVALID_ARGUMENT, "%s called on deleted or donated buffer", what);
    else
        *error = error_take(shardc_event_create(&made->done));
    if (*error) {
        storage_release(made->from);
        free(made);
        return NULL;
    }
    made->bytes = source->bytes;
    made->rank = source->rank;
    made->element = type_size(source->type);
    memcpy(made->dims, source->dims, source->rank * sizeof *made->dims);
    layout_strides(source->layout, made->dims, made->rank, made->element, made->from_strides);
    memcpy(made->strides, made->from_strides, source->rank * sizeof *made->strides);
    return made;
}

static void copy_discard(Copy *copy) {
    storage_release(copy->from);
    storage_release(copy->to);
    shardc_event_free(copy->done);
    free(copy);
}

// Now, or when the source is ready.
static PJRT_Error *copy_start(Copy *copy, PJRT_Buffer *source) {
    if (!source->ready) {
        copy_end(copy, NULL);
        return NULL;
    }
    return error_take(shardc_event_on_done(source->ready, copy_end, copy));
}

// Of the target: as given, else those of the buffer.
static PJRT_Error *host_strides(const PJRT_Buffer_MemoryLayout *given, Copy *copy) {
    if (!given) return NULL;
    Layout *layout = NULL;
    PJRT_Error *error = layout_read(given, copy->rank, &layout);
    if (error) return error;
    if (given->type != PJRT_STRIDES) {
        layout_strides(layout, copy->dims, copy->rank, copy->element, copy->strides);
        return NULL;
    }
    if (given->strides.num_byte_strides != copy->rank)
        return error_create(PJRT_INVALID_ARGUMENT, "the layout has another rank");
    memcpy(copy->strides, given->strides.byte_strides, copy->rank * sizeof *copy->strides);
    return NULL;
}

ENTRY(Buffer_ToHostBuffer) {
    PJRT_Buffer *source = args->src;
    args->event = NULL;
    if (!args->dst) {
        args->dst_size = source->bytes;
        return NULL;
    }
    if (args->dst_size < source->bytes) {
        return error_create(
            PJRT_INVALID_ARGUMENT, "the host's array has %zu bytes, the buffer has %zu",
            args->dst_size, source->bytes);
    }
    PJRT_Error *error;
    Copy *copy = copy_create(source, "ToHostBuffer", &error);
    if (!copy) return error;
    copy->target = args->dst;
    error = host_strides(args->host_layout, copy);
    if (error) {
        copy_discard(copy);
        return error;
    }
    args->event = event_of(shardc_event_retain(copy->done));
    return copy_start(copy, source);
}

ENTRY(Buffer_CopyRawToHost) {
    PJRT_Buffer *source = args->buffer;
    args->event = NULL;
    if (args->offset < 0 || args->transfer_size < 0 || (size_t)args->offset > source->bytes ||
        (size_t)args->transfer_size > source->bytes - (size_t)args->offset) {
        return error_create(
            PJRT_INVALID_ARGUMENT, "bytes %lld and %lld more do not lie in a buffer of %zu",
            (long long)args->offset, (long long)args->transfer_size, source->bytes);
    }
    PJRT_Error *error;
    Copy *copy = copy_create(source, "CopyRawToHost", &error);
    if (!copy) return error;
    copy->target = args->dst;
    copy->offset = (size_t)args->offset;
    copy->bytes = (size_t)args->transfer_size;
    copy->rank = 0; // bytes as they are
    args->event = event_of(shardc_event_retain(copy->done));
    return copy_start(copy, source);
}

static PJRT_Error *copy_to_memory(PJRT_Buffer *source, PJRT_Memory *memory, PJRT_Buffer **buffer) {
    *buffer = NULL;
    PJRT_Error *error;
    Copy *copy = copy_create(source, "CopyToMemory", &error);
    if (!copy) return error;
    copy->to = storage_create(source->bytes);
    if (copy->to)
        *buffer = buffer_create(
            memory, source->type, source->dims, source->rank, source->layout,
            storage_retain(copy->to), source->ready ? copy->done : NULL);
    if (!*buffer) {
        copy_discard(copy);
        return error_out_of_memory();
    }
    copy->target = copy->to->data;
    return copy_start(copy, source);
}

ENTRY(Buffer_CopyToMemory) {
    return copy_to_memory(args->buffer, args->dst_memory, &args->dst_buffer);
}

ENTRY(Buffer_CopyToDevice) {
    return copy_to_memory(args->buffer, args->dst_device->memory_list[0], &args->dst_buffer);
}

// buffers: arrays on a device. Their memory has owners that are counted: buffers, executions
// that read it, and views outside.
#include "plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

// ---- storage

Storage *storage_create(size_t bytes) {
    Storage *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->bytes = bytes;
    made->data = pool_take(&made->bytes);
    if (!made->data) {
        free(made);
        return NULL;
    }
    made->is_writable = true;
    atomic_store(&made->owners, 1);
    return made;
}

Storage *storage_retain(Storage *storage) {
    if (storage) atomic_fetch_add(&storage->owners, 1);
    return storage;
}

void storage_release(Storage *storage) {
    if (!storage || atomic_fetch_sub(&storage->owners, 1) > 1) return;
    if (storage->release)
        storage->release(storage->data, storage->user);
    else if (storage->is_writable)
        pool_give(storage->data, storage->bytes);
    shardc_event *lent = storage->lent;
    free(storage);
    if (!lent) return;
    shardc_event_set(lent, NULL);
    shardc_event_free(lent);
}

// ---- buffers

PJRT_Buffer *buffer_create(
    PJRT_Memory *memory, PJRT_Buffer_Type type, const int64_t *dims, size_t rank, Layout *layout,
    Storage *storage, shardc_event *ready) {
    if (!layout) layout = layout_row_major(rank);
    PJRT_Buffer *made = layout ? malloc(sizeof *made + rank * sizeof *dims) : NULL;
    if (!made) {
        storage_release(storage);
        return NULL;
    }
    *made = (PJRT_Buffer){
        .memory = memory,
        .type = type,
        .layout = layout,
        .rank = rank,
        .storage = storage,
        .ready = shardc_event_retain(ready)};
    if (rank) memcpy(made->dims, dims, rank * sizeof *dims);
    (void)array_bytes(type, dims, rank, &made->bytes); // its storage was made for it
    pthread_mutex_init(&made->lock, NULL);
    return made;
}

void buffer_free(PJRT_Buffer *owned) {
    if (!owned) return;
    if (!atomic_load(&owned->is_deleted)) storage_release(owned->storage);
    for (int i = 0; i < owned->pins; i++)
        storage_release(owned->pinned);
    shardc_event_free(owned->ready);
    pthread_mutex_destroy(&owned->lock);
    free(owned);
}

Storage *buffer_hold(PJRT_Buffer *buffer) {
    pthread_mutex_lock(&buffer->lock);
    Storage *storage = atomic_load(&buffer->is_deleted) ? NULL : storage_retain(buffer->storage);
    pthread_mutex_unlock(&buffer->lock);
    return storage;
}

void buffer_delete(PJRT_Buffer *buffer) {
    pthread_mutex_lock(&buffer->lock);
    bool was_deleted = atomic_exchange(&buffer->is_deleted, true);
    pthread_mutex_unlock(&buffer->lock);
    if (!was_deleted) storage_release(buffer->storage);
}

static PJRT_Error *deleted(const char *what) {
    return error_create(PJRT_INVALID_ARGUMENT, "%s called on deleted or donated buffer", what);
}

ENTRY(Buffer_Destroy) {
    buffer_free(args->buffer);
    return NULL;
}

ENTRY(Buffer_ElementType) {
    args->type = args->buffer->type;
    return NULL;
}

ENTRY(Buffer_Dimensions) {
    args->dims = args->buffer->dims;
    args->num_dims = args->buffer->rank;
    return NULL;
}

ENTRY(Buffer_UnpaddedDimensions) {
    args->unpadded_dims = args->buffer->dims;
    args->num_dims = args->buffer->rank;
    return NULL;
}

ENTRY(Buffer_DynamicDimensionIndices) {
    args->dynamic_dim_indices = NULL;
    args->num_dynamic_dims = 0;
    return NULL;
}

ENTRY(Buffer_GetMemoryLayout) {
    args->layout = (PJRT_Buffer_MemoryLayout){
        .struct_size = sizeof args->layout,
        .tiled =
            {.struct_size = sizeof args->layout.tiled,
             .minor_to_major = args->buffer->layout->minor_to_major,
             .minor_to_major_size = args->buffer->rank},
        .type = PJRT_TILED};
    return NULL;
}

ENTRY(Buffer_OnDeviceSizeInBytes) {
    args->on_device_size_in_bytes = args->buffer->bytes;
    return NULL;
}

ENTRY(Buffer_Device) {
    args->device = args->buffer->memory->device;
    return NULL;
}

ENTRY(Buffer_Memory) {
    args->memory = args->buffer->memory;
    return NULL;
}

ENTRY(Buffer_Delete) {
    buffer_delete(args->buffer);
    return NULL;
}

ENTRY(Buffer_IsDeleted) {
    args->is_deleted = atomic_load(&args->buffer->is_deleted);
    return NULL;
}

ENTRY(Buffer_IsOnCpu) {
    args->is_on_cpu = true;
    return NULL;
}

ENTRY(Buffer_ReadyEvent) {
    PJRT_Buffer *buffer = args->buffer;
    shardc_event *ready = buffer->ready ? buffer->ready : buffer->memory->client->done;
    args->event = event_of(shardc_event_retain(ready));
    return NULL;
}

// ---- its memory, for others

ENTRY(Buffer_IncreaseExternalReferenceCount) {
    PJRT_Buffer *buffer = args->buffer;
    pthread_mutex_lock(&buffer->lock);
    bool is_there = !atomic_load(&buffer->is_deleted) || buffer->pins > 0;
    if (is_there) {
        if (buffer->pins == 0) buffer->pinned = buffer->storage;
        (void)storage_retain(buffer->pinned);
        buffer->pins++;
    }
    pthread_mutex_unlock(&buffer->lock);
    return is_there ? NULL : deleted("IncreaseExternalReferenceCount");
}

ENTRY(Buffer_DecreaseExternalReferenceCount) {
    PJRT_Buffer *buffer = args->buffer;
    pthread_mutex_lock(&buffer->lock);
    bool is_there = buffer->pins > 0;
    Storage *storage = is_there ? buffer->pinned : NULL;
    buffer->pins -= is_there;
    pthread_mutex_unlock(&buffer->lock);
    storage_release(storage);
    if (is_there) return NULL;
    return error_create(PJRT_INVALID_ARGUMENT, "the buffer has no external reference");
}

// Valid while the buffer lives, or has an external reference.
static PJRT_Error *address(PJRT_Buffer *buffer, const char *what, void **data) {
    pthread_mutex_lock(&buffer->lock);
    bool is_deleted = atomic_load(&buffer->is_deleted);
    Storage *storage = !is_deleted ? buffer->storage : buffer->pins ? buffer->pinned : NULL;
    *data = storage ? storage->data : NULL;
    pthread_mutex_unlock(&buffer->lock);
    return storage ? NULL : deleted(what);
}

ENTRY(Buffer_UnsafePointer) {
    void *data = NULL;
    PJRT_Error *error = address(args->buffer, "UnsafePointer", &data);
    args->buffer_pointer = (uintptr_t)data;
    return error;
}

ENTRY(Buffer_OpaqueDeviceMemoryDataPointer) {
    return address(args->buffer, "OpaqueDeviceMemoryDataPointer", &args->device_memory_ptr);
}

// ffi_abi: XLA's foreign function interface as handlers see it (version 0.3): what they are
// called with, and what they may call.
#ifndef SHARDC_PLUGIN_FFI_ABI_H
#define SHARDC_PLUGIN_FFI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { FFI_MAJOR = 0, FFI_MINOR = 3 };

typedef struct FfiError FfiError;
typedef struct FfiContext FfiContext; // of one call
typedef struct FfiFuture FfiFuture;
typedef struct FfiTypeId {
    int64_t id;
} FfiTypeId;

typedef struct FfiSpan {
    const char *data;
    size_t size;
} FfiSpan;

// The numbers of element types are those of xla.PrimitiveType.
typedef struct FfiBuffer {
    size_t struct_size;
    void *extension;
    int32_t type;
    void *data;
    int64_t rank;
    int64_t *dims;
} FfiBuffer;

typedef struct FfiScalar {
    int32_t type;
    void *value;
} FfiScalar;

typedef struct FfiArray {
    int32_t type;
    size_t size;
    void *data;
} FfiArray;

typedef enum FfiKind {
    FFI_ARRAY = 1, // of attributes
    FFI_DICTIONARY,
    FFI_SCALAR,
    FFI_STRING,
    FFI_BUFFER = 1 // of arguments and results
} FfiKind;

// Arguments, or results.
typedef struct FfiBuffers {
    size_t struct_size;
    void *extension;
    int64_t size;
    int32_t *kinds;
    void **items;
} FfiBuffers;

typedef struct FfiAttributes {
    size_t struct_size;
    void *extension;
    int64_t size;
    int32_t *kinds;
    FfiSpan **names;
    void **items;
} FfiAttributes;

typedef enum FfiStage { FFI_INSTANTIATE = 0, FFI_PREPARE, FFI_INITIALIZE, FFI_EXECUTE } FfiStage;

typedef struct FfiVersion {
    size_t struct_size;
    void *extension;
    int32_t major, minor;
} FfiVersion;

// What handlers may call: the first two fields of their arguments are struct_size and extension.
typedef struct FfiApi {
    size_t struct_size;
    void *extension;
    FfiVersion version;
    const void *internal; // of handlers that are part of XLA
    FfiError *(*error_create)(void *args);
    void (*error_message)(void *args);
    void (*error_destroy)(void *args);
    FfiError *(*handler_register)(void *args);
    FfiError *(*stream_get)(void *args);
    FfiError *(*type_register)(void *args);
    FfiError *(*context_get)(void *args);
    FfiError *(*state_set)(void *args);
    FfiError *(*state_get)(void *args);
    FfiError *(*memory_allocate)(void *args);
    FfiError *(*memory_free)(void *args);
    FfiError *(*pool_schedule)(void *args);
    FfiError *(*pool_size)(void *args);
    FfiError *(*future_create)(void *args);
    FfiError *(*future_set)(void *args);
    FfiError *(*future_fail)(void *args);
    FfiError *(*run_id)(void *args);
    FfiError *(*device_ordinal)(void *args);
} FfiApi;

typedef struct FfiFrame {
    size_t struct_size;
    void *extension;
    const FfiApi *api;
    FfiContext *context;
    int32_t stage;
    FfiBuffers arguments, results;
    FfiAttributes attributes;
    FfiFuture *future; // set by handlers that end later
} FfiFrame;

typedef FfiError *FfiHandler(FfiFrame *frame);

#endif

// ffi_internal: what the files of ffi/ share: the values of an execution, errors,
// attributes in the handlers' form.
#ifndef SHARDC_PLUGIN_FFI_INTERNAL_H
#define SHARDC_PLUGIN_FFI_INTERNAL_H

#include "plugin/ffi/ffi_abi.h"
#include "plugin/plugin.h"

// Values that a caller gives to an execution, by the number of their type.
typedef struct UserValue {
    int64_t type;
    void *data;
    struct UserValue *next;
} UserValue;

struct PJRT_ExecuteContext {
    atomic_int owners;
    pthread_mutex_t lock;
    UserValue *values;
};

struct FfiContext {
    PJRT_ExecuteContext *user; // NULL: none
    int64_t device;
};

struct FfiFuture {
    shardc_event *event;
};

struct FfiError {
    int32_t code;
    char message[];
};

// ffi_api.c
extern const FfiApi ffi_api;
void ffi_error_free(FfiError *error);

// Attributes of a call as handlers take them, in one region of memory; ffi_attributes.c.
typedef struct FfiRegion {
    struct Block *blocks;
    bool has_failed; // without memory
} FfiRegion;
void *ffi_take(FfiRegion *region, size_t size); // never NULL; zeroed
void ffi_release(FfiRegion *region);
// The value of `name` in a dictionary that MLIR printed; "" when it has none.
FfiSpan ffi_find(FfiSpan dictionary, const char *name);
// The dictionary's entries, by name; false: one cannot be handed to a handler.
bool ffi_attributes(FfiRegion *region, FfiSpan dictionary, FfiAttributes *attributes);
int32_t ffi_type(const char *name); // "f32", "i64", "ui8", "i1"; 0: unknown

#endif

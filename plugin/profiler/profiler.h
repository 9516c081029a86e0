// The door of profiler/: kernels in traces of frameworks (jax.profiler.trace), by
// PJRT's extension for profilers.
#ifndef SHARDC_PLUGIN_PROFILER_H
#define SHARDC_PLUGIN_PROFILER_H

#include "plugin/plugin.h"

typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error; // there are none

// Arguments are the caller's structs: each begins with its size.
typedef struct PLUGIN_Profiler_Create_Args {
    size_t struct_size;
    const char *options; // serialized tensorflow.ProfileOptions
    size_t options_size;
    PLUGIN_Profiler *profiler;
} PLUGIN_Profiler_Create_Args;

typedef struct PLUGIN_Profiler_Args {
    size_t struct_size;
    PLUGIN_Profiler *profiler;
} PLUGIN_Profiler_Args;

typedef struct PLUGIN_Profiler_CollectData_Args {
    size_t struct_size;
    PLUGIN_Profiler *profiler;
    uint8_t *buffer; // where the trace goes; NULL: the profiler says where it is, and its size
    size_t buffer_size_in_bytes;
} PLUGIN_Profiler_CollectData_Args;

typedef struct PLUGIN_Profiler_Api {
    size_t struct_size;
    void *priv;
    void (*error_destroy)(void *args);
    void (*error_message)(void *args);
    PLUGIN_Profiler_Error *(*error_get_code)(void *args);
    PLUGIN_Profiler_Error *(*create)(PLUGIN_Profiler_Create_Args *args);
    PLUGIN_Profiler_Error *(*destroy)(PLUGIN_Profiler_Args *args);
    PLUGIN_Profiler_Error *(*start)(PLUGIN_Profiler_Args *args);
    PLUGIN_Profiler_Error *(*stop)(PLUGIN_Profiler_Args *args);
    PLUGIN_Profiler_Error *(*collect_data)(PLUGIN_Profiler_CollectData_Args *args);
} PLUGIN_Profiler_Api;

typedef struct PJRT_Profiler_Extension {
    PJRT_Extension_Base base;
    const PLUGIN_Profiler_Api *profiler_api;
    int64_t traceme_context_id;
} PJRT_Profiler_Extension;

extern PJRT_Profiler_Extension profiler_extension;

// While a profiler runs: the executable is told of its execution's events.
void profiler_observe(PJRT_Executable *executable, shardc_execute_options *options);

#endif

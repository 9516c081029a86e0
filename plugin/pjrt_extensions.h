// pjrt_extensions: the parts of the PJRT C API that callers find in the table's list of extensions.
#ifndef SHARDC_PLUGIN_PJRT_EXTENSIONS_H
#define SHARDC_PLUGIN_PJRT_EXTENSIONS_H

#include "plugin/pjrt.h"

typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;
typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;

// clang-format off
#define ARGS(name, ...)                       \
    typedef struct PJRT_##name##_Args {       \
        size_t struct_size;                   \
        PJRT_Extension_Base *extension_start; \
        __VA_ARGS__                           \
    } PJRT_##name##_Args;
ARGS(Shardings_Executable_ParameterShardings, PJRT_Executable *executable; size_t num_parameters; const char *const *shardings;
    const size_t *sharding_sizes;)
ARGS(Shardings_Executable_OutputShardings, PJRT_Executable *executable; size_t num_outputs; const char *const *shardings;
    const size_t *sharding_sizes;)
ARGS(Layouts_MemoryLayout_Destroy, PJRT_Layouts_MemoryLayout *layout;)
ARGS(Layouts_MemoryLayout_Serialize, PJRT_Layouts_MemoryLayout *layout; const char *serialized_bytes; size_t serialized_bytes_size;
    PJRT_Layouts_SerializedLayout *serialized_layout; void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout *layout);)
ARGS(Layouts_Buffer_MemoryLayout, PJRT_Buffer *buffer; PJRT_Layouts_MemoryLayout *layout;)
ARGS(Layouts_Client_GetDefaultLayout, PJRT_Client *client; PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims;
    PJRT_Layouts_MemoryLayout *layout;)
ARGS(Layouts_Topology_GetDefaultLayout, PJRT_TopologyDescription *topology; PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims;
    PJRT_Layouts_MemoryLayout *layout;)
ARGS(Layouts_Executable_GetOutputLayouts, PJRT_Executable *executable; size_t num_outputs; PJRT_Layouts_MemoryLayout **layouts;)
ARGS(Layouts_Executable_GetParameterLayouts, PJRT_Executable *executable; size_t num_parameters; PJRT_Layouts_MemoryLayout **layouts;)
ARGS(DeviceDescription_MemoryDescriptions, PJRT_DeviceDescription *device_description;
    const PJRT_MemoryDescription *const *memory_descriptions; size_t num_memory_descriptions; size_t default_memory_index;)
ARGS(MemoryDescription_Kind, const PJRT_MemoryDescription *memory_description; const char *kind; size_t kind_size; int kind_id;)
ARGS(FFI_Type_Register, const char *type_name; size_t type_name_size; int64_t type_id; void *type_info;)
ARGS(FFI_UserData_Add, PJRT_ExecuteContext *context; struct { int64_t type_id; void *data; } user_data;)
#undef ARGS
// clang-format on

typedef struct PJRT_FFI_Register_Handler_Args {
    size_t struct_size;
    const char *target_name;
    size_t target_name_size;
    void *handler; // a function
    const char *platform_name;
    size_t platform_name_size;
    uint32_t traits;
} PJRT_FFI_Register_Handler_Args;

#define FUNCTION(name) PJRT_Error *(*name)(PJRT_##name##_Args * args);

typedef struct PJRT_Shardings_Extension {
    PJRT_Extension_Base base;
    FUNCTION(Shardings_Executable_ParameterShardings)
    FUNCTION(Shardings_Executable_OutputShardings)
} PJRT_Shardings_Extension;

typedef struct PJRT_Layouts_Extension {
    PJRT_Extension_Base base;
    FUNCTION(Layouts_MemoryLayout_Destroy)
    FUNCTION(Layouts_MemoryLayout_Serialize)
    FUNCTION(Layouts_Client_GetDefaultLayout)
    FUNCTION(Layouts_Buffer_MemoryLayout)
    FUNCTION(Layouts_Topology_GetDefaultLayout)
    FUNCTION(Layouts_Executable_GetOutputLayouts)
    FUNCTION(Layouts_Executable_GetParameterLayouts)
} PJRT_Layouts_Extension;

typedef struct PJRT_MemoryDescriptions_Extension {
    PJRT_Extension_Base base;
    FUNCTION(DeviceDescription_MemoryDescriptions)
    FUNCTION(MemoryDescription_Kind)
} PJRT_MemoryDescriptions_Extension;

typedef struct PJRT_FFI_Extension {
    PJRT_Extension_Base base;
    FUNCTION(FFI_Type_Register)
    FUNCTION(FFI_UserData_Add)
    FUNCTION(FFI_Register_Handler)
} PJRT_FFI_Extension;

extern PJRT_FFI_Extension ffi_extension; // ffi.c

#undef FUNCTION

// Its bytes are the backend_config of calls of @InspectSharding.
typedef struct PJRT_SeenSharding {
    const char *sharding; // xla.OpSharding
    size_t sharding_size;
    const char *error; // NULL: it went well
    void *error_owner;
    void (*free_error)(struct PJRT_SeenSharding *seen);
} PJRT_SeenSharding;

typedef struct PJRT_ShardingInspector {
    void (*see)(void *data, PJRT_SeenSharding *seen);
    void *data;
} PJRT_ShardingInspector;

#endif

// pjrt: the PJRT C API as its callers see it: what this plugin needs of its types, structs and
// enums. Names and order of fields, sizes and numbers are the interface (version 0.112; x86-64 and
// AArch64 Linux); a caller of another version gives longer or shorter structs.
#ifndef SHARDC_PLUGIN_PJRT_H
#define SHARDC_PLUGIN_PJRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJRT_API_MAJOR = 0, PJRT_API_MINOR = 112 };

typedef enum PJRT_Error_Code {
    PJRT_OK = 0,
    PJRT_CANCELLED,
    PJRT_UNKNOWN,
    PJRT_INVALID_ARGUMENT,
    PJRT_DEADLINE_EXCEEDED,
    PJRT_NOT_FOUND,
    PJRT_ALREADY_EXISTS,
    PJRT_PERMISSION_DENIED,
    PJRT_RESOURCE_EXHAUSTED,
    PJRT_FAILED_PRECONDITION,
    PJRT_ABORTED,
    PJRT_OUT_OF_RANGE,
    PJRT_UNIMPLEMENTED,
    PJRT_INTERNAL,
    PJRT_UNAVAILABLE,
    PJRT_DATA_LOSS,
    PJRT_UNAUTHENTICATED
} PJRT_Error_Code;

typedef enum PJRT_NamedValue_Type {
    PJRT_STRING = 0,
    PJRT_INT64,
    PJRT_INT64_LIST,
    PJRT_FLOAT,
    PJRT_BOOL
} PJRT_NamedValue_Type;

typedef enum PJRT_Buffer_Type {
    PJRT_INVALID = 0,
    PJRT_PRED,
    PJRT_S8,
    PJRT_S16,
    PJRT_S32,
    PJRT_S64,
    PJRT_U8,
    PJRT_U16,
    PJRT_U32,
    PJRT_U64,
    PJRT_F16,
    PJRT_F32,
    PJRT_F64,
    PJRT_BF16,
    PJRT_C64,
    PJRT_C128,
    PJRT_F8E5M2,
    PJRT_F8E4M3FN,
    PJRT_F8E4M3B11FNUZ,
    PJRT_F8E5M2FNUZ,
    PJRT_F8E4M3FNUZ,
    PJRT_S4,
    PJRT_U4,
    PJRT_TOKEN,
    PJRT_S2,
    PJRT_U2,
    PJRT_F8E4M3,
    PJRT_F8E3M4,
    PJRT_F8E8M0FNU,
    PJRT_F4E2M1FN,
    PJRT_S1,
    PJRT_U1,
    PJRT_TYPE_COUNT
} PJRT_Buffer_Type;

typedef enum PJRT_HostBufferSemantics {
    PJRT_ONLY_DURING_CALL = 0,         // copy it in the call
    PJRT_UNTIL_TRANSFER_COMPLETES = 1, // it stays until done_with_host_buffer
    // it may be the buffer's memory, read only, until done_with_host_buffer
    PJRT_IMMUTABLE_ZERO_COPY = 2,
    PJRT_MUTABLE_ZERO_COPY = 3
} PJRT_HostBufferSemantics;

typedef enum PJRT_Buffer_MemoryLayout_Type {
    PJRT_TILED = 0,
    PJRT_STRIDES = 1
} PJRT_Buffer_MemoryLayout_Type;

typedef enum PJRT_Extension_Type {
    PJRT_EXTENSION_PROFILER = 1,
    PJRT_EXTENSION_CUSTOM_PARTITIONER = 2,
    PJRT_EXTENSION_LAYOUTS = 4,
    PJRT_EXTENSION_FFI = 5,
    PJRT_EXTENSION_MEMORY_DESCRIPTIONS = 6,
    PJRT_EXTENSION_SHARDINGS = 19
} PJRT_Extension_Type;

typedef struct PJRT_Extension_Base {
    size_t struct_size;
    PJRT_Extension_Type type;
    struct PJRT_Extension_Base *next;
} PJRT_Extension_Base;

// What callers and the plugin hand to each other; the plugin decides what is in them.
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_LoadOptions PJRT_LoadOptions;

typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error *error, void *user_arg);
typedef void (*PJRT_Error_PayloadVisitor)(
    const char *key, size_t key_size, const char *value, size_t value_size, void *user_arg);
typedef void (*PJRT_KeyValueCallback)(void); // of several processes; never called here

// The first words of objects that callers look into.
typedef struct PJRT_Error_FunctionTable {
    size_t struct_size;
    size_t instance_size;
    PJRT_Extension_Base *extension_start;
    void (*destroy)(PJRT_Error *error);
    void (*message)(const PJRT_Error *error, const char **message, size_t *message_size);
    PJRT_Error_Code (*get_code)(const PJRT_Error *error);
    void (*for_each_payload)(
        const PJRT_Error *error, PJRT_Error_PayloadVisitor visitor, void *user_arg);
} PJRT_Error_FunctionTable;

typedef struct PJRT_NamedValue {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    const char *name;
    size_t name_size;
    PJRT_NamedValue_Type type;
    union {
        const char *string_value;
        int64_t int64_value;
        const int64_t *int64_array_value;
        float float_value;
        bool bool_value;
    };
    size_t value_size; // of a text, of a list; else 1
} PJRT_NamedValue;

typedef struct PJRT_Buffer_MemoryLayout {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    union {
        struct {
            size_t struct_size;
            PJRT_Extension_Base *extension_start;
            const int64_t *minor_to_major;
            size_t minor_to_major_size;
            const int64_t *tile_dims;
            const size_t *tile_dim_sizes;
            size_t num_tiles;
        } tiled;
        struct {
            size_t struct_size;
            PJRT_Extension_Base *extension_start;
            const int64_t *byte_strides;
            size_t num_byte_strides;
        } strides;
    };
    PJRT_Buffer_MemoryLayout_Type type;
} PJRT_Buffer_MemoryLayout;

typedef struct PJRT_Program {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    char *code;
    size_t code_size;
    const char *format; // "mlir", "hlo", "hlo_with_config"
    size_t format_size;
} PJRT_Program;

typedef struct PJRT_LogicalDeviceIds {
    int replica;
    int partition;
} PJRT_LogicalDeviceIds;

typedef struct PJRT_ExecuteOptions {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    void *send_callbacks, *recv_callbacks;
    size_t num_send_ops, num_recv_ops;
    int launch_id;
    const int64_t *non_donatable_input_indices;
    size_t num_non_donatable_input_indices;
    PJRT_ExecuteContext *context;
    const char *call_location;
    size_t num_tasks;
    int *task_ids;
    int64_t *incarnation_ids;
    void *multi_slice_config;
    bool use_major_to_minor_data_layout_for_callbacks;
    void *hlo_output_callbacks;
    size_t num_hlo_output_callbacks;
} PJRT_ExecuteOptions;

// Did the caller, perhaps an older one, give this field?
#define PJRT_HAS(args, field) \
    ((args)->struct_size >= offsetof(__typeof__(*(args)), field) + sizeof((args)->field))

// The arguments of each function that the plugin has: the caller's fields, then
// those that the function fills in.
#define ARGS(name, size, ...)                 \
    typedef struct PJRT_##name##_Args {       \
        size_t struct_size;                   \
        PJRT_Extension_Base *extension_start; \
        __VA_ARGS__                           \
    } PJRT_##name##_Args;                     \
    _Static_assert(sizeof(PJRT_##name##_Args) == (size), "the size in the interface");
// clang-format off
ARGS(Error_Destroy, 24, PJRT_Error *error;)
ARGS(Error_Message, 40, const PJRT_Error *error; const char *message; size_t message_size;)
ARGS(Error_GetCode, 32, const PJRT_Error *error; PJRT_Error_Code code;)
ARGS(Error_ForEachPayload, 40, const PJRT_Error *error; PJRT_Error_PayloadVisitor visitor; void *user_arg;)
ARGS(Plugin_Initialize, 16, )
ARGS(Plugin_Attributes, 32, const PJRT_NamedValue *attributes; size_t num_attributes;)
ARGS(Event_Destroy, 24, PJRT_Event *event;)
ARGS(Event_IsReady, 32, PJRT_Event *event; bool is_ready;)
ARGS(Event_Error, 24, PJRT_Event *event;)
ARGS(Event_Await, 24, PJRT_Event *event;)
ARGS(Event_OnReady, 40, PJRT_Event *event; PJRT_Event_OnReadyCallback callback; void *user_arg;)
ARGS(Event_Create, 24, PJRT_Event *event;)
ARGS(Event_Set, 48, PJRT_Event *event; PJRT_Error_Code error_code; const char *error_message; size_t error_message_size;)
ARGS(Client_Create, 88, const PJRT_NamedValue *create_options; size_t num_options; PJRT_KeyValueCallback kv_get_callback; void *kv_get_user_arg;
     PJRT_KeyValueCallback kv_put_callback; void *kv_put_user_arg; PJRT_Client *client; PJRT_KeyValueCallback kv_try_get_callback;
     void *kv_try_get_user_arg;)
ARGS(Client_Destroy, 24, PJRT_Client *client;)
ARGS(Client_PlatformName, 40, PJRT_Client *client; const char *platform_name; size_t platform_name_size;)
ARGS(Client_ProcessIndex, 32, PJRT_Client *client; int process_index;)
ARGS(Client_PlatformVersion, 40, PJRT_Client *client; const char *platform_version; size_t platform_version_size;)
ARGS(Client_TopologyDescription, 32, PJRT_Client *client; PJRT_TopologyDescription *topology;)
ARGS(Client_Devices, 40, PJRT_Client *client; PJRT_Device *const *devices; size_t num_devices;)
ARGS(Client_AddressableDevices, 40, PJRT_Client *client; PJRT_Device *const *addressable_devices; size_t num_addressable_devices;)
ARGS(Client_LookupDevice, 40, PJRT_Client *client; int id; PJRT_Device *device;)
ARGS(Client_LookupAddressableDevice, 40, PJRT_Client *client; int local_hardware_id; PJRT_Device *addressable_device;)
ARGS(Client_AddressableMemories, 40, PJRT_Client *client; PJRT_Memory *const *addressable_memories; size_t num_addressable_memories;)
ARGS(Client_Compile, 56, PJRT_Client *client; const PJRT_Program *program; const char *compile_options; size_t compile_options_size;
     PJRT_LoadedExecutable *executable;)
ARGS(Client_DefaultDeviceAssignment, 48, PJRT_Client *client; int num_replicas; int num_partitions; size_t default_assignment_size;
     int *default_assignment;)
ARGS(Client_CreateUninitializedBuffer, 80, PJRT_Client *client; const int64_t *shape_dims; size_t shape_num_dims;
     PJRT_Buffer_Type shape_element_type; PJRT_Buffer_MemoryLayout *shape_layout; PJRT_Device *device; PJRT_Memory *memory; PJRT_Buffer *buffer;)
ARGS(Client_CreateErrorBuffer, 112, PJRT_Client *client; PJRT_Error_Code error_code; const char *error_message; size_t error_message_size;
     const int64_t *shape_dims; size_t shape_num_dims; PJRT_Buffer_Type shape_element_type; PJRT_Buffer_MemoryLayout *shape_layout;
     PJRT_Memory *memory; PJRT_Buffer *buffer; const PJRT_NamedValue *payload; size_t num_payload;)
ARGS(Client_BufferFromHostBuffer, 120, PJRT_Client *client; const void *data; PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims;
     const int64_t *byte_strides; size_t num_byte_strides; PJRT_HostBufferSemantics host_buffer_semantics; PJRT_Device *device; PJRT_Memory *memory;
     PJRT_Buffer_MemoryLayout *device_layout; PJRT_Event *done_with_host_buffer; PJRT_Buffer *buffer;)
ARGS(Client_CreateViewOfDeviceBuffer, 112, PJRT_Client *client; void *device_buffer_ptr; const int64_t *dims; size_t num_dims;
     PJRT_Buffer_Type element_type; PJRT_Buffer_MemoryLayout *layout; PJRT_Device *device;
     void (*on_delete_callback)(void *device_buffer_ptr, void *user_arg); void *on_delete_callback_arg; intptr_t stream; PJRT_Buffer *buffer;
     PJRT_Memory *memory;)
ARGS(DeviceDescription_Id, 32, PJRT_DeviceDescription *device_description; int id;)
ARGS(DeviceDescription_ProcessIndex, 32, PJRT_DeviceDescription *device_description; int process_index;)
ARGS(DeviceDescription_Attributes, 40, PJRT_DeviceDescription *device_description; size_t num_attributes; const PJRT_NamedValue *attributes;)
ARGS(DeviceDescription_Kind, 40, PJRT_DeviceDescription *device_description; const char *device_kind; size_t device_kind_size;)
ARGS(DeviceDescription_DebugString, 40, PJRT_DeviceDescription *device_description; const char *debug_string; size_t debug_string_size;)
ARGS(DeviceDescription_ToString, 40, PJRT_DeviceDescription *device_description; const char *to_string; size_t to_string_size;)
ARGS(Device_GetDescription, 32, PJRT_Device *device; PJRT_DeviceDescription *device_description;)
ARGS(Device_IsAddressable, 32, PJRT_Device *device; bool is_addressable;)
ARGS(Device_LocalHardwareId, 32, PJRT_Device *device; int local_hardware_id;)
ARGS(Device_AddressableMemories, 40, PJRT_Device *device; PJRT_Memory *const *memories; size_t num_memories;)
ARGS(Device_DefaultMemory, 32, PJRT_Device *device; PJRT_Memory *memory;)
ARGS(Device_GetAttributes, 56, PJRT_Device *device; const PJRT_NamedValue *attributes; size_t num_attributes;
     PJRT_Device_Attributes *device_attributes; void (*attributes_deleter)(PJRT_Device_Attributes *device_attributes);)
ARGS(Memory_Id, 32, PJRT_Memory *memory; int id;)
ARGS(Memory_Kind, 40, PJRT_Memory *memory; const char *kind; size_t kind_size;)
ARGS(Memory_Kind_Id, 32, PJRT_Memory *memory; int kind_id;)
ARGS(Memory_DebugString, 40, PJRT_Memory *memory; const char *debug_string; size_t debug_string_size;)
ARGS(Memory_ToString, 40, PJRT_Memory *memory; const char *to_string; size_t to_string_size;)
ARGS(Memory_AddressableByDevices, 40, PJRT_Memory *memory; PJRT_Device *const *devices; size_t num_devices;)
ARGS(ExecuteContext_Create, 24, PJRT_ExecuteContext *context;)
ARGS(ExecuteContext_Destroy, 24, PJRT_ExecuteContext *context;)
ARGS(Executable_Destroy, 24, PJRT_Executable *executable;)
ARGS(LoadedExecutable_Destroy, 24, PJRT_LoadedExecutable *executable;)
ARGS(LoadedExecutable_GetExecutable, 32, PJRT_LoadedExecutable *loaded_executable; PJRT_Executable *executable;)
ARGS(LoadedExecutable_GetDeviceAssignment, 56, PJRT_LoadedExecutable *executable; const char *serialized_bytes; size_t serialized_bytes_size;
     PJRT_DeviceAssignmentSerialized *serialized_device_assignment;
     void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized *da);)
ARGS(Executable_Name, 40, PJRT_Executable *executable; const char *executable_name; size_t executable_name_size;)
ARGS(Executable_NumReplicas, 32, PJRT_Executable *executable; size_t num_replicas;)
ARGS(Executable_NumPartitions, 32, PJRT_Executable *executable; size_t num_partitions;)
ARGS(LoadedExecutable_AddressableDevices, 40, PJRT_LoadedExecutable *executable; PJRT_Device *const *addressable_devices;
     size_t num_addressable_devices;)
ARGS(LoadedExecutable_AddressableDeviceLogicalIds, 40, PJRT_LoadedExecutable *executable; PJRT_LogicalDeviceIds *addressable_device_logical_ids;
     size_t num_addressable_device_logical_ids;)
ARGS(Executable_OptimizedProgram, 32, PJRT_Executable *executable; PJRT_Program *program;)
ARGS(LoadedExecutable_Delete, 24, PJRT_LoadedExecutable *executable;)
ARGS(LoadedExecutable_IsDeleted, 32, PJRT_LoadedExecutable *executable; bool is_deleted;)
ARGS(LoadedExecutable_Execute, 80, PJRT_LoadedExecutable *executable; PJRT_ExecuteOptions *options; PJRT_Buffer *const *const *argument_lists;
     size_t num_devices; size_t num_args; PJRT_Buffer **const *output_lists; PJRT_Event **device_complete_events; PJRT_Device *execute_device;)
ARGS(Executable_NumOutputs, 32, PJRT_Executable *executable; size_t num_outputs;)
ARGS(Executable_SizeOfGeneratedCodeInBytes, 32, PJRT_Executable *executable; int64_t size_in_bytes;)
ARGS(Executable_Fingerprint, 40, PJRT_Executable *executable; const char *executable_fingerprint; size_t executable_fingerprint_size;)
ARGS(Executable_GetCostAnalysis, 40, PJRT_Executable *executable; size_t num_properties; const PJRT_NamedValue *properties;)
ARGS(Executable_GetCompiledMemoryStats, 144, PJRT_Executable *executable; int64_t generated_code_size_in_bytes; int64_t argument_size_in_bytes;
     int64_t output_size_in_bytes; int64_t alias_size_in_bytes; int64_t temp_size_in_bytes; int64_t host_generated_code_size_in_bytes;
     int64_t host_argument_size_in_bytes; int64_t host_output_size_in_bytes; int64_t host_alias_size_in_bytes; int64_t host_temp_size_in_bytes;
     int64_t peak_memory_in_bytes; int64_t total_size_in_bytes; int64_t total_allocation_bytes; int64_t indefinite_allocations;
     int64_t peak_unpadded_heap_bytes;)
ARGS(Executable_OutputElementTypes, 40, PJRT_Executable *executable; PJRT_Buffer_Type *output_types; size_t num_output_types;)
ARGS(Executable_OutputDimensions, 48, PJRT_Executable *executable; size_t num_outputs; const int64_t *dims; const size_t *dim_sizes;)
ARGS(Executable_ParameterMemoryKinds, 48, PJRT_Executable *executable; size_t num_parameters; const char *const *memory_kinds;
     const size_t *memory_kind_sizes;)
ARGS(Executable_OutputMemoryKinds, 48, PJRT_Executable *executable; size_t num_outputs; const char *const *memory_kinds;
     const size_t *memory_kind_sizes;)
ARGS(Executable_Serialize, 56, const PJRT_Executable *executable; const char *serialized_bytes; size_t serialized_bytes_size;
     PJRT_SerializedExecutable *serialized_executable; void (*serialized_executable_deleter)(PJRT_SerializedExecutable *exec);)
ARGS(Executable_GetCompileOptions, 56, PJRT_Executable *executable; const char *serialized_bytes; size_t serialized_bytes_size;
     PJRT_SerializedCompileOptions *serialized_compile_options; void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions *options);)
ARGS(Executable_DeserializeAndLoad, 72, PJRT_Client *client; const char *serialized_executable; size_t serialized_executable_size;
     PJRT_LoadedExecutable *loaded_executable; const char *overridden_serialized_compile_options; size_t overridden_serialized_compile_options_size;
     PJRT_LoadOptions *load_options;)
ARGS(LoadedExecutable_Fingerprint, 40, PJRT_LoadedExecutable *executable; const char *executable_fingerprint; size_t executable_fingerprint_size;)
ARGS(Buffer_Destroy, 24, PJRT_Buffer *buffer;)
ARGS(Buffer_ElementType, 32, PJRT_Buffer *buffer; PJRT_Buffer_Type type;)
ARGS(Buffer_Dimensions, 40, PJRT_Buffer *buffer; const int64_t *dims; size_t num_dims;)
ARGS(Buffer_UnpaddedDimensions, 40, PJRT_Buffer *buffer; const int64_t *unpadded_dims; size_t num_dims;)
ARGS(Buffer_DynamicDimensionIndices, 40, PJRT_Buffer *buffer; const size_t *dynamic_dim_indices; size_t num_dynamic_dims;)
ARGS(Buffer_GetMemoryLayout, 104, PJRT_Buffer *buffer; PJRT_Buffer_MemoryLayout layout;)
ARGS(Buffer_ToHostBuffer, 56, PJRT_Buffer *src; PJRT_Buffer_MemoryLayout *host_layout; void *dst; size_t dst_size; PJRT_Event *event;)
ARGS(Buffer_OnDeviceSizeInBytes, 32, PJRT_Buffer *buffer; size_t on_device_size_in_bytes;)
ARGS(Buffer_Delete, 24, PJRT_Buffer *buffer;)
ARGS(Buffer_IsDeleted, 32, PJRT_Buffer *buffer; bool is_deleted;)
ARGS(Buffer_CopyRawToHost, 56, PJRT_Buffer *buffer; void *dst; int64_t offset; int64_t transfer_size; PJRT_Event *event;)
ARGS(Buffer_CopyToDevice, 40, PJRT_Buffer *buffer; PJRT_Device *dst_device; PJRT_Buffer *dst_buffer;)
ARGS(Buffer_CopyToMemory, 40, PJRT_Buffer *buffer; PJRT_Memory *dst_memory; PJRT_Buffer *dst_buffer;)
ARGS(Buffer_IsOnCpu, 32, PJRT_Buffer *buffer; bool is_on_cpu;)
ARGS(Buffer_Device, 32, PJRT_Buffer *buffer; PJRT_Device *device;)
ARGS(Buffer_Memory, 32, PJRT_Buffer *buffer; PJRT_Memory *memory;)
ARGS(Buffer_ReadyEvent, 32, PJRT_Buffer *buffer; PJRT_Event *event;)
ARGS(Buffer_UnsafePointer, 32, PJRT_Buffer *buffer; uintptr_t buffer_pointer;)
ARGS(Buffer_IncreaseExternalReferenceCount, 24, PJRT_Buffer *buffer;)
ARGS(Buffer_DecreaseExternalReferenceCount, 24, PJRT_Buffer *buffer;)
ARGS(Buffer_OpaqueDeviceMemoryDataPointer, 32, PJRT_Buffer *buffer; void *device_memory_ptr;)
ARGS(TopologyDescription_Create, 56, const char *topology_name; size_t topology_name_size; const PJRT_NamedValue *create_options;
     size_t num_options; PJRT_TopologyDescription *topology;)
ARGS(TopologyDescription_Destroy, 24, PJRT_TopologyDescription *topology;)
ARGS(TopologyDescription_PlatformVersion, 40, PJRT_TopologyDescription *topology; const char *platform_version; size_t platform_version_size;)
ARGS(TopologyDescription_PlatformName, 40, const PJRT_TopologyDescription *topology; const char *platform_name; size_t platform_name_size;)
ARGS(TopologyDescription_GetDeviceDescriptions, 40, const PJRT_TopologyDescription *topology; PJRT_DeviceDescription *const *descriptions;
     size_t num_descriptions;)
ARGS(TopologyDescription_Serialize, 56, PJRT_TopologyDescription *topology; const char *serialized_bytes; size_t serialized_bytes_size;
     PJRT_SerializedTopology *serialized_topology; void (*serialized_topology_deleter)(PJRT_SerializedTopology *serialized_topology);)
ARGS(TopologyDescription_Attributes, 40, PJRT_TopologyDescription *topology; const PJRT_NamedValue *attributes; size_t num_attributes;)
ARGS(TopologyDescription_Fingerprint, 32, const PJRT_TopologyDescription *topology; uint64_t fingerprint;)
// clang-format on
#undef ARGS

typedef struct PJRT_Api_Version {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    int major_version, minor_version;
} PJRT_Api_Version;

// The table that GetPjrtApi returns. Its rows: plugin/entries.def.
#define ENTRY(name)  PJRT_Error *(*name)(PJRT_##name##_Args * args);
#define VOID(name)   void (*name)(PJRT_##name##_Args * args);
#define ABSENT(name) PJRT_Error *(*name)(void *args);
typedef struct PJRT_Api {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    PJRT_Api_Version version;
#include "plugin/entries.def"
} PJRT_Api;
#undef ENTRY
#undef VOID
#undef ABSENT
_Static_assert(sizeof(PJRT_Api) == 1144, "the size in the interface");

#endif

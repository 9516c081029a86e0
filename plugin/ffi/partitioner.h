// partitioner: functions with which callers of the API partition custom calls, as they register
// them (PJRT's extension for custom partitioners).
#ifndef SHARDC_PLUGIN_PARTITIONER_H
#define SHARDC_PLUGIN_PARTITIONER_H

#include "plugin/pjrt_extensions.h"
#include "plugin/plugin.h"

typedef struct PJRT_CallPartitioner_String {
    const char *data;
    size_t size;
} PJRT_CallPartitioner_String;

typedef struct PJRT_CallPartitioner_Array {
    PJRT_CallPartitioner_String shape; // serialized xla.ShapeProto
    bool has_sharding;
    PJRT_CallPartitioner_String sharding; // serialized xla.OpSharding
} PJRT_CallPartitioner_Array;

typedef struct PJRT_CallPartitioner_Header {
    int64_t api_version;
    // from the function: what the caller frees when it has read the answer
    void *data;
    void (*cleanup_fn)(void *data);
    bool has_error;
    PJRT_Error_Code code;
    PJRT_CallPartitioner_String error_msg;
} PJRT_CallPartitioner_Header;

typedef struct PJRT_CallPartitioner_Partition_Args {
    PJRT_CallPartitioner_Header header;
    size_t num_args;
    PJRT_CallPartitioner_Array *op_args;
    PJRT_CallPartitioner_Array op_result;
    PJRT_CallPartitioner_String backend_config;
    // from the function
    PJRT_CallPartitioner_String mlir_module;
    PJRT_CallPartitioner_String *args_sharding;
    PJRT_CallPartitioner_String result_sharding;
} PJRT_CallPartitioner_Partition_Args;

typedef struct PJRT_CallPartitioner_Callbacks {
    int64_t version;
    void *private_data;
    void (*dtor)(struct PJRT_CallPartitioner_Callbacks *data);
    void (*partition)(
        struct PJRT_CallPartitioner_Callbacks *data, PJRT_CallPartitioner_Partition_Args *args);
    void (*infer_sharding)(struct PJRT_CallPartitioner_Callbacks *data, void *args);
    void (*propagate_user_sharding)(struct PJRT_CallPartitioner_Callbacks *data, void *args);
    bool can_side_effecting_have_replicated_sharding;
} PJRT_CallPartitioner_Callbacks;

typedef struct PJRT_Register_Custom_Partitioner_Args {
    size_t struct_size;
    const char *name;
    size_t name_size;
    PJRT_CallPartitioner_Callbacks *callbacks; // taken
} PJRT_Register_Custom_Partitioner_Args;

typedef struct PJRT_Register_Batch_Partitionable_Args {
    size_t struct_size;
    const char *name;
    size_t name_size;
} PJRT_Register_Batch_Partitionable_Args;

typedef struct PJRT_Custom_Partitioner_Extension {
    PJRT_Extension_Base base;
    PJRT_Error *(*Register_Custom_Partitioner)(PJRT_Register_Custom_Partitioner_Args *args);
    PJRT_Error *(*Register_Batch_Partitionable)(PJRT_Register_Batch_Partitionable_Args *args);
} PJRT_Custom_Partitioner_Extension;

extern PJRT_Custom_Partitioner_Extension partitioner_extension;

#endif

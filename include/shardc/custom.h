/* Custom functions: C functions of the caller that programs call by name, with
 * stablehlo.custom_call.
 *
 *     static int scale(const float *x, float *y, int64_t count, double factor) { ...; return 0; }
 *
 *     const shardc_custom_parameter parameters[] = {
 *         {.kind = SHARDC_CUSTOM_OPERAND, .index = 0, .dtype = SHARDC_F32},
 *         {.kind = SHARDC_CUSTOM_RESULT, .index = 0, .dtype = SHARDC_F32},
 *         {.kind = SHARDC_CUSTOM_RESULT_COUNT, .index = 0},
 *         {.kind = SHARDC_CUSTOM_F64, .name = "factor"},
 *     };
 *     status = shardc_register_custom(
 *         context, "scale", (shardc_custom_function *)scale, parameters, 4, SHARDC_CUSTOM_STATUS,
 *         NULL);
 *
 *     %1 = stablehlo.custom_call @scale(%0)
 *              {api_version = 4 : i32, backend_config = {factor = 2.0 : f64}}
 *         : (tensor<8xf32>) -> tensor<8xf32>
 *
 * Arrays are dense and row-major. Each device calls the function itself, with the operands
 * that its own part of the program has: in a sharded program these are the whole arrays, the
 * same on every device (the program gathers them first), inside sdy.manual_computation the
 * device's own parts; a call with mhlo.frontend_attributes = {num_batch_dims = "N"} gets its
 * part along the first N dimensions of all its arrays, where they are cut (a part may hold more
 * than the array then, with anything in it), and all of the others. A call without used
 * results is dropped unless it has_side_effect.
 *
 * A file (shardc_compile_to_file, `shardc compile --custom=scale`) holds the calls, not the
 * functions: shardc_executable_load_custom gives it those of a context. A program that has nothing
 * of shardc gives the file one function for all calls, the option `custom` of shardc/model.h, and
 * finds in the model's custom_calls which number calls what.
 *
 * A call of a name that is not registered, nor in the option `custom` for a file, is
 * refused with SHARDC_UNSUPPORTED. */
#ifndef SHARDC_CUSTOM_H
#define SHARDC_CUSTOM_H

#include "shardc/executable.h"
#include "shardc/module.h"
#include "shardc/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a parameter of the function is given. `index` counts all operands or all results
 * of the custom_call, from 0. */
typedef enum shardc_custom_kind {
    /* const T *: the elements of operand `index`; only read them, only during the call */
    SHARDC_CUSTOM_OPERAND = 1,
    /* T *: the elements of result `index`: undefined, all to be written; overlaps no other array */
    SHARDC_CUSTOM_RESULT = 2,
    SHARDC_CUSTOM_OPERAND_DIMS = 3, /* const int64_t *: its dimensions, [rank] */
    SHARDC_CUSTOM_RESULT_DIMS = 4,
    SHARDC_CUSTOM_OPERAND_RANK = 5, /* int64_t */
    SHARDC_CUSTOM_RESULT_RANK = 6,
    SHARDC_CUSTOM_OPERAND_COUNT = 7, /* int64_t: number of elements */
    SHARDC_CUSTOM_RESULT_COUNT = 8,
    SHARDC_CUSTOM_DEVICE = 9, /* int64_t: number of the device that calls, from 0 */
    SHARDC_CUSTOM_USER = 10,  /* void *: the pointer given with the registration */
    /* int64_t: the integer (or bool) `name` of the dictionary backend_config */
    SHARDC_CUSTOM_I64 = 11,
    /* double: the float or integer `name` of the dictionary backend_config */
    SHARDC_CUSTOM_F64 = 12,
    /* const char *: backend_config where it is a text, "" where there is none */
    SHARDC_CUSTOM_CONFIG = 13,
    /* int64_t: where the device that calls lies along the mesh axis `name`, from 0 */
    SHARDC_CUSTOM_COORDINATE = 14
} shardc_custom_kind;

typedef struct shardc_custom_parameter {
    shardc_custom_kind kind;
    int32_t index; /* OPERAND and RESULT kinds */
    /* OPERAND and RESULT: the element type that the function expects; SHARDC_DTYPE_INVALID = any */
    shardc_dtype dtype;
    const char *name; /* I64, F64 and COORDINATE */
} shardc_custom_parameter;

/* What the function returns. */
typedef enum shardc_custom_return {
    SHARDC_CUSTOM_VOID = 0, /* nothing */
    /* int: not 0 = it failed; then the execution ends with SHARDC_FAILED, and the number in its
     * message */
    SHARDC_CUSTOM_STATUS = 1
} shardc_custom_return;

/* Any function: cast the pointer. It is called by the C calling convention with exactly the
 * parameters that were described. */
typedef void shardc_custom_function(void);

enum { SHARDC_CUSTOM_MAX_PARAMETERS = 64 };

/* Makes a function known to all modules of the context that are compiled from now on.
 *
 *   name        copied: the custom_call's target name
 *   function    kept, and called for as long as an executable with such a call runs. Errors are
 *               reported by returning: it must not leave by longjmp or an exception
 *   parameters  copied with their names: the function's parameters in order
 *   user        may be NULL; kept, borrowed: handed to the function where it has
 *               a SHARDC_CUSTOM_USER parameter
 *
 * Every call is checked against the signature when a program is compiled into memory, or a file
 * loaded (operands that there are not, other element types, missing attributes, mesh axes that the
 * program does not have: SHARDC_INVALID_INPUT with the call's place).
 *
 * Threads: the function is called from the runtime's worker threads, for several devices at the
 * same time, in an unknown order; for one device of one execution one call at a time, in the
 * program's order. It must not use the executable that calls it. A call that takes longer than the
 * option watchdog_seconds while another thread waits for its device fails the execution, which
 * names it and ends when the call does.
 *
 * Errors: SHARDC_INVALID_INPUT (no name, name known already, bad signature),
 * SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_register_custom(
    shardc_context *context, const char *name, shardc_custom_function *function,
    const shardc_custom_parameter *parameters, size_t parameter_count, shardc_custom_return returns,
    void *user);

/* Makes custom calls of names that are not registered with the context: for hosts with
 * calling conventions of their own. */
typedef struct shardc_custom_resolver {
    size_t struct_size;
    /* Asked when a program is compiled into memory: 1 = calls of this name are for `call`. Results
     * may be asked for in the memory of operands then (output_operand_aliases in the call's
     * dictionary): `call` sees to it. */
    int (*knows)(void *user, const char *name);
    /* As shardc_model_custom; execution is the option custom_user of the execution,
     * see shardc_execute_options. */
    int32_t (*call)(
        void *user, void *execution, const shardc_model_custom_call *call, int64_t device,
        void *const *buffers, char *error, uint64_t error_size);
    void *user; /* kept, borrowed */
} shardc_custom_resolver;

/* resolver: copied; may be NULL: none (as at first). Errors: SHARDC_INVALID_INPUT
 * (a function of it is NULL). */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_set_custom_resolver(
    shardc_context *context, const shardc_custom_resolver *resolver);

/* Partitions custom calls of a program for several devices: says how a call takes and gives its
 * arrays, and gives one device's program of what it computes. */

/* An array of the call, and how it lies on the devices. */
typedef struct shardc_partition_array {
    shardc_dtype dtype;
    int32_t rank;
    const int64_t *dims;    /* [rank] of the whole array */
    const int64_t *tiles;   /* [rank] tiles along each dimension */
    int64_t copies;         /* devices that hold each tile */
    const int64_t *devices; /* [device_count] tile by tile in row-major order, of each its copies */
} shardc_partition_array;

typedef struct shardc_partition_request {
    size_t struct_size;
    const char *name;
    const char *config; /* backend_config where it is a text, else "" */
    size_t config_size;
    int64_t device_count;
    int32_t operand_count, result_count;
    const shardc_partition_array *operands, *results;
} shardc_partition_request;

/* Shardings: GSPMD's text ("{devices=[4,2]<=[8]}"), or a serialized xla.OpSharding. */
typedef struct shardc_partition_reply {
    /* [operand_count] how the program takes each operand: the array is brought there */
    const char *const *operand_shardings;
    const size_t *operand_sharding_sizes;
    const char *result_sharding; /* of one result; of several, or none, a tuple */
    size_t result_sharding_size;
    /* in any format that shardc_module_parse reads: its @main takes and gives one device's parts.
     * NULL: the call's results are its operands, and shardings are not looked at */
    const char *program;
    size_t program_size;
    void *owner; /* for `release` */
} shardc_partition_reply;

typedef struct shardc_partitioner {
    size_t struct_size;
    int (*knows)(void *user, const char *name); /* 1 = it partitions calls of this name */
    /* Called from the thread that compiles. 0 = reply is filled in; else error has a text:
     * the compilation fails with it */
    int (*partition)(
        void *user, const shardc_partition_request *request, shardc_partition_reply *reply,
        char *error, size_t error_size);
    void (*release)(void *user, shardc_partition_reply *reply); /* after `partition` gave 0 */
    void *user;                                                 /* kept, borrowed */
} shardc_partitioner;

/* partitioner: copied; may be NULL: none (as at first). It is not asked about calls inside
 * sdy.manual_computation, nor in programs for one device. Errors: SHARDC_INVALID_INPUT
 * (a function of it is NULL). */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_set_partitioner(
    shardc_context *context, const shardc_partitioner *partitioner);

/* shardc_executable_load (options may be NULL) for a model.so with custom calls: they call the
 * functions that are registered with the context, which may be freed afterwards. A model that was
 * loaded without them gives SHARDC_INVALID_INPUT when it is executed. Errors: as
 * shardc_executable_load; SHARDC_INVALID_INPUT with the name of a function that is not registered,
 * or the place of a call that does not fit it. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_executable_load_custom(
    shardc_context *context, const char *path, const shardc_options *options,
    shardc_executable **executable);

#ifdef __cplusplus
}
#endif
#endif

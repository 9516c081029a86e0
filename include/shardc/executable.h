/* Compiling, executing and asking. */
#ifndef SHARDC_EXECUTABLE_H
#define SHARDC_EXECUTABLE_H

#include "shardc/buffer.h"
#include "shardc/event.h"
#include "shardc/model.h"
#include "shardc/module.h"
#include "shardc/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Native code of one program with its memory, ready to run. Independent of the module and
 * context that it was made from. */
typedef struct shardc_executable shardc_executable;

/* Partitions and compiles a module into memory. The module is not changed.
 *   options     borrowed for the call; may be NULL: the defaults
 *   executable  owned by the caller; NULL after an error
 * Errors: SHARDC_INVALID_INPUT, SHARDC_UNSUPPORTED, SHARDC_OUT_OF_MEMORY, SHARDC_INTERNAL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_compile(
    shardc_module *module, const shardc_options *options, shardc_executable **executable);

/* What shardc_compile_to_file writes. */
typedef enum shardc_emit {
    SHARDC_EMIT_SO = 0,     /* shared library that needs libc, libm and the OpenMP runtime alone */
    SHARDC_EMIT_OBJECT = 1, /* relocatable object, without the runtime */
    SHARDC_EMIT_ASSEMBLY = 2,
    SHARDC_EMIT_LLVM = 3,
    SHARDC_EMIT_HEADER = 4,      /* the C header of the typed entry */
    SHARDC_EMIT_PROPAGATED = 5,  /* MLIR with a sharding on every value */
    SHARDC_EMIT_PARTITIONED = 6, /* MLIR: one device's program */
    SHARDC_EMIT_PER_SHARD = 7 /* one shared library per device: PATH with ".K" before its suffix */
} shardc_emit;

/* options: may be NULL. Writes to a temporary name and renames: a failed call leaves nothing
 * behind. With SHARDC_EMIT_SO the header is written beside it (PATH with suffix .h). Errors: as
 * shardc_compile, and SHARDC_IO. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_compile_to_file(
    shardc_module *module, const shardc_options *options, shardc_emit emit, const char *path);

/* The same for what is text: assembly, LLVM, header, propagated, partitioned. text:
 * ends with NUL, owned by the caller, free with shardc_bytes_free; NULL after an
 * error. Errors: as shardc_compile. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_compile_to_text(
    shardc_module *module, const shardc_options *options, shardc_emit emit, char **text);

/* Loads a model.so; of per-shard files (PATH.K.so) any one: the others, in the same folder, are
 * loaded with it. The path is given to dlopen, so its code is run: load only what you trust.
 * options: may be NULL. Errors: SHARDC_IO, SHARDC_INVALID_INPUT (no model, wrong ABI version, CPU
 * lacks features), SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_executable_load(
    const char *path, const shardc_options *options, shardc_executable **executable);
/* NULL is fine. Executions that have begun (shardc_execute_async has returned, or another thread is
 * inside of shardc_execute) run to their end: the memory goes with the last of them, and their
 * events stay valid. Does not wait. */
SHARDC_API void shardc_executable_free(shardc_executable *owned);

/* An executable that was compiled into memory with options.keep_code as bytes, for
 * shardc_executable_deserialize on a machine of the same kind. bytes: [*size], owned by the caller,
 * free with shardc_bytes_free. Errors: SHARDC_INVALID_INPUT, SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_executable_serialize(
    const shardc_executable *executable, char **bytes, size_t *size);
SHARDC_API void shardc_bytes_free(char *owned); /* NULL is fine */
/* The executable again, without compiling: threads, profile, watchdog_seconds and keep_code of the
 * options count. The bytes are code, which is run: read only what you trust.
 *   context  borrowed for the call; its custom functions are those that the
 *            program calls; may be NULL: none
 *   bytes    borrowed for the call
 *   options  may be NULL
 * Errors: SHARDC_INVALID_INPUT (other bytes, damaged, of another version, the CPU lacks
 * features), SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_executable_deserialize(
    shardc_context *context, const char *bytes, size_t size, const shardc_options *options,
    shardc_executable **executable);

/* The uniform description of the model (inputs, outputs, mesh, memory, steps);
 * borrowed from the executable. */
SHARDC_API const shardc_model *shardc_executable_model(const shardc_executable *executable);
/* Text asked for by options.print_after, without options.report; "" otherwise.
 * Borrowed from the executable. */
SHARDC_API const char *shardc_executable_printed(const shardc_executable *executable);
SHARDC_API shardc_dtype shardc_array_dtype(const shardc_model_array *array);

/* Runs the program on whole arrays and waits. inputs[arg_count], outputs[result_count]: pointers to
 * row-major arrays of the sizes in shardc_executable_model, NULL for arrays without elements;
 * inputs are only read, unless the caller gives the same memory for an input and the output that it
 * is an alias of. Executions of one executable may run at the same time, each in memory of its own.
 * Errors: SHARDC_INVALID_INPUT, SHARDC_FAILED, SHARDC_OUT_OF_MEMORY, SHARDC_INTERNAL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute(
    shardc_executable *executable, const void *const *inputs, void *const *outputs);

/* The same with buffers: types and shapes are checked; strided ones are copied.
 * Tokens have no buffer: NULL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute_buffers(
    shardc_executable *executable, shardc_buffer *const *inputs, size_t input_count,
    shardc_buffer *const *outputs, size_t output_count);

/* Asynchronous: returns at once; the arrays must stay until the event is done (the lists of
 * pointers are copied). event: owned by the caller; NULL after an error. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    shardc_event **event);
/* For executables that were compiled with options.tiled: every device has arrays of its own,
 * dense, of the sizes tile_dims in shardc_executable_model, row-major where `orders` there
 * does not say otherwise. inputs[arg_count * device_count], outputs[result_count *
 * device_count]: the tile of array a on device d is number a * device_count + d; NULL for
 * arrays without elements. Nothing is copied.
 *
 *   padding   where an array does not divide, what a tile has beyond the array is neither read nor
 *             written
 *   sums      of an array with unreduced axes each device has its part of the sum
 *   sharing   devices may be given the same memory for inputs that no output replaces
 *   donation  decided by each execution: an output's tile may be the memory of the same device's
 *             tile of the input that it is an alias of, if the model says that it is in_place; the
 *             input is lost then. Other overlaps are wrong, and not looked for.
 *
 * Errors: as shardc_execute. */
/* Called when an observed execution has ended, from the thread that ran it. begin_ns: when it
 * began, since 1970; the events' times count from there. What is given is borrowed for the call. */
typedef void shardc_observe_fn(
    void *user, const shardc_model *model, int64_t begin_ns, const shardc_model_event *events,
    int64_t event_count);

typedef struct shardc_execute_options {
    size_t struct_size;
    /* [dependency_count]: the execution begins when all are done, and fails with the status of
     * one that failed */
    shardc_event *const *dependencies;
    size_t dependency_count;
    void *custom_user; /* handed to the resolver's function, see shardc/custom.h */
    /* the execution records its events for it, whatever options.profile was; NULL: nobody looks */
    shardc_observe_fn *observe;
    void *observe_user;
} shardc_execute_options;
/* options: may be NULL; borrowed for the call. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute_tiles(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    const shardc_execute_options *options);
/* The same, asynchronous. event: owned by the caller; NULL after an error. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute_tiles_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    const shardc_execute_options *options, shardc_event **event);

/* The arrays of constant arguments (options.constant_arguments) hold other bytes from now on:
 * executions that begin after the call compute again what is kept of them. Those that have begun
 * may still use either: change the arrays when they are done, then call this, then execute. Each of
 * the executions that overlap keeps values of its own; the call counts for all of them. Does not
 * wait.
 * Nothing happens without constant arguments, or where executable is NULL.
 * Threads: any, at any time. */
SHARDC_API void shardc_executable_rebind(shardc_executable *executable);

/* Totals of the executions that have ended since the executable was made; 0 where the executable is
 * NULL. counters->struct_size is set by the caller. */
SHARDC_API void shardc_executable_counters(
    const shardc_executable *executable, shardc_model_counters *counters);
/* Bytes of temporaries and outputs on one device. */
SHARDC_API int64_t shardc_executable_device_bytes(const shardc_executable *executable);

#ifdef __cplusplus
}
#endif
#endif

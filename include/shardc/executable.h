/* Compiling, executing and asking. */
#ifndef SHARDC_EXECUTABLE_H
#define SHARDC_EXECUTABLE_H

#include "shardc/buffer.h"
#include "shardc/model.h"
#include "shardc/module.h"
#include "shardc/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Native code of one program with its memory, ready to run. Independent of the module and context that it was made from. */
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

/* options: may be NULL. Writes to a temporary name and renames: a failed call leaves nothing behind. With SHARDC_EMIT_SO the header is written beside it (PATH with
 * suffix .h). Errors: as shardc_compile, and SHARDC_IO. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_compile_to_file(
    shardc_module *module, const shardc_options *options, shardc_emit emit, const char *path);

/* Loads a model.so; of per-shard files (PATH.K.so) any one: the others, which lie beside it, come along. The path is given to dlopen, so its code is run: load only what you trust. options: may be NULL. Errors: SHARDC_IO, SHARDC_INVALID_INPUT (no
 * model, wrong ABI version, CPU lacks features), SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_executable_load(
    const char *path, const shardc_options *options, shardc_executable **executable);
/* NULL is fine. Executions that have begun (shardc_execute_async has returned, or another thread is inside of shardc_execute) run to their end: the
 * memory goes with the last of them, and their events stay valid. Does not wait. */
SHARDC_API void shardc_executable_free(shardc_executable *owned);

/* The uniform description of the model (inputs, outputs, mesh, memory, steps); borrowed from the executable. */
SHARDC_API const shardc_model *shardc_executable_model(const shardc_executable *executable);
/* Text asked for by options.print_after, without options.report; "" otherwise. Borrowed from the executable. */
SHARDC_API const char *shardc_executable_printed(const shardc_executable *executable);
SHARDC_API shardc_dtype shardc_array_dtype(const shardc_model_array *array);

/* Runs the program on whole arrays and waits. inputs[arg_count], outputs[result_count]: pointers to row-major arrays of the sizes in
 * shardc_executable_model, NULL for arrays without elements; inputs are only read, unless the caller gives the same memory for an input
 * and the output that it is an alias of. Calls on one executable take turns; different executables run at the same time. Errors:
 * SHARDC_INVALID_INPUT, SHARDC_FAILED, SHARDC_OUT_OF_MEMORY, SHARDC_INTERNAL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute(
    shardc_executable *executable, const void *const *inputs, void *const *outputs);

/* The same with buffers: types and shapes are checked; strided ones are copied. Tokens have no buffer: NULL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute_buffers(
    shardc_executable *executable, shardc_buffer *const *inputs, size_t input_count,
    shardc_buffer *const *outputs, size_t output_count);

/* Asynchronous: returns at once; the arrays (and the arrays of pointers) must stay until the event is waited for. event: owned by the
 * caller, given to shardc_event_wait; NULL after an error. */
typedef struct shardc_event shardc_event;
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_execute_async(
    shardc_executable *executable, const void *const *inputs, void *const *outputs,
    shardc_event **event);
SHARDC_API int shardc_event_is_done(const shardc_event *event); /* 1: the execution is over */
/* Waits, frees the event and returns the execution's status. event: taken. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_event_wait(shardc_event *event);

/* Waits for an execution that runs. Totals since the executable was made; 0 where the executable is NULL. counters->struct_size is set by the caller. */
SHARDC_API void shardc_executable_counters(
    const shardc_executable *executable, shardc_model_counters *counters);
/* Bytes of temporaries and outputs on one device. */
SHARDC_API int64_t shardc_executable_device_bytes(const shardc_executable *executable);

#ifdef __cplusplus
}
#endif
#endif

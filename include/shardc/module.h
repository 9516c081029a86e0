/* Contexts and modules: reading a program. */
#ifndef SHARDC_MODULE_H
#define SHARDC_MODULE_H

#include "shardc/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Holds what modules share. Calls on one context, its modules and their functions must not overlap;
 * different contexts are independent. */
typedef struct shardc_context shardc_context;
/* One program: StableHLO with Shardy annotations, which programs in other
 * notations become when they are read. */
typedef struct shardc_module shardc_module;

/* allocator: copied; may be NULL: malloc and free. context: owned by the caller, free with
 * shardc_context_free after everything made from it. Errors: SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_context_create(
    const shardc_allocator *allocator, shardc_context **context);
SHARDC_API void shardc_context_free(shardc_context *owned); /* NULL is fine */

/* Reads one program from memory; the format is found from its content.
 *
 *   context   borrowed; must outlive the module
 *   name      borrowed for the call: the file's name in diagnostics; may be NULL
 *   text      borrowed for the call: `size` bytes, no NUL needed; may be NULL when size is 0; MLIR
 *             text, a portable artifact (bytecode), or HLO as text or protobuf
 *   module    owned by the caller, free with shardc_module_free; NULL after an error
 *
 * Errors: SHARDC_INVALID_INPUT, SHARDC_UNSUPPORTED, SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_module_parse(
    shardc_context *context, const char *name, const char *text, size_t size,
    shardc_module **module);
/* What a program is compiled for, for those who give that beside the program, as XLA's compile
 * options do. What the program says itself stays. Zero, or NULL, is: not known. */
typedef struct shardc_read_options {
    size_t struct_size;
    const char *name; /* as in shardc_module_parse */
    int partitions;   /* devices that the program is partitioned over (mhlo.num_partitions) */
    /* copies of that (mhlo.num_replicas); programs that neither communicate nor ask for their
     * device's number are compiled as one copy */
    int replicas;
    /* Inputs and results of the entry that every device has whole, unless they have a sharding of
     * their own: 1 for yes; a list of one holds for all. Shardings do not propagate to them. */
    const unsigned char *whole_inputs, *whole_results;
    size_t whole_input_count, whole_result_count;
} shardc_read_options;

/* shardc_module_parse with options, which may be NULL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_module_parse_with(
    shardc_context *context, const shardc_read_options *options, const char *text, size_t size,
    shardc_module **module);
/* shardc_module_parse of a file. Errors: as above, and SHARDC_IO. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_module_parse_file(
    shardc_context *context, const char *path, shardc_module **module);
SHARDC_API void shardc_module_free(shardc_module *owned); /* NULL is fine */

/* What the last call on the module said beside its result: warnings, notes and remarks, in the
 * order in which they were found. Calls that read, check, compile or explain the module replace
 * the list: shardc_module_parse, shardc_module_parse_file, those of shardc/build.h,
 * shardc_compile, shardc_compile_to_file, shardc_explain. The list is empty when such a call
 * fails; its status has the diagnostics then. [*count], borrowed from the module until the next
 * such call; NULL when there are none. */
SHARDC_API const shardc_diagnostic *shardc_module_diagnostics(
    const shardc_module *module, size_t *count);

/* The module as MLIR text, NUL-terminated; owned by the module until its next call of this
 * function. Errors: SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_module_text(
    shardc_module *module, const char **text);

/* How a program is written. */
typedef enum shardc_notation {
    SHARDC_NOTATION_MLIR = 0,     /* text, as shardc_module_text */
    SHARDC_NOTATION_BYTECODE = 1, /* a portable artifact of StableHLO, of the newest version */
    SHARDC_NOTATION_HLO = 2       /* HLO text; shardings as GSPMD has them */
} shardc_notation;

/* The module in a notation; it stays as it is. bytes: [*size], a NUL behind them; owned by the
 * caller, free with shardc_bytes_free; NULL after an error. Errors: SHARDC_INVALID_INPUT (the
 * notation has no form for an op, which is named), SHARDC_UNSUPPORTED, SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_module_write(
    shardc_module *module, shardc_notation notation, char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
#endif

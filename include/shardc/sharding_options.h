/* How ops can be sharded: for tools that search shardings. */
#ifndef SHARDC_SHARDING_OPTIONS_H
#define SHARDC_SHARDING_OPTIONS_H

#include "shardc/module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One way to split an op over a mesh: every axis of the mesh splits one factor of the op's sharding
 * rule, or none. Only ways that leave equal parts. */
typedef struct shardc_sharding_option {
    /* [operand_count] "<@mesh, [{\"x\"}, {}]>"; "" for what is no tensor of known shape */
    const char *const *operands;
    const char *const *results; /* [result_count] */
    /* what the op then needs: "all_reduce along \"x\"", "collective_permute along \"y\""; "" =
     * nothing */
    const char *communication;
    int64_t communication_bytes; /* of what these collectives give, on one device */
    /* of operands and results on one device, a value that is read twice once */
    int64_t memory_bytes;
} shardc_sharding_option;

/* An op and its ways on one mesh. */
typedef struct shardc_sharded_op {
    const char *op;       /* "stablehlo.dot_general" */
    const char *name;     /* of its first result, as the program's text has it: "%4" */
    const char *location; /* "program.mlir:12:5 (model.py:3)" */
    const char *mesh;     /* without @ */
    int32_t operand_count, result_count, option_count;
    const shardc_sharding_option *options; /* fewest bytes of communication first, then of memory */
} shardc_sharded_op;

typedef struct shardc_sharding_options {
    int32_t op_count;
    const shardc_sharded_op *ops; /* in program order, for every mesh of the program */
    void *memory;                 /* the library's */
} shardc_sharding_options;

/* The ways of every op that has a sharding rule, each looked at alone, whatever shardings the
 * program has. options: owned by the caller, free with shardc_sharding_options_free; it may outlive
 * the module; NULL after an error. Errors: SHARDC_INVALID_INPUT (the program has no mesh, or an op
 * more ways than 65536), SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_list_sharding_options(
    shardc_module *module, shardc_sharding_options **options);
SHARDC_API void shardc_sharding_options_free(shardc_sharding_options *owned); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

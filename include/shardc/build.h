/* Building a program op by op: a module, its meshes, its functions, and the ops in them.
 *
 *     shardc_status *status = shardc_module_create(context, "scaled", &module);
 *     if (!status)
 *         status = shardc_build_mesh(
 *             module, "mesh", 1, (const char *[]){"x"}, (int64_t[]){2});
 *     if (!status)
 *         status = shardc_func_begin(
 *             module, "main", 1, (const char *[]){"tensor<4xf32>"},
 *             (const char *[]){"<@mesh, [{\"x\"}]>"}, NULL, &func);
 *     if (!status) status = shardc_build_splat(func, "tensor<4xf32>", 2, &two);
 *     if (!status)
 *         status = shardc_build_binary(
 *             func, "stablehlo.multiply", shardc_func_argument(func, 0), two, &product);
 *     if (!status) status = shardc_func_finish(func, 1, &product, NULL);
 *
 * Types, attributes and shardings are given as MLIR text: "tensor<4x6xf32>", "dimension = 0 :
 * i64", "<@mesh, [{\"x\"}, {?}]>". All that is given is borrowed for the call. Every op is
 * checked as it is built; a wrong op, operand or text gives SHARDC_INVALID_INPUT and leaves
 * everything as it was. After SHARDC_OUT_OF_MEMORY the function in progress takes no more ops;
 * the module is good without it. */
#ifndef SHARDC_BUILD_H
#define SHARDC_BUILD_H

#include "shardc/module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function in progress; owned by its module, which does not contain it before
 * shardc_func_finish. */
typedef struct shardc_func shardc_func;
/* An argument or result of an op in one function: a number, 0 = none. Values of other functions are
 * refused, and so are those of regions that have ended. */
typedef uint64_t shardc_value;

/* An empty module. name: an identifier, the model's name by default; or NULL. module: owned by the
 * caller, free with shardc_module_free; NULL after an error. Errors: SHARDC_INVALID_INPUT,
 * SHARDC_OUT_OF_MEMORY (as of every call here). */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_module_create(
    shardc_context *context, const char *name, shardc_module **module);
/* A mesh of the module (one that was read will do too), its axes major to
 * minor. Shardings name it "@NAME". */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_mesh(
    shardc_module *module, const char *name, int axis_count, const char *const *axes,
    const int64_t *sizes);

/* Begins a function. A program runs "main", or its only function; others are for func.call.
 *   types      [argument_count]
 *   shardings  [argument_count], entries may be NULL; or NULL
 *   donated    [argument_count], 1: the argument's memory may become a result's; or NULL
 *   func       borrowed from the module; NULL after an error */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_func_begin(
    shardc_module *module, const char *name, int argument_count, const char *const *types,
    const char *const *shardings, const int *donated, shardc_func **func);
SHARDC_API shardc_value
shardc_func_argument(const shardc_func *func, int i); /* 0 when there is none */
/* Ends the function with its results, checks the whole module and adds the function to it. A
 * function that is refused by these last checks is discarded. shardings: [result_count],
 * entries may be NULL; or NULL. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_func_finish(
    shardc_func *func, int result_count, const shardc_value *results, const char *const *shardings);
/* The type of a value as text; borrowed from the module. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_value_type(
    shardc_func *func, shardc_value value, const char **type);

/* Any op but those that end regions and functions.
 *   name          "stablehlo.add", or a registered op's: see shardc_register_op
 *   attributes    what MLIR writes between the braces, shardings of results
 *                 ("sdy.sharding = ...") included; or NULL
 *   result_types  [result_count]; NULL where they follow from operands and attributes
 *   results       [result_count]; or NULL
 * The op takes the regions that have ended since the last op. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_op(
    shardc_func *func, const char *name, int operand_count, const shardc_value *operands,
    const char *attributes, int result_count, const char *const *result_types,
    shardc_value *results);
/* A region of an op to come: what is built up to shardc_region_end goes into it. It may use values
 * from outside. An op with two regions follows two such pairs.
 *   types      [argument_count]
 *   arguments  [argument_count]: the region's arguments */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_region_begin(
    shardc_func *func, int argument_count, const char *const *types, shardc_value *arguments);
/* results: [result_count], what the region returns. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_region_end(
    shardc_func *func, int result_count, const shardc_value *results);
/* Ops as MLIR text, regions included. Operand i is %operand0, %operand1 ... in it; it ends with
 * "return %a, %b : TYPES", which gives the results. results: [result_count] */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_text(
    shardc_func *func, const char *text, int operand_count, const shardc_value *operands,
    int result_count, shardc_value *results);

/* Ops of the caller's own: names for what functions of the caller build from the ops that there
 * are, wherever such an op is used. */

/* Builds what the op computes into the function, by calls of this header;
 * regions that it begins it ends.
 *   attributes  what shardc_build_op was given; may be NULL
 *   results     [result_count], to be set
 * Returns NULL, or the status of a call that failed: the call that needed the op returns it. */
typedef shardc_status *shardc_op_function(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results);

typedef struct shardc_op_definition {
    size_t struct_size;
    shardc_op_function *forward; /* results from operands */
    /* Gradients of the operands. Its operands are the op's operands, then its results, then the
     * gradients of its results; its results are the gradients of the op's operands, 0 for one that
     * has none. NULL: the op has no gradient. */
    shardc_op_function *backward;
    void *user; /* kept, borrowed */
} shardc_op_definition;

/* From now on shardc_build_op knows the op in all modules of the context; its result_types are
 * checked where they are given, else they are what `forward` builds. name: copied, "mine.gelu".
 * Errors: SHARDC_INVALID_INPUT (the name is an op's already), SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_register_op(
    shardc_context *context, const char *name, const shardc_op_definition *definition);
/* The gradients of a registered op's operands at one of its uses.
 *   operands, attributes, results   those of the use
 *   gradients                       [result_count] of the results, each of its result's type
 *   operand_gradients               [operand_count]; 0 where there is none
 * Errors: as shardc_build_op; SHARDC_INVALID_INPUT where the op has no `backward`, or a gradient
 * is not of its operand's type. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_gradient(
    shardc_func *func, const char *name, int operand_count, const shardc_value *operands,
    const char *attributes, int result_count, const shardc_value *results,
    const shardc_value *gradients, shardc_value *operand_gradients);

/* Shorthands for common ops. result: may be NULL. */

/* A constant of row-major elements; size: of data in bytes, as the type has it. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_constant(
    shardc_func *func, const char *type, const void *data, size_t size, shardc_value *result);
/* The same number everywhere, rounded to the element type. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_splat(
    shardc_func *func, const char *type, double number, shardc_value *result);
/* 0, 1, 2 ... along a dimension. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_iota(
    shardc_func *func, const char *type, int dimension, shardc_value *result);
/* op: "stablehlo.tanh", "stablehlo.add" ...; operands of one type. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_unary(
    shardc_func *func, const char *op, shardc_value x, shardc_value *result);
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_binary(
    shardc_func *func, const char *op, shardc_value x, shardc_value y, shardc_value *result);
/* direction: "EQ", "NE", "GE", "GT", "LE", "LT" */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_compare(
    shardc_func *func, const char *direction, shardc_value x, shardc_value y, shardc_value *result);
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_select(
    shardc_func *func, shardc_value predicate, shardc_value on_true, shardc_value on_false,
    shardc_value *result);
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_convert(
    shardc_func *func, shardc_value x, shardc_dtype dtype, shardc_value *result);
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_reshape(
    shardc_func *func, shardc_value x, int rank, const int64_t *dims, shardc_value *result);
/* permutation: [rank of x], dimension i of the result is dimension permutation[i] of x */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_transpose(
    shardc_func *func, shardc_value x, int rank, const int64_t *permutation, shardc_value *result);
/* To a tensor of `rank` dims; dimensions: [dimension_count = rank of x], where each dimension of x
 * goes. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_broadcast_in_dim(
    shardc_func *func, shardc_value x, int rank, const int64_t *dims, int dimension_count,
    const int64_t *dimensions, shardc_value *result);
/* start, limit, stride: [rank of x]; stride may be NULL for 1 */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_slice(
    shardc_func *func, shardc_value x, int rank, const int64_t *start, const int64_t *limit,
    const int64_t *stride, shardc_value *result);
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_concatenate(
    shardc_func *func, int count, const shardc_value *operands, int dimension,
    shardc_value *result);

/* Which dimensions of a product's sides are summed over, and which are batches; the lists may
 * be NULL where they are empty. */
typedef struct shardc_dot_dims {
    int batch_count, contracting_count;
    const int64_t *lhs_batch, *rhs_batch;             /* [batch_count] */
    const int64_t *lhs_contracting, *rhs_contracting; /* [contracting_count] */
} shardc_dot_dims;
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_dot_general(
    shardc_func *func, shardc_value lhs, shardc_value rhs, const shardc_dot_dims *dims,
    shardc_value *result);
/* body: an op of two operands, "stablehlo.add", "stablehlo.maximum" ...; init: a scalar, or 0 for
 * what is neutral for the body */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_reduce(
    shardc_func *func, const char *body, shardc_value x, shardc_value init, int dimension_count,
    const int64_t *dimensions, shardc_value *result);
/* sdy.sharding_constraint */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_build_sharding_constraint(
    shardc_func *func, shardc_value x, const char *sharding, shardc_value *result);

#ifdef __cplusplus
}
#endif
#endif

// What holds in every module: types, attributes, regions, shardings, symbols; result types are inferred again and compared.
#ifndef SHARDC_IR_VERIFY_H
#define SHARDC_IR_VERIFY_H

#include "base/map.h"
#include "ir/module.h"

// False after an error; the diagnostics name the op and its place ('stablehlo.add' op requires ...).
bool verify_module(const Module *module, Diags *diags);
bool verify_op(const Module *module, const Op *op, Diags *diags); // without its regions
// Does the sharding fit a value of the type, as the op (a function) would have it? prefix: "arg 2 - "
bool verify_sharding(
    const Module *module, const Op *op, const char *prefix, const Sharding *sharding,
    const Type *type, Diags *diags);

// Result types of an op from operands and attributes. `types` has room for the op's results. False with a diagnostic. Where the
// types follow from the op alone (not for convert, reshape, iota, broadcast_in_dim ...) *inferred is set. The types that the results
// have are not compared; they must be tensors where the op asks for tensors.
bool infer_result_types(
    const Module *module, const Op *op, const Type **types, bool *inferred, Diags *diags);

// How an op changes which axes its values are unreduced over. Entries of the lists may be NULL.
typedef struct UnreducedChange {
    int operand_count, result_count;
    const Sharding *const *operands, *const *results;
    bool may_add, may_drop;       // unreduced axes at all
    ReductionKind added, dropped; // how those that it adds and drops must be combined
} UnreducedChange;

// Axes that stay unreduced stay combined as they were; those that are added or dropped may be, and are combined as the change says.
// Shardings on several meshes are not compared.
bool verify_unreduced_transition(
    const Module *module, const Op *op, const UnreducedChange *change, Diags *diags);

// Every entry of ops.def's infer column.
typedef struct Infer {
    const Module *module;
    Context *context;
    Diags *diags;
    const Type **types;    // out: result types; NULL entries = not inferred, keep what is written
    const StrMap *symbols; // the module's symbols by name; NULL = search the module
    bool results_unknown;  // the results' types are being asked for: what the op has means nothing
} Infer;
typedef bool InferFn(Infer *infer, const Op *op);

#endif

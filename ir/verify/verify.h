// What holds in every module: types, attributes, regions, shardings, symbols; result types
// are inferred again and compared.
#ifndef SHARDC_IR_VERIFY_H
#define SHARDC_IR_VERIFY_H

#include "base/map.h"
#include "ir/infer/unreduced_change.h"
#include "ir/module.h"

// False after an error; the diagnostics name the op and its place
// ('stablehlo.add' op requires ...).
bool verify_module(const Module *module, Diags *diags);
bool verify_op(const Module *module, const Op *op, Diags *diags); // without its regions
// Does the sharding fit a value of the type, as the op (a function) would have it? prefix:
// "arg 2 - "
bool verify_sharding(
    const Module *module, const Op *op, const char *prefix, const Sharding *sharding,
    const Type *type, Diags *diags);

// Result types of an op from operands and attributes. `types` has room for the op's results. False
// with a diagnostic. Where the types follow from the op alone (not for convert, reshape, iota,
// broadcast_in_dim ...) *inferred is set. The types that the results have are not compared; they
// must be tensors where the op asks for tensors.
bool infer_result_types(
    const Module *module, const Op *op, const Type **types, bool *inferred, Diags *diags);

// Axes that stay unreduced stay combined as they were; those that are added or dropped may be, and
// are combined as the change says. Shardings on several meshes are not compared.
bool verify_unreduced_transition(
    const Module *module, const Op *op, const UnreducedChange *change, Diags *diags);

#endif

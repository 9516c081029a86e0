// The door of eval/: the reference evaluator: slow, obviously right. Oracle of the differential
// tests, constant folder, `run --interpret`.
#ifndef SHARDC_IR_EVAL_H
#define SHARDC_IR_EVAL_H

#include "ir/module.h"

// A tensor on the host: row-major storage of type's elements, or a tuple, or a token (data NULL).
typedef struct Tensor {
    const Type *type;
    void *data;            // type_bytes(type), in the evaluator's arena (or borrowed: inputs)
    struct Tensor **parts; // TYPE_TUPLE
} Tensor;

// Results of check.* ops and of checking custom calls.
typedef struct EvalChecks {
    int64_t passed, failed;
    StrView first_failure; // one line, with the place
} EvalChecks;

typedef struct EvalOptions {
    // > 1: partition_id and collectives run on devices in lock step (one program, eval_devices)
    int64_t device_count;
    int64_t max_steps; // ops executed before it gives up (hostile loops); 0 = no limit
    int64_t max_bytes; // of live tensors; 0 = no limit
    void (*print)(void *user, const Tensor *value); // what interpreter.print does; NULL = nothing
    void *print_user;
} EvalOptions;

// Runs a function of a *global* program (sdy constraints are identities; a manual_computation runs
// its body once per device of the mesh, in lock step, on slices of the operands). inputs: one per
// argument, borrowed. results: room for the function's results; allocated in `arena`. False with a
// diagnostic (unsupported ops name themselves).
bool eval_function(
    Arena *arena, const Module *module, const Op *func, const Tensor *const *inputs,
    Tensor **results, const EvalOptions *options, EvalChecks *checks, Diags *diags);

// Runs a *local* program (one device's) on all devices in lock step:
// inputs[device * arg_count + i], results[device * result_count + i].
bool eval_devices(
    Arena *arena, const Module *module, const Op *func, int64_t device_count,
    const Tensor *const *inputs, Tensor **results, const EvalOptions *options, Diags *diags);

// One pure op on constant operands, for folding; false when it cannot (no diagnostic).
bool eval_op(
    Arena *arena, const Module *module, const Op *op, const Tensor *const *operands,
    Tensor **results);

Tensor *tensor_create(Arena *arena, const Type *type); // zeroed
Tensor *tensor_from_attr(Arena *arena, const Attr *elements);
// splat when all elements are the same bits
const Attr *tensor_to_attr(Context *context, const Tensor *tensor);

#endif

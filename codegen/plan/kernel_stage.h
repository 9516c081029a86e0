// From kernels to their stages.
#ifndef SHARDC_CODEGEN_KERNEL_STAGE_H
#define SHARDC_CODEGEN_KERNEL_STAGE_H

#include "codegen/plan/stage.h"
#include "codegen/target/target.h"

// The stage of a kernel; NULL after a diagnostic.
Stage *stage_of_kernel(
    Arena *arena, const DeviceProgram *program, const Kernel *kernel, const Target *target,
    Diags *diags);
// May an update in place read the buffer, if that is the memory whose slice it overwrites? No
// element of the slice may be made of another one: x[i, :] = f(x[i - 1, :]).
bool update_reads_apart(const Plan *plan, const Kernel *kernel, const Buffer *buffer);
// May rows read the buffer, if that is the memory in which they store the output? No row may read
// what another one has stored, nor an element that it has stored itself.
bool rows_read_apart(
    const Plan *plan, const Kernel *kernel, const Buffer *buffer, const Value *output);
// A contraction as a fold: the plain form of kernels that have emitters of their own.
Stage *stage_of_product(ExprBuilder *b, const Op *op);

#endif

// How many chunks a kernel is cut into: from shapes alone, so that results do not depend on the
// threads.
#ifndef SHARDC_CODEGEN_PLAN_GRID_H
#define SHARDC_CODEGEN_PLAN_GRID_H

#include "codegen/kernel/kernel.h"
#include "codegen/target/target.h"

// Chunks for a kernel that touches so many bytes; bytes of all operands of a kernel.
int64_t grid_of_bytes(int64_t bytes);
int64_t operands_bytes(const Kernel *kernel);

// Kernels that are stages of maps, folds and scans: these fill grid,
// scratch_bytes, bytes and flops.
void loop_grid(Kernel *kernel, const Target *target);
void reduce_grid(Kernel *kernel, const Target *target);
void window_grid(Kernel *kernel, const Target *target);
void select_scatter_grid(Kernel *kernel, const Target *target);
void update_grid(Kernel *kernel, const Target *target);
void contract_reference_grid(Kernel *kernel, const Target *target);

// Kernels of loops that have no large ones are not cut. After all grids are known.
void grids_of_loops(StepList *list);

#endif

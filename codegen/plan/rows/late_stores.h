// The last pass over a row as a part of a pass over the next one: Rows.late.
#ifndef SHARDC_CODEGEN_PLAN_LATE_STORES_H
#define SHARDC_CODEGEN_PLAN_LATE_STORES_H

#include "codegen/kernel/kernel.h"
#include "codegen/plan/stage.h"

// Has the rows' last pass store late, beside the costliest pass that can do it, and gives what it
// reads memory of its own if that is used before; false: there is no such pass. most_bytes: of all
// locals.
bool rows_store_late(Stage *stage, int64_t most_bytes, Arena *scratch);
// In all kernels where it pays. After the buffers have their places: a row's results may not lie
// where others are still read.
void plan_late_stores(Plan *plan);

#endif

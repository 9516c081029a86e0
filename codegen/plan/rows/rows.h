// STAGE_ROWS from a kernel whose fusion found rows (Kernel.has_rows).
#ifndef SHARDC_CODEGEN_PLAN_ROWS_H
#define SHARDC_CODEGEN_PLAN_ROWS_H

#include "codegen/plan/stage.h"
#include "codegen/target/target.h"

Stage *rows_stage(ExprBuilder *b, const Target *target);

#endif

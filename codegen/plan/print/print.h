// The door of print/: plans as text: what --print-after shows.
#ifndef SHARDC_CODEGEN_PRINT_H
#define SHARDC_CODEGEN_PRINT_H

#include "codegen/plan/stage.h"

void plan_print(StrBuf *out, const Plan *plan);
void stage_print(StrBuf *out, const Stage *stage, int indent); // as a loop nest

#endif

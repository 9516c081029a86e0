// Reductions to few results in two levels.
#ifndef SHARDC_CODEGEN_SPLIT_REDUCTIONS_H
#define SHARDC_CODEGEN_SPLIT_REDUCTIONS_H

#include "ir/device_program.h"

void split_reductions(DeviceProgram *program); // on the IR; see split_reductions.c

#endif

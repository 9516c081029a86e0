// What --print-after prints after the phases of codegen (ir/pass/passes.def).
#ifndef SHARDC_CODEGEN_PHASES_H
#define SHARDC_CODEGEN_PHASES_H

#include "ir/pass/pass.h"

PassPrintFn print_plan; // kernels, steps, barriers and buffers, as far as they are made
PassPrintFn print_llvm; // LLVM's IR of all kernels and of the device program

#endif

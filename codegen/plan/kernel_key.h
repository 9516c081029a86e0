// A text by which structurally equal kernels are found.
#ifndef SHARDC_CODEGEN_PLAN_KERNEL_KEY_H
#define SHARDC_CODEGEN_PLAN_KERNEL_KEY_H

#include "codegen/kernel/kernel.h"

// Equal for kernels that one function can serve, and the same in every process; lives in the arena.
StrView kernel_key(Arena *arena, const Kernel *kernel);

#endif

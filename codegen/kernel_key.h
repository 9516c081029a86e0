// A text by which structurally equal kernels are found.
#ifndef SHARDC_CODEGEN_KERNEL_KEY_H
#define SHARDC_CODEGEN_KERNEL_KEY_H

#include "codegen/kernel.h"

// Equal for kernels that one function can serve; lives in the arena. Valid within one run (it holds addresses of interned things).
StrView kernel_key(Arena *arena, const Kernel *kernel);

#endif

// Stores of vectors that are a choice between what lies at the place and something new, as those of
// maxima and of selects in place. LLVM's instruction selection makes masked stores of them, which
// take a dozen cycles on some CPUs, and whose bytes the next load waits for on all.
#ifndef SHARDC_CODEGEN_WHOLE_STORES_H
#define SHARDC_CODEGEN_WHOLE_STORES_H

#include <llvm-c/Core.h>

// Freezes what was loaded from the place: it is then no longer known to be what lies there.
void whole_stores(LLVMModuleRef module);

#endif

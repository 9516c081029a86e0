// Prefetches of rows to come, behind LLVM's vectoriser, which makes no vectors of loops with
// prefetches.
#ifndef SHARDC_CODEGEN_PREFETCH_ROWS_H
#define SHARDC_CODEGEN_PREFETCH_ROWS_H

#include <llvm-c/Core.h>

// Beside vectors that are loaded with an alias scope AHEAD_SCOPE + bytes: a prefetch so many bytes
// further into the second-level cache, with AHEAD_NEAR behind the bytes into the first.
void prefetch_rows(LLVMModuleRef module);

#endif

// Stores around the caches, by hand behind LLVM's vectoriser, which makes none itself
// of stores that may be unaligned.
#ifndef SHARDC_CODEGEN_STREAM_STORES_H
#define SHARDC_CODEGEN_STREAM_STORES_H

#include <llvm-c/Core.h>

// Stores with the alias scope STREAM_SCOPE, of whole vectors, become non-temporal ones; not those
// of the narrower loops that the vectoriser makes for the rest, which end within a line: a part of
// a line that goes around the caches costs as much as several lines.
void stream_stores(LLVMModuleRef module);

#endif

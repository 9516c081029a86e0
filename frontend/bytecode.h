// MLIR bytecode: portable artifacts of StableHLO, and what else MLIR writes in this format. See docs/bytecode.md.
#ifndef SHARDC_FRONTEND_BYTECODE_H
#define SHARDC_FRONTEND_BYTECODE_H

#include "frontend/frontend.h"

static inline bool is_bytecode(StrView contents) {
    return strview_starts_with(contents, SV("ML\xefR"));
}
// NULL with diagnostics after an error. The bytes are borrowed for the call.
Module *read_bytecode(
    Context *context, Arena *arena, StrView bytes, const ReadOptions *options, Diags *diags);

#endif

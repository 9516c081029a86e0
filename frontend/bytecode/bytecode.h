// The door of bytecode/: MLIR bytecode: portable artifacts of StableHLO, and what else MLIR writes
// in this format. See docs/bytecode.md.
#ifndef SHARDC_FRONTEND_BYTECODE_H
#define SHARDC_FRONTEND_BYTECODE_H

#include "frontend/frontend.h"

static inline bool is_bytecode(StrView contents) {
    return strview_starts_with(contents, SV("ML\xefR"));
}
// NULL with diagnostics after an error. The bytes are borrowed for the call; they are the file, or
// lie in it: diagnostics count from its beginning.
Module *read_bytecode(
    Context *context, Arena *arena, StrView file, StrView bytes, const ReadOptions *options,
    Diags *diags);

// "1.17.0" or "current": the version of StableHLO that an artifact is for. False when
// it is none that can be written.
bool bytecode_target(StrView text, int *target);
// Appends a portable artifact to `out`. False with diagnostics when the version has no
// form for something in the module.
bool write_bytecode(const Module *module, Arena *arena, int target, StrBuf *out, Diags *diags);

#endif

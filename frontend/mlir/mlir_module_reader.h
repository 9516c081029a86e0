// MLIR's text form to a module.
#ifndef SHARDC_FRONTEND_MLIR_MODULE_READER_H
#define SHARDC_FRONTEND_MLIR_MODULE_READER_H

#include "frontend/frontend.h"

// Not verified. NULL with diagnostics after an error.
Module *read_mlir_text(
    Context *context, Arena *arena, StrView text, const ReadOptions *options, Diags *diags);

#endif

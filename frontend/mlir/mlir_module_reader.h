// The door of mlir/: MLIR's text form to a module, and readers for pieces of it.
#ifndef SHARDC_FRONTEND_MLIR_MODULE_READER_H
#define SHARDC_FRONTEND_MLIR_MODULE_READER_H

#include "frontend/mlir/syntax/mlir_reader.h"

// Not verified. NULL with diagnostics after an error.
Module *read_mlir_text(
    Context *context, Arena *arena, StrView text, const ReadOptions *options, Diags *diags);

// A reader without text to read, for what is not text: reader->text are the bytes that tokens point
// to. `arena` keeps what was read; the reader itself is in `scratch`.
Reader *reader_create(
    Module *module, Arena *arena, Arena *scratch, StrView text, const ReadOptions *options,
    Diags *diags);
// A reader at the start of the text; what it reads goes to the module. All but options are
// borrowed, as long as the reader.
Reader *reader_open(
    Module *module, Arena *arena, Arena *scratch, StrView text, const ReadOptions *options,
    Diags *diags);
// Gives all attributes on the stack to the module.
void module_set_attrs(Reader *reader);

#endif

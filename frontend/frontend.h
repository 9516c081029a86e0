// The only door of the readers: text or bytes of any format to a Module.
#ifndef SHARDC_FRONTEND_FRONTEND_H
#define SHARDC_FRONTEND_FRONTEND_H

#include "ir/module.h"

typedef struct ReadOptions {
    StrView file;            // the name to print in diagnostics
    bool allow_unregistered; // keep ops of dialects that we do not know (OP_UNREGISTERED)
    bool skip_verify;        // only syntax: the caller verifies
    int first_line; // lines of the file before the text that is given (frontend_split): added to every line number
} ReadOptions;

// Reads one program; the format is found from its content (MLIR text; more formats later). The text is borrowed while the module
// lives (source lines of diagnostics; diags->text is set to it unless the caller has set the whole file's text). NULL with diagnostics after an error; readers go on after an error where they can. The
// module is verified unless options say otherwise.
Module *frontend_read(
    Context *context, Arena *arena, StrView contents, const ReadOptions *options, Diags *diags);

// Cuts a text at lines that begin with `// -----`; section k keeps its line numbers (the lines before it are left out of the view,
// *first_line says how many). Returns the number of sections.
int frontend_split(Arena *arena, StrView contents, StrView **sections, int **first_line);

#endif

// Diagnostics: what is wrong with a program, and where.
#ifndef SHARDC_BASE_DIAG_H
#define SHARDC_BASE_DIAG_H

#include "base/loc.h"
#include "base/strbuf.h"

#include <stdbool.h>

typedef enum Severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_NOTE, SEVERITY_REMARK } Severity;

typedef struct Diag {
    Severity severity;
    // the program is valid, but needs something that is not implemented (exit status 77)
    bool unsupported;
    const Loc *loc;  // NULL = none
    StrView message; // one line
    struct Diag *next;
} Diag;

// A list of diagnostics, in the order they were found. At most `limit` errors
// are kept (the rest are counted).
typedef struct Diags {
    Arena *arena;       // borrowed: messages live here
    StrView file, text; // the program text, for the source line under a message; may be empty
    Diag *first, *last;
    int error_count;      // all errors, also those beyond the limit
    bool has_unsupported; // some error is "not supported"
} Diags;

enum { DIAG_LIMIT = 100 };

Diags *diags_create(Arena *arena);
void diag_error(Diags *diags, const Loc *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(Diags *diags, const Loc *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(Diags *diags, const Loc *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_remark(Diags *diags, const Loc *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// An error of a valid program that needs something not implemented; the message names the op.
void diag_unsupported(Diags *diags, const Loc *loc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Appends all diagnostics of another list, whose messages must stay.
void diags_append(Diags *diags, const Diags *from);

// FILE:LINE:COL: error: message, then the source line and a caret where the text is at hand.
void diag_print(StrBuf *out, const Diags *diags, const Diag *diag);

#endif

// A call's text, made of a routine's lines (lapack_routines.h). Private to lapack/.
#ifndef SHARDC_FRONTEND_LAPACK_TEXT_H
#define SHARDC_FRONTEND_LAPACK_TEXT_H

#include "ir/op.h"

enum { LAPACK_MAX_TEXTS = 13 };

typedef struct LapackDraft {
    const Op *op;
    const Type *matrix; // [B.., m, n]
    int batch_rank;
    int64_t m, n, k, t; // t: number of reflectors
    int64_t p, q, c;    // operand 2, and the columns of it that are worked on
    const char *const *texts[LAPACK_MAX_TEXTS];
    StrView attributes, order, tau;
    StrBuf text;
} LapackDraft;

// Appends a line of the routine for the call.
void lapack_put_line(LapackDraft *draft, const char *line);

#endif

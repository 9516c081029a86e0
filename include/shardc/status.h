/* Errors of the C API. A call that succeeds returns NULL, so that the good path allocates
 * nothing. */
#ifndef SHARDC_STATUS_H
#define SHARDC_STATUS_H

#include "shardc/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shardc_code {
    SHARDC_OK = 0,
    SHARDC_INVALID_INPUT = 1, /* the program or an argument is wrong; the message says where */
    SHARDC_UNSUPPORTED = 2,   /* right, but not possible yet; the message names the op */
    SHARDC_OUT_OF_MEMORY = 3,
    SHARDC_IO = 4,       /* a file, the linker */
    SHARDC_INTERNAL = 5, /* a mistake in shardc: please report it with the message */
    /* a custom function said that it failed; the message has its name and place */
    SHARDC_FAILED = 6
} shardc_code;

typedef struct shardc_status shardc_status; /* immutable, readable by any thread */

SHARDC_API shardc_code shardc_status_code(const shardc_status *status); /* NULL gives SHARDC_OK */
/* first error, one line; borrowed from status */
SHARDC_API const char *shardc_status_message(const shardc_status *status);
/* Every diagnostic as FILE:LINE:COL: error: ... with source line and caret; borrowed from
 * status. */
SHARDC_API const char *shardc_status_report(const shardc_status *status);
/* of the first error, from 1; 0 = unknown; column may be NULL */
SHARDC_API int shardc_status_line(const shardc_status *status, int *column);

typedef enum shardc_severity {
    SHARDC_ERROR = 1,
    SHARDC_WARNING = 2, /* the program works, but perhaps not as it was meant */
    SHARDC_NOTE = 3,    /* belongs to the diagnostic before it */
    SHARDC_REMARK = 4
} shardc_severity;

typedef struct shardc_diagnostic {
    shardc_severity severity;
    int line, column;    /* from 1; 0 = unknown */
    const char *file;    /* "" = unknown */
    const char *message; /* one line */
    const char *report;  /* FILE:LINE:COL: warning: ... with source line and caret, ends with \n */
} shardc_diagnostic;

/* The diagnostics that the report consists of, in the order in which they were found:
 * [*count], borrowed from status; NULL when there are none. The warnings of calls that
 * succeed: shardc_module_diagnostics. */
SHARDC_API const shardc_diagnostic *shardc_status_diagnostics(
    const shardc_status *status, size_t *count);
SHARDC_API void shardc_status_free(shardc_status *owned); /* NULL is fine */
/* A status of the caller's own, for events that it sets. message: copied; may be NULL: "". Owned by
 * the caller; never NULL (without memory it is SHARDC_OUT_OF_MEMORY). */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_status_create(
    shardc_code code, const char *message);

#ifdef __cplusplus
}
#endif
#endif

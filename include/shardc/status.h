/* Errors of the C API. A call that succeeds returns NULL, so that the good path allocates nothing. */
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
    SHARDC_FAILED =
        6 /* a custom function said that it failed; the message has its name and place */
} shardc_code;

typedef struct shardc_status shardc_status; /* immutable, readable by any thread */

SHARDC_API shardc_code shardc_status_code(const shardc_status *status); /* NULL gives SHARDC_OK */
SHARDC_API const char *shardc_status_message(
    const shardc_status *status); /* first error, one line; borrowed from status */
SHARDC_API const char *shardc_status_report(
    const shardc_status *status); /* every diagnostic as FILE:LINE:COL: error: ... with
                                                                                source line and caret; borrowed from status */
SHARDC_API int shardc_status_line(
    const shardc_status *status,
    int *column); /* of the first error, from 1; 0 = unknown; column may be NULL */
SHARDC_API void shardc_status_free(shardc_status *owned); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

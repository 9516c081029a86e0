/* Profiles: what every kernel and collective cost on every device. */
#ifndef SHARDC_PROFILE_H
#define SHARDC_PROFILE_H

#include "shardc/executable.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shardc_profile_format {
    /* text for people: one row per kernel or collective, most expensive first */
    SHARDC_PROFILE_TABLE = 0,
    SHARDC_PROFILE_JSON = 1, /* the same as data, per device */
    /* events for chrome://tracing and Perfetto: one track per device */
    SHARDC_PROFILE_CHROME_TRACE = 2
} shardc_profile_format;

/* The profile of an executable made with options.profile: table and JSON of all executions that
 * have ended since it was made or the profile was reset, the trace of the last one. text:
 * NUL-terminated, owned by the caller, free with
 * shardc_profile_free. Errors: SHARDC_INVALID_INPUT (no profile was recorded),
 * SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_profile_text(
    const shardc_executable *executable, shardc_profile_format format, char **text);
/* Forgets the executions so far, for example those that filled the caches. */
SHARDC_API void shardc_profile_reset(shardc_executable *executable);
SHARDC_API void shardc_profile_free(char *owned); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

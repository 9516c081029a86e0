/* Events: things that become done once. */
#ifndef SHARDC_EVENT_H
#define SHARDC_EVENT_H

#include "shardc/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Has owners that are counted: shardc_event_retain, shardc_event_free. Any thread may use it. */
typedef struct shardc_event shardc_event;

/* An event that the caller sets. event: owned by the caller; NULL after an error.
 * Errors: SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_event_create(shardc_event **event);
/* The event is done. status: taken; may be NULL: all is well. Only the first call counts. What
 * waits for the event goes on; its functions are called before this returns. */
SHARDC_API void shardc_event_set(shardc_event *event, shardc_status *status);
/* One more owner; returns the event. */
SHARDC_API shardc_event *shardc_event_retain(shardc_event *event);
/* One owner less: the last one frees it. NULL is fine. An execution goes on without its event. */
SHARDC_API void shardc_event_free(shardc_event *owned);

SHARDC_API int shardc_event_is_done(const shardc_event *event); /* 1: the execution is over */
/* Why it failed; NULL while it is not done, and when all is well. Borrowed from the event. */
SHARDC_API const shardc_status *shardc_event_status(const shardc_event *event);

/* status: borrowed for the call; NULL when all is well. */
typedef void shardc_event_fn(void *user, const shardc_status *status);
/* Calls the function once: when the event is done, from the thread that sets it, or at once
 * if it is done already. Functions of one event are called in the order in which they were
 * given. user: may be NULL. A function may free the event; it must not wait for others.
 * Errors: SHARDC_OUT_OF_MEMORY. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_event_on_done(
    shardc_event *event, shardc_event_fn *function, void *user);

/* Waits. Returns as shardc_event_status. */
SHARDC_API const shardc_status *shardc_event_await(shardc_event *event);
/* Waits, frees the event and returns its status, which the caller owns. event: taken. */
SHARDC_API SHARDC_MUST_USE shardc_status *shardc_event_wait(shardc_event *event);

#ifdef __cplusplus
}
#endif
#endif

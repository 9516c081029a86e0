// Callers of what is about events (shardc/event.h): see calls.h.
#ifndef SHARDC_TESTS_API_CALLS_EVENTS_H
#define SHARDC_TESTS_API_CALLS_EVENTS_H

#include "calls.h"

static shardc_event *some_event(bool is_done) {
    shardc_event *event = NULL;
    succeeds(shardc_event_create(&event));
    if (is_done) shardc_event_set(event, NULL);
    return event;
}

static void count_call(void *user, const shardc_status *status) {
    assert_null(status);
    if (user) ++*(int *)user;
}

CALLER(shardc_event_create) {
    (void)f;
    shardc_event *event = NULL;
    shardc_status *status = shardc_event_create(GIVE(0, &event));
    shardc_event_free(event);
    return status;
}

CALLER(shardc_event_set) {
    (void)f;
    shardc_event *event = some_event(false);
    shardc_event_set(GIVE(0, event), NULL);
    assert_int_equal(shardc_event_is_done(event), missing != 0);
    shardc_event_free(event);
    return NULL;
}

CALLER(shardc_event_retain) {
    (void)f;
    shardc_event *event = some_event(true), *same = shardc_event_retain(GIVE(0, event));
    assert_ptr_equal(same, GIVE(0, event));
    shardc_event_free(same);
    shardc_event_free(event);
    return NULL;
}

CALLER(shardc_event_free) {
    (void)f;
    (void)missing;
    shardc_event_free(NULL);
    return NULL;
}

CALLER(shardc_event_status) {
    (void)f;
    (void)missing;
    assert_null(shardc_event_status(NULL));
    return NULL;
}

CALLER(shardc_event_await) {
    (void)f;
    (void)missing;
    assert_null(shardc_event_await(NULL));
    return NULL;
}

CALLER(shardc_event_on_done) {
    (void)f;
    int calls = 0;
    shardc_event *event = some_event(true);
    shardc_status *status =
        shardc_event_on_done(GIVE(0, event), GIVE(1, count_call), GIVE(2, &calls));
    assert_int_equal(calls, missing < 0);
    shardc_event_free(event);
    return status;
}

CALLER(shardc_event_is_done) {
    (void)f;
    (void)missing;
    assert_int_equal(shardc_event_is_done(NULL), 0);
    return NULL;
}

CALLER(shardc_event_wait) {
    (void)f;
    return missing == 0 ? shardc_event_wait(NULL) : NULL;
}

#endif

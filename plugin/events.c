// events: PJRT's events are shardc's.
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

PJRT_Event *event_of(shardc_event *event) { return (PJRT_Event *)event; }
shardc_event *event_in(PJRT_Event *event) { return (shardc_event *)event; }

ENTRY(Event_Destroy) {
    shardc_event_free(event_in(args->event));
    return NULL;
}

ENTRY(Event_IsReady) {
    args->is_ready = shardc_event_is_done(event_in(args->event));
    return NULL;
}

ENTRY(Event_Error) { return error_of(shardc_event_status(event_in(args->event))); }

ENTRY(Event_Await) { return error_of(shardc_event_await(event_in(args->event))); }

typedef struct Callback {
    PJRT_Event_OnReadyCallback function;
    void *user;
} Callback;

static void call_back(void *user, const shardc_status *status) {
    Callback callback = *(Callback *)user;
    free(user);
    callback.function(error_of(status), callback.user);
}

ENTRY(Event_OnReady) {
    shardc_event *event = event_in(args->event);
    if (shardc_event_is_done(event)) { // the callback may destroy it
        args->callback(error_of(shardc_event_status(event)), args->user_arg);
        return NULL;
    }
    Callback *callback = malloc(sizeof *callback);
    if (!callback) return error_out_of_memory();
    *callback = (Callback){args->callback, args->user_arg};
    return error_take(shardc_event_on_done(event, call_back, callback));
}

ENTRY(Event_Create) {
    shardc_event *event = NULL;
    PJRT_Error *error = error_take(shardc_event_create(&event));
    args->event = event_of(event);
    return error;
}

ENTRY(Event_Set) {
    shardc_status *status = NULL;
    if (args->error_code != PJRT_OK) {
        char *text = strndup(args->error_message, args->error_message_size);
        if (!text) return error_out_of_memory();
        status = shardc_status_create(SHARDC_FAILED, text);
        free(text);
    }
    shardc_event_set(event_in(args->event), status);
    return NULL;
}

// event: something that becomes done once, with a status, and whom it tells then.
#include "api/api_internal.h"

#include <stdlib.h>

typedef struct Listener {
    shardc_event_fn *function;
    void *user;
    struct Listener *next;
} Listener;

struct shardc_event {
    atomic_int owners;
    atomic_bool is_done;
    shardc_status *status; // when it is done
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Listener *listeners; // last first
};

shardc_status *shardc_event_create(shardc_event **event) {
    if (!event) return status_null(__func__, "event");
    *event = calloc(1, sizeof **event);
    if (!*event) return status_out_of_memory();
    atomic_store(&(*event)->owners, 1);
    pthread_mutex_init(&(*event)->lock, NULL);
    pthread_cond_init(&(*event)->changed, NULL);
    return NULL;
}

shardc_event *shardc_event_retain(shardc_event *event) {
    if (event) atomic_fetch_add(&event->owners, 1);
    return event;
}

void shardc_event_free(shardc_event *owned) {
    if (!owned || atomic_fetch_sub(&owned->owners, 1) > 1) return;
    while (owned->listeners) { // it will never be done
        Listener *listener = owned->listeners;
        owned->listeners = listener->next;
        free(listener);
    }
    pthread_cond_destroy(&owned->changed);
    pthread_mutex_destroy(&owned->lock);
    shardc_status_free(owned->status);
    free(owned);
}

// In the order in which they came.
static Listener *reversed(Listener *list) {
    Listener *turned = NULL;
    while (list) {
        Listener *next = list->next;
        list->next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

void shardc_event_set(shardc_event *event, shardc_status *status) {
    if (!event) {
        shardc_status_free(status);
        return;
    }
    (void)shardc_event_retain(event); // a listener may free it
    pthread_mutex_lock(&event->lock);
    bool is_first = !atomic_load(&event->is_done);
    Listener *listener = NULL;
    if (is_first) {
        event->status = status;
        listener = reversed(event->listeners);
        event->listeners = NULL;
        atomic_store(&event->is_done, true);
        pthread_cond_broadcast(&event->changed);
    }
    pthread_mutex_unlock(&event->lock);
    if (!is_first) shardc_status_free(status);
    while (listener) {
        Listener *next = listener->next;
        listener->function(listener->user, event->status);
        free(listener);
        listener = next;
    }
    shardc_event_free(event);
}

int shardc_event_is_done(const shardc_event *event) {
    return event && atomic_load_explicit(&event->is_done, memory_order_acquire);
}

const shardc_status *shardc_event_status(const shardc_event *event) {
    return shardc_event_is_done(event) ? event->status : NULL;
}

shardc_status *shardc_event_on_done(shardc_event *event, shardc_event_fn *function, void *user) {
    if (!event) return status_null(__func__, "event");
    if (!function) return status_null(__func__, "function");
    Listener *listener = NULL;
    if (!shardc_event_is_done(event)) {
        listener = malloc(sizeof *listener);
        if (!listener) return status_out_of_memory();
        *listener = (Listener){.function = function, .user = user};
        pthread_mutex_lock(&event->lock);
        if (!atomic_load(&event->is_done)) {
            listener->next = event->listeners;
            event->listeners = listener;
            pthread_mutex_unlock(&event->lock);
            return NULL;
        }
        pthread_mutex_unlock(&event->lock);
    }
    free(listener);
    function(user, event->status);
    return NULL;
}

const shardc_status *shardc_event_await(shardc_event *event) {
    if (!event || shardc_event_is_done(event)) return shardc_event_status(event);
    pthread_mutex_lock(&event->lock);
    while (!atomic_load(&event->is_done))
        pthread_cond_wait(&event->changed, &event->lock);
    pthread_mutex_unlock(&event->lock);
    return event->status;
}

shardc_status *shardc_event_wait(shardc_event *event) {
    if (!event) return status_null(__func__, "event");
    shardc_status *status = status_share(shardc_event_await(event));
    shardc_event_free(event);
    return status;
}

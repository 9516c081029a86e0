// profiler: records what executions tell, and gives it as an XSpace: a plane for each device, a
// line for each thread that worked for it.
#include "plugin/profiler/profiler.h"

#include "plugin/ffi/partitioner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 1 << 22, FIRST_SLOTS = 1 << 8 };

typedef struct Recorded {
    int32_t device, thread, name, program;
    int64_t begin_ns, end_ns;
} Recorded;

// Texts with numbers from 1, by open addressing.
typedef struct Names {
    char **texts;   // [count]
    int32_t *slots; // [slot_count] number of the text, or 0
    int32_t count;
    size_t slot_count;
} Names;

struct PLUGIN_Profiler {
    Names names;
    Recorded *events;
    size_t count, capacity;
    Bytes space; // made when its size is asked for
};

static struct {
    pthread_mutex_t lock;
    PLUGIN_Profiler *running; // guarded by the lock
    atomic_bool is_running;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- names

static size_t find_slot(const Names *names, const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (const char *at = text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    size_t slot = (size_t)hash & (names->slot_count - 1);
    while (names->slots[slot] && strcmp(names->texts[names->slots[slot] - 1], text) != 0)
        slot = (slot + 1) & (names->slot_count - 1);
    return slot;
}

static bool grow_names(Names *names) {
    size_t count = names->slot_count ? 2 * names->slot_count : FIRST_SLOTS;
    int32_t *slots = calloc(count, sizeof *slots);
    char **texts = realloc(names->texts, count / 2 * sizeof *texts);
    if (texts) names->texts = texts;
    if (!slots || !texts) {
        free(slots);
        return false;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (int32_t i = 0; i < names->count; i++)
        slots[find_slot(names, texts[i])] = i + 1;
    return true;
}

// 0: no memory.
static int32_t name_number(Names *names, const char *text) {
    if ((size_t)names->count + 1 > names->slot_count / 2 && !grow_names(names)) return 0;
    size_t slot = find_slot(names, text);
    if (names->slots[slot]) return names->slots[slot];
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, text, size);
    names->texts[names->count] = copy;
    return names->slots[slot] = ++names->count;
}

// ---- recording

static bool add_event(PLUGIN_Profiler *profiler, Recorded event) {
    if (profiler->count == profiler->capacity) {
        size_t capacity = profiler->capacity ? 2 * profiler->capacity : 1024;
        Recorded *grown = realloc(profiler->events, capacity * sizeof *grown);
        if (!grown) return false;
        profiler->events = grown;
        profiler->capacity = capacity;
    }
    profiler->events[profiler->count++] = event;
    return true;
}

static bool record(
    PLUGIN_Profiler *profiler, const PJRT_Executable *executable, const shardc_model *model,
    int64_t begin_ns, const shardc_model_event *event) {
    const shardc_model_step *step = &model->steps[event->step];
    char waiting[512];
    const char *text = step->name;
    if (event->is_wait) {
        (void)snprintf(waiting, sizeof waiting, "wait: %s", step->name);
        text = waiting;
    }
    const Recorded made = {
        .device = executable->device_ids[event->device],
        .thread = event->thread,
        .name = name_number(&profiler->names, text),
        .program = name_number(&profiler->names, executable->name),
        .begin_ns = begin_ns + event->begin_ns,
        .end_ns = begin_ns + event->end_ns};
    return made.name && made.program && add_event(profiler, made);
}

// What there is no memory or room for is not in the trace.
static void observe(
    void *user, const shardc_model *model, int64_t begin_ns, const shardc_model_event *events,
    int64_t count) {
    const PJRT_Executable *executable = user;
    pthread_mutex_lock(&state.lock);
    PLUGIN_Profiler *profiler = state.running;
    for (int64_t i = 0; profiler && i < count && profiler->count < MOST_EVENTS; i++) {
        bool is_known = events[i].step >= 0 && events[i].step < model->step_count &&
                        events[i].device >= 0 && events[i].device < executable->device_count;
        if (is_known && !record(profiler, executable, model, begin_ns, &events[i])) break;
    }
    pthread_mutex_unlock(&state.lock);
}

void profiler_observe(PJRT_Executable *executable, shardc_execute_options *options) {
    if (!atomic_load_explicit(&state.is_running, memory_order_relaxed)) return;
    options->observe = observe;
    options->observe_user = executable;
}

// ---- the trace

// Fields of XSpace, XPlane, XLine, XEvent, XStat, and the entries of metadata.
enum {
    SPACE_PLANE = 1,
    PLANE_ID = 1,
    PLANE_NAME = 2,
    PLANE_LINE = 3,
    PLANE_EVENT_NAMES = 4,
    PLANE_STAT_NAMES = 5,
    ENTRY_KEY = 1,
    ENTRY_VALUE = 2,
    NAMED_ID = 1,
    NAMED_NAME = 2,
    LINE_ID = 1,
    LINE_NAME = 2,
    LINE_TIME_NS = 3,
    LINE_EVENT = 4,
    EVENT_NAME = 1,
    EVENT_OFFSET_PS = 2,
    EVENT_DURATION_PS = 3,
    EVENT_STAT = 4,
    STAT_NAME = 1,
    STAT_REFERENCE = 7
};

static void add_message(Bytes *to, int field, Bytes *message) {
    bytes_bytes(to, field, message->data, message->size);
    to->has_failed = to->has_failed || message->has_failed;
    free(message->data);
    *message = (Bytes){0};
}

static void add_text(Bytes *to, int field, const char *text) {
    bytes_bytes(to, field, text, strlen(text));
}

static void add_name(Bytes *plane, int field, int32_t id, const char *text) {
    Bytes named = {0}, entry = {0};
    bytes_varint(&named, NAMED_ID, (uint64_t)id);
    add_text(&named, NAMED_NAME, text);
    bytes_varint(&entry, ENTRY_KEY, (uint64_t)id);
    add_message(&entry, ENTRY_VALUE, &named);
    add_message(plane, field, &entry);
}

static void add_to_line(
    Bytes *line, const Recorded *event, int64_t start_ns, int32_t program_stat) {
    Bytes made = {0}, stat = {0};
    bytes_varint(&made, EVENT_NAME, (uint64_t)event->name);
    bytes_varint(&made, EVENT_OFFSET_PS, (uint64_t)(event->begin_ns - start_ns) * 1000);
    bytes_varint(&made, EVENT_DURATION_PS, (uint64_t)(event->end_ns - event->begin_ns) * 1000);
    bytes_varint(&stat, STAT_NAME, (uint64_t)program_stat);
    bytes_varint(&stat, STAT_REFERENCE, (uint64_t)event->program);
    add_message(&made, EVENT_STAT, &stat);
    add_message(line, LINE_EVENT, &made);
}

static int by_place_and_time(const void *left, const void *right) {
    const Recorded *a = left, *b = right;
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

// One thread's events for one device. Returns the number of those behind them.
static size_t add_line(
    const PLUGIN_Profiler *profiler, size_t first, int64_t start_ns, Bytes *plane) {
    const Recorded *events = profiler->events;
    Bytes line = {0};
    char name[32];
    size_t i = first;
    (void)snprintf(name, sizeof name, "thread %d", (int)events[first].thread);
    bytes_varint(&line, LINE_ID, (uint64_t)events[first].thread + 1);
    add_text(&line, LINE_NAME, name);
    bytes_varint(&line, LINE_TIME_NS, (uint64_t)start_ns);
    for (; i < profiler->count && events[i].device == events[first].device &&
           events[i].thread == events[first].thread;
         i++)
        add_to_line(&line, &events[i], start_ns, profiler->names.count + 1);
    add_message(plane, PLANE_LINE, &line);
    return i;
}

static size_t add_plane(
    const PLUGIN_Profiler *profiler, size_t first, int64_t start_ns, Bytes *space) {
    const Names *names = &profiler->names;
    int32_t device = profiler->events[first].device;
    Bytes plane = {0};
    char name[64];
    size_t i = first;
    (void)snprintf(name, sizeof name, "/device:CUSTOM:shardc:%d", (int)device);
    bytes_varint(&plane, PLANE_ID, (uint64_t)device + 1);
    add_text(&plane, PLANE_NAME, name);
    while (i < profiler->count && profiler->events[i].device == device)
        i = add_line(profiler, i, start_ns, &plane);
    for (int32_t n = 0; n < names->count; n++) {
        add_name(&plane, PLANE_EVENT_NAMES, n + 1, names->texts[n]);
        add_name(&plane, PLANE_STAT_NAMES, n + 1, names->texts[n]);
    }
    add_name(&plane, PLANE_STAT_NAMES, names->count + 1, "program");
    add_message(space, SPACE_PLANE, &plane);
    return i;
}

static void write_space(PLUGIN_Profiler *profiler) {
    int64_t start_ns = profiler->count ? profiler->events[0].begin_ns : 0;
    for (size_t i = 0; i < profiler->count; i++) {
        if (profiler->events[i].begin_ns < start_ns) start_ns = profiler->events[i].begin_ns;
    }
    if (profiler->count)
        qsort(profiler->events, profiler->count, sizeof *profiler->events, by_place_and_time);
    for (size_t i = 0; i < profiler->count;)
        i = add_plane(profiler, i, start_ns, &profiler->space);
    if (profiler->space.has_failed) profiler->space.size = 0;
}

// ---- the extension

static void forget(PLUGIN_Profiler *profiler) {
    for (int32_t i = 0; i < profiler->names.count; i++)
        free(profiler->names.texts[i]);
    free(profiler->names.texts);
    free(profiler->names.slots);
    free(profiler->events);
    free(profiler->space.data);
    *profiler = (PLUGIN_Profiler){0};
}

static void end(PLUGIN_Profiler *profiler) {
    pthread_mutex_lock(&state.lock);
    if (state.running == profiler) {
        state.running = NULL;
        atomic_store(&state.is_running, false);
    }
    pthread_mutex_unlock(&state.lock);
}

static PLUGIN_Profiler_Error *create(PLUGIN_Profiler_Create_Args *args) {
    args->profiler = calloc(1, sizeof *args->profiler);
    return NULL;
}

static PLUGIN_Profiler_Error *destroy(PLUGIN_Profiler_Args *args) {
    if (!args->profiler) return NULL;
    end(args->profiler);
    forget(args->profiler);
    free(args->profiler);
    return NULL;
}

// What it had recorded before is forgotten.
static PLUGIN_Profiler_Error *start(PLUGIN_Profiler_Args *args) {
    if (!args->profiler) return NULL;
    pthread_mutex_lock(&state.lock);
    forget(args->profiler);
    state.running = args->profiler;
    atomic_store(&state.is_running, true);
    pthread_mutex_unlock(&state.lock);
    return NULL;
}

static PLUGIN_Profiler_Error *stop(PLUGIN_Profiler_Args *args) {
    if (args->profiler) end(args->profiler);
    return NULL;
}

static PLUGIN_Profiler_Error *collect_data(PLUGIN_Profiler_CollectData_Args *args) {
    PLUGIN_Profiler *profiler = args->profiler;
    if (!profiler) {
        args->buffer_size_in_bytes = 0;
        return NULL;
    }
    end(profiler);
    if (!profiler->space.data) write_space(profiler);
    size_t size = profiler->space.size;
    if (!args->buffer) {
        args->buffer = (uint8_t *)profiler->space.data; // the profiler's own
    } else {
        if (args->buffer_size_in_bytes < size) size = 0;
        if (size) memcpy(args->buffer, profiler->space.data, size);
    }
    args->buffer_size_in_bytes = size;
    return NULL;
}

static void no_error(void *args) { (void)args; }
static PLUGIN_Profiler_Error *no_error_code(void *args) {
    (void)args;
    return NULL;
}

static const PLUGIN_Profiler_Api profiler_api = {
    .struct_size = sizeof profiler_api,
    .error_destroy = no_error,
    .error_message = no_error,
    .error_get_code = no_error_code,
    .create = create,
    .destroy = destroy,
    .start = start,
    .stop = stop,
    .collect_data = collect_data,
};

PJRT_Profiler_Extension profiler_extension = {
    .base = {sizeof profiler_extension, PJRT_EXTENSION_PROFILER, &partitioner_extension.base},
    .profiler_api = &profiler_api,
};

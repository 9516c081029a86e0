// api_profile: recorded events as a table, as JSON, as a Chrome trace.
#include "api/api_internal.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

// Sums over the events of one step on one device.
typedef struct StepTime {
    int64_t run_ns, wait_ns, calls;
} StepTime;

typedef struct Profile {
    const shardc_model *model;
    shardc_model_event *events;
    int64_t event_count;
    StepTime *times;    // [step * device_count + device]
    StepTime *totals;   // [step], over devices
    int *order;         // steps, most expensive first
    int64_t all_run_ns; // of all steps on all devices
    int64_t end_ns;     // of the last event
} Profile;

static Profile profile_read(Arena *arena, const shardc_executable *executable) {
    Profile p = {.model = executable->model};
    const shardc_model *model = p.model;
    p.event_count = model->events(executable->instance, NULL, 0);
    p.events = ARENA_ARRAY(arena, shardc_model_event, p.event_count + 1);
    int64_t got = model->events(executable->instance, p.events, p.event_count);
    if (got < p.event_count) p.event_count = got;
    p.times = ARENA_ARRAY(arena, StepTime, (int64_t)model->step_count * model->device_count + 1);
    p.totals = ARENA_ARRAY(arena, StepTime, model->step_count + 1);
    for (int64_t i = 0; i < p.event_count; i++) {
        const shardc_model_event *event = &p.events[i];
        if (event->step < 0 || event->step >= model->step_count) continue;
        if (event->device < 0 || event->device >= model->device_count) continue;
        int64_t ns = event->end_ns - event->begin_ns;
        StepTime *both[2] = {
            &p.times[(int64_t)event->step * model->device_count + event->device],
            &p.totals[event->step]};
        for (int k = 0; k < 2; k++) {
            both[k]->run_ns += event->is_wait ? 0 : ns;
            both[k]->wait_ns += event->is_wait ? ns : 0;
            both[k]->calls += !event->is_wait;
        }
        if (!event->is_wait) p.all_run_ns += ns;
        if (event->end_ns > p.end_ns) p.end_ns = event->end_ns;
    }
    // insertion by cost; models have at most some thousand steps, so a merge of runs is not worth it
    p.order = ARENA_ARRAY(arena, int, model->step_count + 1);
    for (int i = 0; i < model->step_count; i++) {
        int at = i;
        int64_t cost = p.totals[i].run_ns + p.totals[i].wait_ns;
        while (at > 0 &&
               p.totals[p.order[at - 1]].run_ns + p.totals[p.order[at - 1]].wait_ns < cost) {
            p.order[at] = p.order[at - 1];
            at--;
        }
        p.order[at] = i;
    }
    return p;
}

static double ms(int64_t ns) { return (double)ns / 1e6; }

static void print_table(StrBuf *out, const Profile *p) {
    const shardc_model *model = p->model;
    double devices = model->device_count;
    strbuf_printf(
        out, "%s: %d devices, %.3f ms\n", model->name, model->device_count, ms(p->end_ns));
    strbuf_puts(out, "      ms   share  wait ms  calls   GB/s  GFLOP/s  kernel\n");
    for (int i = 0; i < model->step_count; i++) {
        int step = p->order[i];
        const shardc_model_step *what = &model->steps[step];
        const StepTime *time = &p->totals[step];
        if (time->calls == 0 && time->wait_ns == 0) continue;
        double run = ms(time->run_ns) / devices;
        double share = p->all_run_ns ? 100 * (double)time->run_ns / (double)p->all_run_ns : 0;
        double ns = time->run_ns > 0 ? (double)time->run_ns : 1;
        double calls = (double)time->calls;
        strbuf_printf(
            out, "%8.3f %6.1f%% %8.3f %6lld %6.1f %8.1f  %s %s  %s\n", run, share,
            ms(time->wait_ns) / devices, (long long)(time->calls / model->device_count),
            (double)what->bytes * calls / ns, (double)what->flops * calls / ns, what->kind,
            what->name, what->location);
    }
    strbuf_puts(out, "(times are per device; rates are of one device while it runs the kernel)\n");
}

static void print_json(StrBuf *out, const Profile *p) {
    const shardc_model *model = p->model;
    Json json = json_writer(out);
    json_begin_object(&json);
    json_key(&json, "model");
    json_string(&json, strview(model->name));
    json_key(&json, "devices");
    json_int(&json, model->device_count);
    json_key(&json, "total_ns");
    json_int(&json, p->end_ns);
    json_key(&json, "steps");
    json_begin_array(&json);
    for (int i = 0; i < model->step_count; i++) {
        const shardc_model_step *what = &model->steps[i];
        json_begin_object(&json);
        json_key(&json, "name");
        json_string(&json, strview(what->name));
        json_key(&json, "kind");
        json_string(&json, strview(what->kind));
        json_key(&json, "location");
        json_string(&json, strview(what->location));
        json_key(&json, "is_collective");
        json_bool(&json, what->is_collective != 0);
        json_key(&json, "bytes");
        json_int(&json, what->bytes);
        json_key(&json, "flops");
        json_int(&json, what->flops);
        json_key(&json, "collective_bytes");
        json_int(&json, what->collective_bytes);
        json_key(&json, "per_device");
        json_begin_array(&json);
        for (int d = 0; d < model->device_count; d++) {
            const StepTime *time = &p->times[(int64_t)i * model->device_count + d];
            json_begin_object(&json);
            json_key(&json, "calls");
            json_int(&json, time->calls);
            json_key(&json, "run_ns");
            json_int(&json, time->run_ns);
            json_key(&json, "wait_ns");
            json_int(&json, time->wait_ns);
            json_end_object(&json);
        }
        json_end_array(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    strbuf_putc(out, '\n');
}

static void trace_name(Json *json, const char *name, int id, const char *key, const char *text) {
    json_begin_object(json);
    json_key(json, "ph");
    json_string(json, SV("M"));
    json_key(json, "name");
    json_string(json, strview(name));
    json_key(json, "pid");
    json_int(json, 0);
    json_key(json, "tid");
    json_int(json, id);
    json_key(json, "args");
    json_begin_object(json);
    json_key(json, key);
    json_string(json, strview(text));
    json_end_object(json);
    json_end_object(json);
}

// The format is described in "Trace Event Format" (Chromium): complete events, microseconds.
static void print_trace(Arena *arena, StrBuf *out, const Profile *p) {
    const shardc_model *model = p->model;
    Json json = json_writer(out);
    json_begin_object(&json);
    json_key(&json, "displayTimeUnit");
    json_string(&json, SV("ns"));
    json_key(&json, "traceEvents");
    json_begin_array(&json);
    trace_name(&json, "process_name", 0, "name", model->name);
    for (int d = 0; d < model->device_count; d++) {
        trace_name(&json, "thread_name", d, "name", arena_printf(arena, "device %d", d));
    }
    for (int64_t i = 0; i < p->event_count; i++) {
        const shardc_model_event *event = &p->events[i];
        if (event->step < 0 || event->step >= model->step_count) continue;
        const shardc_model_step *what = &model->steps[event->step];
        json_begin_object(&json);
        json_key(&json, "ph");
        json_string(&json, SV("X"));
        json_key(&json, "name");
        json_string(&json, event->is_wait ? SV("wait") : strview(what->name));
        json_key(&json, "cat");
        json_string(&json, event->is_wait ? SV("wait") : strview(what->kind));
        json_key(&json, "pid");
        json_int(&json, 0);
        json_key(&json, "tid");
        json_int(&json, event->device);
        json_key(&json, "ts");
        json_double(&json, (double)event->begin_ns / 1e3);
        json_key(&json, "dur");
        json_double(&json, (double)(event->end_ns - event->begin_ns) / 1e3);
        json_key(&json, "args");
        json_begin_object(&json);
        json_key(&json, "location");
        json_string(&json, strview(what->location));
        json_key(&json, "thread");
        json_int(&json, event->thread);
        json_end_object(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    strbuf_putc(out, '\n');
}

shardc_status *shardc_profile_text(
    const shardc_executable *executable, shardc_profile_format format, char **text) {
    if (!text) return status_null(__func__, "text");
    *text = NULL;
    if (!executable) return status_null(__func__, "executable");
    if ((unsigned)format > SHARDC_PROFILE_CHROME_TRACE) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: format is unknown: %d", __func__, (int)format);
    }
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    if (setjmp(guard.jump)) {
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(NULL, &guard);
    if (!arena) return status_out_of_memory();
    Profile profile = profile_read(arena, executable);
    shardc_status *status = NULL;
    StrBuf out = strbuf(arena);
    if (profile.event_count == 0) {
        status = status_create(
            SHARDC_INVALID_INPUT, "no profile was recorded: set options.profile and execute");
    } else {
        switch (format) {
        case SHARDC_PROFILE_TABLE: print_table(&out, &profile); break;
        case SHARDC_PROFILE_JSON: print_json(&out, &profile); break;
        case SHARDC_PROFILE_CHROME_TRACE: print_trace(arena, &out, &profile); break;
        }
        *text = malloc(out.size + 1);
        if (*text) memcpy(*text, strbuf_cstring(&out), out.size + 1);
        if (!*text) status = status_out_of_memory();
    }
    arena_free(arena);
    return status;
}

void shardc_profile_free(char *owned) { free(owned); }

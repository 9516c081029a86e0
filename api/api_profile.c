// api_profile: recorded events as a table, as JSON, as a Chrome trace.
#include "api/api_internal.h"
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sums over the events of one step on one device.
typedef struct StepTime {
    int64_t run_ns, wait_ns, calls;
} StepTime;

// What the executions since the last reset took.
struct ProfileTotals {
    StepTime *times;  // [step * device_count + device]
    int64_t total_ns; // of all executions, each up to its last event
    int64_t executions;
    shardc_model_event *events; // of the last execution
    int64_t event_count, event_capacity;
};

static size_t time_count(const shardc_model *model) {
    return (size_t)model->step_count * (size_t)model->device_count + 1;
}

ProfileTotals *profile_create(const shardc_model *model) {
    ProfileTotals *totals = calloc(1, sizeof *totals);
    if (totals) totals->times = calloc(time_count(model), sizeof *totals->times);
    if (totals && totals->times) return totals;
    profile_free(totals);
    return NULL;
}

void profile_free(ProfileTotals *owned) {
    if (!owned) return;
    free(owned->times);
    free(owned->events);
    free(owned);
}

void shardc_profile_reset(shardc_executable *executable) {
    if (!executable || !executable->profile) return;
    ProfileTotals *totals = executable->profile;
    executable_lock(executable);
    memset(totals->times, 0, time_count(executable->model) * sizeof *totals->times);
    totals->total_ns = totals->executions = totals->event_count = 0;
    executable_unlock(executable);
}

static bool is_known(const shardc_model *model, const shardc_model_event *event) {
    return event->step >= 0 && event->step < model->step_count && event->device >= 0 &&
           event->device < model->device_count;
}

bool profile_add(shardc_executable *executable, const shardc_model_instance *instance) {
    ProfileTotals *totals = executable->profile;
    const shardc_model *model = executable->model;
    int64_t count = model->events(instance, NULL, 0);
    if (count > totals->event_capacity) {
        shardc_model_event *grown = realloc(totals->events, (size_t)count * sizeof *totals->events);
        if (!grown) return false;
        totals->events = grown;
        totals->event_capacity = count;
    }
    totals->event_count = count > 0 ? model->events(instance, totals->events, count) : 0;
    int64_t end_ns = 0;
    for (int64_t i = 0; i < totals->event_count; i++) {
        const shardc_model_event *event = &totals->events[i];
        if (!is_known(model, event)) continue;
        StepTime *time = &totals->times[(int64_t)event->step * model->device_count + event->device];
        int64_t ns = event->end_ns - event->begin_ns;
        time->run_ns += event->is_wait ? 0 : ns;
        time->wait_ns += event->is_wait ? ns : 0;
        time->calls += !event->is_wait;
        if (event->end_ns > end_ns) end_ns = event->end_ns;
    }
    totals->total_ns += end_ns;
    totals->executions++;
    return true;
}

typedef struct Profile {
    const shardc_model *model;
    const ProfileTotals *all;
    StepTime *totals; // [step], over devices
    int *order;       // steps: those that run something first, then barriers; most expensive first
    int64_t all_run_ns; // of all steps on all devices
} Profile;

// Does a step come before another one in the table?
static bool comes_before(const StepTime *a, const StepTime *b) {
    if ((a->run_ns > 0) != (b->run_ns > 0)) return a->run_ns > 0;
    return a->run_ns + a->wait_ns > b->run_ns + b->wait_ns;
}

static Profile profile_read(Arena *arena, const shardc_executable *executable) {
    const shardc_model *model = executable->model;
    Profile p = {.model = model, .all = executable->profile};
    p.totals = ARENA_ARRAY(arena, StepTime, model->step_count + 1);
    for (int i = 0; i < model->step_count; i++) {
        for (int d = 0; d < model->device_count; d++) {
            const StepTime *time = &p.all->times[(int64_t)i * model->device_count + d];
            p.totals[i].run_ns += time->run_ns;
            p.totals[i].wait_ns += time->wait_ns;
            p.totals[i].calls += time->calls;
        }
        p.all_run_ns += p.totals[i].run_ns;
    }
    // insertion by cost; models have at most some thousand steps, so a merge of runs is not worth
    // it
    p.order = ARENA_ARRAY(arena, int, model->step_count + 1);
    for (int i = 0; i < model->step_count; i++) {
        int at = i;
        while (at > 0 && comes_before(&p.totals[i], &p.totals[p.order[at - 1]])) {
            p.order[at] = p.order[at - 1];
            at--;
        }
        p.order[at] = i;
    }
    return p;
}

static double ms(int64_t ns) { return (double)ns / 1e6; }

// Whole, or a part: of a step that few devices do for all.
static void print_calls(StrBuf *out, double calls) {
    int decimals = fabs(calls - round(calls)) < 0.005 ? 0 : 2;
    strbuf_printf(out, " %6.*f", decimals, calls);
}

static void print_table(StrBuf *out, const Profile *p) {
    const shardc_model *model = p->model;
    double parts = (double)model->device_count * (double)p->all->executions;
    strbuf_printf(
        out, "%s: %d device%s, %.3f ms", model->name, model->device_count,
        model->device_count == 1 ? "" : "s", ms(p->all->total_ns) / (double)p->all->executions);
    if (p->all->executions > 1)
        strbuf_printf(out, ", mean of %lld executions", (long long)p->all->executions);
    strbuf_putc(out, '\n');
    strbuf_puts(out, "      ms   share  wait ms  calls   GB/s  GFLOP/s  kernel\n");
    for (int i = 0; i < model->step_count; i++) {
        int step = p->order[i];
        const shardc_model_step *what = &model->steps[step];
        const StepTime *time = &p->totals[step];
        if (time->calls == 0 && time->wait_ns == 0) continue;
        double run = ms(time->run_ns) / parts;
        double share = p->all_run_ns ? 100 * (double)time->run_ns / (double)p->all_run_ns : 0;
        double ns = time->run_ns > 0 ? (double)time->run_ns : 1;
        double calls = (double)time->calls;
        strbuf_printf(out, "%8.3f %6.1f%% %8.3f", run, share, ms(time->wait_ns) / parts);
        print_calls(out, calls / parts);
        strbuf_printf(
            out, " %6.1f %8.1f  %s %s  %s\n", (double)what->bytes * calls / ns,
            (double)what->flops * calls / ns, what->kind, what->name, what->location);
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
    json_int(&json, p->all->total_ns);
    json_key(&json, "executions");
    json_int(&json, p->all->executions);
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
            const StepTime *time = &p->all->times[(int64_t)i * model->device_count + d];
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
    for (int64_t i = 0; i < p->all->event_count; i++) {
        const shardc_model_event *event = &p->all->events[i];
        if (!is_known(model, event)) continue;
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
    Arena *volatile arena = arena_create(NULL, &guard);
    if (!arena) return status_out_of_memory();
    executable_lock(executable);
    if (setjmp(guard.jump)) {
        executable_unlock(executable);
        arena_free(arena);
        return status_out_of_memory();
    }
    shardc_status *status = NULL;
    StrBuf out = strbuf(arena);
    bool is_there = executable->profile && executable->profile->event_count > 0;
    Profile profile = {0};
    if (is_there) profile = profile_read(arena, executable);
    if (!is_there) {
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
    executable_unlock(executable);
    arena_free(arena);
    return status;
}

void shardc_profile_free(char *owned) { free(owned); }

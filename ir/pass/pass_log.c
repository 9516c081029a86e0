// pass_log: see pass_log.h.
#define _POSIX_C_SOURCE 200809L
#include "ir/pass/pass_log.h"

#include "base/vec.h"

#include <string.h>
#include <time.h>

enum { MAX_DEPTH = 16 };

// One run.
typedef struct PassTime {
    const char *name;
    int depth; // how many passes it is inside of
    double seconds;
    int64_t ops; // of the module afterwards
} PassTime;

struct PassLog {
    Arena *arena;
    const char *print_after;
    bool was_wanted;
    StrBuf printed;
    VEC(PassTime) times; // a pass stands before those inside it
    StrBuf notes;
    int depth;
    int64_t open[MAX_DEPTH]; // rows of times
    double begin[MAX_DEPTH];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

PassLog *pass_log_create(Arena *arena, const char *print_after) {
    PassLog *log = ARENA_NEW(arena, PassLog);
    *log = (PassLog){
        .arena = arena,
        .print_after = print_after,
        .printed = strbuf(arena),
        .notes = strbuf(arena)};
    return log;
}

void pass_log_begin(PassLog *log, const char *name) {
    if (!log) return;
    if (log->depth < MAX_DEPTH) {
        PassTime time = {.name = name, .depth = log->depth};
        log->open[log->depth] = log->times.count;
        vec_push(log->arena, &log->times, time);
        log->begin[log->depth] = now();
    }
    log->depth++;
}

void pass_log_end(PassLog *log, int64_t ops) {
    if (!log || --log->depth >= MAX_DEPTH) return;
    PassTime *time = &log->times.data[log->open[log->depth]];
    time->ops = ops;
    time->seconds = now() - log->begin[log->depth];
}

StrBuf *pass_log_wants(PassLog *log, const char *name) {
    if (!log || !log->print_after || strcmp(log->print_after, name) != 0) return NULL;
    log->was_wanted = true;
    return &log->printed;
}

StrView pass_log_printed(const PassLog *log) { return log ? strbuf_view(&log->printed) : SV(""); }

// Is it the first row of its name, and no pipeline?
static bool is_listed(const PassLog *log, int64_t row) {
    const PassTime *times = log->times.data;
    if (row + 1 < log->times.count && times[row + 1].depth > times[row].depth) return false;
    for (int64_t i = 0; i < row; i++) {
        if (strcmp(times[i].name, times[row].name) == 0) return false;
    }
    return true;
}

bool pass_log_missed(const PassLog *log, StrBuf *names) {
    if (!log || !log->print_after || log->was_wanted) return false;
    for (int64_t i = 0; i < log->times.count; i++) {
        if (!is_listed(log, i)) continue;
        if (names->size) strbuf_puts(names, ", ");
        strbuf_puts(names, log->times.data[i].name);
    }
    return true;
}

void pass_log_note(PassLog *log, StrView lines) {
    if (log) strbuf_append(&log->notes, lines);
}

void pass_log_report(const PassLog *log, StrBuf *out) {
    double all = 0;
    for (int64_t i = 0; i < log->times.count; i++)
        all += log->times.data[i].depth == 0 ? log->times.data[i].seconds : 0;
    strbuf_puts(out, "        ms   share      ops  pass\n");
    for (int64_t i = 0; i < log->times.count; i++) {
        const PassTime *time = &log->times.data[i];
        strbuf_printf(
            out, "%10.3f  %5.1f%%  %7lld  %*s%s\n", time->seconds * 1e3,
            all > 0 ? 100 * time->seconds / all : 0, (long long)time->ops, 2 * time->depth, "",
            time->name);
    }
    strbuf_printf(out, "%10.3f  100.0%%           all\n", all * 1e3);
    strbuf_append(out, strbuf_view(&log->notes));
}

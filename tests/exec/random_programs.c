// random_programs: differential test over random sharded programs (random_program.h).
//
//     random_programs [--seed=FIRST] [--count=N] [--seconds=S] [--jobs=N] [--timeout=S] [--print]
//                     [--keep-size] [--no-donation] [--with=TEXT] [-v]
//
// --with draws programs that contain the text, like scatter, and no others.
// For every seed: the evaluator's results on the whole program must be the native ones on all
// devices, within the error that the program's values allow (none while arithmetic is exact), for
// one or several threads, with donated inputs in the memory of their results. Some programs are
// padded as Shardy's passes do it (sdy-pad-for-divisibility), and evaluated whole and on devices.
// Some programs run again with another number of threads, from a shared library, or from one
// library per device: the same bits; some with constant arguments. Every program runs in a process
// of its own, so that crashes and endless loops are failures like others. A failing program is made
// smaller as long as it fails in the same way; then it is printed with its seed and the layer that
// is wrong: the partitioned program is run by the evaluator as well. The last line counts; programs
// that are refused as not supported are skipped.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "random_trial.h"

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 16 };

typedef struct Options {
    int64_t seed, count, timeout, jobs;
    double seconds;
    bool print, keep_size, verbose, no_donation;
    const char *with; // NULL = any program
} Options;

typedef struct Child {
    pid_t pid; // 0 = free
    uint64_t seed;
    Finding *finding;
} Child;

// Says on stderr where the program is when it does not end. NOLINTBEGIN(bugprone-signal-handler):
// the process ends here, and a place that is sometimes missing is better than none.
static void show_place(int signal_number) {
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    signal(signal_number, SIG_DFL); // NOLINT(concurrency-mt-unsafe): the process ends here
    raise(signal_number);
}
// NOLINTEND(bugprone-signal-handler)

static pid_t start(
    const Options *options, Arena *arena, const RandomProgram *program, Finding *finding) {
    finding->text[0] = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0) return pid;
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGALRM, show_place); // NOLINT(concurrency-mt-unsafe): no thread exists yet
    // Endless work is told by processor time, so that a busy machine is no failure;
    // waiting for ever by the clock.
    struct rlimit work = {(rlim_t)options->timeout, (rlim_t)options->timeout + 5};
    setrlimit(RLIMIT_CPU, &work);
    signal(SIGXCPU, show_place); // NOLINT(concurrency-mt-unsafe): as above
    alarm(6 * (unsigned)options->timeout);
    int code = run_program(arena, program, finding);
#ifdef __SANITIZE_ADDRESS__
    if (code == EXIT_SAME) exit(code); // NOLINT(concurrency-mt-unsafe): looks for leaks
#endif
    _exit(code);
}

// One number for how a child ended: its exit status, or 1000 + signal.
static int ending(int status) {
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static const char *ending_text(int end) {
    switch (end) {
    case EXIT_SAME: return "passed";
    case EXIT_WRONG: return "wrong results";
    case EXIT_REFUSED: return "refused";
    case EXIT_INVALID: return "no program";
    case EXIT_SKIPPED: return "not supported";
    case 1000 + SIGALRM: return "waits for ever";
    case 1000 + SIGXCPU: return "no end in time";
    default:
        // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
        return end > 1000 ? strsignal(end - 1000) : "unexpected exit";
    }
}

static int run_alone(
    const Options *options, Arena *arena, const RandomProgram *program, Finding *finding) {
    int status = 0;
    pid_t pid = start(options, arena, program, finding);
    if (pid < 0 || waitpid(pid, &status, 0) < 0) return -1;
    return ending(status);
}

static RandomProgram *program_of(const Options *options, Arena *arena, uint64_t seed) {
    RandomProgram *program = random_program(arena, seed);
    for (int i = 0; options->no_donation && i < program->value_count; i++) {
        program->values[i].donated_to = -1;
    }
    return program;
}

static void report_failure(const Options *options, uint64_t seed, int end, Finding *finding) {
    Arena *arena = arena_create(NULL, NULL);
    if (!arena) return;
    const RandomProgram *program = program_of(options, arena, seed);
    bool is_end = options->keep_size;
    for (int step = 0, tries = 0; !is_end && tries < 400; step++) {
        RandomProgram *smaller = random_program_smaller(arena, program, step, &is_end);
        if (!smaller) continue;
        tries++;
        if (run_alone(options, arena, smaller, finding) != end) continue;
        program = smaller;
        step = -1;
    }
    run_alone(options, arena, program, finding);
    printf(
        "FAIL seed %llu: %s\n%s\n%s\n", (unsigned long long)seed, ending_text(end), finding->text,
        random_program_text(arena, program));
    fflush(stdout);
    arena_free(arena);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

typedef struct Tally {
    int64_t passed, failed, skipped;
} Tally;

static void count_child(
    const Options *options, Tally *tally, const Child *child, int end, Finding *scratch) {
    if (end == EXIT_SAME) {
        tally->passed++;
    } else if (end == EXIT_SKIPPED) {
        tally->skipped++;
        if (options->verbose) {
            printf(
                "seed %llu is skipped: %s\n", (unsigned long long)child->seed,
                child->finding->text);
        }
    } else {
        tally->failed++;
        if (tally->failed <= 10) report_failure(options, child->seed, end, scratch);
    }
}

static Tally run_seeds(const Options *options, Finding *findings) {
    Tally tally = {0};
    Child children[MAX_JOBS] = {{0}};
    int running = 0;
    uint64_t next = (uint64_t)options->seed, end = next + (uint64_t)options->count;
    double stop = now() + options->seconds;
    for (;;) {
        bool is_more = next < end && (options->seconds <= 0 || now() < stop);
        if (!is_more && running == 0) return tally;
        if (is_more && running < options->jobs) {
            int slot = 0;
            while (children[slot].pid)
                slot++;
            Arena *arena = arena_create(NULL, NULL);
            if (!arena) return tally;
            const RandomProgram *program = program_of(options, arena, next);
            children[slot] = (Child){.seed = next++, .finding = &findings[slot]};
            if (!options->with || strstr(random_program_text(arena, program), options->with))
                children[slot].pid = start(options, arena, program, &findings[slot]);
            arena_free(arena);
            running += children[slot].pid > 0;
            continue;
        }
        int status = 0;
        pid_t pid = waitpid(-1, &status, 0);
        for (int slot = 0; slot < options->jobs; slot++) {
            if (children[slot].pid != pid) continue;
            count_child(options, &tally, &children[slot], ending(status), &findings[MAX_JOBS]);
            children[slot].pid = 0;
            running--;
        }
    }
}

static bool parse_option(Options *options, const char *text) {
    const struct {
        const char *name;
        int64_t *value;
    } numbers[] = {
        {"--seed=", &options->seed},
        {"--count=", &options->count},
        {"--timeout=", &options->timeout},
        {"--jobs=", &options->jobs}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        size_t size = strlen(numbers[i].name);
        if (strncmp(text, numbers[i].name, size) == 0)
            return strview_to_int64(strview(text + size), numbers[i].value);
    }
    if (strncmp(text, "--seconds=", 10) == 0)
        return strview_to_double(strview(text + 10), &options->seconds);
    if (strcmp(text, "--print") == 0) return options->print = true;
    if (strcmp(text, "--keep-size") == 0) return options->keep_size = true;
    if (strcmp(text, "--no-donation") == 0) return options->no_donation = true;
    if (strncmp(text, "--with=", 7) == 0) return (options->with = text + 7) != NULL;
    if (strcmp(text, "-v") == 0) return options->verbose = true;
    return false;
}

int main(int argc, char **argv) {
    Options options = {.seed = 1, .count = 1, .timeout = 30, .jobs = 2};
    for (int i = 1; i < argc; i++) {
        if (parse_option(&options, argv[i])) continue;
        fprintf(stderr, "random_programs: unknown option '%s'\n", argv[i]);
        return 2;
    }
    if (options.seconds > 0 && options.count == 1) options.count = INT64_MAX / 2;
    if (options.jobs < 1 || options.jobs > MAX_JOBS) options.jobs = 2;
    if (options.print) {
        Arena *arena = arena_create(NULL, NULL);
        if (arena)
            fputs(
                random_program_text(arena, program_of(&options, arena, (uint64_t)options.seed)),
                stdout);
        arena_free(arena);
        return 0;
    }
    size_t bytes = (MAX_JOBS + 1) * sizeof(Finding);
    Finding *findings =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (findings == MAP_FAILED) {
        fprintf(stderr, "random_programs: out of memory\n");
        return 1;
    }
    Tally tally = run_seeds(&options, findings);
    printf(
        "%lld passed, %lld failed, %lld skipped\n", (long long)tally.passed,
        (long long)tally.failed, (long long)tally.skipped);
    return tally.failed > 0;
}

// Threads: a team's OpenMP region, and what can go wrong when threads are made.
//
// OpenMP runtimes end the process when the system gives them no thread (libgomp: "Thread
// creation failed"), and a host must survive that. So before a region is entered as many
// threads as it needs, and two more, are made and ended again; where that fails the team is
// smaller, or the caller stays alone. Members whose stacks are too small (OMP_STACKSIZE,
// ulimit -s) do not work either.
//
// The C library's allocator may take 64 MiB of addresses when a thread allocates for the first
// time, and keeps them for later threads, as it keeps stacks. The threads that are only tried
// allocate, too, and have stacks no smaller than the region's: where addresses are short, the
// region's threads find what these leave.
#define _GNU_SOURCE
#include "runtime/team/threads.h"

#include "runtime/team/members.h"
#include "runtime/team/pool.h"

#include <omp.h>

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LEADER_STACK = 1 << 20, // OpenMP runtimes keep a table of the threads that they start on it
    // of a member; programs keep vectors of registers there, custom functions what they like
    SMALLEST_STACK = 128 << 10,
    STACK_STAGGER = 32 << 10, // LLVM's runtime gives every thread a little more than the one before
    SPARE = 2,                // the leader, and one that somebody else may take meanwhile
    CHECK_IN_NS = 100000000
};

RtCores rt_allowed_cores(void) {
    RtCores cores = {{0}};
    cpu_set_t set;
    _Static_assert(sizeof cores == sizeof set, "as many cores");
    if (sched_getaffinity(0, sizeof set, &set) == 0) memcpy(&cores, &set, sizeof cores);
    return cores;
}

// ---- how many threads does the system give?

typedef struct Probe {
    atomic_uint go;
    pthread_t *threads;
    pid_t *ids;
    atomic_int number;
    atomic_uint began;
} Probe;

static void *probe_thread(void *argument) {
    Probe *probe = argument;
    void *volatile memory = malloc(1);
    free(memory);
    int i = atomic_fetch_add(&probe->number, 1);
    probe->ids[i] = (pid_t)syscall(SYS_gettid);
    atomic_fetch_add(&probe->began, 1);
    rt_wake(&probe->began);
    while (!atomic_load(&probe->go))
        rt_sleep(&probe->go, 0, CHECK_IN_NS);
    return NULL;
}

// The stack that OpenMP's threads get: "16k", "4M"; without a letter in KiB. 0 = the system's
// default.
static size_t asked_stack(void) {
    static const char *const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE", "KMP_STACKSIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): read as OpenMP's runtime reads it
        const char *text = getenv(names[i]);
        if (!text || !*text) continue;
        char *rest = NULL;
        unsigned long long number = strtoull(text, &rest, 10);
        if (rest == text || number > (1ULL << 40)) continue;
        while (*rest == ' ')
            rest++;
        switch (*rest) {
        case 'b':
        case 'B': return (size_t)number;
        case 'm':
        case 'M': return (size_t)number << 20;
        case 'g':
        case 'G': return (size_t)number << 30;
        default: return (size_t)number << 10;
        }
    }
    return 0;
}

// A joined thread counts against the limits of the system until the kernel has taken it off its
// lists.
static void wait_until_gone(const pid_t *ids, int count) {
    enum { TRIES = 10000 };
    pid_t process = getpid();
    for (int i = 0; i < count; i++) {
        for (int n = 0; n < TRIES && syscall(SYS_tgkill, process, ids[i], 0) == 0; n++)
            (void)sched_yield();
    }
}

// How many of `wanted` threads the system gives at the same time.
static int probe_threads(int wanted) {
    Probe probe = {
        .threads = malloc((size_t)wanted * sizeof *probe.threads),
        .ids = calloc((size_t)wanted, sizeof *probe.ids)};
    pthread_attr_t attributes;
    int count = 0;
    if (probe.threads && probe.ids && pthread_attr_init(&attributes) == 0) {
        size_t stack = asked_stack();
        if (stack < (size_t)PTHREAD_STACK_MIN) (void)pthread_attr_getstacksize(&attributes, &stack);
        (void)pthread_attr_setstacksize(&attributes, stack + STACK_STAGGER);
        while (count < wanted &&
               pthread_create(&probe.threads[count], &attributes, probe_thread, &probe) == 0)
            count++;
        unsigned began;
        while ((began = atomic_load(&probe.began)) < (unsigned)count)
            rt_sleep(&probe.began, began, CHECK_IN_NS);
        atomic_store(&probe.go, 1);
        rt_wake(&probe.go);
        for (int i = 0; i < count; i++)
            pthread_join(probe.threads[i], NULL);
        wait_until_gone(probe.ids, count);
        pthread_attr_destroy(&attributes);
    }
    free(probe.threads);
    free(probe.ids);
    return count;
}

// ---- the region

static bool has_room(void) {
    pthread_attr_t attributes;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return true;
    (void)pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size >= SMALLEST_STACK;
}

static void check_in(RtTeam *team) {
    atomic_fetch_add(&team->checked_in, 1);
    rt_wake(&team->checked_in);
}

static void *lead(void *argument) {
    RtTeam *team = argument;
    omp_set_dynamic(0); // for this thread alone
#pragma omp parallel num_threads(team->region_size + 1) default(none) firstprivate(team)
    {
        int me = omp_get_thread_num();
        if (me == 0) {
            atomic_store(&team->member_count, omp_get_num_threads() - 1);
            check_in(team);
            rt_team_lead(team);
        } else {
            if (!has_room()) atomic_store(&team->is_cramped, true);
            check_in(team);
            rt_team_serve(team, me);
        }
    }
    atomic_store(&team->state, RT_TEAM_EMPTY);
    return NULL;
}

// OpenMP's threads outlive every region: its library must not go when the library
// that holds this runtime is closed.
static void pin_openmp(void) {
    Dl_info info;
    void *symbol = NULL;
    int (*function)(void) = omp_get_num_threads;
    memcpy(&symbol, &function, sizeof symbol);
    if (dladdr(symbol, &info) && info.dli_fname)
        (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

// The team's threads inherit the cores that the leader may use: those of the instance,
// wherever its caller is bound to now.
static bool create_leader(RtTeam *team, bool is_bound) {
    pthread_attr_t attributes;
    cpu_set_t set;
    memcpy(&set, &team->cores, sizeof set);
    if (pthread_attr_init(&attributes)) return false;
    (void)pthread_attr_setstacksize(&attributes, LEADER_STACK);
    if (is_bound) (void)pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    bool created = pthread_create(&team->leader, &attributes, lead, team) == 0;
    pthread_attr_destroy(&attributes);
    return created;
}

static bool start_leader(RtTeam *team) {
    const RtCores unknown = {{0}};
    bool is_known = memcmp(&team->cores, &unknown, sizeof unknown) != 0;
    // The cores may have been taken from this process since.
    team->has_leader = (is_known && create_leader(team, true)) || create_leader(team, false);
    return team->has_leader;
}

static bool all_are_there(RtTeam *team) {
    int members = atomic_load(&team->member_count);
    return members >= 0 && (int)atomic_load(&team->checked_in) == members + 1;
}

bool rt_team_start(RtTeam *team) {
    int32_t asked = team->asked;
    int given = probe_threads(asked + SPARE) - SPARE;
    if (given <= 0) return false;
    pin_openmp();
    atomic_store(&team->end, 0);
    atomic_store(&team->checked_in, 0);
    atomic_store(&team->member_count, -1);
    atomic_store(&team->is_cramped, false);
    team->is_crowded = asked + 1 > omp_get_num_procs();
    team->region_size = given < asked ? given : asked;
    if (!start_leader(team)) return false;
    for (;;) {
        unsigned seen = atomic_load(&team->checked_in);
        if (all_are_there(team)) break;
        rt_sleep(&team->checked_in, seen, CHECK_IN_NS);
    }
    return atomic_load(&team->member_count) > 0 && !atomic_load(&team->is_cramped);
}

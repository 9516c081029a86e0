// Teams: the calls, the members' lives, and the pool of idle teams. threads.c makes them; what is shared by all files is in team.h.
//
// The pool is state of the process, as the threads are. A fork leaves the child without threads: it drops all teams (fork.c) and makes
// new ones.
#define _GNU_SOURCE
#include "runtime/threads.h"

#include <string.h>

static const uint64_t GATE_OPEN = (uint64_t)1 << 31;
static const uint64_t GATE_MEMBERS = ((uint64_t)1 << 31) - 1;
enum { GATE_NUMBER_SHIFT = 32 };

enum {
    MICROSECOND = 1000,
    MILLISECOND = 1000 * MICROSECOND,
    PAUSES_PER_LOOK = 16, // pauses between two looks at the clock: about 1 us
    SPIN_FOR_CALL =
        300 * MICROSECOND, // callers that execute again and again meet members that are awake
    SPIN_WHEN_SHORT = 2 * MICROSECOND,
    SPIN_FOR_END = 200 * MICROSECOND,
    RETRY_AFTER = 1000 * MILLISECOND, // the system gave no threads: for so long nobody asks again
};
static const int64_t FOR_LONG = (int64_t)3600 * 1000 * MILLISECOND;
static const int64_t LINGER = (int64_t)10 * 1000 * MILLISECOND;

static RtPool pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void rt_pool_lock(void) { pthread_mutex_lock(&pool.mutex); }
void rt_pool_unlock(void) { pthread_mutex_unlock(&pool.mutex); }

RtPool *rt_pool(void) { return &pool; }

// ---- are there cores to spin on?

void rt_note_gap(int64_t now, int64_t gap_ns) {
    enum { FIRST = 10 * MILLISECOND, MOST = 200 * MILLISECOND, RECENT = 1000 * MILLISECOND };
    if (gap_ns < RT_PREEMPTED_NS) return;
    int64_t until = atomic_load_explicit(&pool.short_until, memory_order_relaxed);
    int64_t span = atomic_load_explicit(&pool.short_span, memory_order_relaxed);
    if (now > until) span = now - until < RECENT && span ? span * 2 : FIRST;
    if (span > MOST) span = MOST;
    atomic_store_explicit(&pool.short_span, span, memory_order_relaxed);
    atomic_store_explicit(&pool.short_until, now + span, memory_order_relaxed);
}

bool rt_cores_are_short(const RtTeam *team, int64_t now) {
    return team->is_crowded || now < atomic_load_explicit(&pool.short_until, memory_order_relaxed);
}

// ---- sleeping

unsigned rt_team_announce(RtTeam *team) {
    unsigned signal = atomic_load(&team->signal);
    atomic_store(&team->has_sleepers, true);
    return signal;
}

void rt_team_sleep(RtTeam *team, unsigned signal, int64_t most_ns) {
    rt_sleep(&team->signal, signal, most_ns);
    if (atomic_load(&team->signal) == signal) return;
    int64_t now = rt_now();
    rt_note_gap(now, now - atomic_load_explicit(&team->signalled, memory_order_relaxed));
}

void rt_team_signal_sleepers(RtTeam *team) {
    if (!atomic_exchange(&team->has_sleepers, false)) return;
    atomic_store_explicit(&team->signalled, rt_now(), memory_order_relaxed);
    atomic_fetch_add(&team->signal, 1);
    rt_wake(&team->signal);
}

// ---- calls

void rt_team_open(
    RtTeam *team, RtTask *task, struct shardc_model_instance *instance, int64_t tick_ns) {
    team->task = task;
    team->tick_ns = tick_ns;
    team->instance = instance;
    uint64_t number =
        (atomic_load_explicit(&team->gate, memory_order_relaxed) >> GATE_NUMBER_SHIFT) + 1;
    atomic_store(&team->gate, number << GATE_NUMBER_SHIFT | GATE_OPEN);
    rt_team_signal(team);
}

static bool is_empty(RtTeam *team) { return (atomic_load(&team->gate) & GATE_MEMBERS) == 0; }

void rt_team_close(RtTeam *team) {
    uint64_t before = atomic_fetch_and(&team->gate, ~GATE_OPEN);
    if ((before & GATE_MEMBERS) == 0) return;
    for (int i = 0; i < PAUSES_PER_LOOK; i++) {
        if (is_empty(team)) return;
        rt_pause();
    }
    int64_t began = rt_now(), last = began;
    int64_t most = rt_cores_are_short(team, began) ? SPIN_WHEN_SHORT : SPIN_FOR_END;
    while (last - began < most) {
        for (int i = 0; i < PAUSES_PER_LOOK; i++) {
            if (is_empty(team)) return;
            rt_pause();
        }
        int64_t now = rt_now();
        rt_note_gap(now, now - last);
        last = now;
    }
    for (;;) {
        unsigned signal = rt_team_announce(team);
        if (is_empty(team)) return;
        rt_team_sleep(team, signal, FOR_LONG);
    }
}

static bool enter(RtTeam *team, uint64_t gate) {
    uint_fast64_t seen = gate;
    while (seen >> GATE_NUMBER_SHIFT == gate >> GATE_NUMBER_SHIFT && (seen & GATE_OPEN)) {
        if (atomic_compare_exchange_weak(&team->gate, &seen, seen + 1)) return true;
    }
    return false;
}

static void leave(RtTeam *team) {
    uint64_t after = atomic_fetch_sub(&team->gate, 1) - 1;
    if (!(after & GATE_OPEN) && (after & GATE_MEMBERS) == 0) rt_team_signal(team);
}

// ---- members

// Is there a call that this member is not done with? *gate is its state.
static bool has_call(RtTeam *team, uint64_t done, uint64_t *gate) {
    *gate = atomic_load(&team->gate);
    return (*gate & GATE_OPEN) && *gate >> GATE_NUMBER_SHIFT != done;
}

// False: the team ends.
static bool wait_for_call(RtTeam *team, uint64_t done, uint64_t *gate) {
    for (;;) {
        int64_t began = rt_now(), last = began;
        int64_t most = rt_cores_are_short(team, began) ? SPIN_WHEN_SHORT : SPIN_FOR_CALL;
        while (last - began < most) {
            for (int i = 0; i < PAUSES_PER_LOOK; i++) {
                if (has_call(team, done, gate)) return true;
                rt_pause();
            }
            if (atomic_load_explicit(&team->end, memory_order_relaxed)) return false;
            int64_t now = rt_now();
            rt_note_gap(now, now - last);
            if (rt_cores_are_short(team, now)) break;
            last = now;
        }
        unsigned signal = rt_team_announce(team);
        if (has_call(team, done, gate)) return true;
        if (atomic_load(&team->end)) return false;
        rt_team_sleep(team, signal, FOR_LONG);
    }
}

void rt_team_serve(RtTeam *team, int32_t member) {
    uint64_t done = 0, gate = 0; // done: number of the last call in which nothing is left to do
    while (wait_for_call(team, done, &gate)) {
        if (!enter(team, gate)) continue;
        unsigned signal = 0;
        RtTaskResult result = team->task(team->instance, member, &signal);
        int64_t tick_ns = team->tick_ns;
        leave(team);
        if (result == RT_DONE)
            done = gate >> GATE_NUMBER_SHIFT;
        else
            rt_team_sleep(team, signal, tick_ns);
    }
}

static void end(RtTeam *team) {
    atomic_store(&team->end, 1);
    rt_wake(&team->end);
    rt_team_signal(team);
}

void rt_team_lead(RtTeam *team) {
    for (;;) {
        uint64_t before = atomic_load(&team->gate);
        int64_t began = rt_now();
        rt_sleep(&team->end, 0, LINGER);
        if (atomic_load(&team->end)) break;
        bool is_unused = atomic_load(&team->gate) == before && rt_now() - began >= LINGER;
        int expected = RT_TEAM_IDLE;
        if (is_unused && atomic_compare_exchange_strong(&team->state, &expected, RT_TEAM_LEAVING))
            break;
    }
    end(team);
}

// ---- the pool

static bool take(RtTeam *team, int32_t members, const RtCores *cores) {
    int expected = RT_TEAM_IDLE;
    if (!atomic_compare_exchange_strong(&team->state, &expected, RT_TEAM_BUSY)) return false;
    if (team->asked == members && memcmp(&team->cores, cores, sizeof *cores) == 0) return true;
    atomic_store(&team->state, RT_TEAM_IDLE);
    return false;
}

static void join(RtTeam *team) {
    if (team->has_leader) pthread_join(team->leader, NULL);
    team->has_leader = false;
}

// A team without threads, which has state BUSY.
static RtTeam *empty_team(void) {
    for (int i = 0; i < RT_TEAM_LIMIT; i++) {
        RtTeam *team = &pool.teams[i];
        int expected = RT_TEAM_EMPTY;
        if (!atomic_compare_exchange_strong(&team->state, &expected, RT_TEAM_BUSY)) continue;
        if (i >= pool.team_count) pool.team_count = i + 1;
        join(team);
        return team;
    }
    return NULL;
}

static RtTeam *make(int32_t members, const RtCores *cores) {
    int64_t now = rt_now();
    if (now < pool.retry_at) return NULL;
    RtTeam *team = empty_team();
    if (!team) return NULL;
    team->asked = members;
    team->cores = *cores;
    if (rt_team_start(team)) return team;
    if (team->has_leader) {
        end(team);
        join(team);
    }
    atomic_store(&team->state, RT_TEAM_EMPTY);
    pool.retry_at = now + RETRY_AFTER;
    return NULL;
}

RtTeam *rt_team_take(RtTeam *last, int32_t members, const RtCores *cores) {
    if (last && take(last, members, cores)) return last;
    RtTeam *found = NULL;
    rt_pool_lock();
    for (int i = 0; i < pool.team_count && !found; i++) {
        if (take(&pool.teams[i], members, cores)) found = &pool.teams[i];
    }
    if (!found) found = make(members, cores);
    rt_pool_unlock();
    return found;
}

void rt_team_give_back(RtTeam *team) {
    atomic_store_explicit(&team->state, RT_TEAM_IDLE, memory_order_release);
}

// The library is unloaded, or the process ends: idle threads must not wake up in code that is gone. (A team that is busy now belongs to an execution
// during exit(), whose code stays.)
__attribute__((destructor)) static void end_teams(void) {
    if (rt_was_forked() || pthread_mutex_trylock(&pool.mutex)) return;
    for (int i = 0; i < pool.team_count; i++) {
        RtTeam *team = &pool.teams[i];
        int expected = RT_TEAM_IDLE;
        if (atomic_compare_exchange_strong(&team->state, &expected, RT_TEAM_LEAVING)) end(team);
        int state = atomic_load(&team->state);
        if (state == RT_TEAM_LEAVING || state == RT_TEAM_EMPTY) join(team);
    }
    rt_pool_unlock();
}

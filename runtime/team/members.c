// Teams at work: calls, how members wait for them, and the lives of members.
#include "runtime/team/members.h"

#include "runtime/team/pool.h"

static const uint64_t GATE_OPEN = (uint64_t)1 << 31;
static const uint64_t GATE_MEMBERS = ((uint64_t)1 << 31) - 1;
enum { GATE_NUMBER_SHIFT = 32 };

enum {
    MICROSECOND = 1000,
    MILLISECOND = 1000 * MICROSECOND,
    PAUSES_PER_LOOK = 16, // pauses between two looks at the clock: about 1 us
    // callers that execute again and again meet members that are awake
    SPIN_FOR_CALL = 300 * MICROSECOND,
    SPIN_WHEN_SHORT = 2 * MICROSECOND,
    SPIN_FOR_END = 200 * MICROSECOND,
};
static const int64_t FOR_LONG = (int64_t)3600 * 1000 * MILLISECOND;
static const int64_t LINGER = (int64_t)10 * 1000 * MILLISECOND;

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

void rt_team_end(RtTeam *team) {
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
    rt_team_end(team);
}

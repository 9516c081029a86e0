// The door of team/: teams, the threads that help a caller to execute. Beside it pool.h, the
// process's teams, and fork.h, what a fork leaves of them.
//
// A team is one OpenMP parallel region that is entered once and stays: its members sleep until a
// caller has work for them. The region belongs to a thread of ours (the leader, its member 0, which
// only sleeps), so that nobody's thread is bound to it, and no caller waits at OpenMP's own
// barriers, whose spinning depends on the host's environment. A caller takes an idle team for one
// execution and gives it back; a team that nobody took for some seconds leaves.
//
//     caller      rt_team_take, rt_team_open, works as worker 0, rt_team_close, rt_team_give_back
//     member m    sleeps; a call is open: enters it, works as worker m, leaves it
//
// Members come late or not at all when cores are short. So nothing waits for a member that has not
// entered, and a member that has nothing to do leaves the call before it sleeps: a caller that
// closes a call waits for members that run, never for sleepers.
#ifndef SHARDC_RUNTIME_TEAM_H
#define SHARDC_RUNTIME_TEAM_H

#include "runtime/team/park.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>

struct shardc_model_instance;

// Cores that a thread may use, as sched_getaffinity writes them; nothing = not known.
typedef struct RtCores {
    uint64_t bits[16];
} RtCores;

typedef enum RtTaskResult {
    RT_DONE, // there is nothing left to do in this call
    RT_IDLE  // nothing to do before somebody signals; the worker has announced that it will sleep
} RtTaskResult;

// What a worker does in a call. After RT_IDLE *signal is what rt_team_announce returned.
typedef RtTaskResult RtTask(
    struct shardc_model_instance *instance, int32_t worker, unsigned *signal);

typedef struct RtTeam {
    int32_t asked;           // members that were asked for
    int32_t region_size;     // members that the system has threads for
    atomic_int member_count; // that came, numbered from 1; -1 = not known yet
    RtCores cores;           // that its threads may use
    pthread_t leader;
    bool has_leader;        // to be joined
    bool is_crowded;        // more threads than cores
    atomic_bool is_cramped; // stacks are too small to run programs on
    atomic_int state;       // RtTeamState
    atomic_uint end;        // not 0: leave; the leader sleeps on it
    atomic_uint checked_in; // threads of the region that have begun; the maker sleeps on it
    RtTask *task;           // of the open call, with its instance
    int64_t tick_ns;
    struct shardc_model_instance *instance;
    alignas(64) atomic_uint_fast64_t gate; // number of the call << 32 | open << 31 | members inside
    alignas(64) atomic_uint signal; // everybody who sleeps for this team does it on this word
    atomic_bool has_sleepers;       // who announced that they will sleep since the last signal
    atomic_int_fast64_t signalled;  // when: tells how long a woken thread waits for a core
} RtTeam;

// An idle team of `members` threads beside the caller, or fewer where the system gives fewer; NULL:
// the caller is alone. `last` is the team of the last time, or NULL.
RtTeam *rt_team_take(RtTeam *last, int32_t members, const RtCores *cores);
void rt_team_give_back(RtTeam *team);

// Members that sleep during the call look around every tick_ns.
void rt_team_open(
    RtTeam *team, RtTask *task, struct shardc_model_instance *instance, int64_t tick_ns);
void rt_team_close(RtTeam *team);

// Sleeping in two steps: announce, look once more whether there is something to do, then sleep.
// Whoever makes something to do does it first and signals then (both sequentially consistent):
// the sleeper sees it, or is woken.
unsigned rt_team_announce(RtTeam *team);
void rt_team_sleep(RtTeam *team, unsigned signal, int64_t most_ns);
void rt_team_signal_sleepers(RtTeam *team);

static inline void rt_team_signal(RtTeam *team) {
    if (atomic_load(&team->has_sleepers)) rt_team_signal_sleepers(team);
}

// Those of the calling thread.
RtCores rt_allowed_cores(void);

// Spinning is for machines with free cores. A thread that finds that it did not run for a
// while (`gap_ns` between two looks at the clock, or between a signal and its waking up) says
// so; for some time nobody spins.
enum { RT_PREEMPTED_NS = 500000 };
void rt_note_gap(int64_t now, int64_t gap_ns);
bool rt_cores_are_short(const RtTeam *team, int64_t now);

#endif

// The pool of teams. Its fields are for the files of team/; others hold its lock.
#ifndef SHARDC_RUNTIME_POOL_H
#define SHARDC_RUNTIME_POOL_H

#include "runtime/team/team.h"

typedef enum RtTeamState {
    RT_TEAM_EMPTY = 0, // no threads
    RT_TEAM_IDLE,
    RT_TEAM_BUSY,   // taken, or being made
    RT_TEAM_LEAVING // its threads end
} RtTeamState;

// Executions with more than one thread at the same time; the next ones get one.
enum { RT_TEAM_LIMIT = 128 };

typedef struct RtPool {
    pthread_mutex_t mutex; // guards the making of teams
    RtTeam teams[RT_TEAM_LIMIT];
    int team_count;                  // that were used so far
    int64_t retry_at;                // ns: the system had no threads, before then nobody asks again
    atomic_int_fast64_t short_until; // ns: see rt_note_gap
    atomic_int_fast64_t short_span;
} RtPool;

RtPool *rt_pool(void);
// Held while the pool changes; serves whoever cleans up after a fork as well.
void rt_pool_lock(void);
void rt_pool_unlock(void);

#endif

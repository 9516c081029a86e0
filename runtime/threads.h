// What team.c, threads.c and fork.c share: the pool of teams. Private to these files.
#ifndef SHARDC_RUNTIME_THREADS_H
#define SHARDC_RUNTIME_THREADS_H

#include "runtime/team.h"

typedef enum RtTeamState {
    RT_TEAM_EMPTY = 0, // no threads
    RT_TEAM_IDLE,
    RT_TEAM_BUSY,   // taken, or being made
    RT_TEAM_LEAVING // its threads end
} RtTeamState;

enum {
    RT_TEAM_LIMIT = 128
}; // executions with more than one thread at the same time; the next ones get one

typedef struct RtPool {
    pthread_mutex_t mutex; // guards the making of teams
    RtTeam teams[RT_TEAM_LIMIT];
    int team_count;                  // that were used so far
    int64_t retry_at;                // ns: the system had no threads, before then nobody asks again
    atomic_int_fast64_t short_until; // ns: see rt_note_gap
    atomic_int_fast64_t short_span;
} RtPool;

RtPool *rt_pool(void);

// threads.c: enters the region; false when the team got no member that can work.
bool rt_team_start(RtTeam *team);
// team.c: the lives of member 0, and of the others.
void rt_team_lead(RtTeam *team);
void rt_team_serve(RtTeam *team, int32_t member);

// fork.c: is this process a fork that has not noticed yet?
bool rt_was_forked(void);

#endif

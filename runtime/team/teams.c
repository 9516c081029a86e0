// Teams of threads: finds an idle one for a caller, or makes one, and ends them.
//
// A fork leaves the child without threads: it drops all teams (fork.c) and makes new ones.
#define _GNU_SOURCE
#include "runtime/team/fork.h"
#include "runtime/team/members.h"
#include "runtime/team/pool.h"
#include "runtime/team/threads.h"

#include <string.h>

enum { RETRY_AFTER = 1000000000 }; // ns: the system gave no threads, for so long nobody asks again

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
    RtPool *pool = rt_pool();
    for (int i = 0; i < RT_TEAM_LIMIT; i++) {
        RtTeam *team = &pool->teams[i];
        int expected = RT_TEAM_EMPTY;
        if (!atomic_compare_exchange_strong(&team->state, &expected, RT_TEAM_BUSY)) continue;
        if (i >= pool->team_count) pool->team_count = i + 1;
        join(team);
        return team;
    }
    return NULL;
}

static RtTeam *make(int32_t members, const RtCores *cores) {
    RtPool *pool = rt_pool();
    int64_t now = rt_now();
    if (now < pool->retry_at) return NULL;
    RtTeam *team = empty_team();
    if (!team) return NULL;
    team->asked = members;
    team->cores = *cores;
    if (rt_team_start(team)) return team;
    if (team->has_leader) {
        rt_team_end(team);
        join(team);
    }
    atomic_store(&team->state, RT_TEAM_EMPTY);
    pool->retry_at = now + RETRY_AFTER;
    return NULL;
}

RtTeam *rt_team_take(RtTeam *last, int32_t members, const RtCores *cores) {
    RtPool *pool = rt_pool();
    if (last && take(last, members, cores)) return last;
    RtTeam *found = NULL;
    rt_pool_lock();
    for (int i = 0; i < pool->team_count && !found; i++) {
        if (take(&pool->teams[i], members, cores)) found = &pool->teams[i];
    }
    if (!found) found = make(members, cores);
    rt_pool_unlock();
    return found;
}

void rt_team_give_back(RtTeam *team) {
    atomic_store_explicit(&team->state, RT_TEAM_IDLE, memory_order_release);
}

// The library is unloaded, or the process ends: idle threads must not wake up in code that is gone.
// (A team that is busy now belongs to an execution during exit(), whose code stays.)
__attribute__((destructor)) static void end_teams(void) {
    RtPool *pool = rt_pool();
    if (rt_was_forked() || pthread_mutex_trylock(&pool->mutex)) return;
    for (int i = 0; i < pool->team_count; i++) {
        RtTeam *team = &pool->teams[i];
        int expected = RT_TEAM_IDLE;
        if (atomic_compare_exchange_strong(&team->state, &expected, RT_TEAM_LEAVING))
            rt_team_end(team);
        int state = atomic_load(&team->state);
        if (state == RT_TEAM_LEAVING || state == RT_TEAM_EMPTY) join(team);
    }
    rt_pool_unlock();
}

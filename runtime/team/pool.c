// The pool of teams, which is state of the process as the threads are, and
// what it knows about free cores.
#include "runtime/team/pool.h"

enum { MILLISECOND = 1000000 };

static RtPool pool = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void rt_pool_lock(void) { pthread_mutex_lock(&pool.mutex); }

void rt_pool_unlock(void) { pthread_mutex_unlock(&pool.mutex); }

RtPool *rt_pool(void) { return &pool; }

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

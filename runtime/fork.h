// Forks: a child has its parent's memory, and none of its threads.
#ifndef SHARDC_RUNTIME_FORK_H
#define SHARDC_RUNTIME_FORK_H

// How often this process was forked since this was asked first. The first question of a child drops all teams.
unsigned rt_fork_count(void);
// Held while the pool of teams changes; serves whoever cleans up after a fork as well.
void rt_pool_lock(void);
void rt_pool_unlock(void);

#endif

// Forks: a child has its parent's memory, and none of its threads.
#ifndef SHARDC_RUNTIME_FORK_H
#define SHARDC_RUNTIME_FORK_H

#include <stdbool.h>

// How often this process was forked since this was asked first. The first
// question of a child drops all teams.
unsigned rt_fork_count(void);
bool rt_was_forked(void); // is this process a fork that has not noticed yet?

#endif

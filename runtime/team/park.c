// Waiting: the kernel's part. Linux has futexes; elsewhere a sleeper gives its core away and looks
// again.
#define _GNU_SOURCE
#include "runtime/team/park.h"

#include <time.h>

#ifdef __linux__
#    include <linux/futex.h>
#    include <sys/syscall.h>
#    include <unistd.h>
#else
#    include <sched.h>
#endif

int64_t rt_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void rt_sleep(atomic_uint *word, unsigned value, int64_t most_ns) {
#ifdef __linux__
    const struct timespec most = {most_ns / 1000000000, most_ns % 1000000000};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &most, NULL, 0);
#else
    (void)most_ns;
    if (atomic_load(word) == value) (void)sched_yield();
#endif
}

void rt_wake(atomic_uint *word) {
#ifdef __linux__
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
#else
    (void)word;
#endif
}

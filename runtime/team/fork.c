// Forks: a child has the memory of its parent, and none of its threads. It notices by a page that
// the kernel wipes in children, and starts with an empty pool.
#define _GNU_SOURCE
#include "runtime/team/fork.h"

#include "runtime/team/pool.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIPED = 0, ALIVE = 1, RECOVERING = 2 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic(atomic_uint *) life; // in the page; NULL = there is none: process ids are compared
static _Atomic(pid_t) process;      // that `life` belongs to
static atomic_uint fork_count;

static void make_page(void) {
#ifdef MADV_WIPEONFORK
    long size = sysconf(_SC_PAGESIZE);
    void *page =
        mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, (size_t)size, MADV_WIPEONFORK) == 0) {
        atomic_uint *word = page;
        atomic_store(word, ALIVE);
        atomic_store(&life, word);
    } else if (page != MAP_FAILED) {
        (void)munmap(page, (size_t)size);
    }
#endif
    atomic_store(&process, getpid());
}

static void drop_teams(void) {
    RtPool *pool = rt_pool();
    (void)pthread_mutex_init(&pool->mutex, NULL); // the thread that held it is not in the child
    memset(pool->teams, 0, sizeof pool->teams);
    pool->team_count = 0;
    pool->retry_at = 0;
    atomic_fetch_add(&fork_count, 1);
}

bool rt_was_forked(void) {
    atomic_uint *word = atomic_load_explicit(&life, memory_order_acquire);
    if (word) return atomic_load(word) != ALIVE;
    pid_t known = atomic_load(&process);
    return known && known != getpid();
}

// Several threads of a child may notice at the same time: one recovers, the others wait for it.
static void recover(void) {
    (void)pthread_once(&once, make_page);
    atomic_uint *word = atomic_load(&life);
    if (!word) {
        pid_t known = atomic_load(&process), own = getpid();
        if (known != own && atomic_compare_exchange_strong(&process, &known, own)) drop_teams();
        return;
    }
    unsigned expected = WIPED;
    if (atomic_compare_exchange_strong(word, &expected, RECOVERING)) {
        drop_teams();
        atomic_store(word, ALIVE);
    }
    while (atomic_load(word) != ALIVE)
        rt_pause();
}

unsigned rt_fork_count(void) {
    atomic_uint *word = atomic_load_explicit(&life, memory_order_acquire);
    if (!word || atomic_load_explicit(word, memory_order_acquire) != ALIVE) recover();
    return atomic_load_explicit(&fork_count, memory_order_relaxed);
}

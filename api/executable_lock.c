// An executable's lock, which a fork's child takes anew.
#include "api/api_internal.h"
#include "runtime/team/fork.h"
#include "runtime/team/pool.h"

#include <stdlib.h>

shardc_executable *executable_create(void) {
    shardc_executable *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    pthread_mutex_init(&made->lock, NULL);
    atomic_store(&made->references, 1);
    atomic_store(&made->forks, rt_fork_count());
    return made;
}

// In a child of a fork nobody gives the lock back, nor the contexts that executed.
static void notice_fork(shardc_executable *executable) {
    unsigned forks = rt_fork_count();
    if (atomic_load(&executable->forks) == forks) return;
    rt_pool_lock();
    if (atomic_load(&executable->forks) != forks) {
        (void)pthread_mutex_init(&executable->lock, NULL);
        atomic_store(&executable->forks, forks);
    }
    rt_pool_unlock();
}

void executable_lock(const shardc_executable *executable) {
    const union {
        const shardc_executable *given;
        shardc_executable *changed;
    } pointer = {executable}; // queries lock, too, though they change nothing
    notice_fork(pointer.changed);
    pthread_mutex_lock(&pointer.changed->lock);
}

void executable_unlock(const shardc_executable *executable) {
    const union {
        const shardc_executable *given;
        shardc_executable *changed;
    } pointer = {executable};
    pthread_mutex_unlock(&pointer.changed->lock);
}

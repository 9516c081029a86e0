// executor: the threads of asynchronous executions. They are the process's, as the runtime's teams
// are: made when there is work for one, and gone when there was none for some seconds.
#define _POSIX_C_SOURCE 200809L

#include "api/api_internal.h"
#include "runtime/team/fork.h"
#include "runtime/team/pool.h"

#include <time.h>

enum {
    THREAD_LIMIT = 256,
    MOST_RUNNING = 4, // tasks that do not wait: more would only take each other's cores
    LINGER_SECONDS = 10,
    STACK = 8 << 20 // programs need it, whatever the limit for stacks is
};

typedef enum ThreadState { THREAD_NONE = 0, THREAD_RUNS, THREAD_LEFT } ThreadState;

typedef struct Thread {
    pthread_t handle;
    ThreadState state; // LEFT: to be joined
} Thread;

typedef struct Executor {
    pthread_mutex_t lock;
    pthread_cond_t has_work;
    Task *first, *last; // that wait their turn
    Task *urgent;       // those that may wait for others; last first
    int waiting_count, urgent_count;
    int running;    // tasks that count towards MOST_RUNNING
    int idle;       // threads without work
    bool is_ending; // the library is unloaded
    unsigned forks; // rt_fork_count when this was set up
    Thread threads[THREAD_LIMIT];
} Executor;

static Executor executor = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .has_work = PTHREAD_COND_INITIALIZER};

static Task *take_task(void) {
    Task *task = executor.urgent;
    if (task) {
        executor.urgent = task->next;
        executor.urgent_count--;
        return task;
    }
    task = executor.first;
    if (!task || executor.running >= MOST_RUNNING) return NULL;
    executor.first = task->next;
    executor.waiting_count--;
    executor.running++;
    return task;
}

// Under the lock; false: there was nothing to do for long.
static bool wait_for_work(void) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LINGER_SECONDS;
    executor.idle++;
    int failed = pthread_cond_timedwait(&executor.has_work, &executor.lock, &until);
    executor.idle--;
    return failed == 0;
}

static void *serve(void *argument) {
    Thread *thread = argument;
    pthread_mutex_lock(&executor.lock);
    bool has_waited = false;
    while (!executor.is_ending) {
        Task *task = take_task();
        if (!task) {
            if (has_waited) break;
            has_waited = !wait_for_work();
            continue;
        }
        has_waited = false;
        bool counts = !task->may_wait;
        pthread_mutex_unlock(&executor.lock);
        task->run(task);
        pthread_mutex_lock(&executor.lock);
        if (counts) executor.running--;
    }
    thread->state = THREAD_LEFT;
    pthread_mutex_unlock(&executor.lock);
    return NULL;
}

static bool start_thread(void) {
    for (int i = 0; i < THREAD_LIMIT; i++) {
        Thread *thread = &executor.threads[i];
        if (thread->state == THREAD_RUNS) continue;
        if (thread->state == THREAD_LEFT) pthread_join(thread->handle, NULL);
        thread->state = THREAD_NONE;
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes)) return false;
        (void)pthread_attr_setstacksize(&attributes, STACK);
        if (pthread_create(&thread->handle, &attributes, serve, thread) == 0)
            thread->state = THREAD_RUNS;
        pthread_attr_destroy(&attributes);
        return thread->state == THREAD_RUNS;
    }
    return false;
}

// In a child of a fork there are no threads, and the tasks of its parent are not its own.
static void notice_fork(void) {
    unsigned forks = rt_fork_count();
    rt_pool_lock();
    if (executor.forks != forks) {
        if (forks > 0) {
            executor = (Executor){.forks = forks};
            (void)pthread_mutex_init(&executor.lock, NULL);
            (void)pthread_cond_init(&executor.has_work, NULL);
        }
        executor.forks = forks;
    }
    rt_pool_unlock();
}

static void enqueue(Task *task) {
    task->next = NULL;
    if (task->may_wait) {
        task->next = executor.urgent;
        executor.urgent = task;
        executor.urgent_count++;
        return;
    }
    if (executor.first)
        executor.last->next = task;
    else
        executor.first = task;
    executor.last = task;
    executor.waiting_count++;
}

// Tasks that nothing but a thread is missing for.
static int count_ready(void) {
    int free = MOST_RUNNING - executor.running;
    int ready = executor.waiting_count < free ? executor.waiting_count : free;
    return executor.urgent_count + ready;
}

static bool has_threads(void) {
    for (int i = 0; i < THREAD_LIMIT; i++) {
        if (executor.threads[i].state == THREAD_RUNS) return true;
    }
    return false;
}

bool executor_submit(Task *task) {
    notice_fork();
    pthread_mutex_lock(&executor.lock);
    bool can_run = task->may_wait || executor.running < MOST_RUNNING;
    bool is_taken = true;
    if (can_run && count_ready() >= executor.idle && !start_thread()) {
        // A task that waits for its turn needs any thread; one that others may wait for needs its
        // own.
        is_taken = !task->may_wait && has_threads();
    }
    if (is_taken) enqueue(task);
    pthread_cond_signal(&executor.has_work);
    pthread_mutex_unlock(&executor.lock);
    return is_taken;
}

// The library is unloaded, or the process ends: idle threads must not wake up in code that is gone.
__attribute__((destructor)) static void end_threads(void) {
    if (executor.forks != rt_fork_count() || pthread_mutex_trylock(&executor.lock)) return;
    executor.is_ending = true;
    pthread_cond_broadcast(&executor.has_work);
    bool is_idle = executor.running == 0 && !executor.first && !executor.urgent;
    pthread_t handles[THREAD_LIMIT];
    int count = 0;
    for (int i = 0; i < THREAD_LIMIT && is_idle; i++) {
        if (executor.threads[i].state != THREAD_NONE) handles[count++] = executor.threads[i].handle;
    }
    pthread_mutex_unlock(&executor.lock); // those that leave write their state
    for (int i = 0; i < count; i++)
        pthread_join(handles[i], NULL);
}

// Waiting: the clock, a pause between two looks at a word, sleeping until a word changes.
#ifndef SHARDC_RUNTIME_PARK_H
#define SHARDC_RUNTIME_PARK_H

#include <stdatomic.h>
#include <stdint.h>

int64_t rt_now(void); // ns, monotonic

static inline void rt_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

// Sleeps until somebody wakes the word, `most_ns` have passed, or at once if it is not `value` any
// more. May return for no reason.
void rt_sleep(atomic_uint *word, unsigned value, int64_t most_ns);
// Wakes everybody who sleeps on the word.
void rt_wake(atomic_uint *word);

#endif

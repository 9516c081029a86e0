// The floating-point settings that kernels are made for: to nearest, subnormal numbers are
// numbers. A thread may come with others: a library that was built with -ffast-math
// changes them when it is loaded.
#ifndef SHARDC_RUNTIME_FLOAT_ENV_H
#define SHARDC_RUNTIME_FLOAT_ENV_H

#include <stdint.h>

// Sets them for this thread; returns what they were.
static inline uint64_t rt_float_begin(void) {
#if defined(__x86_64__)
    enum { USUAL = 0x1f80 }; // all exceptions masked
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(USUAL);
    return before;
#elif defined(__aarch64__)
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr\n\tmsr fpcr, xzr" : "=&r"(before));
    return before;
#else
    return 0;
#endif
}

static inline void rt_float_end(uint64_t before) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
    (void)before;
#endif
}

#endif

// Arithmetic on sizes that came from outside: false on overflow (or a negative size).
#ifndef SHARDC_BASE_CHECKED_H
#define SHARDC_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_mul(int64_t a, int64_t b, int64_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool checked_add(int64_t a, int64_t b, int64_t *sum) {
    return !__builtin_add_overflow(a, b, sum);
}

// The product of `count` sizes; false if one is negative or the product exceeds int64_t.
static inline bool checked_product(const int64_t *sizes, int count, int64_t *product) {
    *product = 1;
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 0 || !checked_mul(*product, sizes[i], product)) return false;
    }
    return true;
}

#endif

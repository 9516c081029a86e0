// A list of numbers as a sum over digits of the place in it: digit i counts 0 .. size-1 in steps of
// `stride` places, and adds `weight`. Private to gspmd*.c.
#ifndef SHARDC_FRONTEND_GSPMD_DIGITS_H
#define SHARDC_FRONTEND_GSPMD_DIGITS_H

#include "frontend/gspmd/gspmd.h"

#include <stdlib.h>

typedef struct GspmdDigit {
    int64_t stride, size, weight;
} GspmdDigit;

enum { GSPMD_MAX_DIGITS = 32 };

typedef struct GspmdDigits {
    int count;
    GspmdDigit digits[GSPMD_MAX_DIGITS]; // strides ascending; as few as possible
} GspmdDigits;

// False when the numbers are no such sum.
bool gspmd_find_digits(int64_t count, const int64_t *numbers, GspmdDigits *digits);
// The devices, ascending where their order says nothing: in a last replicated group.
const int64_t *gspmd_sorted_devices(Arena *arena, const GspmdSharding *sharding);

#endif

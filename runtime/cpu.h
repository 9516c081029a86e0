// What this CPU can do, and what the system lets us use of it.
#ifndef SHARDC_RUNTIME_CPU_H
#define SHARDC_RUNTIME_CPU_H

#include <stdbool.h>
#include <stddef.h>

// Checks a list as "avx2,fma,amx-tile" and asks the system for the tile registers if they are in
// it; false with the missing features' names in `missing`, as many as fit.
bool rt_cpu_has(const char *features, char *missing, size_t missing_size);

#endif

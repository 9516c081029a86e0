// Memory of models: 64-byte aligned and zeroed, in huge pages where it is large.
#define _GNU_SOURCE
#include "runtime/instance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAP_FROM = 1 << 20, HUGE_PAGE = 2 << 20 };

RtMemory rt_memory_take(size_t size) {
    RtMemory memory = {0};
    if (size > SIZE_MAX / 2) return memory;
    size = (size + RT_CACHE_LINE) & ~(size_t)(RT_CACHE_LINE - 1); // never empty
    if (size < MAP_FROM) {
        memory.data = memory.start = aligned_alloc(RT_CACHE_LINE, size);
        if (memory.data) memset(memory.data, 0, size);
        memory.size = size;
        return memory;
    }
    size_t whole = size + HUGE_PAGE;
    void *start = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return memory;
    size_t skip = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    memory = (RtMemory){(char *)start + skip, start, whole, true};
    (void)madvise(memory.data, size, MADV_HUGEPAGE);
    return memory;
}

void rt_memory_release(RtMemory *memory) {
    if (memory->is_mapped)
        (void)munmap(memory->start, memory->size);
    else
        free(memory->start);
    *memory = (RtMemory){0};
}

// base/arena.c: pages of large arrays
#include "base/arena.h"
#include "tests/unit/cmocka_all.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 1 = the memory at the address may be in huge pages, 0 = it may not, -1 = the system does not say.
static int may_be_huge(const void *address) {
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    int huge = -1;
    bool is_here = false;
    while (file && huge < 0 && fgets(line, sizeof line, file)) {
        uintptr_t from, to;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            is_here = (uintptr_t)address >= from && (uintptr_t)address < to;
        else if (is_here && strncmp(line, "VmFlags:", 8) == 0)
            huge = strstr(line, " hg") != NULL;
    }
    if (file) fclose(file);
    return huge;
}

static bool system_has_huge_pages(void) {
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file) fclose(file);
    return file != NULL;
}

static void small_arrays_begin_at_a_line(void **state) {
    (void)state;
    assert_int_equal(pages_alignment(0), 64);
    assert_int_equal(pages_alignment(1000000), 64);
}

static void large_arrays_are_in_huge_pages(void **state) {
    (void)state;
    const size_t size = 8 << 20;
    size_t alignment = pages_alignment(size);
    assert_true(alignment >= 2 << 20 && size % alignment == 0);
    char *data = aligned_alloc(alignment, size);
    assert_non_null(data);
    assert_int_equal((uintptr_t)data % alignment, 0);
    pages_prepare(data, size);
    memset(data, 1, size);
    if (system_has_huge_pages() && may_be_huge(data) >= 0) {
        assert_int_equal(may_be_huge(data + size / 2), 1);
    }
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_arrays_begin_at_a_line),
        cmocka_unit_test(large_arrays_are_in_huge_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

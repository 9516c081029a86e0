// base/arena.c, base/vec.c
#include "base/arena.h"
#include "base/vec.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

// An allocator that fails from the `allowed`-th call on and counts what is out.
typedef struct Budget {
    int allowed, live;
} Budget;

static void *budget_allocate(void *user, size_t size) {
    Budget *budget = user;
    if (budget->allowed <= 0) return NULL;
    budget->allowed--;
    budget->live++;
    return malloc(size);
}

static void budget_release(void *user, void *memory) {
    Budget *budget = user;
    budget->live -= memory != NULL;
    free(memory);
}

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    const size_t sizes[] = {0, 1, 15, 16, 17, 4000, 5000, 100000, 300000, 3000000};
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            unsigned char *memory = arena_alloc(arena, sizes[i]);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 16, 0);
            for (size_t j = 0; j < sizes[i]; j++)
                assert_int_equal(memory[j], 0);
            memset(memory, 0xAB, sizes[i]);
        }
        if (round == 1) arena_reset(arena);
    }
    arena_free(arena);
}

static void alignment_is_respected(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
        arena_alloc(arena, 1);
        assert_int_equal((uintptr_t)arena_alloc_aligned(arena, 100, alignment) % alignment, 0);
        assert_int_equal((uintptr_t)arena_alloc_aligned(arena, 400000, alignment) % alignment, 0);
    }
    arena_free(arena);
}

static void allocate_until_it_fails(int allowed) {
    Budget budget = {allowed, 0};
    const Allocator allocator = {budget_allocate, budget_release, &budget};
    ArenaGuard guard;
    Arena *arena = arena_create(&allocator, &guard);
    if (!arena) {
        assert_int_equal(budget.live, 0);
        return;
    }
    volatile bool jumped = false;
    if (setjmp(guard.jump)) {
        jumped = true;
    } else {
        for (;;)
            arena_alloc(arena, 100000);
    }
    assert_true(jumped);
    arena_free(arena);
    assert_int_equal(budget.live, 0);
}

static void running_out_jumps_to_the_guard(void **state) {
    (void)state;
    for (int allowed = 0; allowed < 12; allowed++)
        allocate_until_it_fails(allowed);
}

static void too_large_counts_as_out_of_memory(void **state) {
    (void)state;
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    const int64_t counts[] = {-1, INT64_MAX, INT64_MAX / 4};
    for (volatile int i = 0; i < 3; i++) {
        if (setjmp(guard.jump)) continue;
        arena_alloc_array(arena, counts[i], 16);
        fail();
    }
    arena_free(arena);
}

static char order[8];
static int order_count;
static void note(void *argument) { order[order_count++] = *(char *)argument; }

static void deferred_calls_run_last_first(void **state) {
    (void)state;
    order_count = 0;
    Arena *arena = arena_create(NULL, NULL);
    arena_defer(arena, note, arena_copy(arena, "a", 1));
    arena_defer(arena, note, arena_copy(arena, "b", 1));
    arena_reset(arena);
    arena_defer(arena, note, arena_copy(arena, "c", 1));
    arena_free(arena);
    assert_memory_equal(order, "bac", 3);
}

static void defer_without_memory_calls_at_once(void **state) {
    (void)state;
    Budget budget = {1, 0};
    const Allocator allocator = {budget_allocate, budget_release, &budget};
    ArenaGuard guard;
    Arena *arena = arena_create(&allocator, &guard);
    char letter = 'x';
    order_count = 0;
    if (!setjmp(guard.jump)) {
        arena_defer(arena, note, &letter);
        fail();
    }
    assert_int_equal(order_count, 1);
    arena_free(arena);
}

static void a_child_goes_with_its_parent(void **state) {
    (void)state;
    Budget budget = {100, 0};
    const Allocator allocator = {budget_allocate, budget_release, &budget};
    Arena *parent = arena_create(&allocator, NULL);
    Arena *child = arena_child(parent);
    arena_alloc(child, 100000);
    arena_reset(child);
    arena_alloc(child, 100000);
    arena_free(parent);
    assert_int_equal(budget.live, 0);
}

static void texts_are_copied(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    assert_string_equal(arena_printf(arena, "%d-%s", 42, "abc"), "42-abc");
    assert_string_equal(arena_cstring(arena, SV("hello")), "hello");
    assert_string_equal(arena_cstring(arena, (StrView){0}), "");
    StrView view = arena_strview(arena, SV("name"));
    assert_true(strview_is(view, "name"));
    assert_true(arena_bytes(arena) >= 4096);
    arena_free(arena);
    arena_free(NULL);
}

static void growing_memory_is_held_once(void **state) {
    (void)state;
    Budget budget = {1 << 20, 0};
    const Allocator allocator = {budget_allocate, budget_release, &budget};
    for (int own = 0; own < 2; own++) { // the arena's allocator, then malloc
        Arena *arena = arena_create(own ? &allocator : NULL, NULL);
        unsigned char *bytes = NULL;
        size_t size = 0;
        for (size_t grown = 64; grown <= (size_t)1 << 24; grown *= 2) {
            bytes = arena_regrow(arena, bytes, size, grown);
            for (size_t i = 0; i < size; i += 61)
                assert_int_equal(bytes[i], (unsigned char)(i / 61));
            for (size_t i = 0; i < grown; i += 61)
                bytes[i] = (unsigned char)(i / 61);
            arena_alloc(arena, 100); // what lies behind the array
            size = grown;
        }
        assert_true(arena_bytes(arena) < size + size / 8);
        arena_give_back(arena, bytes, size);
        assert_true(arena_bytes(arena) < size / 8);
        int live = budget.live;
        arena_give_back(arena, arena_alloc(arena, 100), 100); // goes with the arena
        assert_int_equal(budget.live, live);
        arena_free(arena);
        assert_int_equal(budget.live, 0);
    }
}

static void vec_grows(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    VEC(int64_t) numbers = {0};
    for (int64_t i = 0; i < 10000; i++)
        vec_push(arena, &numbers, i * i);
    assert_int_equal(numbers.count, 10000);
    for (int64_t i = 0; i < 10000; i++)
        assert_int_equal(numbers.data[i], i * i);
    assert_int_equal(vec_last(&numbers), 9999 * 9999);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(alignment_is_respected),
        cmocka_unit_test(running_out_jumps_to_the_guard),
        cmocka_unit_test(too_large_counts_as_out_of_memory),
        cmocka_unit_test(deferred_calls_run_last_first),
        cmocka_unit_test(defer_without_memory_calls_at_once),
        cmocka_unit_test(a_child_goes_with_its_parent),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(growing_memory_is_held_once),
        cmocka_unit_test(vec_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

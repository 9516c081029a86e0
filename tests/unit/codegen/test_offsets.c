// Places of arrays in a block: none overlap while they live, and little is lost between them.
#include "codegen/kernel/offsets.h"
#include "tests/unit/cmocka_all.h"

enum { MOST_ARRAYS = 200, TRIALS = 300 };

// xorshift64
static int64_t below(uint64_t *state, int64_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (int64_t)(*state % (uint64_t)limit);
}

static bool live_together(const PlacedArray *a, const PlacedArray *b) {
    int64_t end_a = b->begins_single ? a->single_end : a->end;
    int64_t end_b = a->begins_single ? b->single_end : b->end;
    return end_a >= b->begin && end_b >= a->begin;
}

static void check_places(const PlacedArray *arrays, int64_t count, int64_t total) {
    for (int64_t i = 0; i < count; i++) {
        const PlacedArray *a = &arrays[i];
        assert_true(a->offset >= 0 && a->offset + a->size <= total);
        assert_int_equal(a->offset % (a->size && a->size < 64 ? a->size : 64), 0);
        for (int64_t k = 0; k < i; k++) {
            const PlacedArray *b = &arrays[k];
            if (!live_together(a, b)) continue;
            assert_true(a->offset + a->size <= b->offset || b->offset + b->size <= a->offset);
        }
    }
}

// Activations of neighbouring layers live together.
static void a_chain_of_layers_takes_what_is_alive(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    static const int64_t layer[][4] = {// begin, end, lines; from layer to layer 16 steps on
                                       {0, 10, 32}, {2, 12, 32}, {2, 8, 32}, {4, 8, 24},
                                       {6, 10, 24}, {12, 16, 8}, {14, 18, 8}};
    enum { LAYERS = 12, PARTS = sizeof layer / sizeof layer[0] };
    PlacedArray arrays[LAYERS * PARTS];
    for (int i = 0; i < LAYERS * PARTS; i++) {
        const int64_t *part = layer[i % PARTS];
        int64_t at = (int64_t)(i / PARTS) * 10, end = part[1] + at;
        arrays[i] = (PlacedArray){i, part[0] + at, end, end, false, part[2] * 64, -1, 0};
    }
    int64_t total, alive;
    assert_true(place_arrays(arena, arrays, LAYERS * PARTS, &total, &alive));
    check_places(arrays, LAYERS * PARTS, total);
    assert_int_equal(total, alive);
    arena_free(arena);
}

static void random_lifetimes(void **state) {
    (void)state;
    int64_t all_total = 0, all_alive = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        Arena *arena = arena_create(NULL, NULL);
        uint64_t random = trial * 0x9e3779b97f4a7c15U + 1;
        PlacedArray arrays[MOST_ARRAYS];
        int count = (int)below(&random, MOST_ARRAYS + 1);
        for (int i = 0; i < count; i++) {
            int64_t begin = below(&random, 100);
            int64_t last = begin + below(&random, 12);
            int64_t end = trial % 2 ? last + below(&random, 4) : last;
            int64_t size = below(&random, 40) * 64;
            if (below(&random, 4) == 0) size = 4 << below(&random, 4);
            bool is_single = trial % 2 && below(&random, 2);
            arrays[i] = (PlacedArray){i, begin, end, last, is_single, size, -1, 0};
        }
        int64_t total, alive;
        assert_true(place_arrays(arena, arrays, count, &total, &alive));
        check_places(arrays, count, total);
        assert_true(total >= alive);
        arena_free(arena);
        if (trial % 2) continue; // what lives for some alone is not counted
        all_total += total;
        all_alive += alive;
    }
    assert_true(all_total <= all_alive + all_alive / 50);
}

static void more_than_the_address_space(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    PlacedArray arrays[2] = {
        {.number = 0, .end = 1, .single_end = 1, .size = INT64_MAX - 128},
        {.number = 1, .end = 1, .single_end = 1, .size = INT64_MAX - 128},
    };
    int64_t total, alive;
    assert_false(place_arrays(arena, arrays, 2, &total, &alive));
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_layers_takes_what_is_alive),
        cmocka_unit_test(random_lifetimes),
        cmocka_unit_test(more_than_the_address_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Look-ups in constant tables: what follows a rule becomes arithmetic, and whatever it becomes
// gives the numbers of the table.
#include "codegen/expr/expr.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

enum { DEVICES = 12 };

static ExprBuilder *builder(Arena *arena) {
    DeviceProgram *program = ARENA_NEW(arena, DeviceProgram);
    program->device_count = DEVICES;
    return expr_builder_with(
        arena, program, ARENA_NEW(arena, Kernel), -1, NULL, diags_create(arena));
}

static const IndexExpr *own_and(ExprBuilder *b, int64_t size, int variable) {
    const IndexExpr *own = index_scale(b->index, expr_own_device(b), size);
    return index_add(b->index, own, index_variable(b->index, variable, size));
}

// Does the expression give numbers[device * size + k] everywhere?
static void gives(
    ExprBuilder *b, const IndexExpr *x, const int64_t *numbers, int64_t size, int variable) {
    for (int64_t i = 0; i < DEVICES * size; i++) {
        Substitution s = substitution(b, b);
        s.device = index_constant(b->index, i / size);
        s.variables[variable] = index_constant(b->index, i % size);
        const IndexExpr *here = expr_substitute_index(&s, x);
        assert_true(index_is_constant(here));
        assert_int_equal(here->constant, numbers[i]);
    }
}

static void members_of_even_groups_need_no_table(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    ExprBuilder *b = builder(arena);
    int k = expr_new_variable(b, false);
    int64_t all[DEVICES * DEVICES], pairs[DEVICES * 2];
    for (int64_t i = 0; i < DEVICES * DEVICES; i++)
        all[i] = i % DEVICES;
    const IndexExpr *x = expr_table(b, DEVICES * DEVICES, all, own_and(b, DEVICES, k));
    assert_ptr_equal(x, index_variable(b->index, k, DEVICES));
    for (int64_t i = 0; i < DEVICES * 2; i++) // devices d and d + 6
        pairs[i] = i / 2 % 6 + i % 2 * 6;
    k = expr_new_variable(b, false);
    x = expr_table(b, DEVICES * 2, pairs, own_and(b, 2, k));
    int64_t factor;
    assert_true(index_is_affine_in(x, k, &factor));
    assert_int_equal(factor, 6);
    gives(b, x, pairs, 2, k);
    arena_free(arena);
}

static void tables_of_tables_are_one(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    ExprBuilder *b = builder(arena);
    int k = expr_new_variable(b, false);
    int64_t members[DEVICES * 3], first[DEVICES], found[DEVICES * 3];
    for (int64_t i = 0; i < DEVICES * 3; i++)
        members[i] = i / 9 * 3 + i % 3; // groups of neighbours
    for (int64_t d = 0; d < DEVICES; d++)
        first[d] = 100 * (d % 3) + 7 * (d / 3);
    for (int64_t i = 0; i < DEVICES * 3; i++)
        found[i] = first[members[i]];
    const IndexExpr *device = expr_table(b, DEVICES * 3, members, own_and(b, 3, k));
    const IndexExpr *x = expr_table(b, DEVICES, first, device);
    int64_t factor;
    assert_true(index_is_affine_in(x, k, &factor));
    assert_int_equal(factor, 100);
    gives(b, x, found, 3, k);
    arena_free(arena);
}

static void random_tables_keep_their_numbers(void **state) {
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 300; round++) {
        Arena *arena = arena_create(NULL, NULL);
        ExprBuilder *b = builder(arena);
        int k = expr_new_variable(b, false);
        int64_t size = 1 + round % 4, inner[DEVICES * 4], outer[DEVICES], both[DEVICES * 4];
        for (int64_t i = 0; i < DEVICES * size; i++) {
            seed = seed * 1664525U + 1013904223U;
            int64_t random = seed >> 16, even = i / size * (round % 3) + i % size;
            inner[i] = (round % 2 ? random : even) % DEVICES;
        }
        for (int64_t d = 0; d < DEVICES; d++) {
            seed = seed * 1664525U + 1013904223U;
            outer[d] = round % 5 ? 3 * d - 11 : (int64_t)(seed >> 20) - 50;
        }
        for (int64_t i = 0; i < DEVICES * size; i++)
            both[i] = outer[inner[i]];
        const IndexExpr *x = expr_table(b, DEVICES * size, inner, own_and(b, size, k));
        gives(b, x, inner, size, k);
        gives(b, expr_table(b, DEVICES, outer, x), both, size, k);
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_even_groups_need_no_table),
        cmocka_unit_test(tables_of_tables_are_one),
        cmocka_unit_test(random_tables_keep_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The normal form of index expressions, and random expressions against their values.
#include "codegen/expr/index_map.h"
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

static const IndexExpr *var(IndexBuilder *b, int id, int64_t extent) {
    return index_variable(b, id, extent);
}

static void division_undoes_linearisation(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    IndexBuilder *b = index_builder_create(arena);
    const IndexExpr *i = var(b, 0, 8), *j = var(b, 1, 16);
    const IndexExpr *number = index_add(b, index_scale(b, i, 16), j);
    assert_ptr_equal(index_div(b, number, 16), i);
    assert_ptr_equal(index_mod(b, number, 16), j);
    assert_ptr_equal(index_div(b, number, 32), index_div(b, i, 2));
    arena_free(arena);
}

static void linearisation_undoes_division(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    IndexBuilder *b = index_builder_create(arena);
    const int64_t dims[3] = {6, 5, 7};
    const IndexExpr *number = var(b, 0, 6 * 5 * 7), *index[3];
    index_delinear(b, number, 3, dims, index);
    assert_ptr_equal(index_linear(b, 3, dims, index), number);
    arena_free(arena);
}

static void reshapes_of_reshapes_vanish(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    IndexBuilder *b = index_builder_create(arena);
    const int64_t from[2] = {12, 10}, to[3] = {4, 15, 2};
    const IndexExpr *index[2] = {var(b, 0, 12), var(b, 1, 10)}, *middle[3], *back[2];
    index_delinear(b, index_linear(b, 2, from, index), 3, to, middle);
    index_delinear(b, index_linear(b, 3, to, middle), 2, from, back);
    assert_ptr_equal(back[0], index[0]);
    assert_ptr_equal(back[1], index[1]);
    arena_free(arena);
}

static void digits_of_a_digit_vanish(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    IndexBuilder *b = index_builder_create(arena);
    const int64_t outer[2] = {256, 384}, inner[3] = {12, 4, 8};
    const IndexExpr *number = var(b, 0, 256 * 384), *index[2], *digits[3];
    index_delinear(b, number, 2, outer, index);
    index_delinear(b, index[1], 3, inner, digits);
    assert_ptr_equal(index_linear(b, 3, inner, digits), index[1]);
    // and where the parts are substituted one after the other
    const int64_t all[4] = {256, 12, 4, 8};
    const IndexExpr *parts[4] = {index[0], digits[0], digits[1], digits[2]};
    assert_ptr_equal(index_linear(b, 4, all, parts), number);
    arena_free(arena);
}

static void ranges_decide_conditions(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    IndexBuilder *b = index_builder_create(arena);
    const IndexExpr *x = index_add_constant(b, var(b, 0, 10), -1);
    assert_int_equal(index_in_range(x, -1, 9), INDEX_ALWAYS);
    assert_int_equal(index_in_range(x, 9, 20), INDEX_NEVER);
    assert_int_equal(index_in_range(x, 0, 20), INDEX_SOMETIMES);
    arena_free(arena);
}

static int64_t floor_div(int64_t x, int64_t y) { return x / y - (x % y < 0); }

// The value of an expression for given variables.
static int64_t value_of(const IndexExpr *x, const int64_t *variables) {
    int64_t sum = x->constant;
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        int64_t of = atom->of ? value_of(atom->of, variables) : variables[atom->id];
        if (atom->kind == INDEX_DIV) of = floor_div(of, atom->by);
        if (atom->kind == INDEX_MOD) of = of - floor_div(of, atom->by) * atom->by;
        sum += of * x->factors[i];
    }
    return sum;
}

typedef struct Pair {
    const IndexExpr *expr;
    int64_t value;
} Pair;

static int64_t below(uint64_t *seed, int64_t count) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(*seed >> 33) % count;
}

static void random_expressions_keep_their_value(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    uint64_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        IndexBuilder *b = index_builder_create(arena);
        int64_t values[3];
        Pair pool[16];
        int count = 0;
        for (int v = 0; v < 3; v++) {
            int64_t extent = 1 + below(&seed, 12);
            values[v] = below(&seed, extent);
            pool[count++] = (Pair){var(b, v, extent), values[v]};
        }
        while (count < 16) {
            Pair x = pool[below(&seed, count)], y = pool[below(&seed, count)], z;
            int64_t n = 1 + below(&seed, 12);
            switch (below(&seed, 6)) {
            case 0: z = (Pair){index_add(b, x.expr, y.expr), x.value + y.value}; break;
            case 1: z = (Pair){index_sub(b, x.expr, y.expr), x.value - y.value}; break;
            case 2: z = (Pair){index_scale(b, x.expr, n - 6), x.value * (n - 6)}; break;
            case 3: z = (Pair){index_div(b, x.expr, n), floor_div(x.value, n)}; break;
            case 4: z = (Pair){index_mod(b, x.expr, n), x.value - floor_div(x.value, n) * n}; break;
            default: z = (Pair){index_add_constant(b, x.expr, n - 6), x.value + n - 6}; break;
            }
            assert_int_equal(value_of(z.expr, values), z.value);
            assert_true(z.expr->low <= z.value && z.value <= z.expr->high);
            pool[count++] = z;
        }
        arena_reset(arena);
    }
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(division_undoes_linearisation),
        cmocka_unit_test(linearisation_undoes_division),
        cmocka_unit_test(reshapes_of_reshapes_vanish),
        cmocka_unit_test(digits_of_a_digit_vanish),
        cmocka_unit_test(ranges_decide_conditions),
        cmocka_unit_test(random_expressions_keep_their_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

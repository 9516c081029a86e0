// base/map.c, base/intern.c
#include "base/intern.h"
#include "base/map.h"
#include "tests/unit/cmocka_all.h"

static int setup(void **state) {
    *state = arena_create(NULL, NULL);
    return *state == NULL;
}

static int teardown(void **state) {
    arena_free(*state);
    return 0;
}

static void ptr_map_keeps_every_key(void **state) {
    PtrMap map = ptr_map(*state);
    static char keys[5000], values[5000];
    assert_null(ptr_map_get(&map, &keys[0]));
    assert_false(ptr_map_has(&map, &keys[0]));
    for (int i = 0; i < 5000; i++)
        ptr_map_set(&map, &keys[i], &values[i]);
    for (int i = 0; i < 5000; i++)
        assert_ptr_equal(ptr_map_get(&map, &keys[i]), &values[i]);
    assert_int_equal(map.count, 5000);
    assert_null(ptr_map_get(&map, &values[0]));
}

static void ptr_map_set_replaces(void **state) {
    PtrMap map = ptr_map(*state);
    char key = 0, a = 0, b = 0;
    ptr_map_set(&map, &key, &a);
    ptr_map_set(&map, &key, &b);
    assert_ptr_equal(ptr_map_get(&map, &key), &b);
    assert_int_equal(map.count, 1);
    ptr_map_set(&map, &key, NULL);
    assert_true(ptr_map_has(&map, &key));
    assert_null(ptr_map_get(&map, &key));
}

static void str_map_compares_bytes(void **state) {
    StrMap map = str_map(*state);
    static int values[2000];
    assert_null(str_map_get(&map, SV("k0")));
    for (int i = 0; i < 2000; i++) {
        str_map_set(&map, strview(arena_printf(*state, "k%d", i)), &values[i]);
    }
    for (int i = 0; i < 2000; i++) {
        StrView key = strview(arena_printf(*state, "k%d", i));
        assert_ptr_equal(str_map_get(&map, key), &values[i]);
    }
    assert_null(str_map_get(&map, SV("k2000")));
    str_map_set(&map, (StrView){0}, &values[7]); // the empty text is a key like others
    assert_ptr_equal(str_map_get(&map, SV("")), &values[7]);
    str_map_set(&map, SV("k5"), &values[1]);
    assert_ptr_equal(str_map_get(&map, SV("k5")), &values[1]);
    assert_int_equal(map.count, 2001);
}

static void equal_bytes_are_one_pointer(void **state) {
    Interner *interner = interner_create(*state);
    const char **first = ARENA_ARRAY(*state, const char *, 3000);
    for (int i = 0; i < 3000; i++) {
        first[i] = intern(interner, strview(arena_printf(*state, "name%d", i))).data;
        assert_int_equal((uintptr_t)first[i] % 16, 0);
    }
    for (int i = 0; i < 3000; i++) {
        const char *text = arena_printf(*state, "name%d", i);
        assert_ptr_equal(intern(interner, strview(text)).data, first[i]);
        assert_string_equal(first[i], text);
    }
    assert_ptr_equal(intern(interner, (StrView){0}).data, intern(interner, SV("")).data);
    assert_ptr_not_equal(intern(interner, SV("a\0b")).data, intern(interner, SV("a\0c")).data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptr_map_keeps_every_key),
        cmocka_unit_test(ptr_map_set_replaces),
        cmocka_unit_test(str_map_compares_bytes),
        cmocka_unit_test(equal_bytes_are_one_pointer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

// base/strview.c, base/strbuf.c, base/json.c
#include "base/json.h"
#include "tests/unit/cmocka_all.h"

#include <math.h>

static int setup(void **state) {
    *state = arena_create(NULL, NULL);
    return *state == NULL;
}

static int teardown(void **state) {
    arena_free(*state);
    return 0;
}

static void integers_are_read_whole_or_not_at_all(void **state) {
    (void)state;
    int64_t number = 0;
    assert_true(strview_to_int64(SV("-9223372036854775808"), &number));
    assert_true(number == INT64_MIN);
    assert_true(strview_to_int64(SV("9223372036854775807"), &number));
    assert_true(number == INT64_MAX);
    assert_true(strview_to_int64(SV("+12"), &number));
    assert_int_equal(number, 12);
    const char *bad[] = {
        "",
        "-",
        "+",
        "1 ",
        " 1",
        "1a",
        "--1",
        "9223372036854775808",
        "0x10",
        "-9223372036854775809",
        "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(strview_to_int64(strview(bad[i]), &number));
    }
}

static void decimals_are_read_whole_or_not_at_all(void **state) {
    (void)state;
    double number = 0;
    assert_true(strview_to_double(SV("1.5e+3"), &number));
    assert_true(number == 1500);
    assert_true(strview_to_double(SV("-0.1"), &number));
    assert_true(number == -0.1);
    assert_true(strview_to_double(SV("1e999"), &number));
    assert_true(isinf(number));
    const char *bad[] = {"", ".", "nan", "inf", "0x1p3", " 1", "1 ", "1e", "1.2.3", "e5", "1,5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(strview_to_double(strview(bad[i]), &number));
    }
}

static void order_is_bytewise(void **state) {
    (void)state;
    assert_true(strview_compare(SV("a"), SV("b")) < 0);
    assert_true(strview_compare(SV("ab"), SV("a")) > 0);
    assert_int_equal(strview_compare(SV("ab"), SV("ab")), 0);
    assert_true(strview_compare(SV("\xff"), SV("a")) > 0);
    assert_int_equal(strview_compare((StrView){0}, SV("")), 0);
    assert_true(strview_ends_with(SV("model.mlir"), SV(".mlir")));
    assert_false(strview_ends_with(SV("ir"), SV(".mlir")));
}

static void utf8_is_checked(void **state) {
    (void)state;
    assert_int_equal(strview_utf8(SV("a")), 1);
    assert_int_equal(strview_utf8(SV("\xc3\xa9")), 2);
    assert_int_equal(strview_utf8(SV("\xe2\x82\xac")), 3);
    assert_int_equal(strview_utf8(SV("\xf0\x9f\x98\x80")), 4);
    const char *bad[] = {
        "",
        "\x80",
        "\xc0\xaf",
        "\xc3",
        "\xe0\x80\x80",
        "\xed\xa0\x80",
        "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80",
        "\xff",
        "\xe2\x82"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(strview_utf8(strview(bad[i])), 0);
    }
}

// Profiles and caches may keep it: the hash must not change from version to version.
static void hash_is_stable(void **state) {
    (void)state;
    assert_true(hash_bytes("shardc", 6, 0) == hash_bytes("shardc", 6, 0));
    assert_true(hash_bytes("shardc", 6, 0) != hash_bytes("shardc", 6, 1));
    assert_true(hash_bytes("a\0", 2, 0) != hash_bytes("a", 1, 0));
    assert_true(hash_bytes("", 0, 0) == 0);
}

static void strbuf_appends(void **state) {
    StrBuf buf = strbuf(*state);
    assert_string_equal(strbuf_cstring(&buf), "");
    assert_int_equal(strbuf_view(&buf).size, 0);
    strbuf_puts(&buf, "x=");
    strbuf_printf(&buf, "%d%s", 7, "");
    strbuf_putc(&buf, ';');
    strbuf_indent(&buf, 3);
    strbuf_append(&buf, SV("end"));
    assert_string_equal(strbuf_cstring(&buf), "x=7;   end");
    for (int i = 0; i < 1000; i++)
        strbuf_printf(&buf, "%0*d", 97, i);
    assert_int_equal(buf.size, 10 + 97000);
    assert_int_equal(strlen(strbuf_cstring(&buf)), buf.size);
}

static void json_puts_commas_and_quotes(void **state) {
    StrBuf buf = strbuf(*state);
    Json json = json_writer(&buf);
    json_begin_object(&json);
    json_key(&json, "a\"");
    json_begin_array(&json);
    json_int(&json, -3);
    json_string(&json, SV("x\n\t\\\x01\xff\xc3\xa9"));
    json_begin_object(&json);
    json_end_object(&json);
    json_bool(&json, true);
    json_null(&json);
    json_end_array(&json);
    json_key(&json, "b");
    json_double(&json, 0.1);
    json_end_object(&json);
    assert_string_equal(
        strbuf_cstring(&buf),
        "{\"a\\\"\":[-3,\"x\\n\\t\\\\\\u0001\xEF\xBF\xBD\xc3\xa9\",{},true,null],\"b\":0.1}");
}

static void json_doubles_read_back(void **state) {
    StrBuf buf = strbuf(*state);
    Json json = json_writer(&buf);
    json_begin_array(&json);
    json_double(&json, 1.0 / 3);
    json_double(&json, 1e300);
    json_double(&json, 5e-324);
    json_double(&json, (double)NAN);
    json_double(&json, -(double)INFINITY);
    json_double(&json, 3);
    json_end_array(&json);
    assert_string_equal(strbuf_cstring(&buf), "[0.3333333333333333,1e+300,5e-324,null,null,3]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read_whole_or_not_at_all),
        cmocka_unit_test(decimals_are_read_whole_or_not_at_all),
        cmocka_unit_test(order_is_bytewise),
        cmocka_unit_test(utf8_is_checked),
        cmocka_unit_test(hash_is_stable),
        cmocka_unit_test(strbuf_appends),
        cmocka_unit_test(json_puts_commas_and_quotes),
        cmocka_unit_test(json_doubles_read_back),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

// ir/type.c, ir/attr.c, ir/print/attr_print.c
#include "ir/print/attr_print.h"
#include "tests/unit/ir/ir_fixture.h"

static void equal_types_are_one_pointer(void **state) {
    Fixture *fixture = *state;
    Context *context = fixture->context;
    const Type *a = type_tensor(context, ELEMENT_F32, 2, (int64_t[]){8, 16});
    assert_ptr_equal(a, type_tensor(context, ELEMENT_F32, 2, (int64_t[]){8, 16}));
    assert_ptr_not_equal(a, type_tensor(context, ELEMENT_F32, 2, (int64_t[]){16, 8}));
    assert_ptr_not_equal(a, type_with_element(context, a, ELEMENT_I32));
    assert_ptr_equal(
        type_tuple(context, 2, (const Type *[]){a, a}),
        type_tuple(context, 2, (const Type *[]){a, a}));
}

static void check_print(Fixture *fixture, const Attr *attr, const char *expected) {
    StrBuf text = strbuf(fixture->arena);
    attr_print(&text, attr);
    assert_string_equal(strbuf_cstring(&text), expected);
}

static void floats_print_as_mlir_prints_them(void **state) {
    Fixture *fixture = *state;
    const struct {
        double number;
        ElementType element;
        const char *text;
    } cases[] = {
        {1.0, ELEMENT_F32, "1.000000e+00 : f32"},
        {1e-10, ELEMENT_F64, "1.000000e-10 : f64"},
        {0.70710677, ELEMENT_F32, "0.707106769 : f32"},
        {123456792.0, ELEMENT_F32, "0x4CEB79A3 : f32"},
        {(double)__builtin_inff(), ELEMENT_F32, "0x7F800000 : f32"},
        {-(double)__builtin_inff(), ELEMENT_BF16, "0xFF80 : bf16"},
        {3.140625, ELEMENT_BF16, "3.140630e+00 : bf16"},
        {0.0, ELEMENT_F16, "0.000000e+00 : f16"},
        {-0.0, ELEMENT_F32, "-0.000000e+00 : f32"},
        {9.9999999e9, ELEMENT_F32, "1.000000e+10 : f32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_print(
            fixture, attr_float(fixture->context, cases[i].number, cases[i].element),
            cases[i].text);
}

static void constants_nest_as_their_shape_does(void **state) {
    Fixture *fixture = *state;
    Context *context = fixture->context;
    check_print(
        fixture, attr_int_matrix(context, 2, 2, (int64_t[]){1, 2, 3, 4}),
        "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>");
    check_print(
        fixture, attr_int_matrix(context, 1, 3, (int64_t[]){7, 7, 7}),
        "dense<7> : tensor<1x3xi64>");
    check_print(fixture, attr_int_matrix(context, 0, 2, NULL), "dense<> : tensor<0x2xi64>");
    unsigned char flags[] = {1, 0};
    const Type *type = type_tensor(context, ELEMENT_I1, 1, (int64_t[]){2});
    check_print(
        fixture, attr_elements(context, type, false, flags, 2),
        "dense<[true, false]> : tensor<2xi1>");
}

static void dictionaries_are_sorted_and_unique(void **state) {
    Fixture *fixture = *state;
    Context *context = fixture->context;
    const Attr *one = attr_int(context, 1, ELEMENT_I64), *unit = attr_unit(context);
    StrView names[] = {SV("b"), SV("odd name"), SV("a")};
    const Attr *dict = attr_dict(context, 3, names, (const Attr *[]){unit, one, one});
    check_print(fixture, dict, "{a = 1 : i64, b, \"odd name\" = 1 : i64}");
    assert_ptr_equal(attr_dict_set(context, dict, SV("a"), one), dict);
    assert_ptr_equal(attr_dict_get(dict, SV("b")), unit);
    assert_null(attr_dict_set(
        context, attr_dict(context, 1, names, (const Attr *[]){unit}), SV("b"), NULL));
}

static void splats_answer_every_index(void **state) {
    Fixture *fixture = *state;
    Context *context = fixture->context;
    const Type *type = type_tensor(context, ELEMENT_I8, 1, (int64_t[]){5});
    int8_t number = -3;
    const Attr *splat = attr_elements(context, type, true, &number, 1);
    assert_int_equal(attr_element_int(splat, 4), -3);
    assert_int_equal(splat->count, 5);
    assert_int_equal(splat->ints[4], -3);
}

static void equal_propagation_edges_are_one_pointer(void **state) {
    Fixture *fixture = *state;
    EdgeEnd targets[] = {{false, 1}, {true, 0}};
    AxisEdge edge = {{SV("x"), 1, 2}, {false, 0}, 2, targets};
    PropagationStep steps[] = {{3, 1, &edge}, {5, 1, &edge}};
    Attr prototype = {.kind = ATTR_EDGES, .count = 2, .steps = steps};
    const Attr *edges = attr_intern(fixture->context, &prototype);
    assert_ptr_equal(edges, attr_intern(fixture->context, &prototype));
    targets[1].index = 1;
    assert_ptr_not_equal(edges, attr_intern(fixture->context, &prototype));
    check_print(
        fixture, edges,
        "#sdy.propagation_edges<[{step-3 = [{\"x\":(1)2 = operand-0 -> [operand-1, result-0]}]}, "
        "{step-5 = [{\"x\":(1)2 = operand-0 -> [operand-1, result-0]}]}]>");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(equal_types_are_one_pointer),
        FIXTURE_TEST(floats_print_as_mlir_prints_them),
        FIXTURE_TEST(constants_nest_as_their_shape_does),
        FIXTURE_TEST(dictionaries_are_sorted_and_unique),
        FIXTURE_TEST(splats_answer_every_index),
        FIXTURE_TEST(equal_propagation_edges_are_one_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

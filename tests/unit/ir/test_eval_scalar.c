// ir/scalar/: what one element becomes.
#include "ir/scalar/scalar.h"
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <string.h>

static double real2(OpCode code, double x, double y) {
    double result = 0;
    ScalarArg args[2] = {{&x, ELEMENT_F64, false}, {&y, ELEMENT_F64, false}};
    assert_true(scalar_apply(code, NULL, 1, args, ELEMENT_F64, &result));
    return result;
}

static float float1(OpCode code, float x) {
    float result = 0;
    ScalarArg arg = {&x, ELEMENT_F32, false};
    assert_true(scalar_apply(code, NULL, 1, &arg, ELEMENT_F32, &result));
    return result;
}

static double double1(OpCode code, double x) {
    double result = 0;
    ScalarArg arg = {&x, ELEMENT_F64, false};
    assert_true(scalar_apply(code, NULL, 1, &arg, ELEMENT_F64, &result));
    return result;
}

static int64_t int2(OpCode code, ElementType element, int64_t x, int64_t y) {
    char a[8] = {0}, b[8] = {0}, r[8] = {0};
    int64_t result = 0;
    scalar_store_int(element, &x, 1, a);
    scalar_store_int(element, &y, 1, b);
    ScalarArg args[2] = {{a, element, false}, {b, element, false}};
    assert_true(scalar_apply(code, NULL, 1, args, element, r));
    scalar_load_int(element, r, 1, 1, &result);
    return result;
}

static void maximum_and_minimum_keep_nan_and_signed_zeros(void **state) {
    (void)state;
    assert_true(isnan(real2(OP_MAXIMUM, (double)NAN, 1)));
    assert_true(isnan(real2(OP_MAXIMUM, 1, (double)NAN)));
    assert_true(isnan(real2(OP_MINIMUM, (double)NAN, 1)));
    assert_false(signbit(real2(OP_MAXIMUM, -0.0, 0.0)));
    assert_true(signbit(real2(OP_MINIMUM, 0.0, -0.0)));
    assert_true(signbit(double1(OP_SIGN, -0.0)));
    assert_true(isnan(double1(OP_SIGN, (double)NAN)));
}

static void integer_division_has_no_traps(void **state) {
    (void)state;
    assert_int_equal(int2(OP_DIVIDE, ELEMENT_I32, 7, 0), -1);
    assert_int_equal(int2(OP_REMAINDER, ELEMENT_I32, 7, 0), 7);
    assert_int_equal(int2(OP_DIVIDE, ELEMENT_I64, INT64_MIN, -1), INT64_MIN);
    assert_int_equal(int2(OP_REMAINDER, ELEMENT_I64, INT64_MIN, -1), 0);
    assert_int_equal(int2(OP_DIVIDE, ELEMENT_I8, -128, -1), -128);
    assert_int_equal(int2(OP_DIVIDE, ELEMENT_UI8, 7, 0), 255);
    assert_int_equal(int2(OP_DIVIDE, ELEMENT_I32, -7, 2), -3);
    assert_int_equal(int2(OP_REMAINDER, ELEMENT_I32, -7, 2), -1);
}

static void integers_wrap(void **state) {
    (void)state;
    assert_int_equal(int2(OP_ADD, ELEMENT_I8, 127, 1), -128);
    assert_int_equal(int2(OP_MULTIPLY, ELEMENT_I64, INT64_MAX, 2), -2);
    assert_int_equal(int2(OP_SUBTRACT, ELEMENT_UI16, 0, 1), 65535);
    assert_int_equal(int2(OP_ADD, ELEMENT_I4, 7, 1), -8);
    assert_int_equal(int2(OP_POWER, ELEMENT_I32, 3, 4), 81);
    assert_int_equal(int2(OP_POWER, ELEMENT_I32, -1, -3), -1);
    assert_int_equal(int2(OP_POWER, ELEMENT_I32, 2, -1), 0);
    assert_int_equal(int2(OP_CHLO_MULHI, ELEMENT_I64, INT64_MIN, INT64_MIN), (int64_t)1 << 62);
    assert_int_equal(int2(OP_CHLO_MULHI, ELEMENT_UI64, -1, -1), -2);
    assert_int_equal(int2(OP_CHLO_MULHI, ELEMENT_I32, -2, 3), -1);
}

static void shifts_beyond_the_width_are_defined(void **state) {
    (void)state;
    assert_int_equal(int2(OP_SHIFT_LEFT, ELEMENT_I32, 1, 32), 0);
    assert_int_equal(int2(OP_SHIFT_RIGHT_LOGICAL, ELEMENT_I32, -1, 32), 0);
    assert_int_equal(int2(OP_SHIFT_RIGHT_LOGICAL, ELEMENT_I8, -1, 4), 15);
    assert_int_equal(int2(OP_SHIFT_RIGHT_ARITHMETIC, ELEMENT_I32, -5, 40), -1);
    assert_int_equal(int2(OP_SHIFT_RIGHT_ARITHMETIC, ELEMENT_UI8, 0x80, 3), 0xF0);
    assert_int_equal(int2(OP_SHIFT_LEFT, ELEMENT_I32, 1, -1), 0);
}

static int64_t float_to(ElementType element, float x) {
    char r[8] = {0};
    int64_t result = 0;
    scalar_convert(ELEMENT_F32, &x, element, r, 1);
    scalar_load_int(element, r, 1, 1, &result);
    return result;
}

static void float_to_integer_saturates(void **state) {
    (void)state;
    assert_int_equal(float_to(ELEMENT_I32, NAN), 0);
    assert_int_equal(float_to(ELEMENT_I32, 1e20F), INT32_MAX);
    assert_int_equal(float_to(ELEMENT_I32, -INFINITY), INT32_MIN);
    assert_int_equal(float_to(ELEMENT_I64, INFINITY), INT64_MAX);
    assert_int_equal(float_to(ELEMENT_UI8, -3.0F), 0);
    assert_int_equal(float_to(ELEMENT_UI8, 300.0F), 255);
    assert_int_equal(float_to(ELEMENT_I8, -2.9F), -2);
    assert_int_equal(float_to(ELEMENT_I1, NAN), 1);
}

static void narrow_floats_round_to_even(void **state) {
    (void)state;
    float x = 1.00390625F; // halfway between two bf16 numbers
    uint16_t bits = 0;
    scalar_convert(ELEMENT_F32, &x, ELEMENT_BF16, &bits, 1);
    assert_int_equal(bits, 0x3F80);
    x = 1.01171875F;
    scalar_convert(ELEMENT_F32, &x, ELEMENT_BF16, &bits, 1);
    assert_int_equal(bits, 0x3F82);
    x = 65520.0F; // rounds up to infinity
    scalar_convert(ELEMENT_F32, &x, ELEMENT_F16, &bits, 1);
    assert_int_equal(bits, 0x7C00);
    int64_t big = ((int64_t)1 << 24) + 1; // halfway between two f32 numbers
    scalar_convert(ELEMENT_I64, &big, ELEMENT_F32, &x, 1);
    assert_true(x == 16777216.0F);
}

// |got - expected| within a number of ulp of expected.
static void expect_close(double got, double expected, double ulp) {
    double step = fabs(nextafter(expected, (double)INFINITY) - expected);
    if (!(fabs(got - expected) <= ulp * step)) fail_msg("%.17g, expected %.17g", got, expected);
}

// Reference values: closed forms and the tables of Abramowitz and Stegun, to 17 digits.
static void special_functions_are_accurate(void **state) {
    (void)state;
    expect_close(double1(OP_CHLO_DIGAMMA, 1), -0.57721566490153286, 4);
    expect_close(double1(OP_CHLO_DIGAMMA, 0.5), -1.9635100260214235, 4);
    expect_close(double1(OP_CHLO_DIGAMMA, 100), 4.6001618527380874, 4);
    expect_close(double1(OP_CHLO_DIGAMMA, -0.5), 0.036489973978576521, 200); // cancellation
    expect_close(double1(OP_CHLO_LGAMMA, 10), 12.801827480081469, 4);
    expect_close(double1(OP_CHLO_ERF_INV, 0.5), 0.47693627620446987, 4);
    expect_close(double1(OP_CHLO_ERF_INV, -0.999), -2.3267537655135246, 8);
    expect_close(double1(OP_CHLO_BESSEL_I1E, 1), 0.20791041534970845, 4);
    expect_close(real2(OP_CHLO_ZETA, 2, 1), 1.6449340668482264, 4);
    expect_close(real2(OP_CHLO_ZETA, 3, 0.5), 8.4143983221171600, 4);
    expect_close(real2(OP_CHLO_POLYGAMMA, 1, 1), 1.6449340668482264, 8);
    expect_close(real2(OP_CHLO_POLYGAMMA, 2, 1), -2.4041138063191886, 8);
    assert_true(float1(OP_CHLO_ERF_INV, 1.0F) == INFINITY);
    assert_true(isnan(float1(OP_CHLO_ERF_INV, 1.5F)));
    assert_true(float1(OP_RSQRT, 4.0F) == 0.5F);
}

static void denormals_are_kept(void **state) {
    (void)state;
    assert_true(float1(OP_NEGATE, 0x1p-149F) == -0x1p-149F);
    assert_true(float1(OP_CEIL, 0x1p-149F) == 1.0F);
    assert_true(float1(OP_SQRT, 0x1p-148F) == 0x1p-74F);
}

static void complex_division_survives_extremes(void **state) {
    (void)state;
    double _Complex q = scalar_cdiv(complex_of(1e300, 1e300), complex_of(1e300, 1e300));
    assert_true(creal(q) == 1 && cimag(q) == 0);
    q = scalar_cdiv(complex_of(1e-300, 0.0), complex_of(1e-300, 0.0));
    assert_true(creal(q) == 1 && cimag(q) == 0);
    q = scalar_clog1p(complex_of(1e-20, 1e-12));
    expect_close(creal(q), 1e-20 + 0.5e-24, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maximum_and_minimum_keep_nan_and_signed_zeros),
        cmocka_unit_test(integer_division_has_no_traps),
        cmocka_unit_test(integers_wrap),
        cmocka_unit_test(shifts_beyond_the_width_are_defined),
        cmocka_unit_test(float_to_integer_saturates),
        cmocka_unit_test(narrow_floats_round_to_even),
        cmocka_unit_test(special_functions_are_accurate),
        cmocka_unit_test(denormals_are_kept),
        cmocka_unit_test(complex_division_survives_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// base/float_formats.c
#include "base/float_formats.h"
#include "tests/unit/cmocka_all.h"

#include <math.h>
#include <string.h>

static const FloatFormat *const formats[] = {
    &float_format_bf16,       &float_format_f16,        &float_format_f8e5m2,
    &float_format_f8e4m3,     &float_format_f8e3m4,     &float_format_f8e4m3fn,
    &float_format_f8e5m2fnuz, &float_format_f8e4m3fnuz, &float_format_f8e4m3b11fnuz,
    &float_format_f8e8m0fnu,  &float_format_f6e2m3fn,   &float_format_f6e3m2fn,
    &float_format_f4e2m1fn,
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static void every_pattern_comes_back(void **state) {
    (void)state;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        for (uint64_t bits = 0; bits < 1ULL << formats[i]->bits; bits++) {
            double number = float_decode(formats[i], bits);
            uint64_t back = float_encode(formats[i], number);
            if (isnan(number))
                assert_true(isnan(float_decode(formats[i], back)));
            else
                assert_int_equal(back, bits);
        }
    }
}

// Between two neighbours: below the middle goes down, above goes up, the middle to the even
// pattern.
static void rounds_to_nearest_even(void **state) {
    (void)state;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const FloatFormat *format = formats[i];
        uint64_t positive = 1ULL << (format->is_unsigned ? format->bits : format->bits - 1);
        for (uint64_t bits = 0; bits + 1 < positive; bits++) {
            double low = float_decode(format, bits), high = float_decode(format, bits + 1);
            if (!isfinite(low) || !isfinite(high)) break;
            double middle = (low + high) / 2;
            assert_int_equal(float_encode(format, middle), bits & 1 ? bits + 1 : bits);
            assert_int_equal(float_encode(format, nextafter(middle, 0)), bits);
            assert_int_equal(float_encode(format, nextafter(middle, HUGE_VAL)), bits + 1);
            if (format->is_unsigned || bits == 0) continue;
            assert_int_equal(
                float_encode(format, -nextafter(middle, 0)), bits | 1ULL << (format->bits - 1));
        }
    }
}

static void beyond_the_largest(void **state) {
    (void)state;
    const double huge = 1e300, infinity = (double)INFINITY;
    assert_int_equal(float_encode(&float_format_f16, 65519.99), 0x7BFF);
    assert_int_equal(float_encode(&float_format_f16, 65520), 0x7C00);
    assert_int_equal(float_encode(&float_format_bf16, -huge), 0xFF80);
    assert_int_equal(float_encode(&float_format_f8e5m2, huge), 0x7C);
    assert_int_equal(float_encode(&float_format_f8e4m3, huge), 0x78);
    assert_int_equal(float_encode(&float_format_f8e3m4, -infinity), 0xF0);
    assert_int_equal(float_encode(&float_format_f8e4m3fn, 464), 0x7E); // a tie, to 448
    assert_int_equal(float_encode(&float_format_f8e4m3fn, 465), 0x7F); // NaN
    assert_int_equal(float_encode(&float_format_f8e4m3fn, -infinity), 0xFF);
    assert_int_equal(float_encode(&float_format_f8e5m2fnuz, huge), 0x80);
    assert_int_equal(float_encode(&float_format_f8e4m3fnuz, -huge), 0x80);
    assert_int_equal(float_encode(&float_format_f8e4m3b11fnuz, infinity), 0x80);
    assert_int_equal(float_encode(&float_format_f6e2m3fn, huge), 0x1F); // no NaN: saturates
    assert_int_equal(float_encode(&float_format_f6e3m2fn, -infinity), 0x3F);
    assert_int_equal(float_encode(&float_format_f4e2m1fn, 100), 0x7);
    assert_int_equal(float_encode(&float_format_f8e8m0fnu, huge), 0xFF);
}

static void zeros_and_nan(void **state) {
    (void)state;
    assert_int_equal(float_encode(&float_format_bf16, -0.0), 0x8000);
    assert_int_equal(float_encode(&float_format_f8e4m3fn, -0.0), 0x80);
    assert_int_equal(float_encode(&float_format_f8e4m3fnuz, -0.0), 0);
    assert_int_equal(float_encode(&float_format_f8e4m3fnuz, -1e-30), 0); // not NaN
    assert_int_equal(float_encode(&float_format_f4e2m1fn, -0.0), 0x8);
    assert_int_equal(float_encode(&float_format_f16, (double)NAN), 0x7E00);
    assert_int_equal(float_encode(&float_format_bf16, (double)NAN), 0x7FC0);
    assert_int_equal(float_encode(&float_format_f8e4m3fn, (double)NAN), 0x7F);
    assert_int_equal(float_encode(&float_format_f8e5m2fnuz, (double)NAN), 0x80);
    assert_int_equal(float_encode(&float_format_f8e8m0fnu, (double)NAN), 0xFF);
    assert_int_equal(float_encode(&float_format_f8e8m0fnu, -1.0), 0xFF);
    assert_true(isnan(float_decode(&float_format_f8e4m3, 0x79)));
    assert_true(isinf(float_decode(&float_format_f8e3m4, 0x70)));
}

static uint64_t next_random(uint64_t *seed) { // splitmix64
    uint64_t z = *seed += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

// The hardware converts f64 to f32 the same way; ties and subnormals are made likely.
static void f32_agrees_with_the_machine(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 1000000; i++) {
        uint64_t raw = next_random(&seed);
        if (i & 1) raw = (raw & ~(0x7FFULL << 52)) | (860 + next_random(&seed) % 300) << 52;
        if (i % 3 == 0) raw &= ~0xFFFFFFFULL;
        double number = 0;
        memcpy(&number, &raw, sizeof number);
        if (isnan(number)) continue;
        float narrow = (float)number;
        uint32_t expected = 0;
        memcpy(&expected, &narrow, sizeof expected);
        assert_int_equal(float_encode(&float_format_f32, number), expected);
        assert_true(float_encode(&float_format_f64, number) == raw);
        assert_true(float_decode(&float_format_f64, raw) == number);
        assert_true(float_decode(&float_format_f32, expected) == (double)narrow);
    }
}

static void round_goes_through_the_format(void **state) {
    (void)state;
    assert_true(float_round(&float_format_bf16, 1.00390625f) == 1.0f);
    assert_true(float_round(&float_format_bf16, 1.01171875f) == 1.015625f);
    assert_true(float_round(&float_format_f16, 1e-8f) == 0.0f);
    assert_true(isinf(float_round(&float_format_f16, 1e6f)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_comes_back),
        cmocka_unit_test(rounds_to_nearest_even),
        cmocka_unit_test(beyond_the_largest),
        cmocka_unit_test(zeros_and_nan),
        cmocka_unit_test(f32_agrees_with_the_machine),
        cmocka_unit_test(round_goes_through_the_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

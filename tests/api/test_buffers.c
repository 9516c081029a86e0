// Buffers: shapes, strides, and execution on them.
#define _GNU_SOURCE
#include "api_test.h"

static void a_new_buffer_is_zero_and_aligned(void **state) {
    (void)state;
    const int64_t dims[] = {3, 5};
    shardc_buffer *buffer = NULL;
    succeeds(shardc_buffer_create(SHARDC_BF16, 2, dims, &buffer));
    assert_int_equal(shardc_buffer_bytes(buffer), 30);
    assert_int_equal(shardc_buffer_rank(buffer), 2);
    assert_int_equal(shardc_buffer_dims(buffer)[1], 5);
    assert_int_equal(shardc_buffer_dtype(buffer), SHARDC_BF16);
    assert_int_equal((uintptr_t)shardc_buffer_data(buffer) % 64, 0);
    const uint16_t *data = shardc_buffer_data(buffer);
    for (int i = 0; i < 15; i++)
        assert_int_equal(data[i], 0);
    shardc_buffer_free(buffer);
    succeeds(shardc_buffer_create(SHARDC_F64, 0, NULL, &buffer));
    assert_int_equal(shardc_buffer_bytes(buffer), 8);
    shardc_buffer_free(buffer);
}

static void impossible_buffers_are_refused(void **state) {
    (void)state;
    shardc_buffer *buffer = NULL;
    const int64_t negative[] = {-1}, large[] = {INT64_MAX / 2, 4}, many[SHARDC_MAX_RANK + 1] = {0};
    fails_with(
        shardc_buffer_create(SHARDC_F32, 1, negative, &buffer), SHARDC_INVALID_INPUT,
        "dims[0] is negative");
    fails_with(shardc_buffer_create(SHARDC_F32, 2, large, &buffer), SHARDC_INVALID_INPUT, "2^63");
    fails_with(
        shardc_buffer_create(SHARDC_F32, SHARDC_MAX_RANK + 1, many, &buffer), SHARDC_INVALID_INPUT,
        "rank");
    fails_with(shardc_buffer_create(SHARDC_F32, -1, many, &buffer), SHARDC_INVALID_INPUT, "rank");
    fails_with(
        shardc_buffer_create((shardc_dtype)77, 0, NULL, &buffer), SHARDC_INVALID_INPUT,
        "element type");
    const int64_t one[] = {1};
    fails_with(
        shardc_buffer_wrap(SHARDC_F32, 1, one, NULL, NULL, &buffer), SHARDC_INVALID_INPUT,
        "data is NULL");
    assert_null(buffer);
}

static void an_array_may_have_no_elements(void **state) {
    (void)state;
    shardc_buffer *buffer = NULL;
    const int64_t empty[] = {3, 0, 5}, strides[] = {INT64_MAX, 4, -4};
    succeeds(shardc_buffer_create(SHARDC_F32, 3, empty, &buffer));
    assert_int_equal(shardc_buffer_bytes(buffer), 0);
    assert_non_null(shardc_buffer_data(buffer));
    shardc_buffer_free(buffer);
    succeeds(shardc_buffer_wrap(SHARDC_F32, 3, empty, NULL, NULL, &buffer));
    assert_null(shardc_buffer_data(buffer));
    shardc_buffer_free(buffer);
    const int64_t none[] = {0, 3};
    succeeds(shardc_buffer_wrap(SHARDC_F32, 2, none, strides, NULL, &buffer));
    shardc_buffer_free(buffer);
    // sizes that overflow are refused wherever the empty dimension is
    const int64_t before[] = {0, INT64_MAX, 4}, after[] = {INT64_MAX, 4, 0};
    fails_with(shardc_buffer_create(SHARDC_F32, 3, before, &buffer), SHARDC_INVALID_INPUT, "2^63");
    fails_with(
        shardc_buffer_wrap(SHARDC_F32, 3, after, NULL, NULL, &buffer), SHARDC_INVALID_INPUT,
        "2^63");
    assert_null(buffer);
}

static void empty_arrays_are_executed(void **state) {
    (void)state;
    static const char program[] = "func.func @main(%a: tensor<0x3xf32>, %b: tensor<3xf32>)\n"
                                  "    -> (tensor<0x3xf32>, tensor<3xf32>) {\n"
                                  "  %0 = stablehlo.abs %a : tensor<0x3xf32>\n"
                                  "  %1 = stablehlo.abs %b : tensor<3xf32>\n"
                                  "  return %0, %1 : tensor<0x3xf32>, tensor<3xf32>\n"
                                  "}\n";
    shardc_executable *executable = compiled(program, NULL);
    const int64_t empty[] = {0, 3}, three[] = {3};
    float in[] = {-1, 2, -3}, out[3] = {0};
    shardc_buffer *inputs[2] = {NULL}, *outputs[2] = {NULL};
    succeeds(shardc_buffer_wrap(SHARDC_F32, 2, empty, NULL, NULL, &inputs[0]));
    succeeds(shardc_buffer_wrap(SHARDC_F32, 1, three, NULL, in, &inputs[1]));
    succeeds(shardc_buffer_create(SHARDC_F32, 2, empty, &outputs[0]));
    succeeds(shardc_buffer_wrap(SHARDC_F32, 1, three, NULL, out, &outputs[1]));
    succeeds(shardc_execute_buffers(executable, inputs, 2, outputs, 2));
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
    out[0] = 0;
    const void *const arrays[] = {NULL, in};
    void *const results[] = {NULL, out};
    succeeds(shardc_execute(executable, arrays, results));
    assert_true(out[0] == 1);
    for (int i = 0; i < 2; i++) {
        shardc_buffer_free(inputs[i]);
        shardc_buffer_free(outputs[i]);
    }
    shardc_executable_free(executable);
}

static void impossible_strides_are_refused(void **state) {
    (void)state;
    shardc_buffer *buffer = NULL;
    float data[4] = {0};
    const int64_t dims[] = {2, 2}, huge[] = {INT64_MAX, INT64_MAX}, low[] = {4, INT64_MIN},
                  both[] = {INT64_MAX - 8, INT64_MIN + 1};
    const int64_t *const wrong[] = {huge, low, both};
    for (int i = 0; i < 3; i++) {
        fails_with(
            shardc_buffer_wrap(SHARDC_F32, 2, dims, wrong[i], data, &buffer), SHARDC_INVALID_INPUT,
            "is too large");
        assert_null(buffer);
    }
}

static void element_types_have_sizes_and_names(void **state) {
    (void)state;
    assert_int_equal(shardc_dtype_size(SHARDC_F32), 4);
    assert_int_equal(shardc_dtype_size(SHARDC_C128), 16);
    assert_int_equal(shardc_dtype_size(SHARDC_BOOL), 1);
    assert_int_equal(shardc_dtype_size(SHARDC_I4), 1);
    assert_int_equal(shardc_dtype_size(SHARDC_DTYPE_INVALID), 0);
    assert_string_equal(shardc_dtype_name(SHARDC_BOOL), "i1");
    assert_string_equal(shardc_dtype_name(SHARDC_C64), "complex<f32>");
    assert_string_equal(shardc_dtype_name((shardc_dtype)1000), "");
}

static shardc_buffer *wrapped(void *data, const int64_t *strides) {
    static const int64_t dims[] = {4, 6};
    shardc_buffer *buffer = NULL;
    succeeds(shardc_buffer_wrap(SHARDC_F32, 2, dims, strides, data, &buffer));
    return buffer;
}

static void strided_buffers_are_read_and_written(void **state) {
    (void)state;
    shardc_executable *executable = compiled(affine, NULL);
    float columns[6][4]; // transposed
    float wide[4][10];   // rows with a gap
    float backwards[4][6], total = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 6; j++) {
            columns[j][i] = (float)(i * 6 + j);
            wide[i][j] = (float)j;
            backwards[i][j] = -1;
        }
        for (int j = 6; j < 10; j++)
            wide[i][j] = 1e9f;
    }
    const int64_t by_column[] = {4, 16}, gaps[] = {40, 4}, reversed[] = {-24, 4};
    shardc_buffer *inputs[] = {wrapped(columns, by_column), wrapped(wide, gaps)};
    shardc_buffer *outputs[] = {wrapped(backwards[3], reversed), NULL};
    succeeds(shardc_buffer_wrap(SHARDC_F32, 0, NULL, NULL, &total, &outputs[1]));
    succeeds(shardc_execute_buffers(executable, inputs, 2, outputs, 2));
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 6; j++) {
            assert_true(backwards[3 - i][j] == 2 * (float)(i * 6 + j) + (float)j);
        }
    }
    assert_true(total == 276);
    assert_true(wide[0][6] == 1e9f);
    for (int i = 0; i < 2; i++) {
        shardc_buffer_free(inputs[i]);
        shardc_buffer_free(outputs[i]);
    }
    shardc_executable_free(executable);
}

static void wrong_buffers_are_refused(void **state) {
    (void)state;
    shardc_executable *executable = compiled(affine, NULL);
    float a[24] = {0}, total = 0;
    const int64_t dims[] = {4, 6}, other[] = {6, 4};
    shardc_buffer *good = NULL, *integers = NULL, *turned = NULL, *scalar = NULL;
    succeeds(shardc_buffer_wrap(SHARDC_F32, 2, dims, NULL, a, &good));
    succeeds(shardc_buffer_wrap(SHARDC_I32, 2, dims, NULL, a, &integers));
    succeeds(shardc_buffer_wrap(SHARDC_F32, 2, other, NULL, a, &turned));
    succeeds(shardc_buffer_wrap(SHARDC_F32, 0, NULL, NULL, &total, &scalar));
    shardc_buffer *outputs[] = {good, scalar};
    shardc_buffer *wrong_type[] = {good, integers}, *wrong_size[] = {turned, good},
                  *wrong_rank[] = {scalar, good};
    shardc_buffer *missing[] = {good, NULL};
    fails_with(
        shardc_execute_buffers(executable, wrong_type, 2, outputs, 2), SHARDC_INVALID_INPUT, "i32");
    fails_with(
        shardc_execute_buffers(executable, wrong_size, 2, outputs, 2), SHARDC_INVALID_INPUT,
        "size 6");
    fails_with(
        shardc_execute_buffers(executable, wrong_rank, 2, outputs, 2), SHARDC_INVALID_INPUT,
        "dimensions");
    fails_with(
        shardc_execute_buffers(executable, missing, 2, outputs, 2), SHARDC_INVALID_INPUT,
        "inputs[1] is NULL");
    fails_with(
        shardc_execute_buffers(executable, wrong_type, 1, outputs, 2), SHARDC_INVALID_INPUT,
        "input_count is 1");
    fails_with(
        shardc_execute_buffers(executable, wrong_size, 2, outputs, 0), SHARDC_INVALID_INPUT,
        "output_count 0");
    shardc_buffer_free(good);
    shardc_buffer_free(integers);
    shardc_buffer_free(turned);
    shardc_buffer_free(scalar);
    shardc_executable_free(executable);
}

static void a_token_has_no_buffer(void **state) {
    (void)state;
    shardc_executable *executable = compiled(
        "func.func @main(%t: !stablehlo.token, %a: tensor<2xf32>) -> (tensor<2xf32>, "
        "!stablehlo.token) {\n"
        "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n"
        "  return %0, %t : tensor<2xf32>, !stablehlo.token\n"
        "}\n",
        NULL);
    const shardc_model *model = shardc_executable_model(executable);
    assert_string_equal(model->args[0].type, "token");
    float a[] = {1, 2}, sum[2] = {0};
    const int64_t dims[] = {2};
    shardc_buffer *in = NULL, *out = NULL;
    succeeds(shardc_buffer_wrap(SHARDC_F32, 1, dims, NULL, a, &in));
    succeeds(shardc_buffer_wrap(SHARDC_F32, 1, dims, NULL, sum, &out));
    shardc_buffer *inputs[] = {NULL, in}, *outputs[] = {out, NULL}, *wrong[] = {in, in};
    succeeds(shardc_execute_buffers(executable, inputs, 2, outputs, 2));
    assert_true(sum[0] == 2 && sum[1] == 4);
    fails_with(
        shardc_execute_buffers(executable, wrong, 2, outputs, 2), SHARDC_INVALID_INPUT, "token");
    fails_with(
        shardc_execute_buffers(executable, outputs, 2, outputs, 2), SHARDC_INVALID_INPUT,
        "inputs[0] is a token");
    shardc_buffer_free(in);
    shardc_buffer_free(out);
    shardc_executable_free(executable);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_buffer_is_zero_and_aligned),
        cmocka_unit_test(impossible_buffers_are_refused),
        cmocka_unit_test(an_array_may_have_no_elements),
        cmocka_unit_test(empty_arrays_are_executed),
        cmocka_unit_test(impossible_strides_are_refused),
        cmocka_unit_test(element_types_have_sizes_and_names),
        cmocka_unit_test(strided_buffers_are_read_and_written),
        cmocka_unit_test(wrong_buffers_are_refused),
        cmocka_unit_test(a_token_has_no_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A custom function, scale, and a program that calls it, for test_custom.c and test_custom_files.c.
#ifndef SHARDC_TESTS_API_CUSTOM_TEST_H
#define SHARDC_TESTS_API_CUSTOM_TEST_H

#include "api_test.h"

#include <stdatomic.h>

// y = factor * x + offset; counts its calls in `user`.
static inline int scale(
    const float *x, float *y, int64_t count, double factor, int64_t offset, int64_t device,
    void *user) {
    for (int64_t i = 0; i < count; i++) {
        y[i] = (float)factor * x[i] + (float)offset;
    }
    atomic_fetch_add((atomic_int *)user, 1);
    return device >= 0 ? 0 : 1;
}

static const shardc_custom_parameter scale_parameters[] = {
    {.kind = SHARDC_CUSTOM_OPERAND, .dtype = SHARDC_F32},
    {.kind = SHARDC_CUSTOM_RESULT, .dtype = SHARDC_F32},
    {.kind = SHARDC_CUSTOM_RESULT_COUNT},
    {.kind = SHARDC_CUSTOM_F64, .name = "factor"},
    {.kind = SHARDC_CUSTOM_I64, .name = "offset"},
    {.kind = SHARDC_CUSTOM_DEVICE},
    {.kind = SHARDC_CUSTOM_USER},
};

static inline int fail_with_7(void) { return 7; }

// Registers the functions in a new context.
static inline shardc_context *context_with_functions(atomic_int *calls) {
    shardc_context *context = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_register_custom(
        context, "scale", (shardc_custom_function *)scale, scale_parameters, 7,
        SHARDC_CUSTOM_STATUS, calls));
    succeeds(shardc_register_custom(
        context, "fail", (shardc_custom_function *)fail_with_7, NULL, 0, SHARDC_CUSTOM_STATUS,
        NULL));
    return context;
}
#define SCALE(type)                                                                              \
    "stablehlo.custom_call @scale(%0) {api_version = 4 : i32, backend_config = {factor = 3.0 : " \
    "f64, offset = 5 : i64}}"                                                                    \
    " : (" type ") -> " type "\n"

static const char on_four_devices[] =
    "module @four {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(%a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, "
    "{\"y\"}]>})\n"
    "      -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) {\n"
    "    %0 = stablehlo.add %a, %a : tensor<4x6xf32>\n"
    "    %1 = " SCALE("tensor<4x6xf32>") "    %2 = stablehlo.multiply %1, %a : tensor<4x6xf32>\n"
                                         "    return %2 : tensor<4x6xf32>\n"
                                         "  }\n"
                                         "}\n";

#endif

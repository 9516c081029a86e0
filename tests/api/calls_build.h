// Callers of what builds programs (shardc/build.h): see calls.h.
#ifndef SHARDC_TESTS_API_CALLS_BUILD_H
#define SHARDC_TESTS_API_CALLS_BUILD_H

#include "calls.h"

CALLER(shardc_module_create) {
    shardc_module *module = NOWHERE;
    shardc_status *status =
        shardc_module_create(GIVE(0, f->context), GIVE(1, "name"), GIVE(2, &module));
    if (status && missing != 2) assert_null(module);
    if (!status) shardc_module_free(module);
    return status;
}

CALLER(shardc_build_mesh) {
    const char *const axes[] = {"x"};
    return shardc_build_mesh(
        GIVE(0, f->module), GIVE(1, fresh_name(f)), 1, GIVE(2, axes), GIVE(3, four));
}

CALLER(shardc_func_begin) {
    const char *const types[] = {"tensor<4xf32>"}, *const shardings[] = {"<@mesh, [{\"x\"}]>"};
    const int donated_arguments[] = {1};
    shardc_func *func = NOWHERE;
    shardc_status *status = shardc_func_begin(
        GIVE(0, f->module), GIVE(1, fresh_name(f)), 1, GIVE(2, types), GIVE(3, shardings),
        GIVE(4, donated_arguments), GIVE(5, &func));
    if (status && missing != 5) assert_null(func);
    return status;
}

CALLER(shardc_func_argument) {
    assert_true((shardc_func_argument(GIVE(0, f->func), 0) == 0) == (missing == 0));
    return NULL;
}

CALLER(shardc_func_finish) {
    const char *const types[] = {"tensor<4xf32>"}, *const shardings[] = {"<@mesh, [{\"x\"}]>"};
    shardc_func *func = NULL;
    succeeds(shardc_func_begin(f->module, fresh_name(f), 1, types, NULL, NULL, &func));
    const shardc_value results[] = {shardc_func_argument(func, 0)};
    return shardc_func_finish(GIVE(0, func), 1, GIVE(1, results), GIVE(2, shardings));
}

CALLER(shardc_value_type) {
    const char *type = NOWHERE;
    shardc_status *status = shardc_value_type(GIVE(0, f->func), f->x, GIVE(1, &type));
    if (status && missing != 1) assert_null(type);
    return status;
}

CALLER(shardc_build_op) {
    const char *const types[] = {"tensor<4xf32>"};
    shardc_value result = 77;
    shardc_status *status = shardc_build_op(
        GIVE(0, f->func), GIVE(1, "stablehlo.reverse"), 1, GIVE(2, &f->x),
        GIVE(3, "dimensions = array<i64: 0>"), 1, GIVE(4, types), GIVE(5, &result));
    if (missing == 3) { // this op needs its attributes
        fails_with(status, SHARDC_INVALID_INPUT, "dimensions");
        status = shardc_build_op(f->func, "stablehlo.abs", 1, &f->x, NULL, 1, types, &result);
    }
    assert_int_equal(result == 77, missing == 5);
    assert_int_equal(result == 0, status != NULL);
    return status;
}

// Functions of their own for regions, because one that is open or waits for an op is in the way of
// others.
static shardc_func *begin_vector_func(Fixture *f) {
    const char *const types[] = {"tensor<4xf32>"};
    shardc_func *func = NULL;
    succeeds(shardc_func_begin(f->module, fresh_name(f), 1, types, NULL, NULL, &func));
    return func;
}

CALLER(shardc_region_begin) {
    const char *const types[] = {"tensor<4xf32>"};
    shardc_func *func = begin_vector_func(f);
    shardc_value argument = 77;
    shardc_status *status =
        shardc_region_begin(GIVE(0, func), 1, GIVE(1, types), GIVE(2, &argument));
    if (status && missing != 2) assert_int_equal(argument, 0);
    return status;
}

CALLER(shardc_region_end) {
    shardc_func *func = begin_vector_func(f);
    const shardc_value x = shardc_func_argument(func, 0);
    succeeds(shardc_region_begin(func, 0, NULL, NULL));
    return shardc_region_end(GIVE(0, func), 1, GIVE(1, &x));
}

CALLER(shardc_build_text) {
    shardc_value result = 77;
    shardc_status *status = shardc_build_text(
        GIVE(0, f->func),
        GIVE(1, "%0 = stablehlo.abs %operand0 : tensor<4xf32>\nreturn %0 : tensor<4xf32>"), 1,
        GIVE(2, &f->x), 1, GIVE(3, &result));
    if (status && missing != 3) assert_int_equal(result, 0);
    return status;
}

// The shorthands: their last pointer is the result.
static shardc_status *with_result(shardc_status *status, shardc_value result, bool given) {
    assert_int_equal(result == 0, given && status);
    assert_int_equal(result == 77, !given);
    return status;
}

#define SHORTHAND(function, last, ...)                                      \
    CALLER(function) {                                                      \
        shardc_value result = 77;                                           \
        shardc_status *status = function(__VA_ARGS__, GIVE(last, &result)); \
        return with_result(status, result, missing != (last));              \
    }

SHORTHAND(
    shardc_build_constant, 3, GIVE(0, f->func), GIVE(1, "tensor<4xf32>"),
    GIVE(2, (const void *)f->array), sizeof f->array)
SHORTHAND(shardc_build_splat, 2, GIVE(0, f->func), GIVE(1, "tensor<4xf32>"), 1)
SHORTHAND(shardc_build_iota, 2, GIVE(0, f->func), GIVE(1, "tensor<4xf32>"), 0)
SHORTHAND(shardc_build_unary, 2, GIVE(0, f->func), GIVE(1, "stablehlo.abs"), f->x)
SHORTHAND(shardc_build_binary, 2, GIVE(0, f->func), GIVE(1, "stablehlo.add"), f->x, f->x)
SHORTHAND(shardc_build_compare, 2, GIVE(0, f->func), GIVE(1, "EQ"), f->x, f->x)
SHORTHAND(shardc_build_convert, 1, GIVE(0, f->func), f->x, SHARDC_F64)
SHORTHAND(shardc_build_reshape, 2, GIVE(0, f->func), f->x, 2, GIVE(1, two_by_two))
SHORTHAND(shardc_build_transpose, 2, GIVE(0, f->func), f->x, 1, GIVE(1, zero))
SHORTHAND(
    shardc_build_broadcast_in_dim, 3, GIVE(0, f->func), f->x, 1, GIVE(1, four), 1, GIVE(2, zero))
SHORTHAND(
    shardc_build_slice, 4, GIVE(0, f->func), f->x, 1, GIVE(1, zero), GIVE(2, four), GIVE(3, four))
SHORTHAND(shardc_build_concatenate, 2, GIVE(0, f->func), 1, GIVE(1, &f->x), 0)
SHORTHAND(
    shardc_build_reduce, 3, GIVE(0, f->func), GIVE(1, "stablehlo.add"), f->x, 0, 1, GIVE(2, zero))
SHORTHAND(
    shardc_build_sharding_constraint, 2, GIVE(0, f->func), f->x, GIVE(1, "<@mesh, [{\"x\"}]>"))

CALLER(shardc_build_select) {
    shardc_value predicate = 0, result = 77;
    succeeds(shardc_build_compare(f->func, "LT", f->x, f->x, &predicate));
    shardc_status *status =
        shardc_build_select(GIVE(0, f->func), predicate, f->x, f->x, GIVE(1, &result));
    return with_result(status, result, missing != 1);
}

CALLER(shardc_build_dot_general) {
    const shardc_dot_dims dims = {
        .contracting_count = 1, .lhs_contracting = zero, .rhs_contracting = zero};
    shardc_value result = 77;
    shardc_status *status =
        shardc_build_dot_general(GIVE(0, f->func), f->x, f->x, GIVE(1, &dims), GIVE(2, &result));
    return with_result(status, result, missing != 2);
}

#endif

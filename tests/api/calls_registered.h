// Callers of what is about ops of the caller's own, and of shardc_module_write: see calls.h.
#ifndef SHARDC_TESTS_API_CALLS_REGISTERED_H
#define SHARDC_TESTS_API_CALLS_REGISTERED_H

#include "calls.h"

static shardc_status *same_values(
    void *user, shardc_func *func, const char *attributes, int operand_count,
    const shardc_value *operands, int result_count, shardc_value *results) {
    (void)user;
    (void)func;
    (void)attributes;
    (void)operand_count;
    for (int i = 0; i < result_count; i++)
        results[i] = operands[i];
    return NULL;
}

CALLER(shardc_register_op) {
    const shardc_op_definition definition = {sizeof definition, same_values, same_values, NULL};
    char name[32];
    snprintf(name, sizeof name, "mine.op%d", f->count++);
    return shardc_register_op(GIVE(0, f->context), GIVE(1, name), GIVE(2, &definition));
}

CALLER(shardc_build_gradient) {
    const shardc_op_definition definition = {sizeof definition, same_values, same_values, NULL};
    char name[32];
    snprintf(name, sizeof name, "mine.op%d", f->count++);
    succeeds(shardc_register_op(f->context, name, &definition));
    shardc_value gradient = 77;
    shardc_status *status = shardc_build_gradient(
        GIVE(0, f->func), GIVE(1, name), 1, GIVE(2, &f->x), GIVE(3, ""), 1, GIVE(4, &f->x),
        GIVE(5, &f->x), GIVE(6, &gradient));
    if (missing != 6) assert_true(status ? gradient == 0 : gradient == f->x);
    return status;
}

CALLER(shardc_module_write) {
    char *bytes = NOWHERE;
    size_t size = 1;
    shardc_status *status = shardc_module_write(
        GIVE(0, f->module), SHARDC_NOTATION_MLIR, GIVE(1, &bytes), GIVE(2, &size));
    if (status && missing != 1) assert_null(bytes);
    if (status && missing != 2) assert_int_equal(size, 0);
    if (!status) shardc_bytes_free(bytes);
    return status;
}

// sharding_options.h

CALLER(shardc_list_sharding_options) {
    shardc_sharding_options *options = NOWHERE;
    shardc_status *status = shardc_list_sharding_options(GIVE(0, f->module), GIVE(1, &options));
    if (status && missing != 1) assert_null(options);
    if (!status) shardc_sharding_options_free(options);
    return status;
}

CALLER(shardc_sharding_options_free) {
    shardc_sharding_options *options = NULL;
    if (missing < 0) succeeds(shardc_list_sharding_options(f->module, &options));
    shardc_sharding_options_free(options);
    return NULL;
}

#endif

// Contexts are independent: threads that each have one read, partition,
// compile and run at the same time.
#define _GNU_SOURCE // mkdtemp
#include "tests/api/api_test.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 3 };

typedef struct Work {
    const char *text;

    const float *input;
    size_t output_elements;
    float expected; // every element of the first result
    const char *problem;
} Work;

static const char *round_of(const Work *work, shardc_context *context) {
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    const char *text = NULL, *problem = NULL;
    float first[32] = {0}, second[32] = {0};
    const void *in[2] = {work->input, work->input};
    void *out[2] = {first, second};
    shardc_status *status =
        shardc_module_parse(context, "thread.mlir", work->text, strlen(work->text), &module);
    if (!status) status = shardc_module_text(module, &text);
    if (!status) status = shardc_compile(module, NULL, &executable);
    if (!status) status = shardc_execute(executable, in, out);
    if (status) problem = "a call failed";
    for (size_t i = 0; !problem && i < work->output_elements; i++) {
        if (first[i] != work->expected) problem = "a result is wrong";
    }
    shardc_status_free(status);
    shardc_executable_free(executable);
    shardc_module_free(module);
    return problem;
}

static void *run_rounds(void *user) {
    Work *work = user;
    for (int i = 0; i < ROUNDS && !work->problem; i++) {
        shardc_context *context = NULL;
        shardc_status *status = shardc_context_create(NULL, &context);
        work->problem = status ? "no context" : round_of(work, context);
        shardc_status_free(status);
        shardc_context_free(context);
    }
    return NULL;
}

static void contexts_are_independent(void **state) {
    (void)state;
    float ones[128];
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = 1;
    Work work[THREADS] = {
        {affine, ones, 24, 3, NULL},
        {product, ones, 32, 16, NULL},
        {donated, ones, 4, 2, NULL},
    };
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, run_rounds, &work[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        if (work[t].problem) print_error("thread %d: %s\n", t, work[t].problem);
        assert_null(work[t].problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contexts_are_independent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

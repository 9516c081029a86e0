// Profiles: each format holds what it promises.
#define _GNU_SOURCE
#include "api_test.h"

static shardc_executable *profiled(int profile) {
    shardc_options options;
    shardc_options_init(&options);
    options.profile = profile;
    return compiled(product, &options);
}

static void execute(shardc_executable *executable) {
    static float a[128], b[64], c[32];
    const void *inputs[] = {a, b};
    void *outputs[] = {c};
    succeeds(shardc_execute(executable, inputs, outputs));
}

// Brackets and quotes of a JSON text close in order.
static int is_balanced(const char *text) {
    char open[64];
    int depth = 0, quoted = 0;
    for (; *text; text++) {
        if (quoted) {
            if (*text == '\\' && text[1])
                text++;
            else if (*text == '"')
                quoted = 0;
        } else if (*text == '"') {
            quoted = 1;
        } else if (*text == '{' || *text == '[') {
            if (depth == 64) return 0;
            open[depth++] = *text == '{' ? '}' : ']';
        } else if (*text == '}' || *text == ']') {
            if (depth == 0 || open[--depth] != *text) return 0;
        }
    }
    return depth == 0 && !quoted;
}

static void every_format_is_written(void **state) {
    (void)state;
    shardc_executable *executable = profiled(1);
    execute(executable);
    char *text = NULL;
    succeeds(shardc_profile_text(executable, SHARDC_PROFILE_TABLE, &text));
    assert_non_null(strstr(text, "2 devices"));
    assert_non_null(strstr(text, "multiply+reduce")); // of a product of 8
    assert_non_null(strstr(text, "test.mlir:6"));
    shardc_profile_free(text);
    succeeds(shardc_profile_text(executable, SHARDC_PROFILE_JSON, &text));
    assert_true(is_balanced(text));
    assert_non_null(strstr(text, "\"steps\""));
    assert_non_null(strstr(text, "\"per_device\""));
    assert_non_null(strstr(text, "\"run_ns\""));
    shardc_profile_free(text);
    succeeds(shardc_profile_text(executable, SHARDC_PROFILE_CHROME_TRACE, &text));
    assert_true(is_balanced(text));
    assert_non_null(strstr(text, "\"traceEvents\""));
    assert_non_null(strstr(text, "\"device 1\""));
    shardc_profile_free(text);
    shardc_executable_free(executable);
}

static void no_profile_no_text(void **state) {
    (void)state;
    char *text = NULL;
    shardc_executable *executable = profiled(1);
    fails_with(
        shardc_profile_text(executable, SHARDC_PROFILE_TABLE, &text), SHARDC_INVALID_INPUT,
        "profile");
    shardc_executable_free(executable);
    executable = profiled(0);
    execute(executable);
    fails_with(
        shardc_profile_text(executable, SHARDC_PROFILE_JSON, &text), SHARDC_INVALID_INPUT,
        "profile");
    assert_null(text);
    shardc_executable_free(executable);
}

static void an_unknown_format_is_refused(void **state) {
    (void)state;
    char *text = NULL;
    shardc_executable *executable = profiled(1);
    execute(executable);
    fails_with(
        shardc_profile_text(executable, (shardc_profile_format)9, &text), SHARDC_INVALID_INPUT,
        "format");
    assert_null(text);
    shardc_executable_free(executable);
}

static void every_step_has_a_name_and_a_kind(void **state) {
    (void)state;
    shardc_executable *executable = profiled(1);
    execute(executable);
    execute(executable); // only the last execution is kept
    const shardc_model *model = shardc_executable_model(executable);
    assert_true(model->step_count > 0);
    for (int i = 0; i < model->step_count; i++) {
        assert_true(*model->steps[i].name != 0);
        assert_true(*model->steps[i].kind != 0);
    }
    shardc_executable_free(executable);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_written),
        cmocka_unit_test(no_profile_no_text),
        cmocka_unit_test(an_unknown_format_is_refused),
        cmocka_unit_test(every_step_has_a_name_and_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Explanations: chains that end at annotations, collectives with reasons, advice that holds.
#define _GNU_SOURCE
#include "api_test.h"

// The hidden layer lies as %up says, which %down does not go with.
static const char misplaced[] =
    "sdy.mesh @mesh = <[\"x\"=4]>\n"
    "func.func @main(\n"
    "    %in: tensor<16x32xf32>,\n"
    "    %up: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>},\n"
    "    %down: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>})\n"
    "    -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {\n"
    "  %hidden = stablehlo.dot_general %in, %up, contracting_dims = [1] x [0]\n"
    "      : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>\n"
    "  %out = stablehlo.dot_general %hidden, %down, contracting_dims = [1] x [0]\n"
    "      : (tensor<16x64xf32>, tensor<64x32xf32>) -> tensor<16x32xf32>\n"
    "  return %out : tensor<16x32xf32>\n"
    "}\n";

// The explanation outlives what it was made from.
static shardc_explanation *explained(const char *text, const shardc_explain_options *options) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_explanation *explanation = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    succeeds(shardc_explain(module, NULL, options, &explanation));
    shardc_module_free(module);
    shardc_context_free(context);
    return explanation;
}

static const shardc_explain_value *value_named(
    const shardc_explanation *explanation, const char *name) {
    for (int i = 0; i < explanation->value_count; i++) {
        if (strcmp(explanation->values[i].name, name) == 0) return &explanation->values[i];
    }
    fail_msg("no value %s", name);
    return NULL;
}

static void chains_end_where_axes_are_written(void **state) {
    (void)state;
    shardc_explanation *explanation = explained(misplaced, NULL);
    const shardc_explain_value *hidden = value_named(explanation, "%hidden");
    assert_string_equal(hidden->sharding, "<@mesh, [{}, {\"x\"}]>");
    assert_int_equal(hidden->link_count, 1);
    const shardc_explain_link *link = &hidden->links[0];
    assert_string_equal(link->axis, "\"x\"");
    assert_int_equal(link->dim, 1);
    assert_string_equal(link->how, "step");
    assert_string_equal(link->op, "stablehlo.dot_general");
    assert_string_equal(link->location, "test.mlir:7:13");
    const shardc_explain_value *source = &explanation->values[link->source];
    assert_string_equal(source->name, "%up");
    assert_string_equal(source->links[link->source_link].how, "written");
    assert_int_equal(source->links[link->source_link].source, -1);
    shardc_explanation_free(explanation);
}

static void tiles_are_on_their_devices(void **state) {
    (void)state;
    shardc_explanation *explanation = explained(misplaced, NULL);
    const shardc_explain_value *up = value_named(explanation, "%up");
    assert_int_equal(up->tile_dims[0], 32);
    assert_int_equal(up->tile_dims[1], 16);
    assert_int_equal(up->tile_bytes, 32 * 16 * 4);
    for (int device = 0; device < 4; device++) {
        assert_int_equal(up->tiles[device * 2], 0);
        assert_int_equal(up->tiles[device * 2 + 1], device);
    }
    shardc_explanation_free(explanation);
}

static void advice_holds(void **state) {
    (void)state;
    shardc_explain_options options;
    shardc_explain_options_init(&options);
    options.programs = 1;
    shardc_explanation *before = explained(misplaced, &options);
    assert_true(before->collective_count > 0);
    const shardc_explain_collective *worst = &before->collectives[0];
    assert_true(worst->reason_count > 0);
    assert_true(worst->advice_count > 0);
    const shardc_explain_advice *advice = &worst->advice[0];
    assert_true(advice->bytes < worst->here_bytes);
    assert_true(advice->total_bytes < before->total_bytes);
    shardc_explanation *after = explained(advice->program, NULL);
    assert_int_equal(after->total_bytes, advice->total_bytes);
    assert_int_equal(after->argument_bytes, advice->argument_bytes);
    shardc_explanation_free(after);
    shardc_explanation_free(before);
}

static void advice_is_optional(void **state) {
    (void)state;
    shardc_explain_options options;
    shardc_explain_options_init(&options);
    options.advise_count = 0;
    shardc_explanation *explanation = explained(misplaced, &options);
    for (int i = 0; i < explanation->collective_count; i++) {
        assert_int_equal(explanation->collectives[i].advice_count, 0);
        assert_string_equal(explanation->collectives[i].no_advice, "");
    }
    shardc_explanation_free(explanation);
}

static void wrong_use_is_refused(void **state) {
    (void)state;
    shardc_explanation *explanation = NULL;
    shardc_status *status = shardc_explain(NULL, NULL, NULL, &explanation);
    assert_int_equal(shardc_status_code(status), SHARDC_INVALID_INPUT);
    shardc_status_free(status);
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", misplaced, strlen(misplaced), &module));
    shardc_explain_options options;
    shardc_explain_options_init(&options);
    options.advise_first = -1;
    status = shardc_explain(module, NULL, &options, &explanation);
    assert_int_equal(shardc_status_code(status), SHARDC_INVALID_INPUT);
    assert_null(explanation);
    shardc_status_free(status);
    shardc_explanation_free(NULL);
    shardc_module_free(module);
    shardc_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_end_where_axes_are_written),
        cmocka_unit_test(tiles_are_on_their_devices),
        cmocka_unit_test(advice_holds),
        cmocka_unit_test(advice_is_optional),
        cmocka_unit_test(wrong_use_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

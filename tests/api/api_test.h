// What the tests of the public API share: programs, and checks of statuses. They
// use nothing but include/shardc.
#ifndef SHARDC_TESTS_API_TEST_H
#define SHARDC_TESTS_API_TEST_H

#include "shardc/shardc.h"

#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// result0 = arg0 * 2 + arg1 on four devices; result1 = the sum of all elements of arg0.
static const char affine[] =
    "module @affine {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "  func.func @main(\n"
    "      %a: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>},\n"
    "      %b: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<f32>) {\n"
    "    %two = stablehlo.constant dense<2.0> : tensor<4x6xf32>\n"
    "    %0 = stablehlo.multiply %a, %two : tensor<4x6xf32>\n"
    "    %1 = stablehlo.add %0, %b : tensor<4x6xf32>\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0, 1]\n"
    "        : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>\n"
    "    return %1, %2 : tensor<4x6xf32>, tensor<f32>\n"
    "  }\n"
    "}\n";

// A matrix product on 2 devices that need each other's parts.
static const char product[] =
    "module @product {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func @main(\n"
    "      %a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>},\n"
    "      %b: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
    "tensor<8x4xf32> {\n"
    "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "        : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
    "    return %0 : tensor<8x4xf32>\n"
    "  }\n"
    "}\n";

// The argument's memory may become the result's.
static const char donated[] =
    "module @donated {\n"
    "  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {\n"
    "    %0 = stablehlo.reverse %a, dims = [0] : tensor<4xf32>\n"
    "    %1 = stablehlo.add %0, %a : tensor<4xf32>\n"
    "    return %1 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

// Fails the test with the report of the status, which is freed.
static inline void succeeds(shardc_status *status) {
    if (!status) return;
    print_error("%s", shardc_status_report(status));
    shardc_status_free(status);
    fail();
}

// The status has this code and this text in its message; freed.
static inline void fails_with(shardc_status *status, shardc_code code, const char *text) {
    assert_non_null(status);
    if (shardc_status_code(status) != code || !strstr(shardc_status_message(status), text)) {
        print_error(
            "expected code %d and '%s', got code %d: %s\n", (int)code, text,
            (int)shardc_status_code(status), shardc_status_message(status));
        shardc_status_free(status);
        fail();
    }
    shardc_status_free(status);
}

// An executable of a program in memory; its context and module are gone when this returns.
static inline shardc_executable *compiled(const char *text, const shardc_options *options) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    succeeds(shardc_context_create(NULL, &context));
    succeeds(shardc_module_parse(context, "test.mlir", text, strlen(text), &module));
    succeeds(shardc_compile(module, options, &executable));
    shardc_module_free(module);
    shardc_context_free(context);
    return executable;
}

// A path in a new folder, which is remembered for remove_folder.
static char scratch_folder[64];
static char scratch_path[512];

static inline const char *scratch(const char *name) {
    if (!*scratch_folder) {
        snprintf(scratch_folder, sizeof scratch_folder, "%s", "/tmp/shardc-test-XXXXXX");
        assert_non_null(mkdtemp(scratch_folder));
    }
    snprintf(scratch_path, sizeof scratch_path, "%s/%s", scratch_folder, name);
    return scratch_path;
}

// Removes the folder with all files; for the end of a group of tests.
static inline int remove_folder(void **state) {
    (void)state;
    if (!*scratch_folder) return 0;
    DIR *folder = opendir(scratch_folder);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): its own stream
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] != '.') remove(scratch(entry->d_name));
    }
    if (folder) closedir(folder);
    return rmdir(scratch_folder);
}

#endif

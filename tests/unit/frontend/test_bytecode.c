// Portable artifacts: what is written is read again, in every version; what is broken is refused.
#include "frontend/bytecode/bytecode.h"
#include "ir/print/print.h"

#include <cmocka.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static const char program[] =
    "module @m attributes {mhlo.num_partitions = 8 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "  func.func public @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", "
    "?}p1, {}]>}, "
    "%b: tensor<8x2xf32>) -> (tensor<4x2xf32> {jax.result_info = \"r\"}) {\n"
    "    %c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
    "    %d = stablehlo.constant dense<[[-1, 7], [0, -8]]> : tensor<2x2xi4>\n"
    "    %e = stablehlo.constant dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>\n"
    "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, "
    "DEFAULT] "
    ": (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>\n"
    "    %z = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n"
    "    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] "
    ": (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "    %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{\"x\"}, {\"y\":(1)2}]>] "
    "out_shardings=[<@mesh, [{\"x\"}, {\"y\":(1)2}]>] manual_axes={\"x\", \"y\"} (%arg: "
    "tensor<2x1xf32>) {\n"
    "      %5 = stablehlo.negate %arg : tensor<2x1xf32>\n"
    "      sdy.return %5 : tensor<2x1xf32>\n"
    "    } : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
    "    %3 = stablehlo.exponential %2 : tensor<4x2xf32>\n"
    "    %4 = chlo.erf %3 : tensor<4x2xf32> -> tensor<4x2xf32>\n"
    "    %6 = stablehlo.custom_call @f(%4) {api_version = 4 : i32, backend_config = {k = 2 : i64}} "
    ": (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
    "    return %6 : tensor<4x2xf32>\n"
    "  }\n"
    "  func.func private @declared(tensor<?x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> "
    "tensor<2xf8E5M2>\n"
    "}\n";

typedef struct Read {
    Arena *arena;
    Diags *diags;
    Module *module;
} Read;

static Read read_bytes(StrView bytes) {
    Read read = {.arena = arena_create(NULL, NULL)};
    read.diags = diags_create(read.arena);
    ReadOptions options = {.file = SV("t.mlirbc"), .keep_annotations = true};
    read.module =
        frontend_read(context_create(read.arena), read.arena, bytes, &options, read.diags);
    return read;
}

static StrView printed(const Read *read) {
    StrBuf text = strbuf(read->arena);
    print_module(&text, read->module, NULL);
    return strbuf_view(&text);
}

static StrView written(const Read *read, const char *version) {
    StrBuf bytes = strbuf(read->arena);
    int target = 0;
    assert_true(bytecode_target(strview(version), &target));
    if (!write_bytecode(read->module, read->arena, target, &bytes, read->diags))
        return (StrView){NULL, 0};
    return strbuf_view(&bytes);
}

static void every_version_reads_back(void **state) {
    (void)state;
    static const char *const versions[] = {"0.9.0",  "0.10.0", "0.12.0", "0.14.0",
                                           "0.15.0", "1.0.0",  "1.9.0",  "current"};
    Read text = read_bytes(strview(program));
    assert_non_null(text.module);
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        StrView bytes = written(&text, versions[i]);
        assert_non_null(bytes.data);
        Read again = read_bytes(bytes);
        if (!again.module) print_error("%.*s\n", SV_ARG(again.diags->first->message));
        assert_non_null(again.module);
        assert_string_equal(printed(&again).data, printed(&text).data);
        arena_free(again.arena);
    }
    arena_free(text.arena);
}

static void versions_are_numbers_in_range(void **state) {
    (void)state;
    static const char *const wrong[] = {"0.8.0", "1.21.0", "1.9", "1.9.0x", "", "newest", "1.-9.0"};
    int target;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(bytecode_target(strview(wrong[i]), &target));
}

static void refuses_to_write(const char *line, const char *version, const char *message) {
    Read text = read_bytes(strview(line));
    assert_non_null(text.module);
    assert_null(written(&text, version).data);
    StrView found = text.diags->first->message;
    if (!strview_ends_with(found, strview(message))) print_error("%.*s\n", SV_ARG(found));
    assert_true(strview_ends_with(found, strview(message)));
    assert_true(text.diags->first->loc->line > 0);
    arena_free(text.arena);
}

static void older_versions_say_what_they_lack(void **state) {
    (void)state;
    refuses_to_write(
        "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.tan %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n",
        "1.3.0", "the op is of version 1.4.0");
    refuses_to_write(
        "func.func @f(%a: tensor<2xf8E4M3>) -> tensor<2xf8E4M3> {\n"
        "  %0 = stablehlo.abs %a : tensor<2xf8E4M3>\n  return %0 : tensor<2xf8E4M3>\n}\n",
        "1.6.0", "the element type f8E4M3 is of version 1.7.0");
    refuses_to_write(
        "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = "
        "#stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>\n  return %0 : "
        "tensor<2xf32>\n}\n",
        "1.8.0", "vhlo.exponential_v1 has no attribute 'result_accuracy'");
    refuses_to_write(
        "func.func @f(%a: tensor<2x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x1xf32> {\n"
        "  %0 = \"stablehlo.gather\"(%a, %i) {dimension_numbers = "
        "#stablehlo.gather<collapsed_slice_dims = [1], "
        "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
        "index_vector_dim = 2>, "
        "slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>\n"
        "  return %0 : tensor<2x1xf32>\n}\n",
        "1.0.0", "vhlo.gather_v1 has no attribute 'operand_batching_dims'");
}

static void refuses_to_read(StrView bytes, const char *message) {
    Read read = read_bytes(bytes);
    assert_null(read.module);
    StrView found = read.diags->first->message;
    if (!strview_starts_with(found, strview(message))) print_error("%.*s\n", SV_ARG(found));
    assert_true(strview_starts_with(found, strview(message)));
    assert_true(read.diags->first->loc->offset > 0);
    arena_free(read.arena);
}

static void other_versions_are_refused(void **state) {
    (void)state;
    refuses_to_read(
        SV("ML\xefR\x0dStableHLO_v1.99.0\0"), "the program was written for StableHLO_v1.99.0");
    refuses_to_read(SV("ML\xefR\x0dStableHLO_vx\0"), "the version of 'StableHLO_vx' is no version");
    refuses_to_read(SV("ML\xefR\x0fMLIR\0"), "MLIR bytecode of version 7 (by MLIR)");
    refuses_to_read(SV("ML\xefR\x0dMLIR\0"), "section 0 is missing");
}

// Attribute 0 is a location, attribute 1, the module's dictionary, an array that holds attribute 1.
static void attributes_do_not_contain_themselves(void **state) {
    (void)state;
    static const char bytes[] =
        "ML\xefR\x0dx\x00\x01\x0f\x05\x01\x05\x03\x03\x03\x0b\x03\x0d\x05\x01\x03\x05\x07\x0f\x02"
        "\x09\x1f\x01\x03\x03\x04\x0b\x05\x01\x01\x01\x03\x00"
        "1\x07\x0f\x11\x0bvhlo\x00"
        "builtin\x00module\x00";
    refuses_to_read((StrView){bytes, sizeof bytes - 1}, "the attribute contains itself");
}

static void broken_bytes_are_refused_or_read(void **state) {
    (void)state;
    Read text = read_bytes(strview(program));
    StrView bytes = written(&text, "current");
    char *copy = arena_alloc(text.arena, bytes.size);
    for (size_t size = 4; size < bytes.size; size += 3) {
        Read cut = read_bytes((StrView){bytes.data, size});
        assert_null(cut.module);
        arena_free(cut.arena);
    }
    for (size_t i = 4; i < bytes.size; i++) {
        memcpy(copy, bytes.data, bytes.size);
        copy[i] = (char)(copy[i] ^ (1 << i % 8));
        Read flipped = read_bytes((StrView){copy, bytes.size});
        assert_true(flipped.module || flipped.diags->error_count > 0);
        arena_free(flipped.arena);
    }
    arena_free(text.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_reads_back),
        cmocka_unit_test(versions_are_numbers_in_range),
        cmocka_unit_test(older_versions_say_what_they_lack),
        cmocka_unit_test(other_versions_are_refused),
        cmocka_unit_test(attributes_do_not_contain_themselves),
        cmocka_unit_test(broken_bytes_are_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

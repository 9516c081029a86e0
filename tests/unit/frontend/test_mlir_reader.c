// frontend/: what the reader of MLIR text builds, and what it refuses.
#include "frontend/frontend.h"
#include "ir/print/print.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Read {
    Arena *arena;
    Diags *diags;
    Module *module;
} Read;

static Read read_text(StrView text) {
    Read read = {.arena = arena_create(NULL, NULL)};
    read.diags = diags_create(read.arena);
    ReadOptions options = {.file = SV("t.mlir"), .skip_verify = true};
    read.module = frontend_read(context_create(read.arena), read.arena, text, &options, read.diags);
    return read;
}

static Read read_ok(const char *text) {
    Read read = read_text(strview(text));
    if (read.diags->first) print_error("%.*s\n", SV_ARG(read.diags->first->message));
    assert_non_null(read.module);
    return read;
}

static void refuses(const char *text, int line, const char *message) {
    Read read = read_text(strview(text));
    assert_null(read.module);
    assert_non_null(read.diags->first);
    assert_int_equal(read.diags->first->loc->line, line);
    StrView found = read.diags->first->message;
    if (!strview_starts_with(found, strview(message))) print_error("%.*s\n", SV_ARG(found));
    assert_true(strview_starts_with(found, strview(message)));
    arena_free(read.arena);
}

static const Op *first_op(const Module *module) {
    return func_body(module_find_func(module, SV("main")))->first;
}

static void ops_carry_locations(void **state) {
    (void)state;
    Read read = read_ok("func.func @main(%a: tensor<2xf32>) {\n"
                        "  %0 = stablehlo.abs %a : tensor<2xf32> loc(#l)\n"
                        "  return\n"
                        "}\n"
                        "#l = loc(\"jit(f)/abs\"(callsite(\"m.py\":7:9 at \"n.py\":1:1)))\n");
    const Loc *loc = first_op(read.module)->loc;
    assert_true(strview_is(loc_texts(loc)->file, "t.mlir"));
    assert_int_equal(loc->line, 2);
    assert_int_equal(loc->column, 8);
    assert_true(strview_is(loc_texts(loc)->name, "jit(f)/abs"));
    assert_true(strview_is(loc_texts(loc)->model_file, "m.py"));
    assert_int_equal(loc_texts(loc)->model_line, 7);
    assert_int_equal(loc_texts(loc)->model_column, 9);
    arena_free(read.arena);
}

static void shardings_live_on_values(void **state) {
    (void)state;
    Read read = read_ok("sdy.mesh @m = <[\"x\"=2]>\n"
                        "func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, "
                        "[{\"x\"}]>, k = 1 : i32}) {\n"
                        "  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@m, "
                        "[{?}]>]>, z} : tensor<2xf32>\n"
                        "  return\n"
                        "}\n");
    const Op *func = module_find_func(read.module, SV("main"));
    const Sharding *arg = func_body(func)->args[0]->sharding;
    assert_non_null(arg);
    assert_int_equal(arg->dims[0].axis_count, 1);
    assert_int_equal(func_arg_attrs(func, 0)->count, 1);
    const Op *abs = first_op(read.module);
    assert_true(op_result(abs, 0)->sharding->dims[0].is_open);
    assert_null(op_extra(abs, "sdy.sharding"));
    assert_non_null(op_extra(abs, "z"));
    arena_free(read.arena);
}

static void short_reduce_builds_its_body(void **state) {
    (void)state;
    Read read = read_ok(
        "func.func @main(%a: tensor<2xf32>, %z: tensor<f32>) {\n"
        "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
        "(tensor<2xf32>, tensor<f32>) -> tensor<f32>\n"
        "  return\n"
        "}\n");
    const Op *reduce = first_op(read.module);
    assert_int_equal(reduce->code, OP_REDUCE);
    assert_int_equal(region_reduction_op(reduce->regions[0]), OP_ADD);
    arena_free(read.arena);
}

static double constant_at(const char *literal, int64_t i) {
    StrBuf text = strbuf(arena_create(NULL, NULL));
    strbuf_printf(
        &text, "func.func @main() {\n  %%0 = stablehlo.constant %s\n  return\n}\n", literal);
    Read read = read_ok(strbuf_cstring(&text));
    const Attr *value = op_attr(first_op(read.module), NAME_VALUE);
    bool is_float = element_is_float(value->type->element);
    double number = is_float ? attr_element_double(value, i) : (double)attr_element_int(value, i);
    arena_free(read.arena);
    arena_free(text.arena);
    return number;
}

static void constants_have_their_values(void **state) {
    (void)state;
    assert_true(constant_at("dense<[1.5, -2.0e-3]> : tensor<2xf64>", 1) == -2.0e-3);
    assert_true(constant_at("dense<0.1> : tensor<4xf64>", 3) == 0.1);
    assert_true(
        constant_at("dense<1.7976931348623157e308> : tensor<f64>", 0) == 1.7976931348623157e308);
    assert_true(
        constant_at("dense<123456789012345678.0> : tensor<f64>", 0) == 123456789012345678.0);
    assert_true(constant_at("dense<0x3F800000> : tensor<f32>", 0) == 1.0);
    assert_true(constant_at("dense<[[1, -128], [127, 255]]> : tensor<2x2xi8>", 3) == -1.0);
    assert_true(constant_at("dense<\"0x0100FFFF\"> : tensor<2xi16>", 1) == -1.0);
    assert_true(constant_at("dense<\"0x05\"> : tensor<9xi1>", 0) == 1.0);
    assert_true(constant_at("dense<\"0x0500\"> : tensor<9xi1>", 2) == 1.0);
    assert_true(constant_at("dense<-8> : tensor<3xi4>", 2) == -8.0);
}

#define MAIN(body) "func.func @main(%a: tensor<2xf32>) {\n" body "\n  return\n}\n"

static void wrong_text_is_refused_where_it_is_wrong(void **state) {
    (void)state;
    refuses(
        MAIN("  %0 = stablehlo.abs %b : tensor<2xf32>"), 2,
        "use of undeclared SSA value name '%b'");
    refuses(MAIN("  %a = stablehlo.abs %a : tensor<2xf32>"), 2, "redefinition of SSA value '%a'");
    refuses(
        MAIN("  %0 = stablehlo.abs %a : tensor<3xf32>"), 2,
        "use of value '%a' expects different type");
    refuses(
        MAIN("  %0 = stablehlo.nonsense %a : tensor<2xf32>"), 2,
        "unregistered operation 'stablehlo.nonsense'");
    refuses(
        MAIN("  %0:2 = stablehlo.abs %a : tensor<2xf32>"), 2,
        "operation defines 1 result but was provided 2");
    refuses(
        MAIN("  %0 = stablehlo.constant dense<[1]> : tensor<2xi32>"), 2,
        "inferred shape of elements literal");
    refuses(
        MAIN("  %0 = stablehlo.constant dense<\"0x00\"> : tensor<2xi32>"), 2,
        "elements hex data size");
    refuses(
        MAIN("  %0 = stablehlo.constant dense<0> : tensor<4294967296x4294967296xi32>"), 2,
        "the tensor is too large");
    refuses(MAIN("  %0 = stablehlo.abs %a : tensor<2xf32"), 2, "expected '>'");
    refuses(MAIN("  %0 = stablehlo.abs %a : tensor<2xf32 // not closed\n\n"), 2, "expected '>'");
    refuses(MAIN("  %0 = stablehlo.abs %a : tensor<2xi10>"), 2, "'i10' is no element type");
    refuses(
        MAIN("  %0 = \"stablehlo.dot_general\"(%a, %a) <{\n"
             "    algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, "
             "rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 0, "
             "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation "
             "= false>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>"),
        3, "lhs component count must be positive");
    refuses(
        MAIN("  %0 = stablehlo.abs %a : tensor<2xf32> loc(#x)"), 2,
        "operation location alias was never defined");
    refuses("func.func @main(", 1, "expected non-function type");
    refuses("module {", 1, "expected '}'");
    refuses("\x01", 1, "expected operation name");
    refuses("ML\xefR", 0, "the file ends in its header");
    refuses("HloModule m", 1, "the module has no ENTRY computation");
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH + 64);
    assert_non_null(text);
    const char opening[] = {'[', '{', '(', '<'};
    for (size_t i = 0; i < sizeof opening; i++) {
        StrView start = SV("#a = ");
        memcpy(text, start.data, start.size);
        memset(text + start.size, opening[i], DEPTH);
        Read read = read_text((StrView){text, start.size + DEPTH});
        assert_null(read.module);
        assert_non_null(read.diags->first);
        arena_free(read.arena);
    }
    size_t size = (size_t)sprintf(text, "#a = ");
    for (int i = 0; i < DEPTH / 6; i++)
        size += (size_t)sprintf(text + size, "tuple<");
    Read read = read_text((StrView){text, size});
    assert_null(read.module);
    assert_true(
        strview_starts_with(read.diags->first->message, SV("nesting is deeper than 256 levels")));
    arena_free(read.arena);
    free(text);
}

static void every_truncation_is_refused_or_read(void **state) {
    (void)state;
    const char *text = "module @m attributes {a = [1, {b = \"c\"}]} {\n"
                       "  sdy.mesh @m = <[\"x\"=2]>\n"
                       "  func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32> {k = @s}) {\n"
                       "    %0 = stablehlo.constant dense<[1.0, 2.0e1]> : tensor<2xf32>\n"
                       "    %1 = \"stablehlo.add\"(%a, %0) <{}> {sdy.sharding = "
                       "#sdy.sharding_per_value<[<@m, [{\"x\"}]>]>} : "
                       "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc(\"n\"(\"f\":1:2))\n"
                       "    return %1 : tensor<2xf32>\n"
                       "  }\n"
                       "}\n";
    arena_free(read_ok(text).arena);
    for (size_t size = 0; size + 2 < strlen(text); size++) {
        Read read = read_text((StrView){text, size});
        assert_true((read.module != NULL) == (read.diags->first == NULL));
        arena_free(read.arena);
    }
}

static void one_error_per_function_is_reported(void **state) {
    (void)state;
    Read read =
        read_text(SV("func.func @a() {\n  %0 = stablehlo.abs %x : tensor<f32>\n  return\n}\n"
                     "func.func @b() {\n  return\n}\n"
                     "func.func @c() {\n  %0 = stablehlo.abs %y : tensor<f32>\n  return\n}\n"));
    assert_null(read.module);
    assert_int_equal(read.diags->error_count, 2);
    assert_int_equal(read.diags->last->loc->line, 9);
    arena_free(read.arena);
}

static void sections_keep_their_lines(void **state) {
    (void)state;
    Arena *arena = arena_create(NULL, NULL);
    StrView *sections;
    int *first_lines;
    int count = frontend_split(
        arena, SV("a\n// -----\nb\nc\n  // -----  \n// ----- x\n"), &sections, &first_lines);
    assert_int_equal(count, 3);
    assert_true(strview_is(sections[0], "a\n"));
    assert_true(strview_is(sections[1], "b\nc\n"));
    assert_true(strview_is(sections[2], "// ----- x\n"));
    assert_int_equal(first_lines[0], 0);
    assert_int_equal(first_lines[1], 2);
    assert_int_equal(first_lines[2], 5);
    assert_int_equal(frontend_split(arena, SV(""), &sections, &first_lines), 1);
    arena_free(arena);
}

// Hexadecimal digits become the constant's own bytes: no second copy is made on the way.
static void a_large_constant_is_held_once(void **state) {
    (void)state;
    enum { COUNT = 1 << 20 }; // of four bytes
    Arena *arena = arena_create(NULL, NULL);
    StrBuf text = strbuf(arena);
    strbuf_puts(
        &text, "func.func @f() -> tensor<1048576xi32> {\n  %c = stablehlo.constant dense<\"0x");
    for (int i = 0; i < COUNT; i++)
        strbuf_printf(
            &text, "%02x%02x%02x%02x", i & 255, i >> 8 & 255, i >> 16 & 255, i >> 24 & 255);
    strbuf_puts(&text, "\"> : tensor<1048576xi32>\n  return %c : tensor<1048576xi32>\n}\n");
    Arena *kept = arena_create(NULL, NULL);
    Context *context = context_create(kept);
    const ReadOptions options = {.file = SV("t.mlir")};
    Module *module = frontend_read(context, kept, strbuf_view(&text), &options, diags_create(kept));
    assert_non_null(module);
    const Op *func = module_find_func(module, SV("f"));
    const Attr *constant = op_attr(func_body(func)->first, NAME_VALUE);
    assert_int_equal(constant->data_size, 4 * COUNT);
    for (int i = 0; i < COUNT; i += 4099)
        assert_int_equal(attr_element_int(constant, i), i);
    assert_true(arena_bytes(kept) < (size_t)5 * COUNT);
    arena_free(kept);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_carry_locations),
        cmocka_unit_test(shardings_live_on_values),
        cmocka_unit_test(short_reduce_builds_its_body),
        cmocka_unit_test(constants_have_their_values),
        cmocka_unit_test(wrong_text_is_refused_where_it_is_wrong),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(every_truncation_is_refused_or_read),
        cmocka_unit_test(one_error_per_function_is_reported),
        cmocka_unit_test(sections_keep_their_lines),
        cmocka_unit_test(a_large_constant_is_held_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Every row of ops.def: an op that lacks one of its required attributes is refused, and one that
// has another kind of attribute there, in MLIR's words.
#include "frontend/bytecode/bytecode.h"
#include "tests/unit/ir/ir_fixture.h"

#include <stdio.h>

static const char *const words[] = {
#define CONSTRAINT(name, test, text) [CONSTRAINT_##name] = (text),
#include "ir/attr_constraints.def"
};

// An attribute that satisfies the constraint.
static const char *const samples[CONSTRAINT_COUNT] = {
    [CONSTRAINT_ANY] = "7",
    [CONSTRAINT_BOOL] = "true",
    [CONSTRAINT_UNIT] = "unit",
    [CONSTRAINT_STRING] = "\"s\"",
    [CONSTRAINT_SYMBOL] = "@s",
    [CONSTRAINT_ARRAY] = "[]",
    [CONSTRAINT_DICT] = "{}",
    [CONSTRAINT_DICTS] = "[{}]",
    [CONSTRAINT_STRING_OR_DICT] = "{}",
    [CONSTRAINT_FUNCTION_TYPE] = "() -> ()",
    [CONSTRAINT_TYPED] = "1.0 : f32",
    [CONSTRAINT_ELEMENTS] = "dense<1.0> : tensor<2xf32>",
    [CONSTRAINT_F32] = "1.0 : f32",
    [CONSTRAINT_F64] = "1.0 : f64",
    [CONSTRAINT_I32] = "-1 : i32",
    [CONSTRAINT_I32_FROM_0] = "0 : i32",
    [CONSTRAINT_I32_FROM_1] = "1 : i32",
    [CONSTRAINT_I64] = "-1 : i64",
    [CONSTRAINT_I64_FROM_0] = "0 : i64",
    [CONSTRAINT_I64_FROM_1] = "1 : i64",
    [CONSTRAINT_UI32] = "1 : ui32",
    [CONSTRAINT_UI64] = "1 : ui64",
    [CONSTRAINT_I1_LIST] = "array<i1: true>",
    [CONSTRAINT_I32_LIST] = "array<i32: 1, 1>",
    [CONSTRAINT_I64_LIST] = "array<i64: 0>",
    [CONSTRAINT_I64_ELEMENTS] = "dense<0> : tensor<1x1xi64>",
    [CONSTRAINT_MESH_AXES] = "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = []>",
    [CONSTRAINT_REPLICA_GROUPS] = "dense<0> : tensor<1x1xi64>",
    [CONSTRAINT_LAYOUT] = "dense<0> : tensor<1xindex>",
    [CONSTRAINT_LAYOUTS] = "[dense<0> : tensor<1xindex>]",
    [CONSTRAINT_SYMBOLS] = "[@s]",
    [CONSTRAINT_SYMBOL_LISTS] = "[[@s]]",
    [CONSTRAINT_ALIASES] = "[]",
    [CONSTRAINT_CHANNEL] = "#stablehlo.channel_handle<handle = 1, type = 1>",
    [CONSTRAINT_DOT_DIMS] = "#stablehlo.dot<lhs_contracting_dimensions = [0], "
                            "rhs_contracting_dimensions = [0]>",
    [CONSTRAINT_RAGGED_DOT_DIMS] = "#chlo.ragged_dot<lhs_contracting_dimensions = [0], "
                                   "rhs_contracting_dimensions = [0]>",
    [CONSTRAINT_CONV_DIMS] = "#stablehlo.conv<[b, f]x[i, o]->[b, f]>",
    [CONSTRAINT_GATHER_DIMS] = "#stablehlo.gather<index_vector_dim = 0>",
    [CONSTRAINT_SCATTER_DIMS] = "#stablehlo.scatter<index_vector_dim = 0>",
    [CONSTRAINT_DOT_ALGORITHM] =
        "#stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, "
        "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
        "num_primitive_operations = 1, allow_imprecise_accumulation = false>",
    [CONSTRAINT_RESULT_ACCURACY] =
        "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>",
    [CONSTRAINT_PRECISIONS] = "[#stablehlo<precision HIGH>]",
    [CONSTRAINT_DIRECTION] = "#stablehlo<comparison_direction EQ>",
    [CONSTRAINT_CHLO_DIRECTION] = "#chlo<comparison_direction EQ>",
    [CONSTRAINT_COMPARE] = "#stablehlo<comparison_type FLOAT>",
    [CONSTRAINT_CHLO_COMPARE] = "#chlo<comparison_type FLOAT>",
    [CONSTRAINT_FFT] = "#stablehlo<fft_type FFT>",
    [CONSTRAINT_TRANSPOSE] = "#stablehlo<transpose NO_TRANSPOSE>",
    [CONSTRAINT_RNG_DISTRIBUTION] = "#stablehlo<rng_distribution UNIFORM>",
    [CONSTRAINT_RNG_ALGORITHM] = "#stablehlo<rng_algorithm DEFAULT>",
    [CONSTRAINT_CUSTOM_CALL_API] = "4 : i32",
    [CONSTRAINT_PROPAGATION] = "#sdy<propagation_direction BOTH>",
    [CONSTRAINT_SDY_REDUCTION] = "#sdy<reduction_op sum>",
    [CONSTRAINT_MESH] = "#sdy.mesh<[\"x\"=2]>",
    [CONSTRAINT_SHARDINGS] = "#sdy.sharding_per_value<[]>",
    [CONSTRAINT_MANUAL_AXES] = "#sdy<manual_axes{}>",
    [CONSTRAINT_AXES] = "#sdy<axis_ref_list{}>",
    [CONSTRAINT_AXES_PER_DIM] = "#sdy<list_of_axis_ref_lists[{}]>",
    [CONSTRAINT_ALL_TO_ALL] = "#sdy<all_to_all_param_list[]>",
};

// Attributes of many kinds: whatever is asked for, all but a few of them are something else.
static const char *const others[] = {
    "unit",
    "\"s\"",
    "@a::@b",
    "[7]",
    "{x}",
    "f32",
    "7 : i16",
    "1.0 : f16",
    "array<i8: 1>",
    "dense<true> : tensor<1xi1>",
    "#stablehlo<transpose ADJOINT>",
    "#other.attr<1>",
};

static bool takes(AttrConstraint constraint, const char *text) {
    switch (constraint) {
    case CONSTRAINT_UNIT: return strcmp(text, "unit") == 0;
    case CONSTRAINT_STRING: return text[0] == '"';
    case CONSTRAINT_STRING_OR_DICT: return text[0] == '"' || text[0] == '{';
    case CONSTRAINT_DICT: return text[0] == '{';
    case CONSTRAINT_ARRAY: return text[0] == '[';
    case CONSTRAINT_ELEMENTS: return text[0] == 'd';
    case CONSTRAINT_TRANSPOSE: return strstr(text, "transpose") != NULL;
    case CONSTRAINT_TYPED: return strchr("\"71d", text[0]) != NULL;
    case CONSTRAINT_ANY: return true;
    default: return false;
    }
}

static int count_of(int count) { return count < 0 ? 1 : count; }

static bool at_top(OpCode code) { return op_code_has(code, TRAIT_SYMBOL); }

static void write_attrs(
    StrBuf *out, OpCode code, int left_out, int replaced, const char *replacement) {
    const OpAttr *attrs = op_code_attrs(code);
    const char *separator = "";
    for (int i = 0; attrs[i].role; i++) {
        bool is_named = attrs[i].role != ATTR_ROLE_RECORD;
        if (i == left_out || !is_named) continue;
        const char *text = attrs[i].role == ATTR_ROLE_SHARDING ? "#sdy.sharding<@m, [{}]>"
                                                               : samples[attrs[i].constraint];
        if (!text) fail_msg("no sample for '%s'", words[attrs[i].constraint]);
        strbuf_printf(
            out, "%s%.*s = %s", separator, SV_ARG(op_attr_item_text(&attrs[i])),
            i == replaced ? replacement : text);
        separator = ", ";
    }
}

// One op by its row, with the number of operands, results and regions that it asks for.
static const char *program(
    Fixture *fixture, OpCode code, bool as_properties, int left_out, int replaced,
    const char *replacement) {
    int operands = count_of(op_code_operands(code)), results = count_of(op_code_results(code));
    int regions = count_of(op_code_regions(code));
    const char *end =
        op_code_dialect(code) == DIALECT_SDY ? "\"sdy.return\"" : "\"stablehlo.return\"";
    StrBuf out = strbuf(fixture->arena);
    strbuf_puts(&out, "sdy.mesh @m = <[\"x\"=2]>\n");
    if (!at_top(code)) strbuf_puts(&out, "func.func @main(%a: tensor<2xf32>) {\n");
    strbuf_printf(&out, "\"%.*s\"(", SV_ARG(op_code_text(code)));
    for (int i = 0; i < operands; i++)
        strbuf_puts(&out, i ? ", %a" : "%a");
    strbuf_puts(&out, as_properties ? ") <{" : ")");
    if (as_properties) write_attrs(&out, code, left_out, replaced, replacement);
    if (as_properties) strbuf_puts(&out, "}>");
    for (int i = 0; i < regions; i++)
        strbuf_printf(&out, "%s{\n%s() : () -> ()\n}", i ? ", " : " (", end);
    strbuf_puts(&out, regions ? ")" : "");
    if (!as_properties) strbuf_puts(&out, " {");
    if (!as_properties) write_attrs(&out, code, left_out, replaced, replacement);
    if (!as_properties) strbuf_puts(&out, "}");
    strbuf_puts(&out, " : (");
    for (int i = 0; i < operands; i++)
        strbuf_puts(&out, i ? ", tensor<2xf32>" : "tensor<2xf32>");
    strbuf_puts(&out, ") -> (");
    for (int i = 0; i < results; i++)
        strbuf_puts(&out, i ? ", tensor<2xf32>" : "tensor<2xf32>");
    strbuf_puts(&out, ")\n");
    if (!at_top(code)) strbuf_puts(&out, "return\n}\n");
    return strbuf_cstring(&out);
}

static const char *missing(Fixture *fixture, const OpAttr *attr) {
    StrView name = op_attr_item_text(attr);
    return arena_printf(fixture->arena, "requires attribute '%.*s'", SV_ARG(name));
}

static const char *unfit(Fixture *fixture, const OpAttr *attr) {
    StrView name = op_attr_item_text(attr);
    return arena_printf(
        fixture->arena, "attribute '%.*s' failed to satisfy constraint: %s", SV_ARG(name),
        attr->role == ATTR_ROLE_SHARDING ? "Tensor sharding" : words[attr->constraint]);
}

static bool says(Fixture *fixture, const char *message) {
    for (const Diag *diag = fixture->diags->first; diag; diag = diag->next) {
        if (strstr(arena_cstring(fixture->arena, diag->message), message)) return true;
    }
    return false;
}

// The verifier alone: nothing is converted.
static void verify_text(Fixture *fixture, const char *text) {
    ReadOptions options = {.file = SV("test.mlir"), .keep_annotations = true};
    fixture->diags = diags_create(fixture->arena);
    (void)frontend_read(fixture->context, fixture->arena, strview(text), &options, fixture->diags);
}

static void assert_verifier_says(Fixture *fixture, const char *text, const char *message) {
    verify_text(fixture, text);
    if (!says(fixture, message)) fail_msg("no diagnostic says \"%s\" of\n%s", message, text);
}

// The ops whose generic form is checked: modules and functions have readers of their own, and so
// have attributes of source dialects.
static bool is_checked(OpCode code) {
    Dialect dialect = op_code_dialect(code);
    bool is_whole = dialect == DIALECT_STABLEHLO || dialect == DIALECT_CHLO ||
                    dialect == DIALECT_SDY || dialect == DIALECT_FUNC || dialect == DIALECT_CHECK ||
                    dialect == DIALECT_INTERPRETER;
    return is_whole && code != OP_FUNC;
}

static void what_a_row_asks_for_must_be_there(void **state) {
    Fixture *fixture = *state;
    int programs = 0;
    for (int code = 0; code < OP_COUNT; code++) {
        const OpAttr *attrs = op_code_attrs((OpCode)code);
        for (int i = 0; attrs[i].role && is_checked((OpCode)code); i++) {
            if (attrs[i].is_optional) continue;
            for (int as_properties = 0; as_properties < 2; as_properties++) {
                const char *text = program(fixture, (OpCode)code, as_properties, i, -1, NULL);
                const char *message = missing(fixture, &attrs[i]);
                assert_verifier_says(fixture, text, message);
                programs++;
            }
        }
    }
    assert_true(programs > 150);
}

static void what_a_row_asks_for_must_be_of_its_kind(void **state) {
    Fixture *fixture = *state;
    int programs = 0;
    for (int code = 0; code < OP_COUNT; code++) {
        const OpAttr *attrs = op_code_attrs((OpCode)code);
        for (int i = 0; attrs[i].role && is_checked((OpCode)code); i++) {
            bool is_sharding = attrs[i].role == ATTR_ROLE_SHARDING;
            if (attrs[i].role == ATTR_ROLE_RECORD) continue;
            for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
                if (!is_sharding && takes(attrs[i].constraint, others[k])) continue;
                const char *text = program(fixture, (OpCode)code, k % 2, -1, i, others[k]);
                const char *message = unfit(fixture, &attrs[i]);
                assert_verifier_says(fixture, text, message);
                programs++;
            }
        }
    }
    assert_true(programs > 2000);
}

static void what_a_row_asks_for_is_enough(void **state) {
    Fixture *fixture = *state;
    for (int code = 0; code < OP_COUNT; code++) {
        if (!is_checked((OpCode)code)) continue;
        verify_text(fixture, program(fixture, (OpCode)code, code % 2, -1, -1, NULL));
        bool refused =
            says(fixture, "requires attribute") || says(fixture, "failed to satisfy constraint");
        if (refused) fail_msg("%s", arena_cstring(fixture->arena, fixture->diags->first->message));
    }
}

static void integers_have_a_least_value(void **state) {
    Fixture *fixture = *state;
    for (int code = 0; code < OP_COUNT; code++) {
        const OpAttr *attrs = op_code_attrs((OpCode)code);
        for (int i = 0; attrs[i].role && is_checked((OpCode)code); i++) {
            const char *own = attrs[i].role == ATTR_ROLE_OWN ? words[attrs[i].constraint] : "";
            bool is_positive = strstr(own, "positive") != NULL;
            if (!is_positive && !strstr(own, "non-negative")) continue;
            const char *below[] = {"-1", "-2147483648", is_positive ? "0" : "-7"};
            for (int k = 0; k < 3; k++) {
                char value[32];
                (void)snprintf(
                    value, sizeof value, "%s : i%s", below[k], strncmp(own, "32", 2) ? "64" : "32");
                const char *message = unfit(fixture, &attrs[i]);
                assert_verifier_says(
                    fixture, program(fixture, (OpCode)code, k % 2, -1, i, value), message);
            }
        }
    }
}

// In an op's own form the attributes that the form does not write are in its dictionary.
static void own_forms_ask_for_the_rest(void **state) {
    static const struct {
        const char *op, *message;
    } cases[] = {
        {"stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[o, i]->[b, f], window = {} "
         "{batch_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>",
         "'stablehlo.convolution' op requires attribute 'feature_group_count'"},
        {"stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[o, i]->[b, f], window = {} "
         "{batch_group_count = \"1\", feature_group_count = 1 : i64} : (tensor<2x3xf32>, "
         "tensor<4x3xf32>) -> tensor<2x4xf32>",
         "attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer "
         "attribute whose value is positive"},
        {"stablehlo.iota dim = -1 : tensor<4xf32>",
         "'stablehlo.iota' op attribute 'iota_dimension' failed to satisfy constraint: 64-bit "
         "signless integer attribute whose value is non-negative"},
        {"stablehlo.composite \"x\" %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
         "'stablehlo.composite' op requires attribute 'decomposition'"},
        {"stablehlo.exponential %a {result_accuracy = 1 : i64} : tensor<2x3xf32>",
         "attribute 'result_accuracy' failed to satisfy constraint"},
        {"sdy.named_computation<\"f\">(%a) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, "
         "{}]>] (%x: tensor<2x3xf32>) {\n sdy.return %x : tensor<2x3xf32>\n} {name = 1} : "
         "(tensor<2x3xf32>) -> tensor<2x3xf32>",
         "attribute 'name'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(
            text, sizeof text,
            "sdy.mesh @m = <[\"x\"=2]>\nfunc.func @main(%%a: tensor<2x3xf32>, %%b: "
            "tensor<4x3xf32>) {\n  %%0 = %s\n  return\n}\n",
            cases[i].op);
        assert_refused(*state, text, cases[i].message);
    }
}

// Takes attribute `index` of all those that the module's ops must have.
typedef struct Taken {
    Module *module;
    int index;
    StrView name; // of what was taken
} Taken;

static bool take_attr(Op *op, void *user) {
    Taken *taken = user;
    if (op->code == OP_FUNC) return true;
    for (const OpAttr *attr = op_code_attrs(op->code); attr->role; attr++) {
        if (attr->role != ATTR_ROLE_OWN || attr->is_optional || taken->index-- != 0) continue;
        op_set_attr(taken->module, op, attr->name, NULL);
        taken->name = op_attr_item_text(attr);
    }
    return true;
}

// A record of bytecode has a place for each attribute: what lacks one cannot be written.
static void artifacts_have_a_place_for_each(void **state) {
    static const char text[] =
        "func.func @main(%a: tensor<4x6xf32>, %i: tensor<3x1xi64>) {\n"
        "  %0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, replica_groups = "
        "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x6xf32>\n"
        "  %1 = \"stablehlo.collective_permute\"(%a) {source_target_pairs = dense<[[0, 1]]> : "
        "tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "  %2 = stablehlo.compare LT, %a, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
        "tensor<4x6xi1>\n"
        "  %3 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
        "  %4 = stablehlo.slice %a [0:2, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>\n"
        "  %5 = stablehlo.iota dim = 0 : tensor<4xf32>\n"
        "  %6 = stablehlo.concatenate %a, %1, dim = 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
        "tensor<8x6xf32>\n"
        "  %7 = stablehlo.reduce_precision %a, format = e5m10 : tensor<4x6xf32>\n"
        "  %8 = stablehlo.custom_call @f(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
        "  return\n}\n";
    Fixture *fixture = *state;
    int target = 0, refused = 0;
    assert_true(bytecode_target(SV("current"), &target));
    for (;; refused++) {
        fixture->diags = diags_create(fixture->arena);
        Module *module = fixture_read(fixture, text);
        assert_non_null(module);
        Taken taken = {module, refused, {NULL, 0}};
        region_walk(module->body, take_attr, &taken);
        if (taken.name.size == 0) break;
        assert_false(verify_module(module, fixture->diags));
        StrBuf out = strbuf(fixture->arena);
        assert_false(write_bytecode(module, fixture->arena, target, &out, fixture->diags));
        assert_true(says(
            fixture,
            arena_printf(fixture->arena, "it has no attribute '%.*s'", SV_ARG(taken.name))));
    }
    assert_int_equal(refused, 13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(what_a_row_asks_for_must_be_there),
        FIXTURE_TEST(what_a_row_asks_for_must_be_of_its_kind),
        FIXTURE_TEST(what_a_row_asks_for_is_enough),
        FIXTURE_TEST(integers_have_a_least_value),
        FIXTURE_TEST(own_forms_ask_for_the_rest),
        FIXTURE_TEST(artifacts_have_a_place_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// stablehlo_attr_reader: #stablehlo.* and #chlo.* attributes.
#include "frontend/mlir/forms/stablehlo_attrs.h"
#include "frontend/mlir/syntax/dim_fields.h"
#include "frontend/mlir/syntax/mlir_reader.h"

#include <assert.h>
#include <stdio.h>

static const Attr *no_attr(bool ignored) {
    (void)ignored;
    return NULL;
}

static IntSpan kept_ints(Reader *reader, int64_t base) {
    IntSpan ints = ints_from(reader, base);
    if (ints.count > 0)
        ints.data = arena_copy(reader->scratch, ints.data, (size_t)ints.count * sizeof *ints.data);
    reader->ints.count = base;
    return ints;
}

// A field of a structured attribute: `name = [1, 2]` or `name = 3`.
typedef struct Field {
    const char *name;
    IntSpan *list;   // or NULL
    int64_t *number; // or NULL
} Field;

static bool read_field(Reader *reader, const Field *field) {
    if (!expect_punctuation(reader, '=')) return false;
    if (field->number) return read_int64(reader, field->number);
    int64_t base = reader->ints.count;
    if (!read_int_list(reader, '[', ']', true)) return false;
    assert(field->list);
    *field->list = kept_ints(reader, base);
    return true;
}

// field, field, ... > in any order, each at most once; the < is already read.
static bool read_fields(Reader *reader, const Field *fields, int count) {
    bool seen[MAX_DIM_FIELDS] = {false};
    while (!accept_punctuation(reader, '>')) {
        int found = -1;
        for (int i = 0; i < count; i++) {
            if (at_word(reader, fields[i].name)) found = i;
        }
        if (found < 0) {
            StrBuf names = strbuf(reader->scratch);
            for (int i = 0; i < count; i++)
                strbuf_printf(&names, "%s`%s`", i ? ", " : "", fields[i].name);
            return reader_error_at(
                reader, &reader->token, "expected one of: %s", strbuf_cstring(&names));
        }
        if (seen[found]) {
            return reader_error_at(
                reader, &reader->token, "duplicated `%s` entry", fields[found].name);
        }
        seen[found] = true;
        reader_advance(reader);
        if (!read_field(reader, &fields[found])) return false;
        if (!accept_punctuation(reader, ',')) return expect_punctuation(reader, '>');
    }
    return true;
}

// The numbers of a structured attribute by name: lhs_batching_dimensions = [0], ... >
static const Attr *read_dims(Reader *reader, AttrKind kind) {
    DimNumbers numbers = {0};
    const DimField *rows;
    int count = dim_fields(kind, &rows);
    Field fields[MAX_DIM_FIELDS];
    for (int i = 0; i < count; i++) {
        fields[i] = (Field){.name = rows[i].name};
        if (rows[i].is_list) {
            fields[i].list = dim_list(&numbers, &rows[i]);
        } else {
            fields[i].number = dim_number(&numbers, &rows[i]);
        }
    }
    if (!read_fields(reader, fields, count)) return NULL;
    return attr_of_dims(reader->context, kind, &numbers);
}

static const Attr *read_dot(Reader *reader) { return read_dims(reader, ATTR_DOT_DIMS); }
static const Attr *read_ragged_dot(Reader *reader) {
    return expect_punctuation(reader, '<') ? read_dims(reader, ATTR_RAGGED_DOT_DIMS) : NULL;
}
static const Attr *read_gather(Reader *reader) { return read_dims(reader, ATTR_GATHER_DIMS); }
static const Attr *read_scatter(Reader *reader) { return read_dims(reader, ATTR_SCATTER_DIMS); }

// Where each letter and each spatial dimension of one tensor stands: [b, 0, 1, f].
typedef struct ConvLayout {
    int64_t letters[2];
    int64_t spatial[MAX_RANK];
    int spatial_count;
} ConvLayout;

static bool note_spatial(
    Reader *reader, const Token *at, ConvLayout *layout, bool *seen, int64_t dim, int place) {
    if (dim < 0 || dim >= MAX_RANK)
        return reader_custom_error(reader, at, "Unexpected dimension %lld", (long long)dim);
    if (seen[dim]) {
        return reader_custom_error(
            reader, at, "Duplicate entries for spatial dimension %lld", (long long)dim);
    }
    seen[dim] = true;
    layout->spatial[dim] = place;
    layout->spatial_count++;
    return true;
}

static bool check_layout(
    Reader *reader, const ConvLayout *layout, const bool *seen, const char *letters) {
    if (layout->letters[0] < 0 || layout->letters[1] < 0) {
        bool both = layout->letters[0] < 0 && layout->letters[1] < 0;
        char first = layout->letters[0] < 0 ? letters[0] : letters[1];
        return reader_custom_error(
            reader, &reader->token, "Expected dimensions %c%s%s not specified", first,
            both ? ", " : "", both ? (char[]){letters[1], 0} : "");
    }
    for (int d = 0; d < layout->spatial_count; d++) {
        if (!seen[d])
            return reader_custom_error(
                reader, &reader->token, "Expected spatial dimensions %d not specified", d);
    }
    return true;
}

static bool read_conv_layout(Reader *reader, const char *letters, ConvLayout *layout) {
    *layout = (ConvLayout){.letters = {-1, -1}};
    bool seen[MAX_RANK] = {false};
    if (!expect_punctuation(reader, '[')) return false;
    int place = 0;
    do {
        Token at = reader->token;
        if (place >= MAX_RANK)
            return reader_custom_error(reader, &at, "more than %d dimensions", MAX_RANK);
        if (at.kind == TOKEN_INTEGER || at_punctuation(reader, '-')) {
            int64_t dim;
            if (!read_int64(reader, &dim) || !note_spatial(reader, &at, layout, seen, dim, place))
                return false;
        } else {
            if (at.kind != TOKEN_WORD)
                return reader_custom_error(reader, &at, "expected valid keyword");
            char c = at.text.size == 1 ? at.text.data[0] : 0;
            int letter = c == letters[0] ? 0 : c == letters[1] ? 1 : -1;
            if (letter < 0) {
                return c ? reader_custom_error(
                               reader, &at, "Unexpected dimension %c, expecting %c, %c", c,
                               letters[0], letters[1])
                         : reader_custom_error(
                               reader, &at, "Unexpected keyword %.*s", SV_ARG(at.text));
            }
            if (layout->letters[letter] >= 0) {
                return reader_custom_error(
                    reader, &at, "Unexpected dimension %c, expecting %c", c, letters[1 - letter]);
            }
            layout->letters[letter] = place;
            reader_advance(reader);
        }
        place++;
    } while (accept_punctuation(reader, ','));
    return check_layout(reader, layout, seen, letters) && expect_punctuation(reader, ']');
}

static IntSpan layout_spatial(Reader *reader, const ConvLayout *layout) {
    size_t size = (size_t)layout->spatial_count * sizeof *layout->spatial;
    return (IntSpan){arena_copy(reader->scratch, layout->spatial, size), layout->spatial_count};
}

const Attr *read_conv_dims(Reader *reader) {
    ConvDims conv = {0};
    ConvLayout input, kernel, output;
    if (!read_conv_layout(reader, "bf", &input) || !expect_word(reader, "x") ||
        !read_conv_layout(reader, "io", &kernel) || !expect_arrow(reader) ||
        !read_conv_layout(reader, "bf", &output)) {
        return NULL;
    }
    conv.input_batch = input.letters[0];
    conv.input_feature = input.letters[1];
    conv.input_spatial = layout_spatial(reader, &input);
    conv.kernel_input_feature = kernel.letters[0];
    conv.kernel_output_feature = kernel.letters[1];
    conv.kernel_spatial = layout_spatial(reader, &kernel);
    conv.output_batch = output.letters[0];
    conv.output_feature = output.letters[1];
    conv.output_spatial = layout_spatial(reader, &output);
    return attr_intern(reader->context, &(Attr){.kind = ATTR_CONV_DIMS, .conv = &conv});
}

static const Attr *read_conv(Reader *reader) {
    if (accept_word(reader, "raw")) {
        return read_dims(reader, ATTR_CONV_DIMS);
    }
    const Attr *attr = read_conv_dims(reader);
    return attr && expect_punctuation(reader, '>') ? attr : NULL;
}

static const Attr *read_channel(Reader *reader) {
    int64_t ints[2] = {0, 0};
    const Field fields[] = {{"handle", NULL, &ints[0]}, {"type", NULL, &ints[1]}};
    if (!read_fields(reader, fields, 2)) return NULL;
    return attr_intern(reader->context, &(Attr){.kind = ATTR_CHANNEL, .count = 2, .ints = ints});
}

static const Attr *read_alias(Reader *reader) {
    OperandAlias alias = {0};
    const Field fields[] = {
        {"output_tuple_indices", &alias.output_tuple_indices, NULL},
        {"operand_index", NULL, &alias.operand_index},
        {"operand_tuple_indices", &alias.operand_tuple_indices, NULL}};
    if (!read_fields(reader, fields, 3)) return NULL;
    return attr_intern(reader->context, &(Attr){.kind = ATTR_ALIAS, .alias = &alias});
}

const Attr *accuracy_attr(Reader *reader, const Token *at, const ResultAccuracy *accuracy) {
    bool has_tolerance = accuracy->atol > 0 || accuracy->rtol > 0 || accuracy->ulps > 0;
    if (!(accuracy->atol >= 0) || !(accuracy->rtol >= 0) || accuracy->ulps < 0) {
        return no_attr(reader_error_at(
            reader, at, "Invalid tolerances for ResultAccuracyAttr, must not be negative."));
    }
    if (has_tolerance && accuracy->mode != RESULT_ACCURACY_TOLERANCE) {
        return no_attr(reader_error_at(
            reader, at,
            "Invalid tolerances for ResultAccuracyAttr with mode %.*s, must be all zero.",
            SV_ARG(enum_keyword(ENUM_RESULT_ACCURACY, accuracy->mode))));
    }
    return attr_intern(reader->context, &(Attr){.kind = ATTR_ACCURACY, .accuracy = accuracy});
}

// atol = 1.0, rtol = 1.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE> >
static const Attr *read_accuracy(Reader *reader) {
    ResultAccuracy accuracy = {0};
    if (accept_word(reader, "atol")) {
        bool ok = expect_punctuation(reader, '=') && read_double(reader, &accuracy.atol) &&
                  expect_punctuation(reader, ',');
        if (!ok) return NULL;
    }
    if (accept_word(reader, "rtol")) {
        bool ok = expect_punctuation(reader, '=') && read_double(reader, &accuracy.rtol) &&
                  expect_punctuation(reader, ',');
        if (!ok) return NULL;
    }
    if (accept_word(reader, "ulps")) {
        bool ok = expect_punctuation(reader, '=') && read_int64(reader, &accuracy.ulps) &&
                  expect_punctuation(reader, ',');
        if (!ok) return NULL;
    }
    if (!expect_word(reader, "mode") || !expect_punctuation(reader, '=')) return NULL;
    Token at = reader->token;
    const Attr *mode = read_attr(reader);
    if (!mode || !expect_punctuation(reader, '>')) return NULL;
    if (mode->kind != ATTR_ENUM || mode->enum_kind != ENUM_RESULT_ACCURACY) {
        return no_attr(reader_error_at(reader, &at, "invalid kind of attribute specified"));
    }
    accuracy.mode = (int)mode->integer;
    return accuracy_attr(reader, &at, &accuracy);
}

// name = f32 (or tf32)
static bool read_precision_type(
    Reader *reader, const char *name, ElementType *element, bool *is_tf32) {
    if (!expect_word(reader, name) || !expect_punctuation(reader, '=')) return false;
    if (accept_word(reader, "tf32")) {
        *is_tf32 = true;
        *element = ELEMENT_F32;
        return expect_punctuation(reader, ',');
    }
    if (reader->token.kind != TOKEN_WORD || !element_from_word(reader->token.text, element)) {
        return reader_expected(reader, "element type");
    }
    reader_advance(reader);
    return expect_punctuation(reader, ',');
}

static bool read_count(Reader *reader, const char *name, int64_t *count) {
    return expect_word(reader, name) && expect_punctuation(reader, '=') &&
           read_int64(reader, count) && expect_punctuation(reader, ',');
}

const Attr *read_dot_algorithm(Reader *reader) {
    Token at = reader->token;
    DotAlgorithm algorithm = {0};
    bool ok = expect_punctuation(reader, '<') &&
              read_precision_type(
                  reader, "lhs_precision_type", &algorithm.lhs_precision, &algorithm.lhs_is_tf32) &&
              read_precision_type(
                  reader, "rhs_precision_type", &algorithm.rhs_precision, &algorithm.rhs_is_tf32) &&
              read_precision_type(
                  reader, "accumulation_type", &algorithm.accumulation,
                  &algorithm.accumulation_is_tf32) &&
              read_count(reader, "lhs_component_count", &algorithm.lhs_components) &&
              read_count(reader, "rhs_component_count", &algorithm.rhs_components) &&
              read_count(reader, "num_primitive_operations", &algorithm.primitive_operations) &&
              expect_word(reader, "allow_imprecise_accumulation") &&
              expect_punctuation(reader, '=');
    if (!ok) return NULL;
    const Attr *allow = read_attr_of_type(reader, ELEMENT_I1);
    if (!allow || !expect_punctuation(reader, '>')) return NULL;
    algorithm.allow_imprecise_accumulation = allow->integer != 0;
    const char *problem = dot_algorithm_problem(reader->scratch, &algorithm);
    if (problem) return no_attr(reader_error_at(reader, &at, "%s", problem));
    return attr_intern(
        reader->context, &(Attr){.kind = ATTR_DOT_ALGORITHM, .dot_algorithm = &algorithm});
}

// comparison_direction EQ, or result_accuracy_mode<DEFAULT>
static const Attr *read_enum_attr(Reader *reader, EnumKind kind) {
    bool angle = accept_punctuation(reader, '<');
    Token at = reader->token;
    int value;
    if (at.kind != TOKEN_WORD || !enum_from_keyword(kind, at.text, &value)) {
        return no_attr(reader_expected(reader, "a keyword of this attribute"));
    }
    reader_advance(reader);
    if (angle && !expect_punctuation(reader, '>')) return NULL;
    return attr_enum(reader->context, kind, value);
}

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Appends the text with its blanks as MLIR prints them: one between words, none inside of a
// bracket.
static void append_tidy(StrBuf *out, StrView text) {
    bool in_string = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '"' && (i == 0 || text.data[i - 1] != '\\')) in_string = !in_string;
        if (!is_blank(c) || in_string) {
            strbuf_putc(out, c);
            continue;
        }
        while (i + 1 < text.size && is_blank(text.data[i + 1]))
            i++;
        char before = out->data[out->size - 1], behind = i + 1 < text.size ? text.data[i + 1] : '>';
        if (!strchr("<[({", before) && !strchr(">])}", behind)) strbuf_putc(out, ' ');
    }
}

// Attributes that we know by name only:
// #stablehlo.replica_group_mesh_axes<...>, #chlo.ragged_dot<...>
static const Attr *read_text_attr(Reader *reader, StrView name, bool is_chlo) {
    StrView body = {"", 0};
    if (at_punctuation(reader, '<') && !read_balanced(reader, &body)) return NULL;
    StrBuf text = strbuf(reader->scratch);
    strbuf_puts(&text, is_chlo ? "#chlo." : "#stablehlo.");
    strbuf_append(&text, name);
    append_tidy(&text, body);
    return attr_intern(reader->context, &(Attr){.kind = ATTR_OPAQUE, .text = strbuf_view(&text)});
}

const Attr *read_stablehlo_attr(Reader *reader, StrView name, bool is_chlo) {
    EnumKind kind;
    if (enum_kind_from_text(is_chlo ? SV("chlo") : SV("stablehlo"), name, &kind))
        return read_enum_attr(reader, kind);
    if (is_chlo && strview_is(name, "precision")) return read_enum_attr(reader, ENUM_PRECISION);
    if (is_chlo && strview_is(name, "ragged_dot")) return read_ragged_dot(reader);
    if (strview_is(name, "dot_algorithm") && !is_chlo) return read_dot_algorithm(reader);
    static const struct {
        const char *name;
        const Attr *(*read)(Reader *reader);
    } readers[] = {
        {"dot", read_dot},
        {"gather", read_gather},
        {"scatter", read_scatter},
        {"conv", read_conv},
        {"channel_handle", read_channel},
        {"output_operand_alias", read_alias},
        {"result_accuracy", read_accuracy}};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && !is_chlo; i++) {
        if (!strview_is(name, readers[i].name)) continue;
        Token at = reader->token;
        if (!expect_punctuation(reader, '<')) return NULL;
        const Attr *attr = readers[i].read(reader);
        if (!attr && i < 3) {
            static const char *const what[] = {"dot", "gather", "scatter"};
            (void)reader_error_at(
                reader, &at, "failed parsing %s dimension numbers attribute", what[i]);
        }
        return attr;
    }
    static const char *const by_text[] = {
        "replica_group_mesh_axes", "mesh",  "mesh_axis", "axis_ref", "sub_axis_info",
        "type_extensions",         "bounds"};
    for (size_t i = 0; i < sizeof by_text / sizeof by_text[0]; i++) {
        if (strview_is(name, by_text[i])) return read_text_attr(reader, name, false);
    }
    if (is_chlo) return read_text_attr(reader, name, true);
    return no_attr(reader_error_at(
        reader, &reader->token, "unknown StableHLO attribute '%.*s'", SV_ARG(name)));
}

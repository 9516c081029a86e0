// asm_reader: the ops' pretty forms, read as the rows of ir/print/asm_format.c say.
#include "frontend/mlir/forms/forms.h"

// The punctuation and words of a step's text, blanks aside.
static bool read_text(Reader *reader, const char *text) {
    for (const char *p = text; *p;) {
        if (*p == ' ') {
            p++;
            continue;
        }
        const char *end = p;
        while ((*end >= 'a' && *end <= 'z') || *end == '_')
            end++;
        if (end == p) {
            if (!expect_punctuation(reader, *p)) return false;
            p++;
            continue;
        }
        char word[40];
        size_t size = (size_t)(end - p);
        if (size >= sizeof word) size = sizeof word - 1;
        memcpy(word, p, size);
        word[size] = 0;
        if (!expect_word(reader, word)) return false;
        p = end;
    }
    return true;
}

// Does the next token begin an optional group? Its text is ", word = ", "
// word=" or ", " before a keyword.
static bool at_optional(Reader *reader, const AsmStep *step) {
    const char *p = step->text;
    while (*p == ' ')
        p++;
    if (*p != ',') {
        const char *end = p;
        while ((*end >= 'a' && *end <= 'z') || *end == '_')
            end++;
        StrView word = {p, (size_t)(end - p)};
        return reader->token.kind == TOKEN_WORD && strview_equal(reader->token.text, word);
    }
    return at_punctuation(reader, ',');
}

// Of no operands MLIR prints the last comma all the same.
static bool read_operands_comma(Reader *reader) {
    if (accept_punctuation(reader, ',')) return true;
    while (reader->token.kind == TOKEN_PERCENT) {
        if (!read_operand(reader) || !expect_punctuation(reader, ',')) return false;
    }
    return true;
}

static bool read_ints_attr(Reader *reader, AttrName name) {
    int64_t base = reader->ints.count;
    if (!read_int_list(reader, '[', ']', false)) return false;
    IntSpan ints = ints_from(reader, base);
    draft_attr(reader, name, attr_ints(reader->context, ints.count, ints.data));
    reader->ints.count = base;
    return true;
}

// <nnan,contract>: kept as the attribute's text, for it allows what nothing here does.
bool read_arith_flags(Reader *reader, AttrName name, const char *word) {
    StrView flags;
    if (!at_punctuation(reader, '<')) return reader_expected(reader, "'<'");
    if (!read_balanced(reader, &flags)) return false;
    StrBuf text = strbuf(reader->scratch);
    strbuf_printf(&text, "#arith.%s%.*s", word, SV_ARG(flags));
    const Attr attr = {.kind = ATTR_OPAQUE, .text = strbuf_view(&text)};
    draft_attr(reader, name, attr_intern(reader->context, &attr));
    return true;
}

static const char *enum_class_name(EnumKind kind) {
    if (kind == ENUM_DIRECTION) return "ComparisonDirection";
    if (kind == ENUM_COMPARE) return "ComparisonType";
    if (kind == ENUM_PRECISION) return "Precision";
    if (kind == ENUM_FFT) return "FftType";
    if (kind == ENUM_RNG_ALGORITHM) return "RngAlgorithm";
    if (kind == ENUM_RNG_DISTRIBUTION) return "RngDistribution";
    return NULL;
}

static bool read_enum(Reader *reader, AttrName name, EnumKind kind) {
    int value;
    Token at = reader->token;
    bool is_word = at.kind == TOKEN_WORD;
    if (kind == ENUM_PROPAGATION && !(is_word && enum_from_keyword(kind, at.text, &value)))
        return reader_custom_error(
            reader, &at,
            "expected string or keyword containing one of the following enum values for attribute "
            "'allowed_direction' [NONE, FORWARD, BACKWARD, BOTH]");
    if (!is_word) return reader_custom_error(reader, &at, "expected valid keyword");
    if (!enum_from_keyword(kind, at.text, &value)) {
        StrBuf all = strbuf(reader->scratch);
        for (int i = 0; enum_keyword(kind, i).size > 0; i++) {
            strbuf_puts(&all, i ? ", " : "");
            strbuf_append(&all, enum_keyword(kind, i));
        }
        const char *class = enum_class_name(kind);
        return reader_custom_error(
            reader, &at, "expected %s%s to be one of: %s, found '%.*s'",
            class ? "::mlir::stablehlo::" : "", class ? class : "keyword", strbuf_cstring(&all),
            SV_ARG(at.text));
    }
    reader_advance(reader);
    draft_attr(reader, name, attr_enum(reader->context, kind, value));
    return true;
}

static int64_t operand_count(const Reader *reader, const Draft *draft) {
    return reader->operands.count - draft->operands;
}

// T for all of `count` operands from `first` on; false with a diagnostic where one differs.
static bool operands_have_type(Reader *reader, const Draft *draft, const Type *type) {
    for (int64_t i = draft->operands; i < reader->operands.count; i++) {
        if (!check_operand_type(reader, i, type)) return false;
    }
    return true;
}

static void push_type(Reader *reader, const Type *type) {
    vec_push(reader->scratch, &reader->types, type);
}

// Operands against a function type with one result, which is pushed.
static bool take_function(
    Reader *reader, const Draft *draft, const Token *at, const Type *function) {
    int64_t count = operand_count(reader, draft);
    if (function->input_count != count) {
        return reader_custom_error(
            reader, at, "%lld operands present, but expected %d", (long long)count,
            function->input_count);
    }
    if (function->part_count - function->input_count != 1) {
        return reader_custom_error(reader, at, "expected single output");
    }
    if (!check_operand_types(reader, draft->operands, function->input_count, function->parts))
        return false;
    push_type(reader, function->parts[function->input_count]);
    return true;
}

static bool read_same_type(Reader *reader, const Draft *draft) {
    Token at = reader->token;
    const Type *type = read_type(reader);
    if (!type) return false;
    if (type->kind == TYPE_FUNCTION) return take_function(reader, draft, &at, type);
    push_type(reader, type);
    return operands_have_type(reader, draft, type);
}

static bool read_complex_type(Reader *reader, const Draft *draft) {
    Token at = reader->token;
    const Type *type = read_type(reader);
    if (!type) return false;
    if (type->kind == TYPE_FUNCTION) return take_function(reader, draft, &at, type);
    if (type->kind != TYPE_TENSOR || element_class(type->element) != CLASS_COMPLEX) {
        return reader_custom_error(reader, &at, "expected tensor with complex element type");
    }
    push_type(reader, type);
    const Type *real = type_with_element(reader->context, type, element_real_part(type->element));
    return operands_have_type(reader, draft, real);
}

static bool read_select_type(Reader *reader, const Draft *draft) {
    Token at = reader->token;
    int64_t base = reader->types.count;
    if (!read_type_list(reader)) return false;
    int64_t count = reader->types.count - base;
    const Type *first = reader->types.data[base];
    const Type *last = reader->types.data[reader->types.count - 1];
    reader->types.count = base;
    if (count == 1 && first->kind == TYPE_FUNCTION) return take_function(reader, draft, &at, first);
    if (count != 2) {
        return reader_custom_error(reader, &at, "expected functional type or list of two types");
    }
    if (operand_count(reader, draft) != 3) {
        return reader_custom_error(
            reader, &at, "%lld operands present, but expected 3",
            (long long)operand_count(reader, draft));
    }
    const Type *types[] = {first, last, last};
    push_type(reader, last);
    return check_operand_types(reader, draft->operands, 3, types);
}

static bool read_tuple_type(Reader *reader, const Draft *draft) {
    Token at = reader->token;
    const Type *type = read_type(reader);
    if (!type) return false;
    if (type->kind != TYPE_TUPLE) return reader_custom_error(reader, &at, "expected tuple type");
    if (operand_count(reader, draft) != type->part_count) {
        return reader_custom_error(
            reader, &at,
            "number of operands and types do not match: got %lld operands and %d types",
            (long long)operand_count(reader, draft), type->part_count);
    }
    push_type(reader, type);
    return check_operand_types(reader, draft->operands, type->part_count, type->parts);
}

// T, T of the operands; pushed as results for ops that return what they take.
static bool read_operand_types(Reader *reader, const Draft *draft, bool are_results) {
    Token at = reader->token;
    int64_t base = reader->types.count;
    if (!read_type_list(reader)) return false;
    int64_t count = reader->types.count - base;
    if (count != operand_count(reader, draft)) {
        return reader_custom_error(
            reader, &at, "%lld operands present, but expected %lld",
            (long long)operand_count(reader, draft), (long long)count);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!check_operand_type(reader, draft->operands + i, reader->types.data[base + i]))
            return false;
    }
    if (!are_results) reader->types.count = base;
    return true;
}

// T, T -> U; also (T, T) -> U
static bool read_arrow_type(Reader *reader, const Draft *draft, bool two_results) {
    Token at = reader->token;
    if (at_punctuation(reader, '(')) {
        const Type *function = read_function_type(reader);
        return function && take_function(reader, draft, &at, function);
    }
    if (!read_operand_types(reader, draft, false)) return false;
    if (reader->token.kind != TOKEN_ARROW && !two_results) { // T: also of the result
        push_type(reader, reader->operands.data[draft->operands].value->type);
        return true;
    }
    if (!expect_arrow(reader)) return false;
    if (two_results) return read_type_list_parens(reader);
    const Type *type = read_type(reader);
    if (type) push_type(reader, type);
    return type != NULL;
}

// T to U
static bool read_cast_types(Reader *reader, const Draft *draft) {
    const Type *from = read_type(reader);
    if (!from || !expect_word(reader, "to")) return false;
    const Type *to = read_type(reader);
    if (!to) return false;
    if (op_code_results(draft->code) == 0)
        return check_operand_types(reader, draft->operands, 2, (const Type *[]){from, to});
    push_type(reader, to);
    return operands_have_type(reader, draft, from);
}

static bool read_one_type(Reader *reader, const Draft *draft) {
    const Type *type = read_type(reader);
    if (!type) return false;
    if (op_code_results(draft->code) == 1) push_type(reader, type);
    return operands_have_type(reader, draft, type);
}

// The operands of check.expect_eq_const have the type of its constant.
static bool take_value_type(Reader *reader, const Draft *draft, AttrName name) {
    for (int64_t i = draft->attrs; i < reader->attrs.count; i++) {
        const ReadAttr *attr = &reader->attrs.data[i];
        if (!strview_equal(attr->name, attr_name_text(name))) continue;
        if (attr->value->kind != ATTR_ELEMENTS) {
            return reader_custom_error(reader, &draft->token, "expected constant elements");
        }
        return operands_have_type(reader, draft, attr->value->type);
    }
    return true;
}

static bool read_type_step(Reader *reader, Draft *draft, const AsmStep *step) {
    if (step->kind == STEP_TYPE_FUNCTIONAL) return read_functional_type(reader, draft);
    if (step->kind == STEP_TYPE_VALUE) return take_value_type(reader, draft, step->name);
    if (step->kind == STEP_TYPE_PAIRWISE && operand_count(reader, draft) == 0) {
        return expect_punctuation(reader, '(') && expect_punctuation(reader, ')');
    }
    if (step->kind == STEP_TYPE_OPERANDS && operand_count(reader, draft) == 0 &&
        !at_punctuation(reader, ':')) {
        return true;
    }
    if (!expect_punctuation(reader, ':')) return false;
    if (step->kind == STEP_TYPE_SAME) return read_same_type(reader, draft);
    if (step->kind == STEP_TYPE_COMPLEX) return read_complex_type(reader, draft);
    if (step->kind == STEP_TYPE_SELECT) return read_select_type(reader, draft);
    if (step->kind == STEP_TYPE_RESULTS) return read_type_list(reader);
    if (step->kind == STEP_TYPE_TUPLE) return read_tuple_type(reader, draft);
    if (step->kind == STEP_TYPE_PAIRWISE) return read_operand_types(reader, draft, true);
    if (step->kind == STEP_TYPE_OPERANDS) return read_operand_types(reader, draft, false);
    if (step->kind == STEP_TYPE_TO) return read_cast_types(reader, draft);
    if (step->kind == STEP_TYPE_ONE) return read_one_type(reader, draft);
    return read_arrow_type(reader, draft, step->kind == STEP_TYPE_TOP_K);
}

static bool read_named_attr(Reader *reader, AttrName name, const Attr *value) {
    if (value) draft_attr(reader, name, value);
    (void)reader;
    return value != NULL;
}

// name = "text"
static bool read_string_attr(Reader *reader, AttrName name, bool is_symbol) {
    StrView text;
    if (!(is_symbol ? read_symbol(reader, &text) : read_string(reader, &text))) return false;
    bool is_reference = name == NAME_CALLEE;
    draft_attr(
        reader, name,
        is_reference ? attr_symbol(reader->context, text) : attr_string(reader->context, text));
    return true;
}

static bool read_step(Reader *reader, Draft *draft, const AsmStep *step) {
    if (step->kind >= STEP_TYPE_FUNCTIONAL) return read_type_step(reader, draft, step);
    if (step->kind >= STEP_OWN_SHARDING) return read_sdy_step(reader, draft, step);
    if (step->kind == STEP_TEXT) return read_text(reader, step->text);
    if (step->kind == STEP_OPERAND) return read_operand(reader);
    if (step->kind == STEP_OPERANDS) return read_operand_list(reader);
    if (step->kind == STEP_OPERANDS_COMMA) return read_operands_comma(reader);
    if (step->kind == STEP_INT || step->kind == STEP_FLOAT) {
        return read_named_attr(
            reader, step->name, read_attr_of_type(reader, (ElementType)step->detail));
    }
    if (step->kind == STEP_BOOL)
        return read_named_attr(reader, step->name, read_attr_of_type(reader, ELEMENT_I1));
    if (step->kind == STEP_INTS) return read_ints_attr(reader, step->name);
    if (step->kind == STEP_ENUM) return read_enum(reader, step->name, (EnumKind)step->detail);
    if (step->kind == STEP_STRING) return read_string_attr(reader, step->name, false);
    if (step->kind == STEP_SYMBOL) return read_string_attr(reader, step->name, true);
    if (step->kind == STEP_ATTR) return read_named_attr(reader, step->name, read_attr(reader));
    if (step->kind == STEP_FLAGS) return read_arith_flags(reader, step->name, step->text);
    if (step->kind == STEP_UNIT)
        return read_named_attr(reader, step->name, attr_unit(reader->context));
    if (step->kind == STEP_REGIONS) return read_generic_regions(reader);
    if (step->kind == STEP_ATTR_DICT) return !at_punctuation(reader, '{') || read_attr_dict(reader);
    return read_stablehlo_step(reader, draft, step);
}

bool read_format(Reader *reader, Draft *draft, const AsmStep *format) {
    for (const AsmStep *step = format; step->kind != STEP_END; step++) {
        if (step->kind == STEP_CLOSE) continue;
        if (step->kind != STEP_OPTIONAL) {
            if (!read_step(reader, draft, step)) return false;
            continue;
        }
        if (at_optional(reader, step)) {
            if (!read_text(reader, step->text)) return false;
        } else {
            while (step->kind != STEP_CLOSE)
                step++;
        }
    }
    return true;
}

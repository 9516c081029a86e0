// stablehlo_reader: the parts of StableHLO's pretty forms that are more than words, operands and
// numbers; constants, while and reduce, which have forms of their own.
#include "frontend/mlir/forms/stablehlo_attrs.h"

static const Attr *ints_attr(Reader *reader, int64_t base, int64_t first, int64_t step) {
    int64_t count = reader->ints.count - base;
    int64_t *picked = ARENA_ARRAY(reader->scratch, int64_t, count / step + 1);
    int size = 0;
    for (int64_t i = first; i < count; i += step)
        picked[size++] = reader->ints.data[base + i];
    return attr_ints(reader->context, size, picked);
}

// [start:limit:stride, ...]
static bool read_slice_ranges(Reader *reader) {
    int64_t base = reader->ints.count;
    if (!expect_punctuation(reader, '[')) return false;
    while (!at_punctuation(reader, ']')) {
        int64_t start, limit;
        int64_t stride = 1;
        if (!read_int64(reader, &start) || !expect_punctuation(reader, ':') ||
            !read_int64(reader, &limit))
            return false;
        if (accept_punctuation(reader, ':') && !read_int64(reader, &stride)) return false;
        vec_push(reader->scratch, &reader->ints, start);
        vec_push(reader->scratch, &reader->ints, limit);
        vec_push(reader->scratch, &reader->ints, stride);
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return false;
    draft_attr(reader, NAME_START_INDICES, ints_attr(reader, base, 0, 3));
    draft_attr(reader, NAME_LIMIT_INDICES, ints_attr(reader, base, 1, 3));
    draft_attr(reader, NAME_STRIDES, ints_attr(reader, base, 2, 3));
    reader->ints.count = base;
    return true;
}

// [[0, 1], [1, 1]]
static const Attr *read_pairs(Reader *reader) {
    int64_t base = reader->ints.count;
    if (!expect_punctuation(reader, '[')) return NULL;
    while (!at_punctuation(reader, ']')) {
        int64_t before = reader->ints.count;
        if (!read_int_list(reader, '[', ']', false)) return NULL;
        if (reader->ints.count - before != 2) {
            (void)reader_custom_error(
                reader, &reader->token, "Expected array with 2 elements, got %lld elements instead",
                (long long)(reader->ints.count - before));
            return NULL;
        }
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return NULL;
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    return attr_int_matrix(reader->context, ints.count / 2, 2, ints.data);
}

// [true, false] or [1, 0]
static const Attr *read_bools(Reader *reader) {
    int64_t base = reader->ints.count;
    if (!expect_punctuation(reader, '[')) return NULL;
    while (!at_punctuation(reader, ']')) {
        int64_t value = at_word(reader, "true");
        if (value || at_word(reader, "false")) {
            reader_advance(reader);
        } else if (!read_int64(reader, &value)) {
            return NULL;
        }
        vec_push(reader->scratch, &reader->ints, value != 0);
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return NULL;
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    return attr_bools(reader->context, ints.count, ints.data);
}

static bool read_window(Reader *reader) {
    static const struct {
        const char *word;
        AttrName name;
    } parts[] = {
        {"stride", NAME_WINDOW_STRIDES},
        {"pad", NAME_PADDING},
        {"lhs_dilate", NAME_LHS_DILATION},
        {"rhs_dilate", NAME_RHS_DILATION},
        {"reverse", NAME_WINDOW_REVERSAL}};
    enum { COUNT = sizeof parts / sizeof parts[0] };
    bool seen[COUNT] = {false};
    while (reader->token.kind == TOKEN_WORD) {
        int found = -1;
        for (int i = 0; i < COUNT; i++) {
            if (at_word(reader, parts[i].word) && !seen[i]) found = i;
        }
        if (found < 0) {
            return reader_custom_error(
                reader, &reader->token, "Unexpected keyword %.*s", SV_ARG(reader->token.text));
        }
        seen[found] = true;
        AttrName name = parts[found].name;
        reader_advance(reader);
        if (!expect_punctuation(reader, '=')) return false;
        const Attr *value = NULL;
        if (name == NAME_PADDING) {
            value = read_pairs(reader);
        } else if (name == NAME_WINDOW_REVERSAL) {
            value = read_bools(reader);
        } else {
            int64_t base = reader->ints.count;
            if (read_int_list(reader, '[', ']', false)) value = ints_attr(reader, base, 0, 1);
            reader->ints.count = base;
        }
        if (!value) return false;
        draft_attr(reader, name, value);
        if (!accept_punctuation(reader, ',')) return true;
    }
    return true;
}

// [..] x [..]
static bool read_dim_pair(Reader *reader, IntSpan *lhs, IntSpan *rhs) {
    IntSpan *sides[] = {lhs, rhs};
    for (int i = 0; i < 2; i++) {
        int64_t base = reader->ints.count;
        if (i == 1 && !expect_word(reader, "x")) return false;
        if (!read_int_list(reader, '[', ']', false)) return false;
        IntSpan ints = ints_from(reader, base);
        *sides[i] = (IntSpan){
            arena_copy(
                reader->scratch, ints.count ? ints.data : (const int64_t[]){0},
                (size_t)ints.count * sizeof(int64_t)),
            ints.count};
        reader->ints.count = base;
    }
    return true;
}

static bool read_dot_dims(Reader *reader, AttrName name) {
    DotDims dot = {0};
    if (accept_word(reader, "batching_dims")) {
        bool ok = expect_punctuation(reader, '=') &&
                  read_dim_pair(reader, &dot.lhs_batch, &dot.rhs_batch) &&
                  expect_punctuation(reader, ',');
        if (!ok) return false;
    }
    bool ok = expect_word(reader, "contracting_dims") && expect_punctuation(reader, '=') &&
              read_dim_pair(reader, &dot.lhs_contracting, &dot.rhs_contracting);
    if (!ok) return false;
    draft_attr(
        reader, name, attr_intern(reader->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = &dot}));
    return true;
}

// = [DEFAULT, HIGHEST]
static bool read_precision_list(Reader *reader) {
    int64_t base = reader->attr_items.count;
    if (!expect_punctuation(reader, '=') || !expect_punctuation(reader, '[')) return false;
    while (!at_punctuation(reader, ']')) {
        int value;
        Token at = reader->token;
        if (at.kind != TOKEN_WORD)
            return reader_custom_error(reader, &at, "expected valid keyword");
        if (!enum_from_keyword(ENUM_PRECISION, at.text, &value)) {
            return reader_custom_error(
                reader, &at,
                "expected ::mlir::stablehlo::Precision to be one of: DEFAULT, HIGH, HIGHEST, found "
                "'%.*s': failed to parse "
                "StableHLO_PrecisionAttr parameter 'value' which is to be a "
                "`::mlir::stablehlo::Precision`",
                SV_ARG(at.text));
        }
        reader_advance(reader);
        vec_push(
            reader->scratch, &reader->attr_items,
            attr_enum(reader->context, ENUM_PRECISION, value));
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ']')) return false;
    const Attr *attr = attr_array(
        reader->context, (int)(reader->attr_items.count - base),
        reader->attr_items.data ? reader->attr_items.data + base : NULL);
    reader->attr_items.count = base;
    draft_attr(reader, NAME_PRECISION_CONFIG, attr);
    return true;
}

// [, precision = [..]] [, algorithm = <..>]: the second only where `algorithm` says so.
static bool read_precision(Reader *reader, bool algorithm) {
    if (!accept_punctuation(reader, ',')) return true;
    if (!algorithm || !at_word(reader, "algorithm")) {
        if (!expect_word(reader, "precision") || !read_precision_list(reader)) return false;
        if (!algorithm || !accept_punctuation(reader, ',')) return true;
    }
    if (!expect_word(reader, "algorithm") || !expect_punctuation(reader, '=')) return false;
    const Attr *attr = read_dot_algorithm(reader);
    if (attr) draft_attr(reader, NAME_ALGORITHM, attr);
    return attr != NULL;
}

// e8m7
static bool read_float_format(Reader *reader) {
    Token at = reader->token;
    if (at.kind != TOKEN_WORD) return reader_custom_error(reader, &at, "expected valid keyword");
    const char *m = memchr(at.text.data, 'm', at.text.size);
    const char *end = at.text.data + at.text.size;
    StrView exponent = {at.text.data + 1, m ? (size_t)(m - at.text.data) - (m > at.text.data) : 0};
    StrView mantissa = {m ? m + 1 : end, m ? (size_t)(end - m - 1) : 0};
    bool shaped = m && at.text.data[0] == 'e' && exponent.size > 0 && mantissa.size > 0;
    for (size_t i = 0; shaped && i < exponent.size; i++)
        shaped = exponent.data[i] >= '0' && exponent.data[i] <= '9';
    for (size_t i = 0; shaped && i < mantissa.size; i++)
        shaped = mantissa.data[i] >= '0' && mantissa.data[i] <= '9';
    if (!shaped) {
        return reader_custom_error(
            reader, &at, "expected exponent mantissa in format e#m#, saw %.*s", SV_ARG(at.text));
    }
    int64_t numbers[2];
    if (!strview_to_int64(exponent, &numbers[0]) || numbers[0] > INT32_MAX) {
        return reader_custom_error(
            reader, &at, "unable to parse exponent '%.*s'", SV_ARG(exponent));
    }
    if (!strview_to_int64(mantissa, &numbers[1]) || numbers[1] > INT32_MAX) {
        return reader_custom_error(
            reader, &at, "unable to parse mantissa '%.*s'", SV_ARG(mantissa));
    }
    reader_advance(reader);
    draft_attr(reader, NAME_EXPONENT_BITS, attr_int(reader->context, numbers[0], ELEMENT_I32));
    draft_attr(reader, NAME_MANTISSA_BITS, attr_int(reader->context, numbers[1], ELEMENT_I32));
    return true;
}

bool read_stablehlo_step(Reader *reader, Draft *draft, const AsmStep *step) {
    if (step->kind == STEP_SLICE_RANGES) return read_slice_ranges(reader);
    if (step->kind == STEP_WINDOW) return read_window(reader);
    if (step->kind == STEP_DOT_DIMS) return read_dot_dims(reader, step->name);
    if (step->kind == STEP_PRECISION) return read_precision(reader, draft->code == OP_DOT_GENERAL);
    if (step->kind == STEP_ALGORITHM) return true; // read with the precision
    if (step->kind == STEP_FLOAT_FORMAT) return read_float_format(reader);
    const Attr *conv = read_conv_dims(reader); // STEP_CONV_DIMS is the last kind of these
    if (conv) draft_attr(reader, step->name, conv);
    return conv != NULL;
}

// {attributes} dense<..> : T, or () <{value = ..}> {..} : () -> T
bool read_own_constant(Reader *reader, Draft *draft) {
    if (accept_punctuation(reader, '(')) {
        if (!expect_punctuation(reader, ')')) return false;
        if (accept_punctuation(reader, '<') &&
            (!read_attr_dict(reader) || !expect_punctuation(reader, '>')))
            return false;
        if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
        return read_functional_type(reader, draft);
    }
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    Token at = reader->token;
    const Attr *value = read_attr(reader);
    if (!value) return false;
    if (value->kind != ATTR_ELEMENTS) {
        return reader_custom_error(
            reader, &at, "invalid kind of attribute specified: expected dense elements");
    }
    draft_attr(reader, NAME_VALUE, value);
    vec_push(reader->scratch, &reader->types, value->type);
    return true;
}

// One region of a while, with the arguments named as written.
static bool read_while_region(Reader *reader, int64_t names, int count, int64_t types) {
    Region *region = region_detached(reader);
    Scope scope = scope_open(reader, false);
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        Token name = reader->results.data[names + i].token;
        Value *value = region_add_arg(
            reader->module, region, reader->types.data[types + i], reader_loc(reader, &name));
        ok = bind_value(reader, &scope, &name, value, 1);
    }
    ok = ok && read_region_body(reader, region, &scope);
    scope_close(reader, &scope);
    vec_push(reader->scratch, &reader->regions, region);
    return ok;
}

// (%iterArg = %init, ...) : T, ... attributes {..} cond { ... } do { ... }
bool read_own_while(Reader *reader, Draft *draft) {
    int64_t names = reader->results.count;
    Token at = reader->token;
    if (!expect_punctuation(reader, '(')) return false;
    while (!at_punctuation(reader, ')')) {
        ResultName name = {reader->token, 1};
        if (name.token.kind != TOKEN_PERCENT) return reader_expected(reader, "SSA operand");
        reader_advance(reader);
        vec_push(reader->scratch, &reader->results, name);
        if (!expect_punctuation(reader, '=') || !read_operand(reader)) return false;
        if (!accept_punctuation(reader, ',')) break;
    }
    if (!expect_punctuation(reader, ')')) return false;
    int count = (int)(reader->results.count - names);
    if (count > 0 && (!expect_punctuation(reader, ':') || !read_type_list(reader))) return false;
    if (reader->types.count - draft->types != count) {
        return reader_custom_error(
            reader, &at, "%d operands present, but expected %lld", count,
            (long long)(reader->types.count - draft->types));
    }
    for (int i = 0; i < count; i++) {
        if (!check_operand_type(reader, draft->operands + i, reader->types.data[draft->types + i]))
            return false;
    }
    if (accept_word(reader, "attributes") && !read_attr_dict(reader)) return false;
    bool ok = expect_word(reader, "cond") &&
              read_while_region(reader, names, count, draft->types) && expect_word(reader, "do") &&
              read_while_region(reader, names, count, draft->types);
    reader->results.count = names;
    return ok;
}

// (%x init: %i), ...: the operands in pairs become all inputs, then all inits.
static bool read_reduce_operands(Reader *reader, const Draft *draft) {
    do {
        bool ok = expect_punctuation(reader, '(') && read_operand(reader) &&
                  expect_word(reader, "init") && expect_punctuation(reader, ':') &&
                  read_operand(reader) && expect_punctuation(reader, ')');
        if (!ok) return false;
    } while (accept_punctuation(reader, ','));
    int64_t count = (reader->operands.count - draft->operands) / 2;
    Operand *inits = ARENA_ARRAY(reader->scratch, Operand, count);
    Operand *all = reader->operands.data + draft->operands;
    for (int64_t i = 0; i < count; i++) {
        inits[i] = all[2 * i + 1];
        all[i] = all[2 * i];
    }
    for (int64_t i = 0; i < count; i++)
        all[count + i] = inits[i];
    return true;
}

// across dimensions = [..] {attributes} : type
static bool read_reduce_tail(Reader *reader, Draft *draft) {
    int64_t base = reader->ints.count;
    bool ok = expect_word(reader, "across") && expect_word(reader, "dimensions") &&
              expect_punctuation(reader, '=') && read_int_list(reader, '[', ']', false);
    if (!ok) return false;
    draft_attr(reader, NAME_DIMENSIONS, ints_attr(reader, base, 0, 1));
    reader->ints.count = base;
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    return read_functional_type(reader, draft);
}

// applies stablehlo.add: the body of that one op.
static bool read_reduce_applies(Reader *reader, Draft *draft) {
    Token at = reader->token;
    StrView name = at.text;
    if (at.kind == TOKEN_STRING)
        name = string_unescape(reader, at.text);
    else if (at.kind != TOKEN_WORD)
        return reader_expected(reader, "operation name");
    reader_advance(reader);
    OpCode code;
    bool fits = op_code_from_text(name, &code) && op_code_dialect(code) == DIALECT_STABLEHLO &&
                op_code_has(code, TRAIT_COMMUTES);
    if (!fits) {
        return reader_custom_error(
            reader, &draft->token,
            "expected the inner-op to be a commutative binary-op from the "
            "stablehlo dialect, with zero region, producing single result");
    }
    if (!read_reduce_tail(reader, draft)) return false;
    if (reader->operands.count == draft->operands) {
        return reader_custom_error(
            reader, &draft->token, "input types missing in reduce-op function type");
    }
    const Type *type = reader->operands.data[draft->operands].value->type;
    if (type->kind != TYPE_TENSOR)
        return reader_custom_error(reader, &draft->token, "expected tensor operands");
    Region *region = region_detached(reader);
    build_reduction_body(
        reader->module, region, code, type->element, reader_loc(reader, &draft->token));
    vec_push(reader->scratch, &reader->regions, region);
    return true;
}

// (%a: T, %b: T) (%c: T, %d: T): arguments in pairs become all first ones, then all second ones.
static bool read_reducer_args(Reader *reader, Region *region, Scope *scope) {
    int64_t names = reader->results.count;
    int64_t types = reader->types.count;
    while (accept_punctuation(reader, '(')) {
        for (int i = 0; i < 2; i++) {
            if (i == 1 && !expect_punctuation(reader, ',')) return false;
            ResultName name = {reader->token, 1};
            if (name.token.kind != TOKEN_PERCENT) return reader_expected(reader, "SSA operand");
            reader_advance(reader);
            if (!expect_punctuation(reader, ':')) return false;
            const Type *type = read_type(reader);
            if (!type || !read_loc_trailer(reader, reader_loc(reader, &name.token))) return false;
            vec_push(reader->scratch, &reader->results, name);
            vec_push(reader->scratch, &reader->types, type);
        }
        if (!expect_punctuation(reader, ')')) return false;
    }
    int64_t count = reader->results.count - names;
    for (int64_t half = 0; half < 2; half++) {
        for (int64_t i = half; i < count; i += 2) {
            Token name = reader->results.data[names + i].token;
            Value *value = region_add_arg(
                reader->module, region, reader->types.data[types + i], reader_loc(reader, &name));
            if (!bind_value(reader, scope, &name, value, 1)) return false;
        }
    }
    reader->results.count = names;
    reader->types.count = types;
    return true;
}

bool read_own_reduce(Reader *reader, Draft *draft) {
    if (!read_reduce_operands(reader, draft)) return false;
    if (accept_word(reader, "applies")) return read_reduce_applies(reader, draft);
    if (!read_reduce_tail(reader, draft) || !expect_word(reader, "reducer")) return false;
    Region *region = region_detached(reader);
    Scope scope = scope_open(reader, false);
    bool ok = read_reducer_args(reader, region, &scope) && read_region_body(reader, region, &scope);
    scope_close(reader, &scope);
    vec_push(reader->scratch, &reader->regions, region);
    return ok;
}

// chlo.scan: (%inputs) inits (%carries) dimension=0 attributes {..} { ... } : type
bool read_own_scan(Reader *reader, Draft *draft) {
    if (!read_operands_parens(reader)) return false;
    int64_t inputs = reader->operands.count - draft->operands;
    if (!expect_word(reader, "inits") || !read_operands_parens(reader)) return false;
    int64_t carries = reader->operands.count - draft->operands - inputs;
    int64_t dimension = 0;
    bool ok = expect_word(reader, "dimension") && expect_punctuation(reader, '=') &&
              read_int64(reader, &dimension);
    if (!ok) return false;
    draft_attr(reader, NAME_DIMENSION, attr_int(reader->context, dimension, ELEMENT_I64));
    if (accept_word(reader, "attributes") && !read_attr_dict(reader)) return false;
    Region *region = region_detached(reader);
    if (!read_region(reader, region, false)) return false;
    vec_push(reader->scratch, &reader->regions, region);
    if (!read_functional_type(reader, draft)) return false;
    int64_t outputs = reader->types.count - draft->types - carries;
    if (outputs < 0) {
        return reader_custom_error(
            reader, &draft->token, "not enough result types to cover the required carries");
    }
    draft_attr(
        reader, NAME_OPERAND_SEGMENT_SIZES,
        attr_segments(reader->context, (int)inputs, (int)carries));
    draft_attr(
        reader, NAME_RESULT_SEGMENT_SIZES,
        attr_segments(reader->context, (int)outputs, (int)carries));
    return true;
}

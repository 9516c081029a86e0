// linalg_reader: structured ops: `linalg.NAME {..} ins(%a : T) outs(%b : U)
// dimensions = [..] {region} -> U`.
#include "frontend/mlir/forms/forms.h"

// ins(%a, %b : T, U): pushed; *count of them
static bool read_values(Reader *reader, const char *word, int *count) {
    *count = 0;
    if (!accept_word(reader, word)) return true;
    int64_t base = reader->operands.count;
    if (!expect_punctuation(reader, '(')) return false;
    if (accept_punctuation(reader, ')')) return true;
    if (!read_operand_list(reader) || !expect_punctuation(reader, ':')) return false;
    int64_t types = reader->types.count;
    Token at = reader->token;
    if (!read_type_list(reader)) return false;
    *count = (int)(reader->operands.count - base);
    bool ok = reader->types.count - types == *count;
    reader->types.count = types;
    if (!ok) return reader_custom_error(reader, &at, "expected as many types as operands");
    return check_operand_types(reader, base, *count, reader->types.data + types) &&
           expect_punctuation(reader, ')');
}

static const Type *element_of(Reader *reader, const Type *type) {
    return type->kind == TYPE_TENSOR ? type_element(reader->context, type->element) : type;
}

// { arith.addf } in front of map and reduce: the name of the op that the body is
static bool read_short_body(Reader *reader, Token *name) {
    reader_advance(reader);
    *name = reader->token;
    if (name->kind != TOKEN_WORD) return reader_expected(reader, "the name of an op");
    reader_advance(reader);
    if (at_punctuation(reader, '{')) { // its attributes say nothing of numbers
        StrView ignored;
        if (!read_balanced(reader, &ignored)) return false;
    }
    return expect_punctuation(reader, '}');
}

// The body of one op on all arguments, in order.
static bool make_short_body(
    Reader *reader, const Draft *draft, const Token *name, int ins, int outs) {
    OpCode code;
    if (!find_op(reader, name, name->text, &code)) return false;
    Region *region = region_detached(reader);
    const Loc *loc = reader_loc(reader, name);
    int args = draft->code == OP_LINALG_REDUCE ? ins + outs : ins;
    Value *values[8];
    if (args > 8 || args < 1 || op_code_results(code) != 1 || op_code_regions(code) != 0 ||
        (op_code_operands(code) >= 0 && op_code_operands(code) != args))
        return reader_error_at(
            reader, name, "'%.*s' cannot be the body of this op", SV_ARG(name->text));
    for (int i = 0; i < args; i++) {
        const Type *type = reader->operands.data[draft->operands + i].value->type;
        values[i] = region_add_arg(reader->module, region, element_of(reader, type), loc);
    }
    const Type *out = element_of(reader, reader->operands.data[draft->operands + ins].value->type);
    if (draft->code == OP_LINALG_REDUCE) { // what was reduced so far comes first
        Value *last = values[args - 1];
        for (int i = args - 1; i > 0; i--)
            values[i] = values[i - 1];
        values[0] = last;
    }
    Builder builder = builder_at_end(reader->module, region);
    builder.loc = loc;
    Op *op = build_op(&builder, code, args, values, 1, &out, 0);
    Value *result = op_result(op, 0);
    build_op(&builder, OP_LINALG_YIELD, 1, &result, 0, NULL, 0);
    vec_push(reader->scratch, &reader->regions, region);
    return true;
}

// word = [0, 1]
static bool read_list(Reader *reader, AttrName name) {
    StrView word = attr_name_text(name);
    if (reader->token.kind != TOKEN_WORD || !strview_equal(reader->token.text, word)) return true;
    reader_advance(reader);
    return expect_punctuation(reader, '=') && read_indices(reader, name);
}

static bool has_inherent(OpCode code, AttrName name) {
    for (const OpAttr *item = op_code_attrs(code); item->role; item++) {
        if (item->name == name) return true;
    }
    return false;
}

static bool read_head(Reader *reader, const Draft *draft, Token *short_body) {
    bool may_be_short = draft->code == OP_LINALG_MAP || draft->code == OP_LINALG_REDUCE;
    if (at_punctuation(reader, '{'))
        return may_be_short ? read_short_body(reader, short_body) : read_attr_dict(reader);
    if (accept_word(reader, "indexing_maps")) {
        if (!expect_punctuation(reader, '=')) return false;
        const Attr *maps = read_attr(reader);
        if (!maps) return false;
        draft_attr(reader, NAME_INDEXING_MAPS, maps);
    }
    return !at_punctuation(reader, '{') || read_attr_dict(reader);
}

// -> T, U or -> (T, U); without, the types of `outs` that are tensors
static bool read_results(Reader *reader, const Draft *draft, int ins, int outs) {
    if (reader->token.kind == TOKEN_ARROW) {
        reader_advance(reader);
        return at_punctuation(reader, '(') ? read_type_list_parens(reader) : read_type_list(reader);
    }
    for (int i = 0; i < outs; i++) {
        const Type *type = reader->operands.data[draft->operands + ins + i].value->type;
        if (type->kind == TYPE_TENSOR) vec_push(reader->scratch, &reader->types, type);
    }
    return true;
}

bool read_own_linalg(Reader *reader, Draft *draft) {
    Token short_body = {0};
    int ins, outs;
    if (!read_head(reader, draft, &short_body) || !read_values(reader, "ins", &ins) ||
        !read_values(reader, "outs", &outs))
        return false;
    if (outs == 0) return reader_expected(reader, "'outs'");
    draft_attr(reader, NAME_OPERAND_SEGMENT_SIZES, attr_segments(reader->context, ins, outs));
    if (has_inherent(draft->code, NAME_DIMENSIONS) && !read_list(reader, NAME_DIMENSIONS))
        return false;
    if (has_inherent(draft->code, NAME_PERMUTATION) && !read_list(reader, NAME_PERMUTATION))
        return false;
    if (accept_word(reader, "attrs") &&
        (!expect_punctuation(reader, '=') || !read_attr_dict(reader)))
        return false;
    if (op_code_regions(draft->code) == 1) {
        bool ok = short_body.text.size > 0 ? make_short_body(reader, draft, &short_body, ins, outs)
                                           : read_region_with_args(reader);
        if (!ok) return false;
    } else if (at_punctuation(reader, '{') && !read_attr_dict(reader)) {
        return false;
    }
    return read_results(reader, draft, ins, outs);
}

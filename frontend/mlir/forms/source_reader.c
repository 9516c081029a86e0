// source_reader: the own forms of arith, tensor, scf and affine.
#include "frontend/mlir/forms/forms.h"

static void push_type(Reader *reader, const Type *type) {
    vec_push(reader->scratch, &reader->types, type);
}

static int64_t operand_count(const Reader *reader, const Draft *draft) {
    return reader->operands.count - draft->operands;
}

// A dictionary, when there is one, and the colon in front of types.
static bool read_dict_and_colon(Reader *reader) {
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    return expect_punctuation(reader, ':');
}

// Constants that are tensors are StableHLO's.
void draft_settle_constant(Reader *reader, Draft *draft) {
    if (draft->code != OP_ARITH_CONSTANT || reader->types.count != draft->types + 1) return;
    if (reader->types.data[draft->types]->kind != TYPE_TENSOR) return;
    draft->code = OP_CONSTANT;
    draft->name = op_code_text(OP_CONSTANT);
}

bool read_own_arith_constant(Reader *reader, Draft *draft) {
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    Token at = reader->token;
    const Attr *value = read_attr(reader);
    if (!value) return false;
    const Type *type = value->type;
    if (value->kind == ATTR_BOOL) type = type_element(reader->context, ELEMENT_I1);
    bool is_value = value->kind == ATTR_INT || value->kind == ATTR_FLOAT ||
                    value->kind == ATTR_BOOL || value->kind == ATTR_ELEMENTS;
    if (!is_value || !type)
        return reader_custom_error(reader, &at, "needs a number or dense elements");
    draft_attr(reader, NAME_VALUE, value);
    push_type(reader, type);
    draft_settle_constant(reader, draft);
    return true;
}

// i1 for each element
static const Type *predicate_type(Reader *reader, const Type *type) {
    if (type->kind == TYPE_TENSOR) return type_with_element(reader->context, type, ELEMENT_I1);
    return type_element(reader->context, ELEMENT_I1);
}

// ogt, %a, %b : T
bool read_own_arith_compare(Reader *reader, Draft *draft) {
    int value;
    if (reader->token.kind != TOKEN_WORD ||
        !enum_from_keyword(ENUM_ARITH_PREDICATE, reader->token.text, &value))
        return reader_expected(reader, "a comparison predicate");
    bool is_shared = value >= ARITH_PREDICATE_ult && value <= ARITH_PREDICATE_uge;
    bool is_float = value >= ARITH_PREDICATE_oeq;
    if (!is_shared && is_float != (draft->code == OP_ARITH_CMPF))
        return reader_expected(reader, "a comparison predicate of this op");
    draft_attr(reader, NAME_PREDICATE, attr_enum(reader->context, ENUM_ARITH_PREDICATE, value));
    reader_advance(reader);
    if (!expect_punctuation(reader, ',') || !read_operand(reader) ||
        !expect_punctuation(reader, ',') || !read_operand(reader))
        return false;
    if (draft->code == OP_ARITH_CMPF && accept_word(reader, "fastmath") &&
        !read_arith_flags(reader, NAME_FASTMATH, "fastmath"))
        return false;
    if (!read_dict_and_colon(reader)) return false;
    const Type *type = read_type(reader);
    if (!type) return false;
    push_type(reader, predicate_type(reader, type));
    return check_operand_types(reader, draft->operands, 2, (const Type *[]){type, type});
}

// %c, %a, %b : T, or of a tensor of conditions : C, T
bool read_own_arith_select(Reader *reader, Draft *draft) {
    if (!read_operand_list(reader) || !read_dict_and_colon(reader)) return false;
    Token at = reader->token;
    if (operand_count(reader, draft) != 3)
        return reader_custom_error(reader, &at, "expected 3 operands");
    const Type *first = read_type(reader);
    const Type *type = first;
    if (first && accept_punctuation(reader, ',')) {
        type = read_type(reader);
    } else {
        first = type_element(reader->context, ELEMENT_I1);
    }
    if (!type) return false;
    push_type(reader, type);
    return check_operand_types(reader, draft->operands, 3, (const Type *[]){first, type, type});
}

// --- tensor ---

// [offsets] [sizes] [strides]
static bool read_ranges(Reader *reader) {
    return read_indices(reader, NAME_STATIC_OFFSETS) && read_indices(reader, NAME_STATIC_SIZES) &&
           read_indices(reader, NAME_STATIC_STRIDES);
}

// T WORD U: of operand `from`, and of the result
static bool read_two_types(Reader *reader, const Draft *draft, const char *word) {
    if (!read_dict_and_colon(reader)) return false;
    const Type *from = read_type(reader);
    if (!from || !check_operand_type(reader, draft->operands, from) || !expect_word(reader, word))
        return false;
    const Type *to = read_type(reader);
    if (to) push_type(reader, to);
    return to != NULL;
}

static bool read_region_of(Reader *reader) {
    Region *region = region_detached(reader);
    if (!read_region(reader, region, false)) return false;
    vec_push(reader->scratch, &reader->regions, region);
    return true;
}

// %x low[..] high[..] { ^bb0(...): ... } : T to U
bool read_own_tensor_pad(Reader *reader, Draft *draft) {
    if (!read_operand(reader)) return false;
    if (accept_word(reader, "nofold")) draft_attr(reader, NAME_NOFOLD, attr_unit(reader->context));
    return expect_word(reader, "low") && read_indices(reader, NAME_STATIC_LOW) &&
           expect_word(reader, "high") && read_indices(reader, NAME_STATIC_HIGH) &&
           read_region_of(reader) && read_two_types(reader, draft, "to");
}

// [[0, 1], [2]] [output_shape [4, %n]] : T into U
bool read_own_tensor_regroup(Reader *reader, Draft *draft) {
    if (!read_operand(reader)) return false;
    const Attr *groups = read_attr(reader);
    if (!groups) return false;
    draft_attr(reader, NAME_REASSOCIATION, groups);
    if (accept_word(reader, "output_shape") && !read_indices(reader, NAME_STATIC_OUTPUT_SHAPE))
        return false;
    return read_two_types(reader, draft, "into");
}

// %x, %c : T
bool read_own_tensor_dim(Reader *reader, Draft *draft) {
    if (!read_operand(reader)) return false;
    if (!expect_punctuation(reader, ',') || !read_operand(reader) || !read_dict_and_colon(reader))
        return false;
    const Type *type = read_type(reader);
    push_type(reader, type_element(reader->context, ELEMENT_INDEX));
    return type && check_operand_type(reader, draft->operands, type);
}

// %x[%i, %j] : T
bool read_own_tensor_extract(Reader *reader, Draft *draft) {
    if (!read_operand(reader)) return false;
    if (!expect_punctuation(reader, '[') || !read_operand_list(reader) ||
        !expect_punctuation(reader, ']') || !read_dict_and_colon(reader))
        return false;
    const Type *type = read_type(reader);
    if (!type || !check_operand_type(reader, draft->operands, type)) return false;
    if (type->kind != TYPE_TENSOR) return reader_expected(reader, "a tensor");
    push_type(reader, type_element(reader->context, type->element));
    return true;
}

// %d, ... { ^bb0(%i: index): ... } : T
bool read_own_tensor_generate(Reader *reader, Draft *draft) {
    (void)draft;
    if (!read_operand_list(reader) || !read_region_of(reader) || !read_dict_and_colon(reader))
        return false;
    const Type *type = read_type(reader);
    if (type) push_type(reader, type);
    return type != NULL;
}

// %source into %target[..] [..] [..] : T into U
bool read_own_tensor_insert_slice(Reader *reader, Draft *draft) {
    if (!read_operand(reader)) return false;
    if (!expect_word(reader, "into") || !read_operand(reader) || !read_ranges(reader) ||
        !read_two_types(reader, draft, "into"))
        return false;
    return check_operand_type(
        reader, draft->operands + 1, reader->types.data[reader->types.count - 1]);
}

// %x[..] [..] [..] : T to U
bool read_own_tensor_extract_slice(Reader *reader, Draft *draft) {
    return read_operand(reader) && read_ranges(reader) && read_two_types(reader, draft, "to");
}

// %x(%shape) : (T, S) -> U
bool read_own_tensor_reshape(Reader *reader, Draft *draft) {
    return read_operand(reader) && expect_punctuation(reader, '(') && read_operand(reader) &&
           expect_punctuation(reader, ')') && read_functional_type(reader, draft);
}

// --- scf ---

// Regions without results may leave out how they end.
static void end_with_yield(Reader *reader, Region *region, const Loc *loc) {
    if (region->last && op_has(region->last, TRAIT_TERMINATOR)) return;
    Builder builder = builder_at_end(reader->module, region);
    builder.loc = loc;
    build_op(&builder, OP_SCF_YIELD, 0, NULL, 0, NULL, 0);
}

// -> (T, U) or -> T, when they are there
static bool read_arrow_types(Reader *reader) {
    if (reader->token.kind != TOKEN_ARROW) return true;
    reader_advance(reader);
    if (at_punctuation(reader, '(')) return read_type_list_parens(reader);
    const Type *type = read_type(reader);
    if (type) push_type(reader, type);
    return type != NULL;
}

// %c -> (T) { ... } else { ... }
bool read_own_scf_if(Reader *reader, Draft *draft) {
    if (!read_operand(reader) || !read_arrow_types(reader)) return false;
    const Loc *loc = reader_loc(reader, &draft->token);
    bool has_else = true;
    for (int i = 0; i < 2; i++) {
        Region *region = region_detached(reader);
        if (i == 1) has_else = accept_word(reader, "else");
        if (has_else && !read_region(reader, region, false)) return false;
        end_with_yield(reader, region, loc);
        vec_push(reader->scratch, &reader->regions, region);
    }
    return !at_punctuation(reader, '{') || read_attr_dict(reader);
}

// (%a = %x, ...): names pushed on reader->results, values on operands
static bool read_bindings(Reader *reader) {
    if (!expect_punctuation(reader, '(')) return false;
    if (accept_punctuation(reader, ')')) return true;
    do {
        ResultName name = {reader->token, 1};
        if (name.token.kind != TOKEN_PERCENT) return reader_expected(reader, "SSA identifier");
        reader_advance(reader);
        if (!expect_punctuation(reader, '=') || !read_operand(reader)) return false;
        vec_push(reader->scratch, &reader->results, name);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ')');
}

// The region with arguments named as the bindings from `names` on are, of the types of
// the operands from `operands` on.
static bool read_bound_region(
    Reader *reader, Region *region, Scope *scope, int64_t names, int64_t operands) {
    for (int64_t i = names; i < reader->results.count; i++) {
        Token name = reader->results.data[i].token;
        const Type *type = reader->operands.data[operands + i - names].value->type;
        Value *value = region_add_arg(reader->module, region, type, reader_loc(reader, &name));
        if (!bind_value(reader, scope, &name, value, 1)) return false;
    }
    return read_region_body(reader, region, scope);
}

// %i = %low to %high step %step iter_args(%a = %x) -> (T) : i32 { ... }
bool read_own_scf_for(Reader *reader, Draft *draft) {
    Token name = reader->token;
    if (name.kind != TOKEN_PERCENT) return reader_expected(reader, "SSA identifier");
    reader_advance(reader);
    if (!expect_punctuation(reader, '=') || !read_operand(reader) || !expect_word(reader, "to") ||
        !read_operand(reader) || !expect_word(reader, "step") || !read_operand(reader))
        return false;
    int64_t names = reader->results.count;
    if (accept_word(reader, "iter_args") && (!read_bindings(reader) || !read_arrow_types(reader)))
        return false;
    if (accept_punctuation(reader, ':') && !read_type(reader)) return false;
    Region *region = region_detached(reader);
    Scope scope = scope_open(reader, false);
    const Type *type = reader->operands.data[draft->operands].value->type;
    Value *value = region_add_arg(reader->module, region, type, reader_loc(reader, &name));
    bool ok = bind_value(reader, &scope, &name, value, 1) &&
              read_bound_region(reader, region, &scope, names, draft->operands + 3);
    scope_close(reader, &scope);
    reader->results.count = names;
    if (!ok) return false;
    end_with_yield(reader, region, value->loc);
    vec_push(reader->scratch, &reader->regions, region);
    return !at_punctuation(reader, '{') || read_attr_dict(reader);
}

// (%a = %x) : (T) -> U { ... } do { ^bb0(%b: U): ... }
bool read_own_scf_while(Reader *reader, Draft *draft) {
    int64_t names = reader->results.count;
    if (at_punctuation(reader, '(') && !read_bindings(reader)) return false;
    if (!read_functional_type(reader, draft)) return false;
    Region *before = region_detached(reader);
    Scope scope = scope_open(reader, false);
    bool ok = read_bound_region(reader, before, &scope, names, draft->operands);
    scope_close(reader, &scope);
    reader->results.count = names;
    vec_push(reader->scratch, &reader->regions, before);
    return ok && expect_word(reader, "do") && read_region_of(reader);
}

// (%c) %a, %b : T, U
bool read_own_scf_condition(Reader *reader, Draft *draft) {
    if (!read_operands_parens(reader) || !read_operand_list(reader)) return false;
    if (operand_count(reader, draft) < 1) return reader_expected(reader, "a condition");
    if (operand_count(reader, draft) == 1) return true;
    if (!expect_punctuation(reader, ':')) return false;
    int64_t base = reader->types.count;
    if (!read_type_list(reader)) return false;
    int64_t count = reader->types.count - base;
    reader->types.count = base;
    if (count != operand_count(reader, draft) - 1) return reader_expected(reader, "as many types");
    return check_operand_types(reader, draft->operands + 1, (int)count, reader->types.data + base);
}

// --- affine ---

// %i into (%a, 4) : index, index
bool read_own_affine_delinearize(Reader *reader, Draft *draft) {
    (void)draft;
    if (!read_operand(reader) || !expect_word(reader, "into")) return false;
    int64_t base = reader->ints.count;
    if (!expect_punctuation(reader, '(')) return false;
    do {
        int64_t number = DIM_DYNAMIC;
        bool ok = reader->token.kind == TOKEN_PERCENT ? read_operand(reader)
                                                      : read_int64(reader, &number);
        if (!ok) return false;
        vec_push(reader->scratch, &reader->ints, number);
    } while (accept_punctuation(reader, ','));
    IntSpan ints = ints_from(reader, base);
    reader->ints.count = base;
    draft_attr(reader, NAME_STATIC_BASIS, attr_ints(reader->context, ints.count, ints.data));
    return expect_punctuation(reader, ')') && read_dict_and_colon(reader) && read_type_list(reader);
}

// #map(%d)[%s]
bool read_own_affine_apply(Reader *reader, Draft *draft) {
    (void)draft;
    const Attr *map = read_attr(reader);
    if (!map) return false;
    draft_attr(reader, NAME_MAP, map);
    if (!read_operands_parens(reader)) return false;
    if (accept_punctuation(reader, '[') &&
        (!read_operand_list(reader) || !expect_punctuation(reader, ']')))
        return false;
    push_type(reader, type_element(reader->context, ELEMENT_INDEX));
    return !at_punctuation(reader, '{') || read_attr_dict(reader);
}

// mlir_reader: MLIR's structure: the module, ops in their generic form, regions, and the building of what was read.
#include "frontend/mlir/mlir_reader.h"

Region *region_detached(Reader *reader) { return ARENA_NEW(reader->arena, Region); }

Draft draft_begin(Reader *reader, OpCode code, StrView name, const Token *token) {
    return (Draft){
        .code = code,
        .name = name,
        .token = *token,
        .operands = reader->operands.count,
        .types = reader->types.count,
        .attrs = reader->attrs.count,
        .regions = reader->regions.count};
}

void draft_attr(Reader *reader, AttrName name, const Attr *value) {
    ReadAttr attr = {attr_name_text(name), value, reader->token};
    vec_push(reader->scratch, &reader->attrs, attr);
}

void draft_drop(Reader *reader, const Draft *draft) {
    reader->operands.count = draft->operands;
    reader->types.count = draft->types;
    reader->attrs.count = draft->attrs;
    reader->regions.count = draft->regions;
}

void op_set_shardings(Reader *reader, Op *op, const Attr *attr) {
    bool has_own =
        op_own_sharding_text(op->code).size > 0; // by another name: this one says nothing
    bool fits = attr->kind == ATTR_SHARDINGS && attr->count == op->result_count &&
                attr->count > 0 && !has_own;
    bool is_own = attr->kind == ATTR_SHARDINGS && attr->count == 1 && op->result_count == 0;
    if (is_own) op->own_sharding = attr->shardings[0];
    for (int i = 0; fits && i < attr->count; i++)
        op_result(op, i)->sharding = attr->shardings[i];
    // An empty list says nothing, but is printed again; with all others the verifier finds fault.
    if (!fits && !is_own) op_set_extra(reader->module, op, SV("sdy.sharding"), attr);
}

static bool is_own_sharding(const Op *op, StrView name) {
    StrView own = op_own_sharding_text(op->code);
    return own.size > 0 && op->result_count == 1 && strview_equal(own, name);
}

// The generic form of a propagation barrier has its keyword as a number.
static const Attr *as_keyword(Reader *reader, OpCode code, AttrName name, const Attr *value) {
    bool is_number = code == OP_SDY_BARRIER && name == NAME_ALLOWED_DIRECTION &&
                     value->kind == ATTR_INT && value->integer >= 0 &&
                     value->integer < PROPAGATION_COUNT;
    return is_number ? attr_enum(reader->context, ENUM_PROPAGATION, (int)value->integer) : value;
}

bool op_set_attrs(Reader *reader, Op *op, int64_t base) {
    int64_t extra = base; // kept at the front of what was already distributed
    for (int64_t i = base; i < reader->attrs.count; i++) {
        ReadAttr attr = reader->attrs.data[i];
        AttrName name;
        if (strview_is(attr.name, "sdy.sharding")) {
            op_set_shardings(reader, op, attr.value);
        } else if (is_own_sharding(op, attr.name)) {
            if (attr.value->kind != ATTR_SHARDING) {
                return reader_error_at(
                    reader, &attr.token, "'%.*s' op attribute '%.*s' must be a sharding",
                    SV_ARG(op->name), SV_ARG(attr.name));
            }
            op_result(op, 0)->sharding = attr.value->sharding;
        } else if (op_inherent_attr(op->code, attr.name, &name)) {
            op_set_attr(reader->module, op, name, as_keyword(reader, op->code, name, attr.value));
        } else {
            reader->attrs.data[extra++] = attr;
        }
    }
    int count = (int)(extra - base);
    if (count == 0) return true;
    if (op->extra) {
        for (int i = 0; i < count; i++) {
            op_set_extra(
                reader->module, op, reader->attrs.data[base + i].name,
                reader->attrs.data[base + i].value);
        }
        return true;
    }
    StrView *names = ARENA_ARRAY(reader->scratch, StrView, count);
    const Attr **items = ARENA_ARRAY(reader->scratch, const Attr *, count);
    for (int i = 0; i < count; i++) {
        names[i] = reader->attrs.data[base + i].name;
        items[i] = reader->attrs.data[base + i].value;
    }
    op->extra = attr_dict(reader->context, count, names, items);
    return true;
}

// Operand, result and region counts that the table fixes.
static bool check_counts(
    Reader *reader, const Draft *draft, int operands, int results, int regions) {
    static const char *const what[] = {"operand", "result", "region"};
    int expected[] = {
        op_code_operands(draft->code), op_code_results(draft->code), op_code_regions(draft->code)};
    int actual[] = {operands, results, regions};
    for (int i = 0; i < 3; i++) {
        if (expected[i] < 0 || expected[i] == actual[i]) continue;
        if (i > 0 && expected[i] == 1) {
            return reader_error_at(
                reader, &draft->token, "'%.*s' op requires one %s, but found %d",
                SV_ARG(draft->name), what[i], actual[i]);
        }
        return reader_error_at(
            reader, &draft->token, "'%.*s' op %s %d %s%s, but found %d", SV_ARG(draft->name),
            i == 0 ? "expected" : "requires", expected[i], what[i], expected[i] == 1 ? "" : "s",
            actual[i]);
    }
    return true;
}

Op *draft_build(Reader *reader, Draft *draft, Region *region, const Loc *loc) {
    int operand_count = (int)(reader->operands.count - draft->operands);
    int result_count = (int)(reader->types.count - draft->types);
    int region_count = (int)(reader->regions.count - draft->regions);
    if (!check_counts(reader, draft, operand_count, result_count, region_count)) return NULL;
    Builder builder = builder_at_end(reader->module, region);
    builder.loc = loc;
    enum { FEW = 16 };
    Value *few[FEW];
    Value **operands =
        operand_count <= FEW ? few : ARENA_ARRAY(reader->scratch, Value *, operand_count);
    for (int i = 0; i < operand_count; i++)
        operands[i] = reader->operands.data[draft->operands + i].value;
    const Type *const *types = reader->types.data ? reader->types.data + draft->types : NULL;
    Op *op = draft->code == OP_UNREGISTERED ? build_unregistered(
                                                  &builder, draft->name, operand_count, operands,
                                                  result_count, types, region_count)
                                            : build_op(
                                                  &builder, draft->code, operand_count, operands,
                                                  result_count, types, region_count);
    for (int i = 0; i < region_count; i++)
        region_take(op->regions[i], reader->regions.data[draft->regions + i]);
    bool ok = op->code == OP_FUNC ? func_set_attrs(reader, op, draft->attrs)
                                  : op_set_attrs(reader, op, draft->attrs);
    draft_drop(reader, draft);
    return ok ? op : NULL;
}

bool read_functional_type(Reader *reader, const Draft *draft) {
    if (!expect_punctuation(reader, ':')) return false;
    Token at = reader->token;
    if (!at_punctuation(reader, '(')) return reader_expected(reader, "function type");
    const Type *function = read_function_type(reader);
    if (!function) return false;
    int64_t operands = reader->operands.count - draft->operands;
    if (function->input_count != operands) {
        return reader_custom_error(
            reader, &at, "%lld operands present, but expected %d", (long long)operands,
            function->input_count);
    }
    if (!check_operand_types(reader, draft->operands, function->input_count, function->parts))
        return false;
    for (int i = function->input_count; i < function->part_count; i++) {
        vec_push(reader->scratch, &reader->types, function->parts[i]);
    }
    return true;
}

bool read_block_arg(Reader *reader, Region *region, Scope *scope, bool with_attrs) {
    Token name = reader->token;
    if (name.kind != TOKEN_PERCENT) return reader_expected(reader, "region argument");
    reader_advance(reader);
    if (!expect_punctuation(reader, ':')) return false;
    const Type *type = read_type(reader);
    if (!type) return false;
    Loc *loc = reader_loc(reader, &name);
    Value *value = region_add_arg(reader->module, region, type, loc);
    if (with_attrs && at_punctuation(reader, '{')) {
        int64_t base = reader->attrs.count;
        if (!read_attr_dict(reader)) return false;
        reader->attrs.count = base;
    }
    return read_loc_trailer(reader, loc) && bind_value(reader, scope, &name, value, 1);
}

// ^bb0(%a: T, ...):
static bool read_block_label(Reader *reader, Region *region, Scope *scope) {
    reader_advance(reader);
    if (accept_punctuation(reader, '(') && !accept_punctuation(reader, ')')) {
        do {
            if (!read_block_arg(reader, region, scope, false)) return false;
        } while (accept_punctuation(reader, ','));
        if (!expect_punctuation(reader, ')')) return false;
    }
    return expect_punctuation(reader, ':');
}

bool read_region_body(Reader *reader, Region *region, Scope *scope) {
    if (!reader_enter(reader)) return false;
    StrView custom_op = reader->custom_op;
    reader->custom_op = (StrView){NULL, 0};
    if (!expect_punctuation(reader, '{')) return false;
    if (reader->token.kind == TOKEN_CARET && region->arg_count == 0 &&
        !read_block_label(reader, region, scope)) {
        return false;
    }
    while (!at_punctuation(reader, '}')) {
        if (reader->token.kind == TOKEN_CARET) {
            return reader_unsupported(
                reader, &reader->token, "regions of more than one block are not supported");
        }
        if (reader->token.kind == TOKEN_END)
            return reader_expected(reader, "operation name in quotes");
        if (!read_op(reader, region, scope)) return false;
    }
    reader_advance(reader);
    reader->custom_op = custom_op;
    reader_leave(reader);
    return true;
}

bool read_region(Reader *reader, Region *region, bool isolated) {
    Scope scope = scope_open(reader, isolated);
    bool ok = read_region_body(reader, region, &scope);
    scope_close(reader, &scope);
    return ok;
}

// The op's dialect: the part of its name before the first dot.
static StrView dialect_of(StrView name) {
    const char *dot = name.data ? memchr(name.data, '.', name.size) : NULL;
    return (StrView){name.data, dot ? (size_t)(dot - name.data) : 0};
}

static bool is_known_dialect(StrView dialect) {
    static const char *const known[] = {"stablehlo", "sdy",   "func",       "chlo",
                                        "builtin",   "check", "interpreter"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strview_is(dialect, known[i])) return true;
    }
    return false;
}

bool find_op(Reader *reader, const Token *at, StrView name, OpCode *code) {
    if (op_code_from_text(name, code) && *code != OP_UNREGISTERED) return true;
    if (strview_is(name, "arith.constant")) { // the same, where its value is a tensor
        *code = OP_CONSTANT;
        return true;
    }
    *code = OP_UNREGISTERED;
    StrView dialect = dialect_of(name);
    if (strview_is(dialect, "vhlo")) {
        return reader_unsupported(
            reader, at, "ops of the dialect vhlo are not supported ('%.*s')", SV_ARG(name));
    }
    bool known = is_known_dialect(dialect);
    if (reader->options->allow_unregistered && !known) return true;
    if (dialect.size == 0)
        return reader_error_at(reader, at, "custom op '%.*s' is unknown", SV_ARG(name));
    if (known) {
        return reader_error_at(
            reader, at,
            "unregistered operation '%.*s' found in dialect ('%.*s') that does not allow unknown "
            "operations",
            SV_ARG(name), SV_ARG(dialect));
    }
    return reader_error_at(
        reader, at,
        "operation being parsed with an unregistered dialect: '%.*s' (--allow-unregistered-dialect "
        "accepts it)",
        SV_ARG(name));
}

// <{ ... }> of the generic form
static bool read_properties(Reader *reader) {
    if (!accept_punctuation(reader, '<')) return true;
    return read_attr_dict(reader) && expect_punctuation(reader, '>');
}

bool read_generic_regions(Reader *reader) {
    if (!accept_punctuation(reader, '(')) return true;
    do {
        if (!at_punctuation(reader, '{')) return reader_expected(reader, "'{' to begin a region");
        Region *region = region_detached(reader);
        if (!read_region(reader, region, false)) return false;
        vec_push(reader->scratch, &reader->regions, region);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ')');
}

// "name"(%a, ...) <{properties}> ({regions}) {attributes} : (T) -> T
static bool read_generic(Reader *reader, Draft *draft) {
    if (!read_operands_parens(reader)) return false;
    if (at_punctuation(reader, '[')) {
        return reader_unsupported(reader, &reader->token, "successor blocks are not supported");
    }
    if (!read_properties(reader) || !read_generic_regions(reader)) return false;
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    return read_functional_type(reader, draft);
}

static bool read_custom(Reader *reader, Draft *draft) {
    reader->custom_op = draft->name;
    bool ok = true;
    const AsmStep *format = draft->code == OP_UNREGISTERED ? NULL : asm_format(draft->code);
    if (format) {
        ok = read_format(reader, draft, format);
    } else if (draft->code == OP_WHILE) {
        ok = read_while_op(reader, draft);
    } else if (draft->code == OP_REDUCE) {
        ok = read_reduce_op(reader, draft);
    } else if (draft->code == OP_CHLO_SCAN) {
        ok = read_scan_op(reader, draft);
    } else if (
        draft->code == OP_CONSTANT || draft->code == OP_SDY_CONSTANT ||
        draft->code == OP_CHLO_CONSTANT) {
        ok = read_constant_op(reader, draft);
    } else {
        ok = reader_error_at(
            reader, &draft->token, "custom op '%.*s' has no custom assembly form",
            SV_ARG(draft->name));
    }
    reader->custom_op = (StrView){NULL, 0};
    return ok;
}

// %a, %b:2 = in front of an op: pushed on reader->results.
static bool read_result_names(Reader *reader, int *count) {
    *count = 0;
    if (reader->token.kind != TOKEN_PERCENT) return true;
    do {
        ResultName name = {reader->token, 1};
        if (name.token.kind != TOKEN_PERCENT)
            return reader_expected(reader, "valid ssa identifier");
        reader_advance(reader);
        if (accept_punctuation(reader, ':')) {
            int64_t number;
            if (!read_int64(reader, &number)) return false;
            if (number < 1 || number > INT32_MAX - *count) {
                return reader_error_at(
                    reader, &name.token, "expected named operation to have at least 1 result");
            }
            name.count = (int)number;
        }
        *count += name.count;
        vec_push(reader->scratch, &reader->results, name);
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, '=');
}

static bool bind_results(
    Reader *reader, Scope *scope, const Op *op, int64_t base, int count, const Token *at) {
    if (count == 0) return true;
    if (op->result_count == 0)
        return reader_error_at(reader, at, "cannot name an operation with no results");
    if (count != op->result_count) {
        return reader_error_at(
            reader, at, "operation defines %d result%s but was provided %d to bind",
            op->result_count, op->result_count == 1 ? "" : "s", count);
    }
    int first = 0;
    for (int64_t i = base; i < reader->results.count; i++) {
        ResultName name = reader->results.data[i];
        if (!bind_value(reader, scope, &name.token, op_result(op, first), name.count)) return false;
        first += name.count;
    }
    return true;
}

// The op's name, in quotes for the generic form. `return` and `call` are func's.
static bool read_op_name(Reader *reader, bool *generic, StrView *name) {
    Token token = reader->token;
    *generic = token.kind == TOKEN_STRING;
    if (*generic) {
        if (!read_string(reader, name)) return false;
        if (name->size == 0)
            return reader_error_at(reader, &token, "empty operation name is invalid");
        return true;
    }
    if (token.kind != TOKEN_WORD) return reader_expected(reader, "operation name in quotes");
    *name = token.text;
    if (strview_is(*name, "return")) *name = SV("func.return");
    if (strview_is(*name, "call")) *name = SV("func.call");
    if (strview_is(*name, "func")) *name = SV("func.func");
    *name = context_name(reader->context, *name);
    reader_advance(reader);
    return true;
}

bool read_op(Reader *reader, Region *region, Scope *scope) {
    int64_t results = reader->results.count;
    int result_count;
    Token first = reader->token;
    if (!read_result_names(reader, &result_count)) return false;
    Token token = reader->token;
    bool generic = false;
    StrView name = {0};
    if (!read_op_name(reader, &generic, &name)) return false;
    OpCode code = OP_UNREGISTERED;
    if (!find_op(reader, &token, name, &code)) return false;
    if (code == OP_UNREGISTERED && !generic) {
        return reader_error_at(reader, &token, "custom op '%.*s' is unknown", SV_ARG(name));
    }
    if (code == OP_MODULE)
        return reader_unsupported(reader, &token, "nested modules are not supported");
    if (code == OP_FUNC && !generic) return read_func_op(reader, region, &token);
    Draft draft = draft_begin(reader, code, name, &token);
    Loc *loc = reader_loc(reader, &token);
    bool ok = generic ? read_generic(reader, &draft) : read_custom(reader, &draft);
    if (!ok || !read_loc_trailer(reader, loc)) return false;
    Op *op = draft_build(reader, &draft, region, loc);
    if (!op || !bind_results(reader, scope, op, results, result_count, &first)) return false;
    reader->results.count = results;
    return true;
}

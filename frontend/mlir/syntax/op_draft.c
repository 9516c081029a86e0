// op_draft: builds the ops that were read from the parts on the reader's stacks.
#include "frontend/mlir/syntax/mlir_reader.h"
#include "ir/print/arith_predicate.h"

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
    // by another name: this one says nothing
    bool has_own = op_own_sharding_text(op->code).size > 0;
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

// The generic form of a propagation barrier has its keyword as a number, and so have comparisons of
// arith.
static const Attr *as_keyword(Reader *reader, OpCode code, AttrName name, const Attr *value) {
    bool compares = code == OP_ARITH_CMPI || code == OP_ARITH_CMPF;
    if (compares && name == NAME_PREDICATE && value->kind == ATTR_INT) {
        int predicate = arith_predicate_from_number(code, value->integer);
        return predicate < 0 ? value : attr_enum(reader->context, ENUM_ARITH_PREDICATE, predicate);
    }
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
                    reader, &attr.token,
                    "'%.*s' op attribute '%.*s' failed to satisfy constraint: Tensor sharding",
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

bool find_op(Reader *reader, const Token *at, StrView name, OpCode *code) {
    if (op_code_from_text(name, code) && *code != OP_UNREGISTERED) return true;
    *code = OP_UNREGISTERED;
    StrView dialect = dialect_text_of(name);
    if (strview_is(dialect, "vhlo")) {
        return reader_unsupported(
            reader, at, "ops of the dialect vhlo are not supported ('%.*s')", SV_ARG(name));
    }
    Dialect whose;
    bool known = dialect_from_text(dialect, &whose) && dialect_is_whole(whose);
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

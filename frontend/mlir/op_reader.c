// op_reader: see op_reader.h.
#include "frontend/mlir/op_reader.h"

#include "frontend/mlir/forms/forms.h"
#include "frontend/mlir/generic_reader.h"

// The forms that are made by functions of their own (OWN_FORM of ops.def).
#define FORM(...)      NULL
#define NO_FORM        NULL
#define MODULE_FORM    NULL
#define OWN_FORM(name) read_own_##name

static ReadForm *const own_forms[OP_COUNT] = {
#define OP(name, dialect, text, traits, operands, results, regions, attributes, form, ...) \
    [OP_##name] = form,
#include "ir/dialects/ops.def"
};

static bool read_custom(Reader *reader, Draft *draft) {
    reader->custom_op = draft->name;
    bool ok = true;
    const AsmStep *format = asm_format(draft->code);
    if (format) {
        ok = read_format(reader, draft, format);
    } else if (own_forms[draft->code]) {
        ok = own_forms[draft->code](reader, draft);
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
        *name = shard_op_name(reader, *name);
        if (name->size == 0)
            return reader_error_at(reader, &token, "empty operation name is invalid");
        return true;
    }
    if (token.kind != TOKEN_WORD) return reader_expected(reader, "operation name in quotes");
    *name = token.text;
    if (strview_is(*name, "return")) *name = SV("func.return");
    if (strview_is(*name, "call")) *name = SV("func.call");
    if (strview_is(*name, "func")) *name = SV("func.func");
    *name = context_name(reader->context, shard_op_name(reader, *name));
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
    bool ok = generic ? read_generic_op(reader, &draft) : read_custom(reader, &draft);
    if (!ok || !read_loc_trailer(reader, loc)) return false;
    Op *op = draft_build(reader, &draft, region, loc);
    if (!op || !bind_results(reader, scope, op, results, result_count, &first)) return false;
    reader->results.count = results;
    return true;
}

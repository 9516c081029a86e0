// mpi_reader: the own form of the dialect mpi: `mpi.NAME(%a, %b, MPI_SUM, %c) : T, U -> V`.
#include "frontend/mlir/forms/forms.h"

static bool read_keyword(Reader *reader, AttrName name, EnumKind kind) {
    int value;
    if (reader->token.kind != TOKEN_WORD || !enum_from_keyword(kind, reader->token.text, &value))
        return reader_expected(
            reader, kind == ENUM_MPI_ERROR ? "an error class of MPI" : "a reduction of MPI");
    reader_advance(reader);
    draft_attr(reader, name, attr_enum(reader->context, kind, value));
    return true;
}

// (%a, MPI_SUM, %c)
static bool read_arguments(Reader *reader) {
    do {
        bool ok = reader->token.kind == TOKEN_PERCENT
                      ? read_operand(reader)
                      : read_keyword(reader, NAME_MPI_OP, ENUM_MPI_REDUCTION);
        if (!ok) return false;
    } while (accept_punctuation(reader, ','));
    return expect_punctuation(reader, ')');
}

// Types of the first operands (a communicator's is not always written), then those of results.
static bool read_call_types(Reader *reader, const Draft *draft) {
    int64_t base = reader->types.count;
    Token at = reader->token;
    if (!read_type_list(reader)) return false;
    int64_t count = reader->types.count - base;
    reader->types.count = base;
    if (count > reader->operands.count - draft->operands)
        return reader_custom_error(reader, &at, "expected as many types as operands at most");
    if (!check_operand_types(reader, draft->operands, (int)count, reader->types.data + base))
        return false;
    if (reader->token.kind != TOKEN_ARROW) return true;
    reader_advance(reader);
    return read_type_list(reader);
}

bool read_own_mpi(Reader *reader, Draft *draft) {
    bool is_check = draft->code == OP_MPI_RETVAL_CHECK,
         is_class = draft->code == OP_MPI_ERROR_CLASS;
    bool ok = true;
    if (is_check || is_class) {
        ok = read_operand(reader);
    } else if (accept_punctuation(reader, '(')) {
        ok = read_arguments(reader);
    }
    if (ok && is_check)
        ok = expect_punctuation(reader, '=') && expect_punctuation(reader, '<') &&
             read_keyword(reader, NAME_ERRCLASS, ENUM_MPI_ERROR) && expect_punctuation(reader, '>');
    if (!ok || (at_punctuation(reader, '{') && !read_attr_dict(reader))) return false;
    if (!accept_punctuation(reader, ':')) return true;
    return mpi_types_are_results(draft->code) ? read_type_list(reader)
                                              : read_call_types(reader, draft);
}

// generic_reader: ops in MLIR's generic form, `"name"(%a, ...) <{properties}> ({regions})
// {attributes} : (T) -> T`, and where MLIR writes them otherwise than they are here.
#include "frontend/mlir/generic_reader.h"

#include "frontend/mlir/forms/forms.h"

// <{ ... }>
static bool read_properties(Reader *reader) {
    if (!accept_punctuation(reader, '<')) return true;
    return read_attr_dict(reader) && expect_punctuation(reader, '>');
}

static bool has_attr(const Reader *reader, const Draft *draft, AttrName name) {
    StrView text = attr_name_text(name);
    for (int64_t i = draft->attrs; i < reader->attrs.count; i++) {
        if (strview_equal(reader->attrs.data[i].name, text)) return true;
    }
    return false;
}

// The region of a named structured op says in scalars what its name says: it goes. MLIR does not
// count `ins` and `outs` of ops of which one number gives the other.
static void settle_linalg(Reader *reader, Draft *draft) {
    if (op_code_regions(draft->code) == 0) reader->regions.count = draft->regions;
    int count = (int)(reader->operands.count - draft->operands);
    if (has_attr(reader, draft, NAME_OPERAND_SEGMENT_SIZES) || count < 2) return;
    int ins = draft->code == OP_LINALG_REDUCE ? count / 2 : count - 1;
    draft_attr(
        reader, NAME_OPERAND_SEGMENT_SIZES, attr_segments(reader->context, ins, count - ins));
}

bool read_generic_op(Reader *reader, Draft *draft) {
    if (!read_operands_parens(reader)) return false;
    if (at_punctuation(reader, '[')) {
        return reader_unsupported(reader, &reader->token, "successor blocks are not supported");
    }
    if (!read_properties(reader) || !read_generic_regions(reader)) return false;
    if (at_punctuation(reader, '{') && !read_attr_dict(reader)) return false;
    if (!read_functional_type(reader, draft)) return false;
    draft_settle_constant(reader, draft);
    if (op_code_dialect(draft->code) == DIALECT_LINALG && draft->code != OP_LINALG_YIELD)
        settle_linalg(reader, draft);
    return true;
}

// sdy_axis_reader: one axis of a mesh, or a part of one.
#include "frontend/mlir/forms/sdy_attrs.h"

bool read_axis(Reader *reader, AxisRef *axis) {
    *axis = (AxisRef){.pre_size = 1};
    if (reader->token.kind != TOKEN_STRING) {
        (void)reader_expected(reader, "string");
        return reader_custom_error(
            reader, &reader->token,
            "failed to parse Sdy_AxisRef parameter 'name' which is to be a `::llvm::StringRef`");
    }
    if (!read_string(reader, &axis->name)) return false;
    if (!accept_punctuation(reader, ':')) return true;
    bool ok = expect_punctuation(reader, '(') && read_int64(reader, &axis->pre_size) &&
              expect_punctuation(reader, ')') && read_int64(reader, &axis->size);
    if (axis->size == 0) axis->size = SUB_AXIS_OF_SIZE_ZERO;
    return ok;
}

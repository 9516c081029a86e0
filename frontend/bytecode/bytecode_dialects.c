// bytecode_dialects: attributes and types that their dialects have encoded.
#include "frontend/bytecode/bytecode_reader.h"

bool decode_custom(Bytecode *file, BytecodeEntry *entry, bool is_type) {
    ByteStream stream = byte_stream(entry->bytes);
    int errors = file->reader->diags->error_count;
    uint64_t code = stream_varint(&stream);
    bool is_builtin = strview_is(entry->dialect, "builtin");
    bool is_vhlo = strview_is(entry->dialect, "vhlo");
    bool is_sdy = strview_is(entry->dialect, "sdy");
    bool is_stablehlo = strview_is(entry->dialect, "stablehlo");
    if (is_type) {
        entry->type = is_builtin     ? builtin_type(file, &stream, code)
                      : is_vhlo      ? vhlo_type(file, &stream, code)
                      : is_stablehlo ? stablehlo_type(file, &stream, code)
                                     : NULL;
    } else {
        entry->attr = is_builtin     ? builtin_attr(file, &stream, code)
                      : is_vhlo      ? vhlo_attr(file, &stream, code)
                      : is_sdy       ? sdy_attr(file, &stream, code)
                      : is_stablehlo ? stablehlo_attr(file, &stream, code)
                                     : NULL;
    }
    if ((entry->attr || entry->type) && !stream.failed && stream_at_end(&stream)) return true;
    if (file->reader->diags->error_count > errors) return false;
    if (stream.failed || entry->attr || entry->type)
        return bytecode_error(
            file, stream.at,
            "the %s does not end where it should, or holds a number that is too large",
            entry_what(is_type));
    Token at = bytecode_token(entry->bytes.data);
    return reader_unsupported(
        file->reader, &at, "%s %llu of the dialect %.*s is not supported", entry_what(is_type),
        (unsigned long long)code, SV_ARG(entry->dialect));
}

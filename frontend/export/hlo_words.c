// hlo_words: shapes, lists and strings in HLO's text, and what cannot be said in it.
#include "frontend/export/hlo_writer.h"
#include "frontend/hlo/module/hlo_module.h"

bool hlo_write_refuse(HloWriter *writer, const Op *op, const char *why) {
    diag_unsupported(writer->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), why);
    return false;
}

void hlo_write_string(StrBuf *out, StrView text) {
    strbuf_putc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            strbuf_printf(out, "\\%c", c);
        else if (c == '\n')
            strbuf_puts(out, "\\n");
        else if (c < 32 || c == 127)
            strbuf_printf(out, "\\%03o", c);
        else
            strbuf_putc(out, (char)c);
    }
    strbuf_putc(out, '"');
}

void hlo_write_shape(StrBuf *out, const Type *type, const Attr *layout) {
    if (type->kind == TYPE_TOKEN) {
        strbuf_puts(out, "token[]");
        return;
    }
    strbuf_append(out, hlo_element_word(type->element));
    strbuf_putc(out, '[');
    for (int d = 0; d < type->rank; d++)
        strbuf_printf(out, "%s%lld", d ? "," : "", (long long)type->dims[d]);
    strbuf_puts(out, "]");
    if (type->rank == 0) return;
    strbuf_putc(out, '{');
    for (int d = 0; d < type->rank; d++) {
        int64_t dim = layout ? attr_element_int(layout, d) : type->rank - 1 - d;
        strbuf_printf(out, "%s%lld", d ? "," : "", (long long)dim);
    }
    strbuf_putc(out, '}');
}

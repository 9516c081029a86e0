// hlo_writer_values: types, literals, and what instructions and functions say beside their
// attributes.
#include "frontend/export/hlo_writer.h"
#include "frontend/hlo/module/hlo_module.h"
#include "ir/scalar/scalar.h"

// ---- shapes ----

bool hlo_check_type(HloWriter *writer, const Op *op, const Type *type) {
    if (type->kind == TYPE_TOKEN) return true;
    bool ok = type->kind == TYPE_TENSOR && !type->unranked && !type->quant &&
              hlo_element_word(type->element).size > 0;
    for (int d = 0; ok && d < type->rank; d++)
        ok = type->dims[d] != DIM_DYNAMIC;
    return ok ||
           hlo_write_refuse(writer, op, "has a type that HLO does not have, or a dynamic one");
}

void hlo_write_types(StrBuf *out, int count, const Type *const *types) {
    if (count == 1) {
        hlo_write_shape(out, types[0], NULL);
        return;
    }
    strbuf_putc(out, '(');
    for (int i = 0; i < count; i++) {
        strbuf_puts(out, i ? ", " : "");
        hlo_write_shape(out, types[i], NULL);
    }
    strbuf_putc(out, ')');
}

// ---- literals ----

void hlo_write_number(StrBuf *out, ElementType element, const void *data) {
    if (element_class(element) == CLASS_COMPLEX) {
        ElementType part = element_real_part(element);
        strbuf_putc(out, '(');
        hlo_write_number(out, part, data);
        strbuf_puts(out, ", ");
        hlo_write_number(out, part, (const char *)data + element_bytes(part));
        strbuf_putc(out, ')');
    } else if (element_is_float(element)) {
        double number;
        scalar_load_real(element, data, 1, 1, &number);
        if (__builtin_isnan(number))
            strbuf_puts(out, __builtin_signbit(number) ? "-nan" : "nan");
        else if (__builtin_isinf(number))
            strbuf_puts(out, number < 0 ? "-inf" : "inf");
        else
            strbuf_printf(out, element == ELEMENT_F64 ? "%.17g" : "%.9g", number);
    } else {
        int64_t number;
        scalar_load_int(element, data, 1, 1, &number);
        if (element == ELEMENT_I1)
            strbuf_puts(out, number ? "true" : "false");
        else if (element_class(element) == CLASS_SINT)
            strbuf_printf(out, "%lld", (long long)number);
        else
            strbuf_printf(out, "%llu", (unsigned long long)number);
    }
}

void hlo_write_elements(StrBuf *out, const Attr *elements, int dim, int64_t *next) {
    const Type *type = elements->type;
    if (dim == type->rank) {
        hlo_write_number(out, type->element, attr_element(elements, (*next)++));
        return;
    }
    strbuf_putc(out, '{');
    for (int64_t i = 0; i < type->dims[dim]; i++) {
        strbuf_puts(out, i ? ", " : "");
        hlo_write_elements(out, elements, dim + 1, next);
    }
    strbuf_putc(out, '}');
}

// ---- annotations ----

void hlo_write_metadata(StrBuf *out, const Loc *loc) {
    const LocTexts *texts = loc_texts(loc);
    if (texts->name.size == 0 && texts->model_file.size == 0) return;
    strbuf_puts(out, ", metadata={");
    if (texts->name.size > 0) {
        strbuf_puts(out, "op_name=");
        hlo_write_string(out, texts->name);
    }
    if (texts->model_file.size > 0) {
        strbuf_puts(out, texts->name.size > 0 ? " source_file=" : "source_file=");
        hlo_write_string(out, texts->model_file);
        strbuf_printf(out, " source_line=%d", texts->model_line);
    }
    strbuf_putc(out, '}');
}

void hlo_write_annotations(StrBuf *out, const Attr *dict) {
    const Attr *sharding = attr_dict_get(dict, SV("mhlo.sharding"));
    const Attr *frontend = attr_dict_get(dict, SV("mhlo.frontend_attributes"));
    if (sharding && sharding->kind == ATTR_STRING) {
        strbuf_puts(out, ", sharding=");
        strbuf_append(out, sharding->text);
    }
    if (!frontend || frontend->kind != ATTR_DICT) return;
    strbuf_puts(out, ", frontend_attributes={");
    for (int i = 0, written = 0; i < frontend->count; i++) {
        if (frontend->items[i]->kind != ATTR_STRING) continue;
        strbuf_printf(out, "%s%.*s=", written++ ? "," : "", SV_ARG(frontend->names[i]));
        hlo_write_string(out, frontend->items[i]->text);
    }
    strbuf_putc(out, '}');
}

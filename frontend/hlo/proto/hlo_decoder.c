// hlo_decoder: fields of HLO's protobufs, and what is wrong with them.
#include "frontend/hlo/proto/hlo_decoder.h"

#include <stdarg.h>

bool hlo_decode_fail(HloDecoder *decoder, const char *format, ...) {
    StrBuf text = strbuf(decoder->arena);
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    diag_error(decoder->source->diags, decoder->loc, "%s", strbuf_cstring(&text));
    return false;
}

bool hlo_decode_refuse(HloDecoder *decoder, const char *format, ...) {
    StrBuf text = strbuf(decoder->arena);
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    diag_unsupported(decoder->source->diags, decoder->loc, "%s", strbuf_cstring(&text));
    return false;
}

bool hlo_decode_end(HloDecoder *decoder, const ProtoMessage *message) {
    return !message->failed ||
           hlo_decode_fail(decoder, "the protobuf is damaged: the bytes here are no field");
}

bool hlo_decode_ints(HloDecoder *decoder, const ProtoField *field, ProtoInts *ints) {
    if (proto_push_ints(decoder->arena, field, ints) && ints->count <= INT32_MAX) return true;
    return hlo_decode_fail(decoder, "the protobuf is damaged: the bytes here are no numbers");
}

const ProtoField *hlo_field(const HloDecoder *decoder, int number) {
    for (int64_t i = decoder->fields.count - 1; i >= 0; i--) {
        if (decoder->fields.data[i].number == number) return &decoder->fields.data[i];
    }
    return NULL;
}

int64_t hlo_field_int(const HloDecoder *decoder, int number) {
    const ProtoField *field = hlo_field(decoder, number);
    return field ? (int64_t)field->value : 0;
}

StrView hlo_field_bytes(const HloDecoder *decoder, int number) {
    const ProtoField *field = hlo_field(decoder, number);
    return field ? field->bytes : SV("");
}

bool hlo_field_ints(HloDecoder *decoder, int number, IntSpan *ints) {
    ProtoInts list = {0};
    for (int64_t i = 0; i < decoder->fields.count; i++) {
        const ProtoField *field = &decoder->fields.data[i];
        if (field->number == number && !hlo_decode_ints(decoder, field, &list)) return false;
    }
    *ints = proto_span(&list);
    return true;
}

bool hlo_decode_alias(
    HloDecoder *decoder, StrView bytes, int result_field, int operand_field, int part_field,
    HloAlias *alias) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts result = {0}, part = {0};
    *alias = (HloAlias){0};
    while (proto_next(&message, &field)) {
        ProtoInts *ints = NULL;
        if (field.number == operand_field) alias->operand = (int64_t)field.value;
        if (field.number == part_field) ints = &part;
        if (field.number == result_field) ints = &result;
        if (ints && !hlo_decode_ints(decoder, &field, ints)) return false;
    }
    alias->result = proto_span(&result);
    alias->part = proto_span(&part);
    return hlo_decode_end(decoder, &message);
}

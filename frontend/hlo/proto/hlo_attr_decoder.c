// hlo_attr_decoder: see hlo_attr_decoder.h.
#include "frontend/hlo/proto/hlo_attr_decoder.h"

HloAttr *hlo_attr_add(AttrDecoder *to, HloAttrName name) {
    vec_push(to->decoder->arena, &to->attrs, ((HloAttr){.name = name}));
    return &vec_last(&to->attrs);
}

bool hlo_opcode_is(const AttrDecoder *to, const char *opcode) {
    return strview_is(to->instr->opcode, opcode);
}

bool hlo_opcode_begins(const AttrDecoder *to, const char *prefix) {
    return strview_starts_with(to->instr->opcode, strview(prefix));
}

void hlo_attr_add_unknown(AttrDecoder *to, const char *name) {
    hlo_attr_add(to, HLO_ATTR_COUNT)->text = strview(name);
}

bool hlo_attr_refuse_number(AttrDecoder *to, const char *what, int64_t number) {
    return hlo_decode_refuse(
        to->decoder, "'%.*s' op %s with the number %lld is not known", SV_ARG(to->instr->opcode),
        what, (long long)number);
}

bool hlo_attr_add_ints(AttrDecoder *to, StrView bytes, const IntField *rows, int row_count) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts lists[8] = {0};
    int64_t numbers[8] = {0};
    while (proto_next(&message, &field)) {
        for (int i = 0; i < row_count; i++) {
            if (rows[i].number != field.number) continue;
            numbers[i] = (int64_t)field.value;
            if (rows[i].is_list && !hlo_decode_ints(to->decoder, &field, &lists[i])) return false;
        }
    }
    for (int i = 0; i < row_count; i++) {
        if (!rows[i].is_list && hlo_attr_kind(rows[i].name) == HLO_KIND_BOOL)
            hlo_attr_add(to, rows[i].name)->flag = numbers[i] != 0;
        else if (!rows[i].is_list)
            hlo_attr_add(to, rows[i].name)->number = numbers[i];
        else if (lists[i].count > 0)
            hlo_attr_add(to, rows[i].name)->ints = proto_span(&lists[i]);
    }
    return hlo_decode_end(to->decoder, &message);
}

bool hlo_attr_read_numbers(AttrDecoder *to, StrView bytes, int64_t *numbers, int count) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        if (field.number <= count) numbers[field.number - 1] = (int64_t)field.value;
    }
    return hlo_decode_end(to->decoder, &message);
}

bool hlo_attr_list_messages(AttrDecoder *to, StrView bytes, int number, Messages *list) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field)) {
        if (field.number == number) vec_push(to->decoder->arena, list, field.bytes);
    }
    return hlo_decode_end(to->decoder, &message);
}

void hlo_attr_own_messages(AttrDecoder *to, int number, Messages *list) {
    const ProtoFields *fields = &to->decoder->fields;
    for (int64_t i = 0; i < fields->count; i++) {
        if (fields->data[i].number == number)
            vec_push(to->decoder->arena, list, fields->data[i].bytes);
    }
}

bool hlo_attr_add_word(
    AttrDecoder *to, HloAttrName name, int field, const char *const *words, int count) {
    int64_t number = hlo_field_int(to->decoder, field);
    if (number < 0 || number >= count) return hlo_attr_refuse_number(to, "a keyword", number);
    hlo_attr_add(to, name)->text = strview(words[number]);
    return true;
}

// hlo_proto_shape: ShapeProto and its layouts.
#include "frontend/hlo/proto/hlo_decoder.h"

enum { MAX_TUPLE_NESTING = 64, PRIMITIVE_TOKEN = 17, PRIMITIVE_TUPLE = 13 };

// XLA's PrimitiveType.
static bool element_of(int64_t number, ElementType *element) {
    static const struct {
        int number;
        ElementType element;
    } rows[] = {{1, ELEMENT_I1},          {2, ELEMENT_I8},
                {3, ELEMENT_I16},         {4, ELEMENT_I32},
                {5, ELEMENT_I64},         {6, ELEMENT_UI8},
                {7, ELEMENT_UI16},        {8, ELEMENT_UI32},
                {9, ELEMENT_UI64},        {10, ELEMENT_F16},
                {11, ELEMENT_F32},        {12, ELEMENT_F64},
                {15, ELEMENT_C64},        {16, ELEMENT_BF16},
                {18, ELEMENT_C128},       {19, ELEMENT_F8E5M2},
                {20, ELEMENT_F8E4M3FN},   {21, ELEMENT_I4},
                {22, ELEMENT_UI4},        {23, ELEMENT_F8E4M3B11FNUZ},
                {24, ELEMENT_F8E5M2FNUZ}, {25, ELEMENT_F8E4M3FNUZ},
                {26, ELEMENT_I2},         {27, ELEMENT_UI2},
                {28, ELEMENT_F8E4M3},     {29, ELEMENT_F8E3M4},
                {32, ELEMENT_F4E2M1FN},   {33, ELEMENT_F8E8M0FNU}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].number != number) continue;
        *element = rows[i].element;
        return true;
    }
    return false;
}

// The fields of a shape, its dimensions and parts still as they are written.
typedef struct RawShape {
    int64_t element;
    ProtoInts dims;
    VEC(StrView) parts;
    StrView layout;
    bool is_dynamic;
} RawShape;

static bool read_raw(HloDecoder *decoder, StrView bytes, RawShape *raw) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts flags = {0};
    *raw = (RawShape){0};
    while (proto_next(&message, &field)) {
        bool ok = true;
        switch (field.number) {
        case HLO_FIELD_SHAPE_ELEMENT: raw->element = (int64_t)field.value; break;
        case HLO_FIELD_SHAPE_DIMS: ok = hlo_decode_ints(decoder, &field, &raw->dims); break;
        case HLO_FIELD_SHAPE_PARTS: vec_push(decoder->arena, &raw->parts, field.bytes); break;
        case HLO_FIELD_SHAPE_LAYOUT: raw->layout = field.bytes; break;
        case HLO_FIELD_SHAPE_IS_DYNAMIC: ok = hlo_decode_ints(decoder, &field, &flags); break;
        default: break;
        }
        if (!ok) return false;
    }
    for (int64_t i = 0; i < flags.count; i++)
        raw->is_dynamic = raw->is_dynamic || flags.data[i];
    return hlo_decode_end(decoder, &message);
}

static bool decode_layout(HloDecoder *decoder, StrView bytes, HloShape *shape) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    ProtoInts order = {0};
    int rank = shape->type->rank;
    while (proto_next(&message, &field)) {
        switch (field.number) {
        case HLO_FIELD_LAYOUT_ORDER:
            if (!hlo_decode_ints(decoder, &field, &order)) return false;
            break;
        case HLO_FIELD_LAYOUT_ELEMENT_BITS: shape->is_tiled |= field.value != 0; break;
        case HLO_FIELD_LAYOUT_TILES:
        case HLO_FIELD_LAYOUT_LEVEL_TYPES:
        case HLO_FIELD_LAYOUT_PHYSICAL_SHAPE: shape->is_tiled = true; break;
        default: break; // memory spaces, alignment
        }
    }
    uint64_t seen = 0;
    bool ok = order.count == rank;
    for (int64_t i = 0; i < order.count && ok; i++) {
        int64_t d = order.data[i];
        ok = d >= 0 && d < rank && !(seen >> d & 1);
        if (ok) seen |= (uint64_t)1 << d;
    }
    if (!ok && order.count > 0)
        return hlo_decode_fail(decoder, "the layout is no order of %d dimensions", rank);
    if (ok && rank > 0) shape->layout = order.data;
    return hlo_decode_end(decoder, &message);
}

static bool decode_array(HloDecoder *decoder, const RawShape *raw, HloShape *shape) {
    Type type = {.kind = TYPE_TENSOR};
    if (!element_of(raw->element, &type.element))
        return hlo_decode_refuse(
            decoder, "the type with XLA's number %lld is not supported", (long long)raw->element);
    if (raw->is_dynamic)
        return hlo_decode_refuse(decoder, "dynamic dimensions are not supported in HLO");
    int64_t bytes = (int64_t)element_bytes(type.element);
    for (int64_t i = 0; i < raw->dims.count; i++) {
        const char *problem = hlo_add_dim(&type, &bytes, raw->dims.data[i]);
        if (problem) return hlo_decode_fail(decoder, "%s", problem);
    }
    shape->type = type_intern(decoder->context, &type);
    return raw->layout.size == 0 || decode_layout(decoder, raw->layout, shape);
}

static bool decode_shape(HloDecoder *decoder, StrView bytes, HloShape *shape, int nesting) {
    RawShape raw;
    *shape = (HloShape){0};
    if (!read_raw(decoder, bytes, &raw)) return false;
    if (raw.element == PRIMITIVE_TOKEN) {
        shape->type = type_token(decoder->context);
        return true;
    }
    if (raw.element != PRIMITIVE_TUPLE) return decode_array(decoder, &raw, shape);
    if (nesting == MAX_TUPLE_NESTING)
        return hlo_decode_fail(
            decoder, "tuples are nested deeper than %d levels", MAX_TUPLE_NESTING);
    if (raw.parts.count > INT32_MAX) return hlo_decode_fail(decoder, "the tuple is too large");
    HloShape *parts = ARENA_ARRAY(decoder->arena, HloShape, raw.parts.count + 1);
    const Type **types = ARENA_ARRAY(decoder->arena, const Type *, raw.parts.count + 1);
    for (int64_t i = 0; i < raw.parts.count; i++) {
        if (!decode_shape(decoder, raw.parts.data[i], &parts[i], nesting + 1)) return false;
        types[i] = parts[i].type;
    }
    shape->type = type_tuple(decoder->context, (int)raw.parts.count, types);
    shape->parts = parts;
    return true;
}

bool hlo_decode_shape(HloDecoder *decoder, StrView bytes, HloShape *shape) {
    return decode_shape(decoder, bytes, shape, 0);
}

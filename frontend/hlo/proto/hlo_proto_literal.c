// hlo_proto_literal: LiteralProto as dense elements. Elements lie in the order of the literal's own
// layout.
#include "frontend/hlo/proto/hlo_decoder.h"
#include "ir/scalar/scalar.h"

// How the elements of a type are written: as numbers, or as their bytes.
typedef struct LiteralRow {
    ElementType element;
    int field;
    int bytes; // of a number of fixed width; 0: a varint
} LiteralRow;

static const LiteralRow *row_of(ElementType element) {
    static const LiteralRow rows[] = {{ELEMENT_I1, 2, 0},          {ELEMENT_UI8, 3, 1},
                                      {ELEMENT_I32, 4, 0},         {ELEMENT_I64, 5, 0},
                                      {ELEMENT_UI32, 6, 0},        {ELEMENT_UI64, 7, 0},
                                      {ELEMENT_F32, 8, 4},         {ELEMENT_F64, 9, 8},
                                      {ELEMENT_F16, 11, 2},        {ELEMENT_C64, 12, 8},
                                      {ELEMENT_BF16, 13, 2},       {ELEMENT_I8, 15, 1},
                                      {ELEMENT_UI16, 16, 2},       {ELEMENT_I16, 17, 2},
                                      {ELEMENT_C128, 18, 16},      {ELEMENT_F8E5M2, 19, 1},
                                      {ELEMENT_F8E4M3FN, 20, 1},   {ELEMENT_I4, 21, 1},
                                      {ELEMENT_UI4, 22, 1},        {ELEMENT_F8E4M3B11FNUZ, 23, 1},
                                      {ELEMENT_F8E5M2FNUZ, 24, 1}, {ELEMENT_F8E4M3FNUZ, 25, 1},
                                      {ELEMENT_I2, 26, 1},         {ELEMENT_UI2, 27, 1},
                                      {ELEMENT_F8E4M3, 28, 1},     {ELEMENT_F8E3M4, 29, 1},
                                      {ELEMENT_F4E2M1FN, 32, 1},   {ELEMENT_F8E8M0FNU, 33, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].element == element) return &rows[i];
    }
    return NULL;
}

typedef struct Literal {
    HloShape shape;        // type NULL: not said
    const LiteralRow *row; // of the type that is read
    StrView bytes;         // elements of fixed width, in one piece
    VEC(char) pieces;      // or copied together from several
    ProtoInts numbers;     // elements that are varints
    VEC(StrView) parts;    // of a tuple
} Literal;

static void add_bytes(HloDecoder *decoder, const ProtoField *field, Literal *literal) {
    StrView piece = field->bytes;
    char fixed[8];
    if (field->wire != PROTO_BYTES) { // one number, not packed
        for (int i = 0; i < 8; i++)
            fixed[i] = (char)(field->value >> (8 * i));
        piece = (StrView){fixed, field->wire == PROTO_FIXED32 ? 4 : 8};
    } else if (literal->bytes.size == 0 && literal->pieces.count == 0) {
        literal->bytes = piece;
        return;
    }
    for (size_t i = 0; i < literal->bytes.size; i++)
        vec_push(decoder->arena, &literal->pieces, literal->bytes.data[i]);
    literal->bytes.size = 0;
    for (size_t i = 0; i < piece.size; i++)
        vec_push(decoder->arena, &literal->pieces, piece.data[i]);
}

static bool read_literal(HloDecoder *decoder, StrView bytes, const Type *type, Literal *literal) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    *literal = (Literal){0};
    if (type->kind == TYPE_TENSOR) literal->row = row_of(type->element);
    while (proto_next(&message, &field)) {
        bool ok = true;
        if (field.number == HLO_FIELD_LITERAL_SHAPE)
            ok = hlo_decode_shape(decoder, field.bytes, &literal->shape);
        else if (field.number == HLO_FIELD_LITERAL_PARTS)
            vec_push(decoder->arena, &literal->parts, field.bytes);
        else if (field.number == HLO_FIELD_LITERAL_SPARSE)
            ok = hlo_decode_refuse(decoder, "sparse literals are not supported");
        else if (literal->row && field.number == literal->row->field && literal->row->bytes)
            add_bytes(decoder, &field, literal);
        else if (literal->row && field.number == literal->row->field)
            ok = hlo_decode_ints(decoder, &field, &literal->numbers);
        if (!ok) return false;
    }
    if (literal->pieces.count > 0)
        literal->bytes = (StrView){literal->pieces.data, (size_t)literal->pieces.count};
    return hlo_decode_end(decoder, &message);
}

// Elements in row-major order, from one in which dimension layout[0] is the fastest.
static const char *to_row_major(
    HloDecoder *decoder, const Type *type, const int64_t *layout, const char *data) {
    size_t size = element_bytes(type->element);
    int64_t count = type_element_count(type);
    int64_t strides[MAX_RANK], place[MAX_RANK] = {0}, stride = 1;
    char *out = arena_alloc(decoder->arena, (size_t)count * size + 1);
    for (int i = 0; i < type->rank; i++) {
        strides[layout[i]] = stride;
        stride *= type->dims[layout[i]];
    }
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        memcpy(out + (size_t)i * size, data + (size_t)at * size, size);
        for (int d = type->rank - 1; d >= 0; d--) {
            at += strides[d];
            if (++place[d] < type->dims[d]) break;
            at -= strides[d] * type->dims[d];
            place[d] = 0;
        }
    }
    return out;
}

static bool is_row_major(const HloShape *shape) {
    for (int d = 0; shape->layout && d < shape->type->rank; d++) {
        if (shape->layout[d] != shape->type->rank - 1 - d) return false;
    }
    return true;
}

// Numbers of fewer than eight bits lie one in a byte, with any bits above them.
static const char *narrow_elements(HloDecoder *decoder, const Type *type, StrView bytes) {
    char *out = arena_copy(decoder->arena, bytes.data, bytes.size);
    int bits = element_bits(type->element);
    for (size_t i = 0; i < bytes.size; i++) {
        int64_t number = (unsigned char)bytes.data[i] & ((1 << bits) - 1);
        if (element_class(type->element) == CLASS_SINT && number >> (bits - 1))
            number -= (int64_t)1 << bits;
        if (element_is_float(type->element))
            out[i] = (char)number;
        else
            scalar_store_int(type->element, &number, 1, (unsigned char *)&out[i]);
    }
    return out;
}

static bool decode_array(
    HloDecoder *decoder, StrView bytes, const Type *type, const Attr **elements) {
    Literal literal;
    if (!read_literal(decoder, bytes, type, &literal)) return false;
    if (!literal.row) return hlo_decode_refuse(decoder, "constants of this type are not supported");
    if (literal.shape.type && literal.shape.type != type)
        return hlo_decode_fail(decoder, "the literal has another type than the constant");
    int64_t expected = type_element_count(type);
    int64_t size = (int64_t)element_bytes(type->element);
    int64_t found = literal.row->bytes ? (int64_t)literal.bytes.size / literal.row->bytes
                                       : literal.numbers.count;
    bool is_whole = !literal.row->bytes || (int64_t)literal.bytes.size % size == 0;
    if (found == 0 && expected > 0)
        return hlo_decode_fail(
            decoder, "the constant's elements were left out when the program was written: write it "
                     "with them");
    if (found != expected || !is_whole)
        return hlo_decode_fail(
            decoder, "the literal has %lld elements, its type has %lld", (long long)found,
            (long long)expected);
    const char *data = literal.bytes.data;
    if (!literal.row->bytes) {
        char *out = arena_alloc(decoder->arena, (size_t)(expected * size) + 1);
        for (int64_t i = 0; i < expected; i++)
            scalar_store_int(
                type->element, &literal.numbers.data[i], 1, (unsigned char *)out + i * size);
        data = out;
    } else if (element_bits(type->element) < 8) {
        data = narrow_elements(decoder, type, literal.bytes);
    }
    if (literal.shape.type && expected > 0 && !is_row_major(&literal.shape))
        data = to_row_major(decoder, type, literal.shape.layout, data);
    *elements = hlo_elements(decoder->context, type, data ? data : "");
    return true;
}

static bool decode_parts(HloDecoder *decoder, StrView bytes, const Type *type, const Attr ***next) {
    Literal literal;
    if (type->kind == TYPE_TENSOR) return decode_array(decoder, bytes, type, (*next)++);
    if (type->kind != TYPE_TUPLE) return hlo_decode_fail(decoder, "a token cannot be a constant");
    if (!read_literal(decoder, bytes, type, &literal)) return false;
    if (literal.parts.count != type->part_count)
        return hlo_decode_fail(
            decoder, "the literal has %lld parts, its type has %d", (long long)literal.parts.count,
            type->part_count);
    for (int i = 0; i < type->part_count; i++) {
        if (!decode_parts(decoder, literal.parts.data[i], type->parts[i], next)) return false;
    }
    return true;
}

bool hlo_decode_literals(
    HloDecoder *decoder, StrView bytes, const Type *type, const Attr ***literals) {
    const Attr **next =
        ARENA_ARRAY(decoder->arena, const Attr *, (int64_t)hlo_leaf_count(type) + 1);
    *literals = next;
    return decode_parts(decoder, bytes, type, &next);
}

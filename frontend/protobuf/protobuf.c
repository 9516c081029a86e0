// protobuf: see protobuf.h.
#include "frontend/protobuf/protobuf.h"

ProtoMessage proto_message(StrView bytes) {
    const unsigned char *data = (const unsigned char *)(bytes.data ? bytes.data : "");
    return (ProtoMessage){data, data + bytes.size, false};
}

static bool fail(ProtoMessage *message) {
    message->failed = true;
    return false;
}

// Seven bits a byte, the lowest first; the highest bit says that more follow, 10 bytes at most.
static bool read_varint(ProtoMessage *message, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64 && message->at < message->end; shift += 7) {
        unsigned char byte = *message->at++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return fail(message);
}

static bool read_fixed(ProtoMessage *message, unsigned size, uint64_t *number) {
    if ((size_t)(message->end - message->at) < size) return fail(message);
    *number = 0;
    for (unsigned i = 0; i < size; i++)
        *number |= (uint64_t)message->at[i] << (8 * i);
    message->at += size;
    return true;
}

bool proto_next(ProtoMessage *message, ProtoField *field) {
    uint64_t key, size;
    if (message->failed || message->at == message->end) return false;
    if (!read_varint(message, &key)) return false;
    if (key >> 3 == 0 || key >> 3 > INT32_MAX) return fail(message);
    *field = (ProtoField){
        .number = (int)(key >> 3), .wire = (ProtoWire)(key & 7), .bytes = {"", 0}};
    switch (field->wire) {
    case PROTO_VARINT: return read_varint(message, &field->value);
    case PROTO_FIXED64: return read_fixed(message, 8, &field->value);
    case PROTO_FIXED32: return read_fixed(message, 4, &field->value);
    case PROTO_BYTES: break;
    default: return fail(message); // groups are no longer written
    }
    if (!read_varint(message, &size)) return false;
    if (size > (uint64_t)(message->end - message->at)) return fail(message);
    field->bytes = (StrView){(const char *)message->at, (size_t)size};
    message->at += size;
    return true;
}

bool proto_push_ints(Arena *arena, const ProtoField *field, ProtoInts *ints) {
    if (field->wire != PROTO_BYTES) {
        vec_push(arena, ints, (int64_t)field->value);
        return true;
    }
    ProtoMessage packed = proto_message(field->bytes);
    while (packed.at < packed.end) {
        uint64_t number;
        if (!read_varint(&packed, &number)) return false;
        vec_push(arena, ints, (int64_t)number);
    }
    return true;
}

bool proto_is_message(StrView bytes) {
    ProtoMessage message = proto_message(bytes);
    ProtoField field;
    while (proto_next(&message, &field))
        ;
    return !message.failed;
}

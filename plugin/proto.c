// proto: reading and writing protocol buffers.
#include "plugin/plugin.h"

#include <stdlib.h>
#include <string.h>

static bool read_varint(Proto *proto, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && proto->at < proto->end; shift += 7) {
        unsigned char byte = *proto->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

static bool read_fixed(Proto *proto, size_t size, uint64_t *value) {
    if ((size_t)(proto->end - proto->at) < size) return false;
    *value = 0;
    memcpy(value, proto->at, size); // little-endian, as all machines that we run on
    proto->at += size;
    return true;
}

static bool read_field(Proto *proto, Field *field) {
    uint64_t tag = 0, size = 0;
    if (!read_varint(proto, &tag) || tag >> 3 == 0 || tag >> 3 > INT32_MAX) return false;
    *field = (Field){.number = (int)(tag >> 3), .wire = (int)(tag & 7)};
    switch (field->wire) {
    case 0: return read_varint(proto, &field->value);
    case 1: return read_fixed(proto, 8, &field->value);
    case 5: return read_fixed(proto, 4, &field->value);
    case 2:
        if (!read_varint(proto, &size) || size > (uint64_t)(proto->end - proto->at)) return false;
        field->bytes = (Proto){proto->at, proto->at + size};
        proto->at += size;
        return true;
    default: return false;
    }
}

bool proto_next(Proto *proto, Field *field) {
    if (proto->at >= proto->end) return false;
    const unsigned char *start = proto->at;
    if (read_field(proto, field)) return true;
    proto->at = start;
    return false;
}

bool proto_integers(const Field *field, bool (*add)(void *user, uint64_t value), void *user) {
    if (field->wire == 0) return add(user, field->value);
    if (field->wire != 2) return false;
    Proto packed = field->bytes;
    while (packed.at < packed.end) {
        uint64_t value = 0;
        if (!read_varint(&packed, &value) || !add(user, value)) return false;
    }
    return true;
}

void bytes_add(Bytes *bytes, const void *data, size_t size) {
    if (bytes->has_failed || size == 0) return;
    if (size > bytes->capacity - bytes->size) {
        size_t capacity = 2 * bytes->capacity + size + 32;
        char *grown = realloc(bytes->data, capacity);
        if (!grown) {
            bytes->has_failed = true;
            return;
        }
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void add_varint(Bytes *bytes, uint64_t value) {
    do {
        unsigned char byte = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        bytes_add(bytes, &byte, 1);
        value >>= 7;
    } while (value);
}

void bytes_varint(Bytes *bytes, int field, uint64_t value) {
    add_varint(bytes, (uint64_t)field << 3);
    add_varint(bytes, value);
}

void bytes_bytes(Bytes *bytes, int field, const void *data, size_t size) {
    add_varint(bytes, (uint64_t)field << 3 | 2);
    add_varint(bytes, size);
    bytes_add(bytes, data, size);
}

void bytes_packed(Bytes *bytes, int field, const int64_t *values, size_t count) {
    Bytes packed = {0};
    for (size_t i = 0; i < count; i++)
        add_varint(&packed, (uint64_t)values[i]);
    bytes->has_failed = bytes->has_failed || packed.has_failed;
    bytes_bytes(bytes, field, packed.data, packed.size);
    free(packed.data);
}

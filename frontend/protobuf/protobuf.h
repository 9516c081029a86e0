// The door of protobuf/: messages of the protobuf wire format, field by field, borrowed from
// memory. What a field means its reader knows; docs/decisions/protobuf.md says why this is ours.
#ifndef SHARDC_FRONTEND_PROTOBUF_H
#define SHARDC_FRONTEND_PROTOBUF_H

#include "base/strview.h"
#include "base/vec.h"
#include "ir/attr.h"

typedef enum ProtoWire {
    PROTO_VARINT = 0,
    PROTO_FIXED64 = 1,
    PROTO_BYTES = 2,
    PROTO_FIXED32 = 5
} ProtoWire;

typedef struct ProtoField {
    int number;
    ProtoWire wire;
    uint64_t value; // the number, or the bits of a float; 0 of bytes
    StrView bytes;  // of PROTO_BYTES: text, a message, or packed numbers; borrowed
} ProtoField;

// One message; reads nothing beyond its end.
typedef struct ProtoMessage {
    const unsigned char *at, *end;
    bool failed; // the bytes are no message
} ProtoMessage;

typedef VEC(int64_t) ProtoInts;

ProtoMessage proto_message(StrView bytes);
// False at the end, and where no field can be read (then `failed`).
bool proto_next(ProtoMessage *message, ProtoField *field);
// Adds a repeated number: one, or packed many. False when the bytes are no numbers.
bool proto_push_ints(Arena *arena, const ProtoField *field, ProtoInts *ints);
// Are these fields nothing but a message's, up to its end?
bool proto_is_message(StrView bytes);
static inline IntSpan proto_span(const ProtoInts *ints) {
    return (IntSpan){ints->data, (int)ints->count};
}

#endif

// Reading HLO's protobufs: what hlo_proto*.c share. Private to them.
#ifndef SHARDC_FRONTEND_HLO_DECODER_H
#define SHARDC_FRONTEND_HLO_DECODER_H

#include "frontend/hlo/module/hlo_module.h"
#include "frontend/hlo/text/hlo_frames.h"
#include "frontend/protobuf/protobuf.h"

enum HloField {
#define HLO_FIELD(message, name, number) HLO_FIELD_##message##_##name = number,
#include "frontend/hlo/proto/hlo_fields.def"
};

typedef VEC(ProtoField) ProtoFields;

typedef struct HloDecoder {
    const HloSource *source;
    Context *context;
    Arena *arena;
    const char *start; // of the file
    HloModule *module;
    const HloFrames *frames;
    StrMap computations; // by the bytes of their ids: to HloComputation
    StrMap instrs;       // of the computation, the same: to int, the instruction's number
    ProtoFields fields;  // of the instruction
    const Loc *loc;      // of what is being read
} HloDecoder;

// Diagnostics at what is being read; always false.
bool hlo_decode_fail(HloDecoder *decoder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool hlo_decode_refuse(HloDecoder *decoder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// After all fields of a message: false with a diagnostic when some bytes were none.
bool hlo_decode_end(HloDecoder *decoder, const ProtoMessage *message);
bool hlo_decode_ints(HloDecoder *decoder, const ProtoField *field, ProtoInts *ints);

bool hlo_decode_shape(HloDecoder *decoder, StrView bytes, HloShape *shape); // hlo_proto_shape.c
// The elements of a constant's arrays (hlo_proto_literal.c).
bool hlo_decode_literals(
    HloDecoder *decoder, StrView bytes, const Type *type, const Attr ***literals);
// The attributes of the instruction, from decoder->fields (hlo_proto_attrs.c).
bool hlo_decode_attrs(HloDecoder *decoder, HloInstr *instr);
bool hlo_decode_pairs(HloDecoder *decoder, StrView bytes, HloPairs *pairs); // FrontendAttributes
// A result {0} is in `result_field`, 0 = there is none; OutputOperandAliasing and entries of the
// module's.
bool hlo_decode_alias(
    HloDecoder *decoder, StrView bytes, int result_field, int operand_field, int part_field,
    HloAlias *alias);

// The last field of the number; NULL when there is none. Then the number is 0, the bytes are empty.
const ProtoField *hlo_field(const HloDecoder *decoder, int number);
int64_t hlo_field_int(const HloDecoder *decoder, int number);
StrView hlo_field_bytes(const HloDecoder *decoder, int number);
bool hlo_field_ints(HloDecoder *decoder, int number, IntSpan *ints); // all of the number

#endif

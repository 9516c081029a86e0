// Fields of HloInstructionProto as attributes: what the files share that read them. Private to
// hlo/proto.
#ifndef SHARDC_FRONTEND_HLO_ATTR_DECODER_H
#define SHARDC_FRONTEND_HLO_ATTR_DECODER_H

#include "frontend/hlo/proto/hlo_decoder.h"

typedef VEC(HloAttr) Attrs;

typedef struct AttrDecoder {
    HloDecoder *decoder;
    const HloInstr *instr;
    Attrs attrs;
} AttrDecoder;

// A message of numbers and lists of numbers.
typedef struct IntField {
    int number;
    HloAttrName name;
    bool is_list;
} IntField;

typedef VEC(StrView) Messages;

// All functions that return bool: false with a diagnostic.
HloAttr *hlo_attr_add(AttrDecoder *to, HloAttrName name);
// An attribute that text would have, and that is not supported.
void hlo_attr_add_unknown(AttrDecoder *to, const char *name);
bool hlo_attr_refuse_number(AttrDecoder *to, const char *what, int64_t number);
bool hlo_opcode_is(const AttrDecoder *to, const char *opcode);
bool hlo_opcode_begins(const AttrDecoder *to, const char *prefix);
// The rows' fields of a message, an attribute each.
bool hlo_attr_add_ints(AttrDecoder *to, StrView bytes, const IntField *rows, int row_count);
// The word that the instruction's field numbers.
bool hlo_attr_add_word(
    AttrDecoder *to, HloAttrName name, int field, const char *const *words, int count);
// The fields 1 to `count` of a message, which are numbers.
bool hlo_attr_read_numbers(AttrDecoder *to, StrView bytes, int64_t *numbers, int count);
// All fields of the number: of a message, of the instruction.
bool hlo_attr_list_messages(AttrDecoder *to, StrView bytes, int number, Messages *list);
void hlo_attr_own_messages(AttrDecoder *to, int number, Messages *list);

// ---- dimensions (hlo_proto_dims.c) ----
bool hlo_add_window(AttrDecoder *to, StrView bytes);
bool hlo_add_slice(AttrDecoder *to);
bool hlo_add_padding(AttrDecoder *to);
bool hlo_add_dot(AttrDecoder *to);
bool hlo_add_convolution(AttrDecoder *to);
bool hlo_add_gather(AttrDecoder *to);
bool hlo_add_scatter(AttrDecoder *to);
bool hlo_add_triangular_solve(AttrDecoder *to);
bool hlo_add_cholesky(AttrDecoder *to);

// ---- devices (hlo_proto_devices.c) ----
bool hlo_is_collective(const AttrDecoder *to);
bool hlo_add_collective(AttrDecoder *to);

// OpSharding as text, which the importer of shardings reads again (hlo_proto_annotations.c).
bool hlo_add_sharding(AttrDecoder *to, StrView bytes);

#endif

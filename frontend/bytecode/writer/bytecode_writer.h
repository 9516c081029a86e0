// writer/: portable artifacts are written (the door is write_bytecode, in
// bytecode.h). This is what its files share.
//
// VHLO's ops, attributes and types are written in VHLO's encoding; what belongs to other dialects
// stands beside them, its attributes and types as MLIR text, which every reader of bytecode takes.
// A value has VHLO's type; where an op of another dialect uses or makes it, a cast stands between.
#ifndef SHARDC_FRONTEND_BYTECODE_WRITER_H
#define SHARDC_FRONTEND_BYTECODE_WRITER_H

#include "base/map.h"
#include "base/vec.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/bytecode/vhlo.h"
#include "ir/print/op_dict.h"

// A table of attributes or of types: their encodings in the order of their numbers.
typedef struct WrittenEntry {
    StrView dialect;
    StrView bytes;
    bool is_custom; // encoded; else text
} WrittenEntry;

typedef struct BytecodeWriter BytecodeWriter;

struct BytecodeWriter {
    // vhlo_attr_number: mesh axes have attributes
    uint64_t (*attr_number)(BytecodeWriter *writer, const Attr *attr);
    const Module *module;
    Arena *arena;
    Diags *diags;
    int target; // the version of StableHLO
    int format; // of the container
    StrMap strings;
    VEC(StrView) string_list;
    VEC(StrView) dialects;
    StrMap op_numbers; // "vhlo.add_v1" to its place in op_names
    VEC(StrView) op_names;
    VEC(WrittenEntry) attrs, types;
    PtrMap vhlo_attrs, builtin_attrs, vhlo_types, builtin_types; // to number + 1
    StrMap vhlo_bytes, loc_bytes;                                // bytes of an entry to number + 1
    VEC(StrView) properties;
    PtrMap values; // to number + 1
    const Op *op;  // being written, for diagnostics
    bool failed;
};

// Numbers.
void put_varint(StrBuf *out, uint64_t number);
void put_svarint(StrBuf *out, int64_t number);
void put_flagged(StrBuf *out, uint64_t number, bool flag);
void put_bits(StrBuf *out, uint64_t bits, int width);
void put_number(StrBuf *out, uint64_t number, int bytes); // little-endian

// An error at the op that is being written.
void writer_failed(BytecodeWriter *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
uint64_t writer_string(BytecodeWriter *writer, StrView text);
uint64_t writer_dialect(BytecodeWriter *writer, StrView name);
// A new entry of the table; returns its number.
uint64_t writer_add_attr(
    BytecodeWriter *writer, StrView dialect, bool is_custom, const StrBuf *bytes);
uint64_t writer_add_type(
    BytecodeWriter *writer, StrView dialect, bool is_custom, const StrBuf *bytes);
// One entry for all whose bytes are equal, unless they are long.
uint64_t writer_add_once(
    BytecodeWriter *writer, StrMap *known_bytes, StrView dialect, const StrBuf *bytes);
StrBuf writer_code(const BytecodeWriter *writer, uint64_t code); // the begin of an entry
// Maps hold numbers as pointers.
void *number_as_pointer(uint64_t number);
bool writer_known_number(const PtrMap *map, const void *key, uint64_t *number);
// The numbers of attributes and types.
uint64_t vhlo_attr_number(BytecodeWriter *writer, const Attr *attr);
uint64_t vhlo_type_number(BytecodeWriter *writer, const Type *type);
uint64_t builtin_attr_number(BytecodeWriter *writer, const Attr *attr);
uint64_t builtin_type_number(BytecodeWriter *writer, const Type *type);
uint64_t loc_number_of(BytecodeWriter *writer, const Loc *loc);
// A builtin dictionary with VHLO's attributes, or with text.
uint64_t dict_number(BytecodeWriter *writer, const OpDict *dict, bool is_vhlo);

// Replica groups by mesh axes; false when the attribute is something else.
bool vhlo_mesh_axes(BytecodeWriter *writer, const Attr *attr, uint64_t *number);

// Is an attribute that is discardable in StableHLO one of the op's in VHLO's newest version?
bool vhlo_owns(OpCode code, StrView name);
// The values of VHLO's attributes of an op, in its order; a diagnostic and false
// when this version cannot say them.
bool vhlo_export(BytecodeWriter *writer, const Op *op, const VhloOp *vhlo, const Attr **values);

StrView write_ir_section(BytecodeWriter *writer);

#endif

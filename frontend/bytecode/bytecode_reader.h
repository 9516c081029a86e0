// The reader of MLIR bytecode, as its files share it. Private to frontend/.
//
// Attributes and types lie in tables of the file and refer to each other by index; each is decoded
// when it is first asked for. An op is built from the same Draft as in the text form, so its checks
// and its placing of attributes are the same.
#ifndef SHARDC_FRONTEND_BYTECODE_READER_H
#define SHARDC_FRONTEND_BYTECODE_READER_H

#include "frontend/bytecode/byte_stream.h"
#include "frontend/bytecode/vhlo.h"
#include "frontend/mlir/mlir_module_reader.h"

// An attribute or a type of the file.
typedef struct BytecodeEntry {
    StrView bytes;
    StrView dialect;
    bool is_custom;   // encoded by its dialect; else its text
    bool in_progress; // is being decoded: an entry that contains itself meets it again
    int64_t weight;   // how many attributes and types it is written out, repeated ones counted
    const Attr *attr;
    const Type *type;
    const LocTexts *loc; // as a location: what it says
} BytecodeEntry;

typedef struct BytecodeOpName {
    StrView text; // "vhlo.add_v1"
    bool registered, is_resolved;
    bool is_cast; // builtin.unrealized_conversion_cast
    const VhloOp *vhlo;
    OpCode code;
} BytecodeOpName;

typedef struct BytecodeResource {
    StrView name;
    StrView bytes;
    bool is_blob;
} BytecodeResource;

// The values that one region defines; their numbers follow those of the regions around it.
typedef struct BytecodeValues {
    uint64_t base, declared;
    bool is_isolated;
    VEC(Value *) values;
} BytecodeValues;

typedef struct Bytecode Bytecode;

struct Bytecode {
    // bytecode_dialects.c
    bool (*decode_custom)(Bytecode *file, BytecodeEntry *entry, bool is_type);
    // of no text: context, arena, diagnostics, the parts of the op that is being read
    Reader *reader;
    StrView bytes;
    uint64_t version; // of the container
    StrView producer;
    StrView *strings, *dialects, *properties;
    int string_count, dialect_count, properties_count;
    BytecodeOpName *op_names;
    int op_name_count;
    BytecodeEntry *attrs, *types;
    int attr_count, type_count;
    BytecodeResource *resources;
    int resource_count;
    VEC(BytecodeValues) values; // of the regions that are being read
    int64_t weight;             // of the attribute or type that is being decoded
};

// A token at a place of the file, for diagnostics.
Token bytecode_token(const void *at);
bool bytecode_error(Bytecode *file, const void *at, const char *format, ...)
    __attribute__((format(printf, 3, 4))); // always false

const Type *bytecode_type(Bytecode *file, uint64_t index); // of the table

const char *entry_what(bool is_type); // "type" or "attribute"
// An entry that its dialect has encoded. False with a diagnostic.
bool decode_custom(Bytecode *file, BytecodeEntry *entry, bool is_type);

// What an index in the stream stands for; NULL after an error, with a diagnostic.
// of the table of strings; fails the stream
StrView stream_string(Bytecode *file, ByteStream *stream);
const Attr *stream_attr(Bytecode *file, ByteStream *stream);
const Type *stream_type(Bytecode *file, ByteStream *stream);
// NULL: there is none
bool stream_optional_attr(Bytecode *file, ByteStream *stream, const Attr **attr);
const Attr *stream_string_attr(Bytecode *file, ByteStream *stream); // of kind ATTR_STRING
bool stream_types(Bytecode *file, ByteStream *stream); // a list: pushed on reader->types
bool stream_attrs(Bytecode *file, ByteStream *stream); // a list: pushed on reader->attr_items
bool stream_loc(Bytecode *file, ByteStream *stream, Loc *loc); // merged into loc
// A dictionary's entries; the names are attributes too.
const Attr *stream_dict(Bytecode *file, ByteStream *stream);
const Attr *stream_array(Bytecode *file, ByteStream *stream);
BytecodeEntry *stream_entry(Bytecode *file, ByteStream *stream, bool is_type); // not decoded

// How each dialect encodes its attributes and types, the code already read; NULL for an
// unknown code, without a diagnostic.
const Attr *builtin_attr(Bytecode *file, ByteStream *stream, uint64_t code);
const Type *builtin_type(Bytecode *file, ByteStream *stream, uint64_t code);
const Attr *vhlo_attr(Bytecode *file, ByteStream *stream, uint64_t code);
const Type *vhlo_type(Bytecode *file, ByteStream *stream, uint64_t code);
const Attr *stablehlo_attr(Bytecode *file, ByteStream *stream, uint64_t code);
const Type *stablehlo_type(Bytecode *file, ByteStream *stream, uint64_t code);
const Attr *sdy_attr(Bytecode *file, ByteStream *stream, uint64_t code);

// Parts that several dialects have alike.
IntSpan stream_span(Bytecode *file, ByteStream *stream); // a list of signed numbers, in the arena
const Attr *stream_number(Bytecode *file, ByteStream *stream, bool is_float); // type, bits
const Attr *stream_elements(Bytecode *file, ByteStream *stream);              // type, bytes
const Type *stream_tensor(Bytecode *file, ByteStream *stream, Type *tensor);  // shape, element type
// encoding, shape, element type
const Type *stream_encoded_tensor(Bytecode *file, ByteStream *stream);
const Type *stream_unranked(Bytecode *file, ByteStream *stream);
const Type *stream_memref(Bytecode *file, ByteStream *stream); // shape, element type
const Type *stream_function(Bytecode *file, ByteStream *stream);
const Type *stream_parts(Bytecode *file, ByteStream *stream, TypeKind kind);
const Type *stream_complex(Bytecode *file, ByteStream *stream);
const Type *named_type(Bytecode *file, const char *text); // TYPE_OPAQUE
// a list of signed numbers: pushed on reader->ints
bool stream_ints(Bytecode *file, ByteStream *stream);
const Attr *attr_from_text(Bytecode *file, StrView text); // read as MLIR text
const Type *type_from_text(Bytecode *file, StrView text);
enum { VHLO_BOUNDS = 18, STABLEHLO_BOUNDS = 13 }; // codes of the attribute
// A tensor's bounds from its encoding; *is_bounds: it is such an encoding. False with a
// diagnostic when they do not fit.
bool type_bounds(Bytecode *file, const BytecodeEntry *encoding, Type *tensor, bool *is_bounds);

// The properties of an op of another dialect than VHLO: pushed on reader->attrs.
bool read_native_properties(Bytecode *file, ByteStream *record, const void *at, OpCode code);
// The IR section.
bool read_bytecode_module(Bytecode *file, StrView section);
// One section: its id and its contents.
bool stream_section(Bytecode *file, ByteStream *stream, int *id, StrView *contents);

#endif

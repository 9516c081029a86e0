// bytecode_native: ops and attributes of other dialects than VHLO in bytecode: StableHLO and CHLO themselves, func, sdy.
//
// MLIR writes the properties of such an op as a record of its attributes in the order of their names, those that may be absent with
// a flag.
#include "frontend/bytecode/bytecode_reader.h"
#include "frontend/bytecode/bytecode_writer.h"
#include "frontend/mlir/dim_fields.h"

// An attribute that a record holds.
typedef struct NativeAttr {
    StrView name;
    bool is_optional;
} NativeAttr;

typedef struct NativeOp {
    OpCode code;
    const char *attrs; // "name name?": ? marks those that may be absent
} NativeOp;

static const NativeOp native_ops[] = {
    {OP_MODULE, "sym_name? sym_visibility?"},
    {OP_FUNC, "arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility?"},
    {OP_CALL, "arg_attrs? callee no_inline? res_attrs?"},
    {OP_SDY_MESH, "mesh sym_name"},
    {OP_SDY_MANUAL, "in_shardings manual_axes out_shardings"},
    {OP_SDY_NAMED, "in_shardings? name out_shardings?"},
    {OP_SDY_CONSTRAINT, "sharding"},
    {OP_SDY_RESHARD, "sharding"},
    {OP_SDY_EDGE, "sharding?"},
    {OP_SDY_BARRIER, "allowed_direction"},
    {OP_SDY_GROUP, "group_id"},
    {OP_SDY_CONSTANT, "value"},
    {OP_SDY_ALL_GATHER, "gathering_axes out_sharding"},
    {OP_SDY_ALL_SLICE, "out_sharding slicing_axes"},
    {OP_SDY_ALL_TO_ALL, "out_sharding params"},
    {OP_SDY_PERMUTE, "out_sharding"},
};

static int table_attrs(const char *text, NativeAttr attrs[MAX_INHERENT_ATTRS]) {
    int count = 0;
    while (*text) {
        size_t size = strcspn(text, " ");
        bool is_optional = text[size - 1] == '?';
        attrs[count++] = (NativeAttr){{text, size - is_optional}, is_optional};
        text += size + (text[size] == ' ');
    }
    return count;
}

// May the attribute be absent? As a rule it may where VHLO's op says what is usual.
static bool is_optional_attr(OpCode code, AttrName name) {
    if (name == NAME_ALGORITHM || name == NAME_USE_GLOBAL_DEVICE_IDS) return true;
    if (name == NAME_CHANNEL_HANDLE) return code != OP_SEND && code != OP_RECV;
    const VhloOp *vhlo = vhlo_for(code, VHLO_CURRENT);
    if (!vhlo) // of CHLO
        return name == NAME_COMPARE_TYPE || name == NAME_PRECISION_CONFIG || name == NAME_LARGEST ||
               name == NAME_BROADCAST_DIMENSIONS;
    VhloAttr attrs[MAX_VHLO_ATTRS];
    int count = vhlo_attrs(vhlo, attrs);
    for (int i = 0; i < count; i++) {
        if (strview_equal(attrs[i].name, attr_name_text(name))) return attrs[i].usual.size > 0;
    }
    return false;
}

// The attributes of the op's record, sorted by name.
static int native_attrs(OpCode code, NativeAttr attrs[MAX_INHERENT_ATTRS]) {
    for (size_t i = 0; i < sizeof native_ops / sizeof native_ops[0]; i++) {
        if (native_ops[i].code == code) return table_attrs(native_ops[i].attrs, attrs);
    }
    AttrName names[MAX_INHERENT_ATTRS];
    int count = op_inherent_names(code, names);
    for (int i = 0; i < count; i++) {
        NativeAttr attr = {attr_name_text(names[i]), is_optional_attr(code, names[i])};
        int place = i;
        for (; place > 0 && strview_compare(attrs[place - 1].name, attr.name) > 0; place--)
            attrs[place] = attrs[place - 1];
        attrs[place] = attr;
    }
    return count;
}

bool read_native_properties(Bytecode *file, ByteStream *record, const void *at, OpCode code) {
    Reader *reader = file->reader;
    NativeAttr attrs[MAX_INHERENT_ATTRS];
    int count = native_attrs(code, attrs);
    for (int i = 0; i < count; i++) {
        ReadAttr attr = {context_name(reader->context, attrs[i].name), NULL, bytecode_token(at)};
        bool ok = true;
        if (attrs[i].is_optional && stream_at_end(record)) break; // of an older version
        if (attrs[i].is_optional) {
            ok = stream_optional_attr(file, record, &attr.value);
        } else {
            attr.value = stream_attr(file, record);
            ok = attr.value != NULL;
        }
        if (!ok) return false;
        if (attr.value) vec_push(reader->scratch, &reader->attrs, attr);
    }
    if (stream_at_end(record)) return true;
    Token token = bytecode_token(at);
    return reader_unsupported(
        reader, &token, "the properties of '%.*s' are of another version of its dialect",
        SV_ARG(op_code_text(code)));
}

// A structured attribute: its fields in the order of the text form.
static const Attr *stream_dims(Bytecode *file, ByteStream *stream, AttrKind kind) {
    DimNumbers numbers = {0};
    const DimField *fields;
    int count = dim_fields(kind, &fields);
    for (int i = 0; i < count; i++) {
        if (fields[i].is_list) {
            *dim_list(&numbers, &fields[i]) = stream_span(file, stream);
        } else {
            *dim_number(&numbers, &fields[i]) = stream_svarint(stream);
        }
    }
    return attr_of_dims(file->reader->context, kind, &numbers);
}

static bool stream_precision(
    Bytecode *file, ByteStream *stream, ElementType *element, bool *is_tf32) {
    const Type *type = stream_type(file, stream);
    if (!type) return false;
    *is_tf32 = type->kind == TYPE_OPAQUE && strview_is(type->encoding, "tf32");
    *element = *is_tf32 ? ELEMENT_F32 : type->element;
    return *is_tf32 || (type->kind == TYPE_ELEMENT && !type->quant);
}

static const Attr *stream_algorithm(Bytecode *file, ByteStream *stream) {
    DotAlgorithm a = {0};
    bool ok = stream_precision(file, stream, &a.lhs_precision, &a.lhs_is_tf32) &&
              stream_precision(file, stream, &a.rhs_precision, &a.rhs_is_tf32) &&
              stream_precision(file, stream, &a.accumulation, &a.accumulation_is_tf32);
    a.lhs_components = stream_svarint(stream);
    a.rhs_components = stream_svarint(stream);
    a.primitive_operations = stream_svarint(stream);
    a.allow_imprecise_accumulation = stream_byte(stream) != 0;
    if (!ok) return NULL;
    return attr_intern(
        file->reader->context, &(Attr){.kind = ATTR_DOT_ALGORITHM, .dot_algorithm = &a});
}

// StableHLO's own encoding has most of VHLO's parts under other codes.
const Attr *stablehlo_attr(Bytecode *file, ByteStream *stream, uint64_t code) {
    static const unsigned char vhlo_codes[] = {
        [2] = 3,   [3] = 4,   [6] = 7,   [8] = 11,  [9] = 12, [10] = 13,
        [12] = 16, [13] = 18, [14] = 10, [16] = 19, [17] = 20};
    switch (code) {
    case 1: {
        int64_t ints[2];
        ints[0] = stream_svarint(stream);
        ints[1] = stream_svarint(stream);
        return attr_intern(
            file->reader->context, &(Attr){.kind = ATTR_CHANNEL, .count = 2, .ints = ints});
    }
    case 4: return stream_dims(file, stream, ATTR_CONV_DIMS);
    case 5: return stream_dims(file, stream, ATTR_DOT_DIMS);
    case 7: return stream_dims(file, stream, ATTR_GATHER_DIMS);
    case 11: return stream_dims(file, stream, ATTR_SCATTER_DIMS);
    case 15: return stream_algorithm(file, stream);
    default:
        if (code >= sizeof vhlo_codes || vhlo_codes[code] == 0) return NULL;
        return vhlo_attr(file, stream, vhlo_codes[code]);
    }
}

const Type *stablehlo_type(Bytecode *file, ByteStream *stream, uint64_t code) {
    if (code == 0) return type_token(file->reader->context);
    return code == 1 ? stream_parts(file, stream, TYPE_FUTURE) : NULL;
}

// bytecode_native: ops and attributes of other dialects than VHLO in bytecode: StableHLO
// and CHLO themselves, func, sdy.
//
// MLIR writes the properties of such an op as a record of its attributes in the order of their
// names, those that may be absent with a flag.
#include "frontend/bytecode/bytecode_reader.h"
#include "frontend/mlir/syntax/dim_fields.h"
#include "ir/print/op_dict.h"

enum { MAX_RECORD = 16 }; // attributes of one op

// The attributes of the op's record, sorted by name.
static int native_attrs(OpCode code, const OpAttr *attrs[MAX_RECORD]) {
    int count = 0;
    for (const OpAttr *attr = op_code_attrs(code); attr->role; attr++) {
        int place = count++;
        StrView text = op_attr_item_text(attr);
        for (; place > 0 && strview_compare(op_attr_item_text(attrs[place - 1]), text) > 0; place--)
            attrs[place] = attrs[place - 1];
        attrs[place] = attr;
    }
    return count;
}

bool read_native_properties(Bytecode *file, ByteStream *record, const void *at, OpCode code) {
    Reader *reader = file->reader;
    const OpAttr *attrs[MAX_RECORD];
    int count = native_attrs(code, attrs);
    for (int i = 0; i < count; i++) {
        ReadAttr attr = {
            context_name(reader->context, op_attr_item_text(attrs[i])), NULL, bytecode_token(at)};
        bool ok = true;
        if (attrs[i]->is_optional && stream_at_end(record)) break; // of an older version
        if (attrs[i]->is_optional) {
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

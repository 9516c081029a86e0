// bytecode_type_reader: the builtin dialect's types in MLIR bytecode, and the
// parts that VHLO's types have alike.
#include "frontend/bytecode/bytecode_reader.h"

const Type *named_type(Bytecode *file, const char *text) {
    Context *context = file->reader->context;
    Type type = {.kind = TYPE_OPAQUE, .encoding = context_name(context, strview(text))};
    return type_intern(context, &type);
}

const Type *stream_function(Bytecode *file, ByteStream *stream) {
    Reader *reader = file->reader;
    int64_t base = reader->types.count;
    if (!stream_types(file, stream)) return NULL;
    int inputs = (int)(reader->types.count - base);
    if (!stream_types(file, stream)) return NULL;
    int results = (int)(reader->types.count - base) - inputs;
    reader->types.count = base;
    const Type *const *types = reader->types.data ? reader->types.data + base : NULL;
    return type_function(reader->context, inputs, types, results, types ? types + inputs : NULL);
}

const Type *stream_parts(Bytecode *file, ByteStream *stream, TypeKind kind) {
    Reader *reader = file->reader;
    int64_t base = reader->types.count;
    if (!stream_types(file, stream)) return NULL;
    return reader_type_of_parts(reader, kind, base);
}

static bool type_unsupported(Bytecode *file, const void *at, const char *what) {
    Token token = bytecode_token(at);
    return reader_unsupported(file->reader, &token, "%s", what);
}

const Type *stream_complex(Bytecode *file, ByteStream *stream) {
    const unsigned char *at = stream->at;
    const Type *part = stream_type(file, stream);
    if (!part) return NULL;
    bool ok = part->kind == TYPE_ELEMENT && !part->quant &&
              (part->element == ELEMENT_F32 || part->element == ELEMENT_F64);
    if (!ok) {
        (void)bytecode_error(file, at, "invalid element type for complex");
        return NULL;
    }
    return type_element(
        file->reader->context, part->element == ELEMENT_F32 ? ELEMENT_C64 : ELEMENT_C128);
}

// The encoding's bounds, or its text.
static bool set_encoding(
    Bytecode *file, const BytecodeEntry *encoding, const Attr *attr, Type *tensor) {
    bool is_bounds = false;
    if (!type_bounds(file, encoding, tensor, &is_bounds)) return false;
    if (is_bounds) return true;
    StrBuf text = strbuf(file->reader->scratch);
    attr_print(&text, attr);
    tensor->encoding = context_name(file->reader->context, strbuf_view(&text));
    return true;
}

// The shape: pushed sizes to the type's dimensions.
static bool take_dims(Bytecode *file, ByteStream *stream, Type *tensor) {
    Reader *reader = file->reader;
    const unsigned char *at = stream->at;
    int64_t base = reader->ints.count;
    if (!stream_ints(file, stream)) return false;
    int64_t rank = reader->ints.count - base;
    reader->ints.count = base;
    if (rank > MAX_RANK) {
        Token token = bytecode_token(at);
        return reader_unsupported(
            reader, &token, "tensors of more than %d dimensions are not supported", MAX_RANK);
    }
    tensor->rank = (int)rank;
    for (int d = 0; d < tensor->rank; d++) {
        tensor->dims[d] = reader->ints.data[base + d];
        if (tensor->dims[d] < 0 && tensor->dims[d] != DIM_DYNAMIC)
            return bytecode_error(file, at, "invalid dimension");
    }
    return true;
}

// tensor: unranked, or with an encoding, as the caller says.
static const Type *tensor_of(Bytecode *file, ByteStream *stream, Type *tensor) {
    const unsigned char *at = stream->at;
    const Type *element = stream_type(file, stream);
    if (!element) return NULL;
    if (element->kind != TYPE_ELEMENT) {
        (void)type_unsupported(file, at, "this element type of a tensor is not supported");
        return NULL;
    }
    tensor->kind = TYPE_TENSOR;
    tensor->element = element->element;
    tensor->quant = element->quant;
    Token token = bytecode_token(at);
    return finish_tensor(file->reader, &token, tensor);
}

const Type *stream_tensor(Bytecode *file, ByteStream *stream, Type *tensor) {
    return take_dims(file, stream, tensor) ? tensor_of(file, stream, tensor) : NULL;
}

const Type *stream_encoded_tensor(Bytecode *file, ByteStream *stream) {
    ByteStream ahead = *stream;
    const BytecodeEntry *encoding = stream_entry(file, &ahead, false);
    const Attr *attr = encoding ? stream_attr(file, stream) : NULL;
    Type tensor = {.kind = TYPE_TENSOR};
    if (!attr || !take_dims(file, stream, &tensor)) return NULL;
    if (!set_encoding(file, encoding, attr, &tensor)) return NULL;
    return tensor_of(file, stream, &tensor);
}

const Type *stream_unranked(Bytecode *file, ByteStream *stream) {
    return tensor_of(file, stream, &(Type){.kind = TYPE_TENSOR, .unranked = true});
}

// memref<2x?xf32>
const Type *stream_memref(Bytecode *file, ByteStream *stream) {
    Type shape = {.kind = TYPE_TENSOR};
    if (!take_dims(file, stream, &shape)) return NULL;
    const Type *element = stream_type(file, stream);
    if (!element) return NULL;
    StrBuf text = strbuf(file->reader->scratch);
    strbuf_puts(&text, "memref<");
    for (int d = 0; d < shape.rank; d++) {
        if (shape.dims[d] == DIM_DYNAMIC) {
            strbuf_puts(&text, "?x");
        } else {
            strbuf_printf(&text, "%lldx", (long long)shape.dims[d]);
        }
    }
    type_print(&text, element);
    strbuf_putc(&text, '>');
    return named_type(file, strbuf_cstring(&text));
}

static const Type *builtin_integer(Bytecode *file, ByteStream *stream) {
    static const ElementType plain[] = {ELEMENT_I1,  ELEMENT_I2,  ELEMENT_I4, ELEMENT_I8,
                                        ELEMENT_I16, ELEMENT_I32, ELEMENT_I64};
    static const ElementType no_sign[] = {ELEMENT_UI2,  ELEMENT_UI4,  ELEMENT_UI8,
                                          ELEMENT_UI16, ELEMENT_UI32, ELEMENT_UI64};
    uint64_t number = stream_varint(stream);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0] && (number & 3) == 0; i++) {
        if ((uint64_t)element_bits(plain[i]) == number >> 2)
            return type_element(file->reader->context, plain[i]);
    }
    for (size_t i = 0; i < sizeof no_sign / sizeof no_sign[0] && (number & 3) == 2; i++) {
        if ((uint64_t)element_bits(no_sign[i]) == number >> 2)
            return type_element(file->reader->context, no_sign[i]);
    }
    return NULL;
}

const Type *builtin_type(Bytecode *file, ByteStream *stream, uint64_t code) {
    static const ElementType narrow[] = {
        ELEMENT_F8E5M2,     ELEMENT_F8E4M3,        ELEMENT_F8E4M3FN, ELEMENT_F8E5M2FNUZ,
        ELEMENT_F8E4M3FNUZ, ELEMENT_F8E4M3B11FNUZ, ELEMENT_F8E3M4,   ELEMENT_F4E2M1FN,
        ELEMENT_F6E2M3FN,   ELEMENT_F6E3M2FN,      ELEMENT_F8E8M0FNU};
    enum { FIRST_NARROW = 22 };
    Context *context = file->reader->context;
    if (code >= FIRST_NARROW && code - FIRST_NARROW < sizeof narrow / sizeof narrow[0])
        return type_element(context, narrow[code - FIRST_NARROW]);
    switch (code) {
    case 0: return builtin_integer(file, stream);
    case 1: return type_element(context, ELEMENT_INDEX);
    case 2: return stream_function(file, stream);
    case 3: return type_element(context, ELEMENT_BF16);
    case 4: return type_element(context, ELEMENT_F16);
    case 5: return type_element(context, ELEMENT_F32);
    case 6: return type_element(context, ELEMENT_F64);
    case 9: return stream_complex(file, stream);
    case 12: return type_none(context);
    case 13: return stream_tensor(file, stream, &(Type){.kind = TYPE_TENSOR});
    case 14: return stream_encoded_tensor(file, stream);
    case 15: return stream_parts(file, stream, TYPE_TUPLE);
    case 18: return stream_unranked(file, stream);
    case 21: return named_type(file, "tf32");
    default: return NULL;
    }
}

IntSpan stream_span(Bytecode *file, ByteStream *stream) {
    Reader *reader = file->reader;
    int64_t base = reader->ints.count;
    (void)stream_ints(file, stream);
    IntSpan ints = ints_from(reader, base);
    if (ints.count > 0)
        ints.data = arena_copy(reader->scratch, ints.data, (size_t)ints.count * sizeof *ints.data);
    reader->ints.count = base;
    return ints;
}

bool type_bounds(Bytecode *file, const BytecodeEntry *encoding, Type *tensor, bool *is_bounds) {
    ByteStream stream = byte_stream(encoding->bytes);
    uint64_t code = stream_varint(&stream);
    *is_bounds = encoding->is_custom &&
                 ((strview_is(encoding->dialect, "vhlo") && code == VHLO_BOUNDS) ||
                  (strview_is(encoding->dialect, "stablehlo") && code == STABLEHLO_BOUNDS));
    if (!*is_bounds) return true;
    IntSpan bounds = stream_span(file, &stream);
    if (bounds.count != tensor->rank)
        return bytecode_error(
            file, encoding->bytes.data,
            "Bounds length is %d, expected to be equal to rank(%d) of the tensor", bounds.count,
            tensor->rank);
    tensor->is_bounded = true;
    for (int d = 0; d < tensor->rank; d++) {
        tensor->bounds[d] = bounds.data[d] < 0 ? DIM_DYNAMIC : bounds.data[d];
        if (tensor->bounds[d] != DIM_DYNAMIC && tensor->dims[d] != DIM_DYNAMIC)
            return bytecode_error(
                file, encoding->bytes.data, "Static dimension %d cannot have a bound", d);
    }
    return true;
}

// bytecode_vhlo_reader: VHLO's attributes and types in MLIR bytecode, as what they are in
// StableHLO.
#include "frontend/bytecode/bytecode_reader.h"
#include "frontend/mlir/forms/forms.h"

// The element types and the keyword attributes, by code.
static bool vhlo_element(uint64_t code, ElementType *element) {
    static const struct {
        unsigned code;
        ElementType element;
    } rows[] = {
#define VHLO_ELEMENT(code, element, since) {code, ELEMENT_##element},
#include "frontend/bytecode/vhlo_types.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code != code) continue;
        *element = rows[i].element;
        return true;
    }
    return false;
}

static const Attr *vhlo_keyword(Bytecode *file, ByteStream *stream, uint64_t code) {
    static const struct {
        unsigned code, first;
        EnumKind kind;
    } rows[] = {
#define VHLO_ENUM(code, kind, first) {code, first, ENUM_##kind},
#include "frontend/bytecode/vhlo_types.def"
    };
    const unsigned char *at = stream->at;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code != code) continue;
        uint64_t value = stream_varint(stream) - rows[i].first;
        if (value < 16 && enum_keyword(rows[i].kind, (int)value).size > 0)
            return attr_enum(file->reader->context, rows[i].kind, (int)value);
        (void)bytecode_error(
            file, at, "a keyword of %.*s has a number that is not known",
            SV_ARG(enum_mnemonic(rows[i].kind)));
        return NULL;
    }
    return NULL;
}

static const Attr *stream_alias(Bytecode *file, ByteStream *stream) {
    OperandAlias alias = {0};
    alias.output_tuple_indices = stream_span(file, stream);
    alias.operand_index = stream_svarint(stream);
    alias.operand_tuple_indices = stream_span(file, stream);
    return attr_intern(file->reader->context, &(Attr){.kind = ATTR_ALIAS, .alias = &alias});
}

static double stream_double(ByteStream *stream) {
    return float_decode(&float_format_f64, stream_bits(stream, 64));
}

static const Attr *stream_accuracy(Bytecode *file, ByteStream *stream) {
    ResultAccuracy accuracy = {0};
    Token at = bytecode_token(stream->at);
    accuracy.atol = stream_double(stream);
    accuracy.rtol = stream_double(stream);
    accuracy.ulps = stream_svarint(stream);
    const Attr *mode = stream_attr(file, stream);
    if (!mode || mode->kind != ATTR_ENUM || mode->enum_kind != ENUM_RESULT_ACCURACY) return NULL;
    accuracy.mode = (int)mode->integer;
    return accuracy_attr(file->reader, &at, &accuracy);
}

static const Attr *text_attr(Bytecode *file, StrBuf *text) {
    Attr attr = {.kind = ATTR_OPAQUE, .text = strbuf_view(text)};
    return attr_intern(file->reader->context, &attr);
}

// Appends what stands in the list `[a, b]`.
// prefix: bytes of each that are left out
static bool append_list(StrBuf *text, const Attr *list, size_t prefix) {
    strbuf_putc(text, '[');
    if (list->kind != ATTR_ARRAY) return false;
    for (int i = 0; i < list->count; i++) {
        StrView item = list->items[i]->text;
        if (list->items[i]->kind != ATTR_OPAQUE || item.size < prefix) return false;
        if (i > 0) strbuf_puts(text, ", ");
        strbuf_append(text, (StrView){item.data + prefix, item.size - prefix});
    }
    strbuf_putc(text, ']');
    return true;
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
static const Attr *stream_axis(Bytecode *file, ByteStream *stream) {
    StrBuf text = strbuf(file->reader->scratch);
    const Attr *name = stream_string_attr(file, stream);
    if (!name) return NULL;
    strbuf_puts(&text, "#stablehlo.axis_ref<name = ");
    attr_print(&text, name);
    if (stream_varint(stream) != 0) {
        const Attr *part = stream_attr(file, stream);
        if (!part || part->kind != ATTR_OPAQUE) return NULL;
        strbuf_puts(&text, ", sub_axis_info = ");
        strbuf_append(&text, part->text);
    }
    strbuf_putc(&text, '>');
    return text_attr(file, &text);
}

// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>
static const Attr *stream_mesh_axes(Bytecode *file, ByteStream *stream) {
    StrBuf text = strbuf(file->reader->scratch);
    const Attr *mesh = stream_attr(file, stream);
    const Attr *axes = mesh ? stream_attr(file, stream) : NULL;
    if (!axes) return NULL;
    if (mesh->kind == ATTR_STRING) mesh = attr_symbol(file->reader->context, mesh->text);
    strbuf_puts(&text, "#stablehlo.replica_group_mesh_axes<mesh = ");
    attr_print(&text, mesh);
    strbuf_puts(&text, ", axes = ");
    if (!append_list(&text, axes, 0)) return NULL;
    strbuf_putc(&text, '>');
    return text_attr(file, &text);
}

// #stablehlo.mesh<axes=[<name = "x", size = 2>], device_ids=dense<...> : tensor<...>>
static const Attr *stream_mesh(Bytecode *file, ByteStream *stream) {
    StrBuf text = strbuf(file->reader->scratch);
    const Attr *ids = NULL;
    const Attr *axes = stream_attr(file, stream);
    if (!axes || !stream_optional_attr(file, stream, &ids)) return NULL;
    strbuf_puts(&text, "#stablehlo.mesh<axes=");
    if (!append_list(&text, axes, sizeof "#stablehlo.mesh_axis" - 1)) return NULL;
    if (ids) {
        strbuf_puts(&text, ", device_ids=");
        attr_print(&text, ids);
    }
    strbuf_putc(&text, '>');
    return text_attr(file, &text);
}

static const Attr *stream_mesh_axis(Bytecode *file, ByteStream *stream) {
    StrBuf text = strbuf(file->reader->scratch);
    const Attr *name = stream_string_attr(file, stream);
    if (!name) return NULL;
    strbuf_puts(&text, "#stablehlo.mesh_axis<name = ");
    attr_print(&text, name);
    strbuf_printf(&text, ", size = %lld>", (long long)stream_svarint(stream));
    return text_attr(file, &text);
}

// (1)2
static const Attr *stream_sub_axis(Bytecode *file, ByteStream *stream) {
    StrBuf text = strbuf(file->reader->scratch);
    int64_t pre_size = stream_svarint(stream);
    int64_t size = stream_svarint(stream);
    strbuf_printf(&text, "(%lld)%lld", (long long)pre_size, (long long)size);
    return text_attr(file, &text);
}

// #stablehlo.bounds<?, 4>, where it is no type's encoding
static const Attr *stream_bounds_text(Bytecode *file, ByteStream *stream) {
    StrBuf text = strbuf(file->reader->scratch);
    IntSpan bounds = stream_span(file, stream);
    strbuf_puts(&text, "#stablehlo.bounds<");
    for (int i = 0; i < bounds.count; i++) {
        strbuf_puts(&text, i ? ", " : "");
        if (bounds.data[i] == DIM_DYNAMIC) {
            strbuf_putc(&text, '?');
        } else {
            strbuf_printf(&text, "%lld", (long long)bounds.data[i]);
        }
    }
    strbuf_putc(&text, '>');
    return text_attr(file, &text);
}

const Attr *vhlo_attr(Bytecode *file, ByteStream *stream, uint64_t code) {
    Context *context = file->reader->context;
    switch (code) {
    case 1: return stream_array(file, stream);
    case 2: return attr_bool(context, stream_varint(stream) != 0);
    case 5: { // the API's version of a custom call
        uint64_t version = stream_varint(stream);
        return version <= 4 ? attr_int(context, (int64_t)version, ELEMENT_I32) : NULL;
    }
    case 6: return stream_dict(file, stream);
    case 8: return stream_number(file, stream, true);
    case 9: return stream_number(file, stream, false);
    case 10: return stream_alias(file, stream);
    case 14: return attr_string(context, stream_string(file, stream));
    case 15: return stream_elements(file, stream);
    case 17: {
        const Type *type = stream_type(file, stream);
        return type ? attr_type(context, type) : NULL;
    }
    case VHLO_BOUNDS: return stream_bounds_text(file, stream);
    case 20: return stream_accuracy(file, stream);
    case 21: return stream_sub_axis(file, stream);
    case 22: return stream_axis(file, stream);
    case 23: return stream_mesh_axes(file, stream);
    case 24: return stream_mesh_axis(file, stream);
    case 25: return stream_mesh(file, stream);
    default: return vhlo_keyword(file, stream, code);
    }
}

// The element types of a quantised type: storage and expressed.
static bool quant_elements(
    Bytecode *file, ByteStream *stream, bool is_signed, ElementType *storage, QuantParams *quant) {
    const unsigned char *at = stream->at;
    const Type *stored = stream_type(file, stream);
    const Type *expressed = stored ? stream_type(file, stream) : NULL;
    if (!expressed) return false;
    bool ok = stored->kind == TYPE_ELEMENT && element_is_integer(stored->element) &&
              stored->element != ELEMENT_INDEX && expressed->kind == TYPE_ELEMENT &&
              element_is_float(expressed->element);
    if (!ok)
        return bytecode_error(file, at, "illegal storage or expressed type of a quantized type");
    static const struct {
        ElementType is_signed, is_unsigned;
    } pairs[] = {
        {ELEMENT_I2, ELEMENT_UI2},
        {ELEMENT_I4, ELEMENT_UI4},
        {ELEMENT_I8, ELEMENT_UI8},
        {ELEMENT_I16, ELEMENT_UI16},
        {ELEMENT_I32, ELEMENT_UI32}};
    *storage = stored->element;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && !is_signed; i++) {
        if (pairs[i].is_signed == stored->element) *storage = pairs[i].is_unsigned;
    }
    quant->expressed = expressed->element;
    return true;
}

static bool quant_range(
    Bytecode *file, ByteStream *stream, ElementType storage, QuantParams *quant) {
    const unsigned char *at = stream->at;
    quant->storage_min = stream_svarint(stream);
    quant->storage_max = stream_svarint(stream);
    int bits = element_bits(storage);
    bool is_unsigned = element_class(storage) == CLASS_UINT;
    int64_t low = is_unsigned ? 0 : bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
    int value_bits = is_unsigned ? bits : bits - 1;
    int64_t high = value_bits >= 63 ? INT64_MAX : ((int64_t)1 << value_bits) - 1;
    if (quant->storage_min >= low && quant->storage_max <= high &&
        quant->storage_min <= quant->storage_max)
        return true;
    return bytecode_error(
        file, at, "illegal storage range %lld:%lld", (long long)quant->storage_min,
        (long long)quant->storage_max);
}

// One scale and zero point, or one per index of the quantised dimension.
static const Type *stream_quant(Bytecode *file, ByteStream *stream, bool is_per_axis) {
    Reader *reader = file->reader;
    const unsigned char *at = stream->at;
    QuantParams quant = {.axis = -1, .count = 1};
    Type type = {.kind = TYPE_ELEMENT, .quant = &quant};
    bool is_signed = (stream_varint(stream) & 1) != 0;
    if (!quant_elements(file, stream, is_signed, &type.element, &quant)) return NULL;
    double scale = 0;
    int64_t zero_point = 0;
    double *scales = &scale;
    int64_t *zero_points = &zero_point;
    if (!is_per_axis) {
        scale = stream_double(stream);
        zero_point = stream_svarint(stream);
        if (!quant_range(file, stream, type.element, &quant)) return NULL;
    } else {
        uint64_t axis = stream_varint(stream);
        if (axis >= MAX_RANK || !quant_range(file, stream, type.element, &quant)) return NULL;
        quant.axis = (int)axis;
        quant.count = stream_count(stream);
        scales = ARENA_ARRAY(reader->scratch, double, quant.count + 1);
        for (int i = 0; i < quant.count; i++)
            scales[i] = stream_double(stream);
        IntSpan points = stream_span(file, stream);
        if (points.count != quant.count || quant.count == 0) {
            (void)bytecode_error(
                file, at, "a quantized type has %d scales and %d zero points", quant.count,
                points.count);
            return NULL;
        }
        zero_points =
            arena_copy(reader->scratch, points.data, (size_t)points.count * sizeof(int64_t));
    }
    quant.scales = scales;
    quant.zero_points = zero_points;
    Token token = bytecode_token(at);
    if (stream->failed || !check_scales(reader, &token, &quant)) return NULL;
    return type_intern(reader->context, &type);
}

const Type *vhlo_type(Bytecode *file, ByteStream *stream, uint64_t code) {
    Context *context = file->reader->context;
    ElementType element;
    if (vhlo_element(code, &element)) return type_element(context, element);
    switch (code) {
    case 1: return stream_complex(file, stream);
    case 8: return stream_function(file, stream);
    case 20: return stream_tensor(file, stream, &(Type){.kind = TYPE_TENSOR});
    case 21: return stream_encoded_tensor(file, stream);
    case 22: return type_token(context);
    case 23: return stream_parts(file, stream, TYPE_TUPLE);
    case 24: return stream_quant(file, stream, false);
    case 25: return stream_unranked(file, stream);
    case 26: return named_type(file, "!shape.witness");
    case 30: return stream_quant(file, stream, true);
    case 33: return type_none(context);
    case 34: return named_type(file, "tf32");
    case 41: return stream_memref(file, stream);
    case 42: return stream_parts(file, stream, TYPE_FUTURE);
    default: return NULL;
    }
}

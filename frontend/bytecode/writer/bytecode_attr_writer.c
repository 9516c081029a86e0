// bytecode_attr_writer: attributes, types and locations of portable artifacts.
#include "frontend/bytecode/writer/bytecode_writer.h"
#include "ir/print/attr_print.h"

// The dialect of a piece of MLIR text: #sdy.sharding<..>, !stablehlo.token; builtin when it names
// none.
static StrView text_dialect(StrView text) {
    if (text.size == 0 || (text.data[0] != '#' && text.data[0] != '!')) return SV("builtin");
    size_t end = 1;
    while (end < text.size && text.data[end] != '.' && text.data[end] != '<')
        end++;
    return (StrView){text.data + 1, end - 1};
}

// --- builtin: strings and dictionaries, everything else as text ---

static uint64_t builtin_string(BytecodeWriter *writer, StrView text) {
    const Attr *attr = attr_string(writer->module->context, text);
    uint64_t number;
    if (writer_known_number(&writer->builtin_attrs, attr, &number)) return number;
    StrBuf bytes = writer_code(writer, 2);
    put_varint(&bytes, writer_string(writer, attr->text));
    number = writer_add_attr(writer, SV("builtin"), true, &bytes);
    ptr_map_set(&writer->builtin_attrs, attr, number_as_pointer(number));
    return number;
}

uint64_t builtin_attr_number(BytecodeWriter *writer, const Attr *attr) {
    if (attr->kind == ATTR_STRING) return builtin_string(writer, attr->text);
    uint64_t number;
    if (writer_known_number(&writer->builtin_attrs, attr, &number)) return number;
    StrBuf text = strbuf(writer->arena);
    attr_print(&text, attr);
    strbuf_putc(&text, 0);
    StrView dialect = text_dialect(strbuf_view(&text));
    number = writer_add_attr(writer, dialect, false, &text);
    ptr_map_set(&writer->builtin_attrs, attr, number_as_pointer(number));
    return number;
}

uint64_t builtin_type_number(BytecodeWriter *writer, const Type *type) {
    uint64_t number;
    if (writer_known_number(&writer->builtin_types, type, &number)) return number;
    StrBuf text = strbuf(writer->arena);
    type_print(&text, type);
    strbuf_putc(&text, 0);
    number = writer_add_type(writer, text_dialect(strbuf_view(&text)), false, &text);
    ptr_map_set(&writer->builtin_types, type, number_as_pointer(number));
    return number;
}

uint64_t dict_number(BytecodeWriter *writer, const OpDict *dict, bool is_vhlo) {
    uint64_t *numbers = ARENA_ARRAY(writer->arena, uint64_t, 2 * (int64_t)dict->count);
    for (int i = 0; i < dict->count; i++) {
        numbers[2 * i] = builtin_string(writer, dict->names[i]);
        numbers[2 * i + 1] = is_vhlo ? vhlo_attr_number(writer, dict->items[i])
                                     : builtin_attr_number(writer, dict->items[i]);
    }
    StrBuf bytes = writer_code(writer, 1);
    put_varint(&bytes, (uint64_t)dict->count);
    for (int i = 0; i < 2 * dict->count; i++)
        put_varint(&bytes, numbers[i]);
    return writer_add_attr(writer, SV("builtin"), true, &bytes);
}

// --- locations ---

static uint64_t add_loc(BytecodeWriter *writer, const StrBuf *bytes) {
    return writer_add_once(writer, &writer->loc_bytes, SV("builtin"), bytes);
}

uint64_t loc_number_of(BytecodeWriter *writer, const Loc *loc) {
    const LocTexts *texts = loc_texts(loc);
    StrBuf bytes = writer_code(writer, 15); // unknown
    if (texts->model_file.size > 0) {
        bytes = writer_code(writer, 11);
        put_varint(&bytes, builtin_string(writer, texts->model_file));
        put_varint(&bytes, (uint64_t)texts->model_line);
        put_varint(&bytes, (uint64_t)texts->model_column);
    }
    uint64_t number = add_loc(writer, &bytes);
    if (texts->name.size == 0) return number;
    StrBuf named = writer_code(writer, 14);
    put_varint(&named, builtin_string(writer, texts->name));
    put_varint(&named, number);
    return add_loc(writer, &named);
}

// --- VHLO's attributes ---

static bool keyword_code(EnumKind kind, unsigned *code, unsigned *first) {
    static const struct {
        unsigned code, first;
        EnumKind kind;
    } rows[] = {
#define VHLO_ENUM(code, kind, first) {code, first, ENUM_##kind},
#include "frontend/bytecode/vhlo_types.def"
        {5, 0, ENUM_CUSTOM_CALL_API},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind != kind) continue;
        *code = rows[i].code;
        *first = rows[i].first;
        return true;
    }
    return false;
}

static void put_span(StrBuf *out, IntSpan span) {
    put_varint(out, (uint64_t)span.count);
    for (int i = 0; i < span.count; i++)
        put_svarint(out, span.data[i]);
}

static void put_double(StrBuf *out, double number) {
    put_bits(out, float_encode(&float_format_f64, number), 64);
}

// Equal elements are written once; booleans have eight to a byte.
static void put_elements(StrBuf *out, const Attr *attr) {
    const char *data = attr->data;
    size_t element = element_bytes(attr->type->element);
    int64_t total = type_element_count(attr->type);
    bool is_uniform = total > 1 && (attr->is_splat ||
                                    memcmp(data, data + element, attr->data_size - element) == 0);
    int64_t count = is_uniform ? 1 : attr->is_splat && total > 0 ? 1 : total;
    if (attr->type->element != ELEMENT_I1) {
        put_varint(out, (uint64_t)count * element);
        strbuf_append(out, (StrView){data, (size_t)count * element});
        return;
    }
    put_varint(out, ((uint64_t)count + 7) / 8);
    for (int64_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (int64_t k = i; k < count && k < i + 8; k++)
            byte |= (unsigned)(data[k] != 0) << (k - i);
        strbuf_putc(out, (char)(is_uniform && byte ? 0xFF : byte));
    }
}

// A list of numbers as a tensor of rank 1.
static const Attr *list_tensor(const BytecodeWriter *writer, const Attr *list) {
    Context *context = writer->module->context;
    bool is_bool = list->type && list->type->element == ELEMENT_I1;
    int64_t count = list->count;
    const Type *type = type_tensor(context, is_bool ? ELEMENT_I1 : ELEMENT_I64, 1, &count);
    if (!is_bool)
        return attr_elements(context, type, false, list->ints, (size_t)count * sizeof(int64_t));
    char *bytes = ARENA_ARRAY(writer->arena, char, count + 1);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = list->ints[i] != 0;
    return attr_elements(context, type, false, bytes, (size_t)count);
}

static void put_attrs(BytecodeWriter *writer, StrBuf *out, const Attr *list) {
    put_varint(out, (uint64_t)list->count);
    for (int i = 0; i < list->count; i++) {
        if (list->kind == ATTR_DICT) {
            const Attr *name = attr_string(writer->module->context, list->names[i]);
            put_varint(out, vhlo_attr_number(writer, name));
        }
        put_varint(out, vhlo_attr_number(writer, list->items[i]));
    }
}

static void put_tensor(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    put_varint(out, 15);
    put_varint(out, vhlo_type_number(writer, attr->type));
    put_elements(out, attr);
}

static void put_accuracy(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    put_varint(out, 20);
    const ResultAccuracy *accuracy = attr->accuracy;
    put_double(out, accuracy->atol);
    put_double(out, accuracy->rtol);
    put_svarint(out, accuracy->ulps);
    const Attr *mode = attr_enum(writer->module->context, ENUM_RESULT_ACCURACY, accuracy->mode);
    put_varint(out, vhlo_attr_number(writer, mode));
}

static void put_list(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    put_varint(out, attr->kind == ATTR_DICT ? 6 : 1);
    put_attrs(writer, out, attr);
}

static void put_bool(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    (void)writer;
    put_varint(out, 2);
    put_varint(out, (uint64_t)attr->integer);
}

static void put_scalar(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    ElementType element = attr->type ? attr->type->element : ELEMENT_I64;
    bool is_float = attr->kind == ATTR_FLOAT;
    uint64_t bits = is_float ? float_encode(element_float_format(element), attr->number)
                             : (uint64_t)attr->integer;
    int width = element_bits(element);
    put_varint(out, is_float ? 8 : 9);
    put_varint(out, vhlo_type_number(writer, type_element(writer->module->context, element)));
    put_bits(out, width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits, width);
}

static void put_alias(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    (void)writer;
    put_varint(out, 10);
    put_span(out, attr->alias->output_tuple_indices);
    put_svarint(out, attr->alias->operand_index);
    put_span(out, attr->alias->operand_tuple_indices);
}

static void put_text(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    put_varint(out, 14);
    put_varint(out, writer_string(writer, attr->text));
}

static void put_list_tensor(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    put_tensor(writer, out, list_tensor(writer, attr));
}

static void put_type(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    put_varint(out, 17);
    put_varint(out, vhlo_type_number(writer, attr->type));
}

typedef void PutAttrFn(BytecodeWriter *writer, StrBuf *out, const Attr *attr);

static PutAttrFn *const put_attr[ATTR_OPAQUE + 1] = {
    [ATTR_ARRAY] = put_list,      [ATTR_DICT] = put_list,   [ATTR_BOOL] = put_bool,
    [ATTR_FLOAT] = put_scalar,    [ATTR_INT] = put_scalar,  [ATTR_ALIAS] = put_alias,
    [ATTR_STRING] = put_text,     [ATTR_SYMBOL] = put_text, [ATTR_INTS] = put_list_tensor,
    [ATTR_ELEMENTS] = put_tensor, [ATTR_TYPE] = put_type,   [ATTR_ACCURACY] = put_accuracy,
};

// The attribute in VHLO's encoding; false when VHLO has none for it.
static bool put_vhlo_attr(BytecodeWriter *writer, StrBuf *out, const Attr *attr) {
    unsigned code, first;
    if (attr->kind == ATTR_ENUM) {
        if (!keyword_code(attr->enum_kind, &code, &first)) return false;
        put_varint(out, code);
        put_varint(out, (uint64_t)attr->integer + first);
        return true;
    }
    if (!put_attr[attr->kind]) return false;
    put_attr[attr->kind](writer, out, attr);
    return true;
}

uint64_t vhlo_attr_number(BytecodeWriter *writer, const Attr *attr) {
    uint64_t number;
    if (writer_known_number(&writer->vhlo_attrs, attr, &number)) return number;
    StrBuf bytes = strbuf(writer->arena);
    if (put_vhlo_attr(writer, &bytes, attr)) {
        number = writer_add_once(writer, &writer->vhlo_bytes, SV("vhlo"), &bytes);
    } else if (attr->kind == ATTR_UNIT) {
        bytes = writer_code(writer, 7);
        number = writer_add_attr(writer, SV("builtin"), true, &bytes);
    } else if (!vhlo_mesh_axes(writer, attr, &number)) {
        number = builtin_attr_number(writer, attr);
    }
    ptr_map_set(&writer->vhlo_attrs, attr, number_as_pointer(number));
    return number;
}

// --- VHLO's types ---

static bool element_code(ElementType element, unsigned *code, int *since) {
    static const struct {
        ElementType element;
        unsigned code;
        int since;
    } rows[] = {
#define VHLO_ELEMENT(code, element, since) {ELEMENT_##element, code, since},
#include "frontend/bytecode/vhlo_types.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].element != element) continue;
        *code = rows[i].code;
        *since = rows[i].since;
        return true;
    }
    return false;
}

static void put_types(BytecodeWriter *writer, StrBuf *out, const Type *const *types, int count) {
    put_varint(out, (uint64_t)count);
    for (int i = 0; i < count; i++)
        put_varint(out, vhlo_type_number(writer, types[i]));
}

// The storage type is signless in VHLO; a flag says whether it is signed.
static void put_quant(BytecodeWriter *writer, StrBuf *out, const Type *type) {
    static const struct {
        ElementType is_unsigned, plain;
    } pairs[] = {
        {ELEMENT_UI2, ELEMENT_I2},
        {ELEMENT_UI4, ELEMENT_I4},
        {ELEMENT_UI8, ELEMENT_I8},
        {ELEMENT_UI16, ELEMENT_I16},
        {ELEMENT_UI32, ELEMENT_I32}};
    Context *context = writer->module->context;
    const QuantParams *quant = type->quant;
    ElementType storage = type->element;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].is_unsigned == type->element) storage = pairs[i].plain;
    }
    bool is_per_axis = quant->axis >= 0;
    if (is_per_axis && writer->target < 18)
        writer_failed(writer, "types that are quantized per axis are of version 0.18.0");
    put_varint(out, is_per_axis ? 30 : 24);
    put_varint(out, element_class(type->element) == CLASS_SINT);
    put_varint(out, vhlo_type_number(writer, type_element(context, storage)));
    put_varint(out, vhlo_type_number(writer, type_element(context, quant->expressed)));
    if (is_per_axis) {
        put_varint(out, (uint64_t)quant->axis);
    } else {
        put_double(out, quant->scales[0]);
        put_svarint(out, quant->zero_points[0]);
    }
    put_svarint(out, quant->storage_min);
    put_svarint(out, quant->storage_max);
    if (!is_per_axis) return;
    put_varint(out, (uint64_t)quant->count);
    for (int i = 0; i < quant->count; i++)
        put_double(out, quant->scales[i]);
    put_span(out, (IntSpan){quant->zero_points, quant->count});
}

// f32, complex<f32>, !quant.uniform<...>
static void put_element(BytecodeWriter *writer, StrBuf *out, const Type *type) {
    unsigned code = 0;
    int since = 0;
    if (type->quant) {
        put_quant(writer, out, type);
    } else if (element_class(type->element) == CLASS_COMPLEX) {
        const Type *part = type_element(writer->module->context, element_real_part(type->element));
        put_varint(out, 1);
        put_varint(out, vhlo_type_number(writer, part));
    } else if (element_code(type->element, &code, &since)) {
        if (since > writer->target) {
            StrView text = element_text(type->element);
            writer_failed(
                writer, "the element type %.*s is of version %d.%d.0", SV_ARG(text), since / 1000,
                since % 1000);
        }
        put_varint(out, code);
    }
}

// The number of the attribute that holds a tensor's encoding.
static uint64_t encoding_number(BytecodeWriter *writer, const Type *type) {
    if (!type->is_bounded) {
        Attr attr = {.kind = ATTR_OPAQUE, .text = type->encoding};
        return builtin_attr_number(writer, attr_intern(writer->module->context, &attr));
    }
    StrBuf bytes = writer_code(writer, 18);
    put_span(&bytes, (IntSpan){type->bounds, type->rank});
    return writer_add_attr(writer, SV("vhlo"), true, &bytes);
}

static void put_tensor_type(BytecodeWriter *writer, StrBuf *out, const Type *type) {
    const Type element = {.kind = TYPE_ELEMENT, .element = type->element, .quant = type->quant};
    uint64_t part = vhlo_type_number(writer, type_intern(writer->module->context, &element));
    bool has_encoding = type->is_bounded || type->encoding.size > 0;
    if (type->unranked) {
        put_varint(out, 25);
    } else {
        uint64_t encoding = has_encoding ? encoding_number(writer, type) : 0;
        put_varint(out, has_encoding ? 21 : 20);
        if (has_encoding) put_varint(out, encoding);
        put_span(out, (IntSpan){type->dims, type->rank});
    }
    put_varint(out, part);
}

static void put_vhlo_type(BytecodeWriter *writer, StrBuf *out, const Type *type) {
    switch (type->kind) {
    case TYPE_TENSOR: put_tensor_type(writer, out, type); return;
    case TYPE_TUPLE:
    case TYPE_FUTURE:
        put_varint(out, type->kind == TYPE_TUPLE ? 23 : 42);
        put_types(writer, out, type->parts, type->part_count);
        return;
    case TYPE_TOKEN: put_varint(out, 22); return;
    case TYPE_FUNCTION:
        put_varint(out, 8);
        put_types(writer, out, type->parts, type->input_count);
        put_types(
            writer, out, type->parts + type->input_count, type->part_count - type->input_count);
        return;
    case TYPE_NONE: put_varint(out, 33); return;
    case TYPE_ELEMENT: put_element(writer, out, type); return;
    case TYPE_OPAQUE: put_varint(out, 34); return; // tf32; others are text
    }
}

// memref<2xf32>: a buffer of VHLO.
static bool put_buffer(BytecodeWriter *writer, StrBuf *out, const Type *type) {
    StrView prefix = SV("memref");
    if (!strview_starts_with(type->encoding, prefix)) return false;
    StrBuf text = strbuf(writer->arena);
    strbuf_puts(&text, "tensor");
    strbuf_append(
        &text, (StrView){type->encoding.data + prefix.size, type->encoding.size - prefix.size});
    Module *scratch = module_create(writer->module->context, writer->arena);
    const Type *tensor =
        frontend_read_type(scratch, writer->arena, strbuf_view(&text), diags_create(writer->arena));
    bool is_plain = tensor && tensor->kind == TYPE_TENSOR && !tensor->unranked &&
                    !tensor->is_bounded && tensor->encoding.size == 0;
    if (!is_plain) return false;
    const Type element = {.kind = TYPE_ELEMENT, .element = tensor->element};
    uint64_t part = vhlo_type_number(writer, type_intern(writer->module->context, &element));
    put_varint(out, 41);
    put_span(out, (IntSpan){tensor->dims, tensor->rank});
    put_varint(out, part);
    return true;
}

uint64_t vhlo_type_number(BytecodeWriter *writer, const Type *type) {
    uint64_t number;
    if (writer_known_number(&writer->vhlo_types, type, &number)) return number;
    StrBuf bytes = strbuf(writer->arena);
    bool is_text = type->kind == TYPE_OPAQUE && !strview_is(type->encoding, "tf32") &&
                   !put_buffer(writer, &bytes, type);
    if (is_text) {
        number = builtin_type_number(writer, type);
    } else {
        if (bytes.size == 0) put_vhlo_type(writer, &bytes, type);
        number = writer_add_type(writer, SV("vhlo"), true, &bytes);
    }
    ptr_map_set(&writer->vhlo_types, type, number_as_pointer(number));
    return number;
}

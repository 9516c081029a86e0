// Types: the table of element types, interning, printing.
#include "ir/type.h"

#include "ir/context.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ElementInfo {
    const char *text;
    ElementClass element_class;
    int bits;
    size_t bytes;
} ElementInfo;

static const ElementInfo element_infos[ELEMENT_COUNT] = {
#define TYPE(name, text, class, bits, storage_bytes) \
    [ELEMENT_##name] = {text, CLASS_##class, bits, storage_bytes},
#include "ir/types.def"
};

ElementClass element_class(ElementType element) { return element_infos[element].element_class; }
int element_bits(ElementType element) { return element_infos[element].bits; }
size_t element_bytes(ElementType element) { return element_infos[element].bytes; }
StrView element_text(ElementType element) { return strview(element_infos[element].text); }
bool element_is_float(ElementType element) { return element_class(element) == CLASS_FLOAT; }

bool element_from_text(StrView text, ElementType *element) {
    for (int i = 0; i < ELEMENT_COUNT; i++) {
        if (strview_is(text, element_infos[i].text)) {
            *element = (ElementType)i;
            return true;
        }
    }
    return false;
}

const FloatFormat *element_float_format(ElementType element) {
    switch (element) {
    case ELEMENT_F4E2M1FN: return &float_format_f4e2m1fn;
    case ELEMENT_F6E2M3FN: return &float_format_f6e2m3fn;
    case ELEMENT_F6E3M2FN: return &float_format_f6e3m2fn;
    case ELEMENT_F8E3M4: return &float_format_f8e3m4;
    case ELEMENT_F8E4M3: return &float_format_f8e4m3;
    case ELEMENT_F8E4M3FN: return &float_format_f8e4m3fn;
    case ELEMENT_F8E4M3FNUZ: return &float_format_f8e4m3fnuz;
    case ELEMENT_F8E4M3B11FNUZ: return &float_format_f8e4m3b11fnuz;
    case ELEMENT_F8E5M2: return &float_format_f8e5m2;
    case ELEMENT_F8E5M2FNUZ: return &float_format_f8e5m2fnuz;
    case ELEMENT_F8E8M0FNU: return &float_format_f8e8m0fnu;
    case ELEMENT_BF16: return &float_format_bf16;
    case ELEMENT_F16: return &float_format_f16;
    case ELEMENT_F32: return &float_format_f32;
    case ELEMENT_F64: return &float_format_f64;
    case ELEMENT_I1:
    case ELEMENT_I2:
    case ELEMENT_I4:
    case ELEMENT_I8:
    case ELEMENT_I16:
    case ELEMENT_I32:
    case ELEMENT_I64:
    case ELEMENT_UI2:
    case ELEMENT_UI4:
    case ELEMENT_UI8:
    case ELEMENT_UI16:
    case ELEMENT_UI32:
    case ELEMENT_UI64:
    case ELEMENT_C64:
    case ELEMENT_C128:
    case ELEMENT_INDEX:
    case ELEMENT_COUNT: return NULL;
    }
    return NULL;
}

bool element_is_integer(ElementType element) {
    ElementClass class = element_class(element);
    return class == CLASS_SINT || class == CLASS_UINT;
}

ElementType element_real_part(ElementType element) {
    if (element == ELEMENT_C64) return ELEMENT_F32;
    if (element == ELEMENT_C128) return ELEMENT_F64;
    return element;
}

static void write_quant_key(Context *context, const QuantParams *quant) {
    context_key_int(context, quant ? 1 : 0);
    if (!quant) return;
    context_key_int(context, quant->expressed);
    context_key_int(context, quant->storage_min);
    context_key_int(context, quant->storage_max);
    context_key_int(context, quant->axis);
    context_key_bytes(context, quant->scales, (size_t)quant->count * sizeof(double));
    context_key_bytes(context, quant->zero_points, (size_t)quant->count * sizeof(int64_t));
}

static void write_type_key(Context *context, const void *object) {
    const Type *type = object;
    context_key_int(context, type->kind);
    context_key_int(context, type->element);
    context_key_int(context, type->unranked);
    context_key_bytes(context, type->dims, (size_t)type->rank * sizeof(int64_t));
    context_key_int(context, type->is_bounded);
    if (type->is_bounded)
        context_key_bytes(context, type->bounds, (size_t)type->rank * sizeof(int64_t));
    write_quant_key(context, type->quant);
    context_key_int(context, type->input_count);
    context_key_int(context, type->part_count);
    for (int i = 0; i < type->part_count; i++)
        context_key_pointer(context, type->parts[i]);
    context_key_bytes(context, type->encoding.data, type->encoding.size);
}

static const QuantParams *copy_quant(Arena *arena, const QuantParams *quant) {
    if (!quant) return NULL;
    QuantParams *copy = arena_copy(arena, quant, sizeof *quant);
    copy->scales = arena_copy(arena, quant->scales, (size_t)quant->count * sizeof(double));
    copy->zero_points =
        arena_copy(arena, quant->zero_points, (size_t)quant->count * sizeof(int64_t));
    return copy;
}

const Type *type_intern(Context *context, const Type *prototype) {
    assert(prototype->rank >= 0 && prototype->rank <= MAX_RANK);
    uint64_t hash;
    const Type *found = context_find(context, KEY_TYPE, write_type_key, prototype, &hash);
    if (found) return found;

    Type *type = ARENA_NEW(context->arena, Type);
    *type = *prototype;
    for (int d = type->rank; d < MAX_RANK; d++)
        type->dims[d] = 0;
    for (int d = type->is_bounded ? type->rank : 0; d < MAX_RANK; d++)
        type->bounds[d] = 0;
    type->quant = copy_quant(context->arena, prototype->quant);
    type->parts = NULL;
    if (type->part_count) {
        type->parts =
            arena_copy(context->arena, prototype->parts, (size_t)type->part_count * sizeof(Type *));
    }
    type->encoding = context_name(context, prototype->encoding);
    context_add(context, KEY_TYPE, hash, type);
    return type;
}

const Type *type_tensor(Context *context, ElementType element, int rank, const int64_t *dims) {
    Type type = {.kind = TYPE_TENSOR, .element = element, .rank = rank};
    for (int d = 0; d < rank && d < MAX_RANK; d++)
        type.dims[d] = dims[d];
    return type_intern(context, &type);
}

const Type *type_scalar(Context *context, ElementType element) {
    return type_tensor(context, element, 0, NULL);
}

const Type *type_token(Context *context) {
    return type_intern(context, &(Type){.kind = TYPE_TOKEN});
}

const Type *type_none(Context *context) { return type_intern(context, &(Type){.kind = TYPE_NONE}); }

const Type *type_element(Context *context, ElementType element) {
    return type_intern(context, &(Type){.kind = TYPE_ELEMENT, .element = element});
}

const Type *type_tuple(Context *context, int count, const Type *const *parts) {
    return type_intern(context, &(Type){.kind = TYPE_TUPLE, .part_count = count, .parts = parts});
}

const Type *type_function(
    Context *context, int input_count, const Type *const *inputs, int result_count,
    const Type *const *results) {
    // The key and the copy want one array; this one is small and lives in the context.
    const Type **parts = ARENA_ARRAY(context->arena, const Type *, input_count + result_count + 1);
    for (int i = 0; i < input_count; i++)
        parts[i] = inputs[i];
    for (int i = 0; i < result_count; i++)
        parts[input_count + i] = results[i];
    return type_intern(
        context, &(Type){
                     .kind = TYPE_FUNCTION,
                     .part_count = input_count + result_count,
                     .input_count = input_count,
                     .parts = parts});
}

const Type *type_with_element(Context *context, const Type *tensor, ElementType element) {
    if (tensor->element == element && !tensor->quant) return tensor;
    Type type = *tensor;
    type.element = element;
    type.quant = NULL;
    return type_intern(context, &type);
}

const Type *type_with_dims(Context *context, const Type *tensor, int rank, const int64_t *dims) {
    Type type = {.kind = TYPE_TENSOR, .element = tensor->element, .rank = rank};
    if (tensor->quant && tensor->quant->axis < 0) type.quant = tensor->quant;
    for (int d = 0; d < rank && d < MAX_RANK; d++)
        type.dims[d] = dims[d];
    return type_intern(context, &type);
}

bool type_is_static(const Type *type) {
    if (type->kind != TYPE_TENSOR || type->unranked) return false;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] < 0) return false;
    }
    return true;
}

int64_t type_element_count(const Type *type) {
    assert(type_is_static(type));
    int64_t count = 1;
    for (int d = 0; d < type->rank; d++)
        count *= type->dims[d];
    return count;
}

size_t type_bytes(const Type *type) {
    return (size_t)type_element_count(type) * element_bytes(type->element);
}

bool type_same_shape(const Type *a, const Type *b) {
    if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR) return false;
    if (a->unranked || b->unranked) return a->unranked == b->unranked;
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] != b->dims[d]) return false;
    }
    return true;
}

bool dims_same_but_ones(int rank, const int64_t *dims, int other_rank, const int64_t *other) {
    int i = 0, j = 0;
    while (true) {
        while (i < rank && dims[i] == 1)
            i++;
        while (j < other_rank && other[j] == 1)
            j++;
        if (i == rank || j == other_rank) return i == rank && j == other_rank;
        if (dims[i++] != other[j++]) return false;
    }
}

bool type_same_but_ones(const Type *a, const Type *b) {
    return dims_same_but_ones(a->rank, a->dims, b->rank, b->dims);
}

// MLIR's default range of a quantised storage type.
static void storage_range(ElementType storage, int64_t *min, int64_t *max) {
    int bits = element_bits(storage);
    if (element_class(storage) == CLASS_UINT) {
        *min = 0;
        *max = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    } else {
        *max = bits >= 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
        *min = -*max - 1;
    }
}

static void print_double(StrBuf *out, double number) {
    char text[40];
    snprintf(text, sizeof text, "%.6e", number);
    if (strtod(text, NULL) != number) snprintf(text, sizeof text, "%.17g", number);
    strbuf_puts(out, text);
}

static void print_scale(StrBuf *out, const QuantParams *quant, int i) {
    print_double(out, quant->scales[i]);
    if (quant->zero_points[i]) strbuf_printf(out, ":%lld", (long long)quant->zero_points[i]);
}

static void print_quant(StrBuf *out, ElementType storage, const QuantParams *quant) {
    strbuf_puts(out, "!quant.uniform<");
    StrView text = element_text(storage);
    if (element_class(storage) == CLASS_UINT) { // MLIR writes u8, not ui8
        strbuf_printf(out, "u%.*s", (int)text.size - 2, text.data + 2);
    } else {
        strbuf_append(out, text);
    }
    int64_t min, max;
    storage_range(storage, &min, &max);
    if (!element_is_float(storage) && (quant->storage_min != min || quant->storage_max != max)) {
        strbuf_printf(
            out, "<%lld:%lld>", (long long)quant->storage_min, (long long)quant->storage_max);
    }
    strbuf_putc(out, ':');
    strbuf_append(out, element_text(quant->expressed));
    if (quant->axis < 0) {
        strbuf_puts(out, ", ");
        print_scale(out, quant, 0);
    } else {
        strbuf_printf(out, ":%d, {", quant->axis);
        for (int i = 0; i < quant->count; i++) {
            if (i) strbuf_putc(out, ',');
            print_scale(out, quant, i);
        }
        strbuf_putc(out, '}');
    }
    strbuf_putc(out, '>');
}

static void print_dim(StrBuf *out, int64_t dim) {
    if (dim == DIM_DYNAMIC) {
        strbuf_putc(out, '?');
    } else {
        strbuf_printf(out, "%lld", (long long)dim);
    }
}

static void print_tensor(StrBuf *out, const Type *type) {
    strbuf_puts(out, "tensor<");
    if (type->unranked) strbuf_puts(out, "*x");
    for (int d = 0; d < type->rank; d++) {
        print_dim(out, type->dims[d]);
        strbuf_putc(out, 'x');
    }
    if (type->quant) {
        print_quant(out, type->element, type->quant);
    } else {
        strbuf_append(out, element_text(type->element));
    }
    if (type->is_bounded) {
        strbuf_puts(out, ", #stablehlo.bounds<");
        for (int d = 0; d < type->rank; d++) {
            if (d) strbuf_puts(out, ", ");
            print_dim(out, type->bounds[d]);
        }
        strbuf_putc(out, '>');
    } else if (type->encoding.size) {
        strbuf_puts(out, ", ");
        strbuf_append(out, type->encoding);
    }
    strbuf_putc(out, '>');
}

static void print_types(StrBuf *out, int count, const Type *const *types) {
    for (int i = 0; i < count; i++) {
        if (i) strbuf_puts(out, ", ");
        type_print(out, types[i]);
    }
}

static void print_function(StrBuf *out, const Type *type) {
    strbuf_putc(out, '(');
    print_types(out, type->input_count, type->parts);
    strbuf_puts(out, ") -> ");
    int result_count = type->part_count - type->input_count;
    const Type *const *results = result_count > 0 ? type->parts + type->input_count : NULL;
    bool bare = result_count == 1 && results[0]->kind != TYPE_FUNCTION;
    if (!bare) strbuf_putc(out, '(');
    print_types(out, result_count, results);
    if (!bare) strbuf_putc(out, ')');
}

void type_print(StrBuf *out, const Type *type) {
    switch (type->kind) {
    case TYPE_TENSOR: print_tensor(out, type); break;
    case TYPE_TUPLE:
        strbuf_puts(out, "tuple<");
        print_types(out, type->part_count, type->parts);
        strbuf_putc(out, '>');
        break;
    case TYPE_TOKEN: strbuf_puts(out, "!stablehlo.token"); break;
    case TYPE_FUTURE:
        strbuf_puts(out, "!stablehlo.future<");
        print_types(out, type->part_count, type->parts);
        strbuf_putc(out, '>');
        break;
    case TYPE_FUNCTION: print_function(out, type); break;
    case TYPE_NONE: strbuf_puts(out, "none"); break;
    case TYPE_ELEMENT: strbuf_append(out, element_text(type->element)); break;
    case TYPE_OPAQUE: strbuf_append(out, type->encoding); break;
    }
}

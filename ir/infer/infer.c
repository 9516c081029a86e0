// Shared pieces of the infer functions: messages, compatibility, attributes.
#include "ir/infer/infer.h"

#include <stdarg.h>

void infer_report(Infer *infer, const Op *op, const char *format, ...) {
    StrBuf message = strbuf(infer->diags->arena);
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&message, format, arguments);
    va_end(arguments);
    diag_error(infer->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), strbuf_cstring(&message));
}

const char *infer_type_text(Infer *infer, const Type *type) {
    StrBuf text = strbuf(infer->diags->arena);
    type_print(&text, type);
    return strbuf_cstring(&text);
}

const char *infer_element_text(Infer *infer, const Type *type) {
    if (!type->quant) return arena_cstring(infer->diags->arena, element_text(type->element));
    // tensor<!quant.uniform<...>> without its frame.
    Type scalar = {.kind = TYPE_TENSOR, .element = type->element, .quant = type->quant};
    StrBuf text = strbuf(infer->diags->arena);
    type_print(&text, &scalar);
    StrView view = strbuf_view(&text);
    size_t frame = sizeof("tensor<") - 1;
    return arena_cstring(infer->diags->arena, (StrView){view.data + frame, view.size - frame - 1});
}

const char *infer_ints_text(Infer *infer, const int64_t *numbers, int64_t count) {
    StrBuf text = strbuf(infer->diags->arena);
    for (int64_t i = 0; i < count; i++)
        strbuf_printf(&text, i ? ", %lld" : "%lld", (long long)numbers[i]);
    return strbuf_cstring(&text);
}

const char *infer_types_text(Infer *infer, int count, const Type *const *types) {
    StrBuf text = strbuf(infer->diags->arena);
    for (int i = 0; i < count; i++) {
        strbuf_puts(&text, i ? ", '" : "'");
        type_print(&text, types[i]);
        strbuf_putc(&text, '\'');
    }
    return strbuf_cstring(&text);
}

const char *infer_value_types_text(Infer *infer, int count, const Value *const *values) {
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, count + 1);
    for (int i = 0; i < count; i++)
        types[i] = values[i]->type;
    return infer_types_text(infer, count, types);
}

const char *infer_axis_text(Infer *infer, const AxisRef *axis) {
    StrBuf text = strbuf(infer->diags->arena);
    axis_ref_print(&text, axis);
    return strbuf_cstring(&text);
}

// Does a static size of one type respect the bound of the other?
static bool respects_bounds(const Type *sized, const Type *bounded) {
    if (!bounded->is_bounded) return true;
    for (int d = 0; d < sized->rank; d++) {
        bool both = !dim_is_dynamic(sized->dims[d]) && !dim_is_dynamic(bounded->bounds[d]);
        if (both && sized->dims[d] > bounded->bounds[d]) return false;
    }
    return true;
}

bool shapes_fit(const Type *a, const Type *b) {
    if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR) return false;
    if (a->unranked || b->unranked) return true;
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++) {
        if (!dims_fit(a->dims[d], b->dims[d])) return false;
    }
    return respects_bounds(a, b) && respects_bounds(b, a);
}

bool elements_fit(const Type *a, const Type *b) {
    if (a->element != b->element) return false;
    if (!a->quant || !b->quant) return a->quant == b->quant;
    return a->quant->expressed == b->quant->expressed &&
           a->quant->storage_min == b->quant->storage_min &&
           a->quant->storage_max == b->quant->storage_max &&
           (a->quant->axis < 0) == (b->quant->axis < 0);
}

bool types_fit(const Type *a, const Type *b) {
    if (a == b) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == TYPE_TENSOR) return shapes_fit(a, b) && elements_fit(a, b);
    if (a->kind != TYPE_TUPLE && a->kind != TYPE_FUTURE) return false;
    if (a->part_count != b->part_count) return false;
    for (int i = 0; i < a->part_count; i++) {
        if (!types_fit(a->parts[i], b->parts[i])) return false;
    }
    return true;
}

bool infer_ints_of(Infer *infer, const Op *op, AttrName name, int count, IntSpan *ints) {
    *ints = op_ints(op, name);
    if (ints->count == count) return true;
    return infer_fail(
        infer, op, "%.*s length (%d) must match operand rank (%d)", SV_ARG(attr_name_text(name)),
        ints->count, count);
}

bool ints_are_unique(IntSpan ints, int64_t limit) {
    for (int i = 0; i < ints.count; i++) {
        if (ints.data[i] < 0 || ints.data[i] >= limit) return false;
        for (int j = 0; j < i; j++) {
            if (ints.data[i] == ints.data[j]) return false;
        }
    }
    return true;
}

void infer_set(Infer *infer, int i, const Type *type) { infer->types[i] = type; }

void infer_set_dims(Infer *infer, int i, ElementType element, int rank, const int64_t *dims) {
    infer->types[i] = type_tensor(infer->context, element, rank, dims);
}

const Type *infer_tensor_like(Infer *infer, const Type *like, int rank, const int64_t *dims) {
    Type type = {.kind = TYPE_TENSOR, .element = like->element, .rank = rank, .quant = like->quant};
    for (int d = 0; d < rank && d < MAX_RANK; d++)
        type.dims[d] = dims[d];
    return type_intern(infer->context, &type);
}

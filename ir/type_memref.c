// type_memref: buffers, memref<...>. Their types are texts (TYPE_OPAQUE); here they are taken apart
// and made.
#include "base/checked.h"
#include "ir/context.h"
#include "ir/type.h"

typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skip_blanks(Cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static bool take(Cursor *c, const char *text) {
    skip_blanks(c);
    const char *p = c->at;
    for (; *text; text++, p++) {
        if (p == c->end || *p != *text) return false;
    }
    c->at = p;
    return true;
}

// 12, -3, ?
static bool take_number(Cursor *c, int64_t *number) {
    *number = DIM_DYNAMIC;
    if (take(c, "?")) return true;
    skip_blanks(c);
    const char *start = c->at;
    if (c->at < c->end && *c->at == '-') c->at++;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9')
        c->at++;
    return strview_to_int64((StrView){start, (size_t)(c->at - start)}, number);
}

// 4x?x up to the element type, which begins with a letter
static bool take_dims(Cursor *c, MemRef *memref) {
    for (;;) {
        skip_blanks(c);
        if (c->at == c->end) return false;
        if (*c->at != '?' && (*c->at < '0' || *c->at > '9')) return true;
        int64_t size;
        if (memref->rank == MAX_RANK || !take_number(c, &size) || !take(c, "x")) return false;
        memref->dims[memref->rank++] = size;
    }
}

static bool take_element(Cursor *c, ElementType *element) {
    skip_blanks(c);
    const char *start = c->at;
    int depth = 0;
    for (; c->at < c->end; c->at++) {
        if (depth == 0 && (*c->at == ',' || *c->at == '>' || *c->at == ' ')) break;
        depth += *c->at == '<' ? 1 : *c->at == '>' ? -1 : 0;
    }
    return element_from_text((StrView){start, (size_t)(c->at - start)}, element);
}

// strided<[12, 1], offset: 3>
static bool take_strides(Cursor *c, MemRef *memref) {
    memref->is_strided = true;
    if (!take(c, "strided") || !take(c, "<") || !take(c, "[")) return false;
    for (int d = 0; d < memref->rank; d++) {
        if ((d > 0 && !take(c, ",")) || !take_number(c, &memref->strides[d])) return false;
    }
    if (!take(c, "]")) return false;
    if (take(c, ",") && (!take(c, "offset") || !take(c, ":") || !take_number(c, &memref->offset)))
        return false;
    return take(c, ">");
}

static bool size_fits(const MemRef *memref) {
    int64_t bytes = (int64_t)element_bytes(memref->element);
    for (int d = 0; d < memref->rank; d++) {
        int64_t size = memref->dims[d];
        if (size != DIM_DYNAMIC && size != 0 && !checked_mul(bytes, size, &bytes)) return false;
    }
    return true;
}

bool type_is_memref(const Type *type) {
    return type->kind == TYPE_OPAQUE && strview_starts_with(type->encoding, SV("memref<"));
}

bool memref_of(const Type *type, MemRef *memref) {
    *memref = (MemRef){0};
    if (!type_is_memref(type)) return false;
    StrView text = type->encoding;
    Cursor c = {text.data, text.data + text.size};
    if (!take(&c, "memref<") || !take_dims(&c, memref) || !take_element(&c, &memref->element))
        return false;
    if (take(&c, ",") && !take_strides(&c, memref)) return false;
    if (!take(&c, ">")) return false;
    skip_blanks(&c);
    return c.at == c.end && size_fits(memref);
}

static void put_number(StrBuf *text, int64_t number) {
    if (number == DIM_DYNAMIC)
        strbuf_puts(text, "?");
    else
        strbuf_printf(text, "%lld", (long long)number);
}

const Type *type_memref(Context *context, const MemRef *memref) {
    StrBuf text = strbuf(context->arena);
    strbuf_puts(&text, "memref<");
    for (int d = 0; d < memref->rank; d++) {
        put_number(&text, memref->dims[d]);
        strbuf_puts(&text, "x");
    }
    strbuf_append(&text, element_text(memref->element));
    if (memref->is_strided) {
        strbuf_puts(&text, ", strided<[");
        for (int d = 0; d < memref->rank; d++) {
            if (d > 0) strbuf_puts(&text, ", ");
            put_number(&text, memref->strides[d]);
        }
        strbuf_puts(&text, "]");
        if (memref->offset != 0) strbuf_puts(&text, ", offset: ");
        if (memref->offset != 0) put_number(&text, memref->offset);
        strbuf_puts(&text, ">");
    }
    strbuf_puts(&text, ">");
    const Type type = {.kind = TYPE_OPAQUE, .encoding = context_name(context, strbuf_view(&text))};
    return type_intern(context, &type);
}

const Type *type_buffer_of(Context *context, const Type *tensor) {
    MemRef memref = {.element = tensor->element, .rank = tensor->rank};
    for (int d = 0; d < tensor->rank; d++)
        memref.dims[d] = tensor->dims[d];
    return type_memref(context, &memref);
}

const Type *type_shaped(Context *context, const Type *type) {
    MemRef memref;
    if (type->kind == TYPE_TENSOR) return type->unranked ? NULL : type;
    if (!memref_of(type, &memref)) return NULL;
    return type_tensor(context, memref.element, memref.rank, memref.dims);
}

int64_t extent_times(int64_t a, int64_t b) {
    int64_t product;
    if (a == 0 || b == 0) return 0;
    return a == DIM_DYNAMIC || b == DIM_DYNAMIC || !checked_mul(a, b, &product) ? DIM_DYNAMIC
                                                                                : product;
}

int64_t extent_plus(int64_t a, int64_t b) {
    int64_t sum;
    return a == DIM_DYNAMIC || b == DIM_DYNAMIC || !checked_add(a, b, &sum) ? DIM_DYNAMIC : sum;
}

void memref_strides(const MemRef *memref, int64_t *strides, int64_t *offset) {
    int64_t behind = 1;
    *offset = memref->offset;
    for (int d = memref->rank - 1; d >= 0; d--) {
        strides[d] = memref->is_strided ? memref->strides[d] : behind;
        behind = extent_times(behind, memref->dims[d]);
    }
}

bool memref_is_dense(const MemRef *memref) {
    MemRef plain = *memref;
    plain.is_strided = false;
    int64_t strides[MAX_RANK], expected[MAX_RANK], offset;
    memref_strides(memref, strides, &offset);
    memref_strides(&plain, expected, &offset);
    for (int d = 0; d < memref->rank; d++) {
        bool is_static = memref->dims[d] != DIM_DYNAMIC;
        if (!is_static || (memref->dims[d] != 1 && strides[d] != expected[d])) return false;
    }
    return true;
}

const Type *type_subview(
    Context *context, const MemRef *memref, const int64_t *offsets, const int64_t *sizes,
    const int64_t *strides) {
    MemRef view = {.element = memref->element, .rank = memref->rank, .is_strided = true};
    int64_t old[MAX_RANK];
    memref_strides(memref, old, &view.offset);
    for (int d = 0; d < memref->rank; d++) {
        view.dims[d] = sizes[d];
        view.strides[d] = extent_times(old[d], strides[d]);
        view.offset = extent_plus(view.offset, extent_times(old[d], offsets[d]));
    }
    return type_memref(context, &view);
}

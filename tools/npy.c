// npy: arrays in NumPy's file format.
#include "tools/npy.h"

#include "base/checked.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "ir/scalar.h"

#include <ctype.h>
#include <math.h>

// What a header says.
typedef struct Header {
    char kind;    // 'f', 'i', 'u', 'c', 'b', 'V'
    char endian;  // '<', '>', '|', '='
    int64_t size; // bytes of an element
    bool fortran;
    int rank;
    int64_t dims[MAX_RANK];
    size_t data_offset;
} Header;

// A cursor over the header's Python dictionary.
typedef struct Cursor {
    const char *at, *end;
} Cursor;

static void skip_space(Cursor *c) {
    while (c->at < c->end && isspace((unsigned char)*c->at)) {
        c->at++;
    }
}

static bool take(Cursor *c, char wanted) {
    skip_space(c);
    if (c->at == c->end || *c->at != wanted) return false;
    c->at++;
    return true;
}

static bool take_string(Cursor *c, StrView *text) {
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"')) return false;
    char quote = *c->at++;
    const char *begin = c->at;
    while (c->at < c->end && *c->at != quote) {
        c->at++;
    }
    if (c->at == c->end) return false;
    *text = (StrView){begin, (size_t)(c->at - begin)};
    c->at++;
    return true;
}

static bool take_number(Cursor *c, int64_t *number) {
    skip_space(c);
    const char *begin = c->at;
    while (c->at < c->end && isdigit((unsigned char)*c->at)) {
        c->at++;
    }
    if (!strview_to_int64((StrView){begin, (size_t)(c->at - begin)}, number)) return false;
    if (c->at < c->end && *c->at == 'L') c->at++; // Python 2's long
    return true;
}

static bool take_word(Cursor *c, StrView word) {
    skip_space(c);
    if (!strview_starts_with((StrView){c->at, (size_t)(c->end - c->at)}, word)) return false;
    c->at += word.size;
    return true;
}

static const char *take_shape(Cursor *c, Header *header) {
    if (!take(c, '(')) return "its shape is not a tuple";
    while (!take(c, ')')) {
        if (header->rank == MAX_RANK) return "it has too many dimensions";
        if (!take_number(c, &header->dims[header->rank])) return "its shape is not readable";
        header->rank++;
        if (!take(c, ',')) {
            if (!take(c, ')')) return "its shape is not readable";
            break;
        }
    }
    return NULL;
}

static const char *take_descr(Cursor *c, Header *header) {
    StrView descr;
    if (!take_string(c, &descr)) return "its element type is a structure";
    if (descr.size < 3 || !strchr("<>|=", descr.data[0]) ||
        !strview_to_int64((StrView){descr.data + 2, descr.size - 2}, &header->size)) {
        return "its element type is not readable";
    }
    header->endian = descr.data[0];
    header->kind = descr.data[1];
    return NULL;
}

// {'descr': '<f4', 'fortran_order': False, 'shape': (8, 16), }
static const char *parse_dictionary(StrView text, Header *header) {
    Cursor c = {text.data, text.data + text.size};
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take(&c, '{')) return "its header is no dictionary";
    while (!take(&c, '}')) {
        StrView key;
        if (!take_string(&c, &key) || !take(&c, ':')) return "its header is not readable";
        const char *problem = NULL;
        if (strview_is(key, "descr") && !has_descr) {
            problem = take_descr(&c, header);
            has_descr = true;
        } else if (strview_is(key, "fortran_order") && !has_order) {
            header->fortran = take_word(&c, SV("True"));
            if (!header->fortran && !take_word(&c, SV("False"))) problem = "its order is unknown";
            has_order = true;
        } else if (strview_is(key, "shape") && !has_shape) {
            problem = take_shape(&c, header);
            has_shape = true;
        } else {
            problem = "its header has an unknown or repeated key";
        }
        if (problem) return problem;
        if (!take(&c, ',')) {
            if (!take(&c, '}')) return "its header is not readable";
            break;
        }
    }
    return has_descr && has_order && has_shape ? NULL : "its header lacks a key";
}

static const char *parse_header(StrView file, Header *header) {
    const unsigned char *bytes = (const unsigned char *)file.data;
    if (file.size < 10 || memcmp(file.data, "\x93NUMPY", 6) != 0) return "it is no .npy file";
    size_t length = 0, begin = 0;
    if (bytes[6] == 1) {
        begin = 10;
        length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    } else if (bytes[6] <= 3 && bytes[6] > 0 && file.size >= 12) {
        begin = 12;
        length = (size_t)bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
                 (size_t)bytes[11] << 24;
    } else {
        return "its format version is unknown";
    }
    if (length > file.size - begin) return "its header is longer than the file";
    header->data_offset = begin + length;
    return parse_dictionary((StrView){file.data + begin, length}, header);
}

// Does an element of the file fit the type? Narrow and unusual types are raw bits in the unsigned type of the same width.
static bool fits(const Header *header, ElementType element) {
    if (header->size != (int64_t)element_bytes(element)) return false;
    switch (element_class(element)) {
    case CLASS_BOOL: return header->kind == 'b' || header->kind == 'u';
    case CLASS_SINT:
        return header->kind == 'i' || (header->kind == 'u' && element_bits(element) < 8);
    case CLASS_UINT: return header->kind == 'u';
    case CLASS_COMPLEX: return header->kind == 'c';
    case CLASS_FLOAT:
        if (element == ELEMENT_F16) return header->kind == 'f' || header->kind == 'u';
        if (element == ELEMENT_F32 || element == ELEMENT_F64) return header->kind == 'f';
        return header->kind == 'u' || header->kind == 'V';
    }
    return false;
}

static const char *shape_text(Arena *arena, int rank, const int64_t *dims) {
    StrBuf out = strbuf(arena);
    strbuf_putc(&out, '[');
    for (int d = 0; d < rank; d++) {
        strbuf_printf(&out, "%s%lld", d ? ", " : "", (long long)dims[d]);
    }
    strbuf_putc(&out, ']');
    return strbuf_cstring(&out);
}

static const char *check_shape(Arena *arena, const Header *header, const Type *type) {
    bool same = header->rank == type->rank;
    for (int d = 0; same && d < type->rank; d++) {
        same = header->dims[d] == type->dims[d];
    }
    if (same) return NULL;
    return arena_printf(
        arena, "it has shape %s, expected %s", shape_text(arena, header->rank, header->dims),
        shape_text(arena, type->rank, type->dims));
}

// Column-major to row-major.
static void from_fortran(const Header *header, const char *from, char *to) {
    int64_t index[MAX_RANK] = {0};
    int64_t count = 1;
    for (int d = 0; d < header->rank; d++) {
        count *= header->dims[d];
    }
    size_t size = (size_t)header->size;
    for (int64_t i = 0; i < count; i++) {
        int64_t offset = 0;
        for (int d = header->rank - 1; d >= 0; d--) {
            offset = offset * header->dims[d] + index[d];
        }
        memcpy(to + (size_t)i * size, from + (size_t)offset * size, size);
        for (int d = header->rank - 1; d >= 0 && ++index[d] == header->dims[d]; d--) {
            index[d] = 0;
        }
    }
}

static void swap_bytes(char *data, size_t bytes, size_t width) {
    for (size_t i = 0; width > 1 && i + width <= bytes; i += width) {
        for (size_t k = 0; k < width / 2; k++) {
            char byte = data[i + k];
            data[i + k] = data[i + width - 1 - k];
            data[i + width - 1 - k] = byte;
        }
    }
}

// The type of the file's elements: that of the array, or, of floats that .npy lacks, f32 or f64 where the file has these.
static ElementType stored_element(const Header *header, ElementType element) {
    bool is_narrow = element_is_float(element) && element_bits(element) <= 16;
    if (!is_narrow || header->kind != 'f') return element;
    return header->size == 4 ? ELEMENT_F32 : header->size == 8 ? ELEMENT_F64 : element;
}

// Elements of a wider type that the narrow one has, too; NULL, or what is wrong.
static const char *narrow_elements(
    Arena *arena, ElementType from, ElementType to, int64_t count, void **data) {
    void *narrow = arena_alloc_aligned(arena, (size_t)count * element_bytes(to) + 1, 64);
    scalar_convert(from, *data, to, narrow, count);
    for (int64_t i = 0; i < count; i++) {
        double wide, again;
        scalar_load_real(from, (char *)*data + (size_t)i * element_bytes(from), 1, 1, &wide);
        scalar_load_real(to, (char *)narrow + (size_t)i * element_bytes(to), 1, 1, &again);
        if (wide == again || (isnan(wide) && isnan(again))) continue;
        return arena_printf(
            arena, "its element %lld is %.9g, which %.*s does not have", (long long)i, wide,
            SV_ARG(element_text(to)));
    }
    *data = narrow;
    return NULL;
}

static void read_elements(const Header *header, const char *from, size_t bytes, void *data) {
    if (header->fortran && header->rank > 1) {
        from_fortran(header, from, data);
    } else {
        memcpy(data, from, bytes);
    }
    if (header->endian == '>') {
        swap_bytes(data, bytes, (size_t)header->size / (header->kind == 'c' ? 2 : 1));
    }
}

bool npy_read(Arena *arena, const char *path, const Type *type, void **data, const char **error) {
    StrView file;
    *data = NULL;
    if (!file_read(arena, path, &file, error)) return false;
    Header header = {0};
    const char *problem = parse_header(file, &header);
    ElementType stored = problem ? type->element : stored_element(&header, type->element);
    if (!problem && !fits(&header, stored)) {
        StrView expected = element_text(type->element);
        problem = arena_printf(
            arena, "its elements are '%c%c%lld', expected %.*s", header.endian, header.kind,
            (long long)header.size, SV_ARG(expected));
    }
    if (!problem) problem = check_shape(arena, &header, type);
    int64_t count = type_element_count(type);
    int64_t size = 0;
    if (!problem && !checked_mul(count, (int64_t)element_bytes(stored), &size))
        problem = "it is too large";
    size_t bytes = (size_t)size;
    if (!problem && file.size - header.data_offset < bytes) {
        problem = arena_printf(
            arena, "it is truncated: %zu bytes of data, expected %zu",
            file.size - header.data_offset, bytes);
    }
    if (!problem) {
        *data = arena_alloc_aligned(arena, bytes + 1, 64);
        read_elements(&header, file.data + header.data_offset, bytes, *data);
        if (stored != type->element)
            problem = narrow_elements(arena, stored, type->element, count, data);
    }
    if (problem) *error = arena_printf(arena, "%s: %s", path, problem);
    return !problem;
}

bool npy_shape(Arena *arena, const char *path, int *rank, int64_t *dims, const char **error) {
    StrView file;
    if (!file_read(arena, path, &file, error)) return false;
    Header header = {0};
    const char *problem = parse_header(file, &header);
    if (problem) {
        *error = arena_printf(arena, "%s: %s", path, problem);
        return false;
    }
    *rank = header.rank;
    memcpy(dims, header.dims, (size_t)header.rank * sizeof *dims);
    return true;
}

static const char *descr_of(ElementType element) {
    static const char *const unsigned_of[] = {"", "|u1", "<u2", "", "<u4", "", "", "", "<u8"};
    static const char *const signed_of[] = {"", "|i1", "<i2", "", "<i4", "", "", "", "<i8"};
    size_t bytes = element_bytes(element);
    switch (element_class(element)) {
    case CLASS_BOOL: return "|b1";
    case CLASS_SINT: return signed_of[bytes];
    case CLASS_UINT: return unsigned_of[bytes];
    case CLASS_COMPLEX: return bytes == 8 ? "<c8" : "<c16";
    case CLASS_FLOAT: break;
    }
    if (element == ELEMENT_F16) return "<f2";
    if (element == ELEMENT_F32) return "<f4";
    if (element == ELEMENT_F64) return "<f8";
    return unsigned_of[bytes];
}

bool npy_write(
    Arena *arena, const char *path, const Type *type, const void *data, const char **error) {
    StrBuf header = strbuf(arena);
    strbuf_printf(
        &header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr_of(type->element));
    for (int d = 0; d < type->rank; d++) {
        strbuf_printf(&header, "%lld,%s", (long long)type->dims[d], d + 1 < type->rank ? " " : "");
    }
    strbuf_puts(&header, "), }");
    while ((10 + header.size + 1) % 64 != 0) {
        strbuf_putc(&header, ' ');
    }
    strbuf_putc(&header, '\n');
    StrBuf out = strbuf(arena);
    char start[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
    start[8] = (char)(header.size & 0xff);
    start[9] = (char)(header.size >> 8 & 0xff);
    strbuf_append(&out, (StrView){start, sizeof start});
    strbuf_append(&out, strbuf_view(&header));
    strbuf_append(&out, (StrView){data, type_bytes(type)});
    return file_write(arena, path, strbuf_view(&out), error);
}

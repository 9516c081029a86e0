// npy: arrays in NumPy's file format.
#include "tools/npy/npy.h"

#include "base/checked.h"
#include "base/strbuf.h"
#include "ir/scalar/scalar.h"

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

// Raw bits: the types of ml_dtypes are V in numpy's files.
static bool is_raw_kind(const Header *header) { return header->kind == 'u' || header->kind == 'V'; }

// Does an element of the file fit the type? Narrow and unusual types are raw bits;
// numpy says f1 for float8_e5m2.
static bool fits(const Header *header, ElementType element) {
    if (header->size != (int64_t)element_bytes(element)) return false;
    switch (element_class(element)) {
    case CLASS_BOOL: return header->kind == 'b' || header->kind == 'u';
    case CLASS_SINT:
        return header->kind == 'i' || (element_bits(element) < 8 && is_raw_kind(header));
    case CLASS_UINT:
        return header->kind == 'u' || (element_bits(element) < 8 && is_raw_kind(header));
    case CLASS_COMPLEX: return header->kind == 'c';
    case CLASS_FLOAT:
        if (element == ELEMENT_F16) return header->kind == 'f' || header->kind == 'u';
        if (element == ELEMENT_F32 || element == ELEMENT_F64) return header->kind == 'f';
        if (element == ELEMENT_F8E5M2 && header->kind == 'f') return true;
        return is_raw_kind(header);
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

static bool is_integer_class(ElementClass class) {
    return class == CLASS_BOOL || class == CLASS_SINT || class == CLASS_UINT;
}

// The element type that the file says; false when it is none of ours.
static bool file_element(const Header *header, ElementType *element) {
    static const struct {
        char kind;
        int size;
        ElementType element;
    } types[] = {{'f', 2, ELEMENT_F16},  {'f', 4, ELEMENT_F32},   {'f', 8, ELEMENT_F64},
                 {'c', 8, ELEMENT_C64},  {'c', 16, ELEMENT_C128}, {'b', 1, ELEMENT_I1},
                 {'i', 1, ELEMENT_I8},   {'i', 2, ELEMENT_I16},   {'i', 4, ELEMENT_I32},
                 {'i', 8, ELEMENT_I64},  {'u', 1, ELEMENT_UI8},   {'u', 2, ELEMENT_UI16},
                 {'u', 4, ELEMENT_UI32}, {'u', 8, ELEMENT_UI64}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].kind != header->kind || types[i].size != header->size) continue;
        *element = types[i].element;
        return true;
    }
    return false;
}

// The type of the file's elements as they are read: that of the array, or another one of the same
// class, whose numbers the array's type may have. False when neither is so.
static bool stored_element(const Header *header, ElementType wanted, ElementType *stored) {
    *stored = wanted;
    if (fits(header, wanted)) return true;
    if (!file_element(header, stored)) return false;
    ElementClass from = element_class(*stored), to = element_class(wanted);
    return from == to || (is_integer_class(from) && is_integer_class(to));
}

static const char *number_text(Arena *arena, ElementType element, const void *data) {
    if (is_integer_class(element_class(element))) {
        int64_t number;
        scalar_load_int(element, data, 1, 1, &number);
        bool is_unsigned = element_class(element) == CLASS_UINT;
        return is_unsigned ? arena_printf(arena, "%llu", (unsigned long long)number)
                           : arena_printf(arena, "%lld", (long long)number);
    }
    double _Complex number;
    scalar_load_complex(element, data, 1, 1, &number);
    if (element_real_part(element) == element) return arena_printf(arena, "%.9g", creal(number));
    return arena_printf(arena, "(%.9g, %.9g)", creal(number), cimag(number));
}

// Is element i the same number in both types? `again`: the element converted and converted back.
static bool is_exact(
    ElementType from, const char *wide, const char *again, ElementType to, const char *converted) {
    ElementType real = element_real_part(from);
    size_t bytes = element_bytes(from), part = element_bytes(real);
    for (size_t at = 0; at < bytes; at += part) {
        if (memcmp(wide + at, again + at, part) == 0) continue;
        double number;
        if (!element_is_float(real)) return false;
        scalar_load_real(real, wide + at, 1, 1, &number);
        double other;
        scalar_load_real(real, again + at, 1, 1, &other);
        if (!isnan(number) || !isnan(other)) return false;
    }
    if (element_is_float(real) || element_class(from) == element_class(to)) return true;
    int64_t x, y; // a number that wraps around comes back
    scalar_load_int(from, wide, 1, 1, &x);
    scalar_load_int(to, converted, 1, 1, &y);
    return x >= 0 && y >= 0;
}

// Elements of another type, each of which must be a number of the wanted type, too; NULL, or what
// is wrong.
static const char *convert_elements(
    Arena *arena, ElementType from, ElementType to, int64_t count, void **data) {
    enum { PIECE = 512 };
    size_t wide = element_bytes(from), narrow = element_bytes(to);
    char *result = arena_alloc_aligned(arena, (size_t)count * narrow + 1, 64);
    char again[PIECE * 16]; // complex<f64> is the largest
    for (int64_t begin = 0; begin < count; begin += PIECE) {
        int64_t size = count - begin < PIECE ? count - begin : PIECE;
        const char *in = (const char *)*data + (size_t)begin * wide;
        char *out = result + (size_t)begin * narrow;
        scalar_convert(from, in, to, out, size);
        scalar_convert(to, out, from, again, size);
        for (int64_t i = 0; i < size; i++) {
            size_t at = (size_t)i * wide;
            if (is_exact(from, in + at, again + at, to, out + (size_t)i * narrow)) continue;
            return arena_printf(
                arena, "its element %lld is %s, which %.*s does not have", (long long)(begin + i),
                number_text(arena, from, in + at), SV_ARG(element_text(to)));
        }
    }
    *data = result;
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

static const char *read_array(Arena *arena, StrView file, const Type *type, void **data) {
    Header header = {0};
    const char *problem = parse_header(file, &header);
    if (problem) return problem;
    ElementType stored;
    if (!stored_element(&header, type->element, &stored)) {
        return arena_printf(
            arena, "its elements are '%c%c%lld', expected %.*s", header.endian, header.kind,
            (long long)header.size, SV_ARG(element_text(type->element)));
    }
    problem = check_shape(arena, &header, type);
    if (problem) return problem;
    int64_t count = type_element_count(type), size = 0;
    if (!checked_mul(count, (int64_t)element_bytes(stored), &size)) return "it is too large";
    size_t bytes = (size_t)size, there = file.size - header.data_offset;
    if (there < bytes) {
        return arena_printf(
            arena, "it is truncated: %zu bytes of data, expected %zu", there, bytes);
    }
    *data = arena_alloc_aligned(arena, bytes + 1, 64);
    read_elements(&header, file.data + header.data_offset, bytes, *data);
    if (stored == type->element) return NULL;
    return convert_elements(arena, stored, type->element, count, data);
}

bool npy_read(
    Arena *arena, StrView file, const char *name, const Type *type, void **data,
    const char **error) {
    *data = NULL;
    const char *problem = read_array(arena, file, type, data);
    if (problem) *error = arena_printf(arena, "%s: %s", name, problem);
    return !problem;
}

bool npy_shape(
    Arena *arena, StrView file, const char *name, int *rank, int64_t *dims, const char **error) {
    Header header = {0};
    const char *problem = parse_header(file, &header);
    if (problem) {
        *error = arena_printf(arena, "%s: %s", name, problem);
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
    FileSet *files, Arena *arena, const char *path, const Type *type, const void *data,
    const char **error) {
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
    char start[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
    start[8] = (char)(header.size & 0xff);
    start[9] = (char)(header.size >> 8 & 0xff);
    const StrView pieces[] = {
        {start, sizeof start}, strbuf_view(&header), {data, type_bytes(type)}};
    return file_set_add(files, path, FILE_DATA, 3, pieces, error);
}

// ffi_attributes: a custom call's attributes, which shardc prints as MLIR does, as handlers take
// them.
#include "plugin/ffi/ffi_internal.h"

#include <stdlib.h>
#include <string.h>

// ---- memory

typedef struct Block {
    struct Block *next;
    max_align_t data[];
} Block;

void *ffi_take(FfiRegion *region, size_t size) {
    static max_align_t nothing[64]; // without memory: the call is not made
    Block *block = calloc(1, sizeof *block + size);
    if (!block) {
        region->has_failed = true;
        return size <= sizeof nothing ? nothing : NULL;
    }
    block->next = region->blocks;
    region->blocks = block;
    return block->data;
}

void ffi_release(FfiRegion *region) {
    while (region->blocks) {
        Block *block = region->blocks;
        region->blocks = block->next;
        free(block);
    }
}

// ---- text

static FfiSpan trimmed(FfiSpan text) {
    while (text.size > 0 && text.data[0] == ' ')
        text = (FfiSpan){text.data + 1, text.size - 1};
    while (text.size > 0 && text.data[text.size - 1] == ' ')
        text.size--;
    return text;
}

static bool begins(FfiSpan text, const char *prefix) {
    return text.size >= strlen(prefix) && memcmp(text.data, prefix, strlen(prefix)) == 0;
}

static FfiSpan after(FfiSpan text, size_t size) {
    return (FfiSpan){text.data + size, text.size - size};
}

// Where `wanted` stands outside of brackets and texts; the size when it does not.
static size_t find_outside(FfiSpan text, char wanted) {
    int depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '"') {
            for (i++; i < text.size && text.data[i] != '"'; i++)
                i += text.data[i] == '\\';
            continue;
        }
        if (depth == 0 && c == wanted) return i;
        bool is_arrow = c == '>' && i > 0 && text.data[i - 1] == '-';
        depth += c == '[' || c == '{' || c == '(' || c == '<';
        depth -= c == ']' || c == '}' || c == ')' || (c == '>' && !is_arrow);
    }
    return text.size;
}

// The next item of a list that commas separate; false at its end.
static bool next_item(FfiSpan *rest, FfiSpan *item) {
    *rest = trimmed(*rest);
    if (rest->size == 0) return false;
    size_t end = find_outside(*rest, ',');
    *item = trimmed((FfiSpan){rest->data, end});
    *rest = after(*rest, end < rest->size ? end + 1 : end);
    return true;
}

static FfiSpan inside(FfiSpan text) { // of brackets
    return text.size >= 2 ? (FfiSpan){text.data + 1, text.size - 2} : (FfiSpan){text.data, 0};
}

// "name = value", "name" (a unit), or "\"name\" = value".
static FfiSpan split_entry(FfiSpan entry, FfiSpan *value) {
    size_t equal = find_outside(entry, '=');
    *value = equal < entry.size ? trimmed(after(entry, equal + 1)) : (FfiSpan){"", 0};
    FfiSpan name = trimmed((FfiSpan){entry.data, equal});
    return name.size >= 2 && name.data[0] == '"' ? inside(name) : name;
}

FfiSpan ffi_find(FfiSpan dictionary, const char *name) {
    FfiSpan rest = inside(trimmed(dictionary)), entry, value;
    while (next_item(&rest, &entry)) {
        FfiSpan found = split_entry(entry, &value);
        if (found.size == strlen(name) && memcmp(found.data, name, found.size) == 0) return value;
    }
    return (FfiSpan){"", 0};
}

// ---- numbers

static const struct {
    const char *name;
    int32_t type; // xla.PrimitiveType
    int32_t size;
} types[] = {
    {"i1", 1, 1},
    {"i8", 2, 1},
    {"i16", 3, 2},
    {"i32", 4, 4},
    {"i64", 5, 8},
    {"ui8", 6, 1},
    {"ui16", 7, 2},
    {"ui32", 8, 4},
    {"ui64", 9, 8},
    {"f16", 10, 2},
    {"f32", 11, 4},
    {"f64", 12, 8},
    {"bf16", 16, 2},
    {"complex<f32>", 15, 8},
    {"complex<f64>", 18, 16},
    {"token", 17, 0},
    {"i2", 26, 1},
    {"i4", 21, 1},
    {"ui2", 27, 1},
    {"ui4", 22, 1},
    {"f8E5M2", 19, 1},
    {"f8E4M3FN", 20, 1},
    {"f8E4M3B11FNUZ", 23, 1},
    {"f8E5M2FNUZ", 24, 1},
    {"f8E4M3FNUZ", 25, 1},
    {"f8E4M3", 28, 1},
    {"f8E3M4", 29, 1},
    {"f4E2M1FN", 32, 1},
    {"f8E8M0FNU", 33, 1},
};

static int find_type(FfiSpan name) {
    for (int i = 0; i < (int)(sizeof types / sizeof *types); i++) {
        if (name.size == strlen(types[i].name) && begins(name, types[i].name)) return i;
    }
    return -1;
}

int32_t ffi_type(const char *name) {
    int i = find_type((FfiSpan){name, strlen(name)});
    return i < 0 ? 0 : types[i].type;
}

// Writes one number; its text ends where the caller's does.
static bool write_number(int type, FfiSpan text, void *out) {
    char copy[64];
    if (text.size == 0 || text.size >= sizeof copy) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    bool is_hex = begins(text, "0x");
    int32_t number = types[type].type;
    if (number == 1) {
        *(uint8_t *)out = begins(text, "true") || text.data[0] == '1' || begins(text, "-1");
        return true;
    }
    if (number == 11 && !is_hex) {
        *(float *)out = strtof(copy, NULL);
        return true;
    }
    if (number == 12 && !is_hex) {
        *(double *)out = strtod(copy, NULL);
        return true;
    }
    bool is_integer = number >= 2 && number <= 9;
    if (!is_integer && !is_hex) return false;
    uint64_t bits = text.data[0] == '-' ? (uint64_t)strtoll(copy, NULL, 10)
                                        : strtoull(copy, NULL, is_hex ? 16 : 10);
    memcpy(out, &bits, (size_t)types[type].size); // little-endian
    return true;
}

static void *scalar(FfiRegion *region, int type, FfiSpan text) {
    FfiScalar *made = ffi_take(region, sizeof *made);
    made->type = types[type].type;
    made->value = ffi_take(region, 16);
    return write_number(type, text, made->value) ? made : NULL;
}

static void *array(FfiRegion *region, int type, FfiSpan numbers) {
    FfiArray *made = ffi_take(region, sizeof *made);
    FfiSpan rest = numbers, item;
    while (next_item(&rest, &item))
        made->size++;
    made->type = types[type].type;
    size_t size = (size_t)types[type].size;
    char *data = ffi_take(region, made->size * size + 8);
    if (!data) return NULL;
    made->data = data;
    for (rest = numbers; next_item(&rest, &item); data += size) {
        if (!write_number(type, item, data)) return NULL;
    }
    return made;
}

static int unescape_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void *string(FfiRegion *region, FfiSpan text) {
    FfiSpan *made = ffi_take(region, sizeof *made);
    char *to = ffi_take(region, text.size + 1);
    if (!to) return NULL;
    made->data = to;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '\\' && i + 1 < text.size) {
            int high = unescape_digit(text.data[i + 1]);
            int low = i + 2 < text.size ? unescape_digit(text.data[i + 2]) : -1;
            bool is_hex = high >= 0 && low >= 0;
            c = is_hex                    ? (char)(high * 16 + low)
                : text.data[i + 1] == 'n' ? '\n'
                : text.data[i + 1] == 't' ? '\t'
                                          : text.data[i + 1];
            i += is_hex ? 2 : 1;
        }
        to[made->size++] = c;
    }
    return made;
}

// ---- attributes

static bool value_of(FfiRegion *region, FfiSpan text, int32_t *kind, void **item) {
    size_t colon = find_outside(text, ':');
    FfiSpan number = trimmed((FfiSpan){text.data, colon});
    if (text.size == 0) return false;
    if (text.data[0] == '{') {
        FfiAttributes *made = ffi_take(region, sizeof *made);
        *kind = FFI_DICTIONARY;
        *item = made;
        return ffi_attributes(region, text, made);
    }
    if (text.data[0] == '"') {
        *kind = FFI_STRING;
        *item = string(region, inside(number));
    } else if (begins(text, "array<") && text.data[text.size - 1] == '>') {
        FfiSpan body = {text.data + 6, text.size - 7};
        size_t element = find_outside(body, ':');
        int type = find_type(trimmed((FfiSpan){body.data, element}));
        *kind = FFI_ARRAY;
        *item = type < 0
                    ? NULL
                    : array(region, type, after(body, element < body.size ? element + 1 : element));
    } else if (begins(text, "dense<") && colon < text.size) {
        FfiSpan tensor = trimmed(after(text, colon + 1)); // tensor<3xi64>
        FfiSpan name = inside(after(tensor, begins(tensor, "tensor") ? 6 : 0));
        for (size_t i = name.size; i-- > 0;) {
            if (name.data[i] != 'x' || i == 0 || name.data[i - 1] < '0' || name.data[i - 1] > '9')
                continue;
            name = after(name, i + 1);
            break;
        }
        FfiSpan list = trimmed((FfiSpan){number.data + 6, number.size - 7});
        int type = find_type(name);
        *kind = FFI_ARRAY;
        *item = type < 0 ? NULL : array(region, type, begins(list, "[") ? inside(list) : list);
    } else {
        bool is_bool = begins(text, "true") || begins(text, "false");
        int type = colon < text.size                   ? find_type(trimmed(after(text, colon + 1)))
                   : is_bool                           ? find_type((FfiSpan){"i1", 2})
                   : memchr(text.data, '.', text.size) ? find_type((FfiSpan){"f64", 3})
                                                       : find_type((FfiSpan){"i64", 3});
        *kind = FFI_SCALAR;
        *item = type < 0 ? NULL : scalar(region, type, number);
    }
    return *item != NULL;
}

static int compare_names(const FfiSpan *a, const FfiSpan *b) {
    size_t size = a->size < b->size ? a->size : b->size;
    int order = memcmp(a->data, b->data, size);
    return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

// Keeps the names in order: handlers search them by halves.
static void insert(FfiAttributes *attributes, FfiSpan *name, int32_t kind, void *item) {
    int64_t at = attributes->size++;
    for (; at > 0 && compare_names(attributes->names[at - 1], name) > 0; at--) {
        attributes->names[at] = attributes->names[at - 1];
        attributes->kinds[at] = attributes->kinds[at - 1];
        attributes->items[at] = attributes->items[at - 1];
    }
    attributes->names[at] = name;
    attributes->kinds[at] = kind;
    attributes->items[at] = item;
}

bool ffi_attributes(FfiRegion *region, FfiSpan dictionary, FfiAttributes *attributes) {
    FfiSpan all = inside(trimmed(dictionary)), rest = all, entry, value;
    size_t count = 0;
    *attributes = (FfiAttributes){.struct_size = sizeof *attributes};
    while (next_item(&rest, &entry))
        count++;
    attributes->kinds = ffi_take(region, count * sizeof *attributes->kinds);
    attributes->names = ffi_take(region, count * sizeof *attributes->names);
    attributes->items = ffi_take(region, count * sizeof *attributes->items);
    if (!attributes->kinds || !attributes->names || !attributes->items) return false;
    for (rest = all; next_item(&rest, &entry);) {
        FfiSpan *name = ffi_take(region, sizeof *name);
        int32_t kind = 0;
        void *item = NULL;
        *name = split_entry(entry, &value);
        if (!value_of(region, value, &kind, &item)) return false;
        insert(attributes, name, kind, item);
    }
    return !region->has_failed;
}

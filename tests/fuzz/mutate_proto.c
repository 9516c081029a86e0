// mutate_proto: changes of a protobuf after which it is one still: one field of one message,
// somewhere in it, and the lengths around it.
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 12 };

typedef struct Field {
    size_t start, end;     // of the whole field
    size_t content;        // where its number or its bytes begin
    uint64_t number, wire; // as in its key
} Field;

static bool read_varint(const Bytes *bytes, size_t end, size_t *at, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = bytes->data[(*at)++];
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

static bool read_field(const Bytes *bytes, size_t end, size_t at, Field *field) {
    uint64_t key, size = 0;
    field->start = at;
    if (!read_varint(bytes, end, &at, &key) || key >> 3 == 0) return false;
    field->number = key >> 3;
    field->wire = key & 7;
    if (field->wire == 2 && !read_varint(bytes, end, &at, &size)) return false;
    field->content = at;
    if (field->wire == 0 && !read_varint(bytes, end, &at, &size)) return false;
    if (field->wire == 0) size = 0;
    if (field->wire == 1) size = 8;
    if (field->wire == 5) size = 4;
    if (field->wire == 3 || field->wire == 4 || field->wire > 5 || size > end - at) return false;
    field->end = at + (size_t)size;
    return true;
}

// A field of the message from `start` to `end`, each as likely; false when these are no fields.
static bool pick_field(
    const Bytes *bytes, Random *random, size_t start, size_t end, Field *picked) {
    size_t count = 0;
    Field field;
    for (size_t at = start; at < end; at = field.end) {
        if (!read_field(bytes, end, at, &field)) return false;
        if (random_below(random, ++count) == 0) *picked = field;
    }
    return count > 0;
}

static size_t write_varint(uint8_t *out, uint64_t number) {
    size_t size = 0;
    do {
        out[size++] = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number > 0);
    return size;
}

// Replaces the field by one of the number and wire type whose content is
// given, which may lie in `bytes`.
static void replace_field(
    Bytes *bytes, const Field *field, uint64_t number, uint64_t wire, const uint8_t *content,
    size_t size) {
    uint8_t *with = malloc(size + 24);
    if (!with) return;
    size_t head = write_varint(with, number << 3 | wire);
    if (wire == 2) head += write_varint(with + head, size);
    if (size > 0) memcpy(with + head, content, size);
    bytes_splice(bytes, field->start, field->end - field->start, with, head + size);
    free(with);
}

static void change_number(Bytes *bytes, Random *random, const Field *field) {
    static const uint64_t telling[] = {
        0,
        1,
        2,
        3,
        4,
        7,
        8,
        32,
        33,
        64,
        1u << 16,
        1u << 20,
        (uint64_t)1 << 31,
        (uint64_t)1 << 32,
        (uint64_t)1 << 62,
        UINT64_MAX,
        UINT64_MAX - 1};
    uint64_t number = 0;
    size_t at = field->content;
    uint8_t content[10];
    (void)read_varint(bytes, field->end, &at, &number);
    switch (random_below(random, 4)) {
    case 0: number++; break;
    case 1: number--; break;
    default: number = telling[random_below(random, sizeof telling / sizeof telling[0])];
    }
    replace_field(bytes, field, field->number, 0, content, write_varint(content, number));
}

static void change_bytes(Bytes *bytes, Random *random, const Field *field) {
    size_t size = field->end - field->content;
    uint8_t *content = malloc(size + 16);
    if (!content) return;
    memcpy(content, bytes->data + field->content, size);
    size_t at = random_below(random, size + 1);
    switch (random_below(random, 4)) {
    case 0: // cut
        size = at;
        break;
    case 1: // one more
        memmove(content + at + 1, content + at, size - at);
        content[at] = (uint8_t)random_below(random, 256);
        size++;
        break;
    default:
        if (at < size) content[at] ^= (uint8_t)(1u << random_below(random, 8));
    }
    replace_field(bytes, field, field->number, 2, content, size);
    free(content);
}

// Another field of any message, with this field's number.
static void copy_other(Bytes *bytes, Random *random, const Field *field) {
    Field other;
    size_t start = 0, end = bytes->size;
    for (size_t depth = random_below(random, MAX_NESTING);
         pick_field(bytes, random, start, end, &other); depth--) {
        if (depth == 0 || other.wire != 2) {
            replace_field(
                bytes, field, field->number, other.wire, bytes->data + other.content,
                other.end - other.content);
            return;
        }
        start = other.content;
        end = other.end;
    }
}

static void change_field(Bytes *bytes, Random *random, const Field *field) {
    size_t size = field->end - field->start;
    switch (random_below(random, 8)) {
    case 0: bytes_splice(bytes, field->start, size, NULL, 0); break;
    case 1: bytes_splice(bytes, field->start, 0, bytes->data + field->start, size); break;
    case 2:
        replace_field(
            bytes, field, 1 + random_below(random, 100), field->wire, bytes->data + field->content,
            field->end - field->content);
        break;
    case 3: copy_other(bytes, random, field); break;
    default:
        if (field->wire == 0)
            change_number(bytes, random, field);
        else if (field->wire == 2)
            change_bytes(bytes, random, field);
        else
            bytes->data[field->content] ^= (uint8_t)(1u << random_below(random, 8));
    }
}

// Changes a field of the message, or of one in it; false when the bytes are no message.
static bool mutate_message(Bytes *bytes, Random *random, int depth) {
    Field field;
    if (!pick_field(bytes, random, 0, bytes->size, &field)) return false;
    bool descends = field.wire == 2 && depth < MAX_NESTING && random_below(random, 8) > 0;
    if (descends) {
        size_t size = field.end - field.content;
        Bytes inner = {malloc(size + 1), size};
        if (!inner.data) return false;
        memcpy(inner.data, bytes->data + field.content, size);
        bool ok = mutate_message(&inner, random, depth + 1);
        if (ok) replace_field(bytes, &field, field.number, 2, inner.data, inner.size);
        free(inner.data);
        if (ok) return true;
    }
    change_field(bytes, random, &field);
    return true;
}

bool mutate_proto(Bytes *bytes, Random *random) {
    return bytes->size > 4 && bytes->data[0] == 0x0a && mutate_message(bytes, random, 0);
}

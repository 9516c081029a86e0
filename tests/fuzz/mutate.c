// mutate: random changes of bytes and tokens, and the choice between these and mutate_program's.
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

Random random_seeded(uint64_t seed) { return (Random){seed * 0x9E3779B97F4A7C15u + 1}; }

size_t random_below(Random *random, size_t limit) {
    uint64_t state = random->state ? random->state : 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    random->state = state;
    return limit ? (size_t)(state % limit) : 0;
}

void bytes_splice(Bytes *bytes, size_t at, size_t removed, const void *with, size_t size) {
    uint8_t *data = malloc(bytes->size - removed + size + 1);
    if (!data) return;
    if (at > 0) memcpy(data, bytes->data, at);
    if (size > 0) memcpy(data + at, with, size);
    memcpy(data + at + size, bytes->data + at + removed, bytes->size - at - removed);
    free(bytes->data);
    bytes->data = data;
    bytes->size = bytes->size - removed + size;
}

// ---- tokens ----

static bool is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// A word or a single character around a random place.
static void pick_token(const Bytes *bytes, Random *random, size_t *start, size_t *size) {
    size_t at = random_below(random, bytes->size);
    size_t begin = at;
    size_t end = at + 1;
    while (begin > 0 && is_word(bytes->data[begin]) && is_word(bytes->data[begin - 1]))
        begin--;
    while (end < bytes->size && is_word(bytes->data[at]) && is_word(bytes->data[end]))
        end++;
    *start = begin;
    *size = end - begin;
}

// Words of which programs are made.
static const char *const words[] = {
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    ",",
    ":",
    "=",
    "->",
    "-",
    "%0",
    "%arg0",
    "#0",
    "@main",
    "\"",
    "x",
    "?",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "0x7FC00000",
    "1.0e400",
    "tensor<",
    "tensor<0xf32>",
    "tensor<1000000000x1000000000x1000000000xf32>",
    "i1",
    "i64",
    "complex<f32>",
    "dense<",
    "dense<[]>",
    "dense<\"0x\">",
    "dense_resource<a>",
    "{-#",
    "#-}",
    "loc(",
    "loc(#loc1)",
    "^bb0",
    "^bb1(%a: i32):",
    "tuple<",
    "!quant.uniform<i8:f32, 1.0:0>",
    "#stablehlo.bounds<?, 4>",
    "func.func",
    "module",
    "return",
    "stablehlo.while",
    "stablehlo.reduce",
    "\"stablehlo.case\"",
    "sdy.mesh",
    "#sdy.sharding<@mesh, [{}]>",
    "array<i64: ",
    "applies",
    "init:",
    "\n",
    "//"};

static void mutate_tokens(Bytes *bytes, Random *random) {
    enum { WORDS = sizeof words / sizeof words[0] };
    if (bytes->size < 4) return;
    size_t start, size, other, other_size;
    pick_token(bytes, random, &start, &size);
    switch (random_below(random, 8)) {
    case 0: bytes->size = random_below(random, bytes->size); break; // truncate
    case 1:
        bytes->data[random_below(random, bytes->size)] ^= (uint8_t)(1u << random_below(random, 8));
        break;
    case 2: bytes_splice(bytes, start, size, NULL, 0); break;                // drop a token
    case 3: bytes_splice(bytes, start, 0, bytes->data + start, size); break; // double a token
    case 4: // copy a token elsewhere
        pick_token(bytes, random, &other, &other_size);
        bytes_splice(bytes, start, size, bytes->data + other, other_size);
        break;
    case 5: { // many of one character
        uint8_t many[600];
        memset(many, "([{<\"x0 "[random_below(random, 8)], sizeof many);
        bytes_splice(bytes, start, 0, many, random_below(random, sizeof many));
        break;
    }
    default: {
        const char *word = words[random_below(random, WORDS)];
        bytes_splice(bytes, start, random_below(random, 2) ? size : 0, word, strlen(word));
    }
    }
}

// Bytes of a binary file: most changes keep its size, so that what is counted in it stays right.
static void mutate_bytes(Bytes *bytes, Random *random) {
    static const uint8_t telling[] = {0,    1,    2,    3,    4,    5,    7,   8,
                                      0x10, 0x20, 0x40, 0x7F, 0x80, 0xFE, 0xFF};
    if (bytes->size < 8) return;
    size_t at = 4 + random_below(random, bytes->size - 4);
    size_t other = 4 + random_below(random, bytes->size - 4);
    size_t size = 1 + random_below(random, 8);
    switch (random_below(random, 12)) {
    case 0: bytes->size = at; break;
    case 1: bytes_splice(bytes, at, 1, NULL, 0); break;
    case 2: bytes_splice(bytes, at, 0, &telling[random_below(random, sizeof telling)], 1); break;
    case 3:
    case 4:
        if (at + size <= bytes->size && other + size <= bytes->size)
            memmove(bytes->data + at, bytes->data + other, size);
        break;
    case 5:
    case 6: bytes->data[at] ^= (uint8_t)(1u << random_below(random, 8)); break;
    case 7: bytes->data[at] = (uint8_t)random_below(random, 256); break;
    case 8: bytes->data[at] = (uint8_t)(bytes->data[at] + 2); break; // a varint's next number
    case 9: bytes->data[at] = (uint8_t)(bytes->data[at] - 2); break;
    default: bytes->data[at] = telling[random_below(random, sizeof telling)];
    }
}

static bool is_binary(const Bytes *bytes) {
    return bytes->size > 4 && memcmp(bytes->data, "ML\xefR", 4) == 0;
}

// A protobuf's first field is a short name, or a message.
static bool is_proto(const Bytes *bytes) {
    if (bytes->size < 4 || bytes->data[0] != 0x0a) return false;
    size_t size = bytes->size < 256 ? bytes->size : 256;
    for (size_t i = 1; i < size; i++) {
        if (bytes->data[i] < 9 || (bytes->data[i] > 13 && bytes->data[i] < 32)) return true;
    }
    return false;
}

void mutate(Bytes *bytes, Random *random) {
    bool is_gentle = random_below(random, 4) > 0;
    for (size_t n = 1 + random_below(random, is_gentle ? 6 : 3); n > 0 && bytes->size >= 4; n--) {
        if (is_binary(bytes)) {
            mutate_bytes(bytes, random);
        } else if (is_proto(bytes)) {
            if (random_below(random, 8) == 0 || !mutate_proto(bytes, random))
                mutate_bytes(bytes, random);
        } else if (is_gentle) {
            mutate_program(bytes, random);
        } else {
            mutate_tokens(bytes, random);
        }
    }
}

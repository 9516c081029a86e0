// replay: runs a fuzz target without libFuzzer, over files or over mutations of them.
//
//     fuzz_NAME FILE|FOLDER...                      each file as it is (what the tests do with tests/fuzz/seeds)
//     fuzz_NAME --mutate SEED COUNT FILE...         COUNT inputs, each a mutation of one of the files; two of three keep the syntax
//
// The mutated input that is being tried is in the file named by $FUZZ_INPUT, if set, so that a crash leaves it behind. An input that
// takes more than 10 s of processor time ends the program with SIGPROF.
#define _GNU_SOURCE

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Bytes {
    uint8_t *data;
    size_t size;
} Bytes;

static uint64_t state;

static size_t below(size_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (size_t)(state % limit) : 0;
}

static Bytes load(const char *path) {
    Bytes bytes = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file) return bytes;
    enum { MOST = 1 << 16 };
    bytes.data = malloc(MOST);
    if (bytes.data) bytes.size = fread(bytes.data, 1, MOST, file);
    fclose(file);
    return bytes;
}

static int is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// A word or a single character around a random place.
static void pick_token(const Bytes *bytes, size_t *start, size_t *size) {
    size_t at = below(bytes->size);
    size_t begin = at;
    size_t end = at + 1;
    while (begin > 0 && is_word(bytes->data[begin]) && is_word(bytes->data[begin - 1]))
        begin--;
    while (end < bytes->size && is_word(bytes->data[at]) && is_word(bytes->data[end]))
        end++;
    *start = begin;
    *size = end - begin;
}

// Replaces `removed` bytes at `at` by new ones.
static void splice(Bytes *bytes, size_t at, size_t removed, const uint8_t *with, size_t size) {
    uint8_t *data = malloc(bytes->size - removed + size + 1);
    if (!data) return;
    memcpy(data, bytes->data, at);
    if (size > 0) memcpy(data + at, with, size);
    memcpy(data + at + size, bytes->data + at + removed, bytes->size - at - removed);
    free(bytes->data);
    bytes->data = data;
    bytes->size = bytes->size - removed + size;
}

static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

// Is there `text` at `at`, not as a part of a longer number or name? (The x of 8x16xf32 ends a number.)
static int is_whole(const Bytes *bytes, size_t at, const char *text, size_t size) {
    if (bytes->size - at < size || memcmp(bytes->data + at, text, size) != 0) return 0;
    uint8_t before = at > 0 ? bytes->data[at - 1] : ' ',
            after = at + size < bytes->size ? bytes->data[at + size] : ' ';
    return (before == 'x' ||
            (!is_word(before) && before != '%' && before != '#' && before != '@')) &&
           (after == 'x' || !is_word(after));
}

static void replace_everywhere(Bytes *bytes, const char *old, const char *with) {
    size_t old_size = strlen(old), size = strlen(with);
    for (size_t at = 0; at + old_size <= bytes->size; at++) {
        if (!is_whole(bytes, at, old, old_size)) continue;
        splice(bytes, at, old_size, (const uint8_t *)with, size);
        at += size;
        if (bytes->size > 1 << 17) return;
    }
}

// Another number, or another element type, in every place: the program often stays valid, but looks unlike any that was written by hand.
static void rename_everywhere(Bytes *bytes) {
    static const char *const types[] = {"f32", "bf16", "f64",          "i1",       "i4", "ui8",
                                        "i32", "i64",  "complex<f32>", "f8E4M3FN", "f16"};
    static const char *const numbers[] = {"0", "1",  "2",  "3",   "5",   "7",   "8",
                                          "9", "17", "64", "100", "257", "1000"};
    enum { TYPES = sizeof types / sizeof types[0], NUMBERS = sizeof numbers / sizeof numbers[0] };
    if (below(3) == 0) {
        replace_everywhere(bytes, types[below(TYPES)], types[below(TYPES)]);
        return;
    }
    size_t at = below(bytes->size), size = 0;
    while (at < bytes->size && !is_digit(bytes->data[at]))
        at++;
    while (at > 0 && at < bytes->size && is_digit(bytes->data[at - 1]))
        at--;
    char old[8] = "";
    while (at + size < bytes->size && is_digit(bytes->data[at + size]) && size + 1 < sizeof old) {
        old[size] = (char)bytes->data[at + size];
        size++;
    }
    if (size == 0) return;
    const char *with = numbers[below(NUMBERS)];
    if (below(4) == 0) {
        splice(bytes, at, size, (const uint8_t *)with, strlen(with));
    } else {
        replace_everywhere(bytes, old, with);
    }
}

// A place where `text` stands, searched from a random place on; -1 = nowhere.
static long find_somewhere(const Bytes *bytes, const char *text) {
    size_t size = strlen(text), from = below(bytes->size);
    for (size_t i = 0; i < bytes->size; i++) {
        size_t at = (from + i) % bytes->size;
        if (bytes->size - at >= size && memcmp(bytes->data + at, text, size) == 0) return (long)at;
    }
    return -1;
}

// Another op with as many operands.
static void change_op(Bytes *bytes) {
    static const char *const unary[] = {
        "abs",    "negate", "exponential", "tanh",         "sqrt", "sign", "floor",
        "cosine", "not",    "popcnt",      "log_plus_one", "cbrt", "real", "logistic"};
    static const char *const binary[] = {
        "add",       "multiply", "subtract", "divide", "maximum", "minimum",    "power",
        "remainder", "and",      "or",       "xor",    "atan2",   "shift_left", "dynamic_slice"};
    enum { UNARY = sizeof unary / sizeof unary[0], BINARY = sizeof binary / sizeof binary[0] };
    int is_unary = below(3) == 0;
    char old[64], with[64];
    snprintf(
        old, sizeof old, "stablehlo.%s ", is_unary ? unary[below(UNARY)] : binary[below(BINARY)]);
    snprintf(
        with, sizeof with, "stablehlo.%s ", is_unary ? unary[below(UNARY)] : binary[below(BINARY)]);
    long at = find_somewhere(bytes, old);
    if (at >= 0) splice(bytes, (size_t)at, strlen(old), (const uint8_t *)with, strlen(with));
}

// Another value in the place of an operand.
static void change_operand(Bytes *bytes) {
    long to = find_somewhere(bytes, "%"), from = find_somewhere(bytes, "%");
    if (to < 0 || from < 0) return;
    size_t size = 1, with_size = 1;
    while (to + (long)size < (long)bytes->size && is_word(bytes->data[(size_t)to + size]))
        size++;
    while (from + (long)with_size < (long)bytes->size &&
           is_word(bytes->data[(size_t)from + with_size]))
        with_size++;
    uint8_t with[64];
    if (with_size > sizeof with) return;
    memcpy(with, bytes->data + from, with_size);
    splice(bytes, (size_t)to, size, with, with_size);
}

// Another dimension sharding, or a sharding where there is none (on the first mesh that is called @mesh).
static void change_sharding(Bytes *bytes) {
    static const char *const dims[] = {
        "{}",
        "{?}",
        "{\"x\"}",
        "{\"y\"}",
        "{\"x\", ?}",
        "{\"x\", \"y\"}",
        "{\"y\", \"x\"}",
        "{\"x\":(1)2}",
        "{\"x\":(2)2}",
        "{\"a\"}",
        "{\"b\"}",
        "{\"axis_0\"}",
        "{\"axis_1\"}",
        "{\"x\"}p1",
        "{?}p0"};
    enum { DIMS = sizeof dims / sizeof dims[0] };
    const char *with = dims[below(DIMS)];
    long mark = find_somewhere(bytes, "sharding<@");
    if (mark >= 0 && below(4) > 0) {
        size_t end = (size_t)mark, open = 0;
        for (size_t skipped = below(4);
             end < bytes->size && bytes->data[end] != '>' && bytes->data[end] != '\n'; end++) {
            if (bytes->data[end] == '{') open = end;
            if (bytes->data[end] == '}' && open && skipped-- == 0) break;
        }
        if (open && end < bytes->size && bytes->data[end] == '}') {
            splice(bytes, open, end + 1 - open, (const uint8_t *)with, strlen(with));
        }
        return;
    }
    char text[160];
    long at = find_somewhere(bytes, below(2) ? "xf32>," : "xf32>)");
    if (at < 0) return;
    snprintf(
        text, sizeof text, "xf32> {sdy.sharding = #sdy.sharding<@mesh, [%s%s%s]>}", with,
        below(3) ? ", " : "", below(3) ? dims[below(DIMS)] : "");
    splice(bytes, (size_t)at, 5, (const uint8_t *)text, strlen(text));
}

// A small change after which the program is often still valid, so that it gets farther than the reader.
static void mutate_gently(Bytes *bytes) {
    if (bytes->size < 4) return;
    switch (below(5)) {
    case 0: change_op(bytes); break;
    case 1: change_operand(bytes); break;
    case 2: change_sharding(bytes); break;
    default: rename_everywhere(bytes);
    }
}

static void mutate(Bytes *bytes) {
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
    if (bytes->size < 4) return;
    size_t start, size, other, other_size;
    pick_token(bytes, &start, &size);
    switch (below(10)) {
    case 8:
    case 9: rename_everywhere(bytes); break;
    case 0: bytes->size = below(bytes->size); break;                             // truncate
    case 1: bytes->data[below(bytes->size)] ^= (uint8_t)(1u << below(8)); break; // flip a bit
    case 2: splice(bytes, start, size, NULL, 0); break;                          // drop a token
    case 3: splice(bytes, start, 0, bytes->data + start, size); break;           // double a token
    case 4: { // copy a token elsewhere
        pick_token(bytes, &other, &other_size);
        uint8_t *copy = malloc(other_size);
        if (!copy) return;
        memcpy(copy, bytes->data + other, other_size);
        splice(bytes, start, size, copy, other_size);
        free(copy);
        break;
    }
    case 5: { // many of one character
        uint8_t many[600];
        memset(many, "([{<\"x0 "[below(8)], sizeof many);
        splice(bytes, start, 0, many, below(sizeof many));
        break;
    }
    default: {
        const char *word = words[below(sizeof words / sizeof words[0])];
        splice(bytes, start, below(2) ? size : 0, (const uint8_t *)word, strlen(word));
    }
    }
}

// Bytes of a binary file: most changes keep its size, so that what is counted in it stays right.
static void mutate_bytes(Bytes *bytes) {
    static const uint8_t telling[] = {0,    1,    2,    3,    4,    5,    7,   8,
                                      0x10, 0x20, 0x40, 0x7F, 0x80, 0xFE, 0xFF};
    if (bytes->size < 8) return;
    size_t at = 4 + below(bytes->size - 4);
    size_t other = 4 + below(bytes->size - 4);
    size_t size = 1 + below(8);
    switch (below(12)) {
    case 0: bytes->size = at; break;
    case 1: splice(bytes, at, 1, NULL, 0); break;
    case 2: splice(bytes, at, 0, &telling[below(sizeof telling)], 1); break;
    case 3:
    case 4:
        if (at + size <= bytes->size && other + size <= bytes->size)
            memmove(bytes->data + at, bytes->data + other, size);
        break;
    case 5:
    case 6: bytes->data[at] ^= (uint8_t)(1u << below(8)); break;
    case 7: bytes->data[at] = (uint8_t)below(256); break;
    case 8: bytes->data[at] = (uint8_t)(bytes->data[at] + 2); break; // a varint's next number
    case 9: bytes->data[at] = (uint8_t)(bytes->data[at] - 2); break;
    default: bytes->data[at] = telling[below(sizeof telling)];
    }
}

static int is_binary(const Bytes *bytes) {
    return bytes->size > 4 && memcmp(bytes->data, "ML\xefR", 4) == 0;
}

static void keep_input(const Bytes *bytes) {
    const char *path = getenv("FUZZ_INPUT"); // NOLINT(concurrency-mt-unsafe): one thread
    FILE *file = path ? fopen(path, "wb") : NULL;
    if (!file) return;
    if (bytes->size > 0) fwrite(bytes->data, 1, bytes->size, file);
    fclose(file);
}

static void try_input(const Bytes *bytes) {
    const struct itimerval limit = {.it_value = {.tv_sec = 10}}, none = {0};
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(bytes->data, bytes->size);
    setitimer(ITIMER_PROF, &none, NULL);
}

static int mutate_files(uint64_t seed, long count, int file_count, char **files) {
    state = seed * 0x9E3779B97F4A7C15u + 1;
    for (long i = 0; i < count; i++) {
        Bytes bytes = load(files[below((size_t)file_count)]);
        int is_gentle = below(3) > 0;
        for (size_t n = 1 + below(4); n > 0; n--) {
            if (is_binary(&bytes)) {
                mutate_bytes(&bytes);
            } else if (is_gentle) {
                mutate_gently(&bytes);
            } else {
                mutate(&bytes);
            }
        }
        keep_input(&bytes);
        try_input(&bytes);
        free(bytes.data);
    }
    printf("%ld inputs\n", count);
    return 0;
}

static void replay_file(const char *path) {
    Bytes bytes = load(path);
    if (bytes.data) try_input(&bytes);
    free(bytes.data);
}

static int replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        replay_file(path);
        return 1;
    }
    int count = 0;
    for (struct dirent *entry;
         (entry = readdir(folder));) { // NOLINT(concurrency-mt-unsafe): one thread
        if (entry->d_name[0] == '.') continue;
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        replay_file(name);
        count++;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    if (argc >= 5 && strcmp(argv[1], "--mutate") == 0) {
        return mutate_files(
            strtoull(argv[2], NULL, 10), strtol(argv[3], NULL, 10), argc - 4, argv + 4);
    }
    int count = 0;
    for (int i = 1; i < argc; i++) {
        count += replay(argv[i]);
    }
    printf("%d inputs\n", count);
    return 0;
}

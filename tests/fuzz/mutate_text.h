// A program's text while it is changed: places in it, and the values that it defines. For
// mutate_program.c and mutate_shardings.c.
#ifndef SHARDC_TESTS_MUTATE_TEXT_H
#define SHARDC_TESTS_MUTATE_TEXT_H

#include "tests/fuzz/mutate.h"

#include <string.h>

typedef struct Span {
    size_t start, size;
} Span;

typedef struct Text {
    Bytes *bytes;
    Random *random;
} Text;

static inline size_t below(const Text *text, size_t limit) {
    return random_below(text->random, limit);
}

static inline bool one_in(const Text *text, size_t n) { return below(text, n) == 0; }

static inline char char_at(const Text *text, size_t at) {
    return at < text->bytes->size ? (char)text->bytes->data[at] : '\n';
}

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

static inline bool has(const Text *text, size_t at, const char *word) {
    size_t size = strlen(word);
    return at + size <= text->bytes->size && memcmp(text->bytes->data + at, word, size) == 0;
}

static inline bool same(const Text *text, Span a, Span b) {
    return a.size == b.size &&
           memcmp(text->bytes->data + a.start, text->bytes->data + b.start, a.size) == 0;
}

void text_replace(const Text *text, Span span, const char *with);
// The text of a span, cut when it is too long.
const char *text_of_span(const Text *text, Span span, char *buffer, size_t capacity);
// Where `word` stands, searched from a random place on; the size of the text when nowhere.
size_t text_find(const Text *text, const char *word);
Span text_line_at(const Text *text, size_t at);
size_t text_next_line(const Text *text, Span line);
// The end of what opens at `at`: behind the bracket that closes it; `->` is none.
size_t text_skip_brackets(const Text *text, size_t at);

// ---- values ----

enum { MAX_VALUES = 200 };

typedef struct NamedValue {
    Span name; // with its %
    Span type;
    bool is_op; // defined by an op that stands on one line
} NamedValue;

typedef struct Values {
    NamedValue all[MAX_VALUES];
    int count;
} Values;

Span name_at(const Text *text, size_t at);
// Values with one type each, in the order in which they are defined.
void find_values(const Text *text, Values *values);
const NamedValue *find_value(const Text *text, const Values *values, Span name);
const NamedValue *random_value(const Text *text, const Values *values);
// Another value with the same type that is defined before a place.
const NamedValue *alike_value(
    const Text *text, const Values *values, const NamedValue *value, size_t before);
// Renames the uses behind a place: all of them, or one in two.
void rename_uses(const Text *text, size_t from, const char *old, const char *with, bool all);

// ---- shardings (mutate_shardings.c) ----

enum { MAX_MESH_AXES = 8, MAX_SHARDED_DIMS = 16 };

typedef struct FuzzAxis {
    char name[24];
    int size;
} FuzzAxis;

typedef struct FuzzMesh {
    char name[24]; // with its @; empty = there is none
    int axis_count;
    FuzzAxis axes[MAX_MESH_AXES];
} FuzzMesh;

typedef struct ShardingText {
    char text[800];
    size_t size;
} ShardingText;

// One of the program's meshes; a program without one gets one.
void random_mesh(const Text *text, FuzzMesh *mesh);
void append_text(ShardingText *out, const char *word);
// `<@mesh, [{"x"}, {?}], replicated={"y"}>` for a value of that rank.
void make_sharding(const Text *text, int rank, ShardingText *out);
int type_rank(const Text *text, Span type);
bool is_tensor(const Text *text, Span type);
// Another sharding in the place of one: of the same rank, new or from another place.
void change_sharding(const Text *text);
// A sharding for a value that has none.
void add_sharding(const Text *text);
void drop_sharding(const Text *text);
// Another size of an axis, one axis more, or two names exchanged.
void change_mesh(const Text *text);

#endif

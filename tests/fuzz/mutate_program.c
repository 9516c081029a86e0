// mutate_program: changes of a program's text that know how programs look: values and their types, ops on lines of their own, shardings and meshes,
// and the line `// RUN: --PASS...` of the golden tests. What comes out is often valid, so that it gets farther than the reader.
#include "tests/fuzz/mutate.h"
#include "tools/opt/opt_passes.h"

#include <stdio.h>
#include <string.h>

// ---- text ----

typedef struct Span {
    size_t start, size;
} Span;

typedef struct Text {
    Bytes *bytes;
    Random *random;
} Text;

static size_t below(const Text *text, size_t limit) { return random_below(text->random, limit); }

static bool one_in(const Text *text, size_t n) { return below(text, n) == 0; }

static char char_at(const Text *text, size_t at) {
    return at < text->bytes->size ? (char)text->bytes->data[at] : '\n';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

static bool has(const Text *text, size_t at, const char *word) {
    size_t size = strlen(word);
    return at + size <= text->bytes->size && memcmp(text->bytes->data + at, word, size) == 0;
}

static bool same(const Text *text, Span a, Span b) {
    return a.size == b.size &&
           memcmp(text->bytes->data + a.start, text->bytes->data + b.start, a.size) == 0;
}

static void replace(const Text *text, Span span, const char *with) {
    bytes_splice(text->bytes, span.start, span.size, with, strlen(with));
}

// The text of a span, cut when it is too long.
static const char *span_text(const Text *text, Span span, char *buffer, size_t capacity) {
    size_t size = span.size < capacity - 1 ? span.size : capacity - 1;
    memcpy(buffer, text->bytes->data + span.start, size);
    buffer[size] = 0;
    return buffer;
}

// Where `word` stands, searched from a random place on; the size of the text when nowhere.
static size_t find_somewhere(const Text *text, const char *word) {
    size_t size = text->bytes->size;
    size_t from = below(text, size);
    for (size_t i = 0; i < size; i++) {
        if (has(text, (from + i) % size, word)) return (from + i) % size;
    }
    return size;
}

static Span line_at(const Text *text, size_t at) {
    size_t start = at, end = at;
    while (start > 0 && char_at(text, start - 1) != '\n')
        start--;
    while (end < text->bytes->size && char_at(text, end) != '\n')
        end++;
    return (Span){start, end - start};
}

static size_t next_line(const Text *text, Span line) {
    size_t end = line.start + line.size;
    return end < text->bytes->size ? end + 1 : end;
}

// The end of what opens at `at`: behind the bracket that closes it; `->` is none.
static size_t skip_brackets(const Text *text, size_t at) {
    int depth = 0;
    for (; at < text->bytes->size; at++) {
        char c = char_at(text, at);
        if (strchr("([{<", c)) depth++;
        if (strchr(")]}", c) || (c == '>' && char_at(text, at - 1) != '-')) depth--;
        if (depth == 0) return at + 1;
    }
    return at;
}

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

static Span name_at(const Text *text, size_t at) {
    size_t end = at + 1;
    while (is_word(char_at(text, end)))
        end++;
    return (Span){at, end - at};
}

// tensor<...>, or a word such as !stablehlo.token.
static Span type_at(const Text *text, size_t at) {
    size_t end = at;
    while (is_word(char_at(text, end)) || char_at(text, end) == '!')
        end++;
    if (char_at(text, end) == '<') end = skip_brackets(text, end);
    return (Span){at, end - at};
}

// The last type of a line: that of its only result.
static Span last_type(const Text *text, Span line) {
    size_t end = line.start + line.size;
    for (size_t at = end; at > line.start + 3; at--) {
        if (!has(text, at - 2, ": ") && !has(text, at - 3, "-> ")) continue;
        Span type = type_at(text, at);
        return type.start + type.size == end ? type : (Span){0};
    }
    return (Span){0};
}

static bool starts_line(const Text *text, Span name, Span line) {
    for (size_t at = line.start; at < name.start; at++) {
        if (char_at(text, at) != ' ') return false;
    }
    return true;
}

// Values with one type each, in the order in which they are defined.
static void find_values(const Text *text, Values *values) {
    values->count = 0;
    for (size_t at = 0; at < text->bytes->size && values->count < MAX_VALUES; at++) {
        if (char_at(text, at) != '%') continue;
        NamedValue value = {.name = name_at(text, at)};
        size_t end = value.name.start + value.name.size;
        if (has(text, end, " = ")) {
            Span line = line_at(text, at);
            if (!starts_line(text, value.name, line)) continue;
            value.type = last_type(text, line);
            value.is_op = value.type.size > 0;
        } else if (has(text, end, ": ")) {
            value.type = type_at(text, end + 2);
        }
        if (value.type.size > 0) values->all[values->count++] = value;
    }
}

static const NamedValue *find_value(const Text *text, const Values *values, Span name) {
    for (int i = values->count - 1; i >= 0; i--) {
        const NamedValue *value = &values->all[i];
        if (value->name.start <= name.start && same(text, value->name, name)) return value;
    }
    return NULL;
}

static const NamedValue *random_value(const Text *text, const Values *values) {
    return values->count ? &values->all[below(text, (size_t)values->count)] : NULL;
}

// Another value with the same type that is defined before a place.
static const NamedValue *alike_value(
    const Text *text, const Values *values, const NamedValue *value, size_t before) {
    size_t from = below(text, (size_t)values->count);
    for (int i = 0; i < values->count; i++) {
        const NamedValue *other = &values->all[(from + (size_t)i) % (size_t)values->count];
        if (other != value && other->name.start < before && same(text, other->type, value->type))
            return other;
    }
    return NULL;
}

// Renames the uses behind a place: all of them, or one in two.
static void rename_uses(
    const Text *text, size_t from, const char *old, const char *with, bool all) {
    size_t old_size = strlen(old), with_size = strlen(with);
    for (size_t at = from; at < text->bytes->size; at++) {
        if (!has(text, at, old) || is_word(char_at(text, at + old_size))) continue;
        if (has(text, at + old_size, " = ") || has(text, at + old_size, ": ")) continue;
        if (!all && one_in(text, 2)) continue;
        bytes_splice(text->bytes, at, old_size, with, with_size);
        at += with_size - 1;
    }
}

static void change_operand(const Text *text) {
    Values values;
    find_values(text, &values);
    size_t at = find_somewhere(text, "%");
    if (at == text->bytes->size) return;
    Span name = name_at(text, at);
    const NamedValue *value = find_value(text, &values, name);
    if (!value || value->name.start == at) return;
    const NamedValue *other = one_in(text, 12)
                                  ? random_value(text, &values)
                                  : alike_value(text, &values, value, line_at(text, at).start);
    if (other)
        bytes_splice(
            text->bytes, name.start, name.size, text->bytes->data + other->name.start,
            other->name.size);
}

// Erases the line of an op; what used its result uses another value of the same type.
static void drop_op(const Text *text) {
    Values values;
    find_values(text, &values);
    const NamedValue *value = random_value(text, &values);
    if (!value || !value->is_op) return;
    const NamedValue *other = alike_value(text, &values, value, value->name.start);
    if (!other) return;
    char old[64], with[64];
    span_text(text, value->name, old, sizeof old);
    span_text(text, other->name, with, sizeof with);
    Span line = line_at(text, value->name.start);
    bytes_splice(text->bytes, line.start, next_line(text, line) - line.start, NULL, 0);
    rename_uses(text, line.start, old, with, true);
}

// Doubles the line of an op under another name, which some of the uses take.
static void double_op(const Text *text) {
    Values values;
    find_values(text, &values);
    const NamedValue *value = random_value(text, &values);
    if (!value || !value->is_op) return;
    char old[64], with[64], copy[1024];
    Span line = line_at(text, value->name.start);
    size_t end = value->name.start + value->name.size;
    span_text(text, value->name, old, sizeof old);
    snprintf(with, sizeof with, "%%z%zu", below(text, 100000));
    Span rest = {end, line.start + line.size - end};
    char buffer[900];
    snprintf(copy, sizeof copy, "%s%s\n", with, span_text(text, rest, buffer, sizeof buffer));
    size_t next = next_line(text, line);
    bytes_splice(text->bytes, next, 0, copy, strlen(copy));
    rename_uses(text, next + strlen(copy), old, with, false);
}

static void swap_lines(const Text *text) {
    Span first = line_at(text, below(text, text->bytes->size));
    size_t next = next_line(text, first);
    Span second = line_at(text, next);
    size_t end = next_line(text, second);
    if (second.start == first.start || end == next) return;
    char buffer[2048];
    if (end - first.start > sizeof buffer) return;
    memcpy(buffer, text->bytes->data + next, end - next);
    memcpy(buffer + (end - next), text->bytes->data + first.start, next - first.start);
    memcpy(text->bytes->data + first.start, buffer, end - first.start);
}

// ---- numbers and types ----

// Is there `word` at `at`, not as a part of a longer number or name? (The x of 8x16xf32 ends a number.)
static bool is_whole(const Text *text, size_t at, const char *word) {
    if (!has(text, at, word)) return false;
    char before = at > 0 ? char_at(text, at - 1) : ' ', after = char_at(text, at + strlen(word));
    return (before == 'x' || (!is_word(before) && !strchr("%#@", before))) &&
           (after == 'x' || !is_word(after));
}

static void replace_everywhere(const Text *text, const char *old, const char *with) {
    size_t old_size = strlen(old), size = strlen(with);
    for (size_t at = 0; at + old_size <= text->bytes->size; at++) {
        if (!is_whole(text, at, old)) continue;
        bytes_splice(text->bytes, at, old_size, with, size);
        at += size;
        if (text->bytes->size > 1 << 17) return;
    }
}

// Another element type in every place.
static void change_type(const Text *text) {
    static const char *const types[] = {"f32", "bf16", "f64",          "i1",       "i4", "ui8",
                                        "i32", "i64",  "complex<f32>", "f8E4M3FN", "f16"};
    enum { TYPES = sizeof types / sizeof types[0] };
    replace_everywhere(text, types[below(text, TYPES)], types[below(text, TYPES)]);
}

// Another number, mostly in every place where it stands: a dimension, an index, the size of an axis.
static void change_number(const Text *text) {
    static const char *const numbers[] = {"0", "1", "2",  "3",  "4",  "5",   "6",   "7",
                                          "8", "9", "12", "16", "17", "100", "257", "1000"};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    size_t at = below(text, text->bytes->size), size = 0;
    while (at < text->bytes->size && !is_digit(char_at(text, at)))
        at++;
    while (at > 0 && is_digit(char_at(text, at - 1)))
        at--;
    while (is_digit(char_at(text, at + size)))
        size++;
    if (size == 0 || size > 7) return;
    char old[8];
    span_text(text, (Span){at, size}, old, sizeof old);
    const char *with = numbers[below(text, NUMBERS)];
    if (one_in(text, 4))
        replace(text, (Span){at, size}, with);
    else
        replace_everywhere(text, old, with);
}

// ---- shardings ----

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

static int number_at(const Text *text, size_t at) {
    int number = 0;
    for (; is_digit(char_at(text, at)) && number < 100000; at++)
        number = number * 10 + (char_at(text, at) - '0');
    return number;
}

// The mesh that is declared at sdy.mesh.
static void read_mesh(const Text *text, size_t at, FuzzMesh *mesh) {
    *mesh = (FuzzMesh){0};
    while (at < text->bytes->size && char_at(text, at) != '@' && char_at(text, at) != '\n')
        at++;
    if (char_at(text, at) != '@') return;
    Span name = name_at(text, at);
    span_text(text, name, mesh->name, sizeof mesh->name);
    for (at += name.size; char_at(text, at) != '\n' && mesh->axis_count < MAX_MESH_AXES; at++) {
        if (char_at(text, at) != '"') continue;
        size_t end = at + 1;
        while (char_at(text, end) != '"' && char_at(text, end) != '\n')
            end++;
        if (!has(text, end, "\"=")) return;
        FuzzAxis *axis = &mesh->axes[mesh->axis_count++];
        span_text(text, (Span){at + 1, end - at - 1}, axis->name, sizeof axis->name);
        axis->size = number_at(text, end + 2);
        at = end + 1;
    }
}

// One of the program's meshes; a program without one gets one.
static void random_mesh(const Text *text, FuzzMesh *mesh) {
    size_t at = find_somewhere(text, "sdy.mesh @");
    if (at == text->bytes->size) {
        static const char declared[] = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n";
        size_t module = 0, start = 0;
        while (has(text, start, "//"))
            start = next_line(text, line_at(text, start));
        for (module = start; module < text->bytes->size && !has(text, module, "func"); module++) {
            if (has(text, module, "module")) start = next_line(text, line_at(text, module));
        }
        bytes_splice(text->bytes, start, 0, declared, sizeof declared - 1);
        at = start;
    }
    read_mesh(text, at, mesh);
}

typedef struct ShardingText {
    char text[800];
    size_t size;
} ShardingText;

static void append(ShardingText *out, const char *word) {
    size_t size = strlen(word);
    if (out->size + size >= sizeof out->text) return;
    memcpy(out->text + out->size, word, size + 1);
    out->size += size;
}

static void append_axis(const Text *text, ShardingText *out, const FuzzAxis *axis, bool split) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, "\"%s\"", axis->name);
    append(out, buffer);
    if (!split) return;
    int part = axis->size % 4 == 0 && one_in(text, 2) ? axis->size / 2 : 2;
    int before = one_in(text, 2) && part > 0 ? axis->size / part : 1;
    snprintf(buffer, sizeof buffer, ":(%d)%d", before, part);
    append(out, buffer);
}

// The axes that a random draw gave to one place: 0.. the dimensions, then replicated, then unreduced.
static int append_axes(
    const Text *text, ShardingText *out, const FuzzMesh *mesh, const int *places, int place) {
    int count = 0;
    for (int a = 0; a < mesh->axis_count; a++) {
        if (places[a] != place) continue;
        if (count++ > 0) append(out, ", ");
        const FuzzAxis *axis = &mesh->axes[a];
        append_axis(text, out, axis, axis->size > 2 && axis->size % 2 == 0 && one_in(text, 4));
    }
    return count;
}

static void append_dim(
    const Text *text, ShardingText *out, const FuzzMesh *mesh, const int *places, int d) {
    append(out, d > 0 ? ", {" : "{");
    int count = append_axes(text, out, mesh, places, d);
    bool is_open = one_in(text, 3);
    if (is_open) append(out, count ? ", ?" : "?");
    append(out, "}");
    if ((is_open || count > 0) && one_in(text, 10)) append(out, one_in(text, 2) ? "p1" : "p0");
}

// `<@mesh, [{"x"}, {?}], replicated={"y"}>` for a value of that rank.
static void make_sharding(const Text *text, int rank, ShardingText *out) {
    FuzzMesh mesh;
    int places[MAX_MESH_AXES];
    random_mesh(text, &mesh);
    for (int i = mesh.axis_count - 1; i > 0; i--) { // axes in any order
        size_t j = below(text, (size_t)i + 1);
        FuzzAxis axis = mesh.axes[i];
        mesh.axes[i] = mesh.axes[j];
        mesh.axes[j] = axis;
    }
    for (int a = 0; a < mesh.axis_count; a++) {
        places[a] = one_in(text, 3) ? -1 : (int)below(text, (size_t)rank);
        if (rank == 0 || one_in(text, 12)) places[a] = rank + (int)below(text, 3);
    }
    out->size = 0;
    append(out, "<");
    append(out, mesh.name[0] ? mesh.name : "@mesh");
    append(out, ", [");
    for (int d = 0; d < rank; d++)
        append_dim(text, out, &mesh, places, d);
    append(out, "]");
    static const char *const more[] = {", replicated={", ", unreduced={"};
    for (int m = 0; m < 2; m++) {
        size_t before = out->size;
        append(out, more[m]);
        if (append_axes(text, out, &mesh, places, rank + m) > 0) {
            append(out, "}");
        } else {
            out->text[out->size = before] = 0;
        }
    }
    append(out, ">");
}

// The rank of `<@mesh, [{}, {}]>`.
static int sharding_rank(const Text *text, Span span) {
    int rank = 0;
    for (size_t at = span.start; at < span.start + span.size && char_at(text, at) != ']'; at++) {
        if (char_at(text, at) == '{') rank++;
    }
    return rank < MAX_SHARDED_DIMS ? rank : MAX_SHARDED_DIMS;
}

static Span random_sharding(const Text *text) {
    size_t at = find_somewhere(text, "<@");
    if (at == text->bytes->size) return (Span){0};
    return (Span){at, skip_brackets(text, at) - at};
}

static int type_rank(const Text *text, Span type) {
    int rank = 0;
    for (size_t at = type.start; at < type.start + type.size; at++) {
        char before = char_at(text, at - 1);
        if (char_at(text, at) == 'x' && (is_digit(before) || before == '?')) rank++;
    }
    return rank < MAX_SHARDED_DIMS ? rank : MAX_SHARDED_DIMS;
}

static bool is_tensor(const Text *text, Span type) { return has(text, type.start, "tensor<"); }

// Another sharding in the place of one: of the same rank, new or from another place.
static void change_sharding(const Text *text) {
    ShardingText made;
    Span sharding = random_sharding(text);
    if (sharding.size == 0) return;
    Span other = random_sharding(text);
    if (one_in(text, 3) && sharding_rank(text, other) == sharding_rank(text, sharding)) {
        bytes_splice(
            text->bytes, sharding.start, sharding.size, text->bytes->data + other.start,
            other.size);
        return;
    }
    make_sharding(text, sharding_rank(text, sharding), &made);
    if (has(text, sharding.start, "<@")) replace(text, sharding, made.text);
}

// A sharding for a value that has none.
static void add_sharding(const Text *text) {
    Values values;
    ShardingText made;
    char attr[1024];
    FuzzMesh mesh;
    random_mesh(text, &mesh); // so that there is one before places are remembered
    find_values(text, &values);
    const NamedValue *value = random_value(text, &values);
    if (!value || !is_tensor(text, value->type)) return;
    make_sharding(text, type_rank(text, value->type), &made);
    if (!value->is_op) {
        size_t end = value->type.start + value->type.size;
        if (!has(text, end, ",") && !has(text, end, ")")) return;
        snprintf(attr, sizeof attr, " {sdy.sharding = #sdy.sharding%s}", made.text);
        bytes_splice(text->bytes, end, 0, attr, strlen(attr));
        return;
    }
    Span line = line_at(text, value->name.start);
    snprintf(attr, sizeof attr, " {sdy.sharding = #sdy.sharding_per_value<[%s]>}", made.text);
    for (size_t at = line.start; at < value->type.start; at++) {
        if (char_at(text, at) == '{') return;
        if (!has(text, at, " : ")) continue;
        bytes_splice(text->bytes, at, 0, attr, strlen(attr));
        return;
    }
}

static void drop_sharding(const Text *text) {
    size_t at = find_somewhere(text, " {sdy.sharding = ");
    if (at < text->bytes->size)
        bytes_splice(text->bytes, at, skip_brackets(text, at + 1) - at, NULL, 0);
}

// Another size of an axis, one axis more, or two names exchanged.
static void change_mesh(const Text *text) {
    static const int sizes[] = {1, 2, 2, 3, 4, 4, 6, 8, 16};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    FuzzMesh mesh;
    char old[64], with[96];
    random_mesh(text, &mesh);
    if (mesh.axis_count == 0) return;
    const FuzzAxis *axis = &mesh.axes[below(text, (size_t)mesh.axis_count)];
    const FuzzAxis *other = &mesh.axes[below(text, (size_t)mesh.axis_count)];
    int size = sizes[below(text, SIZES)];
    switch (below(text, 4)) {
    case 0:
        snprintf(old, sizeof old, "\"%s\"", axis->name);
        snprintf(with, sizeof with, "\"%s\"", other->name);
        for (size_t at = 0; at < text->bytes->size; at++) {
            bool is_old = has(text, at, old) && char_at(text, at + strlen(old)) != '=';
            if (is_old && one_in(text, 2))
                bytes_splice(text->bytes, at, strlen(old), with, strlen(with));
        }
        break;
    case 1:
        snprintf(old, sizeof old, "\"%s\"=", axis->name);
        snprintf(with, sizeof with, "\"w%zu\"=%d, ", below(text, 10), size);
        for (size_t at = 0; at < text->bytes->size; at++) {
            if (!has(text, at, old)) continue;
            bytes_splice(text->bytes, at, 0, with, strlen(with));
            break;
        }
        break;
    default:
        snprintf(old, sizeof old, "\"%s\"=%d", axis->name, axis->size);
        snprintf(with, sizeof with, "\"%s\"=%d", axis->name, size);
        for (size_t at = 0; at < text->bytes->size; at++) {
            if (!has(text, at, old)) continue;
            bytes_splice(text->bytes, at, strlen(old), with, strlen(with));
            break;
        }
    }
}

// ---- ops ----

// Another op with as many operands.
static void change_op(const Text *text) {
    static const char *const unary[] = {
        "abs",    "negate", "exponential", "tanh",         "sqrt", "sign", "floor",
        "cosine", "not",    "popcnt",      "log_plus_one", "cbrt", "real", "logistic"};
    static const char *const binary[] = {
        "add",       "multiply", "subtract", "divide", "maximum", "minimum",    "power",
        "remainder", "and",      "or",       "xor",    "atan2",   "shift_left", "dynamic_slice"};
    enum { UNARY = sizeof unary / sizeof unary[0], BINARY = sizeof binary / sizeof binary[0] };
    bool is_unary = one_in(text, 3);
    const char *old = is_unary ? unary[below(text, UNARY)] : binary[below(text, BINARY)];
    const char *with = is_unary ? unary[below(text, UNARY)] : binary[below(text, BINARY)];
    size_t start = find_somewhere(text, "stablehlo.");
    for (size_t at = start; at < text->bytes->size; at++) {
        if (!has(text, at, "stablehlo.") || !has(text, at + 10, old)) continue;
        if (is_word(char_at(text, at + 10 + strlen(old)))) continue;
        replace(text, (Span){at + 10, strlen(old)}, with);
        return;
    }
}

// New ops after a value: $v the value, $t its type, $r the result that takes the place of some of its uses, $s a sharding, $u the type
// with its dimensions reversed, $n names that are used once.
static const char *const templates[] = {
    "$r = sdy.sharding_constraint $v $s : $t\n",
    "$r = sdy.sharding_constraint $v $s : $t\n",
    "$r = sdy.reshard $v $s : $t\n",
    "$r = stablehlo.add $v, $v : $t\n",
    "$r = stablehlo.negate $v : $t\n",
    "$r = stablehlo.optimization_barrier $v : $t\n",
    "$r = sdy.propagation_barrier $v allowed_direction=NONE : $t\n",
    "$r = sdy.propagation_barrier $v allowed_direction=BACKWARD : $t\n",
    "$r = sdy.data_flow_edge $v sharding=$s : $t\n",
    "sdy.sharding_group $v group_id=0 : $t\n",
    "sdy.sharding_group $v group_id=1 : $t\n",
    "$n = stablehlo.transpose $v, dims = [1, 0] : ($t) -> $u\n"
    "$r = stablehlo.transpose $n, dims = [1, 0] : ($u) -> $t\n",
    "$n = stablehlo.reshape $v : ($t) -> $u\n$r = stablehlo.reshape $n : ($u) -> $t\n",
    "$r = stablehlo.reverse $v, dims = [0] : $t\n",
    "$r = sdy.manual_computation($v) in_shardings=[$s] out_shardings=[$s] manual_axes={} (%m: $t) "
    "{\n"
    "  sdy.return %m : $t\n} : ($t) -> $t\n",
    "$r = sdy.named_computation<\"foo\">($v) (%m: $t) {\n  sdy.return %m : $t\n} : ($t) -> $t\n",
    "%wt = stablehlo.constant dense<false> : tensor<i1>\n"
    "$r = stablehlo.while(%w = $v) : $t\n  cond {\n    stablehlo.return %wt : tensor<i1>\n  } do "
    "{\n"
    "    stablehlo.return %w : $t\n  }\n",
    "%wi = stablehlo.constant dense<0> : tensor<i32>\n"
    "$r = \"stablehlo.case\"(%wi) ({\n  stablehlo.return $v : $t\n}) : (tensor<i32>) -> $t\n",
};

// `tensor<2x3xf32>` as `tensor<3x2xf32>`.
static void reverse_type(const char *type, char *out, size_t capacity) {
    const char *start = strchr(type, '<');
    const char *end = start ? strrchr(type, 'x') : NULL;
    out[0] = 0;
    if (!end || end < start) {
        snprintf(out, capacity, "%s", type);
        return;
    }
    size_t size = (size_t)snprintf(out, capacity, "tensor<");
    for (const char *dim = end; dim > start && size + 32 < capacity;) {
        const char *last = dim;
        do
            dim--;
        while (dim > start && *dim != 'x');
        size +=
            (size_t)snprintf(out + size, capacity - size, "%.*sx", (int)(last - dim - 1), dim + 1);
    }
    snprintf(out + size, capacity - size, "%s", end + 1);
}

typedef struct OpWords {
    char value[64], type[200], reversed[200], result[32], once[32];
    ShardingText sharding;
} OpWords;

static const char *word_of(const OpWords *words, char letter) {
    switch (letter) {
    case 'v': return words->value;
    case 't': return words->type;
    case 'u': return words->reversed;
    case 'r': return words->result;
    case 'n': return words->once;
    default: return words->sharding.text;
    }
}

static size_t fill_template(const char *from, const OpWords *words, char *out, size_t capacity) {
    size_t size = 0;
    for (; *from; from++) {
        const char *word = *from == '$' ? word_of(words, *++from) : NULL;
        size_t length = word ? strlen(word) : 1;
        if (size + length >= capacity) return 0;
        memcpy(out + size, word ? word : from, length);
        size += length;
    }
    return size;
}

// Puts ops behind the op or the region's start that defines a value.
static void add_op(const Text *text) {
    Values values;
    OpWords words;
    char ops[4096];
    FuzzMesh mesh;
    random_mesh(text, &mesh); // so that there is one before places are remembered
    find_values(text, &values);
    const NamedValue *value = random_value(text, &values);
    if (!value || !is_tensor(text, value->type) || value->type.size >= sizeof words.type) return;
    Span line = line_at(text, value->name.start);
    if (!value->is_op && char_at(text, line.start + line.size - 1) != '{') return;
    make_sharding(text, type_rank(text, value->type), &words.sharding);
    span_text(text, value->name, words.value, sizeof words.value);
    span_text(text, value->type, words.type, sizeof words.type);
    reverse_type(words.type, words.reversed, sizeof words.reversed);
    size_t number = below(text, 100000);
    snprintf(words.result, sizeof words.result, "%%z%zu", number);
    snprintf(words.once, sizeof words.once, "%%z%zua", number);
    enum { TEMPLATES = sizeof templates / sizeof templates[0] };
    size_t size = fill_template(templates[below(text, TEMPLATES)], &words, ops, sizeof ops);
    size_t next = next_line(text, line);
    bytes_splice(text->bytes, next, 0, ops, size);
    rename_uses(text, next + size, words.value, words.result, one_in(text, 2));
}

// ---- the line of passes ----

// The way through the compiler, which a program takes up to a place.
static const char *const whole_way[] = {
    "sdy-propagation-pipeline",
    "shardc-separate-unreduced",
    "shardc-insert-reshards",
    "shardc-merge-equal-ops",
    "shardc-move-reshards",
    "shardc-reshard-to-collectives",
    "shardc-optimize-collectives",
    "shardc-hoist-collectives",
    "sdy-convert-global-to-local",
    "stablehlo-aggressive-simplification",
    "cse",
};

static const char *const pass_options[] = {
    "enable-full-version=true",
    "enable-halo-exchange=true",
    "dedup-functions-fully=true",
    "update-non-divisible-input-output-shardings=true",
    "enable-insert-explicit-collectives=true",
    "keep-sharding-rules=true",
    "inline-meshes=true",
    "keep-redundant-reshards=true",
    "add-data-flow-edges-on-named-computations=true",
    "per-dim-all-gather=true",
    "debug-propagation-edge-sharding=true",
    "debug-sharding-origins=true",
    "conservative-propagation=true",
    "propagation-strategy=basic-then-aggressive",
    "propagation-strategy=basic",
    "filter=stablehlo.add",
};

static void append_pass(const Text *text, ShardingText *out, const char *name) {
    enum { OPTIONS = sizeof pass_options / sizeof pass_options[0] };
    append(out, " --");
    append(out, name);
    if (strchr(name, '=') || !one_in(text, 4)) return;
    append(out, "=");
    append(out, pass_options[below(text, OPTIONS)]);
}

static void make_passes(const Text *text, ShardingText *out) {
    enum { STEPS = sizeof whole_way / sizeof whole_way[0] };
    size_t steps = one_in(text, 3) ? 0 : below(text, STEPS + 1);
    size_t more = steps == 0 || one_in(text, 2) ? 1 + below(text, 3) : 0;
    for (size_t i = 0; i < steps; i++) {
        if (!one_in(text, 12)) append_pass(text, out, whole_way[i]);
    }
    for (size_t i = 0; i < more; i++)
        append_pass(text, out, opt_pass((int)below(text, (size_t)opt_pass_count()))->name);
}

// Other passes; or none, which is the whole compiler's partitioning.
static void change_passes(const Text *text) {
    ShardingText made = {.size = 0};
    bool is_there = has(text, 0, "// RUN:");
    Span line = line_at(text, 0);
    if (!one_in(text, 3)) {
        append(&made, "// RUN:");
        make_passes(text, &made);
        append(&made, "\n");
    }
    bytes_splice(text->bytes, 0, is_there ? next_line(text, line) : 0, made.text, made.size);
}

void mutate_program(Bytes *bytes, Random *random) {
    Text text = {bytes, random};
    switch (below(&text, 16)) {
    case 0: change_op(&text); break;
    case 1: change_operand(&text); break;
    case 2: drop_op(&text); break;
    case 3: double_op(&text); break;
    case 4: swap_lines(&text); break;
    case 5:
    case 6:
    case 7: change_sharding(&text); break;
    case 8: add_sharding(&text); break;
    case 9: drop_sharding(&text); break;
    case 10: change_mesh(&text); break;
    case 11:
    case 12: add_op(&text); break;
    case 13: change_type(&text); break;
    case 14: change_number(&text); break;
    default: change_passes(&text);
    }
}

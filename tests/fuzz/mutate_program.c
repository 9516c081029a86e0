// mutate_program: changes of a program's text that know how programs look: values and their types,
// ops on lines of their own, shardings and meshes, and the line `// RUN: --PASS...` of the golden
// tests. What comes out is often valid, so that it gets farther than the reader.
#include "tests/fuzz/mutate_text.h"
#include "tools/opt/opt_passes.h"

#include <stdio.h>
#include <string.h>

static void change_operand(const Text *text) {
    Values values;
    find_values(text, &values);
    size_t at = text_find(text, "%");
    if (at == text->bytes->size) return;
    Span name = name_at(text, at);
    const NamedValue *value = find_value(text, &values, name);
    if (!value || value->name.start == at) return;
    const NamedValue *other = one_in(text, 12)
                                  ? random_value(text, &values)
                                  : alike_value(text, &values, value, text_line_at(text, at).start);
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
    text_of_span(text, value->name, old, sizeof old);
    text_of_span(text, other->name, with, sizeof with);
    Span line = text_line_at(text, value->name.start);
    bytes_splice(text->bytes, line.start, text_next_line(text, line) - line.start, NULL, 0);
    rename_uses(text, line.start, old, with, true);
}

// Doubles the line of an op under another name, which some of the uses take.
static void double_op(const Text *text) {
    Values values;
    find_values(text, &values);
    const NamedValue *value = random_value(text, &values);
    if (!value || !value->is_op) return;
    char old[64], with[64], copy[1024];
    Span line = text_line_at(text, value->name.start);
    size_t end = value->name.start + value->name.size;
    text_of_span(text, value->name, old, sizeof old);
    snprintf(with, sizeof with, "%%z%zu", below(text, 100000));
    Span rest = {end, line.start + line.size - end};
    char buffer[900];
    snprintf(copy, sizeof copy, "%s%s\n", with, text_of_span(text, rest, buffer, sizeof buffer));
    size_t next = text_next_line(text, line);
    bytes_splice(text->bytes, next, 0, copy, strlen(copy));
    rename_uses(text, next + strlen(copy), old, with, false);
}

static void swap_lines(const Text *text) {
    Span first = text_line_at(text, below(text, text->bytes->size));
    size_t next = text_next_line(text, first);
    Span second = text_line_at(text, next);
    size_t end = text_next_line(text, second);
    if (second.start == first.start || end == next) return;
    char buffer[2048];
    if (end - first.start > sizeof buffer) return;
    memcpy(buffer, text->bytes->data + next, end - next);
    memcpy(buffer + (end - next), text->bytes->data + first.start, next - first.start);
    memcpy(text->bytes->data + first.start, buffer, end - first.start);
}

// ---- numbers and types ----

// Is there `word` at `at`, not as a part of a longer number or name? (The x of 8x16xf32 ends a
// number.)
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

// Another number, mostly in every place where it stands: a dimension, an index, the size of an
// axis.
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
    text_of_span(text, (Span){at, size}, old, sizeof old);
    const char *with = numbers[below(text, NUMBERS)];
    if (one_in(text, 4))
        text_replace(text, (Span){at, size}, with);
    else
        replace_everywhere(text, old, with);
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
    size_t start = text_find(text, "stablehlo.");
    for (size_t at = start; at < text->bytes->size; at++) {
        if (!has(text, at, "stablehlo.") || !has(text, at + 10, old)) continue;
        if (is_word(char_at(text, at + 10 + strlen(old)))) continue;
        text_replace(text, (Span){at + 10, strlen(old)}, with);
        return;
    }
}

// New ops after a value: $v the value, $t its type, $r the result that takes the place of some of
// its uses, $s a sharding, $u the type with its dimensions reversed, $n names that are used once.
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
    Span line = text_line_at(text, value->name.start);
    if (!value->is_op && char_at(text, line.start + line.size - 1) != '{') return;
    make_sharding(text, type_rank(text, value->type), &words.sharding);
    text_of_span(text, value->name, words.value, sizeof words.value);
    text_of_span(text, value->type, words.type, sizeof words.type);
    reverse_type(words.type, words.reversed, sizeof words.reversed);
    size_t number = below(text, 100000);
    snprintf(words.result, sizeof words.result, "%%z%zu", number);
    snprintf(words.once, sizeof words.once, "%%z%zua", number);
    enum { TEMPLATES = sizeof templates / sizeof templates[0] };
    size_t size = fill_template(templates[below(text, TEMPLATES)], &words, ops, sizeof ops);
    size_t next = text_next_line(text, line);
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
    append_text(out, " --");
    append_text(out, name);
    if (strchr(name, '=') || !one_in(text, 4)) return;
    append_text(out, "=");
    append_text(out, pass_options[below(text, OPTIONS)]);
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
    Span line = text_line_at(text, 0);
    if (!one_in(text, 3)) {
        append_text(&made, "// RUN:");
        make_passes(text, &made);
        append_text(&made, "\n");
    }
    bytes_splice(text->bytes, 0, is_there ? text_next_line(text, line) : 0, made.text, made.size);
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

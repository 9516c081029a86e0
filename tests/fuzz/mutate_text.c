// mutate_text: see mutate_text.h.
#include "tests/fuzz/mutate_text.h"

void text_replace(const Text *text, Span span, const char *with) {
    bytes_splice(text->bytes, span.start, span.size, with, strlen(with));
}

const char *text_of_span(const Text *text, Span span, char *buffer, size_t capacity) {
    size_t size = span.size < capacity - 1 ? span.size : capacity - 1;
    memcpy(buffer, text->bytes->data + span.start, size);
    buffer[size] = 0;
    return buffer;
}

size_t text_find(const Text *text, const char *word) {
    size_t size = text->bytes->size;
    size_t from = below(text, size);
    for (size_t i = 0; i < size; i++) {
        if (has(text, (from + i) % size, word)) return (from + i) % size;
    }
    return size;
}

Span text_line_at(const Text *text, size_t at) {
    size_t start = at, end = at;
    while (start > 0 && char_at(text, start - 1) != '\n')
        start--;
    while (end < text->bytes->size && char_at(text, end) != '\n')
        end++;
    return (Span){start, end - start};
}

size_t text_next_line(const Text *text, Span line) {
    size_t end = line.start + line.size;
    return end < text->bytes->size ? end + 1 : end;
}

size_t text_skip_brackets(const Text *text, size_t at) {
    int depth = 0;
    for (; at < text->bytes->size; at++) {
        char c = char_at(text, at);
        if (strchr("([{<", c)) depth++;
        if (strchr(")]}", c) || (c == '>' && char_at(text, at - 1) != '-')) depth--;
        if (depth == 0) return at + 1;
    }
    return at;
}

Span name_at(const Text *text, size_t at) {
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
    if (char_at(text, end) == '<') end = text_skip_brackets(text, end);
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

void find_values(const Text *text, Values *values) {
    values->count = 0;
    for (size_t at = 0; at < text->bytes->size && values->count < MAX_VALUES; at++) {
        if (char_at(text, at) != '%') continue;
        NamedValue value = {.name = name_at(text, at)};
        size_t end = value.name.start + value.name.size;
        if (has(text, end, " = ")) {
            Span line = text_line_at(text, at);
            if (!starts_line(text, value.name, line)) continue;
            value.type = last_type(text, line);
            value.is_op = value.type.size > 0;
        } else if (has(text, end, ": ")) {
            value.type = type_at(text, end + 2);
        }
        if (value.type.size > 0) values->all[values->count++] = value;
    }
}

const NamedValue *find_value(const Text *text, const Values *values, Span name) {
    for (int i = values->count - 1; i >= 0; i--) {
        const NamedValue *value = &values->all[i];
        if (value->name.start <= name.start && same(text, value->name, name)) return value;
    }
    return NULL;
}

const NamedValue *random_value(const Text *text, const Values *values) {
    return values->count ? &values->all[below(text, (size_t)values->count)] : NULL;
}

const NamedValue *alike_value(
    const Text *text, const Values *values, const NamedValue *value, size_t before) {
    size_t from = below(text, (size_t)values->count);
    for (int i = 0; i < values->count; i++) {
        const NamedValue *other = &values->all[(from + (size_t)i) % (size_t)values->count];
        if (other != value && other->name.start < before && same(text, other->type, value->type))
            return other;
    }
    return NULL;
}

void rename_uses(const Text *text, size_t from, const char *old, const char *with, bool all) {
    size_t old_size = strlen(old), with_size = strlen(with);
    for (size_t at = from; at < text->bytes->size; at++) {
        if (!has(text, at, old) || is_word(char_at(text, at + old_size))) continue;
        if (has(text, at + old_size, " = ") || has(text, at + old_size, ": ")) continue;
        if (!all && one_in(text, 2)) continue;
        bytes_splice(text->bytes, at, old_size, with, with_size);
        at += with_size - 1;
    }
}

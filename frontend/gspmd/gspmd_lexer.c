// gspmd_lexer: words, numbers and lists of devices in the text of GSPMD's shardings.
#include "base/checked.h"
#include "frontend/gspmd/gspmd_digits.h"
#include "frontend/gspmd/gspmd_reader.h"

bool gspmd_fail(GspmdReader *reader, const char *problem) {
    if (!reader->problem) reader->problem = problem;
    return false;
}

static bool starts_with(const GspmdReader *reader, StrView text) {
    StrView rest = {reader->next, (size_t)(reader->end - reader->next)};
    return strview_starts_with(rest, text);
}

static void skip_to(GspmdReader *reader, StrView text) {
    while (reader->next < reader->end && !starts_with(reader, text))
        reader->next++;
    if (reader->next < reader->end) reader->next += text.size;
}

void gspmd_skip_blanks(GspmdReader *reader) {
    while (reader->next < reader->end) {
        if (starts_with(reader, SV("/*")))
            skip_to(reader, SV("*/"));
        else if (starts_with(reader, SV("//")))
            skip_to(reader, SV("\n"));
        else if (memchr(" \t\r\n", *reader->next, 4))
            reader->next++;
        else
            return;
    }
}

bool gspmd_looks_at(GspmdReader *reader, StrView text) {
    gspmd_skip_blanks(reader);
    return starts_with(reader, text);
}

bool gspmd_accept(GspmdReader *reader, StrView text) {
    if (!gspmd_looks_at(reader, text)) return false;
    reader->next += text.size;
    return true;
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '=';
}

bool gspmd_accept_word(GspmdReader *reader, StrView word) {
    if (!gspmd_looks_at(reader, word)) return false;
    const char *behind = reader->next + word.size;
    if (behind < reader->end && is_word_char(*behind)) return false;
    reader->next = behind;
    return true;
}

bool gspmd_expect(GspmdReader *reader, char c) {
    static const struct {
        char c;
        const char *problem;
    } problems[] = {{'{', "expected '{'"}, {'}', "expected '}'"}, {'[', "expected '['"},
                    {']', "expected ']'"}, {'(', "expected '('"}, {')', "expected ')'"},
                    {'=', "expected '='"}};
    StrView text = {&c, 1};
    if (gspmd_accept(reader, text)) return true;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        if (problems[i].c == c) gspmd_fail(reader, problems[i].problem);
    }
    return false;
}

bool gspmd_read_number(GspmdReader *reader, int64_t *number) {
    gspmd_skip_blanks(reader);
    const char *start = reader->next;
    while (reader->next < reader->end && *reader->next >= '0' && *reader->next <= '9')
        reader->next++;
    StrView digits = {start, (size_t)(reader->next - start)};
    return (digits.size > 0 && strview_to_int64(digits, number)) ||
           gspmd_fail(reader, "expected a number");
}

bool gspmd_read_numbers(GspmdReader *reader, GspmdNumbers *numbers) {
    do {
        int64_t number;
        if (!gspmd_read_number(reader, &number)) return false;
        if (numbers->count == GSPMD_MAX_DEVICES) return gspmd_fail(reader, "too many numbers");
        vec_push(reader->arena, numbers, number);
    } while (gspmd_accept(reader, SV(",")));
    return true;
}

bool gspmd_check_dims(GspmdReader *reader, int count, const int64_t *dims, int64_t *product) {
    *product = 1;
    for (int i = 0; i < count; i++) {
        if (dims[i] < 1) return gspmd_fail(reader, "dimensions must be at least 1");
        if (!checked_mul(*product, dims[i], product) || *product > GSPMD_MAX_DEVICES)
            return gspmd_fail(reader, "tilings of more than 65536 devices are not supported");
    }
    return true;
}

bool gspmd_read_dims(GspmdReader *reader, int *count, int64_t *dims, int64_t *product) {
    GspmdNumbers numbers = {0};
    if (!gspmd_expect(reader, '[')) return false;
    if (!gspmd_read_numbers(reader, &numbers)) return false;
    if (!gspmd_expect(reader, ']')) return false;
    if (numbers.count > GSPMD_MAX_DIMS) return gspmd_fail(reader, "too many dimensions");
    *count = (int)numbers.count;
    memcpy(dims, numbers.data, (size_t)*count * sizeof *dims);
    return gspmd_check_dims(reader, *count, dims, product);
}

static bool is_permutation(Arena *arena, int64_t count, const int64_t *numbers) {
    bool *seen = ARENA_ARRAY(arena, bool, count);
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] < 0 || numbers[i] >= count || seen[numbers[i]]) return false;
        seen[numbers[i]] = true;
    }
    return true;
}

const int64_t *gspmd_iota(
    GspmdReader *reader, int64_t count, int rank, const int64_t *reshape,
    const GspmdNumbers *permutation) {
    int64_t strides[GSPMD_MAX_DIMS], product;
    if (!gspmd_check_dims(reader, rank, reshape, &product)) return NULL;
    if (product != count) {
        gspmd_fail(reader, "the iota has another number of devices than the tiles");
        return NULL;
    }
    if (permutation->count != rank ||
        !is_permutation(reader->arena, permutation->count, permutation->data)) {
        gspmd_fail(reader, "T(..) must be a permutation of the iota's dimensions");
        return NULL;
    }
    int64_t stride = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= reshape[i];
    }
    int64_t *devices = ARENA_ARRAY(reader->arena, int64_t, product);
    for (int64_t p = 0; p < product; p++) {
        int64_t rest = p;
        for (int i = rank - 1; i >= 0; i--) {
            int64_t d = permutation->data[i];
            devices[p] += rest % reshape[d] * strides[d];
            rest /= reshape[d];
        }
    }
    return devices;
}

const int64_t *gspmd_read_iota(GspmdReader *reader, int64_t count) {
    int64_t reshape[GSPMD_MAX_DIMS], product;
    int rank;
    GspmdNumbers permutation = {0};
    if (!gspmd_read_dims(reader, &rank, reshape, &product)) return NULL;
    if (rank == 1) {
        vec_push(reader->arena, &permutation, 0);
    } else if (!gspmd_accept_word(reader, SV("T"))) {
        gspmd_fail(reader, "expected 'T(..)': the order of the iota's dimensions");
        return NULL;
    } else if (
        !gspmd_expect(reader, '(') || !gspmd_read_numbers(reader, &permutation) ||
        !gspmd_expect(reader, ')')) {
        return NULL;
    }
    return gspmd_iota(reader, count, rank, reshape, &permutation);
}

bool gspmd_set_device_list(
    GspmdReader *reader, const GspmdNumbers *devices, GspmdSharding *sharding) {
    if (devices->count != sharding->device_count)
        return gspmd_fail(reader, "the list has another number of devices than the tiles");
    if (devices->count == 1)
        return gspmd_fail(reader, "a tiling of one device is written {maximal device=..}");
    if (!is_permutation(reader->arena, devices->count, devices->data))
        return gspmd_fail(reader, "the list is no permutation of the devices");
    sharding->devices = devices->data;
    return true;
}

void gspmd_simplify(GspmdSharding *sharding) {
    int first = sharding->dim_count - sharding->group_count;
    if (sharding->open_dims != 0) return;
    for (int i = 0; i < first; i++) {
        if (sharding->dims[i] > 1) return;
    }
    GspmdKind kind = GSPMD_REPLICATED;
    bool seen = false;
    for (int i = 0; i < sharding->group_count; i++) {
        if (sharding->dims[first + i] == 1) continue;
        if (sharding->groups[i] == GSPMD_PINNED) return;
        if (seen && sharding->groups[i] != kind) return;
        kind = sharding->groups[i];
        seen = true;
    }
    sharding->kind = kind;
}

bool gspmd_skip_metadata(GspmdReader *reader) {
    int depth = 1;
    bool quoted = false;
    for (; reader->next < reader->end && depth > 0; reader->next++) {
        char c = *reader->next;
        if (quoted && c == '\\' && reader->next + 1 < reader->end) reader->next++;
        if (c == '"') quoted = !quoted;
        if (!quoted && c == '{') depth++;
        if (!quoted && c == '}') depth--;
    }
    return depth == 0 || gspmd_fail(reader, "metadata does not end");
}

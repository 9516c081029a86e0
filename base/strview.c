// Borrowed text: comparison, numbers, UTF-8, hashing.
#include "base/strview.h"

#include <stdlib.h>

int strview_compare(StrView a, StrView b) {
    size_t shorter = a.size < b.size ? a.size : b.size;
    int order = shorter ? memcmp(a.data, b.data, shorter) : 0;
    if (order) return order;
    return (a.size > b.size) - (a.size < b.size);
}

bool strview_ends_with(StrView text, StrView suffix) {
    if (text.size < suffix.size) return false;
    StrView tail = {text.data + (text.size - suffix.size), suffix.size};
    return strview_equal(tail, suffix);
}

bool strview_to_int64(StrView text, int64_t *number) {
    size_t i = text.size && (text.data[0] == '-' || text.data[0] == '+');
    bool negative = i && text.data[0] == '-';
    if (i == text.size) return false;
    int64_t sum = 0; // kept negative: the smallest int64_t has no positive counterpart
    for (; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return false;
        if (__builtin_mul_overflow(sum, (int64_t)10, &sum)) return false;
        if (__builtin_sub_overflow(sum, (int64_t)(text.data[i] - '0'), &sum)) return false;
    }
    if (!negative && sum == INT64_MIN) return false;
    *number = negative ? sum : -sum;
    return true;
}

// A number's characters only: strtod alone would take "0x1p3", "nan" and leading spaces.
static bool looks_like_decimal(StrView text) {
    bool has_digit = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c >= '0' && c <= '9')
            has_digit = true;
        else if (c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E')
            return false;
    }
    return has_digit;
}

bool strview_to_double(StrView text, double *number) {
    char copy[1200]; // the longest exact decimal of a double has 1077 characters
    if (text.size >= sizeof copy || !looks_like_decimal(text)) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    char *end = copy;
    double parsed = strtod(copy, &end);
    if (end != copy + text.size) { // the program's locale may want a comma
        char *point = strchr(copy, '.');
        if (!point) return false;
        *point = ',';
        parsed = strtod(copy, &end);
        if (end != copy + text.size) return false;
    }
    *number = parsed;
    return true;
}

size_t strview_utf8(StrView text) {
    if (text.size == 0) return 0;
    const unsigned char *s = (const unsigned char *)text.data;
    if (s[0] < 0x80) return 1;
    size_t size = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                  : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
                  : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                 : 0;
    if (size == 0 || size > text.size) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0; // overlong
    if (s[0] == 0xED && s[1] > 0x9F) return 0; // surrogates
    if (s[0] == 0xF0 && s[1] < 0x90) return 0; // overlong
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0; // beyond U+10FFFF
    return size;
}

static uint64_t hash_word(uint64_t hash, uint64_t word, uint64_t multiplier) {
    word *= multiplier;
    word ^= word >> 47;
    word *= multiplier;
    return (hash ^ word) * multiplier;
}

// MurmurHash2's mixing (Austin Appleby, public domain), eight bytes a step.
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed) {
    const uint64_t multiplier = 0xC6A4A7935BD1E995U;
    uint64_t hash = seed ^ (size * multiplier), word = 0;
    const unsigned char *bytes = data;
    for (; size >= sizeof word; size -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        hash = hash_word(hash, word, multiplier);
    }
    if (size) {
        word = 0;
        memcpy(&word, bytes, size);
        hash = hash_word(hash, word, multiplier);
    }
    hash ^= hash >> 47;
    hash *= multiplier;
    return hash ^ (hash >> 47);
}

bool strview_contains(StrView text, StrView part) {
    if (part.size == 0) return true;
    const char *end = text.data + text.size;
    for (const char *at = text.data; (size_t)(end - at) >= part.size; at++) {
        at = memchr(at, part.data[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) < part.size) return false;
        if (memcmp(at, part.data, part.size) == 0) return true;
    }
    return false;
}

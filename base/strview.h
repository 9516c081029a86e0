// Borrowed text: a pointer and a size, no NUL at the end.
#ifndef SHARDC_BASE_STRVIEW_H
#define SHARDC_BASE_STRVIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct StrView {
    const char *data; // borrowed
    size_t size;      // bytes
} StrView;

// A StrView of a string literal.
#define SV(literal)  ((StrView){(literal), sizeof(literal) - 1})
// For printf: printf("%.*s", SV_ARG(view)).
#define SV_ARG(view) ((int)(view).size), ((view).data)

static inline StrView strview(const char *text) { return (StrView){text, text ? strlen(text) : 0}; }

static inline bool strview_equal(StrView a, StrView b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool strview_is(StrView a, const char *text) {
    return strview_equal(a, strview(text));
}

static inline bool strview_starts_with(StrView text, StrView prefix) {
    return text.size >= prefix.size &&
           (prefix.size == 0 || memcmp(text.data, prefix.data, prefix.size) == 0);
}

int strview_compare(StrView a, StrView b);            // bytewise; <0, 0, >0
bool strview_ends_with(StrView text, StrView suffix); //
bool strview_contains(StrView text, StrView part);
bool strview_to_int64(StrView text, int64_t *number); // decimal, whole text; false if not
bool strview_to_double(StrView text, double *number); // whole text; false if not
// bytes of the UTF-8 character at its start; 0 if invalid or empty
size_t strview_utf8(StrView text);
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed); // stable from run to run

#endif

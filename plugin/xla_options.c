// xla_options: the options of compilation that callers give by name: only names of
// XLA's, with values that XLA takes.
#define _POSIX_C_SOURCE 200809L

#include "plugin/plugin.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS(set, words) static const char set[] = words;
#define BOOL(name)
#define INT32(name)
#define INT64(name)
#define FLOAT(name)
#define STRING(name)
#define MESSAGE(name)
#define CHOICE(name, set)
#define STRINGS(name)
#define MESSAGES(name)
#define CHOICES(name, set)
#include "plugin/xla_options.def"
#undef WORDS
#undef BOOL
#undef INT32
#undef INT64
#undef FLOAT
#undef STRING
#undef MESSAGE
#undef CHOICE
#undef STRINGS
#undef MESSAGES
#undef CHOICES

typedef enum Kind {
    KIND_BOOL,
    KIND_INT32,
    KIND_INT64,
    KIND_FLOAT,
    KIND_STRING,
    KIND_MESSAGE,
    KIND_ENUM
} Kind;

static const char *const kind_names[] = {"bool",   "int32",   "int64", "float",
                                         "string", "message", "enum"};

static const struct {
    const char *name;
    Kind kind;
    bool is_list;
    const char *words; // of an enum
} options[] = {
#define WORDS(set, words)
#define BOOL(name)         {#name, KIND_BOOL, false, NULL},
#define INT32(name)        {#name, KIND_INT32, false, NULL},
#define INT64(name)        {#name, KIND_INT64, false, NULL},
#define FLOAT(name)        {#name, KIND_FLOAT, false, NULL},
#define STRING(name)       {#name, KIND_STRING, false, NULL},
#define MESSAGE(name)      {#name, KIND_MESSAGE, false, NULL},
#define CHOICE(name, set)  {#name, KIND_ENUM, false, set},
#define STRINGS(name)      {#name, KIND_STRING, true, NULL},
#define MESSAGES(name)     {#name, KIND_MESSAGE, true, NULL},
#define CHOICES(name, set) {#name, KIND_ENUM, true, set},
#include "plugin/xla_options.def"
};

// ---- values

static bool is_number_text(const char *text, Kind kind) {
    const char *start = text;
    while (isspace((unsigned char)*start))
        start++;
    char *end = NULL;
    errno = 0;
    if (kind == KIND_FLOAT) {
        strtod(start, &end);
    } else {
        long long value = strtoll(start, &end, 10);
        if (errno || (kind != KIND_INT64 && (value < INT32_MIN || value > INT32_MAX))) return false;
    }
    if (end == start) return false;
    while (isspace((unsigned char)*end))
        end++;
    return *end == 0;
}

static bool is_word(const char *text, const char *words) {
    char spaced[128];
    int size = snprintf(spaced, sizeof spaced, " %s ", text);
    return size > 0 && (size_t)size < sizeof spaced && !strchr(text, ' ') && strstr(words, spaced);
}

static bool is_text_of(const char *text, Kind kind, const char *words) {
    switch (kind) {
    case KIND_BOOL: return strcmp(text, "True") == 0 || strcmp(text, "False") == 0;
    case KIND_INT32:
    case KIND_INT64:
    case KIND_FLOAT: return is_number_text(text, kind);
    case KIND_STRING: return true;
    case KIND_MESSAGE: return false;
    case KIND_ENUM: return is_number_text(text, KIND_INT32) || is_word(text, words);
    }
    return false;
}

static bool is_value_of(const OptionValue *value, Kind kind, bool is_list) {
    switch (value->kind) {
    case OPTION_TEXT: return false; // see is_text_of
    case OPTION_BOOL: return kind == KIND_BOOL || (kind == KIND_ENUM && is_list);
    case OPTION_INTEGER:
        if (kind == KIND_INT64) return true;
        return (kind == KIND_INT32 || kind == KIND_ENUM) && value->integer >= INT32_MIN &&
               value->integer <= INT32_MAX;
    case OPTION_NUMBER: return kind == KIND_FLOAT;
    }
    return false;
}

static PJRT_Error *bad_value(const char *name, const char *text, Kind kind) {
    return error_create(
        PJRT_INVALID_ARGUMENT, "While setting option %s, '%s' is not a valid %s value.", name, text,
        kind_names[kind]);
}

static PJRT_Error *check_texts(size_t option, char *text) {
    if (!options[option].is_list) {
        if (is_text_of(text, options[option].kind, options[option].words)) return NULL;
        return bad_value(options[option].name, text, options[option].kind);
    }
    while (*text) {
        size_t size = strcspn(text, ",");
        bool is_last = text[size] == 0;
        text[size] = 0;
        if (!is_text_of(text, options[option].kind, options[option].words))
            return bad_value(options[option].name, text, options[option].kind);
        text += size + !is_last;
    }
    return NULL;
}

PJRT_Error *xla_option_check(const char *name, const OptionValue *value) {
    size_t count = sizeof options / sizeof *options, i = 0;
    while (i < count && strcmp(options[i].name, name) != 0)
        i++;
    if (i == count)
        return error_create(PJRT_INVALID_ARGUMENT, "No such compile option: '%s'", name);
    if (value->kind == OPTION_TEXT) {
        char *copy = strdup(value->text);
        if (!copy) return error_out_of_memory();
        PJRT_Error *error = check_texts(i, copy);
        free(copy);
        return error;
    }
    if (is_value_of(value, options[i].kind, options[i].is_list)) return NULL;
    char text[32];
    if (value->kind == OPTION_NUMBER)
        snprintf(text, sizeof text, "%g", value->number);
    else
        snprintf(text, sizeof text, "%lld", (long long)value->integer);
    return bad_value(name, text, options[i].kind);
}

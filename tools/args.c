// args: a small table-driven option parser.
#define _GNU_SOURCE // O_PATH
#include "tools/args.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OPTIONS = 64 };

static bool set_number(const Option *option, const char *text) {
    char *end = NULL;
    errno = 0;
    if (option->kind == OPTION_INT) {
        long long number = strtoll(text, &end, 10);
        if (errno || end == text || *end || number < option->low || number > option->high) {
            fprintf(
                stderr, "shardc: %s needs a whole number from %lld to %lld, not '%s'\n",
                option->name, (long long)option->low, (long long)option->high, text);
            return false;
        }
        *(int64_t *)option->value = number;
        return true;
    }
    double number = strtod(text, &end);
    if (errno == ERANGE && fabs(number) < 1) errno = 0; // so small that it is 0
    if (errno || end == text || *end || !(number >= 0 && number <= (double)option->high)) {
        fprintf(
            stderr, "shardc: %s needs a number from 0 to %lld, not '%s'\n", option->name,
            (long long)option->high, text);
        return false;
    }
    *(double *)option->value = number;
    return true;
}

static bool set_value(const Option *option, const char *text) {
    bool may_be_empty = option->kind == OPTION_TEXT && option->low > 0;
    if (text && !*text && !may_be_empty) {
        fprintf(stderr, "shardc: %s has an empty value\n", option->name);
        return false;
    }
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)option->value = true; return true;
    case OPTION_TEXT: *(const char **)option->value = text; return true;
    case OPTION_WORD: *(const char **)option->value = text ? text : ""; return true;
    case OPTION_LIST: {
        TextList *list = option->value;
        const char **items = realloc(list->items, ((size_t)list->count + 1) * sizeof *list->items);
        if (!items) {
            fputs("shardc: out of memory\n", stderr);
            return false;
        }
        items[list->count] = text;
        *list = (TextList){items, list->count + 1};
        return true;
    }
    case OPTION_INT:
    case OPTION_DOUBLE: return set_number(option, text);
    }
    return false;
}

// An option that takes one value is given once: nobody knows which of two is meant.
static bool note_given(const Option *option, bool *given) {
    bool again = *given && option->kind != OPTION_FLAG && option->kind != OPTION_LIST;
    *given = true;
    if (again) fprintf(stderr, "shardc: %s is given twice\n", option->name);
    return !again;
}

// Handles argv[*i]; *i moves when the value is the next argument ("-o FILE", "--value %12").
static bool parse_option(
    int argc, char **argv, int *i, const Option *options, int option_count, bool *given) {
    const char *argument = argv[*i];
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    for (int k = 0; k < option_count; k++) {
        const Option *option = &options[k];
        if (strlen(option->name) != length || strncmp(option->name, argument, length) != 0) {
            continue;
        }
        if (!note_given(option, &given[k])) return false;
        if (option->kind == OPTION_FLAG) {
            if (!equals) return set_value(option, NULL);
            fprintf(stderr, "shardc: %s takes no value\n", option->name);
            return false;
        }
        if (equals) return set_value(option, equals + 1);
        if (option->kind == OPTION_WORD) return set_value(option, NULL);
        bool is_short = argument[1] != '-', has_next = *i + 1 < argc;
        if (has_next && (is_short || argv[*i + 1][0] != '-')) return set_value(option, argv[++*i]);
        fprintf(
            stderr, "shardc: %s needs a value: %s%s\n", option->name, option->name,
            is_short ? " VALUE" : "=VALUE");
        return false;
    }
    fprintf(stderr, "shardc: unknown option '%s'\n", argument);
    return false;
}

bool args_parse(int argc, char **argv, const Option *options, int option_count, int *count) {
    *count = 0;
    bool only_files = false, given[MAX_OPTIONS] = {false};
    assert(option_count <= MAX_OPTIONS);
    for (int i = 0; i < argc; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
        } else if (!only_files && argv[i][0] == '-' && argv[i][1]) {
            if (!parse_option(argc, argv, &i, options, option_count, given)) return false;
        } else {
            argv[(*count)++] = argv[i];
        }
    }
    return true;
}

void args_reserve_standard_streams(void) {
    int descriptor = open("/", O_PATH);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO)
        descriptor = open("/", O_PATH);
    if (descriptor >= 0) (void)close(descriptor);
}

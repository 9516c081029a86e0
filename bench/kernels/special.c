#define _GNU_SOURCE
#include "special.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *end_of_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end : at + strlen(at);
}

static const char *next_line(const char *at) {
    const char *end = end_of_line(at);
    return *end ? end + 1 : end;
}

static bool begins(const char *at, const char *word) {
    return strncmp(at, word, strlen(word)) == 0;
}

// The program whose name stands on the line `at`, or after it.
static bool enter_program(const char *at, Special *special) {
    while (*at && !begins(at, "program "))
        at = next_line(at);
    if (!*at) return false;
    special->name = at + strlen("program ");
    special->name_end = end_of_line(at);
    special->line = special->line_end = NULL;
    for (at = next_line(at); begins(at, "case "); at = next_line(at))
        ;
    special->body = at;
    while (*at && !begins(at, "program "))
        at = next_line(at);
    special->body_end = at;
    return true;
}

bool special_next(const char *text, Special *at) {
    for (;;) {
        const char *line = at->line_end   ? next_line(at->line_end)
                           : at->name_end ? next_line(at->name_end)
                                          : NULL;
        if (line && line < at->body) {
            at->line = line + strlen("case ");
            at->line_end = end_of_line(line);
            return true;
        }
        if (!enter_program(at->body_end ? at->body_end : text, at)) return false;
    }
}

void special_label(const Special *special, char *label, size_t size) {
    snprintf(
        label, size, "%.*s %.*s", (int)(special->name_end - special->name), special->name,
        (int)(special->line_end - special->line), special->line);
}

// The value of a parameter: its first character and, in `*end`, behind its last one.
static const char *parameter(const Special *special, char letter, const char **end) {
    const char *at = special->line;
    while (at + 1 < special->line_end) {
        const char *stop = at;
        while (stop < special->line_end && *stop != ' ')
            stop++;
        *end = stop;
        if (at[0] == letter && at[1] == '=') return at + 2;
        at = stop + (stop < special->line_end);
    }
    return NULL;
}

char *special_program(const Special *special, size_t *size) {
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    bool complete = to;
    for (const char *at = special->body; complete && at < special->body_end; at++) {
        const char *end, *value;
        if (*at != '$') {
            fputc(*at, to);
        } else if ((value = parameter(special, *++at, &end))) {
            fwrite(value, 1, (size_t)(end - value), to);
        } else {
            complete = false;
        }
    }
    if (to) fclose(to);
    if (complete) return text;
    free(text);
    return NULL;
}

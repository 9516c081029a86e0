// Programs of special.txt: a text with parameters per program, and the cases to measure.
#ifndef SHARDC_BENCH_SPECIAL_H
#define SHARDC_BENCH_SPECIAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Special {
    const char *name, *name_end; // in the file's text
    const char *line, *line_end; // the case: `N=8 M=4 T=f32`
    const char *body, *body_end;
} Special;

// The next case behind `*at`, which begins as (Special){0}; false at the end of the text.
bool special_next(const char *text, Special *at);
// "softmax N=8 M=4 T=f32"
void special_label(const Special *special, char *label, size_t size);
// The program: owned by the caller (free); NULL if a parameter is missing.
char *special_program(const Special *special, size_t *size);

#endif

// Reading GSPMD's shardings: what the forms of text share. Private to gspmd*.c.
#ifndef SHARDC_FRONTEND_GSPMD_READER_H
#define SHARDC_FRONTEND_GSPMD_READER_H

#include "frontend/gspmd/gspmd.h"

typedef struct GspmdReader {
    Arena *arena;
    const char *next, *end; // the text that is left
    const char *problem;    // the first one
} GspmdReader;

typedef VEC(int64_t) GspmdNumbers;

bool gspmd_fail(GspmdReader *reader, const char *problem); // returns false
// All skip blanks and comments first. A word ends where no letter, digit, '_' or '=' follows.
void gspmd_skip_blanks(GspmdReader *reader);
bool gspmd_accept(GspmdReader *reader, StrView text);
bool gspmd_accept_word(GspmdReader *reader, StrView word);
bool gspmd_expect(GspmdReader *reader, char c);
bool gspmd_looks_at(GspmdReader *reader, StrView text);
bool gspmd_read_number(GspmdReader *reader, int64_t *number);
bool gspmd_read_numbers(GspmdReader *reader, GspmdNumbers *numbers);                    // n,n,..
bool gspmd_read_dims(GspmdReader *reader, int *count, int64_t *dims, int64_t *product); // [n,n,..]
// [reshape]T(permutation): iota over `reshape`, transposed, in row-major order; `count` of them.
const int64_t *gspmd_read_iota(GspmdReader *reader, int64_t count);
bool gspmd_skip_metadata(GspmdReader *reader); // behind its '{'
// Behind `mesh[` or `maximal_mesh[`, up to and with the last '}'.
bool gspmd_read_named(GspmdReader *reader, bool maximal, GspmdSharding *sharding);

// What all forms come to.
bool gspmd_check_dims(GspmdReader *reader, int count, const int64_t *dims, int64_t *product);
const int64_t *gspmd_iota(
    GspmdReader *reader, int64_t count, int rank, const int64_t *reshape,
    const GspmdNumbers *permutation);
bool gspmd_set_device_list(
    GspmdReader *reader, const GspmdNumbers *devices, GspmdSharding *sharding);
void gspmd_simplify(GspmdSharding *sharding);
// A sharding as text alone (gspmd_text.c).
bool gspmd_parse_text(Arena *arena, StrView text, GspmdSharding *sharding, const char **problem);
#endif

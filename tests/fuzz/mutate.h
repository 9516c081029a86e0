// Random changes of inputs: of bytes, of tokens, and of programs such that they are often still
// valid.
#ifndef SHARDC_TESTS_MUTATE_H
#define SHARDC_TESTS_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Bytes {
    uint8_t *data; // malloc
    size_t size;
} Bytes;

typedef struct Random {
    uint64_t state;
} Random;

Random random_seeded(uint64_t seed);
size_t random_below(Random *random, size_t limit); // 0 for limit 0

// Replaces `removed` bytes at `at` by others, which may lie in `bytes`.
void bytes_splice(Bytes *bytes, size_t at, size_t removed, const void *with, size_t size);

// Some changes, of the kind that fits the content.
void mutate(Bytes *bytes, Random *random);

// One change of a program's text after which it is often valid (mutate_program.c).
void mutate_program(Bytes *bytes, Random *random);

// One change of a protobuf, whose lengths stay right (mutate_proto.c); false when it is none.
bool mutate_proto(Bytes *bytes, Random *random);

#endif

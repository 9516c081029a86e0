// Reading the numbers of MLIR bytecode from memory. A stream never reads beyond its end: the
// first read that would fails the stream, and every later one returns zero, so that a caller may
// check once at the end of a record.
#ifndef SHARDC_FRONTEND_BYTE_STREAM_H
#define SHARDC_FRONTEND_BYTE_STREAM_H

#include "base/strview.h"

#include <stdbool.h>

typedef struct ByteStream {
    const unsigned char *at, *end; // borrowed
    bool failed;
} ByteStream;

ByteStream byte_stream(StrView bytes);
unsigned char stream_byte(ByteStream *stream);
StrView stream_bytes(ByteStream *stream, uint64_t size); // borrowed
StrView stream_cstring(ByteStream *stream);              // without its NUL, which must be there
// 1 to 9 bytes: the trailing zero bits of the first byte say how many follow.
uint64_t stream_varint(ByteStream *stream);
int64_t stream_svarint(ByteStream *stream);              // zigzag: 0, -1, 1, -2 ...
uint64_t stream_flagged(ByteStream *stream, bool *flag); // the lowest bit is a flag
// How many items of at least one byte each follow; fails when so many bytes are not there.
int stream_count(ByteStream *stream);
// The bits of a number of `width` bits, up to 64.
uint64_t stream_bits(ByteStream *stream, int width);
static inline bool stream_at_end(const ByteStream *stream) { return stream->at == stream->end; }

#endif

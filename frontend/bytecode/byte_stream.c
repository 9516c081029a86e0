// byte_stream: reading the numbers of MLIR bytecode.
#include "frontend/bytecode/byte_stream.h"

ByteStream byte_stream(StrView bytes) {
    // An empty view may have no address, and nothing may be added to none.
    const unsigned char *data = (const unsigned char *)(bytes.data ? bytes.data : "");
    return (ByteStream){data, data + bytes.size, false};
}

static size_t bytes_left(const ByteStream *stream) {
    return stream->failed ? 0 : (size_t)(stream->end - stream->at);
}

unsigned char stream_byte(ByteStream *stream) {
    if (bytes_left(stream) == 0) {
        stream->failed = true;
        return 0;
    }
    return *stream->at++;
}

StrView stream_bytes(ByteStream *stream, uint64_t size) {
    if (bytes_left(stream) < size) {
        stream->failed = true;
        return (StrView){"", 0};
    }
    StrView bytes = {(const char *)stream->at, (size_t)size};
    stream->at += size;
    return bytes;
}

StrView stream_cstring(ByteStream *stream) {
    size_t left = bytes_left(stream);
    const unsigned char *nul = left ? memchr(stream->at, 0, left) : NULL;
    if (!nul) {
        stream->failed = true;
        return (StrView){"", 0};
    }
    StrView text = {(const char *)stream->at, (size_t)(nul - stream->at)};
    stream->at = nul + 1;
    return text;
}

uint64_t stream_varint(ByteStream *stream) {
    unsigned first = bytes_left(stream) ? *stream->at : 0;
    int zeros = first ? __builtin_ctz(first) : 8;
    StrView bytes = stream_bytes(stream, (uint64_t)zeros + 1);
    uint64_t number = 0;
    size_t skipped = zeros == 8;
    for (size_t i = skipped; i < bytes.size; i++)
        number |= (uint64_t)(unsigned char)bytes.data[i] << (8 * (i - skipped));
    return zeros == 8 ? number : number >> (zeros + 1);
}

int64_t stream_svarint(ByteStream *stream) {
    uint64_t number = stream_varint(stream);
    return (int64_t)((number >> 1) ^ (0 - (number & 1)));
}

uint64_t stream_flagged(ByteStream *stream, bool *flag) {
    uint64_t number = stream_varint(stream);
    *flag = number & 1;
    return number >> 1;
}

int stream_count(ByteStream *stream) {
    uint64_t count = stream_varint(stream);
    if (count <= bytes_left(stream) && count <= INT32_MAX) return (int)count;
    stream->failed = true;
    return 0;
}

uint64_t stream_bits(ByteStream *stream, int width) {
    if (width <= 8) return stream_byte(stream);
    uint64_t bits = (uint64_t)stream_svarint(stream);
    return width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits;
}

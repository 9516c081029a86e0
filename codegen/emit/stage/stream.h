// Streamed stores of a loop nest: see stream.c.
#ifndef SHARDC_CODEGEN_STREAM_H
#define SHARDC_CODEGEN_STREAM_H

#include "codegen/emit/stage/nest.h"
#include "codegen/plan/streams.h"

typedef struct Stream {
    int store_count;
    const Store *stores;
    int64_t block;                          // elements of an array
    LLVMValueRef arrays[MAX_STREAM_STORES]; // by store; one for all that store the same value
} Stream;

// Do these stores of the kernel go around the caches?
static inline bool emit_streams(
    const Emit *e, const Space *space, int store_count, const Store *stores) {
    return stream_pays(e->kernel, e->program->device_count, e->target, space, store_count, stores);
}
// Writes lines around the caches.
void stream_lines(Emit *e, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes);
void stream_begin(Emit *e, Stream *stream, int store_count, const Store *stores);
// The first of [low, high) whose element begins a line of memory, where the output's element at
// `low` lies at `address`; else high.
LLVMValueRef stream_line(
    Emit *e, const Value *output, LLVMValueRef address, LLVMValueRef low, LLVMValueRef high);
LLVMValueRef stream_begins_line(Emit *e, LLVMValueRef address); // i1
void stream_direct(Emit *e, bool streams); // from now on: stores in loops from such an element on
// From now on stores go to the arrays, at `place`; NULL: to memory again.
void stream_detour(Emit *e, const Stream *stream, LLVMValueRef place);
// Copies `count` elements of the output's type.
void stream_copy(
    Emit *e, const Value *output, LLVMValueRef to, LLVMValueRef from, LLVMValueRef count);
// Writes the arrays' first `count` elements to where the stores go at the substitution's place.
void stream_out(Emit *e, const Stream *stream, Substitution *s, LLVMValueRef count);

#endif

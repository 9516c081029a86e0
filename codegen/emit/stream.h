// Streamed stores of a loop nest: see stream.c.
#ifndef SHARDC_CODEGEN_STREAM_H
#define SHARDC_CODEGEN_STREAM_H

#include "codegen/emit/nest.h"

enum { MAX_STREAMED = 4, STREAM_BLOCK_BYTES = 4096 };

typedef struct Stream {
    LLVMValueRef arrays[MAX_STREAMED]; // one per output, stream_block elements
} Stream;

// Is the kernel's result so large, and its inner axis contiguous in all outputs? Outputs of one shape only.
bool stream_pays(const Emit *e, const Space *space, bool by_rows);
// Is the kernel's result larger than the caches keep, and new memory?
bool stream_fits(const Emit *e);
// Writes lines around the caches.
void stream_lines(Emit *e, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes);
int64_t stream_block(const Emit *e); // elements
void stream_begin(Emit *e, Stream *stream);
// May the stores stream from registers? One output, in a loop that computes its elements: a copy would become a call of memcpy.
bool stream_is_direct(const Emit *e, const Expr *value);
// The first of [low, high) whose element begins a line of memory, where the output's element at `low` lies at `address`; else high.
LLVMValueRef stream_line(
    Emit *e, const Value *output, LLVMValueRef address, LLVMValueRef low, LLVMValueRef high);
void stream_direct(Emit *e, bool streams); // from now on: stores in loops from such an element on
// From now on stores go to the arrays, at `place`; NULL: to memory again.
void stream_detour(Emit *e, const Stream *stream, LLVMValueRef place);
// Copies `count` elements of the output's type.
void stream_copy(
    Emit *e, const Value *output, LLVMValueRef to, LLVMValueRef from, LLVMValueRef count);
// Writes the arrays' first `count` elements to where the outputs have their element at `index`.
void stream_out(Emit *e, const Stream *stream, const IndexExpr *const *index, LLVMValueRef count);
// The same for one output, whose first element lies at `to`.
void stream_out_one(
    Emit *e, const Stream *stream, const Value *output, LLVMValueRef to, LLVMValueRef count);

#endif

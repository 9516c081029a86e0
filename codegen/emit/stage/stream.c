// Streamed stores: results that are larger than the caches are written around them, which saves
// reading each line before it is written.
//
// The loop's results go to a local array, block by block, and from there to memory in
// whole lines by non-temporal stores. (LLVM's vectoriser does not make non-temporal
// stores of unaligned rows itself.)
#include "codegen/emit/stage/stream.h"

#include <string.h>

enum { LINE = 64, BLOCK_BYTES = 4096, ARRAYS_BYTES = 16 << 10 };

// Memory to copy; the builder stands in the function `within`.
typedef struct Run {
    LLVMValueRef within, to, from, bytes;
} Run;

static LLVMBasicBlockRef block(Emit *e, const Run *run, const char *name) {
    return LLVMAppendBasicBlockInContext(e->context, run->within, name);
}

static LLVMValueRef behind(Emit *e, LLVMValueRef address, LLVMValueRef bytes) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    return LLVMBuildInBoundsGEP2(e->builder, i8, address, &bytes, 1, "");
}

// A part of a line, if there is one: a call takes as long as several lines.
static void copy_if_any(Emit *e, const Run *run) {
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef copy = block(e, run, "copy"), done = block(e, run, "done");
    LLVMValueRef zero = emit_i64_constant(e, 0);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, run->bytes, zero, ""), copy, done);
    LLVMPositionBuilderAtEnd(b, copy);
    LLVMBuildMemCpy(b, run->to, 1, run->from, 1, run->bytes);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
}

static void store_around(Emit *e, LLVMValueRef line, LLVMValueRef address) {
    LLVMValueRef store = LLVMBuildStore(e->builder, line, address);
    LLVMSetAlignment(store, LINE);
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0));
    LLVMSetMetadata(
        store, LLVMGetMDKindIDInContext(e->context, "nontemporal", 11),
        LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, &one, 1)));
}

// Whole lines, from the run's byte `first` to `end`.
static void copy_lines(Emit *e, const Run *run, LLVMValueRef first, LLVMValueRef end) {
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i64 = emit_i64(e), line = LLVMVectorType(i64, LINE / 8);
    LLVMBasicBlockRef start = LLVMGetInsertBlock(b), loop = block(e, run, "loop"),
                      body = block(e, run, "body"), exit = block(e, run, "exit");
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef at = LLVMBuildPhi(b, i64, "at");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, at, end, ""), body, exit);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef load = LLVMBuildLoad2(b, line, behind(e, run->from, at), "");
    LLVMSetAlignment(load, 1);
    store_around(e, load, behind(e, run->to, at));
    LLVMValueRef next = LLVMBuildAdd(b, at, emit_i64_constant(e, LINE), "");
    LLVMBuildBr(b, loop);
    LLVMValueRef starts[2] = {first, next};
    LLVMBasicBlockRef blocks[2] = {start, body};
    LLVMAddIncoming(at, starts, blocks, 2);
    LLVMPositionBuilderAtEnd(b, exit);
}

// void stream(ptr to, ptr from, i64 bytes): whole lines of `to` by
// non-temporal stores, the ends as usual.
static LLVMValueRef stream_function(Emit *e) {
    LLVMValueRef known = LLVMGetNamedFunction(e->module, "stream");
    if (known) return known;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef back = LLVMGetInsertBlock(b);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = emit_i64(e);
    LLVMTypeRef types[3] = {pointer, pointer, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, 3, 0);
    LLVMValueRef function = LLVMAddFunction(e->module, "stream", type);
    LLVMSetLinkage(function, LLVMPrivateLinkage);
    emit_function_attributes(e, function);
    Run run = {
        function, LLVMGetParam(function, 0), LLVMGetParam(function, 1), LLVMGetParam(function, 2)};
    LLVMPositionBuilderAtEnd(b, block(e, &run, "entry"));
    LLVMValueRef head = LLVMBuildNeg(b, LLVMBuildPtrToInt(b, run.to, i64, ""), "");
    head = LLVMBuildAnd(b, head, emit_i64_constant(e, LINE - 1), "");
    LLVMValueRef both[2] = {head, run.bytes};
    head = emit_intrinsic(e, "llvm.umin", i64, 2, both);
    copy_if_any(e, &(Run){function, run.to, run.from, head});
    LLVMValueRef lines = LLVMBuildAnd(
        b, LLVMBuildSub(b, run.bytes, head, ""), emit_i64_constant(e, ~(int64_t)(LINE - 1)), "");
    LLVMValueRef end = LLVMBuildAdd(b, head, lines, "");
    copy_lines(e, &run, head, end);
    Run tail = {
        function, behind(e, run.to, end), behind(e, run.from, end),
        LLVMBuildSub(b, run.bytes, end, "")};
    copy_if_any(e, &tail);
    LLVMBuildRetVoid(b);
    LLVMPositionBuilderAtEnd(b, back);
    return function;
}

LLVMValueRef stream_line(
    Emit *e, const Value *output, LLVMValueRef address, LLVMValueRef low, LLVMValueRef high) {
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i64 = emit_i64(e);
    int64_t size = (int64_t)element_bytes(output->type->element);
    LLVMValueRef head = LLVMBuildNeg(b, LLVMBuildPtrToInt(b, address, i64, ""), "");
    head = LLVMBuildAnd(b, head, emit_i64_constant(e, LINE - 1), "");
    LLVMValueRef rest = LLVMBuildURem(b, head, emit_i64_constant(e, size), "");
    head = LLVMBuildUDiv(b, head, emit_i64_constant(e, size), "");
    LLVMValueRef both[2] = {LLVMBuildNSWAdd(b, low, head, ""), high};
    LLVMValueRef line = emit_intrinsic(e, "llvm.smin", i64, 2, both);
    // An array of the caller that does not even lie at a multiple of its
    // elements' size has no such element.
    LLVMValueRef fits = LLVMBuildICmp(b, LLVMIntEQ, rest, emit_i64_constant(e, 0), "");
    return LLVMBuildSelect(b, fits, line, high, "");
}

LLVMValueRef stream_begins_line(Emit *e, LLVMValueRef address) {
    LLVMValueRef at = LLVMBuildPtrToInt(e->builder, address, emit_i64(e), "");
    at = LLVMBuildAnd(e->builder, at, emit_i64_constant(e, LINE - 1), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, at, emit_i64_constant(e, 0), "");
}

void stream_direct(Emit *e, bool streams) {
    e->state->needs_store_fence = true;
    e->state->streams = streams;
}

void stream_begin(Emit *e, Stream *stream, int store_count, const Store *stores) {
    *stream = (Stream){.store_count = store_count, .stores = stores};
    e->state->needs_store_fence = true;
    size_t largest = 1;
    for (int i = 0; i < store_count; i++) {
        size_t size = element_bytes(stores[i].output->type->element);
        if (size > largest) largest = size;
    }
    int64_t bytes = ARRAYS_BYTES / stream_value_count(store_count, stores);
    stream->block = (bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES) / LINE * LINE / (int64_t)largest;
    for (int i = 0; i < store_count; i++) {
        ElementType element = stores[i].output->type->element;
        for (int j = 0; j < i && !stream->arrays[i]; j++) {
            if (stores[j].value == stores[i].value && stores[j].output == stores[i].output)
                stream->arrays[i] = stream->arrays[j];
        }
        if (!stream->arrays[i])
            stream->arrays[i] = emit_alloca(e, emit_memory_type(e, element), stream->block, LINE);
    }
}

void stream_detour(Emit *e, const Stream *stream, LLVMValueRef place) {
    for (int i = 0; i < stream->store_count; i++)
        e->state->detours[i] = (StoreDetour){place ? stream->arrays[i] : NULL, place};
}

void stream_lines(Emit *e, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bytes) {
    e->state->needs_store_fence = true;
    LLVMValueRef function = stream_function(e), arguments[3] = {to, from, bytes};
    LLVMBuildCall2(e->builder, LLVMGlobalGetValueType(function), function, arguments, 3, "");
}

void stream_copy(
    Emit *e, const Value *output, LLVMValueRef to, LLVMValueRef from, LLVMValueRef count) {
    LLVMValueRef size = emit_i64_constant(e, (int64_t)element_bytes(output->type->element));
    stream_lines(e, to, from, LLVMBuildMul(e->builder, count, size, ""));
}

void stream_out(Emit *e, const Stream *stream, Substitution *s, LLVMValueRef count) {
    for (int i = 0; i < stream->store_count; i++) {
        const Store *store = &stream->stores[i];
        LLVMValueRef to = emit_store_address(e, s, store);
        stream_copy(e, store->output, to, stream->arrays[i], count);
    }
}

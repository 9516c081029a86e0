// Streamed stores: results that are larger than the caches are written around them, which saves
// reading each line before it is written.
//
// The loop's results go to a local array, block by block, and from there to memory in
// whole lines by non-temporal stores. (LLVM's vectoriser does not make non-temporal
// stores of unaligned rows itself.)
#include "codegen/emit/stage/stream.h"

#include <string.h>

enum { LINE = 64, BLOCK_BYTES = 4096, ARRAYS_BYTES = 16 << 10 };

// void stream(ptr to, ptr from, i64 bytes): whole lines of `to` by
// non-temporal stores, the ends as usual.
static LLVMValueRef stream_function(Emit *e) {
    LLVMValueRef known = LLVMGetNamedFunction(e->module, "stream");
    if (known) return known;
    LLVMBuilderRef b = e->builder;
    LLVMBasicBlockRef back = LLVMGetInsertBlock(b);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = emit_i64(e),
                i8 = LLVMInt8TypeInContext(e->context);
    LLVMTypeRef types[3] = {pointer, pointer, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, 3, 0);
    LLVMValueRef function = LLVMAddFunction(e->module, "stream", type);
    LLVMSetLinkage(function, LLVMPrivateLinkage);
    emit_function_attributes(e, function);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(e->context, function, "entry");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(e->context, function, "loop");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, function, "body");
    LLVMBasicBlockRef exit = LLVMAppendBasicBlockInContext(e->context, function, "exit");
    LLVMValueRef to = LLVMGetParam(function, 0), from = LLVMGetParam(function, 1),
                 bytes = LLVMGetParam(function, 2);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef head = LLVMBuildNeg(b, LLVMBuildPtrToInt(b, to, i64, ""), "");
    head = LLVMBuildAnd(b, head, LLVMConstInt(i64, LINE - 1, 0), "");
    LLVMValueRef both[2] = {head, bytes};
    head = emit_intrinsic(e, "llvm.umin", i64, 2, both);
    LLVMBuildMemCpy(b, to, 1, from, 1, head);
    LLVMValueRef lines = LLVMBuildAnd(
        b, LLVMBuildSub(b, bytes, head, ""), LLVMConstInt(i64, ~(uint64_t)(LINE - 1), 0), "");
    LLVMValueRef end = LLVMBuildAdd(b, head, lines, "");
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef at = LLVMBuildPhi(b, i64, "at");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, at, end, ""), body, exit);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMTypeRef line = LLVMVectorType(i64, LINE / 8);
    LLVMValueRef load = LLVMBuildLoad2(b, line, LLVMBuildInBoundsGEP2(b, i8, from, &at, 1, ""), "");
    LLVMSetAlignment(load, 1);
    LLVMValueRef store = LLVMBuildStore(b, load, LLVMBuildInBoundsGEP2(b, i8, to, &at, 1, ""));
    LLVMSetAlignment(store, LINE);
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(e->context), 1, 0));
    LLVMSetMetadata(
        store, LLVMGetMDKindIDInContext(e->context, "nontemporal", 11),
        LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, &one, 1)));
    LLVMValueRef next = LLVMBuildAdd(b, at, LLVMConstInt(i64, LINE, 0), "");
    LLVMBuildBr(b, loop);
    LLVMValueRef starts[2] = {head, next};
    LLVMBasicBlockRef blocks[2] = {entry, body};
    LLVMAddIncoming(at, starts, blocks, 2);
    LLVMPositionBuilderAtEnd(b, exit);
    LLVMValueRef tail = LLVMBuildSub(b, bytes, end, "");
    LLVMBuildMemCpy(
        b, LLVMBuildInBoundsGEP2(b, i8, to, &end, 1, ""), 1,
        LLVMBuildInBoundsGEP2(b, i8, from, &end, 1, ""), 1, tail);
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

// stream_stores: see stream_stores.h.
#include "codegen/target/stream_stores.h"

#include "codegen/target/instructions.h"
#include "codegen/target/target.h"

enum { MOST_TYPES = 8 };

// How many bytes the blocks of a function store around the caches at most, by their elements' type.
typedef struct Widest {
    int count;
    LLVMTypeRef element[MOST_TYPES];
    unsigned long long bytes[MOST_TYPES];
} Widest;

// The bytes of a vector that is to be stored around the caches; 0 = no such instruction.
static unsigned long long streamed_bytes(LLVMValueRef instruction) {
    size_t rest;
    if (!is_op(instruction, LLVMStore)) return 0;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
    if (!is_vector(type) || !scope_mark(instruction, STREAM_SCOPE, &rest) || rest > 0) return 0;
    unsigned long long bytes = stored_bytes(instruction, type);
    return bytes == 16 || bytes == 32 || bytes == 64 ? bytes : 0;
}

static LLVMTypeRef element_of(LLVMValueRef store) {
    return LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(store, 0)));
}

static unsigned long long bytes_of_block(LLVMBasicBlockRef block, LLVMTypeRef element) {
    unsigned long long sum = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        unsigned long long bytes = streamed_bytes(i);
        if (bytes > 0 && element_of(i) == element) sum += bytes;
    }
    return sum;
}

// The place of the type in the list; -1: the list is full.
static int place_of(Widest *widest, LLVMTypeRef element) {
    for (int i = 0; i < widest->count; i++) {
        if (widest->element[i] == element) return i;
    }
    if (widest->count == MOST_TYPES) return -1;
    widest->element[widest->count] = element;
    widest->bytes[widest->count] = 0;
    return widest->count++;
}

static void stream_store(LLVMValueRef store, unsigned bytes) {
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(store));
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0));
    LLVMSetAlignment(store, bytes);
    LLVMSetMetadata(
        store, LLVMGetMDKindIDInContext(context, "nontemporal", 11),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &one, 1)));
}

// Finds what blocks store at most, or streams the stores of those that store as much.
static void visit_block(Widest *widest, LLVMBasicBlockRef block, bool streams) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        unsigned long long bytes = streamed_bytes(i);
        int place = bytes > 0 ? place_of(widest, element_of(i)) : -1;
        if (place < 0) continue;
        unsigned long long all = bytes_of_block(block, widest->element[place]);
        if (streams && all == widest->bytes[place]) stream_store(i, (unsigned)bytes);
        if (all > widest->bytes[place]) widest->bytes[place] = all;
    }
}

void stream_stores(LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        Widest widest = {0};
        for (int streams = 0; streams < 2; streams++) {
            for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
                visit_block(&widest, b, streams);
        }
    }
}

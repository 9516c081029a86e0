// stream_stores: see stream_stores.h.
#include "codegen/target/stream_stores.h"

#include "codegen/target/instructions.h"
#include "codegen/target/target.h"

static void stream_store(LLVMBuilderRef builder, LLVMValueRef store) {
    (void)builder;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    size_t rest;
    if (!is_vector(type) || !scope_mark(store, STREAM_SCOPE, &rest) || rest > 0) return;
    unsigned long long size = stored_bytes(store, type);
    if (size != 16 && size != 32 && size != 64) return;
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0));
    LLVMSetAlignment(store, (unsigned)size);
    LLVMSetMetadata(
        store, LLVMGetMDKindIDInContext(context, "nontemporal", 11),
        LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &one, 1)));
}

void stream_stores(LLVMModuleRef module) { each_instruction(module, LLVMStore, stream_store); }

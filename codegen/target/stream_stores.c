// stream_stores: see stream_stores.h.
#include "codegen/target/stream_stores.h"

#include "codegen/target/target.h"

#include <llvm-c/Target.h>

#include <stdbool.h>
#include <string.h>

typedef struct Kinds {
    LLVMContextRef context;
    unsigned scope, nontemporal;
    LLVMTargetDataRef layout;
} Kinds;

static bool is_mark(LLVMValueRef scope) {
    LLVMValueRef parts[8];
    unsigned length = 0, count = LLVMGetMDNodeNumOperands(scope);
    if (count == 0 || count > 8) return false;
    LLVMGetMDNodeOperands(scope, parts);
    const char *name = parts[0] ? LLVMGetMDString(parts[0], &length) : NULL;
    return name && length == strlen(STREAM_SCOPE) && memcmp(name, STREAM_SCOPE, length) == 0;
}

static bool is_marked(LLVMValueRef store, unsigned kind) {
    LLVMValueRef scopes[8], list = LLVMGetMetadata(store, kind);
    unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
    if (count == 0 || count > 8) return false;
    LLVMGetMDNodeOperands(list, scopes);
    for (unsigned i = 0; i < count; i++) {
        if (scopes[i] && is_mark(scopes[i])) return true;
    }
    return false;
}

static void stream_store(LLVMValueRef store, const Kinds *kinds) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || !is_marked(store, kinds->scope)) return;
    unsigned long long size = LLVMStoreSizeOfType(kinds->layout, type);
    if (size != 16 && size != 32 && size != 64) return;
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(kinds->context), 1, 0));
    LLVMSetAlignment(store, (unsigned)size);
    LLVMSetMetadata(
        store, kinds->nontemporal,
        LLVMMetadataAsValue(kinds->context, LLVMMDNodeInContext2(kinds->context, &one, 1)));
}

void stream_stores(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    const Kinds kinds = {
        .context = context,
        .scope = LLVMGetMDKindIDInContext(context, "alias.scope", 11),
        .nontemporal = LLVMGetMDKindIDInContext(context, "nontemporal", 11),
        .layout = LLVMGetModuleDataLayout(module)};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMGetInstructionOpcode(i) == LLVMStore) stream_store(i, &kinds);
            }
        }
    }
}

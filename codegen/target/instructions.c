// Passes over instructions: see instructions.h.
#include "codegen/target/instructions.h"

#include <llvm-c/Target.h>

#include <string.h>

enum { MOST_PARTS = 8 }; // of a scope, and scopes of an instruction

void each_instruction(LLVMModuleRef module, LLVMOpcode op, InstructionFn *visit) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next = NULL;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMGetInstructionOpcode(i) == op) visit(builder, i);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

bool is_op(LLVMValueRef x, LLVMOpcode op) {
    return LLVMIsAInstruction(x) && LLVMGetInstructionOpcode(x) == op;
}

bool is_vector(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind; }

unsigned long long stored_bytes(LLVMValueRef instruction, LLVMTypeRef type) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(LLVMGetGlobalParent(function)), type);
}

static const char *mark_in(LLVMValueRef scope, const char *prefix, size_t *length) {
    LLVMValueRef parts[MOST_PARTS];
    unsigned all = 0, count = LLVMGetMDNodeNumOperands(scope);
    if (count == 0 || count > MOST_PARTS) return NULL;
    LLVMGetMDNodeOperands(scope, parts);
    const char *name = parts[0] ? LLVMGetMDString(parts[0], &all) : NULL;
    size_t before = strlen(prefix);
    if (!name || all < before || memcmp(name, prefix, before) != 0) return NULL;
    *length = all - before;
    return name + before;
}

const char *scope_mark(LLVMValueRef instruction, const char *prefix, size_t *length) {
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
    unsigned kind = LLVMGetMDKindIDInContext(context, "alias.scope", 11);
    LLVMValueRef scopes[MOST_PARTS], list = LLVMGetMetadata(instruction, kind);
    unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
    const char *mark = NULL;
    if (count == 0 || count > MOST_PARTS) return NULL;
    LLVMGetMDNodeOperands(list, scopes);
    for (unsigned i = 0; i < count && !mark; i++)
        mark = scopes[i] ? mark_in(scopes[i], prefix, length) : NULL;
    return mark;
}

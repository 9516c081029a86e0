// prefetch_rows: see prefetch_rows.h.
#include "codegen/target/prefetch_rows.h"

#include "codegen/target/target.h"

#include <llvm-c/Target.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

typedef struct Ahead {
    long long distance; // 0 = nothing is asked for
    bool is_near;       // into the first-level cache
} Ahead;

// What a scope's name says, as emit/ahead.c writes it.
static Ahead ahead_in(LLVMValueRef scope) {
    LLVMValueRef parts[8];
    unsigned length = 0, count = LLVMGetMDNodeNumOperands(scope);
    if (count == 0 || count > 8) return (Ahead){0};
    LLVMGetMDNodeOperands(scope, parts);
    const char *name = parts[0] ? LLVMGetMDString(parts[0], &length) : NULL;
    size_t mark = strlen(AHEAD_SCOPE);
    char digits[24] = {0}, *end;
    if (!name || length <= mark || length - mark >= sizeof digits) return (Ahead){0};
    if (memcmp(name, AHEAD_SCOPE, mark) != 0) return (Ahead){0};
    memcpy(digits, name + mark, length - mark);
    Ahead ahead = {.distance = strtoll(digits, &end, 10)};
    ahead.is_near = strcmp(end, AHEAD_NEAR) == 0;
    return ahead;
}

static Ahead ahead_of(LLVMValueRef load, unsigned kind) {
    LLVMValueRef scopes[8], list = LLVMGetMetadata(load, kind);
    unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
    Ahead ahead = {0};
    if (count == 0 || count > 8) return ahead;
    LLVMGetMDNodeOperands(list, scopes);
    for (unsigned i = 0; i < count && ahead.distance == 0; i++)
        if (scopes[i]) ahead = ahead_in(scopes[i]);
    return ahead;
}

// Another vector of the loop's body begins the line of this one.
static bool is_within_line(LLVMValueRef load, unsigned long long bytes) {
    LLVMValueRef address = LLVMGetOperand(load, 0);
    if (bytes >= LINE || !LLVMIsAGetElementPtrInst(address)) return false;
    if (LLVMGetNumOperands(address) != 2) return false;
    LLVMTypeRef element = LLVMGetGEPSourceElementType(address);
    if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(element) != 8)
        return false;
    LLVMValueRef at = LLVMGetOperand(address, 1);
    return LLVMIsAConstantInt(at) && LLVMConstIntGetSExtValue(at) % LINE != 0;
}

static void prefetch(
    LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef load, const Ahead *ahead) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context),
                pointer = LLVMPointerTypeInContext(context, 0);
    unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", 13);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, &pointer, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(context, id, &pointer, 1);
    LLVMValueRef step =
        LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)ahead->distance, 0);
    LLVMPositionBuilderBefore(b, load);
    LLVMValueRef address =
        LLVMBuildGEP2(b, LLVMInt8TypeInContext(context), LLVMGetOperand(load, 0), &step, 1, "");
    LLVMValueRef arguments[4] = {
        address, LLVMConstInt(i32, 0, 0),             // to be read
        LLVMConstInt(i32, ahead->is_near ? 3 : 2, 0), // into which cache
        LLVMConstInt(i32, 1, 0)};                     // data
    LLVMBuildCall2(b, type, function, arguments, 4, "");
}

void prefetch_rows(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    unsigned kind = LLVMGetMDKindIDInContext(context, "alias.scope", 11);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(k); i; i = LLVMGetNextInstruction(i)) {
                if (LLVMGetInstructionOpcode(i) != LLVMLoad) continue;
                LLVMTypeRef type = LLVMTypeOf(i);
                if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) continue;
                Ahead ahead = ahead_of(i, kind);
                if (ahead.distance > 0 && !is_within_line(i, LLVMStoreSizeOfType(layout, type)))
                    prefetch(module, b, i, &ahead);
            }
        }
    }
    LLVMDisposeBuilder(b);
}

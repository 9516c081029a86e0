// prefetch_rows: see prefetch_rows.h.
#include "codegen/target/prefetch_rows.h"

#include "codegen/target/target.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

// The distance that a scope's name gives; 0 = another scope.
static long long distance_in(LLVMValueRef scope) {
    LLVMValueRef parts[8];
    unsigned length = 0, count = LLVMGetMDNodeNumOperands(scope);
    if (count == 0 || count > 8) return 0;
    LLVMGetMDNodeOperands(scope, parts);
    const char *name = parts[0] ? LLVMGetMDString(parts[0], &length) : NULL;
    size_t mark = strlen(AHEAD_SCOPE);
    char digits[24] = {0};
    if (!name || length <= mark || length - mark >= sizeof digits) return 0;
    if (memcmp(name, AHEAD_SCOPE, mark) != 0) return 0;
    memcpy(digits, name + mark, length - mark);
    return strtoll(digits, NULL, 10);
}

static long long distance_of(LLVMValueRef load, unsigned kind) {
    LLVMValueRef scopes[8], list = LLVMGetMetadata(load, kind);
    unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
    if (count == 0 || count > 8) return 0;
    LLVMGetMDNodeOperands(list, scopes);
    long long distance = 0;
    for (unsigned i = 0; i < count && distance == 0; i++)
        distance = scopes[i] ? distance_in(scopes[i]) : 0;
    return distance;
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
    LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef load, long long distance) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context),
                pointer = LLVMPointerTypeInContext(context, 0);
    unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", 13);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, &pointer, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(context, id, &pointer, 1);
    LLVMValueRef step =
        LLVMConstInt(LLVMInt64TypeInContext(context), (unsigned long long)distance, 0);
    LLVMPositionBuilderBefore(b, load);
    LLVMValueRef address =
        LLVMBuildGEP2(b, LLVMInt8TypeInContext(context), LLVMGetOperand(load, 0), &step, 1, "");
    LLVMValueRef arguments[4] = {
        address, LLVMConstInt(i32, 0, 0), // to be read
        LLVMConstInt(i32, 2, 0),          // into the second-level cache
        LLVMConstInt(i32, 1, 0)};         // data
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
                long long distance = distance_of(i, kind);
                if (distance > 0 && !is_within_line(i, LLVMStoreSizeOfType(layout, type)))
                    prefetch(module, b, i, distance);
            }
        }
    }
    LLVMDisposeBuilder(b);
}

// prefetch_rows: see prefetch_rows.h.
#include "codegen/target/prefetch_rows.h"

#include "codegen/target/instructions.h"
#include "codegen/target/target.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

typedef struct Ahead {
    long long distance; // 0 = nothing is asked for
    bool is_near;       // into the first-level cache
} Ahead;

// What the mark says, as emit/ahead.c writes it.
static Ahead ahead_of(LLVMValueRef load) {
    size_t length = 0;
    const char *mark = scope_mark(load, AHEAD_SCOPE, &length);
    char digits[24] = {0}, *end;
    if (!mark || length == 0 || length >= sizeof digits) return (Ahead){0};
    memcpy(digits, mark, length);
    Ahead ahead = {.distance = strtoll(digits, &end, 10)};
    ahead.is_near = strcmp(end, AHEAD_NEAR) == 0;
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

static void prefetch(LLVMBuilderRef b, LLVMValueRef load, const Ahead *ahead) {
    LLVMValueRef parent = LLVMGetBasicBlockParent(LLVMGetInstructionParent(load));
    LLVMModuleRef module = LLVMGetGlobalParent(parent);
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

static void prefetch_row(LLVMBuilderRef builder, LLVMValueRef load) {
    LLVMTypeRef type = LLVMTypeOf(load);
    if (!is_vector(type)) return;
    Ahead ahead = ahead_of(load);
    if (ahead.distance > 0 && !is_within_line(load, stored_bytes(load, type)))
        prefetch(builder, load, &ahead);
}

void prefetch_rows(LLVMModuleRef module) { each_instruction(module, LLVMLoad, prefetch_row); }

// whole_stores: see whole_stores.h.
#include "codegen/target/whole_stores.h"

#include "codegen/target/instructions.h"

// The same value, or address computations that are equal word by word.
static bool is_same(LLVMValueRef x, LLVMValueRef y, int depth) {
    enum { MOST_DEPTH = 4 };
    if (x == y) return true;
    if (depth == MOST_DEPTH || !is_op(x, LLVMGetElementPtr) || !is_op(y, LLVMGetElementPtr) ||
        LLVMGetGEPSourceElementType(x) != LLVMGetGEPSourceElementType(y))
        return false;
    int count = LLVMGetNumOperands(x);
    if (count != LLVMGetNumOperands(y)) return false;
    for (int i = 0; i < count; i++) {
        if (!is_same(LLVMGetOperand(x, (unsigned)i), LLVMGetOperand(y, (unsigned)i), depth + 1))
            return false;
    }
    return true;
}

static void freeze(LLVMBuilderRef builder, LLVMValueRef load) {
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(load));
    LLVMValueRef frozen = LLVMBuildFreeze(builder, load, "");
    LLVMReplaceAllUsesWith(load, frozen);
    LLVMSetOperand(frozen, 0, load);
}

static void whole_store(LLVMBuilderRef builder, LLVMValueRef store) {
    LLVMValueRef value = LLVMGetOperand(store, 0), place = LLVMGetOperand(store, 1);
    if (!is_op(value, LLVMSelect) || !is_vector(LLVMTypeOf(value))) return;
    for (unsigned i = 1; i <= 2; i++) {
        LLVMValueRef old = LLVMGetOperand(value, i);
        if (is_op(old, LLVMLoad) && is_same(LLVMGetOperand(old, 0), place, 0)) freeze(builder, old);
    }
}

void whole_stores(LLVMModuleRef module) { each_instruction(module, LLVMStore, whole_store); }

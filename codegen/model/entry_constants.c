// Constants of the model's module.
#include "codegen/model/entry.h"

LLVMValueRef entry_global(Entry *entry, LLVMValueRef initializer, const char *name) {
    LLVMValueRef global = LLVMAddGlobal(entry->module, LLVMTypeOf(initializer), name);
    LLVMSetInitializer(global, initializer);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

LLVMValueRef entry_text(Entry *entry, StrView text) {
    LLVMValueRef bytes =
        LLVMConstStringInContext2(entry->context, text.data ? text.data : "", text.size, false);
    LLVMValueRef global = entry_global(entry, bytes, "text");
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

LLVMValueRef entry_i64s(Entry *entry, int64_t count, const int64_t *numbers) {
    if (count == 0) return LLVMConstNull(entry->pointer);
    LLVMValueRef *values = ARENA_ARRAY(entry->arena, LLVMValueRef, count);
    for (int64_t i = 0; i < count; i++) {
        values[i] = LLVMConstInt(entry->i64, (unsigned long long)numbers[i], true);
    }
    return entry_global(entry, LLVMConstArray2(entry->i64, values, (uint64_t)count), "numbers");
}

LLVMValueRef entry_i32s(Entry *entry, int64_t count, const int32_t *numbers) {
    if (count == 0) return LLVMConstNull(entry->pointer);
    LLVMValueRef *values = ARENA_ARRAY(entry->arena, LLVMValueRef, count);
    for (int64_t i = 0; i < count; i++) {
        values[i] = LLVMConstInt(entry->i32, (unsigned long long)numbers[i], true);
    }
    return entry_global(entry, LLVMConstArray2(entry->i32, values, (uint64_t)count), "numbers");
}

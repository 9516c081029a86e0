// codegen/model/jit.c: why a program cannot be linked into the process.
#include "codegen/codegen.h"
#include "tests/unit/cmocka_all.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <string.h>

static LLVMTargetMachineRef create_machine(void) {
    LLVMTargetRef target;
    char *triple = LLVMGetDefaultTargetTriple(), *error = NULL;
    assert_false(LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter());
    assert_false(LLVMGetTargetFromTriple(triple, &target, &error));
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

// An object whose function shardc_model_entry calls one that nobody has.
static LLVMMemoryBufferRef object_that_misses(const char *name) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", context);
    LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(context, 0), NULL, 0, false);
    LLVMValueRef missing = LLVMAddFunction(module, name, type);
    LLVMValueRef entry = LLVMAddFunction(module, "shardc_model_entry", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, entry, ""));
    LLVMBuildRet(builder, LLVMBuildCall2(builder, type, missing, NULL, 0, ""));
    LLVMDisposeBuilder(builder);
    LLVMTargetMachineRef machine = create_machine();
    LLVMMemoryBufferRef object = NULL;
    char *error = NULL;
    assert_false(
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &error, &object));
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return object;
}

static void the_linkers_reason_is_told(void **state) {
    (void)state;
    LLVMMemoryBufferRef object = object_that_misses("nobody_has_this");
    const StrView bytes = {LLVMGetBufferStart(object), LLVMGetBufferSize(object)};
    const CodegenResult code = {.object_count = 1, .objects = &bytes};
    Arena *arena = arena_create(NULL, NULL);
    const struct shardc_model *model = NULL;
    const char *error = "";
    assert_false(codegen_jit(arena, &code, &model, &error));
    assert_null(model);
    assert_non_null(strstr(error, "nobody_has_this"));
    arena_free(arena);
    LLVMDisposeMemoryBuffer(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_linkers_reason_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

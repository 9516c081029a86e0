// LLVM's target machine for a target.
#include "codegen/target/llvm_target.h"

#include <llvm-c/Core.h>

LLVMTargetMachineRef target_machine(const Target *target) {
    LLVMTargetRef llvm_target;
    char *error = NULL;
    if (LLVMGetTargetFromTriple(target->triple, &llvm_target, &error)) {
        LLVMDisposeMessage(error);
        return NULL;
    }
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, target->cpu);
    LLVMTargetMachineOptionsSetFeatures(options, target->features);
    LLVMCodeGenOptLevel levels[] = {
        LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
        LLVMCodeGenLevelDefault};
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, levels[target->optimize & 3]);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachineWithOptions(llvm_target, target->triple, options);
    LLVMDisposeTargetMachineOptions(options);
    return machine;
}

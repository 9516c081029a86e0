// LLVM's objects for a target; apart from target.h so that not everybody includes LLVM.
#ifndef SHARDC_CODEGEN_LLVM_TARGET_H
#define SHARDC_CODEGEN_LLVM_TARGET_H

#include "codegen/target/target.h"

#include <llvm-c/TargetMachine.h>

// owned by the caller: LLVMDisposeTargetMachine; one per thread
LLVMTargetMachineRef target_machine(const Target *target);

#endif

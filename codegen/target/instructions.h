// Inside target/: what passes over LLVM's instructions have in common, behind LLVM's own passes.
#ifndef SHARDC_CODEGEN_INSTRUCTIONS_H
#define SHARDC_CODEGEN_INSTRUCTIONS_H

#include <llvm-c/Core.h>

#include <stdbool.h>
#include <stddef.h>

// `builder` stands nowhere yet. The instruction may go; others may come before it.
typedef void InstructionFn(LLVMBuilderRef builder, LLVMValueRef instruction);
// Visits all instructions of an opcode.
void each_instruction(LLVMModuleRef module, LLVMOpcode op, InstructionFn *visit);
bool is_op(LLVMValueRef x, LLVMOpcode op);
bool is_vector(LLVMTypeRef type);
// The bytes that a value of the type has in memory.
unsigned long long stored_bytes(LLVMValueRef instruction, LLVMTypeRef type);
// What emission has to say of a load or store is the name of an alias scope: what follows the
// prefix in it, not terminated; NULL = no scope begins so.
const char *scope_mark(LLVMValueRef instruction, const char *prefix, size_t *length);

#endif

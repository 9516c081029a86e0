// The module that holds the device program, the model's tables and its typed functions.
#ifndef SHARDC_CODEGEN_EMIT_ENTRY_H
#define SHARDC_CODEGEN_EMIT_ENTRY_H

#include "codegen/kernel/kernel.h"
#include "codegen/options.h"
#include "codegen/target/target.h"

#include <llvm-c/Core.h>

typedef struct Entry {
    Arena *arena;
    Plan *plan;
    const Target *target;
    const CodegenOptions *options;
    const char *name;             // of the model, an identifier
    const char *const *functions; // [distinct kernels] symbols
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef void_type, i8, i32, i64, pointer;
    int64_t step_count;
    int custom_call_count;
    const Op *const *custom_calls;
    const char **argument_names, **result_names; // NULL until they are asked for
} Entry;

LLVMValueRef entry_program(Entry *entry); // emit_entry.c: int32_t program(RtLane *)
// emit_entry.c: void NAME(RtLane *, ...), as a kernel of one chunk: the step, which is_whole. It
// calls functions of the names entry_part_name for the step's kernels.
void entry_loop(Entry *entry, const Step *step, const char *name);
const char *entry_part_name(Arena *arena, const Kernel *kernel);
// emit_model.c: the shardc_model and shardc_model_entry
LLVMValueRef entry_model(Entry *entry, LLVMValueRef program);
// emit_typed.c: NAME_run, NAME_create ...
void entry_typed_functions(Entry *entry, LLVMValueRef model);
StrView entry_header(Entry *entry); // model_header.c: the C header

// Constants.
LLVMValueRef entry_text(Entry *entry, StrView text); // pointer to a private NUL-terminated text
// pointer to a private array
LLVMValueRef entry_i64s(Entry *entry, int64_t count, const int64_t *numbers);
LLVMValueRef entry_i32s(Entry *entry, int64_t count, const int32_t *numbers);
// private, constant
LLVMValueRef entry_global(Entry *entry, LLVMValueRef initializer, const char *name);

// Arrays that callers pass: arguments and results but tokens. `c_type` is what a C
// programmer writes: "float", "uint16_t".
const char *entry_c_type(ElementType element);
const char *entry_argument_name(Entry *entry, int i);
const char *entry_result_name(Entry *entry, int i);

#endif

// From kernels to objects (or text): LLVM's passes, in parallel.
#ifndef SHARDC_CODEGEN_OPTIMIZE_H
#define SHARDC_CODEGEN_OPTIMIZE_H

#include "base/vec.h"
#include "codegen/kernel/kernel.h"
#include "codegen/target/llvm_target.h"
#include "codegen/target/object_cache.h"

typedef enum OutputForm { OUTPUT_OBJECT, OUTPUT_ASM, OUTPUT_LLVM } OutputForm;

// One function to compile: a kernel's, any of those that share it, or a loop's with its kernels.
typedef struct CompileJob {
    const Kernel *kernel; // NULL: the loop's
    const Step *loop;
    const char *name;
    StrView output; // set: in the arena given to compile_jobs
} CompileJob;

typedef struct CompileOptions {
    const DeviceProgram *program;
    const Target *target;
    OutputForm form;
    ObjectCache *cache; // NULL = none
    int threads;        // 0 = one per core
    // Makes the module of the device program, on any thread, in the arena and the context;
    // entry_output is its object or text.
    LLVMModuleRef (*emit_entry)(void *entry_user, Arena *arena, LLVMContextRef context);
    // The same for a job's loop; NULL with a diagnostic.
    LLVMModuleRef (*emit_loop)(
        void *entry_user, Arena *arena, LLVMContextRef context, const CompileJob *job,
        Diags *diags);
    void *entry_user;
    StrView *entry_output;
    void (*progress)(void *user, const char *phase, int done, int total);
    void *progress_user;
} CompileOptions;

// The functions that kernels share (emit/shared.h), sorted by name.
typedef VEC(StrView) SharedOutputs;

// Which LLVM, and what is done to modules.
void append_llvm_version(StrBuf *key);

// The kernels, what they share, and the device program.
bool compile_jobs(
    Arena *arena, const CompileOptions *options, int count, CompileJob *jobs, SharedOutputs *shared,
    Diags *diags);

// Optimises one module and writes it, or finds the object in the cache (NULL = none); in the arena.
// False with *error set (in the arena).
bool optimize_module(
    Arena *arena, LLVMModuleRef module, LLVMTargetMachineRef machine, const Target *target,
    ObjectCache *cache, OutputForm form, StrView *output, const char **error);

#endif

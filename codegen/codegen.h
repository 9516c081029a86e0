// The only door of the code generator: a device program to objects, and objects to functions in memory or a .so.
#ifndef SHARDC_CODEGEN_CODEGEN_H
#define SHARDC_CODEGEN_CODEGEN_H

#include "base/diag.h"
#include "ir/device_program.h"
#include "ir/pass/pass_log.h"

struct shardc_model; // include/shardc/model.h

typedef struct CodegenOptions {
    StrView name; // of the model: C identifier; empty = "model"
    const char
        *target_cpu; // NULL or "native" = this machine with all its features; else as LLVM names it
    const char *target; // triple; NULL = this machine's
    int optimize;       // 0..3, default 2
    int threads;        // compile threads; 0 = one per core
    bool in_memory;     // the code is to run in this process: other machines' is refused
    int64_t shard;      // >= 0: code for this device alone (per-shard file); -1 = all
    int custom_count;   // custom calls of these names are compiled: see custom_calls of the model
    const StrView *custom_names;
    bool (*knows_custom)(
        void *user,
        StrView name); // more of them, also with results in the place of operands; may be NULL
    void *knows_user;
    bool reference_kernels; // plain loops instead of the blocked contract kernels
    const char *cache;      // folder of compiled objects; NULL = none
    PassLog *log;           // times, and the program after a pass; NULL = none
    void (*progress)(
        void *user, const char *phase, int done,
        int total); // may be NULL; from the calling thread only
    void *progress_user;
} CodegenOptions;

typedef struct CodegenResult {
    int object_count;
    const StrView
        *objects; // ELF objects, in the arena: kernels, the device program, the model's tables
    int64_t kernel_count, distinct_kernel_count;
    int64_t arena_bytes;           // temporaries of one device
    StrView header;                // the generated C header (model.h)
    const char *name;              // of the model as an identifier: the prefix of its functions
    int custom_call_count;         // rows of the model's custom_calls
    const Op *const *custom_calls; // their ops, of the program's module
} CodegenResult;

// Compiles; false with diagnostics (unsupported ops name themselves and their place). Changes the program's module (codegen's own
// simplifications).
bool codegen_compile(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, CodegenResult *result,
    Diags *diags);
// The same as text: kind is "llvm" or "asm".
bool codegen_text(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, const char *kind,
    StrView *text, Diags *diags);

// Just in time: links the objects into memory (ORC LLJIT); runtime functions resolve to this library's. The model is valid until the
// arena is freed (arena_defer). False with *error set.
bool codegen_jit(
    Arena *arena, const CodegenResult *code, const struct shardc_model **model, const char **error);

// Ahead of time: links the objects and the runtime into a shared library in memory, through cc, ld.lld or ld, whichever is found. False
// with *error set. soname: the name of the file that it becomes, by which programs that are linked with it look for it.
bool codegen_link(
    Arena *arena, const CodegenResult *code, const char *soname, StrView *image,
    const char **error);
// One relocatable object of all (--emit=obj), without the runtime.
bool codegen_relocatable(
    Arena *arena, const CodegenResult *code, StrView *image, const char **error);

#endif

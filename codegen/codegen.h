// The only door of the code generator: a device program to objects, and objects
// to functions in memory or a .so.
#ifndef SHARDC_CODEGEN_CODEGEN_H
#define SHARDC_CODEGEN_CODEGEN_H

#include "base/diag.h"
#include "codegen/options.h"
#include "ir/device_program.h"

struct shardc_model; // include/shardc/model.h

typedef struct CodegenResult {
    int object_count;
    // ELF objects, in the arena: kernels, the device program, the model's tables
    const StrView *objects;
    int64_t kernel_count, distinct_kernel_count;
    int64_t arena_bytes;           // temporaries of one device
    StrView header;                // the generated C header (model.h)
    const char *name;              // of the model as an identifier: the prefix of its functions
    bool has_rebind;               // one of them is NAME_rebind: arguments are constant
    int custom_call_count;         // rows of the model's custom_calls
    const Op *const *custom_calls; // their ops, of the program's module
} CodegenResult;

// Compiles; false with diagnostics (unsupported ops name themselves and their place). Changes the
// program's module (codegen's own simplifications).
bool codegen_compile(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, CodegenResult *result,
    Diags *diags);
// The same as text: kind is "llvm" or "asm".
bool codegen_text(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, const char *kind,
    StrView *text, Diags *diags);

// A program whose compilation may be found in options->cache, or be kept there.
typedef struct KeptProgram KeptProgram;
// program: all that the code depends on beside options. NULL: there is no cache, or nothing says
// which compiler this is.
KeptProgram *codegen_kept(Arena *arena, const CodegenOptions *options, StrView program);
// Its objects, in the arena; nothing else of the result is set. False: they are not there.
bool codegen_find_kept(const KeptProgram *kept, Arena *arena, CodegenResult *result);
void codegen_keep(const KeptProgram *kept, Arena *arena, const CodegenResult *result);

// Just in time: links the objects into memory (ORC LLJIT); runtime functions resolve to this
// library's. The model is valid until the arena is freed (arena_defer). False with *error set.
bool codegen_jit(
    Arena *arena, const CodegenResult *code, const struct shardc_model **model, const char **error);

// Ahead of time: links the objects and the runtime into a shared library in memory, through cc,
// ld.lld or ld, whichever is found. False with *error set. soname: the name of the file that it
// becomes, by which programs that are linked with it look for it.
bool codegen_link(
    Arena *arena, const CodegenResult *code, const char *soname, StrView *image,
    const char **error);
// One relocatable object of all (--emit=obj), without the runtime.
bool codegen_relocatable(
    Arena *arena, const CodegenResult *code, StrView *image, const char **error);

#endif

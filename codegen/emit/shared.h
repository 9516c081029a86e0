// Functions that several kernels of a program call: micro-kernels, transpositions. Each is compiled
// once, as a module of its own, whichever kernels ask for it.
#ifndef SHARDC_CODEGEN_SHARED_H
#define SHARDC_CODEGEN_SHARED_H

#include "base/vec.h"
#include "codegen/emit/emit.h"

// The name says all that the code depends on but the target: equal names are equal functions.
typedef struct SharedFunction {
    const char *name;
    LLVMTypeRef (*type)(Emit *e);
    // The body, up to the return: e->function is the function, e->builder stands at its entry.
    void (*emit)(Emit *e, const void *what);
    const void *what; // copied
    size_t what_bytes;
} SharedFunction;

// What the emission of a kernel asked for.
struct SharedFunctions {
    Arena *arena;
    VEC(SharedFunction) list;
};

// The function to call: declared and noted in e->shared, or without that, defined in the module.
LLVMValueRef emit_shared(Emit *e, const SharedFunction *function);
void emit_shared_call(Emit *e, const SharedFunction *function, int count, LLVMValueRef *arguments);

// The module of one function.
LLVMModuleRef emit_shared_module(
    Arena *arena, LLVMContextRef context, const Target *target, const SharedFunction *function,
    Diags *diags);

#endif

// Shared functions: declarations, definitions.
#include "codegen/emit/shared.h"

#include "codegen/emit/emit_state.h"

static void dispose_builder(void *builder) { LLVMDisposeBuilder(builder); }

static void set_flag(Emit *e, LLVMValueRef function, unsigned place, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, place, LLVMCreateEnumAttribute(e->context, kind, 0));
}

// The memory that its pointers point to is distinct.
static void set_flags(Emit *e, LLVMValueRef function) {
    set_flag(e, function, (unsigned)LLVMAttributeFunctionIndex, "noinline");
    set_flag(e, function, (unsigned)LLVMAttributeFunctionIndex, "nounwind");
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) set_flag(e, function, i + 1, "noalias");
    }
}

static void define(const Emit *outer, const SharedFunction *shared, LLVMValueRef function) {
    Emit *e = ARENA_NEW(outer->arena, Emit);
    *e = *outer;
    e->function = function;
    e->builder = LLVMCreateBuilderInContext(e->context);
    arena_defer(e->arena, dispose_builder, e->builder);
    emit_function_attributes(e, function);
    e->entry = LLVMAppendBasicBlockInContext(e->context, function, "entry");
    LLVMPositionBuilderAtEnd(e->builder, e->entry);
    shared->emit(e, shared->what);
    LLVMBuildRetVoid(e->builder);
}

static void note(SharedFunctions *noted, const SharedFunction *function) {
    SharedFunction copy = *function;
    copy.name = arena_cstring(noted->arena, strview(function->name));
    copy.what = arena_copy(noted->arena, function->what, function->what_bytes);
    vec_push(noted->arena, &noted->list, copy);
}

LLVMValueRef emit_shared(Emit *e, const SharedFunction *shared) {
    LLVMValueRef function = LLVMGetNamedFunction(e->module, shared->name);
    if (function) return function;
    function = LLVMAddFunction(e->module, shared->name, shared->type(e));
    set_flags(e, function);
    if (e->shared) {
        note(e->shared, shared);
    } else {
        LLVMSetLinkage(function, LLVMInternalLinkage);
        define(e, shared, function);
    }
    return function;
}

void emit_shared_call(Emit *e, const SharedFunction *shared, int count, LLVMValueRef *arguments) {
    LLVMValueRef function = emit_shared(e, shared);
    LLVMBuildCall2(e->builder, shared->type(e), function, arguments, (unsigned)count, "");
}

LLVMModuleRef emit_shared_module(
    Arena *arena, LLVMContextRef context, const Target *target, const SharedFunction *shared,
    Diags *diags) {
    Emit e = {.arena = arena, .context = context, .target = target, .diags = diags};
    e.module = LLVMModuleCreateWithNameInContext(shared->name, context);
    LLVMValueRef function = LLVMAddFunction(e.module, shared->name, shared->type(&e));
    set_flags(&e, function);
    define(&e, shared, function);
    return e.module;
}

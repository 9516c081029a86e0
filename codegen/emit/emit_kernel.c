// The function of a kernel: parameters, attributes, entry block.
#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"
#include "codegen/plan/stage.h"

#include <string.h>

static void function_begin(Emit *e, const char *name) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = emit_i64(e);
    LLVMTypeRef parameters[4] = {pointer, pointer, i64, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 4, 0);
    e->function = LLVMAddFunction(e->module, name, type);
    emit_function_attributes(e, e->function);
    e->lane = LLVMGetParam(e->function, 0);
    e->begin = LLVMGetParam(e->function, 2);
    e->end = LLVMGetParam(e->function, 3);
    e->entry = LLVMAppendBasicBlockInContext(e->context, e->function, "entry");
    EmitState *state = ARENA_NEW(e->arena, EmitState);
    e->state = state;
    state->entry_tail = e->entry;
    e->exprs = expr_builder_after(e->arena, e->kernel->stage->exprs, e->diags);
    e->index = e->exprs->index;
    e->emit_anew = emit_expr_anew;
    int count = e->kernel->output_count + e->kernel->input_count;
    state->bases = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    state->operand_slots = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    state->operand_offsets = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    state->detours = ARENA_ARRAY(e->arena, StoreDetour, count + e->kernel->stage->store_count);
    emit_make_alias_scopes(e);
    state->root = state->scope = ARENA_NEW(e->arena, EmitScope);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "body");
    LLVMPositionBuilderAtEnd(e->builder, body);
}

// Streamed stores are ordered by no barrier but this one.
static void emit_store_fence(Emit *e) {
    if (strncmp(e->target->triple, "x86_64", 6) != 0) {
        LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
        return;
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), NULL, 0, 0);
    unsigned id = LLVMLookupIntrinsicID("llvm.x86.sse.sfence", 19);
    LLVMBuildCall2(
        e->builder, type, LLVMGetIntrinsicDeclaration(e->module, id, NULL, 0), NULL, 0, "");
}

static void function_end(Emit *e) {
    if (e->state->needs_store_fence) emit_store_fence(e);
    LLVMBuildRetVoid(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->state->entry_tail);
    LLVMBuildBr(e->builder, LLVMGetNextBasicBlock(e->entry));
}

static bool emit_body(Emit *e, const char *name) {
    function_begin(e, name);
    const Lowering *lowering = lowering_of(e->kernel->kind);
    bool good = lowering->emit && lowering->emit(e);
    if (!lowering->emit)
        diag_unsupported(
            e->diags, e->kernel->loc, "'%.*s' is not supported in native code",
            SV_ARG(e->kernel->root->name));
    if (good && !e->failed) function_end(e);
    return good && !e->failed;
}

static void dispose_module(void *module) { LLVMDisposeModule(module); }
static void dispose_builder(void *builder) { LLVMDisposeBuilder(builder); }

LLVMModuleRef emit_kernel(
    Arena *arena, LLVMContextRef context, const DeviceProgram *program, const Target *target,
    const Kernel *kernel, const char *name, SharedFunctions *shared, Diags *diags) {
    Emit *e = ARENA_NEW(arena, Emit);
    e->arena = arena;
    e->context = context;
    e->module = LLVMModuleCreateWithNameInContext(name, context);
    e->builder = LLVMCreateBuilderInContext(context);
    arena_defer(arena, dispose_builder, e->builder);
    e->target = target;
    e->kernel = kernel;
    e->program = program;
    e->diags = diags;
    e->shared = shared;
    bool good = emit_body(e, name);
    if (good) return e->module;
    dispose_module(e->module);
    return NULL;
}

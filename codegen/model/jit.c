// jit: objects linked into this process by LLVM's ORC.
#include "codegen/codegen.h"
#include "runtime/abi.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

static bool failed(Arena *arena, LLVMErrorRef problem, const char **error) {
    if (!problem) return false;
    char *message = LLVMGetErrorMessage(problem);
    *error = arena_cstring(arena, strview(message));
    LLVMDisposeErrorMessage(message);
    return true;
}

// What the linker says beside "Failed to materialize symbols".
typedef struct Reports {
    Arena *arena;
    const char *first; // NULL: nothing
} Reports;

static void keep_first(void *user, LLVMErrorRef problem) {
    Reports *reports = user;
    const char *message = NULL;
    if (failed(reports->arena, problem, &message) && !reports->first) reports->first = message;
}

static void keep_none(void *user, LLVMErrorRef problem) {
    (void)user;
    LLVMConsumeError(problem);
}

static void dispose_jit(void *jit) { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit)); }

// A function that generated code names, and where it is in this process.
typedef struct Symbol {
    const char *name;
    uint64_t address;
} Symbol;

#define SYMBOL(function) \
    { #function, (uint64_t)(uintptr_t) & (function) }

static LLVMErrorRef define_symbols(
    LLVMOrcLLJITRef jit, int count, const Symbol *symbols, LLVMOrcCSymbolMapPair *pairs) {
    for (int i = 0; i < count; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit, symbols[i].name);
        pairs[i].Sym.Address = symbols[i].address;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
        pairs[i].Sym.Flags.TargetFlags = 0;
    }
    return LLVMOrcJITDylibDefine(
        LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(pairs, (size_t)count));
}

static bool add_symbols(Arena *arena, LLVMOrcLLJITRef jit, const char **error) {
    static const Symbol symbols[] = {
        SYMBOL(shardc_rt_arrive),          SYMBOL(shardc_rt_step_begin),
        SYMBOL(shardc_rt_step_end),        SYMBOL(shardc_rt_fail),
        SYMBOL(shardc_rt_custom),          SYMBOL(shardc_rt_may_go_on),
        SYMBOL(shardc_rt_create),          SYMBOL(shardc_rt_execute),
        SYMBOL(shardc_rt_destroy),         SYMBOL(shardc_rt_message),
        SYMBOL(shardc_rt_counters),        SYMBOL(shardc_rt_events),
        SYMBOL(shardc_rt_workspace_bytes), SYMBOL(shardc_rt_join),
        SYMBOL(shardc_rt_release),         SYMBOL(shardc_rt_execute_tiles),
        SYMBOL(shardc_rt_rebind),
    };
    enum { COUNT = sizeof symbols / sizeof *symbols };
    LLVMOrcCSymbolMapPair pairs[COUNT];
    return !failed(arena, define_symbols(jit, COUNT, symbols, pairs), error);
}

// libm, memset and the like are found in the process.
static bool add_process_symbols(Arena *arena, LLVMOrcLLJITRef jit, const char **error) {
    LLVMOrcDefinitionGeneratorRef generator;
    LLVMErrorRef problem = LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &generator, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);
    if (failed(arena, problem, error)) return false;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), generator);
    return true;
}

// The linker needs to know the machine's data layout alone: not what its CPU can do, which takes
// long to find out.
static LLVMOrcLLJITBuilderRef plain_builder(void) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMTargetRef target;
    char *triple = LLVMGetDefaultTargetTriple(), *error = NULL;
    if (!LLVMGetTargetFromTriple(triple, &target, &error)) {
        LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
            target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
        LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
            builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    }
    LLVMDisposeMessage(error);
    LLVMDisposeMessage(triple);
    return builder;
}

static bool look_up(
    Arena *arena, LLVMOrcLLJITRef jit, LLVMOrcExecutorAddress *address, const char **error) {
    LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(jit);
    Reports reports = {.arena = arena};
    LLVMOrcExecutionSessionSetErrorReporter(session, keep_first, &reports);
    bool has_failed = failed(arena, LLVMOrcLLJITLookup(jit, address, "shardc_model_entry"), error);
    LLVMOrcExecutionSessionSetErrorReporter(session, keep_none, NULL);
    if (has_failed && reports.first) *error = reports.first;
    return !has_failed;
}

bool codegen_jit(
    Arena *arena, const CodegenResult *code, const struct shardc_model **model,
    const char **error) {
    LLVMOrcLLJITRef jit;
    if (failed(arena, LLVMOrcCreateLLJIT(&jit, plain_builder()), error)) return false;
    arena_defer(arena, dispose_jit, jit);
    if (!add_symbols(arena, jit, error) || !add_process_symbols(arena, jit, error)) return false;
    for (int i = 0; i < code->object_count; i++) {
        LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            code->objects[i].data, code->objects[i].size, "object");
        LLVMErrorRef problem =
            LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer);
        if (failed(arena, problem, error)) return false;
    }
    LLVMOrcExecutorAddress address;
    if (!look_up(arena, jit, &address, error)) return false;
    const struct shardc_model *(*entry)(void) =
        (const struct shardc_model *(*)(void))(uintptr_t)address;
    *model = entry();
    return true;
}

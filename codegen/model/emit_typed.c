// emit_typed: the functions that a C program calls by the model's name, as model_header.c declares
// them.
//
//     int NAME_run(const float *x, ..., float *result0, ...)      create, execute, destroy
//     int NAME_create(void **instance, int threads)
//     int NAME_execute(void *instance, const float *x, ..., float *result0, ...)
//     const char *NAME_message(const void *instance)
//     void NAME_destroy(void *instance)
//     int64_t NAME_workspace_bytes(int threads)
//     int NAME_rebind(void *instance)      where arguments are constant
#include "shardc/model.h"

#include "codegen/model/entry.h"

#include <stddef.h>
#include <string.h>

enum { MANY_PARAMETERS = 64 };

typedef struct Typed {
    Entry *entry;
    LLVMValueRef model;
    LLVMTypeRef create_type, execute_type, destroy_type, message_type, workspace_type, rebind_type;
} Typed;

static LLVMValueRef runtime(Typed *typed, const char *name) {
    return LLVMGetNamedFunction(typed->entry->module, name);
}

// LLVM orders the instructions of a block in quadratic time. The many stores of a function with
// many parameters are good in the order in which they are, so such a function is left alone.
static void leave_alone(const Entry *entry, LLVMValueRef function) {
    static const char *const names[] = {"noinline", "optnone"};
    for (int i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMAddAttributeAtIndex(
            function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(entry->context, kind, 0));
    }
}

static LLVMValueRef begin(
    Typed *typed, const char *suffix, LLVMTypeRef result, int count, LLVMTypeRef *parameters) {
    Entry *entry = typed->entry;
    const char *name = arena_printf(entry->arena, "%s_%s", entry->name, suffix);
    LLVMValueRef function = LLVMAddFunction(
        entry->module, name, LLVMFunctionType(result, parameters, (unsigned)count, false));
    LLVMPositionBuilderAtEnd(
        entry->builder, LLVMAppendBasicBlockInContext(entry->context, function, "entry"));
    if (count > MANY_PARAMETERS) leave_alone(entry, function);
    return function;
}

static LLVMValueRef field(const Entry *entry, LLVMValueRef object, size_t offset) {
    LLVMValueRef index = LLVMConstInt(entry->i64, offset, false);
    return LLVMBuildInBoundsGEP2(entry->builder, entry->i8, object, &index, 1, "");
}

// shardc_model_options with the number of threads and zeros. Its layout is the C compiler's: bytes,
// of which two fields are written.
static LLVMValueRef build_options(Typed *typed, LLVMValueRef threads) {
    const Entry *entry = typed->entry;
    LLVMBuilderRef b = entry->builder;
    _Static_assert(sizeof(((shardc_model_options *)0)->struct_size) == 8, "an i64 is stored");
    _Static_assert(sizeof(((shardc_model_options *)0)->threads) == 4, "an i32 is stored");
    const size_t size = sizeof(shardc_model_options);
    LLVMTypeRef type = LLVMArrayType2(entry->i8, size);
    LLVMValueRef options = LLVMBuildAlloca(b, type, "options");
    LLVMSetAlignment(options, _Alignof(shardc_model_options));
    LLVMBuildMemSet(
        b, options, LLVMConstInt(entry->i8, 0, false), LLVMConstInt(entry->i64, size, false),
        _Alignof(shardc_model_options));
    LLVMBuildStore(
        b, LLVMConstInt(entry->i64, size, false),
        field(entry, options, offsetof(shardc_model_options, struct_size)));
    LLVMBuildStore(b, threads, field(entry, options, offsetof(shardc_model_options, threads)));
    return options;
}

static LLVMValueRef call_create(Typed *typed, LLVMValueRef instance, LLVMValueRef threads) {
    Entry *entry = typed->entry;
    LLVMValueRef arguments[] = {
        typed->model, build_options(typed, threads), instance, LLVMConstNull(entry->pointer),
        LLVMConstInt(entry->i64, 0, false)};
    return LLVMBuildCall2(
        entry->builder, typed->create_type, runtime(typed, "shardc_rt_create"), arguments, 5,
        "status");
}

// The parameters from `first` on, as two arrays of pointers.
static LLVMValueRef call_execute(
    Typed *typed, LLVMValueRef function, LLVMValueRef instance, int first) {
    Entry *entry = typed->entry;
    const DeviceProgram *program = entry->plan->program;
    int counts[2] = {program->arg_count, program->result_count};
    LLVMValueRef arrays[2];
    int parameter = first;
    for (int a = 0; a < 2; a++) {
        LLVMTypeRef type =
            LLVMArrayType2(entry->pointer, (uint64_t)(counts[a] > 0 ? counts[a] : 1));
        arrays[a] = LLVMBuildAlloca(entry->builder, type, a ? "outputs" : "inputs");
        for (int i = 0; i < counts[a]; i++) {
            LLVMValueRef index = LLVMConstInt(entry->i64, (unsigned)i, false);
            LLVMValueRef place =
                LLVMBuildInBoundsGEP2(entry->builder, entry->pointer, arrays[a], &index, 1, "");
            LLVMBuildStore(entry->builder, LLVMGetParam(function, (unsigned)parameter++), place);
        }
    }
    LLVMValueRef arguments[] = {instance, arrays[0], arrays[1]};
    return LLVMBuildCall2(
        entry->builder, typed->execute_type, runtime(typed, "shardc_rt_execute"), arguments, 3,
        "status");
}

static void call_destroy(Typed *typed, LLVMValueRef instance) {
    LLVMBuildCall2(
        typed->entry->builder, typed->destroy_type, runtime(typed, "shardc_rt_destroy"), &instance,
        1, "");
}

static LLVMTypeRef *pointers(Typed *typed, int count) {
    LLVMTypeRef *types = ARENA_ARRAY(typed->entry->arena, LLVMTypeRef, count + 1);
    for (int i = 0; i < count; i++) {
        types[i] = typed->entry->pointer;
    }
    return types;
}

static void define_run(Typed *typed) {
    Entry *entry = typed->entry;
    const DeviceProgram *program = entry->plan->program;
    int count = program->arg_count + program->result_count;
    LLVMValueRef function = begin(typed, "run", entry->i32, count, pointers(typed, count));
    LLVMBasicBlockRef work = LLVMAppendBasicBlockInContext(entry->context, function, "work");
    LLVMBasicBlockRef failed = LLVMAppendBasicBlockInContext(entry->context, function, "failed");
    LLVMValueRef place = LLVMBuildAlloca(entry->builder, entry->pointer, "place");
    LLVMBuildStore(entry->builder, LLVMConstNull(entry->pointer), place);
    LLVMValueRef zero = LLVMConstInt(entry->i32, 0, false);
    LLVMValueRef created = call_create(typed, place, zero);
    LLVMBuildCondBr(
        entry->builder, LLVMBuildICmp(entry->builder, LLVMIntEQ, created, zero, ""), work, failed);
    LLVMPositionBuilderAtEnd(entry->builder, work);
    LLVMValueRef instance = LLVMBuildLoad2(entry->builder, entry->pointer, place, "instance");
    LLVMValueRef status = call_execute(typed, function, instance, 0);
    call_destroy(typed, instance);
    LLVMBuildRet(entry->builder, status);
    LLVMPositionBuilderAtEnd(entry->builder, failed);
    LLVMBuildRet(entry->builder, created);
}

static void define_create(Typed *typed) {
    Entry *entry = typed->entry;
    LLVMTypeRef parameters[] = {entry->pointer, entry->i32};
    LLVMValueRef function = begin(typed, "create", entry->i32, 2, parameters);
    LLVMBuildRet(
        entry->builder, call_create(typed, LLVMGetParam(function, 0), LLVMGetParam(function, 1)));
}

static void define_execute(Typed *typed) {
    Entry *entry = typed->entry;
    const DeviceProgram *program = entry->plan->program;
    int count = 1 + program->arg_count + program->result_count;
    LLVMValueRef function = begin(typed, "execute", entry->i32, count, pointers(typed, count));
    LLVMBuildRet(entry->builder, call_execute(typed, function, LLVMGetParam(function, 0), 1));
}

static void define_rest(Typed *typed) {
    Entry *entry = typed->entry;
    LLVMValueRef message = begin(typed, "message", entry->pointer, 1, &entry->pointer);
    LLVMValueRef of = LLVMGetParam(message, 0);
    LLVMBuildRet(
        entry->builder,
        LLVMBuildCall2(
            entry->builder, typed->message_type, runtime(typed, "shardc_rt_message"), &of, 1, ""));
    LLVMValueRef destroy = begin(typed, "destroy", entry->void_type, 1, &entry->pointer);
    call_destroy(typed, LLVMGetParam(destroy, 0));
    LLVMBuildRetVoid(entry->builder);
    LLVMValueRef workspace = begin(typed, "workspace_bytes", entry->i64, 1, &entry->i32);
    LLVMValueRef arguments[] = {typed->model, LLVMGetParam(workspace, 0)};
    LLVMBuildRet(
        entry->builder, LLVMBuildCall2(
                            entry->builder, typed->workspace_type,
                            runtime(typed, "shardc_rt_workspace_bytes"), arguments, 2, ""));
}

static void define_rebind(Typed *typed) {
    Entry *entry = typed->entry;
    if (!constant_arguments_of(entry->arena, entry->plan->program->main)) return;
    LLVMValueRef function = begin(typed, "rebind", entry->i32, 1, &entry->pointer);
    LLVMValueRef instance = LLVMGetParam(function, 0);
    LLVMBuildRet(
        entry->builder, LLVMBuildCall2(
                            entry->builder, typed->rebind_type, runtime(typed, "shardc_rt_rebind"),
                            &instance, 1, "status"));
}

void entry_typed_functions(Entry *entry, LLVMValueRef model) {
    LLVMTypeRef p = entry->pointer;
    LLVMTypeRef create[] = {p, p, p, p, entry->i64}, execute[] = {p, p, p},
                workspace[] = {p, entry->i32};
    Typed typed = {
        .entry = entry,
        .model = model,
        .create_type = LLVMFunctionType(entry->i32, create, 5, false),
        .execute_type = LLVMFunctionType(entry->i32, execute, 3, false),
        .destroy_type = LLVMFunctionType(entry->void_type, &p, 1, false),
        .message_type = LLVMFunctionType(p, &p, 1, false),
        .workspace_type = LLVMFunctionType(entry->i64, workspace, 2, false),
        .rebind_type = LLVMFunctionType(entry->i32, &p, 1, false),
    };
    define_run(&typed);
    define_create(&typed);
    define_execute(&typed);
    define_rest(&typed);
    define_rebind(&typed);
}

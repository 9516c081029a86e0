// Fuzz target: the whole way from text to a device program and, for small programs, to native code. Nothing may crash, hang or grow without limit.
#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "partition/partition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Is the program so small that compiling it takes little time?
static bool count_op(Op *op, void *user) {
    int *count = user;
    (*count)++;
    (void)op;
    return *count < 100;
}

static bool is_small(const Type *type) { return !type_is_static(type) || type_bytes(type) <= 1 << 20; }

static bool types_are_small(const DeviceProgram *program) {
    for (int i = 0; i < program->arg_count; i++) {
        if (!is_small(program->args[i].global)) return false;
    }
    for (int i = 0; i < program->result_count; i++) {
        if (!is_small(program->results[i].global)) return false;
    }
    return program->device_count <= 64;
}

static void compile(Arena *arena, StrView text) {
    Diags *diags = diags_create(arena);
    ReadOptions options = {.file = SV("fuzz.mlir")};
    Module *module = frontend_read(context_create(arena), arena, text, &options, diags);
    if (!module) return;
    DeviceProgram program = {0};
    PartitionOptions partition = {0};
    if (!partition_module(module, &partition, &program, diags)) return;
    int ops = 0;
    if (!region_walk(program.module->body, count_op, &ops) || !types_are_small(&program)) return;
    CodegenOptions codegen = {.optimize = 0, .threads = 1, .shard = -1};
    CodegenResult result = {0};
    codegen_compile(arena, &program, &codegen, &result, diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) compile(arena, (StrView){(const char *)data, size});
    arena_free(arena);
    return 0;
}

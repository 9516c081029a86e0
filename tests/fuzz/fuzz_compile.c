// Fuzz target: the whole way from text to a device program and, for small programs, to native code.
// Nothing may crash, hang or grow without limit.
//
// With $FUZZ_COUNTS set, the end of the program says on stderr how many inputs got how far.
#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "partition/explain/explain.h"
#include "partition/partition.h"
#include "tests/fuzz/choose_entry.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct { long tried, read, partitioned, lowered, compiled; } counts;

static void print_counts(void) {
    fprintf(
        stderr,
        "%ld inputs: %ld read, %ld partitioned, %ld small enough to compile, %ld compiled\n",
        counts.tried, counts.read, counts.partitioned, counts.lowered, counts.compiled);
}

// Is the program so small that compiling it takes little time?
static bool count_op(Op *op, void *user) {
    int *count = user;
    (*count)++;
    (void)op;
    return *count < 100;
}

static bool is_small(const Type *type) {
    return !type_is_static(type) || type_bytes(type) <= 1 << 20;
}

static bool types_are_small(const DeviceProgram *program) {
    for (int i = 0; i < program->arg_count; i++) {
        if (!is_small(program->args[i].global)) return false;
    }
    for (int i = 0; i < program->result_count; i++) {
        if (!is_small(program->results[i].global)) return false;
    }
    return program->device_count <= 64;
}

// Every custom call counts as one of a registered function, so that the code around it is compiled.
typedef struct CustomNames {
    StrView names[8];
    int count;
} CustomNames;

static bool collect_custom_name(Op *op, void *user) {
    CustomNames *names = user;
    if (op->code == OP_CUSTOM_CALL && names->count < 8) {
        names->names[names->count++] = op_text(op, NAME_CALL_TARGET_NAME);
    }
    return true;
}

// Explains some of the programs; it partitions copies.
static void explain(Arena *arena, const Module *module, StrView text, StrView entry) {
    enum { EVERY = 4 };
    if (text.size % EVERY != 0) return;
    ExplainOptions options = {
        .partition = {.entry = entry}, .text = text, .name = SV("fuzz"), .advise_count = 1};
    shardc_explanation explanation = {0};
    explain_module(module, &options, arena, &explanation, diags_create(arena));
}

static void compile(Arena *arena, StrView text) {
    Diags *diags = diags_create(arena);
    ReadOptions options = {.file = SV("fuzz.mlir")};
    Module *module = frontend_read(context_create(arena), arena, text, &options, diags);
    if (!module) return;
    counts.read++;
    DeviceProgram program = {0};
    PartitionOptions partition = {.entry = choose_entry(module, text.size)};
    explain(arena, module, text, partition.entry);
    if (!partition_module(module, &partition, &program, diags)) return;
    counts.partitioned++;
    int ops = 0;
    if (!region_walk(program.module->body, count_op, &ops) || !types_are_small(&program)) return;
    counts.lowered++;
    CustomNames custom = {0};
    region_walk(program.module->body, collect_custom_name, &custom);
    CodegenOptions codegen = {
        .optimize = 0,
        .threads = 1,
        .shard = -1,
        .custom_count = custom.count,
        .custom_names = custom.names};
    CodegenResult result = {0};
    if (codegen_compile(arena, &program, &codegen, &result, diags)) counts.compiled++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
    if (counts.tried++ == 0 && getenv("FUZZ_COUNTS")) atexit(print_counts);
    ArenaGuard guard;
    Arena *arena = arena_create(NULL, &guard);
    if (!arena) return 0;
    if (setjmp(guard.jump) == 0) compile(arena, (StrView){(const char *)data, size});
    arena_free(arena);
    return 0;
}

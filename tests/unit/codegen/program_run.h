// Runs a whole compiled program on one thread with a scheduler of its own: each lane runs until it
// waits at a barrier, lanes in an order that the test chooses. A program whose barriers order
// everything gives the same bits in every order; one that lacks a barrier does not.
#ifndef SHARDC_TESTS_PROGRAM_RUN_H
#define SHARDC_TESTS_PROGRAM_RUN_H

#include "codegen/codegen.h"
#include "frontend/frontend.h"
#include "ir/eval/eval.h"
#include "partition/partition.h"
#include "runtime/abi.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>

#include <stdlib.h>
#include <string.h>

typedef struct ProgramRun {
    Arena *arena;
    Diags *diags;
    DeviceProgram program;
    CodegenResult code;
    const Module *global; // before partitioning, for the evaluator
    LLVMOrcLLJITRef jit;
    const shardc_model *model;
    void **inputs; // [arg_count] whole arrays
} ProgramRun;

// ---- barriers

typedef struct RunWait {
    int64_t barrier, group, target;
    bool waits;
} RunWait;

// What the scheduler knows; lanes reach it through their `instance`.
typedef struct RunState {
    const shardc_model *model;
    int64_t team_size;
    RtLane *lanes;
    RunWait *waits;
    int64_t *arrived; // [barrier][group]
} RunState;

static int64_t run_group(const RunState *state, int64_t barrier, int64_t device) {
    const shardc_model_barrier *row = &state->model->barriers[barrier];
    return row->group ? row->group[device] : device;
}

static int64_t run_group_lanes(const RunState *state, int64_t barrier, int64_t group) {
    int64_t lanes = 0;
    for (int64_t d = 0; d < state->model->device_count; d++) {
        if (run_group(state, barrier, d) == group) lanes += state->team_size;
    }
    return lanes;
}

static int64_t *run_arrived(const RunState *state, int64_t barrier, int64_t group) {
    return &state->arrived[barrier * state->model->device_count + group];
}

static int32_t run_arrive(RtLane *lane, int64_t barrier, int64_t step) {
    (void)step;
    RunState *state = (RunState *)(void *)lane->instance;
    RunWait *wait = &state->waits[lane - state->lanes];
    int64_t group = run_group(state, barrier, lane->device);
    int64_t lanes = run_group_lanes(state, barrier, group);
    int64_t number = ++*run_arrived(state, barrier, group);
    *wait = (RunWait){barrier, group, (number + lanes - 1) / lanes * lanes, false};
    wait->waits = number < wait->target;
    return !wait->waits;
}

static void run_step(RtLane *lane, int64_t step) {
    (void)lane;
    (void)step;
}

// ---- compiling

static void run_dispose_jit(void *jit) { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit)); }

static bool run_link(ProgramRun *run) {
    static const char *const names[] = {
        "shardc_rt_arrive",          "shardc_rt_step_begin", "shardc_rt_step_end",
        "shardc_rt_create",          "shardc_rt_execute",    "shardc_rt_destroy",
        "shardc_rt_message",         "shardc_rt_counters",   "shardc_rt_events",
        "shardc_rt_workspace_bytes", "shardc_rt_join",       "shardc_rt_release",
        "shardc_rt_execute_tiles",   "shardc_rt_rebind"};
    enum { COUNT = sizeof names / sizeof *names };
    if (LLVMOrcCreateLLJIT(&run->jit, NULL)) return false;
    arena_defer(run->arena, run_dispose_jit, run->jit);
    LLVMOrcCSymbolMapPair pairs[COUNT];
    for (int i = 0; i < COUNT; i++) {
        uint64_t address =
            i == 0 ? (uint64_t)(uintptr_t)&run_arrive : (uint64_t)(uintptr_t)&run_step;
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(run->jit, names[i]);
        pairs[i].Sym.Address = address;
        pairs[i].Sym.Flags = (LLVMJITSymbolFlags){LLVMJITSymbolGenericFlagsExported, 0};
    }
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(run->jit);
    LLVMOrcDefinitionGeneratorRef process;
    char prefix = LLVMOrcLLJITGetGlobalPrefix(run->jit);
    if (LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, prefix, NULL, NULL))
        return false;
    LLVMOrcJITDylibAddGenerator(library, process);
    if (LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(pairs, COUNT))) return false;
    for (int i = 0; i < run->code.object_count; i++) {
        StrView object = run->code.objects[i];
        LLVMMemoryBufferRef buffer =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data, object.size, "object");
        if (LLVMOrcLLJITAddObjectFile(run->jit, library, buffer)) return false;
    }
    LLVMOrcExecutorAddress address;
    if (LLVMOrcLLJITLookup(run->jit, &address, "shardc_model_entry")) return false;
    const shardc_model *(*entry)(void) = (const shardc_model *(*)(void))(uintptr_t)address;
    run->model = entry();
    return true;
}

static uint64_t run_random(uint64_t *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return *state >> 33;
}

static void run_draw_inputs(ProgramRun *run) {
    const shardc_model *model = run->model;
    run->inputs = ARENA_ARRAY(run->arena, void *, model->arg_count);
    uint64_t state = 1;
    for (int32_t a = 0; a < model->arg_count; a++) {
        const shardc_model_array *array = &model->args[a];
        run->inputs[a] = arena_alloc(run->arena, (size_t)array->bytes);
        for (int64_t i = 0; i < array->bytes / array->element_bytes; i++) {
            uint64_t drawn = run_random(&state);
            char *at = (char *)run->inputs[a] + i * array->element_bytes;
            float x = (float)(drawn % 2000) / 1000.0F - 1;
            int32_t n = (int32_t)(drawn % 3);
            if (array->element_bytes == 4)
                memcpy(at, strcmp(array->type, "f32") == 0 ? (void *)&x : (void *)&n, 4);
            if (array->element_bytes == 1) *at = (char)(drawn % 2);
        }
    }
}

// NULL when it cannot be compiled: the diagnostics are in *diags. constant: the arguments that are,
// or NULL.
static ProgramRun *program_run_create_with(
    Arena *arena, const char *text, const char *constant, const char *print_after, Diags **diags) {
    ProgramRun *run = ARENA_NEW(arena, ProgramRun);
    run->arena = arena;
    *diags = run->diags = diags_create(arena);
    Context *context = context_create(arena);
    ReadOptions read = {.file = SV("test.mlir")};
    Module *module = frontend_read(context, arena, strview(text), &read, run->diags);
    if (!module) return NULL;
    run->global = module_clone(module, arena);
    PartitionOptions partition = {0};
    if (!partition_module(module, &partition, &run->program, run->diags)) return NULL;
    PassLog *log = pass_log_create(arena, print_after);
    CodegenOptions options = {.optimize = 2, .shard = -1, .threads = 1, .log = log};
    options.constant_arguments = constant;
    if (!codegen_compile(arena, &run->program, &options, &run->code, run->diags) || !run_link(run))
        return NULL;
    run_draw_inputs(run);
    return run;
}

static inline ProgramRun *program_run_create(
    Arena *arena, const char *text, const char *print_after, Diags **diags) {
    return program_run_create_with(arena, text, NULL, print_after, diags);
}

// ---- running

typedef enum RunOrder { ORDER_FORWARD, ORDER_BACKWARD, ORDER_RANDOM } RunOrder;

static char *run_tile(const shardc_model_array *array, int64_t device, const void *data) {
    int64_t offset = 0, stride = 1;
    for (int32_t d = array->rank - 1; d >= 0; d--) {
        offset += array->offsets[device * array->rank + d] * stride;
        stride *= array->dims[d];
    }
    return (char *)(uintptr_t)data + offset * array->element_bytes;
}

// What is made once lies in the memory of the first device of each class.
static void run_share_bases(const shardc_model *model, char **bases) {
    int32_t first = RT_SLOT_FIRST_ARGUMENT + model->arg_count;
    for (int64_t d = 0; d < model->device_count; d++) {
        char **slots = &bases[d * model->slot_count];
        for (int32_t k = 0; k < model->share_count; k++) {
            int64_t leader = model->leaders[k * (int64_t)model->device_count + d];
            slots[first + model->result_count + k] =
                bases[leader * model->slot_count + RT_SLOT_ARENA];
        }
        for (int32_t r = 0; r < model->result_count; r++) {
            int32_t k = model->result_shares[r];
            if (k < 0) continue;
            int64_t leader = model->leaders[k * (int64_t)model->device_count + d];
            slots[first + r] = bases[leader * model->slot_count + first + r];
        }
    }
}

static char **run_bases(
    Arena *arena, const shardc_model *model, void *const *inputs, void *const *outputs) {
    char **bases = ARENA_ARRAY(arena, char *, (int64_t)model->device_count * model->slot_count);
    for (int64_t d = 0; d < model->device_count; d++) {
        char **slots = &bases[d * model->slot_count];
        slots[RT_SLOT_ARENA] = arena_alloc_aligned(arena, (size_t)model->arena_bytes + 64, 64);
        memset(slots[RT_SLOT_ARENA], 0xFF, (size_t)model->arena_bytes); // not a number
        slots[RT_SLOT_CONSTANTS] = (char *)(uintptr_t)model->constants;
        for (int32_t a = 0; a < model->arg_count; a++) {
            slots[RT_SLOT_FIRST_ARGUMENT + a] = run_tile(&model->args[a], d, inputs[a]);
        }
        for (int32_t r = 0; r < model->result_count; r++) {
            const shardc_model_array *result = &model->results[r];
            void *own =
                result->owner[d] ? outputs[r] : arena_alloc(arena, (size_t)result->bytes + 64);
            slots[RT_SLOT_FIRST_ARGUMENT + model->arg_count + r] = run_tile(result, d, own);
        }
    }
    run_share_bases(model, bases);
    return bases;
}

// A lane takes its part of its class's, or the last lane of the class all (by_last).
static RtShare run_share(const RunState *state, int32_t k, int64_t lane, bool by_last) {
    const int32_t *leaders = state->model->leaders + (int64_t)k * state->model->device_count;
    int32_t leader = leaders[lane / state->team_size];
    int64_t before = 0, all = 0;
    for (int64_t i = 0; i < state->model->device_count * state->team_size; i++) {
        if (leaders[i / state->team_size] != leader) continue;
        before += i < lane;
        all++;
    }
    RtShare part = {before, before + 1, all, leader};
    if (by_last) part.before = before < all - 1 ? before + 1 : 0;
    return part;
}

static void run_lanes(Arena *arena, RunState *state, char **bases, bool by_last) {
    const shardc_model *model = state->model;
    int64_t count = model->device_count * state->team_size;
    state->lanes = ARENA_ARRAY(arena, RtLane, count);
    state->waits = ARENA_ARRAY(arena, RunWait, count);
    state->arrived =
        ARENA_ARRAY(arena, int64_t, (int64_t)model->barrier_count * model->device_count);
    for (int64_t i = 0; i < count; i++) {
        state->lanes[i] = (RtLane){
            .bases = bases,
            .device = i / state->team_size,
            .rank = i % state->team_size,
            .team_size = state->team_size,
            .slot_count = model->slot_count,
            .instance = (struct shardc_model_instance *)(void *)state};
        RtShare *shares = ARENA_ARRAY(arena, RtShare, model->share_count + 1);
        for (int32_t k = 0; k < model->share_count; k++)
            shares[k] = run_share(state, k, i, by_last);
        state->lanes[i].shares = shares;
        state->lanes[i].scratch = arena_alloc_aligned(arena, (size_t)model->scratch_bytes + 64, 64);
    }
}

// Runs all lanes to the end; false when they wait for each other forever.
static bool run_to_the_end(Arena *arena, RunState *state, RunOrder order, uint64_t seed) {
    const shardc_model *model = state->model;
    int64_t count = model->device_count * state->team_size, left = count, idle = 0;
    bool *finished = ARENA_ARRAY(arena, bool, count);
    for (int64_t turn = 0; left > 0 && idle < 1000 * count; turn++) {
        int64_t i = turn % count;
        if (order == ORDER_BACKWARD) i = count - 1 - i;
        if (order == ORDER_RANDOM) i = (int64_t)run_random(&seed) % count;
        RunWait *wait = &state->waits[i];
        idle++;
        if (finished[i] ||
            (wait->waits && *run_arrived(state, wait->barrier, wait->group) < wait->target))
            continue;
        idle = 0;
        wait->waits = false;
        finished[i] = model->programs[state->lanes[i].device](&state->lanes[i]) != 0;
        if (finished[i]) left--;
    }
    return left == 0;
}

// Where something is kept, the program runs twice: the second time with what the first one kept.
static bool program_run(
    ProgramRun *run, int64_t team_size, RunOrder order, uint64_t seed, void *const *inputs,
    void *const *outputs) {
    Arena *arena = arena_child(run->arena);
    const shardc_model *model = run->model;
    RunState state = {.model = model, .team_size = team_size};
    char **bases = run_bases(arena, model, inputs, outputs);
    run_lanes(arena, &state, bases, seed % 2);
    bool ends = run_to_the_end(arena, &state, order, seed);
    if (ends && model->kept_bytes > 0) {
        for (int32_t r = 0; r < model->result_count; r++)
            memset(outputs[r], 0xFF, (size_t)model->results[r].bytes);
        run_lanes(arena, &state, bases, !(seed % 2));
        for (int64_t i = 0; i < model->device_count * team_size; i++)
            state.lanes[i].is_bound = 1;
        ends = run_to_the_end(arena, &state, order, seed + 1);
    }
    arena_reset(arena);
    return ends;
}

static void **program_run_outputs(ProgramRun *run) {
    void **outputs = ARENA_ARRAY(run->arena, void *, run->model->result_count);
    for (int32_t r = 0; r < run->model->result_count; r++) {
        outputs[r] = arena_alloc(run->arena, (size_t)run->model->results[r].bytes + 64);
    }
    return outputs;
}

// What the evaluator makes of the program before partitioning.
static inline bool program_run_evaluate(ProgramRun *run, Tensor **results) {
    const Op *func = module_entry(run->global, (StrView){NULL, 0});
    const Tensor **inputs = ARENA_ARRAY(run->arena, const Tensor *, run->model->arg_count);
    for (int32_t a = 0; a < run->model->arg_count; a++) {
        Tensor *input = ARENA_NEW(run->arena, Tensor);
        *input = (Tensor){func_body(func)->args[a]->type, run->inputs[a], NULL};
        inputs[a] = input;
    }
    EvalOptions options = {0};
    EvalChecks checks = {0};
    return eval_function(
        run->arena, run->global, func, inputs, results, &options, &checks, run->diags);
}

#endif

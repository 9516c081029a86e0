// Runs one kernel, made by hand from a function's text, beside the evaluator.
//
// The function's arguments are the kernel's inputs, what it returns its outputs; the
// kernel's root is the last op with the given code (or the first output's op).
// Inputs are drawn from a fixed seed.
#ifndef SHARDC_TESTS_KERNEL_RUN_H
#define SHARDC_TESTS_KERNEL_RUN_H

#include "codegen/emit/emit.h"
#include "codegen/plan/attention.h"
#include "codegen/plan/evaluate.h"
#include "codegen/plan/kernel_stage.h"
#include "codegen/plan/rows/late_stores.h"
#include "codegen/plan/space.h"
#include "codegen/target/llvm_target.h"
#include "codegen/target/optimize.h"
#include "frontend/frontend.h"
#include "ir/eval/eval.h"
#include "ir/scalar/scalar.h"
#include "runtime/abi.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct KernelRun {
    Arena *arena;
    Module *module;
    Op *func;
    Kernel kernel;
    DeviceProgram program;
    Target target;
    Diags *diags;
    StrView assembly; // when asked for
    int64_t device_count;
    Tensor **inputs;  // [device][arg]
    Tensor **outputs; // [device][result]
    Tensor **expected;
    LLVMOrcLLJITRef jit;
    RtKernel *function;
    double input_low, input_high;
    int64_t l3_bytes; // 0 = the target's
    bool stores_late; // the last pass over a row is a part of another one over the next
    bool by_lines;    // tiles are a line of the result wide
} KernelRun;

static uint64_t kernel_run_random(uint64_t *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return *state >> 33;
}

static void kernel_run_fill(const KernelRun *run, Tensor *tensor, uint64_t *state) {
    int64_t count = type_element_count(tensor->type);
    ElementType element = tensor->type->element;
    size_t size = element_bytes(element);
    for (int64_t i = 0; i < count; i++) {
        char *at = (char *)tensor->data + (size_t)i * size;
        double x = run->input_low + (run->input_high - run->input_low) *
                                        (double)kernel_run_random(state) / 2147483648.0;
        double y = run->input_low + (run->input_high - run->input_low) *
                                        (double)kernel_run_random(state) / 2147483648.0;
        double _Complex z = x + y * (double _Complex)I;
        int64_t n = (int64_t)floor(x);
        if (element_class(element) == CLASS_FLOAT)
            scalar_store_real(element, &x, 1, at);
        else if (element_class(element) == CLASS_COMPLEX)
            scalar_store_complex(element, &z, 1, at);
        else
            scalar_store_int(element, &n, 1, at);
    }
}

static Buffer *kernel_run_buffer(KernelRun *run, const Type *type, int number) {
    Buffer *buffer = ARENA_NEW(run->arena, Buffer);
    buffer->number = number;
    buffer->element = type->element;
    buffer->rank = type->rank;
    int64_t stride = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        buffer->dims[d] = type->dims[d];
        buffer->strides[d] = stride;
        stride *= type->dims[d];
    }
    buffer->bytes = type_bytes(type);
    buffer->slot = number;
    buffer->is_dense = true;
    return buffer;
}

static Op *kernel_run_root(const KernelRun *run, OpCode code) {
    const Op *end = region_terminator(func_body(run->func));
    Op *root = op_operand(end, 0)->def;
    for (Op *op = func_body(run->func)->first; op; op = op->next)
        if (op->code == code) root = op;
    return root;
}

static bool kernel_run_failed(const KernelRun *run, const char *what) {
    fprintf(stderr, "%s\n", what);
    StrBuf out = strbuf(run->arena);
    for (const Diag *diag = run->diags->first; diag; diag = diag->next)
        diag_print(&out, run->diags, diag);
    fprintf(stderr, "%s\n", strbuf_cstring(&out));
    return false;
}

static void kernel_run_operands(KernelRun *run) {
    const Op *end = region_terminator(func_body(run->func));
    Region *body = func_body(run->func);
    Kernel *kernel = &run->kernel;
    kernel->output_count = end->operand_count;
    kernel->input_count = body->arg_count;
    kernel->outputs = ARENA_ARRAY(run->arena, KernelOperand, kernel->output_count);
    kernel->inputs = ARENA_ARRAY(run->arena, KernelOperand, kernel->input_count);
    for (int i = 0; i < kernel->output_count; i++) {
        kernel->outputs[i].value = op_operand(end, i);
        kernel->outputs[i].buffer = kernel_run_buffer(run, op_operand(end, i)->type, i);
    }
    for (int i = 0; i < kernel->input_count; i++) {
        kernel->inputs[i].value = body->args[i];
        kernel->inputs[i].buffer =
            kernel_run_buffer(run, body->args[i]->type, kernel->output_count + i);
    }
}

// The target, the kernel's stage, loops and grid.
static bool kernel_run_plan(KernelRun *run, const char *cpu) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    if (!target_select(run->arena, NULL, cpu, 2, &run->target, run->diags))
        return kernel_run_failed(run, "target");
    if (run->l3_bytes) run->target.l3_bytes = run->l3_bytes;
    run->kernel.stage =
        run->kernel.kind == KERNEL_ATTENTION
            ? attention_stage(run->arena, &run->program, &run->kernel, -1, run->diags)
            : stage_of_kernel(run->arena, &run->program, &run->kernel, &run->target, run->diags);
    if (!run->kernel.stage) return kernel_run_failed(run, "build");
    if (run->kernel.stage->kind != STAGE_SPECIAL && run->kernel.stage->kind != STAGE_ATTENTION)
        run->kernel.stage->space = space_plan(run->kernel.stage, arena_child(run->arena));
    lowering_of(run->kernel.kind)->grid(&run->kernel, &run->target);
    if (run->by_lines) run->kernel.stage->space->by_lines = true;
    if (run->stores_late) {
        Stage *stage = run->kernel.stage;
        if (!rows_store_late(stage, INT64_MAX, run->arena)) return kernel_run_failed(run, "late");
        run->kernel.scratch_bytes = stage->rows->local_bytes;
    }
    return true;
}

static bool kernel_run_compile(KernelRun *run, const char *cpu, bool wants_assembly) {
    if (!kernel_run_plan(run, cpu)) return false;
    const char *error = NULL;
    for (int pass = wants_assembly ? 0 : 1; pass < 2; pass++) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = emit_kernel(
            run->arena, context, &run->program, &run->target, &run->kernel, "kernel", NULL,
            run->diags);
        if (!module) return kernel_run_failed(run, "emit");
        // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread
        if (getenv("KERNEL_RUN_IR")) fprintf(stderr, "%s\n", LLVMPrintModuleToString(module));
        LLVMTargetMachineRef machine = target_machine(&run->target);
        StrView output;
        OutputForm form = pass == 0 ? OUTPUT_ASM : OUTPUT_OBJECT;
        if (!optimize_module(
                run->arena, module, machine, &run->target, NULL, form, &output, &error))
            return kernel_run_failed(run, error);
        LLVMDisposeTargetMachine(machine);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
        if (pass == 0) {
            run->assembly = output;
            continue;
        }
        if (LLVMOrcCreateLLJIT(&run->jit, NULL)) return kernel_run_failed(run, "jit");
        LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(run->jit);
        LLVMOrcDefinitionGeneratorRef generator;
        LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
            &generator, LLVMOrcLLJITGetGlobalPrefix(run->jit), NULL, NULL);
        LLVMOrcJITDylibAddGenerator(library, generator);
        LLVMMemoryBufferRef buffer =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(output.data, output.size, "kernel");
        if (LLVMOrcLLJITAddObjectFile(run->jit, library, buffer))
            return kernel_run_failed(run, "link");
        LLVMOrcExecutorAddress address = 0;
        if (LLVMOrcLLJITLookup(run->jit, &address, "kernel"))
            return kernel_run_failed(run, "symbol");
        memcpy(&run->function, &address, sizeof address);
    }
    return true;
}

static char **kernel_run_bases(KernelRun *run) {
    int slots = run->kernel.output_count + run->kernel.input_count;
    char **bases = ARENA_ARRAY(run->arena, char *, run->device_count *slots);
    for (int64_t d = 0; d < run->device_count; d++) {
        for (int k = 0; k < slots; k++) {
            int i = k - run->kernel.output_count;
            Tensor *tensor = i < 0 ? run->outputs[d * run->kernel.output_count + k]
                                   : run->inputs[d * run->kernel.input_count + i];
            bases[d * slots + k] = tensor->data;
        }
    }
    return bases;
}

static void kernel_run_before(KernelRun *run) {
    // the first inputs are overwritten, or nothing of an earlier run is left
    bool in_place = run->kernel.kind == KERNEL_UPDATE || run->kernel.kind == KERNEL_SCATTER;
    for (int64_t d = 0; d < run->device_count; d++) {
        for (int k = 0; k < run->kernel.output_count; k++) {
            Tensor *to = run->outputs[d * run->kernel.output_count + k];
            memset(to->data, 0x55, type_bytes(to->type));
            if (!in_place) continue;
            const Tensor *from = run->inputs[d * run->kernel.input_count + k];
            memcpy(to->data, from->data, type_bytes(from->type));
        }
    }
}

// Runs the kernel's stage as data.
static inline bool kernel_run_evaluate(KernelRun *run) {
    StageMemory memory = {kernel_run_bases(run)};
    kernel_run_before(run);
    for (int64_t d = 0; d < run->device_count; d++) {
        if (!stage_evaluate(run->arena, run->kernel.stage, &memory, d)) return false;
    }
    return true;
}

// Runs the first `count` of the parts on all devices, of the grid cut into `lanes` parts.
static void kernel_run_parts(KernelRun *run, int64_t lanes, int64_t count) {
    int slots = run->kernel.output_count + run->kernel.input_count;
    RtOperand *operands = ARENA_ARRAY(run->arena, RtOperand, slots);
    for (int k = 0; k < slots; k++)
        operands[k].slot = k;
    char **bases = kernel_run_bases(run);
    kernel_run_before(run);
    char *scratch = arena_alloc_aligned(run->arena, (size_t)run->kernel.scratch_bytes + 64, 64);
    for (int64_t d = 0; d < run->device_count; d++) {
        for (int64_t r = 0; r < count; r++) {
            RtLane lane = {
                .bases = bases, .device = d, .rank = r, .team_size = lanes, .slot_count = slots};
            lane.scratch = scratch;
            run->function(
                &lane, operands, run->kernel.grid * r / lanes, run->kernel.grid * (r + 1) / lanes);
        }
    }
}

// Runs the kernel on all devices, its grid cut into `lanes` parts.
static void kernel_run_execute(KernelRun *run, int64_t lanes) {
    kernel_run_parts(run, lanes, lanes);
}

// Parses, compiles, fills the inputs and evaluates. kind and code as above.
static bool kernel_run_create(
    KernelRun *run, Arena *arena, const char *text, KernelKind kind, OpCode code) {
    run->arena = arena;
    run->diags = diags_create(arena);
    if (run->input_low == run->input_high) {
        run->input_low = -4;
        run->input_high = 4;
    }
    if (run->device_count == 0) run->device_count = 1;
    Context *context = context_create(arena);
    ReadOptions options = {.file = SV("test.mlir")};
    run->module = frontend_read(context, arena, strview(text), &options, run->diags);
    if (!run->module) return kernel_run_failed(run, "parse");
    run->func = module_entry(run->module, SV("main"));
    run->program = (DeviceProgram){
        .module = run->module, .main = run->func, .device_count = run->device_count};
    run->kernel = (Kernel){.kind = kind, .name = "kernel"};
    run->kernel.root = kernel_run_root(run, code);
    run->kernel.loc = run->kernel.root->loc;
    kernel_run_operands(run);
    int64_t args = run->kernel.input_count, results = run->kernel.output_count;
    run->inputs =
        (Tensor **)arena_alloc_array(arena, run->device_count * args + 1, sizeof(Tensor *));
    run->outputs =
        (Tensor **)arena_alloc_array(arena, run->device_count * results, sizeof(Tensor *));
    run->expected =
        (Tensor **)arena_alloc_array(arena, run->device_count * results, sizeof(Tensor *));
    uint64_t state = 42;
    for (int64_t d = 0; d < run->device_count; d++) {
        for (int64_t i = 0; i < args; i++) {
            run->inputs[d * args + i] = tensor_create(arena, run->kernel.inputs[i].value->type);
            kernel_run_fill(run, run->inputs[d * args + i], &state);
        }
        for (int64_t i = 0; i < results; i++) {
            run->outputs[d * results + i] =
                tensor_create(arena, run->kernel.outputs[i].value->type);
            memset(
                run->outputs[d * results + i]->data, 0xA5,
                type_bytes(run->kernel.outputs[i].value->type));
        }
    }
    EvalOptions eval = {.device_count = run->device_count};
    if (!eval_devices(
            arena, run->module, run->func, run->device_count, (const Tensor *const *)run->inputs,
            run->expected, &eval, run->diags))
        return kernel_run_failed(run, "evaluate");
    return true;
}

// The largest difference of the outputs from the evaluator's, relative to max(1, |expected|).
static inline double kernel_run_error(const KernelRun *run) {
    double worst = 0;
    for (int64_t k = 0; k < run->device_count * run->kernel.output_count; k++) {
        const Tensor *a = run->outputs[k], *b = run->expected[k];
        int64_t count = type_element_count(a->type);
        for (int64_t i = 0; i < count; i++) {
            double _Complex x, y;
            size_t at = (size_t)i * element_bytes(a->type->element);
            scalar_load_complex(a->type->element, (char *)a->data + at, 1, 1, &x);
            scalar_load_complex(a->type->element, (char *)b->data + at, 1, 1, &y);
            double parts[4] = {creal(x), creal(y), cimag(x), cimag(y)};
            for (int p = 0; p < 2; p++) {
                double got = parts[2 * p], want = parts[2 * p + 1];
                if ((isnan(got) && isnan(want)) || got == want) continue;
                double error = fabs(got - want) / fmax(1.0, fabs(want));
                if (!(error <= worst)) worst = isnan(error) ? (double)INFINITY : error;
            }
        }
    }
    return worst;
}

static void kernel_run_free(KernelRun *run) {
    if (run->jit) LLVMOrcDisposeLLJIT(run->jit);
    run->jit = NULL;
}

#endif

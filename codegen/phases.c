// The phases of the pipeline `codegen` (ir/pass/passes.def), from a device program to objects.
#include "codegen/phases.h"

#include "codegen/compile.h"
#include "codegen/emit/emit.h"
#include "codegen/fuse/fuse.h"
#include "codegen/model/entry.h"
#include "codegen/plan/attention.h"
#include "codegen/plan/blocks/row_blocks.h"
#include "codegen/plan/grid.h"
#include "codegen/plan/kernel_key.h"
#include "codegen/plan/kernel_stage.h"
#include "codegen/plan/print/print.h"
#include "codegen/plan/rows/late_stores.h"
#include "codegen/plan/streams.h"
#include "ir/pass/passes.h"

#include <llvm-c/Linker.h>

enum { MOST_PARTS = 64, MOST_ELEMENTS = 256, MOST_OPERATIONS = 16 << 10 }; // of loops' functions

static bool is_empty_kernel(const Kernel *kernel) {
    if (kernel->kind == KERNEL_CUSTOM) return false; // called all the same
    for (int i = 0; i < kernel->output_count; i++) {
        if (type_element_count(kernel->outputs[i].value->type) > 0) return false;
    }
    return kernel->output_count > 0;
}

static void find_grids(Compile *compile) {
    Plan *plan = &compile->plan;
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        if (is_empty_kernel(kernel)) continue;
        int64_t bytes = kernel->bytes, flops = kernel->flops;
        lowering_of(kernel->kind)->grid(kernel, &compile->target);
        if (kernel->bytes == 0) kernel->bytes = bytes;
        if (kernel->flops == 0) kernel->flops = flops;
        if (kernel->scratch_bytes > (int64_t)plan->scratch_bytes)
            plan->scratch_bytes = (size_t)kernel->scratch_bytes;
    }
}

static bool build_stages(Compile *compile) {
    Plan *plan = &compile->plan;
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        if (is_empty_kernel(kernel)) continue;
        int64_t device = compile->target.only_device;
        kernel->stage =
            kernel->kind == KERNEL_ATTENTION
                ? attention_stage(plan->arena, plan->program, kernel, device, compile->diags)
                : stage_of_kernel(
                      plan->arena, plan->program, kernel, &compile->target, compile->diags);
        if (!kernel->stage) return false;
        stage_add_starts(kernel->stage);
    }
    return true;
}

static void number_steps(StepList *list, int *next) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        step->number = (*next)++;
        int bodies = step->kind == STEP_WHILE    ? 2
                     : step->kind == STEP_BRANCH ? step->branch_count
                                                 : 0;
        for (int b = 0; b < bodies; b++) {
            number_steps(step->bodies[b], next);
        }
    }
}

bool plan_kernels(Plan *plan) {
    insert_copies(plan->program);
    Module *module = plan->program->module;
    Fusion fusion = {.plan = plan, .module = module};
    fusion.infos = ARENA_ARRAY(plan->arena, ValueInfo, module->next_value_number);
    fusion.positions = ARENA_ARRAY(plan->arena, int64_t, module->next_op_number);
    fuse_values(&fusion);
    return build_kernels(&fusion);
}

PassResult pass_kernels(Module *module, PassContext *pass) {
    (void)module;
    Compile *compile = pass->compile;
    Plan *plan = &compile->plan;
    *plan = (Plan){
        .arena = compile->arena,
        .program = compile->program,
        .target = &compile->target,
        .diags = compile->diags};
    plan->streams_attention = !compile->target.reference_kernels;
    plan->buffers = ptr_map(compile->arena);
    BarrierGroups team = {NULL, 0, NULL};
    vec_push(plan->arena, &plan->barriers, team);
    if (!check_supported(compile) || !plan_kernels(plan)) return PASS_FAILED;
    share_buffers(plan);
    if (!build_stages(compile)) return PASS_FAILED;
    spread_maps(plan);
    find_grids(compile);
    grids_of_loops(plan->steps);
    return PASS_CHANGED;
}

// The scratch of products depends on how their blocks are chosen.
static void lay_out_parts(Compile *compile, Kernel *kernel) {
    for (int p = 0; p < kernel->blocks->part_count; p++) {
        Kernel *part = kernel->blocks->parts[p].kernel;
        int64_t grid = part->grid;
        lowering_of(part->kind)->grid(part, &compile->target);
        part->grid = grid;
    }
    row_blocks_lay_out(&compile->plan, kernel);
}

PassResult pass_schedule(Module *module, PassContext *pass) {
    (void)module;
    Plan *plan = &pass->compile->plan;
    plan_schedule(plan);
    plan_row_blocks(plan);
    for (int64_t i = 0; i < plan->kernels.count; i++)
        if (plan->kernels.data[i]->blocks) lay_out_parts(pass->compile, plan->kernels.data[i]);
    return PASS_CHANGED;
}

static void number_custom_calls(Compile *compile) {
    Plan *plan = &compile->plan;
    compile->custom_calls = ARENA_ARRAY(compile->arena, const Op *, plan->kernels.count);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        if (kernel->kind != KERNEL_CUSTOM) continue;
        kernel->custom_call = compile->custom_call_count++;
        compile->custom_calls[kernel->custom_call] = kernel->root;
    }
}

static const char *function_name(Compile *compile, const Kernel *kernel, int number) {
    StrBuf name = strbuf(compile->arena);
    strbuf_printf(&name, "k%d_", number);
    for (const char *c = kernel->name; *c && name.size < 48; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_';
        strbuf_putc(&name, plain ? *c : '_');
    }
    return strbuf_cstring(&name);
}

// ---- loops of small kernels: calls would take longer than what they do

static bool is_small(const Kernel *kernel) {
    const Stage *stage = kernel->stage;
    if (!stage || stage->kind == STAGE_SPECIAL || stage->kind == STAGE_ATTENTION) return false;
    int64_t elements = 1;
    for (int a = 0; a < stage->axis_count; a++)
        elements *= stage->axes[a].extent;
    bool has_folds = stage->exprs->fold_count > 0; // else the elements' work is that of few ops
    return elements <= MOST_ELEMENTS && (!has_folds || kernel->flops <= MOST_OPERATIONS);
}

// Adds the kernels in the lists of the step; false where they are too many, or one is not small.
static bool small_parts(const Step *step, Kernel **parts, int *count) {
    for (int b = 0; b < step_body_count(step); b++) {
        for (int64_t i = 0; i < step->bodies[b]->steps.count; i++) {
            const Step *part = step->bodies[b]->steps.data[i];
            if (!small_parts(part, parts, count)) return false;
            if (part->kind != STEP_KERNEL || part->kernel->grid == 0) continue;
            if (*count == MOST_PARTS || !is_small(part->kernel)) return false;
            parts[(*count)++] = part->kernel;
        }
    }
    return true;
}

static void find_loops(Compile *compile, const StepList *list) {
    for (int64_t i = 0; i < list->steps.count; i++) {
        Step *step = list->steps.data[i];
        Kernel *parts[MOST_PARTS];
        int count = 0;
        bool is_whole = step->kind == STEP_WHILE && step->is_single &&
                        small_parts(step, parts, &count) && count > 0;
        if (!is_whole) {
            for (int b = 0; b < step_body_count(step); b++)
                find_loops(compile, step->bodies[b]);
            continue;
        }
        int number = compile->job_count++;
        const char *name = arena_printf(compile->arena, "k%d_while", number);
        compile->jobs[number] = (CompileJob){.loop = step, .name = name};
        compile->functions[number] = name;
        step->is_whole = true;
        step->function = number;
        for (int k = 0; k < count; k++) {
            parts[k]->is_part = true;
            parts[k]->function = number;
        }
    }
}

static void find_functions(Compile *compile) {
    Plan *plan = &compile->plan;
    Arena *scratch = arena_child(compile->arena);
    StrMap known = str_map(scratch);
    compile->jobs = ARENA_ARRAY(compile->arena, CompileJob, plan->kernels.count);
    compile->functions = ARENA_ARRAY(compile->arena, const char *, plan->kernels.count);
    find_loops(compile, plan->steps);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        if (kernel->grid == 0 || kernel->is_part) continue;
        StrView key = kernel_key(scratch, kernel);
        void *found = str_map_get(&known, key);
        if (!found) {
            int number = compile->job_count++;
            compile->jobs[number] =
                (CompileJob){.kernel = kernel, .name = function_name(compile, kernel, number)};
            compile->functions[number] = compile->jobs[number].name;
            found = &compile->jobs[number];
            str_map_set(&known, key, found);
        }
        kernel->function = (int)((CompileJob *)found - compile->jobs);
        kernel->symbol = compile->functions[kernel->function];
    }
    arena_reset(scratch);
}

PassResult pass_buffers(Module *module, PassContext *pass) {
    (void)module;
    Compile *compile = pass->compile;
    Plan *plan = &compile->plan;
    keep_values(plan);
    make_once(plan);
    if (!plan_collectives(plan) || !plan_buffers(plan)) return PASS_FAILED;
    plan->is_placed = true;
    plan_late_stores(plan);
    plan_line_tiles(plan);
    int next = 0;
    number_steps(plan->steps, &next);
    number_custom_calls(compile);
    find_functions(compile);
    return PASS_CHANGED;
}

bool print_plan(StrBuf *out, const PassContext *pass) {
    plan_print(out, &pass->compile->plan);
    return true;
}

static Entry entry_of(Compile *compile, Arena *arena) {
    return (Entry){
        .arena = arena,
        .plan = &compile->plan,
        .target = &compile->target,
        .options = compile->options,
        .custom_call_count = compile->custom_call_count,
        .custom_calls = compile->custom_calls,
        .name = compile->name,
        .functions = compile->functions,
    };
}

static void dispose_builder(void *builder) { LLVMDisposeBuilder(builder); }

static Entry entry_begin(Compile *compile, Arena *arena, LLVMContextRef context, const char *name) {
    Entry entry = entry_of(compile, arena);
    entry.context = context;
    entry.void_type = LLVMVoidTypeInContext(context);
    entry.i8 = LLVMInt8TypeInContext(context);
    entry.i32 = LLVMInt32TypeInContext(context);
    entry.i64 = LLVMInt64TypeInContext(context);
    entry.pointer = LLVMPointerTypeInContext(context, 0);
    entry.module = LLVMModuleCreateWithNameInContext(name, context);
    entry.builder = LLVMCreateBuilderInContext(context);
    arena_defer(arena, dispose_builder, entry.builder);
    return entry;
}

// Called on a compile thread. The functions that C programs call are for libraries alone.
static LLVMModuleRef emit_entry(void *user, Arena *arena, LLVMContextRef context) {
    Compile *compile = user;
    Entry entry = entry_begin(compile, arena, context, compile->name);
    LLVMValueRef model = entry_model(&entry, entry_program(&entry));
    if (!compile->options->in_memory) entry_typed_functions(&entry, model);
    return entry.module;
}

// The function is part of the module, inlined where it is called.
static void make_part(LLVMContextRef context, LLVMValueRef function) {
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
}

static void take_attributes(Arena *arena, LLVMValueRef to, LLVMValueRef from) {
    unsigned count = LLVMGetAttributeCountAtIndex(from, LLVMAttributeFunctionIndex);
    LLVMAttributeRef *list = ARENA_ARRAY(arena, LLVMAttributeRef, count + 1);
    LLVMGetAttributesAtIndex(from, LLVMAttributeFunctionIndex, list);
    for (unsigned i = 0; i < count; i++)
        LLVMAddAttributeAtIndex(to, LLVMAttributeFunctionIndex, list[i]);
}

// Called on a compile thread.
static LLVMModuleRef emit_loop(
    void *user, Arena *arena, LLVMContextRef context, const CompileJob *job, Diags *diags) {
    Compile *compile = user;
    Entry entry = entry_begin(compile, arena, context, job->name);
    entry_loop(&entry, job->loop, job->name);
    LLVMValueRef loop = LLVMGetNamedFunction(entry.module, job->name);
    Kernel *parts[MOST_PARTS];
    int count = 0;
    small_parts(job->loop, parts, &count);
    for (int k = 0; k < count; k++) {
        const char *name = entry_part_name(arena, parts[k]);
        LLVMModuleRef module = emit_kernel(
            arena, context, compile->program, &compile->target, parts[k], name, NULL, diags);
        if (!module || LLVMLinkModules2(entry.module, module)) {
            LLVMDisposeModule(entry.module);
            return NULL;
        }
        LLVMValueRef part = LLVMGetNamedFunction(entry.module, name);
        if (k == 0) take_attributes(arena, loop, part);
        make_part(context, part);
    }
    return entry.module;
}

// The objects, or texts, of all kernels and of the device program.
static bool make_outputs(Compile *compile) {
    const CodegenOptions *options = compile->options;
    StrView entry_output = {0};
    SharedOutputs shared = {0};
    CompileOptions jobs = {
        .program = compile->program,
        .target = &compile->target,
        .form = compile->form,
        .cache = compile->cache,
        .threads = options->threads,
        .emit_entry = emit_entry,
        .emit_loop = emit_loop,
        .entry_user = compile,
        .entry_output = &entry_output,
        .progress = options->progress,
        .progress_user = options->progress_user};
    if (!compile_jobs(
            compile->arena, &jobs, compile->job_count, compile->jobs, &shared, compile->diags))
        return false;
    int count = 0;
    compile->outputs = ARENA_ARRAY(compile->arena, StrView, compile->job_count + shared.count + 1);
    for (int i = 0; i < compile->job_count; i++)
        compile->outputs[count++] = compile->jobs[i].output;
    for (int64_t i = 0; i < shared.count; i++)
        compile->outputs[count++] = shared.data[i];
    compile->outputs[count++] = entry_output;
    compile->output_count = count;
    if (options->in_memory) return true;
    Entry entry = entry_of(compile, compile->arena);
    compile->header = entry_header(&entry);
    return true;
}

PassResult pass_llvm(Module *module, PassContext *pass) {
    (void)module;
    Compile *compile = pass->compile;
    if (!make_outputs(compile)) return PASS_FAILED;
    if (compile->cache) {
        StrBuf note = strbuf(compile->arena);
        object_cache_trim(compile->cache, pass->scratch, MOST_CACHE_BYTES);
        object_cache_print(compile->cache, &note);
        pass_log_note(pass->log, strbuf_view(&note));
    }
    return PASS_CHANGED;
}

void append_outputs(StrBuf *out, const Compile *compile) {
    for (int i = 0; i < compile->output_count; i++) {
        strbuf_append(out, compile->outputs[i]);
        strbuf_putc(out, '\n');
    }
}

// The phase made objects: the same kernels once more, as text.
bool print_llvm(StrBuf *out, const PassContext *pass) {
    Compile text = *pass->compile;
    text.form = OUTPUT_LLVM;
    text.cache = NULL;
    text.jobs = ARENA_ARRAY(text.arena, CompileJob, text.job_count);
    for (int i = 0; i < text.job_count; i++)
        text.jobs[i] = (CompileJob){
            .kernel = pass->compile->jobs[i].kernel,
            .loop = pass->compile->jobs[i].loop,
            .name = pass->compile->jobs[i].name};
    if (!make_outputs(&text)) return false;
    append_outputs(out, &text);
    return true;
}

// The phases of the pipeline `codegen` (ir/pass/passes.def), from a device program to objects.
#include "codegen/phases.h"

#include "codegen/compile.h"
#include "codegen/emit/emit.h"
#include "codegen/fuse/fuse.h"
#include "codegen/model/entry.h"
#include "codegen/plan/attention.h"
#include "codegen/plan/kernel_key.h"
#include "codegen/plan/kernel_stage.h"
#include "codegen/plan/print/print.h"
#include "ir/pass/passes.h"

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
    return PASS_CHANGED;
}

PassResult pass_schedule(Module *module, PassContext *pass) {
    (void)module;
    plan_schedule(&pass->compile->plan);
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

static void find_functions(Compile *compile) {
    Plan *plan = &compile->plan;
    Arena *scratch = arena_child(compile->arena);
    StrMap known = str_map(scratch);
    compile->jobs = ARENA_ARRAY(compile->arena, CompileJob, plan->kernels.count);
    compile->functions = ARENA_ARRAY(compile->arena, const char *, plan->kernels.count);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Kernel *kernel = plan->kernels.data[i];
        if (kernel->grid == 0) continue;
        StrView key = kernel_key(scratch, kernel);
        void *found = str_map_get(&known, key);
        if (!found) {
            int number = compile->job_count++;
            compile->jobs[number] =
                (CompileJob){kernel, function_name(compile, kernel, number), {NULL, 0}};
            compile->functions[number] = compile->jobs[number].name;
            found = &compile->jobs[number];
            str_map_set(&known, key, found);
        }
        kernel->function = (int)((CompileJob *)found - compile->jobs);
    }
    arena_reset(scratch);
}

PassResult pass_buffers(Module *module, PassContext *pass) {
    (void)module;
    Compile *compile = pass->compile;
    Plan *plan = &compile->plan;
    keep_values(plan);
    if (!plan_collectives(plan) || !plan_buffers(plan)) return PASS_FAILED;
    plan->is_placed = true;
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

// Called on a compile thread. The functions that C programs call are for libraries alone.
static LLVMModuleRef emit_entry(void *user, Arena *arena, LLVMContextRef context) {
    Compile *compile = user;
    Entry entry = entry_of(compile, arena);
    entry.context = context;
    entry.void_type = LLVMVoidTypeInContext(context);
    entry.i8 = LLVMInt8TypeInContext(context);
    entry.i32 = LLVMInt32TypeInContext(context);
    entry.i64 = LLVMInt64TypeInContext(context);
    entry.pointer = LLVMPointerTypeInContext(context, 0);
    entry.module = LLVMModuleCreateWithNameInContext(compile->name, context);
    entry.builder = LLVMCreateBuilderInContext(context);
    arena_defer(arena, dispose_builder, entry.builder);
    LLVMValueRef model = entry_model(&entry, entry_program(&entry));
    if (!compile->options->in_memory) entry_typed_functions(&entry, model);
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
            .kernel = pass->compile->jobs[i].kernel, .name = pass->compile->jobs[i].name};
    if (!make_outputs(&text)) return false;
    append_outputs(out, &text);
    return true;
}

// codegen: the phases in order, from a device program to objects.
#include "codegen/codegen.h"

#include "codegen/emit/emit.h"
#include "codegen/fuse/fuse.h"
#include "codegen/model/emit_entry.h"
#include "codegen/phases.h"
#include "codegen/plan/attention.h"
#include "codegen/plan/kernel_key.h"
#include "codegen/plan/kernel_stage.h"
#include "codegen/plan/print.h"
#include "codegen/plan/stage.h"
#include "codegen/target/optimize.h"
#include "ir/pass/passes.h"

#include <stdlib.h>

enum { MOST_CACHE_BYTES = 512 << 20 };

typedef struct Compile {
    Arena *arena;
    DeviceProgram *program;
    const CodegenOptions *options;
    OutputForm form;
    ObjectCache *cache; // NULL = none
    Target target;
    Plan plan;
    const char *name;
    int job_count;
    CompileJob *jobs;       // one per distinct kernel
    const char **functions; // their symbols
    int custom_call_count;
    const Op **custom_calls;
    StrView *outputs; // [job_count + 1], the last one the device program
    StrView header;
    Diags *diags;
} Compile;

// ---- what cannot be compiled

typedef struct Check {
    const CodegenOptions *options;
    Diags *diags;
    bool supported;
} Check;

static bool is_scalar_region_of(const Op *op) {
    const Op *parent = op_parent_op(op);
    return parent && parent->code != OP_FUNC && lower_class(parent, NULL) != LOWER_CONTROL;
}

static bool is_row_major(const Op *op, AttrName layouts) {
    const Attr *attr = op_attr(op, layouts);
    for (int i = 0; attr && i < attr->count; i++) {
        const Attr *order = attr->items[i]; // minor to major
        for (int d = 0; order->ints && d < order->count; d++) {
            if (order->ints[d] != order->count - 1 - d) return false;
        }
    }
    return true;
}

// Why the call cannot be compiled; NULL = it can.
static const char *custom_call_problem(const CodegenOptions *options, const Op *op) {
    StrView name = op_text(op, NAME_CALL_TARGET_NAME);
    bool is_known = false;
    for (int i = 0; i < options->custom_count && !is_known; i++) {
        is_known = strview_equal(name, options->custom_names[i]);
    }
    bool sees_aliases =
        !is_known && options->knows_custom && options->knows_custom(options->knows_user, name);
    if (!is_known && !sees_aliases) return "";
    const Attr *aliases = op_attr(op, NAME_OUTPUT_OPERAND_ALIASES);
    if (aliases && aliases->count > 0 && !sees_aliases)
        return " with results in the place of operands";
    if (!is_row_major(op, NAME_OPERAND_LAYOUTS) || !is_row_major(op, NAME_RESULT_LAYOUTS))
        return " with layouts other than row-major";
    return NULL;
}

static bool check_op(Op *op, void *user) {
    Check *check = user;
    if (is_scalar_region_of(op) && op_has(op, TRAIT_TERMINATOR)) return true;
    KernelKind kind;
    LowerClass lower = lower_class(op, &kind);
    bool supported = lower != LOWER_ABSENT;
    const char *problem =
        op->code == OP_CUSTOM_CALL ? custom_call_problem(check->options, op) : NULL;
    if (problem) supported = false;
    for (int i = 0; supported && i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        bool plain = type->kind == TYPE_TOKEN ||
                     (type->kind == TYPE_TENSOR && type_is_static(type) && !type->quant);
        if (!plain) supported = false;
    }
    if (supported) return true;
    StrView called =
        op->code == OP_CUSTOM_CALL ? op_text(op, NAME_CALL_TARGET_NAME) : (StrView){"", 0};
    diag_unsupported(
        check->diags, op->loc, "'%.*s'%s%.*s%s is not supported by the code generator",
        SV_ARG(op->name), called.size ? " of @" : "", SV_ARG(called), problem ? problem : "");
    check->supported = false;
    return true;
}

static bool check_supported(Compile *compile) {
    Check check = {compile->options, compile->diags, true};
    region_walk(func_body(compile->program->main), check_op, &check);
    return check.supported;
}

// ---- phases

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
    fusion.facts = ARENA_ARRAY(plan->arena, Fact, module->next_value_number);
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
    find_grids(compile);
    return PASS_CHANGED;
}

PassResult pass_schedule(Module *module, PassContext *pass) {
    (void)module;
    return plan_schedule(&pass->compile->plan) ? PASS_CHANGED : PASS_FAILED;
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

// ---- distinct kernels

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

// ---- output

static void dispose_context(void *context) { LLVMContextDispose(context); }
static void dispose_builder(void *builder) { LLVMDisposeBuilder(builder); }
static void dispose_machine(void *machine) { LLVMDisposeTargetMachine(machine); }

// Disposes of the module with the context: LLVM frees modules that a context still owns.
static bool compile_entry(Compile *compile, StrView *output) {
    Arena *scratch = arena_child(compile->arena);
    LLVMContextRef context = LLVMContextCreate();
    arena_defer(scratch, dispose_context, context);
    Entry entry = {
        .arena = compile->arena,
        .plan = &compile->plan,
        .target = &compile->target,
        .options = compile->options,
        .custom_call_count = compile->custom_call_count,
        .custom_calls = compile->custom_calls,
        .name = compile->name,
        .functions = compile->functions,
        .context = context,
        .void_type = LLVMVoidTypeInContext(context),
        .i8 = LLVMInt8TypeInContext(context),
        .i32 = LLVMInt32TypeInContext(context),
        .i64 = LLVMInt64TypeInContext(context),
        .pointer = LLVMPointerTypeInContext(context, 0),
    };
    entry.module = LLVMModuleCreateWithNameInContext(compile->name, context);
    entry.builder = LLVMCreateBuilderInContext(context);
    arena_defer(scratch, dispose_builder, entry.builder);
    LLVMValueRef model = entry_model(&entry, entry_program(&entry));
    entry_typed_functions(&entry, model);
    compile->header = entry_header(&entry);

    Target plain = compile->target;
    plain.optimize = compile->target.optimize > 1 ? 1 : compile->target.optimize;
    LLVMTargetMachineRef machine = target_machine(&plain);
    if (!machine) return false;
    arena_defer(scratch, dispose_machine, machine);
    const char *error = NULL;
    if (!optimize_module(
            compile->arena, entry.module, machine, &plain, compile->cache, compile->form, output,
            &error)) {
        diag_error(
            compile->diags, compile->program->main->loc,
            "internal error: the program's code is wrong: %s", error);
        return false;
    }
    arena_reset(scratch);
    return true;
}

static const char *model_name(Arena *arena, StrView name) {
    StrBuf text = strbuf(arena);
    for (size_t i = 0; i < name.size && i < 64; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool digit = c >= '0' && c <= '9';
        if (digit && i == 0) strbuf_putc(&text, '_');
        strbuf_putc(&text, letter || digit ? c : '_');
    }
    return text.size ? strbuf_cstring(&text) : "model";
}

PassResult pass_llvm(Module *module, PassContext *pass) {
    (void)module;
    Compile *compile = pass->compile;
    const CodegenOptions *options = compile->options;
    CompileOptions jobs = {compile->program,      &compile->target, compile->form,
                           compile->cache,        options->threads, options->progress,
                           options->progress_user};
    if (!compile_jobs(compile->arena, &jobs, compile->job_count, compile->jobs, compile->diags))
        return PASS_FAILED;
    compile->outputs = ARENA_ARRAY(compile->arena, StrView, compile->job_count + 1);
    for (int i = 0; i < compile->job_count; i++) {
        compile->outputs[i] = compile->jobs[i].output;
    }
    if (!compile_entry(compile, &compile->outputs[compile->job_count])) return PASS_FAILED;
    if (compile->cache) {
        StrBuf note = strbuf(compile->arena);
        object_cache_trim(compile->cache, pass->scratch, MOST_CACHE_BYTES);
        object_cache_print(compile->cache, &note);
        pass_log_note(pass->log, strbuf_view(&note));
    }
    return PASS_CHANGED;
}

// The pipeline codegen of passes.def, on a new Compile; NULL after an error.
static Compile *compile_all(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, OutputForm form,
    Diags *diags) {
    Compile *compile = ARENA_NEW(arena, Compile);
    *compile = (Compile){
        .arena = arena, .program = program, .options = options, .form = form, .diags = diags};
    compile->name = model_name(arena, options->name);
    int optimize = options->optimize < 0 ? 2 : options->optimize > 3 ? 3 : options->optimize;
    if (!target_select(
            arena, options->target, options->target_cpu, optimize, &compile->target, diags)) {
        return NULL;
    }
    if (options->in_memory && !target_runs_here(&compile->target, diags)) return NULL;
    compile->cache = form == OUTPUT_OBJECT ? object_cache_open(arena, options->cache) : NULL;
    compile->target.reference_kernels = options->reference_kernels;
    compile->target.only_device = options->shard;
    PassContext pass = {
        .module = program->module,
        .scratch = arena_child(program->module->arena),
        .diags = diags,
        .log = options->log,
        .program = program,
        .compile = compile,
    };
    return pass_run(&codegen_pass, &pass) == PASS_FAILED ? NULL : compile;
}

bool codegen_compile(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, CodegenResult *result,
    Diags *diags) {
    *result = (CodegenResult){0};
    const Compile *compile = compile_all(arena, program, options, OUTPUT_OBJECT, diags);
    if (!compile) return false;
    result->object_count = compile->job_count + 1;
    result->objects = compile->outputs;
    result->kernel_count = compile->plan.kernels.count;
    result->distinct_kernel_count = compile->job_count;
    result->arena_bytes = (int64_t)compile->plan.arena_bytes;
    result->header = compile->header;
    result->name = compile->name;
    result->custom_call_count = compile->custom_call_count;
    result->custom_calls = compile->custom_calls;
    return true;
}

bool codegen_text(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, const char *kind,
    StrView *text, Diags *diags) {
    OutputForm form = strcmp(kind, "asm") == 0 ? OUTPUT_ASM : OUTPUT_LLVM;
    const Compile *compile = compile_all(arena, program, options, form, diags);
    if (!compile) return false;
    StrBuf all = strbuf(arena);
    for (int i = 0; i <= compile->job_count; i++) {
        strbuf_append(&all, compile->outputs[i]);
        strbuf_putc(&all, '\n');
    }
    *text = strbuf_view(&all);
    return true;
}

// The phase made objects: the text is compiled anew.
bool print_llvm(StrBuf *out, const PassContext *pass) {
    const Compile *compile = pass->compile;
    CodegenOptions again = *compile->options;
    StrView text;
    again.log = NULL;
    if (!codegen_text(compile->arena, compile->program, &again, "llvm", &text, compile->diags))
        return false;
    strbuf_append(out, text);
    return true;
}

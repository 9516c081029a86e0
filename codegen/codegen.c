// codegen: a device program to objects or text, by the pipeline `codegen`.
#include "codegen/codegen.h"

#include "codegen/compile.h"
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/replicas.h"
#include "ir/pass/passes.h"

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
    if (options->shard < 0) mark_spread_results(program);
    replicas_mark_arguments(program);
    if (!mark_constant_arguments(compile)) return NULL;
    PassContext pass = {
        .module = program->module,
        .scratch = arena_child(program->module->arena),
        .diags = diags,
        .log = options->log,
        .program = program,
        .compile = compile,
        .target = &compile->target,
    };
    return pass_run(&codegen_pass, &pass) == PASS_FAILED ? NULL : compile;
}

bool codegen_compile(
    Arena *arena, DeviceProgram *program, const CodegenOptions *options, CodegenResult *result,
    Diags *diags) {
    *result = (CodegenResult){0};
    const Compile *compile = compile_all(arena, program, options, OUTPUT_OBJECT, diags);
    if (!compile) return false;
    result->object_count = compile->output_count;
    result->objects = compile->outputs;
    result->kernel_count = compile->plan.kernels.count;
    result->distinct_kernel_count = compile->job_count;
    result->arena_bytes = (int64_t)compile->plan.arena_bytes;
    result->header = compile->header;
    result->name = compile->name;
    result->has_rebind = constant_arguments_of(arena, program->main) != NULL;
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
    append_outputs(&all, compile);
    *text = strbuf_view(&all);
    return true;
}

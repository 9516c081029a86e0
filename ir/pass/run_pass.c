// The pass runner: the only place that times, counts, prints and, in checking
// builds, verifies what a pass did.
#include "ir/pass/pass.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

#ifdef SHARDC_CHECK_PASSES
// What a pass is checked against: the module's text before it ran.
static StrView module_text(Arena *arena, const Module *module) {
    StrBuf text = strbuf(arena);
    PrintOptions options = {.elide_larger = 1 << 12};
    print_module(&text, module, &options);
    return strbuf_view(&text);
}

static bool check_result(
    const Pass *pass, PassContext *context, PassResult result, StrView before, Arena *arena) {
    if (!verify_module(context->module, context->diags)) {
        diag_error(context->diags, NULL, "after pass '%s' the module is wrong", pass->name);
        return false;
    }
    if (result == PASS_UNCHANGED && !strview_equal(before, module_text(arena, context->module))) {
        diag_error(
            context->diags, NULL, "pass '%s' changed the module and does not say so", pass->name);
        return false;
    }
    return true;
}
#endif

static PassResult run_instrumented(const Pass *pass, PassContext *context) {
    const PassInstrumentation *instrumentation = context->instrumentation;
    if (!instrumentation) return pass->run(context->module, context);
    void *state = instrumentation->before(context);
    PassResult result = pass->run(context->module, context);
    if (result != PASS_FAILED) instrumentation->after(context, state);
    return result;
}

static PassResult run_checked(const Pass *pass, PassContext *context) {
#ifdef SHARDC_CHECK_PASSES
    Arena *arena = arena_child(context->module->arena); // not of the scratch, which the pass resets
    StrView before = module_text(arena, context->module);
    PassResult result = run_instrumented(pass, context);
    bool ok = result != PASS_FAILED && check_result(pass, context, result, before, arena);
    arena_reset(arena);
    return ok ? result : PASS_FAILED;
#else
    return run_instrumented(pass, context);
#endif
}

// Does the step's condition hold for the options of its pipeline?
static bool is_wanted(const PassStep *step, const PassContext *pipeline) {
    const char *name = step->condition;
    if (!*name) return true;
    return *name == '!' ? !pass_flag(pipeline, name + 1) : pass_flag(pipeline, name);
}

enum { MAX_STEP_OPTIONS = 8 };

// The options of a step, with those of the pipeline in place of $NAME.
static void set_options(const PassStep *step, const PassContext *pipeline, PassContext *context) {
    PassOption *options = ARENA_ARRAY(pipeline->scratch, PassOption, MAX_STEP_OPTIONS);
    int count = pass_options_read(strview(step->options), MAX_STEP_OPTIONS, options);
    for (int i = 0; i < count; i++) {
        StrView value = options[i].value;
        if (value.size == 0 || value.data[0] != '$') continue;
        value = (StrView){value.data + 1, value.size - 1};
        options[i].value = pass_option(pipeline, arena_cstring(pipeline->scratch, value));
    }
    context->option_count = count;
    context->options = options;
}

static PassResult run_steps(const Pass *pipeline, PassContext *context) {
    PassResult result = PASS_UNCHANGED;
    Arena *scratch = arena_child(context->scratch);
    for (const PassStep *step = pipeline->steps; step->pass; step++) {
        if (!is_wanted(step, context)) continue;
        if (context->progress && context->depth == 0)
            context->progress(context->progress_user, step->pass->name);
        PassContext inner = *context;
        inner.scratch = scratch;
        inner.depth++;
        set_options(step, context, &inner);
        PassResult changed = pass_run(step->pass, &inner);
        context->module = inner.module;
        if (changed == PASS_FAILED) return PASS_FAILED;
        if (changed == PASS_CHANGED) result = PASS_CHANGED;
    }
    return result;
}

static bool print_after(const Pass *pass, const PassContext *context) {
    StrBuf *out = pass_log_wants(context->log, pass->name);
    if (!out) return true;
    strbuf_printf(out, "// after %s\n", pass->name);
    if (pass->print) return pass->print(out, context);
    print_module(out, context->module, NULL);
    return true;
}

static bool count_op(Op *op, void *user) {
    (void)op;
    ++*(int64_t *)user;
    return true;
}

static int64_t count_ops(const Module *module) {
    int64_t count = 0;
    region_walk(module->body, count_op, &count);
    return count;
}

PassResult pass_run(const Pass *pass, PassContext *context) {
    context->pass = pass;
    pass_log_begin(context->log, pass->name);
    PassResult result = pass->run ? run_checked(pass, context) : run_steps(pass, context);
    pass_log_end(context->log, context->log ? count_ops(context->module) : 0);
    if (result != PASS_FAILED && !print_after(pass, context)) result = PASS_FAILED;
    arena_reset(context->scratch);
    return result;
}

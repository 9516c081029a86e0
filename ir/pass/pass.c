// The pass runner: options, and in checking builds what every pass promises.
#include "ir/pass/pass.h"

#include "ir/print/print.h"
#include "ir/verify/verify.h"

StrView pass_option(const PassContext *pass, const char *name) {
    for (int i = 0; i < pass->option_count; i++) {
        if (strview_is(pass->options[i].name, name)) return pass->options[i].value;
    }
    return (StrView){0};
}

bool pass_flag(const PassContext *pass, const char *name, bool otherwise) {
    for (int i = 0; i < pass->option_count; i++) {
        if (!strview_is(pass->options[i].name, name)) continue;
        StrView value = pass->options[i].value;
        return value.size == 0 || strview_is(value, "true") || strview_is(value, "1");
    }
    return otherwise;
}

#ifdef SHARDC_CHECK_PASSES
// What a pass is checked against: the module's text before it ran.
static StrView module_text(Arena *arena, const Module *module) {
    StrBuf text = strbuf(arena);
    PrintOptions options = {.elide_larger = 1 << 12};
    print_module(&text, module, &options);
    return strbuf_view(&text);
}

static bool check_result(
    const Pass *pass, const Module *module, PassContext *context, PassResult result, StrView before,
    Arena *arena) {
    if (!verify_module(module, context->diags)) {
        diag_error(context->diags, NULL, "after pass '%s' the module is wrong", pass->name);
        return false;
    }
    if (result == PASS_UNCHANGED && !strview_equal(before, module_text(arena, module))) {
        diag_error(
            context->diags, NULL, "pass '%s' changed the module and does not say so", pass->name);
        return false;
    }
    return true;
}
#endif

static bool run_checked(const Pass *pass, Module *module, PassContext *context) {
#ifdef SHARDC_CHECK_PASSES
    Arena *arena = arena_child(module->arena); // not of the scratch, which the pass may reset
    StrView before = module_text(arena, module);
    PassResult result = pass->run(module, context);
    bool ok = result != PASS_FAILED && check_result(pass, module, context, result, before, arena);
    arena_reset(arena);
    return ok;
#else
    return pass->run(module, context) != PASS_FAILED;
#endif
}

void pass_print(const Module *module, PassContext *context, const char *name) {
    StrBuf *out = pass_log_wants(context->log, name);
    if (!out) return;
    strbuf_printf(out, "// after %s\n", name);
    print_module(out, module, NULL);
}

bool pass_run(const Pass *pass, Module *module, PassContext *context) {
    pass_log_begin(context->log);
    bool ok = run_checked(pass, module, context);
    pass_log_end(context->log, pass->name);
    if (ok) pass_print(module, context, pass->name);
    arena_reset(context->scratch);
    return ok;
}

// tool: memory, diagnostics and progress of the subcommands.
#define _POSIX_C_SOURCE 200809L

#include "tools/tool.h"

#include "base/file.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/pass/passes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tool_start(Tool *tool) {
    *tool = (Tool){0};
    tool->arena = arena_create(NULL, &tool->guard);
    if (!tool->arena) fputs("shardc: error: out of memory\n", stderr);
    return tool->arena != NULL;
}

bool tool_ran_out(Tool *tool) {
    fputs("shardc: error: out of memory\n", stderr);
    tool_end(tool);
    return false;
}

void tool_end(Tool *tool) {
    arena_free(tool->arena);
    tool->arena = NULL;
}

int tool_finish_status(shardc_status *owned) {
    shardc_code code = shardc_status_code(owned);
    if (owned) fputs(shardc_status_report(owned), stderr);
    shardc_status_free(owned);
    if (code == SHARDC_OK) return EXIT_DONE;
    return code == SHARDC_UNSUPPORTED ? EXIT_UNSUPPORTED : EXIT_PROBLEM;
}

void tool_print_warnings(const shardc_module *module) {
    size_t count = 0;
    const shardc_diagnostic *list = shardc_module_diagnostics(module, &count);
    for (size_t i = 0; i < count; i++)
        fputs(list[i].report, stderr);
}

int tool_print_diags(const Diags *diags) {
    bool error = false, only_unsupported = true;
    StrBuf out = strbuf(diags->arena);
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        diag_print(&out, diags, diag);
        if (diag->severity != SEVERITY_ERROR) continue;
        error = true;
        if (!diag->unsupported) only_unsupported = false;
    }
    fputs(strbuf_cstring(&out), stderr);
    if (!error) return EXIT_DONE;
    return only_unsupported ? EXIT_UNSUPPORTED : EXIT_PROBLEM;
}

bool tool_open(Tool *tool, const char *path, Source *source) {
    const char *error = NULL;
    *source = (Source){.path = path};
    if (!file_read_limited(tool->arena, path, PROGRAM_LIMIT, &source->text, &error)) {
        fprintf(stderr, "shardc: error: %s\n", error);
        return false;
    }
    source->is_library = strview_starts_with(
        source->text, SV("\x7f"
                         "ELF"));
    return true;
}

Module *tool_read(Tool *tool, const Source *source, Diags **diags, int *status) {
    *diags = diags_create(tool->arena);
    if (!tool->context) tool->context = context_create(tool->arena);
    (*diags)->file = strview(source->path);
    (*diags)->text = source->text;
    ReadOptions options = {.file = strview(source->path)};
    Module *module = frontend_read(tool->context, tool->arena, source->text, &options, *diags);
    if (!module) {
        *status = tool_print_diags(*diags);
        if (*status == EXIT_DONE) *status = EXIT_PROBLEM;
    }
    return module;
}

bool tool_make_evaluable(Tool *tool, Module *module, Diags *diags) {
    PassContext pass = {.module = module, .scratch = arena_child(tool->arena), .diags = diags};
    return pass_run(&expand_lapack_pass, &pass) != PASS_FAILED;
}

shardc_status *tool_parse(shardc_context *context, const Source *source, shardc_module **module) {
    return shardc_module_parse(context, source->path, source->text.data, source->text.size, module);
}

shardc_status *tool_executable(
    const Source *source, const shardc_options *options, shardc_executable **executable) {
    if (source->is_library) return shardc_executable_load(source->path, options, executable);
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = tool_parse(context, source, &module);
    tool_print_warnings(module);
    if (!status) status = shardc_compile(module, options, executable);
    if (options->progress) tool_end_progress();
    if (!status) tool_print_warnings(module);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

bool tool_wants_progress(void) { return isatty(STDERR_FILENO) != 0; }

void tool_progress(void *user, const char *phase, int done, int total) {
    (void)user;
    if (total > 0) {
        fprintf(stderr, "\r\033[K%s %d/%d", phase, done, total);
    } else {
        fprintf(stderr, "\r\033[K%s", phase);
    }
    fflush(stderr);
}

void tool_report(void *user, shardc_report_kind kind, const char *text) {
    (void)user;
    tool_end_progress();
    fputs(text, kind == SHARDC_REPORT_TIMES ? stderr : stdout);
}

void tool_end_progress(void) {
    if (tool_wants_progress()) fputs("\r\033[K", stderr);
}

void tool_bytes(StrBuf *out, int64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    int unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    strbuf_printf(out, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

void tool_print_value(void *user, const Tensor *value) {
    Tool *tool = user;
    StrBuf text = strbuf(tool->arena);
    if (value->type->kind == TYPE_TENSOR)
        attr_print(&text, tensor_to_attr(tool->context, value));
    else
        type_print(&text, value->type);
    fprintf(stderr, "%s\n", strbuf_cstring(&text));
}

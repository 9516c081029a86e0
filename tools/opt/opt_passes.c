// opt_passes: the passes that shardc-opt offers by name, with their options.
#include "tools/opt/opt_passes.h"

#include "api/api_passes.h"
#include "ir/device_program.h"
#include "ir/verify/verify.h"
#include "partition/shardy/propagation_debug.h"

#include <string.h>

// Phases of codegen/ work on more than a module; they print what they make themselves.
static bool is_offered(const Pass *pass) {
    if (pass->print) return false;
    for (const PassStep *step = pass->steps; step && step->pass; step++) {
        if (!is_offered(step->pass)) return false;
    }
    return true;
}

int opt_pass_count(void) {
    int count = 0;
    for (int i = 0; i < pass_list_count(); i++)
        count += is_offered(pass_list(i));
    return count;
}

const Pass *opt_pass(int number) {
    for (int i = 0; i < pass_list_count(); i++) {
        if (is_offered(pass_list(i)) && number-- == 0) return pass_list(i);
    }
    return NULL;
}

// ---- the list

static bool is_step_of(const Pass *pass, const Pass *pipeline) {
    for (const PassStep *step = pipeline->steps; step && step->pass; step++) {
        if (step->pass == pass) return true;
    }
    return false;
}

static bool is_step(const Pass *pass) {
    for (int i = 0; i < pass_list_count(); i++) {
        if (is_offered(pass_list(i)) && is_step_of(pass, pass_list(i))) return true;
    }
    return false;
}

static void list_options(const Pass *pass, int indent, StrBuf *out) {
    for (const PassOptionInfo *info = pass->options; info->name; info++) {
        strbuf_printf(out, "%*s  %s=", indent, "", info->name);
        switch (info->kind) {
        case PASS_FLAG: strbuf_puts(out, info->otherwise); break;
        case PASS_COUNT: strbuf_puts(out, "N"); break;
        case PASS_WORD:
            for (const char *c = info->words; *c; c++)
                strbuf_putc(out, *c == ' ' ? '|' : *c);
            break;
        case PASS_TEXT: strbuf_puts(out, "TEXT"); break;
        }
        strbuf_putc(out, '\n');
    }
}

enum { HELP_COLUMN = 58 };

// A pass, and those inside it; each is explained where it stands first.
static void list_pass(const Pass *pass, int indent, StrBuf *out, PtrMap *listed) {
    int column = indent + 2 + (int)strlen(pass->name);
    bool is_new = !ptr_map_has(listed, pass);
    int blanks = column + 2 > HELP_COLUMN ? 2 : HELP_COLUMN - column;
    strbuf_printf(
        out, "%*s--%s%*s%s\n", indent, "", pass->name, is_new ? blanks : 0, "",
        is_new ? pass->help : "");
    if (!is_new) return;
    ptr_map_set(listed, pass, (void *)(uintptr_t)pass);
    list_options(pass, indent + 2, out);
    for (const PassStep *step = pass->steps; step && step->pass; step++)
        list_pass(step->pass, indent + 2, out, listed);
}

void opt_pass_list(Arena *arena, StrBuf *out) {
    PtrMap listed = ptr_map(arena);
    strbuf_puts(out, "pipelines, with their passes in order:\n");
    for (int i = 0; i < pass_list_count(); i++) {
        const Pass *pass = pass_list(i);
        if (is_offered(pass) && pass->steps && !is_step(pass)) list_pass(pass, 2, out, &listed);
    }
    strbuf_puts(out, "\nother passes:\n");
    for (int i = 0; i < pass_list_count(); i++) {
        const Pass *pass = pass_list(i);
        if (is_offered(pass) && !ptr_map_has(&listed, pass)) list_pass(pass, 2, out, &listed);
    }
}

// ---- calls

bool opt_pass_call(StrView text, PassCall *call, StrBuf *problem) {
    const char *equals = memchr(text.data, '=', text.size);
    size_t name_size = equals ? (size_t)(equals - text.data) : text.size;
    StrView name = {text.data, name_size};
    *call = (PassCall){.pass = pass_find(name)};
    if (!call->pass || !is_offered(call->pass)) {
        strbuf_printf(problem, "unknown pass or option '%.*s'; the passes are: ", SV_ARG(name));
        opt_pass_names(problem);
        return false;
    }
    if (!equals) return true;
    StrView options = {equals + 1, text.size - name_size - 1};
    call->option_count = pass_options_read(options, MAX_PASS_OPTIONS, call->options);
    if (call->option_count < 0) {
        strbuf_printf(problem, "--%s: too many options", call->pass->name);
        return false;
    }
    return pass_options_check(call->pass, call->option_count, call->options, problem);
}

void opt_pass_names(StrBuf *out) {
    const char *separator = "";
    for (int i = 0; i < pass_list_count(); i++) {
        if (!is_offered(pass_list(i))) continue;
        strbuf_printf(out, "%s%s", separator, pass_list(i)->name);
        separator = ", ";
    }
}

bool opt_pass_run(const PassCall *call, Module **module, PassLog *log, Diags *diags) {
    DeviceProgram program = {0};
    PassContext context = {
        .module = *module,
        .scratch = arena_child((*module)->arena),
        .diags = diags,
        .log = log,
        .program = &program,
        .instrumentation = &propagation_debug,
        .option_count = call->option_count,
        .options = call->options};
    bool ok = pass_run(call->pass, &context) != PASS_FAILED;
    *module = context.module;
    return ok && verify_module(*module, diags);
}

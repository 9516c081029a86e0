#include "api/kept_program.h"

#include "base/map.h"

static bool is_no_custom_call(Op *op, void *user) {
    (void)user;
    return op->code != OP_CUSTOM_CALL;
}

// A pass that is to be reported has to run.
static bool can_be_kept(const shardc_module *module, const shardc_options *options) {
    return module->contents.size > 0 && !options->print_after && !options->time_passes &&
           region_walk(module->module->body, is_no_custom_call, NULL);
}

static void append_text(StrBuf *key, StrView text) {
    strbuf_printf(key, "%zu:", text.size);
    strbuf_append(key, text);
}

static void append_option(StrBuf *key, const char *option) {
    if (option) append_text(key, strview(option));
    strbuf_putc(key, '\n');
}

KeptProgram *kept_program(
    Arena *arena, const shardc_module *module, const shardc_options *options) {
    CodegenOptions codegen = codegen_options_of(arena, options, "");
    if (!codegen.cache || !*codegen.cache || !can_be_kept(module, options)) return NULL;
    codegen.in_memory = true;
    StrBuf key = strbuf(arena);
    append_option(&key, options->entry);
    append_option(&key, options->mesh);
    append_option(&key, options->name);
    append_option(&key, options->input_types);
    append_option(&key, options->custom);
    strbuf_printf(&key, "%d\n", options->tiled != 0);
    append_text(&key, module->read_as);
    append_text(&key, module->file); // locations name it
    append_text(&key, module->contents);
    return codegen_kept(arena, &codegen, strbuf_view(&key));
}

bool kept_program_link(
    const KeptProgram *kept, Arena *arena, bool keeps_code, shardc_executable *executable) {
    CodegenResult code;
    const char *error = NULL;
    if (!codegen_find_kept(kept, arena, &code)) return false;
    if (!codegen_jit(executable->arena, &code, &executable->model, &error)) {
        executable->model = NULL;
        return false;
    }
    if (keeps_code) executable_keep_code(executable, &code);
    return true;
}

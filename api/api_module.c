// api_module: contexts and modules.
#include "api/api_internal.h"
#include "base/file.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/print/print.h"
#include "ir/verify/unknown_attributes.h"

#include <stdlib.h>
#include <string.h>

const char *shardc_version(void) { return SHARDC_VERSION; }

shardc_status *shardc_context_create(const shardc_allocator *allocator, shardc_context **context) {
    if (!context) return status_null(__func__, "context");
    *context = NULL;
    Allocator memory = {0};
    if (allocator) {
        memory = (Allocator){allocator->allocate, allocator->release, allocator->user};
        if (!memory.allocate != !memory.release) {
            return status_create(
                SHARDC_INVALID_INPUT, "shardc_context_create: the allocator has one of its "
                                      "functions, it needs both or none");
        }
    }
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    if (setjmp(guard.jump)) {
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(&memory, &guard);
    if (!arena) return status_out_of_memory();
    shardc_context *made = ARENA_NEW(arena, shardc_context);
    made->allocator = memory;
    made->arena = arena;
    made->context = context_create(arena);
    arena_set_guard(arena, NULL);
    *context = made;
    return NULL;
}

void shardc_context_free(shardc_context *owned) {
    if (owned) arena_free(owned->arena);
}

static void append_flags(StrBuf *out, size_t count, const unsigned char *flags) {
    strbuf_printf(out, " %zu:", count);
    for (size_t i = 0; i < count; i++)
        strbuf_putc(out, flags[i] ? '1' : '0');
}

// What of the options the module depends on.
static StrView read_as(Arena *arena, const shardc_read_options *options) {
    StrBuf out = strbuf(arena);
    strbuf_printf(&out, "%d %d", options->partitions, options->replicas);
    append_flags(&out, options->whole_input_count, options->whole_inputs);
    append_flags(&out, options->whole_result_count, options->whole_results);
    return strbuf_view(&out);
}

// Reads `text`, or when it is NULL the file options->name, into a new module.
static shardc_status *module_read(
    shardc_context *context, const shardc_read_options *given, const char *text, size_t size,
    shardc_module **module) {
    const char *name = given->name;
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    arena_set_guard(context->arena, &guard);
    if (setjmp(guard.jump)) {
        arena_set_guard(context->arena, NULL);
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(&context->allocator, &guard);
    if (!arena) {
        arena_set_guard(context->arena, NULL);
        return status_out_of_memory();
    }
    shardc_status *status = NULL;
    StrView contents = {text, size};
    const char *error = NULL;
    if (!text && !file_read_limited(arena, name, PROGRAM_LIMIT, &contents, &error)) {
        status = status_create(SHARDC_IO, "%s", error);
    } else if (text) {
        contents = arena_strview(arena, contents);
    }
    if (!status) {
        shardc_module *made = ARENA_NEW(arena, shardc_module);
        made->owner = context;
        made->arena = arena;
        made->file = arena_strview(arena, strview(name ? name : "<memory>"));
        made->contents = contents;
        made->read_as = read_as(arena, given);
        if (!strview_starts_with(contents, SV("ML\xefR"))) made->source = contents; // no bytecode
        Diags *diags = diags_create(arena);
        diags->file = made->file;
        diags->text = contents;
        ReadOptions options = {
            .file = made->file,
            .partition_count = given->partitions,
            .replica_count = given->replicas,
            .whole_inputs = {given->whole_inputs, given->whole_input_count},
            .whole_results = {given->whole_results, given->whole_result_count}};
        made->module = frontend_read(context->context, arena, contents, &options, diags);
        if (made->module) warn_unknown_attributes(made->module, diags);
        status = made->module ? module_keep_diagnostics(made, diags) : status_from_diags(diags);
        if (!status) *module = made;
    }
    arena_set_guard(context->arena, NULL);
    arena_set_guard(arena, NULL);
    if (status) arena_free(arena);
    return status;
}

static shardc_status *parse(
    const char *call, shardc_context *context, const shardc_read_options *options, const char *text,
    size_t size, shardc_module **module) {
    if (!module) return status_null(call, "module");
    *module = NULL;
    if (!context) return status_null(call, "context");
    if (!text && size) return status_null(call, "text");
    return module_read(context, options, text ? text : "", size, module);
}

shardc_status *shardc_module_parse(
    shardc_context *context, const char *name, const char *text, size_t size,
    shardc_module **module) {
    const shardc_read_options options = {.struct_size = sizeof options, .name = name};
    return parse(__func__, context, &options, text, size, module);
}

static shardc_status *check_read_options(const char *call, const shardc_read_options *options) {
    if (!options->whole_inputs && options->whole_input_count)
        return status_null(call, "options->whole_inputs");
    if (!options->whole_results && options->whole_result_count)
        return status_null(call, "options->whole_results");
    if (options->partitions >= 0 && options->replicas >= 0) return NULL;
    bool is_partitions = options->partitions < 0;
    return status_create(
        SHARDC_INVALID_INPUT, "%s: options->%s is negative: %d", call,
        is_partitions ? "partitions" : "replicas",
        is_partitions ? options->partitions : options->replicas);
}

shardc_status *shardc_module_parse_with(
    shardc_context *context, const shardc_read_options *options, const char *text, size_t size,
    shardc_module **module) {
    shardc_read_options all = {.struct_size = sizeof all};
    if (module) *module = NULL;
    shardc_status *status =
        options ? read_struct(__func__, "options", options, sizeof all, &all) : NULL;
    if (!status) status = check_read_options(__func__, &all);
    return status ? status : parse(__func__, context, &all, text, size, module);
}

shardc_status *shardc_module_parse_file(
    shardc_context *context, const char *path, shardc_module **module) {
    if (!module) return status_null(__func__, "module");
    *module = NULL;
    if (!context) return status_null(__func__, "context");
    if (!path) return status_null(__func__, "path");
    const shardc_read_options options = {.struct_size = sizeof options, .name = path};
    return module_read(context, &options, NULL, 0, module);
}

void shardc_module_free(shardc_module *owned) {
    if (!owned) return;
    free(owned->text);
    diagnostics_free(&owned->diagnostics);
    arena_free(owned->arena);
}

shardc_status *module_keep_diagnostics(shardc_module *module, const Diags *diags) {
    diagnostics_free(&module->diagnostics);
    return diagnostics_copy(diags, &module->diagnostics) ? NULL : status_out_of_memory();
}

const shardc_diagnostic *shardc_module_diagnostics(const shardc_module *module, size_t *count) {
    return diagnostics_list(module ? &module->diagnostics : NULL, count);
}

shardc_status *shardc_module_text(shardc_module *module, const char **text) {
    if (!text) return status_null(__func__, "text");
    *text = NULL;
    if (!module) return status_null(__func__, "module");
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    if (setjmp(guard.jump)) {
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(&module->owner->allocator, &guard);
    if (!arena) return status_out_of_memory();
    StrBuf out = strbuf(arena);
    print_module(&out, module->module, NULL);
    StrView printed = strbuf_view(&out);
    free(module->text);
    module->text = malloc(printed.size + 1);
    if (module->text) {
        memcpy(module->text, printed.data, printed.size);
        module->text[printed.size] = 0;
    }
    arena_free(arena);
    *text = module->text;
    return module->text ? NULL : status_out_of_memory();
}

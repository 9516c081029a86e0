// api_explain: explanations of a module's shardings and collectives.
#include "api/api_internal.h"
#include "partition/explain/explain.h"
#include "partition/explain/sharding_options.h"

#include <string.h>

void shardc_explain_options_init(shardc_explain_options *options) {
    if (!options) return;
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
    options->advise_count = 5;
}

// A copy of what the caller gave, the defaults where the caller's struct is older and shorter.
static shardc_status *read_explain_options(
    const char *call, const shardc_explain_options *explain, shardc_explain_options *all) {
    shardc_explain_options_init(all);
    if (!explain) return NULL;
    shardc_status *status = read_struct(call, "explain", explain, sizeof *all, all);
    if (status) return status;
    if (all->advise_first >= 0 && all->advise_count >= 0) return NULL;
    return status_create(
        SHARDC_INVALID_INPUT, "%s: explain->%s is negative: %d", call,
        all->advise_first < 0 ? "advise_first" : "advise_count",
        all->advise_first < 0 ? all->advise_first : all->advise_count);
}

static void forward_progress(void *user, const char *phase) {
    const shardc_options *options = user;
    options->progress(options->progress_user, phase, 0, 0);
}

// What is made in an arena of its own, which the result keeps: explanations and lists.
typedef struct Making {
    shardc_module *module;
    shardc_options *options;
    const shardc_explain_options *explain;
    void *made;
} Making;
typedef shardc_status *MakeFn(Arena *arena, Making *making);

static shardc_status *make_in_arena(MakeFn *make, Making *making) {
    const shardc_module *module = making->module;
    Arena *context_arena = module->owner->arena;
    ArenaGuard guard;
    Arena *volatile arena = NULL;
    if (setjmp(guard.jump)) {
        arena_set_guard(context_arena, NULL);
        arena_free(arena);
        return status_out_of_memory();
    }
    arena = arena_create(&module->owner->allocator, &guard);
    if (!arena) return status_out_of_memory();
    arena_set_guard(context_arena, &guard);
    shardc_status *status = make(arena, making);
    arena_set_guard(context_arena, NULL);
    arena_set_guard(arena, NULL);
    if (status) arena_free(arena);
    return status;
}

static shardc_status *explain_in(Arena *arena, Making *making) {
    shardc_module *module = making->module;
    shardc_options *options = making->options;
    const shardc_explain_options *explain = making->explain;
    Diags *diags = diags_create(arena);
    diags->file = module->file;
    diags->text = module->source;
    const Attr *input_types;
    if (!read_input_types(module->module, arena, options, &input_types, diags))
        return status_from_diags(diags);
    ExplainOptions all = {
        .partition =
            {
                .input_types = input_types,
                .entry = strview(options->entry),
                .mesh_override = strview(options->mesh),
                .progress = options->progress ? forward_progress : NULL,
                .progress_user = options,
            },
        .text = module->source,
        .name = module->file,
        .advise_first = explain->advise_first,
        .advise_count = explain->advise_count,
        .programs = explain->programs != 0,
    };
    shardc_explanation *made = ARENA_NEW(arena, shardc_explanation);
    if (!explain_module(module->module, &all, arena, made, diags)) {
        return status_from_diags(diags);
    }
    made->memory = arena;
    making->made = made;
    return module_keep_diagnostics(module, diags);
}

shardc_status *shardc_explain(
    shardc_module *module, const shardc_options *options, const shardc_explain_options *explain,
    shardc_explanation **explanation) {
    if (!explanation) return status_null(__func__, "explanation");
    *explanation = NULL;
    if (!module) return status_null(__func__, "module");
    diagnostics_free(&module->diagnostics);
    shardc_options compile_options;
    shardc_explain_options explain_options;
    shardc_status *status = read_options(__func__, options, &compile_options);
    if (!status) status = read_explain_options(__func__, explain, &explain_options);
    if (status) return status;
    Making making = {.module = module, .options = &compile_options, .explain = &explain_options};
    status = make_in_arena(explain_in, &making);
    if (!status) *explanation = making.made;
    return status;
}

void shardc_explanation_free(shardc_explanation *owned) {
    if (owned) arena_free(owned->memory);
}

static shardc_status *list_in(Arena *arena, Making *making) {
    Diags *diags = diags_create(arena);
    diags->file = making->module->file;
    diags->text = making->module->source;
    shardc_sharding_options *made = ARENA_NEW(arena, shardc_sharding_options);
    if (!list_sharding_options(making->module->module, arena, made, diags))
        return status_from_diags(diags);
    made->memory = arena;
    making->made = made;
    return module_keep_diagnostics(making->module, diags);
}

shardc_status *shardc_list_sharding_options(
    shardc_module *module, shardc_sharding_options **options) {
    if (!options) return status_null(__func__, "options");
    *options = NULL;
    if (!module) return status_null(__func__, "module");
    diagnostics_free(&module->diagnostics);
    Making making = {.module = module};
    shardc_status *status = make_in_arena(list_in, &making);
    if (!status) *options = making.made;
    return status;
}

void shardc_sharding_options_free(shardc_sharding_options *owned) {
    if (owned) arena_free(owned->memory);
}

// shardc_options: defaults, checks, and what of them the code generator takes.
#include "api/api_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void shardc_options_init(shardc_options *options) {
    if (!options) return;
    memset(options, 0, sizeof *options);
    options->struct_size = sizeof *options;
}

shardc_status *read_struct(
    const char *call, const char *parameter, const void *given, size_t size, void *all) {
    enum { MOST_BYTES = 4096 }; // no struct of options will be larger
    size_t given_size = 0;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size || given_size > MOST_BYTES) {
        return status_create(
            SHARDC_INVALID_INPUT,
            "%s: %s->struct_size is %zu, expected the size of the struct: %zu", call, parameter,
            given_size, size);
    }
    for (size_t i = size; i < given_size; i++) {
        if (((const char *)given)[i] == 0) continue;
        return status_create(
            SHARDC_INVALID_INPUT,
            "%s: %s sets an option that this version of shardc does not know (byte %zu of %zu)",
            call, parameter, i, given_size);
    }
    memcpy(all, given, given_size < size ? given_size : size);
    memcpy(all, &size, sizeof size);
    return NULL;
}

shardc_status *read_options(const char *call, const shardc_options *options, shardc_options *all) {
    shardc_options_init(all);
    if (!options) return NULL;
    shardc_status *status = read_struct(call, "options", options, sizeof *all, all);
    if (status) return status;
    if (all->optimize < 0 || all->optimize > 4) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->optimize is %d, expected 0 (default) or 1 to 4",
            call, all->optimize);
    }
    if (all->compile_threads < 0 || all->threads < 0) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->%s is negative: %d", call,
            all->threads < 0 ? "threads" : "compile_threads",
            all->threads < 0 ? all->threads : all->compile_threads);
    }
    if (isnan(all->watchdog_seconds)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->watchdog_seconds is not a number", call);
    }
    return NULL;
}

// SHARDC_CACHE is a folder, or 1 for $XDG_CACHE_HOME/shardc, which is ~/.cache/shardc
// where XDG_CACHE_HOME is not set; empty, 0 and "off" are no folder.
static const char *cache_folder(Arena *arena, const char *given) {
    if (given) return given;
    const char *folder = getenv("SHARDC_CACHE"); // NOLINT(concurrency-mt-unsafe)
    if (!folder || !*folder || strcmp(folder, "0") == 0 || strcmp(folder, "off") == 0) return NULL;
    if (strcmp(folder, "1") != 0) return folder;
    const char *base = getenv("XDG_CACHE_HOME"); // NOLINT(concurrency-mt-unsafe)
    if (base && *base == '/') return arena_printf(arena, "%s/shardc", base);
    const char *home = getenv("HOME"); // NOLINT(concurrency-mt-unsafe)
    return home && *home ? arena_printf(arena, "%s/.cache/shardc", home) : NULL;
}

CodegenOptions codegen_options_of(
    Arena *arena, const shardc_options *options, const char *default_name) {
    return (CodegenOptions){
        .name = strview(options->name ? options->name : default_name),
        .target_cpu = options->target_cpu,
        .target = options->target,
        .optimize = options->optimize ? options->optimize - 1 : 2,
        .threads = options->compile_threads,
        .shard = -1,
        .reference_kernels = options->reference_kernels != 0,
        .constant_arguments = options->constant_arguments,
        .cache = cache_folder(arena, options->cache),
        .progress = options->progress,
        .progress_user = options->progress_user,
    };
}

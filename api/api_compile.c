// api_compile: module to executable or to files.
#define _POSIX_C_SOURCE 200809L

#include "api/api_internal.h"
#include "api/api_passes.h"
#include "api/kept_program.h"
#include "api/model_file.h"
#include "base/file_set.h"
#include "frontend/export/export_for_xla.h"
#include "frontend/frontend.h"
#include "ir/print/print.h"
#include "partition/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// One compilation: its memory, and what it makes.
typedef struct Compilation {
    ArenaGuard guard;
    Arena *arena;
    shardc_options options;
    shardc_module *owner; // of the warnings
    const shardc_context *context;
    Module *module; // a copy: the caller's stays as it is
    Diags *diags;
    DeviceProgram program;
    CodegenResult code;
    StrView program_file; // the name of the module's file
    PassLog *log;         // NULL when nobody asks
    KeptProgram *kept;    // or NULL
    char **text;          // where texts go instead of to a file: malloc; or NULL
} Compilation;

static void forward_progress(void *user, const char *phase) {
    const Compilation *compilation = user;
    compilation->options.progress(compilation->options.progress_user, phase, 0, 0);
}

bool read_input_types(
    Module *module, Arena *arena, const shardc_options *options, const Attr **types, Diags *diags) {
    *types = NULL;
    if (!options->input_types) return true;
    StrView file = diags->file, text = diags->text;
    const char *list = arena_printf(arena, "[%s]", options->input_types);
    *types = frontend_read_attr(module, arena, strview(list), diags);
    if (!*types) return false;
    diags->file = file;
    diags->text = text;
    return true;
}

// Partitions the copy, or only propagates shardings.
static bool compilation_partition(Compilation *c, bool only_propagate) {
    const Attr *input_types;
    if (!read_input_types(c->module, c->arena, &c->options, &input_types, c->diags)) return false;
    PartitionOptions options = {
        .input_types = input_types,
        .entry = strview(c->options.entry),
        .mesh_override = strview(c->options.mesh),
        .only_propagate = only_propagate,
        .keeps_parts = c->options.tiled != 0,
        .log = c->log,
        .progress = c->options.progress ? forward_progress : NULL,
        .progress_user = c,
    };
    CallPartitioner partitioner;
    if (call_partitioner_of(c->context, &partitioner)) options.partitioner = &partitioner;
    if (!partition_module(c->module, &options, &c->program, c->diags)) return false;
    c->program.is_tiled = c->options.tiled != 0;
    return only_propagate || !c->program.is_tiled ||
           partition_order_tiles(&c->program, c->arena, c->diags);
}

static const char *model_name(Compilation *c) {
    StrView name = op_text(c->module->op, NAME_SYM_NAME);
    char *identifier = arena_cstring(c->arena, name.size ? name : SV("model"));
    for (char *at = identifier; *at; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        bool digit = *at >= '0' && *at <= '9' && at > identifier;
        if (!letter && !digit) *at = '_';
    }
    return identifier;
}

static bool is_identifier(const char *name) {
    for (const char *at = name; *at; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_';
        if (!letter && !(*at >= '0' && *at <= '9' && at > name)) return false;
    }
    return *name != 0;
}

static bool compilation_codegen(Compilation *c, bool in_memory) {
    CodegenOptions options = codegen_options_of(c->arena, &c->options, model_name(c));
    options.in_memory = in_memory;
    options.log = c->log;
    options.custom_names =
        custom_names(c->context, c->options.custom, c->arena, &options.custom_count);
    if (in_memory && c->context->resolver.knows) {
        options.knows_custom = custom_knows;
        options.knows_user = c->owner->owner;
    }
    return codegen_compile(c->arena, &c->program, &options, &c->code, c->diags);
}

// What print_after and time_passes ask for.
static shardc_status *report(Compilation *c) {
    StrBuf names = strbuf(c->arena);
    if (pass_log_missed(c->log, &names)) {
        return status_create(
            SHARDC_INVALID_INPUT, "pass '%s' did not run; those that did: %s",
            c->options.print_after, strbuf_cstring(&names));
    }
    if (!c->log || !c->options.report) return NULL;
    if (c->options.print_after) {
        StrView printed = pass_log_printed(c->log);
        c->options.report(
            c->options.report_user, SHARDC_REPORT_PROGRAM, arena_cstring(c->arena, printed));
    }
    if (c->options.time_passes) {
        StrBuf times = strbuf(c->arena);
        pass_log_report(c->log, &times);
        c->options.report(c->options.report_user, SHARDC_REPORT_TIMES, strbuf_cstring(&times));
    }
    return NULL;
}

// Is the program itself what would be written to? A program from memory has a
// name that need not be a file's.
static bool is_program(const Compilation *c, const char *path) {
    struct stat program, output;
    const char *name = arena_cstring(c->arena, c->program_file);
    return *name && stat(name, &program) == 0 && stat(path, &output) == 0 &&
           S_ISREG(program.st_mode) && program.st_dev == output.st_dev &&
           program.st_ino == output.st_ino;
}

static shardc_status *add_file(
    Compilation *c, FileSet *files, const char *path, FileKind kind, StrView contents) {
    const char *error = NULL;
    if (is_program(c, path)) {
        return status_create(
            SHARDC_INVALID_INPUT, "'%s' is the program: it is not overwritten", path);
    }
    if (file_set_add(files, path, kind, 1, &contents, &error)) return NULL;
    return status_create(SHARDC_IO, "%s", error);
}

static shardc_status *commit(Compilation *c, FileSet *files) {
    const char *error = NULL;
    shardc_status *status = module_keep_diagnostics(c->owner, c->diags);
    if (!status) status = report(c);
    if (status) return status;
    return file_set_commit(files, &error) ? NULL : status_create(SHARDC_IO, "%s", error);
}

static shardc_status *give_text(Compilation *c, StrView text) {
    *c->text = malloc(text.size + 1);
    if (!*c->text) return status_out_of_memory();
    if (text.size) memcpy(*c->text, text.data, text.size);
    (*c->text)[text.size] = 0;
    shardc_status *status = module_keep_diagnostics(c->owner, c->diags);
    return status ? status : report(c);
}

static shardc_status *write_text(Compilation *c, const char *path, StrView text) {
    if (c->text) return give_text(c, text);
    FileSet *files = file_set_create(c->arena);
    shardc_status *status = add_file(c, files, path, FILE_DATA, text);
    return status ? status : commit(c, files);
}

static shardc_status *write_module(Compilation *c, const char *path) {
    StrBuf out = strbuf(c->arena);
    print_module(&out, c->module, NULL);
    return write_text(c, path, strbuf_view(&out));
}

// Where the suffix of a file's name begins, or its end: the dot of a hidden file begins none.
static size_t stem_size(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot && dot > name ? (size_t)(dot - path) : strlen(path);
}

// PATH with another suffix ("model.so" to "model.h"; a path without suffix gets one).
static const char *with_suffix(Arena *arena, const char *path, const char *suffix) {
    return arena_printf(arena, "%.*s%s", (int)stem_size(path), path, suffix);
}

// The library for PATH, with its checksum.
static shardc_status *link_library(Compilation *c, const char *path, StrView *image) {
    const char *error = NULL;
    const char *slash = strrchr(path, '/');
    if (!codegen_link(c->arena, &c->code, slash ? slash + 1 : path, image, &error))
        return status_create(SHARDC_IO, "%s", error);
    *image = model_file_seal(c->arena, *image);
    return NULL;
}

// A library for a device or a pipe has no header: there is no place beside it.
static bool has_header(const char *path) {
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

static shardc_status *write_library(Compilation *c, const char *path) {
    StrView image = {0};
    FileSet *files = file_set_create(c->arena);
    shardc_status *status = link_library(c, path, &image);
    if (!status) status = add_file(c, files, path, FILE_LIBRARY, image);
    const char *header = with_suffix(c->arena, path, ".h");
    if (!status && has_header(path)) status = add_file(c, files, header, FILE_DATA, c->code.header);
    return status ? status : commit(c, files);
}

// codegen changes the program: every shard starts from a copy of its own.
static shardc_status *compile_shard(
    Compilation *c, int64_t device, const char *path, StrView *image) {
    DeviceProgram program = c->program;
    program.module = module_clone(c->program.module, c->arena);
    program.main = module_find_func(program.module, func_name(c->program.main));
    CodegenOptions options = codegen_options_of(c->arena, &c->options, model_name(c));
    options.log = c->log;
    options.shard = device;
    options.custom_names =
        custom_names(c->context, c->options.custom, c->arena, &options.custom_count);
    if (!codegen_compile(c->arena, &program, &options, &c->code, c->diags)) {
        return status_from_diags(c->diags);
    }
    return link_library(c, path, image);
}

// "model.so" to "model.2.so".
static const char *shard_path(Arena *arena, const char *path, int64_t device) {
    const char *suffix = path + stem_size(path);
    return with_suffix(
        arena, path, arena_printf(arena, ".%lld%s", (long long)device, *suffix ? suffix : ".so"));
}

static shardc_status *write_shards(Compilation *c, const char *path) {
    FileSet *files = file_set_create(c->arena);
    shardc_status *status = NULL;
    for (int64_t d = 0; d < c->program.device_count && !status; d++) {
        StrView image = {0};
        const char *file = shard_path(c->arena, path, d);
        status = compile_shard(c, d, file, &image);
        if (!status) status = add_file(c, files, file, FILE_LIBRARY, image);
    }
    return status ? status : commit(c, files);
}

static shardc_status *write_code_text(Compilation *c, const char *kind, const char *path) {
    StrView text = {0};
    CodegenOptions options = codegen_options_of(c->arena, &c->options, model_name(c));
    options.log = c->log;
    options.custom_names =
        custom_names(c->context, c->options.custom, c->arena, &options.custom_count);
    if (!codegen_text(c->arena, &c->program, &options, kind, &text, c->diags)) {
        return status_from_diags(c->diags);
    }
    return write_text(c, path, text);
}

static shardc_status *compile_and_write(Compilation *c, shardc_emit emit, const char *path) {
    if (!compilation_partition(c, emit == SHARDC_EMIT_PROPAGATED)) {
        return status_from_diags(c->diags);
    }
    if (emit == SHARDC_EMIT_PROPAGATED) return write_module(c, path);
    if (emit == SHARDC_EMIT_PARTITIONED) {
        c->module = c->program.module;
        if (c->program.is_tiled) export_for_xla(&c->program, c->arena);
        return write_module(c, path);
    }
    if (emit == SHARDC_EMIT_ASSEMBLY) return write_code_text(c, "asm", path);
    if (emit == SHARDC_EMIT_LLVM) return write_code_text(c, "llvm", path);
    if (emit == SHARDC_EMIT_PER_SHARD) return write_shards(c, path);
    if (!compilation_codegen(c, false)) {
        return status_from_diags(c->diags);
    }
    if (emit == SHARDC_EMIT_HEADER) return write_text(c, path, c->code.header);
    if (emit == SHARDC_EMIT_OBJECT) {
        const char *error = NULL;
        StrView image = {0};
        if (codegen_relocatable(c->arena, &c->code, &image, &error))
            return write_text(c, path, image);
        return status_create(SHARDC_IO, "%s", error);
    }
    return write_library(c, path);
}

static shardc_status *compile_in_memory(Compilation *c, shardc_executable *executable) {
    if (!compilation_partition(c, false) || !compilation_codegen(c, true)) {
        return status_from_diags(c->diags);
    }
    const char *error = NULL;
    if (!codegen_jit(executable->arena, &c->code, &executable->model, &error)) {
        return status_create(SHARDC_INTERNAL, "%s", error);
    }
    if (c->kept && !c->diags->first) codegen_keep(c->kept, c->arena, &c->code);
    if (c->options.keep_code) executable_keep_code(executable, &c->code);
    if (c->code.custom_call_count > 0) {
        executable->custom = custom_calls_create(
            executable->arena, c->context, executable->model, &c->code, c->diags);
        if (!executable->custom) return status_from_diags(c->diags);
    }
    shardc_status *status = report(c);
    if (status) return status;
    StrView printed = c->options.report ? (StrView){0} : pass_log_printed(c->log);
    if (printed.size) {
        executable->printed = malloc(printed.size + 1);
        if (!executable->printed) return status_out_of_memory();
        memcpy(executable->printed, printed.data, printed.size);
        executable->printed[printed.size] = 0;
    }
    status = executable_start(executable, &c->options);
    return status ? status : module_keep_diagnostics(c->owner, c->diags);
}

// The passes of the frontend ran when the program was read, without a log: it is read once more for
// them.
static void log_import(Compilation *c, const shardc_module *module) {
    ReadOptions options = {.file = module->file, .log = c->log};
    Diags *unheard = diags_create(c->arena);
    (void)frontend_read(module->owner->context, c->arena, module->contents, &options, unheard);
}

// Sets a compilation up: a copy of the module in an arena of its own.
static void compilation_begin(Compilation *c, shardc_module *module) {
    c->diags = diags_create(c->arena);
    c->diags->file = module->file;
    c->diags->text = module->source;
    c->module = module_clone(module->module, c->arena);
    c->context = module->owner;
    c->program_file = module->file;
    if (!c->options.print_after && !c->options.time_passes) return;
    c->log = pass_log_create(c->arena, c->options.print_after);
    if (module->contents.size) log_import(c, module);
}

// What cannot be written there.
static shardc_status *check_path(const char *call, const shardc_emit emit, const char *path) {
    bool is_library = emit == SHARDC_EMIT_SO || emit == SHARDC_EMIT_PER_SHARD;
    if (!*path) return status_create(SHARDC_INVALID_INPUT, "%s: path is empty", call);
    if (strcmp(path, "-") == 0 && (is_library || emit == SHARDC_EMIT_OBJECT)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: libraries and objects are no text for standard output",
            call);
    }
    if (emit == SHARDC_EMIT_SO && strcmp(path + stem_size(path), ".h") == 0) {
        return status_create(
            SHARDC_INVALID_INPUT,
            "%s: '%s' is the name of the library's header: choose another one", call, path);
    }
    return NULL;
}

static shardc_status *unknown_pass(const char *call, const char *name) {
    Arena *arena = arena_create(NULL, NULL);
    if (!arena) return status_out_of_memory();
    StrBuf names = strbuf(arena);
    pass_names(&names);
    shardc_status *status = status_create(
        SHARDC_INVALID_INPUT, "%s: there is no pass '%s'; the passes are: %s", call, name,
        strbuf_cstring(&names));
    arena_free(arena);
    return status;
}

static shardc_status *make_executable(
    Compilation *c, shardc_module *module, shardc_executable *executable) {
    c->kept = kept_program(c->arena, module, &c->options);
    if (c->kept && kept_program_link(c->kept, c->arena, c->options.keep_code != 0, executable))
        return executable_start(executable, &c->options);
    compilation_begin(c, module);
    return compile_in_memory(c, executable);
}

// What all ways of compiling share: executable is NULL when a file or a text is written.
static shardc_status *compile(
    const char *call, shardc_module *module, const shardc_options *options, shardc_emit emit,
    const char *path, char **text, shardc_executable *executable) {
    Compilation c = {.owner = module, .text = text};
    diagnostics_free(&module->diagnostics);
    shardc_status *status = read_options(call, options, &c.options);
    if (status) return status;
    if (c.options.name && !is_identifier(c.options.name)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->name '%s' is not a C identifier", call,
            c.options.name);
    }
    if (!executable && !text && (c.options.tiled || c.options.keep_code)) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->%s is for executables in memory", call,
            c.options.tiled ? "tiled" : "keep_code");
    }
    if (c.options.print_after && !pass_find(strview(c.options.print_after)))
        return unknown_pass(call, c.options.print_after);
    const char *problem = custom_list_problem(c.options.custom);
    if (problem) {
        return status_create(
            SHARDC_INVALID_INPUT, "%s: options->custom '%s' %s", call, c.options.custom, problem);
    }
    Arena *context_arena = module->owner->arena;
    Compilation *volatile compilation = &c;
    if (setjmp(c.guard.jump)) {
        arena_set_guard(context_arena, NULL);
        arena_free(compilation->arena);
        diagnostics_free(&module->diagnostics);
        return status_out_of_memory();
    }
    c.arena = arena_create(&module->owner->allocator, &c.guard);
    if (!c.arena) return status_out_of_memory();
    arena_set_guard(context_arena, &c.guard);
    if (executable) arena_set_guard(executable->arena, &c.guard);
    if (executable) {
        status = make_executable(&c, module, executable);
    } else {
        compilation_begin(&c, module);
        status = compile_and_write(&c, emit, path);
    }
    if (status) diagnostics_free(&module->diagnostics);
    arena_set_guard(context_arena, NULL);
    if (executable) arena_set_guard(executable->arena, NULL);
    arena_free(c.arena);
    return status;
}

shardc_status *shardc_compile(
    shardc_module *module, const shardc_options *options, shardc_executable **executable) {
    if (!executable) return status_null(__func__, "executable");
    *executable = NULL;
    if (!module) return status_null(__func__, "module");
    shardc_executable *made = executable_create();
    if (!made) return status_out_of_memory();
    made->arena = arena_create(&module->owner->allocator, NULL);
    shardc_status *status =
        made->arena ? compile(__func__, module, options, SHARDC_EMIT_SO, NULL, NULL, made)
                    : status_out_of_memory();
    if (status) {
        shardc_executable_free(made);
    } else {
        *executable = made;
    }
    return status;
}

shardc_status *shardc_compile_to_file(
    shardc_module *module, const shardc_options *options, shardc_emit emit, const char *path) {
    if (!module) return status_null(__func__, "module");
    if (!path) return status_null(__func__, "path");
    if ((unsigned)emit > SHARDC_EMIT_PER_SHARD)
        return status_create(SHARDC_INVALID_INPUT, "%s: emit is unknown: %d", __func__, (int)emit);
    shardc_status *status = check_path(__func__, emit, path);
    return status ? status : compile(__func__, module, options, emit, path, NULL, NULL);
}

shardc_status *shardc_compile_to_text(
    shardc_module *module, const shardc_options *options, shardc_emit emit, char **text) {
    if (!text) return status_null(__func__, "text");
    *text = NULL;
    if (!module) return status_null(__func__, "module");
    switch (emit) {
    case SHARDC_EMIT_ASSEMBLY:
    case SHARDC_EMIT_LLVM:
    case SHARDC_EMIT_HEADER:
    case SHARDC_EMIT_PROPAGATED:
    case SHARDC_EMIT_PARTITIONED: break;
    case SHARDC_EMIT_SO:
    case SHARDC_EMIT_OBJECT:
    case SHARDC_EMIT_PER_SHARD:
    default:
        return status_create(SHARDC_INVALID_INPUT, "%s: emit is no text: %d", __func__, (int)emit);
    }
    shardc_status *status = compile(__func__, module, options, emit, "", text, NULL);
    if (status) {
        free(*text);
        *text = NULL;
    }
    return status;
}

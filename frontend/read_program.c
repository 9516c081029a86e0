// read_program: finds the format of a program and reads it.
#include "frontend/bytecode/bytecode.h"
#include "frontend/bytecode/jax_export.h"
#include "frontend/foreign_format.h"
#include "frontend/frontend.h"
#include "frontend/hlo/hlo.h"
#include "frontend/hlo/proto/hlo_proto.h"
#include "frontend/import/target_devices.h"
#include "frontend/mlir/mlir_module_reader.h"
#include "ir/pass/passes.h"
#include "ir/verify/verify.h"

// What the contents are, as far as one has to know before they are read.
typedef struct Format {
    bool is_binary; // no lines
    bool is_export;
    bool is_hlo_proto;
    StrView artifact; // MLIR bytecode in it; empty: none
    JaxExport export;
    ForeignFormat foreign;
} Format;

static Format format_of(Arena *arena, StrView contents) {
    Format format = {0};
    if (is_bytecode(contents)) {
        format.artifact = contents;
    } else if (jax_export_open(arena, contents, &format.export)) {
        format.artifact = format.export.module;
        format.is_export = true;
    } else if (is_hlo_proto(contents)) {
        format.is_hlo_proto = true;
    } else {
        format.foreign = foreign_format(contents);
    }
    format.is_binary = format.artifact.size > 0 || format.is_hlo_proto || format.foreign.name ||
                       is_binary_data(contents);
    return format;
}

const char *frontend_emptiness(StrView contents) {
    if (contents.size == 0) return "the file is empty: there is no program in it";
    bool in_comment = false;
    for (size_t i = 0; i < contents.size; i++) {
        char c = contents.data[i];
        bool is_slash = c == '/' && i + 1 < contents.size && contents.data[i + 1] == '/';
        if (c == '\n')
            in_comment = false;
        else if (is_slash)
            in_comment = true;
        else if (!in_comment && c != ' ' && c != '\t' && c != '\r')
            return NULL;
    }
    return "there is no program in the file, only blanks and comments";
}

static Module *read_any(
    Context *context, Arena *arena, StrView contents, const Format *format,
    const ReadOptions *options, Diags *diags) {
    if (format->artifact.size > 0)
        return read_bytecode(context, arena, contents, format->artifact, options, diags);
    if (format->is_hlo_proto) return read_hlo_proto(context, arena, contents, options, diags);
    if (!format->is_binary && is_hlo_text(contents))
        return read_hlo_text(context, arena, contents, options, diags);
    Loc *loc = ARENA_NEW(arena, Loc);
    *loc = (Loc){.texts = loc_texts_of_file(arena, options->file), .line = 1, .column = 1};
    const char *emptiness = options->keep_annotations ? NULL : frontend_emptiness(contents);
    if (emptiness) {
        diag_error(diags, loc, "%s", emptiness);
        return NULL;
    }
    if (!format->is_binary) return read_mlir_text(context, arena, contents, options, diags);
    const ForeignFormat *foreign = &format->foreign;
    if (!foreign->name)
        diag_error(diags, loc, "the file is binary data, but no MLIR bytecode and no jax.export");
    else if (foreign->is_program)
        diag_unsupported(
            diags, loc, "the file is %s, which is not supported: %s", foreign->name,
            foreign->way_out);
    else
        diag_error(diags, loc, "the file is %s: %s", foreign->name, foreign->way_out);
    return NULL;
}

// XLA's annotations become ours; what they made of a verified module is verified again.
static bool import_annotations(
    Module *module, Arena *arena, const ReadOptions *options, Diags *diags) {
    PassContext pass = {
        .module = module, .scratch = arena_child(arena), .diags = diags, .log = options->log};
    PassResult result = pass_run(&import_pass, &pass);
    if (result == PASS_FAILED) return false;
    return result == PASS_UNCHANGED || verify_module(module, diags);
}

Module *frontend_read(
    Context *context, Arena *arena, StrView contents, const ReadOptions *options, Diags *diags) {
    Format format = format_of(arena, contents);
    diags->file = options->file;
    if (diags->text.size == 0 && !format.is_binary) diags->text = contents;
    Module *module = read_any(context, arena, contents, &format, options, diags);
    if (!module) return NULL;
    if (options->skip_verify) return module;
    if (!verify_module(module, diags)) return NULL;
    if (format.is_export && !jax_export_finish(module, arena, &format.export, diags)) return NULL;
    set_target_devices(module, options->partition_count, options->replica_count);
    if (options->keep_annotations) return module;
    if (!import_annotations(module, arena, options, diags)) return NULL;
    keep_whole(module, options->whole_inputs, options->whole_results);
    return module;
}

// Is this line a separator of sections, blanks around it aside?
static bool is_separator(const char *line, const char *end) {
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    while (end > line && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return end - line == 8 && memcmp(line, "// -----", 8) == 0;
}

int frontend_split(Arena *arena, StrView contents, StrView **sections, int **first_line) {
    int count = 1;
    const char *end = contents.data + contents.size;
    if (format_of(arena, contents).is_binary) {
        *sections = arena_copy(arena, &contents, sizeof contents);
        *first_line = ARENA_ARRAY(arena, int, 1);
        return 1;
    }
    for (int round = 0; round < 2; round++) { // first counts, then notes
        int section = 0;
        int line_number = 1;
        const char *start = contents.data;
        if (round == 1) (*first_line)[0] = 0;
        for (const char *line = contents.data; line < end; line_number++) {
            const char *newline = memchr(line, '\n', (size_t)(end - line));
            const char *line_end = newline ? newline : end;
            if (is_separator(line, line_end)) {
                if (round == 1) (*sections)[section] = (StrView){start, (size_t)(line - start)};
                section++;
                if (round == 1) (*first_line)[section] = line_number;
                start = newline ? newline + 1 : end;
            }
            line = newline ? newline + 1 : end;
        }
        if (round == 1) {
            (*sections)[section] = (StrView){start, (size_t)(end - start)};
        } else {
            count = section + 1;
            *sections = ARENA_ARRAY(arena, StrView, count);
            *first_line = ARENA_ARRAY(arena, int, count);
        }
    }
    return count;
}

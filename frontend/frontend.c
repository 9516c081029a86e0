// frontend: finds the format of a program and reads it.
#include "frontend/frontend.h"

#include "frontend/bytecode.h"
#include "frontend/import_lapack.h"
#include "frontend/import_shardings.h"
#include "frontend/mlir_module_reader.h"
#include "ir/verify.h"

static Module *unsupported_format(
    Arena *arena, const ReadOptions *options, Diags *diags, const char *format) {
    Loc *loc = ARENA_NEW(arena, Loc);
    loc->file = arena_strview(arena, options->file);
    loc->line = 1;
    loc->column = 1;
    diag_unsupported(diags, loc, "%s is not supported: give the program as MLIR text", format);
    return NULL;
}

Module *frontend_read(
    Context *context, Arena *arena, StrView contents, const ReadOptions *options, Diags *diags) {
    diags->file = options->file;
    bool is_text = !is_bytecode(contents);
    if (diags->text.size == 0 && is_text) diags->text = contents;
    if (strview_starts_with(contents, SV("HloModule"))) {
        return unsupported_format(arena, options, diags, "HLO text");
    }
    Module *module = is_text ? read_mlir_text(context, arena, contents, options, diags)
                             : read_bytecode(context, arena, contents, options, diags);
    if (!module) return NULL;
    if (options->skip_verify) return module;
    if (!verify_module(module, diags)) return NULL;
    if (options->keep_annotations) return module;
    PassContext pass = {.scratch = arena_child(arena), .diags = diags};
    PassResult shardings = pass_import_shardings(module, &pass);
    PassResult calls = shardings == PASS_FAILED ? PASS_FAILED : pass_import_lapack(module, &pass);
    arena_reset(pass.scratch);
    if (calls == PASS_FAILED) return NULL;
    bool is_same = shardings == PASS_UNCHANGED && calls == PASS_UNCHANGED;
    return is_same || verify_module(module, diags) ? module : NULL;
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
    if (is_bytecode(contents)) {
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

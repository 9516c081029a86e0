// frontend: finds the format of a program and reads it.
#include "frontend/frontend.h"

#include "frontend/bytecode.h"
#include "frontend/flatten_tuples.h"
#include "frontend/hlo.h"
#include "frontend/import_lapack.h"
#include "frontend/import_mhlo.h"
#include "frontend/import_shardings.h"
#include "frontend/mlir_module_reader.h"
#include "ir/verify.h"

// Reads the program; the format is found from its content.
static Module *read_any(
    Context *context, Arena *arena, StrView contents, const ReadOptions *options, Diags *diags) {
    if (is_bytecode(contents)) return read_bytecode(context, arena, contents, options, diags);
    if (is_hlo_text(contents)) return read_hlo_text(context, arena, contents, options, diags);
    return read_mlir_text(context, arena, contents, options, diags);
}

Module *frontend_read(
    Context *context, Arena *arena, StrView contents, const ReadOptions *options, Diags *diags) {
    diags->file = options->file;
    if (diags->text.size == 0 && !is_bytecode(contents)) diags->text = contents;
    Module *module = read_any(context, arena, contents, options, diags);
    if (!module) return NULL;
    if (options->skip_verify) return module;
    if (!verify_module(module, diags)) return NULL;
    if (options->keep_annotations) return module;
    PassContext pass = {.scratch = arena_child(arena), .diags = diags};
    PassResult tuples = pass_flatten_tuples(module, &pass);
    if (tuples == PASS_FAILED) return NULL;
    PassResult shardings = pass_import_shardings(module, &pass);
    if (shardings == PASS_FAILED) return NULL;
    PassResult routines = pass_import_lapack(module, &pass);
    PassResult functions = pass_import_mhlo(module, &pass);
    arena_reset(pass.scratch);
    bool is_same = tuples == PASS_UNCHANGED && shardings == PASS_UNCHANGED &&
                   routines == PASS_UNCHANGED && functions == PASS_UNCHANGED;
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

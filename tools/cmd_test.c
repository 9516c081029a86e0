// cmd_test: shardc test (the checking functions of files) and shardc check (parse and verify; ops
// of dialects that we do not know are accepted in their generic form).
#include "base/file.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/verify/unknown_attributes.h"
#include "tools/run/run_checks.h"

#include <stdio.h>
#include <string.h>

typedef enum TestMode {
    TEST_COMPILED_IF_POSSIBLE, // else the evaluator, with a line NOTE FILE:FUNC: why
    TEST_COMPILED,
    TEST_INTERPRETED,
    TEST_READ // shardc check
} TestMode;

// One section of a file, read with memory of its own, so that thousands of files do not pile up.
typedef struct Section {
    Tool tool;
    const char *path;
    Diags *diags;
    Module *module;
    TestMode mode;
    bool all_unsupported; // of the functions that did not pass
} Section;

// The first error's text, or a general word.
static StrView first_error(const Diags *diags, bool *unsupported) {
    *unsupported = false;
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        if (diag->severity != SEVERITY_ERROR) continue;
        *unsupported = diag->unsupported;
        return diag->message;
    }
    return SV("failed without a diagnostic");
}

static void print_line(const char *word, const Section *s, StrView func, StrView why) {
    printf("%s %s:%.*s%s%.*s\n", word, s->path, SV_ARG(func), why.size ? ": " : "", SV_ARG(why));
    fflush(stdout);
}

static bool interpret_func(Section *s, const Op *func, Diags *diags, EvalChecks *checks) {
    if (!tool_make_evaluable(&s->tool, s->module, diags)) return false;
    int count = region_terminator(func_body(func))->operand_count;
    Tensor **results = ARENA_ARRAY(s->tool.arena, Tensor *, count + 1);
    EvalOptions options = {
        .max_steps = 100000000,
        .max_bytes = (int64_t)8 << 30,
        .print = tool_print_value,
        .print_user = &s->tool};
    return eval_function(s->tool.arena, s->module, func, NULL, results, &options, checks, diags);
}

// *unsupported: nothing is wrong, but the function cannot be compiled, and *why says why.
static bool compile_func(
    Section *s, const Op *func, Diags *diags, EvalChecks *checks, bool *unsupported, StrView *why) {
    shardc_status *status = NULL;
    *unsupported = false;
    if (check_native(&s->tool, s->module, func, diags, checks, &status)) return true;
    if (status) {
        *unsupported = shardc_status_code(status) == SHARDC_UNSUPPORTED;
        *why = arena_strview(s->tool.arena, strview(shardc_status_message(status)));
        shardc_status_free(status);
    } else {
        *why = first_error(diags, unsupported);
    }
    return false;
}

static Diags *new_diags(Section *s) {
    Diags *diags = diags_create(s->tool.arena);
    diags->file = s->diags->file;
    diags->text = s->diags->text;
    return diags;
}

static bool run_func(Section *s, const Op *func) {
    StrView name = func_name(func), why = {0};
    Diags *diags = new_diags(s);
    EvalChecks checks = {0};
    bool unsupported = false, interpret = s->mode == TEST_INTERPRETED, good = false;
    if (!interpret) {
        good = compile_func(s, func, diags, &checks, &unsupported, &why);
        interpret = !good && unsupported && s->mode == TEST_COMPILED_IF_POSSIBLE;
        if (interpret) {
            print_line("NOTE", s, name, why);
            diags = new_diags(s);
            checks = (EvalChecks){0};
        }
    }
    if (interpret) {
        good = interpret_func(s, func, diags, &checks);
        if (!good) why = first_error(diags, &unsupported);
    }
    if (!good) {
        print_line(unsupported ? "UNSUPPORTED" : "FAIL", s, name, why);
        s->all_unsupported = s->all_unsupported && unsupported;
        return false;
    }
    if (checks.failed) {
        print_line("FAIL", s, name, checks.first_failure);
        s->all_unsupported = false;
        return false;
    }
    printf("PASS %s:%.*s checks=%lld\n", s->path, SV_ARG(name), (long long)checks.passed);
    fflush(stdout);
    return true;
}

// Functions with arguments, and those without a body, are for others to call.
static bool is_test(const Op *op) {
    return op->code == OP_FUNC && func_body(op)->first && func_body(op)->arg_count == 0;
}

// main when it is a test, else every public function that is one.
static bool run_section(Section *s) {
    Op *main_func = module_find_func(s->module, SV("main"));
    if (main_func && is_test(main_func)) return run_func(s, main_func);
    bool good = true, any = false;
    for (Op *op = s->module->body->first; op; op = op->next) {
        if (!is_test(op) || func_is_private(op)) continue;
        any = true;
        if (!run_func(s, op)) good = false;
    }
    if (any || !main_func) return good;
    print_line("UNSUPPORTED", s, SV("main"), SV("it takes arguments, which no test has"));
    return false;
}

// Reads one section; on failure says so on stdout (and, for check, with the diagnostics on
// stderr). *status: the exit status.
static bool read_section(Section *s, StrView text, int *status) {
    bool is_check = s->mode == TEST_READ;
    s->tool.context = context_create(s->tool.arena);
    s->diags = diags_create(s->tool.arena);
    s->diags->file = strview(s->path);
    s->diags->text = text;
    ReadOptions options = {
        .file = strview(s->path), .allow_unregistered = is_check, .keep_annotations = is_check};
    s->module = frontend_read(s->tool.context, s->tool.arena, text, &options, s->diags);
    if (s->module && is_check) {
        warn_unknown_attributes(s->module, s->diags);
        tool_print_diags(s->diags);
    }
    if (s->module) return true;
    bool unsupported = false;
    StrView why = first_error(s->diags, &unsupported);
    if (is_check) {
        tool_print_diags(s->diags);
        printf("%s %s: %.*s\n", unsupported ? "UNSUPPORTED" : "FAIL", s->path, SV_ARG(why));
        fflush(stdout);
    } else {
        print_line(unsupported ? "UNSUPPORTED" : "FAIL", s, SV("*"), why);
    }
    *status = unsupported && *status == EXIT_DONE ? EXIT_UNSUPPORTED : EXIT_PROBLEM;
    return false;
}

static int do_section(const char *path, StrView text, TestMode mode) {
    Section s = {.path = path, .mode = mode, .all_unsupported = true};
    if (!TOOL_BEGIN(&s.tool)) return EXIT_PROBLEM;
    int status = EXIT_DONE;
    if (read_section(&s, text, &status) && mode != TEST_READ && !run_section(&s)) {
        status = s.all_unsupported ? EXIT_UNSUPPORTED : EXIT_PROBLEM;
    }
    tool_end(&s.tool);
    return status;
}

static int do_file(const char *path, TestMode mode) {
    bool is_check = mode == TEST_READ;
    Tool tool;
    if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM;
    StrView contents;
    const char *error = NULL;
    int status = EXIT_DONE;
    if (!file_read_limited(tool.arena, path, PROGRAM_LIMIT, &contents, &error)) {
        fprintf(stderr, "shardc: error: %s\n", error);
        printf("FAIL %s%s: %s\n", path, is_check ? "" : ":*", error);
        tool_end(&tool);
        return EXIT_PROBLEM;
    }
    error = frontend_emptiness(contents);
    if (error) {
        fprintf(stderr, "%s:1:1: error: %s\n", path, error);
        printf("FAIL %s%s: %s\n", path, is_check ? "" : ":*", error);
        tool_end(&tool);
        return EXIT_PROBLEM;
    }
    StrView *sections = NULL;
    int *first_lines = NULL;
    int count = frontend_split(tool.arena, contents, &sections, &first_lines);
    for (int i = 0; i < count; i++) {
        StrView text = sections[i];
        if (first_lines[i] > 0) {
            // blank lines in front keep line numbers in diagnostics right
            char *padded = arena_alloc(tool.arena, text.size + (size_t)first_lines[i]);
            memset(padded, '\n', (size_t)first_lines[i]);
            memcpy(padded + first_lines[i], text.data, text.size);
            text = (StrView){padded, text.size + (size_t)first_lines[i]};
        }
        int one = do_section(path, text, mode);
        if (one == EXIT_PROBLEM || status == EXIT_DONE) status = one;
    }
    if (is_check && status == EXIT_DONE) printf("PASS %s\n", path);
    fflush(stdout);
    tool_end(&tool);
    return status;
}

static int do_files(int argc, char **argv, bool is_check) {
    bool interpret = false, native = false;
    const Option table[] = {
        {"--interpret", OPTION_FLAG, &interpret, 0, 0}, {"--native", OPTION_FLAG, &native, 0, 0}};
    int count = 0;
    if (!args_parse(argc, argv, table, is_check ? 0 : 2, &count)) return EXIT_USAGE;
    if (native && interpret) {
        fputs("shardc: --native and --interpret do not go together\n", stderr);
        return EXIT_USAGE;
    }
    TestMode mode = TEST_COMPILED_IF_POSSIBLE;
    if (native) mode = TEST_COMPILED;
    if (interpret) mode = TEST_INTERPRETED;
    if (is_check) mode = TEST_READ;
    if (count == 0) {
        fprintf(stderr, "usage: shardc %s FILE ...\n", is_check ? "check" : "test");
        return EXIT_USAGE;
    }
    int status = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        int one = do_file(argv[i], mode);
        if (one == EXIT_PROBLEM || status == EXIT_DONE) status = one;
    }
    return status;
}

int cmd_test(int argc, char **argv) { return do_files(argc, argv, false); }
int cmd_check(int argc, char **argv) { return do_files(argc, argv, true); }

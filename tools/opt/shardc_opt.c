// shardc-opt: runs passes by name on MLIR text and prints the result, as MLIR's opt tools do.
//
//   shardc-opt FILE [--PASS[=options]]... [-split-input-file] [-verify-diagnostics]
//              [--allow-unregistered-dialect] [--mlir-print-op-generic] [--mlir-print-debuginfo]
//              [--print-after-all] [--verify-roundtrip] [--help]
//              [--emit-bytecode [--target=VERSION]] [--emit-hlo]
//              [--print-sharding-options] [-o FILE]
//
// FILE may be - for standard input, and MLIR text or bytecode. Passes run in the order given;
// options are --PASS=key=value or --PASS='a=1 b=2'. The module goes to standard output or FILE, as
// text or as a portable artifact for a version of StableHLO (the newest without --target),
// diagnostics to standard error. Exit status: 0 done, 1 an error (or an expectation of
// -verify-diagnostics that did not hold, or with --verify-roundtrip a module that another one is
// read from when it is printed), 2 wrong usage, 77 something that is not implemented.
#define _POSIX_C_SOURCE 200809L

#include "api/api_passes.h"
#include "base/file.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/export/hlo_writer.h"
#include "frontend/frontend.h"
#include "ir/print/print.h"
#include "partition/explain/sharding_options.h"
#include "tools/args.h"
#include "tools/opt/opt_passes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 256 };

typedef struct OptTool {
    Arena *arena;
    ArenaGuard *guard;
    const char *print_after;
    const char *path, *output; // output: NULL = standard output
    FILE *out;                 // where modules go
    bool split, verify_diagnostics, allow_unregistered, generic, locations, print_after_all;
    bool verify_roundtrip, time_passes, emit_bytecode, emit_hlo, sharding_options, has_target;
    int target; // of the artifact
    int pass_count;
    PassCall *passes;
} OptTool;

static void print_help(Arena *arena) {
    puts(
        "usage: shardc-opt FILE [--PASS[=options]]... [-split-input-file] [-verify-diagnostics]\n"
        "                  [--allow-unregistered-dialect] [--mlir-print-op-generic] "
        "[--mlir-print-debuginfo]\n"
        "                  [--print-after-all] [--print-after=PASS] [--time-passes] "
        "[--verify-roundtrip]\n                  "
        "[--emit-bytecode [--target=VERSION]] [--emit-hlo] [--print-sharding-options] [-o FILE]\n");
    StrBuf list = strbuf(arena);
    opt_pass_list(arena, &list);
    fputs(strbuf_cstring(&list), stdout);
}

// -o FILE, -o=FILE; *i moves when the value is the next argument.
static bool parse_output(OptTool *tool, int argc, char **argv, int *i) {
    const char *text = argv[*i] + 2;
    const char *file = *text == '=' ? text + 1 : *i + 1 < argc ? argv[++*i] : "";
    const char *problem = !*file ? "needs a file" : tool->output ? "is given twice" : NULL;
    if (problem) fprintf(stderr, "shardc-opt: error: -o %s\n", problem);
    tool->output = file;
    return !problem;
}

static bool add_pass(OptTool *tool, StrView call) {
    if (tool->pass_count == MAX_PASSES) {
        fprintf(stderr, "shardc-opt: error: more than %d passes\n", MAX_PASSES);
        return false;
    }
    StrBuf problem = strbuf(tool->arena);
    if (opt_pass_call(call, &tool->passes[tool->pass_count], &problem)) {
        tool->pass_count++;
        return true;
    }
    fprintf(stderr, "shardc-opt: error: %s\n", strbuf_cstring(&problem));
    return false;
}

// MLIR's text of a pipeline: `a,b{x=1 y=2},func.func(c)`. Passes run on the whole module,
// whatever op they are nested in.
static bool add_pipeline(OptTool *tool, StrView text, int depth) {
    enum { MAX_DEPTH = 16 };
    const char *end = text.data + text.size;
    for (const char *start = text.data, *p = start; p <= end; p++) {
        int nested = 0;
        while (p < end && (nested > 0 || *p != ',')) {
            nested += *p == '(' || *p == '{';
            nested -= *p == ')' || *p == '}';
            p++;
        }
        StrView item = {start, (size_t)(p - start)};
        const char *paren = memchr(item.data, '(', item.size);
        const char *brace = memchr(item.data, '{', item.size);
        char last = item.size > 0 ? item.data[item.size - 1] : ' ';
        bool ok;
        if (paren && (!brace || paren < brace)) {
            StrView inner = {
                paren + 1, item.size - (size_t)(paren + 1 - item.data) - (last == ')')};
            ok = last == ')' && depth < MAX_DEPTH;
            if (!ok)
                fputs("shardc-opt: error: --pass-pipeline has an unclosed parenthesis\n", stderr);
            ok = ok && add_pipeline(tool, inner, depth + 1);
        } else if (brace) {
            StrBuf call = strbuf(tool->arena);
            strbuf_append(&call, (StrView){item.data, (size_t)(brace - item.data)});
            strbuf_putc(&call, '=');
            strbuf_append(
                &call,
                (StrView){brace + 1, item.size - (size_t)(brace + 1 - item.data) - (last == '}')});
            ok = add_pass(tool, strview(strbuf_cstring(&call)));
        } else {
            ok = add_pass(tool, item);
        }
        if (!ok) return false;
        start = p + 1;
    }
    return true;
}

// One argument that begins with a dash.
static bool parse_flag(OptTool *tool, const char *argument) {
    const char *name = argument + (argument[1] == '-' ? 2 : 1);
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"split-input-file", &tool->split},
        {"verify-diagnostics", &tool->verify_diagnostics},
        {"allow-unregistered-dialect", &tool->allow_unregistered},
        {"mlir-print-op-generic", &tool->generic},
        {"mlir-print-debuginfo", &tool->locations},
        {"verify-roundtrip", &tool->verify_roundtrip},
        {"emit-bytecode", &tool->emit_bytecode},
        {"emit-hlo", &tool->emit_hlo},
        {"print-sharding-options", &tool->sharding_options},
        {"time-passes", &tool->time_passes},
        {"mlir-timing", &tool->time_passes},
        {"print-after-all", &tool->print_after_all},
        {"mlir-print-ir-after-all", &tool->print_after_all}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(name, flags[i].name) != 0) continue;
        *flags[i].flag = true;
        return true;
    }
    static const char *const after[] = {"print-after=", "mlir-print-ir-after="};
    for (int i = 0; i < 2; i++) {
        size_t size = strlen(after[i]);
        if (strncmp(name, after[i], size) != 0) continue;
        if (pass_find(strview(name + size))) {
            tool->print_after = name + size;
            return true;
        }
        StrBuf names = strbuf(tool->arena);
        opt_pass_names(&names);
        fprintf(
            stderr, "shardc-opt: error: there is no pass '%s'; the passes are: %s\n", name + size,
            strbuf_cstring(&names));
        return false;
    }
    if (strncmp(name, "target=", 7) == 0) {
        tool->has_target = true;
        if (bytecode_target(strview(name + 7), &tool->target)) return true;
        fprintf(
            stderr, "shardc-opt: error: '%s' is no version of StableHLO that can be written\n",
            name + 7);
        return false;
    }
    if (strncmp(name, "pass-pipeline=", 14) == 0) return add_pipeline(tool, strview(name + 14), 0);
    return add_pass(tool, strview(name));
}

static bool parse_arguments(OptTool *tool, int argc, char **argv) {
    (void)bytecode_target(SV("current"), &tool->target);
    tool->passes = ARENA_ARRAY(tool->arena, PassCall, MAX_PASSES);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 || strncmp(argv[i], "-o=", 3) == 0) {
            if (!parse_output(tool, argc, argv, &i)) return false;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            if (!parse_flag(tool, argv[i])) return false;
        } else if (tool->path) {
            fprintf(
                stderr, "shardc-opt: error: more than one file: '%s' and '%s'\n", tool->path,
                argv[i]);
            return false;
        } else {
            tool->path = argv[i];
        }
    }
    if (tool->has_target && !tool->emit_bytecode && !tool->verify_roundtrip) {
        fputs("shardc-opt: error: --target needs --emit-bytecode\n", stderr);
        return false;
    }
    if (!tool->path)
        fputs("shardc-opt: error: no file is given (--help shows the usage)\n", stderr);
    return tool->path != NULL;
}

static void print_to(FILE *file, Arena *arena, const OptTool *tool, const Module *module) {
    PrintOptions options = {.generic = tool->generic, .locations = tool->locations};
    StrBuf text = strbuf(arena);
    print_module(&text, module, &options);
    fwrite(text.data, 1, text.size, file);
}

// What --print-after and --time-passes ask for, on standard error. False when the pass did not run.
static bool print_log(Arena *arena, const PassLog *log, const OptTool *tool) {
    StrBuf text = strbuf(arena);
    StrBuf names = strbuf(arena);
    bool missed = pass_log_missed(log, &names);
    strbuf_append(&text, pass_log_printed(log));
    if (tool->time_passes) pass_log_report(log, &text);
    if (missed)
        strbuf_printf(
            &text, "shardc-opt: error: pass '%s' did not run; those that did: %s\n",
            tool->print_after, strbuf_cstring(&names));
    fputs(strbuf_cstring(&text), stderr);
    return !missed;
}

static bool run_passes(
    const OptTool *tool, Arena *arena, Module **module, PassLog *log, Diags *diags) {
    for (int i = 0; i < tool->pass_count; i++) {
        const PassCall *call = &tool->passes[i];
        if (!opt_pass_run(call, module, log, diags)) return false;
        if (!tool->print_after_all) continue;
        fprintf(stderr, "// after %s\n", call->pass->name);
        print_to(stderr, arena, tool, *module);
    }
    return true;
}

// An expected-error {{text}} comment.
typedef struct Expectation {
    Severity severity;
    int line; // 0: a diagnostic without a place
    StrView text;
    bool met;
    struct Expectation *next;
} Expectation;

static const char *const severity_names[] = {"error", "warning", "note", "remark"};

// `@+1`, `@below` ... behind expected-error: the line that is meant.
static const char *parse_place(const char *p, const char *end, int *line) {
    while (p < end && *p == ' ')
        p++;
    if (p == end || *p != '@') return p;
    const char *start = ++p;
    while (p < end && *p != ' ' && *p != '{')
        p++;
    StrView place = {start, (size_t)(p - start)};
    int64_t offset = 0;
    if (strview_is(place, "above"))
        *line -= 1;
    else if (strview_is(place, "below"))
        *line += 1;
    else if (strview_is(place, "unknown"))
        *line = 0;
    else if (place.size > 1 && strview_to_int64((StrView){start + 1, place.size - 1}, &offset)) {
        *line += *start == '-' ? (int)-offset : (int)offset;
    }
    return p;
}

// The expectations of one line of the text.
static Expectation *line_expectation(Arena *arena, const char *line, const char *end, int number) {
    for (const char *p = line; end - p > 9; p++) {
        if (memcmp(p, "expected-", 9) != 0) continue;
        for (int s = 0; s < 4; s++) {
            StrView rest = {p + 9, (size_t)(end - p - 9)};
            if (!strview_starts_with(rest, strview(severity_names[s]))) continue;
            Expectation *found = ARENA_NEW(arena, Expectation);
            found->severity = (Severity)s;
            found->line = number;
            const char *text = parse_place(p + 9 + strlen(severity_names[s]), end, &found->line);
            while (text < end && *text == ' ')
                text++;
            if (end - text < 4 || text[0] != '{' || text[1] != '{') continue;
            const char *close = end;
            while (close - text > 4 && !(close[-1] == '}' && close[-2] == '}'))
                close--;
            found->text = (StrView){text + 2, (size_t)(close - 2 - text - 2)};
            return found;
        }
    }
    return NULL;
}

// Every diagnostic must be expected, every expectation met. Problems go to standard error.
static bool check_expectations(
    Arena *arena, const OptTool *tool, StrView text, int first_line, const Diags *diags) {
    Expectation *all = NULL;
    int number = first_line + 1;
    const char *end = text.data + text.size;
    for (const char *line = text.data; line < end; number++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline ? newline : end;
        Expectation *found = line_expectation(arena, line, line_end, number);
        if (found) {
            found->next = all;
            all = found;
        }
        line = newline ? newline + 1 : end;
    }
    bool ok = true;
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        int line = diag->loc ? diag->loc->line : 0;
        bool met = false;
        for (Expectation *e = all; e && !met; e = e->next) {
            if (e->severity != diag->severity || e->line != line ||
                !strview_contains(diag->message, e->text))
                continue;
            met = e->met = true;
        }
        if (met) continue;
        fprintf(
            stderr, "%s:%d: error: unexpected %s: %.*s\n", tool->path, line,
            severity_names[diag->severity], SV_ARG(diag->message));
        ok = false;
    }
    for (const Expectation *e = all; e; e = e->next) {
        if (e->met) continue;
        fprintf(
            stderr, "%s:%d: error: expected %s \"%.*s\" was not produced\n", tool->path, e->line,
            severity_names[e->severity], SV_ARG(e->text));
        ok = false;
    }
    return ok;
}

static int print_diags(const Diags *diags) {
    StrBuf out = strbuf(diags->arena);
    bool only_unsupported = true;
    for (const Diag *diag = diags->first; diag; diag = diag->next) {
        diag_print(&out, diags, diag);
        if (diag->severity == SEVERITY_ERROR && !diag->unsupported) only_unsupported = false;
    }
    fputs(strbuf_cstring(&out), stderr);
    if (diags->error_count == 0) return EXIT_DONE;
    return only_unsupported ? EXIT_UNSUPPORTED : EXIT_PROBLEM;
}

static StrView printed(Arena *arena, const Module *module, bool generic) {
    StrBuf out = strbuf(arena);
    print_module(&out, module, &(PrintOptions){.generic = generic});
    return strbuf_view(&out);
}

// Both forms of the printed module are read as the same module; reports the first line that
// differs.
static bool check_roundtrip(Arena *arena, Module *module, Diags *diags) {
    StrView expected = printed(arena, module, false);
    for (int generic = 0; generic < 2; generic++) {
        const char *form = generic ? "generic" : "pretty";
        StrView text = printed(arena, module, generic != 0);
        Diags *again = diags_create(arena);
        ReadOptions options = {
            .file = SV("printed"), .allow_unregistered = true, .keep_annotations = true};
        const Module *read = frontend_read(context_create(arena), arena, text, &options, again);
        if (!read) {
            diag_error(
                diags, module->op->loc, "its %s form is refused at line %d: %.*s", form,
                again->first && again->first->loc ? again->first->loc->line : 0,
                SV_ARG(again->first ? again->first->message : SV("")));
            return false;
        }
        StrView actual = printed(arena, read, false);
        if (strview_equal(actual, expected)) continue;
        size_t line = 0;
        for (size_t i = 0; i < actual.size && i < expected.size; i++) {
            if (actual.data[i] != expected.data[i]) break;
            if (actual.data[i] == '\n') line = i + 1;
        }
        StrView rest = {actual.data + line, actual.size - line};
        const char *newline = memchr(rest.data, '\n', rest.size);
        if (newline) rest.size = (size_t)(newline - rest.data);
        diag_error(
            diags, module->op->loc, "its %s form is read as another module: %.*s", form,
            SV_ARG(rest));
        return false;
    }
    return true;
}

// The module's artifact, when there is one, must be read as a module with the same artifact.
static bool check_artifact(const OptTool *tool, Arena *arena, Module *module, Diags *diags) {
    Diags *again = diags_create(arena);
    StrBuf first = strbuf(arena);
    if (!write_bytecode(module, arena, tool->target, &first, again)) return true;
    ReadOptions options = {
        .file = SV("artifact"), .allow_unregistered = true, .keep_annotations = true};
    StrView bytes = strbuf_view(&first);
    const Module *read = frontend_read(context_create(arena), arena, bytes, &options, again);
    StrBuf second = strbuf(arena);
    if (read && write_bytecode(read, arena, tool->target, &second, again) &&
        strview_equal(strbuf_view(&second), bytes))
        return true;
    diag_error(
        diags, module->op->loc, "its artifact is refused, or is read as another module: %.*s",
        SV_ARG(again->first ? again->first->message : SV("")));
    return false;
}

static bool emit_bytecode(const OptTool *tool, Arena *arena, const Module *module, Diags *diags) {
    StrBuf bytes = strbuf(arena);
    if (!write_bytecode(module, arena, tool->target, &bytes, diags)) return false;
    fwrite(bytes.data, 1, bytes.size, tool->out);
    return true;
}

// Shardy's shardings are written as GSPMD's.
static bool emit_hlo(const OptTool *tool, Arena *arena, Module **module, Diags *diags) {
    StrBuf text = strbuf(arena), problem = strbuf(arena);
    PassCall call;
    if (!opt_pass_call(SV("export-gspmd"), &call, &problem) ||
        !opt_pass_run(&call, module, NULL, diags) ||
        !write_hlo(*module, arena_child(arena), &text, diags))
        return false;
    fwrite(text.data, 1, text.size, tool->out);
    return true;
}

static void print_texts(FILE *out, int32_t count, const char *const *texts) {
    for (int32_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? ", " : "", texts[i]);
}

// A line for each op, and below it one for each way to shard it, the cheapest first.
static bool print_sharding_options(
    const OptTool *tool, Arena *arena, const Module *module, Diags *diags) {
    shardc_sharding_options list = {0};
    if (!list_sharding_options(module, arena, &list, diags)) return false;
    for (int32_t i = 0; i < list.op_count; i++) {
        const shardc_sharded_op *op = &list.ops[i];
        fprintf(
            tool->out, "%s: %s = %s on @%s: %d options\n", op->location, op->name, op->op, op->mesh,
            (int)op->option_count);
        for (int32_t k = 0; k < op->option_count; k++) {
            const shardc_sharding_option *option = &op->options[k];
            fputs("  ", tool->out);
            print_texts(tool->out, op->operand_count, option->operands);
            fputs(op->operand_count ? " -> " : "-> ", tool->out);
            print_texts(tool->out, op->result_count, option->results);
            fprintf(
                tool->out, ": communication %lld bytes%s%s%s, memory %lld bytes\n",
                (long long)option->communication_bytes, *option->communication ? " (" : "",
                option->communication, *option->communication ? ")" : "",
                (long long)option->memory_bytes);
        }
    }
    return true;
}

// One section in an arena of its own.
static int run_section(
    const OptTool *tool, Arena *arena, StrView whole, StrView text, int first_line) {
    Diags *diags = diags_create(arena);
    diags->file = strview(tool->path);
    diags->text = whole;
    ReadOptions options = {
        .file = strview(tool->path),
        .allow_unregistered = tool->allow_unregistered,
        .keep_annotations = true,
        .first_line = first_line};
    Context *context = context_create(arena);
    Module *module = frontend_read(context, arena, text, &options, diags);
    PassLog *log =
        tool->print_after || tool->time_passes ? pass_log_create(arena, tool->print_after) : NULL;
    bool ok = module && run_passes(tool, arena, &module, log, diags);
    bool printed = !log || !ok || print_log(arena, log, tool);
    if (ok && tool->verify_roundtrip) {
        ok = check_roundtrip(arena, module, diags) && check_artifact(tool, arena, module, diags);
    }
    if (ok && tool->emit_bytecode) ok = emit_bytecode(tool, arena, module, diags);
    if (ok && tool->emit_hlo) ok = emit_hlo(tool, arena, &module, diags);
    if (ok && tool->sharding_options) ok = print_sharding_options(tool, arena, module, diags);
    if (tool->verify_diagnostics) {
        return check_expectations(arena, tool, text, first_line, diags) ? EXIT_DONE : EXIT_PROBLEM;
    }
    int status = print_diags(diags);
    if (!ok || !printed) return status == EXIT_DONE ? EXIT_PROBLEM : status;
    if (!tool->emit_bytecode && !tool->emit_hlo && !tool->sharding_options)
        print_to(tool->out, arena, tool, module);
    return EXIT_DONE;
}

static int run(OptTool *tool) {
    StrView text;
    const char *error = NULL;
    if (!file_read_limited(tool->arena, tool->path, PROGRAM_LIMIT, &text, &error)) {
        fprintf(stderr, "shardc-opt: error: %s\n", error);
        return EXIT_PROBLEM;
    }
    StrView whole = text;
    int zero = 0;
    StrView *sections = &whole;
    int *first_lines = &zero;
    int count = tool->split ? frontend_split(tool->arena, text, &sections, &first_lines) : 1;
    int status = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        Arena *arena = arena_create(NULL, tool->guard);
        if (!arena) return EXIT_PROBLEM;
        if (i > 0 && !tool->verify_diagnostics) fputs("// -----\n", tool->out);
        int section = run_section(tool, arena, text, sections[i], first_lines[i]);
        arena_free(arena);
        if (section != EXIT_DONE && status != EXIT_PROBLEM) status = section;
    }
    return status;
}

// All sections, then the file, unless something went wrong.
static int run_to_file(OptTool *tool) {
    char *text = NULL;
    size_t size = 0;
    tool->out = open_memstream(&text, &size);
    int status = tool->out ? run(tool) : EXIT_PROBLEM;
    const char *error = "out of memory";
    bool good = tool->out != NULL;
    if (tool->out && fclose(tool->out) != 0) good = false;
    if (good && status == EXIT_DONE)
        good = file_write(tool->arena, tool->output, (StrView){text, size}, &error);
    free(text);
    if (good) return status;
    fprintf(stderr, "shardc-opt: error: %s\n", error);
    return EXIT_PROBLEM;
}

static bool wants_help(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

int main(int argc, char **argv) {
    args_reserve_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    ArenaGuard guard;
    OptTool tool = {.guard = &guard};
    Arena *arena = arena_create(NULL, &guard);
    if (!arena || setjmp(guard.jump) != 0) {
        fputs("shardc-opt: error: out of memory\n", stderr);
        return EXIT_PROBLEM;
    }
    tool.arena = arena;
    tool.out = stdout;
    int status = EXIT_USAGE;
    if (wants_help(argc, argv)) {
        print_help(arena);
        status = EXIT_DONE;
    } else if (parse_arguments(&tool, argc, argv))
        status = tool.output ? run_to_file(&tool) : run(&tool);
    arena_free(arena);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("shardc-opt: error: cannot write to standard output\n", stderr);
        if (status == EXIT_DONE) status = EXIT_PROBLEM;
    }
    return status;
}

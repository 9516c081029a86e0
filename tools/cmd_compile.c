// cmd_compile: shardc compile.
#include "tools/explain/explain_report.h"
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

typedef struct EmitName {
    const char *name;
    shardc_emit emit;
} EmitName;

static const EmitName emits[] = {
    {"so", SHARDC_EMIT_SO},
    {"obj", SHARDC_EMIT_OBJECT},
    {"asm", SHARDC_EMIT_ASSEMBLY},
    {"llvm", SHARDC_EMIT_LLVM},
    {"header", SHARDC_EMIT_HEADER},
    {"propagated", SHARDC_EMIT_PROPAGATED},
    {"partitioned", SHARDC_EMIT_PARTITIONED},
};

static bool find_emit(const char *name, shardc_emit *emit) {
    for (size_t i = 0; i < sizeof emits / sizeof emits[0]; i++) {
        if (strcmp(emits[i].name, name) == 0) {
            *emit = emits[i].emit;
            return true;
        }
    }
    fprintf(
        stderr,
        "shardc: --emit=%s is unknown: so, obj, asm, llvm, header, propagated or partitioned\n",
        name);
    return false;
}

static bool find_report(const char *name, ReportForm *form) {
    static const char *const names[] = {"text", "json", "html"};
    *form = REPORT_NONE;
    if (!name) return true;
    if (!*name) name = names[0];
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) *form = (ReportForm)(REPORT_TEXT + i);
    }
    if (*form == REPORT_NONE)
        fprintf(stderr, "shardc: --report=%s is unknown: text, json or html\n", name);
    return *form != REPORT_NONE;
}

// library: where code was made that this machine can load; else NULL.
static shardc_status *report(
    shardc_module *module, const shardc_options *options, ReportForm form, const char *library) {
    Tool tool;
    shardc_explanation *explanation = NULL;
    shardc_explain_options explain;
    shardc_explain_options_init(&explain);
    explain.advise_count = 0;
    shardc_options quiet = *options;
    quiet.report = NULL;
    quiet.print_after = NULL;
    quiet.time_passes = 0;
    shardc_status *status = shardc_explain(module, &quiet, &explain, &explanation);
    if (status) return status;
    shardc_executable *executable = NULL;
    // a library that needs functions of those who load it says less
    if (library) shardc_status_free(shardc_executable_load(library, NULL, &executable));
    if (TOOL_BEGIN(&tool)) {
        StrBuf out = strbuf(tool.arena);
        report_print(
            &out, form, explanation, executable ? shardc_executable_model(executable) : NULL);
        fputs(strbuf_cstring(&out), stdout);
        tool_end(&tool);
    }
    shardc_executable_free(executable);
    shardc_explanation_free(explanation);
    return NULL;
}

// The public API does the work: the tool is its first user.
static int compile(
    const char *program, const char *output, shardc_emit emit, ReportForm form,
    const shardc_options *options) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = shardc_module_parse_file(context, program, &module);
    tool_print_warnings(module);
    if (!status) status = shardc_compile_to_file(module, options, emit, output);
    if (options->progress) tool_end_progress();
    if (!status) tool_print_warnings(module);
    bool can_load = emit == SHARDC_EMIT_SO && !options->target && !options->target_cpu;
    if (!status && form) status = report(module, options, form, can_load ? output : NULL);
    int result = tool_finish_status(status);
    shardc_module_free(module);
    shardc_context_free(context);
    return result;
}

// What does not go to standard output, or not together with the report, or into a file of this
// name.
static bool check_output(
    const char *output, shardc_emit emit, const char *emit_name, ReportForm form,
    const shardc_options *options) {
    bool to_stdout = strcmp(output, "-") == 0;
    bool is_binary =
        emit == SHARDC_EMIT_SO || emit == SHARDC_EMIT_PER_SHARD || emit == SHARDC_EMIT_OBJECT;
    size_t size = strlen(output);
    if (to_stdout && is_binary) {
        fprintf(stderr, "shardc: --emit=%s is no text for standard output: -o FILE\n", emit_name);
    } else if ((to_stdout || form) && options->print_after) {
        fprintf(
            stderr, "shardc: %s and --print-after do not go together\n",
            form ? "--report" : "-o -");
    } else if (to_stdout && form) {
        fputs("shardc: -o - and --report do not go together\n", stderr);
    } else if (emit == SHARDC_EMIT_SO && size > 2 && strcmp(output + size - 2, ".h") == 0) {
        fprintf(
            stderr, "shardc: -o %s is the name of the library's header: give the library's name\n",
            output);
    } else {
        return true;
    }
    return false;
}

// At most one of -O0 to -O3.
static bool choose_level(const bool *level, shardc_options *options) {
    for (int i = 0; i < 4; i++) {
        if (level[i] && options->optimize) {
            fprintf(stderr, "shardc: -O%d and -O%d do not go together\n", options->optimize - 1, i);
            return false;
        }
        if (level[i]) options->optimize = i + 1;
    }
    return true;
}

int cmd_compile(int argc, char **argv) {
    const char *output = NULL, *emit_name = "so", *report_name = NULL;
    bool per_shard = false, time_passes = false, level[4] = {false}, reference = false;
    int64_t compile_threads = 0;
    shardc_options options;
    shardc_options_init(&options);
    const Option table[] = {
        {"-o", OPTION_TEXT, &output, 0, 0},
        {"--mesh", OPTION_TEXT, &options.mesh, 0, 0},
        {"--entry", OPTION_TEXT, &options.entry, 0, 0},
        {"--input-types", OPTION_TEXT, &options.input_types, 0, 0},
        {"--name", OPTION_TEXT, &options.name, 0, 0},
        {"--custom", OPTION_TEXT, &options.custom, 0, 0},
        {"--target-cpu", OPTION_TEXT, &options.target_cpu, 0, 0},
        {"--target", OPTION_TEXT, &options.target, 0, 0},
        {"--emit", OPTION_TEXT, &emit_name, 0, 0},
        {"--per-shard", OPTION_FLAG, &per_shard, 0, 0},
        {"--print-after", OPTION_TEXT, &options.print_after, 0, 0},
        {"--time-passes", OPTION_FLAG, &time_passes, 0, 0},
        {"--report", OPTION_WORD, &report_name, 0, 0},
        {"--reference-kernels", OPTION_FLAG, &reference, 0, 0},
        {"--cache", OPTION_TEXT, &options.cache, 0, 0},
        {"--constant-arguments", OPTION_TEXT, &options.constant_arguments, 0, 0},
        {"--compile-threads", OPTION_INT, &compile_threads, 1, 1024},
        {"-O0", OPTION_FLAG, &level[0], 0, 0},
        {"-O1", OPTION_FLAG, &level[1], 0, 0},
        {"-O2", OPTION_FLAG, &level[2], 0, 0},
        {"-O3", OPTION_FLAG, &level[3], 0, 0},
    };
    int count = 0;
    if (!args_parse(argc, argv, table, sizeof table / sizeof table[0], &count)) return EXIT_USAGE;
    if (count != 1 || !output) {
        fputs(
            "usage: shardc compile PROGRAM -o OUT [options]; see shardc compile --help\n", stderr);
        return EXIT_USAGE;
    }
    shardc_emit emit;
    ReportForm form;
    if (!find_emit(emit_name, &emit) || !find_report(report_name, &form)) return EXIT_USAGE;
    if (per_shard && emit != SHARDC_EMIT_SO) {
        fputs("shardc: --per-shard writes shared libraries: it needs --emit=so\n", stderr);
        return EXIT_USAGE;
    }
    if (per_shard) emit = SHARDC_EMIT_PER_SHARD;
    if (!check_output(output, emit, emit_name, form, &options) || !choose_level(level, &options))
        return EXIT_USAGE;
    options.reference_kernels = reference;
    options.time_passes = time_passes;
    options.report = tool_report;
    options.compile_threads = (int)compile_threads;
    if (tool_wants_progress()) options.progress = tool_progress;
    return compile(argv[0], output, emit, form, &options);
}

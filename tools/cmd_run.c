// cmd_run: shardc run: its options, and what becomes of a run's results.
#include "tools/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *option, const char *why) {
    fprintf(stderr, "shardc: %s %s\n", option, why);
    return false;
}

// Options that would be without effect are mistakes.
static bool check_options(const RunOptions *run) {
    bool compares = run->expect.count > 0 || run->compare.count > 0;
    if (!compares && run->rtol >= 0) return refuse("--rtol", "needs --expect or --compare");
    if (!compares && run->atol >= 0) return refuse("--atol", "needs --expect or --compare");
    if (run->json && run->quiet) return refuse("--json", "and --quiet do not go together");
    if (run->out_dir && strcmp(run->out_dir, "-") == 0)
        return refuse("--out-dir", "needs a folder, not standard output");
    if (run->profile && strcmp(run->profile, "-") == 0)
        return refuse("--profile", "writes files: it needs the beginning of their names");
    return true;
}

typedef struct GivenOption {
    const char *option;
    bool is_given;
} GivenOption;

static bool check_together(int count, const GivenOption *options, const char *why) {
    for (int i = 0; i < count; i++) {
        if (options[i].is_given) return refuse(options[i].option, why);
    }
    return true;
}

static bool check_mode(const RunOptions *run) {
    const GivenOption for_compiling[] = {
        {"--target-cpu", run->compile.target_cpu != NULL},
        {"--reference-kernels", run->reference},
        {"--print-after", run->compile.print_after != NULL},
        {"--time-passes", run->time_passes},
        {"--mesh", run->compile.mesh != NULL},
        {"--cache", run->compile.cache != NULL},
        {"--constant-arguments", run->compile.constant_arguments != NULL}};
    const int compiling = sizeof for_compiling / sizeof *for_compiling;
    const GivenOption for_execution[] = {
        {"--threads", run->threads > 0},
        {"--repeat", run->repeat > 0},
        {"--min-time", run->min_time > 0},
        {"--profile", run->profile != NULL}};
    const GivenOption for_programs[] = {
        {"--entry", run->compile.entry != NULL},
        {"--input-types", run->compile.input_types != NULL},
        {"--interpret", run->interpret}};
    if (run->source.is_library)
        return check_together(
                   compiling, for_compiling, "is for programs: the library is compiled") &&
               check_together(3, for_programs, "is for programs: the library is compiled");
    if (run->interpret)
        return check_together(compiling, for_compiling, "and --interpret do not go together") &&
               check_together(4, for_execution, "and --interpret do not go together");
    return true;
}

static int compare_all(Tool *tool, const RunOptions *run, const RunResult *result) {
    int status = run_expect(tool, run, result) ? EXIT_DONE : EXIT_PROBLEM;
    for (int i = 0; i < run->compare.count; i++) {
        int one = run_compare(tool, run, run->compare.items[i], result);
        if (one == EXIT_PROBLEM || status == EXIT_DONE) status = one;
    }
    return status;
}

static int write_files(Tool *tool, const RunOptions *run, const RunResult *result) {
    FileSet *files = file_set_create(tool->arena);
    const char *error = NULL;
    int status = EXIT_DONE;
    if (run->profile && result->executable)
        status = run_write_profile(tool, result, files, run->profile);
    if (status) return status;
    if (run->out_dir && !run_write(tool, result, files, run->out_dir)) return EXIT_PROBLEM;
    if (file_set_commit(files, &error)) return EXIT_DONE;
    fprintf(stderr, "shardc: error: %s\n", error);
    return EXIT_PROBLEM;
}

// What is done with outputs; `status` is how the run went.
static int finish(Tool *tool, const RunOptions *run, RunResult *result, int status) {
    bool in_words = !run->json && !run->quiet;
    if (in_words) {
        run_print_inputs(run, result);
        run_print_outputs(result);
        if (run->repeat > 0 || run->min_time > 0) run_print_times(result);
    }
    int written = write_files(tool, run, result);
    int compared = compare_all(tool, run, result);
    if (status == EXIT_DONE) status = written;
    if (status == EXIT_DONE) status = compared;
    return status;
}

static int run_source(Tool *tool, RunOptions *run, RunResult *result) {
    int status = EXIT_PROBLEM;
    if (!check_mode(run)) return EXIT_USAGE;
    if (run->rtol < 0) run->rtol = 1e-5;
    if (run->atol < 0) run->atol = 1e-6;
    if (run->interpret)
        status = run_interpret(tool, run, NULL, 0, result);
    else if (!run_checking(tool, run, result, &status))
        status = run_native(tool, run, NULL, 0, result);
    bool ran = result->outputs && result->runs > 0;
    if (ran) status = finish(tool, run, result, status);
    if (run->json && (ran || status == EXIT_DONE)) run_print_json(tool, result);
    return status;
}

static int run_program(RunOptions *options, const char *program) {
    Tool tool;
    struct KnownFile *known_files = NULL;
    if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM;
    int status = EXIT_PROBLEM;
    options->known_files = &known_files;
    if (tool_open(&tool, program, &options->source)) {
        RunResult result = {.device_count = 1};
        status = run_source(&tool, options, &result);
        run_free(&result);
    }
    tool_end(&tool);
    return status;
}

static int run_with(RunOptions *run, int count, char **argv) {
    if (count != 1) {
        fputs("usage: shardc run PROGRAM|model.so [options]; see shardc run --help\n", stderr);
        return EXIT_USAGE;
    }
    if (!check_options(run)) return EXIT_USAGE;
    run->compile.threads = (int)run->threads;
    run->compile.profile = run->profile != NULL;
    run->compile.reference_kernels = run->reference;
    run->compile.time_passes = run->time_passes;
    run->compile.report = tool_report;
    if (tool_wants_progress()) run->compile.progress = tool_progress;
    return run_program(run, argv[0]);
}

int cmd_run(int argc, char **argv) {
    RunOptions run = {.rtol = -1, .atol = -1};
    shardc_options_init(&run.compile);
    const Option table[] = {
        {"--in", OPTION_LIST, &run.in, 0, 0},
        {"--in-dir", OPTION_TEXT, &run.in_dir, 0, 0},
        {"--expect", OPTION_LIST, &run.expect, 0, 0},
        {"--compare", OPTION_LIST, &run.compare, 0, 0},
        {"--seed", OPTION_INT, &run.seed, 0, INT64_MAX},
        {"--out-dir", OPTION_TEXT, &run.out_dir, 0, 0},
        {"--rtol", OPTION_DOUBLE, &run.rtol, 0, INT64_MAX},
        {"--atol", OPTION_DOUBLE, &run.atol, 0, INT64_MAX},
        {"--entry", OPTION_TEXT, &run.compile.entry, 0, 0},
        {"--input-types", OPTION_TEXT, &run.compile.input_types, 0, 0},
        {"--mesh", OPTION_TEXT, &run.compile.mesh, 0, 0},
        {"--target-cpu", OPTION_TEXT, &run.compile.target_cpu, 0, 0},
        {"--interpret", OPTION_FLAG, &run.interpret, 0, 0},
        {"--local", OPTION_FLAG, &run.local, 0, 0},
        {"--threads", OPTION_INT, &run.threads, 1, 4096},
        {"--repeat", OPTION_INT, &run.repeat, 1, 1000000000},
        {"--min-time", OPTION_DOUBLE, &run.min_time, 0, 86400},
        {"--profile", OPTION_TEXT, &run.profile, 0, 0},
        {"--json", OPTION_FLAG, &run.json, 0, 0},
        {"--quiet", OPTION_FLAG, &run.quiet, 0, 0},
        {"--reference-kernels", OPTION_FLAG, &run.reference, 0, 0},
        {"--cache", OPTION_TEXT, &run.compile.cache, 0, 0},
        {"--constant-arguments", OPTION_TEXT, &run.compile.constant_arguments, 0, 0},
        {"--print-after", OPTION_TEXT, &run.compile.print_after, 0, 0},
        {"--time-passes", OPTION_FLAG, &run.time_passes, 0, 0},
    };
    int count = 0, status = EXIT_USAGE;
    if (args_parse(argc, argv, table, sizeof table / sizeof table[0], &count))
        status = run_with(&run, count, argv);
    free(run.in.items);
    free(run.expect.items);
    free(run.compare.items);
    return status;
}

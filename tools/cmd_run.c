// cmd_run: shardc run.
#define _POSIX_C_SOURCE 200809L

#include "base/file.h"
#include "base/json.h"
#include "frontend/frontend.h"
#include "ir/context.h"
#include "ir/eval.h"
#include "ir/refine.h"
#include "tools/run_checks.h"
#include "tools/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct RunOptions {
    const char *program;
    TextList in, expect;
    const char *out_dir, *profile;
    int64_t seed, threads, repeat;
    double rtol, atol, min_time;
    bool interpret, json, reference;
    shardc_options compile;
} RunOptions;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// ---- interpreted

// What checking functions found; prints nothing for a function without checks.
static int report_checks(const EvalChecks *checks) {
    if (checks->passed + checks->failed == 0) return EXIT_DONE;
    printf("checks passed: %lld\n", (long long)checks->passed);
    if (checks->failed == 0) return EXIT_DONE;
    fprintf(stderr, "shardc: error: %.*s\n", SV_ARG(checks->first_failure));
    return EXIT_PROBLEM;
}

// A program with dynamic dimensions, with the sizes that its inputs have. What this cannot do (shapes that depend on data) the
// evaluator may, so that the program stays as it is then.
static void refine_for(Tool *tool, const char *types, Module **module, Op **func) {
    if (!module_is_dynamic(*module)) return;
    Module *refined = module_clone(*module, tool->arena);
    Diags *diags = diags_create(tool->arena);
    PassContext pass = {.scratch = tool->arena, .diags = diags};
    Op *entry = module_find_func(refined, func_name(*func));
    const ArgumentFact *facts = NULL;
    int count = 0;
    if (types) {
        const char *text = arena_printf(tool->arena, "[%s]", types);
        const Attr *list = frontend_read_attr(refined, tool->arena, strview(text), diags);
        if (!list || !argument_facts(tool->arena, entry, list, &facts, diags)) return;
        count = list->count;
    }
    if (refine_shapes(refined, entry, count, facts, &pass) == PASS_FAILED) return;
    *module = refined;
    *func = entry;
}

// A value of the type, made of the next arrays.
static Tensor *join_leaves(Tool *tool, const Type *type, const RunArray **next) {
    Tensor *tensor = ARENA_NEW(tool->arena, Tensor);
    tensor->type = type;
    if (type->kind != TYPE_TUPLE) {
        tensor->type = (*next)->type; // without dynamic dimensions
        tensor->data = (*next)++->data;
        return tensor;
    }
    tensor->parts = ARENA_ARRAY(tool->arena, Tensor *, type->part_count + 1);
    for (int i = 0; i < type->part_count; i++)
        tensor->parts[i] = join_leaves(tool, type->parts[i], next);
    return tensor;
}

static RunArray *split_value(RunArray *to, const Tensor *value) {
    if (value->type->kind != TYPE_TUPLE) {
        *to = (RunArray){value->type, value->data};
        return to + 1;
    }
    for (int i = 0; i < value->type->part_count; i++)
        to = split_value(to, value->parts[i]);
    return to;
}

// The arrays of the arguments, read or drawn, and the arguments. *types: see run_argument_types.
static bool interpreted_inputs(
    Tool *tool, const RunOptions *run, Module *module, const Op *func, const Tensor **operands,
    const char **types) {
    int count = func_body(func)->arg_count, leaves = 0;
    RunArray *args = ARENA_ARRAY(tool->arena, RunArray, count + 1);
    if (!run_argument_types(tool, module, func, run->compile.input_types, &run->in, args, types))
        return false;
    for (int i = 0; i < count; i++)
        leaves += run_leaf_count(args[i].type);
    RunArray *inputs = ARENA_ARRAY(tool->arena, RunArray, leaves + 1), *end = inputs;
    for (int i = 0; i < count; i++)
        end = run_append_leaves(end, args[i].type);
    if (!run_inputs(tool, inputs, leaves, &run->in, run->seed)) return false;
    const RunArray *next = inputs;
    for (int i = 0; i < count; i++)
        operands[i] = join_leaves(tool, args[i].type, &next);
    return true;
}

static bool interpreted_outputs(
    Tool *tool, const RunOptions *run, int count, Tensor *const *results) {
    int leaves = 0;
    for (int i = 0; i < count; i++)
        leaves += run_leaf_count(results[i]->type);
    RunArray *outputs = ARENA_ARRAY(tool->arena, RunArray, leaves + 1), *end = outputs;
    for (int i = 0; i < count; i++)
        end = split_value(end, results[i]);
    bool good = !run->out_dir || run_write(tool, outputs, leaves, run->out_dir);
    return run_expect(tool, outputs, leaves, &run->expect, run->rtol, run->atol) && good;
}

static int interpret(Tool *tool, const RunOptions *run, Module *module, Diags *diags) {
    Op *func = module_entry(module, strview(run->compile.entry));
    if (!func) {
        fprintf(
            stderr, "shardc: error: %s: there is no function '%s' to run\n", run->program,
            run->compile.entry ? run->compile.entry : "main");
        return EXIT_PROBLEM;
    }
    Region *body = func_body(func);
    int result_count = region_terminator(body)->operand_count;
    const Tensor **operands = ARENA_ARRAY(tool->arena, const Tensor *, body->arg_count + 1);
    Tensor **results = ARENA_ARRAY(tool->arena, Tensor *, result_count + 1);
    const char *types;
    if (!interpreted_inputs(tool, run, module, func, operands, &types)) return EXIT_PROBLEM;
    EvalChecks checks = {0};
    EvalOptions options = {.print = tool_print_value, .print_user = tool};
    double begin = now();
    refine_for(tool, types, &module, &func);
    bool good =
        eval_function(tool->arena, module, func, operands, results, &options, &checks, diags);
    double seconds = now() - begin;
    int status = tool_print_diags(diags);
    if (!good) return status ? status : EXIT_PROBLEM;
    status = report_checks(&checks);
    if (!interpreted_outputs(tool, run, result_count, results)) status = EXIT_PROBLEM;
    if (run->json) {
        printf(
            "{\"devices\": %lld, \"interpreted\": true, \"runs\": 1, \"min_s\": %.9g, "
            "\"median_s\": %.9g}\n",
            (long long)module_device_count(module), seconds, seconds);
    }
    return status;
}

// ---- programs that check themselves

static bool text_has(StrView text, const char *word) {
    size_t size = strlen(word);
    for (const char *at = text.data, *end = text.data + text.size; at && at < end; at++) {
        at = memchr(at, word[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) < size) return false;
        if (memcmp(at, word, size) == 0) return true;
    }
    return false;
}

// May the program check itself, or start programs on several devices? Few do, so that the text is searched before it is read.
static bool may_check(Tool *tool, const char *path) {
    StrView text;
    const char *error;
    if (tool_is_library(path) || !file_read(tool->arena, path, &text, &error)) return false;
    return text_has(text, "check.expect_") || text_has(text, "interpreter.run_parallel");
}

// As `shardc test`: compiled; what cannot be compiled is evaluated, with a note.
static int run_checking_function(
    Tool *tool, const RunOptions *run, Module *module, const Op *func, Diags *diags) {
    EvalChecks checks = {0};
    shardc_status *status = NULL;
    Diags *own = diags_create(tool->arena);
    own->file = diags->file;
    own->text = diags->text;
    if (check_native(tool, module, func, own, &checks, &status)) return report_checks(&checks);
    bool unsupported =
        status ? shardc_status_code(status) == SHARDC_UNSUPPORTED : own->has_unsupported;
    if (!unsupported) return status ? tool_finish_status(status) : tool_print_diags(own);
    const Diag *first = own->first;
    while (!status && first->severity != SEVERITY_ERROR)
        first = first->next;
    StrView why = status ? strview(shardc_status_message(status)) : first->message;
    fprintf(stderr, "shardc: note: evaluated, not compiled: %.*s\n", SV_ARG(why));
    shardc_status_free(status);
    return interpret(tool, run, module, diags);
}

// Runs the program in the evaluator if that is asked for, and if it checks itself; false = it is to be compiled as it is.
static bool run_checking(Tool *tool, const RunOptions *run, int *result) {
    if (!run->interpret && !may_check(tool, run->program)) return false;
    Diags *diags = NULL;
    Module *module = tool_read(tool, run->program, &diags, result);
    if (!module) return true;
    if (!run->interpret && !has_checks(module)) return false;
    const Op *func = module_entry(module, strview(run->compile.entry));
    bool compiles = !run->interpret && func && func_body(func)->arg_count == 0;
    *result = compiles ? run_checking_function(tool, run, module, func, diags)
                       : interpret(tool, run, module, diags);
    return true;
}

// ---- native

// One executable with its arrays.
typedef struct Run {
    shardc_executable *executable;
    const shardc_model *model;
    RunArray *inputs, *outputs;
    const void **input_data;
    void **output_data;
    double compile_seconds;
    int runs;
    double *seconds; // [runs], sorted at the end; malloc
} Run;

static const Type *array_type(Tool *tool, const shardc_model_array *array) {
    ElementType element;
    if (strcmp(array->type, "token") == 0) return type_token(tool->context);
    if (array->rank < 0 || array->rank > MAX_RANK ||
        !element_from_text(strview(array->type), &element)) {
        return NULL;
    }
    return type_tensor(tool->context, element, array->rank, array->dims);
}

static shardc_status *make_executable(const RunOptions *run, shardc_executable **executable) {
    if (tool_is_library(run->program)) {
        return shardc_executable_load(run->program, &run->compile, executable);
    }
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = shardc_module_parse_file(context, run->program, &module);
    tool_print_warnings(module);
    if (!status) status = shardc_compile(module, &run->compile, executable);
    if (run->compile.progress) tool_end_progress();
    if (!status) tool_print_warnings(module);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static bool make_arrays(Tool *tool, const RunOptions *options, Run *run) {
    int args = run->model->arg_count, results = run->model->result_count;
    run->inputs = ARENA_ARRAY(tool->arena, RunArray, args + 1);
    run->outputs = ARENA_ARRAY(tool->arena, RunArray, results + 1);
    run->input_data = ARENA_ARRAY(tool->arena, const void *, args + 1);
    run->output_data = ARENA_ARRAY(tool->arena, void *, results + 1);
    for (int i = 0; i < args + results; i++) {
        const shardc_model_array *array =
            i < args ? &run->model->args[i] : &run->model->results[i - args];
        RunArray *to = i < args ? &run->inputs[i] : &run->outputs[i - args];
        to->type = array_type(tool, array);
        if (!to->type) {
            fprintf(stderr, "shardc: error: array %d of the model has an unknown type\n", i);
            return false;
        }
    }
    if (!run_inputs(tool, run->inputs, args, &options->in, options->seed)) return false;
    for (int i = 0; i < args; i++) {
        run->input_data[i] = run->inputs[i].data;
    }
    for (int i = 0; i < results; i++) {
        run->outputs[i].data = run_alloc(tool, run->outputs[i].type);
        run->output_data[i] = run->outputs[i].data;
    }
    return true;
}

// Executes once for the results, then as often as --repeat and --min-time ask for, timed.
static shardc_status *execute_all(const RunOptions *options, Run *run) {
    double begin = now();
    shardc_status *status = shardc_execute(run->executable, run->input_data, run->output_data);
    double first = now() - begin;
    int capacity = 0;
    double end = now() + options->min_time;
    while (!status && (run->runs < options->repeat || (options->min_time > 0 && now() < end))) {
        if (run->runs == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            double *grown = realloc(run->seconds, (size_t)capacity * sizeof *grown);
            if (!grown) break;
            run->seconds = grown;
        }
        begin = now();
        status = shardc_execute(run->executable, run->input_data, run->output_data);
        run->seconds[run->runs++] = now() - begin;
    }
    if (!status && run->runs == 0) {
        run->seconds = malloc(sizeof *run->seconds);
        if (run->seconds) run->seconds[run->runs++] = first;
    }
    return status;
}

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_json(Tool *tool, Run *run) {
    shardc_model_counters counters = {.struct_size = sizeof counters};
    shardc_executable_counters(run->executable, &counters);
    StrBuf out = strbuf(tool->arena);
    Json json = json_writer(&out);
    json_begin_object(&json);
    json_key(&json, "devices");
    json_int(&json, run->model->device_count);
    json_key(&json, "threads");
    json_int(&json, counters.threads);
    json_key(&json, "threads_per_device");
    json_int(&json, counters.lanes_per_device);
    json_key(&json, "compile_s");
    json_double(&json, run->compile_seconds);
    json_key(&json, "runs");
    json_int(&json, run->runs);
    qsort(run->seconds, (size_t)run->runs, sizeof *run->seconds, compare_seconds);
    if (run->runs) {
        json_key(&json, "min_s");
        json_double(&json, run->seconds[0]);
        json_key(&json, "median_s");
        json_double(&json, run->seconds[run->runs / 2]);
    }
    json_key(&json, "peak_device_bytes");
    json_int(&json, shardc_executable_device_bytes(run->executable));
    json_key(&json, "collective_bytes");
    json_int(&json, counters.collective_bytes);
    json_key(&json, "moved_bytes");
    json_int(&json, counters.moved_bytes);
    json_end_object(&json);
    printf("%s\n", strbuf_cstring(&out));
}

// Prints the table; writes OUT.json and OUT.trace.json (a suffix .json of OUT is dropped).
static int write_profile(Tool *tool, const Run *run, const char *path) {
    StrView stem = strview(path);
    if (strview_ends_with(stem, SV(".json"))) stem.size -= 5;
    static const char *const suffixes[] = {NULL, ".json", ".trace.json"};
    shardc_status *status = NULL;
    bool good = true;
    for (int format = 0; !status && good && format < 3; format++) {
        char *text = NULL;
        status = shardc_profile_text(run->executable, (shardc_profile_format)format, &text);
        if (!status && !suffixes[format]) fputs(text, stdout);
        if (!status && suffixes[format]) {
            const char *error = NULL;
            const char *file = arena_printf(tool->arena, "%.*s%s", SV_ARG(stem), suffixes[format]);
            if (!file_write(tool->arena, file, strview(text), &error)) {
                fprintf(stderr, "shardc: error: %s\n", error);
                good = false;
            }
        }
        shardc_profile_free(text);
    }
    if (status) return tool_finish_status(status);
    return good ? EXIT_DONE : EXIT_PROBLEM;
}

// May the program have dynamic dimensions? Few do, so that the text is searched before it is read; bytecode is not text.
static bool may_be_dynamic(Tool *tool, const char *path) {
    StrView text;
    const char *error;
    if (tool_is_library(path) || !file_read(tool->arena, path, &text, &error)) return false;
    return strview_starts_with(text, SV("ML\xefR")) || text_has(text, "?x") ||
           text_has(text, "tensor<*");
}

// Fills in input_types of a program with dynamic dimensions, from the inputs' files. False after saying what is wrong.
static bool find_types(Tool *tool, RunOptions *run, int *result) {
    if (run->in.count == 0 || run->compile.input_types || !may_be_dynamic(tool, run->program))
        return true;
    Diags *diags = NULL;
    Module *module = tool_read(tool, run->program, &diags, result);
    if (!module) return false;
    const Op *entry = module_entry(module, strview(run->compile.entry));
    if (!entry) return true; // the compiler says so
    RunArray *inputs = ARENA_ARRAY(tool->arena, RunArray, func_body(entry)->arg_count + 1);
    *result = EXIT_PROBLEM;
    return run_argument_types(
        tool, module, entry, NULL, &run->in, inputs, &run->compile.input_types);
}

static int run_native(Tool *tool, const RunOptions *options, Run *run) {
    double begin = now();
    shardc_status *status = make_executable(options, &run->executable);
    if (status) return tool_finish_status(status);
    run->compile_seconds = now() - begin;
    run->model = shardc_executable_model(run->executable);
    fputs(shardc_executable_printed(run->executable), stdout);
    tool->context = context_create(tool->arena);
    if (!make_arrays(tool, options, run)) return EXIT_PROBLEM;
    status = execute_all(options, run);
    if (status) return tool_finish_status(status);
    int result = EXIT_DONE;
    if (options->profile) result = write_profile(tool, run, options->profile);
    int count = run->model->result_count;
    if (options->out_dir && !run_write(tool, run->outputs, count, options->out_dir)) {
        result = EXIT_PROBLEM;
    }
    if (!run_expect(tool, run->outputs, count, &options->expect, options->rtol, options->atol)) {
        result = EXIT_PROBLEM;
    }
    if (options->json) print_json(tool, run);
    return result;
}

static int run_program(RunOptions *options) {
    Tool tool;
    if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM;
    int result = EXIT_DONE;
    if (!run_checking(&tool, options, &result) && find_types(&tool, options, &result)) {
        Run run = {0};
        result = run_native(&tool, options, &run);
        shardc_executable_free(run.executable);
        free(run.seconds);
    }
    tool_end(&tool);
    return result;
}

int cmd_run(int argc, char **argv) {
    RunOptions run = {.rtol = 1e-5, .atol = 1e-6};
    shardc_options_init(&run.compile);
    const Option table[] = {
        {"--in", OPTION_LIST, &run.in, 0, 0},
        {"--expect", OPTION_LIST, &run.expect, 0, 0},
        {"--seed", OPTION_INT, &run.seed, 0, INT64_MAX},
        {"--out-dir", OPTION_TEXT, &run.out_dir, 0, 0},
        {"--rtol", OPTION_DOUBLE, &run.rtol, 0, INT64_MAX},
        {"--atol", OPTION_DOUBLE, &run.atol, 0, INT64_MAX},
        {"--entry", OPTION_TEXT, &run.compile.entry, 0, 0},
        {"--input-types", OPTION_TEXT, &run.compile.input_types, 0, 0},
        {"--mesh", OPTION_TEXT, &run.compile.mesh, 0, 0},
        {"--target-cpu", OPTION_TEXT, &run.compile.target_cpu, 0, 0},
        {"--interpret", OPTION_FLAG, &run.interpret, 0, 0},
        {"--threads", OPTION_INT, &run.threads, 1, 4096},
        {"--repeat", OPTION_INT, &run.repeat, 0, 1000000000},
        {"--min-time", OPTION_DOUBLE, &run.min_time, 0, 86400},
        {"--profile", OPTION_TEXT, &run.profile, 0, 0},
        {"--json", OPTION_FLAG, &run.json, 0, 0},
        {"--reference-kernels", OPTION_FLAG, &run.reference, 0, 0},
        {"--print-after", OPTION_TEXT, &run.compile.print_after, 0, 0},
    };
    int count = 0, result = EXIT_USAGE;
    if (args_parse(argc, argv, table, sizeof table / sizeof table[0], &count)) {
        if (count == 1) {
            run.program = argv[0];
            run.compile.threads = (int)run.threads;
            run.compile.profile = run.profile != NULL;
            run.compile.reference_kernels = run.reference;
            if (tool_wants_progress()) run.compile.progress = tool_progress;
            result = run_program(&run);
        } else {
            fputs("usage: shardc run PROGRAM|model.so [options]; see shardc run --help\n", stderr);
        }
    }
    free(run.in.items);
    free(run.expect.items);
    return result;
}

// run_native: `shardc run` of compiled programs and of libraries.

#include "base/json.h"
#include "frontend/foreign_format.h"
#include "ir/context.h"
#include "ir/print/array_names.h"
#include "tools/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_free(RunResult *result) {
    shardc_executable_free(result->executable);
    free(result->seconds);
    result->executable = NULL;
    result->seconds = NULL;
}

// May the program have dynamic dimensions? Few do, so that the text is searched before it is
// read; binary formats are not text.
static bool may_be_dynamic(const Source *source) {
    return !source->is_library &&
           (is_binary_data(source->text) || strview_contains(source->text, SV("?x")) ||
            strview_contains(source->text, SV("tensor<*")));
}

// Finds input_types of a program with dynamic dimensions from the inputs' files.
// False after saying what is wrong.
static bool find_types(Tool *tool, const RunOptions *run, const char **types, int *status) {
    *types = run->compile.input_types;
    bool has_files = run->in.count > 0 || run->in_dir;
    if (!has_files || *types || !may_be_dynamic(&run->source)) return true;
    Diags *diags = NULL;
    Module *module = tool_read(tool, &run->source, &diags, status);
    if (!module) return false;
    const Op *entry = module_entry(module, strview(run->compile.entry));
    if (!entry) return true; // the compiler says so
    int count = func_body(entry)->arg_count;
    RunArray *inputs = ARENA_ARRAY(tool->arena, RunArray, count + 1);
    const char **names = argument_names(tool->arena, entry);
    for (int i = 0; i < count; i++)
        inputs[i].name = names[i];
    *status = EXIT_PROBLEM;
    return run_argument_types(tool, module, entry, run, inputs, types);
}

// ---- arrays

static const Type *array_type(Tool *tool, const shardc_model_array *array) {
    ElementType element;
    if (strcmp(array->type, "token") == 0) return type_token(tool->context);
    if (array->rank < 0 || array->rank > MAX_RANK ||
        !element_from_text(strview(array->type), &element)) {
        return NULL;
    }
    return type_tensor(tool->context, element, array->rank, array->dims);
}

static bool make_arrays(Tool *tool, const shardc_model *model, RunResult *run) {
    int args = model->arg_count, results = model->result_count;
    run->input_count = args;
    run->output_count = results;
    run->inputs = ARENA_ARRAY(tool->arena, RunArray, args + 1);
    run->outputs = ARENA_ARRAY(tool->arena, RunArray, results + 1);
    for (int i = 0; i < args + results; i++) {
        const shardc_model_array *array = i < args ? &model->args[i] : &model->results[i - args];
        RunArray *to = i < args ? &run->inputs[i] : &run->outputs[i - args];
        to->type = array_type(tool, array);
        to->name = array->name;
        if (to->type) continue;
        fprintf(stderr, "shardc: error: array %d of the model has an unknown type\n", i);
        return false;
    }
    for (int i = 0; i < results; i++)
        run->outputs[i].data = tool_alloc_array(tool, run->outputs[i].type);
    return true;
}

// The inputs of another run serve when they are what this program takes.
static bool take_inputs(const RunArray *inputs, int input_count, RunResult *run) {
    bool fits = input_count == run->input_count;
    for (int i = 0; i < input_count && fits; i++) {
        const Type *wanted = run->inputs[i].type, *given = inputs[i].type;
        fits = wanted->kind == given->kind &&
               (wanted->kind != TYPE_TENSOR ||
                (wanted->element == given->element && type_same_shape(wanted, given)));
        run->inputs[i].data = inputs[i].data;
    }
    if (!fits) fputs("shardc: error: the programs to compare take other inputs\n", stderr);
    return fits;
}

// ---- execution

typedef struct Pointers {
    const void **inputs;
    void **outputs;
} Pointers;

static Pointers pointers_of(Tool *tool, const RunResult *run) {
    Pointers pointers = {
        ARENA_ARRAY(tool->arena, const void *, run->input_count + 1),
        ARENA_ARRAY(tool->arena, void *, run->output_count + 1)};
    for (int i = 0; i < run->input_count; i++)
        pointers.inputs[i] = run->inputs[i].data;
    for (int i = 0; i < run->output_count; i++)
        pointers.outputs[i] = run->outputs[i].data;
    return pointers;
}

// Executes once for the results, then as often as --repeat and --min-time ask for, timed. The
// profile is that of the timed executions.
static shardc_status *execute_all(const RunOptions *options, Pointers arrays, RunResult *run) {
    double begin = run_now(), cpu_begin = run_cpu_time();
    shardc_status *status = shardc_execute(run->executable, arrays.inputs, arrays.outputs);
    double first = run_now() - begin;
    run->cpu_seconds = run_cpu_time() - cpu_begin;
    int capacity = 0;
    double end = run_now() + options->min_time;
    while (!status && (run->runs < options->repeat || (options->min_time > 0 && run_now() < end))) {
        if (run->runs == 0) shardc_profile_reset(run->executable);
        if (run->runs == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            double *grown = realloc(run->seconds, (size_t)capacity * sizeof *grown);
            if (!grown) break;
            run->seconds = grown;
        }
        cpu_begin = run_cpu_time();
        begin = run_now();
        status = shardc_execute(run->executable, arrays.inputs, arrays.outputs);
        run->seconds[run->runs++] = run_now() - begin;
        double cpu = run_cpu_time() - cpu_begin;
        if (cpu < run->cpu_seconds) run->cpu_seconds = cpu;
    }
    if (!status && run->runs == 0) {
        run->seconds = malloc(sizeof *run->seconds);
        if (run->seconds) run->seconds[run->runs++] = first;
    }
    return status;
}

int run_native(
    Tool *tool, const RunOptions *options, const RunArray *inputs, int input_count,
    RunResult *run) {
    shardc_options compile = options->compile;
    int problem = EXIT_PROBLEM;
    if (!tool->context) tool->context = context_create(tool->arena);
    if (!inputs && !find_types(tool, options, &compile.input_types, &problem)) return problem;
    double begin = run_now();
    shardc_status *status = tool_executable(&options->source, &compile, &run->executable);
    if (status) return tool_finish_status(status);
    run->compile_seconds = run_now() - begin;
    const shardc_model *model = shardc_executable_model(run->executable);
    run->device_count = model->device_count;
    if (!make_arrays(tool, model, run)) return EXIT_PROBLEM;
    bool ready = inputs ? take_inputs(inputs, input_count, run)
                        : run_inputs(tool, options, run->inputs, run->input_count);
    if (!ready) return EXIT_PROBLEM;
    return tool_finish_status(execute_all(options, pointers_of(tool, run), run));
}

// ---- times and profiles

static void json_times(Json *json, RunResult *run) {
    json_key(json, "runs");
    json_int(json, run->runs);
    run_sort_times(run);
    if (run->runs == 0) return;
    json_key(json, "min_s");
    json_double(json, run->seconds[0]);
    json_key(json, "median_s");
    json_double(json, run->seconds[run->runs / 2]);
}

void run_print_json(Tool *tool, RunResult *run) {
    StrBuf out = strbuf(tool->arena);
    Json json = json_writer(&out);
    json_begin_object(&json);
    json_key(&json, "devices");
    json_int(&json, run->device_count);
    if (!run->executable) {
        json_key(&json, "interpreted");
        json_bool(&json, true);
        json_times(&json, run);
    } else {
        shardc_model_counters counters = {.struct_size = sizeof counters};
        shardc_executable_counters(run->executable, &counters);
        json_key(&json, "threads");
        json_int(&json, counters.threads);
        json_key(&json, "threads_per_device");
        json_int(&json, counters.lanes_per_device);
        json_key(&json, "compile_s");
        json_double(&json, run->compile_seconds);
        json_times(&json, run);
        json_key(&json, "cpu_s");
        json_double(&json, run->cpu_seconds);
        json_key(&json, "peak_device_bytes");
        json_int(&json, shardc_executable_device_bytes(run->executable));
        json_key(&json, "collective_bytes");
        json_int(&json, counters.collective_bytes);
        json_key(&json, "moved_bytes");
        json_int(&json, counters.moved_bytes);
    }
    json_end_object(&json);
    printf("%s\n", strbuf_cstring(&out));
}

int run_write_profile(Tool *tool, const RunResult *run, FileSet *files, const char *path) {
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
            StrView contents = arena_strview(tool->arena, strview(text));
            good = file_set_add(files, file, FILE_DATA, 1, &contents, &error);
            if (!good) fprintf(stderr, "shardc: error: %s\n", error);
        }
        shardc_profile_free(text);
    }
    if (status) return tool_finish_status(status);
    return good ? EXIT_DONE : EXIT_PROBLEM;
}

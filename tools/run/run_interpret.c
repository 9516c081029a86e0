// run_interpret: `shardc run` through the reference evaluator, and programs that check themselves.
#include "frontend/frontend.h"
#include "ir/pass/passes.h"
#include "ir/print/array_names.h"
#include "ir/refine/refine.h"
#include "tools/run/run.h"
#include "tools/run/run_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What checking functions found; prints nothing for a function without checks.
static int report_checks(const EvalChecks *checks) {
    if (checks->passed + checks->failed == 0) return EXIT_DONE;
    printf("checks passed: %lld\n", (long long)checks->passed);
    if (checks->failed == 0) return EXIT_DONE;
    fprintf(stderr, "shardc: error: %.*s\n", SV_ARG(checks->first_failure));
    return EXIT_PROBLEM;
}

// A program with dynamic dimensions, with the sizes that its inputs have. What this cannot do
// (shapes that depend on data) the evaluator may, so that the program stays as it is then.
static void refine_for(Tool *tool, const char *types, Module **module, Op **func) {
    if (!module_is_dynamic(*module)) return;
    Module *refined = module_clone(*module, tool->arena);
    Diags *diags = diags_create(tool->arena);
    PassContext pass = {.module = refined, .scratch = arena_child(tool->arena), .diags = diags};
    Op *entry = module_find_func(refined, func_name(*func));
    const KnownArgument *arguments_known = NULL;
    int count = 0;
    if (types) {
        const char *text = arena_printf(tool->arena, "[%s]", types);
        const Attr *list = frontend_read_attr(refined, tool->arena, strview(text), diags);
        if (!list || !known_arguments(tool->arena, entry, list, &arguments_known, diags)) return;
        count = list->count;
    }
    if (refine_shapes(refined, entry, count, arguments_known, &pass) == PASS_FAILED ||
        pass_run(&import_calls_pass, &pass) == PASS_FAILED)
        return;
    *module = refined;
    *func = entry;
}

// The inputs of another run serve when they are what this program takes. That of the other may be
// the stored integers of a quantised type; that of this program may have dynamic dimensions.
static bool take_inputs(const RunArray *inputs, int input_count, int count, RunArray *mine) {
    bool fits = input_count == count;
    for (int i = 0; i < count && fits; i++) {
        const Type *wanted = mine[i].type, *given = inputs[i].type;
        fits = wanted->kind == given->kind;
        if (fits && wanted->kind == TYPE_TENSOR)
            fits = wanted->element == given->element &&
                   (!type_is_static(wanted) || type_same_shape(wanted, given));
        mine[i].data = inputs[i].data;
        if (!type_is_static(wanted)) mine[i].type = given;
    }
    if (!fits) fputs("shardc: error: the programs to compare take other inputs\n", stderr);
    return fits;
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

static void split_value(const Tensor *value, RunArray **next) {
    if (value->type->kind != TYPE_TUPLE) {
        (*next)->type = value->type;
        (*next)++->data = value->data;
        return;
    }
    for (int i = 0; i < value->type->part_count; i++)
        split_value(value->parts[i], next);
}

// One evaluation.
typedef struct Evaluation {
    Module *module;
    Op *func;
    const Tensor **operands;
    const char *types; // see run_argument_types
} Evaluation;

// The arrays of the arguments, read, drawn or those of another run, and the arguments.
static bool find_inputs(
    Tool *tool, const RunOptions *options, const RunArray *inputs, int input_count,
    Evaluation *evaluation, RunResult *result) {
    const Op *func = evaluation->func;
    int count = func_body(func)->arg_count;
    RunArray *args = ARENA_ARRAY(tool->arena, RunArray, count + 1);
    const char **names = argument_names(tool->arena, func);
    for (int i = 0; i < count; i++) {
        args[i].name = names[i];
        args[i].type = func_body(func)->args[i]->type;
    }
    evaluation->types = options->compile.input_types;
    if (!inputs &&
        !run_argument_types(tool, evaluation->module, func, options, args, &evaluation->types))
        return false;
    result->inputs = run_leaves(tool, args, count, &result->input_count);
    bool good = inputs ? take_inputs(inputs, input_count, result->input_count, result->inputs)
                       : run_inputs(tool, options, result->inputs, result->input_count);
    if (!good) return false;
    const RunArray *next = result->inputs;
    evaluation->operands = ARENA_ARRAY(tool->arena, const Tensor *, count + 1);
    for (int i = 0; i < count; i++)
        evaluation->operands[i] = join_leaves(tool, args[i].type, &next);
    return true;
}

static void take_outputs(
    Tool *tool, const Op *func, int count, Tensor *const *results, RunResult *result) {
    RunArray *values = ARENA_ARRAY(tool->arena, RunArray, count + 1);
    const char **names = result_names(tool->arena, func);
    for (int i = 0; i < count; i++)
        values[i] = (RunArray){.type = results[i]->type, .name = names[i]};
    result->outputs = run_leaves(tool, values, count, &result->output_count);
    RunArray *next = result->outputs;
    for (int i = 0; i < count; i++)
        split_value(results[i], &next);
}

static int interpret(
    Tool *tool, const RunOptions *run, Module *module, Diags *diags, const RunArray *inputs,
    int input_count, RunResult *result) {
    Evaluation evaluation = {.module = module};
    evaluation.func = module_entry(module, strview(run->compile.entry));
    if (!evaluation.func) {
        fprintf(
            stderr, "shardc: error: %s: there is no function '%s' to run\n", run->source.path,
            run->compile.entry ? run->compile.entry : "main");
        return EXIT_PROBLEM;
    }
    if (!check_entry_types(evaluation.func, diags)) return tool_print_diags(diags);
    if (!find_inputs(tool, run, inputs, input_count, &evaluation, result)) return EXIT_PROBLEM;
    int count = region_terminator(func_body(evaluation.func))->operand_count;
    Tensor **results = ARENA_ARRAY(tool->arena, Tensor *, count + 1);
    EvalChecks checks = {0};
    EvalOptions options = {.print = tool_print_value, .print_user = tool};
    double begin = run_now();
    refine_for(tool, evaluation.types, &evaluation.module, &evaluation.func);
    bool good = tool_make_evaluable(tool, evaluation.module, diags);
    good = good && eval_function(
                       tool->arena, evaluation.module, evaluation.func, evaluation.operands,
                       results, &options, &checks, diags);
    double seconds = run_now() - begin;
    int status = tool_print_diags(diags);
    if (!good) return status ? status : EXIT_PROBLEM;
    result->interpreted = true;
    result->device_count = (int)module_device_count(module);
    result->seconds = malloc(sizeof *result->seconds);
    if (result->seconds) result->seconds[result->runs++] = seconds;
    take_outputs(tool, evaluation.func, count, results, result);
    return report_checks(&checks);
}

int run_interpret(
    Tool *tool, const RunOptions *options, const RunArray *inputs, int input_count,
    RunResult *result) {
    Diags *diags = NULL;
    int status = EXIT_DONE;
    Module *module = tool_read(tool, &options->source, &diags, &status);
    if (!module) return status;
    return interpret(tool, options, module, diags, inputs, input_count, result);
}

// ---- programs that check themselves

// As `shardc test`: compiled; what cannot be compiled is evaluated, with a note.
static int run_checking_function(
    Tool *tool, const RunOptions *run, Module *module, const Op *func, Diags *diags,
    RunResult *result) {
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
    return interpret(tool, run, module, diags, NULL, 0, result);
}

bool run_checking(Tool *tool, const RunOptions *run, RunResult *result, int *status) {
    // few programs check themselves, so that the text is searched before it is read
    StrView text = run->source.text;
    if (run->source.is_library || !(strview_contains(text, SV("check.expect_")) ||
                                    strview_contains(text, SV("interpreter.run_parallel"))))
        return false;
    Diags *diags = NULL;
    Module *module = tool_read(tool, &run->source, &diags, status);
    if (!module) return true;
    if (!has_checks(module)) return false;
    const Op *func = module_entry(module, strview(run->compile.entry));
    bool compiles = func && func_body(func)->arg_count == 0;
    *status = compiles ? run_checking_function(tool, run, module, func, diags, result)
                       : interpret(tool, run, module, diags, NULL, 0, result);
    return true;
}

// cmd_explain: shardc explain: where shardings came from, why collectives are there,
// which annotation would avoid them.
#include "base/file.h"
#include "tools/explain/explain.h"
#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

typedef struct ExplainArguments {
    const char *program, *html, *apply;
    bool json;
    int64_t collective, top, advise; // advise -1: not given
    ExplainView view;
    shardc_options options;
} ExplainArguments;

static bool parse(int argc, char **argv, ExplainArguments *arguments) {
    const Option table[] = {
        {"--mesh", OPTION_TEXT, &arguments->options.mesh, 0, 0},
        {"--entry", OPTION_TEXT, &arguments->options.entry, 0, 0},
        {"--input-types", OPTION_TEXT, &arguments->options.input_types, 0, 0},
        {"--json", OPTION_FLAG, &arguments->json, 0, 0},
        {"--html", OPTION_TEXT, &arguments->html, 0, 0},
        {"--value", OPTION_TEXT, &arguments->view.value, 0, 0},
        {"--values", OPTION_FLAG, &arguments->view.values, 0, 0},
        {"--collective", OPTION_INT, &arguments->collective, 1, 1000000},
        {"--top", OPTION_INT, &arguments->top, 0, 1000000},
        {"--advise", OPTION_INT, &arguments->advise, 0, 1000000},
        {"--apply", OPTION_TEXT, &arguments->apply, 0, 0},
    };
    int count = 0;
    if (!args_parse(argc, argv, table, sizeof table / sizeof table[0], &count)) return false;
    const char *wrong = NULL;
    if (arguments->view.value && arguments->collective) wrong = "--value and --collective";
    if (arguments->view.value && arguments->apply) wrong = "--value and --apply";
    if (arguments->json && arguments->html) wrong = "--json and --html";
    if (arguments->view.value && arguments->view.values) wrong = "--value and --values";
    bool program_alone = arguments->apply && strcmp(arguments->apply, "-") == 0;
    if (program_alone && arguments->json) wrong = "--json and --apply=-";
    if (program_alone && arguments->html && strcmp(arguments->html, "-") == 0)
        wrong = "--html=- and --apply=-";
    if (wrong) {
        fprintf(stderr, "shardc: %s do not go together\n", wrong);
        return false;
    }
    if (count != 1) {
        fputs(
            "usage: shardc explain PROGRAM [--value=%NAME | --collective=N [--apply=OUT.mlir]] "
            "[--json | "
            "--html=FILE]\n"
            "       [--values] [--top=N] [--advise=N] [--mesh=...] [--entry=NAME]\n",
            stderr);
        return false;
    }
    arguments->program = argv[0];
    return true;
}

// Which collectives get advice: the one that is asked for, or the first ones.
static shardc_explain_options explain_options_of(const ExplainArguments *arguments) {
    shardc_explain_options options;
    shardc_explain_options_init(&options);
    options.programs = arguments->apply != NULL;
    if (arguments->collective || arguments->apply) {
        options.advise_first = arguments->collective ? (int)arguments->collective - 1 : 0;
        options.advise_count = 1;
    } else if (arguments->view.value) {
        options.advise_count = 0;
    }
    if (arguments->advise >= 0) options.advise_count = (int)arguments->advise;
    return options;
}

static shardc_status *make(const ExplainArguments *arguments, shardc_explanation **explanation) {
    shardc_context *context = NULL;
    shardc_module *module = NULL;
    shardc_explain_options options = explain_options_of(arguments);
    shardc_status *status = shardc_context_create(NULL, &context);
    if (!status) status = shardc_module_parse_file(context, arguments->program, &module);
    tool_print_warnings(module);
    if (!status) status = shardc_explain(module, &arguments->options, &options, explanation);
    if (arguments->options.progress) tool_end_progress();
    if (!status) tool_print_warnings(module);
    shardc_module_free(module);
    shardc_context_free(context);
    return status;
}

static bool has_value(const shardc_explanation *explanation, const ExplainView *view) {
    for (int i = 0; i < explanation->value_count; i++) {
        if (explain_is_shown(&explanation->values[i], view)) return true;
    }
    return false;
}

// Is there what was asked for?
static bool check(ExplainArguments *arguments, const shardc_explanation *explanation) {
    ExplainView *view = &arguments->view;
    if (arguments->collective > explanation->collective_count) {
        fprintf(
            stderr, "shardc: error: there is no collective %lld: the program has %d\n",
            (long long)arguments->collective, explanation->collective_count);
        return false;
    }
    if (!view->value || has_value(explanation, view)) return true;
    view->in_functions = true;
    if (has_value(explanation, view)) return true;
    fprintf(
        stderr, "shardc: error: the program has no value '%s' (--values lists them)\n",
        view->value);
    return false;
}

static bool write_file(Arena *arena, const char *path, StrView text) {
    const char *error = NULL;
    if (file_write(arena, path, text, &error)) return true;
    fprintf(stderr, "shardc: error: %s\n", error);
    return false;
}

// The program with the best piece of advice for the collective that was asked for, or the first.
static bool apply(
    Arena *arena, const ExplainArguments *arguments, const shardc_explanation *explanation) {
    int index = arguments->collective ? (int)arguments->collective - 1 : 0;
    if (index >= explanation->collective_count) {
        fputs("shardc: error: the program has no collective to avoid\n", stderr);
        return false;
    }
    const shardc_explain_collective *collective = &explanation->collectives[index];
    if (collective->advice_count == 0) {
        fprintf(
            stderr, "shardc: error: there is no advice for collective %d: %s\n", index + 1,
            *collective->no_advice ? collective->no_advice : "it was not looked for");
        return false;
    }
    return write_file(arena, arguments->apply, strview(collective->advice[0].program));
}

static bool show(Arena *arena, ExplainArguments *arguments, const shardc_explanation *explanation) {
    StrBuf out = strbuf(arena);
    if (!check(arguments, explanation)) return false;
    if (arguments->html) {
        explain_print_html(&out, explanation);
        if (!write_file(arena, arguments->html, strbuf_view(&out))) return false;
    } else if (arguments->json) {
        explain_print_json(&out, explanation, &arguments->view);
        fputs(strbuf_cstring(&out), stdout);
    } else if (!arguments->apply || strcmp(arguments->apply, "-") != 0) {
        explain_print_text(&out, explanation, &arguments->view);
        fputs(strbuf_cstring(&out), stdout);
    }
    return !arguments->apply || apply(arena, arguments, explanation);
}

int cmd_explain(int argc, char **argv) {
    ExplainArguments arguments = {.advise = -1, .top = 5};
    shardc_options_init(&arguments.options);
    if (!parse(argc, argv, &arguments)) return EXIT_USAGE;
    arguments.view.collective = (int)arguments.collective;
    arguments.view.top = (int)arguments.top;
    if (tool_wants_progress()) arguments.options.progress = tool_progress;
    shardc_explanation *explanation = NULL;
    shardc_status *status = make(&arguments, &explanation);
    if (status) return tool_finish_status(status);
    Tool tool;
    if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM;
    bool good = show(tool.arena, &arguments, explanation);
    shardc_explanation_free(explanation);
    tool_end(&tool);
    return good ? EXIT_DONE : EXIT_PROBLEM;
}

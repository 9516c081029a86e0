// cmd_inspect: shardc inspect: what a model takes and gives, where its arrays lie, what it costs.
#include "base/strbuf.h"
#include "tools/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_shape(StrBuf *out, const char *type, int rank, const int64_t *dims) {
    strbuf_puts(out, type);
    strbuf_putc(out, '[');
    for (int d = 0; d < rank; d++) {
        strbuf_printf(out, "%s%lld", d ? ", " : "", (long long)dims[d]);
    }
    strbuf_putc(out, ']');
}

static int64_t tile_bytes(const shardc_model_array *array) {
    int64_t bytes = array->element_bytes;
    for (int d = 0; d < array->rank; d++) {
        bytes *= array->tile_dims[d];
    }
    return bytes;
}

static void print_arrays(
    Arena *arena, StrBuf *out, const shardc_model *model, const char *title,
    const shardc_model_array *arrays, int count) {
    strbuf_printf(out, "%s\n", title);
    for (int i = 0; i < count; i++) {
        const shardc_model_array *array = &arrays[i];
        strbuf_printf(out, "  %d %s: ", i, array->name);
        print_shape(out, array->type, array->rank, array->dims);
        strbuf_puts(out, ", ");
        tool_bytes(out, array->bytes);
        if (array->alias >= 0) strbuf_printf(out, ", may share memory with %d", array->alias);
        strbuf_putc(out, '\n');
        if (model->device_count == 1) continue;
        if (!inspect_is_sharded(array)) {
            strbuf_puts(out, "      on every device\n");
            continue;
        }
        strbuf_printf(out, "      %s, each device holds ", array->sharding);
        print_shape(out, array->type, array->rank, array->tile_dims);
        strbuf_puts(out, ", ");
        tool_bytes(out, tile_bytes(array));
        strbuf_putc(out, '\n');
        inspect_draw_tiles(arena, out, model, array);
    }
}

static void print_memory(StrBuf *out, const shardc_model *model) {
    int64_t whole = 0, inputs = 0, outputs = 0;
    for (int i = 0; i < model->arg_count; i++) {
        whole += model->args[i].bytes;
        inputs += tile_bytes(&model->args[i]);
    }
    for (int i = 0; i < model->result_count; i++) {
        whole += model->results[i].bytes;
        outputs += tile_bytes(&model->results[i]);
    }
    strbuf_puts(out, "memory\n  inputs and outputs, whole: ");
    tool_bytes(out, whole);
    strbuf_puts(out, "\n  on each device: inputs ");
    tool_bytes(out, inputs);
    strbuf_puts(out, ", outputs ");
    tool_bytes(out, outputs);
    strbuf_puts(out, ", temporaries ");
    tool_bytes(out, model->arena_bytes);
    if (model->struct_size >= sizeof *model && model->constant_args) {
        strbuf_puts(out, " (");
        tool_bytes(out, model->kept_bytes);
        strbuf_puts(out, " of them kept, of constant inputs)");
    }
    strbuf_puts(out, "\n  shared: constants ");
    tool_bytes(out, model->constants_bytes);
    strbuf_putc(out, '\n');
}

static void print_steps(StrBuf *out, const shardc_model *model) {
    int kernels = 0, collectives = 0;
    int64_t bytes = 0;
    for (int i = 0; i < model->step_count; i++) {
        if (model->steps[i].collective_bytes > 0) {
            collectives++;
            bytes += model->steps[i].collective_bytes;
        }
        kernels++;
    }
    strbuf_printf(out, "program\n  %d steps, %d of them communicate", kernels, collectives);
    if (collectives) {
        strbuf_puts(out, ": ");
        tool_bytes(out, bytes);
        strbuf_puts(out, " of collective results on each device (each counted once)");
    }
    strbuf_putc(out, '\n');
    for (int i = 0; i < model->step_count; i++) {
        const shardc_model_step *step = &model->steps[i];
        if (step->collective_bytes == 0) continue;
        strbuf_printf(out, "  %-18s ", step->kind);
        tool_bytes(out, step->collective_bytes);
        strbuf_printf(out, "  %s  %s\n", step->name, step->location);
    }
}

static void print_custom_array(StrBuf *out, const shardc_model_custom_array *array) {
    strbuf_puts(out, array->type);
    for (int d = 0; d < array->rank; d++) {
        strbuf_printf(out, "%s%lld", d ? ", " : "[", (long long)array->dims[d]);
    }
    if (array->rank > 0) strbuf_putc(out, ']');
}

// scale(f32[4, 6]) -> (f32[4, 6])  model.mlir:4:10
static void print_custom_calls(StrBuf *out, const shardc_model *model) {
    if (model->custom_count > 0) strbuf_puts(out, "custom calls\n");
    for (int i = 0; i < model->custom_count; i++) {
        const shardc_model_custom_call *call = &model->custom_calls[i];
        strbuf_printf(out, "  %d %s(", i, call->name);
        for (int j = 0; j < call->operand_count; j++) {
            if (j) strbuf_puts(out, ", ");
            print_custom_array(out, &call->arrays[j]);
        }
        strbuf_puts(out, ") -> (");
        for (int j = 0; j < call->result_count; j++) {
            if (j) strbuf_puts(out, ", ");
            print_custom_array(out, &call->arrays[call->operand_count + j]);
        }
        strbuf_printf(out, ")  %s\n", call->location);
    }
}

static void print_model(Arena *arena, StrBuf *out, const shardc_model *model) {
    strbuf_printf(
        out, "model %s, made by %s\n%d device%s%s%s\n", model->name, model->producer,
        model->device_count, model->device_count == 1 ? "" : "s", *model->mesh ? ", mesh " : "",
        model->mesh);
    print_arrays(arena, out, model, "inputs", model->args, model->arg_count);
    print_arrays(arena, out, model, "outputs", model->results, model->result_count);
    print_memory(out, model);
    print_custom_calls(out, model);
    print_steps(out, model);
}

int cmd_inspect(int argc, char **argv) {
    shardc_options options;
    shardc_options_init(&options);
    const char *sharding = NULL, *shape = NULL;
    bool json = false;
    const Option table[] = {
        {"--sharding", OPTION_TEXT, &sharding, 1, 0},
        {"--shape", OPTION_TEXT, &shape, 0, 0},
        {"--json", OPTION_FLAG, &json, 0, 0},
        {"--mesh", OPTION_TEXT, &options.mesh, 0, 0},
        {"--entry", OPTION_TEXT, &options.entry, 0, 0},
        {"--input-types", OPTION_TEXT, &options.input_types, 0, 0},
    };
    int count = 0;
    if (!args_parse(argc, argv, table, sizeof table / sizeof table[0], &count)) return EXIT_USAGE;
    bool has_other = options.entry || options.input_types || count > 0;
    if (sharding && !has_other) return inspect_sharding(sharding, shape, options.mesh, json);
    if (count != 1 || sharding || shape || json) {
        fputs(
            "usage: shardc inspect PROGRAM|model.so [--mesh=...] [--entry=NAME] "
            "[--input-types=...]\n       shardc inspect --sharding=TEXT [--shape=16x8] "
            "[--mesh=x=2,y=4] [--json]\n",
            stderr);
        return EXIT_USAGE;
    }
    if (tool_wants_progress()) options.progress = tool_progress;
    Tool tool;
    if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM;
    Source source;
    shardc_executable *executable = NULL;
    int result = EXIT_PROBLEM;
    bool is_open = tool_open(&tool, argv[0], &source);
    const char *option = options.mesh ? "--mesh" : options.entry ? "--entry" : NULL;
    if (options.input_types) option = "--input-types";
    if (is_open && source.is_library && option) {
        fprintf(stderr, "shardc: %s is for programs: the library is compiled\n", option);
        result = EXIT_USAGE;
    } else if (is_open)
        result = tool_finish_status(tool_executable(&source, &options, &executable));
    if (executable) {
        StrBuf out = strbuf(tool.arena);
        print_model(tool.arena, &out, shardc_executable_model(executable));
        fputs(strbuf_cstring(&out), stdout);
    }
    shardc_executable_free(executable);
    tool_end(&tool);
    return result;
}

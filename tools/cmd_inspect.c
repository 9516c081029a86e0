// cmd_inspect: shardc inspect: what a model takes and gives, where its arrays lie, what it costs.
#include "base/strbuf.h"
#include "tools/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DRAWN_TILES = 256 };

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

// Number of tiles along dimension d.
static int64_t tiles_along(const shardc_model_array *array, int d) {
    int64_t tile = array->tile_dims[d] > 0 ? array->tile_dims[d] : 1;
    int64_t count = (array->dims[d] + tile - 1) / tile;
    return count > 0 ? count : 1;
}

static bool is_sharded(const shardc_model_array *array) {
    for (int d = 0; d < array->rank; d++) {
        if (tiles_along(array, d) > 1) return true;
    }
    return false;
}

// The devices that hold the tile at these tile coordinates.
static void print_devices(
    StrBuf *out, const shardc_model *model, const shardc_model_array *array,
    const int64_t *coordinate) {
    for (int device = 0; device < model->device_count; device++) {
        bool here = true;
        for (int d = 0; here && d < array->rank; d++) {
            int64_t offset = array->offsets[(int64_t)device * array->rank + d];
            here = offset == coordinate[d] * array->tile_dims[d];
        }
        if (here) strbuf_printf(out, " %d", device);
    }
}

// A range of rows or columns: "0:8".
static const char *range_text(Arena *arena, const shardc_model_array *array, int d, int64_t tile) {
    int64_t begin = tile * array->tile_dims[d];
    int64_t end = begin + array->tile_dims[d];
    if (end > array->dims[d]) end = array->dims[d];
    return arena_printf(arena, "%lld:%lld", (long long)begin, (long long)end);
}

void inspect_draw_tiles(
    Arena *arena, StrBuf *out, const shardc_model *model, const shardc_model_array *array) {
    int sharded[SHARDC_MAX_RANK] = {0};
    int count = 0;
    int64_t tiles = 1;
    for (int d = 0; d < array->rank && d < SHARDC_MAX_RANK; d++) {
        if (tiles_along(array, d) > 1) sharded[count++] = d;
        tiles *= tiles_along(array, d);
    }
    if (tiles > MAX_DRAWN_TILES) {
        strbuf_printf(out, "      (%lld tiles: too many to draw)\n", (long long)tiles);
        return;
    }
    int row_dim = sharded[0], column_dim = count > 1 ? sharded[1] : -1;
    int64_t rows = tiles_along(array, row_dim);
    int64_t columns = column_dim >= 0 ? tiles_along(array, column_dim) : 1;
    for (int64_t grid = 0; grid < tiles / (rows * columns); grid++) {
        int64_t coordinate[SHARDC_MAX_RANK] = {0};
        int64_t number = grid;
        for (int i = count - 1; i >= 2; i--) {
            coordinate[sharded[i]] = number % tiles_along(array, sharded[i]);
            number /= tiles_along(array, sharded[i]);
            strbuf_printf(
                out, "      dimension %d at %s\n", sharded[i],
                range_text(arena, array, sharded[i], coordinate[sharded[i]]));
        }
        if (column_dim >= 0) {
            strbuf_printf(out, "      %12s", "");
            for (int64_t c = 0; c < columns; c++) {
                strbuf_printf(out, " %-14s", range_text(arena, array, column_dim, c));
            }
            strbuf_putc(out, '\n');
        }
        for (int64_t r = 0; r < rows; r++) {
            strbuf_printf(out, "      %12s", range_text(arena, array, row_dim, r));
            coordinate[row_dim] = r;
            for (int64_t c = 0; c < columns; c++) {
                if (column_dim >= 0) coordinate[column_dim] = c;
                StrBuf cell = strbuf(arena);
                print_devices(&cell, model, array, coordinate);
                strbuf_printf(out, " |%-13s", strbuf_cstring(&cell));
            }
            strbuf_puts(out, "|\n");
        }
    }
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
        if (!is_sharded(array)) {
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

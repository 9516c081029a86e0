// run_report: what `shardc run` says about its inputs, its outputs and its times.
#include "tools/npy/npy.h"
#include "tools/run/run.h"

#include <math.h>
#include <stdio.h>

enum { MOST_ARRAYS = 16, FIRST_NUMBERS = 4 };

static void print_type(const Type *type) {
    if (type->kind != TYPE_TENSOR) {
        fputs("token", stdout);
        return;
    }
    printf("%.*s[", SV_ARG(element_text(type->element)));
    for (int d = 0; d < type->rank; d++)
        printf("%s%lld", d ? ", " : "", (long long)type->dims[d]);
    putchar(']');
}

static void print_rest(int count) {
    if (count > MOST_ARRAYS)
        printf("  and %d more (shardc inspect lists all)\n", count - MOST_ARRAYS);
}

// ---- inputs

// How drawn numbers of a type are distributed: as draw() in run_inputs.c does it.
static const char *drawn_range(const Type *type) {
    ElementType real = element_real_part(type->element);
    if (element_is_float(real)) return "normal, deviation 0.1";
    bool is_small = element_class(real) == CLASS_BOOL || element_bits(real) <= 2;
    return is_small ? "0 or 1" : "whole numbers, 0 to 7";
}

void run_print_inputs(const RunOptions *options, const RunResult *result) {
    if (result->input_count == 0) return;
    bool drawn = false;
    for (int i = 0; i < result->input_count; i++)
        drawn = drawn || (!result->inputs[i].origin && result->inputs[i].type->kind == TYPE_TENSOR);
    if (drawn)
        printf("inputs, drawn from seed %lld:\n", (long long)options->seed);
    else
        puts("inputs:");
    for (int i = 0; i < result->input_count && i < MOST_ARRAYS; i++) {
        const RunArray *input = &result->inputs[i];
        printf("  %s: ", input->name);
        print_type(input->type);
        if (input->type->kind != TYPE_TENSOR) {
            putchar('\n');
            continue;
        }
        printf(", %s\n", input->origin ? input->origin : drawn_range(input->type));
    }
    print_rest(result->input_count);
}

// ---- outputs

typedef struct Summary {
    int64_t count, nan, infinite;
    double smallest, largest, sum;
} Summary;

static Summary summarize(const Type *type, const void *data) {
    Summary summary = {
        .count = type_element_count(type),
        .smallest = (double)INFINITY,
        .largest = -(double)INFINITY};
    for (int64_t i = 0; i < summary.count; i++) {
        double number = run_load_real(type->element, data, i);
        if (isnan(number)) {
            summary.nan++;
            continue;
        }
        if (isinf(number)) summary.infinite++;
        if (number < summary.smallest) summary.smallest = number;
        if (number > summary.largest) summary.largest = number;
        summary.sum += number;
    }
    return summary;
}

static void print_first_numbers(const Type *type, const void *data, int64_t count) {
    ElementType real = element_real_part(type->element);
    bool is_complex = real != type->element;
    for (int64_t i = 0; i < count && i < FIRST_NUMBERS; i++) {
        if (i > 0) fputs(", ", stdout);
        if (is_complex) {
            printf(
                "(%.6g, %.6g)", run_load_real(real, data, 2 * i),
                run_load_real(real, data, 2 * i + 1));
        } else {
            printf("%.6g", run_load_real(real, data, i));
        }
    }
    if (count > FIRST_NUMBERS) fputs(", ...", stdout);
}

static void print_output(const RunArray *output) {
    const Type *type = output->type;
    printf("  %s: ", output->name);
    print_type(type);
    if (type->kind != TYPE_TENSOR) {
        putchar('\n');
        return;
    }
    int64_t count = type_element_count(type);
    fputs(count ? ": " : ": no elements", stdout);
    print_first_numbers(type, output->data, count);
    if (count > 1 && element_real_part(type->element) == type->element) {
        Summary summary = summarize(type, output->data);
        int64_t numbers = summary.count - summary.nan;
        if (numbers > 0)
            printf(
                "; min %.6g, max %.6g, mean %.6g", summary.smallest, summary.largest,
                summary.sum / (double)numbers);
        if (summary.nan) printf("; %lld NaN", (long long)summary.nan);
        if (summary.infinite) printf("; %lld infinite", (long long)summary.infinite);
    }
    putchar('\n');
}

void run_print_outputs(const RunResult *result) {
    if (result->output_count > 0) puts("outputs:");
    for (int i = 0; i < result->output_count && i < MOST_ARRAYS; i++)
        print_output(&result->outputs[i]);
    print_rest(result->output_count);
}

// ---- times

static void print_seconds(double seconds) {
    static const char *const units[] = {"s", "ms", "us"};
    int unit = 0;
    while (seconds < 1 && unit < 2) {
        seconds *= 1000;
        unit++;
    }
    printf("%.4g %s", seconds, units[unit]);
}

void run_print_times(RunResult *result) {
    run_sort_times(result);
    if (result->runs == 0) return;
    printf("time of %d execution%s: min ", result->runs, result->runs == 1 ? "" : "s");
    print_seconds(result->seconds[0]);
    fputs(", median ", stdout);
    print_seconds(result->seconds[result->runs / 2]);
    fputs(", max ", stdout);
    print_seconds(result->seconds[result->runs - 1]);
    if (!result->interpreted && result->compile_seconds > 0) {
        fputs("; made ready in ", stdout);
        print_seconds(result->compile_seconds);
    }
    putchar('\n');
}

// ---- files

bool run_write(Tool *tool, const RunResult *result, FileSet *files, const char *folder) {
    const char *error = NULL;
    bool good = file_set_add_folder(files, folder, &error);
    for (int i = 0, file = 0; i < result->output_count && good; i++) {
        const RunArray *output = &result->outputs[i];
        if (output->type->kind != TYPE_TENSOR) continue;
        const char *path = arena_printf(tool->arena, "%s/out%d.npy", folder, file++);
        good = npy_write(files, tool->arena, path, output->type, output->data, &error);
    }
    if (!good) fprintf(stderr, "shardc: error: %s\n", error);
    return good;
}

// run_compare: outputs of `shardc run` beside files, and beside those of
// another program or of the evaluator.
#include "base/file.h"
#include "tools/npy/npy.h"
#include "tools/run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool close_enough(double got, double expected, double rtol, double atol) {
    if (isnan(got) || isnan(expected)) return isnan(got) && isnan(expected);
    if (isinf(got) || isinf(expected)) return got == expected;
    return fabs(got - expected) <= atol + rtol * fabs(expected);
}

static void note_distance(Difference *difference, int64_t i, double x, double y) {
    double distance = x == y || (isnan(x) && isnan(y)) ? 0 : fabs(x - y);
    if (isnan(distance)) distance = (double)INFINITY;
    double relative = distance == 0 ? 0 : distance / fabs(y);
    if (distance > difference->largest) {
        difference->largest = distance;
        difference->worst = i;
    }
    if (relative > difference->relative) difference->relative = relative;
}

// Integers must be equal; floats within the tolerances.
static Difference compare(
    const Type *type, const void *got, const void *expected, double rtol, double atol) {
    Difference difference = {.same_bits = true};
    ElementType real = element_real_part(type->element);
    int64_t parts = real == type->element ? 1 : 2;
    int64_t count = type_element_count(type) * parts;
    size_t bytes = element_bytes(real);
    for (int64_t i = 0; i < count; i++) {
        const char *a = (const char *)got + (size_t)i * bytes;
        const char *b = (const char *)expected + (size_t)i * bytes;
        if (memcmp(a, b, bytes) == 0) continue;
        difference.same_bits = false;
        double x = run_load_real(real, got, i), y = run_load_real(real, expected, i);
        note_distance(&difference, i / parts, x, y);
        if (element_is_float(real) && close_enough(x, y, rtol, atol)) continue;
        if (difference.count++ == 0) {
            difference.first = i / parts;
            difference.got = x;
            difference.expected = y;
        }
    }
    return difference;
}

static const char *index_text(Arena *arena, const Type *type, int64_t number) {
    StrBuf text = strbuf(arena);
    int64_t below = type_element_count(type);
    for (int d = 0; d < type->rank; d++) {
        below /= type->dims[d];
        strbuf_printf(&text, "%s%lld", d ? ", " : "", (long long)(number / below));
        number %= below;
    }
    return strbuf_cstring(&text);
}

static void print_difference(
    Arena *arena, int output, const Type *type, const Difference *difference) {
    fprintf(
        stderr,
        "shardc: error: output %d: %lld of %lld elements differ; the first at [%s]: got %.9g, "
        "expected %.9g; largest difference %.3g\n",
        output, (long long)difference->count, (long long)type_element_count(type),
        index_text(arena, type, difference->first), difference->got, difference->expected,
        difference->largest);
}

bool run_expect(Tool *tool, const RunOptions *options, const RunResult *result) {
    const TextList *files = &options->expect;
    int arrays = 0;
    for (int i = 0; i < result->output_count; i++)
        arrays += result->outputs[i].type->kind == TYPE_TENSOR;
    if (files->count > arrays) {
        fprintf(
            stderr, "shardc: error: %d expected outputs were given, the program has %d\n",
            files->count, arrays);
        return false;
    }
    bool good = true;
    for (int i = 0, next = 0; next < files->count; i++) {
        const RunArray *output = &result->outputs[i];
        if (output->type->kind != TYPE_TENSOR) continue;
        void *expected = NULL;
        const char *error = NULL, *path = files->items[next++];
        StrView file;
        if (!file_read(tool->arena, path, &file, &error) ||
            !npy_read(tool->arena, file, path, output->type, &expected, &error)) {
            fprintf(stderr, "shardc: error: expected output %d: %s\n", i, error);
            good = false;
            continue;
        }
        Difference difference =
            compare(output->type, output->data, expected, options->rtol, options->atol);
        if (difference.count == 0) continue;
        print_difference(tool->arena, i, output->type, &difference);
        good = false;
    }
    return good;
}

// ---- another program

static bool same_type(const Type *a, const Type *b) {
    return a->kind == b->kind &&
           (a->kind != TYPE_TENSOR || (a->element == b->element && type_same_shape(a, b)));
}

static void print_comparison(
    Arena *arena, const RunArray *output, const Difference *difference, bool quiet) {
    if (quiet) return;
    printf("  %s: ", output->name);
    if (difference->same_bits) {
        printf("the same, bit for bit\n");
    } else if (difference->largest == 0) {
        printf("equal\n");
    } else {
        printf(
            "largest difference %.3g, at [%s]; largest relative difference %.3g\n",
            difference->largest, index_text(arena, output->type, difference->worst),
            difference->relative);
    }
}

static int compare_outputs(
    Tool *tool, const RunOptions *options, const RunResult *result, const RunResult *other) {
    if (other->output_count != result->output_count) {
        fprintf(
            stderr, "shardc: error: the programs to compare have %d and %d outputs\n",
            result->output_count, other->output_count);
        return EXIT_PROBLEM;
    }
    int status = EXIT_DONE;
    for (int i = 0; i < result->output_count; i++) {
        const RunArray *output = &result->outputs[i];
        if (!same_type(output->type, other->outputs[i].type)) {
            fprintf(stderr, "shardc: error: output %d of the programs has two types\n", i);
            status = EXIT_PROBLEM;
            continue;
        }
        if (output->type->kind != TYPE_TENSOR) continue;
        Difference difference = compare(
            output->type, output->data, other->outputs[i].data, options->rtol, options->atol);
        print_comparison(tool->arena, output, &difference, options->quiet || options->json);
        if (difference.count == 0) continue;
        fflush(stdout);
        print_difference(tool->arena, i, output->type, &difference);
        status = EXIT_PROBLEM;
    }
    return status;
}

int run_compare(Tool *tool, const RunOptions *options, const char *with, const RunResult *result) {
    RunOptions mine = *options;
    mine.repeat = 0;
    mine.min_time = 0;
    mine.compile.profile = 0;
    mine.compile.print_after = NULL;
    mine.compile.time_passes = 0;
    RunResult other = {0};
    int status = EXIT_PROBLEM;
    if (strcmp(with, "interpret") == 0) {
        status = options->source.is_library
                     ? EXIT_PROBLEM
                     : run_interpret(tool, &mine, result->inputs, result->input_count, &other);
        if (options->source.is_library)
            fputs(
                "shardc: error: a library cannot be evaluated: --compare needs its program\n",
                stderr);
    } else if (tool_open(tool, with, &mine.source)) {
        status = run_native(tool, &mine, result->inputs, result->input_count, &other);
    }
    if (!options->quiet && !options->json && status == EXIT_DONE)
        printf("compared with %s%s\n", with, result->output_count ? ":" : "");
    if (status == EXIT_DONE) status = compare_outputs(tool, options, result, &other);
    run_free(&other);
    return status;
}

// Contractions and convolutions of many shapes beside the machine's limit. The machine's peaks are measured between the runs of every shape.
//
//   kernels SHAPES [--threads=N] [--seconds=S] [--only=TEXT] [--cpu=NAME]
//
// A line of SHAPES is one of
//   TYPE BATCH M N K ORDER                                 ORDER: memory order of the operands, n = [m, k] or [k, n], t = turned
//   conv TYPE IMAGES SIZE IN OUT WINDOW STRIDE GROUPS [DILATION [RANK]]    square images and windows (or rows, cubes), as much padding as keeps the size
//   convgrad TYPE IMAGES SIZE IN OUT WINDOW STRIDE filter|image    the gradient of such a convolution
// Prints the time of the best run, operations per second, and the share of the limit: the larger of operations / peak and bytes / reading speed.
#include "shardc/shardc.h"

#include "peaks.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048, MOST_ARRAYS = 4 };

typedef struct Settings {
    int threads;
    double seconds;
    const char *only, *cpu;
} Settings;

typedef struct Program {
    char text[TEXT], label[128], type[8];
    double operations;
} Program;

static int bytes_of(const char *type) {
    return strcmp(type, "f64") == 0    ? 8
           : strcmp(type, "f32") == 0  ? 4
           : strcmp(type, "bf16") == 0 ? 2
           : strcmp(type, "f16") == 0  ? 2
                                       : 1;
}

static PeakKind peak_kind(const char *type) {
    return strcmp(type, "f64") == 0    ? PEAK_F64
           : strcmp(type, "bf16") == 0 ? PEAK_BF16
           : bytes_of(type) == 1       ? PEAK_BYTES_I8
                                       : PEAK_F32;
}

static const char *result_type(const char *type) { return bytes_of(type) == 1 ? "i32" : type; }

static bool product(const char *line, Program *p) {
    long batch, m, n, k;
    char order[3];
    if (sscanf(line, "%7s %ld %ld %ld %ld %2s", p->type, &batch, &m, &n, &k, order) != 6)
        return false;
    char lhs[64], rhs[64], result[64], entry[32] = "";
    if (batch > 1) snprintf(entry, sizeof entry, "%ldx", batch);
    int first = batch > 1;
    bool lhs_turned = order[0] == 't', rhs_turned = order[1] == 't';
    snprintf(
        lhs, sizeof lhs, "%s%ldx%ldx%s", entry, lhs_turned ? k : m, lhs_turned ? m : k, p->type);
    snprintf(
        rhs, sizeof rhs, "%s%ldx%ldx%s", entry, rhs_turned ? n : k, rhs_turned ? k : n, p->type);
    snprintf(result, sizeof result, "%s%ldx%ldx%s", entry, m, n, result_type(p->type));
    snprintf(
        p->text, TEXT,
        "func.func @main(%%a: tensor<%s>, %%b: tensor<%s>) -> tensor<%s> {\n"
        "%%0 = stablehlo.dot_general %%a, %%b, %scontracting_dims = [%d] x [%d] : (tensor<%s>, "
        "tensor<%s>) -> tensor<%s>\nreturn %%0 : tensor<%s>\n}\n",
        lhs, rhs, result, first ? "batching_dims = [0] x [0], " : "", first + !lhs_turned,
        first + rhs_turned, lhs, rhs, result, result);
    snprintf(p->label, sizeof p->label, "%s %s%ldx%ldx%ld %s", p->type, entry, m, n, k, order);
    p->operations = 2.0 * (double)batch * (double)m * (double)n * (double)k;
    return true;
}

// `count` times the text, with `between` between them.
static const char *repeat(
    char *to, size_t size, long count, const char *text, const char *between) {
    size_t used = 0;
    to[0] = '\0';
    for (long i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%s", i ? between : "", text);
    return to;
}

static const char *repeat_number(char *to, size_t size, long count, long number) {
    char text[32];
    snprintf(text, sizeof text, "%ld", number);
    return repeat(to, size, count, text, "x");
}

typedef struct ConvShape {
    char type[8];
    long images, size, in, out, window, stride, groups, dilation, rank;
    long low, high, result;
} ConvShape;

static bool read_convolution(const char *line, ConvShape *c) {
    c->dilation = 1;
    c->rank = 2;
    if (sscanf(
            line, "conv %7s %ld %ld %ld %ld %ld %ld %ld %ld %ld", c->type, &c->images, &c->size,
            &c->in, &c->out, &c->window, &c->stride, &c->groups, &c->dilation, &c->rank) < 8)
        return false;
    if (c->rank < 1 || c->rank > 3) return false;
    long reach = (c->window - 1) * c->dilation;
    c->low = reach / 2;
    c->high = reach - c->low;
    c->result = (c->size - 1) / c->stride + 1;
    return true;
}

static bool convolution(const char *line, Program *p) {
    ConvShape c;
    if (!read_convolution(line, &c)) return false;
    char lhs[96], rhs[96], to[96], sizes[64], strides[64], pads[128], dilations[64], one[64];
    char dims[64];
    long r = c.rank;
    repeat_number(sizes, sizeof sizes, r, c.size);
    snprintf(lhs, sizeof lhs, "%ldx%sx%ldx%s", c.images, sizes, c.in, c.type);
    repeat_number(sizes, sizeof sizes, r, c.window);
    snprintf(rhs, sizeof rhs, "%sx%ldx%ldx%s", sizes, c.in / c.groups, c.out, c.type);
    repeat_number(sizes, sizeof sizes, r, c.result);
    snprintf(to, sizeof to, "%ldx%sx%ldx%s", c.images, sizes, c.out, c.type);
    snprintf(one, sizeof one, "%ld", c.stride);
    repeat(strides, sizeof strides, r, one, ", ");
    snprintf(one, sizeof one, "%ld", c.dilation);
    repeat(dilations, sizeof dilations, r, one, ", ");
    snprintf(one, sizeof one, "[%ld, %ld]", c.low, c.high);
    repeat(pads, sizeof pads, r, one, ", ");
    snprintf(dims, sizeof dims, "%s", r == 1 ? "0" : r == 2 ? "0, 1" : "0, 1, 2");
    snprintf(
        p->text, TEXT,
        "func.func @main(%%a: tensor<%s>, %%b: tensor<%s>) -> tensor<%s> {\n"
        "%%0 = stablehlo.convolution(%%a, %%b) dim_numbers = [b, %s, f]x[%s, i, o]->[b, %s, f], "
        "window = {stride = [%s], pad = [%s], rhs_dilate = [%s]} {batch_group_count = 1 "
        ": i64, feature_group_count = %ld : i64} : (tensor<%s>, tensor<%s>) -> tensor<%s>\nreturn "
        "%%0 : tensor<%s>\n}\n",
        lhs, rhs, to, dims, dims, dims, strides, pads, dilations, c.groups, lhs, rhs, to, to);
    snprintf(p->type, sizeof p->type, "%s", c.type);
    snprintf(
        p->label, sizeof p->label, "conv %s %ldx%ld^%ld %ld->%ld %ld/%ld dilated %ld groups %ld",
        c.type, c.images, c.size, r, c.in, c.out, c.window, c.stride, c.dilation, c.groups);
    p->operations = 2.0 * (double)c.images * (double)c.out * (double)(c.in / c.groups);
    for (long d = 0; d < r; d++)
        p->operations *= (double)(c.result * c.window);
    return true;
}

// Gradients as differentiation writes them: of the image, with the result's gradient dilated by the stride; of the filter, with the window dilated.
static bool gradient(const char *line, Program *p) {
    long images, size, in, out, window, stride;
    char of[16];
    if (sscanf(
            line, "convgrad %7s %ld %ld %ld %ld %ld %ld %15s", p->type, &images, &size, &in, &out,
            &window, &stride, of) != 8)
        return false;
    long low = (window - 1) / 2, high = window - 1 - low;
    long result = (size + low + high - window) / stride + 1;
    long rest = size + low + high - window - (result - 1) * stride;
    bool of_filter = strcmp(of, "filter") == 0;
    char image[64], filter[64], back[64];
    snprintf(image, sizeof image, "%ldx%ldx%ldx%ldx%s", images, size, size, in, p->type);
    snprintf(filter, sizeof filter, "%ldx%ldx%ldx%ldx%s", window, window, in, out, p->type);
    snprintf(back, sizeof back, "%ldx%ldx%ldx%ldx%s", images, result, result, out, p->type);
    const char *lhs = of_filter ? image : back, *rhs = of_filter ? back : filter;
    const char *to = of_filter ? filter : image;
    long pad_low = of_filter ? low : window - 1 - low;
    long pad_high = of_filter ? high - rest : window - 1 - high + rest;
    char how[128];
    snprintf(
        how, sizeof how,
        of_filter ? "rhs_dilate = [%ld, %ld]" : "lhs_dilate = [%ld, %ld], reverse = [true, true]",
        stride, stride);
    snprintf(
        p->text, TEXT,
        "func.func @main(%%a: tensor<%s>, %%b: tensor<%s>) -> tensor<%s> {\n"
        "%%0 = stablehlo.convolution(%%a, %%b) dim_numbers = %s, window = {pad = [[%ld, %ld], "
        "[%ld, %ld]], %s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<%s>, tensor<%s>) -> tensor<%s>\nreturn %%0 : tensor<%s>\n}\n",
        lhs, rhs, to,
        of_filter ? "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"
                  : "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
        pad_low, pad_high, pad_low, pad_high, how, lhs, rhs, to, to);
    snprintf(
        p->label, sizeof p->label, "convgrad %s %ldx%ldx%ld %ld->%ld %ldx%ld/%ld %s", p->type,
        images, size, size, in, out, window, window, stride, of);
    p->operations = 2.0 * (double)images * (double)(result * result) * (double)out *
                    (double)(window * window) * (double)in;
    return true;
}

static bool read_line(const char *line, Program *p) {
    if (strncmp(line, "convgrad ", 9) == 0) return gradient(line, p);
    if (strncmp(line, "conv ", 5) == 0) return convolution(line, p);
    return product(line, p);
}

static void fill(char *data, int64_t bytes, const char *type) {
    int each = bytes_of(type);
    uint32_t state = 1;
    for (int64_t i = 0; i < bytes / each; i++) {
        state = state * 1664525U + 1013904223U;
        float x = (float)(state >> 8) / (1 << 24) - 0.5F;
        double wide = x;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        char *at = data + i * each;
        if (each == 8) memcpy(at, &wide, 8);
        if (each == 4) memcpy(at, &x, 4);
        if (each == 1) *at = (char)(state >> 24);
        if (each != 2) continue;
        uint16_t upper = (uint16_t)(bits >> 16); // bf16; as f16 it is some normal number as well
        memcpy(at, &upper, 2);
    }
}

// One thread's runs are timed by what the process computed: other processes on its core do not count.
static double now(const Settings *settings) {
    return settings->threads == 1 ? peaks_own_now() : peaks_now();
}

typedef struct Timing {
    double seconds, operations, reading; // the best run; the highest peaks, of one core
} Timing;

static shardc_status *measure(
    shardc_executable *executable, const Program *p, const Settings *settings, Timing *timing) {
    const shardc_model *model = shardc_executable_model(executable);
    void *arrays[MOST_ARRAYS] = {0};
    for (int i = 0; i < 3; i++) {
        const shardc_model_array *array = i < 2 ? &model->args[i] : &model->results[0];
        arrays[i] = aligned_alloc(64, (size_t)(array->bytes + 127) / 64 * 64);
        if (!arrays[i]) abort();
        fill(arrays[i], array->bytes, i < 2 ? p->type : result_type(p->type));
    }
    const void *inputs[2] = {arrays[0], arrays[1]};
    *timing = (Timing){.seconds = 1e30};
    shardc_status *status = shardc_execute(executable, inputs, &arrays[2]);
    double start = peaks_now();
    for (int runs = 0; !status && (runs < 5 || peaks_now() - start < settings->seconds); runs++) {
        double peak = peak_operations(peak_kind(p->type));
        if (peak > timing->operations) timing->operations = peak;
        double begin = now(settings);
        int times = 0;
        do {
            status = shardc_execute(executable, inputs, &arrays[2]);
            times++;
        } while (!status && now(settings) - begin < 1e-3);
        double seconds = (now(settings) - begin) / times;
        if (seconds < timing->seconds) timing->seconds = seconds;
    }
    for (int i = 0; i < 3; i++) {
        double read = peak_read();
        if (read > timing->reading) timing->reading = read;
    }
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
    return status;
}

static void print(const Program *p, const shardc_model *model, Timing t, int threads) {
    double bytes = (double)(model->args[0].bytes + model->args[1].bytes + model->results[0].bytes);
    enum { CACHE = 8 << 20 };
    double compute = p->operations / (t.operations * threads), memory = bytes / t.reading;
    if (bytes < CACHE) memory = 0; // it may stay in the caches
    double limit = compute > memory ? compute : memory;
    printf(
        "%-44s %10.3f ms %8.1f Gop/s %6.1f %% of %s\n", p->label, 1e3 * t.seconds,
        1e-9 * p->operations / t.seconds, 100 * limit / t.seconds,
        compute > memory ? "arithmetic" : "memory");
    fflush(stdout);
}

static shardc_status *run(shardc_context *context, const Program *p, const Settings *settings) {
    shardc_module *module = NULL;
    shardc_executable *executable = NULL;
    shardc_options options;
    shardc_options_init(&options);
    options.threads = settings->threads;
    options.target_cpu = settings->cpu;
    shardc_status *status =
        shardc_module_parse(context, p->label, p->text, strlen(p->text), &module);
    if (!status) status = shardc_compile(module, &options, &executable);
    Timing timing;
    if (!status) status = measure(executable, p, settings, &timing);
    if (!status) print(p, shardc_executable_model(executable), timing, settings->threads);
    shardc_executable_free(executable);
    shardc_module_free(module);
    return status;
}

static bool read_settings(int count, char **arguments, Settings *settings) {
    *settings = (Settings){.threads = 1, .seconds = 0.3};
    for (int i = 2; i < count; i++) {
        const char *value = strchr(arguments[i], '=');
        if (!value) return false;
        size_t size = (size_t)(++value - arguments[i]);
        if (strncmp(arguments[i], "--threads=", size) == 0)
            settings->threads = (int)strtol(value, NULL, 10);
        else if (strncmp(arguments[i], "--seconds=", size) == 0)
            settings->seconds = strtod(value, NULL);
        else if (strncmp(arguments[i], "--only=", size) == 0)
            settings->only = value;
        else if (strncmp(arguments[i], "--cpu=", size) == 0)
            settings->cpu = value;
        else
            return false;
    }
    return count > 1 && settings->threads > 0;
}

int main(int argc, char **argv) {
    Settings settings;
    if (!read_settings(argc, argv, &settings)) {
        fputs(
            "usage: kernels SHAPES [--threads=N] [--seconds=S] [--only=TEXT] [--cpu=NAME]\n",
            stderr);
        return 2;
    }
    FILE *file = fopen(argv[1], "r");
    shardc_context *context = NULL;
    shardc_status *status = file ? shardc_context_create(NULL, &context) : NULL;
    if (!file) perror(argv[1]);
    char line[256];
    while (file && !status && fgets(line, sizeof line, file)) {
        Program program;
        if (line[0] == '#' || line[0] == '\n') continue;
        if (settings.only && !strstr(line, settings.only)) continue;
        if (read_line(line, &program))
            status = run(context, &program, &settings);
        else
            fprintf(stderr, "no shape: %s", line);
    }
    if (status) fprintf(stderr, "%s\n", shardc_status_report(status));
    bool failed = status || !file;
    shardc_status_free(status);
    shardc_context_free(context);
    if (file) fclose(file);
    return failed;
}

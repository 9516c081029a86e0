// Kernels of many shapes beside the machine's limit. The machine's peaks are measured
// between the runs of every shape.
//
//   kernels FILE [--threads=N] [--seconds=S] [--only=TEXT] [--cpu=NAME]
//           [--peer-python=PYTHON --peer-script=FILE]
//
// FILE has programs (special.txt), or contractions and convolutions (shapes.txt), one a line:
//   TYPE BATCH M N K ORDER
//       ORDER: memory order of the operands, n = [m, k] or [k, n], t = turned
//   conv TYPE IMAGES SIZE IN OUT WINDOW STRIDE GROUPS [DILATION [RANK]]
//       square images and windows (or rows, cubes), as much padding as keeps the size
//   convgrad TYPE IMAGES SIZE IN OUT WINDOW STRIDE filter|image [RANK]
//       the gradient of such a convolution
// Prints the time of the best run, operations per second, and the share of the limit: the larger of
// operations / peak and bytes / reading speed, of memory or of the cache that holds the arrays.
#include "measure.h"
#include "special.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

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

// Gradients as differentiation writes them: of the image, with the result's gradient dilated by the
// stride; of the filter, with the window dilated.
static bool gradient(const char *line, Program *p) {
    long images, size, in, out, window, stride, r = 2;
    char of[16];
    if (sscanf(
            line, "convgrad %7s %ld %ld %ld %ld %ld %ld %15s %ld", p->type, &images, &size, &in,
            &out, &window, &stride, of, &r) < 8 ||
        r < 1 || r > 3)
        return false;
    long low = (window - 1) / 2, high = window - 1 - low;
    long result = (size + low + high - window) / stride + 1;
    long rest = size + low + high - window - (result - 1) * stride;
    bool of_filter = strcmp(of, "filter") == 0;
    char image[96], filter[96], back[96], sizes[64], pads[128], one[64], dims[16];
    repeat_number(sizes, sizeof sizes, r, size);
    snprintf(image, sizeof image, "%ldx%sx%ldx%s", images, sizes, in, p->type);
    repeat_number(sizes, sizeof sizes, r, window);
    snprintf(filter, sizeof filter, "%sx%ldx%ldx%s", sizes, in, out, p->type);
    repeat_number(sizes, sizeof sizes, r, result);
    snprintf(back, sizeof back, "%ldx%sx%ldx%s", images, sizes, out, p->type);
    const char *lhs = of_filter ? image : back, *rhs = of_filter ? back : filter;
    const char *to = of_filter ? filter : image;
    long pad_low = of_filter ? low : window - 1 - low;
    long pad_high = of_filter ? high - rest : window - 1 - high + rest;
    snprintf(one, sizeof one, "[%ld, %ld]", pad_low, pad_high);
    repeat(pads, sizeof pads, r, one, ", ");
    snprintf(one, sizeof one, "%ld", stride);
    char strides[64], all[64], how[160];
    repeat(strides, sizeof strides, r, one, ", ");
    repeat(all, sizeof all, r, "true", ", ");
    snprintf(
        how, sizeof how, of_filter ? "rhs_dilate = [%s]" : "lhs_dilate = [%s], reverse = [%s]",
        strides, all);
    snprintf(dims, sizeof dims, "%s", r == 1 ? "0" : r == 2 ? "0, 1" : "0, 1, 2");
    char numbers[128];
    snprintf(
        numbers, sizeof numbers,
        of_filter ? "[f, %s, b]x[i, %s, o]->[%s, b, f]" : "[b, %s, f]x[%s, o, i]->[b, %s, f]", dims,
        dims, dims);
    snprintf(
        p->text, TEXT,
        "func.func @main(%%a: tensor<%s>, %%b: tensor<%s>) -> tensor<%s> {\n"
        "%%0 = stablehlo.convolution(%%a, %%b) dim_numbers = %s, window = {pad = [%s], %s} "
        "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        "(tensor<%s>, tensor<%s>) -> tensor<%s>\nreturn %%0 : tensor<%s>\n}\n",
        lhs, rhs, to, numbers, pads, how, lhs, rhs, to, to);
    snprintf(
        p->label, sizeof p->label, "convgrad %s %ldx%ld^%ld %ld->%ld %ld/%ld %s", p->type, images,
        size, r, in, out, window, stride, of);
    p->operations = 2.0 * (double)images * (double)out * (double)in;
    for (long d = 0; d < r; d++)
        p->operations *= (double)(result * window);
    return true;
}

static bool read_line(const char *line, Program *p) {
    if (strncmp(line, "convgrad ", 9) == 0) return gradient(line, p);
    if (strncmp(line, "conv ", 5) == 0) return convolution(line, p);
    return product(line, p);
}

static void print_peer(Timing t, const char *name) {
    if (t.peer_seconds > 0)
        printf(
            " %10.3f ms %7.2f %s/shardc%s", 1e3 * t.peer_seconds, t.peer_seconds / t.seconds, name,
            t.peer_seconds < t.seconds ? "  <" : "");
    putchar('\n');
    fflush(stdout);
}

static void print(const Program *p, const shardc_model *model, Timing t, int threads) {
    double bytes = bytes_of_arrays(model), compute = p->operations / (t.operations * threads);
    double memory = bytes / t.reading;
    double limit = compute > memory ? compute : memory;
    printf(
        "%-52s %10.3f ms %8.1f Gop/s %6.1f %% of %-10s", p->label, 1e3 * t.seconds,
        1e-9 * p->operations / t.seconds, 100 * limit / t.seconds,
        compute > memory ? "arithmetic" : "reading");
    print_peer(t, "PyTorch");
}

// Memory-bound as all of special.txt's are taken to be, until a row says by how much it is not.
static void print_special(const char *label, const shardc_model *model, Timing t) {
    double bytes = bytes_of_arrays(model);
    printf(
        "%-44s %10.3f ms %9.2f MB %6.1f %% of streaming", label, 1e3 * t.seconds, 1e-6 * bytes,
        100 * bytes / t.copying / t.seconds);
    print_peer(t, "XLA");
}

static shardc_status *compile(
    shardc_context *context, const char *label, const char *text, const Settings *settings,
    shardc_executable **executable) {
    shardc_module *module = NULL;
    shardc_options options;
    shardc_options_init(&options);
    options.threads = settings->threads;
    options.target_cpu = settings->cpu;
    shardc_status *status = shardc_module_parse(context, label, text, strlen(text), &module);
    if (!status) status = shardc_compile(module, &options, executable);
    shardc_module_free(module);
    return status;
}

static shardc_status *run(
    shardc_context *context, const Program *p, const char *line, Peer *peer,
    const Settings *settings) {
    shardc_executable *executable = NULL;
    shardc_status *status = compile(context, p->label, p->text, settings, &executable);
    Timing timing;
    bool has_peer = !status && peer && peer_program(peer, line, strlen(line));
    if (!status)
        status = measure(executable, peak_kind(p->type), has_peer ? peer : NULL, settings, &timing);
    if (!status) print(p, shardc_executable_model(executable), timing, settings->threads);
    shardc_executable_free(executable);
    return status;
}

static shardc_status *run_special(
    shardc_context *context, const Special *special, const char *label, Peer *peer,
    const Settings *settings) {
    size_t size;
    char *text = special_program(special, &size);
    if (!text) {
        fprintf(stderr, "a parameter is missing: %s\n", label);
        return NULL;
    }
    shardc_executable *executable = NULL;
    Timing timing;
    shardc_status *status = compile(context, label, text, settings, &executable);
    bool has_peer = !status && peer && peer_program(peer, text, size);
    if (!status) status = measure(executable, PEAK_F32, has_peer ? peer : NULL, settings, &timing);
    if (!status) print_special(label, shardc_executable_model(executable), timing);
    shardc_executable_free(executable);
    free(text);
    return status;
}

static bool set(const char *argument, Settings *settings) {
    const char *value = strchr(argument, '=');
    if (!value) return false;
    size_t size = (size_t)(++value - argument);
    struct {
        const char *name, **to;
    } texts[] = {
        {"--only=", &settings->only},
        {"--cpu=", &settings->cpu},
        {"--peer-python=", &settings->peer_python},
        {"--peer-script=", &settings->peer_script}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (size != strlen(texts[i].name) || strncmp(argument, texts[i].name, size) != 0) continue;
        *texts[i].to = value;
        return true;
    }
    if (strncmp(argument, "--threads=", size) == 0)
        settings->threads = (int)strtol(value, NULL, 10);
    else if (strncmp(argument, "--seconds=", size) == 0)
        settings->seconds = strtod(value, NULL);
    else
        return false;
    return settings->threads > 0;
}

static char *read_file(const char *path) {
    char *text = NULL;
    size_t size;
    FILE *file = fopen(path, "r"), *to = file ? open_memstream(&text, &size) : NULL;
    if (!file) perror(path);
    for (int c; to && (c = fgetc(file)) != EOF;)
        fputc(c, to);
    if (to) fclose(to);
    if (file) fclose(file);
    return text;
}

static bool is_wanted(const char *label, const Settings *settings) {
    return !settings->only || strstr(label, settings->only);
}

// Reports what went wrong with a program; false if something did.
static bool succeeded(const char *label, shardc_status *status) {
    if (status) fprintf(stderr, "%s: %s\n", label, shardc_status_report(status));
    shardc_status_free(status);
    return !status;
}

static Peer *start_peer(const Settings *settings) {
    if (!settings->peer_python || !settings->peer_script) return NULL;
    return peer_start(settings->peer_python, settings->peer_script, settings->threads);
}

static bool run_specials(shardc_context *context, const char *text, const Settings *settings) {
    Peer *peer = start_peer(settings);
    bool good = true;
    Special special = {0};
    while (special_next(text, &special)) {
        char label[256];
        special_label(&special, label, sizeof label);
        if (is_wanted(label, settings))
            good &= succeeded(label, run_special(context, &special, label, peer, settings));
    }
    peer_end(peer);
    return good;
}

static bool run_shapes(shardc_context *context, char *text, const Settings *settings) {
    bool good = true;
    Peer *peer = start_peer(settings);
    for (char *rest, *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        Program program;
        if (line[0] == '#' || !is_wanted(line, settings)) continue;
        if (read_line(line, &program))
            good &= succeeded(line, run(context, &program, line, peer, settings));
        else
            fprintf(stderr, "no shape: %s\n", line);
    }
    peer_end(peer);
    return good;
}

int main(int argc, char **argv) {
    Settings settings = {.threads = 1, .seconds = 0.3};
    bool valid = argc > 1;
    for (int i = 2; i < argc; i++)
        valid = valid && set(argv[i], &settings);
    if (!valid) {
        fputs(
            "usage: kernels FILE [--threads=N] [--seconds=S] [--only=TEXT] [--cpu=NAME] "
            "[--peer-python=PYTHON --peer-script=FILE]\n",
            stderr);
        return 2;
    }
    char *text = read_file(argv[1]);
    shardc_context *context = NULL;
    bool good = text && succeeded(argv[1], shardc_context_create(NULL, &context));
    if (good)
        good = strstr(text, "\nprogram ") ? run_specials(context, text, &settings)
                                          : run_shapes(context, text, &settings);
    shardc_context_free(context);
    free(text);
    return !good;
}

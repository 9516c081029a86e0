// Runs a model of another machine under an emulator, linked with nothing of shardc but the runtime
// in the model; used by tests/aarch64.sh.
//
//     drive MODEL.so FOLDER
//
// Draws the inputs, executes with two threads, and writes FOLDER/in0.npy ..., FOLDER/out0.npy ...
// Exit status 0: done; 77: the model needs functions of its caller; 1: a line on standard error
// says what went wrong.
#include "shardc/model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 1024, SKIPPED = 77, ALIGNMENT = 64 };

static _Noreturn void die(const char *what) {
    fprintf(stderr, "drive: %s\n", what);
    exit(1);
}

static uint64_t state = 1;

static uint32_t draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

// ---- arrays

// One number of the type at `to`: floats of few bits, whose sums are exact; small integers.
static void draw_number(const char *type, int64_t bytes, unsigned char *to) {
    const double number = (double)((int)(draw() % 33) - 16) / 64;
    const float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    if (strcmp(type, "f64") == 0) {
        memcpy(to, &number, sizeof number);
    } else if (strcmp(type, "f32") == 0) {
        memcpy(to, &narrow, sizeof narrow);
    } else if (strcmp(type, "bf16") == 0) {
        memcpy(to, (unsigned char *)&bits + 2, 2);
    } else if (strcmp(type, "f16") == 0) {
        const _Float16 half = (_Float16)number;
        memcpy(to, &half, sizeof half);
    } else if (strcmp(type, "i1") == 0) {
        *to = draw() & 1;
    } else {
        memset(to, 0, (size_t)bytes);
        *to = draw() & 3; // integers, and the least numbers of the smallest floats
    }
}

static void draw_array(const shardc_model_array *array, unsigned char *data) {
    const char *type = array->type;
    int64_t bytes = array->element_bytes;
    if (strcmp(type, "complex<f32>") == 0) type = "f32", bytes /= 2;
    if (strcmp(type, "complex<f64>") == 0) type = "f64", bytes /= 2;
    for (int64_t i = 0; bytes && i < array->bytes / bytes; i++)
        draw_number(type, bytes, data + i * bytes);
}

// NumPy's name of the type; of those that it lacks, that of their bits.
static const char *numpy_type(const shardc_model_array *array) {
    static const char *const names[][2] = {
        {"f16", "<f2"},           {"f32", "<f4"}, {"f64", "<f8"}, {"complex<f32>", "<c8"},
        {"complex<f64>", "<c16"}, {"i1", "|b1"},  {"i8", "|i1"},  {"i16", "<i2"},
        {"i32", "<i4"},           {"i64", "<i8"}, {"i4", "|i1"},  {"i2", "|i1"}};
    static const char *const bits[] = {"", "|u1", "<u2", "", "<u4", "", "", "", "<u8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(array->type, names[i][0]) == 0) return names[i][1];
    }
    return bits[array->element_bytes];
}

static void write_array(
    const char *folder, const char *kind, int number, const shardc_model_array *array,
    const void *data) {
    char path[4096], header[HEADER];
    int length = snprintf(
        header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
        numpy_type(array));
    for (int d = 0; d < array->rank; d++)
        length += snprintf(
            header + length, sizeof header - (size_t)length, "%lld,", (long long)array->dims[d]);
    length += snprintf(header + length, sizeof header - (size_t)length, "), }\n");
    (void)snprintf(path, sizeof path, "%s/%s%d.npy", folder, kind, number);
    FILE *file = fopen(path, "wb");
    const unsigned char start[] = {0x93, 'N', 'U', 'M',           'P',
                                   'Y',  1,   0,   length & 0xff, (unsigned char)(length >> 8)};
    if (!file || fwrite(start, sizeof start, 1, file) != 1 ||
        fwrite(header, (size_t)length, 1, file) != 1 ||
        fwrite(data, 1, (size_t)array->bytes, file) != (size_t)array->bytes || fclose(file) != 0)
        die("cannot write an array");
}

static void *new_array(const shardc_model_array *array) {
    const size_t bytes = ((size_t)array->bytes / ALIGNMENT + 1) * ALIGNMENT;
    void *data = aligned_alloc(ALIGNMENT, bytes);
    if (!data) die("out of memory");
    memset(data, 0, bytes);
    return data;
}

int main(int argc, char **argv) {
    if (argc != 3) die("usage: drive MODEL.so FOLDER");
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) die(dlerror());
    const shardc_model *(*entry)(void) = NULL;
    *(void **)&entry = dlsym(library, "shardc_model_entry");
    if (!entry) die("no model");
    const shardc_model *model = entry();
    if (model->custom_count) return SKIPPED;
    void **inputs = calloc((size_t)model->arg_count + 1, sizeof *inputs);
    void **outputs = calloc((size_t)model->result_count + 1, sizeof *outputs);
    if (!inputs || !outputs) die("out of memory");
    for (int i = 0; i < model->arg_count; i++) {
        inputs[i] = new_array(&model->args[i]);
        draw_array(&model->args[i], inputs[i]);
        if (strcmp(model->args[i].type, "token") != 0)
            write_array(argv[2], "in", i, &model->args[i], inputs[i]);
    }
    for (int r = 0; r < model->result_count; r++)
        outputs[r] = new_array(&model->results[r]);
    shardc_model_options options = {.struct_size = sizeof options, .threads = 2};
    shardc_model_instance *instance = NULL;
    char error[1024] = "";
    if (model->create(model, &options, &instance, error, sizeof error)) die(error);
    if (model->execute(instance, (const void *const *)inputs, outputs))
        die(model->message(instance));
    for (int r = 0; r < model->result_count; r++) {
        if (strcmp(model->results[r].type, "token") != 0)
            write_array(argv[2], "out", r, &model->results[r], outputs[r]);
        free(outputs[r]);
    }
    for (int i = 0; i < model->arg_count; i++)
        free(inputs[i]);
    model->destroy(instance);
    free(inputs);
    free(outputs);
    dlclose(library);
    return 0;
}

#include "measure.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Random numbers as special.txt says.
static void fill(char *data, const shardc_model_array *array) {
    const char *type = array->type;
    bool is_complex = strncmp(type, "complex", 7) == 0;
    bool is_float = is_complex || type[0] == 'f' || type[0] == 'b';
    bool is_index = strcmp(type, "i32") == 0 || strcmp(type, "i64") == 0;
    int each = (int)array->element_bytes / (is_complex ? 2 : 1);
    uint32_t state = 1;
    for (int64_t i = 0; i < array->bytes / each; i++) {
        state = state * 1664525U + 1013904223U;
        float x = (float)(state >> 8) / (1 << 24) - 0.5F;
        double wide = x;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        uint64_t whole = is_index                  ? (state >> 8) % 1000
                         : strcmp(type, "i1") == 0 ? state >> 31
                         : !is_float               ? (uint64_t)state << 32 | state >> 8
                                                   : 0;
        if (is_float && each == 8) memcpy(&whole, &wide, 8);
        if (is_float && each == 4) whole = bits;
        if (is_float && each == 2)
            whole = bits >> 16; // bf16; as f16 it is some normal number as well
        if (each == 1 && strcmp(type, "i1") != 0) whole = state >> 24;
        memcpy(data + i * each, &whole, (size_t)each);
    }
}

double bytes_of_arrays(const shardc_model *model) {
    double bytes = 0;
    for (int i = 0; i < model->arg_count; i++)
        bytes += (double)model->args[i].bytes;
    for (int i = 0; i < model->result_count; i++)
        bytes += (double)model->results[i].bytes;
    return bytes;
}

// One thread's runs are timed by what the process computed: other processes on its core do not
// count.
static double now(const Settings *settings) {
    return settings->threads == 1 ? peaks_own_now() : peaks_now();
}

static void keep_largest(double *largest, double value) {
    if (value > *largest) *largest = value;
}

typedef struct Arrays {
    const void **inputs;
    void **outputs;
} Arrays;

static void *new_array(const shardc_model_array *array) {
    char *data = aligned_alloc(64, (size_t)(array->bytes + 127) / 64 * 64);
    if (!data) abort();
    fill(data, array);
    return data;
}

static Arrays new_arrays(const shardc_model *model) {
    Arrays a = {
        calloc((size_t)model->arg_count + 1, sizeof *a.inputs),
        calloc((size_t)model->result_count + 1, sizeof *a.outputs)};
    if (!a.inputs || !a.outputs) abort();
    for (int i = 0; i < model->arg_count; i++)
        a.inputs[i] = new_array(&model->args[i]);
    for (int i = 0; i < model->result_count; i++)
        a.outputs[i] = new_array(&model->results[i]);
    return a;
}

static void free_arrays(const shardc_model *model, Arrays a) {
    for (int i = 0; i < model->arg_count; i++)
        free((void *)a.inputs[i]);
    for (int i = 0; i < model->result_count; i++)
        free(a.outputs[i]);
    free((void *)a.inputs);
    free((void *)a.outputs);
}

// The seconds of one execution, by as many as take a millisecond.
static shardc_status *time_execution(
    shardc_executable *executable, Arrays arrays, const Settings *settings, double *best) {
    double begin = now(settings);
    shardc_status *status = NULL;
    int times = 0;
    do {
        status = shardc_execute(executable, arrays.inputs, arrays.outputs);
        times++;
    } while (!status && now(settings) - begin < 1e-3);
    double seconds = (now(settings) - begin) / times;
    if (seconds < *best) *best = seconds;
    return status;
}

shardc_status *measure(
    shardc_executable *executable, PeakKind kind, Peer *peer, const Settings *settings,
    Timing *timing) {
    const shardc_model *model = shardc_executable_model(executable);
    Arrays arrays = new_arrays(model);
    *timing = (Timing){.seconds = 1e30};
    shardc_status *status = shardc_execute(executable, arrays.inputs, arrays.outputs);
    double spent = 0, peer_spent = 0;
    for (int runs = 0; !status && (runs < 5 || spent < settings->seconds); runs++) {
        keep_largest(&timing->operations, peak_operations(kind));
        double begin = peaks_now();
        status = time_execution(executable, arrays, settings, &timing->seconds);
        spent += peaks_now() - begin;
        if (!peer || (runs >= 5 && peer_spent > 2 * settings->seconds)) continue;
        begin = peaks_now();
        double seconds = peer_time(peer);
        peer_spent += peaks_now() - begin;
        if (seconds > 0 && (timing->peer_seconds == 0 || seconds < timing->peer_seconds))
            timing->peer_seconds = seconds;
    }
    for (int i = 0; i < 3; i++) {
        keep_largest(&timing->reading, peak_read(bytes_of_arrays(model)));
        keep_largest(&timing->copying, peak_copy());
    }
    free_arrays(model, arrays);
    return status;
}

// Results around the caches: see streams.h.
#include "codegen/plan/streams.h"

#include <string.h>

enum { STREAM_FROM = 4 << 20, MAX_STREAMED = 16, LEAST_ROW = 256 };

static int64_t bytes_of(int count, const KernelOperand *operands) {
    int64_t bytes = 0;
    for (int k = 0; k < count; k++)
        bytes += (int64_t)type_bytes(operands[k].value->type);
    return bytes;
}

// Results of half of the caches stay in them only if what they are made of does, too.
bool stream_fits(const Kernel *kernel, int64_t devices, const Target *target) {
    int64_t written = bytes_of(kernel->output_count, kernel->outputs),
            moved = written + bytes_of(kernel->input_count, kernel->inputs),
            cached = target->l3_bytes;
    bool is_x86 = strncmp(target->triple, "x86_64", 6) == 0;
    if (!is_x86 || written < STREAM_FROM || written * devices < cached / 2 ||
        moved * devices < cached)
        return false;
    for (int i = 0; i < kernel->input_count; i++) {
        if (kernel->inputs[i].shares) return false; // the lines are read anyway
    }
    return true;
}

int stream_value_count(int store_count, const Store *stores) {
    int count = 0;
    for (int i = 0; i < store_count; i++) {
        int j = 0;
        while (stores[j].value != stores[i].value || stores[j].output != stores[i].output)
            j++;
        count += j == i;
    }
    return count;
}

bool stream_pays(
    const Kernel *kernel, int64_t devices, const Target *target, const Space *space,
    int store_count, const Store *stores) {
    if (!stream_fits(kernel, devices, target) || space->inner < 0) return false;
    if (store_count > MAX_STREAM_STORES || stream_value_count(store_count, stores) > MAX_STREAMED)
        return false;
    return space->stores_contiguously && space->axes[space->inner].extent >= LEAST_ROW;
}

bool stream_is_direct(int store_count, const Store *stores) {
    const Expr *value = stores[0].value;
    return store_count == 1 && value->kind != EXPR_LOAD && !value->device &&
           element_class(value->element) != CLASS_COMPLEX;
}

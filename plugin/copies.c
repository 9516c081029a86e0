// copies: between dense arrays and arrays with strides.
#include "plugin/plugin.h"

#include <string.h>

void dense_strides(const int64_t *dims, size_t rank, size_t element, int64_t *strides) {
    int64_t stride = (int64_t)element;
    for (size_t d = rank; d-- > 0;) {
        strides[d] = stride;
        stride *= dims[d] > 0 ? dims[d] : 1;
    }
}

bool is_dense(const int64_t *dims, size_t rank, size_t element, const int64_t *strides) {
    int64_t stride = (int64_t)element;
    for (size_t d = rank; d-- > 0;) {
        if (dims[d] == 0) return true;
        if (dims[d] != 1 && strides[d] != stride) return false;
        stride *= dims[d];
    }
    return true;
}

bool have_same_strides(const int64_t *dims, size_t rank, const int64_t *a, const int64_t *b) {
    bool are_same = true;
    for (size_t d = 0; d < rank; d++) {
        if (dims[d] == 0) return true;
        are_same = are_same && (dims[d] == 1 || a[d] == b[d]);
    }
    return are_same;
}

static void copy_row(
    char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t count,
    size_t element) {
    if (to_stride == (int64_t)element && from_stride == (int64_t)element) {
        memcpy(to, from, (size_t)count * element);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * to_stride, from + i * from_stride, element);
}

void copy_strided(
    char *to, const int64_t *to_strides, const char *from, const int64_t *from_strides,
    const int64_t *dims, size_t rank, size_t element) {
    int64_t index[SHARDC_MAX_RANK] = {0};
    for (size_t d = 0; d < rank; d++) {
        if (dims[d] == 0) return;
    }
    if (rank == 0) {
        memcpy(to, from, element);
        return;
    }
    size_t last = rank - 1;
    for (;;) { // one row of the last dimension
        copy_row(to, to_strides[last], from, from_strides[last], dims[last], element);
        size_t d = last;
        for (; d > 0; d--) {
            to += to_strides[d - 1];
            from += from_strides[d - 1];
            if (++index[d - 1] < dims[d - 1]) break;
            index[d - 1] = 0;
            to -= to_strides[d - 1] * dims[d - 1];
            from -= from_strides[d - 1] * dims[d - 1];
        }
        if (d == 0) return;
    }
}

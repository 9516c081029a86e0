// layouts: the order of an array's dimensions in memory. There is one object for each order, for
// ever.
#include "plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Layout *find_layout(Layout *first, size_t rank, const int64_t *minor_to_major) {
    for (Layout *layout = first; layout; layout = layout->next) {
        if (layout->rank == rank &&
            (rank == 0 ||
             memcmp(layout->minor_to_major, minor_to_major, rank * sizeof *minor_to_major) == 0))
            return layout;
    }
    return NULL;
}

static Layout *create_layout(size_t rank, const int64_t *minor_to_major) {
    Layout *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->rank = rank;
    char *at = made->text;
    *at++ = '{';
    for (size_t i = 0; i < rank; i++) {
        made->minor_to_major[i] = minor_to_major[i];
        at += snprintf(at, 4, "%s%d", i ? "," : "", (int)minor_to_major[i]);
    }
    *at++ = '}';
    made->size = (size_t)(at - made->text);
    return made;
}

Layout *layout_of(size_t rank, const int64_t *minor_to_major) {
    static Layout *layouts[SHARDC_MAX_RANK + 1]; // by rank
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (rank > SHARDC_MAX_RANK) return NULL;
    pthread_mutex_lock(&lock);
    Layout *layout = find_layout(layouts[rank], rank, minor_to_major);
    if (!layout) {
        layout = create_layout(rank, minor_to_major);
        if (layout) {
            layout->next = layouts[rank];
            layouts[rank] = layout;
        }
    }
    pthread_mutex_unlock(&lock);
    return layout;
}

Layout *layout_row_major(size_t rank) {
    static Layout *_Atomic known[SHARDC_MAX_RANK + 1];
    if (rank > SHARDC_MAX_RANK) return NULL;
    Layout *layout = atomic_load(&known[rank]);
    if (layout) return layout;
    int64_t order[SHARDC_MAX_RANK];
    for (size_t i = 0; i < rank; i++)
        order[i] = (int64_t)(rank - 1 - i);
    layout = layout_of(rank, order);
    atomic_store(&known[rank], layout);
    return layout;
}

Layout *layout_of_tile(const shardc_model *model, size_t array, size_t rank) {
    const int64_t *slowest_first = model->orders ? model->orders[array] : NULL;
    if (!slowest_first) return layout_row_major(rank);
    int64_t order[SHARDC_MAX_RANK];
    for (size_t i = 0; i < rank; i++)
        order[i] = slowest_first[rank - 1 - i];
    return layout_of(rank, order);
}

void layout_strides(
    Layout *layout, const int64_t *dims, size_t rank, size_t element, int64_t *strides) {
    int64_t stride = (int64_t)element;
    for (size_t i = 0; i < rank; i++) {
        int64_t d = layout->minor_to_major[i];
        strides[d] = stride;
        stride *= dims[d] > 0 ? dims[d] : 1;
    }
}

static PJRT_Error *check_order(const PJRT_Buffer_MemoryLayout *layout, size_t rank) {
    bool seen[SHARDC_MAX_RANK] = {false};
    if (layout->tiled.num_tiles > 0)
        return error_create(PJRT_UNIMPLEMENTED, "shardc: layouts of tiles are not provided");
    if (layout->tiled.minor_to_major_size != rank)
        return error_create(PJRT_INVALID_ARGUMENT, "the layout has another rank");
    for (size_t i = 0; i < rank; i++) {
        int64_t d = layout->tiled.minor_to_major[i];
        if (d < 0 || (size_t)d >= rank)
            return error_create(
                PJRT_INVALID_ARGUMENT, "the layout has no dimension %lld", (long long)d);
        if (seen[d])
            return error_create(
                PJRT_INVALID_ARGUMENT, "the layout has dimension %lld twice", (long long)d);
        seen[d] = true;
    }
    return NULL;
}

PJRT_Error *layout_read(const PJRT_Buffer_MemoryLayout *from, size_t rank, Layout **layout) {
    *layout = layout_row_major(rank);
    if (from && from->type == PJRT_TILED) {
        PJRT_Error *error = check_order(from, rank);
        if (error) return error;
        *layout = layout_of(rank, from->tiled.minor_to_major);
    }
    return *layout ? NULL : error_out_of_memory();
}

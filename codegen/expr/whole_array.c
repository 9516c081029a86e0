// Accesses of stored values, and tiles of the caller's arrays: one array, in which every
// device's tile begins somewhere else.
//
// Where a device's tile is read or written by another one, the element is found in the whole array,
// from the first device's tile on: the device goes into the index. Then loops that go from one
// device's tile to the next are as long as the array's rows, and no table is read on the way.
#include "codegen/expr/whole_array.h"

#include <stdlib.h>

typedef const IndexExpr *Index;

static const Buffer *operand_buffer(const Kernel *kernel, int k) {
    return k < kernel->output_count ? kernel->outputs[k].buffer
                                    : kernel->inputs[k - kernel->output_count].buffer;
}

// One of the models of which each is for one device.
static bool is_part_of_model(const ExprBuilder *b) {
    const RuntimeNumber *own = &b->runtimes.data[0];
    return own->low == own->high && b->program->device_count > 1;
}

static int compare_numbers(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// Has every device a tile of its own?
static bool has_owners(Arena *arena, const Buffer *buffer, int64_t devices, const int64_t *first) {
    int64_t *at = ARENA_ARRAY(arena, int64_t, devices);
    for (int d = 0; d < buffer->rank; d++) {
        for (int64_t i = 0; i < devices; i++)
            at[i] += first[d * devices + i] * buffer->strides[d];
    }
    qsort(at, (size_t)devices, sizeof *at, compare_numbers);
    for (int64_t i = 1; i < devices; i++) {
        if (at[i] == at[i - 1]) return false;
    }
    return true;
}

static const int64_t *find_origins(ExprBuilder *b, const Buffer *part) {
    const DeviceProgram *program = b->program;
    const Buffer *buffer = buffer_memory(part);
    int64_t devices = program->device_count;
    bool is_argument = buffer->kind == BUFFER_ARGUMENT, is_result = buffer->kind == BUFFER_RESULT;
    if ((!is_argument && !is_result) || program->is_tiled || is_part_of_model(b) || buffer->extents)
        return NULL;
    const GlobalLayout *layout =
        is_argument ? &program->args[buffer->index] : &program->results[buffer->index];
    if (layout->order || layout->local->rank != buffer->rank) return NULL;
    int64_t *first = ARENA_ARRAY(b->arena, int64_t, devices * buffer->rank + 1);
    for (int d = 0; d < buffer->rank; d++) {
        bool fits =
            layout->local->dims[d] == buffer->dims[d] && part->strides[d] == buffer->strides[d];
        if (!fits) return NULL;
        for (int64_t i = 0; i < devices; i++)
            first[d * devices + i] = layout_offset(layout, i, d);
    }
    // the other devices' copies of a replicated result lie elsewhere
    return is_argument || has_owners(b->arena, buffer, devices, first) ? first : NULL;
}

// The same on all devices.
static bool is_constant(const ExprBuilder *b, const Value *stored) {
    const Buffer *buffer = operand_buffer(b->kernel, kernel_operand(b->kernel, stored));
    return buffer && buffer->kind == BUFFER_CONSTANT && !is_part_of_model(b);
}

const int64_t *whole_array_origins(ExprBuilder *b, const Value *stored) {
    const Kernel *kernel = b->kernel;
    int k = kernel_operand(kernel, stored);
    if (!b->origins)
        b->origins = ARENA_ARRAY(b->arena, WholeArray, kernel->output_count + kernel->input_count);
    WholeArray *known = &b->origins[k];
    if (!known->is_known) {
        const Buffer *buffer = operand_buffer(kernel, k);
        known->is_known = true;
        if (buffer && buffer->rank == stored->type->rank) known->origins = find_origins(b, buffer);
    }
    return known->origins;
}

Index whole_array_place(ExprBuilder *b, const Value *stored, Index device, Index *index) {
    if (!device) return NULL;
    const int64_t *origins = whole_array_origins(b, stored);
    if (!origins) return is_constant(b, stored) ? NULL : device;
    int64_t devices = b->program->device_count;
    for (int d = 0; d < stored->type->rank; d++) {
        const int64_t *first = &origins[d * devices];
        Index origin = expr_table(b, devices, first, device);
        index[d] = index_add(b->index, index[d], index_add_constant(b->index, origin, -first[0]));
    }
    return index_constant(b->index, 0);
}

// The first element in the array that it is stacked in.
static Index stacked_start(ExprBuilder *b, const Buffer *part) {
    const Type *slice = op_operand_type(part->part, 1);
    Index at = index_constant(b->index, 0), device = b->device;
    b->device = NULL; // all devices have the same number of the step
    for (int d = 0; d < slice->rank; d++) {
        int64_t last = part->base->dims[d] - slice->dims[d];
        if (last == 0) continue;
        const Expr *start = b->find_element(b, op_operand(part->part, 2 + d), NULL);
        Index place = expr_runtime(b, start, 0, last);
        at = index_add(b->index, at, index_scale(b->index, place, part->base->strides[d]));
    }
    b->device = device;
    return at;
}

const IndexExpr *expr_operand_start(ExprBuilder *b, int k) {
    Index at = index_constant(b->index, 0);
    for (const Buffer *buffer = operand_buffer(b->kernel, k); buffer; buffer = buffer->base) {
        if (buffer_is_stacked(buffer)) at = index_add(b->index, at, stacked_start(b, buffer));
    }
    return at;
}

const IndexExpr *expr_element_number(
    ExprBuilder *b, const Value *stored, const IndexExpr *const *index) {
    int k = kernel_operand(b->kernel, stored);
    const Buffer *buffer = operand_buffer(b->kernel, k);
    const IndexExpr *at = expr_operand_start(b, k);
    for (int d = 0; d < stored->type->rank; d++)
        at = index_add(b->index, at, index_scale(b->index, index[d], buffer->strides[d]));
    return at;
}

const Expr *expr_load(
    ExprBuilder *b, const Value *stored, const IndexExpr *device, const IndexExpr *const *index) {
    Expr x = {.kind = EXPR_LOAD, .element = stored->type->element, .stored = stored};
    const IndexExpr *place[MAX_RANK];
    for (int d = 0; d < stored->type->rank; d++)
        place[d] = index[d];
    x.device = whole_array_place(b, stored, device, place);
    x.rank = stored->type->rank;
    x.index = place;
    x.at = expr_element_number(b, stored, place);
    return expr_intern(b, x);
}

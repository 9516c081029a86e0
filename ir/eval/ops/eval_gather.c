// gather and scatter.
#include "ir/eval/ops/eval_shape.h"

#include <string.h>

static int64_t index_at(const Tensor *indices, int64_t place) {
    int64_t x = tensor_int(indices, place);
    // ui64 beyond int64 is out of bounds all the same
    return element_class(indices->type->element) == CLASS_UINT && x < 0 ? INT64_MAX : x;
}

// Where an index vector starts: places in the indices tensor for one batch position. The dimensions
// of `indices` but index_vector_dim are the batch dimensions, in order.
typedef struct IndexMap {
    int batch_rank;
    // sizes and strides of the batch dimensions in the indices
    int64_t batch[MAX_RANK], strides[MAX_RANK];
    int64_t vector_stride; // between the parts of an index vector
    int64_t index_vector_dim;
    IntSpan index_to_operand; // dimension of the operand of each part of an index vector
    IntSpan operand_batching, indices_batching; // dimensions of both that go together
} IndexMap;

static IndexMap index_map(const Type *indices, int64_t index_vector_dim) {
    IndexMap map = {.vector_stride = 1, .index_vector_dim = index_vector_dim};
    int64_t strides[MAX_RANK];
    row_major_strides(indices->rank, indices->dims, strides);
    for (int d = 0; d < indices->rank; d++) {
        if (d == index_vector_dim) {
            map.vector_stride = strides[d];
            continue;
        }
        map.batch[map.batch_rank] = indices->dims[d];
        map.strides[map.batch_rank++] = strides[d];
    }
    return map;
}

// Start of a window in the operand: from the index vector and the batching dimensions.
static void window_start(
    const Tensor *indices, const IndexMap *map, const int64_t *batch_index, int rank,
    int64_t *start) {
    for (int d = 0; d < rank; d++)
        start[d] = 0;
    int64_t place = 0;
    for (int b = 0; b < map->batch_rank; b++)
        place += batch_index[b] * map->strides[b];
    for (int i = 0; i < map->index_to_operand.count; i++)
        start[map->index_to_operand.data[i]] = index_at(indices, place + i * map->vector_stride);
    for (int i = 0; i < map->operand_batching.count; i++) {
        int64_t d = map->indices_batching.data[i];
        start[map->operand_batching.data[i]] = batch_index[d < map->index_vector_dim ? d : d - 1];
    }
}

// Which dimensions of the result are the batch, and which the kept ones of the slice.
typedef struct GatherShape {
    int kept[MAX_RANK], kept_count; // dimensions of the operand, for the offset dims in order
    int batch_dims[MAX_RANK];       // of the result
    Type type;
} GatherShape;

// False after an error. The result's dimensions: offset dims take the kept dimensions of the slice
// in order, the others are the batch.
static bool gather_shape(
    Eval *eval, const Op *op, const IndexMap *map, const GatherDims *dims, const Type *operand,
    const int64_t *slice_sizes, GatherShape *shape) {
    shape->type.rank = map->batch_rank + dims->offset_dims.count;
    shape->type.unranked = shape->type.is_bounded = false;
    for (int d = 0; d < operand->rank; d++) {
        if (slice_sizes[d] < 0 || slice_sizes[d] > operand->dims[d])
            return eval_fail(eval, op, "has a slice larger than its operand in dimension %d", d);
        if (!ints_contain(dims->collapsed_slice_dims, d) &&
            !ints_contain(dims->operand_batching_dims, d))
            shape->kept[shape->kept_count++] = d;
    }
    if (shape->type.rank > MAX_RANK || shape->kept_count != dims->offset_dims.count)
        return eval_fail(eval, op, "has dimension numbers that do not fit its operand");
    int batch_count = 0;
    for (int d = 0; d < shape->type.rank; d++) {
        if (ints_contain(dims->offset_dims, d)) continue;
        shape->type.dims[d] = map->batch[batch_count];
        shape->batch_dims[batch_count++] = d;
    }
    for (int i = 0; i < shape->kept_count; i++)
        shape->type.dims[dims->offset_dims.data[i]] = slice_sizes[shape->kept[i]];
    return true;
}

// A slice of the operand for every place of the batch, moved into the operand where it reaches
// beyond.
static void copy_slices(
    const GatherShape *shape, const IndexMap *map, const GatherDims *dims, const Tensor *operand,
    const Tensor *indices, const int64_t *slice_sizes, Tensor *result) {
    int rank = operand->type->rank;
    int64_t slice[MAX_RANK], slice_strides[MAX_RANK], own[MAX_RANK];
    int64_t out[MAX_RANK], offset[MAX_RANK];
    row_major_strides(shape->type.rank, shape->type.dims, out);
    row_major_strides(rank, operand->type->dims, own);
    for (int i = 0; i < shape->kept_count; i++) {
        slice[i] = slice_sizes[shape->kept[i]];
        slice_strides[i] = own[shape->kept[i]];
        offset[i] = out[dims->offset_dims.data[i]];
    }
    size_t size = element_bytes(operand->type->element);
    int64_t batch_index[MAX_RANK] = {0}, start[MAX_RANK];
    do {
        window_start(indices, map, batch_index, rank, start);
        int64_t from = 0, to = 0;
        for (int d = 0; d < rank; d++) {
            int64_t last = operand->type->dims[d] - slice_sizes[d];
            from += own[d] * (start[d] < 0 ? 0 : start[d] > last ? last : start[d]);
        }
        for (int b = 0; b < map->batch_rank; b++)
            to += batch_index[b] * out[shape->batch_dims[b]];
        copy_strided(
            shape->kept_count, slice, size, (char *)result->data + to * (int64_t)size, offset,
            (const char *)operand->data + from * (int64_t)size, slice_strides);
    } while (next_index(map->batch_rank, map->batch, batch_index));
}

Tensor *eval_make_gather(
    Eval *eval, const Op *op, const Tensor *operand, const Tensor *indices, const Type *type,
    const int64_t *slice_sizes) {
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_GATHER_DIMS) {
        eval_fail(eval, op, "has no dimension numbers");
        return NULL;
    }
    const GatherDims *dims = attr->gather;
    IndexMap map = index_map(indices->type, dims->index_vector_dim);
    map.index_to_operand = dims->start_index_map;
    map.operand_batching = dims->operand_batching_dims;
    map.indices_batching = dims->start_indices_batching_dims;
    GatherShape shape = {.type = *type};
    if (!gather_shape(eval, op, &map, dims, operand->type, slice_sizes, &shape)) return NULL;
    Tensor *result = eval_tensor(
        eval, op, type_is_static(type) ? type : type_intern(eval->module->context, &shape.type));
    if (result && tensor_count(result) > 0)
        copy_slices(&shape, &map, dims, operand, indices, slice_sizes, result);
    return result;
}

bool eval_gather(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int64_t sizes[MAX_RANK];
    eval_ints(op, NAME_SLICE_SIZES, operand->type->rank, 1, sizes);
    Tensor *result = eval_make_gather(
        eval, op, operand, eval_operand(eval, op, 1), op_result_type(op, 0), sizes);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

// --- scatter ---

typedef struct ScatterPlan {
    int inputs;
    int window_rank; // dims of an update window
    int64_t window[MAX_RANK], operand_strides[MAX_RANK], update_strides[MAX_RANK]; // per window dim
    int64_t batch_strides[MAX_RANK]; // of the updates, per batch dim
    int64_t extent[MAX_RANK];        // of a window in each operand dimension
    int64_t own[MAX_RANK];           // strides of the operand
} ScatterPlan;

static bool scatter_plan(
    Eval *eval, const Op *op, const ScatterDims *dims, int inputs, ScatterPlan *plan) {
    const Type *operand = eval_operand(eval, op, 0)->type;
    const Type *updates = eval_operand(eval, op, inputs + 1)->type;
    *plan = (ScatterPlan){.inputs = inputs};
    int64_t strides[MAX_RANK];
    row_major_strides(updates->rank, updates->dims, strides);
    row_major_strides(operand->rank, operand->dims, plan->own);
    int next = 0, batches = 0;
    for (int d = 0; d < operand->rank; d++) {
        plan->extent[d] = 1;
        if (ints_contain(dims->inserted_window_dims, d) ||
            ints_contain(dims->input_batching_dims, d))
            continue;
        if (next >= dims->update_window_dims.count)
            return eval_fail(eval, op, "has dimension numbers that do not fit its operand");
        int64_t u = dims->update_window_dims.data[next];
        if (u < 0 || u >= updates->rank)
            return eval_fail(eval, op, "has an update window dimension out of range");
        plan->window[next] = plan->extent[d] = updates->dims[u];
        plan->operand_strides[next] = plan->own[d];
        plan->update_strides[next++] = strides[u];
    }
    plan->window_rank = next;
    for (int d = 0; d < updates->rank; d++) {
        if (!ints_contain(dims->update_window_dims, d)) plan->batch_strides[batches++] = strides[d];
    }
    return true;
}

// What the body works on.
typedef struct ScatterRun {
    Body *body;
    Tensor **results;
    const void **args; // addresses for one call: of the results, then of the updates
    void **outs;
} ScatterRun;

// Combines one window of the updates with the results, element by element.
static bool scatter_window(
    Eval *eval, const Op *op, const ScatterPlan *plan, const ScatterRun *run, int64_t target,
    int64_t source) {
    int64_t index[MAX_RANK] = {0};
    for (int d = 0; d < plan->window_rank; d++) {
        if (plan->window[d] == 0) return true;
    }
    do {
        int64_t to = target, from = source;
        for (int d = 0; d < plan->window_rank; d++) {
            to += index[d] * plan->operand_strides[d];
            from += index[d] * plan->update_strides[d];
        }
        for (int i = 0; i < plan->inputs; i++) {
            size_t size = element_bytes(run->results[i]->type->element);
            const char *updates = eval_operand(eval, op, plan->inputs + 1 + i)->data;
            run->outs[i] = (char *)run->results[i]->data + (size_t)to * size;
            run->args[i] = run->outs[i];
            run->args[plan->inputs + i] = updates + (size_t)from * size;
        }
        if (!eval_body_run(eval, run->body, op, 1, run->args, run->outs)) return false;
    } while (next_index(plan->window_rank, plan->window, index));
    return true;
}

// A window that does not lie in the operand as a whole is left out, as XLA does.
bool eval_scatter(Eval *eval, const Op *op) {
    int inputs = (op->operand_count - 1) / 2;
    const Attr *attr = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_SCATTER_DIMS)
        return eval_fail(eval, op, "has no dimension numbers");
    const ScatterDims *dims = attr->scatter;
    const Tensor *indices = eval_operand(eval, op, inputs);
    ScatterPlan plan;
    if (!scatter_plan(eval, op, dims, inputs, &plan)) return false;
    Tensor **results = eval_scratch(eval, op, inputs, sizeof *results);
    const void **args = eval_scratch(eval, op, 2 * inputs, sizeof *args);
    void **outs = eval_scratch(eval, op, inputs, sizeof *outs);
    ElementType *elements = eval_scratch(eval, op, 2 * inputs, sizeof *elements);
    if (!results || !args || !outs || !elements) return false;
    for (int i = 0; i < inputs; i++) {
        const Tensor *operand = eval_operand(eval, op, i);
        elements[i] = operand->type->element;
        elements[inputs + i] = eval_operand(eval, op, inputs + 1 + i)->type->element;
        results[i] = eval_tensor(eval, op, operand->type);
        if (!results[i]) return false;
        if (tensor_count(operand) > 0)
            memcpy(results[i]->data, operand->data, type_bytes(operand->type));
    }
    const Type *operand = results[0]->type;
    IndexMap map = index_map(indices->type, dims->index_vector_dim);
    map.index_to_operand = dims->scatter_dims_to_operand_dims;
    map.operand_batching = dims->input_batching_dims;
    map.indices_batching = dims->scatter_indices_batching_dims;
    int64_t batch_index[MAX_RANK] = {0}, start[MAX_RANK], count = 1;
    for (int b = 0; b < map.batch_rank; b++)
        count *= map.batch[b];
    Body *body = eval_body(eval, op, op->regions[0], 2 * inputs, elements, inputs, elements);
    if (!body) return false;
    const ScatterRun run = {body, results, args, outs};
    for (int64_t k = 0; k < count; k++, next_index(map.batch_rank, map.batch, batch_index)) {
        window_start(indices, &map, batch_index, operand->rank, start);
        int64_t target = 0, source = 0;
        bool is_inside = true;
        for (int d = 0; d < operand->rank; d++) {
            is_inside = is_inside && start[d] >= 0 && start[d] <= operand->dims[d] - plan.extent[d];
            target += is_inside ? start[d] * plan.own[d] : 0;
        }
        for (int b = 0; b < map.batch_rank; b++)
            source += batch_index[b] * plan.batch_strides[b];
        if (is_inside && !scatter_window(eval, op, &plan, &run, target, source)) return false;
    }
    for (int i = 0; i < inputs; i++)
        eval_set_result(eval, op, i, results[i]);
    return true;
}

// The evaluator's storage: tensors with counted users, buffers that are used again, indices.
#include "base/checked.h"
#include "ir/eval/eval_internal.h"

#include <string.h>

// --- public tensors ---

Tensor *tensor_create(Arena *arena, const Type *type) {
    Tensor *tensor = ARENA_NEW(arena, Tensor);
    tensor->type = type;
    if (type->kind == TYPE_TENSOR) tensor->data = arena_alloc_aligned(arena, type_bytes(type), 64);
    if (type->kind == TYPE_TUPLE) tensor->parts = ARENA_ARRAY(arena, Tensor *, type->part_count);
    return tensor;
}

Tensor *tensor_from_attr(Arena *arena, const Attr *elements) {
    Tensor *tensor = tensor_create(arena, elements->type);
    size_t size = element_bytes(elements->type->element), bytes = type_bytes(elements->type);
    if (bytes == 0) return tensor;
    if (!elements->is_splat) {
        memcpy(tensor->data, elements->data, bytes);
    } else {
        for (size_t at = 0; at < bytes; at += size)
            memcpy((char *)tensor->data + at, elements->data, size);
    }
    return tensor;
}

const Attr *tensor_to_attr(Context *context, const Tensor *tensor) {
    size_t size = element_bytes(tensor->type->element), bytes = type_bytes(tensor->type);
    const char *data = tensor->data;
    bool is_splat = bytes > 0;
    for (size_t at = size; at < bytes && is_splat; at += size)
        is_splat = memcmp(data, data + at, size) == 0;
    return attr_elements(context, tensor->type, is_splat, data, is_splat ? size : bytes);
}

// --- buffers ---

// Size classes: multiples of 64 bytes to 1 KB, then four steps per doubling.
static int size_class(size_t bytes, size_t *capacity) {
    if (bytes <= 1024) {
        size_t units = bytes ? (bytes + 63) / 64 : 1;
        *capacity = units * 64;
        return (int)units;
    }
    int exponent = 63 - __builtin_clzll((unsigned long long)(bytes - 1)); // 2^exponent <= bytes - 1
    size_t step = (size_t)1 << (exponent - 2);
    size_t steps = (bytes + step - 1) / step; // 5 .. 8 (or 4 for a power of two)
    *capacity = steps * step;
    return 17 + (exponent - 10) * 4 + (int)steps - 4;
}

static Buffer *buffer_create(Eval *eval, const Op *op, size_t bytes) {
    if (eval->max_bytes &&
        (bytes > eval->max_bytes || eval->live_bytes > eval->max_bytes - bytes)) {
        eval_fail(
            eval, op, "needs %zu bytes, over the limit of %zu bytes of live tensors", bytes,
            eval->max_bytes);
        return NULL;
    }
    size_t capacity = 0;
    int class = size_class(bytes, &capacity);
    Buffer *buffer = class < EVAL_SIZE_CLASSES ? eval->free_buffers[class] : NULL;
    if (buffer) {
        eval->free_buffers[class] = buffer->next;
    } else {
        buffer = ARENA_NEW(eval->arena, Buffer);
        buffer->data = arena_alloc_aligned(eval->arena, capacity, 64);
        buffer->bytes = capacity;
        buffer->size_class = class;
    }
    buffer->refs = 1;
    eval->live_bytes += capacity;
    return buffer;
}

static void buffer_release(Eval *eval, Buffer *buffer) {
    if (!buffer || --buffer->refs > 0) return;
    eval->live_bytes -= buffer->bytes;
    if (buffer->size_class >= EVAL_SIZE_CLASSES) return;
    buffer->next = eval->free_buffers[buffer->size_class];
    eval->free_buffers[buffer->size_class] = buffer;
}

// --- tensors ---

static Cell *cell_create(Eval *eval, const Type *type) {
    Cell *cell = eval->free_cells;
    if (cell)
        eval->free_cells = cell->next;
    else
        cell = ARENA_NEW(eval->arena, Cell);
    *cell = (Cell){.tensor = {.type = type}, .refs = 1};
    return cell;
}

Tensor *eval_tensor(Eval *eval, const Op *op, const Type *type) {
    if (type->kind == TYPE_TOKEN) return &cell_create(eval, type)->tensor;
    if (!type_is_static(type)) {
        eval_unsupported(eval, op, "with a shape that is not known");
        return NULL;
    }
    int64_t count = 0, bytes = 0;
    if (!checked_product(type->dims, type->rank, &count) ||
        !checked_mul(count, (int64_t)element_bytes(type->element), &bytes) ||
        bytes > INT64_MAX / 8) {
        eval_fail(eval, op, "makes a tensor that is too large");
        return NULL;
    }
    Buffer *buffer = buffer_create(eval, op, (size_t)bytes);
    if (!buffer) return NULL;
    Cell *cell = cell_create(eval, type);
    cell->buffer = buffer;
    cell->tensor.data = buffer->data;
    return &cell->tensor;
}

Tensor *eval_result_tensor(Eval *eval, const Op *op, int i) {
    return eval_tensor(eval, op, op_result_type(op, i));
}

Tensor *eval_view(Eval *eval, const Type *type, Tensor *of) {
    const Cell *from = (const Cell *)of;
    Cell *cell = cell_create(eval, type);
    cell->buffer = from->buffer;
    if (cell->buffer) cell->buffer->refs++;
    cell->tensor.data = of->data;
    return &cell->tensor;
}

Tensor *eval_import(Eval *eval, const Tensor *borrowed) {
    Cell *cell = cell_create(eval, borrowed->type);
    cell->tensor.data = borrowed->data;
    if (borrowed->type->kind == TYPE_TUPLE) {
        int count = borrowed->type->part_count;
        cell->tensor.parts = ARENA_ARRAY(eval->arena, Tensor *, count);
        for (int i = 0; i < count; i++)
            cell->tensor.parts[i] = eval_import(eval, borrowed->parts[i]);
    }
    return &cell->tensor;
}

Tensor *eval_tuple_tensor(
    Eval *eval, const Op *op, const Type *type, int count, Tensor *const *parts) {
    Buffer *buffer = buffer_create(eval, op, (size_t)count * sizeof *parts);
    if (!buffer) return NULL;
    Cell *cell = cell_create(eval, type);
    cell->buffer = buffer;
    cell->tensor.parts = buffer->data;
    for (int i = 0; i < count; i++)
        cell->tensor.parts[i] = parts[i];
    return &cell->tensor;
}

Tensor *eval_retain(Tensor *tensor) {
    if (tensor) ((Cell *)tensor)->refs++;
    return tensor;
}

void eval_release(Eval *eval, Tensor *tensor) {
    Cell *cell = (Cell *)tensor;
    if (!cell || --cell->refs > 0) return;
    if (tensor->parts) {
        for (int i = 0; i < tensor->type->part_count; i++)
            eval_release(eval, tensor->parts[i]);
    }
    buffer_release(eval, cell->buffer);
    cell->next = eval->free_cells;
    eval->free_cells = cell;
}

Tensor *eval_export(Arena *arena, const Tensor *tensor) {
    Tensor *copy = tensor_create(arena, tensor->type);
    if (tensor->type->kind == TYPE_TENSOR) {
        size_t bytes = type_bytes(tensor->type);
        if (bytes) memcpy(copy->data, tensor->data, bytes);
    }
    for (int i = 0; tensor->parts && i < tensor->type->part_count; i++)
        copy->parts[i] = eval_export(arena, tensor->parts[i]);
    return copy;
}

// --- scratch memory ---

void *eval_scratch(Eval *eval, const Op *op, int64_t count, size_t size) {
    int64_t bytes = 0;
    if (count < 0 || !checked_mul(count, (int64_t)size, &bytes)) {
        eval_fail(eval, op, "needs too much memory");
        return NULL;
    }
    Buffer *buffer = buffer_create(eval, op, (size_t)bytes);
    if (!buffer) return NULL;
    if (eval->scratch_count == eval->scratch_capacity) {
        int capacity = eval->scratch_capacity ? 2 * eval->scratch_capacity : 64;
        Buffer **grown = ARENA_ARRAY(eval->arena, Buffer *, capacity);
        for (int i = 0; i < eval->scratch_count; i++)
            grown[i] = eval->scratch[i];
        eval->scratch = grown;
        eval->scratch_capacity = capacity;
    }
    eval->scratch[eval->scratch_count++] = buffer;
    return buffer->data;
}

int eval_scratch_mark(const Eval *eval) { return eval->scratch_count; }

void eval_scratch_release(Eval *eval, int mark) {
    while (eval->scratch_count > mark)
        buffer_release(eval, eval->scratch[--eval->scratch_count]);
}

// --- attributes and indices ---

void eval_ints(const Op *op, AttrName name, int count, int64_t otherwise, int64_t *out) {
    const Attr *attr = op_attr(op, name);
    for (int i = 0; i < count; i++)
        out[i] = otherwise;
    if (!attr) return;
    if (attr->kind == ATTR_INTS) {
        for (int i = 0; i < count && i < attr->count; i++)
            out[i] = attr->ints[i];
    } else if (attr->kind == ATTR_ELEMENTS) {
        int64_t elements = type_element_count(attr->type);
        for (int i = 0; i < count && i < elements; i++)
            out[i] = attr_element_int(attr, i);
    }
}

void row_major_strides(int rank, const int64_t *dims, int64_t *strides) {
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= dims[d] > 0 ? dims[d] : 1;
    }
}

int64_t tensor_int(const Tensor *tensor, int64_t i) {
    int64_t x = 0;
    ElementType element = tensor->type->element;
    scalar_load_int(
        element, (const char *)tensor->data + (size_t)i * element_bytes(element), 1, 1, &x);
    return x;
}

double tensor_double(const Tensor *tensor, int64_t i) {
    double x = 0;
    ElementType element = tensor->type->element;
    scalar_load_real(
        element, (const char *)tensor->data + (size_t)i * element_bytes(element), 1, 1, &x);
    return x;
}

static void copy_row(
    int64_t count, size_t size, char *out, int64_t out_stride, const char *in, int64_t in_stride) {
    if (out_stride == 1 && in_stride == 1) {
        memmove(out, in, (size_t)count * size);
        return;
    }
    ptrdiff_t out_step = out_stride * (ptrdiff_t)size, in_step = in_stride * (ptrdiff_t)size;
    switch (size) { // constant sizes become single moves
    case 1:
        for (int64_t i = 0; i < count; i++, out += out_step, in += in_step)
            *out = *in;
        break;
    case 4:
        for (int64_t i = 0; i < count; i++, out += out_step, in += in_step)
            memcpy(out, in, 4);
        break;
    case 8:
        for (int64_t i = 0; i < count; i++, out += out_step, in += in_step)
            memcpy(out, in, 8);
        break;
    default:
        for (int64_t i = 0; i < count; i++, out += out_step, in += in_step)
            memcpy(out, in, size);
        break;
    }
}

void copy_strided(
    int rank, const int64_t *dims, size_t element_size, char *out, const int64_t *out_strides,
    const char *in, const int64_t *in_strides) {
    if (rank == 0) {
        memcpy(out, in, element_size);
        return;
    }
    int64_t count = 0;
    if (!checked_product(dims, rank, &count) || count == 0) return;
    int64_t index[MAX_RANK] = {0};
    int64_t out_at = 0, in_at = 0;
    for (;;) {
        copy_row(
            dims[rank - 1], element_size, out + out_at * (int64_t)element_size,
            out_strides[rank - 1], in + in_at * (int64_t)element_size, in_strides[rank - 1]);
        int d = rank - 2;
        for (; d >= 0; d--) {
            out_at += out_strides[d];
            in_at += in_strides[d];
            if (++index[d] < dims[d]) break;
            out_at -= dims[d] * out_strides[d];
            in_at -= dims[d] * in_strides[d];
            index[d] = 0;
        }
        if (d < 0) return;
    }
}

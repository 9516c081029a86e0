// Ops that move elements: constants, iota, broadcasts, slices, pads,
// concatenation, transposes, bit casts.
#include "ir/eval/ops/eval_shape.h"

#include <string.h>

static void fill_elements(char *out, int64_t count, size_t size, const void *element) {
    for (int64_t i = 0; i < count; i++)
        memcpy(out + (size_t)i * size, element, size);
}

Tensor *eval_attr_tensor(Eval *eval, const Op *op, const Attr *elements, const Type *type) {
    Tensor *tensor = eval_tensor(eval, op, type);
    if (!tensor) return NULL;
    int64_t count = tensor_count(tensor);
    size_t size = element_bytes(elements->type->element);
    if (size != element_bytes(type->element) || count != type_element_count(elements->type)) {
        eval_fail(eval, op, "has a value of another type than its result");
        return NULL;
    }
    if (elements->is_splat)
        fill_elements(tensor->data, count, size, elements->data);
    else if (count)
        memcpy(tensor->data, elements->data, (size_t)count * size);
    return tensor;
}

bool eval_constant(Eval *eval, const Op *op) {
    const Attr *value = op_attr(op, NAME_VALUE);
    if (!value || value->kind != ATTR_ELEMENTS) return eval_fail(eval, op, "has no dense value");
    const Type *type = op_result_type(op, 0);
    Tensor *result = eval_attr_tensor(eval, op, value, type_is_static(type) ? type : value->type);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

Tensor *eval_make_iota(Eval *eval, const Op *op, const Type *type, int dimension) {
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return NULL;
    size_t size = element_bytes(type->element);
    int64_t count = type->dims[dimension];
    char *steps = eval_scratch(eval, op, count, size);
    if (!steps) return NULL;
    for (int64_t i = 0; i < count; i++)
        scalar_convert(ELEMENT_I64, &i, type->element, steps + (size_t)i * size, 1);
    int64_t in[MAX_RANK] = {0}, out[MAX_RANK];
    in[dimension] = 1;
    row_major_strides(type->rank, type->dims, out);
    copy_strided(type->rank, type->dims, size, result->data, out, steps, in);
    return result;
}

bool eval_iota(Eval *eval, const Op *op) {
    const Type *type = op_result_type(op, 0);
    int64_t dimension = op_int(op, NAME_IOTA_DIMENSION, 0);
    if (dimension < 0 || dimension >= type->rank)
        return eval_fail(eval, op, "has an iota dimension out of range");
    Tensor *result = eval_make_iota(eval, op, type, (int)dimension);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

// Operand dimension d becomes result dimension to[d]; a dimension of size one is repeated.
Tensor *eval_make_broadcast(
    Eval *eval, const Op *op, const Tensor *operand, const Type *type, const int64_t *to) {
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return NULL;
    int64_t own[MAX_RANK], in[MAX_RANK] = {0}, out[MAX_RANK];
    row_major_strides(operand->type->rank, operand->type->dims, own);
    row_major_strides(type->rank, type->dims, out);
    for (int d = 0; d < operand->type->rank; d++) {
        bool is_right =
            to[d] >= 0 && to[d] < type->rank &&
            (operand->type->dims[d] == 1 || operand->type->dims[d] == type->dims[to[d]]);
        if (!is_right) {
            eval_fail(eval, op, "cannot broadcast dimension %d", d);
            return NULL;
        }
        if (operand->type->dims[d] != 1) in[to[d]] = own[d];
    }
    copy_strided(
        type->rank, type->dims, element_bytes(type->element), result->data, out, operand->data, in);
    return result;
}

bool eval_broadcast_in_dim(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int64_t to[MAX_RANK];
    eval_ints(op, NAME_BROADCAST_DIMENSIONS, operand->type->rank, 0, to);
    Tensor *result = eval_make_broadcast(eval, op, operand, op_result_type(op, 0), to);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_broadcast(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    const Type *type = op_result_type(op, 0);
    int64_t to[MAX_RANK];
    for (int d = 0; d < operand->type->rank; d++)
        to[d] = type->rank - operand->type->rank + d;
    Tensor *result = eval_make_broadcast(eval, op, operand, type, to);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_reshape(Eval *eval, const Op *op) {
    Tensor *operand = eval_operand(eval, op, 0);
    const Type *type = op_result_type(op, 0);
    if (!type_is_static(type)) return eval_unsupported(eval, op, "with a dynamic shape");
    eval_set_result(eval, op, 0, eval_view(eval, type, operand));
    return true;
}

bool eval_transposed(
    Eval *eval, const Op *op, const Tensor *in, const int *permutation, char **out) {
    int rank = in->type->rank;
    size_t size = element_bytes(in->type->element);
    int64_t own[MAX_RANK], strides[MAX_RANK], dims[MAX_RANK], out_strides[MAX_RANK];
    row_major_strides(rank, in->type->dims, own);
    for (int d = 0; d < rank; d++) {
        dims[d] = in->type->dims[permutation[d]];
        strides[d] = own[permutation[d]];
    }
    row_major_strides(rank, dims, out_strides);
    *out = eval_scratch(eval, op, tensor_count(in), size);
    if (!*out) return false;
    copy_strided(rank, dims, size, *out, out_strides, in->data, strides);
    return true;
}

bool eval_transpose(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int rank = operand->type->rank;
    int64_t permutation[MAX_RANK], own[MAX_RANK], in[MAX_RANK], out[MAX_RANK];
    eval_ints(op, NAME_PERMUTATION, rank, 0, permutation);
    row_major_strides(rank, operand->type->dims, own);
    Type like = *operand->type;
    for (int d = 0; d < rank; d++) {
        if (permutation[d] < 0 || permutation[d] >= rank)
            return eval_fail(eval, op, "has a bad permutation");
        in[d] = own[permutation[d]];
        like.dims[d] = operand->type->dims[permutation[d]];
    }
    Tensor *result = eval_tensor(eval, op, eval_result_type(eval, op, 0, &like));
    if (!result) return false;
    row_major_strides(rank, result->type->dims, out);
    copy_strided(
        rank, result->type->dims, element_bytes(like.element), result->data, out, operand->data,
        in);
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_reverse(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int rank = operand->type->rank;
    size_t size = element_bytes(operand->type->element);
    Tensor *result = eval_tensor(eval, op, operand->type);
    if (!result) return false;
    int64_t in[MAX_RANK], out[MAX_RANK], start = 0;
    row_major_strides(rank, operand->type->dims, in);
    row_major_strides(rank, operand->type->dims, out);
    IntSpan reversed = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < reversed.count; i++) {
        int64_t d = reversed.data[i];
        if (d < 0 || d >= rank) return eval_fail(eval, op, "reverses a dimension out of range");
        start += in[d] * (operand->type->dims[d] - 1);
        in[d] = -in[d];
    }
    if (tensor_count(operand) > 0) {
        copy_strided(
            rank, operand->type->dims, size, result->data, out,
            (const char *)operand->data + start * (int64_t)size, in);
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

Tensor *eval_make_slice(
    Eval *eval, const Op *op, const Tensor *operand, const Type *type, const int64_t *start,
    const int64_t *stride) {
    int rank = operand->type->rank;
    size_t size = element_bytes(operand->type->element);
    for (int d = 0; d < rank; d++) {
        int64_t count = type->dims[d];
        if (count > 0 && (start[d] < 0 || start[d] >= operand->type->dims[d] || stride[d] < 1 ||
                          (count - 1) > (operand->type->dims[d] - 1 - start[d]) / stride[d])) {
            eval_fail(eval, op, "slices beyond dimension %d", d);
            return NULL;
        }
    }
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return NULL;
    int64_t in[MAX_RANK] = {0}, out[MAX_RANK], at = 0;
    row_major_strides(rank, operand->type->dims, in);
    row_major_strides(rank, type->dims, out);
    for (int d = 0; d < rank; d++) {
        at += start[d] * in[d];
        in[d] *= stride[d];
    }
    if (tensor_count(result) > 0)
        copy_strided(
            rank, type->dims, size, result->data, out,
            (const char *)operand->data + at * (int64_t)size, in);
    return result;
}

bool eval_slice(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int rank = operand->type->rank;
    int64_t start[MAX_RANK], stride[MAX_RANK];
    eval_ints(op, NAME_START_INDICES, rank, 0, start);
    eval_ints(op, NAME_STRIDES, rank, 1, stride);
    Tensor *result = eval_make_slice(eval, op, operand, op_result_type(op, 0), start, stride);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

// Operand element i of a dimension lands at low + i * (interior + 1), if that is inside.
Tensor *eval_make_pad(
    Eval *eval, const Op *op, const Tensor *operand, const Tensor *padding, const Type *type,
    const int64_t *low, const int64_t *interior) {
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return NULL;
    size_t size = element_bytes(type->element);
    int rank = type->rank;
    fill_elements(result->data, tensor_count(result), size, padding->data);
    int64_t in[MAX_RANK], out[MAX_RANK], dims[MAX_RANK], in_at = 0, out_at = 0;
    row_major_strides(rank, operand->type->dims, in);
    row_major_strides(rank, type->dims, out);
    for (int d = 0; d < rank; d++) {
        int64_t step = interior[d] + 1;
        int64_t first = low[d] < 0 ? (-low[d] + step - 1) / step : 0;
        int64_t room = type->dims[d] - 1 - low[d];
        int64_t end = room < 0 ? 0 : room / step + 1;
        if (end > operand->type->dims[d]) end = operand->type->dims[d];
        dims[d] = end > first ? end - first : 0;
        if (dims[d] == 0) return result;
        in_at += first * in[d];
        out_at += (low[d] + first * step) * out[d];
        out[d] *= step;
    }
    copy_strided(
        rank, dims, size, (char *)result->data + out_at * (int64_t)size, out,
        (const char *)operand->data + in_at * (int64_t)size, in);
    return result;
}

bool eval_pad(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    int64_t low[MAX_RANK], interior[MAX_RANK];
    eval_ints(op, NAME_EDGE_PADDING_LOW, operand->type->rank, 0, low);
    eval_ints(op, NAME_INTERIOR_PADDING, operand->type->rank, 0, interior);
    Tensor *result = eval_make_pad(
        eval, op, operand, eval_operand(eval, op, 1), op_result_type(op, 0), low, interior);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_concatenate(Eval *eval, const Op *op) {
    Type like = *eval_operand(eval, op, 0)->type;
    int64_t dimension = op_int(op, NAME_DIMENSION, 0);
    if (dimension < 0 || dimension >= like.rank)
        return eval_fail(eval, op, "has a dimension out of range");
    for (int i = 1; i < op->operand_count; i++)
        like.dims[dimension] += eval_operand(eval, op, i)->type->dims[dimension];
    Tensor *result = eval_tensor(eval, op, eval_result_type(eval, op, 0, &like));
    if (!result) return false;
    size_t size = element_bytes(like.element);
    int64_t in[MAX_RANK], out[MAX_RANK], at = 0;
    row_major_strides(like.rank, result->type->dims, out);
    for (int i = 0; i < op->operand_count; i++) {
        const Tensor *part = eval_operand(eval, op, i);
        row_major_strides(like.rank, part->type->dims, in);
        if (tensor_count(part) > 0) {
            copy_strided(
                like.rank, part->type->dims, size,
                (char *)result->data + at * out[dimension] * (int64_t)size, out, part->data, in);
        }
        at += part->type->dims[dimension];
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

// A start index, clamped so that the slice fits.
static int64_t clamped_start(const Tensor *start, int64_t dim, int64_t size) {
    int64_t x = tensor_int(start, 0);
    if (element_class(start->type->element) == CLASS_UINT && x < 0) x = INT64_MAX;
    if (x > dim - size) x = dim - size;
    return x < 0 ? 0 : x;
}

bool eval_dynamic_slice(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0);
    const Type *type = op_result_type(op, 0);
    int64_t start[MAX_RANK] = {0}, stride[MAX_RANK] = {0};
    if (!type_is_static(type)) return eval_unsupported(eval, op, "with a dynamic shape");
    for (int d = 0; d < type->rank; d++) {
        start[d] =
            clamped_start(eval_operand(eval, op, 1 + d), operand->type->dims[d], type->dims[d]);
        stride[d] = 1;
    }
    Tensor *result = eval_make_slice(eval, op, operand, type, start, stride);
    if (!result) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_dynamic_update_slice(Eval *eval, const Op *op) {
    const Tensor *operand = eval_operand(eval, op, 0), *update = eval_operand(eval, op, 1);
    const Type *type = operand->type;
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return false;
    size_t size = element_bytes(type->element);
    int64_t in[MAX_RANK], out[MAX_RANK], at = 0;
    row_major_strides(type->rank, update->type->dims, in);
    row_major_strides(type->rank, type->dims, out);
    for (int d = 0; d < type->rank; d++) {
        if (update->type->dims[d] > type->dims[d])
            return eval_fail(eval, op, "has an update larger than its operand");
        at += out[d] *
              clamped_start(eval_operand(eval, op, 2 + d), type->dims[d], update->type->dims[d]);
    }
    if (tensor_count(operand) > 0) memcpy(result->data, operand->data, type_bytes(type));
    if (tensor_count(update) > 0) {
        copy_strided(
            type->rank, update->type->dims, size, (char *)result->data + at * (int64_t)size, out,
            update->data, in);
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

// --- bitcast_convert ---

static uint64_t element_pattern(const char *data, size_t size) {
    uint64_t pattern = 0;
    memcpy(&pattern, data, size < 8 ? size : 8);
    return pattern;
}

// Elements narrower than a byte (or i1): `ratio` narrow ones are one wide one, the first in its
// lowest bits.
static void repack_bits(const Type *from, const char *in, const Type *to, char *out) {
    int from_bits = element_bits(from->element), to_bits = element_bits(to->element);
    size_t from_size = element_bytes(from->element), to_size = element_bytes(to->element);
    int64_t count = type_element_count(to);
    uint64_t mask = from_bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << from_bits) - 1;
    for (int64_t i = 0; i < count; i++) {
        uint64_t pattern = 0;
        if (from_bits >= to_bits) {
            int64_t ratio = from_bits / to_bits;
            pattern = element_pattern(in + (size_t)(i / ratio) * from_size, from_size) & mask;
            pattern >>= (i % ratio) * to_bits;
        } else {
            int64_t ratio = to_bits / from_bits;
            for (int64_t k = 0; k < ratio; k++) {
                uint64_t part =
                    element_pattern(in + (size_t)(i * ratio + k) * from_size, from_size) & mask;
                pattern |= part << (k * from_bits);
            }
        }
        if (to_bits < 64) pattern &= ((uint64_t)1 << to_bits) - 1;
        if (element_class(to->element) == CLASS_SINT) {
            int64_t signed_pattern = (int64_t)pattern;
            scalar_store_int(to->element, &signed_pattern, 1, out + (size_t)i * to_size);
        } else {
            memcpy(out + (size_t)i * to_size, &pattern, to_size < 8 ? to_size : 8);
        }
    }
}

bool eval_bitcast_convert(Eval *eval, const Op *op) {
    Tensor *operand = eval_operand(eval, op, 0);
    const Type *from = operand->type, *to = op_result_type(op, 0);
    if (!type_is_static(to)) to = eval_result_type(eval, op, 0, from);
    int from_bits = element_bits(from->element), to_bits = element_bits(to->element);
    Tensor *result = eval_tensor(eval, op, to);
    if (!result) return false;
    if (type_element_count(from) * from_bits != type_element_count(to) * to_bits)
        return eval_fail(eval, op, "changes the number of bits");
    if (from_bits % 8 == 0 && to_bits % 8 == 0) {
        if (tensor_count(operand) > 0) memcpy(result->data, operand->data, type_bytes(to));
    } else if (from_bits > 64 || to_bits > 64) {
        return eval_unsupported(eval, op, "between i1 and 128 bits");
    } else {
        repack_bits(from, operand->data, to, result->data);
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

// --- tuples and tokens ---

bool eval_tuple(Eval *eval, const Op *op) {
    if (op->code == OP_GET_TUPLE_ELEMENT) {
        const Tensor *tuple = eval_operand(eval, op, 0);
        int64_t index = op_int(op, NAME_INDEX, 0);
        if (!tuple->parts || index < 0 || index >= tuple->type->part_count)
            return eval_fail(
                eval, op, "asks for part %lld, which the tuple does not have", (long long)index);
        eval_set_result(eval, op, 0, eval_retain(tuple->parts[index]));
        return true;
    }
    Tensor **parts = eval_scratch(eval, op, op->operand_count, sizeof *parts);
    if (!parts) return false;
    for (int i = 0; i < op->operand_count; i++)
        parts[i] = eval_retain(eval_operand(eval, op, i));
    Tensor *tuple = eval_tuple_tensor(eval, op, op_result_type(op, 0), op->operand_count, parts);
    if (!tuple) return false;
    eval_set_result(eval, op, 0, tuple);
    return true;
}

bool eval_token(Eval *eval, const Op *op) {
    Tensor *token = eval_result_tensor(eval, op, 0);
    if (!token) return false;
    eval_set_result(eval, op, 0, token);
    return true;
}

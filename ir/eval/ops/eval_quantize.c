// Quantised tensors: storage integers with a scale and a zero point per tensor
// or per slice of one dimension.
//
// quantise    round(x / scale) + zero_point, clamped to the storage range (round to
//             nearest even); NaN is stored as 0
// dequantise  (q - zero_point) * scale
// Any op on quantised tensors: dequantise the operands, compute in the
// expressed type, quantise the results.
#include "ir/eval/eval_internal.h"

#include <math.h>
#include <string.h>

// Which scale element i of a tensor uses.
static int scale_index(const Type *type, int64_t i, int64_t inner) {
    const QuantParams *quant = type->quant;
    return quant->axis < 0 || quant->count <= 1 ? 0 : (int)(i / inner % type->dims[quant->axis]);
}

static int64_t elements_below(const Type *type) {
    int64_t inner = 1;
    for (int d = type->rank - 1; type->quant->axis >= 0 && d > type->quant->axis; d--)
        inner *= type->dims[d];
    return inner;
}

static void dequantize(const Type *type, const void *in, double *out) {
    int64_t count = type_element_count(type), inner = elements_below(type);
    size_t size = element_bytes(type->element);
    for (int64_t i = 0; i < count; i++) {
        int64_t q = 0;
        int k = scale_index(type, i, inner);
        scalar_load_int(type->element, (const char *)in + (size_t)i * size, 1, 1, &q);
        // As the specification: in the expressed type.
        double scale = type->quant->scales[k], x = (double)(q - type->quant->zero_points[k]);
        out[i] =
            type->quant->expressed == ELEMENT_F64 ? x * scale : (double)((float)x * (float)scale);
    }
}

static void quantize(const Type *type, const double *in, void *out) {
    int64_t count = type_element_count(type), inner = elements_below(type);
    size_t size = element_bytes(type->element);
    for (int64_t i = 0; i < count; i++) {
        int k = scale_index(type, i, inner);
        double scale = type->quant->scales[k];
        double ratio = type->quant->expressed == ELEMENT_F64
                           ? in[i] / scale
                           : (double)((float)in[i] / (float)scale);
        double q = nearbyint(ratio) + (double)type->quant->zero_points[k];
        double low = (double)type->quant->storage_min, high = (double)type->quant->storage_max;
        if (isnan(q)) q = 0;
        q = q < low ? low : q > high ? high : q;
        int64_t stored = (int64_t)q;
        scalar_store_int(type->element, &stored, 1, (char *)out + (size_t)i * size);
    }
}

static const Type *expressed_type(Eval *eval, const Type *type) {
    if (type->kind != TYPE_TENSOR || !type->quant) return type;
    Type plain = *type;
    plain.quant = NULL;
    plain.element = type->quant->expressed;
    return type_intern(eval->module->context, &plain);
}

// A tensor in its expressed type; itself (one more user) when it is not quantised.
static Tensor *expressed(Eval *eval, const Op *op, Tensor *tensor) {
    const Type *type = tensor->type;
    if (type->kind != TYPE_TENSOR || !type->quant) return eval_retain(tensor);
    Tensor *plain = eval_tensor(eval, op, expressed_type(eval, type));
    double *numbers = eval_scratch(eval, op, tensor_count(tensor), sizeof *numbers);
    if (!plain || !numbers) return NULL;
    dequantize(type, tensor->data, numbers);
    scalar_store_real(plain->type->element, numbers, tensor_count(tensor), plain->data);
    return plain;
}

static Tensor *quantized(Eval *eval, const Op *op, Tensor *plain, const Type *type) {
    if (type->kind != TYPE_TENSOR || !type->quant) return eval_retain(plain);
    Tensor *tensor = eval_tensor(eval, op, type);
    double *numbers = eval_scratch(eval, op, tensor_count(plain), sizeof *numbers);
    if (!tensor || !numbers) return NULL;
    scalar_load_real(plain->type->element, plain->data, 1, tensor_count(plain), numbers);
    quantize(type, numbers, tensor->data);
    return tensor;
}

bool eval_quantize(Eval *eval, const Op *op) {
    Tensor *operand = eval_operand(eval, op, 0);
    Tensor *plain = expressed(eval, op, operand);
    const Type *type = eval_result_type(eval, op, 0, operand->type);
    Tensor *result = plain ? quantized(eval, op, plain, type) : NULL;
    if (!result) return false;
    eval_release(eval, plain);
    eval_set_result(eval, op, 0, result);
    return true;
}

// Runs a copy of the op whose values have the expressed types.
bool eval_quantized(Eval *eval, const Op *op) {
    int inputs = op->operand_count, outputs = op->result_count;
    Op plain = *op;
    plain.operands = eval_scratch(eval, op, inputs, sizeof *plain.operands);
    plain.results = eval_scratch(eval, op, outputs, sizeof *plain.results);
    Value *values = eval_scratch(eval, op, inputs, sizeof *values);
    if (!plain.operands || !plain.results || !values) return false;
    for (int i = 0; i < inputs; i++) {
        Tensor *tensor = expressed(eval, op, eval_operand(eval, op, i));
        if (!tensor) return false;
        values[i] = (Value){.type = tensor->type, .number = -1};
        plain.operands[i] = (Use){.owner = &plain, .value = &values[i]};
        eval_set(eval, &values[i], eval->lane, tensor);
    }
    for (int i = 0; i < outputs; i++)
        plain.results[i] =
            (Value){.type = expressed_type(eval, op_result_type(op, i)), .def = &plain, .index = i};
    if (!eval_plain(eval, &plain)) return false;
    for (int i = 0; i < outputs; i++) {
        Tensor *tensor = eval_get(eval, &plain.results[i], eval->lane);
        Tensor *result = quantized(eval, op, tensor, op_result_type(op, i));
        if (!result) return false;
        eval_set_result(eval, op, i, result);
        eval_set(eval, &plain.results[i], eval->lane, NULL);
    }
    for (int i = 0; i < inputs; i++)
        eval_set(eval, &values[i], eval->lane, NULL);
    return true;
}

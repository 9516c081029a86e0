// Pointwise ops, constants' kin that copy their operand, and map.
#include "ir/eval/eval_internal.h"

#include <string.h>

// The operand that has the result's shape: select and clamp also take scalars.
static const Type *shape_of_operands(Eval *eval, const Op *op) {
    const Type *type = eval_operand(eval, op, 0)->type;
    for (int i = 1; i < op->operand_count; i++) {
        const Type *other = eval_operand(eval, op, i)->type;
        if (other->rank > type->rank) type = other;
    }
    return type;
}

bool eval_pointwise(Eval *eval, const Op *op) {
    if (eval_has_quantized(op)) return eval_quantized(eval, op);
    const Type *type = eval_result_type(eval, op, 0, shape_of_operands(eval, op));
    Tensor *result = eval_tensor(eval, op, type);
    if (!result) return false;
    int64_t count = tensor_count(result);
    ScalarArg args[3];
    for (int i = 0; i < op->operand_count && i < 3; i++) {
        const Tensor *operand = eval_operand(eval, op, i);
        bool is_splat = operand->type->rank == 0;
        if (!is_splat && tensor_count(operand) != count)
            return eval_fail(eval, op, "has operands of different shapes at run time");
        args[i] = (ScalarArg){operand->data, operand->type->element, is_splat};
    }
    if (!scalar_apply(op->code, op, count, args, type->element, result->data))
        return eval_unsupported(eval, op, "on these element types");
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_map(Eval *eval, const Op *op) {
    Tensor *result =
        eval_tensor(eval, op, eval_result_type(eval, op, 0, eval_operand(eval, op, 0)->type));
    const void **args = eval_scratch(eval, op, op->operand_count, sizeof *args);
    ElementType *elements = eval_scratch(eval, op, op->operand_count, sizeof *elements);
    if (!result || !args || !elements) return false;
    for (int i = 0; i < op->operand_count; i++) {
        const Tensor *operand = eval_operand(eval, op, i);
        if (tensor_count(operand) != tensor_count(result))
            return eval_fail(eval, op, "has operands of different shapes");
        args[i] = operand->data;
        elements[i] = operand->type->element;
    }
    Body *body =
        eval_body(eval, op, op->regions[0], op->operand_count, elements, 1, &result->type->element);
    void *out = result->data;
    if (!body || !eval_body_run(eval, body, op, tensor_count(result), args, &out)) return false;
    eval_set_result(eval, op, 0, result);
    return true;
}

bool eval_identity(Eval *eval, const Op *op) {
    for (int i = 0; i < op->result_count; i++)
        eval_set_result(eval, op, i, eval_retain(eval_operand(eval, op, i)));
    return true;
}

bool eval_constant_like(Eval *eval, const Op *op) {
    Tensor *result =
        eval_tensor(eval, op, eval_result_type(eval, op, 0, eval_operand(eval, op, 0)->type));
    const Attr *value = op_attr(op, NAME_VALUE);
    if (!result) return false;
    if (!value) return eval_fail(eval, op, "has no value");
    ElementType element = result->type->element;
    size_t size = element_bytes(element);
    for (int64_t i = 0; i < tensor_count(result); i++) {
        char *out = (char *)result->data + (size_t)i * size;
        if (value->kind == ATTR_FLOAT)
            scalar_convert(ELEMENT_F64, &value->number, element, out, 1);
        else if (value->kind == ATTR_ELEMENTS)
            scalar_convert(value->type->element, value->data, element, out, 1);
        else
            scalar_convert(ELEMENT_I64, &value->integer, element, out, 1);
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

// --- chlo.broadcast_*: numpy's broadcasting, then the plain op ---

// Operand dim k lies on result dim to[k]: as broadcast_dimensions says for the one of
// smaller rank, else at the end.
static void broadcast_places(const Op *op, int rank, int result_rank, int64_t *to) {
    if (rank < result_rank && op_attr(op, NAME_BROADCAST_DIMENSIONS)) {
        eval_ints(op, NAME_BROADCAST_DIMENSIONS, rank, 0, to);
        return;
    }
    for (int d = 0; d < rank; d++)
        to[d] = result_rank - rank + d;
}

bool eval_chlo_broadcast(Eval *eval, const Op *op) {
    Type shape = *op_result_type(op, 0);
    shape.rank = 0;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = eval_operand(eval, op, i)->type;
        if (type->rank > shape.rank) shape.rank = type->rank;
    }
    for (int d = 0; d < shape.rank; d++)
        shape.dims[d] = 1;
    for (int i = 0; i < op->operand_count; i++) {
        const Type *type = eval_operand(eval, op, i)->type;
        int64_t to[MAX_RANK];
        broadcast_places(op, type->rank, shape.rank, to);
        for (int d = 0; d < type->rank; d++) {
            if (to[d] < 0 || to[d] >= shape.rank)
                return eval_fail(eval, op, "broadcasts to a dimension out of range");
            if (type->dims[d] != 1) shape.dims[to[d]] = type->dims[d];
        }
    }
    shape.unranked = false;
    Tensor *result = eval_tensor(eval, op, type_intern(eval->module->context, &shape));
    if (!result) return false;
    ScalarArg args[3];
    for (int i = 0; i < op->operand_count && i < 3; i++) {
        const Tensor *operand = eval_operand(eval, op, i);
        size_t size = element_bytes(operand->type->element);
        int64_t to[MAX_RANK], own[MAX_RANK], in[MAX_RANK] = {0}, out[MAX_RANK];
        broadcast_places(op, operand->type->rank, shape.rank, to);
        row_major_strides(operand->type->rank, operand->type->dims, own);
        row_major_strides(shape.rank, shape.dims, out);
        for (int d = 0; d < operand->type->rank; d++) {
            if (operand->type->dims[d] == 1) continue;
            if (operand->type->dims[d] != shape.dims[to[d]])
                return eval_fail(eval, op, "has operands that do not broadcast to one shape");
            in[to[d]] = own[d];
        }
        char *spread = eval_scratch(eval, op, tensor_count(result), size);
        if (!spread) return false;
        copy_strided(shape.rank, shape.dims, size, spread, out, operand->data, in);
        args[i] = (ScalarArg){spread, operand->type->element, false};
    }
    if (!scalar_apply(op->code, op, tensor_count(result), args, shape.element, result->data))
        return eval_unsupported(eval, op, "on these element types");
    eval_set_result(eval, op, 0, result);
    return true;
}

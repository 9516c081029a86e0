// batch_norm_training, batch_norm_inference and batch_norm_grad, as the StableHLO
// specification writes them out.
#include "ir/legalize/legalize.h"

typedef struct BatchNorm {
    Legalizer *legalizer;
    Builder builder;
    Value *operand;
    const Type *type; // the operand's
    int64_t feature;
    double epsilon;
} BatchNorm;

// A per-feature vector in the operand's shape.
static Value *spread(BatchNorm *norm, Value *vector) {
    return build_broadcast_in_dim(&norm->builder, vector, norm->type, &norm->feature);
}

static Value *op2(BatchNorm *norm, OpCode code, Value *x, Value *y) {
    return build_binary(&norm->builder, code, x, y);
}

static Value *sum_per_feature(BatchNorm *norm, Value *x) {
    int64_t dims[MAX_RANK];
    int count = 0;
    for (int d = 0; d < norm->type->rank; d++) {
        if (d != norm->feature) dims[count++] = d;
    }
    return build_reduce(&norm->builder, OP_ADD, x, count, dims);
}

static double elements_per_feature(const BatchNorm *norm) {
    double count = 1;
    for (int d = 0; d < norm->type->rank; d++) {
        if (d != norm->feature) count *= (double)norm->type->dims[d];
    }
    return count;
}

static Value *mean_per_feature(BatchNorm *norm, Value *x) {
    Value *sum = sum_per_feature(norm, x);
    Value *count = build_splat(&norm->builder, sum->type, elements_per_feature(norm));
    return op2(norm, OP_DIVIDE, sum, count);
}

// variance + epsilon, in the operand's shape
static Value *shifted_variance(BatchNorm *norm, Value *variance) {
    Value *epsilon = build_splat(&norm->builder, norm->type, norm->epsilon);
    return op2(norm, OP_ADD, spread(norm, variance), epsilon);
}

static Value *normalise(
    BatchNorm *norm, Value *scale, Value *offset, Value *mean, Value *variance) {
    Value *centered = op2(norm, OP_SUBTRACT, norm->operand, spread(norm, mean));
    Value *stddev = build_unary(&norm->builder, OP_SQRT, shifted_variance(norm, variance));
    Value *normal = op2(norm, OP_DIVIDE, centered, stddev);
    Value *shift = spread(norm, offset);
    Value *scaled = op2(norm, OP_MULTIPLY, spread(norm, scale), normal);
    return op2(norm, OP_ADD, scaled, shift);
}

static bool legalize_inference(BatchNorm *norm, Op *op) {
    Value *result =
        normalise(norm, op_operand(op, 1), op_operand(op, 2), op_operand(op, 3), op_operand(op, 4));
    return legalize_replace_one(norm->legalizer, op, result);
}

static bool legalize_training(BatchNorm *norm, Op *op) {
    Value *mean = mean_per_feature(norm, norm->operand);
    Value *centered = op2(norm, OP_SUBTRACT, norm->operand, spread(norm, mean));
    Value *variance = mean_per_feature(norm, op2(norm, OP_MULTIPLY, centered, centered));
    Value *result = normalise(norm, op_operand(op, 1), op_operand(op, 2), mean, variance);
    return legalize_replace(norm->legalizer, op, (Value *[]){result, mean, variance});
}

// operand, scale, mean, variance, grad_output; the names i1 ... i6 are the specification's
static bool legalize_grad(BatchNorm *norm, Op *op) {
    Value *scale = op_operand(op, 1), *mean = op_operand(op, 2), *variance = op_operand(op, 3);
    Value *grad = op_operand(op, 4);
    Value *centered = op2(norm, OP_SUBTRACT, norm->operand, spread(norm, mean));
    Value *shifted = shifted_variance(norm, variance);
    Value *stddev = build_unary(&norm->builder, OP_SQRT, shifted);
    Value *normal = op2(norm, OP_DIVIDE, centered, stddev);
    Value *count = build_splat(&norm->builder, norm->type, elements_per_feature(norm));
    Value *grad_offset = sum_per_feature(norm, grad);
    Value *i1 = op2(norm, OP_MULTIPLY, grad, count);
    Value *i2 = spread(norm, grad_offset);
    Value *i3 = spread(norm, sum_per_feature(norm, op2(norm, OP_MULTIPLY, grad, centered)));
    Value *i4 = op2(norm, OP_MULTIPLY, i3, centered);
    Value *i5 = op2(norm, OP_DIVIDE, i4, shifted);
    Value *i6 = op2(norm, OP_SUBTRACT, op2(norm, OP_SUBTRACT, i1, i2), i5);
    Value *factor = op2(norm, OP_DIVIDE, op2(norm, OP_DIVIDE, spread(norm, scale), stddev), count);
    Value *grad_operand = op2(norm, OP_MULTIPLY, factor, i6);
    Value *grad_scale = sum_per_feature(norm, op2(norm, OP_MULTIPLY, grad, normal));
    return legalize_replace(
        norm->legalizer, op, (Value *[]){grad_operand, grad_scale, grad_offset});
}

typedef bool NormFn(BatchNorm *norm, Op *op);

static bool convert_norm(Legalizer *legalizer, Op *op, NormFn *function) {
    for (int i = 0; i < op->operand_count; i++) {
        if (!type_is_static(op_operand_type(op, i)) || op_operand_type(op, i)->quant) return false;
    }
    BatchNorm norm = {
        .legalizer = legalizer,
        .builder = builder_before(legalizer->module, op),
        .operand = op_operand(op, 0),
        .type = op_operand_type(op, 0),
        .feature = op_int(op, NAME_FEATURE_INDEX, 0),
        .epsilon = op_attr(op, NAME_EPSILON)->number};
    return function(&norm, op);
}

bool convert_batch_norm_inference(Legalizer *legalizer, Op *op) {
    return convert_norm(legalizer, op, legalize_inference);
}

bool convert_batch_norm_training(Legalizer *legalizer, Op *op) {
    return convert_norm(legalizer, op, legalize_training);
}

bool convert_batch_norm_grad(Legalizer *legalizer, Op *op) {
    return convert_norm(legalizer, op, legalize_grad);
}

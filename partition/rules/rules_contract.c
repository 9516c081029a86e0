// rules_contract: matrix products, convolutions, reductions.
#include "partition/rules/rule_builder.h"

// Order: batch, free dims of lhs, free dims of rhs, contracting.
bool rule_dot_general(const Op *op, RuleBuilder *rule) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Attr *attr = op_attr(op, NAME_DOT_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_DOT_DIMS) return false;
    const DotDims *dims = attr->dot;
    int out = 0;
    for (int i = 0; i < dims->lhs_batch.count; i++, out++) {
        int l = (int)dims->lhs_batch.data[i], r = (int)dims->rhs_batch.data[i];
        rule_add(rule, (int[]){l, r}, &out, lhs->dims[l], FACTOR_PASS_THROUGH, false);
    }
    for (int d = 0; d < lhs->rank; d++) {
        if (ints_contain(dims->lhs_contracting, d) || ints_contain(dims->lhs_batch, d)) continue;
        rule_add(rule, (int[]){d, NO_DIM}, &out, lhs->dims[d], FACTOR_PASS_THROUGH, false);
        out++;
    }
    for (int d = 0; d < rhs->rank; d++) {
        if (ints_contain(dims->rhs_contracting, d) || ints_contain(dims->rhs_batch, d)) continue;
        rule_add(rule, (int[]){NO_DIM, d}, &out, rhs->dims[d], FACTOR_PASS_THROUGH, false);
        out++;
    }
    for (int i = 0; i < dims->lhs_contracting.count; i++) {
        int l = (int)dims->lhs_contracting.data[i], r = (int)dims->rhs_contracting.data[i];
        rule_add(rule, (int[]){l, r}, (int[]){NO_DIM}, lhs->dims[l], FACTOR_REDUCTION, false);
    }
    return true;
}

// Vector or matrix times vector or matrix.
bool rule_dot(const Op *op, RuleBuilder *rule) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (lhs->rank < 1 || lhs->rank > 2 || rhs->rank < 1 || rhs->rank > 2) return false;
    bool lhs_matrix = lhs->rank == 2, rhs_matrix = rhs->rank == 2;
    if (lhs_matrix) {
        rule_add(rule, (int[]){0, NO_DIM}, (int[]){0}, lhs->dims[0], FACTOR_PASS_THROUGH, false);
    }
    if (rhs_matrix) {
        rule_add(
            rule, (int[]){NO_DIM, 1}, (int[]){lhs_matrix ? 1 : 0}, rhs->dims[1],
            FACTOR_PASS_THROUGH, false);
    }
    rule_add(
        rule, (int[]){lhs_matrix ? 1 : 0, 0}, (int[]){NO_DIM}, rhs->dims[0], FACTOR_REDUCTION,
        false);
    return true;
}

// A spatial dim of the input may be split over the windows (the result's dim) or over one window
// (the kernel's dim); the larger of the two comes first.
static void add_spatial(
    RuleBuilder *rule, int lhs_dim, int rhs_dim, int out_dim, int64_t lhs_size, int64_t windows,
    int64_t window) {
    int64_t left = lhs_size;
    bool windows_first = windows >= window;
    for (int step = 0; step < 2; step++) {
        bool is_window = (step == 0) != windows_first;
        int64_t size = is_window ? window : windows;
        if (size > left) size = left;
        if (size <= 1) continue;
        rule_add(
            rule, (int[]){lhs_dim, is_window ? rhs_dim : NO_DIM},
            (int[]){is_window ? NO_DIM : out_dim}, size,
            is_window ? FACTOR_REDUCTION : FACTOR_PERMUTATION, false);
        left /= size;
    }
}

bool rule_convolution(const Op *op, RuleBuilder *rule) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1),
               *out = op_result_type(op, 0);
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_CONV_DIMS) return false;
    const ConvDims *dims = attr->conv;
    int64_t batch_groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1);
    int64_t feature_groups = op_int(op, NAME_FEATURE_GROUP_COUNT, 1);
    int in_batch = (int)dims->input_batch, in_feature = (int)dims->input_feature;
    int kernel_in = (int)dims->kernel_input_feature, kernel_out = (int)dims->kernel_output_feature;
    int out_batch = (int)dims->output_batch, out_feature = (int)dims->output_feature;
    if (batch_groups > 1) {
        rule_add(
            rule, (int[]){in_batch, kernel_out}, &out_feature, batch_groups, FACTOR_PASS_THROUGH,
            false);
    }
    rule_add(
        rule, (int[]){in_batch, NO_DIM}, &out_batch, out->dims[out_batch], FACTOR_PASS_THROUGH,
        false);
    for (int i = 0; i < dims->input_spatial.count && !rule->conservative; i++) {
        int l = (int)dims->input_spatial.data[i], r = (int)dims->kernel_spatial.data[i];
        int o = (int)dims->output_spatial.data[i];
        add_spatial(rule, l, r, o, lhs->dims[l], out->dims[o], rhs->dims[r]);
    }
    if (feature_groups > 1) {
        rule_add(
            rule, (int[]){in_feature, kernel_out}, &out_feature, feature_groups,
            FACTOR_PASS_THROUGH, false);
    }
    rule_add(
        rule, (int[]){in_feature, kernel_in}, (int[]){NO_DIM}, rhs->dims[kernel_in],
        FACTOR_REDUCTION, false);
    int64_t features = out->dims[out_feature] / (batch_groups * feature_groups);
    if (features > 1) {
        rule_add(
            rule, (int[]){NO_DIM, kernel_out}, &out_feature, features, FACTOR_PASS_THROUGH, false);
    }
    return true;
}

// Inputs and results share the kept dims; initial values have no part.
bool rule_reduce(const Op *op, RuleBuilder *rule) {
    int inputs = op->operand_count / 2;
    if (inputs == 0) return false;
    const Type *in = op_operand_type(op, 0);
    IntSpan reduced = op_ints(op, NAME_DIMENSIONS);
    int *operand_dims = ARENA_ARRAY(rule->arena, int, op->operand_count);
    int *result_dims = ARENA_ARRAY(rule->arena, int, op->result_count);
    int out = 0;
    for (int d = 0; d < in->rank; d++) {
        bool is_reduced = ints_contain(reduced, d);
        for (int i = 0; i < op->operand_count; i++)
            operand_dims[i] = i < inputs ? d : NO_DIM;
        for (int i = 0; i < op->result_count; i++)
            result_dims[i] = is_reduced ? NO_DIM : out;
        if (!is_reduced) out++;
        rule_add(
            rule, operand_dims, result_dims, in->dims[d],
            is_reduced ? FACTOR_REDUCTION : FACTOR_PASS_THROUGH, false);
    }
    return true;
}

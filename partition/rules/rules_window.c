// rules_window: windowed reductions, sort, transforms and decompositions.
#include "partition/rules/rule_builder.h"

static int64_t int_at(const int64_t *numbers, int i) { return numbers ? numbers[i] : 1; }

// A window of one element, stride 1 and no padding: the dim passes through.
typedef struct Window {
    const int64_t *sizes, *strides, *padding; // padding: [rank, 2]
} Window;

static Window window_of(Arena *arena, const Op *op, int rank) {
    return (Window){
        .sizes = op_ints_or(arena, op, NAME_WINDOW_DIMENSIONS, rank, 1),
        .strides = op_ints_or(arena, op, NAME_WINDOW_STRIDES, rank, 1),
        .padding = op_ints_or(arena, op, NAME_PADDING, 2 * rank, 0)};
}

static bool window_is_trivial(const Window *window, int d) {
    if (window->padding && (window->padding[2 * d] != 0 || window->padding[2 * d + 1] != 0))
        return false;
    return int_at(window->sizes, d) == 1 && int_at(window->strides, d) == 1;
}

// The input can be split over the windows, which are the result's elements.
bool rule_reduce_window(const Op *op, RuleBuilder *rule) {
    const Type *out = op_result_type(op, 0);
    Window window = window_of(rule->arena, op, out->rank);
    for (int d = 0; d < out->rank; d++) {
        bool trivial = window_is_trivial(&window, d);
        rule_add_all(
            rule, d, out->dims[d], trivial ? FACTOR_PASS_THROUGH : FACTOR_PERMUTATION,
            !trivial && rule->conservative);
    }
    return true;
}

bool rule_select_and_scatter(const Op *op, RuleBuilder *rule) {
    const Type *out = op_result_type(op, 0), *source = op_operand_type(op, 1);
    if (source->rank != out->rank) return false;
    Window window = window_of(rule->arena, op, out->rank);
    for (int d = 0; d < out->rank; d++) {
        if (window_is_trivial(&window, d)) {
            rule_add_all(rule, d, out->dims[d], FACTOR_PASS_THROUGH, false);
            continue;
        }
        rule_add(
            rule, (int[]){NO_DIM, d, NO_DIM}, (int[]){NO_DIM}, source->dims[d],
            FACTOR_NEED_REPLICATION, rule->conservative);
        rule_add(
            rule, (int[]){d, NO_DIM, NO_DIM}, &d, out->dims[d], FACTOR_PERMUTATION,
            rule->conservative);
    }
    return true;
}

// The sorted dim must be whole on each device; when it is the only dim, what
// shards it elsewhere stays there.
bool rule_sort(const Op *op, RuleBuilder *rule) {
    if (op->operand_count == 0) return false;
    const Type *type = op_operand_type(op, 0);
    int64_t sorted = op_int(op, NAME_DIMENSION, -1);
    if (sorted < 0) sorted += type->rank;
    bool is_only_dim = true;
    for (int d = 0; d < type->rank; d++) {
        if (d != sorted && type->dims[d] != 1) is_only_dim = false;
    }
    for (int d = 0; d < type->rank; d++) {
        FactorKind kind = d == sorted ? FACTOR_NEED_REPLICATION : FACTOR_PASS_THROUGH;
        rule_add_all(rule, d, type->dims[d], kind, d == sorted && is_only_dim);
    }
    return true;
}

// The last dims are transformed; a real transform changes the size of the last one.
bool rule_fft(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    const Attr *length = op_attr(op, NAME_FFT_LENGTH);
    int transformed = 0;
    if (length && length->kind == ATTR_INTS) transformed = length->count;
    if (length && length->kind == ATTR_ELEMENTS)
        transformed = (int)type_element_count(length->type);
    if (in->rank == 0 || in->rank != out->rank) return false;
    for (int d = 0; d < in->rank; d++) {
        bool is_last = d == in->rank - 1;
        FactorKind kind =
            d < in->rank - transformed ? FACTOR_PASS_THROUGH : FACTOR_NEED_REPLICATION;
        rule_add_all(rule, d, in->dims[d], kind, is_last && in->dims[d] != out->dims[d]);
    }
    return true;
}

bool rule_cholesky(const Op *op, RuleBuilder *rule) {
    const Type *type = op_operand_type(op, 0);
    for (int d = 0; d < type->rank; d++) {
        FactorKind kind = d < type->rank - 2 ? FACTOR_PASS_THROUGH : FACTOR_NEED_REPLICATION;
        rule_add_all(rule, d, type->dims[d], kind, false);
    }
    return true;
}

// op(a) x = b, or x op(a) = b.
bool rule_triangular_solve(const Op *op, RuleBuilder *rule) {
    const Type *a = op_operand_type(op, 0), *b = op_operand_type(op, 1);
    if (a->rank < 2 || a->rank != b->rank) return false;
    int row = a->rank - 2, column = a->rank - 1;
    for (int d = 0; d < row; d++)
        rule_add_all(rule, d, a->dims[d], FACTOR_PASS_THROUGH, false);
    int64_t transpose = op_int(op, NAME_TRANSPOSE_A, TRANSPOSE_NO_TRANSPOSE);
    bool transposed = transpose == TRANSPOSE_TRANSPOSE || transpose == TRANSPOSE_ADJOINT;
    bool left = op_int(op, NAME_LEFT_SIDE, 0) != 0;
    int a_free = transposed == left ? column : row,
        a_contracting = transposed == left ? row : column;
    FactorKind whole = FACTOR_NEED_REPLICATION;
    int none = NO_DIM;
    if (left) {
        rule_add(rule, (int[]){a_free, row}, &none, a->dims[a_free], whole, false);
        rule_add(rule, (int[]){NO_DIM, column}, &column, b->dims[column], whole, false);
        rule_add(rule, (int[]){a_contracting, NO_DIM}, &row, a->dims[a_contracting], whole, false);
    } else {
        rule_add(rule, (int[]){NO_DIM, row}, &row, b->dims[row], whole, false);
        rule_add(rule, (int[]){a_free, column}, &none, a->dims[a_free], whole, false);
        rule_add(
            rule, (int[]){a_contracting, NO_DIM}, &column, a->dims[a_contracting], whole, false);
    }
    return true;
}

// The state must be whole everywhere; the random bits may lie anyhow.
bool rule_rng_bit_generator(const Op *op, RuleBuilder *rule) {
    const Type *state = op_operand_type(op, 0), *out = op_result_type(op, 1);
    for (int d = 0; d < state->rank; d++) {
        rule_add(rule, &d, (int[]){d, NO_DIM}, state->dims[d], FACTOR_NEED_REPLICATION, true);
    }
    for (int d = 0; d < out->rank; d++) {
        rule_add(
            rule, (int[]){NO_DIM}, (int[]){NO_DIM, d}, out->dims[d], FACTOR_PASS_THROUGH, false);
    }
    return true;
}

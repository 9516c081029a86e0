// rules_gather: gather and scatter.
#include "partition/rules/rule_builder.h"

// Gather and scatter alike: an input, indices, and slices (the result of a
// gather, the updates of a scatter).
typedef struct Slicing {
    const Type *input, *indices, *slices;
    IntSpan offset_dims, collapsed_dims, input_batching, indices_batching;
    int64_t index_vector_dim;
    int scatter_inputs; // 0 = gather
    FactorKind scatter_batch_kind;
} Slicing;

static int find(IntSpan span, int64_t number) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == number) return i;
    }
    return -1;
}

// A scatter has its inputs, then the indices, then the updates; results lie as the inputs.
static void add(
    RuleBuilder *rule, const Slicing *s, int input, int indices, int slices, int64_t size,
    FactorKind kind, bool is_blocked) {
    if (s->scatter_inputs == 0) {
        rule_add(rule, (int[]){input, indices}, &slices, size, kind, is_blocked);
        return;
    }
    int *operands = ARENA_ARRAY(rule->arena, int, rule->operand_count);
    int *results = ARENA_ARRAY(rule->arena, int, rule->result_count);
    for (int i = 0; i < rule->operand_count; i++) {
        operands[i] = i < s->scatter_inputs ? input : i == s->scatter_inputs ? indices : slices;
    }
    for (int i = 0; i < rule->result_count; i++)
        results[i] = input;
    rule_add(rule, operands, results, size, kind, is_blocked);
}

// A dim of the slices that runs along a dim of the input.
static void add_offset_dim(RuleBuilder *rule, const Slicing *s, int input_dim, int slices_dim) {
    int64_t input_size = s->input->dims[input_dim], size = s->slices->dims[slices_dim];
    if (input_size == size) {
        add(rule, s, input_dim, NO_DIM, slices_dim, size, FACTOR_PASS_THROUGH, false);
    } else if (s->scatter_inputs > 0 || size == 1) {
        FactorKind kind = s->scatter_inputs > 0 ? FACTOR_NEED_REPLICATION : FACTOR_REDUCTION;
        add(rule, s, input_dim, NO_DIM, NO_DIM, input_size, kind, false);
        add(rule, s, NO_DIM, NO_DIM, slices_dim, size, FACTOR_NEED_REPLICATION, false);
    } else {
        add(rule, s, input_dim, NO_DIM, slices_dim, input_size, FACTOR_NEED_REPLICATION, true);
    }
}

static bool add_factors(RuleBuilder *rule, const Slicing *s) {
    int input_dim = 0, batch_position = 0;
    for (int d = 0; d < s->slices->rank; d++) {
        if (find(s->offset_dims, d) >= 0) {
            while (find(s->collapsed_dims, input_dim) >= 0 ||
                   find(s->input_batching, input_dim) >= 0)
                input_dim++;
            if (input_dim >= s->input->rank) return false;
            add_offset_dim(rule, s, input_dim++, d);
            continue;
        }
        int indices_dim =
            batch_position < s->index_vector_dim ? batch_position : batch_position + 1;
        batch_position++;
        int batch = find(s->indices_batching, indices_dim);
        if (batch >= s->input_batching.count) return false;
        int input_batch = batch >= 0 ? (int)s->input_batching.data[batch] : NO_DIM;
        FactorKind kind = FACTOR_PASS_THROUGH;
        if (s->scatter_inputs > 0 && batch < 0) kind = s->scatter_batch_kind;
        add(rule, s, input_batch, indices_dim, d, s->slices->dims[d], kind, false);
    }
    for (int i = 0; i < s->collapsed_dims.count; i++) {
        int d = (int)s->collapsed_dims.data[i];
        if (d < 0 || d >= s->input->rank) return false;
        int64_t size = s->input->dims[d];
        FactorKind kind = size == 1 ? FACTOR_NEED_REPLICATION : FACTOR_REDUCTION;
        if (s->scatter_inputs > 0) kind = FACTOR_PASS_THROUGH;
        add(rule, s, d, NO_DIM, NO_DIM, size, kind, false);
    }
    if (s->index_vector_dim < s->indices->rank) {
        int d = (int)s->index_vector_dim;
        add(rule, s, NO_DIM, d, NO_DIM, s->indices->dims[d], FACTOR_NEED_REPLICATION, false);
    }
    return true;
}

bool rule_gather(const Op *op, RuleBuilder *rule) {
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    if (!attr || attr->kind != ATTR_GATHER_DIMS) return false;
    const GatherDims *dims = attr->gather;
    Slicing slicing = {
        .input = op_operand_type(op, 0),
        .indices = op_operand_type(op, 1),
        .slices = op_result_type(op, 0),
        .offset_dims = dims->offset_dims,
        .collapsed_dims = dims->collapsed_slice_dims,
        .input_batching = dims->operand_batching_dims,
        .indices_batching = dims->start_indices_batching_dims,
        .index_vector_dim = dims->index_vector_dim};
    return add_factors(rule, &slicing);
}

// Are all inputs combined with their updates by one op that can be split over devices: add,
// multiply, maximum, minimum, and and/or of truth values?
static bool body_is_reduction(const Op *op, int inputs) {
    OpCode code = op->region_count > 0 ? region_combining_op(op->regions[0]) : OP_COUNT;
    bool is_logical = true;
    for (int i = 0; i < inputs; i++)
        is_logical = is_logical && op_operand_type(op, i)->element == ELEMENT_I1;
    return code == OP_ADD || code == OP_MULTIPLY || code == OP_MAXIMUM || code == OP_MINIMUM ||
           (is_logical && (code == OP_AND || code == OP_OR));
}

bool rule_scatter(const Op *op, RuleBuilder *rule) {
    const Attr *attr = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS);
    int inputs = op->operand_count / 2;
    if (!attr || attr->kind != ATTR_SCATTER_DIMS || inputs == 0 ||
        op->operand_count != 2 * inputs + 1)
        return false;
    const ScatterDims *dims = attr->scatter;
    Slicing slicing = {
        .input = op_operand_type(op, 0),
        .indices = op_operand_type(op, inputs),
        .slices = op_operand_type(op, inputs + 1),
        .offset_dims = dims->update_window_dims,
        .collapsed_dims = dims->inserted_window_dims,
        .input_batching = dims->input_batching_dims,
        .indices_batching = dims->scatter_indices_batching_dims,
        .index_vector_dim = dims->index_vector_dim,
        .scatter_inputs = inputs,
        .scatter_batch_kind =
            body_is_reduction(op, inputs) ? FACTOR_REDUCTION : FACTOR_NEED_REPLICATION};
    return add_factors(rule, &slicing);
}

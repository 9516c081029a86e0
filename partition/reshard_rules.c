// reshard_rules: which factors of which ops must not be sharded because the op's local form needs them whole.
#include "partition/reshard_rules.h"

// Does dimension d of a tensor have the factor?
static bool dim_has(const TensorFactors *tensor, int64_t d, int factor) {
    for (int i = 0; i < tensor->dims[d].count; i++) {
        if (tensor->dims[d].factors[i] == factor) return true;
    }
    return false;
}

// A spatial dimension has two factors: positions of the window (left operand and result) and positions in the window (left operand and
// kernel). One of them may be sharded: positions in the window for kernels that are as large as the input (gradients of
// kernels), else positions of the window.
static bool shards_kernel(Arena *arena, const Op *op, const ConvDims *dims, int i) {
    int count = dims->input_spatial.count;
    int64_t in = op_operand_type(op, 0)->dims[dims->input_spatial.data[i]];
    int64_t kernel = op_operand_type(op, 1)->dims[dims->kernel_spatial.data[i]];
    bool reversed = op_ints_or(arena, op, NAME_WINDOW_REVERSAL, count, 0)[i];
    bool dilated = op_ints_or(arena, op, NAME_LHS_DILATION, count, 1)[i] != 1;
    return !reversed && !dilated && 2 * kernel > in;
}

static bool conv_needs_whole(Arena *arena, const Op *op, const ShardingRule *rule, int f) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const TensorFactors *lhs = &rule->operands[0], *rhs = &rule->operands[1];
    const TensorFactors *out = &rule->results[0];
    for (int i = 0; i < dims->input_spatial.count; i++) {
        bool in_lhs = dim_has(lhs, dims->input_spatial.data[i], f);
        bool in_rhs = dim_has(rhs, dims->kernel_spatial.data[i], f);
        bool in_out = dim_has(out, dims->output_spatial.data[i], f);
        bool by_kernel = shards_kernel(arena, op, dims, i);
        if ((in_rhs && !(by_kernel && in_lhs)) || (in_out && by_kernel)) return true;
        if (in_lhs && !in_rhs && !in_out) return true;
    }
    if (op_int(op, NAME_FEATURE_GROUP_COUNT, 1) > 1) {
        return dim_has(rhs, dims->kernel_input_feature, f);
    }
    if (op_int(op, NAME_BATCH_GROUP_COUNT, 1) > 1) return dim_has(out, dims->output_batch, f);
    return false;
}

const ShardingRule *reshard_rule(Arena *arena, const Op *op, const ShardingRule *rule) {
    if (op->code != OP_CONVOLUTION) return rule;
    ShardingRule *strict = ARENA_NEW(arena, ShardingRule);
    Factor *factors = ARENA_ARRAY(arena, Factor, rule->factor_count);
    *strict = *rule;
    for (int f = 0; f < rule->factor_count; f++) {
        factors[f] = rule->factors[f];
        if (conv_needs_whole(arena, op, rule, f)) factors[f].kind = FACTOR_NEED_REPLICATION;
    }
    strict->factors = factors;
    return strict;
}

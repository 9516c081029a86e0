// reshard_rules: what must be whole, and what may be sharded, in the local forms of ops.
#include "partition/reshard/reshard_rules.h"

#include "ir/analysis/data_flow.h"
#include "ir/analysis/loops.h"

// Does dimension d of a tensor have the factor?
static bool dim_has(const TensorFactors *tensor, int64_t d, int factor) {
    for (int i = 0; i < tensor->dims[d].count; i++) {
        if (tensor->dims[d].factors[i] == factor) return true;
    }
    return false;
}

// A spatial dimension has two factors: positions of the window (left operand and result)
// and positions in the window (left operand and kernel). One of them may be sharded:
// positions in the window for kernels that are as large as the input (gradients of
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

static const ShardingRule *convolution_rule(Arena *arena, const Op *op, const ShardingRule *rule) {
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

// ---- dynamic_slice ----

static int64_t shard_count(const Module *module, const Value *value, int d) {
    const Sharding *sharding = value_sharding(module, value);
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    return mesh && !mesh_is_maximal(mesh) ? sharding_dim_size(mesh, sharding, d) : 1;
}

bool slice_may_be_masked(const Op *op, int d) {
    int64_t size = op_result_type(op, 0)->dims[d], all = op_operand_type(op, 0)->dims[d];
    return size > 0 && 2 * size <= all;
}

// Sliced dimensions of the operand and of the result have factors of their own; `kind` is that of
// the operand's, where the slice is small.
static bool slice_rule(const Op *op, RuleBuilder *rule, FactorKind kind) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    int *dims = ARENA_ARRAY(rule->arena, int, op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        dims[i] = NO_DIM;
    for (int d = 0; d < in->rank; d++) {
        int none = NO_DIM;
        dims[0] = d;
        if (in->dims[d] == out->dims[d]) {
            rule_add(rule, dims, &d, in->dims[d], FACTOR_PASS_THROUGH, false);
        } else if (slice_may_be_masked(op, d)) {
            rule_add(rule, dims, &none, in->dims[d], kind, false);
            dims[0] = NO_DIM;
            rule_add(rule, dims, &d, out->dims[d], FACTOR_NEED_REPLICATION, false);
        } else {
            rule_add(rule, dims, &d, in->dims[d], FACTOR_NEED_REPLICATION, false);
        }
    }
    return true;
}

static bool masked_slice_rule(const Op *op, RuleBuilder *rule) {
    return slice_rule(op, rule, FACTOR_REDUCTION);
}

static bool whole_slice_rule(const Op *op, RuleBuilder *rule) {
    return slice_rule(op, rule, FACTOR_NEED_REPLICATION);
}

// A loop that takes slices of an array that stays the same takes as much as the whole array has,
// and the array is small: it is gathered once, before the loop (hoist_collectives), and the devices
// need not meet in each step. The limit is for memory, for the slices need less.
static bool is_gathered_before_loop(const Module *module, const Op *op) {
    enum { SMALL_BYTES = 1 << 20 };
    const Op *loop = op_parent_op(op);
    Value *operand = op_operand(op, 0);
    if (!loop || loop->code != OP_WHILE || op->parent != loop->regions[1]) return false;
    if (!loop_value_before(loop, operand) || !type_is_static(operand->type)) return false;
    int64_t whole = 1, bytes = (int64_t)type_bytes(operand->type);
    for (int d = 0; d < operand->type->rank; d++) {
        int64_t size = op_result_type(op, 0)->dims[d], all = operand->type->dims[d];
        if (size == 0) return false;
        if (size == all) bytes /= shard_count(module, operand, d);
        whole *= (all + size - 1) / size;
    }
    return bytes <= SMALL_BYTES && loop_step_count(loop) >= whole;
}

// ---- gather, scatter ----

bool gather_window_may_be_split(const Op *op, int d) {
    const GatherDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->gather;
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    IntSpan sizes = op_ints(op, NAME_SLICE_SIZES); // absent where all are alike
    if (sizes.count != in->rank || !ints_contain(dims->start_index_map, d)) return false;
    return sizes.data[d] > 1 && sizes.data[d] < in->dims[d] &&
           2 * type_element_count(out) <= type_element_count(in);
}

// The operand's windowed dims are summed over: the result's dims get factors of their own.
static const ShardingRule *windowed_gather_rule(
    Arena *arena, const Op *op, const ShardingRule *rule) {
    const TensorFactors *in = &rule->operands[0], *out = &rule->results[0];
    Factor *factors = ARENA_ARRAY(arena, Factor, rule->factor_count + out->rank);
    DimFactors *dims = ARENA_ARRAY(arena, DimFactors, out->rank);
    int count = rule->factor_count;
    for (int f = 0; f < count; f++)
        factors[f] = rule->factors[f];
    for (int r = 0; r < out->rank; r++)
        dims[r] = out->dims[r];
    for (int d = 0; d < in->rank; d++) {
        if (!gather_window_may_be_split(op, d) || in->dims[d].count != 1) continue;
        int f = in->dims[d].factors[0];
        for (int r = 0; r < out->rank; r++) {
            if (!dim_has(out, r, f)) continue;
            int *own = ARENA_NEW(arena, int);
            *own = count;
            factors[count++] =
                (Factor){.size = op_result_type(op, 0)->dims[r], .kind = FACTOR_NEED_REPLICATION};
            dims[r] = (DimFactors){1, own};
        }
        factors[f].kind = FACTOR_REDUCTION;
    }
    ShardingRule *split = ARENA_NEW(arena, ShardingRule);
    *split = *rule;
    split->factors = factors;
    split->factor_count = count;
    TensorFactors *result = ARENA_NEW(arena, TensorFactors);
    *result = (TensorFactors){out->rank, dims};
    split->results = result;
    return split;
}

// Is the array, whole along its indexed dimensions, no larger than what a device takes from it?
// Then it is made whole, and every slice is taken once. Else each device takes the slices that lie
// in its tile, and the results of all devices are summed.
static bool gathers_whole(const Module *module, const Op *op, const ShardingRule *rule) {
    const Value *in = op_operand(op, 0), *out = op_result(op, 0);
    if (!type_is_static(in->type) || !type_is_static(out->type)) return false;
    int64_t whole = type_element_count(in->type), taken = type_element_count(out->type);
    for (int d = 0; d < in->type->rank; d++) {
        const DimFactors *dim = &rule->operands[0].dims[d];
        if (dim->count == 0 || rule->factors[dim->factors[0]].kind != FACTOR_REDUCTION)
            whole /= shard_count(module, in, d);
    }
    for (int r = 0; r < out->type->rank; r++)
        taken /= shard_count(module, out, r);
    return whole <= taken;
}

static const ShardingRule *whole_gather_rule(Arena *arena, const ShardingRule *rule) {
    ShardingRule *whole = ARENA_NEW(arena, ShardingRule);
    Factor *factors = ARENA_ARRAY(arena, Factor, rule->factor_count);
    *whole = *rule;
    for (int f = 0; f < rule->factor_count; f++) {
        factors[f] = rule->factors[f];
        if (factors[f].kind == FACTOR_REDUCTION) factors[f].kind = FACTOR_NEED_REPLICATION;
    }
    whole->factors = factors;
    return whole;
}

// Indexed dims of the input may be sharded, however many elements an update covers: what a
// device has of a window it writes.
static const ShardingRule *windowed_scatter_rule(
    Arena *arena, const Op *op, const ShardingRule *rule) {
    const ScatterDims *dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    const TensorFactors *in = &rule->operands[0];
    ShardingRule *wide = ARENA_NEW(arena, ShardingRule);
    Factor *factors = ARENA_ARRAY(arena, Factor, rule->factor_count);
    *wide = *rule;
    for (int f = 0; f < rule->factor_count; f++)
        factors[f] = rule->factors[f];
    for (int d = 0; d < in->rank; d++) {
        if (!ints_contain(dims->scatter_dims_to_operand_dims, d) || in->dims[d].count != 1)
            continue;
        Factor *factor = &factors[in->dims[d].factors[0]];
        if (factor->kind == FACTOR_NEED_REPLICATION) factor->kind = FACTOR_PASS_THROUGH;
    }
    wide->factors = factors;
    return wide;
}

// ---- top_k ----

bool top_k_may_be_split(const Op *op, int64_t count) {
    const Type *in = op_operand_type(op, 0);
    int64_t k = op_int(op, NAME_K, 0);
    if (count <= 1 || k <= 0 || in->rank == 0 || in->rank == MAX_RANK) return false;
    // Values and places of count * k elements, against the whole dimension, or against a tile where
    // an all_to_all can split another.
    int64_t moved = in->dims[in->rank - 1];
    for (int d = 0; d + 1 < in->rank; d++) {
        if (in->dims[d] % count == 0) moved = in->dims[in->rank - 1] / count;
    }
    return k <= moved / count / 2;
}

// The last dimension of the operand may be sharded; what is found is on all devices.
static bool split_top_k_rule(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0);
    int last = in->rank - 1;
    for (int d = 0; d < last; d++)
        rule_add_all(rule, d, in->dims[d], FACTOR_PASS_THROUGH, false);
    rule_add(rule, &last, (int[]){NO_DIM, NO_DIM}, in->dims[last], FACTOR_REDUCTION, false);
    rule_add(
        rule, (int[]){NO_DIM}, (int[]){last, last}, op_int(op, NAME_K, 0), FACTOR_NEED_REPLICATION,
        false);
    return true;
}

// ---- sort ----

int sort_dimension(const Op *op) {
    int64_t d = op_int(op, NAME_DIMENSION, -1);
    return (int)(d < 0 ? d + op_operand_type(op, 0)->rank : d);
}

// With samples at distance s of p tiles, all devices sort n / s samples, and one that wants t
// elements sorts about 2 p s more: the sum is least with s = sqrt(n / 2p). Shorter dimensions are
// sorted faster than devices meet.
// A place goes along with the operands: native code sorts 16 at once.
enum { MIN_SPLIT_SORT = 4096, MAX_SPLIT_OPERANDS = 15 };

bool sort_may_be_split(const Op *op, int64_t count, SortSplit *split) {
    const Type *type = op_operand_type(op, 0);
    if (count <= 1 || type->rank == 0 || type->rank + 1 > MAX_RANK) return false;
    if (op->operand_count > MAX_SPLIT_OPERANDS) return false;
    int64_t size = type->dims[sort_dimension(op)], tile = (size + count - 1) / count, step = 1;
    if (size < MIN_SPLIT_SORT || size > INT32_MAX / 4) return false;
    while (2 * count * (step + 1) * (step + 1) <= size)
        step++;
    if (step > tile) return false;
    int64_t samples = tile / step;
    step = tile / samples;
    int64_t first = tile - 1 - (samples - 1) * step;
    int64_t candidates = tile + 2 * count * first + step - 1;
    *split = (SortSplit){tile, step, samples, first, candidates};
    return 5 * (tile + count * samples + candidates) <= 3 * size;
}

// How many tiles dimension d has when it is for our local form to keep it sharded: operand and
// result are alike, and none of the first `free` dimensions, which the op does not work along, has
// room for its axes; else 1. An operand that is cut out of a whole one costs nothing to have whole.
static int64_t kept_tiles(const Module *module, const Op *op, int d, int free) {
    const Value *x = op_operand(op, 0);
    int64_t count = shard_count(module, x, d);
    bool is_cut = x->def && x->def->code == OP_SDY_RESHARD;
    if (is_cut && shard_count(module, op_operand(x->def, 0), d) == 1) return 1;
    if (count != shard_count(module, op_result(op, 0), d)) return 1;
    for (int other = 0; other < free; other++) {
        int64_t parts = count * shard_count(module, x, other);
        if (other != d && x->type->dims[other] % parts == 0) return 1;
    }
    return count;
}

static bool sorts_split(const Module *module, const Op *op) {
    SortSplit split;
    int64_t count = kept_tiles(module, op, sort_dimension(op), op_operand_type(op, 0)->rank);
    return sort_may_be_split(op, count, &split);
}

static bool split_sort_rule(const Op *op, RuleBuilder *rule) {
    const Type *type = op_operand_type(op, 0);
    for (int d = 0; d < type->rank; d++)
        rule_add_all(rule, d, type->dims[d], FACTOR_PASS_THROUGH, false);
    return true;
}

// ---- concatenate ----

// A part that is a small share of the result is whole on every device.
static bool concatenates_whole(const Op *op, int i) {
    enum { SMALL_SHARE = 8 };
    int64_t d = op_int(op, NAME_DIMENSION, 0);
    return SMALL_SHARE * op_operand_type(op, i)->dims[d] <= op_result_type(op, 0)->dims[d];
}

// Parts that lie as the result does: neighbours exchange what they lack.
static bool fetched_parts_rule(const Op *op, RuleBuilder *rule) {
    const Type *type = op_result_type(op, 0);
    int concatenated = (int)op_int(op, NAME_DIMENSION, 0);
    int *dims = ARENA_ARRAY(rule->arena, int, op->operand_count);
    for (int d = 0; d < type->rank; d++) {
        if (d != concatenated) {
            rule_add_all(rule, d, type->dims[d], FACTOR_PASS_THROUGH, false);
            continue;
        }
        for (int i = 0; i < op->operand_count; i++)
            dims[i] = concatenates_whole(op, i) ? NO_DIM : d;
        rule_add(rule, dims, &d, type->dims[d], FACTOR_PERMUTATION, false);
        for (int i = 0; i < op->operand_count; i++) {
            int none = NO_DIM;
            for (int k = 0; k < op->operand_count; k++)
                dims[k] = k == i && concatenates_whole(op, i) ? d : NO_DIM;
            if (dims[i] == d)
                rule_add(
                    rule, dims, &none, op_operand_type(op, i)->dims[d], FACTOR_NEED_REPLICATION,
                    false);
        }
    }
    return true;
}

static bool fetches_parts(const Module *module, const Op *op, const ShardingRule *rule) {
    int d = (int)op_int(op, NAME_DIMENSION, 0);
    const DimFactors *dim = &rule->results[0].dims[d];
    bool is_own = dim->count > 0 && rule->factors[dim->factors[0]].kind == FACTOR_PERMUTATION;
    if (is_own || shard_count(module, op_result(op, 0), d) == 1) return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!concatenates_whole(op, i) && shard_count(module, op_operand(op, i), d) > 1)
            return true;
    }
    return false;
}

// ---- cholesky ----

int cholesky_dimension(const Op *op) {
    return op_operand_type(op, 0)->rank - (op_int(op, NAME_LOWER, 0) ? 2 : 1);
}

// Smaller matrices are factored faster than devices meet, and two devices do as much in blocks as
// one does at once. With more tiles the program becomes long.
enum { MIN_SPLIT_CHOLESKY = 256, MIN_CHOLESKY_TILES = 3, MAX_CHOLESKY_TILES = 16 };

bool cholesky_may_be_split(const Op *op, int64_t count) {
    const Type *type = op_operand_type(op, 0);
    if (type->rank < 2 || count < MIN_CHOLESKY_TILES || count > MAX_CHOLESKY_TILES) return false;
    int64_t size = type->dims[type->rank - 1];
    bool is_wide = type->element == ELEMENT_F32 || type->element == ELEMENT_F64;
    return is_wide && size >= MIN_SPLIT_CHOLESKY && size % count == 0;
}

static bool cholesky_splits(const Module *module, const Op *op) {
    int rank = op_operand_type(op, 0)->rank, d = cholesky_dimension(op);
    int other = 2 * rank - 3 - d;
    if (rank < 2 || shard_count(module, op_operand(op, 0), other) != 1) return false;
    return cholesky_may_be_split(op, kept_tiles(module, op, d, rank - 2));
}

static bool split_cholesky_rule(const Op *op, RuleBuilder *rule) {
    const Type *type = op_operand_type(op, 0);
    int whole = 2 * type->rank - 3 - cholesky_dimension(op);
    for (int d = 0; d < type->rank; d++) {
        FactorKind kind = d == whole ? FACTOR_NEED_REPLICATION : FACTOR_PASS_THROUGH;
        rule_add_all(rule, d, type->dims[d], kind, false);
    }
    return true;
}

// ---- triangular_solve ----

// Every column of the right side (row, where x op(a) = b) is a system of its own.
static bool free_columns_rule(const Op *op, RuleBuilder *rule) {
    const Type *a = op_operand_type(op, 0), *b = op_operand_type(op, 1);
    int row = a->rank - 2, column = a->rank - 1;
    int free = op_int(op, NAME_LEFT_SIDE, 0) ? column : row, solved = free == row ? column : row;
    for (int d = 0; d < row; d++)
        rule_add_all(rule, d, a->dims[d], FACTOR_PASS_THROUGH, false);
    const FactorKind whole = FACTOR_NEED_REPLICATION;
    rule_add(rule, (int[]){row, NO_DIM}, &(int){NO_DIM}, a->dims[row], whole, false);
    rule_add(rule, (int[]){column, NO_DIM}, &(int){NO_DIM}, a->dims[column], whole, false);
    rule_add(rule, (int[]){NO_DIM, solved}, &solved, b->dims[solved], whole, false);
    rule_add(rule, (int[]){NO_DIM, free}, &free, b->dims[free], FACTOR_PASS_THROUGH, false);
    return true;
}

// ---- select_and_scatter ----

bool select_may_fetch(Arena *arena, const Op *op, int d) {
    const Type *in = op_operand_type(op, 0);
    const int64_t *padding = op_ints_or(arena, op, NAME_PADDING, 2 * in->rank, 0);
    return padding[2 * d] == 0 && padding[2 * d + 1] == 0 &&
           region_reduction_op(op->regions[1]) == OP_ADD && in->element != ELEMENT_I1;
}

// The operand and the source may be split over the windows, which are the source's elements.
static bool fetched_select_rule(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0), *source = op_operand_type(op, 1);
    for (int d = 0; d < in->rank; d++) {
        if (in->dims[d] == source->dims[d] || select_may_fetch(rule->arena, op, d)) {
            bool same = in->dims[d] == source->dims[d];
            rule_add(
                rule, (int[]){d, d, NO_DIM}, &d, source->dims[d],
                same ? FACTOR_PASS_THROUGH : FACTOR_PERMUTATION, false);
            continue;
        }
        rule_add(
            rule, (int[]){NO_DIM, d, NO_DIM}, &(int){NO_DIM}, source->dims[d],
            FACTOR_NEED_REPLICATION, false);
        rule_add(rule, (int[]){d, NO_DIM, NO_DIM}, &d, in->dims[d], FACTOR_NEED_REPLICATION, false);
    }
    return true;
}

// ---- all ops ----

static const ShardingRule *rule_or(const ShardingRule *made, const ShardingRule *rule) {
    return made ? made : rule;
}

typedef const ShardingRule *OwnRuleFn(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule);

static const ShardingRule *own_rule_convolution(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    (void)module;
    return convolution_rule(arena, op, rule);
}

static const ShardingRule *own_rule_dynamic_slice(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    bool whole = is_gathered_before_loop(module, op);
    return rule_or(
        sharding_rule_build(arena, op, whole ? whole_slice_rule : masked_slice_rule), rule);
}

static const ShardingRule *own_rule_gather(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    return gathers_whole(module, op, rule) ? whole_gather_rule(arena, rule)
                                           : windowed_gather_rule(arena, op, rule);
}

static const ShardingRule *own_rule_scatter(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    (void)module;
    return windowed_scatter_rule(arena, op, rule);
}

static const ShardingRule *own_rule_triangular_solve(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    (void)module;
    return rule_or(sharding_rule_build(arena, op, free_columns_rule), rule);
}

static const ShardingRule *own_rule_select_and_scatter(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    (void)module;
    return rule_or(sharding_rule_build(arena, op, fetched_select_rule), rule);
}

// Shardy does not propagate through it, but batches need not be gathered for it.
static const ShardingRule *own_rule_top_k(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    (void)rule;
    int64_t count = shard_count(module, op_operand(op, 0), op_operand_type(op, 0)->rank - 1);
    return sharding_rule_build(
        arena, op, top_k_may_be_split(op, count) ? split_top_k_rule : rule_top_k);
}

static const ShardingRule *own_rule_sort(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    if (!sorts_split(module, op)) return rule;
    return rule_or(sharding_rule_build(arena, op, split_sort_rule), rule);
}

static const ShardingRule *own_rule_concatenate(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    if (!fetches_parts(module, op, rule)) return rule;
    return rule_or(sharding_rule_build(arena, op, fetched_parts_rule), rule);
}

static const ShardingRule *own_rule_cholesky(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    if (!cholesky_splits(module, op)) return rule;
    return rule_or(sharding_rule_build(arena, op, split_cholesky_rule), rule);
}

typedef struct OwnRuleRow {
    char unused;
    OwnRuleFn *own; // NULL: Shardy's rule is ours
} OwnRuleRow;

static const OwnRuleRow own_rules[OP_COUNT] = {
#define OWN_RULE(x) .own = own_rule_##x,
#include "ir/dialects/partition_rows.def"
};

const ShardingRule *reshard_rule(
    const Module *module, Arena *arena, const Op *op, const ShardingRule *rule) {
    if (op_attr(op, NAME_SHARDING_RULE) || (!rule && op->code != OP_CHLO_TOP_K)) return rule;
    OwnRuleFn *own = own_rules[op->code].own;
    return own ? own(module, arena, op, rule) : rule;
}

// rules_shape: ops that move elements without computing.
#include "partition/rules/rule_builder.h"

#include <assert.h>

// An expanded dim of size 1 and the dim that it becomes share no factor.
bool rule_broadcast_in_dim(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    for (int d = 0; d < out->rank; d++) {
        int in_dim = NO_DIM;
        for (int i = 0; i < dims.count; i++) {
            if (dims.data[i] == d) in_dim = i;
        }
        if (in_dim >= in->rank) return false;
        if (in_dim != NO_DIM && in->dims[in_dim] == 1 && out->dims[d] != 1) {
            rule_add_pair(rule, in_dim, NO_DIM, 1, FACTOR_PASS_THROUGH);
            in_dim = NO_DIM;
        }
        rule_add_pair(rule, in_dim, d, out->dims[d], FACTOR_PASS_THROUGH);
    }
    return true;
}

bool rule_transpose(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0);
    IntSpan permutation = op_ints(op, NAME_PERMUTATION);
    if (permutation.count != in->rank) return false;
    for (int d = 0; d < permutation.count; d++) {
        int in_dim = (int)permutation.data[d];
        if (in_dim < 0 || in_dim >= in->rank) return false;
        rule_add_pair(rule, in_dim, d, in->dims[in_dim], FACTOR_PASS_THROUGH);
    }
    return true;
}

bool rule_reverse(const Op *op, RuleBuilder *rule) {
    const Type *type = op_result_type(op, 0);
    IntSpan reversed = op_ints(op, NAME_DIMENSIONS);
    for (int d = 0; d < type->rank; d++) {
        FactorKind kind = ints_contain(reversed, d) ? FACTOR_PERMUTATION : FACTOR_PASS_THROUGH;
        rule_add_all(rule, d, type->dims[d], kind, false);
    }
    return true;
}

// A sliced or padded dim can stay sharded: its data moves between neighbours.
bool rule_slice(const Op *op, RuleBuilder *rule) {
    rule_add_where_equal(
        rule, op_operand_type(op, 0), op_result_type(op, 0), FACTOR_PERMUTATION,
        rule->conservative);
    return true;
}

bool rule_pad(const Op *op, RuleBuilder *rule) { return rule_slice(op, rule); }

static const Value *before_slice(const Value *value) {
    return value->def && value->def->code == OP_SLICE ? op_operand(value->def, 0) : value;
}

// Do the parts move elements of a common value (a roll), or are all of them slices?
// Then neighbours exchange data.
static FactorKind concatenated_kind(const Op *op) {
    bool all_slices = true, any_slice = false, same_source = true;
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        bool is_slice = operand->def && operand->def->code == OP_SLICE;
        all_slices &= is_slice;
        any_slice |= is_slice;
        same_source &= before_slice(operand) == before_slice(op_operand(op, 0));
    }
    return all_slices || (same_source && any_slice) ? FACTOR_PERMUTATION : FACTOR_NEED_REPLICATION;
}

bool rule_concatenate(const Op *op, RuleBuilder *rule) {
    const Type *type = op_result_type(op, 0);
    int64_t concatenated = op_int(op, NAME_DIMENSION, 0);
    for (int d = 0; d < type->rank; d++) {
        if (d != concatenated) {
            rule_add_all(rule, d, type->dims[d], FACTOR_PASS_THROUGH, false);
        } else if (!rule->conservative) {
            rule_add_all(rule, d, type->dims[d], concatenated_kind(op), false);
        }
    }
    return true;
}

bool rule_dynamic_slice(const Op *op, RuleBuilder *rule) {
    rule_add_where_equal(
        rule, op_operand_type(op, 0), op_result_type(op, 0), FACTOR_NEED_REPLICATION, true);
    return true;
}

static bool all_constant(const Op *op, int first) {
    for (int i = first; i < op->operand_count; i++) {
        const Op *def = op_operand(op, i)->def;
        if (!def || (def->code != OP_CONSTANT && def->code != OP_SDY_CONSTANT)) return false;
    }
    return true;
}

// An updated dim of operand and result may be sharded: each device writes what falls into
// its part of a replicated update.
bool rule_dynamic_update_slice(const Op *op, RuleBuilder *rule) {
    const Type *operand = op_operand_type(op, 0), *update = op_operand_type(op, 1);
    if (operand->rank != update->rank) return false;
    FactorKind update_kind = all_constant(op, 2) ? FACTOR_PASS_THROUGH : FACTOR_NEED_REPLICATION;
    int *dims = ARENA_ARRAY(rule->arena, int, op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        dims[i] = NO_DIM;
    for (int d = 0; d < operand->rank; d++) {
        if (operand->dims[d] == update->dims[d]) {
            rule_add_all(rule, d, operand->dims[d], FACTOR_PASS_THROUGH, false);
            continue;
        }
        dims[0] = d;
        dims[1] = NO_DIM;
        rule_add(rule, dims, &d, operand->dims[d], FACTOR_PASS_THROUGH, false);
        dims[0] = NO_DIM;
        dims[1] = d;
        rule_add(rule, dims, (int[]){NO_DIM}, update->dims[d], update_kind, false);
    }
    return true;
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// One side of a reshape: the next dim, the product of the dims and of the factors so far.
typedef struct Side {
    const Type *type;
    int dim;
    int64_t dims, factors;
} Side;

static bool side_has_size_one(const Side *side) {
    return side->dim < side->type->rank && side->type->dims[side->dim] == 1;
}

static void side_open_dim(Side *side) {
    if (side->dim < side->type->rank && side->dims == side->factors)
        side->dims *= side->type->dims[side->dim];
}

static void side_close_dim(Side *side) {
    if (side->dim < side->type->rank && side->dims == side->factors) side->dim++;
}

// The next factor of the side that is behind: what makes both meet again, or what
// keeps the common divisor for later.
static int64_t catch_up(int64_t next, int64_t common, int64_t behind, int64_t ahead) {
    if (ahead % behind == 0 && next % (ahead / behind) == 0) return ahead / behind;
    return next > common ? next / common : next;
}

// Factors from the major end by repeated greatest common divisors, as long as the products
// of both sides agree; where they have no common divisor, each side has factors of its own
// until the products agree again.
//
//   8x4 -> 2x16   ([ij, k]) -> ([i, jk])   i=2 j=4 k=4
bool rule_reshape(const Op *op, RuleBuilder *rule) {
    const Type *types[2] = {op_operand_type(op, 0), op_result_type(op, 0)};
    if (type_element_count(types[0]) == 0) return false;
    Side in = {types[0], 0, 1, 1}, out = {types[1], 0, 1, 1};
    while (in.dim < in.type->rank || out.dim < out.type->rank) {
        if (side_has_size_one(&in)) {
            rule_add_pair(rule, in.dim++, NO_DIM, 1, FACTOR_PASS_THROUGH);
            continue;
        }
        if (side_has_size_one(&out)) {
            rule_add_pair(rule, NO_DIM, out.dim++, 1, FACTOR_PASS_THROUGH);
            continue;
        }
        side_open_dim(&in);
        side_open_dim(&out);
        assert(in.factors > 0 && out.factors > 0); // no size is 0
        int64_t next_in = in.dims / in.factors, next_out = out.dims / out.factors;
        int64_t common = gcd(next_in, next_out);
        if (in.factors == out.factors && common > 1) {
            rule_add_pair(rule, in.dim, out.dim, common, FACTOR_PASS_THROUGH);
            in.factors *= common;
            out.factors *= common;
        } else if (in.factors == out.factors) {
            rule_add_pair(rule, in.dim, NO_DIM, next_in, FACTOR_PASS_THROUGH);
            in.factors *= next_in;
            rule_add_pair(rule, NO_DIM, out.dim, next_out, FACTOR_PASS_THROUGH);
            out.factors *= next_out;
        } else if (in.factors < out.factors) {
            next_in = catch_up(next_in, common, in.factors, out.factors);
            rule_add_pair(rule, in.dim, NO_DIM, next_in, FACTOR_PASS_THROUGH);
            in.factors *= next_in;
        } else {
            next_out = catch_up(next_out, common, out.factors, in.factors);
            rule_add_pair(rule, NO_DIM, out.dim, next_out, FACTOR_PASS_THROUGH);
            out.factors *= next_out;
        }
        side_close_dim(&in);
        side_close_dim(&out);
        if (rule->failed) return false;
    }
    return true;
}

// The sharding rule that a user wrote on an op: its mappings must fit the op's operands and
// results.
#include "ir/print/sharding_print.h"
#include "ir/verify/verify_internal.h"

// The mappings of the operands, or of the results.
typedef struct Mappings {
    const char *what; // "operand" or "result"
    int count;
    const TensorFactors *mappings;
    bool *used; // by factor: some mapping of these has it
} Mappings;

// "operand - ", or "operand 1 - " when there are several
static const char *value_prefix(Infer *infer, const Mappings *mappings, int i) {
    Arena *arena = infer->diags->arena;
    return mappings->count == 1 ? arena_printf(arena, "%s - ", mappings->what)
                                : arena_printf(arena, "%s %d - ", mappings->what, i);
}

// own: by factor, this tensor has it.
static bool check_dim(
    Infer *infer, const Op *op, const ShardingRule *rule, const char *prefix, const DimFactors *dim,
    bool *used, bool *own) {
    if (dim->count == 0)
        return infer_fail(infer, op, "%sdim mapping must have at least one factor", prefix);
    for (int i = 0; i < dim->count; i++) {
        int f = dim->factors[i];
        if (f < 0 || f >= rule->factor_count)
            return infer_fail(
                infer, op,
                "%sexpecting factor indices to be within 0<=...<num_factors; received: %d, "
                "num_factors: %d",
                prefix, f, rule->factor_count);
        if (own[f])
            return infer_fail(
                infer, op, "%scannot reuse factors for the same tensor value", prefix);
        if (rule->factors[f].size == 1 && dim->count > 1)
            return infer_fail(
                infer, op,
                "%sdim mapping can't have a factor of size 1 if there are multiple factors",
                prefix);
        own[f] = used[f] = true;
    }
    return true;
}

static bool check_mapping(
    Infer *infer, const Op *op, const ShardingRule *rule, const Mappings *mappings, int i,
    const Type *type) {
    const char *prefix = value_prefix(infer, mappings, i);
    const TensorFactors *mapping = &mappings->mappings[i];
    if (type->kind == TYPE_TUPLE && type->part_count == 1) type = type->parts[0];
    if (!type_is_static(type))
        return infer_fail(
            infer, op, "%sexpected a ranked tensor with a static shape. type: '%s'", prefix,
            infer_type_text(infer, type));
    if (mapping->rank != type->rank)
        return infer_fail(
            infer, op, "%smapping rank must match: %d != %d", prefix, mapping->rank, type->rank);
    bool *own = ARENA_ARRAY(infer->diags->arena, bool, rule->factor_count);
    for (int d = 0; d < mapping->rank; d++) {
        if (!check_dim(infer, op, rule, prefix, &mapping->dims[d], mappings->used, own))
            return false;
    }
    return true;
}

static bool check_mappings(
    Infer *infer, const Op *op, const ShardingRule *rule, const Mappings *mappings, int count,
    const Type *(*type_of)(const Op *op, int i)) {
    if (mappings->count != count)
        return infer_fail(
            infer, op, "number of %ss and mappings must match: %d != %d", mappings->what, count,
            mappings->count);
    if (count == 0)
        return infer_fail(
            infer, op,
            "number of %ss mappings cannot be 0. Op sharding rules can only be defined on "
            "operations with at least one operand and result.",
            mappings->what);
    for (int i = 0; i < count; i++) {
        if (!check_mapping(infer, op, rule, mappings, i, type_of(op, i))) return false;
    }
    return true;
}

bool infer_check_rule(Infer *infer, const Op *op, const ShardingRule *rule) {
    enum { MAX_FACTORS = 1 << 16 };
    if (rule->factor_count > MAX_FACTORS)
        return infer_fail(infer, op, "sharding rule has more than %d factors", (int)MAX_FACTORS);
    Arena *arena = infer->diags->arena;
    Mappings operands = {
        "operand", rule->operand_count, rule->operands,
        ARENA_ARRAY(arena, bool, rule->factor_count)};
    Mappings results = {
        "result", rule->result_count, rule->results, ARENA_ARRAY(arena, bool, rule->factor_count)};
    if (!check_mappings(infer, op, rule, &operands, op->operand_count, op_operand_type) ||
        !check_mappings(infer, op, rule, &results, op->result_count, op_result_type))
        return false;
    for (int f = 0; f < rule->factor_count; f++) {
        if (operands.used[f] || results.used[f]) continue;
        StrBuf name = strbuf(arena);
        factor_print(&name, f);
        return infer_fail(
            infer, op, "has factor %s=%lld that isn't used in operand and result mappings",
            strbuf_cstring(&name), (long long)rule->factors[f].size);
    }
    for (int f = 0; f < rule->factor_count; f++) {
        if (rule->factors[f].size < 0)
            return infer_fail(infer, op, "sharding rule has a factor of negative size");
    }
    if (rule->flaw.size > 0) return infer_fail(infer, op, "%.*s", SV_ARG(rule->flaw));
    for (int f = 0; f < rule->factor_count; f++) {
        if (rule->factors[f].kind == FACTOR_REDUCTION && results.used[f])
            return infer_fail(infer, op, "reduction factor cannot be in result mappings");
    }
    return true;
}

// rules_control: collectives of StableHLO, custom calls, top-k.
#include "partition/rules/rule_builder.h"

// Pass-through dims but for one or two, which are whole on each device on both sides.
static bool add_collective(
    RuleBuilder *rule, const Type *in, const Type *out, int64_t first, int64_t second) {
    if (in->kind != TYPE_TENSOR || in->rank != out->rank) return false;
    for (int d = 0; d < in->rank; d++) {
        if (d != first && d != second)
            rule_add_all(rule, d, in->dims[d], FACTOR_PASS_THROUGH, false);
    }
    for (int i = 0; i < (first == second ? 1 : 2); i++) {
        int d = (int)(i == 0 ? first : second);
        if (d < 0 || d >= in->rank) return false;
        rule_add_operands(rule, d, in->dims[d], FACTOR_NEED_REPLICATION);
        rule_add_results(rule, d, out->dims[d], FACTOR_NEED_REPLICATION);
    }
    return true;
}

bool rule_all_gather(const Op *op, RuleBuilder *rule) {
    int64_t dim = op_int(op, NAME_ALL_GATHER_DIM, 0);
    return op->operand_count > 0 && op->result_count > 0 &&
           add_collective(rule, op_operand_type(op, 0), op_result_type(op, 0), dim, dim);
}

bool rule_reduce_scatter(const Op *op, RuleBuilder *rule) {
    int64_t dim = op_int(op, NAME_SCATTER_DIMENSION, 0);
    return op->operand_count > 0 && op->result_count > 0 &&
           add_collective(rule, op_operand_type(op, 0), op_result_type(op, 0), dim, dim);
}

bool rule_all_to_all(const Op *op, RuleBuilder *rule) {
    return op->operand_count > 0 && op->result_count > 0 &&
           add_collective(
               rule, op_operand_type(op, 0), op_result_type(op, 0),
               op_int(op, NAME_SPLIT_DIMENSION, 0), op_int(op, NAME_CONCAT_DIMENSION, 0));
}

// Values and indices of the k largest along the last dim.
bool rule_top_k(const Op *op, RuleBuilder *rule) {
    if (op->operand_count != 1 || op->result_count != 2) return false;
    rule_add_where_equal(
        rule, op_operand_type(op, 0), op_result_type(op, 0), FACTOR_NEED_REPLICATION, true);
    return true;
}

static bool add_batch_dims(RuleBuilder *rule, const Type *in) {
    if (in->kind != TYPE_TENSOR || in->rank < 2) return false;
    for (int d = 0; d < in->rank - 2; d++)
        rule_add_all(rule, d, in->dims[d], FACTOR_PASS_THROUGH, false);
    return true;
}

// (matrix) -> (eigenvectors, eigenvalues)
static bool eigh(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0);
    if (op->operand_count != 1 || op->result_count != 2 || !add_batch_dims(rule, in)) return false;
    int row = in->rank - 2, column = in->rank - 1;
    rule_add(rule, &row, (int[]){row, NO_DIM}, in->dims[row], FACTOR_PASS_THROUGH, false);
    rule_add(rule, &column, (int[]){column, row}, in->dims[column], FACTOR_PASS_THROUGH, false);
    return true;
}

// (matrix) -> (reflectors and r, taus)
static bool qr(const Op *op, RuleBuilder *rule) {
    const Type *in = op_operand_type(op, 0);
    if (op->operand_count != 1 || op->result_count != 2 || !add_batch_dims(rule, in)) return false;
    int row = in->rank - 2, column = in->rank - 1, none = NO_DIM;
    const Type *taus = op_result_type(op, 1);
    if (taus->kind != TYPE_TENSOR || taus->rank <= row) return false;
    rule_add(rule, &row, (int[]){row, NO_DIM}, in->dims[row], FACTOR_NEED_REPLICATION, false);
    rule_add(
        rule, &column, (int[]){column, NO_DIM}, in->dims[column], FACTOR_NEED_REPLICATION, false);
    rule_add(rule, &none, (int[]){NO_DIM, row}, taus->dims[row], FACTOR_NEED_REPLICATION, false);
    return true;
}

// (reflectors, taus) -> (product)
static bool householder_product(const Op *op, RuleBuilder *rule) {
    if (op->operand_count != 2 || op->result_count != 1) return false;
    const Type *in = op_operand_type(op, 0), *taus = op_operand_type(op, 1);
    if (!add_batch_dims(rule, in)) return false;
    int row = in->rank - 2, column = in->rank - 1, none = NO_DIM;
    if (taus->kind != TYPE_TENSOR || taus->rank <= row) return false;
    rule_add(rule, (int[]){row, NO_DIM}, &row, in->dims[row], FACTOR_NEED_REPLICATION, false);
    rule_add(
        rule, (int[]){column, NO_DIM}, &column, in->dims[column], FACTOR_NEED_REPLICATION, false);
    rule_add(rule, (int[]){NO_DIM, row}, &none, taus->dims[row], FACTOR_NEED_REPLICATION, false);
    return true;
}

// (operand, iota, initial value, initial argument) -> (values, indices)
static bool approximate_top_k(const Op *op, RuleBuilder *rule) {
    if (op->operand_count != 4 || op->result_count != 2) return false;
    const Type *in = op_operand_type(op, 0), *out = op_result_type(op, 0);
    if (in->rank != out->rank) return false;
    for (int d = 0; d < in->rank; d++) {
        if (in->dims[d] == out->dims[d]) {
            rule_add_all(rule, d, in->dims[d], FACTOR_PASS_THROUGH, false);
            continue;
        }
        rule_add(
            rule, (int[]){d, d, NO_DIM, NO_DIM}, (int[]){NO_DIM, NO_DIM}, in->dims[d],
            FACTOR_PASS_THROUGH, false);
        rule_add(
            rule, (int[]){NO_DIM, NO_DIM, NO_DIM, NO_DIM}, (int[]){d, d}, out->dims[d],
            FACTOR_NEED_REPLICATION, true);
    }
    return true;
}

// The state of a random number generator must be whole and cannot be resharded as a 64-bit number.
static bool x64_combine(const Op *op, RuleBuilder *rule) {
    if (op->result_count != 1) return false;
    for (const Use *use = op->results[0].uses; use; use = use->next) {
        if (use->owner->code != OP_RNG_BIT_GENERATOR) continue;
        const Type *type = op_result_type(op, 0);
        if (type->rank != 1) return false;
        rule_add_all(rule, 0, type->dims[0], FACTOR_NEED_REPLICATION, true);
        return true;
    }
    return rule_pointwise(op, rule);
}

typedef struct CustomRule {
    const char *target;
    RuleFn *rule;
} CustomRule;

static const CustomRule custom_rules[] = {
    {"sdy_testonly", rule_none},
    {"tpu_custom_call", rule_none},
    {"xla_python_cpu_callback", rule_none},
    {"xla_python_gpu_callback", rule_none},
    {"xla_ffi_python_cpu_callback", rule_none},
    {"xla_ffi_python_gpu_callback", rule_none},
    {"xla.debug.Log", rule_none},
    {"annotate_device_placement", rule_pointwise},
    {"Cholesky", rule_pointwise},
    {"CompactWyHelper", rule_pointwise},
    {"InspectSharding", rule_pointwise},
    {"InvertDiagBlocksLowerTriangular", rule_pointwise},
    {"InvertDiagBlocksUpperTriangular", rule_pointwise},
    {"LayoutConstraint", rule_pointwise},
    {"mhlo.erf", rule_pointwise},
    {"MoveToDevice", rule_pointwise},
    {"MoveToHost", rule_pointwise},
    {"X64SplitHigh", rule_pointwise},
    {"X64SplitLow", rule_pointwise},
    {"xla.megascale.provide_metadata", rule_pointwise},
    {"_SPMDInternalOp_MultiPad", rule_pointwise},
    {"_SPMDInternalOp_RotateRight", rule_pointwise},
    {"_SPMDInternalOp_MultiRotate", rule_pointwise},
    {"_SPMDInternalOp_MultiSlice", rule_pointwise},
    {"_SPMDInternalOp_Wrap", rule_pointwise},
    {"Eigh", eigh},
    {"Qr", qr},
    {"QrDecompositionBlock", qr},
    {"ProductOfElementaryHouseholderReflectors", householder_product},
    {"mhlo.topk", rule_top_k},
    {"ApproxTopK", approximate_top_k},
    {"PartialReduce", approximate_top_k},
    {"X64Combine", x64_combine},
};

int custom_call_batch(const Op *op) {
    const Attr *dict = op_extra(op, "mhlo.frontend_attributes");
    const Attr *count =
        dict && dict->kind == ATTR_DICT ? attr_dict_get(dict, SV("num_batch_dims")) : NULL;
    if (!count || count->kind != ATTR_STRING || op->operand_count == 0) return 0;
    int batch = 0;
    for (size_t i = 0; i < count->text.size; i++) {
        char digit = count->text.data[i];
        if (digit < '0' || digit > '9' || batch > MAX_RANK) return 0;
        batch = batch * 10 + (digit - '0');
    }
    const Type *first = op_operand_type(op, 0);
    for (int i = 0; i < op->operand_count + op->result_count; i++) {
        const Type *type = i < op->operand_count ? op_operand_type(op, i)
                                                 : op_result_type(op, i - op->operand_count);
        if (type->kind != TYPE_TENSOR || type->unranked || type->rank < batch) return 0;
        for (int d = 0; d < batch; d++) {
            if (type->dims[d] != first->dims[d]) return 0;
        }
    }
    return batch;
}

// Each element of the batch by itself, the rest of it whole.
static bool batch_call(const Op *op, RuleBuilder *rule) {
    const Type *first = op_operand_type(op, 0);
    int batch = custom_call_batch(op), count = op->operand_count + op->result_count;
    for (int d = 0; d < batch; d++)
        rule_add_all(rule, d, first->dims[d], FACTOR_PASS_THROUGH, false);
    int *dims = ARENA_ARRAY(rule->arena, int, count);
    for (int i = 0; i < count; i++)
        dims[i] = NO_DIM;
    for (int i = 0; i < count; i++) {
        const Type *type = i < op->operand_count ? op_operand_type(op, i)
                                                 : op_result_type(op, i - op->operand_count);
        for (int d = batch; d < type->rank; d++) {
            dims[i] = d;
            rule_add(
                rule, dims, dims + op->operand_count, type->dims[d], FACTOR_NEED_REPLICATION, true);
        }
        dims[i] = NO_DIM;
    }
    return true;
}

bool rule_custom_call(const Op *op, RuleBuilder *rule) {
    StrView target = op_text(op, NAME_CALL_TARGET_NAME);
    for (size_t i = 0; i < sizeof custom_rules / sizeof custom_rules[0]; i++) {
        if (!strview_is(target, custom_rules[i].target)) continue;
        return custom_rules[i].rule(op, rule);
    }
    if (custom_call_batch(op) > 0) return batch_call(op, rule);
    rule->is_unknown = true;
    return false;
}

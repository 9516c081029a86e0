// infer_contract: matrix products.
#include "base/checked.h"
#include "ir/infer/infer.h"

bool infer_check_precision(Infer *infer, const Op *op) {
    const Attr *config = op_attr(op, NAME_PRECISION_CONFIG);
    if (!config) return true;
    bool fits = config->kind == ATTR_ARRAY;
    for (int i = 0; fits && i < config->count; i++) {
        const Attr *item = config->items[i];
        fits = item->kind == ATTR_ENUM && item->enum_kind == ENUM_PRECISION;
    }
    if (!fits)
        return infer_fail(
            infer, op,
            "attribute 'precision_config' failed to satisfy constraint: Precision Config "
            "attribute");
    if (config->count > 2)
        return infer_fail(infer, op, "expects precision config to be empty or have <= 2 elements.");
    return true;
}

bool infer_dot(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (!infer_check_precision(infer, op)) return false;
    if (lhs->rank < 1 || lhs->rank > 2 || rhs->rank < 1 || rhs->rank > 2)
        return infer_fail(infer, op, "expected both lhs/rhs ranks to be either 1 or 2");
    if (!dims_fit(lhs->dims[lhs->rank - 1], rhs->dims[0]))
        return infer_fail(infer, op, "contracting dimension sizes must match for lhs/rhs");
    int64_t dims[2];
    int rank = 0;
    if (lhs->rank == 2) dims[rank++] = lhs->dims[0];
    if (rhs->rank == 2) dims[rank++] = rhs->dims[1];
    const Type *result = op_result_type(op, 0);
    infer_set(infer, 0, infer_tensor_like(infer, result, rank, dims));
    return true;
}

// The pairs of dimensions have equal sizes.
static bool check_pairs(
    Infer *infer, const Op *op, const char *what, IntSpan lhs_dims, IntSpan rhs_dims) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (lhs_dims.count != rhs_dims.count)
        return infer_fail(
            infer, op, "lhs and rhs should have the same number of %s dimensions", what);
    for (int i = 0; i < lhs_dims.count; i++) {
        if (!dims_fit(lhs->dims[lhs_dims.data[i]], rhs->dims[rhs_dims.data[i]]))
            return infer_fail(infer, op, "%s dimension sizes must match for lhs/rhs", what);
    }
    return true;
}

// The dimensions of one side are in range and none is listed twice.
static bool check_side(
    Infer *infer, const Op *op, const char *side, int rank, IntSpan batch, IntSpan contracting) {
    bool used[MAX_RANK] = {false};
    for (int i = 0; i < batch.count + contracting.count; i++) {
        bool is_batch = i < batch.count;
        int64_t d = is_batch ? batch.data[i] : contracting.data[i - batch.count];
        if (d < 0 || d >= rank)
            return infer_fail(
                infer, op, "%s_%s_dimensions value: %lld is out of range: [0, %d)", side,
                is_batch ? "batching" : "contracting", (long long)d, rank);
        if (used[d])
            return infer_fail(
                infer, op,
                "has duplicated dimension from %s_batching_dimensions and "
                "%s_contracting_dimensions: %lld",
                side, side, (long long)d);
        used[d] = true;
    }
    return true;
}

static bool check_algorithm(Infer *infer, const Op *op) {
    const Attr *attr = op_attr(op, NAME_ALGORITHM);
    if (!attr || attr->kind != ATTR_DOT_ALGORITHM) return true;
    const DotAlgorithm *algorithm = attr->dot_algorithm;
    const Attr *config = op_attr(op, NAME_PRECISION_CONFIG);
    for (int i = 0; config && i < config->count; i++) {
        if (config->items[i]->integer != PRECISION_DEFAULT)
            return infer_fail(
                infer, op, "must specify DEFAULT precision config when algorithm is set.");
    }
    const char *problem = dot_algorithm_problem(infer->diags->arena, algorithm);
    return !problem || infer_fail(infer, op, "%s", problem);
}

// Quantised products: the right side may be quantised alone, and the result as both are.
bool infer_check_dot_quant(Infer *infer, const Op *op, IntSpan rhs_contracting) {
    const QuantParams *lhs = op_operand_type(op, 0)->quant, *rhs = op_operand_type(op, 1)->quant;
    const Type *result_type = op_result_type(op, 0);
    const QuantParams *result = result_type->quant;
    if (!lhs && !rhs && !result) return true;
    if (!rhs || !lhs != !result)
        return infer_fail(
            infer, op,
            "rhs should be quantized for quantized operations and "
            "is_quantized(lhs)=is_quantized(result) "
            "should hold");
    for (int i = 0; i < rhs->count && op->code == OP_DOT_GENERAL; i++) {
        if (rhs->zero_points[i] != 0)
            return infer_fail(
                infer, op,
                rhs->axis < 0 ? "Zero point of rhs should be 0" : "Zero points of rhs should be 0");
    }
    if (rhs->axis >= 0 && ints_contain(rhs_contracting, rhs->axis))
        return infer_fail(
            infer, op,
            "Quantization dimension of rhs should not be in the contracting dimension of rhs");
    if (!lhs) {
        ElementType real = op_operand_type(op, 0)->element;
        if (rhs->expressed != real || result_type->element != real)
            return infer_fail(
                infer, op,
                "mismatched rhs quantization expressed type and lhs and result element type");
        return true;
    }
    if (op_operand_type(op, 0)->element != op_operand_type(op, 1)->element)
        return infer_fail(infer, op, "mismatched lhs and rhs quantization storage types");
    if (lhs->expressed != rhs->expressed || rhs->expressed != result->expressed)
        return infer_fail(infer, op, "mismatched lhs, rhs and result quantization expressed types");
    if (rhs->axis < 0 && result->axis >= 0)
        return infer_fail(infer, op, "mismatched rhs and result quantization granularity");
    return true;
}

bool infer_dot_general(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Attr *attr = op_attr(op, NAME_DOT_DIMENSION_NUMBERS);
    if (!infer_check_precision(infer, op)) return false;
    const DotDims *dot = attr->dot;
    if (!check_side(infer, op, "lhs", lhs->rank, dot->lhs_batch, dot->lhs_contracting) ||
        !check_side(infer, op, "rhs", rhs->rank, dot->rhs_batch, dot->rhs_contracting) ||
        !check_pairs(infer, op, "batching", dot->lhs_batch, dot->rhs_batch) ||
        !check_pairs(infer, op, "contracting", dot->lhs_contracting, dot->rhs_contracting) ||
        !check_algorithm(infer, op) || !infer_check_dot_quant(infer, op, dot->rhs_contracting))
        return false;
    int rank = lhs->rank + rhs->rank - dot->lhs_batch.count - 2 * dot->lhs_contracting.count;
    if (rank > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    int64_t dims[MAX_RANK] = {0};
    int d = 0;
    for (int i = 0; i < dot->lhs_batch.count; i++)
        dims[d++] = lhs->dims[dot->lhs_batch.data[i]];
    for (int i = 0; i < lhs->rank; i++) {
        if (!ints_contain(dot->lhs_batch, i) && !ints_contain(dot->lhs_contracting, i))
            dims[d++] = lhs->dims[i];
    }
    for (int i = 0; i < rhs->rank; i++) {
        if (!ints_contain(dot->rhs_batch, i) && !ints_contain(dot->rhs_contracting, i))
            dims[d++] = rhs->dims[i];
    }
    infer_set(infer, 0, infer_tensor_like(infer, op_result_type(op, 0), rank, dims));
    return true;
}

// Where the ragged dimension is: it decides what a group is.
typedef enum RaggedMode { RAGGED_FREE, RAGGED_CONTRACTING, RAGGED_BATCH } RaggedMode;

static bool infer_ragged_mode(Infer *infer, const Op *op, const DotDims *dot, RaggedMode *mode) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    if (dot->lhs_ragged.count != 1)
        return infer_fail(infer, op, "There must be exactly one ragged dimension in the lhs");
    int64_t ragged = dot->lhs_ragged.data[0];
    if (ragged < 0 || ragged >= lhs->rank)
        return infer_fail(
            infer, op, "lhs_ragged_dimensions value: %lld is out of range: [0, %d)",
            (long long)ragged, lhs->rank);
    *mode = ints_contain(dot->lhs_batch, (int)ragged)         ? RAGGED_BATCH
            : ints_contain(dot->lhs_contracting, (int)ragged) ? RAGGED_CONTRACTING
                                                              : RAGGED_FREE;
    if (*mode != RAGGED_FREE) {
        if (dot->rhs_group.count == 0) return true;
        return infer_fail(
            infer, op,
            "There must be zero group dimensions in the rhs when the ragged dimension is batch or "
            "contracting");
    }
    if (dot->rhs_group.count != 1)
        return infer_fail(
            infer, op,
            "There must be exactly one group dimension in the rhs when the lhs ragged dimension is "
            "non-contracting");
    int64_t group = dot->rhs_group.data[0];
    if (group < 0 || group >= rhs->rank)
        return infer_fail(
            infer, op, "rhs_group_dimensions value: %lld is out of range: [0, %d)",
            (long long)group, rhs->rank);
    if (ints_contain(dot->rhs_batch, (int)group) || ints_contain(dot->rhs_contracting, (int)group))
        return infer_fail(
            infer, op, "has duplicated dimension from rhs_group_dimensions and others: %lld",
            (long long)group);
    return true;
}

// Copies the sizes of those dimensions of the list that stand before `ragged`.
static int sizes_before(const Type *lhs, IntSpan list, int64_t ragged, int64_t *sizes, int count) {
    for (int i = 0; i < list.count && list.data[i] != ragged; i++)
        sizes[count++] = lhs->dims[list.data[i]];
    return count;
}

// One number per group, or per group and position in the dimensions outside of the ragged one.
static bool check_group_sizes(Infer *infer, const Op *op, const DotDims *dot, RaggedMode mode) {
    const Type *lhs = op_operand_type(op, 0), *sizes = op_operand_type(op, 2);
    if (sizes->rank == 0)
        return infer_fail(infer, op, "expected rank of group_sizes to be at least 1, got 0");
    int64_t ragged = dot->lhs_ragged.data[0], groups = sizes->dims[sizes->rank - 1];
    if (mode == RAGGED_FREE &&
        !dims_fit(groups, op_operand_type(op, 1)->dims[dot->rhs_group.data[0]]))
        return infer_fail(
            infer, op, "rhs group dimension is expected to have size=%lld, got %lld",
            (long long)groups, (long long)op_operand_type(op, 1)->dims[dot->rhs_group.data[0]]);
    if (sizes->rank == 1) return true;
    int64_t expected[MAX_RANK + 1];
    int count = sizes_before(lhs, dot->lhs_batch, ragged, expected, 0);
    if (mode == RAGGED_CONTRACTING)
        count = sizes_before(lhs, dot->lhs_contracting, ragged, expected, count);
    for (int d = 0; d < ragged && mode == RAGGED_FREE; d++) {
        if (!ints_contain(dot->lhs_batch, d) && !ints_contain(dot->lhs_contracting, d))
            expected[count++] = lhs->dims[d];
    }
    expected[count++] = groups;
    bool fits = count == sizes->rank;
    for (int d = 0; fits && d < count; d++)
        fits = dims_fit(expected[d], sizes->dims[d]);
    if (fits) return true;
    return infer_fail(
        infer, op, "group_sizes is expected to have shape [%s], got [%s]",
        infer_ints_text(infer, expected, count), infer_ints_text(infer, sizes->dims, sizes->rank));
}

// lhs, rhs, group sizes: [batch, free of lhs, free of rhs], with the groups in front when a
// contracted dimension is ragged
bool infer_ragged_dot(Infer *infer, const Op *op) {
    const Type *lhs = op_operand_type(op, 0), *rhs = op_operand_type(op, 1);
    const Type *sizes = op_operand_type(op, 2);
    RaggedMode mode = RAGGED_FREE;
    const Attr *attr = op_attr(op, NAME_RAGGED_DOT_DIMENSION_NUMBERS);
    if (!infer_check_precision(infer, op)) return false;
    const DotDims *dot = attr->dot;
    if (!element_is_integer(sizes->element) || sizes->quant)
        return infer_fail(infer, op, "group_sizes must be a tensor of integers");
    if (!check_side(infer, op, "lhs", lhs->rank, dot->lhs_batch, dot->lhs_contracting) ||
        !check_side(infer, op, "rhs", rhs->rank, dot->rhs_batch, dot->rhs_contracting) ||
        !check_pairs(infer, op, "batching", dot->lhs_batch, dot->rhs_batch) ||
        !check_pairs(infer, op, "contracting", dot->lhs_contracting, dot->rhs_contracting) ||
        !infer_ragged_mode(infer, op, dot, &mode) || !check_group_sizes(infer, op, dot, mode))
        return false;
    int64_t dims[3 * MAX_RANK] = {0};
    int rank = 0;
    if (mode == RAGGED_CONTRACTING) dims[rank++] = sizes->dims[sizes->rank - 1];
    for (int i = 0; i < dot->lhs_batch.count; i++)
        dims[rank++] = lhs->dims[dot->lhs_batch.data[i]];
    for (int d = 0; d < lhs->rank; d++) {
        if (!ints_contain(dot->lhs_batch, d) && !ints_contain(dot->lhs_contracting, d))
            dims[rank++] = lhs->dims[d];
    }
    for (int d = 0; d < rhs->rank; d++) {
        if (!ints_contain(dot->rhs_batch, d) && !ints_contain(dot->rhs_contracting, d) &&
            !ints_contain(dot->rhs_group, d))
            dims[rank++] = rhs->dims[d];
    }
    if (rank > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    infer_set(infer, 0, infer_tensor_like(infer, op_result_type(op, 0), rank, dims));
    return true;
}

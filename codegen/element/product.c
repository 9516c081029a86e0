// dot_general and convolution as folds over the contracted indices: any type, any layout.
#include "codegen/element/product.h"

#include "codegen/element/window.h"

typedef const IndexExpr *Index;

// A sum of few terms gains nothing from vector lanes: it stays in order, and rounds as written.
enum { SHORT_SUM = 16 };

// ---- indices

static void dot_indices(
    ExprBuilder *b, const Op *op, FoldDraft *draft, const Index *index, Index *lhs, Index *rhs) {
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *l = op_operand_type(op, 0), *r = op_operand_type(op, 1);
    int next = 0;
    for (int i = 0; i < dims->lhs_batch.count; i++)
        lhs[dims->lhs_batch.data[i]] = rhs[dims->rhs_batch.data[i]] = index[next++];
    for (int d = 0; d < l->rank; d++) {
        if (!ints_contain(dims->lhs_batch, d) && !ints_contain(dims->lhs_contracting, d))
            lhs[d] = index[next++];
    }
    for (int d = 0; d < r->rank; d++) {
        if (!ints_contain(dims->rhs_batch, d) && !ints_contain(dims->rhs_contracting, d))
            rhs[d] = index[next++];
    }
    for (int i = 0; i < dims->lhs_contracting.count; i++) {
        int64_t d = dims->lhs_contracting.data[i];
        lhs[d] = rhs[dims->rhs_contracting.data[i]] = fold_add_axis(b, draft, l->dims[d]);
    }
}

static Window conv_window(ExprBuilder *b, const Op *op, const ConvDims *dims) {
    const Type *l = op_operand_type(op, 0), *r = op_operand_type(op, 1);
    Window w = {.rank = dims->input_spatial.count};
    const int64_t *stride = op_ints_or(b->arena, op, NAME_WINDOW_STRIDES, w.rank, 1);
    const int64_t *base = op_ints_or(b->arena, op, NAME_LHS_DILATION, w.rank, 1);
    const int64_t *dilation = op_ints_or(b->arena, op, NAME_RHS_DILATION, w.rank, 1);
    const int64_t *padding = op_ints_or(b->arena, op, NAME_PADDING, 2 * w.rank, 0);
    for (int d = 0; d < w.rank; d++) {
        w.size[d] = r->dims[dims->kernel_spatial.data[d]];
        w.stride[d] = stride[d];
        w.base_dilation[d] = base[d];
        w.dilation[d] = dilation[d];
        w.low[d] = padding[2 * d];
        w.base[d] = l->dims[dims->input_spatial.data[d]];
    }
    return w;
}

// The axes are window positions, then the input feature inside the group. False: no term exists.
static bool conv_indices(
    ExprBuilder *b, const Op *op, FoldDraft *draft, const Index *index, Index *lhs, Index *rhs) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *l = op_operand_type(op, 0), *r = op_operand_type(op, 1);
    int64_t feature_groups = op_int(op, NAME_FEATURE_GROUP_COUNT, 1),
            batch_groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1);
    Window window = conv_window(b, op, dims);
    const int64_t *reversal = op_ints_or(b->arena, op, NAME_WINDOW_REVERSAL, window.rank, 0);
    Index k[MAX_RANK], place[MAX_RANK], o[MAX_RANK] = {NULL};
    for (int d = 0; d < window.rank; d++) {
        k[d] = fold_add_axis(b, draft, window.size[d]);
        o[d] = index[dims->output_spatial.data[d]];
    }
    Index in_group = fold_add_axis(b, draft, r->dims[dims->kernel_input_feature]);
    if (!window_place(b, &window, o, k, place, draft->guards, &draft->fold.guard_count))
        return false;
    for (int d = 0; d < window.rank; d++) {
        lhs[dims->input_spatial.data[d]] = place[d];
        Index last = index_constant(b->index, window.size[d] - 1);
        rhs[dims->kernel_spatial.data[d]] = reversal[d] ? index_sub(b->index, last, k[d]) : k[d];
    }
    Index feature = index[dims->output_feature];
    int64_t groups = feature_groups > 1 ? feature_groups : batch_groups;
    int64_t per_group = r->dims[dims->kernel_output_feature] / groups;
    Index group = index_div(b->index, feature, per_group > 0 ? per_group : 1);
    rhs[dims->kernel_output_feature] = feature;
    rhs[dims->kernel_input_feature] = in_group;
    lhs[dims->input_feature] = in_group;
    lhs[dims->input_batch] = index[dims->output_batch];
    if (feature_groups > 1) {
        int64_t features = r->dims[dims->kernel_input_feature];
        lhs[dims->input_feature] =
            index_add(b->index, index_scale(b->index, group, features), in_group);
    } else if (batch_groups > 1) {
        int64_t batch = l->dims[dims->input_batch] / batch_groups;
        lhs[dims->input_batch] =
            index_add(b->index, index_scale(b->index, group, batch), index[dims->output_batch]);
    }
    return true;
}

// ---- the fold

static ElementType accumulator_of(ElementType element) {
    bool is_narrow = element_is_float(element) && element != ELEMENT_F64;
    return is_narrow ? ELEMENT_F32 : element;
}

static bool is_long(const FoldDraft *draft) {
    int64_t terms = 1;
    for (int k = 0; k < draft->fold.axis_count && terms < SHORT_SUM; k++)
        terms *= draft->axes[k].extent;
    return terms >= SHORT_SUM;
}

const Fold *fold_of_product(ExprBuilder *b, const Op *op, const Index *index) {
    FoldDraft *draft = fold_draft(b);
    Index lhs[MAX_RANK], rhs[MAX_RANK];
    ElementType result = op_result_type(op, 0)->element, type = accumulator_of(result);
    bool exists = true;
    if (op->code == OP_DOT_GENERAL)
        dot_indices(b, op, draft, index, lhs, rhs);
    else
        exists = conv_indices(b, op, draft, index, lhs, rhs);
    int sum = fold_add_accumulator(b, draft, type, expr_real(b, type, 0));
    if (exists) {
        const Expr *x = expr_convert(b, expr_of(b, op_operand(op, 0), lhs), type);
        const Expr *y = expr_convert(b, expr_of(b, op_operand(op, 1), rhs), type);
        const Expr *product = expr_arithmetic(b, OP_MULTIPLY, x, y);
        draft->step[sum] = expr_arithmetic(b, OP_ADD, draft->accumulators[sum], product);
    }
    draft->result[0] = expr_convert(b, draft->accumulators[sum], result);
    draft->fold.result_count = 1;
    draft->fold.is_sum = element_is_float(type);
    draft->fold.in_lanes = is_long(draft);
    return b->failed ? NULL : fold_done(b, draft);
}

// lower_contract_reference: dot_general and convolution as plain folds over the contracted indices: any type, any layout.
#include "codegen/lower.h"
#include "codegen/window.h"

typedef const IndexExpr *Index;

// One product of the sum: indices of the two operands; false when there is none (outside the image).
typedef struct Product {
    const Op *op;
    ElementType accumulator;
    const ConvDims *conv; // NULL: dot_general
    int64_t feature_groups, batch_groups;
    Window window; // of a convolution: over spatial dimensions
    bool is_reversed[MAX_RANK];
} Product;

static ElementType accumulator_of(ElementType element) {
    bool is_narrow = element_is_float(element) && element != ELEMENT_F64;
    return is_narrow ? ELEMENT_F32 : element;
}

static bool is_in(IntSpan span, int64_t x) {
    for (int i = 0; i < span.count; i++) {
        if (span.data[i] == x) return true;
    }
    return false;
}

// --- indices ---

static void dot_indices(
    const Product *p, const Index *index, const Index *k, Index *lhs, Index *rhs) {
    const DotDims *dims = op_attr(p->op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *l = op_operand_type(p->op, 0), *r = op_operand_type(p->op, 1);
    int next = 0;
    for (int i = 0; i < dims->lhs_batch.count; i++) {
        lhs[dims->lhs_batch.data[i]] = rhs[dims->rhs_batch.data[i]] = index[next++];
    }
    for (int d = 0; d < l->rank; d++) {
        if (!is_in(dims->lhs_batch, d) && !is_in(dims->lhs_contracting, d)) lhs[d] = index[next++];
    }
    for (int d = 0; d < r->rank; d++) {
        if (!is_in(dims->rhs_batch, d) && !is_in(dims->rhs_contracting, d)) rhs[d] = index[next++];
    }
    for (int i = 0; i < dims->lhs_contracting.count; i++)
        lhs[dims->lhs_contracting.data[i]] = rhs[dims->rhs_contracting.data[i]] = k[i];
}

// k: window positions, then the input feature inside the group.
static bool conv_indices(
    Emit *e, const Product *p, const Index *index, const Index *k, Index *lhs, Index *rhs,
    LLVMValueRef *condition) {
    const ConvDims *dims = p->conv;
    const Type *l = op_operand_type(p->op, 0), *r = op_operand_type(p->op, 1);
    int spatial = dims->input_spatial.count;
    Index place[MAX_RANK], o[MAX_RANK] = {NULL};
    for (int d = 0; d < spatial; d++)
        o[d] = index[dims->output_spatial.data[d]];
    if (!window_place(e, &p->window, o, k, place, condition)) return false;
    for (int d = 0; d < spatial; d++) {
        lhs[dims->input_spatial.data[d]] = place[d];
        Index last = index_constant(e->index, p->window.size[d] - 1);
        rhs[dims->kernel_spatial.data[d]] =
            p->is_reversed[d] ? index_sub(e->index, last, k[d]) : k[d];
    }
    Index feature = index[dims->output_feature], in_group = k[spatial];
    int64_t groups = p->feature_groups > 1 ? p->feature_groups : p->batch_groups;
    int64_t per_group = r->dims[dims->kernel_output_feature] / groups;
    Index group = index_div(e->index, feature, per_group > 0 ? per_group : 1);
    rhs[dims->kernel_output_feature] = feature;
    rhs[dims->kernel_input_feature] = in_group;
    lhs[dims->input_feature] = in_group;
    lhs[dims->input_batch] = index[dims->output_batch];
    if (p->feature_groups > 1) {
        int64_t features = r->dims[dims->kernel_input_feature];
        lhs[dims->input_feature] =
            index_add(e->index, index_scale(e->index, group, features), in_group);
    } else if (p->batch_groups > 1) {
        int64_t batch = l->dims[dims->input_batch] / p->batch_groups;
        lhs[dims->input_batch] =
            index_add(e->index, index_scale(e->index, group, batch), index[dims->output_batch]);
    }
    return true;
}

// --- the fold ---

static void product_start(Emit *e, const Fold *fold, const Index *index, Scalar *accumulators) {
    (void)index;
    accumulators[0] = emit_constant(e, fold->accumulator[0], 0);
}

static void product_step(
    Emit *e, const Fold *fold, const Index *index, const Index *at, Scalar *accumulators,
    bool reassociate) {
    const Product *p = fold->user;
    Index lhs[MAX_RANK], rhs[MAX_RANK];
    LLVMValueRef condition = NULL;
    if (!p->conv)
        dot_indices(p, index, at, lhs, rhs);
    else if (!conv_indices(e, p, index, at, lhs, rhs, &condition))
        return;
    EmitIf branch = {0};
    Scalar sum = accumulators[0];
    if (condition) branch = emit_if(e, condition);
    Scalar x = emit_element(e, op_operand(p->op, 0), lhs),
           y = emit_element(e, op_operand(p->op, 1), rhs);
    if (e->failed) return;
    bool outer = e->reassociate;
    e->reassociate = reassociate;
    ElementType type = fold->accumulator[0];
    Scalar product =
        emit_arithmetic(e, OP_MULTIPLY, emit_convert(e, x, type), emit_convert(e, y, type));
    sum = emit_arithmetic(e, OP_ADD, sum, product);
    e->reassociate = outer;
    if (condition) {
        emit_end_if(e, &branch);
        sum = emit_phi(e, &branch, sum, accumulators[0]);
    }
    accumulators[0] = sum;
}

static void product_finish(Emit *e, const Fold *fold, const Scalar *accumulators, Scalar *results) {
    const Product *p = fold->user;
    results[0] = emit_convert(e, accumulators[0], op_result_type(p->op, 0)->element);
}

static void read_convolution(Emit *e, const Op *op, Product *p, Fold *fold) {
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    const Type *l = op_operand_type(op, 0), *r = op_operand_type(op, 1);
    Window *w = &p->window;
    p->conv = dims;
    p->feature_groups = op_int(op, NAME_FEATURE_GROUP_COUNT, 1);
    p->batch_groups = op_int(op, NAME_BATCH_GROUP_COUNT, 1);
    w->rank = dims->input_spatial.count;
    const int64_t *stride = op_ints_or(e->arena, op, NAME_WINDOW_STRIDES, w->rank, 1);
    const int64_t *base = op_ints_or(e->arena, op, NAME_LHS_DILATION, w->rank, 1);
    const int64_t *dilation = op_ints_or(e->arena, op, NAME_RHS_DILATION, w->rank, 1);
    const int64_t *padding = op_ints_or(e->arena, op, NAME_PADDING, 2 * w->rank, 0);
    const int64_t *reversal = op_ints_or(e->arena, op, NAME_WINDOW_REVERSAL, w->rank, 0);
    for (int d = 0; d < w->rank; d++) {
        w->size[d] = fold->extent[d] = r->dims[dims->kernel_spatial.data[d]];
        w->stride[d] = stride[d];
        w->base_dilation[d] = base[d];
        w->dilation[d] = dilation[d];
        w->low[d] = padding[2 * d];
        w->base[d] = l->dims[dims->input_spatial.data[d]];
        p->is_reversed[d] = reversal[d] != 0;
    }
    fold->loop_count = w->rank;
    fold->extent[fold->loop_count++] = r->dims[dims->kernel_input_feature];
}

// A sum of few terms gains nothing from vector lanes: it stays in order, and rounds as written.
static void order_short_sums(Fold *fold) {
    enum { SHORT_SUM = 16 };
    int64_t terms = 1;
    for (int i = 0; i < fold->loop_count && terms < SHORT_SUM; i++)
        terms *= fold->extent[i];
    fold->vectorize = terms >= SHORT_SUM;
}

static void product_fold(Emit *e, const Op *op, Fold *fold) {
    Product *p = ARENA_NEW(e->arena, Product);
    p->op = op;
    *fold = (Fold){
        .user = p,
        .count = 1,
        .start = product_start,
        .step = product_step,
        .finish = product_finish};
    fold->accumulator[0] = accumulator_of(op_result_type(op, 0)->element);
    fold->is_sum = element_is_float(fold->accumulator[0]);
    if (op->code != OP_DOT_GENERAL) {
        read_convolution(e, op, p, fold);
        order_short_sums(fold);
        return;
    }
    const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    for (int i = 0; i < dims->lhs_contracting.count; i++)
        fold->extent[fold->loop_count++] =
            op_operand_type(op, 0)->dims[dims->lhs_contracting.data[i]];
    order_short_sums(fold);
}

static void product_element(Emit *e, void *user, const Index *index) {
    const Fold *fold = user;
    const Product *p = fold->user;
    Scalar result;
    if (!fold_element(e, fold, index, &result)) return;
    emit_bind(e, op_result(p->op, 0), &result);
    store_outputs_of(e, op_result(p->op, 0), index);
    emit_bind(e, op_result(p->op, 0), NULL);
}

// --- the kernels ---

void contract_reference_grid(Kernel *kernel, const Target *target) {
    (void)target;
    int64_t results = type_element_count(kernel->outputs[0].value->type);
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 2 * results;
    kernel->grid = grid_of_bytes(8 * kernel->bytes);
    if (kernel->grid > results) kernel->grid = results > 0 ? results : 1;
    kernel->scratch_bytes = 0;
}

bool contract_reference_emit(Emit *e) {
    const Op *op = e->kernel->root;
    const Type *type = op_result_type(op, 0);
    Fold *fold = ARENA_NEW(e->arena, Fold);
    product_fold(e, op, fold);
    Space *space = ARENA_NEW(e->arena, Space);
    if (!space_plan(e, space, type->rank, type->dims, product_element, fold)) return false;
    if (fold_prefers_columns(space)) {
        const Value **results = (const Value **)arena_alloc_array(e->arena, 1, sizeof(Value *));
        results[0] = op_result(op, 0);
        fold_emit_columns(e, fold, space, results);
    } else {
        space_emit(e, space);
    }
    return !e->failed;
}

void conv_reference_grid(Kernel *kernel, const Target *target) {
    contract_reference_grid(kernel, target);
}
bool conv_reference_emit(Emit *e) { return contract_reference_emit(e); }

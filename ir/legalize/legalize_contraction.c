// dot, broadcast, einsum, unary_einsum and torch_index_select in terms of
// dot_general, reduce, transpose and gather.
#include "ir/legalize/legalize.h"

static bool fail(Legalizer *legalizer, const Op *op, const char *what) {
    diag_error(legalizer->pass->diags, op->loc, "'%.*s' op %s", SV_ARG(op->name), what);
    legalizer->failed = true;
    return false;
}

static Value *build_dot(
    Builder *builder, Value *lhs, Value *rhs, const DotDims *dims, const Type *type) {
    Op *dot = build_op(builder, OP_DOT_GENERAL, 2, (Value *[]){lhs, rhs}, 1, &type, 0);
    const Attr *attr =
        attr_intern(builder->module->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = dims});
    op_set_attr(builder->module, dot, NAME_DOT_DIMENSION_NUMBERS, attr);
    return op_result(dot, 0);
}

static void copy_attr(Module *module, Op *to, const Op *from, AttrName name) {
    if (op_attr(from, name)) op_set_attr(module, to, name, op_attr(from, name));
}

bool convert_dot(Legalizer *legalizer, Op *op) {
    Value *lhs = op_operand(op, 0), *rhs = op_operand(op, 1);
    int64_t last = lhs->type->rank - 1, first = 0;
    DotDims dims = {.lhs_contracting = {&last, 1}, .rhs_contracting = {&first, 1}};
    Builder builder = builder_before(legalizer->module, op);
    Value *result = build_dot(&builder, lhs, rhs, &dims, op_result_type(op, 0));
    copy_attr(legalizer->module, result->def, op, NAME_PRECISION_CONFIG);
    result->def->extra = op->extra;
    return legalize_replace_one(legalizer, op, result);
}

// New dimensions come first.
bool convert_broadcast(Legalizer *legalizer, Op *op) {
    const Type *type = op_result_type(op, 0);
    Value *x = op_operand(op, 0);
    if (!type_is_static(type)) return false;
    int64_t dims[MAX_RANK];
    for (int d = 0; d < x->type->rank; d++)
        dims[d] = type->rank - x->type->rank + d;
    Builder builder = builder_before(legalizer->module, op);
    return legalize_replace_one(legalizer, op, build_broadcast_in_dim(&builder, x, type, dims));
}

// operand [batch, left.., dim, right..], index [batch, rest..] -> [batch, left.., rest.., right..]
bool convert_torch_index_select(Legalizer *legalizer, Op *op) {
    Module *module = legalizer->module;
    Value *operand = op_operand(op, 0), *index = op_operand(op, 1);
    if (!type_is_static(operand->type) || !type_is_static(index->type)) return false;
    int rank = operand->type->rank, rest = 0;
    int64_t dim = op_int(op, NAME_DIM, 0), batch = op_int(op, NAME_BATCH_DIMS, 0);
    rest = index->type->rank - (int)batch;
    int64_t offset[MAX_RANK], batching[MAX_RANK], sizes[MAX_RANK];
    int offset_count = 0;
    for (int d = 0; d < rank; d++) {
        bool dropped = d < batch || d == dim;
        sizes[d] = dropped ? 1 : operand->type->dims[d];
        if (d < batch) batching[d] = d;
        if (!dropped) offset[offset_count++] = d < dim ? d : d - 1 + rest;
    }
    GatherDims gather = {
        .offset_dims = {offset, offset_count},
        .collapsed_slice_dims = {&dim, 1},
        .operand_batching_dims = {batching, (int)batch},
        .start_indices_batching_dims = {batching, (int)batch},
        .start_index_map = {&dim, 1},
        .index_vector_dim = index->type->rank};
    Builder builder = builder_before(module, op);
    const Type *type = op_result_type(op, 0);
    Op *made = build_op(&builder, OP_GATHER, 2, (Value *[]){operand, index}, 1, &type, 0);
    op_set_attr(
        module, made, NAME_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_GATHER_DIMS, .gather = &gather}));
    op_set_attr(module, made, NAME_SLICE_SIZES, attr_ints(module->context, rank, sizes));
    op_set_attr(module, made, NAME_INDICES_ARE_SORTED, attr_bool(module->context, false));
    return legalize_replace_one(legalizer, op, op_result(made, 0));
}

// ---- einsum ----

// One tensor of an einsum: a letter per dimension.
typedef struct Labels {
    char letters[MAX_RANK + 1];
    int count;
} Labels;

static int position_of(const Labels *labels, char letter) {
    for (int i = 0; i < labels->count; i++) {
        if (labels->letters[i] == letter) return i;
    }
    return -1;
}

// Letters up to `end`; false on anything else, on a repeated letter or too many.
static bool read_labels(StrView *text, StrView end, Labels *labels) {
    labels->count = 0;
    while (text->size && !(end.size && strview_starts_with(*text, end))) {
        char c = text->data[0];
        *text = (StrView){text->data + 1, text->size - 1};
        if (c == ' ') continue;
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter || labels->count == MAX_RANK || position_of(labels, c) >= 0) return false;
        labels->letters[labels->count++] = c;
    }
    if (!strview_starts_with(*text, end)) return false;
    *text = (StrView){text->data + end.size, text->size - end.size};
    return true;
}

// Sums the dimensions whose letters are in none of the two others; the labels lose them.
static Value *sum_private(
    Builder *builder, Value *x, Labels *labels, const Labels *other, const Labels *result) {
    int64_t dims[MAX_RANK];
    int count = 0;
    Labels kept = {0};
    for (int i = 0; i < labels->count; i++) {
        char letter = labels->letters[i];
        bool used = position_of(result, letter) >= 0 || (other && position_of(other, letter) >= 0);
        if (used) {
            kept.letters[kept.count++] = letter;
        } else {
            dims[count++] = i;
        }
    }
    *labels = kept;
    return count ? build_reduce(builder, OP_ADD, x, count, dims) : x;
}

// Brings the dimensions into the result's order; NULL when a letter of the result is missing.
static Value *order_dims(Builder *builder, Value *x, const Labels *labels, const Labels *result) {
    int64_t permutation[MAX_RANK];
    bool is_identity = true;
    if (labels->count != result->count) return NULL;
    for (int d = 0; d < result->count; d++) {
        permutation[d] = position_of(labels, result->letters[d]);
        if (permutation[d] < 0) return NULL;
        is_identity = is_identity && permutation[d] == d;
    }
    return is_identity ? x : build_transpose(builder, x, permutation);
}

static bool finish_einsum(Legalizer *legalizer, Op *op, Value *value) {
    if (!value || value->type != op_result_type(op, 0))
        return fail(legalizer, op, "result type does not follow from einsum_config");
    return legalize_replace_one(legalizer, op, value);
}

bool convert_unary_einsum(Legalizer *legalizer, Op *op) {
    StrView config = op_text(op, NAME_EINSUM_CONFIG);
    Labels operand, result;
    if (!read_labels(&config, SV("->"), &operand) || !read_labels(&config, SV(""), &result) ||
        operand.count != op_operand_type(op, 0)->rank)
        return fail(legalizer, op, "has an einsum_config that is not supported");
    if (!type_is_static(op_operand_type(op, 0))) return false;
    Builder builder = builder_before(legalizer->module, op);
    Value *x = sum_private(&builder, op_operand(op, 0), &operand, NULL, &result);
    return finish_einsum(legalizer, op, order_dims(&builder, x, &operand, &result));
}

// What both have is a batch dimension when the result has it too, else it is summed; then come the
// others.
static Value *build_einsum(
    Builder *builder, Value *lhs, const Labels *lhs_labels, Value *rhs, const Labels *rhs_labels,
    const Labels *result, Labels *product) {
    int64_t batch[2][MAX_RANK], contracting[2][MAX_RANK], dims[2 * MAX_RANK];
    int batch_count = 0, contracting_count = 0;
    *product = (Labels){0};
    for (int i = 0; i < lhs_labels->count; i++) {
        char letter = lhs_labels->letters[i];
        int j = position_of(rhs_labels, letter);
        if (j < 0) continue;
        if (lhs->type->dims[i] != rhs->type->dims[j]) return NULL;
        bool is_batch = position_of(result, letter) >= 0;
        if (is_batch) {
            dims[product->count] = lhs->type->dims[i];
            product->letters[product->count++] = letter;
        }
        int64_t(*sides)[MAX_RANK] = is_batch ? batch : contracting;
        int *count = is_batch ? &batch_count : &contracting_count;
        sides[0][*count] = i;
        sides[1][(*count)++] = j;
    }
    const Labels *labels[] = {lhs_labels, rhs_labels};
    const Value *values[] = {lhs, rhs};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < labels[side]->count; i++) {
            char letter = labels[side]->letters[i];
            if (position_of(labels[1 - side], letter) >= 0) continue;
            if (product->count == MAX_RANK) return NULL;
            dims[product->count] = values[side]->type->dims[i];
            product->letters[product->count++] = letter;
        }
    }
    DotDims dot = {
        .lhs_batch = {batch[0], batch_count},
        .rhs_batch = {batch[1], batch_count},
        .lhs_contracting = {contracting[0], contracting_count},
        .rhs_contracting = {contracting[1], contracting_count}};
    const Type *type =
        type_tensor(builder->module->context, lhs->type->element, product->count, dims);
    return build_dot(builder, lhs, rhs, &dot, type);
}

bool convert_einsum(Legalizer *legalizer, Op *op) {
    StrView config = op_text(op, NAME_EINSUM_CONFIG);
    Labels lhs, rhs, result, product;
    if (!read_labels(&config, SV(","), &lhs) || !read_labels(&config, SV("->"), &rhs) ||
        !read_labels(&config, SV(""), &result) || lhs.count != op_operand_type(op, 0)->rank ||
        rhs.count != op_operand_type(op, 1)->rank)
        return fail(legalizer, op, "has an einsum_config that is not supported");
    if (!type_is_static(op_operand_type(op, 0)) || !type_is_static(op_operand_type(op, 1)))
        return false;
    if (op_operand_type(op, 0)->element != op_operand_type(op, 1)->element)
        return fail(legalizer, op, "requires the same element type for all operands");
    Builder builder = builder_before(legalizer->module, op);
    Value *x = sum_private(&builder, op_operand(op, 0), &lhs, &rhs, &result);
    Value *y = sum_private(&builder, op_operand(op, 1), &rhs, &lhs, &result);
    Value *dot = build_einsum(&builder, x, &lhs, y, &rhs, &result, &product);
    if (!dot) return fail(legalizer, op, "has operands whose sizes do not fit einsum_config");
    copy_attr(legalizer->module, dot->def, op, NAME_PRECISION_CONFIG);
    return finish_einsum(legalizer, op, order_dims(&builder, dot, &product, &result));
}

// ragged_dot in terms of dot_general: every group sees all of lhs, with zeros outside of its rows.
#include "ir/legalize/legalize.h"

typedef struct Ragged {
    Legalizer *legalizer;
    Builder builder;
    Value *lhs, *rhs, *sizes;
    const DotDims *dot;
    int64_t ragged; // dimension of lhs
    int64_t groups;
} Ragged;

// ends[g] = sizes[0] + .. + sizes[g]
static Value *group_ends(Ragged *ragged) {
    Context *context = ragged->legalizer->module->context;
    Builder *builder = &ragged->builder;
    const int64_t dims[2] = {ragged->groups, ragged->groups}, columns = 1;
    const Type *square = type_tensor(context, ragged->sizes->type->element, 2, dims);
    Value *row = build_iota(builder, square, 0), *column = build_iota(builder, square, 1);
    Value *all = build_broadcast_in_dim(builder, ragged->sizes, square, &columns);
    Value *seen = build_compare(builder, DIRECTION_LE, column, row);
    Value *masked = build_select(builder, seen, all, build_splat_int(builder, square, 0));
    return build_reduce(builder, OP_ADD, masked, 1, &columns);
}

// lhs once per group, zero outside of the group's part of the ragged dimension: [group, lhs..]
static Value *masked_lhs(Ragged *ragged) {
    Context *context = ragged->legalizer->module->context;
    Builder *builder = &ragged->builder;
    const Type *lhs = ragged->lhs->type;
    int64_t dims[MAX_RANK], from[MAX_RANK];
    dims[0] = ragged->groups;
    for (int d = 0; d < lhs->rank; d++) {
        dims[d + 1] = lhs->dims[d];
        from[d] = d + 1;
    }
    const Type *type = type_tensor(context, lhs->element, lhs->rank + 1, dims);
    const Type *places = type_with_element(context, type, ragged->sizes->type->element);
    const int64_t group = 0;
    Value *ends = group_ends(ragged),
          *starts = build_binary(builder, OP_SUBTRACT, ends, ragged->sizes);
    Value *place = build_iota(builder, places, (int)ragged->ragged + 1);
    Value *high = build_compare(
        builder, DIRECTION_LT, place, build_broadcast_in_dim(builder, ends, places, &group));
    Value *low = build_compare(
        builder, DIRECTION_GE, place, build_broadcast_in_dim(builder, starts, places, &group));
    Value *mine = build_binary(builder, OP_AND, low, high);
    Value *all = build_broadcast_in_dim(builder, ragged->lhs, type, from);
    return build_select(builder, mine, all, build_splat(builder, type, 0));
}

static Value *build_dot(
    Ragged *ragged, const Op *op, Value *lhs, const DotDims *dims, const Type *type) {
    Module *module = ragged->legalizer->module;
    Op *dot =
        build_op(&ragged->builder, OP_DOT_GENERAL, 2, (Value *[]){lhs, ragged->rhs}, 1, &type, 0);
    op_set_attr(
        module, dot, NAME_DOT_DIMENSION_NUMBERS,
        attr_intern(module->context, &(Attr){.kind = ATTR_DOT_DIMS, .dot = dims}));
    const Attr *precision = op_attr(op, NAME_PRECISION_CONFIG);
    if (precision) op_set_attr(module, dot, NAME_PRECISION_CONFIG, precision);
    return op_result(dot, 0);
}

// The lists of lhs, one dimension further.
static IntSpan shifted(IntSpan list, int64_t *room) {
    for (int i = 0; i < list.count; i++)
        room[i] = list.data[i] + 1;
    return (IntSpan){room, list.count};
}

// rhs has a matrix per group: the groups are contracted, too.
static Value *free_ragged(Ragged *ragged, const Op *op) {
    int64_t batch[MAX_RANK], contracting[MAX_RANK + 1], rhs_contracting[MAX_RANK + 1];
    const DotDims *dot = ragged->dot;
    DotDims dims = {.lhs_batch = shifted(dot->lhs_batch, batch), .rhs_batch = dot->rhs_batch};
    dims.lhs_contracting = shifted(dot->lhs_contracting, contracting);
    for (int i = 0; i < dot->rhs_contracting.count; i++)
        rhs_contracting[i] = dot->rhs_contracting.data[i];
    contracting[dims.lhs_contracting.count++] = 0;
    rhs_contracting[dot->rhs_contracting.count] = dot->rhs_group.data[0];
    dims.rhs_contracting = (IntSpan){rhs_contracting, dot->rhs_contracting.count + 1};
    return build_dot(ragged, op, masked_lhs(ragged), &dims, op_result_type(op, 0));
}

// The result has a matrix per group, in front: [batch, group, ..] is transposed.
static Value *contracting_ragged(Ragged *ragged, const Op *op) {
    int64_t batch[MAX_RANK], contracting[MAX_RANK], dims[MAX_RANK], permutation[MAX_RANK];
    const DotDims *dot = ragged->dot;
    DotDims made = {
        .lhs_batch = shifted(dot->lhs_batch, batch),
        .rhs_batch = dot->rhs_batch,
        .lhs_contracting = shifted(dot->lhs_contracting, contracting),
        .rhs_contracting = dot->rhs_contracting};
    const Type *result = op_result_type(op, 0);
    int batches = dot->lhs_batch.count;
    for (int d = 0; d < result->rank; d++) {
        int from = d < batches ? d + 1 : d == batches ? 0 : d; // of the result
        dims[d] = result->dims[from];
        permutation[from] = d;
    }
    const Type *type =
        type_with_dims(ragged->legalizer->module->context, result, result->rank, dims);
    Value *made_dot = build_dot(ragged, op, masked_lhs(ragged), &made, type);
    return build_transpose(&ragged->builder, made_dot, permutation);
}

bool convert_ragged_dot(Legalizer *legalizer, Op *op) {
    const Attr *attr = op_attr(op, NAME_RAGGED_DOT_DIMENSION_NUMBERS);
    Ragged ragged = {
        .legalizer = legalizer,
        .builder = builder_before(legalizer->module, op),
        .lhs = op_operand(op, 0),
        .rhs = op_operand(op, 1),
        .sizes = op_operand(op, 2)};
    if (!attr || attr->kind != ATTR_RAGGED_DOT_DIMS || attr->dot->lhs_ragged.count != 1)
        return false;
    if (!type_is_static(ragged.lhs->type) || !type_is_static(ragged.rhs->type) ||
        !type_is_static(ragged.sizes->type) || !type_is_static(op_result_type(op, 0)) ||
        ragged.lhs->type->rank + 1 > MAX_RANK)
        return false;
    ragged.dot = attr->dot;
    ragged.ragged = attr->dot->lhs_ragged.data[0];
    if (ints_contain(attr->dot->lhs_batch, ragged.ragged)) // all groups are treated alike
        return legalize_replace_one(
            legalizer, op, build_dot(&ragged, op, ragged.lhs, attr->dot, op_result_type(op, 0)));
    if (ragged.sizes->type->rank != 1) return false;
    ragged.groups = ragged.sizes->type->dims[0];
    bool contracts = ints_contain(attr->dot->lhs_contracting, ragged.ragged);
    return legalize_replace_one(
        legalizer, op, contracts ? contracting_ragged(&ragged, op) : free_ragged(&ragged, op));
}

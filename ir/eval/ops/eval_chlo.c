// chlo.scan and chlo.ragged_dot.
#include "ir/eval/ops/eval_shape.h"

#include <string.h>

// --- scan ---

// A step of the scan: which elements of inputs and outputs, and the strides to cut them out.
typedef struct Scan {
    int inputs, carries, outputs;
    int64_t dimension, steps;
} Scan;

// Element `at` along the dimension of a whole tensor, to or from a tensor without that dimension.
static void copy_step(
    int64_t dimension, int64_t at, const Tensor *whole, const Tensor *part, bool to_part) {
    int rank = part->type->rank;
    size_t size = element_bytes(whole->type->element);
    int64_t all[MAX_RANK], in[MAX_RANK], out[MAX_RANK];
    row_major_strides(whole->type->rank, whole->type->dims, all);
    row_major_strides(rank, part->type->dims, out);
    for (int d = 0; d < rank; d++)
        in[d] = all[d < dimension ? d : d + 1];
    if (tensor_count(part) == 0) return;
    char *place = (char *)whole->data + at * all[dimension] * (int64_t)size;
    if (to_part)
        copy_strided(rank, part->type->dims, size, part->data, out, place, in);
    else
        copy_strided(rank, part->type->dims, size, place, in, part->data, out);
}

static bool read_scan(Eval *eval, const Op *op, Scan *scan) {
    int64_t operands[2], results[2];
    const Region *body = op->regions[0];
    const Op *terminator = region_terminator(body);
    eval_ints(op, NAME_OPERAND_SEGMENT_SIZES, 2, 0, operands);
    eval_ints(op, NAME_RESULT_SEGMENT_SIZES, 2, 0, results);
    *scan = (Scan){
        .inputs = (int)operands[0],
        .carries = (int)operands[1],
        .outputs = (int)results[0],
        .dimension = op_int(op, NAME_DIMENSION, 0)};
    if (operands[0] + operands[1] != op->operand_count ||
        results[0] + results[1] != op->result_count || operands[1] != results[1] ||
        body->arg_count != op->operand_count || !terminator ||
        terminator->operand_count != op->result_count)
        return eval_fail(eval, op, "has a body that does not fit its operands and results");
    if (scan->inputs == 0) return eval_unsupported(eval, op, "without inputs");
    for (int i = 0; i < scan->inputs; i++) {
        const Type *type = eval_operand(eval, op, i)->type;
        if (scan->dimension < 0 || scan->dimension >= type->rank ||
            (i > 0 && type->dims[scan->dimension] != scan->steps))
            return eval_fail(eval, op, "has a dimension that does not fit input %d", i);
        scan->steps = type->dims[scan->dimension];
    }
    return true;
}

// operands: inputs, initial carries; results: outputs stacked along the dimension, last carries.
// The body maps (elements, carries) to (elements of the outputs, carries).
bool eval_scan(Eval *eval, const Op *op) {
    Scan scan;
    if (!read_scan(eval, op, &scan)) return false;
    const Region *body = op->regions[0];
    bool is_reverse = op_int(op, NAME_IS_REVERSE, 0) != 0;
    int lane = eval->lane;
    Tensor **args = eval_scratch(eval, op, op->operand_count, sizeof *args);
    Tensor **made = eval_scratch(eval, op, op->result_count, sizeof *made);
    Tensor **carried = eval_scratch(eval, op, scan.carries, sizeof *carried);
    if (!args || !made || !carried) return false;
    for (int i = 0; i < scan.carries; i++)
        carried[i] = eval_retain(eval_operand(eval, op, scan.inputs + i));
    for (int i = 0; i < scan.outputs; i++) {
        Tensor *output = eval_result_tensor(eval, op, i);
        if (!output) return false;
        if (scan.dimension >= output->type->rank ||
            output->type->dims[scan.dimension] != scan.steps)
            return eval_fail(eval, op, "has a dimension that does not fit result %d", i);
        eval_set_result(eval, op, i, output);
    }
    for (int64_t step = 0; step < scan.steps; step++) {
        int64_t at = is_reverse ? scan.steps - 1 - step : step;
        for (int i = 0; i < scan.inputs; i++) {
            args[i] = eval_tensor(eval, op, body->args[i]->type);
            if (!args[i]) return false;
            copy_step(scan.dimension, at, eval_operand(eval, op, i), args[i], true);
        }
        for (int i = 0; i < scan.carries; i++)
            args[scan.inputs + i] = carried[i];
        if (!eval_region(eval, body, (Lanes){&lane, 1}, args, made)) return false;
        for (int i = 0; i < scan.outputs; i++) {
            copy_step(scan.dimension, at, eval_get(eval, op_result(op, i), lane), made[i], false);
            eval_release(eval, made[i]);
        }
        for (int i = 0; i < scan.carries; i++)
            carried[i] = made[scan.outputs + i];
    }
    for (int i = 0; i < scan.carries; i++)
        eval_set_result(eval, op, scan.outputs + i, carried[i]);
    return true;
}

// --- ragged_dot ---

typedef struct RaggedDims {
    int64_t lists[6][MAX_RANK]; // in the order of `names`
    int counts[6];
} RaggedDims;

enum { LHS_BATCH, RHS_BATCH, LHS_CONTRACTING, RHS_CONTRACTING, LHS_RAGGED, RHS_GROUP };

static bool read_ragged_dims(Eval *eval, const Op *op, RaggedDims *dims) {
    const Attr *attr = op_attr(op, NAME_RAGGED_DOT_DIMENSION_NUMBERS);
    *dims = (RaggedDims){0};
    if (!attr || attr->kind != ATTR_RAGGED_DOT_DIMS)
        return eval_fail(eval, op, "has no dimension numbers");
    const DotDims *dot = attr->dot;
    const IntSpan spans[6] = {dot->lhs_batch,       dot->rhs_batch,  dot->lhs_contracting,
                              dot->rhs_contracting, dot->lhs_ragged, dot->rhs_group};
    for (int i = 0; i < 6; i++) { // the verifier has checked their ranges
        dims->counts[i] = spans[i].count;
        for (int k = 0; k < spans[i].count; k++)
            dims->lists[i][k] = spans[i].data[k];
    }
    return true;
}

static bool lists(const RaggedDims *dims, int list, int64_t d) {
    for (int i = 0; i < dims->counts[list]; i++) {
        if (dims->lists[list][i] == d) return true;
    }
    return false;
}

// [start, start + size) of one dimension.
static Tensor *cut(
    Eval *eval, const Op *op, const Tensor *tensor, int64_t d, int64_t start, int64_t size) {
    Type type = *tensor->type;
    int64_t starts[MAX_RANK] = {0}, strides[MAX_RANK];
    for (int i = 0; i < type.rank; i++)
        strides[i] = 1;
    type.dims[d] = size;
    starts[d] = start;
    return eval_make_slice(
        eval, op, tensor, type_intern(eval->module->context, &type), starts, strides);
}

// The right operand's slice for one group, without the group dimension (d < 0: there is none).
static Tensor *group_matrix(Eval *eval, const Op *op, Tensor *rhs, int64_t d, int64_t group) {
    if (d < 0) return eval_retain(rhs);
    Tensor *slice = cut(eval, op, rhs, d, group, 1);
    if (!slice) return NULL;
    Type type = *slice->type;
    for (int64_t i = d; i + 1 < type.rank; i++)
        type.dims[i] = type.dims[i + 1];
    type.rank--;
    Tensor *matrix = eval_view(eval, type_intern(eval->module->context, &type), slice);
    eval_release(eval, slice);
    return matrix;
}

typedef struct Ragged {
    int64_t lhs_dim, rhs_dim; // that the groups cut; rhs_dim -1: a free dimension of lhs is ragged
    int64_t group_dim;        // of rhs; -1: none
    int64_t result_dim; // the ragged rows in the result; -1: each group is one slice of dimension 0
    DotDims dot;        // of one group
    int64_t rhs_lists[2][MAX_RANK]; // dot's right dims, without the group dimension
} Ragged;

// Three kinds: the ragged dimension is a free one of lhs (rhs has a matrix per group), a contracted
// one (the result has a matrix per group), or a batch dimension (all groups alike: the plain dot).
static bool plan_ragged(Eval *eval, const Op *op, const RaggedDims *dims, Ragged *plan) {
    if (dims->counts[LHS_RAGGED] != 1 || dims->counts[RHS_GROUP] > 1)
        return eval_unsupported(eval, op, "with other than one ragged dimension");
    int64_t ragged = dims->lists[LHS_RAGGED][0];
    *plan = (Ragged){
        .lhs_dim = ragged,
        .rhs_dim = -1,
        .result_dim = -1,
        .group_dim = dims->counts[RHS_GROUP] ? dims->lists[RHS_GROUP][0] : -1};
    for (int list = 0; list < 2; list++) {
        int from = list == 0 ? RHS_BATCH : RHS_CONTRACTING;
        for (int i = 0; i < dims->counts[from]; i++) {
            int64_t d = dims->lists[from][i];
            plan->rhs_lists[list][i] = plan->group_dim >= 0 && d > plan->group_dim ? d - 1 : d;
        }
    }
    plan->dot = (DotDims){
        .lhs_batch = {dims->lists[LHS_BATCH], dims->counts[LHS_BATCH]},
        .rhs_batch = {plan->rhs_lists[0], dims->counts[RHS_BATCH]},
        .lhs_contracting = {dims->lists[LHS_CONTRACTING], dims->counts[LHS_CONTRACTING]},
        .rhs_contracting = {plan->rhs_lists[1], dims->counts[RHS_CONTRACTING]}};
    for (int i = 0; i < dims->counts[LHS_CONTRACTING] && i < dims->counts[RHS_CONTRACTING]; i++) {
        if (dims->lists[LHS_CONTRACTING][i] == ragged)
            plan->rhs_dim = dims->lists[RHS_CONTRACTING][i];
    }
    if (plan->rhs_dim < 0 && plan->group_dim < 0)
        return eval_fail(eval, op, "needs a group dimension of its right operand");
    if (plan->rhs_dim >= 0 && plan->group_dim >= 0)
        return eval_fail(eval, op, "has a group dimension beside a contracted ragged one");
    if (plan->rhs_dim < 0) { // batch dims, then the free dims of lhs before it
        plan->result_dim = dims->counts[LHS_BATCH];
        for (int64_t d = 0; d < ragged; d++) {
            bool is_free = !lists(dims, LHS_BATCH, d) && !lists(dims, LHS_CONTRACTING, d);
            plan->result_dim += is_free;
        }
    }
    return true;
}

// The dot of rows [start, start + size) with group's matrix, into the result.
static bool run_group(
    Eval *eval, const Op *op, const Ragged *plan, int64_t group, int64_t start, int64_t size,
    Tensor *result) {
    Tensor *lhs = cut(eval, op, eval_operand(eval, op, 0), plan->lhs_dim, start, size);
    Tensor *rhs = plan->rhs_dim >= 0
                      ? cut(eval, op, eval_operand(eval, op, 1), plan->rhs_dim, start, size)
                      : group_matrix(eval, op, eval_operand(eval, op, 1), plan->group_dim, group);
    if (!lhs || !rhs) return false;
    Type type = *result->type;
    if (plan->result_dim >= 0) {
        type.dims[plan->result_dim] = size;
    } else {
        for (int i = 0; i + 1 < type.rank; i++)
            type.dims[i] = type.dims[i + 1];
        type.rank--;
    }
    Tensor *part =
        eval_make_dot(eval, op, lhs, rhs, type_intern(eval->module->context, &type), &plan->dot);
    if (!part) return false;
    int64_t in[MAX_RANK], out[MAX_RANK], all[MAX_RANK];
    row_major_strides(part->type->rank, part->type->dims, in);
    row_major_strides(result->type->rank, result->type->dims, all);
    for (int d = 0; d < part->type->rank; d++)
        out[d] = all[plan->result_dim >= 0 ? d : d + 1];
    int64_t at = plan->result_dim >= 0 ? start * all[plan->result_dim] : group * all[0];
    size_t element_size = element_bytes(type.element);
    if (tensor_count(part) > 0)
        copy_strided(
            part->type->rank, part->type->dims, element_size,
            (char *)result->data + at * (int64_t)element_size, out, part->data, in);
    eval_release(eval, lhs);
    eval_release(eval, rhs);
    eval_release(eval, part);
    return true;
}

bool eval_ragged_dot(Eval *eval, const Op *op) {
    RaggedDims dims;
    Ragged plan = {0};
    const Tensor *lhs = eval_operand(eval, op, 0), *sizes = eval_operand(eval, op, 2);
    if (!read_ragged_dims(eval, op, &dims)) return false;
    Tensor *result = NULL;
    if (dims.counts[LHS_RAGGED] == 1 && lists(&dims, LHS_BATCH, dims.lists[LHS_RAGGED][0])) {
        DotDims plain = {
            .lhs_batch = {dims.lists[LHS_BATCH], dims.counts[LHS_BATCH]},
            .rhs_batch = {dims.lists[RHS_BATCH], dims.counts[RHS_BATCH]},
            .lhs_contracting = {dims.lists[LHS_CONTRACTING], dims.counts[LHS_CONTRACTING]},
            .rhs_contracting = {dims.lists[RHS_CONTRACTING], dims.counts[RHS_CONTRACTING]}};
        result =
            eval_make_dot(eval, op, lhs, eval_operand(eval, op, 1), op_result_type(op, 0), &plain);
        if (!result) return false;
        eval_set_result(eval, op, 0, result);
        return true;
    }
    if (!plan_ragged(eval, op, &dims, &plan)) return false;
    if (sizes->type->rank != 1) return eval_unsupported(eval, op, "with group sizes per batch");
    result = eval_result_tensor(eval, op, 0);
    if (!result) return false;
    memset(result->data, 0, type_bytes(result->type)); // rows after the last group
    int64_t start = 0, rows = lhs->type->dims[plan.lhs_dim];
    for (int64_t group = 0; group < tensor_count(sizes); group++) {
        int64_t size = tensor_int(sizes, group);
        if (size < 0 || size > rows - start)
            return eval_fail(eval, op, "has group sizes beyond its rows");
        int mark = eval_scratch_mark(eval);
        if (!run_group(eval, op, &plan, group, start, size, result)) return false;
        eval_scratch_release(eval, mark);
        start += size;
    }
    eval_set_result(eval, op, 0, result);
    return true;
}

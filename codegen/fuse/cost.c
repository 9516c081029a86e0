// cost: estimates from shapes and ops alone.
#include "codegen/fuse/cost.h"

#include "ir/analysis/cumulative.h"

enum {
    // arrays up to this size are loaded from the first-level cache
    CACHE_RESIDENT_BYTES = 16 * 1024,
    FREE_WORK = 8, // what is made of constants and indices alone is not stored up to this cost
    ONE_BY_ONE = 8 // elements that are computed without vectors, at the cost of one
};

double cost_load(const Type *type) {
    if (type_bytes(type) <= CACHE_RESIDENT_BYTES) return 1;
    return (double)element_bytes(type->element);
}

double cost_store(const Type *type) {
    if (type_bytes(type) <= CACHE_RESIDENT_BYTES) return 2;
    return 2 * (double)element_bytes(type->element);
}

int64_t cost_reduced_elements(const Op *op) {
    if (op->code != OP_REDUCE) return collective_group_size(op);
    int64_t before = type_element_count(op_operand_type(op, 0));
    int64_t after = type_element_count(op_result_type(op, 0));
    return after > 0 ? before / after : 1;
}

static double elements_ratio(const Op *op, int i) {
    int64_t operand = type_element_count(op_operand_type(op, i));
    int64_t result = type_element_count(op_result_type(op, 0));
    return result > 0 ? (double)operand / (double)result : 1;
}

// Is the value, or what is made of it element by element, summed up along other dimensions than its
// last? Vectors run along that one then.
static bool is_summed_in_columns(const Value *value) {
    enum { DEPTH = 4 };
    for (int i = 0; i < DEPTH && value_has_one_use(value); i++) {
        const Op *op = value->uses->owner;
        if (op->code == OP_REDUCE)
            return !ints_contain(op_ints(op, NAME_DIMENSIONS), value->type->rank - 1);
        if (!op_has(op, TRAIT_POINTWISE) || op->result_count != 1) return false;
        value = op_result(op, 0);
    }
    return false;
}

// A broadcast along the innermost dimensions is computed outside of their loops, without vectors:
// that shows where these are short. Where they are so few that vectors run along other dimensions
// (FEW_PLACES of plan/space.c), sums of columns alone have vectors that are not full.
static double broadcast_ratio(const Op *op) {
    const Type *from = op_operand_type(op, 0), *to = op_result_type(op, 0);
    IntSpan dims = op_ints(op, NAME_BROADCAST_DIMENSIONS);
    if (from->rank == 0) return elements_ratio(op, 0);
    double ratio = 1;
    for (int d = to->rank - 1; d >= 0; d--) {
        int source = -1;
        for (int j = 0; j < dims.count; j++) {
            if (dims.data[j] == d) source = j;
        }
        bool is_broadcast = source < 0 || from->dims[source] != to->dims[d];
        if (!is_broadcast && to->dims[d] != 1) break;
        if (to->dims[d] > 0) ratio /= (double)to->dims[d];
    }
    enum { FEW_COLUMNS = 8, SHORT_ROW = 16 };
    bool is_few = ratio * FEW_COLUMNS >= 1, is_short = ratio < 1 && ratio * SHORT_ROW > 1;
    bool has_vectors = is_few && !is_summed_in_columns(op_result(op, 0));
    return is_short && !has_vectors ? ratio * ONE_BY_ONE : ratio;
}

static double window_elements(const Op *op, AttrName name) {
    IntSpan window = op_ints(op, name);
    double product = 1;
    for (int i = 0; i < window.count; i++) {
        product *= (double)window.data[i];
    }
    return product;
}

bool cost_copies_image(const Op *op) {
    enum { SHORT_ROW = 8, MOST_SPATIAL = 2 };
    if (op->code != OP_CONVOLUTION) return false;
    const ConvDims *dims = op_attr(op, NAME_DIMENSION_NUMBERS)->conv;
    int spatial = dims->input_spatial.count;
    if (spatial < 1 || spatial > MOST_SPATIAL) return false;
    return op_result_type(op, 0)->dims[dims->output_spatial.data[spatial - 1]] >= SHORT_ROW;
}

// How often an operand of a product is packed: once for each block of the other's free dimensions,
// or for each lane that has a part of those. What stays in the caches is better stored, and read
// where it lies.
static double packings(const Op *dot, int i) {
    enum { FEW = 256, MOST = 2, LARGE = 16 << 20 };
    const DotDims *dims = op_attr(dot, NAME_DOT_DIMENSION_NUMBERS)->dot;
    const Type *other = op_operand_type(dot, 1 - i);
    IntSpan bound[2] = {
        i ? dims->lhs_batch : dims->rhs_batch, i ? dims->lhs_contracting : dims->rhs_contracting};
    int64_t free = 1, batch = 1;
    for (int d = 0; d < other->rank; d++)
        free *= other->dims[d];
    for (int b = 0; b < 2; b++) {
        for (int d = 0; d < bound[b].count; d++) {
            int64_t size = other->dims[bound[b].data[d]];
            if (size == 0) return MOST;
            free /= size;
            if (b == 0) batch *= size;
        }
    }
    bool is_large = type_bytes(op_operand_type(dot, i)) >= LARGE;
    return batch > 1 && free <= FEW && is_large ? 1 : MOST;
}

double cost_evaluations(const Op *op, int i) {
    switch (op->code) {
    case OP_BROADCAST_IN_DIM: return broadcast_ratio(op);
    case OP_PAD:
    case OP_CONCATENATE: return elements_ratio(op, i);
    case OP_GATHER: return i == 1 ? elements_ratio(op, i) : 1;
    case OP_REDUCE: return i < op->operand_count / 2 ? (double)cost_reduced_elements(op) : 1;
    case OP_ALL_REDUCE:
    case OP_REDUCE_SCATTER: return (double)cost_reduced_elements(op);
    case OP_DOT_GENERAL: return packings(op, i);
    case OP_CONVOLUTION:
        if (i == 1) return 4;
        return (double)type_element_count(op_operand_type(op, 1)) /
               (double)op_operand_type(op, 1)
                   ->dims[op_attr(op, NAME_DIMENSION_NUMBERS)->conv->kernel_output_feature];
    case OP_REDUCE_WINDOW: // of strided windows fewer have an element
        if (cumulative_dim(op, &(bool){false}) >= 0) return 1;
        return window_elements(op, NAME_WINDOW_DIMENSIONS) / elements_ratio(op, i);
    case OP_SORT: return ONE_BY_ONE;
    case OP_SELECT_AND_SCATTER: return 2 * window_elements(op, NAME_WINDOW_DIMENSIONS);
    default: break;
    }
    if (op_operand_type(op, i)->rank == 0 && op->result_count > 0 &&
        op_result_type(op, 0)->rank > 0 && lower_class(op, NULL) == LOWER_ELEMENT) {
        return elements_ratio(op, i); // scalars are computed before the loops
    }
    return 1;
}

// Does a product of many rows and columns read the value as its left operand, dimension d along k?
static bool is_summed_along(const Value *value, int64_t d) {
    enum { FEW_ROWS = 32, FEW_COLUMNS = 64 };
    for (const Use *use = value->uses; use; use = use->next) {
        const Op *op = use->owner;
        if (op->code == OP_RESHAPE) { // of a product with panels: dimensions of one place behind k
            const Type *to = op_result_type(op, 0);
            bool is_kept = to->rank > d;
            for (int64_t i = 0; i <= d && is_kept; i++)
                is_kept = to->dims[i] == value->type->dims[i];
            if (is_kept && is_summed_along(op_result(op, 0), d)) return true;
        }
        if (op->code != OP_DOT_GENERAL || use_index(use) != 0) continue;
        const DotDims *dims = op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
        int64_t results = type_element_count(op_result_type(op, 0)), k = 1;
        for (int i = 0; i < dims->lhs_contracting.count; i++)
            k *= value->type->dims[dims->lhs_contracting.data[i]];
        int64_t rows = k > 0 ? type_element_count(value->type) / k : 0;
        if (dims->lhs_batch.count == 0 && ints_contain(dims->lhs_contracting, d) &&
            rows > FEW_ROWS && results / rows >= FEW_COLUMNS)
            return true;
    }
    return false;
}

bool cost_gathers_along_k(const Value *value) {
    if (value->def->code != OP_ALL_GATHER || value->def->operand_count != 1) return false;
    return is_summed_along(value, op_int(value->def, NAME_ALL_GATHER_DIM, 0));
}

double cost_of_op(const Op *op) { return op_code_cost(op->code); }

double cost_of_elements(const Value *value) {
    enum { MOST = 32 };
    const Op *ops[MOST];
    int count = 0;
    double cost = 0;
    if (value->def) ops[count++] = value->def;
    for (int i = 0; i < count; i++) {
        if (!op_has(ops[i], TRAIT_POINTWISE) && !op_has(ops[i], TRAIT_VIEW)) continue;
        cost += op_has(ops[i], TRAIT_VIEW) ? 0 : cost_of_op(ops[i]);
        for (int k = 0; k < ops[i]->operand_count && count < MOST; k++) {
            const Op *def = op_operand(ops[i], k)->def;
            bool is_known = def == NULL;
            for (int j = 0; j < count && !is_known; j++)
                is_known = ops[j] == def;
            if (!is_known) ops[count++] = def;
        }
    }
    return cost;
}

bool cost_is_looked_up(const Value *constant) {
    enum { MOST_DEVICES = 64 };
    const Type *type = constant->type;
    if (constant->def->code != OP_CONSTANT || !element_is_integer(type->element) ||
        type->rank != 2 || type->dims[1] != 1 || type->dims[0] > MOST_DEVICES)
        return false;
    for (const Use *use = constant->uses; use; use = use->next) {
        const Op *op = use->owner;
        bool is_own = op->code == OP_DYNAMIC_SLICE && use_index(use) == 0 &&
                      op_operand(op, 1)->def && op_operand(op, 1)->def->code == OP_PARTITION_ID;
        if (!is_own) return false;
    }
    return true;
}

bool cost_is_asked_in_windows(const Value *value) {
    int last = value->type->rank - 1;
    if (value->def->code != OP_CONCATENATE || op_int(value->def, NAME_DIMENSION, 0) != last)
        return false;
    for (const Use *use = value->uses; use; use = use->next) {
        if (use->owner->code == OP_REDUCE_WINDOW) return true;
    }
    return false;
}

static bool is_free_op(const Op *op) {
    if (op->code == OP_CONSTANT || op->code == OP_CHLO_CONSTANT)
        return op_attr(op, NAME_VALUE)->is_splat || cost_is_looked_up(op_result(op, 0));
    return op->code == OP_IOTA || op->code == OP_PARTITION_ID || op->code == OP_REPLICA_ID;
}

// What one more evaluation of an operand is guessed to cost, before it is decided whether it is
// stored. A collective's operand is: other devices read it.
static double operand_work(const Fusion *fusion, const Op *op, const Value *operand) {
    const ValueInfo *info = value_info(fusion, operand);
    if (!operand->def || op_has(op, TRAIT_COLLECTIVE)) return cost_load(operand->type);
    bool is_shared = !value_has_one_use(operand) && info->work > 8;
    return is_shared && !info->is_free && !info->is_view ? cost_load(operand->type)
                                                         : (double)info->work;
}

// One array or the other for all elements: a view of both.
static bool chooses_for_all(const Op *op) {
    return op->code == OP_SELECT && op_operand_type(op, 0)->rank == 0 &&
           op_result_type(op, 0)->rank > 0;
}

static void cost_value(Fusion *fusion, const Op *op) {
    LowerClass lower = lower_class(op, NULL);
    ValueInfo *info = value_info(fusion, op_result(op, 0));
    info->is_free = is_free_op(op);
    if (info->is_free) {
        info->work = op->code == OP_CONSTANT || op->code == OP_CHLO_CONSTANT ? 0 : 1;
        return;
    }
    if (lower != LOWER_ELEMENT && lower != LOWER_REDUCE) {
        for (int i = 0; i < op->result_count; i++) {
            const Value *result = op_result(op, i);
            if (type_is_stored(result->type))
                value_info(fusion, result)->work = (float)cost_load(result->type);
        }
        return;
    }
    bool is_view = op_has(op, TRAIT_VIEW) || chooses_for_all(op);
    bool is_free = op_has(op, TRAIT_VIEW) || op_has(op, TRAIT_POINTWISE);
    double work = cost_of_op(op);
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        const ValueInfo *of = value_info(fusion, operand);
        double times = cost_evaluations(op, i);
        double one = operand_work(fusion, op, operand);
        if (op->code == OP_CONCATENATE)
            work += times * one; // one part gives the element
        else
            work += times > 1 || lower == LOWER_REDUCE ? times * (1 + one) : one;
        is_view = is_view && (!operand->def || of->is_view || of->is_free ||
                              lower_class(operand->def, NULL) >= LOWER_UPDATE ||
                              lower_class(operand->def, NULL) == LOWER_CONTROL);
        is_free = is_free && of->is_free;
    }
    if (op->code == OP_CONSTANT || op->code == OP_CHLO_CONSTANT) { // in memory
        work = cost_load(op_result_type(op, 0));
        is_view = true;
    }
    info->work = (float)(work < 1e9 ? work : 1e9);
    info->is_view = is_view;
    info->is_free = is_free && work <= FREE_WORK;
}

static void cost_region(Fusion *fusion, const Region *region, int64_t *position) {
    for (const Op *op = region->first; op; op = op->next) {
        fusion->positions[op->number] = ++*position;
        if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++) {
                cost_region(fusion, op->regions[r], position);
            }
        } else if (op->result_count > 0 && type_is_stored(op_result(op, 0)->type)) {
            cost_value(fusion, op);
        }
    }
}

void cost_values(Fusion *fusion) {
    int64_t position = 0;
    cost_region(fusion, func_body(fusion->plan->program->main), &position);
}

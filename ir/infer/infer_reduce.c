// Reductions, sorting and random numbers.
#include "ir/infer/infer.h"

static bool is_promotable(const Type *from, const Type *to) {
    if (!from->quant != !to->quant) return false;
    if (from->quant) {
        return element_class(from->element) == element_class(to->element) &&
               element_bits(from->element) <= element_bits(to->element) &&
               from->quant->expressed == to->quant->expressed;
    }
    return element_class(from->element) == element_class(to->element) &&
           element_bits(from->element) <= element_bits(to->element);
}

// What the region returns: count tensors, whose types are the accumulators'.
static bool check_reducer_results(
    Infer *infer, const Op *op, const Region *region, int count, const Type **accumulators) {
    const Op *end = region_terminator(region);
    int outputs = end && op_has(end, TRAIT_TERMINATOR) ? end->operand_count : 0;
    if (outputs == 0)
        return infer_fail(infer, op, "The reduction-region expected to return some value(s)");
    if (outputs != count)
        return infer_fail(
            infer, op, "Reduction-region here must produce %d tensors, but produces %d instead",
            count, outputs);
    for (int i = 0; i < count; i++) {
        accumulators[i] = op_operand_type(end, i);
        if (accumulators[i]->kind != TYPE_TENSOR || accumulators[i]->unranked)
            return infer_fail(
                infer, op,
                "Reduction-region here must produce tensor-typed result(s), but produces '%s' "
                "instead",
                infer_type_text(infer, accumulators[i]));
    }
    return true;
}

// An argument's dimensions are some of those that are allowed, in their order.
static bool check_reducer_shape(
    Infer *infer, const Op *op, const Type *arg, int index, int input, IntSpan allowed) {
    if (arg->rank > allowed.count)
        return infer_fail(
            infer, op,
            "The rank of reduction-region's argument at index %d is expected to be <= %d, got %d",
            index, allowed.count, arg->rank);
    int found = 0;
    for (int d = 0; d < allowed.count && found < arg->rank; d++)
        found += dims_fit(allowed.data[d], arg->dims[found]);
    if (found == arg->rank) return true;
    return infer_fail(
        infer, op,
        "The shape of reduction-region's argument at index %d is not compatible with that of "
        "reduce-op's input-parameter at index %d",
        index, input);
}

// Both of the region's parameters for value i.
static bool check_reducer_parameters(
    Infer *infer, const Op *op, const Region *region, int count, int i, const Type *accumulator) {
    for (int side = 0; side < 2; side++) {
        int index = i + side * count;
        const Type *arg = region->args[index]->type;
        if (!types_fit(arg, accumulator))
            return infer_fail(
                infer, op,
                "The type of reduction-region's parameter at index %d is different than the "
                "corresponding result type: '%s' vs '%s'",
                index, infer_type_text(infer, arg), infer_type_text(infer, accumulator));
    }
    return true;
}

static bool check_reducer_init(
    Infer *infer, const Op *op, int i, const Type *init, const Type *accumulator) {
    if (!is_promotable(init, accumulator))
        return infer_fail(
            infer, op,
            "The element-type of reduction-region's result type at index %d is expected to be "
            "promotable from the op's corresponding init-value element-type: '%s' vs '%s'",
            i, infer_type_text(infer, accumulator), infer_type_text(infer, init));
    if (init->rank == accumulator->rank) return true;
    return infer_fail(
        infer, op,
        "The shape of reduction-region's result type at index %d differs from the op's "
        "corresponding init-value type: '%s' vs '%s'",
        i, infer_type_text(infer, accumulator), infer_type_text(infer, init));
}

// Value i of a reduction.
typedef struct Reduced {
    int i;
    const Type *input, *init, *accumulator;
} Reduced;

static bool check_reducer_value(
    Infer *infer, const Op *op, const Region *region, int count, const Reduced *value,
    IntSpan allowed) {
    if (!check_reducer_parameters(infer, op, region, count, value->i, value->accumulator) ||
        !check_reducer_init(infer, op, value->i, value->init, value->accumulator))
        return false;
    int index = count + value->i;
    const Type *arg = region->args[index]->type;
    if (!is_promotable(value->input, arg))
        return infer_fail(
            infer, op,
            "The element-type of reduction-region's argument at index %d is expected to be "
            "promotable from '%s', but got '%s'",
            index, infer_element_text(infer, value->input), infer_element_text(infer, arg));
    return check_reducer_shape(infer, op, arg, index, value->i, allowed);
}

bool infer_reducer(
    Infer *infer, const Op *op, const Region *region, int count, const Type *const *inputs,
    const Type *const *inits, IntSpan allowed, const Type **accumulators) {
    if (region->arg_count != 2 * count)
        return infer_fail(
            infer, op, "Reduction-region must take %d parameters, but takes %d parameter(s)",
            2 * count, region->arg_count);
    if (!check_reducer_results(infer, op, region, count, accumulators)) return false;
    for (int i = 0; i < count; i++) {
        const Reduced value = {i, inputs[i], inits[i], accumulators[i]};
        if (!check_reducer_value(infer, op, region, count, &value, allowed)) return false;
    }
    return true;
}

bool infer_reduce(Infer *infer, const Op *op) {
    int count = op->operand_count / 2;
    if (op->regions[0]->arg_count != 2 * count)
        return infer_fail(
            infer, op, "Reduction-region must take %d parameters, but takes %d parameter(s)",
            2 * count, op->regions[0]->arg_count);
    if (count == 0 || op->operand_count % 2)
        return infer_fail(
            infer, op, "expects as many init values as inputs, but has %d operands",
            op->operand_count);
    if (op->result_count != count)
        return infer_fail(infer, op, "expects %d results, but has %d", count, op->result_count);
    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, 3 * (int64_t)count);
    for (int i = 0; i < op->operand_count; i++)
        types[i] = op_operand_type(op, i);
    const Type *first = types[0];
    for (int i = 1; i < count; i++) {
        if (!shapes_fit(first, types[i]))
            return infer_fail(
                infer, op,
                "expects all inputs to have compatible shapes. Shape at input-index %d is not "
                "compatible "
                "with shape at input-index 0",
                i);
    }
    IntSpan dimensions = op_ints(op, NAME_DIMENSIONS);
    bool reduced[MAX_RANK] = {false};
    for (int i = 0; i < dimensions.count; i++) {
        int64_t d = dimensions.data[i];
        if (d < 0 || d >= first->rank)
            return infer_fail(
                infer, op, "Out-of-bounds dimension %lld, expected to be in range [0, %d)",
                (long long)d, first->rank);
        if (reduced[d])
            return infer_fail(infer, op, "Duplicate reduction dimension: %lld", (long long)d);
        reduced[d] = true;
    }
    int64_t dims[MAX_RANK];
    int rank = 0;
    for (int d = 0; d < first->rank; d++) {
        if (!reduced[d]) dims[rank++] = first->dims[d];
    }
    const Type **accumulators = types + op->operand_count;
    IntSpan kept = {dims, rank};
    if (!infer_reducer(infer, op, op->regions[0], count, types, types + count, kept, accumulators))
        return false;
    for (int i = 0; i < count; i++)
        infer_set(infer, i, infer_tensor_like(infer, accumulators[i], rank, dims));
    return true;
}

static bool check_comparator(Infer *infer, const Op *op) {
    const Region *comparator = op->regions[0];
    if (comparator->arg_count != 2 * op->operand_count)
        return infer_fail(
            infer, op, "comparator block should have %d arguments", 2 * op->operand_count);
    for (int i = 0; i < comparator->arg_count; i++) {
        const Type *arg = comparator->args[i]->type;
        const Type *scalar = infer_tensor_like(infer, op_operand_type(op, i / 2), 0, NULL);
        if (arg->unranked || !types_fit(arg, scalar))
            return infer_fail(
                infer, op, "comparator block argument #%d should be of type '%s' but got '%s'", i,
                infer_type_text(infer, scalar), infer_type_text(infer, arg));
    }
    const Op *end = region_terminator(comparator);
    int outputs = end ? end->operand_count : 0;
    if (outputs != 1)
        return infer_fail(infer, op, "comparator must return single output but got %d", outputs);
    const Type *output = op_operand_type(end, 0);
    if (output == type_scalar(infer->context, ELEMENT_I1)) return true;
    return infer_fail(
        infer, op, "comparator must return tensor<i1> but got '%s'",
        infer_type_text(infer, output));
}

bool infer_sort(Infer *infer, const Op *op) {
    if (op->operand_count == 0)
        return infer_fail(infer, op, "expected 1 or more operands, but found 0");
    const Type *first = op_operand_type(op, 0);
    for (int i = 1; i < op->operand_count; i++) {
        if (!shapes_fit(first, op_operand_type(op, i)))
            return infer_fail(infer, op, "requires the same shape for all operands and results");
    }
    int64_t dimension = op_int(op, NAME_DIMENSION, -1);
    if (dimension < -first->rank || dimension >= first->rank)
        return infer_fail(
            infer, op, "dimension attribute value must be in range [-%d, %d), but found %lld",
            first->rank, first->rank, (long long)dimension);
    return check_comparator(infer, op) && infer_same_types(infer, op);
}

bool infer_top_k(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0);
    int64_t k = op_int(op, NAME_K, 0);
    if (k < 0)
        return infer_fail(infer, op, "expects k to be non-negative, but got %lld", (long long)k);
    if (operand->rank < 1) return infer_fail(infer, op, "operand's rank must be at least 1");
    int last = operand->rank - 1;
    if (!dim_is_dynamic(operand->dims[last]) && operand->dims[last] < k)
        return infer_fail(
            infer, op, "operand's last dimension must be at least %lld", (long long)k);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < operand->rank; d++)
        dims[d] = operand->dims[d];
    dims[last] = k;
    infer_set(infer, 0, infer_tensor_like(infer, operand, operand->rank, dims));
    infer_set_dims(infer, 1, ELEMENT_I32, operand->rank, dims);
    return true;
}

// How many operands and results chlo.scan has of each kind.
typedef struct ScanShape {
    int inputs, inits, outputs, carries;
    int64_t dimension, size; // DIM_DYNAMIC: not known
} ScanShape;

static bool read_scan_shape(Infer *infer, const Op *op, ScanShape *scan) {
    IntSpan operands, results;
    scan->dimension = op_int(op, NAME_DIMENSION, 0);
    if (!infer_ints_of(infer, op, NAME_OPERAND_SEGMENT_SIZES, 2, &operands) ||
        !infer_ints_of(infer, op, NAME_RESULT_SEGMENT_SIZES, 2, &results))
        return false;
    const int64_t sizes[] = {operands.data[0], operands.data[1], results.data[0], results.data[1]};
    for (int i = 0; i < 4; i++) {
        if (sizes[i] < 0 || sizes[i] > INT32_MAX / 2)
            return infer_fail(infer, op, "has a segment of %lld values", (long long)sizes[i]);
    }
    if (sizes[0] + sizes[1] != op->operand_count || sizes[2] + sizes[3] != op->result_count)
        return infer_fail(infer, op, "has segments that do not fit its operands and results");
    scan->inputs = (int)sizes[0];
    scan->inits = (int)sizes[1];
    scan->outputs = (int)sizes[2];
    scan->carries = (int)sizes[3];
    if (scan->inputs == 0 && scan->outputs == 0)
        return infer_fail(infer, op, "at least one of inputs or outputs must be present");
    scan->size = op_int(op, NAME_SCAN_DIM_SIZE, DIM_DYNAMIC);
    return true;
}

// All inputs have the same size in the scanned dimension.
static bool find_scan_size(Infer *infer, const Op *op, ScanShape *scan) {
    for (int i = 0; i < scan->inputs; i++) {
        const Type *type = op_operand_type(op, i);
        if (scan->dimension >= type->rank)
            return infer_fail(infer, op, "scan dimension of operand %d is out of bounds", i);
        int64_t size = type->dims[scan->dimension];
        if (!dims_fit(size, scan->size))
            return infer_fail(infer, op, "invalid scan dimension size of operand %d", i);
        scan->size = merge_dims(scan->size, size);
    }
    return true;
}

// The type without, or with, the scanned dimension.
static const Type *without_scan_dim(Infer *infer, const ScanShape *scan, const Type *type) {
    int64_t dims[MAX_RANK] = {0};
    int rank = 0;
    for (int d = 0; d < type->rank; d++) {
        if (d != scan->dimension) dims[rank++] = type->dims[d];
    }
    return infer_tensor_like(infer, type, rank, dims);
}

static const Type *with_scan_dim(Infer *infer, const ScanShape *scan, const Type *type) {
    int64_t dims[MAX_RANK] = {0};
    for (int d = 0; d <= type->rank; d++) {
        dims[d] = d < scan->dimension    ? type->dims[d]
                  : d == scan->dimension ? scan->size
                                         : type->dims[d - 1];
    }
    return infer_tensor_like(infer, type, type->rank + 1, dims);
}

// chlo.scan: operands are the scanned inputs and then the initial carries; the body sees inputs
// without the scanned dimension.
bool infer_scan(Infer *infer, const Op *op) {
    ScanShape scan = {0};
    const Region *body = op->regions[0];
    if (!read_scan_shape(infer, op, &scan) || !find_scan_size(infer, op, &scan)) return false;
    if (body->arg_count != op->operand_count)
        return infer_fail(
            infer, op, "expects %d arguments in the body, but got %d", op->operand_count,
            body->arg_count);
    for (int i = 0; i < op->operand_count; i++) {
        const Type *operand = op_operand_type(op, i), *arg = body->args[i]->type;
        if (i < scan.inputs) operand = without_scan_dim(infer, &scan, operand);
        if (!types_fit(operand, arg))
            return infer_fail(infer, op, "operand and body argument %d are incompatible", i);
    }
    const Op *end = region_terminator(body);
    if (end->operand_count < scan.inits)
        return infer_fail(infer, op, "body must return at least %d values (carries)", scan.inits);
    if (end->operand_count != op->result_count || scan.inits != scan.carries)
        return infer_fail(
            infer, op,
            "body returns %d values and %d carries, but there are %d results, %d of them "
            "carries",
            end->operand_count, scan.inits, op->result_count, scan.carries);
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_operand_type(end, i);
        if (type->kind != TYPE_TENSOR || type->unranked)
            return infer_fail(infer, op, "terminator operand %d is not ranked", i);
        if (i < scan.outputs && (scan.dimension > type->rank || type->rank == MAX_RANK))
            return infer_fail(infer, op, "scan dimension of result %d is out of bounds", i);
        infer_set(infer, i, i < scan.outputs ? with_scan_dim(infer, &scan, type) : type);
    }
    return true;
}

static bool check_rng_bound(Infer *infer, const Op *op, int i) {
    const Type *type = op_operand_type(op, i);
    if (type->rank == 0 && element_class(type->element) != CLASS_COMPLEX && !type->quant)
        return true;
    return infer_fail(
        infer, op,
        "operand #%d must be 0D tensor of pred, integer or floating-point values, but got '%s'", i,
        infer_type_text(infer, type));
}

bool infer_rng(Infer *infer, const Op *op) {
    const Attr *distribution = op_attr(op, NAME_RNG_DISTRIBUTION);
    if (!check_rng_bound(infer, op, 0) || !check_rng_bound(infer, op, 1)) return false;
    const Type *a = op_operand_type(op, 0), *shape = op_operand_type(op, 2);
    if (a != op_operand_type(op, 1))
        return infer_fail(infer, op, "requires the same element type for all operands and results");
    if (distribution->integer == RNG_DISTRIBUTION_NORMAL && !element_is_float(a->element))
        return infer_fail(
            infer, op, "mu and sigma must be floats, but got '%s'", infer_type_text(infer, a));
    bool is_index_list = element_is_integer(shape->element) && !shape->quant;
    if (shape->rank != 1 || dim_is_dynamic(shape->dims[0]) || !is_index_list)
        return infer_fail(
            infer, op,
            "operand #2 must be statically shaped 1-dimensional tensor of index or 64-bit integer "
            "values, "
            "but got '%s'",
            infer_type_text(infer, shape));
    if (shape->dims[0] > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    int rank = (int)shape->dims[0];
    int64_t dims[MAX_RANK];
    const Op *def = op_operand(op, 2)->def;
    IntSpan sizes = {0};
    if (def && def->code == OP_CONSTANT) sizes = op_ints(def, NAME_VALUE);
    for (int d = 0; d < rank; d++) {
        dims[d] = sizes.data && sizes.count == rank ? sizes.data[d] : DIM_DYNAMIC;
        if (sizes.count == rank && dims[d] < 0)
            return infer_fail(infer, op, "expects a non-negative shape");
    }
    infer_set(infer, 0, infer_tensor_like(infer, a, rank, dims));
    return true;
}

bool infer_rng_bit_generator(Infer *infer, const Op *op) {
    const Type *state = op_operand_type(op, 0), *output_state = op_result_type(op, 0);
    if (!shapes_fit(state, output_state))
        return infer_fail(
            infer, op,
            "output state shape must be compatible with initial state shape. Got: '%s' and '%s'",
            infer_type_text(infer, state), infer_type_text(infer, output_state));
    infer_set(infer, 0, state);
    return true;
}

// hlo_tensor: elementwise opcodes, constants, and those that move elements.
#include "frontend/hlo/hlo_import.h"

// ---- elementwise ----

bool hlo_plain(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    return hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results) != NULL;
}

bool hlo_pointwise(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    if (!hlo_array_type(importer, instr)) return false;
    for (int i = 0; i < instr->operand_count; i++) {
        if (!hlo_array(importer, instr, i)) return false;
    }
    return hlo_plain(importer, instr, code, results);
}

bool hlo_compare(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op ||
        !hlo_copy_keyword(
            importer, instr, HLO_DIRECTION, "", op, NAME_COMPARISON_DIRECTION, ENUM_DIRECTION))
        return false;
    return !hlo_has_attr(instr, HLO_TYPE) ||
           hlo_copy_keyword(importer, instr, HLO_TYPE, "", op, NAME_COMPARE_TYPE, ENUM_COMPARE);
}

bool hlo_reduce_precision(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    const HloAttr *exponent_bits = op ? hlo_need_attr(importer, instr, HLO_EXPONENT_BITS) : NULL;
    const HloAttr *mantissa_bits =
        exponent_bits ? hlo_need_attr(importer, instr, HLO_MANTISSA_BITS) : NULL;
    if (!mantissa_bits) return false;
    int64_t exponent = exponent_bits->number, mantissa = mantissa_bits->number;
    if (exponent < 1 || exponent > 64 || mantissa < 0 || mantissa > 64)
        return hlo_fail(importer, instr, "there is no format with so many bits");
    hlo_set(importer, op, NAME_EXPONENT_BITS, attr_int(importer->context, exponent, ELEMENT_I32));
    hlo_set(importer, op, NAME_MANTISSA_BITS, attr_int(importer->context, mantissa, ELEMENT_I32));
    return true;
}

// ---- constants ----

bool hlo_constant(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    *results = hlo_values(importer, hlo_leaf_count(instr->shape.type));
    for (int i = 0; i < results->count; i++)
        results->data[i] = build_constant(&importer->builder, instr->literals[i]);
    return true;
}

bool hlo_iota(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op && hlo_copy_int(importer, instr, HLO_IOTA_DIMENSION, op, NAME_IOTA_DIMENSION);
}

// ---- views ----

bool hlo_broadcast(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (op) hlo_copy_ints(importer, instr, HLO_DIMENSIONS, op, NAME_BROADCAST_DIMENSIONS);
    return op != NULL;
}

bool hlo_transpose(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (op) hlo_copy_ints(importer, instr, HLO_DIMENSIONS, op, NAME_PERMUTATION);
    return op != NULL;
}

bool hlo_reverse(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (op) hlo_copy_ints(importer, instr, HLO_DIMENSIONS, op, NAME_DIMENSIONS);
    return op != NULL;
}

bool hlo_concatenate(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op && hlo_copy_single(importer, instr, HLO_DIMENSIONS, op, NAME_DIMENSION);
}

// All operands; from `first` on, scalars that say where a slice begins. Older programs
// give them as one array s32[rank].
static HloValues slice_operands(HloImporter *importer, const HloInstr *instr, int first) {
    HloValues given = hlo_all_operands(importer, instr);
    if (given.count != first + 1) return given;
    Value *starts = given.data[first];
    const Type *type = starts->type, *operand = given.data[0]->type;
    bool is_list = operand->kind == TYPE_TENSOR && type->kind == TYPE_TENSOR && type->rank == 1 &&
                   type->dims[0] == operand->rank;
    if (!is_list) return given;
    HloValues operands = hlo_values(importer, first + operand->rank);
    for (int i = 0; i < operands.count; i++) {
        if (i < first) {
            operands.data[i] = given.data[i];
            continue;
        }
        int64_t start = i - first, limit = start + 1;
        Value *slice = build_slice(&importer->builder, starts, &start, &limit, NULL);
        operands.data[i] = build_reshape(&importer->builder, slice, 0, NULL);
    }
    return operands;
}

bool hlo_dynamic_update_slice(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    return hlo_emit(importer, instr, code, slice_operands(importer, instr, 2), 0, results) != NULL;
}

bool hlo_dynamic_slice(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, slice_operands(importer, instr, 1), 0, results);
    if (!op || !hlo_need_attr(importer, instr, HLO_DYNAMIC_SLICE_SIZES)) return false;
    hlo_copy_ints(importer, instr, HLO_DYNAMIC_SLICE_SIZES, op, NAME_SLICE_SIZES);
    return true;
}

bool hlo_slice(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    const HloAttr *attr = op ? hlo_need_attr(importer, instr, HLO_SLICE) : NULL;
    if (!attr) return false;
    const HloTriples *bounds = attr->triples;
    Context *context = importer->context;
    hlo_set(importer, op, NAME_START_INDICES, attr_ints(context, bounds->rank, bounds->numbers[0]));
    hlo_set(importer, op, NAME_LIMIT_INDICES, attr_ints(context, bounds->rank, bounds->numbers[1]));
    hlo_set(importer, op, NAME_STRIDES, attr_ints(context, bounds->rank, bounds->numbers[2]));
    return true;
}

bool hlo_pad(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    static const HloTriples none;
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    const HloAttr *attr = hlo_attr(instr, HLO_PADDING);
    const HloTriples *amounts = attr ? attr->triples : &none; // of a scalar
    Context *context = importer->context;
    int rank = amounts->rank;
    hlo_set(importer, op, NAME_EDGE_PADDING_LOW, attr_ints(context, rank, amounts->numbers[0]));
    hlo_set(importer, op, NAME_EDGE_PADDING_HIGH, attr_ints(context, rank, amounts->numbers[1]));
    hlo_set(importer, op, NAME_INTERIOR_PADDING, attr_ints(context, rank, amounts->numbers[2]));
    return true;
}

// ---- bitcasts ----

static bool is_row_major(const HloShape *shape) {
    for (int d = 0; shape->layout && d < shape->type->rank; d++) {
        if (shape->layout[d] != shape->type->rank - 1 - d) return false;
    }
    return true;
}

// The dimensions in the order of memory, the slowest first.
static void memory_order(const HloShape *shape, int64_t *order) {
    int rank = shape->type->rank;
    for (int d = 0; d < rank; d++)
        order[d] = shape->layout ? shape->layout[rank - 1 - d] : d;
}

static Value *reshape_to_memory(HloImporter *importer, Value *x, const HloShape *shape) {
    int64_t order[MAX_RANK], dims[MAX_RANK];
    memory_order(shape, order);
    for (int d = 0; d < shape->type->rank; d++)
        dims[d] = shape->type->dims[order[d]];
    return build_reshape(&importer->builder, x, shape->type->rank, dims);
}

// The same bytes with another shape: operand in its order in memory, as one row,
// in the result's order in memory.
bool hlo_bitcast(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    if (!hlo_check_operands(importer, instr, 1)) return false;
    Value *x = hlo_array(importer, instr, 0);
    const Type *type = hlo_array_type(importer, instr);
    if (!x || !type) return false;
    const HloShape *from = &hlo_operand(importer, instr, 0)->shape;
    const HloShape *to = &instr->shape;
    if (from->is_tiled || to->is_tiled)
        return hlo_refuse(importer, instr, "of tiled layouts is not supported");
    if (element_bits(x->type->element) != element_bits(type->element))
        return hlo_refuse(importer, instr, "to elements of another size is not supported");
    if (type_element_count(x->type) != type_element_count(type))
        return hlo_fail(importer, instr, "the result has another number of elements");
    if (x->type->element != type->element) {
        const Type *same = type_with_element(importer->context, x->type, type->element);
        x = op_result(build_op(&importer->builder, OP_BITCAST_CONVERT, 1, &x, 1, &same, 0), 0);
    }
    int64_t order[MAX_RANK] = {0}, inverse[MAX_RANK] = {0};
    if (!is_row_major(from)) {
        memory_order(from, order);
        x = build_transpose(&importer->builder, x, order);
    }
    if (!type_same_shape(x->type, type) || !is_row_major(to))
        x = reshape_to_memory(importer, x, to);
    if (!is_row_major(to)) {
        memory_order(to, order);
        for (int d = 0; d < type->rank; d++)
            inverse[order[d]] = d;
        x = build_transpose(&importer->builder, x, inverse);
    }
    *results = hlo_values(importer, 1);
    results->data[0] = x;
    return true;
}

// ---- dynamic dimensions ----

bool hlo_get_dimension_size(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    return op && hlo_copy_single(importer, instr, HLO_DIMENSIONS, op, NAME_DIMENSION);
}

bool hlo_dynamic(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    (void)code;
    (void)results;
    return hlo_refuse(
        importer, instr, "makes dynamic dimensions, which are not supported in HLO text");
}

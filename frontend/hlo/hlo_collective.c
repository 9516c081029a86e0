// hlo_collective: collectives, with their groups in both of HLO's forms.
#include "base/checked.h"
#include "frontend/hlo/hlo_import.h"

// ---- groups ----

static HloGroups groups_of(const HloInstr *instr) {
    const HloAttr *attr = hlo_attr(instr, HLO_REPLICA_GROUPS);
    return attr ? attr->groups : (HloGroups){0};
}

// As a matrix of `columns` at least, also where there is none of them.
static const Attr *matrix_attr(HloImporter *importer, const HloGroups *groups, int columns) {
    static const int64_t nothing[1] = {0};
    if (!groups->ids) return attr_int_matrix(importer->context, 0, columns, nothing);
    return attr_int_matrix(importer->context, groups->count, groups->size, groups->ids);
}

static void set_groups(HloImporter *importer, Op *op, const HloGroups *groups) {
    hlo_set(importer, op, NAME_REPLICA_GROUPS, matrix_attr(importer, groups, 0));
}

static void set_channel(HloImporter *importer, HloInstr *instr, Op *op) {
    int64_t channel[2] = {hlo_int_attr(instr, HLO_CHANNEL_ID, 0), 1};
    const Attr handle = {.kind = ATTR_CHANNEL, .count = 2, .ints = channel};
    if (channel[0] > 0)
        hlo_set(importer, op, NAME_CHANNEL_HANDLE, attr_intern(importer->context, &handle));
    if (hlo_bool_attr(instr, HLO_USE_GLOBAL_IDS, false))
        hlo_set(importer, op, NAME_USE_GLOBAL_DEVICE_IDS, attr_unit(importer->context));
}

// ---- opcodes ----

// The op with its groups and channel; NULL after an error.
static Op *emit_collective(
    HloImporter *importer, HloInstr *instr, OpCode code, int regions, HloValues *results) {
    HloGroups groups = groups_of(instr);
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), regions, results);
    if (!op) return NULL;
    set_groups(importer, op, &groups);
    set_channel(importer, instr, op);
    return op;
}

bool hlo_collective(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    return emit_collective(importer, instr, code, 0, results) != NULL;
}

bool hlo_all_reduce(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_collective(importer, instr, code, 1, results);
    return hlo_region_attr(importer, instr, op, 0, HLO_TO_APPLY);
}

bool hlo_all_gather(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_collective(importer, instr, code, 0, results);
    return op && hlo_copy_single(importer, instr, HLO_DIMENSIONS, op, NAME_ALL_GATHER_DIM);
}

bool hlo_reduce_scatter(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_collective(importer, instr, code, 1, results);
    return op && hlo_copy_single(importer, instr, HLO_DIMENSIONS, op, NAME_SCATTER_DIMENSION) &&
           hlo_region_attr(importer, instr, op, 0, HLO_TO_APPLY);
}

bool hlo_collective_permute(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    const HloAttr *attr = op ? hlo_need_attr(importer, instr, HLO_SOURCE_TARGET_PAIRS) : NULL;
    if (!attr) return false;
    if (attr->groups.ids && attr->groups.size != 2)
        return hlo_fail(importer, instr, "source_target_pairs must be pairs");
    hlo_set(importer, op, NAME_SOURCE_TARGET_PAIRS, matrix_attr(importer, &attr->groups, 2));
    set_channel(importer, instr, op);
    return true;
}

// ---- all-to-all ----

static void set_exchange(HloImporter *importer, Op *op, int64_t dimension, int64_t count) {
    Context *context = importer->context;
    const Attr *along = attr_int(context, dimension, ELEMENT_I64);
    hlo_set(importer, op, NAME_SPLIT_DIMENSION, along);
    hlo_set(importer, op, NAME_CONCAT_DIMENSION, along);
    hlo_set(importer, op, NAME_SPLIT_COUNT, attr_int(context, count, ELEMENT_I64));
}

// Operand i goes to device i of the group, result i comes from it: the operands as rows of one
// array, exchanged, as values again.
static bool exchange_tuple(
    HloImporter *importer, HloInstr *instr, const HloGroups *groups, HloValues *results) {
    HloValues rows = hlo_all_operands(importer, instr);
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK], dims[MAX_RANK];
    const Type *type = rows.count > 0 ? rows.data[0]->type : NULL;
    bool ok = type && type->kind == TYPE_TENSOR && type->rank < MAX_RANK;
    for (int i = 0; i < rows.count && ok; i++)
        ok = rows.data[i]->type == type;
    if (!ok) return hlo_fail(importer, instr, "expected arrays of one type as operands");
    if (groups->ids && groups->size != rows.count)
        return hlo_fail(
            importer, instr, "has %d operands in groups of %d devices", rows.count, groups->size);
    dims[0] = 1;
    memcpy(dims + 1, type->dims, (size_t)type->rank * sizeof *dims);
    for (int i = 0; i < rows.count; i++)
        rows.data[i] = build_reshape(&importer->builder, rows.data[i], type->rank + 1, dims);
    int64_t bytes;
    if (!checked_mul((int64_t)type_bytes(type), rows.count, &bytes))
        return hlo_fail(importer, instr, "the operands together are too large");
    Value *whole = build_concatenate(&importer->builder, rows.count, rows.data, 0);
    Op *op = build_op(&importer->builder, OP_ALL_TO_ALL, 1, &whole, 1, &whole->type, 0);
    set_groups(importer, op, groups);
    set_exchange(importer, op, 0, rows.count);
    set_channel(importer, instr, op);
    *results = hlo_values(importer, rows.count);
    memcpy(limit, dims, sizeof limit);
    for (int i = 0; i < rows.count; i++) {
        start[0] = i;
        limit[0] = i + 1;
        Value *row = build_slice(&importer->builder, op_result(op, 0), start, limit, NULL);
        results->data[i] = build_reshape(&importer->builder, row, type->rank, type->dims);
    }
    return true;
}

bool hlo_all_to_all(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    HloGroups groups = groups_of(instr);
    if (!hlo_has_attr(instr, HLO_DIMENSIONS))
        return exchange_tuple(importer, instr, &groups, results);
    IntSpan dims = hlo_ints_attr(instr, HLO_DIMENSIONS);
    if (dims.count != 1)
        return hlo_fail(importer, instr, "attribute 'dimensions' must name one dimension");
    if (!groups.ids) return hlo_refuse(importer, instr, "without groups is not supported");
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    set_groups(importer, op, &groups);
    set_exchange(importer, op, dims.data[0], groups.size);
    set_channel(importer, instr, op);
    return true;
}

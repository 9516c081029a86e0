// hlo_gather: gather and scatter.
#include "frontend/hlo/hlo_import.h"

// The op and what both have besides their dimension numbers; NULL with a diagnostic.
static Op *emit_indexed(
    HloImporter *importer, HloInstr *instr, OpCode code, int regions, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), regions, results);
    if (!op || !hlo_need_attr(importer, instr, HLO_INDEX_VECTOR_DIM)) return NULL;
    hlo_copy_bool(importer, instr, HLO_INDICES_ARE_SORTED, op, NAME_INDICES_ARE_SORTED);
    return op;
}

bool hlo_gather(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_indexed(importer, instr, code, 0, results);
    if (!op) return false;
    hlo_copy_ints(importer, instr, HLO_SLICE_SIZES, op, NAME_SLICE_SIZES);
    GatherDims dims = {
        .offset_dims = hlo_ints_attr(instr, HLO_OFFSET_DIMS),
        .collapsed_slice_dims = hlo_ints_attr(instr, HLO_COLLAPSED_SLICE_DIMS),
        .operand_batching_dims = hlo_ints_attr(instr, HLO_OPERAND_BATCHING),
        .start_indices_batching_dims = hlo_ints_attr(instr, HLO_START_BATCHING),
        .start_index_map = hlo_ints_attr(instr, HLO_START_INDEX_MAP),
        .index_vector_dim = hlo_int_attr(instr, HLO_INDEX_VECTOR_DIM, 0)};
    const Attr prototype = {.kind = ATTR_GATHER_DIMS, .gather = &dims};
    hlo_set(importer, op, NAME_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    return true;
}

bool hlo_scatter(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = emit_indexed(importer, instr, code, 1, results);
    if (!op) return false;
    ScatterDims dims = {
        .update_window_dims = hlo_ints_attr(instr, HLO_UPDATE_WINDOW_DIMS),
        .inserted_window_dims = hlo_ints_attr(instr, HLO_INSERTED_WINDOW_DIMS),
        .input_batching_dims = hlo_ints_attr(instr, HLO_INPUT_BATCHING_DIMS),
        .scatter_indices_batching_dims = hlo_ints_attr(instr, HLO_SCATTER_BATCHING),
        .scatter_dims_to_operand_dims = hlo_ints_attr(instr, HLO_SCATTER_TO_OPERAND),
        .index_vector_dim = hlo_int_attr(instr, HLO_INDEX_VECTOR_DIM, 0)};
    const Attr prototype = {.kind = ATTR_SCATTER_DIMS, .scatter = &dims};
    hlo_set(
        importer, op, NAME_SCATTER_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    hlo_copy_bool(importer, instr, HLO_UNIQUE_INDICES, op, NAME_UNIQUE_INDICES);
    return hlo_region_attr(importer, instr, op, 0, HLO_TO_APPLY);
}

// hlo_gather: gather and scatter.
#include "frontend/hlo/hlo_import.h"

bool hlo_gather(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    GatherDims dims = {0};
    bool ok =
        op && hlo_need_attr(importer, instr, "index_vector_dim") &&
        hlo_ints_attr(importer, instr, "offset_dims", &dims.offset_dims) &&
        hlo_ints_attr(importer, instr, "collapsed_slice_dims", &dims.collapsed_slice_dims) &&
        hlo_ints_attr(importer, instr, "operand_batching_dims", &dims.operand_batching_dims) &&
        hlo_ints_attr(
            importer, instr, "start_indices_batching_dims", &dims.start_indices_batching_dims) &&
        hlo_ints_attr(importer, instr, "start_index_map", &dims.start_index_map) &&
        hlo_int_attr(instr, "index_vector_dim", &dims.index_vector_dim);
    if (!ok) return false;
    const Attr prototype = {.kind = ATTR_GATHER_DIMS, .gather = &dims};
    hlo_set(importer, op, NAME_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    return hlo_copy_ints(importer, instr, "slice_sizes", op, NAME_SLICE_SIZES) &&
           hlo_copy_bool(importer, instr, "indices_are_sorted", op, NAME_INDICES_ARE_SORTED);
}

bool hlo_scatter(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    ScatterDims dims = {0};
    bool ok =
        op && hlo_need_attr(importer, instr, "index_vector_dim") &&
        hlo_ints_attr(importer, instr, "update_window_dims", &dims.update_window_dims) &&
        hlo_ints_attr(importer, instr, "inserted_window_dims", &dims.inserted_window_dims) &&
        hlo_ints_attr(importer, instr, "input_batching_dims", &dims.input_batching_dims) &&
        hlo_ints_attr(
            importer, instr, "scatter_indices_batching_dims",
            &dims.scatter_indices_batching_dims) &&
        hlo_ints_attr(
            importer, instr, "scatter_dims_to_operand_dims", &dims.scatter_dims_to_operand_dims) &&
        hlo_int_attr(instr, "index_vector_dim", &dims.index_vector_dim);
    if (!ok) return false;
    const Attr prototype = {.kind = ATTR_SCATTER_DIMS, .scatter = &dims};
    hlo_set(
        importer, op, NAME_SCATTER_DIMENSION_NUMBERS, attr_intern(importer->context, &prototype));
    return hlo_copy_bool(importer, instr, "indices_are_sorted", op, NAME_INDICES_ARE_SORTED) &&
           hlo_copy_bool(importer, instr, "unique_indices", op, NAME_UNIQUE_INDICES) &&
           hlo_region_attr(importer, instr, op, 0, "to_apply");
}

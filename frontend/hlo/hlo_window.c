// hlo_window: reductions, window reductions, and sorts: opcodes with a computation on scalars.
#include "frontend/hlo/hlo_import.h"

const HloWindow *hlo_window_attr(HloInstr *instr) {
    static const HloWindow none;
    const HloAttr *attr = hlo_attr(instr, HLO_WINDOW);
    return attr ? attr->window : &none;
}

// ---- reductions ----

bool hlo_reduce(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    if (op) hlo_copy_ints(importer, instr, HLO_DIMENSIONS, op, NAME_DIMENSIONS);
    return hlo_region_attr(importer, instr, op, 0, HLO_TO_APPLY);
}

bool hlo_map(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    return hlo_reduce(importer, instr, code, results);
}

// NULL with a diagnostic.
static const HloWindow *set_window(HloImporter *importer, HloInstr *instr, Op *op) {
    Context *context = importer->context;
    const HloWindow *window = hlo_window_attr(instr);
    int rank = window->rank;
    for (int d = 0; d < rank; d++) {
        if (!window->reversal[d]) continue;
        (void)hlo_refuse(importer, instr, "with a reversed window is not supported");
        return NULL;
    }
    hlo_set(importer, op, NAME_WINDOW_DIMENSIONS, attr_ints(context, rank, window->size));
    hlo_set(importer, op, NAME_WINDOW_STRIDES, attr_ints(context, rank, window->stride));
    hlo_set(importer, op, NAME_PADDING, attr_int_matrix(context, rank, 2, window->padding));
    return window;
}

bool hlo_reduce_window(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    const HloWindow *window = op ? set_window(importer, instr, op) : NULL;
    if (!window) return false;
    Context *context = importer->context;
    hlo_set(
        importer, op, NAME_BASE_DILATIONS, attr_ints(context, window->rank, window->base_dilation));
    hlo_set(
        importer, op, NAME_WINDOW_DILATIONS,
        attr_ints(context, window->rank, window->window_dilation));
    return hlo_region_attr(importer, instr, op, 0, HLO_TO_APPLY);
}

bool hlo_select_and_scatter(
    HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 2, results);
    const HloWindow *window = op ? set_window(importer, instr, op) : NULL;
    if (!window) return false;
    for (int d = 0; d < window->rank; d++) {
        if (window->base_dilation[d] != 1 || window->window_dilation[d] != 1)
            return hlo_refuse(importer, instr, "with a dilated window is not supported");
    }
    return hlo_region_attr(importer, instr, op, 0, HLO_SELECT) &&
           hlo_region_attr(importer, instr, op, 1, HLO_SCATTER);
}

// ---- sorts ----

bool hlo_sort(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 1, results);
    if (!op || !hlo_copy_single(importer, instr, HLO_DIMENSIONS, op, NAME_DIMENSION)) return false;
    hlo_copy_bool(importer, instr, HLO_IS_STABLE, op, NAME_IS_STABLE);
    return hlo_region_attr(importer, instr, op, 0, HLO_TO_APPLY);
}

bool hlo_topk(HloImporter *importer, HloInstr *instr, OpCode code, HloValues *results) {
    Op *op = hlo_emit(importer, instr, code, hlo_all_operands(importer, instr), 0, results);
    if (!op) return false;
    if (!hlo_bool_attr(instr, HLO_LARGEST, true))
        hlo_set(importer, op, NAME_LARGEST, attr_bool(importer->context, false));
    return hlo_copy_int(importer, instr, HLO_K, op, NAME_K);
}

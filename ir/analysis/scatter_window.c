// Scatters of one window: see scatter_window.h.
#include "ir/analysis/scatter_window.h"

static bool find_body(const Op *scatter, ScatterWindow *window) {
    const Region *body = scatter->regions[0];
    const Op *end = region_terminator(body);
    const Value *result = end && end->operand_count == 1 ? op_operand(end, 0) : NULL;
    if (!result || result->type->element != op_operand_type(scatter, 0)->element) return false;
    window->combine = OP_RETURN;
    if (result == body->args[1]) return true;
    const Op *op = result->def;
    if (!op || op->parent != body || op->operand_count != 2 || op->result_count != 1 ||
        !op_has(op, TRAIT_POINTWISE) || op->code == OP_COMPARE)
        return false;
    window->combine = op->code;
    window->is_update_first = op_operand(op, 0) == body->args[1];
    const Value *old = op_operand(op, window->is_update_first);
    return old == body->args[0] && op_operand(op, !window->is_update_first) == body->args[1];
}

bool scatter_window(const Op *op, ScatterWindow *window) {
    if (op->code != OP_SCATTER || op->result_count != 1) return false;
    const ScatterDims *dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    const Type *array = op_operand_type(op, 0), *updates = op_operand_type(op, 2);
    if (dims->input_batching_dims.count > 0 || type_element_count(updates) == 0 ||
        type_element_count(op_operand_type(op, 1)) != dims->scatter_dims_to_operand_dims.count)
        return false;
    IntSpan to = dims->scatter_dims_to_operand_dims;
    *window = (ScatterWindow){.rank = array->rank, .component_count = (int)to.count};
    for (int k = 0; k < to.count; k++)
        window->components[k] = (int)to.data[k];
    for (int d = 0, next = 0; d < array->rank; d++) {
        bool is_one = ints_find(dims->inserted_window_dims, d) >= 0;
        window->sizes[d] = is_one ? 1 : updates->dims[dims->update_window_dims.data[next++]];
    }
    return find_body(op, window);
}

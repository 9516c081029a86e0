// panels: right operands that were packed before, in the form in which the micro-kernel reads them.
//
// passes/share_panels.c marks such products and gives their operand the shape [panels, k / group,
// columns, group]. Here the expression of an element says whether it lies so in memory, on which
// device: then nothing is packed. If not, the operand is packed like any other.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"

static bool steps_by(const IndexExpr *x, int variable, int64_t expected) {
    int64_t step;
    return index_is_affine_in(x, variable, &step) && step == expected;
}

// Arrays of the arena begin a line of the cache, as vectors of the micro-kernel do.
static bool is_aligned(const Emit *e, const Value *stored) {
    int operand = kernel_operand(e->kernel, stored) - e->kernel->output_count;
    if (operand < 0) return false;
    const Buffer *buffer = e->kernel->inputs[operand].buffer;
    return buffer->kind == BUFFER_ARENA && !buffer->base && buffer->is_dense;
}

PanelPlace panels_find(Emit *e, const Contraction *c) {
    PanelPlace none = {0}, place = {0};
    int64_t columns = c->panel_columns, group = c->how->group;
    if (columns == 0 || c->k.size % group != 0 || c->n.size % columns != 0) return none;
    place.panel = expr_new_variable(e->exprs, false);
    place.column = expr_new_variable(e->exprs, false);
    place.step = expr_new_variable(e->exprs, false);
    place.k = expr_new_variable(e->exprs, false);
    IndexBuilder *b = e->index;
    const IndexExpr *line = index_add(
        b, index_scale(b, index_variable(b, place.panel, c->n.size / columns), columns),
        index_variable(b, place.column, columns));
    const IndexExpr *k = index_add(
        b, index_scale(b, index_variable(b, place.step, c->k.size / group), group),
        index_variable(b, place.k, group));
    const IndexExpr *zero = index_constant(b, 0); // a filter's group
    const Expr *x = contraction_expr(e, c, false, &zero, line, k);
    if (e->exprs->failed || x->kind != EXPR_LOAD || !is_aligned(e, x->stored) ||
        x->stored->type->element != c->rhs_packed)
        return none;
    bool fits =
        steps_by(x->at, place.column, group) && steps_by(x->at, place.step, columns * group);
    if (group > 1) fits = fits && steps_by(x->at, place.k, 1);
    if (x->device)
        fits = fits && steps_by(x->device, place.column, 0) && steps_by(x->device, place.step, 0) &&
               steps_by(x->device, place.k, 0);
    if (fits) place.load = x;
    return place;
}

LLVMValueRef panels_address(
    Emit *e, const Contraction *c, const PanelPlace *place, const IndexExpr *panel,
    const IndexExpr *k) {
    IndexBuilder *b = e->index;
    Substitution here = substitution(e->exprs, e->exprs); // in tables of devices, too
    here.variables[place->panel] = panel;
    here.variables[place->column] = here.variables[place->k] = index_constant(b, 0);
    here.variables[place->step] = index_div(b, k, c->how->group);
    const Expr *load = place->load;
    const IndexExpr *device = load->device ? expr_substitute_index(&here, load->device) : NULL;
    LLVMValueRef at = emit_index(e, expr_substitute_index(&here, load->at));
    return LLVMBuildInBoundsGEP2(
        e->builder, emit_memory_type(e, load->stored->type->element),
        emit_operand_base(e, load->stored, device), &at, 1, "");
}

// What all loops of a nest use: the indices of a place, and copies of memory in place of the
// innermost loop.
#include "codegen/emit/stage/space_nest.h"

enum { COPY_BYTES = 16 << 10 }; // to several places

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

void nest_index_here(const Nest *nest, const IndexExpr **index) {
    Emit *e = nest->e;
    const Space *space = nest->space;
    const IndexExpr *parts[MAX_PARTS];
    for (int d = 0; d < space->rank; d++)
        index[d] = index_constant(e->index, 0);
    for (int a = 0; a < space->axis_count; a++) {
        const SpaceAxis *axis = &space->axes[a];
        int64_t dims[MAX_PARTS];
        for (int p = 0; p < axis->count; p++)
            dims[p] = space->parts[axis->first + p].extent;
        index_delinear(e->index, nest->at[a], axis->count, dims, parts);
        for (int p = 0; p < axis->count; p++) {
            const SpacePart *part = &space->parts[axis->first + p];
            index[part->dim] = index_add(
                e->index, index[part->dim], index_scale(e->index, parts[p], part->stride));
        }
    }
}

void space_block_index(
    Emit *e, const SpaceBlock *block, const IndexExpr *place, const IndexExpr **index) {
    Nest *nest = block->nest;
    if (nest->space->inner >= 0)
        nest->at[nest->space->inner] = index_add_constant(e->index, place, block->start);
    nest_index_here(nest, index);
}

Substitution nest_stage_here(Nest *nest, int a, const IndexExpr *place, int64_t start) {
    Emit *e = nest->e;
    const IndexExpr *index[MAX_RANK];
    nest->at[a] = index_add_constant(e->index, place, start);
    nest_index_here(nest, index);
    Substitution s = substitution(e->exprs, e->kernel->stage->exprs);
    stage_set_axes(&s, e->kernel->stage, index);
    return s;
}

// Does the kernel copy elements that lie side by side where they come from as well?
static bool is_copy(Nest *nest, int a, LLVMValueRef low, int64_t start, int64_t size) {
    Emit *e = nest->e;
    const Stage *stage = e->kernel->stage;
    int64_t factor;
    Substitution s = nest_stage_here(nest, a, emit_variable(e, low, size), start);
    int variable = (int)e->state->variables.count - 1;
    const Expr *x = expr_substitute(&s, stage->stores[0].value);
    if (x->kind != EXPR_LOAD) return false;
    for (int i = 0; i < stage->store_count; i++) {
        const Store *store = &stage->stores[i];
        if (expr_substitute(&s, store->value) != x ||
            store->output->type->element != x->stored->type->element)
            return false;
    }
    return index_is_affine_in(x->at, variable, &factor) && factor == 1 &&
           (!x->device || !index_depends_on(x->device, variable));
}

static void emit_copies(
    Nest *nest, int a, LLVMValueRef first, LLVMValueRef count, int64_t start, int64_t size) {
    Emit *e = nest->e;
    const Stage *stage = e->kernel->stage;
    Substitution s = nest_stage_here(nest, a, emit_variable(e, first, size), start);
    const Expr *x = expr_substitute(&s, stage->stores[0].value);
    LLVMValueRef from = emit_address_at(e, x->stored, x->at, x->device);
    for (int i = 0; i < stage->store_count; i++) {
        LLVMValueRef to = emit_store_address(e, &s, &stage->stores[i]);
        stream_copy(e, stage->stores[i].output, to, from, count);
    }
}

bool nest_emit_copied(
    Nest *nest, int a, LLVMValueRef low, LLVMValueRef high, int64_t start, int64_t size) {
    Emit *e = nest->e;
    const Stage *stage = e->kernel->stage;
    if (!is_copy(nest, a, low, start, size)) return false;
    if (stage->store_count == 1) {
        emit_copies(nest, a, low, LLVMBuildNSWSub(e->builder, high, low, ""), start, size);
        return true;
    }
    int64_t width = COPY_BYTES / (int64_t)element_bytes(stage->stores[0].value->element);
    EmitLoop *blocks = emit_loop_begin(e, low, high, width, size, false);
    LLVMValueRef rest = LLVMBuildNSWSub(e->builder, high, blocks->phi, "");
    emit_copies(nest, a, blocks->phi, nest_minimum(e, number(e, width), rest), start, size);
    emit_loop_end(e, blocks);
    return true;
}

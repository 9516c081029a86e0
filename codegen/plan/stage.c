// Stages in the making.
#include "codegen/plan/stage.h"

#include "codegen/element/element.h"
#include "codegen/expr/whole_array.h"

#include <string.h>

typedef const IndexExpr *Index;

void stage_add_axes(
    ExprBuilder *b, Stage *stage, int rank, const int64_t *dims, const IndexExpr **index) {
    stage->axis_count = rank;
    for (int d = 0; d < rank; d++) {
        int variable = expr_new_variable(b, false);
        stage->axes[d] = (Axis){dims[d], AXIS_PARALLEL, variable};
        index[d] = index_variable(b->index, variable, dims[d]);
    }
}

void stage_set_axes(Substitution *s, const Stage *stage, const IndexExpr *const *index) {
    for (int d = 0; d < stage->axis_count; d++)
        s->variables[stage->axes[d].variable] = index[d];
}

Stage *stage_create(ExprBuilder *b, StageKind kind, int stores) {
    Stage *stage = ARENA_NEW(b->arena, Stage);
    stage->kind = kind;
    stage->exprs = b;
    stage->stores = ARENA_ARRAY(b->arena, Store, stores + 1);
    return stage;
}

Store stage_store(
    ExprBuilder *b, const KernelOperand *output, const IndexExpr *const *index, const Expr *value) {
    const Value *into = output->value;
    Store store = {.output = into, .value = value};
    if (output->made)
        store.device = sent_element(b, output->made, into, index, store.index);
    else if (into->type->rank)
        memcpy(store.index, index, (size_t)into->type->rank * sizeof index[0]);
    store.device = whole_array_place(b, into, store.device, store.index);
    store.at = expr_element_number(b, into, store.index);
    return store;
}

void stage_add_store(
    Stage *stage, const Value *output, const IndexExpr *const *index, const Expr *value) {
    KernelOperand plain = {.value = output};
    stage->stores[stage->store_count++] = stage_store(stage->exprs, &plain, index, value);
}

// All outputs at an index of `result`, whose elements they are computed from: outputs of
// another shape are reshapes of it.
void stage_add_stores(ExprBuilder *b, Stage *stage, const Value *result, const Index *index) {
    const Kernel *kernel = b->kernel;
    const Type *type = result->type;
    Index at[MAX_RANK], number = index_linear(b->index, type->rank, type->dims, index);
    for (int i = 0; i < kernel->output_count; i++) {
        const Value *output = kernel_made(&kernel->outputs[i]);
        bool is_reshaped = !type_same_shape(output->type, type);
        if (is_reshaped)
            index_delinear(b->index, number, output->type->rank, output->type->dims, at);
        const Index *place = is_reshaped ? at : index;
        stage->stores[stage->store_count++] =
            stage_store(b, &kernel->outputs[i], place, expr_of(b, output, place));
    }
}

void stage_add_starts(Stage *stage) {
    ExprBuilder *b = stage->exprs;
    int count = b->kernel->output_count + b->kernel->input_count;
    Index *starts = ARENA_ARRAY(b->arena, Index, count + 1);
    for (int k = 0; k < count; k++) {
        starts[k] = expr_operand_start(b, k);
        if (!index_is_constant(starts[k])) stage->starts = starts;
    }
}

// lower_stage: kernels that are stages of maps, folds and scans; contractions as
// plain folds: any type, any layout.
#include "codegen/emit/lower.h"
#include "codegen/emit/stage/nest.h"
#include "codegen/plan/kernel_stage.h"

// Does the kernel copy an argument element by element to a result that may lie
// in the same memory (donation)?
static const Value *copied_in_place(const Kernel *kernel) {
    const Stage *stage = kernel->stage;
    if (stage->kind != STAGE_MAP || kernel->output_count != 1 || stage->store_count != 1)
        return NULL;
    const Store *store = &stage->stores[0];
    const Expr *x = store->value;
    if (x->kind != EXPR_LOAD || x->device || store->device || x->at != store->at) return NULL;
    const Buffer *to = kernel->outputs[0].buffer;
    for (int i = 0; i < kernel->input_count; i++) {
        const Buffer *from = kernel->inputs[i].buffer;
        if (kernel->inputs[i].value == x->stored && from->may_alias == to->number + 1 &&
            from->element == to->element)
            return x->stored;
    }
    return NULL;
}

// What is in its place already is not copied.
bool planned_emit(Emit *e) {
    const Value *copied = copied_in_place(e->kernel);
    if (!copied) return stage_emit(e, e->kernel->stage);
    LLVMValueRef from = emit_base(e, copied), to = emit_base(e, e->kernel->outputs[0].value);
    EmitIf branch = emit_if(e, LLVMBuildICmp(e->builder, LLVMIntNE, from, to, "moves"));
    bool good = stage_emit(e, e->kernel->stage);
    emit_end_if(e, &branch);
    return good;
}

bool contract_reference_emit(Emit *e) {
    Stage *stage = stage_of_product(e->exprs, e->kernel->root);
    if (e->exprs->failed) return false;
    stage->space = space_plan(stage, arena_child(e->arena));
    return stage_emit(e, stage);
}

// lower_stage: kernels that are stages of maps, folds and scans; contractions as plain folds: any type, any layout.
#include "codegen/emit/lower.h"
#include "codegen/emit/nest.h"
#include "codegen/plan/kernel_stage.h"

bool planned_emit(Emit *e) { return stage_emit(e, e->kernel->stage); }

bool contract_reference_emit(Emit *e) {
    Stage *stage = stage_of_product(e->exprs, e->kernel->root);
    if (e->exprs->failed) return false;
    stage->space = space_plan(stage, arena_child(e->arena));
    return stage_emit(e, stage);
}

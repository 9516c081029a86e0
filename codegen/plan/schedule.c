// schedule: the loops of every stage. Steps stand in the order in which the program names the last value that each kernel stores.
#include "codegen/plan/kernel.h"
#include "codegen/plan/space.h"

bool plan_schedule(Plan *plan) {
    Arena *scratch = arena_child(plan->arena), *keys = arena_child(plan->arena);
    StrMap known = str_map(keys);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Stage *stage = plan->kernels.data[i]->stage;
        if (!stage || stage->kind == STAGE_SPECIAL || stage->kind == STAGE_ATTENTION) continue;
        StrBuf key = strbuf(keys);
        stage_key(&key, stage);
        Space *space = str_map_get(&known, strbuf_view(&key));
        if (!space) {
            space = space_plan(stage, scratch);
            str_map_set(&known, strbuf_view(&key), space);
        }
        stage->space = space;
    }
    arena_reset(keys);
    return true;
}

// schedule: the loops of every stage. Steps stand in the order in which the program names the last
// value that each kernel stores.
#include "codegen/kernel/kernel.h"
#include "codegen/plan/space.h"

void plan_schedule(Plan *plan) {
    Arena *scratch = arena_child(plan->arena), *keys = arena_child(plan->arena);
    StrMap known = str_map(keys);
    for (int64_t i = 0; i < plan->kernels.count; i++) {
        Stage *stage = plan->kernels.data[i]->stage;
        if (!stage || stage->kind == STAGE_SPECIAL || stage->kind == STAGE_ATTENTION) continue;
        StrBuf key = strbuf(keys);
        stage_key(&key, stage);
        const Stage *same = str_map_get(&known, strbuf_view(&key));
        if (!same) {
            stage->space = space_plan(stage, scratch);
            str_map_set(&known, strbuf_view(&key), stage);
            continue;
        }
        stage->space = same->space;
        for (int p = 0; stage->rows && p < stage->rows->pass_count; p++)
            stage->rows->passes[p].space = same->rows->passes[p].space;
    }
    arena_reset(keys);
}

// explain_reshards: every place where a value is brought from one sharding to
// another, with what that costs.
#include "partition/explain/explain_internal.h"

// Sums over what is split are reductions, no reshards.
static bool is_reshard(const Cause *cause) {
    return cause->kind != CAUSE_REDUCTION && cause->value && cause->from != cause->to;
}

static const char *lies(Arena *arena, const Sharding *sharding) {
    bool is_whole =
        sharding_is_fully_replicated(sharding) && !(sharding && sharding->unreduced_count);
    return is_whole ? "" : sharding_text(arena, sharding);
}

void fill_reshards(
    Explainer *explainer, const Collectives *collectives, shardc_explanation *explanation) {
    Arena *arena = explainer->arena;
    const Provenance *provenance = explainer->base.provenance;
    PtrMap numbers = ptr_map(arena); // Cause * to its reshard
    VEC(shardc_explain_reshard *) reshards = {0};
    for (int64_t i = 0; i < provenance->causes.count; i++) {
        const Cause *cause = provenance->causes.data[i];
        if (!is_reshard(cause)) continue;
        shardc_explain_reshard *reshard = ARENA_NEW(arena, shardc_explain_reshard);
        *reshard = (shardc_explain_reshard){
            .value = listed_value(explainer, cause->value),
            .op = op_text_of(arena, cause->op),
            .location = loc_text(arena, &cause->loc),
            .from = lies(arena, cause->from),
            .to = lies(arena, cause->to),
            .cause = cause_sentence(explainer, cause)};
        ptr_map_set(&numbers, cause, reshard);
        vec_push(arena, &reshards, reshard);
    }
    for (int64_t i = 0; i < collectives->count; i++) {
        const Collective *collective = &collectives->data[i];
        shardc_explain_reshard *reshard =
            collective->cause ? ptr_map_get(&numbers, collective->cause) : NULL;
        if (!reshard) continue;
        reshard->collective_count++;
        reshard->bytes += collective->bytes;
    }
    shardc_explain_reshard *list = ARENA_ARRAY(arena, shardc_explain_reshard, reshards.count);
    for (int64_t i = 0; i < reshards.count; i++)
        list[i] = *reshards.data[i];
    explanation->reshards = list;
    explanation->reshard_count = (int32_t)reshards.count;
}

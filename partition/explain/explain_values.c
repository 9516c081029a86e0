// explain_values: every value with its sharding, and for every axis where it came from.
#include "partition/cost.h"
#include "partition/explain/explain_internal.h"

static int list_value(Explainer *explainer, ListedValue listed) {
    vec_push(explainer->arena, &explainer->listed, listed);
    intptr_t number = explainer->listed.count;
    if (listed.value) ptr_map_set(&explainer->listed_values, listed.value, (void *)number);
    bool is_own = listed.place && listed.place->place.value == listed.value;
    if (is_own && !ptr_map_has(&explainer->listed_places, listed.place)) {
        ptr_map_set(&explainer->listed_places, listed.place, (void *)number);
    }
    return (int)number - 1;
}

static const Type *listed_type(const ListedValue *listed) {
    if (listed->value) return listed->value->type;
    const Op *func = listed->place->place.op;
    return op_operand_type(region_terminator(func_body(func)), listed->place->place.result);
}

void list_values(Explainer *explainer) {
    const Provenance *provenance = explainer->base.provenance;
    explainer->listed_values = ptr_map(explainer->arena);
    explainer->listed_places = ptr_map(explainer->arena);
    for (int64_t i = 0; i < provenance->final_values.count; i++) {
        const FinalValue *final = &provenance->final_values.data[i];
        if (!type_is_static(final->value->type)) continue;
        list_value(explainer, (ListedValue){final->place, final->value, final->sharding});
    }
    for (int64_t i = 0; i < provenance->results.count; i++) {
        const ProvenancePlace *place = provenance->results.data[i];
        const ListedValue result = {.place = place};
        if (place->place.op != provenance->func || !type_is_static(listed_type(&result))) continue;
        const Sharding *sharding = func_result_sharding(place->place.op, place->place.result);
        list_value(explainer, (ListedValue){place, NULL, sharding});
    }
}

int listed_value(Explainer *explainer, Value *value) {
    intptr_t number = (intptr_t)ptr_map_get(&explainer->listed_values, value);
    if (number) return (int)number - 1;
    const ProvenancePlace *place = provenance_of_value(explainer->base.provenance, value);
    return place ? listed_place(explainer, place) : -1;
}

int listed_place(Explainer *explainer, const ProvenancePlace *place) {
    intptr_t number = (intptr_t)ptr_map_get(&explainer->listed_places, place);
    if (number) return (int)number - 1;
    const Sharding *sharding = place->propagated ? place->propagated : place->written;
    if (sharding) sharding = sharding_closed(explainer->source->context, sharding);
    return list_value(explainer, (ListedValue){place, place->place.value, sharding});
}

ChainRoot chain_root(const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis) {
    enum { MAX_STEPS = 100000 }; // a chain is as long as the program at most
    ChainRoot root = {.dim = dim, .axis = *axis};
    const Arrival *arrival = place ? provenance_arrival(mesh, place, dim, axis) : NULL;
    root.first = arrival;
    while (arrival && root.steps < MAX_STEPS) {
        root.place = place;
        root.dim = arrival->dim;
        if (!arrival->source) break;
        root.steps += arrival->kind == ARRIVAL_STEP;
        place = arrival->source;
        arrival = provenance_arrival(mesh, place, arrival->source_dim, axis);
    }
    return root;
}

// ---- the public form ----

const Op *step_op(const ProvenanceStep *step) {
    if (!step->op || (step->op->code != OP_SDY_EDGE && step->op->code != OP_SDY_FUNC_EDGE)) {
        return step->op;
    }
    const Value *owner = step->tensors[step->tensor_count - 1]->place.value;
    if (!owner) return step->op;
    return owner->def ? owner->def : owner->region->owner;
}

static int link_index(
    const Mesh *mesh, const ProvenancePlace *place, int dim, const AxisRef *axis) {
    int i = 0;
    for (const Arrival *arrival = place->first; arrival; arrival = arrival->next, i++) {
        if (arrival->dim == dim && axis_ref_overlaps(mesh, &arrival->axis, axis)) return i;
    }
    return -1;
}

static void fill_step(Arena *arena, const ProvenanceStep *step, shardc_explain_link *link) {
    const Op *op = step_op(step);
    link->how = "step";
    link->op = op ? op_text_of(arena, op) : "func.return";
    link->location = op ? loc_text(arena, op->loc) : "";
    link->step = step->number;
    link->user_priority = step->user_priority;
    link->round = step->round < 0 ? 0 : step->round;
    link->strategy = step->strategy == STRATEGY_BASIC ? "basic" : "aggressive";
}

static const char *writer_text(Arena *arena, const ProvenancePlace *place) {
    const Value *value = place->place.value;
    if (!value) return "result";
    if (value->def) return op_text_of(arena, value->def);
    const Op *owner = value->region->owner;
    return owner->code == OP_FUNC ? "argument" : op_text_of(arena, owner);
}

static const Loc *place_loc(const ProvenancePlace *place) {
    return place->place.value ? place->place.value->loc : place->place.op->loc;
}

static shardc_explain_link link_of(
    Explainer *explainer, const Mesh *mesh, const ProvenancePlace *place, const Arrival *arrival) {
    Arena *arena = explainer->arena;
    shardc_explain_link link = {
        .axis = axis_text(arena, &arrival->axis),
        .dim = arrival->dim,
        .source = -1,
        .source_dim = arrival->source_dim,
        .source_link = -1,
        .how = "written",
        .op = writer_text(arena, place),
        .location = loc_text(arena, place_loc(place)),
        .factor = "",
        .strategy = "",
    };
    if (arrival->source) {
        link.source = listed_place(explainer, arrival->source);
        link.source_link = link_index(mesh, arrival->source, arrival->source_dim, &arrival->axis);
    }
    if (arrival->kind == ARRIVAL_CONSTRAINT) {
        link.how = "constraint";
        link.op = op_text_of(arena, arrival->op);
        link.location = loc_text(arena, arrival->op->loc);
    } else if (arrival->kind == ARRIVAL_GROUP) {
        link.how = "group";
        link.op = "sdy.sharding_group";
    } else if (arrival->kind == ARRIVAL_STEP) {
        fill_step(arena, arrival->step, &link);
        link.factor = factor_kind_text(arrival->factor_kind);
    }
    return link;
}

static const Mesh *listed_mesh(const Explainer *explainer, const ListedValue *listed) {
    const Sharding *sharding = listed->sharding;
    if (!sharding && listed->place) sharding = listed->place->propagated;
    if (!sharding && listed->place) sharding = listed->place->written;
    return sharding ? sharding_mesh(explainer->base.module, sharding) : NULL;
}

static void fill_links(Explainer *explainer, const ListedValue *listed, shardc_explain_value *out) {
    const Mesh *mesh = listed_mesh(explainer, listed);
    if (!listed->place || !mesh) return;
    int count = 0;
    for (const Arrival *arrival = listed->place->first; arrival; arrival = arrival->next)
        count++;
    shardc_explain_link *links = ARENA_ARRAY(explainer->arena, shardc_explain_link, count);
    int i = 0;
    for (const Arrival *arrival = listed->place->first; arrival; arrival = arrival->next)
        links[i++] = link_of(explainer, mesh, listed->place, arrival);
    out->links = links;
    out->link_count = count;
}

enum { MAX_LISTED = 1024 }; // devices whose tiles are listed for every value

static void fill_tiles(Explainer *explainer, const ListedValue *listed, shardc_explain_value *out) {
    const Type *type = listed_type(listed);
    const Mesh *mesh =
        listed->sharding ? sharding_mesh(explainer->base.module, listed->sharding) : NULL;
    int64_t devices = explainer->base.program.device_count;
    bool is_tiled = mesh && !mesh_is_maximal(mesh) && mesh_device_count(mesh) == devices;
    int64_t *tile_dims = ARENA_ARRAY(explainer->arena, int64_t, type->rank);
    bool is_listed = devices <= MAX_LISTED;
    int32_t *tiles =
        is_listed ? ARENA_ARRAY(explainer->arena, int32_t, devices * type->rank) : NULL;
    for (int d = 0; d < type->rank; d++) {
        int64_t count = is_tiled ? sharding_dim_size(mesh, listed->sharding, d) : 1;
        tile_dims[d] = (type->dims[d] + count - 1) / count;
        const DimSharding *dim = is_tiled ? &listed->sharding->dims[d] : NULL;
        for (int64_t device = 0; dim && is_listed && device < devices; device++) {
            int64_t index = mesh_index_of_device(mesh, device);
            int64_t tile = axis_list_coordinate(mesh, dim->axes, dim->axis_count, index);
            tiles[device * type->rank + d] = (int32_t)tile;
        }
    }
    out->rank = type->rank;
    // The type goes with the context, the explanation stays.
    out->dims = arena_copy(explainer->arena, type->dims, (size_t)type->rank * sizeof *type->dims);
    out->tile_dims = tile_dims;
    out->tiles = tiles;
    out->tile_bytes = tile_bytes(explainer->base.module, type, listed->sharding);
}

static bool is_written(const ProvenancePlace *place) {
    if (!place || !place->written) return false;
    return !place->first || place->first->kind == ARRIVAL_WRITTEN;
}

static shardc_explain_value fill_value(Explainer *explainer, const ListedValue *listed) {
    Arena *arena = explainer->arena;
    const ProvenancePlace *place = listed->place;
    shardc_explain_value out = {
        .name = listed->value ? value_text(explainer, listed->value) : place_text(explainer, place),
        .op = "argument",
        .type = type_text(arena, listed_type(listed)),
        .sharding = sharding_is_fully_replicated(listed->sharding)
                        ? ""
                        : sharding_text(arena, listed->sharding),
        .written = is_written(place) ? sharding_text(arena, place->written) : "",
        .location = loc_text(arena, listed->value ? listed->value->loc : place->place.op->loc),
    };
    if (!listed->value) out.op = "result";
    if (listed->value && listed->value->def) out.op = op_text_of(arena, listed->value->def);
    fill_tiles(explainer, listed, &out);
    fill_links(explainer, listed, &out);
    return out;
}

void fill_values(Explainer *explainer, shardc_explanation *explanation) {
    VEC(shardc_explain_value) values = {0};
    // Links may add places.
    for (int64_t i = 0; i < explainer->listed.count; i++) {
        const ListedValue listed = explainer->listed.data[i];
        shardc_explain_value value = fill_value(explainer, &listed);
        vec_push(explainer->arena, &values, value);
    }
    explanation->values = values.data;
    explanation->value_count = (int32_t)values.count;
}

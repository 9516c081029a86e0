// explain: the door. Partitions a copy of the program with records, and says what they say.
#include "partition/explain/explain_internal.h"

static void fill_mesh(Explainer *explainer, const Op *op, shardc_explain_mesh *out) {
    Arena *arena = explainer->arena;
    const Mesh *mesh = op_attr(op, NAME_MESH)->mesh;
    int64_t count = mesh_device_count(mesh);
    const char **names = ARENA_ARRAY(arena, const char *, mesh->axis_count);
    int64_t *sizes = ARENA_ARRAY(arena, int64_t, mesh->axis_count);
    int64_t *devices = ARENA_ARRAY(arena, int64_t, count);
    for (int a = 0; a < mesh->axis_count; a++) {
        names[a] = arena_cstring(arena, mesh->axes[a].name);
        sizes[a] = mesh->axes[a].size;
    }
    for (int64_t i = 0; i < count; i++)
        devices[i] = mesh_is_maximal(mesh) ? mesh->device_ids[0] : mesh_device_at(mesh, i);
    StrBuf axes = strbuf(arena);
    mesh_print(&axes, mesh);
    *out = (shardc_explain_mesh){
        .name = arena_cstring(arena, op_text(op, NAME_SYM_NAME)),
        .axes = strbuf_cstring(&axes),
        .axis_count = mesh->axis_count,
        .axis_names = names,
        .axis_sizes = sizes,
        .devices = devices,
    };
}

static void fill_meshes(Explainer *explainer, shardc_explanation *explanation) {
    VEC(shardc_explain_mesh) meshes = {0};
    for (const Op *op = explainer->base.module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH) continue;
        shardc_explain_mesh mesh;
        fill_mesh(explainer, op, &mesh);
        vec_push(explainer->arena, &meshes, mesh);
    }
    explanation->meshes = meshes.data;
    explanation->mesh_count = (int32_t)meshes.count;
}

// Causes that no collective has: their reshards were slices, or went away.
static int32_t count_free(const Explainer *explainer, const Collectives *collectives) {
    const Provenance *provenance = explainer->base.provenance;
    int32_t count = 0;
    for (int64_t i = 0; i < provenance->causes.count; i++) {
        bool costs = false;
        for (int64_t k = 0; k < collectives->count && !costs; k++)
            costs = collectives->data[k].cause == provenance->causes.data[i];
        count += !costs;
    }
    return count;
}

static void fill_collectives(Explainer *explainer, shardc_explanation *explanation) {
    const ExplainOptions *options = explainer->options;
    Collectives found = {0};
    find_collectives(explainer, &explainer->base, &found);
    Cost cost = cost_of(&explainer->base, &found);
    shardc_explain_collective *collectives =
        ARENA_ARRAY(explainer->arena, shardc_explain_collective, found.count);
    for (int64_t i = 0; i < found.count; i++) {
        fill_collective(explainer, &found.data[i], &collectives[i]);
        collectives[i].here_bytes = bytes_at(&found, &found.data[i]);
        bool is_wanted = i >= options->advise_first &&
                         i < (int64_t)options->advise_first + options->advise_count;
        if (is_wanted) advise(explainer, &found, &found.data[i], &cost, &collectives[i]);
    }
    explanation->collectives = collectives;
    explanation->collective_count = (int32_t)found.count;
    explanation->free_reshards = count_free(explainer, &found);
    fill_reshards(explainer, &found, explanation);
    explanation->total_bytes = cost.bytes;
    explanation->argument_bytes = cost.argument_bytes;
    explanation->work = cost.work;
}

bool explain_module(
    const Module *module, const ExplainOptions *options, Arena *arena,
    shardc_explanation *explanation, Diags *diags) {
    Explainer explainer = {.options = options, .arena = arena, .diags = diags};
    read_source(&explainer, module);
    if (!partition_copy(&explainer, explainer.source, arena, &explainer.base, diags)) return false;
    explanation->program = arena_cstring(arena, options->name);
    explanation->device_count = (int32_t)explainer.base.program.device_count;
    list_values(&explainer);
    fill_meshes(&explainer, explanation);
    fill_collectives(&explainer, explanation);
    const Op *entry = module_entry(explainer.source, options->partition.entry);
    if (entry) fill_memory(&explainer, explainer.source, entry, &explanation->whole);
    const DeviceProgram *program = &explainer.base.program;
    fill_memory(&explainer, program->module, program->main, &explanation->device);
    fill_values(&explainer, explanation);
    return true;
}

// explain_json: an explanation as one JSON object.
#include "base/json.h"
#include "tools/explain/explain.h"

static void text(Json *json, const char *key, const char *value) {
    json_key(json, key);
    json_string(json, strview(value));
}

static void number(Json *json, const char *key, int64_t value) {
    json_key(json, key);
    json_int(json, value);
}

static void numbers(Json *json, const char *key, int64_t count, const int64_t *values) {
    json_key(json, key);
    json_begin_array(json);
    for (int64_t i = 0; i < count; i++)
        json_int(json, values[i]);
    json_end_array(json);
}

static void print_mesh(Json *json, const shardc_explain_mesh *mesh) {
    int64_t devices = 1;
    for (int a = 0; a < mesh->axis_count; a++)
        devices *= mesh->axis_sizes[a];
    json_begin_object(json);
    text(json, "name", mesh->name);
    json_key(json, "axes");
    json_begin_object(json);
    for (int a = 0; a < mesh->axis_count; a++)
        number(json, mesh->axis_names[a], mesh->axis_sizes[a]);
    json_end_object(json);
    numbers(json, "devices", devices, mesh->devices);
    json_end_object(json);
}

static void print_link(Json *json, const shardc_explain_link *link) {
    json_begin_object(json);
    text(json, "axis", link->axis);
    number(json, "dim", link->dim);
    text(json, "how", link->how);
    text(json, "op", link->op);
    text(json, "location", link->location);
    if (link->source >= 0) {
        number(json, "source", link->source);
        number(json, "source_dim", link->source_dim);
        number(json, "source_link", link->source_link);
    }
    if (*link->strategy) {
        number(json, "step", link->step);
        text(json, "factor", link->factor);
        number(json, "user_priority", link->user_priority);
        number(json, "op_round", link->round);
        text(json, "strategy", link->strategy);
    }
    json_end_object(json);
}

static void print_value(Json *json, const shardc_explain_value *value) {
    json_begin_object(json);
    text(json, "name", value->name);
    text(json, "op", value->op);
    text(json, "type", value->type);
    text(json, "sharding", value->sharding);
    text(json, "written", value->written);
    text(json, "location", value->location);
    number(json, "tile_bytes", value->tile_bytes);
    numbers(json, "tile", value->rank, value->tile_dims);
    json_key(json, "links");
    json_begin_array(json);
    for (int i = 0; i < value->link_count; i++)
        print_link(json, &value->links[i]);
    json_end_array(json);
    json_end_object(json);
}

static void print_advice(Json *json, const shardc_explain_advice *advice) {
    json_begin_object(json);
    text(json, "what", advice->what);
    text(json, "location", advice->location);
    text(json, "before", advice->before);
    text(json, "after", advice->after);
    text(json, "jax", advice->jax);
    number(json, "bytes", advice->bytes);
    number(json, "total_bytes", advice->total_bytes);
    number(json, "argument_bytes", advice->argument_bytes);
    number(json, "work", advice->work);
    json_end_object(json);
}

static void print_collective(Json *json, const shardc_explanation *explanation, int index) {
    const shardc_explain_collective *collective = &explanation->collectives[index];
    const char *name = collective->value < 0 ? "" : explanation->values[collective->value].name;
    json_begin_object(json);
    number(json, "number", index + 1);
    text(json, "kind", collective->kind);
    number(json, "bytes", collective->bytes);
    number(json, "group_size", collective->group_size);
    number(json, "loop_depth", collective->loop_depth);
    number(json, "part_count", collective->part_count);
    text(json, "op", collective->op);
    text(json, "location", collective->location);
    number(json, "value", collective->value);
    text(json, "value_name", name);
    text(json, "from", collective->from);
    text(json, "to", collective->to);
    text(json, "cause", collective->cause);
    number(json, "here_bytes", collective->here_bytes);
    json_key(json, "reasons");
    json_begin_array(json);
    for (int i = 0; i < collective->reason_count; i++)
        json_string(json, strview(collective->reasons[i]));
    json_end_array(json);
    json_key(json, "advice");
    json_begin_array(json);
    for (int i = 0; i < collective->advice_count; i++)
        print_advice(json, &collective->advice[i]);
    json_end_array(json);
    if (*collective->no_advice) text(json, "no_advice", collective->no_advice);
    json_end_object(json);
}

void explain_print_json(
    StrBuf *out, const shardc_explanation *explanation, const ExplainView *view) {
    Json json = json_writer(out);
    json_begin_object(&json);
    text(&json, "program", explanation->program);
    number(&json, "devices", explanation->device_count);
    number(&json, "total_bytes", explanation->total_bytes);
    number(&json, "argument_bytes", explanation->argument_bytes);
    number(&json, "work", explanation->work);
    number(&json, "free_reshards", explanation->free_reshards);
    json_key(&json, "meshes");
    json_begin_array(&json);
    for (int i = 0; i < explanation->mesh_count; i++)
        print_mesh(&json, &explanation->meshes[i]);
    json_end_array(&json);
    json_key(&json, "collectives");
    json_begin_array(&json);
    for (int i = 0; i < explanation->collective_count && !view->value; i++) {
        if (!view->collective || view->collective == i + 1) print_collective(&json, explanation, i);
    }
    json_end_array(&json);
    // Links name values by their place in the whole list.
    json_key(&json, "values");
    json_begin_array(&json);
    for (int i = 0; i < explanation->value_count && !view->collective; i++) {
        if (!view->value || explain_is_shown(&explanation->values[i], view))
            print_value(&json, &explanation->values[i]);
    }
    json_end_array(&json);
    json_end_object(&json);
    strbuf_putc(out, '\n');
}

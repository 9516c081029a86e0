// cmd_inspect_sharding: shardc inspect --sharding: one sharding in all
// notations, and where its tiles lie.
#include "base/json.h"
#include "frontend/gspmd/notations.h"
#include "tools/inspect.h"

#include <stdio.h>
#include <string.h>

// 16x8; false when it is no shape.
static bool read_shape(const char *text, int *rank, int64_t *dims) {
    *rank = 0;
    StrView rest = strview(text);
    if (strview_is(rest, "scalar")) return true;
    while (*rank < SHARDC_MAX_RANK) {
        const char *end = memchr(rest.data, 'x', rest.size);
        StrView number = {rest.data, end ? (size_t)(end - rest.data) : rest.size};
        if (!strview_to_int64(number, &dims[*rank]) || dims[*rank] < 0) return false;
        ++*rank;
        if (!end) return true;
        rest = (StrView){end + 1, rest.size - number.size - 1};
    }
    return false;
}

// ---- JSON ----

static void json_text(Json *json, const char *key, StrView text) {
    json_key(json, key);
    if (text.size > 0)
        json_string(json, text);
    else
        json_null(json);
}

static void json_tiles(Json *json, const Notations *notations) {
    json_key(json, "tiles");
    if (!notations->tiles) {
        json_null(json);
        return;
    }
    json_begin_array(json);
    for (int64_t device = 0; device < notations->device_count; device++) {
        json_begin_array(json);
        for (int d = 0; d < notations->rank; d++) {
            const int64_t *tile = notations->tiles + (device * notations->rank + d) * 2;
            json_begin_array(json);
            json_int(json, tile[0]);
            json_int(json, tile[1]);
            json_end_array(json);
        }
        json_end_array(json);
    }
    json_end_array(json);
}

static void json_notations(Json *json, const Notations *notations) {
    json_begin_object(json);
    json_text(json, "mesh", notations->mesh);
    json_text(json, "sdy", notations->sdy);
    json_text(json, "spec", notations->spec);
    json_text(json, "v1", notations->v1);
    json_text(json, "v2", notations->v2);
    json_tiles(json, notations);
    json_end_object(json);
}

// A tuple's shardings are the entries of "parts".
static void print_json(StrBuf *out, const Notations *notations, int count, bool is_tuple) {
    Json json = json_writer(out);
    if (!is_tuple) {
        json_notations(&json, notations);
    } else {
        json_begin_object(&json);
        json_key(&json, "parts");
        json_begin_array(&json);
        for (int i = 0; i < count; i++)
            json_notations(&json, &notations[i]);
        json_end_array(&json);
        json_end_object(&json);
    }
    strbuf_putc(out, '\n');
}

// ---- text ----

static void print_line(StrBuf *out, const char *name, StrView text) {
    strbuf_printf(out, "%-15s", name);
    if (text.size > 0)
        strbuf_append(out, text);
    else
        strbuf_puts(out, "none");
    strbuf_putc(out, '\n');
}

static void draw(Arena *arena, StrBuf *out, const Notations *notations, const int64_t *dims) {
    shardc_model model = {.device_count = (int)notations->device_count};
    int64_t shape[SHARDC_MAX_RANK], tile[SHARDC_MAX_RANK];
    int rank = notations->rank;
    int64_t *offsets = ARENA_ARRAY(arena, int64_t, notations->device_count * rank + 1);
    bool is_split = false;
    for (int64_t i = 0; i < notations->device_count * rank; i++)
        offsets[i] = notations->tiles[2 * i];
    for (int d = 0; d < rank; d++) {
        shape[d] = dims[d];
        tile[d] = 0;
        for (int64_t device = 0; device < notations->device_count; device++) {
            const int64_t *range = notations->tiles + (device * rank + d) * 2;
            if (range[1] - range[0] > tile[d]) tile[d] = range[1] - range[0];
        }
        is_split = is_split || tile[d] < shape[d];
    }
    shardc_model_array array = {.rank = rank, .dims = shape, .tile_dims = tile, .offsets = offsets};
    if (!is_split) {
        strbuf_printf(
            out, "all of it on each of %lld devices\n", (long long)notations->device_count);
        return;
    }
    strbuf_puts(out, "tiles, and the devices that hold each:\n");
    inspect_draw_tiles(arena, out, &model, &array);
}

static void print_text(
    Arena *arena, StrBuf *out, const Notations *notations, int count, const int64_t *dims) {
    for (int i = 0; i < count; i++) {
        const Notations *one = &notations[i];
        if (count > 1) strbuf_printf(out, "%spart %d\n", i ? "\n" : "", i);
        print_line(out, "mesh", one->mesh);
        print_line(out, "Shardy", one->sdy);
        print_line(out, "PartitionSpec", one->spec);
        print_line(out, "GSPMD V1", one->v1);
        print_line(out, "GSPMD V2", one->v2);
        if (one->tiles) draw(arena, out, one, dims);
    }
}

// ---- the command ----

// Tile coordinates stand for the shape where none is given.
static const int64_t *shape_of_tiles(Arena *arena, const GspmdSharding *gspmd, int *rank) {
    *rank = gspmd->dim_count - gspmd->group_count;
    int64_t *dims = ARENA_ARRAY(arena, int64_t, *rank + 1);
    memcpy(dims, gspmd->dims, (size_t)*rank * sizeof *dims);
    return dims;
}

int inspect_sharding(const char *text, const char *shape, const char *mesh, bool json) {
    Tool tool;
    if (!TOOL_BEGIN(&tool)) return EXIT_PROBLEM;
    Context *context = context_create(tool.arena);
    int64_t dims[SHARDC_MAX_RANK];
    NotationQuery query = {.text = strview(text), .rank = -1};
    Diags *diags = diags_create(tool.arena);
    int count = 0;
    bool ok = true;
    const Notations *notations = NULL;
    if (shape && !read_shape(shape, &query.rank, dims)) {
        diag_error(diags, NULL, "'%s' is no shape: write 16x8, or scalar", shape);
        ok = false;
    }
    if (shape) query.dims = dims;
    if (ok && mesh) {
        query.mesh = read_mesh_text(context, tool.arena, strview(mesh), diags);
        ok = query.mesh != NULL;
    }
    if (ok) notations = sharding_notations(context, tool.arena, &query, &count, diags);
    if (notations && !shape && !json && count == 1 && notations->gspmd->kind == GSPMD_TILED) {
        query.dims = shape_of_tiles(tool.arena, notations->gspmd, &query.rank);
        notations = sharding_notations(context, tool.arena, &query, &count, diags);
    }
    if (notations) {
        StrBuf out = strbuf(tool.arena);
        bool is_tuple = strncmp(text, "{{", 2) == 0 || strcmp(text, "{}") == 0;
        if (json)
            print_json(&out, notations, count, is_tuple);
        else
            print_text(tool.arena, &out, notations, count, query.dims);
        fputs(strbuf_cstring(&out), stdout);
    }
    int status = notations ? EXIT_DONE : tool_print_diags(diags);
    tool_end(&tool);
    return status;
}

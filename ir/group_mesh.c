// group_mesh: reads the mesh in the text of replica groups by mesh axes.
#include "ir/group_mesh.h"

#include "base/vec.h"

#include <string.h>

typedef struct Cursor {
    StrView left;
} Cursor;

static void skip_blanks(Cursor *at) {
    while (at->left.size > 0 && strchr(" \t\n", at->left.data[0]))
        at->left = (StrView){at->left.data + 1, at->left.size - 1};
}

static bool accept(Cursor *at, const char *text) {
    skip_blanks(at);
    if (!strview_starts_with(at->left, strview(text))) return false;
    size_t size = strlen(text);
    at->left = (StrView){at->left.data + size, at->left.size - size};
    return true;
}

static bool read_number(Cursor *at, int64_t *number) {
    skip_blanks(at);
    StrView digits = {at->left.data, 0};
    while (digits.size < at->left.size && strchr("-0123456789", at->left.data[digits.size]))
        digits.size++;
    at->left = (StrView){at->left.data + digits.size, at->left.size - digits.size};
    return strview_to_int64(digits, number);
}

static bool read_quoted(Cursor *at, StrView *text) {
    if (!accept(at, "\"")) return false;
    const char *end = memchr(at->left.data, '"', at->left.size);
    if (!end) return false;
    *text = (StrView){at->left.data, (size_t)(end - at->left.data)};
    at->left = (StrView){end + 1, at->left.size - text->size - 1};
    return true;
}

bool group_mesh_find(const Attr *groups, GroupMesh *found) {
    if (!groups || groups->kind != ATTR_OPAQUE) return false;
    Cursor at = {groups->text};
    if (!accept(&at, "#stablehlo.replica_group_mesh_axes") || !accept(&at, "<") ||
        !accept(&at, "mesh") || !accept(&at, "="))
        return false;
    skip_blanks(&at);
    size_t end = 0;
    bool is_quoted = false;
    for (int depth = 0; end < at.left.size; end++) {
        char c = at.left.data[end];
        is_quoted ^= c == '"';
        if (is_quoted) continue;
        if (depth == 0 && (c == ',' || c == '>')) break;
        depth += strchr("<[(", c) ? 1 : strchr(">])", c) ? -1 : 0;
    }
    StrView mesh = {at.left.data, end};
    *found = (GroupMesh){
        .before = {groups->text.data, (size_t)(mesh.data - groups->text.data)},
        .after = {mesh.data + end, at.left.size - end}};
    if (mesh.size == 0) return false;
    Cursor name = {mesh};
    if (!accept(&name, "@")) {
        found->mesh = mesh;
        return true;
    }
    found->name = name.left;
    return name.left.data[0] != '"' || read_quoted(&name, &found->name);
}

// <name = "x", size = 2>, with or without #stablehlo.mesh_axis before it
static bool read_axis(Cursor *at, MeshAxis *axis) {
    (void)accept(at, "#stablehlo.mesh_axis");
    return accept(at, "<") && accept(at, "name") && accept(at, "=") &&
           read_quoted(at, &axis->name) && accept(at, ",") && accept(at, "size") &&
           accept(at, "=") && read_number(at, &axis->size) && accept(at, ">") && axis->size > 0;
}

// The ids of dense<[1, 0]> or dense<0>.
static bool read_ids(Cursor *at, Arena *arena, Mesh *mesh) {
    if (!accept(at, "dense") || !accept(at, "<")) return false;
    VEC(int64_t) ids = {0};
    bool in_list = accept(at, "["), is_iota = true;
    do {
        int64_t id;
        if (!read_number(at, &id)) return false;
        is_iota &= id == ids.count;
        vec_push(arena, &ids, id);
    } while (in_list && accept(at, ","));
    if (in_list && !accept(at, "]")) return false;
    int64_t devices = 1; // each product is at most the number of ids
    for (int i = 0; i < mesh->axis_count && devices <= ids.count; i++)
        devices *= mesh->axes[i].size <= ids.count ? mesh->axes[i].size : ids.count + 1;
    if (devices != ids.count) return false;
    if (!is_iota || mesh->axis_count == 0) {
        mesh->id_count = ids.count;
        mesh->device_ids = ids.data;
    }
    return true;
}

const Mesh *group_mesh_read(Context *context, Arena *arena, StrView mesh) {
    Cursor at = {mesh};
    Mesh read = {0};
    if (!accept(&at, "#stablehlo.mesh") || !accept(&at, "<") || !accept(&at, "axes") ||
        !accept(&at, "=") || !accept(&at, "["))
        return NULL;
    while (!accept(&at, "]")) {
        if (read.axis_count == MAX_AXES || (read.axis_count > 0 && !accept(&at, ","))) return NULL;
        MeshAxis *axis = &read.axes[read.axis_count++];
        if (!read_axis(&at, axis)) return NULL;
        axis->name = context_name(context, axis->name);
    }
    bool has_ids = accept(&at, ",");
    if (has_ids && !(accept(&at, "device_ids") && accept(&at, "=") && read_ids(&at, arena, &read)))
        return NULL;
    return mesh_intern(context, &read);
}

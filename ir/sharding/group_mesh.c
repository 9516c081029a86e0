// group_mesh: reads the mesh in the text of replica groups by mesh axes.
#include "ir/sharding/group_mesh.h"

#include "base/vec.h"

#include <assert.h>
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
    if (ids.count != mesh_device_count(mesh)) return false;
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
    int64_t devices = 1;
    for (int i = 0; i < read.axis_count; i++) {
        if (read.axes[i].size > INT32_MAX / devices) return NULL;
        devices *= read.axes[i].size;
    }
    bool has_ids = accept(&at, ",");
    if (has_ids && !(accept(&at, "device_ids") && accept(&at, "=") && read_ids(&at, arena, &read)))
        return NULL;
    return mesh_intern(context, &read);
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = #stablehlo.sub_axis_info<pre_size = 1, size = 2>>
static bool read_axis_ref(Cursor *at, const Mesh *mesh, AxisRef *axis) {
    (void)accept(at, "#stablehlo.axis_ref");
    StrView name;
    if (!accept(at, "<") || !accept(at, "name") || !accept(at, "=") || !read_quoted(at, &name))
        return false;
    int index = 0;
    while (index < mesh->axis_count && !strview_equal(mesh->axes[index].name, name))
        index++;
    if (index == mesh->axis_count) return false;
    int64_t full = mesh->axes[index].size, pre_size = 1, size = full;
    if (accept(at, ",")) {
        if (!accept(at, "sub_axis_info") || !accept(at, "=")) return false;
        (void)accept(at, "#stablehlo.sub_axis_info");
        if (!accept(at, "<") || !accept(at, "pre_size") || !accept(at, "=") ||
            !read_number(at, &pre_size) || !accept(at, ",") || !accept(at, "size") ||
            !accept(at, "=") || !read_number(at, &size) || !accept(at, ">"))
            return false;
    }
    if (pre_size < 1 || size < 1 || full % pre_size != 0 || full / pre_size % size != 0)
        return false;
    *axis = axis_ref_make(mesh, mesh->axes[index].name, pre_size, size);
    return accept(at, ">");
}

static bool read_axes(const GroupMesh *groups, const Mesh *mesh, AxisList *axes) {
    Cursor at = {groups->after};
    axes->count = 0;
    if (!accept(&at, ",") || !accept(&at, "axes") || !accept(&at, "=") || !accept(&at, "["))
        return false;
    while (!accept(&at, "]")) {
        if (axes->count == MAX_AXIS_REFS || (axes->count > 0 && !accept(&at, ","))) return false;
        AxisRef *axis = &axes->axes[axes->count];
        if (!read_axis_ref(&at, mesh, axis)) return false;
        for (int i = 0; i < axes->count; i++) {
            if (axis_ref_overlaps(mesh, &axes->axes[i], axis)) return false;
        }
        axes->count++;
    }
    return true;
}

// Index distance of rank `rank` of a group from the group's first device; ranks
// count row-major over the axes.
static int64_t rank_distance(const Mesh *mesh, const AxisRef *axes, int count, int64_t rank) {
    int64_t distance = 0;
    for (int i = count - 1; i >= 0; i--) {
        int64_t size = axis_ref_size(mesh, &axes[i]);
        distance += rank % size * axis_ref_stride(mesh, &axes[i]);
        rank /= size;
    }
    return distance;
}

const Attr *mesh_axis_groups(
    Context *context, Arena *arena, const Mesh *mesh, const AxisRef *axes, int count) {
    int64_t devices = mesh_device_count(mesh);
    int64_t size = axis_list_size(mesh, axes, count);
    int64_t *ids = ARENA_ARRAY(arena, int64_t, devices);
    int64_t filled = 0;
    for (int64_t index = 0; index < devices; index++) {
        if (axis_list_coordinate(mesh, axes, count, index) != 0) continue;
        for (int64_t rank = 0; rank < size; rank++) {
            int64_t member = index + rank_distance(mesh, axes, count, rank);
            ids[filled++] = mesh_device_at(mesh, member);
        }
    }
    assert(filled == devices);
    return attr_int_matrix(context, (int)(devices / size), (int)size, ids);
}

const Attr *group_mesh_lists(
    const Module *module, Arena *arena, const Attr *groups, int64_t device_count) {
    GroupMesh found;
    AxisList axes;
    if (!group_mesh_find(groups, &found)) return NULL;
    const Mesh *mesh = found.name.size > 0 ? module_find_mesh(module, found.name)
                                           : group_mesh_read(module->context, arena, found.mesh);
    if (!mesh || mesh_device_count(mesh) != device_count || !read_axes(&found, mesh, &axes))
        return NULL;
    return mesh_axis_groups(module->context, arena, mesh, axes.axes, axes.count);
}

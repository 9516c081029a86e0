// named_groups: lists of devices as the axes of a mesh that make them.
#include "ir/sharding/group_mesh.h"
#include "partition/shardy/global_to_local.h"

// Letters, digits and underscores: what needs no quotes in the text of an attribute.
static bool is_plain(StrView name) {
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return name.size > 0;
}

static bool axis_list_has(const AxisList *axes, StrView name) {
    for (int i = 0; i < axes->count; i++) {
        if (strview_equal(axes->axes[i].name, name)) return true;
    }
    return false;
}

// The axis along which neighbours are `stride` devices apart; NULL: there is none.
static const MeshAxis *axis_of_stride(const Mesh *mesh, int64_t stride) {
    int64_t own = 1;
    for (int a = mesh->axis_count - 1; a >= 0; a--) {
        if (own == stride && mesh->axes[a].size > 1) return &mesh->axes[a];
        own *= mesh->axes[a].size;
    }
    return NULL;
}

// The axes of the first group, major to minor, if the groups are lists over whole axes at all: the
// minor one moves first, and the next one behind its last step.
static void axes_of_first_group(const Mesh *mesh, const Attr *groups, AxisList *axes) {
    int64_t size = groups->type->dims[1];
    int64_t base = mesh_index_of_device(mesh, attr_element_int(groups, 0));
    axes->count = 0;
    for (int64_t rank = 1; rank < size && axes->count < mesh->axis_count;) {
        int64_t index = mesh_index_of_device(mesh, attr_element_int(groups, rank));
        const MeshAxis *axis = axis_of_stride(mesh, index - base);
        if (!axis || axis_list_has(axes, axis->name)) return;
        for (int i = axes->count++; i > 0; i--)
            axes->axes[i] = axes->axes[i - 1];
        axes->axes[0] = axis_ref_make(mesh, axis->name, 1, axis->size);
        rank *= axis->size;
    }
}

static const Op *op_of_mesh(const Module *module, const Mesh *mesh) {
    const Op *op = module->body->first;
    while (op && (op->code != OP_SDY_MESH || op_attr(op, NAME_MESH)->mesh != mesh))
        op = op->next;
    return op;
}

const Attr *named_groups(Local *local, const Mesh *mesh, const Attr *groups) {
    const Op *op = op_of_mesh(local->global, mesh);
    if (!op || !is_plain(op_text(op, NAME_SYM_NAME))) return NULL;
    if (type_element_count(groups->type) != mesh_device_count(mesh)) return NULL;
    AxisList axes;
    axes_of_first_group(mesh, groups, &axes);
    const Attr *lists =
        mesh_axis_groups(local->context, local->scratch, mesh, axes.axes, axes.count);
    if (!attr_equal(lists, groups)) return NULL;
    StrBuf text = strbuf(local->scratch);
    strbuf_printf(
        &text, "#stablehlo.replica_group_mesh_axes<mesh = @%.*s, axes = [",
        SV_ARG(op_text(op, NAME_SYM_NAME)));
    for (int i = 0; i < axes.count; i++) {
        if (!is_plain(axes.axes[i].name)) return NULL;
        strbuf_printf(
            &text, "%s#stablehlo.axis_ref<name = \"%.*s\">", i ? ", " : "",
            SV_ARG(axes.axes[i].name));
    }
    strbuf_puts(&text, "]>");
    Attr attr = {.kind = ATTR_OPAQUE, .text = strbuf_view(&text)};
    return attr_intern(local->context, &attr);
}

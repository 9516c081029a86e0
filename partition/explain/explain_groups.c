// explain_groups: among which devices a collective is, and along which axes of the mesh they lie.
#include "partition/explain/explain_internal.h"

enum { MOST_DEVICES = 4096 }; // of the groups that are written out

static const Attr *groups_of(const Op *op) {
    AttrName name =
        op->code == OP_COLLECTIVE_PERMUTE ? NAME_SOURCE_TARGET_PAIRS : NAME_REPLICA_GROUPS;
    const Attr *groups = op_attr(op, name);
    bool is_matrix = groups && groups->kind == ATTR_ELEMENTS && groups->type->rank == 2;
    return is_matrix ? groups : NULL;
}

static const char *groups_text(Arena *arena, const Attr *groups) {
    int64_t rows = groups->type->dims[0], columns = groups->type->dims[1];
    StrBuf out = strbuf(arena);
    strbuf_putc(&out, '{');
    for (int64_t r = 0; r < rows; r++) {
        if (r * columns >= MOST_DEVICES) {
            strbuf_puts(&out, ",...");
            break;
        }
        strbuf_puts(&out, r ? ",{" : "{");
        for (int64_t c = 0, shown = 0; c < columns; c++) {
            int64_t device = attr_element_int(groups, r * columns + c);
            if (device < 0) continue; // groups of different sizes are padded with -1
            strbuf_printf(&out, "%s%lld", shown++ ? "," : "", (long long)device);
        }
        strbuf_putc(&out, '}');
    }
    strbuf_putc(&out, '}');
    return strbuf_cstring(&out);
}

static const Mesh *mesh_of_all(const Module *module, int64_t devices) {
    for (const Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH) continue;
        const Mesh *mesh = op_attr(op, NAME_MESH)->mesh;
        if (!mesh_is_maximal(mesh) && mesh_device_count(mesh) == devices) return mesh;
    }
    return NULL;
}

// The axes in which the places of the devices of some group differ: a bit each.
static uint64_t axes_that_differ(Arena *arena, const Mesh *mesh, const Attr *groups) {
    int64_t devices = mesh_device_count(mesh), columns = groups->type->dims[1];
    int64_t *places = ARENA_ARRAY(arena, int64_t, devices);
    uint64_t differing = 0;
    for (int64_t i = 0; i < devices; i++)
        places[mesh_device_at(mesh, i)] = i;
    for (int64_t r = 0; r < groups->type->dims[0]; r++) {
        int64_t first = attr_element_int(groups, r * columns);
        for (int64_t c = 1; c < columns; c++) {
            int64_t other = attr_element_int(groups, r * columns + c);
            if (first < 0 || other < 0 || first >= devices || other >= devices) continue;
            int64_t a = places[first], b = places[other];
            for (int axis = mesh->axis_count - 1; axis >= 0; axis--) {
                int64_t size = mesh->axes[axis].size;
                if (a % size != b % size && axis < 64) differing |= (uint64_t)1 << axis;
                a /= size;
                b /= size;
            }
        }
    }
    return differing;
}

static const char *axes_text(Arena *arena, const Mesh *mesh, const Op *op, const Attr *groups) {
    uint64_t differing = axes_that_differ(arena, mesh, groups);
    int64_t product = 1;
    StrBuf out = strbuf(arena);
    for (int axis = 0; axis < mesh->axis_count && axis < 64; axis++) {
        if (!(differing >> axis & 1)) continue;
        product *= mesh->axes[axis].size;
        strbuf_printf(&out, "%s\"%.*s\"", out.size ? ", " : "", SV_ARG(mesh->axes[axis].name));
    }
    bool is_part = op->code != OP_COLLECTIVE_PERMUTE && product != groups->type->dims[1];
    const char *text = strbuf_cstring(&out);
    return is_part && *text ? arena_printf(arena, "part of %s", text) : text;
}

void fill_groups(Explainer *explainer, const Op *op, shardc_explain_collective *out) {
    const Attr *groups = groups_of(op), *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    out->channel = channel && channel->kind == ATTR_CHANNEL ? channel->ints[0] : 0;
    out->groups = out->axes = "";
    if (!groups || groups->type->dims[0] == 0) return;
    const Mesh *mesh = mesh_of_all(explainer->source, explainer->base.program.device_count);
    out->groups = groups_text(explainer->arena, groups);
    if (mesh) out->axes = axes_text(explainer->arena, mesh, op, groups);
}

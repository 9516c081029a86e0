// override_mesh: the axes of the program's meshes get other sizes, as the option sizes says:
// "x=4,y=2".
//
//   Out     every mesh with such an axis has its new size; a mesh of another number
//           of devices names them in order
//   Fails   on a text of another form, on an axis that no mesh has, and beyond what the verifier
//           allows
#include "ir/builder.h"
#include "partition/passes.h"

#include <string.h>

typedef struct AxisSize {
    StrView name;
    int64_t size;
    bool used;
} AxisSize;

static bool bad_override(Diags *diags, StrView text) {
    diag_error(
        diags, NULL, "mesh sizes '%.*s': expected axis=size, separated by commas", SV_ARG(text));
    return false;
}

static bool parse_override(StrView text, AxisSize *sizes, int *count, Diags *diags) {
    StrView rest = text;
    *count = 0;
    if (strview_ends_with(text, SV(","))) return bad_override(diags, text);
    while (rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        StrView item = {rest.data, comma ? (size_t)(comma - rest.data) : rest.size};
        rest.data += item.size + (comma ? 1 : 0);
        rest.size -= item.size + (comma ? 1 : 0);
        const char *equals = memchr(item.data, '=', item.size);
        if (!equals || *count == MAX_AXES) return bad_override(diags, text);
        StrView name = {item.data, (size_t)(equals - item.data)};
        StrView number = {equals + 1, item.size - name.size - 1};
        for (int i = 0; i < *count; i++) {
            if (!strview_equal(sizes[i].name, name)) continue;
            diag_error(
                diags, NULL, "mesh sizes '%.*s': axis '%.*s' is given twice", SV_ARG(text),
                SV_ARG(name));
            return false;
        }
        AxisSize *axis = &sizes[(*count)++];
        axis->name = name;
        axis->used = false;
        if (!strview_to_int64(number, &axis->size) || axis->size < 1) {
            return bad_override(diags, text);
        }
    }
    return true;
}

static const Mesh *resize_mesh(Context *context, const Mesh *mesh, AxisSize *sizes, int count) {
    Mesh resized = *mesh;
    for (int a = 0; a < mesh->axis_count; a++) {
        for (int i = 0; i < count; i++) {
            if (!strview_equal(sizes[i].name, mesh->axes[a].name)) continue;
            resized.axes[a].size = sizes[i].size;
            sizes[i].used = true;
        }
    }
    if (mesh_device_count(&resized) != mesh_device_count(mesh)) {
        resized.id_count = 0;
        resized.device_ids = NULL;
    }
    return mesh_intern(context, &resized);
}

PassResult pass_override_mesh(Module *module, PassContext *pass) {
    Diags *diags = pass->diags;
    StrView text = pass_option(pass, "sizes");
    enum { MAX_OVERRIDE = 1 << 24 }; // what the verifier allows
    AxisSize sizes[MAX_AXES];
    int count;
    if (text.size == 0) return PASS_UNCHANGED;
    if (!parse_override(text, sizes, &count, diags)) return PASS_FAILED;
    int64_t devices = 1;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_SDY_MESH) continue;
        Attr attr = *op_attr(op, NAME_MESH);
        if (mesh_is_maximal(attr.mesh)) continue;
        attr.mesh = resize_mesh(module->context, attr.mesh, sizes, count);
        if (mesh_device_count(attr.mesh) > MAX_OVERRIDE) {
            diag_error(diags, NULL, "mesh sizes '%.*s': too many devices", SV_ARG(text));
            return PASS_FAILED;
        }
        op_set_attr(module, op, NAME_MESH, attr_intern(module->context, &attr));
        op_set_extra(module, op, SV("stablehlo.mesh"), NULL);
        int64_t size = mesh_device_count(attr.mesh);
        devices = size > devices ? size : devices;
    }
    for (int i = 0; i < count; i++) {
        if (sizes[i].used) continue;
        diag_error(
            diags, module->op->loc, "no mesh of the program has an axis '%.*s'",
            SV_ARG(sizes[i].name));
        return PASS_FAILED;
    }
    if (op_extra(module->op, "mhlo.num_partitions")) {
        op_set_extra(
            module, module->op, SV("mhlo.num_partitions"),
            attr_int(module->context, devices, ELEMENT_I32));
    }
    return PASS_CHANGED;
}

// The mesh that #stablehlo.replica_group_mesh_axes<mesh = @name or #stablehlo.mesh<...>,
// axes = [...]> names or holds. The attribute is kept as text (ATTR_OPAQUE).
#ifndef SHARDC_IR_GROUP_MESH_H
#define SHARDC_IR_GROUP_MESH_H

#include "ir/attr.h"
#include "ir/module.h"

typedef struct GroupMesh {
    StrView before, after; // the text around the mesh
    StrView name;          // without @; empty for a mesh in place
    StrView mesh;          // the text of a mesh in place; empty for a name
} GroupMesh;

// False for groups in another form.
bool group_mesh_find(const Attr *groups, GroupMesh *found);
// The mesh in place; NULL where its text is not a mesh.
const Mesh *group_mesh_read(Context *context, Arena *arena, StrView mesh);
// Rows of device ids: the devices that differ along the axes alone, row-major over them.
const Attr *mesh_axis_groups(
    Context *context, Arena *arena, const Mesh *mesh, const AxisRef *axes, int count);
// The same of an attribute of a collective among `device_count` devices; NULL for groups in another
// form, for an unknown mesh or one of another size, and for axes that it does not have.
const Attr *group_mesh_lists(
    const Module *module, Arena *arena, const Attr *groups, int64_t device_count);

#endif

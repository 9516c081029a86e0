// Shardings over one mesh as shardings over another.
#ifndef SHARDC_PARTITION_MESH_TRANSLATION_H
#define SHARDC_PARTITION_MESH_TRANSLATION_H

#include "ir/module.h"

// The sharding over `from` as one over `to`, which `names` names, that places every element alike.
// NULL when there is none: the meshes have other devices, or axes that do not fit into each other.
const Sharding *sharding_on_mesh(
    Context *context, Arena *scratch, const Sharding *sharding, const Mesh *from, const Mesh *to,
    const Sharding *names);

#endif

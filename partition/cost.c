// cost: bytes of collectives.
#include "partition/cost.h"

static int64_t tile_size(const Mesh *mesh, const Type *type, const Sharding *sharding, int d) {
    int64_t count = mesh && sharding ? sharding_dim_size(mesh, sharding, d) : 1;
    return (type->dims[d] + count - 1) / count;
}

static const Mesh *usable_mesh(const Module *module, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(module, sharding) : NULL;
    return mesh && !mesh_is_maximal(mesh) ? mesh : NULL;
}

int64_t tile_bytes(const Module *module, const Type *type, const Sharding *sharding) {
    if (type->kind != TYPE_TENSOR) return 0;
    const Mesh *mesh = usable_mesh(module, sharding);
    int64_t bytes = (int64_t)element_bytes(type->element);
    for (int d = 0; d < type->rank; d++)
        bytes *= tile_size(mesh, type, sharding, d);
    return bytes;
}

// The tiles of the finer sharding of each dimension fill those of the coarser one exactly.
static bool tiles_nest(
    const Mesh *mesh, const Type *type, const Sharding *a, const Sharding *b, int d) {
    int64_t a_count = a ? sharding_dim_size(mesh, a, d) : 1;
    int64_t b_count = b ? sharding_dim_size(mesh, b, d) : 1;
    if (a_count == 1 || b_count == 1 || a_count == b_count) return true;
    return a_count * tile_size(mesh, type, a, d) == b_count * tile_size(mesh, type, b, d);
}

int64_t step_bytes(
    const Module *module, OpCode code, const Type *type, const Sharding *from, const Sharding *to) {
    if (type->kind != TYPE_TENSOR) return 0;
    const Mesh *mesh =
        usable_mesh(module, from) ? usable_mesh(module, from) : usable_mesh(module, to);
    int64_t whole =
        (int64_t)element_bytes(type->element); // with the dims that must be gathered whole
    bool nest = true;
    for (int d = 0; mesh && d < type->rank; d++) {
        bool dim_nests = tiles_nest(mesh, type, from, to, d);
        nest = nest && dim_nests;
        whole *= dim_nests ? tile_size(mesh, type, from, d) : type->dims[d];
    }
    if (code == OP_SDY_ALL_SLICE) return nest ? 0 : whole;
    return nest ? tile_bytes(module, type, to) : whole + tile_bytes(module, type, to);
}

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
    if (type->kind != TYPE_TENSOR || !type_is_static(type)) return 0;
    const Mesh *mesh = usable_mesh(module, sharding);
    int64_t bytes = (int64_t)element_bytes(type->element);
    for (int d = 0; d < type->rank; d++)
        bytes *= tile_size(mesh, type, sharding, d);
    return bytes;
}

// A sharding and its mesh, which may be another one than that of the sharding before or after.
typedef struct Placement {
    const Mesh *mesh; // NULL: not sharded
    const Sharding *sharding;
} Placement;

static int64_t part_count(const Placement *at, int d) {
    return at->mesh && at->sharding ? sharding_dim_size(at->mesh, at->sharding, d) : 1;
}

// The tiles of the finer sharding of each dimension fill those of the coarser one exactly.
static bool tiles_nest(const Type *type, const Placement *a, const Placement *b, int d) {
    int64_t a_count = part_count(a, d), b_count = part_count(b, d);
    if (a_count == 1 || b_count == 1 || a_count == b_count) return true;
    return a_count * tile_size(a->mesh, type, a->sharding, d) ==
           b_count * tile_size(b->mesh, type, b->sharding, d);
}

int64_t step_bytes(
    const Module *module, OpCode code, const Type *type, const Sharding *from, const Sharding *to) {
    if (type->kind != TYPE_TENSOR || !type_is_static(type)) return 0;
    const Placement source = {usable_mesh(module, from), from};
    const Placement goal = {usable_mesh(module, to), to};
    // with the dims that must be gathered whole
    int64_t whole = (int64_t)element_bytes(type->element);
    bool nest = true;
    for (int d = 0; d < type->rank; d++) {
        bool dim_nests = tiles_nest(type, &source, &goal, d);
        nest = nest && dim_nests;
        whole *= dim_nests ? tile_size(source.mesh, type, from, d) : type->dims[d];
    }
    if (code == OP_SDY_ALL_SLICE) return nest ? 0 : whole;
    return nest ? tile_bytes(module, type, to) : whole + tile_bytes(module, type, to);
}

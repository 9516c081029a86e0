// Meshes: named axes over devices, and references to whole axes or parts of them.
#ifndef SHARDC_IR_MESH_H
#define SHARDC_IR_MESH_H

#include "ir/type.h"

enum { MAX_AXES = 16 };

typedef struct MeshAxis {
    StrView name; // interned
    int64_t size; // >= 1
} MeshAxis;

// Axes major to minor. Without ids, the device at a coordinate is its row-major index. A
// mesh without axes and with one id is maximal (the tensor lives on that device).
// Interned: equal meshes are one pointer.
typedef struct Mesh {
    int axis_count;
    MeshAxis axes[MAX_AXES];
    int64_t id_count;          // 0 = iota
    const int64_t *device_ids; // row-major over the axes
} Mesh;

// A sub-axis written with size 0, which no program may have: AxisRef.size 0 is a whole axis.
#define SUB_AXIS_OF_SIZE_ZERO INT64_MIN

// A whole axis, or the sub-axis of it that one gets by viewing the axis of size n as (pre_size,
// size, n/(pre_size*size)) and taking the middle. Printed "x" or "x":(pre_size)size. Before
// verification the numbers of a sub-axis may be any.
typedef struct AxisRef {
    StrView name;     // interned: compare name.data
    int64_t pre_size; // 1 for a whole axis
    int64_t size;     // 0 for a whole axis
} AxisRef;

const Mesh *mesh_intern(Context *context, const Mesh *prototype);
int64_t mesh_device_count(const Mesh *mesh); // product of the axes; 1 for a maximal mesh
bool mesh_is_maximal(const Mesh *mesh);
int mesh_axis_index(const Mesh *mesh, StrView name);    // -1 when there is no such axis
int64_t mesh_axis_size(const Mesh *mesh, StrView name); // 0 when there is no such axis
// Device at the row-major index over the axes, and back.
int64_t mesh_device_at(const Mesh *mesh, int64_t index);
int64_t mesh_index_of_device(const Mesh *mesh, int64_t device);
// Same axes in the same order, device ids aside.
bool mesh_same_axes(const Mesh *a, const Mesh *b);
void mesh_print(StrBuf *out, const Mesh *mesh); // <["x"=2, "y"=4]>

// Axis references. All need axes of the mesh.
bool axis_ref_equal(const AxisRef *a, const AxisRef *b);
int64_t axis_ref_size(const Mesh *mesh, const AxisRef *axis); // whole or sub
int64_t axis_ref_pre_size(const AxisRef *axis);               // 1 for whole axes
// pre_size * size; INT64_MAX where it is beyond all numbers
int64_t axis_ref_next_pre_size(const Mesh *mesh, const AxisRef *axis);
// Distance in the mesh's row-major index between neighbours along the axis.
int64_t axis_ref_stride(const Mesh *mesh, const AxisRef *axis);
// whole when it covers the axis
AxisRef axis_ref_make(const Mesh *mesh, StrView name, int64_t pre_size, int64_t size);
bool axis_ref_overlaps(const Mesh *mesh, const AxisRef *a, const AxisRef *b);
// Two parts of one axis can be used side by side when the axis can be seen as a product of which
// both are factors: x:(1)2 and x:(2)3 of size 6 can, x:(1)2 and x:(3)2 cannot.
bool axis_ref_can_coexist(const Mesh *mesh, const AxisRef *a, const AxisRef *b);
bool axis_ref_contains(const Mesh *mesh, const AxisRef *outer, const AxisRef *inner);
// a then b, adjacent parts of one axis (a's next pre-size is b's): can they be written as one?
bool axis_ref_can_merge(const Mesh *mesh, const AxisRef *a, const AxisRef *b);
AxisRef axis_ref_merge(const Mesh *mesh, const AxisRef *a, const AxisRef *b);
// same pre-size, size <= of's
bool axis_ref_is_prefix(const Mesh *mesh, const AxisRef *prefix, const AxisRef *of);
// The longest prefix of `axis` that does not overlap `other`; false when it is empty.
bool axis_ref_prefix_without_overlap(
    const Mesh *mesh, const AxisRef *axis, const AxisRef *other, AxisRef *prefix);
// mesh order, then pre-size, then size
int axis_ref_compare(const Mesh *mesh, const AxisRef *a, const AxisRef *b);
void axis_ref_print(StrBuf *out, const AxisRef *axis);

// A short list of axis references, by value.
enum { MAX_AXIS_REFS = 24 };
typedef struct AxisList {
    int count;
    AxisRef axes[MAX_AXIS_REFS];
} AxisList;

// A list of axes, major to minor, that lies elsewhere.
typedef struct AxisSpan {
    int count;
    const AxisRef *axes;
} AxisSpan;

static inline AxisSpan axis_span(const AxisList *list) {
    return (AxisSpan){list->count, list->axes};
}

// Takes the other axis out of all axes of the list: what is left of each is what is before and
// behind it, as far as sub-axes can say that. The order stays.
void axis_list_subtract(const Mesh *mesh, AxisList *list, const AxisRef *other);
int64_t axis_list_size(const Mesh *mesh, const AxisRef *axes, int count); // product of the sizes
// Coordinate of the device at mesh index `index` along the axes (major to
// minor), 0 <= result < axis_list_size.
int64_t axis_list_coordinate(const Mesh *mesh, const AxisRef *axes, int count, int64_t index);
void axis_list_print(StrBuf *out, const AxisRef *axes, int count); // {"x", "y":(1)2}

#endif

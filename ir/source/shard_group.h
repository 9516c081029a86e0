// Groups of devices along axes of a grid, for the conversion of the dialect shard.
#ifndef SHARDC_IR_SHARD_GROUP_H
#define SHARDC_IR_SHARD_GROUP_H

#include "ir/builder.h"

typedef struct Group {
    const Mesh *mesh;
    IntSpan axes;
    int64_t size, devices; // of one group, of the mesh
} Group;

// of the op's grid
bool shard_group_of(const Module *module, const Op *op, IntSpan axes, Group *group);
// the device's, along an axis
int64_t shard_coordinate(const Mesh *mesh, int64_t device, int64_t axis);
// between devices that are neighbours along it
int64_t shard_stride(const Mesh *mesh, int64_t axis);
int64_t place_in_group(const Group *group, int64_t device); // the group's axes, major to minor
// The device at another place of the same group.
int64_t device_at(const Group *group, int64_t device, int64_t place);
const Attr *groups_attr(Arena *scratch, Context *context, const Group *group);
// One number for each device, as the device that asks finds it: table[partition_id].
Value *per_device(Builder *builder, const Group *group, const int64_t *table, const Type *type);
Value *place_value(Builder *builder, Arena *scratch, const Group *group); // the device's own place
// Coordinates along the group's axes: numbers, and where they are not known the next
// of `operands`, scalars of i64.
Value *place_of_index(Builder *builder, const Group *group, IntSpan index, Value *const *operands);

#endif

// Inside passes/: devices that work together on what some of them hold alike.
#ifndef SHARDC_CODEGEN_TOGETHER_H
#define SHARDC_CODEGEN_TOGETHER_H

#include "codegen/fuse/replicas.h"
#include "ir/builder.h"

// Groups of devices of one size: [groups, size], each device once.
typedef struct Together {
    const Attr *groups; // NULL = there are none
    int64_t size;
} Together;

// The devices of each class, in order.
Together together_alike(Module *module, Arena *arena, const Replicas *r, const int32_t *classes);
// Groups of devices that are alike in `classes` and apart in `parts`, one of each of its classes.
Together together_apart(
    Module *module, Arena *arena, const Replicas *r, const int32_t *classes, const int32_t *parts);
// Do all devices of a group come to the region together?
bool together_meet_in(const Replicas *r, const Region *region, const Attr *groups);
// The parts of a group's devices behind each other in dimension dim, as an index map: no
// collective of the program.
Value *together_gather(Builder *builder, Value *part, int dim, const Together *together);
// The device's place in its group, times size: i64.
Value *together_place(
    Builder *builder, Arena *arena, const Replicas *r, const Together *together, int64_t size);

// Is the dimension the one in which the value's elements are neighbours in memory? Yes, where that
// is not to be seen.
bool lies_along(const Value *value, int dim);

#endif

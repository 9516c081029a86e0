// Inside passes/: what is computed of parts instead of gathered arrays (delay_gathers.c decides,
// delay_parts.c writes the parts).
#ifndef SHARDC_CODEGEN_DELAY_PARTS_H
#define SHARDC_CODEGEN_DELAY_PARTS_H

#include "base/vec.h"
#include "codegen/fuse/replicas.h"
#include "ir/builder.h"

// An array [.., n, ..] of which each device of a group holds part [.., n / devices, ..].
typedef struct Parts {
    const Attr *groups; // [groups, devices of one]
    int64_t devices;    // of one group
    int dim;            // along which the parts lie
    Op *gather;         // the all_gather that says so
} Parts;

// Where the device's part begins along a dimension.
typedef struct PartStart {
    const Attr *groups;
    int64_t size; // of a part
    Value *start;
} PartStart;

// An all_gather and those that take its place: one of them counts.
typedef struct GatherFamily {
    const Region *region; // of the first
    size_t bytes;
    bool counts, has_more; // than the first
    Op *counted;
} GatherFamily;

typedef struct Delay {
    Module *module;
    Arena *arena;
    Region *main;
    Replicas replicas;
    PtrMap even;     // groups (Attr) that hold every device once
    PtrMap families; // GatherFamily by all_gather (Op) that was put behind an op, or behind none
    VEC(PartStart) starts;
    bool changed;
} Delay;

// Is the value an all_gather whose groups hold every device once?
bool gathered_parts(Delay *delay, const Value *value, Parts *parts);
// Is the op a view of operand 0 that keeps dimension `dim` of its result whole? *from: of the
// operand.
bool is_view_along(const Op *op, int dim, int *from);
// The dimension of operand 0's result that the view keeps dimension `from` as; -1 = not whole.
int view_result_dim(const Op *op, int from);
// Can the device's part of the value along `dim` be had without communication? Then the second
// makes it.
bool has_part(Delay *delay, const Value *value, const Parts *parts, int dim, int depth);
Value *build_part(
    Delay *delay, Builder *builder, Value *value, const Parts *parts, int dim, int depth);
// Does the op take the device's part, of this type, of its operand?
bool is_own_part(const Delay *delay, const Op *op, const Type *part, const Parts *parts);
const Type *part_type(const Delay *delay, const Type *type, const Parts *parts, int dim);
// Does another all_gather take this one's place already?
bool is_succeeded(const Delay *delay, const Op *gather);
// The all_gather of a part, of the family of parts->gather.
Value *gather_part(Delay *delay, Builder *builder, Value *part, const Parts *parts, int dim);

enum { VIEW_DEPTH = 8 }; // views between an op and what it reads

#endif

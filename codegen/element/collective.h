// Elements of other devices.
#ifndef SHARDC_CODEGEN_COLLECTIVE_H
#define SHARDC_CODEGEN_COLLECTIVE_H

#include "codegen/element/element.h"

// Replica groups by device: its group's members in order, and its own place among them.
typedef struct DeviceGroups {
    int64_t size;      // of the largest group
    int64_t *members;  // [device_count * size]; behind those of a smaller group: the device itself
    int64_t *has;      // [device_count * size] 1: the group has a member at this position; else 0
    bool is_even;      // all groups have that size
    int64_t *position; // [device_count]
    // [device_count] 0: the device is in no group, and counts as one of itself alone
    int64_t *is_member;
} DeviceGroups;

// Collectives that only move elements, and device ids; NULL when the op is none of them.
const Expr *element_of_collective(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index);
DeviceGroups device_groups(ExprBuilder *b, const Op *op);
// The member at a position of the current device's group; the current device's position.
const IndexExpr *group_member(
    ExprBuilder *b, const DeviceGroups *groups, const IndexExpr *position);
// Holds where the group has as many members.
Guard group_has_member(ExprBuilder *b, const DeviceGroups *groups, const IndexExpr *position);
const IndexExpr *group_position(ExprBuilder *b, const DeviceGroups *groups);
const Expr *element_on_device(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index, const IndexExpr *device);

#endif

// Inside plan/: the parts of expr_of.
#ifndef SHARDC_CODEGEN_PLAN_ELEMENT_H
#define SHARDC_CODEGEN_PLAN_ELEMENT_H

#include "codegen/plan/expr.h"

// Replica groups by device: its group's members in order, and its own place among them.
typedef struct DeviceGroups {
    int64_t size;
    int64_t *members;  // [device_count * size]
    int64_t *position; // [device_count]
    int64_t *
        is_member; // [device_count] 0: the device is in no group, and counts as one of itself alone
} DeviceGroups;

const Expr *element_fail(ExprBuilder *b, const Value *value, const char *why);
// view.c: ops that only move elements; NULL when the op is not one of them.
const Expr *element_of_view(ExprBuilder *b, const Value *value, const IndexExpr *const *index);
// collective.c: collectives that only move elements, device ids; NULL when the op is none of them.
const Expr *element_of_collective(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index);
DeviceGroups device_groups(ExprBuilder *b, const Op *op);
// The member at a position of the current device's group; the current device's position.
const IndexExpr *group_member(
    ExprBuilder *b, const DeviceGroups *groups, const IndexExpr *position);
const IndexExpr *group_position(ExprBuilder *b, const DeviceGroups *groups);
const Expr *element_on_device(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index, const IndexExpr *device);
// reduce.c: one result of reduce, all_reduce, reduce_scatter.
const Expr *element_of_reduction(
    ExprBuilder *b, const Op *op, int result, const IndexExpr *const *index);

#endif

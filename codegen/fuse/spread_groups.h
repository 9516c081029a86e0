// Which devices can share the work of a kernel.
#ifndef SHARDC_CODEGEN_SPREAD_GROUPS_H
#define SHARDC_CODEGEN_SPREAD_GROUPS_H

#include "codegen/fuse/fuse.h"
#include "codegen/plan/stage.h"

// Devices that share the work of a kernel.
typedef struct SpreadGroup {
    int64_t size;            // devices of each group
    const int64_t *members;  // [device_count][size] of the device's group, in order
    const int64_t *position; // [device_count] the device's place among them
} SpreadGroup;

// Classes of devices, numbered from 0 on, as groups. False: they differ in
// size, or each device is alone.
bool spread_group_of_classes(
    Arena *arena, int64_t device_count, const int64_t *class, SpreadGroup *group);
// Devices for which the stage stores the same. False: there are none.
bool spread_find_copies(Arena *scratch, const Stage *stage, int64_t *class);

#endif

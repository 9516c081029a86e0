// What the files of convert_global_to_local share.
#ifndef SHARDC_PARTITION_GLOBAL_TO_LOCAL_H
#define SHARDC_PARTITION_GLOBAL_TO_LOCAL_H

#include "partition/local/to_local.h"

typedef struct ShardyLocal {
    Local local;                  // first: its functions get it
    bool is_by_replica;           // devices are replicas, not partitions
    bool per_dim_all_gather;      // of several dimensions: one for each
    bool separate_reduce_scatter; // of several dimensions: an all_reduce and a slice
    bool names_groups;            // replica groups name a mesh and its axes where they can
} ShardyLocal;

// A device's coordinate from tables over the devices, which are looked up where
// they are needed (device_tables.c).
extern const DevicePlace place_in_tables;

// The groups as #stablehlo.replica_group_mesh_axes; NULL where whole axes of the mesh do not make
// them, or names are not plain (named_groups.c).
const Attr *named_groups(Local *local, const Mesh *mesh, const Attr *groups);

#endif

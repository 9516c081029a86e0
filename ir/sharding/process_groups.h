// How the numbers in a StableHLO collective's replica_groups and source_target_pairs are to be read
// (the specification's process groups).
#ifndef SHARDC_IR_PROCESS_GROUPS_H
#define SHARDC_IR_PROCESS_GROUPS_H

#include "ir/module.h"

typedef enum GroupStrategy {
    GROUPS_OF_DEVICES,  // flattened_ids: a number is a device: replica * partitions + partition
    GROUPS_OF_REPLICAS, // cross_replica: the same group once for every partition
    GROUPS_OF_PARTITIONS,
    // cross_replica_and_partition: all partitions of the listed replicas
    GROUPS_OF_REPLICAS_WITH_PARTITIONS
} GroupStrategy;

// The rows and columns of a list of groups or pairs; 0 rows when there is none, or nothing in it.
void process_group_shape(const Attr *ids, int64_t *rows, int64_t *columns);

// Where there are only replicas, or only partitions, a number that is no 0 can mean
// but one thing; it counts devices then, whatever the channel says. ids: the op's
// list of groups or pairs, or NULL.
GroupStrategy process_group_strategy(
    const Op *op, const Attr *ids, int64_t replicas, int64_t partitions);

#endif

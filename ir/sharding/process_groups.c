// process_groups: which devices communicate in StableHLO's collectives.
#include "ir/sharding/process_groups.h"

void process_group_shape(const Attr *ids, int64_t *rows, int64_t *columns) {
    *rows = *columns = 0;
    if (!ids || ids->kind != ATTR_ELEMENTS || ids->type->rank != 2) return;
    *columns = ids->type->dims[1];
    *rows = *columns > 0 ? ids->type->dims[0] : 0;
}

static bool names_more_than_zero(const Attr *ids) {
    int64_t rows, columns;
    process_group_shape(ids, &rows, &columns);
    for (int64_t i = 0; i < rows * columns; i++) {
        if (attr_element_int(ids, i) > 0) return true;
    }
    return false;
}

GroupStrategy process_group_strategy(
    const Op *op, const Attr *ids, int64_t replicas, int64_t partitions) {
    const Attr *channel = op_attr(op, NAME_CHANNEL_HANDLE);
    int64_t channel_id = channel && channel->count > 0 && channel->ints
                             ? channel->ints[0]
                             : op_int(op, NAME_CHANNEL_ID, 0);
    bool reduces = op->code == OP_ALL_REDUCE || op->code == OP_COLLECTIVE_REDUCE ||
                   op->code == OP_ALL_GATHER || op->code == OP_REDUCE_SCATTER;
    if (op_int(op, NAME_USE_GLOBAL_DEVICE_IDS, 0)) return GROUPS_OF_DEVICES;
    bool is_clear = replicas > 1 ? partitions == 1 : names_more_than_zero(ids);
    if (is_clear || replicas * partitions == 1) return GROUPS_OF_DEVICES;
    if (channel_id <= 0) return GROUPS_OF_REPLICAS;
    return reduces ? GROUPS_OF_REPLICAS_WITH_PARTITIONS : GROUPS_OF_PARTITIONS;
}

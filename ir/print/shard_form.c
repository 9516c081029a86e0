// shard_form: words and kinds of the dialect shard's attributes.
#include "ir/print/shard_form.h"

ShardField shard_field(OpCode code, AttrName name) {
    switch ((int)name) {
    case NAME_GRID: return (ShardField){SHARD_FIELD_SYMBOL, "", NULL};
    case NAME_GRID_AXES: return (ShardField){SHARD_FIELD_AXES, "grid_axes", "mesh_axes"};
    case NAME_AXES: return (ShardField){SHARD_FIELD_AXES, "axes", NULL};
    case NAME_SPLIT_AXES:
        if (code == OP_SHARD_NEIGHBORS) return (ShardField){SHARD_FIELD_AXES, "split_axes", NULL};
        return (ShardField){SHARD_FIELD_AXIS_SETS, "split_axes", NULL};
    case NAME_REDUCTION: return (ShardField){SHARD_FIELD_REDUCTION, "reduction", NULL};
    case NAME_GATHER_AXIS: return (ShardField){SHARD_FIELD_INT, "gather_axis", "gather_dim"};
    case NAME_SLICE_AXIS: return (ShardField){SHARD_FIELD_INT, "slice_axis", "slice_dim"};
    case NAME_SPLIT_AXIS: return (ShardField){SHARD_FIELD_INT, "split_axis", "split_dim"};
    case NAME_CONCAT_AXIS: return (ShardField){SHARD_FIELD_INT, "concat_axis", "concat_dim"};
    case NAME_SCATTER_AXIS: return (ShardField){SHARD_FIELD_INT, "scatter_axis", "scatter_dim"};
    case NAME_SHIFT_AXIS: return (ShardField){SHARD_FIELD_INT, "shift_axis", "shift_dim"};
    case NAME_OFFSET: return (ShardField){SHARD_FIELD_INT, "offset", NULL};
    case NAME_ROTATE: return (ShardField){SHARD_FIELD_UNIT, "rotate", NULL};
    case NAME_ANNOTATE_FOR_USERS: return (ShardField){SHARD_FIELD_UNIT, "annotate_for_users", NULL};
    case NAME_ROOT: return (ShardField){SHARD_FIELD_INDICES, "root", NULL};
    case NAME_SOURCE: return (ShardField){SHARD_FIELD_INDICES, "source", NULL};
    case NAME_DESTINATION: return (ShardField){SHARD_FIELD_INDICES, "destination", NULL};
    case NAME_STATIC_HALO_SIZES: return (ShardField){SHARD_FIELD_INDICES, "halo_sizes", NULL};
    case NAME_STATIC_SHARDED_DIMS_OFFSETS:
        return (ShardField){SHARD_FIELD_INDICES, "sharded_dims_offsets", NULL};
    case NAME_DIMS_STATIC: return (ShardField){SHARD_FIELD_INDICES, "dims", NULL};
    case NAME_DEVICE_STATIC: return (ShardField){SHARD_FIELD_INDICES, "device", NULL};
    default: return (ShardField){SHARD_FIELD_NONE, "", NULL};
    }
}

bool shard_has_main_operand(OpCode code) {
    return op_code_has(code, TRAIT_COLLECTIVE) || code == OP_SHARD_SHARD ||
           code == OP_SHARD_GET_SHARDING;
}

bool shard_says_on(OpCode code) {
    return op_code_has(code, TRAIT_COLLECTIVE) || code == OP_SHARD_PROCESS_MULTI_INDEX ||
           code == OP_SHARD_PROCESS_LINEAR_INDEX || code == OP_SHARD_NEIGHBORS;
}

ShardTypes shard_types(OpCode code) {
    if (code == OP_SHARD_SHARD || code == OP_SHARD_UPDATE_HALO) return SHARD_TYPES_ONE;
    if (code == OP_SHARD_GET_SHARDING) return SHARD_TYPES_ARROW;
    if (!op_code_has(code, TRAIT_COLLECTIVE)) return SHARD_TYPES_RESULTS;
    return op_code_operands(code) < 0 ? SHARD_TYPES_FUNCTIONAL : SHARD_TYPES_ARROW;
}

// shard_form: words and kinds of the dialect shard's attributes.
#include "ir/print/shard_form.h"

// What stands for an attribute: its own name, but for these.
static const struct {
    AttrName name;
    const char *word, *old_word;
} words[] = {
    {NAME_GRID, "", NULL},
    {NAME_GRID_AXES, "grid_axes", "mesh_axes"},
    {NAME_GATHER_AXIS, "gather_axis", "gather_dim"},
    {NAME_SLICE_AXIS, "slice_axis", "slice_dim"},
    {NAME_SPLIT_AXIS, "split_axis", "split_dim"},
    {NAME_CONCAT_AXIS, "concat_axis", "concat_dim"},
    {NAME_SCATTER_AXIS, "scatter_axis", "scatter_dim"},
    {NAME_SHIFT_AXIS, "shift_axis", "shift_dim"},
    {NAME_STATIC_HALO_SIZES, "halo_sizes", NULL},
    {NAME_STATIC_SHARDED_DIMS_OFFSETS, "sharded_dims_offsets", NULL},
    {NAME_DIMS_STATIC, "dims", NULL},
    {NAME_DEVICE_STATIC, "device", NULL}};

// The form of a grid's own attributes is the op's (print_own_shard).
static ShardFieldKind kind_of(OpCode code, AttrConstraint constraint) {
    if (code == OP_SHARD_GRID) return SHARD_FIELD_NONE;
    switch (constraint) { // NOLINT(hicpp-multiway-paths-covered): those of the dialect
    case CONSTRAINT_SYMBOL: return SHARD_FIELD_SYMBOL;
    case CONSTRAINT_I16_LIST: return SHARD_FIELD_AXES;
    case CONSTRAINT_I16_LISTS: return SHARD_FIELD_AXIS_SETS;
    case CONSTRAINT_SHARD_REDUCTION: return SHARD_FIELD_REDUCTION;
    case CONSTRAINT_I64:
    case CONSTRAINT_INDEX_INT: return SHARD_FIELD_INT;
    case CONSTRAINT_UNIT: return SHARD_FIELD_UNIT;
    case CONSTRAINT_I64_LIST: return SHARD_FIELD_INDICES;
    default: return SHARD_FIELD_NONE;
    }
}

ShardField shard_field(OpCode code, const OpAttr *item) {
    ShardField field = {kind_of(code, item->constraint), attr_name_text(item->name).data, NULL};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].name != item->name) continue;
        field.word = words[i].word;
        field.old_word = words[i].old_word;
    }
    return field;
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

// local_custom_call: calls into foreign code. They see whole arrays, on every device or on the one
// that their sharding names; a partitioned callback sees each device's tiles, and so does a call
// that says how many dimensions are a batch.
//
//   before  %0 = stablehlo.custom_call @f(%a) {sharding = <@device_1, []>}           2 devices
//   after   %1 = stablehlo.compare EQ, %partition_id, 1
//           %2 = stablehlo.if(%1) { stablehlo.return stablehlo.custom_call @f(%a) }
//                            else { stablehlo.return 0.0 }
//           %0 = stablehlo.collective_broadcast %2, groups = [[1, 0]]
#include "ir/analysis/data_flow.h"
#include "ir/analysis/effects.h"
#include "partition/local/local.h"
#include "partition/rules/rule_builder.h"

static int64_t device_of(const Local *local, const Sharding *sharding) {
    const Mesh *mesh = sharding ? sharding_mesh(local->global, sharding) : NULL;
    return mesh && mesh_is_maximal(mesh) ? mesh->device_ids[0] : -1;
}

// The device that makes the call; -1: every one does.
int64_t local_calling_device(const Local *local, const Op *op) {
    int64_t device = device_of(local, op->own_sharding);
    for (int i = 0; i < op->result_count && device < 0; i++)
        device = device_of(local, op->results[i].sharding);
    return device < local->device_count ? device : -1;
}

static bool fill_call(Local *local, const Op *op, Value *const *operands, Region *branch) {
    Builder outer = local->builder;
    local->builder = builder_at_end(local->module, branch);
    local->builder.loc = op->loc;
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    Value **results = ARENA_ARRAY(local->scratch, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    Op *call = local_clone(local, op, op->operand_count, operands, types);
    for (int i = 0; call && i < op->result_count; i++)
        results[i] = op_result(call, i);
    if (call) build_return(&local->builder, OP_RETURN, op->result_count, results);
    local->builder = outer;
    return call != NULL;
}

// What nobody looks at.
static void fill_otherwise(Local *local, const Op *op, Region *branch) {
    Builder builder = builder_at_end(local->module, branch);
    builder.loc = op->loc;
    Value **results = ARENA_ARRAY(local->scratch, Value *, op->result_count);
    for (int i = 0; i < op->result_count; i++) {
        const Type *type = op_result_type(op, i);
        results[i] = type->kind == TYPE_TOKEN
                         ? op_result(build_op(&builder, OP_CREATE_TOKEN, 0, NULL, 1, &type, 0), 0)
                         : build_splat(&builder, type, 0);
    }
    build_return(&builder, OP_RETURN, op->result_count, results);
}

static Value *send_to_all(Local *local, Value *x, int64_t device) {
    int64_t *ids = ARENA_ARRAY(local->scratch, int64_t, local->device_count), count = 1;
    ids[0] = device; // the first of a group is the source
    for (int64_t d = 0; d < local->device_count; d++) {
        if (d != device) ids[count++] = d;
    }
    Op *op = build_op(&local->builder, OP_COLLECTIVE_BROADCAST, 1, &x, 1, &x->type, 0);
    op_set_attr(
        local->module, op, NAME_REPLICA_GROUPS,
        attr_int_matrix(local->context, 1, (int)count, ids));
    set_channel(local, op, false);
    return op_result(op, 0);
}

static bool call_on(Local *local, const Op *op, int64_t device) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = local_value_as(local, op_operand(op, i), NULL);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    Value *wanted = build_splat_int(&local->builder, local->device->type, device);
    Value *guard = build_compare(&local->builder, DIRECTION_EQ, local->device, wanted);
    Op *choice = build_op(&local->builder, OP_IF, 1, &guard, op->result_count, types, 2);
    if (!fill_call(local, op, operands, choice->regions[0])) return false;
    fill_otherwise(local, op, choice->regions[1]);
    for (int i = 0; i < op->result_count; i++) {
        Value *result = op_result(choice, i);
        if (result->type->kind == TYPE_TENSOR) result = send_to_all(local, result, device);
        local_set_as(local, op_result(op, i), result, NULL);
    }
    return true;
}

// A callback that wants each device's part, and gives nothing.
static bool is_partitioned_callback(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (op_result_type(op, i)->kind != TYPE_TOKEN) return false;
    }
    return strview_starts_with(
        op_text(op, NAME_CALL_TARGET_NAME), SV("xla_ffi_partitioned_python_"));
}

static const Type *tile_type(Local *local, const Value *value) {
    return value->type->kind == TYPE_TENSOR ? local_type(local, value->type, local_sharding(value))
                                            : value->type;
}

static bool call_with_tiles(Local *local, const Op *op) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = local_value(local, op_operand(op, i));
    for (int i = 0; i < op->result_count; i++)
        types[i] = tile_type(local, op_result(op, i));
    const Op *made = local_clone(local, op, op->operand_count, operands, types);
    for (int i = 0; made && i < op->result_count; i++)
        local_set(local, op_result(op, i), op_result(made, i));
    return made != NULL;
}

// The operand that says how the batch is cut: the first one that is. NULL: it is whole.
static const Sharding *batch_sharding(Local *local, const Op *op, int batch) {
    for (int i = 0; i < op->operand_count; i++) {
        const Sharding *sharding = local_sharding(op_operand(op, i));
        if (!local_mesh(local, sharding)) continue;
        for (int d = 0; d < batch; d++) {
            if (sharding->dims[d].axis_count > 0) return sharding;
        }
    }
    return NULL;
}

// An array of the call: cut along the batch as `along` is, and whole otherwise.
static const Sharding *cut_along_batch(
    Local *local, const Value *value, int batch, const Sharding *along) {
    int from[MAX_RANK], rank = value->type->rank;
    for (int d = 0; d < rank; d++)
        from[d] = d < batch ? d : -1;
    return sharding_select_dims(local->context, along, rank, from);
}

// A call for each element of a batch, of which each device has a part.
static bool call_along_batch(Local *local, const Op *op, int batch, const Sharding *along) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        const Value *operand = op_operand(op, i);
        operands[i] = local_value_as(local, operand, cut_along_batch(local, operand, batch, along));
    }
    for (int i = 0; i < op->result_count; i++) {
        const Value *result = op_result(op, i);
        const Sharding *cut = cut_along_batch(local, result, batch, along);
        types[i] = local_type(local, result->type, cut);
    }
    const Op *made = local_clone(local, op, op->operand_count, operands, types);
    for (int i = 0; made && i < op->result_count; i++) {
        const Value *result = op_result(op, i);
        const Sharding *cut = cut_along_batch(local, result, batch, along);
        local_set_as(local, result, op_result(made, i), cut);
    }
    return made != NULL;
}

bool local_custom_call(Local *local, const Op *op) {
    if (is_partitioned_callback(op) || op_is_sink(op)) return call_with_tiles(local, op);
    int64_t device = local_calling_device(local, op);
    if (device >= 0 && local->device_count > 1) return call_on(local, op, device);
    int batch = custom_call_batch(op);
    const Sharding *along = batch > 0 ? batch_sharding(local, op, batch) : NULL;
    return along ? call_along_batch(local, op, batch, along) : local_replicate(local, op);
}

// insert_explicit_reshards: insert_reshards as Shardy's pass of this name does it.
//
//   How partial results are combined is what the result's sharding says. Ops with the user's
//   own rule stay as they are. What one device computes is brought there and back. Results
//   behind the first one that gets a sharding, and have none, are open. Where operands name
//   different meshes nothing is inserted. With enable-full-version=false only what the
//   default export pipeline asks for is.
#include "ir/analysis/data_flow.h"
#include "partition/collectives/reductions.h"
#include "partition/reshard/reshard_inserter.h"
#include "partition/reshard/reshard_unreduced.h"
#include "partition/shardy/single_device.h"

typedef struct ShardyInserter {
    Inserter inserter; // first: its functions get it
    // else only what calls and concatenations need, what becomes unreduced and what sums that are
    bool is_full;
} ShardyInserter;

static OpCode reduction_body(const Op *op) {
    const Sharding *sharding = op->result_count ? op_result(op, 0)->sharding : NULL;
    return sharding ? reduction_kind_body(sharding->reduction) : OP_ADD;
}

static bool has_sharded_result(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i].sharding) return true;
    }
    return false;
}

static bool prefers_reduction(const Op *op, AxisSpan axes, int side) {
    return axes.count > 0 && type_element_count(op_result_type(op, 0)) <=
                                 type_element_count(op_operand_type(op, side));
}

// ---- enable-full-version=false ----

static void reshard_operand_if_needed(
    Inserter *inserter, Op *op, int i, const Sharding *wanted, bool is_edge, bool has_rule) {
    const Value *operand = op_operand(op, i);
    const Sharding *own = has_rule ? source_sharding(inserter->module, operand)
                                   : value_sharding(inserter->module, operand);
    if (op->code == OP_CALL || op->code == OP_CONCATENATE ||
        inserter_gains_unreduced(inserter, own, wanted))
        inserter_reshard_operand(inserter, op, i, wanted, is_edge, has_rule);
}

// A concatenation of an operand that lies otherwise than the result.
static bool joins_shardings(const Inserter *inserter, const Op *op) {
    for (int i = 0; op->code == OP_CONCATENATE && i < op->operand_count; i++) {
        const Sharding *own = value_sharding(inserter->module, op_operand(op, i));
        if (own != op_result(op, 0)->sharding) return true;
    }
    return false;
}

// ---- ops ----

static ReshardOperandFn *reshard_operand_of(const Inserter *inserter) {
    bool is_full = ((const ShardyInserter *)inserter)->is_full;
    return is_full ? inserter_reshard_operand : reshard_operand_if_needed;
}

static void apply(Inserter *inserter, Op *op, OpReshards *reshards) {
    bool is_full = ((const ShardyInserter *)inserter)->is_full;
    if (!inserter_choose_reduction(inserter, op, reshards, prefers_reduction) &&
        (is_full || joins_shardings(inserter, op)))
        inserter_choose(inserter, op, reshards);
    inserter_apply_operands(inserter, op, reshards, reshard_operand_of(inserter));
    OpCode body = reduction_body(op);
    inserter_apply_results(inserter, op, reshards);
    const Sharding *first = op->result_count ? op_result(op, 0)->sharding : NULL;
    if (is_full || unreduced_axes(first).count > 0)
        inserter_sum_results(inserter, op, reshards, body);
}

static void reshard_op(Inserter *inserter, Op *op, const ShardingRule *rule) {
    Tensors tensors;
    OpReshards reshards;
    if (!inserter_collect(inserter, op, &tensors) || !inserter_find_mesh(inserter, &tensors))
        return;
    bool *had_none = ARENA_ARRAY(inserter->scratch, bool, op->result_count);
    for (int i = 0; i < op->result_count; i++)
        had_none[i] = !op->results[i].sharding;
    bool is_first = !has_sharded_result(op); // is the next one that moves the first?
    inserter_begin(inserter, rule, &tensors, &reshards);
    apply(inserter, op, &reshards);
    for (int i = 0; i < op->result_count; i++) {
        Value *moved = reshards.moved[i];
        if (!moved) continue;
        if (had_none[i] && !is_first)
            moved->sharding =
                sharding_fully_open(inserter->context, tensors.mesh_name, moved->type->rank);
        is_first = false;
    }
}

static bool visit(Inserter *inserter, Op *op) {
    if (op->code == OP_FUNC) return single_device_check_func(inserter->module, op, inserter->diags);
    if (op->code == OP_SDY_RESHARD) {
        inserter_reduce_operand(inserter, op, 0, op_result(op, 0)->sharding, false);
        if (value_sharding(inserter->module, op_operand(op, 0)))
            inserter_expand_reshard(inserter, op);
        return true;
    }
    if (inserter_receives(inserter, op, reshard_operand_of(inserter)) || op->code == OP_CASE ||
        op->code == OP_IF)
        return true;
    const Sharding *wanted = op->result_count ? op_result(op, 0)->sharding : NULL;
    for (int i = 0; i < op->operand_count; i++)
        inserter_reduce_operand(inserter, op, i, wanted, false);
    if (op_is_on_single_device(inserter->module, op)) {
        inserter->changed = true;
        return single_device_op_reshard(inserter->module, op, inserter->diags);
    }
    const ShardingRule *rule = op_sharding_rule(inserter->scratch, op, false, NULL);
    if (rule && !rule->is_custom)
        reshard_op(inserter, op, rule); // a custom one is as the user has it
    return true;
}

PassResult pass_insert_explicit_reshards(Module *module, PassContext *pass) {
    ShardyInserter inserter = {
        .inserter = inserter_create(module, pass),
        .is_full = pass_flag(pass, "enable-full-version"),
    };
    if (!inserter_run(&inserter.inserter, visit)) return PASS_FAILED;
    return inserter.inserter.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

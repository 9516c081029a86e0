// insert_reshards: every op's operands and results get shardings that fit together, by sdy.reshard
// where they did not; sums over sharded dimensions get their sdy.all_reduce.
//
//   In      exact shardings (after propagation), results separated from parts of them that the op
//           does not make (separate_unreduced)
//   Out     for every op with a sharding rule all tensors shard each factor alike; operands of
//           while, case, if, manual computations and returns lie as their receiver says
//   Keeps   shardings of function arguments and results
//
//   before  %0 = stablehlo.dot_general %a, %b {sharding = [{"x"}, {}]}
//           a: [{"x"}, {"y"}], b: [{}, {}]
//   after   %1 = sdy.reshard %b [{"y"}, {}]
//           %0 = stablehlo.dot_general %a, %1 {sharding = [{"x"}, {}]}
//           %2 = sdy.all_reduce {"y"} %0 out_sharding=[{"x"}, {}]
#include "ir/analysis/data_flow.h"
#include "partition/collectives/reductions.h"
#include "partition/reshard/reshard_inserter.h"
#include "partition/reshard/reshard_rules.h"
#include "partition/reshard/reshard_unreduced.h"

// Where tensors name quite different meshes, the results' (or else the first
// operand's): the others are brought over.
static bool any_mesh(const Inserter *inserter, Tensors *tensors) {
    for (int k = 0; k < tensors->count; k++) {
        int t = (k + tensors->operand_count) % tensors->count; // results first
        const Sharding *sharding = tensors->shardings[t];
        if (sharding_is_fully_replicated(sharding)) continue;
        tensors->mesh = sharding_mesh(inserter->module, sharding);
        tensors->mesh_name = sharding->mesh_name;
        break;
    }
    return tensors->mesh && !mesh_is_maximal(tensors->mesh);
}

static bool collect_tensors(Inserter *inserter, const Op *op, Tensors *tensors) {
    if (!inserter_collect(inserter, op, tensors)) return false;
    return inserter_find_mesh(inserter, tensors) || (!tensors->mesh && any_mesh(inserter, tensors));
}

// How partial results are combined. OP_COUNT: not by a simple op; to_local does it.
static OpCode reduction_body(const Op *op) {
    if (op->code == OP_SCATTER) return region_combining_op(op->regions[0]);
    if (op->code == OP_CHLO_TOP_K) return OP_COUNT;
    if (op->code == OP_GATHER || op->code == OP_DYNAMIC_SLICE)
        return parts_reduction(op_result_type(op, 0)->element);
    if (op->code != OP_REDUCE) return OP_ADD;
    return op->result_count == 1 ? region_reduction_op(op->regions[0]) : OP_COUNT;
}

// Results that are to be unreduced over axes along which the op, as it has been chosen,
// sums nothing become so behind it.
static bool separate_unsummed(
    Inserter *inserter, Op *op, const ReshardChoice *choice, const Mesh *mesh) {
    bool any = false;
    AxisSpan summed = inserter_reduction_axes(inserter, choice, mesh, NULL);
    for (int r = 0; r < op->result_count; r++) {
        Value *result = op_result(op, r);
        const Sharding *whole = result->sharding;
        if (!whole || whole->unreduced_count == 0) continue;
        AxisSpan axes = axes_minus(inserter->scratch, mesh, unreduced_axes(whole), summed);
        for (int i = 0; i < op->operand_count; i++) {
            const Sharding *own = value_sharding(inserter->module, op_operand(op, i));
            axes = axes_minus(inserter->scratch, mesh, axes, unreduced_axes(own));
        }
        if (axes.count == 0) continue;
        AxisSpan kept = axes_minus(inserter->scratch, mesh, unreduced_axes(whole), axes);
        result->sharding = sharding_with_unreduced(inserter->context, whole, kept);
        Builder builder = builder_after(inserter->module, op);
        Value *behind = inserter_reshard(inserter, &builder, result, whole);
        value_replace_uses_except(result, behind, behind->def);
        any = true;
    }
    return any;
}

// Where the operands do not shard the factor, the result must be no larger than both of them.
static bool prefers_reduction(const Op *op, AxisSpan axes, int side) {
    int64_t elements[3];
    for (int t = 0; t < 3; t++)
        elements[t] = type_element_count(tensor_value(op, t)->type);
    return elements[2] <= (axes.count ? elements[side] : elements[0] + elements[1]);
}

static void reshard_op(Inserter *inserter, Op *op, const ShardingRule *rule) {
    Tensors tensors;
    OpReshards reshards;
    bool again = true;
    while (again) {
        if (!collect_tensors(inserter, op, &tensors)) return;
        inserter_begin(inserter, rule, &tensors, &reshards);
        if (!inserter_choose_reduction(inserter, op, &reshards, prefers_reduction))
            inserter_choose(inserter, op, &reshards);
        again = separate_unsummed(inserter, op, &reshards.choice, tensors.mesh);
    }
    inserter_apply_operands(inserter, op, &reshards, inserter_reshard_operand);
    inserter_apply_results(inserter, op, &reshards);
    inserter_sum_results(inserter, op, &reshards, reduction_body(op));
}

// The arrays that a program takes and gives are whole: in the device program an argument with
// unreduced axes counts on the first device of each group alone, results are reduced.
static void make_whole(Inserter *inserter, Op *func) {
    const AxisSpan none = {0, NULL};
    Region *body = func_body(func);
    for (int i = 0; i < body->arg_count; i++) {
        Value *arg = body->args[i];
        const Sharding *partial = arg->sharding;
        if (unreduced_axes(partial).count == 0) continue;
        inserter->changed = true;
        arg->sharding = sharding_with_unreduced(inserter->context, partial, none);
        if (!arg->uses) continue; // so it is in a declaration
        Builder builder = builder_before(inserter->module, body->first);
        Value *x = inserter_unreduced(inserter, &builder, arg, arg->sharding, partial);
        value_replace_uses_except(arg, x, x->def);
    }
    for (int i = 0; func->result_shardings && i < func_result_count(func); i++) {
        const Sharding *partial = func->result_shardings[i];
        if (unreduced_axes(partial).count == 0) continue;
        inserter->changed = true;
        func->result_shardings[i] = sharding_with_unreduced(inserter->context, partial, none);
    }
}

// What comes through a propagation barrier lies as it came.
static void pass_barrier(Inserter *inserter, Op *op) {
    Value *result = op_result(op, 0);
    const Sharding *sharding = source_sharding(inserter->module, result);
    if (!sharding || result->sharding) return;
    result->sharding = sharding;
    inserter->changed = true;
}

static bool visit(Inserter *inserter, Op *op) {
    if (op->code == OP_FUNC && !inserter->keeps_parts) make_whole(inserter, op);
    if (op->code == OP_SDY_BARRIER) pass_barrier(inserter, op);
    if (op->code == OP_SDY_RESHARD || op->code == OP_SDY_CONSTRAINT) {
        inserter_reduce_operand(inserter, op, 0, op_result(op, 0)->sharding, false);
        inserter_expand_reshard(inserter, op);
        return true;
    }
    if (inserter_receives(inserter, op, inserter_reshard_operand)) return true;
    const Sharding *wanted = op->result_count ? op_result(op, 0)->sharding : NULL;
    for (int i = 0; i < op->operand_count; i++)
        inserter_reduce_operand(inserter, op, i, wanted, false);
    const ShardingRule *rule = op_sharding_rule(inserter->scratch, op, false, NULL);
    rule = reshard_rule(inserter->module, inserter->scratch, op, rule);
    // A rule that is recorded outlives the pass.
    if (inserter->provenance) rule = sharding_rule_intern(inserter->context, rule);
    if (rule) reshard_op(inserter, op, rule);
    return true;
}

PassResult pass_insert_reshards(Module *module, PassContext *pass) {
    Inserter inserter = inserter_create(module, pass);
    inserter.keeps_parts = pass_flag(pass, "parts");
    if (!inserter_run(&inserter, visit)) return PASS_FAILED;
    return inserter.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

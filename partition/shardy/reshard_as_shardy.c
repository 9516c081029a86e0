// reshard_as_shardy: sdy.reshard becomes the collectives that Shardy's pass
// sdy-reshard-to-collectives chooses.
//
//   In      sdy.reshard
//   Out     sdy.all_slice, collective_permute, all_to_all, all_gather in Shardy's
//           order, from the operand itself
//   Keeps   reshards between different meshes and to or from maximal meshes; with the option
//           keep-redundant-reshards those to the sharding that their operand has
//
//   before  %1 = sdy.reshard %0 [{}, {"x", "y"}]                       %0: [{"x"}, {}]
//   after   %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=[{"x", "y"}, {}]
//           %2 = sdy.all_to_all [{"x", "y"}: 0->1] %1 out_sharding=[{}, {"x", "y"}]
#include "ir/analysis/data_flow.h"
#include "partition/passes.h"
#include "partition/plan/reshard_plan.h"

typedef struct Converter {
    Module *module;
    Arena *scratch;
    bool keep_redundant;
    bool changed;
} Converter;

static void convert(Converter *converter, Op *op) {
    const Sharding *to = op_result(op, 0)->sharding;
    if (!to) return;
    const Module *module = converter->module;
    if (converter->keep_redundant && value_sharding(module, op_operand(op, 0)) == to) return;
    Value *value = value_behind_barriers(op_operand(op, 0));
    const ReshardPlan *plan = reshard_plan_standard(
        module, converter->scratch, value->type, value_sharding(module, value), to);
    if (plan) converter->changed |= reshard_replace(converter->module, op, value, plan, NULL, NULL);
}

static bool visit(Op *op, void *user) {
    Converter *converter = user;
    if (op->code == OP_SDY_RESHARD) convert(converter, op);
    if (op->code == OP_SDY_REPLICATED_TO_UNREDUCED)
        converter->changed |= reshard_write_replicated(converter->module, op);
    return true;
}

PassResult pass_reshard_as_shardy(Module *module, PassContext *pass) {
    Converter converter = {
        .module = module,
        .scratch = pass->scratch,
        .keep_redundant = pass_flag(pass, "keep-redundant-reshards"),
    };
    region_walk(module->body, visit, &converter);
    return converter.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

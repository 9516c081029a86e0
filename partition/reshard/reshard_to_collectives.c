// reshard_to_collectives: sdy.reshard becomes the fewest bytes of communication that lead from
// the one sharding to the other.
//
//   In      sdy.reshard
//   Out     sdy.all_slice, collective_permute, all_to_all, all_gather
//   Keeps   reshards between different meshes and to or from maximal meshes
//
//   before  %1 = sdy.reshard %0 [{}, {"x", "y"}]                       %0: [{"x"}, {}]
//   after   %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=[{"x", "y"}, {}]
//           %2 = sdy.all_to_all [{"x", "y"}: 0->1] %1 out_sharding=[{}, {"x", "y"}]
//
// A reshard starts from whichever copy of the value, of those that exist in other shardings
// already, is nearest to the wanted one.
#include "base/vec.h"
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/plan/reshard_plan.h"

// All copies of one value: the value itself and its reshards so far.
typedef struct Copies {
    VEC(Value *) values;
} Copies;

typedef struct Converter {
    Module *module;
    Arena *scratch;
    PtrMap copies; // Value* to Copies*
    bool changed;
} Converter;

static Copies *copies_of(Converter *converter, Value *value) {
    Copies *copies = ptr_map_get(&converter->copies, value);
    if (copies) return copies;
    copies = ARENA_NEW(converter->scratch, Copies);
    vec_push(converter->scratch, &copies->values, value);
    ptr_map_set(&converter->copies, value, copies);
    return copies;
}

static void add_copy(Converter *converter, Copies *copies, Value *value) {
    vec_push(converter->scratch, &copies->values, value);
    ptr_map_set(&converter->copies, value, copies);
}

// Ops are visited in order, so a value that was seen is defined before `op`
// where its region encloses op's.
static bool is_visible(const Value *value, const Op *op) {
    return region_ancestor_of(value_region(value), op) != NULL;
}

static ReshardPlan *plan_from(Converter *converter, Value *from, const Sharding *to) {
    return reshard_plan(
        converter->module, converter->scratch, from->type, value_sharding(converter->module, from),
        to);
}

// The plan with the fewest bytes, and where it starts.
static ReshardPlan *best_plan(Converter *converter, const Op *op, Copies *copies, Value **source) {
    const Sharding *to = op->results[0].sharding;
    *source = value_behind_barriers(op_operand(op, 0));
    ReshardPlan *best = plan_from(converter, *source, to);
    for (int64_t i = 0; i < copies->values.count; i++) {
        Value *copy = copies->values.data[i];
        if (copy == *source || !is_visible(copy, op)) continue;
        ReshardPlan *plan = plan_from(converter, copy, to);
        if (!plan) continue;
        bool better = !best || plan->bytes < best->bytes ||
                      (plan->bytes == best->bytes && plan->count < best->count);
        if (!better) continue;
        best = plan;
        *source = copy;
    }
    return best;
}

typedef struct NewCopies {
    Converter *converter;
    Copies *copies;
} NewCopies;

static void add_made(Value *made, void *user) {
    const NewCopies *to = user;
    add_copy(to->converter, to->copies, made);
}

static void convert(Converter *converter, Op *op) {
    Value *result = op_result(op, 0);
    if (!result->sharding) return;
    Copies *copies = copies_of(converter, op_operand(op, 0));
    Value *value;
    ReshardPlan *plan = best_plan(converter, op, copies, &value);
    if (!plan) {
        add_copy(converter, copies, result);
        return;
    }
    NewCopies to = {converter, copies};
    converter->changed |= reshard_replace(converter->module, op, value, plan, add_made, &to);
}

static bool visit(Op *op, void *user) {
    Converter *converter = user;
    if (op->code == OP_SDY_RESHARD) convert(converter, op);
    if (op->code == OP_SDY_REPLICATED_TO_UNREDUCED)
        converter->changed |= reshard_write_replicated(converter->module, op);
    return true;
}

PassResult pass_reshard_to_collectives(Module *module, PassContext *pass) {
    Converter converter = {
        .module = module,
        .scratch = pass->scratch,
        .copies = ptr_map(pass->scratch),
    };
    region_walk(module->body, visit, &converter);
    return converter.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

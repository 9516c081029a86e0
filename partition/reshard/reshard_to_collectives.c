// reshard_to_collectives: sdy.reshard becomes the fewest bytes of communication that lead from the one sharding to the other.
//
//   In      sdy.reshard
//   Out     sdy.all_slice, collective_permute, all_to_all, all_gather
//   Keeps   reshards between different meshes and to or from maximal meshes
//
//   before  %1 = sdy.reshard %0 [{}, {"x", "y"}]                       %0: [{"x"}, {}]
//   after   %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=[{"x", "y"}, {}]
//           %2 = sdy.all_to_all [{"x", "y"}: 0->1] %1 out_sharding=[{}, {"x", "y"}]
//
// With the option `keep-redundant-reshards` a reshard to the sharding that its operand has stays. With the option `cheapest` a reshard
// starts from whichever copy of the value, of those that exist in other shardings already, is nearest to the wanted one.
#include "base/vec.h"
#include "ir/builder.h"
#include "ir/data_flow.h"
#include "partition/passes.h"
#include "partition/reshard/reshard_plan.h"

// All copies of one value: the value itself and its reshards so far.
typedef struct Copies {
    VEC(Value *) values;
} Copies;

typedef struct Converter {
    Module *module;
    Arena *scratch;
    bool cheapest, keep_redundant;
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

// Ops are visited in order, so a value that was seen is defined before `op` where its region encloses op's.
static bool is_visible(const Value *value, const Op *op) {
    return region_ancestor_of(value_region(value), op) != NULL;
}

static ReshardPlan *plan_from(Converter *converter, Value *from, const Sharding *to) {
    return reshard_plan(
        converter->module, converter->scratch, from->type, value_sharding(converter->module, from),
        to, converter->cheapest);
}

// A propagation barrier is an identity.
static Value *behind_barriers(Value *value) {
    while (value->def && value->def->code == OP_SDY_BARRIER)
        value = op_operand(value->def, 0);
    return value;
}

// The plan with the fewest bytes, and where it starts.
static ReshardPlan *best_plan(Converter *converter, const Op *op, Copies *copies, Value **source) {
    const Sharding *to = op->results[0].sharding;
    *source = behind_barriers(op_operand(op, 0));
    ReshardPlan *best = plan_from(converter, *source, to);
    for (int64_t i = 0; converter->cheapest && i < copies->values.count; i++) {
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

// Collectives stay on the mesh of their operand: one over another mesh than `value` is on keeps the reshard between them.
static bool feeds_other_mesh(const Converter *converter, const Value *value, const Value *result) {
    const Sharding *from = value_sharding(converter->module, value), *to = result->sharding;
    if (!from || sharding_mesh(converter->module, from) == sharding_mesh(converter->module, to))
        return false;
    for (const Use *use = result->uses; use; use = use->next) {
        const Op *user = use->owner;
        if (op_is_sdy_collective(user)) return true;
    }
    return false;
}

static void convert(Converter *converter, Op *op) {
    Value *result = op_result(op, 0);
    if (!result->sharding) return;
    const Value *operand = op_operand(op, 0);
    if (converter->keep_redundant &&
        value_sharding(converter->module, operand) == result->sharding) {
        return;
    }
    Copies *copies = copies_of(converter, op_operand(op, 0));
    Value *value;
    ReshardPlan *plan = best_plan(converter, op, copies, &value);
    if (!plan) {
        add_copy(converter, copies, result);
        return;
    }
    // Collectives carry on from their operand's own sharding: an argument of a loop gets its edge's.
    if (plan->count > 0 && value->region && !value->sharding) {
        value->sharding = value_sharding(converter->module, value);
    }
    Builder builder = builder_before(converter->module, op);
    for (int i = 0; i < plan->count; i++) {
        const ReshardStep *step = &plan->steps[i];
        Op *made = build_op(&builder, step->code, 1, &value, 1, &value->type, 0);
        if (step->attr) op_set_attr(converter->module, made, step->attr_name, step->attr);
        value = op_result(made, 0);
        value->sharding = step->sharding;
        add_copy(converter, copies, value);
    }
    converter->changed |= plan->count > 0 || value != op_operand(op, 0);
    if (feeds_other_mesh(converter, value, result)) {
        op_set_operand(op, 0, value);
        add_copy(converter, copies, result);
        return;
    }
    converter->changed = true;
    value_replace_uses(result, value);
    op_erase(op);
}

// It wants to know its operand's sharding, and the reshard that said so may have had nothing to do.
static void write_replicated(Converter *converter, const Op *op) {
    Value *operand = op_operand(op, 0);
    const Sharding *sharding = op_result(op, 0)->sharding;
    if (!sharding || value_sharding(converter->module, operand)) return;
    operand->sharding =
        sharding_replicated(converter->module->context, sharding->mesh_name, operand->type->rank);
    converter->changed = true;
}

static bool visit(Op *op, void *user) {
    if (op->code == OP_SDY_RESHARD) convert(user, op);
    if (op->code == OP_SDY_REPLICATED_TO_UNREDUCED) write_replicated(user, op);
    return true;
}

PassResult pass_reshard_to_collectives(Module *module, PassContext *pass) {
    Converter converter = {
        .module = module,
        .scratch = pass->scratch,
        .cheapest = pass_flag(pass, "cheapest"),
        .keep_redundant = pass_flag(pass, "keep-redundant-reshards"),
        .copies = ptr_map(pass->scratch),
    };
    region_walk(module->body, visit, &converter);
    return converter.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

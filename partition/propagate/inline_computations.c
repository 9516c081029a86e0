// inline_computations: the body of every named computation takes its place; a reshard stays where
// what enters or leaves lies otherwise than inside. Parts of a sum that cross its border are not
// summed there: unreduced axes do not propagate, so that the border of what was a call does not
// know them, and what needs the sum makes it. With it: the arguments of regions, which after
// propagation carry the shardings of what enters.
#include "ir/analysis/data_flow.h"
#include "ir/builder.h"
#include "partition/passes.h"
#include "partition/provenance.h"

// The sharding with the unreduced axes of another.
static const Sharding *with_parts_of(
    Context *context, const Sharding *sharding, const Sharding *other) {
    Sharding with = *sharding;
    with.unreduced = other->unreduced;
    with.unreduced_count = other->unreduced_count;
    with.reduction = other->reduction;
    return sharding_intern(context, &with);
}

static Value *reshard_if_needed(
    Builder *builder, Value *value, const Sharding *from, const Sharding *to) {
    if (!to || value->type->kind != TYPE_TENSOR || value->type->rank == 0) return value;
    const Sharding *source =
        from ? from : sharding_replicated(builder->module->context, to->mesh_name, to->rank);
    const Sharding *wanted = to->unreduced_count > 0 || source->unreduced_count == 0
                                 ? to
                                 : with_parts_of(builder->module->context, to, source);
    if (sharding_same_placement(builder->module, source, wanted)) return value;
    return build_reshard(builder, value, sharding_closed(builder->module->context, to));
}

static void inline_computation(Module *module, Op *op) {
    Region *body = op->regions[0];
    Builder builder = builder_before(module, op);
    for (int i = 0; i < body->arg_count && i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        Value *inside = reshard_if_needed(
            &builder, operand, value_sharding(module, operand), region_in_sharding(op, i));
        value_replace_uses(body->args[i], inside);
    }
    Op *end = region_terminator(body);
    for (Op *inner = body->first, *next; inner && inner != end; inner = next) {
        next = inner->next;
        op_move_before(inner, op);
    }
    for (int i = 0; end && i < op->result_count && i < end->operand_count; i++) {
        Value *returned = op_operand(end, i);
        Value *outside = reshard_if_needed(
            &builder, returned, value_sharding(module, returned), region_out_sharding(op, i));
        value_replace_uses(op_result(op, i), outside);
    }
    op_erase(op);
}

// Inner computations first, so that each body is flat when it moves. Nesting is limited by the
// readers.
static void inline_computations(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int r = 0; r < op->region_count; r++)
            inline_computations(module, op->regions[r]);
        if (op->code == OP_SDY_NAMED) inline_computation(module, op);
    }
}

PassResult pass_inline_computations(Module *module, PassContext *pass) {
    (void)pass;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC) inline_computations(module, func_body(op));
    }
    return PASS_CHANGED;
}

PassResult pass_set_argument_shardings(Module *module, PassContext *pass) {
    data_flow_set_argument_shardings(module);
    Op *entry = module_entry(module, (StrView){0});
    if (entry)
        provenance_propagated(pass->provenance, module, entry); // every sharding is exact now
    return PASS_CHANGED;
}

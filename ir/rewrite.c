// Changing ops in place: attributes, operands, results, places; erasing and copying.
#include "ir/builder.h"

#include <assert.h>

static void unlink_use(Use *use) {
    if (use->prev) {
        use->prev->next = use->next;
    } else {
        use->value->uses = use->next;
    }
    if (use->next) use->next->prev = use->prev;
    use->prev = use->next = NULL;
}

static void link_use(Use *use, Value *value) {
    use->value = value;
    use->prev = NULL;
    use->next = value->uses;
    if (value->uses) value->uses->prev = use;
    value->uses = use;
}

// A use changed its address: its neighbours learn the new one.
static void use_moved(Use *use) {
    *(use->prev ? &use->prev->next : &use->value->uses) = use;
    if (use->next) use->next->prev = use;
}

void op_set_operand(Op *op, int i, Value *value) {
    assert(i >= 0 && i < op->operand_count);
    Use *use = &op->operands[i];
    if (use->value == value) return;
    unlink_use(use);
    link_use(use, value);
}

void op_add_operand(Module *module, Op *op, Value *value) {
    Use *operands = ARENA_ARRAY(module->arena, Use, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = op->operands[i];
        use_moved(&operands[i]);
    }
    Use *added = &operands[op->operand_count];
    added->owner = op;
    link_use(added, value);
    op->operands = operands;
    op->operand_count++;
}

void op_remove_operand(Op *op, int i) {
    assert(i >= 0 && i < op->operand_count);
    unlink_use(&op->operands[i]);
    for (; i + 1 < op->operand_count; i++) {
        op->operands[i] = op->operands[i + 1];
        use_moved(&op->operands[i]);
    }
    op->operand_count--;
}

Op *op_with_results(Module *module, Op *op, int count, const Type *const *types, const int *map) {
    Builder builder = builder_before(module, op);
    Value **operands = ARENA_ARRAY(module->arena, Value *, op->operand_count + 1);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = op_operand(op, i);
    Op *made = build_op(&builder, op->code, op->operand_count, operands, count, types, 0);
    made->name = op->name;
    made->attrs = op->attrs;
    made->attr_count = op->attr_count;
    made->extra = op->extra;
    made->result_shardings = op->result_shardings;
    made->own_sharding = op->own_sharding;
    made->regions = op->regions;
    made->region_count = op->region_count;
    for (int i = 0; i < made->region_count; i++)
        made->regions[i]->owner = made;
    op->regions = NULL;
    op->region_count = 0;
    for (int i = 0; i < op->result_count; i++) {
        if (map[i] < 0) continue;
        Value *result = op_result(made, map[i]);
        result->sharding = op->results[i].sharding;
        result->loc = op->results[i].loc;
        value_replace_uses(op_result(op, i), result);
    }
    op_erase(op);
    return made;
}

void value_replace_uses(Value *value, Value *with) {
    if (value == with) return;
    while (value->uses) {
        Use *use = value->uses;
        unlink_use(use);
        link_use(use, with);
    }
}

void value_replace_uses_except(Value *value, Value *with, const Op *except) {
    if (value == with) return;
    for (Use *use = value->uses, *next; use; use = next) {
        next = use->next;
        if (use->owner == except) continue;
        unlink_use(use);
        link_use(use, with);
    }
}

static void unlink_op(Op *op) {
    if (!op->parent) return;
    *(op->prev ? &op->prev->next : &op->parent->first) = op->next;
    *(op->next ? &op->next->prev : &op->parent->last) = op->prev;
    op->parent = NULL;
    op->prev = op->next = NULL;
}

static bool drop_operands(Op *op, void *user) {
    (void)user;
    for (int i = 0; i < op->operand_count; i++)
        unlink_use(&op->operands[i]);
    op->operand_count = 0;
    return true;
}

void op_erase(Op *op) {
    for (int i = 0; i < op->result_count; i++)
        assert(!op->results[i].uses);
    drop_operands(op, NULL);
    for (int i = 0; i < op->region_count; i++)
        region_walk(op->regions[i], drop_operands, NULL);
    op->region_count = 0;
    unlink_op(op);
}

static void insert_op(Op *op, Region *region, Op *before) {
    op->parent = region;
    op->next = before;
    op->prev = before ? before->prev : region->last;
    *(op->prev ? &op->prev->next : &region->first) = op;
    *(before ? &before->prev : &region->last) = op;
}

void op_move_before(Op *op, Op *before) {
    if (op == before) return;
    unlink_op(op);
    insert_op(op, before->parent, before);
}

void op_move_to_end(Op *op, Region *region) {
    unlink_op(op);
    insert_op(op, region, NULL);
}

void region_remove_arg(Region *region, int i) {
    assert(i >= 0 && i < region->arg_count && !region->args[i]->uses);
    for (; i + 1 < region->arg_count; i++) {
        region->args[i] = region->args[i + 1];
        region->args[i]->index = i;
    }
    region->arg_count--;
}

void region_take(Region *to, Region *from) {
    assert(!to->first && to->arg_count == 0);
    to->args = from->args;
    to->arg_count = from->arg_count;
    to->first = from->first;
    to->last = from->last;
    for (int i = 0; i < to->arg_count; i++)
        to->args[i]->region = to;
    for (Op *op = to->first; op; op = op->next)
        op->parent = to;
    from->args = NULL;
    from->arg_count = 0;
    from->first = from->last = NULL;
}

static Value *mapped(const PtrMap *values, Value *value) {
    Value *found = ptr_map_get(values, value);
    return found ? found : value;
}

Op *op_clone(Builder *builder, const Op *op, PtrMap *values) {
    Module *module = builder->module;
    enum { FEW = 16 };
    Value *few[FEW] = {0};
    const Type *few_types[FEW] = {0};
    Value **operands = few;
    const Type **types = few_types;
    if (op->operand_count > FEW) operands = ARENA_ARRAY(module->arena, Value *, op->operand_count);
    if (op->result_count > FEW) types = ARENA_ARRAY(module->arena, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = mapped(values, op_operand(op, i));
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);

    const Loc *loc = builder->loc;
    builder->loc = op->loc;
    Op *clone = build_op(
        builder, op->code, op->operand_count, operands, op->result_count, types, op->region_count);
    builder->loc = loc;
    clone->name = op->name;
    clone->extra = op->extra;
    clone->own_sharding = op->own_sharding;
    clone->attr_count = op->attr_count;
    if (op->attr_count) { // attributes change in place: each op has its own array
        clone->attrs =
            arena_copy(module->arena, op->attrs, (size_t)op->attr_count * sizeof *op->attrs);
    }
    if (op->result_shardings) {
        const Type *type =
            op_attr(op, NAME_FUNCTION_TYPE) ? op_attr(op, NAME_FUNCTION_TYPE)->type : NULL;
        int count = type ? type->part_count - type->input_count : 0;
        clone->result_shardings = ARENA_ARRAY(module->arena, const Sharding *, count + 1);
        for (int i = 0; i < count; i++)
            clone->result_shardings[i] = op->result_shardings[i];
    }
    for (int i = 0; i < op->result_count; i++) {
        clone->results[i].sharding = op->results[i].sharding;
        clone->results[i].loc = op->results[i].loc;
        ptr_map_set(values, op_result(op, i), op_result(clone, i));
    }
    for (int i = 0; i < op->region_count; i++)
        region_clone_into(module, clone->regions[i], op->regions[i], values);
    return clone;
}

void region_set_return(Region *region, OpCode code) {
    Op *end = region_terminator(region);
    end->code = code;
    end->name = op_code_text(code);
}

void region_clone_into(Module *module, Region *to, const Region *from, PtrMap *values) {
    for (int i = 0; i < from->arg_count; i++) {
        Value *arg = from->args[i];
        Value *copy = region_add_arg(module, to, arg->type, arg->loc);
        copy->sharding = arg->sharding;
        ptr_map_set(values, arg, copy);
    }
    Builder builder = builder_at_end(module, to);
    for (const Op *op = from->first; op; op = op->next)
        op_clone(&builder, op, values);
}

// convert_control: scf's regions as the core's, and assertions.
#include "ir/source/source.h"

// The region's ops move; what it ended with returns the same values.
static void take_region(Builder *builder, Region *to, Region *from) {
    region_take(to, from);
    Op *end = region_terminator(to);
    Builder inner = builder_before(builder->module, end);
    Value **values = ARENA_ARRAY(builder->module->arena, Value *, end->operand_count + 1);
    for (int i = 0; i < end->operand_count; i++)
        values[i] = op_operand(end, i);
    build_return(&inner, OP_RETURN, end->operand_count, values);
    op_erase(end);
}

static const Type **types_of(Builder *builder, const Op *op) {
    const Type **types = ARENA_ARRAY(builder->module->arena, const Type *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    return types;
}

static bool replace_by(Legalizer *legalizer, Op *op, Op *core, int first) {
    Value **values = ARENA_ARRAY(legalizer->pass->scratch, Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        values[i] = op_result(core, first + i);
    return legalize_replace(legalizer, op, values);
}

bool convert_scf_if(Legalizer *legalizer, Op *op) {
    Builder builder = builder_before(legalizer->module, op);
    Value *condition = op_operand(op, 0);
    Op *core =
        build_op(&builder, OP_IF, 1, &condition, op->result_count, types_of(&builder, op), 2);
    for (int i = 0; i < 2; i++)
        take_region(&builder, core->regions[i], op->regions[i]);
    return replace_by(legalizer, op, core, 0);
}

// while (index < high) { body; index += step; }: the index is the first of the loop's values.
bool convert_scf_for(Legalizer *legalizer, Op *op) {
    Module *module = legalizer->module;
    Builder builder = builder_before(module, op);
    int count = op->operand_count - 2; // the index and what is carried
    Value **init = ARENA_ARRAY(legalizer->pass->scratch, Value *, count);
    const Type **types = ARENA_ARRAY(legalizer->pass->scratch, const Type *, count);
    init[0] = op_operand(op, 0);
    for (int i = 1; i < count; i++)
        init[i] = op_operand(op, i + 2);
    for (int i = 0; i < count; i++)
        types[i] = init[i]->type;
    Value *high = op_operand(op, 1), *step = op_operand(op, 2);
    Op *loop = build_op(&builder, OP_WHILE, count, init, count, types, 2);
    Region *condition = loop->regions[0], *body = loop->regions[1];
    for (int i = 0; i < count; i++)
        region_add_arg(module, condition, types[i], op->loc);
    Builder inner = builder_at_end(module, condition);
    inner.loc = op->loc;
    Value *goes_on = build_compare(&inner, DIRECTION_LT, condition->args[0], high);
    build_return(&inner, OP_RETURN, 1, &goes_on);
    region_take(body, op->regions[0]);
    Op *end = region_terminator(body);
    inner = builder_before(module, end);
    Value **next = ARENA_ARRAY(legalizer->pass->scratch, Value *, count);
    next[0] = build_binary(&inner, OP_ADD, body->args[0], step);
    for (int i = 1; i < count; i++)
        next[i] = op_operand(end, i - 1);
    build_return(&inner, OP_RETURN, count, next);
    op_erase(end);
    return replace_by(legalizer, op, loop, 1);
}

// Copies a region's ops but for its end, with its arguments standing for the
// values; *end is the original's.
static const Op *copy_body(
    Builder *builder, const Region *region, Value *const *args, PtrMap *values) {
    for (int i = 0; i < region->arg_count; i++)
        ptr_map_set(values, region->args[i], args[i]);
    for (const Op *op = region->first; op != region->last; op = op->next)
        op_clone(builder, op, values);
    return region->last;
}

static Value *copied(PtrMap *values, Value *value) {
    Value *known = ptr_map_get(values, value);
    return known ? known : value;
}

// The ops in front of the condition run once more than those behind it: they are copied into the
// condition, into the body, and behind the loop, whose results follow from them.
bool convert_scf_while(Legalizer *legalizer, Op *op) {
    Module *module = legalizer->module;
    Arena *scratch = legalizer->pass->scratch;
    Builder builder = builder_before(module, op);
    int count = op->operand_count;
    Value **init = ARENA_ARRAY(scratch, Value *, count + 1);
    const Type **types = ARENA_ARRAY(scratch, const Type *, count + 1);
    for (int i = 0; i < count; i++) {
        init[i] = op_operand(op, i);
        types[i] = init[i]->type;
    }
    const Region *before = op->regions[0], *after = op->regions[1];
    Op *loop = build_op(&builder, OP_WHILE, count, init, count, types, 2);
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < count; i++)
            region_add_arg(module, loop->regions[r], types[i], op->loc);
        Builder inner = builder_at_end(module, loop->regions[r]);
        inner.loc = op->loc;
        PtrMap values = ptr_map(scratch);
        const Op *end = copy_body(&inner, before, loop->regions[r]->args, &values);
        if (r == 0) {
            Value *goes_on = copied(&values, op_operand(end, 0));
            build_return(&inner, OP_RETURN, 1, &goes_on);
            continue;
        }
        Value **passed = ARENA_ARRAY(scratch, Value *, end->operand_count);
        for (int i = 1; i < end->operand_count; i++)
            passed[i - 1] = copied(&values, op_operand(end, i));
        const Op *yield = copy_body(&inner, after, passed, &values);
        Value **next = ARENA_ARRAY(scratch, Value *, count + 1);
        for (int i = 0; i < count; i++)
            next[i] = copied(&values, op_operand(yield, i));
        build_return(&inner, OP_RETURN, count, next);
    }
    PtrMap values = ptr_map(scratch);
    Value **states = ARENA_ARRAY(scratch, Value *, count + 1);
    for (int i = 0; i < count; i++)
        states[i] = op_result(loop, i);
    const Op *end = copy_body(&builder, before, states, &values);
    Value **results = ARENA_ARRAY(scratch, Value *, op->result_count + 1);
    for (int i = 0; i < op->result_count; i++)
        results[i] = copied(&values, op_operand(end, i + 1));
    return legalize_replace(legalizer, op, results);
}

// What it asserts is the program's own affair.
bool convert_source_assert(Legalizer *legalizer, Op *op) {
    op_erase(op);
    legalizer->changed = true;
    return true;
}

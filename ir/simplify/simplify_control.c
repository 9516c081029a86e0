// Rewrites of control flow: branches that are known, carries of loops that are not needed, tuples.
#include "base/vec.h"
#include "ir/analysis/effects.h"
#include "ir/simplify/simplify.h"

static bool simplify_get_tuple_element(Simplifier *simplifier, Op *op) {
    const Op *tuple = op_operand(op, 0)->def;
    int64_t index = op_int(op, NAME_INDEX, -1);
    if (!tuple || tuple->code != OP_TUPLE || index < 0 || index >= tuple->operand_count)
        return false;
    return simplify_replace(simplifier, op, op_operand(tuple, (int)index));
}

// The branch that a constant selector takes; NULL when it is not known.
static Region *known_branch(const Op *op) {
    const Attr *selector = splat_value(op_operand(op, 0));
    if (!selector) return NULL;
    int64_t number = attr_element_int(selector, 0);
    if (op->code == OP_IF) return op->regions[number ? 0 : 1];
    bool in_range = number >= 0 && number < op->region_count;
    return op->regions[in_range ? number : op->region_count - 1];
}

static bool simplify_branches(Simplifier *simplifier, Op *op) {
    Region *branch = known_branch(op);
    if (!branch) return false;
    Op *end = branch->last;
    for (int i = 0; i < op->result_count; i++) {
        const Value *returned = op_operand(end, i), *result = op_result(op, i);
        if (returned->type != result->type) return false;
        if (result->sharding && result->sharding != returned->sharding) return false;
    }
    for (Op *inner = branch->first, *next; inner != end; inner = next) {
        next = inner->next;
        op_move_before(inner, op);
    }
    for (int i = 0; i < op->result_count; i++)
        value_replace_uses(op_result(op, i), op_operand(end, i));
    op_erase(op);
    simplifier->changed = true;
    return true;
}

// ---- while: which carries are needed ----

typedef struct Loop {
    Arena *arena;
    Op *op;
    Region *condition, *body;
    bool *needed; // [carry]
    PtrMap seen;  // ops of the loop's regions whose operands were followed
    VEC(const Value *) work;
} Loop;

static void follow(Loop *loop, const Value *value) { vec_push(loop->arena, &loop->work, value); }

static bool follow_operands(Op *op, void *user) {
    Loop *loop = user;
    if (ptr_map_has(&loop->seen, op)) return true;
    ptr_map_set(&loop->seen, op, op);
    for (int i = 0; i < op->operand_count; i++)
        follow(loop, op_operand(op, i));
    return true;
}

static void follow_op(Loop *loop, Op *op) {
    if (ptr_map_has(&loop->seen, op)) return;
    follow_operands(op, loop);
    for (int i = 0; i < op->region_count; i++)
        region_walk(op->regions[i], follow_operands, loop);
}

// Carries are needed when something outside uses the result, or when the condition, an op with an
// effect or a needed carry depends on them.
static void follow_values(Loop *loop) {
    while (loop->work.count) {
        const Value *value = loop->work.data[--loop->work.count];
        if (value->region == loop->condition || value->region == loop->body) {
            if (loop->needed[value->index]) continue;
            loop->needed[value->index] = true;
            follow(loop, op_operand(loop->body->last, value->index));
        } else if (value->def) {
            Op *inside = region_ancestor_of(loop->body, value->def);
            if (!inside) inside = region_ancestor_of(loop->condition, value->def);
            if (inside) follow_op(loop, inside);
        }
    }
}

static int mark_needed(Loop *loop) {
    Op *op = loop->op;
    follow_op(loop, loop->condition->last);
    Region *regions[] = {loop->condition, loop->body};
    for (int r = 0; r < 2; r++) {
        for (Op *inner = regions[r]->first; inner; inner = inner->next) {
            if (!op_has(inner, TRAIT_TERMINATOR) && op_has_effect(inner)) follow_op(loop, inner);
        }
    }
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i].uses) follow(loop, loop->body->args[i]);
    }
    follow_values(loop);
    int count = 0;
    for (int i = 0; i < op->result_count; i++)
        count += loop->needed[i];
    return count;
}

// Removes the carries that are not needed. Ops in the regions that still use their
// arguments are dead or lead to dropped carries: the initial value stands in for
// the argument, and dce takes them.
static void drop_carries(Simplifier *simplifier, Loop *loop, int kept) {
    Op *op = loop->op;
    int count = op->result_count;
    const Type **types = ARENA_ARRAY(loop->arena, const Type *, kept + 1);
    int *map = ARENA_ARRAY(loop->arena, int, count);
    int next = 0;
    for (int i = 0; i < count; i++) {
        map[i] = loop->needed[i] ? next : -1;
        if (loop->needed[i]) types[next++] = op_result_type(op, i);
    }
    for (int i = count - 1; i >= 0; i--) {
        if (loop->needed[i]) continue;
        Value *initial = op_operand(op, i);
        value_replace_uses(loop->condition->args[i], initial);
        value_replace_uses(loop->body->args[i], initial);
        op_remove_operand(loop->body->last, i);
        op_remove_operand(op, i);
        region_remove_arg(loop->condition, i);
        region_remove_arg(loop->body, i);
    }
    op_with_results(simplifier->module, op, kept, types, map);
    simplifier->changed = true;
}

// A carry that the body returns as it came is the value from outside.
static bool free_invariant(Simplifier *simplifier, Op *op, int i) {
    Region *condition = op->regions[0], *body = op->regions[1];
    if (op_operand(body->last, i) != body->args[i]) return false;
    Value *initial = op_operand(op, i), *result = op_result(op, i);
    bool is_used = result->uses || condition->args[i]->uses || !value_has_one_use(body->args[i]);
    if (!is_used || initial->type != result->type) return false;
    if (result->sharding && result->sharding != initial->sharding) return false;
    value_replace_uses(result, initial);
    value_replace_uses(condition->args[i], initial);
    value_replace_uses_except(body->args[i], initial, body->last);
    simplifier->changed = true;
    return true;
}

static bool simplify_while(Simplifier *simplifier, Op *op) {
    for (int i = 0; i < op->result_count; i++)
        free_invariant(simplifier, op, i);
    Arena *arena = simplifier->pass->scratch;
    Loop loop = {
        .arena = arena,
        .op = op,
        .condition = op->regions[0],
        .body = op->regions[1],
        .needed = ARENA_ARRAY(arena, bool, op->result_count + 1),
        .seen = ptr_map(arena)};
    int kept = mark_needed(&loop);
    if (kept == op->result_count) return false;
    drop_carries(simplifier, &loop, kept);
    return true;
}

bool simplify_control(Simplifier *simplifier, Op *op) {
    switch (op->code) {
    case OP_GET_TUPLE_ELEMENT: return simplify_get_tuple_element(simplifier, op);
    case OP_IF:
    case OP_CASE: return simplify_branches(simplifier, op);
    case OP_WHILE: return simplify_while(simplifier, op);
    default: return false;
    }
}

// unroll_loops: short loops of elementwise ops are written out.
//
//   In      a verified device program; after simplify_loops.
//   Out     no while that makes one step or none. No while that makes a known number of steps whose
//           bodies together are few elementwise ops: what its steps carry is then part of one
//           kernel, instead of an array that each step reads and writes.
//   Keeps   what the program computes.
//
//   before  %1:2 = while(%i = 0, %a = %x)     after   %1 = multiply(%x, %x)
//           cond { compare LT, %i, 2 }                %2 = multiply(%1, %1)
//           do { multiply(%a, %a) }
//
// Random numbers are made like this: threefry's 20 rounds are a loop of five steps.
#include "codegen/kernel/lower_class.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    MOST_OPS = 256,     // elementwise ops of all steps
    SMALL_ELEMENTS = 64 // of an array that a kernel computes beside others
};

static bool is_small(const Value *value) {
    return type_element_count(value->type) <= SMALL_ELEMENTS;
}

// Parts of a small array are as good as constants; parts of a large one would be computed again
// with what computes it.
static bool is_small_view(const Op *op) {
    bool is_view = op->code == OP_SLICE || op->code == OP_DYNAMIC_SLICE || op->code == OP_RESHAPE ||
                   op->code == OP_CONCATENATE || op->code == OP_OPTIMIZATION_BARRIER;
    for (int i = 0; i < op->operand_count; i++)
        is_view = is_view && is_small(op_operand(op, i));
    return is_view;
}

// -1: the op's elements are not those of its operands, one by one.
static int elementwise_cost(const Op *op) {
    if (op->code == OP_CONSTANT || op->code == OP_IOTA || op->code == OP_BROADCAST_IN_DIM) return 0;
    if (is_small_view(op)) return 0;
    bool is_elementwise = op_has(op, TRAIT_POINTWISE) && lower_class(op, NULL) == LOWER_ELEMENT &&
                          op->region_count == 0 && !op_has(op, TRAIT_COLLECTIVE);
    return is_elementwise ? 1 : -1;
}

static bool is_worth_unrolling(const Op *loop, int64_t steps) {
    if (steps <= 1) return true;
    const Region *body = loop->regions[1];
    const Op *end = region_terminator(body);
    int64_t cost = 0;
    for (const Op *op = body->first; op != end; op = op->next) {
        int own = elementwise_cost(op);
        if (own < 0) return false;
        cost += own;
        if (cost > MOST_OPS / steps) return false;
    }
    return true;
}

static bool has_effect(const Region *region) {
    const Op *end = region_terminator(region);
    for (const Op *op = region->first; op != end; op = op->next) {
        if (op_has_effect(op)) return true;
    }
    return false;
}

static void unroll(Module *module, Op *loop, int64_t steps, Arena *scratch) {
    Builder builder = builder_before(module, loop);
    const Region *body = loop->regions[1];
    const Op *end = region_terminator(body);
    int count = body->arg_count;
    Value **carries = ARENA_ARRAY(scratch, Value *, count);
    for (int i = 0; i < count; i++)
        carries[i] = op_operand(loop, i);
    for (int64_t step = 0; step < steps; step++) {
        PtrMap values = ptr_map(scratch);
        for (int i = 0; i < count; i++)
            ptr_map_set(&values, body->args[i], carries[i]);
        for (const Op *op = body->first; op != end; op = op->next)
            op_clone(&builder, op, &values);
        for (int i = 0; i < count; i++) {
            Value *next = op_operand(end, i), *copy = ptr_map_get(&values, next);
            carries[i] = copy ? copy : next;
        }
    }
    for (int i = 0; i < count; i++)
        value_replace_uses(op_result(loop, i), carries[i]);
    op_erase(loop);
}

// Inner loops first: an outer one may be of elementwise ops then.
static bool unroll_in(Module *module, Region *region, Arena *scratch) {
    bool has_changed = false;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (lower_class(op, NULL) != LOWER_CONTROL) continue;
        for (int r = 0; r < op->region_count; r++)
            has_changed |= unroll_in(module, op->regions[r], scratch);
        if (op->code != OP_WHILE || has_effect(op->regions[0])) continue;
        int64_t steps = loop_step_count(op);
        if (steps < 0 || !is_worth_unrolling(op, steps)) continue;
        unroll(module, op, steps, scratch);
        has_changed = true;
    }
    return has_changed;
}

PassResult pass_unroll_loops(Module *module, PassContext *pass) {
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    return unroll_in(module, func_body(main), pass->scratch) ? PASS_CHANGED : PASS_UNCHANGED;
}

// simplify_loops: loops carry what changes alone.
//
//   In      a verified device program.
//   Out     no calls that only keep values; while has no carries that
//           its body passes on unchanged; what does not change in its body is computed before it.
//   Keeps   what the program computes.
#include "codegen/fuse/fuse.h"
#include "codegen/kernel/kernel.h"
#include "codegen/kernel/lower_class.h"
#include "ir/analysis/effects.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

static bool is_invariant_in(const Value *value, const Region *body, const bool *carried) {
    if (value->region == body) return carried && !carried[value->index];
    return value->def ? !region_contains(body, value->def) : true;
}

// Carries that the body passes on unchanged are read from outside.
static void read_invariant_carries(Op *loop) {
    Region *condition = loop->regions[0], *body = loop->regions[1];
    Op *terminator = region_terminator(body);
    for (int i = 0; terminator && i < body->arg_count; i++) {
        if (op_operand(terminator, i) != body->args[i]) continue;
        value_replace_uses_except(body->args[i], op_operand(loop, i), terminator);
        value_replace_uses(condition->args[i], op_operand(loop, i));
        value_replace_uses(op_result(loop, i), op_operand(loop, i));
    }
}

// Ops whose operands do not change in the body; each runs at least as often before, so only
// cheap and total ones whose result is small compared to the work are worth it: all that
// are no views and no constants.
static void hoist_invariants(Op *loop) {
    Region *body = loop->regions[1];
    for (Op *op = body->first, *next; op; op = next) {
        next = op->next;
        LowerClass lower = lower_class(op, NULL);
        bool movable = (lower == LOWER_ELEMENT || lower == LOWER_REDUCE || lower == LOWER_KERNEL) &&
                       !op_has(op, TRAIT_EFFECT) && !op_has(op, TRAIT_COLLECTIVE) &&
                       !op_has(op, TRAIT_TERMINATOR);
        for (int i = 0; movable && i < op->operand_count; i++) {
            movable = is_invariant_in(op_operand(op, i), body, NULL);
        }
        if (movable) op_move_before(op, loop);
    }
}

// Drops carries that nobody reads any more: an unchanged carry whose uses were replaced.
static Op *drop_unused_carries(Module *module, Op *loop) {
    Region *condition = loop->regions[0], *body = loop->regions[1];
    Op *terminator = region_terminator(body);
    for (int i = loop->result_count - 1; i >= 0; i--) {
        bool passed_on =
            op_operand(terminator, i) == body->args[i] && value_has_one_use(body->args[i]);
        if (!passed_on || condition->args[i]->uses || op_result(loop, i)->uses) continue;
        const Type *types[256];
        int map[256], count = 0;
        if (loop->result_count > 256) return loop;
        for (int r = 0; r < loop->result_count; r++) {
            map[r] = r == i ? -1 : count;
            if (r != i) types[count++] = op_result_type(loop, r);
        }
        op_remove_operand(terminator, i);
        region_remove_arg(body, i);
        region_remove_arg(condition, i);
        op_remove_operand(loop, i);
        loop = op_with_results(module, loop, count, types, map);
        condition = loop->regions[0];
        body = loop->regions[1];
        terminator = region_terminator(body);
    }
    return loop;
}

static void simplify_region(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (op_is_sink(op)) {
            op_erase(op);
            continue;
        }
        if (lower_class(op, NULL) != LOWER_CONTROL) continue;
        if (op->code == OP_WHILE) {
            read_invariant_carries(op);
            op = drop_unused_carries(module, op);
        }
        for (int r = 0; r < op->region_count; r++) {
            simplify_region(module, op->regions[r]);
        }
        if (op->code == OP_WHILE) hoist_invariants(op);
    }
}

PassResult pass_simplify_loops(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    simplify_region(module, func_body(main));
    return PASS_CHANGED;
}

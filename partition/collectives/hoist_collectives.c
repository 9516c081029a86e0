// hoist_collectives: collectives whose operand does not change in a loop are done once, before it.
//
//   In      sdy collectives in the regions of stablehlo.while
//   Out     a collective that moves bytes, and whose operand is computed from values that stay the
//           same in every step, is before the loop, with the ops between
//   Keeps   the results; a loop that makes no step at all communicates once more
//
//   before  while (%a = %x, %i = %0) { %1 = sdy.all_gather %a ... return %a, %j }
//   after   %1 = sdy.all_gather %x
//           while (%a = %x, %i = %0) { ... return %a, %j }
#include "ir/analysis/effects.h"
#include "ir/analysis/loops.h"
#include "ir/builder.h"
#include "partition/passes.h"

#include <assert.h>

typedef struct Hoister {
    Module *module;
    Arena *scratch;
    bool changed;
} Hoister;

// The value before the loop that a value of the region equals in every step; NULL when there is
// none yet.
static Value *value_before(const Op *loop, PtrMap *hoisted, Value *value) {
    Value *outer = ptr_map_get(hoisted, value);
    return outer ? outer : loop_value_before(loop, value);
}

static bool may_hoist(const Op *op) {
    if (op_has_effect(op) || op->result_count != 1) return false;
    if (op->code == OP_REDUCE) return true;
    return op->region_count == 0;
}

// Of Shardy's collectives, those that move something between devices.
static bool is_collective(const Op *op) {
    bool is_free = op->code == OP_SDY_ALL_SLICE || op->code == OP_SDY_TO_UNREDUCED ||
                   op->code == OP_SDY_REPLICATED_TO_UNREDUCED;
    return op_is_sdy_collective(op) && !is_free;
}

static bool operands_stay(const Op *loop, PtrMap *invariant, const Op *op) {
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        bool stays = operand->def && ptr_map_has(invariant, operand->def);
        PtrMap none = {0};
        if (!stays && !value_before(loop, &none, operand)) return false;
    }
    return true;
}

// Clones the op, after what it needs, before the loop.
static Value *hoist(Hoister *hoister, Op *loop, PtrMap *hoisted, Op *op) {
    PtrMap renamed = ptr_map(hoister->scratch);
    for (int i = 0; i < op->operand_count; i++) {
        Value *operand = op_operand(op, i);
        Value *outer = value_before(loop, hoisted, operand);
        // what is not from before the loop is an op that goes too
        assert(outer || (operand && operand->def));
        if (!outer) outer = hoist(hoister, loop, hoisted, operand->def);
        ptr_map_set(&renamed, operand, outer);
    }
    Builder builder = builder_before(hoister->module, loop);
    builder.loc = op->loc;
    Value *outer = op_result(op_clone(&builder, op, &renamed), 0);
    ptr_map_set(hoisted, op_result(op, 0), outer);
    return outer;
}

static void hoist_from(Hoister *hoister, Op *loop, Region *region) {
    PtrMap invariant = ptr_map(hoister->scratch); // ops that could go
    PtrMap hoisted = ptr_map(hoister->scratch);   // values that did
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (!may_hoist(op) || !operands_stay(loop, &invariant, op)) continue;
        ptr_map_set(&invariant, op, op);
        if (!is_collective(op)) continue;
        Value *outer = hoist(hoister, loop, &hoisted, op);
        value_replace_uses(op_result(op, 0), outer);
        hoister->changed = true;
    }
}

// Inner loops first, so that what leaves them may leave the outer one too.
static void visit_region(Hoister *hoister, Region *region) {
    for (Op *op = region->first; op; op = op->next) {
        for (int r = 0; r < op->region_count; r++)
            visit_region(hoister, op->regions[r]);
        if (op->code != OP_WHILE) continue;
        hoist_from(hoister, op, op->regions[0]);
        hoist_from(hoister, op, op->regions[1]);
    }
}

PassResult pass_hoist_collectives(Module *module, PassContext *pass) {
    Hoister hoister = {.module = module, .scratch = pass->scratch};
    visit_region(&hoister, module->body);
    return hoister.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

// canonicalize: one form for what can be written in several, and algebra that
// keeps every bit of every result.
//
//   In      any verified module.
//   Out     the same results; chains of views, identities, constant predicates and
//           unneeded loop carries are gone.
//   Keeps   shardings: a value with a sharding is only replaced by one that has the same. Cannot
//           fail.
//
// Ops are visited in order, so that an op sees its operands simplified; a few sweeps catch what a
// rewrite made possible elsewhere.
//
//   before  %0 = stablehlo.transpose %a, dims = [1, 0]
//           %1 = stablehlo.transpose %0, dims = [1, 0]
//   after   %a
#include "ir/analysis/effects.h"
#include "ir/simplify/simplify.h"

static bool simplify_op(Simplifier *simplifier, Op *op) {
    return simplify_view(simplifier, op) || simplify_pointwise(simplifier, op) ||
           simplify_control(simplifier, op);
}

static bool is_dead(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i].uses) return false;
    }
    return op->result_count > 0 && op->region_count == 0 && !op_has_own_effect(op);
}

// Rewrites build before the op that they replace, so the next op is known beforehand.
static void sweep(Simplifier *simplifier, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (is_dead(op)) {
            op_erase(op);
            simplifier->changed = true;
            continue;
        }
        for (int i = 0; i < op->region_count; i++)
            sweep(simplifier, op->regions[i]);
        simplify_op(simplifier, op);
    }
}

// The last op first, so that a chain that became unused goes at once.
static void remove_dead(Simplifier *simplifier, Region *region) {
    for (Op *op = region->last, *prev; op; op = prev) {
        prev = op->prev;
        if (is_dead(op)) {
            op_erase(op);
            simplifier->changed = true;
            continue;
        }
        for (int i = 0; i < op->region_count; i++)
            remove_dead(simplifier, op->regions[i]);
    }
}

PassResult pass_canonicalize(Module *module, PassContext *pass) {
    enum { MAX_SWEEPS = 4 };
    bool changed = false;
    for (int i = 0; i < MAX_SWEEPS; i++) {
        Simplifier simplifier = {.module = module, .pass = pass};
        sweep(&simplifier, module->body);
        remove_dead(&simplifier, module->body);
        changed = changed || simplifier.changed;
        if (!simplifier.changed) break;
    }
    return changed ? PASS_CHANGED : PASS_UNCHANGED;
}

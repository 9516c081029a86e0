// dce: removes what nothing needs.
//
//   In      any verified module.
//   Out     no op without effects whose results are all unused; no private function that nothing
//           names.
//   Keeps   everything else. Cannot fail.
//
//   before  %0 = stablehlo.add %a, %b   (unused)
//   after   (nothing)
#include "base/vec.h"
#include "ir/analysis/effects.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct Dce {
    bool changed;
} Dce;

static bool is_unused(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (op->results[i].uses) return false;
    }
    return true;
}

// Last op first: the users of a value are seen before it. Says whether
// something in the region has an effect.
static bool sweep_region(Dce *dce, Region *region) {
    bool has_effect = false;
    for (Op *op = region->last, *prev; op; op = prev) {
        prev = op->prev;
        bool may_go = !op_has_own_effect(op) && is_unused(op);
        if (may_go && op->region_count == 0) {
            op_erase(op);
            dce->changed = true;
            continue;
        }
        bool inner_effect = false;
        for (int i = 0; i < op->region_count; i++)
            inner_effect = sweep_region(dce, op->regions[i]) || inner_effect;
        if (may_go && !inner_effect) {
            op_erase(op);
            dce->changed = true;
            continue;
        }
        bool own_effect = op_has_own_effect(op) && !op_has(op, TRAIT_TERMINATOR);
        has_effect = has_effect || own_effect || inner_effect;
    }
    return has_effect;
}

typedef VEC(Op *) OpList;

// Finds the functions that are named from what is kept.
typedef struct SymbolSearch {
    Arena *arena;
    StrMap funcs; // those not reached yet, by name
    OpList work;
    int depth;
} SymbolSearch;

static void reach_attr(SymbolSearch *search, const Attr *attr) {
    enum { MAX_DEPTH = 256 };
    if (!attr || search->depth > MAX_DEPTH) return;
    if (attr->kind == ATTR_SYMBOL) {
        Op *func = str_map_get(&search->funcs, attr->text);
        if (!func) return;
        str_map_set(&search->funcs, attr->text, NULL);
        vec_push(search->arena, &search->work, func);
    } else if (attr->kind == ATTR_ARRAY || attr->kind == ATTR_DICT) {
        search->depth++;
        for (int i = 0; i < attr->count; i++)
            reach_attr(search, attr->items[i]);
        search->depth--;
    }
}

static bool reach_from_op(Op *op, void *user) {
    SymbolSearch *search = user;
    for (int i = 0; i < op->attr_count; i++)
        reach_attr(search, op->attrs[i].value);
    reach_attr(search, op->extra);
    return true;
}

// Private functions that nothing else mentions.
static bool remove_unused_functions(Module *module, Arena *arena) {
    bool changed = false;
    SymbolSearch search = {.arena = arena, .funcs = str_map(arena)};
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code == OP_FUNC && func_is_private(op)) {
            str_map_set(&search.funcs, func_name(op), op);
        } else {
            vec_push(arena, &search.work, op);
        }
    }
    reach_attr(&search, module->op->extra);
    while (search.work.count) {
        Op *op = search.work.data[--search.work.count];
        reach_from_op(op, &search);
        for (int i = 0; i < op->region_count; i++)
            region_walk(op->regions[i], reach_from_op, &search);
    }
    for (Op *op = module->body->first, *next; op; op = next) {
        next = op->next;
        if (op->code != OP_FUNC || str_map_get(&search.funcs, func_name(op)) != op) continue;
        op_erase(op);
        changed = true;
    }
    return changed;
}

PassResult pass_symbol_dce(Module *module, PassContext *pass) {
    return remove_unused_functions(module, pass->scratch) ? PASS_CHANGED : PASS_UNCHANGED;
}

PassResult pass_dce(Module *module, PassContext *pass) {
    Dce dce = {0};
    for (Op *op = module->body->first; op; op = op->next) {
        for (int i = 0; i < op->region_count; i++)
            sweep_region(&dce, op->regions[i]);
    }
    bool erased = remove_unused_functions(module, pass->scratch);
    return dce.changed || erased ? PASS_CHANGED : PASS_UNCHANGED;
}

// cse: equal pure ops become one, the first.
//
//   In      any verified module.
//   Out     no two ops of the same code, operands, attributes, types and shardings where one sees the other. Ops with regions, with
//           effects, and Shardy's own (constants that were split on purpose, edges, reshards) stay.
//   Keeps   the first op's location. Cannot fail.
//
//   before  %0 = stablehlo.add %a, %b      %1 = stablehlo.add %b, %a
//   after   %0 = stablehlo.add %a, %b
#include "base/vec.h"
#include "ir/builder.h"
#include "ir/effects.h"
#include "ir/pass/passes.h"

// An op that later ones may be equal to; entries of one hash are chained.
typedef struct Entry {
    uint64_t hash;
    Op *op;
    struct Entry *next;
} Entry;

typedef struct Cse {
    Arena *arena;
    PtrMap table;         // hash -> Entry
    VEC(Entry *) visible; // in the order they were entered
    Entry *unused;        // entries of regions that were left
    bool changed;
} Cse;

static bool is_candidate(const Op *op) {
    return op->result_count > 0 && op->region_count == 0 && op_dialect(op) != DIALECT_SDY &&
           !op_has_own_effect(op) && op->code != OP_CUSTOM_CALL && op->code != OP_UNREGISTERED;
}

static bool is_swapped(const Op *op) {
    return op_has(op, TRAIT_COMMUTES) && op->operand_count == 2 &&
           op_operand(op, 0)->number > op_operand(op, 1)->number;
}

static const Value *ordered_operand(const Op *op, bool swapped, int i) {
    return op_operand(op, swapped ? 1 - i : i);
}

static uint64_t mix(uint64_t hash, const void *pointer) {
    return hash_bytes(&pointer, sizeof pointer, hash);
}

static uint64_t hash_op(const Op *op) {
    uint64_t hash = (uint64_t)op->code + 1;
    bool swapped = is_swapped(op);
    for (int i = 0; i < op->operand_count; i++) {
        int64_t number = ordered_operand(op, swapped, i)->number;
        hash = hash_bytes(&number, sizeof number, hash);
    }
    for (int i = 0; i < op->attr_count; i++)
        hash = mix(hash, op->attrs[i].value);
    for (int i = 0; i < op->result_count; i++)
        hash = mix(mix(hash, op->results[i].type), op->results[i].sharding);
    return hash ? hash : 1;
}

static bool ops_equal(const Op *a, const Op *b) {
    if (a->code != b->code || a->operand_count != b->operand_count ||
        a->result_count != b->result_count || a->attr_count != b->attr_count ||
        a->extra != b->extra)
        return false;
    bool a_swapped = is_swapped(a), b_swapped = is_swapped(b);
    for (int i = 0; i < a->operand_count; i++) {
        if (ordered_operand(a, a_swapped, i) != ordered_operand(b, b_swapped, i)) return false;
    }
    for (int i = 0; i < a->attr_count; i++) {
        if (a->attrs[i].name != b->attrs[i].name || a->attrs[i].value != b->attrs[i].value)
            return false;
    }
    for (int i = 0; i < a->result_count; i++) {
        if (a->results[i].type != b->results[i].type ||
            a->results[i].sharding != b->results[i].sharding)
            return false;
    }
    return true;
}

static const void *key_of(uint64_t hash) { return (const void *)(uintptr_t)hash; }

static void enter(Cse *cse, uint64_t hash, Op *op, Entry *chain) {
    Entry *entry = cse->unused;
    if (entry) {
        cse->unused = entry->next;
    } else {
        entry = ARENA_NEW(cse->arena, Entry);
    }
    *entry = (Entry){hash, op, chain};
    ptr_map_set(&cse->table, key_of(hash), entry);
    vec_push(cse->arena, &cse->visible, entry);
}

// Forgets what was entered since `count`: the regions that saw it are left.
static void leave(Cse *cse, int64_t count) {
    while (cse->visible.count > count) {
        Entry *entry = cse->visible.data[--cse->visible.count];
        ptr_map_set(&cse->table, key_of(entry->hash), entry->next);
        entry->next = cse->unused;
        cse->unused = entry;
    }
}

static void visit_op(Cse *cse, Op *op) {
    uint64_t hash = hash_op(op);
    Entry *chain = ptr_map_get(&cse->table, key_of(hash));
    for (Entry *entry = chain; entry; entry = entry->next) {
        if (!ops_equal(entry->op, op)) continue;
        for (int i = 0; i < op->result_count; i++)
            value_replace_uses(op_result(op, i), op_result(entry->op, i));
        op_erase(op);
        cse->changed = true;
        return;
    }
    enter(cse, hash, op, chain);
}

static void visit_region(Cse *cse, Region *region) {
    int64_t outside = cse->visible.count;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (is_candidate(op)) {
            visit_op(cse, op);
            continue;
        }
        if (op->region_count == 0) continue;
        if (!op_has(op, TRAIT_ISOLATED)) {
            for (int i = 0; i < op->region_count; i++)
                visit_region(cse, op->regions[i]);
            continue;
        }
        Cse inside = {.arena = cse->arena, .table = ptr_map(cse->arena)};
        for (int i = 0; i < op->region_count; i++)
            visit_region(&inside, op->regions[i]);
        cse->changed = cse->changed || inside.changed;
    }
    leave(cse, outside);
}

PassResult pass_cse(Module *module, PassContext *pass) {
    Cse cse = {.arena = pass->scratch, .table = ptr_map(pass->scratch)};
    visit_region(&cse, module->body);
    return cse.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

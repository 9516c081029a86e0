// merge_ops: see merge_ops.h. What was seen is found by a hash, and forgotten where its region
// ends.
#include "ir/simplify/merge_ops.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/builder.h"

// An op that later ones may be equal to; entries of one hash are chained.
typedef struct Entry {
    uint64_t hash;
    Op *op;
    struct Entry *next;
} Entry;

typedef struct Merger {
    Arena *arena;
    MayMergeFn *may_merge;
    PtrMap table;         // hash -> Entry
    VEC(Entry *) visible; // in the order they were entered
    Entry *unused;        // entries of regions that were left
    bool changed;
} Merger;

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
        hash = attr_hash(op->attrs[i].value, hash);
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
        if (a->attrs[i].name != b->attrs[i].name ||
            !attr_equal(a->attrs[i].value, b->attrs[i].value))
            return false;
    }
    for (int i = 0; i < a->result_count; i++) {
        if (a->results[i].type != b->results[i].type ||
            a->results[i].sharding != b->results[i].sharding)
            return false;
    }
    return a->region_count == 0 ||
           region_reduction_op(a->regions[0]) == region_reduction_op(b->regions[0]);
}

static const void *key_of(uint64_t hash) { return (const void *)(uintptr_t)hash; }

static void enter(Merger *merger, uint64_t hash, Op *op, Entry *chain) {
    Entry *entry = merger->unused;
    if (entry) {
        merger->unused = entry->next;
    } else {
        entry = ARENA_NEW(merger->arena, Entry);
    }
    *entry = (Entry){hash, op, chain};
    ptr_map_set(&merger->table, key_of(hash), entry);
    vec_push(merger->arena, &merger->visible, entry);
}

// Forgets what was entered since `count`: the regions that saw it are left.
static void leave(Merger *merger, int64_t count) {
    while (merger->visible.count > count) {
        Entry *entry = merger->visible.data[--merger->visible.count];
        ptr_map_set(&merger->table, key_of(entry->hash), entry->next);
        entry->next = merger->unused;
        merger->unused = entry;
    }
}

static void visit_op(Merger *merger, Op *op) {
    uint64_t hash = hash_op(op);
    Entry *chain = ptr_map_get(&merger->table, key_of(hash));
    for (Entry *entry = chain; entry; entry = entry->next) {
        if (!ops_equal(entry->op, op)) continue;
        for (int i = 0; i < op->result_count; i++)
            value_replace_uses(op_result(op, i), op_result(entry->op, i));
        op_erase(op);
        merger->changed = true;
        return;
    }
    enter(merger, hash, op, chain);
}

static void visit_region(Merger *merger, Region *region) {
    int64_t outside = merger->visible.count;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (merger->may_merge(op)) {
            visit_op(merger, op);
            continue;
        }
        if (op->region_count == 0) continue;
        if (!op_has(op, TRAIT_ISOLATED)) {
            for (int i = 0; i < op->region_count; i++)
                visit_region(merger, op->regions[i]);
            continue;
        }
        Merger inside = {
            .arena = merger->arena,
            .may_merge = merger->may_merge,
            .table = ptr_map(merger->arena),
        };
        for (int i = 0; i < op->region_count; i++)
            visit_region(&inside, op->regions[i]);
        merger->changed = merger->changed || inside.changed;
    }
    leave(merger, outside);
}

bool merge_ops(Region *region, Arena *scratch, MayMergeFn *may_merge) {
    Merger merger = {.arena = scratch, .may_merge = may_merge, .table = ptr_map(scratch)};
    visit_region(&merger, region);
    return merger.changed;
}

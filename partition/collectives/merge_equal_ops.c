// merge_equal_ops: equal ops become one, Shardy's constants, reshards and collectives and simple reductions included.
//
//   In      a module whose shardings are final
//   Out     sdy.constant is stablehlo.constant; no two equal ops of which one sees the other
//   Keeps   ops with effects, and ops with regions but for reductions with a body of one op
//
//   before  %1 = sdy.reshard %0 [{}]      %2 = sdy.reshard %0 [{}]
//   after   %1 = sdy.reshard %0 [{}]
#include "base/map.h"
#include "ir/builder.h"
#include "ir/effects.h"
#include "partition/passes.h"

typedef struct Entry {
    Op *op;
    struct Entry *next; // of the same hash
} Entry;

typedef struct Merger {
    Arena *scratch;
    PtrMap table; // hash to Entry*
    bool changed;
} Merger;

static bool is_candidate(const Op *op) {
    if (op->result_count == 0 || op_has(op, TRAIT_EFFECT) || op_has_own_effect(op)) return false;
    if (op->code == OP_REDUCE)
        return op->result_count == 1 && region_reduction_op(op->regions[0]) != OP_COUNT;
    return op->region_count == 0;
}

static const void *hash_op(const Op *op) {
    uint64_t hash = (uint64_t)op->code + 1;
    for (int i = 0; i < op->operand_count; i++) {
        const int32_t *number = &op_operand(op, i)->number;
        hash = hash_bytes(number, sizeof *number, hash);
    }
    for (int i = 0; i < op->attr_count; i++)
        hash = attr_hash(op->attrs[i].value, hash);
    return (const void *)(uintptr_t)(hash | 1);
}

static bool attrs_equal(const Op *a, const Op *b) {
    if (a->attr_count != b->attr_count) return false;
    for (int i = 0; i < a->attr_count; i++) {
        if (a->attrs[i].name != b->attrs[i].name) return false;
        if (!attr_equal(a->attrs[i].value, b->attrs[i].value)) return false;
    }
    return a->extra == b->extra;
}

static bool ops_equal(const Op *a, const Op *b) {
    if (a->code != b->code || a->operand_count != b->operand_count ||
        a->result_count != b->result_count || !attrs_equal(a, b)) {
        return false;
    }
    for (int i = 0; i < a->operand_count; i++) {
        if (op_operand(a, i) != op_operand(b, i)) return false;
    }
    for (int i = 0; i < a->result_count; i++) {
        if (a->results[i].type != b->results[i].type) return false;
        if (a->results[i].sharding != b->results[i].sharding) return false;
    }
    return a->region_count == 0 ||
           region_reduction_op(a->regions[0]) == region_reduction_op(b->regions[0]);
}

// Is what the region holds in sight of the op? Isolated regions (manual computations) see nothing from outside.
static bool sees(const Op *op, const Region *region) {
    for (const Region *at = op->parent; at; at = at->owner ? at->owner->parent : NULL) {
        if (at == region) return true;
        if (at->owner && op_has(at->owner, TRAIT_ISOLATED)) return false;
    }
    return false;
}

static bool visit(Op *op, void *user) {
    Merger *merger = user;
    if (op->code == OP_SDY_CONSTANT) {
        op->code = OP_CONSTANT;
        op->name = op_code_text(OP_CONSTANT);
        merger->changed = true;
    }
    if (!is_candidate(op)) return true;
    const void *hash = hash_op(op);
    Entry *first = ptr_map_get(&merger->table, hash);
    for (Entry *entry = first; entry; entry = entry->next) {
        // Ops are visited in order: what was seen in an enclosing region comes before.
        if (!ops_equal(entry->op, op) || !sees(op, entry->op->parent)) continue;
        for (int i = 0; i < op->result_count; i++) {
            value_replace_uses(op_result(op, i), op_result(entry->op, i));
        }
        op_erase(op);
        merger->changed = true;
        return true;
    }
    Entry *entry = ARENA_NEW(merger->scratch, Entry);
    *entry = (Entry){op, first};
    ptr_map_set(&merger->table, hash, entry);
    return true;
}

PassResult pass_merge_equal_ops(Module *module, PassContext *pass) {
    Merger merger = {.scratch = pass->scratch, .table = ptr_map(pass->scratch)};
    region_walk(module->body, visit, &merger);
    return merger.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

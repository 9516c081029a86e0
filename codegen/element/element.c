// The element of a value at an index: bound, remembered, or found (find_element.c).
#include "codegen/element/element.h"

#include <string.h>

enum { MAX_ELEMENT_DEPTH = 600, ELEMENT_BUCKETS = 512 }; // nesting of fused ops

// What expr_of found.
typedef struct ElementEntry {
    const Value *value;
    const IndexExpr *device;
    int environment;
    const IndexExpr *const *index; // [value's rank]
    const Expr *x;
    struct ElementEntry *next;
} ElementEntry;

const Expr *element_fail(ExprBuilder *b, const Value *value, const char *why) {
    const Op *op = value->def;
    if (!b->failed)
        diag_unsupported(
            b->diags, op ? op->loc : value->loc, "%s '%.*s' in native code", why,
            SV_ARG(op ? op->name : SV("argument")));
    b->failed = true;
    return expr_real(b, value->type->element, 0);
}

void expr_bind(ExprBuilder *b, const Value *value, const Expr *x) {
    int64_t i = b->bindings.count - 1;
    while (i >= 0 && b->bindings.data[i].value != value)
        i--;
    if (i >= 0) {
        b->bindings.count--;
        for (; i < b->bindings.count; i++)
            b->bindings.data[i] = b->bindings.data[i + 1];
    }
    if (x) {
        ValueBinding binding = {value, x};
        vec_push(b->arena, &b->bindings, binding);
    }
    b->environment = ++b->last_environment; // what was found before may contain the value
}

void expr_of_region(
    ExprBuilder *b, const Region *region, const Expr *const *arguments, const Expr **results) {
    int64_t count = b->bindings.count;
    int environment = b->environment;
    const IndexExpr *none[MAX_RANK] = {NULL};
    for (int i = 0; i < region->arg_count; i++) {
        ValueBinding binding = {region->args[i], arguments[i]};
        vec_push(b->arena, &b->bindings, binding);
    }
    b->environment = ++b->last_environment;
    const Op *end = region_terminator(region);
    for (int i = 0; i < end->operand_count; i++)
        results[i] = expr_of(b, op_operand(end, i), none);
    b->bindings.count = count;
    b->environment = environment;
}

static uint64_t element_hash(
    const ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    int64_t key[3] = {value->number, b->device ? b->device->number : -1, b->environment};
    uint64_t hash = hash_bytes(key, sizeof key, 1);
    for (int d = 0; d < value->type->rank; d++) {
        int64_t number = index[d]->number;
        hash = hash_bytes(&number, sizeof number, hash);
    }
    return hash;
}

const Expr *expr_of(ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    if (b->failed) return expr_real(b, value->type->element, 0);
    for (int64_t i = b->bindings.count - 1; i >= 0; i--) {
        if (b->bindings.data[i].value == value) return b->bindings.data[i].x;
    }
    if (b->depth >= MAX_ELEMENT_DEPTH)
        return element_fail(b, value, "an expression is nested too deeply at");
    int rank = value->type->rank;
    size_t size = (size_t)rank * sizeof index[0];
    ElementEntry **bucket = &b->elements[element_hash(b, value, index) % ELEMENT_BUCKETS];
    for (const ElementEntry *entry = *bucket; entry; entry = entry->next) {
        if (entry->value == value && entry->device == b->device &&
            entry->environment == b->environment &&
            (rank == 0 || memcmp(entry->index, index, size) == 0))
            return entry->x;
    }
    b->depth++;
    const Expr *x = expr_by_device(b, b->find_element(b, value, index));
    b->depth--;
    ElementEntry *entry = ARENA_NEW(b->arena, ElementEntry);
    *entry = (ElementEntry){value, b->device, b->environment, NULL, x, *bucket};
    if (rank) entry->index = arena_copy(b->arena, index, size);
    *bucket = entry;
    return x;
}

// The element of a value at an index, as an expression: through fused ops down to stored values, bound values and constants.
#include "codegen/plan/element.h"

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

const IndexExpr *expr_element_number(
    ExprBuilder *b, const Value *stored, const IndexExpr *const *index) {
    int k = kernel_operand(b->kernel, stored);
    const Buffer *buffer = k < b->kernel->output_count
                               ? b->kernel->outputs[k].buffer
                               : b->kernel->inputs[k - b->kernel->output_count].buffer;
    const IndexExpr *at = index_constant(b->index, 0);
    for (int d = 0; d < stored->type->rank; d++)
        at = index_add(b->index, at, index_scale(b->index, index[d], buffer->strides[d]));
    return at;
}

static const Expr *element_of_pointwise(
    ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    const Op *op = value->def;
    const Expr *operands[3];
    if (op->operand_count > 3) return element_fail(b, value, "too many operands of");
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = expr_of(b, op_operand(op, i), index); // a scalar operand ignores the index
    return b->failed ? expr_real(b, value->type->element, 0) : expr_op(b, op, operands);
}

static const Expr *element_of_map(ExprBuilder *b, const Op *op, const IndexExpr *const *index) {
    const Expr **arguments =
        (const Expr **)arena_alloc_array(b->arena, op->operand_count, sizeof(Expr *));
    const Expr *result = NULL;
    for (int i = 0; i < op->operand_count; i++)
        arguments[i] = expr_of(b, op_operand(op, i), index);
    expr_of_region(b, op->regions[0], arguments, &result);
    return result;
}

static const Expr *find_element(ExprBuilder *b, const Value *value, const IndexExpr *const *index) {
    if (kernel_operand(b->kernel, value) >= b->kernel->output_count)
        return expr_load(b, value, b->device, index);
    if (!value->def) return element_fail(b, value, "an argument is not stored:");
    const Op *op = value->def;
    if (op->code == OP_MAP) return element_of_map(b, op, index);
    if (op_has(op, TRAIT_POINTWISE)) return element_of_pointwise(b, value, index);
    if (op->code == OP_REDUCE || op->code == OP_ALL_REDUCE || op->code == OP_REDUCE_SCATTER)
        return element_of_reduction(b, op, value->index, index);
    const Expr *x = element_of_view(b, value, index);
    if (!x) x = element_of_collective(b, value, index);
    return x ? x : element_fail(b, value, "no elementwise form of");
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
    const Expr *x = find_element(b, value, index);
    b->depth--;
    ElementEntry *entry = ARENA_NEW(b->arena, ElementEntry);
    *entry = (ElementEntry){value, b->device, b->environment, NULL, x, *bucket};
    if (rank) entry->index = arena_copy(b->arena, index, size);
    *bucket = entry;
    return x;
}

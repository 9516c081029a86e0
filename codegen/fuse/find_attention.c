// attention: finds products of a softmax of another product, which become one
// kernel each (plan/attention.h).
//
//   In      infos with costs, before anything is decided.
//   Out     ValueInfo.streamed of the values between the two products, and of both results. All of
//           them are computed in the kernel alone: nobody else reads them.
//
// From a product's operand back to the product of the scores all values must be elementwise, views
// or folds. Whether they are a softmax is decided on expressions (attention_of), on a kernel whose
// inputs are the values that go in.
#include "codegen/element/element.h"
#include "codegen/fuse/fuse.h"
#include "codegen/plan/attention.h"

enum {
    MOST_VALUES = 96,   // between the products
    LONGEST_TAIL = 16,  // ops behind them
    FEWEST_QUERIES = 8, // fewer do not fill vectors
    FEWEST_KEYS = 8,
    USUAL_CHUNK = 96 // queries
};

typedef struct Search {
    Fusion *fusion;
    Arena *arena;
    const Op *product, *scores;
    int weights;
    PtrMap known;                // Value: INSIDE or OUTSIDE
    VEC(const Value *) inside;   // they depend on the scores
    VEC(const Value *) going_in; // they are read, and do not
    VEC(const Value *) tail; // what the rows' sums make of the product, the last one Streamed.end
    bool failed;
} Search;

enum { INSIDE = 1, OUTSIDE = 2, TAIL = 3 };

// ---- the values between

// The products that the value depends on through elementwise ops, views and folds.
static void find_products(
    Search *search, const Value *value, PtrMap *seen, const Op **found, int *count) {
    enum { MOST = 4 };
    const Op *op = value->def;
    if (!op || op->parent != search->product->parent || ptr_map_has(seen, value)) return;
    if (seen->count > MOST_VALUES) return;
    ptr_map_set(seen, value, search);
    if (op->code == OP_DOT_GENERAL && *count < MOST) found[(*count)++] = op;
    LowerClass lower = lower_class(op, NULL);
    if ((lower != LOWER_ELEMENT && lower != LOWER_REDUCE) || op_has(op, TRAIT_COLLECTIVE)) return;
    for (int i = 0; i < op->operand_count; i++)
        find_products(search, op_operand(op, i), seen, found, count);
}

// Does the value depend on the scores? Collects what does, and what is read by it.
static bool depends(Search *search, const Value *value) {
    intptr_t known = (intptr_t)ptr_map_get(&search->known, value);
    if (known) return known == INSIDE;
    const Op *op = value->def;
    bool is_scores = op == search->scores, is_inside = is_scores;
    LowerClass lower = op ? lower_class(op, NULL) : LOWER_NONE;
    bool passes = op && op->parent == search->product->parent && !op_has(op, TRAIT_COLLECTIVE) &&
                  (lower == LOWER_ELEMENT || lower == LOWER_REDUCE);
    if (search->inside.count > MOST_VALUES) search->failed = true;
    ptr_map_set(&search->known, value, (void *)(intptr_t)OUTSIDE);
    for (int i = 0; passes && !is_scores && i < op->operand_count && !search->failed; i++)
        is_inside = depends(search, op_operand(op, i)) || is_inside;
    if (!is_inside) return false;
    ptr_map_set(&search->known, value, (void *)(intptr_t)INSIDE);
    vec_push(search->arena, &search->inside, value);
    if (op->result_count != 1 || op->region_count > (op->code == OP_REDUCE)) search->failed = true;
    return true;
}

// The sum may divide the product instead of the weights: elementwise ops on the product up to the
// last one that reads something of the scores.
static void find_tail(Search *search) {
    const Value *value = op_result(search->product, 0);
    int64_t needed = 0;
    search->tail.count = 0;
    while (search->tail.count < LONGEST_TAIL) {
        const Use *use = value->uses;
        if (!use || use->next) break; // read once
        const Op *op = use->owner;
        if (!op_has(op, TRAIT_POINTWISE) || op->parent != search->product->parent) break;
        if (!type_same_shape(op_result_type(op, 0), value->type)) break;
        bool reads_scores = false;
        for (int i = 0; i < op->operand_count; i++) {
            if (op_operand(op, i) != value && depends(search, op_operand(op, i)))
                reads_scores = true;
        }
        value = op_result(op, 0);
        vec_push(search->arena, &search->tail, value);
        if (reads_scores) needed = search->tail.count;
    }
    search->tail.count = needed;
    for (int64_t i = 0; i < needed; i++)
        ptr_map_set(&search->known, search->tail.data[i], (void *)(intptr_t)TAIL);
}

// Nobody else reads them.
static bool are_alone(const Search *search) {
    for (int64_t i = 0; i < search->inside.count; i++) {
        for (const Use *use = search->inside.data[i]->uses; use; use = use->next) {
            const Op *owner = use->owner;
            if (owner == search->product && use_index(use) == search->weights) continue;
            if (owner->result_count != 1 || owner->parent != search->product->parent) return false;
            intptr_t known = (intptr_t)ptr_map_get(&search->known, op_result(owner, 0));
            if (known != INSIDE && known != TAIL) return false;
        }
    }
    return true;
}

static void add_input(Search *search, const Value *value) {
    intptr_t known = (intptr_t)ptr_map_get(&search->known, value);
    if (known == INSIDE || known == TAIL || value == op_result(search->product, 0)) return;
    if (value->def && value_info(search->fusion, value)->is_free) return; // part of the expressions
    for (int64_t i = 0; i < search->going_in.count; i++) {
        if (search->going_in.data[i] == value) return;
    }
    vec_push(search->arena, &search->going_in, value);
}

static void add_operands(Search *search, const Op *op) {
    for (int i = 0; i < op->operand_count; i++)
        add_input(search, op_operand(op, i));
}

static void find_inputs(Search *search) {
    for (int64_t i = 0; i < search->inside.count; i++)
        add_operands(search, search->inside.data[i]->def);
    for (int64_t i = 0; i < search->tail.count; i++)
        add_operands(search, search->tail.data[i]->def);
    add_input(search, op_operand(search->product, 1 - search->weights));
}

// ---- is it attention?

// A kernel of the values that go in, with what it stores.
static Kernel *trial_kernel(Search *search) {
    Kernel *kernel = ARENA_NEW(search->arena, Kernel);
    kernel->kind = KERNEL_ATTENTION;
    kernel->root = search->product;
    kernel = kernel_with_input(search->arena, kernel, op_result(search->scores, 0));
    for (int64_t i = 0; i < search->going_in.count; i++)
        kernel = kernel_with_input(search->arena, kernel, search->going_in.data[i]);
    const Value *end = search->tail.count ? search->tail.data[search->tail.count - 1]
                                          : op_result(search->product, 0);
    // an output's memory is described as an input's
    const Kernel *as_input = kernel_with_input(search->arena, kernel, end);
    kernel->outputs = &as_input->inputs[kernel->input_count];
    kernel->output_count = 1;
    return kernel;
}

static const Attention *find_stage(Search *search) {
    const DeviceProgram *program = search->fusion->plan->program;
    const Kernel *kernel = trial_kernel(search);
    Diags *quiet = diags_create(search->arena);
    ExprBuilder *b = expr_builder_create(search->arena, program, kernel, -1, quiet);
    Attention *a = attention_of(b, search->product, search->weights, search->scores);
    if (!a || !attention_add_stores(stage_create(b, STAGE_ATTENTION, 1), a)) return NULL;
    bool pays = a->query.extent >= FEWEST_QUERIES && a->key.extent >= FEWEST_KEYS &&
                a->outer.extent > 0 && a->depth.extent > 0 && a->column.extent > 0;
    return pays ? a : NULL;
}

// What the scores read that is computed from constants and indices alone is not stored: a mask of
// all queries and keys would be as large as the scores.
static bool is_of_indices(Fusion *fusion, const Value *value, PtrMap *seen) {
    enum { MOST_WORK = 32 };
    const Op *op = value->def;
    if (!op || seen->count > MOST_VALUES) return false;
    const ValueInfo *info = value_info(fusion, value);
    if (info->is_free || ptr_map_has(seen, value)) return true;
    if (info->work > MOST_WORK || op->operand_count == 0) return false;
    if (!op_has(op, TRAIT_VIEW) && !op_has(op, TRAIT_POINTWISE)) return false;
    ptr_map_set(seen, value, fusion);
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_of_indices(fusion, op_operand(op, i), seen)) return false;
    }
    return true;
}

static void set_free(Fusion *fusion, const Value *value) {
    if (value_info(fusion, value)->is_free) return;
    value_info(fusion, value)->is_free = true;
    for (int i = 0; i < value->def->operand_count; i++)
        set_free(fusion, op_operand(value->def, i));
}

static bool is_multiplied(const Search *search, const Value *value) {
    return value == op_operand(search->scores, 0) || value == op_operand(search->scores, 1) ||
           value == op_operand(search->product, 1 - search->weights);
}

static void mark(Search *search, const Attention *a) {
    Streamed *streamed = ARENA_NEW(search->fusion->plan->arena, Streamed);
    *streamed = (Streamed){
        .product = search->product,
        .scores = search->scores,
        .query_blocks = (a->query.extent + USUAL_CHUNK - 1) / USUAL_CHUNK};
    if (search->tail.count) streamed->end = search->tail.data[search->tail.count - 1];
    for (int64_t i = 0; i < search->tail.count; i++)
        value_info(search->fusion, search->tail.data[i])->streamed = streamed;
    for (int64_t i = 0; i < search->inside.count; i++)
        value_info(search->fusion, search->inside.data[i])->streamed = streamed;
    value_info(search->fusion, op_result(search->product, 0))->streamed = streamed;
    for (int64_t i = 0; i < search->going_in.count; i++) {
        const Value *value = search->going_in.data[i];
        PtrMap seen = ptr_map(search->arena);
        if (!is_multiplied(search, value) && is_of_indices(search->fusion, value, &seen))
            set_free(search->fusion, value);
    }
}

static bool try_scores(Search *search) {
    search->known = ptr_map(search->arena);
    search->inside.count = search->going_in.count = 0;
    search->failed = false;
    if (!depends(search, op_operand(search->product, search->weights)) || search->failed)
        return false;
    if (depends(search, op_operand(search->product, 1 - search->weights)) || search->failed)
        return false;
    find_tail(search);
    if (search->failed || !are_alone(search)) return false;
    find_inputs(search);
    const Attention *a = find_stage(search);
    if (a) mark(search, a);
    return a != NULL;
}

static void try_product(Fusion *fusion, const Op *op) {
    for (int weights = 0; weights < 2; weights++) {
        Arena *scratch = arena_child(fusion->plan->arena);
        Search *search = ARENA_NEW(scratch, Search);
        *search = (Search){.fusion = fusion, .arena = scratch, .product = op, .weights = weights};
        const Op *found[8];
        int count = 0;
        PtrMap seen = ptr_map(scratch);
        find_products(search, op_operand(op, weights), &seen, found, &count);
        bool is_found = false;
        for (int i = 0; i < count && !is_found; i++) {
            search->scores = found[i];
            is_found = !value_info(fusion, op_result(found[i], 0))->streamed && try_scores(search);
        }
        arena_reset(scratch);
        if (is_found) return;
    }
}

static void find_in_region(Fusion *fusion, const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->code == OP_DOT_GENERAL) try_product(fusion, op);
        if (lower_class(op, NULL) != LOWER_CONTROL) continue;
        for (int r = 0; r < op->region_count; r++)
            find_in_region(fusion, op->regions[r]);
    }
}

void find_attention(Fusion *fusion) {
    find_in_region(fusion, func_body(fusion->plan->program->main));
}

double attention_evaluations(const Streamed *streamed, const Op *op, int operand) {
    (void)operand;
    return op == streamed->product || op == streamed->scores ? (double)streamed->query_blocks : 1;
}

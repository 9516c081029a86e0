// join_reductions: reductions of the same elements become one kernel, so that these come from
// memory once: a sum and a sum of squares, the gradients of a norm's scale and offset.
//
//   In      the roots, and who reads each value.
//   Out     of two kernels of one simple reduction each, over the same dimensions of operands of
//           one shape that are made element by element of some common array of that size, the
//           earlier one is made by the later one if nobody needs its results before, or with the
//           later one where it stands if that has all that it reads by then.
//   Keeps   sums of floats go with sums of floats, as long ones are summed in blocks.
#include "codegen/fuse/readers.h"

enum {
    MOST_REDUCTIONS = 4,
    MOST_MEMBERS = 8,
    SEARCH_DEPTH = 16,
    MOST_ARRAYS = 32,
    MOST_VALUES = 256
};

static bool is_candidate(const FusionRoot *root) {
    return root->kind == KERNEL_REDUCE && root->op->code == OP_REDUCE &&
           root->op->result_count == 1 && !root->has_rows && !root->is_closed && !root->sends &&
           !root->moves_lanes && root->members.count > 0 &&
           region_reduction_op(root->op->regions[0]) != OP_COUNT;
}

static bool sums_floats(const Op *op) {
    return region_reduction_op(op->regions[0]) == OP_ADD &&
           element_is_float(op_operand_type(op, 0)->element);
}

static bool same_dimensions(const Op *a, const Op *b) {
    IntSpan x = op_ints(a, NAME_DIMENSIONS), y = op_ints(b, NAME_DIMENSIONS);
    if (x.count != y.count || !type_same_shape(op_operand_type(a, 0), op_operand_type(b, 0)))
        return false;
    uint64_t of_a = 0, of_b = 0;
    for (int i = 0; i < x.count; i++) {
        of_a |= (uint64_t)1 << x.data[i];
        of_b |= (uint64_t)1 << y.data[i];
    }
    return of_a == of_b;
}

// ---- what they read

// Arrays of as many elements as the operand, which it is made of element by element.
typedef struct Arrays {
    int64_t elements;
    int count;
    const Value *list[MOST_ARRAYS];
} Arrays;

static void find_arrays(const Fusion *fusion, const Value *value, int depth, Arrays *arrays) {
    if (type_element_count(value->type) != arrays->elements || arrays->count == MOST_ARRAYS) return;
    for (int i = 0; i < arrays->count; i++) {
        if (arrays->list[i] == value) return;
    }
    const Op *op = value->def;
    if (op && op_has(op, TRAIT_CONSTANT)) return;
    arrays->list[arrays->count++] = value;
    if (value_info(fusion, value)->is_stored || !op || depth == 0) return;
    if (!op_has(op, TRAIT_POINTWISE) && op->code != OP_RESHAPE) return;
    for (int i = 0; i < op->operand_count; i++)
        find_arrays(fusion, op_operand(op, i), depth - 1, arrays);
}

static bool share_array(const Fusion *fusion, const Op *a, const Op *b) {
    Arrays of_a = {.elements = type_element_count(op_operand_type(a, 0))}, of_b = of_a;
    find_arrays(fusion, op_operand(a, 0), SEARCH_DEPTH, &of_a);
    find_arrays(fusion, op_operand(b, 0), SEARCH_DEPTH, &of_b);
    for (int i = 0; i < of_a.count; i++) {
        for (int k = 0; k < of_b.count; k++) {
            if (of_a.list[i] == of_b.list[k] && !value_info(fusion, of_a.list[i])->is_free)
                return true;
        }
    }
    return false;
}

// ---- joining

static const FusionRoot *kernel_of(const FusionRoot *root) {
    while (root->joined)
        root = root->joined;
    return root;
}

// Are all results of `earlier` read after `later` only, or by what it makes of its own result?
static bool can_wait(Readers *const *readers, const FusionRoot *earlier, const FusionRoot *later) {
    for (int64_t m = 0; m < earlier->members.count; m++) {
        const Readers *of = readers[earlier->members.data[m]->number];
        if (!of || of->is_nested || of->first_position <= later->position) return false;
        for (int i = 0; i < of->count; i++) {
            const FusionRoot *reader = kernel_of(of->list[i].root);
            bool is_inside = reader == later && of->list[i].path == 0; // it is an expression there
            if (!is_inside && (reader == later || reader->position <= later->position))
                return false;
        }
    }
    return true;
}

// ---- what it reads

typedef struct Walk {
    const Fusion *fusion;
    int64_t before; // position
    PtrMap seen;
    int count;
} Walk;

// Is all that the value is made of stored by then?
static bool is_ready(Walk *walk, const Value *value, bool is_output) {
    if (ptr_map_has(&walk->seen, value)) return true;
    ptr_map_set(&walk->seen, value, walk);
    const Op *op = value->def;
    if (++walk->count > MOST_VALUES) return false;
    if (!op || op_has(op, TRAIT_CONSTANT)) return true;
    const ValueInfo *info = value_info(walk->fusion, value);
    if (info->is_stored && !is_output) {
        const FusionRoot *root = info->root ? kernel_of(info->root) : NULL;
        int64_t position = walk->fusion->positions[op->number];
        return (root && root->position > position ? root->position : position) < walk->before;
    }
    for (int i = 0; i < op->operand_count; i++) {
        if (!is_ready(walk, op_operand(op, i), false)) return false;
    }
    return true;
}

// Can `later` stand where `earlier` does?
static bool can_move(const Fusion *fusion, const FusionRoot *earlier, const FusionRoot *later) {
    Walk walk = {fusion, earlier->position, ptr_map(fusion->plan->arena), 0};
    for (int64_t m = 0; m < later->members.count; m++) {
        if (!is_ready(&walk, later->members.data[m], true)) return false;
    }
    return true;
}

static bool are_alike(const Fusion *fusion, const FusionRoot *earlier, const FusionRoot *later) {
    return earlier->region == later->region && earlier->position < later->position &&
           later->also.count + earlier->also.count + 2 <= MOST_REDUCTIONS &&
           later->members.count + earlier->members.count <= MOST_MEMBERS &&
           later->fused_ops + earlier->fused_ops <= FUSED_OPS_LIMIT &&
           same_dimensions(earlier->op, later->op) &&
           sums_floats(earlier->op) == sums_floats(later->op) &&
           share_array(fusion, earlier->op, later->op);
}

static void join(Fusion *fusion, FusionRoot *earlier, FusionRoot *later) {
    Arena *arena = fusion->plan->arena;
    vec_push(arena, &later->also, earlier->op);
    for (int64_t i = 0; i < earlier->also.count; i++)
        vec_push(arena, &later->also, earlier->also.data[i]);
    for (int64_t m = 0; m < earlier->members.count; m++) {
        vec_push(arena, &later->members, earlier->members.data[m]);
        vec_push(arena, &later->maps, earlier->maps.data[m]);
        value_info(fusion, earlier->members.data[m])->root = later;
    }
    value_info(fusion, op_result(earlier->op, 0))->root = later;
    later->fused_ops += earlier->fused_ops;
    later->has_epilogue = true; // outputs are no longer in the order of one op's results
    earlier->members.count = 0;
    earlier->joined = later;
}

void join_reductions(Fusion *fusion, Readers *const *readers) {
    for (int64_t l = 0; l < fusion->roots.count; l++) {
        FusionRoot *later = fusion->roots.data[l];
        if (!is_candidate(later)) continue;
        for (int64_t i = l + 1; i < fusion->roots.count; i++) { // roots were found last to first
            FusionRoot *earlier = fusion->roots.data[i];
            if (!is_candidate(earlier) || !are_alike(fusion, earlier, later)) continue;
            bool waits = can_wait(readers, earlier, later);
            if (!waits && !can_move(fusion, earlier, later)) continue;
            if (!waits) later->position = earlier->position;
            join(fusion, earlier, later);
        }
    }
}

// split_reductions: reductions in two levels where one level would leave most lanes idle.
//
//   In      a device program in canonical form.
//   Out     a reduce of a large array to few results first reduces P parts of one dimension, then
//           the P partial results. The tree depends on the shape alone, so the bits do not depend
//           on the number of threads. Where a dimension that stays lies between the reduced ones,
//           what lies together in memory is reduced first, so that memory is read in order.
//   Keeps   what the program computes, but for the order of summation.
//
//   before  %1 = reduce(%0) over [0, 1] : [512, 1024] -> []
//   after   %1 = reshape(%0) : [64, 8, 1024]
//           %2 = reduce(%1) over [1, 2] : [64]
//           %3 = reduce(%2) over [0] : []
#include "codegen/kernel/lower_class.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    SPLIT_ELEMENTS = 128 << 10, // operands from this size on
    FEW_RESULTS = 64,           // up to so many results
    ROWS_LOW = 16,              // so many rows are enough for the lanes
    SEARCH_DEPTH = 8,
    LONG_ROW = 256, // elements that lie together and are worth a level
    PARTS_LOW = 4,
    PARTS_HIGH = 64 // parts of a dimension
};

// The largest divisor of size in [PARTS_LOW, PARTS_HIGH]; 0 = none.
static int64_t part_count(int64_t size) {
    for (int64_t parts = PARTS_HIGH; parts >= PARTS_LOW; parts--) {
        if (size % parts == 0 && size > parts) return parts;
    }
    return 0;
}

// Is the value, or what is made of it element by element, spread over `elements` elements?
static bool is_spread(const Value *value, int64_t elements, int depth) {
    for (const Use *use = value->uses; use && depth > 0; use = use->next) {
        const Op *owner = use->owner;
        bool goes_on = owner->result_count == 1 &&
                       (op_has(owner, TRAIT_POINTWISE) || op_has(owner, TRAIT_VIEW));
        if (!goes_on) continue;
        const Value *result = op_result(owner, 0);
        if (type_element_count(result->type) >= elements || is_spread(result, elements, depth - 1))
            return true;
    }
    return false;
}

// The result is needed for the very elements that are reduced (norms, softmax), and these lie
// together: a kernel makes each row as a whole.
static bool is_of_rows(const Op *op) {
    const Type *type = op_operand_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] < type->rank - dims.count) return false;
    }
    return type_element_count(op_result_type(op, 0)) >= ROWS_LOW &&
           is_spread(op_result(op, 0), type_element_count(type), SEARCH_DEPTH);
}

static bool wants_parts(const Op *op) {
    if (op->operand_count != 2 || op->result_count != 1) return false;
    int64_t elements = type_element_count(op_operand_type(op, 0));
    int64_t results = type_element_count(op_result_type(op, 0));
    return elements >= SPLIT_ELEMENTS && results > 0 && results <= FEW_RESULTS && !is_of_rows(op);
}

// reduce over `dims` with the same body as op.
static Value *build_same_reduce(
    Builder *builder, const Op *op, Value *x, Value *init, int count, const int64_t *dims) {
    int64_t kept[MAX_RANK];
    int rank = 0;
    for (int d = 0; d < x->type->rank; d++) {
        bool reduced = false;
        for (int i = 0; i < count; i++) {
            reduced = reduced || dims[i] == d;
        }
        if (!reduced) kept[rank++] = x->type->dims[d];
    }
    Module *module = builder->module;
    const Type *type = type_tensor(module->context, op_result_type(op, 0)->element, rank, kept);
    Value *operands[] = {x, init};
    Op *reduce = build_op(builder, OP_REDUCE, 2, operands, 1, &type, 1);
    op_set_attr(module, reduce, NAME_DIMENSIONS, attr_ints(module->context, count, dims));
    PtrMap values = ptr_map(module->arena);
    region_clone_into(module, reduce->regions[0], op->regions[0], &values);
    return op_result(reduce, 0);
}

// The first reduced dimension that can be cut; -1 = none.
static int find_cut(const Op *op, int64_t *parts) {
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    for (int i = 0; i < dims.count; i++) {
        *parts = part_count(op_operand_type(op, 0)->dims[dims.data[i]]);
        if (*parts > 0) return (int)dims.data[i];
    }
    return -1;
}

// The number of last dimensions that are reduced, if they are long and another one is reduced
// beyond one that stays; else 0.
static int last_reduced(const Op *op) {
    const Type *type = op_operand_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    bool is_reduced[MAX_RANK] = {false};
    int count = 0;
    int64_t row = 1;
    for (int i = 0; i < dims.count; i++)
        is_reduced[dims.data[i]] = true;
    for (int d = type->rank - 1; d >= 0 && is_reduced[d]; d--, count++)
        row *= type->dims[d];
    bool goes_on = false, stays = false;
    for (int d = type->rank - count - 1; d >= 0; d--) {
        stays = stays || (!is_reduced[d] && type->dims[d] > 1);
        goes_on = goes_on || (stays && is_reduced[d] && type->dims[d] > 1);
    }
    bool is_wide = element_bits(type->element) >=
                   32; // the first level's results are not rounded more than the sum
    return goes_on && is_wide && row >= LONG_ROW && type_element_count(type) >= SPLIT_ELEMENTS
               ? count
               : 0;
}

// reduce over the last `count` dimensions, then over the others.
static void split_last(Module *module, Op *op, int count, const Attr *neutral) {
    Builder builder = builder_before(module, op);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    int64_t last[MAX_RANK], rest[MAX_RANK];
    int rank = op_operand_type(op, 0)->rank, lasts = 0, rests = 0;
    for (int i = 0; i < dims.count; i++) {
        if (dims.data[i] >= rank - count)
            last[lasts++] = dims.data[i];
        else
            rest[rests++] = dims.data[i];
    }
    Value *partial = build_same_reduce(
        &builder, op, op_operand(op, 0), build_constant(&builder, neutral), lasts, last);
    Value *whole = build_same_reduce(&builder, op, partial, op_operand(op, 1), rests, rest);
    value_replace_uses(op_result(op, 0), whole);
    op_erase(op);
}

static void split_reduce(Module *module, Op *op) {
    if (op->operand_count != 2 || op->result_count != 1) return;
    OpCode body = region_reduction_op(op->regions[0]);
    int64_t parts = 0;
    int cut = wants_parts(op) && body != OP_COUNT ? find_cut(op, &parts) : -1;
    const Type *type = op_operand_type(op, 0);
    int last = body != OP_COUNT ? last_reduced(op) : 0;
    if ((cut < 0 && !last) || type->rank == MAX_RANK ||
        op_result_type(op, 0)->element != type->element)
        return;
    const Attr *neutral =
        reduction_neutral(module->context, body, type_scalar(module->context, type->element));
    if (!neutral) return;
    if (last) {
        split_last(module, op, last, neutral);
        return;
    }
    Builder builder = builder_before(module, op);
    // [.., size, ..] is [.., parts, size/parts, ..]; the parts stay for the second level.
    int64_t dims[MAX_RANK];
    for (int d = 0, to = 0; d < type->rank; d++) {
        if (d == cut) dims[to++] = parts;
        dims[to++] = d == cut ? type->dims[d] / parts : type->dims[d];
    }
    Value *view = build_reshape(&builder, op_operand(op, 0), type->rank + 1, dims);
    IntSpan reduced = op_ints(op, NAME_DIMENSIONS);
    int64_t first[MAX_RANK], second = 0;
    for (int i = 0; i < reduced.count; i++) {
        first[i] = reduced.data[i] >= cut ? reduced.data[i] + 1 : reduced.data[i];
    }
    for (int d = 0; d < cut; d++) {
        bool is_reduced = false;
        for (int i = 0; i < reduced.count; i++) {
            is_reduced = is_reduced || reduced.data[i] == d;
        }
        if (!is_reduced) second++;
    }
    Value *partial = build_same_reduce(
        &builder, op, view, build_constant(&builder, neutral), reduced.count, first);
    Value *whole = build_same_reduce(&builder, op, partial, op_operand(op, 1), 1, &second);
    value_replace_uses(op_result(op, 0), whole);
    op_erase(op);
}

static void split_region(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_REDUCE && !op_extra(op, REDUCES_IN_ORDER)) {
            split_reduce(module, op);
        } else if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++) {
                split_region(module, op->regions[r]);
            }
        }
    }
}

PassResult pass_split_reductions(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    split_region(module, func_body(main));
    return PASS_CHANGED;
}

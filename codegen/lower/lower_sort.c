// lower_sort: sort and top_k, slice by slice, stable.
//
// What is sorted is a list of positions; the operands are read in its order at the end. A comparator that compares the same function of both
// elements (k(x) < k(y), also with NaN handling around) becomes an integer key whose order is the comparator's: radix sort, eight bits a
// pass, or merge sort of (key, position) for short slices. Any other comparator: merge sort of positions, elements loaded from the scratch.
//
// Source of the radix sort: Knuth, The Art of Computer Programming 3, 5.2.5 (least significant digit first).
#include "codegen/lower/lower_sort.h"

#include "codegen/emit/lower.h"

#include <string.h>

typedef const IndexExpr *Index;

static int64_t round_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

static int sort_inputs(const Op *op) { return op->code == OP_CHLO_TOP_K ? 1 : op->operand_count; }

// --- the key ---

// Does the expression (in the comparator) depend on argument `arg` alone? Otherwise -2; -1 = on no argument.
static int depends_on(const Region *region, const Value *value, int depth) {
    if (value->region == region) return value->index;
    if (!value->def || value->def->parent != region) return -1;
    if (depth == 0 || (!op_has(value->def, TRAIT_POINTWISE) && !op_has(value->def, TRAIT_CONSTANT)))
        return -2;
    int result = -1;
    for (int i = 0; i < value->def->operand_count; i++) {
        int on = depends_on(region, op_operand(value->def, i), depth - 1);
        if (on == -2 || (on >= 0 && result >= 0 && on != result)) return -2;
        if (on >= 0) result = on;
    }
    return result;
}

// Are x of argument a and y of argument b the same expression?
static bool same_function(
    const Region *region, const Value *x, const Value *y, int a, int b, int depth) {
    if (x->region == region || y->region == region)
        return x->region == region && y->region == region && x->index == a && y->index == b;
    if (x == y) return depends_on(region, x, depth) == -1;
    if (!x->def || !y->def || x->def->code != y->def->code || x->type != y->type || depth == 0)
        return false;
    if (x->def->operand_count != y->def->operand_count || x->def->attr_count != y->def->attr_count)
        return false;
    for (int i = 0; i < x->def->attr_count; i++) {
        if (x->def->attrs[i].name != y->def->attrs[i].name ||
            !attr_equal(x->def->attrs[i].value, y->def->attrs[i].value))
            return false;
    }
    for (int i = 0; i < x->def->operand_count; i++) {
        if (!same_function(region, op_operand(x->def, i), op_operand(y->def, i), a, b, depth - 1))
            return false;
    }
    return true;
}

enum { MAX_KEY_DEPTH = 16 };

SortKey sort_key(const Op *op) {
    SortKey key = {.operand = -1};
    if (op->code == OP_CHLO_TOP_K) {
        key.operand = 0;
        key.element = op_operand_type(op, 0)->element;
        key.is_descending = op_int(op, NAME_LARGEST, 1) != 0;
        key.is_total = true;
        return element_class(key.element) == CLASS_COMPLEX ? (SortKey){.operand = -1} : key;
    }
    const Region *region = op->regions[0];
    const Op *end = region_terminator(region);
    const Op *compare = end && end->operand_count == 1 ? op_operand(end, 0)->def : NULL;
    if (!compare || compare->code != OP_COMPARE || compare->parent != region) return key;
    int64_t direction = op_int(compare, NAME_COMPARISON_DIRECTION, 0);
    if (direction != DIRECTION_LT && direction != DIRECTION_GT) return key;
    const Value *x = op_operand(compare, 0), *y = op_operand(compare, 1);
    int a = depends_on(region, x, MAX_KEY_DEPTH), b = depends_on(region, y, MAX_KEY_DEPTH);
    if (a < 0 || b < 0 || a == b || a / 2 != b / 2) return key;
    if (!same_function(region, x, y, a, b, MAX_KEY_DEPTH)) return key;
    if (element_class(x->type->element) == CLASS_COMPLEX) return key;
    key.element = x->type->element;
    key.operand = a / 2;
    key.argument = a;
    key.function = x;
    key.is_descending = (direction == DIRECTION_GT) != (a > b);
    key.is_total = op_int(compare, NAME_COMPARE_TYPE, COMPARE_NOTYPE) == COMPARE_TOTALORDER;
    return key;
}

int sort_key_bits(const SortKey *key) {
    int bits = element_bits(key->element);
    if (element_class(key->element) == CLASS_FLOAT && bits < 16) return 32; // as f32
    return bits < 8 ? 8 : bits;
}

// The key as an unsigned integer whose order is the comparator's.
static LLVMValueRef ordered_key(Emit *e, const SortKey *key, Scalar x) {
    LLVMBuilderRef b = e->builder;
    unsigned bits = (unsigned)sort_key_bits(key);
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, bits);
    ElementClass class = element_class(x.element);
    LLVMValueRef top = LLVMConstInt(type, (uint64_t)1 << (bits - 1), 0), result;
    if (class == CLASS_FLOAT) {
        LLVMValueRef pattern = LLVMBuildBitCast(b, x.value, type, "");
        if (!key->is_total) { // -0 is 0
            LLVMValueRef is_minus_zero = LLVMBuildICmp(b, LLVMIntEQ, pattern, top, "");
            pattern = LLVMBuildSelect(b, is_minus_zero, LLVMConstNull(type), pattern, "");
        }
        LLVMValueRef sign = LLVMBuildAShr(b, pattern, LLVMConstInt(type, bits - 1, 0), "");
        result = LLVMBuildXor(b, pattern, LLVMBuildOr(b, sign, top, ""), "");
    } else if (class == CLASS_SINT) {
        result = LLVMBuildXor(b, LLVMBuildIntCast2(b, x.value, type, 1, ""), top, "");
    } else {
        result = LLVMBuildIntCast2(b, x.value, type, 0, "");
    }
    return key->is_descending ? LLVMBuildNot(b, result, "") : result;
}

static Scalar key_of_element(Emit *e, const SortKey *key, Scalar x) {
    if (!key->function) return x;
    Index none[MAX_RANK] = {NULL};
    const Value *argument = e->kernel->root->regions[0]->args[key->argument];
    emit_scope_push(e, SCOPE_BRANCH);
    emit_bind(e, argument, &x);
    Scalar result = emit_element(e, key->function, none);
    emit_bind(e, argument, NULL);
    emit_scope_pop(e);
    return result;
}

// --- slices ---

// [start of element `position` of the slice] in operand or result `type`.
static void slice_index(const SortSlice *slice, Index position, Index *at) {
    for (int d = 0; d < slice->rank; d++)
        at[d] = d == slice->dimension ? position : slice->at[d];
}

LLVMValueRef sort_key_at(Emit *e, const SortPlan *plan, const SortSlice *slice, Index position) {
    Index at[MAX_RANK];
    slice_index(slice, position, at);
    Scalar x = emit_element(e, op_operand(plan->op, plan->key.operand), at);
    if (!e->failed) x = key_of_element(e, &plan->key, x);
    return e->failed ? NULL : ordered_key(e, &plan->key, x);
}

static SortPlan sort_plan(const Op *op) {
    SortPlan plan = {.op = op, .inputs = sort_inputs(op), .key = sort_key(op)};
    plan.type = op_operand_type(op, 0);
    plan.dimension =
        op->code == OP_CHLO_TOP_K ? plan.type->rank - 1 : (int)op_int(op, NAME_DIMENSION, -1);
    if (plan.dimension < 0) plan.dimension += plan.type->rank;
    plan.count = plan.type->rank ? plan.type->dims[plan.dimension] : 1;
    plan.rows = plan.count ? type_element_count(plan.type) / plan.count : 0;
    int64_t at = 0, k = op->code == OP_CHLO_TOP_K ? op_int(op, NAME_K, 0) : 0;
    plan.positions[0] = at;
    if (top_k_pays(&plan, k)) {
        plan.chosen = k;
        plan.scratch = top_k_place(&plan, round_up(4 * k, 64));
        return plan;
    }
    at += round_up(4 * plan.count, 64);
    plan.positions[1] = at;
    at += round_up(4 * plan.count, 64);
    if (plan.key.operand >= 0) {
        int64_t bytes = round_up(sort_key_bits(&plan.key) / 8 * plan.count, 64);
        plan.keys[0] = at;
        plan.keys[1] = at + bytes;
        at += 2 * bytes;
        plan.histogram = at;
        at += 4 * SORT_BUCKETS * 8;
    } else {
        for (int i = 0; i < plan.inputs && i < MAX_REDUCED; i++) {
            plan.elements[i] = at;
            at +=
                round_up((int64_t)element_bytes(op_operand_type(op, i)->element) * plan.count, 64);
        }
    }
    plan.scratch = at;
    return plan;
}

void sort_grid(Kernel *kernel, const Target *target) {
    (void)target;
    SortPlan plan = sort_plan(kernel->root);
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 20 * type_element_count(plan.type);
    int64_t grid = grid_of_bytes(4 * kernel->bytes);
    kernel->grid = grid < plan.rows ? grid : plan.rows > 0 ? plan.rows : 1;
    kernel->scratch_bytes = plan.scratch;
}

// Positions 0, 1, 2 ... and the keys, or the elements, of one slice into the scratch.
static void load_slice(Emit *e, const SortPlan *plan, const SortSlice *slice) {
    EmitLoop *loop = emit_loop_constant(e, plan->count, true);
    Index at[MAX_RANK];
    slice_index(slice, loop->index, at);
    Scalar position = {.element = ELEMENT_I32};
    position.value = LLVMBuildTrunc(e->builder, loop->phi, LLVMInt32TypeInContext(e->context), "");
    emit_private_store(e, ELEMENT_I32, emit_scratch(e, plan->positions[0]), loop->phi, position);
    if (plan->key.operand >= 0) {
        LLVMValueRef key = sort_key_at(e, plan, slice, loop->index);
        if (key) sort_store_key(e, plan, 0, loop->phi, key);
    } else {
        for (int i = 0; i < plan->inputs && !e->failed; i++) {
            const Value *operand = op_operand(plan->op, i);
            Scalar x = emit_element(e, operand, at);
            if (!e->failed)
                emit_private_store(
                    e, operand->type->element, emit_scratch(e, plan->elements[i]), loop->phi, x);
        }
    }
    emit_loop_end(e, loop);
}

// Does the element at position a of the list come before the one at b, by the comparator?
LLVMValueRef sort_comes_before(Emit *e, const SortPlan *plan, LLVMValueRef a, LLVMValueRef b) {
    Scalar arguments[2 * MAX_REDUCED], result;
    LLVMValueRef at[2] = {
        LLVMBuildZExt(e->builder, a, emit_i64(e), ""),
        LLVMBuildZExt(e->builder, b, emit_i64(e), "")};
    const Region *body = plan->op->regions[0];
    for (int i = 0; i < plan->inputs; i++) {
        ElementType element = op_operand_type(plan->op, i)->element;
        for (int side = 0; side < 2; side++) {
            Scalar x = emit_private_load(e, element, emit_scratch(e, plan->elements[i]), at[side]);
            arguments[2 * i + side] = emit_convert(e, x, body->args[2 * i + side]->type->element);
        }
    }
    if (!emit_scalar_region(e, body, arguments, &result))
        return LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0);
    return result.value;
}

// The results in the order of the sorted list, which lies in half `half` (an i1) of the positions.
static void store_slice(Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef half) {
    bool is_top_k = plan->op->code == OP_CHLO_TOP_K;
    int64_t count = is_top_k ? op_int(plan->op, NAME_K, 0) : plan->count;
    LLVMValueRef list = LLVMBuildSelect(
        e->builder, half, emit_scratch(e, plan->positions[1]), emit_scratch(e, plan->positions[0]),
        "");
    EmitLoop *loop = emit_loop_constant(e, count, true);
    Scalar position = emit_private_load(e, ELEMENT_I32, list, loop->phi);
    Index to[MAX_RANK], from[MAX_RANK];
    slice_index(slice, loop->index, to);
    LLVMValueRef place = LLVMBuildZExt(e->builder, position.value, emit_i64(e), "");
    slice_index(slice, emit_variable(e, place, plan->count), from);
    for (int i = 0; i < plan->inputs && !e->failed; i++) {
        const Value *result = op_result(plan->op, i);
        if (kernel_operand(e->kernel, result) < 0) continue;
        Scalar x = emit_element(e, op_operand(plan->op, i), from);
        if (!e->failed) emit_store(e, result, emit_address(e, result, to), x);
    }
    const Value *places = is_top_k ? op_result(plan->op, 1) : NULL;
    if (places && kernel_operand(e->kernel, places) >= 0)
        emit_store(
            e, places, emit_address(e, places, to),
            emit_convert(e, position, places->type->element));
    emit_loop_end(e, loop);
}

static LLVMValueRef sort_slice(Emit *e, const SortPlan *plan, const SortSlice *slice) {
    load_slice(e, plan, slice);
    if (e->failed) return NULL;
    bool by_digits = plan->key.operand >= 0 && plan->count > SORT_RADIX;
    return by_digits ? sort_radix(e, plan) : sort_merge(e, plan);
}

bool sort_emit(Emit *e) {
    SortPlan plan = sort_plan(e->kernel->root);
    if (plan.count > INT32_MAX || plan.inputs > MAX_REDUCED) {
        diag_unsupported(
            e->diags, plan.op->loc,
            "'%.*s' of so many elements or operands is not supported in native code",
            SV_ARG(plan.op->name));
        return false;
    }
    if (plan.count == 0 || plan.rows == 0) return true;
    LLVMValueRef rows = emit_i64_constant(e, plan.rows),
                 grid = emit_i64_constant(e, e->kernel->grid);
    LLVMValueRef first =
        LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, e->begin, rows, ""), grid, "");
    LLVMValueRef last =
        LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, e->end, rows, ""), grid, "");
    EmitLoop *loop = emit_loop_begin(e, first, last, 1, plan.rows, false);
    SortSlice slice = {.rank = plan.type->rank, .dimension = plan.dimension};
    int64_t dims[MAX_RANK];
    for (int d = 0; d < plan.type->rank; d++)
        dims[d] = d == plan.dimension ? 1 : plan.type->dims[d];
    index_delinear(e->index, loop->index, plan.type->rank, dims, slice.at);
    LLVMValueRef half = LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0);
    if (plan.chosen)
        top_k_select(e, &plan, &slice);
    else
        half = sort_slice(e, &plan, &slice);
    if (!e->failed) store_slice(e, &plan, &slice, half);
    emit_loop_end(e, loop);
    return !e->failed;
}

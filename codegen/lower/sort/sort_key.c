// The keys by which slices are sorted, comparators, and counters.
#include "codegen/lower/sort/sort.h"

typedef const IndexExpr *Index;

LLVMValueRef sort_minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
}

LLVMValueRef sort_local(Emit *e, LLVMValueRef start) {
    LLVMValueRef local = emit_local(e, ELEMENT_I64);
    LLVMBuildStore(e->builder, start, local);
    return local;
}

LLVMValueRef sort_get(Emit *e, LLVMValueRef local) {
    return LLVMBuildLoad2(e->builder, emit_i64(e), local, "");
}

// Does the expression (in the comparator) depend on argument `arg` alone?
// Otherwise -2; -1 = on no argument.
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

// [start of element `position` of the slice] in operand or result `type`.
void sort_slice_index(const SortSlice *slice, Index position, Index *at) {
    for (int d = 0; d < slice->rank; d++)
        at[d] = d == slice->dimension ? position : slice->at[d];
}

LLVMValueRef sort_key_at(Emit *e, const SortPlan *plan, const SortSlice *slice, Index position) {
    Index at[MAX_RANK];
    sort_slice_index(slice, position, at);
    Scalar x = emit_element(e, op_operand(plan->op, plan->key.operand), at);
    if (!e->failed) x = key_of_element(e, &plan->key, x);
    return e->failed ? NULL : ordered_key(e, &plan->key, x);
}

// The element at a position of the list, or (of runs) of the slice.
static Scalar element_of(
    Emit *e, const SortPlan *plan, const SortSlice *slice, int operand, Index position) {
    if (!slice) {
        ElementType element = op_operand_type(plan->op, operand)->element;
        LLVMValueRef elements = emit_scratch(e, plan->elements[operand]);
        return emit_private_load(e, element, elements, emit_index(e, position));
    }
    Index at[MAX_RANK];
    sort_slice_index(slice, position, at);
    return emit_element(e, op_operand(plan->op, operand), at);
}

static LLVMValueRef compare(
    Emit *e, const SortPlan *plan, const SortSlice *slice, Index a, Index b) {
    Scalar arguments[2 * MAX_REDUCED], result;
    const Region *body = plan->op->regions[0];
    for (int i = 0; i < 2 * plan->inputs; i++) {
        Scalar x = element_of(e, plan, slice, i / 2, i % 2 ? b : a);
        if (e->failed) return NULL;
        arguments[i] = emit_convert(e, x, body->args[i]->type->element);
    }
    return emit_scalar_region(e, body, arguments, &result) ? result.value : NULL;
}

LLVMValueRef sort_comes_before(
    Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef a, LLVMValueRef b) {
    Index both[2];
    for (int i = 0; i < 2; i++)
        both[i] =
            emit_variable(e, LLVMBuildZExt(e->builder, i ? b : a, emit_i64(e), ""), plan->count);
    LLVMValueRef result = compare(e, plan, slice, both[0], both[1]);
    return result ? result : LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0);
}

LLVMValueRef sort_comes_before_in(
    Emit *e, const SortPlan *plan, const SortSlice *slice, Index a, Index b) {
    if (plan->key.operand < 0) return compare(e, plan, slice, a, b);
    LLVMValueRef x = sort_key_at(e, plan, slice, a), y = sort_key_at(e, plan, slice, b);
    return x && y ? LLVMBuildICmp(e->builder, LLVMIntULT, x, y, "") : NULL;
}

static ElementType key_element(const SortPlan *plan) {
    switch (sort_key_bits(&plan->key)) {
    case 8: return ELEMENT_UI8;
    case 16: return ELEMENT_UI16;
    case 32: return ELEMENT_UI32;
    default: return ELEMENT_UI64;
    }
}

LLVMValueRef sort_load_key(Emit *e, const SortPlan *plan, LLVMValueRef keys, LLVMValueRef at) {
    return emit_private_load(e, key_element(plan), keys, at).value;
}

void sort_store_key_in(
    Emit *e, const SortPlan *plan, LLVMValueRef keys, LLVMValueRef at, LLVMValueRef key) {
    emit_private_store(
        e, key_element(plan), keys, at, (Scalar){.element = key_element(plan), .value = key});
}

void sort_store_key(Emit *e, const SortPlan *plan, int half, LLVMValueRef at, LLVMValueRef key) {
    sort_store_key_in(e, plan, emit_scratch(e, plan->keys[half]), at, key);
}

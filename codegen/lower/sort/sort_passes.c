// The two ways to sort a slice: merging runs of growing length, and
// distributing by digits of the key.
#include "codegen/lower/sort/sort.h"

static LLVMTypeRef i32_of(Emit *e) { return LLVMInt32TypeInContext(e->context); }

static LLVMValueRef load_position(Emit *e, LLVMValueRef list, LLVMValueRef at) {
    return emit_private_load(e, ELEMENT_I32, list, at).value;
}

static void store_position(Emit *e, LLVMValueRef list, LLVMValueRef at, LLVMValueRef position) {
    emit_private_store(
        e, ELEMENT_I32, list, at, (Scalar){.element = ELEMENT_I32, .value = position});
}

// The source and the destination of a pass: half `half` and the other one.
typedef struct Halves {
    LLVMValueRef from, to, from_keys, to_keys; // keys: NULL without
} Halves;

static Halves choose_halves(Emit *e, const SortPlan *plan, LLVMValueRef half) {
    LLVMValueRef p0 = emit_scratch(e, plan->positions[0]), p1 = emit_scratch(e, plan->positions[1]);
    Halves h = {
        .from = LLVMBuildSelect(e->builder, half, p1, p0, ""),
        .to = LLVMBuildSelect(e->builder, half, p0, p1, "")};
    if (plan->key.operand < 0) return h;
    LLVMValueRef k0 = emit_scratch(e, plan->keys[0]), k1 = emit_scratch(e, plan->keys[1]);
    h.from_keys = LLVMBuildSelect(e->builder, half, k1, k0, "");
    h.to_keys = LLVMBuildSelect(e->builder, half, k0, k1, "");
    return h;
}

// --- merging ---

// Two neighbouring sorted parts of the list: up to `middle`, up to `end`; left and right: how far
// they are merged (locals).
typedef struct Parts {
    LLVMValueRef left, right, middle, end;
    LLVMValueRef last; // of the list: reads beyond a part stay inside
    const SortSlice *slice;
} Parts;

// One element of the merged part: from the right part when the left one is used up or
// the right element comes first.
static void merge_one(
    Emit *e, const SortPlan *plan, const Halves *h, const Parts *parts, LLVMValueRef to) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef left = parts->left, right = parts->right, last = parts->last;
    LLVMValueRef i = sort_get(e, left), j = sort_get(e, right);
    LLVMValueRef has_left = LLVMBuildICmp(b, LLVMIntSLT, i, parts->middle, "");
    LLVMValueRef has_right = LLVMBuildICmp(b, LLVMIntSLT, j, parts->end, "");
    LLVMValueRef at_i = sort_minimum(e, i, last), at_j = sort_minimum(e, j, last);
    LLVMValueRef x = load_position(e, h->from, at_i), y = load_position(e, h->from, at_j), is_less,
                 kx = NULL, ky = NULL;
    if (h->from_keys) {
        kx = sort_load_key(e, plan, h->from_keys, at_i);
        ky = sort_load_key(e, plan, h->from_keys, at_j);
        is_less = LLVMBuildICmp(b, LLVMIntULT, ky, kx, "");
    } else {
        is_less = sort_comes_before(e, plan, parts->slice, y, x);
    }
    LLVMValueRef takes_right = LLVMBuildAnd(b, has_right, is_less, "");
    takes_right = LLVMBuildOr(b, takes_right, LLVMBuildNot(b, has_left, ""), "");
    store_position(e, h->to, to, LLVMBuildSelect(b, takes_right, y, x, ""));
    if (h->from_keys)
        sort_store_key_in(e, plan, h->to_keys, to, LLVMBuildSelect(b, takes_right, ky, kx, ""));
    LLVMValueRef step = LLVMBuildZExt(b, takes_right, emit_i64(e), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, j, step, ""), right);
    LLVMBuildStore(b, LLVMBuildAdd(b, i, LLVMBuildSub(b, number(e, 1), step, ""), ""), left);
}

// What is merged first: single elements, or what the list has of each run.
static int64_t part_count(const SortPlan *plan) {
    return plan->runs > 1 ? plan->runs : plan->count;
}

int sort_merge_passes(const SortPlan *plan) {
    int passes = 0;
    while (((int64_t)1 << passes) < part_count(plan))
        passes++;
    return passes;
}

// Where part number x of the list begins, or where the list ends.
static LLVMValueRef part_begin(Emit *e, const SortPlan *plan, LLVMValueRef x, LLVMValueRef count) {
    if (plan->runs == 1) return sort_minimum(e, x, count);
    return sort_number(e, plan->segments, sort_minimum(e, x, number(e, plan->runs)));
}

LLVMValueRef sort_merge(Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef count) {
    LLVMBuilderRef b = e->builder;
    int passes = sort_merge_passes(plan);
    EmitLoop *pass = emit_loop_constant(e, passes, false);
    LLVMValueRef half = LLVMBuildTrunc(b, pass->phi, LLVMInt1TypeInContext(e->context), "");
    Halves h = choose_halves(e, plan, half);
    LLVMValueRef width = LLVMBuildShl(b, number(e, 1), pass->phi, "");
    LLVMValueRef both = LLVMBuildAdd(b, width, width, ""), parts = number(e, part_count(plan));
    LLVMValueRef pairs = LLVMBuildUDiv(
        b, LLVMBuildAdd(b, parts, LLVMBuildSub(b, both, number(e, 1), ""), ""), both, "");
    Parts pair = {
        .left = sort_local(e, number(e, 0)), .right = sort_local(e, number(e, 0)), .slice = slice};
    pair.last = LLVMBuildSub(b, count, number(e, 1), "");
    EmitLoop *each = emit_loop_begin(e, number(e, 0), pairs, 1, part_count(plan), false);
    LLVMValueRef first = LLVMBuildMul(b, each->phi, both, "");
    LLVMValueRef second = LLVMBuildAdd(b, first, width, "");
    LLVMValueRef start = part_begin(e, plan, first, count);
    pair.middle = part_begin(e, plan, second, count);
    pair.end = part_begin(e, plan, LLVMBuildAdd(b, second, width, ""), count);
    LLVMBuildStore(b, start, pair.left);
    LLVMBuildStore(b, pair.middle, pair.right);
    EmitLoop *loop = emit_loop_begin(e, start, pair.end, 1, plan->count, false);
    merge_one(e, plan, &h, &pair, loop->phi);
    emit_loop_end(e, loop);
    emit_loop_end(e, each);
    emit_loop_end(e, pass);
    return LLVMConstInt(LLVMInt1TypeInContext(e->context), (unsigned)passes & 1, 0);
}

// --- digits ---

// Which of the digit's counts is the key's: histogram[digit][256].
static LLVMValueRef bucket_of(Emit *e, LLVMValueRef key, LLVMValueRef digit) {
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMTypeOf(key);
    LLVMValueRef shift =
        LLVMBuildIntCast2(b, LLVMBuildShl(b, digit, number(e, 3), ""), type, 0, "");
    LLVMValueRef bits =
        LLVMBuildTrunc(b, LLVMBuildLShr(b, key, shift, ""), LLVMInt8TypeInContext(e->context), "");
    LLVMValueRef counts = LLVMBuildMul(b, digit, number(e, SORT_BUCKETS), "");
    return LLVMBuildAdd(b, LLVMBuildZExt(b, bits, emit_i64(e), ""), counts, "");
}

// Counts of all digits in one pass over the keys.
static void count_digits(
    Emit *e, const SortPlan *plan, int digits, LLVMValueRef count, LLVMValueRef histogram) {
    EmitLoop *clear = emit_loop_constant(e, (int64_t)digits * SORT_BUCKETS, true);
    store_position(e, histogram, clear->phi, LLVMConstInt(i32_of(e), 0, 0));
    emit_loop_end(e, clear);
    LLVMValueRef keys = emit_scratch(e, plan->keys[0]);
    EmitLoop *loop = emit_loop_begin(e, number(e, 0), count, 1, plan->count, false);
    LLVMValueRef key = sort_load_key(e, plan, keys, loop->phi);
    for (int digit = 0; digit < digits; digit++) {
        LLVMValueRef at = bucket_of(e, key, number(e, digit));
        LLVMValueRef before = load_position(e, histogram, at);
        store_position(
            e, histogram, at, LLVMBuildAdd(e->builder, before, LLVMConstInt(i32_of(e), 1, 0), ""));
    }
    emit_loop_end(e, loop);
}

// Counts of one digit to the places where its buckets begin. Returns whether all keys have the same
// digit.
static LLVMValueRef start_buckets(
    Emit *e, LLVMValueRef histogram, LLVMValueRef digit, LLVMValueRef count) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef sum = emit_local(e, ELEMENT_I32), largest = emit_local(e, ELEMENT_I32);
    LLVMValueRef zero = LLVMConstInt(i32_of(e), 0, 0);
    LLVMBuildStore(b, zero, sum);
    LLVMBuildStore(b, zero, largest);
    LLVMValueRef first = LLVMBuildMul(b, digit, number(e, SORT_BUCKETS), "");
    EmitLoop *loop = emit_loop_constant(e, SORT_BUCKETS, false);
    LLVMValueRef at = LLVMBuildAdd(b, loop->phi, first, "");
    LLVMValueRef own = load_position(e, histogram, at);
    LLVMValueRef before = LLVMBuildLoad2(b, i32_of(e), sum, "");
    LLVMValueRef sizes[2] = {own, LLVMBuildLoad2(b, i32_of(e), largest, "")};
    store_position(e, histogram, at, before);
    LLVMBuildStore(b, LLVMBuildAdd(b, before, own, ""), sum);
    LLVMBuildStore(b, emit_intrinsic(e, "llvm.umax", i32_of(e), 2, sizes), largest);
    emit_loop_end(e, loop);
    LLVMValueRef size =
        LLVMBuildZExt(b, LLVMBuildLoad2(b, i32_of(e), largest, ""), emit_i64(e), "");
    return LLVMBuildICmp(b, LLVMIntEQ, size, count, "");
}

static void distribute(
    Emit *e, const SortPlan *plan, const Halves *h, LLVMValueRef histogram, LLVMValueRef digit,
    LLVMValueRef count) {
    EmitLoop *loop = emit_loop_begin(e, number(e, 0), count, 1, plan->count, false);
    LLVMValueRef key = sort_load_key(e, plan, h->from_keys, loop->phi);
    LLVMValueRef position = load_position(e, h->from, loop->phi);
    LLVMValueRef at = bucket_of(e, key, digit);
    LLVMValueRef place = load_position(e, histogram, at);
    store_position(
        e, histogram, at, LLVMBuildAdd(e->builder, place, LLVMConstInt(i32_of(e), 1, 0), ""));
    LLVMValueRef to = LLVMBuildZExt(e->builder, place, emit_i64(e), "");
    sort_store_key_in(e, plan, h->to_keys, to, key);
    store_position(e, h->to, to, position);
    emit_loop_end(e, loop);
}

LLVMValueRef sort_radix(Emit *e, const SortPlan *plan, LLVMValueRef count) {
    int digits = sort_key_bits(&plan->key) / 8;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    LLVMValueRef histogram = emit_scratch(e, plan->histogram), half = emit_local(e, ELEMENT_I1);
    LLVMBuildStore(e->builder, LLVMConstInt(i1, 0, 0), half);
    count_digits(e, plan, digits, count, histogram);
    EmitLoop *digit = emit_loop_constant(e, digits, false);
    LLVMValueRef is_same = start_buckets(e, histogram, digit->phi, count);
    // a digit that all share is skipped
    EmitIf branch = emit_if(e, LLVMBuildNot(e->builder, is_same, ""));
    LLVMValueRef now = LLVMBuildLoad2(e->builder, i1, half, "");
    Halves h = choose_halves(e, plan, now);
    distribute(e, plan, &h, histogram, digit->phi, count);
    LLVMBuildStore(e->builder, LLVMBuildNot(e->builder, now, ""), half);
    emit_end_if(e, &branch);
    emit_loop_end(e, digit);
    return LLVMBuildLoad2(e->builder, i1, half, "");
}

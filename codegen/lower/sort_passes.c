// The two ways to sort a slice: merging runs of growing length, and
// distributing by digits of the key.
#include "codegen/lower/sort.h"

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }
static LLVMTypeRef i32_of(Emit *e) { return LLVMInt32TypeInContext(e->context); }

static LLVMValueRef minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.smin", emit_i64(e), 2, both);
}

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

static LLVMValueRef local_i64(Emit *e, int64_t start) {
    LLVMValueRef local = emit_local(e, ELEMENT_I64);
    LLVMBuildStore(e->builder, number(e, start), local);
    return local;
}

static LLVMValueRef get(Emit *e, LLVMValueRef local) {
    return LLVMBuildLoad2(e->builder, emit_i64(e), local, "");
}

// --- merging ---

// One element of the merged run: from the right part when the left one is used up or
// the right element comes first.
static void merge_one(
    Emit *e, const SortPlan *plan, const Halves *h, LLVMValueRef left, LLVMValueRef right,
    LLVMValueRef middle, LLVMValueRef end, LLVMValueRef to) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef i = get(e, left), j = get(e, right);
    LLVMValueRef has_left = LLVMBuildICmp(b, LLVMIntSLT, i, middle, "");
    LLVMValueRef has_right = LLVMBuildICmp(b, LLVMIntSLT, j, end, "");
    LLVMValueRef last = number(e, plan->count - 1); // reads beyond a run stay inside the list
    LLVMValueRef at_i = minimum(e, i, last), at_j = minimum(e, j, last);
    LLVMValueRef x = load_position(e, h->from, at_i), y = load_position(e, h->from, at_j), is_less,
                 kx = NULL, ky = NULL;
    if (h->from_keys) {
        kx = sort_load_key(e, plan, h->from_keys, at_i);
        ky = sort_load_key(e, plan, h->from_keys, at_j);
        is_less = LLVMBuildICmp(b, LLVMIntULT, ky, kx, "");
    } else {
        is_less = sort_comes_before(e, plan, y, x);
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

LLVMValueRef sort_merge(Emit *e, const SortPlan *plan) {
    LLVMBuilderRef b = e->builder;
    int passes = 0;
    while (((int64_t)1 << passes) < plan->count)
        passes++;
    EmitLoop *pass = emit_loop_constant(e, passes, false);
    LLVMValueRef half = LLVMBuildTrunc(b, pass->phi, LLVMInt1TypeInContext(e->context), "");
    Halves h = choose_halves(e, plan, half);
    LLVMValueRef width = LLVMBuildShl(b, number(e, 1), pass->phi, ""),
                 count = number(e, plan->count);
    LLVMValueRef runs = LLVMBuildAdd(b, width, width, "");
    LLVMValueRef run_count = LLVMBuildUDiv(
        b, LLVMBuildAdd(b, count, LLVMBuildSub(b, runs, number(e, 1), ""), ""), runs, "");
    LLVMValueRef left = local_i64(e, 0), right = local_i64(e, 0);
    EmitLoop *run = emit_loop_begin(e, number(e, 0), run_count, 1, plan->count, false);
    LLVMValueRef start = LLVMBuildMul(b, run->phi, runs, "");
    LLVMValueRef middle = minimum(e, LLVMBuildAdd(b, start, width, ""), count);
    LLVMValueRef end = minimum(e, LLVMBuildAdd(b, middle, width, ""), count);
    LLVMBuildStore(b, start, left);
    LLVMBuildStore(b, middle, right);
    EmitLoop *loop = emit_loop_begin(e, start, end, 1, plan->count, false);
    merge_one(e, plan, &h, left, right, middle, end, loop->phi);
    emit_loop_end(e, loop);
    emit_loop_end(e, run);
    emit_loop_end(e, pass);
    return LLVMConstInt(LLVMInt1TypeInContext(e->context), (unsigned)passes & 1, 0);
}

// --- digits ---

static LLVMValueRef digit_of(Emit *e, LLVMValueRef key, int digit) {
    LLVMTypeRef type = LLVMTypeOf(key);
    LLVMValueRef shifted =
        LLVMBuildLShr(e->builder, key, LLVMConstInt(type, (unsigned)(8 * digit), 0), "");
    return LLVMBuildZExt(
        e->builder, LLVMBuildTrunc(e->builder, shifted, LLVMInt8TypeInContext(e->context), ""),
        emit_i64(e), "");
}

// Counts of all digits in one pass over the keys: histogram[digit][256].
static void count_digits(Emit *e, const SortPlan *plan, int digits, LLVMValueRef histogram) {
    EmitLoop *clear = emit_loop_constant(e, (int64_t)digits * SORT_BUCKETS, true);
    store_position(e, histogram, clear->phi, LLVMConstInt(i32_of(e), 0, 0));
    emit_loop_end(e, clear);
    LLVMValueRef keys = emit_scratch(e, plan->keys[0]);
    EmitLoop *loop = emit_loop_constant(e, plan->count, false);
    LLVMValueRef key = sort_load_key(e, plan, keys, loop->phi);
    for (int digit = 0; digit < digits; digit++) {
        LLVMValueRef at = LLVMBuildAdd(
            e->builder, digit_of(e, key, digit), number(e, (int64_t)digit * SORT_BUCKETS), "");
        LLVMValueRef count = load_position(e, histogram, at);
        store_position(
            e, histogram, at, LLVMBuildAdd(e->builder, count, LLVMConstInt(i32_of(e), 1, 0), ""));
    }
    emit_loop_end(e, loop);
}

// Counts of one digit to the places where its buckets begin. Returns whether all keys have the same
// digit.
static LLVMValueRef start_buckets(
    Emit *e, const SortPlan *plan, LLVMValueRef histogram, int digit) {
    LLVMValueRef sum = emit_local(e, ELEMENT_I32), largest = emit_local(e, ELEMENT_I32);
    LLVMValueRef zero = LLVMConstInt(i32_of(e), 0, 0);
    LLVMBuildStore(e->builder, zero, sum);
    LLVMBuildStore(e->builder, zero, largest);
    EmitLoop *loop = emit_loop_constant(e, SORT_BUCKETS, false);
    LLVMValueRef at =
        LLVMBuildAdd(e->builder, loop->phi, number(e, (int64_t)digit * SORT_BUCKETS), "");
    LLVMValueRef count = load_position(e, histogram, at);
    LLVMValueRef before = LLVMBuildLoad2(e->builder, i32_of(e), sum, "");
    LLVMValueRef sizes[2] = {count, LLVMBuildLoad2(e->builder, i32_of(e), largest, "")};
    store_position(e, histogram, at, before);
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, before, count, ""), sum);
    LLVMBuildStore(e->builder, emit_intrinsic(e, "llvm.umax", i32_of(e), 2, sizes), largest);
    emit_loop_end(e, loop);
    LLVMValueRef size = LLVMBuildLoad2(e->builder, i32_of(e), largest, "");
    return LLVMBuildICmp(
        e->builder, LLVMIntEQ, size, LLVMConstInt(i32_of(e), (uint64_t)plan->count, 0), "");
}

static void distribute(
    Emit *e, const SortPlan *plan, const Halves *h, LLVMValueRef histogram, int digit) {
    EmitLoop *loop = emit_loop_constant(e, plan->count, false);
    LLVMValueRef key = sort_load_key(e, plan, h->from_keys, loop->phi);
    LLVMValueRef position = load_position(e, h->from, loop->phi);
    LLVMValueRef at = LLVMBuildAdd(
        e->builder, digit_of(e, key, digit), number(e, (int64_t)digit * SORT_BUCKETS), "");
    LLVMValueRef place = load_position(e, histogram, at);
    store_position(
        e, histogram, at, LLVMBuildAdd(e->builder, place, LLVMConstInt(i32_of(e), 1, 0), ""));
    LLVMValueRef to = LLVMBuildZExt(e->builder, place, emit_i64(e), "");
    sort_store_key_in(e, plan, h->to_keys, to, key);
    store_position(e, h->to, to, position);
    emit_loop_end(e, loop);
}

LLVMValueRef sort_radix(Emit *e, const SortPlan *plan) {
    int digits = sort_key_bits(&plan->key) / 8;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    LLVMValueRef histogram = emit_scratch(e, plan->histogram), half = emit_local(e, ELEMENT_I1);
    LLVMBuildStore(e->builder, LLVMConstInt(i1, 0, 0), half);
    count_digits(e, plan, digits, histogram);
    for (int digit = 0; digit < digits; digit++) {
        LLVMValueRef is_same = start_buckets(e, plan, histogram, digit);
        // a digit that all share is skipped
        EmitIf branch = emit_if(e, LLVMBuildNot(e->builder, is_same, ""));
        LLVMValueRef now = LLVMBuildLoad2(e->builder, i1, half, "");
        Halves h = choose_halves(e, plan, now);
        distribute(e, plan, &h, histogram, digit);
        LLVMBuildStore(e->builder, LLVMBuildNot(e->builder, now, ""), half);
        emit_end_if(e, &branch);
    }
    return LLVMBuildLoad2(e->builder, i1, half, "");
}

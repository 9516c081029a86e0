// lower_sort: sort and top_k, slice by slice, stable.
//
// What is sorted is a list of positions; the operands are read in its order at the end. A
// comparator that compares the same function of both elements (k(x) < k(y), also with NaN handling
// around) becomes an integer key whose order is the comparator's: radix sort, eight bits a pass, or
// merge sort of (key, position) for short slices. Any other comparator: merge sort of positions,
// elements loaded from the scratch. Of a slice of sorted runs, parts of the result are made apart:
// each finds what it has of every run, and sorts or merges that.
//
// Source of the radix sort: Knuth, The Art of Computer Programming 3, 5.2.5
// (least significant digit first).
#include "codegen/emit/lower.h"
#include "codegen/lower/sort/sort.h"

#include <string.h>

typedef const IndexExpr *Index;

enum {
    DIGITS_OF_MERGE = 2, // a pass of merging takes as long as so many digits
    MOST_RUNS = 1 << 12
};

static int sort_inputs(const Op *op) { return op->code == OP_CHLO_TOP_K ? 1 : op->operand_count; }

static SortPlan sort_plan(const Op *op) {
    SortPlan plan = {.op = op, .inputs = sort_inputs(op), .key = sort_key(op)};
    plan.type = op_operand_type(op, 0);
    plan.dimension =
        op->code == OP_CHLO_TOP_K ? plan.type->rank - 1 : (int)op_int(op, NAME_DIMENSION, -1);
    if (plan.dimension < 0) plan.dimension += plan.type->rank;
    plan.count = plan.type->rank ? plan.type->dims[plan.dimension] : 1;
    plan.rows = plan.count ? type_element_count(plan.type) / plan.count : 0;
    const Attr *run = op_extra(op, SORTED_RUNS);
    bool has_runs = run && run->kind == ATTR_INT && run->integer > plan.count / MOST_RUNS &&
                    run->integer < plan.count;
    plan.run = has_runs ? run->integer : plan.count;
    plan.runs = plan.run > 0 ? (plan.count + plan.run - 1) / plan.run : 1;
    int64_t at = 0, k = op->code == OP_CHLO_TOP_K ? op_int(op, NAME_K, 0) : 0;
    plan.positions[0] = at;
    if (top_k_pays(&plan, k)) {
        plan.chosen = k;
        plan.scratch = top_k_place(&plan, round_up(4 * k, 64));
        return plan;
    }
    at += round_up(4 * plan.run, 64);
    plan.positions[1] = at;
    at += round_up(4 * plan.run, 64);
    if (plan.key.operand >= 0) {
        int64_t bytes = round_up(sort_key_bits(&plan.key) / 8 * plan.run, 64);
        plan.keys[0] = at;
        plan.keys[1] = at + bytes;
        at += 2 * bytes;
        plan.histogram = at;
        at += 4 * SORT_BUCKETS * 8;
    } else if (plan.runs == 1) { // elements of runs are compared where they are
        for (int i = 0; i < plan.inputs && i < MAX_REDUCED; i++) {
            plan.elements[i] = at;
            at += round_up((int64_t)element_bytes(op_operand_type(op, i)->element) * plan.run, 64);
        }
    }
    plan.scratch = plan.runs > 1 ? sort_runs_place(&plan, at) : at;
    return plan;
}

void sort_grid(Kernel *kernel, const Target *target) {
    (void)target;
    SortPlan plan = sort_plan(kernel->root);
    kernel->bytes = operands_bytes(kernel);
    kernel->flops = 20 * type_element_count(plan.type);
    int64_t grid = grid_of_bytes(4 * kernel->bytes), parts = plan.rows * plan.runs;
    kernel->grid = grid < parts ? grid : parts > 0 ? parts : 1;
    kernel->scratch_bytes = plan.scratch;
}

// Positions first, first + 1 ... below `last` of a slice, and the keys, or the elements, to place
// `to` of the list in the scratch and behind.
static void load_part(
    Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef first, LLVMValueRef last,
    LLVMValueRef to) {
    LLVMBuilderRef b = e->builder;
    EmitLoop *loop = emit_loop_begin(e, first, last, 1, plan->count, true);
    LLVMValueRef place = LLVMBuildAdd(b, LLVMBuildSub(b, loop->phi, first, ""), to, "");
    Scalar position = {.element = ELEMENT_I32};
    position.value = LLVMBuildTrunc(b, loop->phi, LLVMInt32TypeInContext(e->context), "");
    emit_private_store(e, ELEMENT_I32, emit_scratch(e, plan->positions[0]), place, position);
    if (plan->key.operand >= 0) {
        LLVMValueRef key = sort_key_at(e, plan, slice, loop->index);
        if (key) sort_store_key(e, plan, 0, place, key);
    } else if (plan->runs == 1) {
        Index at[MAX_RANK];
        sort_slice_index(slice, loop->index, at);
        for (int i = 0; i < plan->inputs && !e->failed; i++) {
            const Value *operand = op_operand(plan->op, i);
            Scalar x = emit_element(e, operand, at);
            if (!e->failed)
                emit_private_store(
                    e, operand->type->element, emit_scratch(e, plan->elements[i]), place, x);
        }
    }
    emit_loop_end(e, loop);
}

// The results of ranks first, first + 1 ... of a slice, `count` of them, in the order of the sorted
// list, which lies in half `half` (an i1) of the positions.
static void store_part(
    Emit *e, const SortPlan *plan, const SortSlice *slice, LLVMValueRef half, Index first,
    LLVMValueRef count) {
    bool is_top_k = plan->op->code == OP_CHLO_TOP_K;
    LLVMValueRef list = LLVMBuildSelect(
        e->builder, half, emit_scratch(e, plan->positions[1]), emit_scratch(e, plan->positions[0]),
        "");
    EmitLoop *loop = emit_loop_begin(e, emit_i64_constant(e, 0), count, 1, plan->run, true);
    Scalar position = emit_private_load(e, ELEMENT_I32, list, loop->phi);
    Index to[MAX_RANK], from[MAX_RANK];
    sort_slice_index(slice, index_add(e->index, first, loop->index), to);
    LLVMValueRef place = LLVMBuildZExt(e->builder, position.value, emit_i64(e), "");
    sort_slice_index(slice, emit_variable(e, place, plan->count), from);
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

// The whole slice.
static void sort_slice(Emit *e, const SortPlan *plan, const SortSlice *slice) {
    LLVMValueRef zero = emit_i64_constant(e, 0), count = emit_i64_constant(e, plan->count);
    LLVMValueRef half = LLVMConstInt(LLVMInt1TypeInContext(e->context), 0, 0);
    Index first = index_constant(e->index, 0);
    if (plan->chosen) {
        top_k_select(e, plan, slice);
    } else {
        load_part(e, plan, slice, zero, count, zero);
        if (e->failed) return;
        bool by_digits = plan->key.operand >= 0 && plan->count > SORT_RADIX;
        half = by_digits ? sort_radix(e, plan, count) : sort_merge(e, plan, NULL, count);
    }
    if (e->failed) return;
    if (plan->op->code == OP_CHLO_TOP_K) count = emit_i64_constant(e, op_int(plan->op, NAME_K, 0));
    store_part(e, plan, slice, half, first, count);
}

// What a comparator that is no order has left of the list's places: any elements.
static void fill_list(Emit *e, const SortPlan *plan, LLVMValueRef count) {
    LLVMValueRef runs = emit_i64_constant(e, plan->runs);
    EmitLoop *loop =
        emit_loop_begin(e, sort_number(e, plan->segments, runs), count, 1, plan->count, true);
    Scalar position = {.element = ELEMENT_I32};
    position.value = LLVMBuildTrunc(e->builder, loop->phi, LLVMInt32TypeInContext(e->context), "");
    emit_private_store(e, ELEMENT_I32, emit_scratch(e, plan->positions[0]), loop->phi, position);
    emit_loop_end(e, loop);
    Scalar end = {.element = ELEMENT_I64, .value = count};
    emit_private_store(e, ELEMENT_I64, emit_scratch(e, plan->segments), runs, end);
}

// Ranks part * run, and so on, of a slice that consists of sorted runs, of which the list gets what
// belongs to them.
static void sort_part(Emit *e, const SortPlan *plan, const SortSlice *slice, Index part) {
    LLVMBuilderRef b = e->builder;
    Index start = index_scale(e->index, part, plan->run);
    LLVMValueRef first = emit_index(e, start), run = emit_i64_constant(e, plan->run);
    LLVMValueRef last = sort_minimum(e, LLVMBuildAdd(b, first, run, ""), number(e, plan->count));
    if (!sort_find_ranks(e, plan, slice, first, last)) return;
    EmitLoop *loop = emit_loop_constant(e, plan->runs, false);
    LLVMValueRef begin = sort_number(e, plan->begins, loop->phi),
                 end = sort_number(e, plan->ends, loop->phi),
                 to = sort_number(e, plan->segments, loop->phi);
    load_part(e, plan, slice, begin, end, to);
    if (e->failed) return;
    emit_loop_end(e, loop);
    LLVMValueRef count = LLVMBuildSub(b, last, first, "");
    fill_list(e, plan, count);
    bool by_digits = plan->key.operand >= 0 &&
                     sort_key_bits(&plan->key) / 8 < DIGITS_OF_MERGE * sort_merge_passes(plan);
    LLVMValueRef half = by_digits ? sort_radix(e, plan, count) : sort_merge(e, plan, slice, count);
    if (!e->failed) store_part(e, plan, slice, half, start, count);
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
    LLVMValueRef parts = emit_i64_constant(e, plan.rows * plan.runs),
                 grid = emit_i64_constant(e, e->kernel->grid);
    LLVMValueRef first =
        LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, e->begin, parts, ""), grid, "");
    LLVMValueRef last =
        LLVMBuildUDiv(e->builder, LLVMBuildMul(e->builder, e->end, parts, ""), grid, "");
    EmitLoop *loop = emit_loop_begin(e, first, last, 1, plan.rows * plan.runs, false);
    SortSlice slice = {.rank = plan.type->rank, .dimension = plan.dimension};
    int64_t dims[MAX_RANK];
    for (int d = 0; d < plan.type->rank; d++)
        dims[d] = d == plan.dimension ? 1 : plan.type->dims[d];
    Index row = index_div(e->index, loop->index, plan.runs);
    index_delinear(e->index, row, plan.type->rank, dims, slice.at);
    if (plan.runs > 1)
        sort_part(e, &plan, &slice, index_mod(e->index, loop->index, plan.runs));
    else
        sort_slice(e, &plan, &slice);
    emit_loop_end(e, loop);
    return !e->failed;
}

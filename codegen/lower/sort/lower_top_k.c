// top_k of few elements of a slice: what may be among them is collected in a
// buffer, in one pass over the slice.
//
// A candidate is (key, position) as one 64-bit number, so that candidates are never equal and
// their order is the stable one. A full buffer is cut to the k least; from then on only keys
// below the greatest of them are collected: an equal key comes later and would be behind it.
// Blocks without such a key cost a vector minimum. The least are taken out of the buffer one
// after the other, by vector minima, too.
//
//     cost    a pass over the slice, about k ln(n / k) candidates in a random order, k * buffer
//             steps in each cut; n / (buffer - k) cuts at most
#include "codegen/lower/sort/sort.h"

enum { BLOCK = 64, LEAST_BUFFER = 256, MOST_CHOSEN = 256, LEAST_SHARE = 4 };

bool top_k_pays(const SortPlan *plan, int64_t k) {
    return plan->key.operand >= 0 && sort_key_bits(&plan->key) <= 32 && k > 0 && k <= MOST_CHOSEN &&
           k <= plan->count / LEAST_SHARE;
}

// Candidates that fit the buffer: all of a short slice, or several times k.
static int64_t buffer_size(const SortPlan *plan) {
    int64_t size = LEAST_SHARE * plan->chosen;
    if (size < LEAST_BUFFER) size = LEAST_BUFFER;
    return plan->count <= size ? round_up(plan->count, 16) : size + BLOCK;
}

int64_t top_k_place(SortPlan *plan, int64_t at) {
    plan->block = at;
    at += round_up(BLOCK * sort_key_bits(&plan->key) / 8, 64);
    plan->buffer = at;
    at += round_up(8 * buffer_size(plan), 64);
    plan->least = at;
    return at + round_up(8 * plan->chosen, 64);
}

static LLVMValueRef load(Emit *e, int64_t array, LLVMValueRef at) {
    return emit_private_load(e, ELEMENT_UI64, emit_scratch(e, array), at).value;
}

static void store(Emit *e, int64_t array, LLVMValueRef at, LLVMValueRef x) {
    emit_private_store(
        e, ELEMENT_UI64, emit_scratch(e, array), at, (Scalar){.element = ELEMENT_UI64, .value = x});
}

static LLVMValueRef minimum(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef both[2] = {x, y};
    return emit_intrinsic(e, "llvm.umin", LLVMTypeOf(x), 2, both);
}

static LLVMValueRef candidate(Emit *e, LLVMValueRef key, LLVMValueRef position) {
    LLVMValueRef wide = LLVMBuildZExt(e->builder, key, emit_i64(e), "");
    return LLVMBuildOr(e->builder, LLVMBuildShl(e->builder, wide, number(e, 32), ""), position, "");
}

// The k least of the first `used` candidates, in order, to plan->least.
static void take_least(Emit *e, const SortPlan *plan, LLVMValueRef used) {
    LLVMBuilderRef b = e->builder;
    int64_t size = buffer_size(plan);
    EmitLoop *rest = emit_loop_begin(e, used, number(e, size), 1, size, true);
    store(e, plan->buffer, rest->phi, number(e, -1));
    emit_loop_end(e, rest);
    LLVMValueRef from = sort_local(e, number(e, 0)), least = emit_local(e, ELEMENT_I64);
    EmitLoop *taken = emit_loop_constant(e, plan->chosen, false);
    LLVMValueRef bound = sort_get(e, from);
    LLVMBuildStore(b, number(e, -1), least);
    EmitLoop *loop = emit_loop_constant(e, size, true);
    LLVMValueRef x = load(e, plan->buffer, loop->phi);
    LLVMValueRef is_left = LLVMBuildICmp(b, LLVMIntUGE, x, bound, "");
    x = LLVMBuildSelect(b, is_left, x, number(e, -1), "");
    LLVMBuildStore(b, minimum(e, sort_get(e, least), x), least);
    emit_loop_end(e, loop);
    store(e, plan->least, taken->phi, sort_get(e, least));
    LLVMBuildStore(b, LLVMBuildAdd(b, sort_get(e, least), number(e, 1), ""), from);
    emit_loop_end(e, taken);
}

// What the passes over the slice know.
typedef struct Collection {
    const SortPlan *plan;
    const SortSlice *slice;
    LLVMValueRef used;  // candidates in the buffer
    LLVMValueRef bound; // keys below it are collected
} Collection;

static void cut(Emit *e, const Collection *c) {
    const SortPlan *plan = c->plan;
    take_least(e, plan, sort_get(e, c->used));
    EmitLoop *loop = emit_loop_constant(e, plan->chosen, true);
    store(e, plan->buffer, loop->phi, load(e, plan->least, loop->phi));
    emit_loop_end(e, loop);
    LLVMValueRef last = load(e, plan->least, number(e, plan->chosen - 1));
    LLVMBuildStore(e->builder, LLVMBuildLShr(e->builder, last, number(e, 32), ""), c->bound);
    LLVMBuildStore(e->builder, number(e, plan->chosen), c->used);
}

// Positions first .. first + count - 1.
static void collect_block(Emit *e, const Collection *c, const IndexExpr *first, int64_t count) {
    const SortPlan *plan = c->plan;
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, (unsigned)sort_key_bits(&plan->key));
    LLVMValueRef keys = emit_scratch(e, plan->block), least = emit_alloca(e, type, 1, 0);
    LLVMBuildStore(b, LLVMConstAllOnes(type), least);
    EmitLoop *loop = emit_loop_constant(e, count, true);
    LLVMValueRef key = sort_key_at(e, plan, c->slice, index_add(e->index, first, loop->index));
    if (!key) return;
    sort_store_key_in(e, plan, keys, loop->phi, key);
    LLVMBuildStore(b, minimum(e, LLVMBuildLoad2(b, type, least, ""), key), least);
    emit_loop_end(e, loop);
    LLVMValueRef bound = sort_get(e, c->bound);
    key = LLVMBuildZExt(b, LLVMBuildLoad2(b, type, least, ""), emit_i64(e), "");
    EmitIf any = emit_if(e, LLVMBuildICmp(b, LLVMIntULT, key, bound, ""));
    EmitLoop *each = emit_loop_constant(e, count, false);
    key = sort_load_key(e, plan, keys, each->phi);
    LLVMValueRef position = emit_index(e, index_add(e->index, first, each->index));
    store(e, plan->buffer, sort_get(e, c->used), candidate(e, key, position));
    LLVMValueRef wide = LLVMBuildZExt(b, key, emit_i64(e), "");
    LLVMValueRef is_below = LLVMBuildICmp(b, LLVMIntULT, wide, bound, "");
    LLVMValueRef next = LLVMBuildZExt(b, is_below, emit_i64(e), "");
    LLVMBuildStore(b, LLVMBuildAdd(b, sort_get(e, c->used), next, ""), c->used);
    emit_loop_end(e, each);
    LLVMValueRef limit = number(e, buffer_size(plan) - BLOCK);
    EmitIf full = emit_if(e, LLVMBuildICmp(b, LLVMIntUGT, sort_get(e, c->used), limit, ""));
    cut(e, c);
    emit_end_if(e, &full);
    emit_end_if(e, &any);
}

// Candidates of the whole slice.
static void collect_all(Emit *e, const SortPlan *plan, const SortSlice *slice) {
    EmitLoop *loop = emit_loop_constant(e, plan->count, true);
    LLVMValueRef key = sort_key_at(e, plan, slice, loop->index);
    if (key) store(e, plan->buffer, loop->phi, candidate(e, key, loop->phi));
    emit_loop_end(e, loop);
}

void top_k_select(Emit *e, const SortPlan *plan, const SortSlice *slice) {
    if (plan->count <= buffer_size(plan)) {
        collect_all(e, plan, slice);
        take_least(e, plan, number(e, plan->count));
    } else {
        Collection c = {
            plan, slice, sort_local(e, number(e, 0)), sort_local(e, number(e, (int64_t)1 << 32))};
        EmitLoop *blocks = emit_loop_constant(e, plan->count / BLOCK, false);
        collect_block(e, &c, index_scale(e->index, blocks->index, BLOCK), BLOCK);
        if (e->failed) return;
        emit_loop_end(e, blocks);
        int64_t rest = plan->count % BLOCK;
        if (rest) collect_block(e, &c, index_constant(e->index, plan->count - rest), rest);
        if (e->failed) return;
        take_least(e, plan, sort_get(e, c.used));
    }
    EmitLoop *loop = emit_loop_constant(e, plan->chosen, true);
    Scalar position = {.element = ELEMENT_I32};
    position.value = LLVMBuildTrunc(
        e->builder, load(e, plan->least, loop->phi), LLVMInt32TypeInContext(e->context), "");
    emit_private_store(e, ELEMENT_I32, emit_scratch(e, plan->positions[0]), loop->phi, position);
    emit_loop_end(e, loop);
}

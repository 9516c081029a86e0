// Index expressions: computed as near to the entry as their variables allow.
#include "codegen/emit/emit_state.h"
#include "runtime/abi.h"

#include <assert.h>

// floor(x / by) or x mod by. Negative numbers are shifted by a multiple of `by` first;
// 32 bits where they are enough.
static LLVMValueRef emit_division(Emit *e, const IndexExpr *x, int64_t by, bool is_mod) {
    LLVMValueRef number = emit_index(e, x);
    int64_t shift = x->low < 0 ? (by - 1 - x->low) / by : 0;
    if (shift) number = LLVMBuildNSWAdd(e->builder, number, emit_i64_constant(e, shift * by), "");
    bool is_narrow = x->high + shift * by <= INT32_MAX && by <= INT32_MAX;
    LLVMTypeRef type = is_narrow ? LLVMInt32TypeInContext(e->context) : emit_i64(e);
    if (is_narrow) number = LLVMBuildTrunc(e->builder, number, type, "");
    LLVMValueRef divisor = LLVMConstInt(type, (unsigned long long)by, 0);
    number = is_mod ? LLVMBuildURem(e->builder, number, divisor, "")
                    : LLVMBuildUDiv(e->builder, number, divisor, "");
    if (is_narrow) number = LLVMBuildZExt(e->builder, number, emit_i64(e), "");
    if (!is_mod && shift)
        number = LLVMBuildNSWSub(e->builder, number, emit_i64_constant(e, shift), "");
    return number;
}

static LLVMValueRef emit_runtime(Emit *e, int id) {
    RuntimeNumber number = e->exprs->runtimes.data[id];
    if (!number.x)
        return emit_entry_load(
            e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, device), "device");
    Scalar x = emit_expr(e, number.x);
    if (e->failed) return emit_i64_constant(e, 0);
    LLVMValueRef low = emit_i64_constant(e, number.low), high = emit_i64_constant(e, number.high);
    bool is_signed = element_class(x.element) == CLASS_SINT;
    LLVMValueRef wide = is_signed ? LLVMBuildSExt(e->builder, x.value, emit_i64(e), "")
                                  : LLVMBuildZExt(e->builder, x.value, emit_i64(e), "");
    LLVMValueRef at_most[2] = {wide, high};
    wide = emit_intrinsic(e, is_signed ? "llvm.smin" : "llvm.umin", emit_i64(e), 2, at_most);
    LLVMValueRef at_least[2] = {wide, low};
    return emit_intrinsic(e, "llvm.smax", emit_i64(e), 2, at_least);
}

static LLVMValueRef table_global(Emit *e, int id) {
    while (e->state->tables.count <= id)
        vec_push(e->arena, &e->state->tables, NULL);
    LLVMValueRef *global = &e->state->tables.data[id];
    if (*global) return *global;
    const IndexTable *table = &e->exprs->tables.data[id];
    LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, table->count);
    for (int64_t i = 0; i < table->count; i++)
        numbers[i] = emit_i64_constant(e, table->numbers[i]);
    LLVMTypeRef array = LLVMArrayType2(emit_i64(e), (uint64_t)table->count);
    *global = LLVMAddGlobal(e->module, array, "table");
    LLVMSetInitializer(*global, LLVMConstArray2(emit_i64(e), numbers, (uint64_t)table->count));
    LLVMSetGlobalConstant(*global, 1);
    LLVMSetLinkage(*global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(*global, LLVMGlobalUnnamedAddr);
    return *global;
}

static LLVMValueRef emit_table(Emit *e, int id, const IndexExpr *of) {
    LLVMValueRef global = table_global(e, id);
    LLVMTypeRef array = LLVMGlobalGetValueType(global);
    LLVMValueRef at[2] = {emit_i64_constant(e, 0), emit_index(e, of)};
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, array, global, at, 2, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, emit_i64(e), address, "");
    emit_set_invariant(e, load);
    return load;
}

static LLVMValueRef emit_atom(Emit *e, const IndexAtom *atom) {
    switch (atom->kind) {
    case INDEX_VARIABLE:
        assert(e->state->variables.data[atom->id].scope);
        return e->state->variables.data[atom->id].value;
    case INDEX_RUNTIME: return emit_runtime(e, atom->id);
    case INDEX_DIV: return emit_division(e, atom->of, atom->by, false);
    case INDEX_MOD: return emit_division(e, atom->of, atom->by, true);
    case INDEX_TABLE: return emit_table(e, atom->id, atom->of);
    }
    return NULL;
}

// The value of one atom, emitted where it belongs and remembered there.
static LLVMValueRef emit_atom_once(Emit *e, const IndexAtom *atom) {
    if (atom->kind == INDEX_VARIABLE) return emit_atom(e, atom);
    const IndexExpr one = {.term_count = 1, .atoms = &atom, .factors = (const int64_t[]){1}};
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, emit_index_depth(e, &one), &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    LLVMValueRef value = emit_atom(e, atom);
    emit_excursion_end(e, &excursion);
    return value;
}

// The terms in the order of the loops that they depend on, so that the sums of the
// outer ones are loop-invariant.
static LLVMValueRef emit_sum(Emit *e, const IndexExpr *x) {
    LLVMValueRef sum = x->constant || x->term_count == 0 ? emit_i64_constant(e, x->constant) : NULL;
    bool *is_done = ARENA_ARRAY(e->arena, bool, x->term_count + 1);
    for (int step = 0; step < x->term_count; step++) {
        int best = -1, best_depth = 0;
        for (int i = 0; i < x->term_count; i++) {
            if (is_done[i]) continue;
            const IndexExpr one = {
                .term_count = 1, .atoms = &x->atoms[i], .factors = &x->factors[i]};
            int depth = emit_index_depth(e, &one);
            if (best < 0 || depth < best_depth) {
                best = i;
                best_depth = depth;
            }
        }
        is_done[best] = true;
        LLVMValueRef term = emit_atom_once(e, x->atoms[best]);
        int64_t factor = x->factors[best];
        if (factor != 1) term = LLVMBuildNSWMul(e->builder, term, emit_i64_constant(e, factor), "");
        sum = sum ? LLVMBuildNSWAdd(e->builder, sum, term, "") : term;
    }
    return sum;
}

LLVMValueRef emit_index(Emit *e, const IndexExpr *x) {
    if (x->term_count == 0) return emit_i64_constant(e, x->constant);
    const Scalar *known = emit_memo_find(e, x, NULL);
    if (known) return known->value;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, emit_index_depth(e, x), &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    Scalar result = {.element = ELEMENT_I64, .value = emit_sum(e, x)};
    emit_memo_add(e, x, NULL, result);
    emit_excursion_end(e, &excursion);
    return result.value;
}

// The variable of the innermost loop, where nothing else of x changes there; -1 = none.
static int innermost_variable(Emit *e, const IndexExpr *x) {
    int best = -1, best_depth = -1;
    for (int i = 0; i < x->term_count; i++) {
        const IndexExpr one = {.term_count = 1, .atoms = &x->atoms[i], .factors = &x->factors[i]};
        int depth = emit_index_depth(e, &one);
        if (depth < best_depth) continue;
        best = depth == best_depth || x->atoms[i]->kind != INDEX_VARIABLE ? -1 : i;
        best_depth = depth;
    }
    return best;
}

LLVMValueRef emit_index_32(Emit *e, const IndexExpr *x) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    int i = x->term_count > 1 || x->constant ? innermost_variable(e, x) : -1;
    if (i < 0) return LLVMBuildTrunc(e->builder, emit_index(e, x), i32, "");
    const IndexExpr *variable = index_of_atom(e->index, x->atoms[i]);
    const IndexExpr *inner = index_scale(e->index, variable, x->factors[i]);
    const IndexExpr *outer = index_sub(e->index, x, inner);
    LLVMValueRef step = LLVMBuildTrunc(e->builder, emit_index(e, variable), i32, "");
    LLVMValueRef factor = LLVMConstInt(i32, (uint32_t)x->factors[i], 0);
    step = LLVMBuildMul(e->builder, step, factor, "");
    LLVMValueRef first = LLVMBuildTrunc(e->builder, emit_index(e, outer), i32, "");
    return LLVMBuildAdd(e->builder, first, step, "");
}

LLVMValueRef emit_index_in_range(Emit *e, const IndexExpr *x, int64_t low, int64_t high) {
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    IndexTruth truth = index_in_range(x, low, high);
    if (truth != INDEX_SOMETIMES) return LLVMConstInt(i1, truth == INDEX_ALWAYS, 0);
    LLVMValueRef number = emit_index(e, x);
    if (x->low >= low)
        return LLVMBuildICmp(e->builder, LLVMIntSLT, number, emit_i64_constant(e, high), "");
    if (x->high < high)
        return LLVMBuildICmp(e->builder, LLVMIntSGE, number, emit_i64_constant(e, low), "");
    number = LLVMBuildSub(e->builder, number, emit_i64_constant(e, low), "");
    return LLVMBuildICmp(e->builder, LLVMIntULT, number, emit_i64_constant(e, high - low), "");
}

LLVMValueRef emit_guards(Emit *e, int count, const Guard *guards) {
    LLVMValueRef all = NULL;
    for (int i = 0; i < count; i++) {
        LLVMValueRef test = emit_index_in_range(e, guards[i].x, guards[i].low, guards[i].high);
        all = all ? LLVMBuildAnd(e->builder, all, test, "") : test;
    }
    return all;
}

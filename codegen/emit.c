// The core of emission: elements of values with memoisation and hoisting, index expressions.
#include "codegen/emit_state.h"
#include "codegen/lower.h"
#include "codegen/tile_stage.h"
#include "runtime/abi.h"

enum { MAX_ELEMENT_DEPTH = 600 }; // nesting of fused ops

#include <assert.h>
#include <string.h>

// --- memo tables ---

static uint64_t memo_hash(const MemoEntry *key) {
    int64_t number[4] = {key->value ? key->value->number : -1, key->device, key->rank, key->kind};
    uint64_t hash = hash_bytes(number, sizeof number, 1);
    for (int d = 0; d < key->rank; d++) {
        int64_t x = key->index[d]->number;
        hash = hash_bytes(&x, sizeof x, hash);
    }
    return hash;
}

static const Scalar *memo_find(const Emit *e, const MemoEntry *key) {
    for (const EmitScope *scope = e->state->scope; scope; scope = scope->outer) {
        for (const MemoEntry *m = scope->memo[key->hash % MEMO_BUCKETS]; m; m = m->next) {
            if (m->hash != key->hash || m->value != key->value || m->device != key->device ||
                m->rank != key->rank || m->kind != key->kind)
                continue;
            int d = 0;
            while (d < m->rank && m->index[d] == key->index[d])
                d++;
            if (d >= m->rank) return &m->scalar;
        }
    }
    return NULL;
}

static void memo_add(Emit *e, const MemoEntry *key, Scalar scalar) {
    MemoEntry *entry = ARENA_NEW(e->arena, MemoEntry);
    *entry = *key;
    if (key->rank > 0)
        entry->index = arena_copy(e->arena, key->index, (size_t)key->rank * sizeof key->index[0]);
    entry->scalar = scalar;
    MemoEntry **bucket = &e->state->scope->memo[key->hash % MEMO_BUCKETS];
    entry->next = *bucket;
    *bucket = entry;
}

static MemoEntry address_key(
    const Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index) {
    const IndexExpr *device = e->state->device;
    MemoEntry key = {
        .value = value,
        .device = device ? device->number : -1,
        .kind = kind,
        .rank = count,
        .index = index};
    key.hash = memo_hash(&key);
    return key;
}

LLVMValueRef emit_known_address(
    Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index) {
    MemoEntry key = address_key(e, value, kind, count, index);
    const Scalar *known = memo_find(e, &key);
    return known ? known->value : NULL;
}

void emit_remember_address(
    Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index,
    LLVMValueRef address) {
    MemoEntry key = address_key(e, value, kind, count, index);
    memo_add(e, &key, (Scalar){.element = ELEMENT_I64, .value = address});
}

// --- hoisting ---

static int index_depth(const Emit *e, const IndexExpr *x) {
    int depth = 0;
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        int d = 0;
        if (atom->kind == INDEX_VARIABLE) {
            assert(
                atom->id < e->state->variables.count && e->state->variables.data[atom->id].scope);
            d = e->state->variables.data[atom->id].scope->depth;
        } else if (atom->kind == INDEX_RUNTIME) {
            const RuntimeNumber *r = &e->state->runtimes.data[atom->id];
            d = r->device ? index_depth(e, r->device) : 0;
            for (int k = 0; k < r->rank; k++) {
                int of = index_depth(e, r->index[k]);
                if (of > d) d = of;
            }
        } else {
            d = index_depth(e, atom->of);
        }
        if (d > depth) depth = d;
    }
    return depth;
}

EmitScope *emit_target_scope(
    Emit *e, int count, const IndexExpr *const *index, const IndexExpr *device, EmitLoop **loop) {
    EmitScope *scope = e->state->scope;
    *loop = NULL;
    if (scope->kind != SCOPE_LOOP) return scope;
    int depth = device ? index_depth(e, device) : 0;
    for (int k = 0; k < count; k++) {
        int of = index_depth(e, index[k]);
        if (of > depth) depth = of;
    }
    for (int64_t i = 0; i < e->state->bindings.count; i++) {
        if (e->state->bindings.data[i].scope->depth > depth)
            depth = e->state->bindings.data[i].scope->depth;
    }
    while (scope->kind == SCOPE_LOOP && scope->depth > depth) {
        *loop = scope->loop;
        scope = scope->outer;
    }
    return scope;
}

EmitExcursion emit_excursion_begin(Emit *e, EmitScope *target, EmitLoop *loop) {
    EmitExcursion x = {e->state->scope, LLVMGetInsertBlock(e->builder), loop};
    if (!loop) return x;
    e->state->scope = target;
    LLVMPositionBuilderAtEnd(e->builder, loop->preheader);
    return x;
}

void emit_excursion_end(Emit *e, const EmitExcursion *x) {
    if (!x->loop) return;
    x->loop->preheader = LLVMGetInsertBlock(e->builder);
    e->state->scope = x->scope;
    LLVMPositionBuilderAtEnd(e->builder, x->block);
}

// --- index expressions ---

LLVMTypeRef emit_i64(Emit *e) { return LLVMInt64TypeInContext(e->context); }

LLVMValueRef emit_i64_constant(Emit *e, int64_t number) {
    return LLVMConstInt(emit_i64(e), (unsigned long long)number, 1);
}

const IndexExpr *emit_current_device(Emit *e) {
    if (e->state->device) return e->state->device;
    const RuntimeNumber *own = &e->state->runtimes.data[0];
    return index_runtime(e->index, 0, own->low, own->high);
}

// floor(x / by) or x mod by. Negative numbers are shifted by a multiple of `by` first; 32 bits where they are enough.
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
    RuntimeNumber number = e->state->runtimes.data[id];
    if (number.is_device)
        return emit_entry_load(
            e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, device), "device");
    const IndexExpr *device = e->state->device;
    e->state->device = number.device;
    Scalar x = emit_element(e, number.value, number.index);
    e->state->device = device;
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

static LLVMValueRef emit_table(Emit *e, int id, const IndexExpr *of) {
    IndexTable *table = &e->state->tables.data[id];
    LLVMTypeRef array = LLVMArrayType2(emit_i64(e), (uint64_t)table->count);
    if (!table->global) {
        LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, table->count);
        for (int64_t i = 0; i < table->count; i++)
            numbers[i] = emit_i64_constant(e, table->numbers[i]);
        table->global = LLVMAddGlobal(e->module, array, "table");
        LLVMSetInitializer(
            table->global, LLVMConstArray2(emit_i64(e), numbers, (uint64_t)table->count));
        LLVMSetGlobalConstant(table->global, 1);
        LLVMSetLinkage(table->global, LLVMPrivateLinkage);
        LLVMSetUnnamedAddress(table->global, LLVMGlobalUnnamedAddr);
    }
    emit_record_use(e, (IndexUse){.kind = USE_NUMBER, .index = of});
    LLVMValueRef at[2] = {emit_i64_constant(e, 0), emit_index(e, of)};
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, array, table->global, at, 2, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, emit_i64(e), address, "");
    emit_set_invariant(e, load);
    return load;
}

static LLVMValueRef emit_atom(Emit *e, const IndexAtom *atom) {
    switch (atom->kind) {
    case INDEX_VARIABLE: return e->state->variables.data[atom->id].value;
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
    const IndexExpr *x = &one;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, 1, &x, NULL, &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    LLVMValueRef value = emit_atom(e, atom);
    emit_excursion_end(e, &excursion);
    return value;
}

// The terms in the order of the loops that they depend on, so that the sums of the outer ones are loop-invariant.
static LLVMValueRef emit_sum(Emit *e, const IndexExpr *x) {
    LLVMValueRef sum = x->constant || x->term_count == 0 ? emit_i64_constant(e, x->constant) : NULL;
    bool *is_done = ARENA_ARRAY(e->arena, bool, x->term_count + 1);
    for (int step = 0; step < x->term_count; step++) {
        int best = -1, best_depth = 0;
        for (int i = 0; i < x->term_count; i++) {
            if (is_done[i]) continue;
            const IndexExpr one = {
                .term_count = 1, .atoms = &x->atoms[i], .factors = &x->factors[i]};
            int depth = index_depth(e, &one);
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
    MemoEntry key = {.device = -1, .rank = 1, .index = &x};
    key.hash = memo_hash(&key);
    const Scalar *known = memo_find(e, &key);
    if (known) return known->value;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, 1, &x, NULL, &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    Scalar result = {.element = ELEMENT_I64, .value = emit_sum(e, x)};
    memo_add(e, &key, result);
    emit_excursion_end(e, &excursion);
    return result.value;
}

LLVMValueRef emit_index_in_range(Emit *e, const IndexExpr *x, int64_t low, int64_t high) {
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    IndexTruth truth = index_in_range(x, low, high);
    if (truth != INDEX_SOMETIMES) return LLVMConstInt(i1, truth == INDEX_ALWAYS, 0);
    emit_record_use(e, (IndexUse){.kind = USE_CONDITION, .index = x, .low = low, .high = high});
    LLVMValueRef number = emit_index(e, x);
    if (x->low >= low)
        return LLVMBuildICmp(e->builder, LLVMIntSLT, number, emit_i64_constant(e, high), "");
    if (x->high < high)
        return LLVMBuildICmp(e->builder, LLVMIntSGE, number, emit_i64_constant(e, low), "");
    number = LLVMBuildSub(e->builder, number, emit_i64_constant(e, low), "");
    return LLVMBuildICmp(e->builder, LLVMIntULT, number, emit_i64_constant(e, high - low), "");
}

const IndexExpr *emit_runtime_number(
    Emit *e, const Value *value, int rank, const IndexExpr *const *index, int64_t low,
    int64_t high) {
    RuntimeNumber number = {
        .value = value,
        .rank = rank,
        .device = e->state->device,
        .low = low,
        .high = high < low ? low : high};
    if (rank) number.index = arena_copy(e->arena, index, (size_t)rank * sizeof index[0]);
    for (int64_t i = 1; i < e->state->runtimes.count; i++) {
        const RuntimeNumber *r = &e->state->runtimes.data[i];
        if (r->value == value && r->device == number.device && r->low == number.low &&
            r->high == number.high && r->rank == rank &&
            (rank == 0 || memcmp(r->index, index, (size_t)rank * sizeof index[0]) == 0))
            return index_runtime(e->index, (int)i, number.low, number.high);
    }
    vec_push(e->arena, &e->state->runtimes, number);
    return index_runtime(e->index, (int)e->state->runtimes.count - 1, number.low, number.high);
}

const IndexExpr *emit_table_lookup(
    Emit *e, int64_t count, const int64_t *numbers, const IndexExpr *at, int64_t low,
    int64_t high) {
    if (index_is_constant(at) && at->constant >= 0 && at->constant < count)
        return index_constant(e->index, numbers[at->constant]);
    int64_t id = 0;
    for (; id < e->state->tables.count; id++) {
        const IndexTable *table = &e->state->tables.data[id];
        if (table->count == count &&
            memcmp(table->numbers, numbers, (size_t)count * sizeof numbers[0]) == 0)
            break;
    }
    if (id == e->state->tables.count) {
        IndexTable table = {
            .count = count,
            .numbers = arena_copy(e->arena, numbers, (size_t)count * sizeof numbers[0])};
        vec_push(e->arena, &e->state->tables, table);
    }
    return index_table(e->index, (int)id, at, low, high);
}

// --- elements ---

void emit_bind(Emit *e, const Value *value, const Scalar *scalar) {
    EmitState *state = e->state;
    for (int64_t i = state->bindings.count - 1; i >= 0; i--) {
        if (state->bindings.data[i].value != value) continue;
        state->bindings.count--;
        for (int64_t j = i; j < state->bindings.count; j++)
            state->bindings.data[j] = state->bindings.data[j + 1];
        break;
    }
    if (!scalar) return;
    Binding binding = {value, *scalar, state->scope};
    vec_push(e->arena, &state->bindings, binding);
}

static Scalar fail(Emit *e, const Value *value, const char *why) {
    const Op *op = value->def;
    if (!e->failed)
        diag_unsupported(
            e->diags, op ? op->loc : value->loc, "%s '%.*s' in native code", why,
            SV_ARG(op ? op->name : SV("argument")));
    e->failed = true;
    return emit_constant(e, value->type->element, 0);
}

static Scalar emit_pointwise(Emit *e, const Value *value, const IndexExpr *const *index) {
    const Op *op = value->def;
    Scalar operands[3];
    if (op->operand_count > 3) return fail(e, value, "too many operands of");
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] =
            emit_element(e, op_operand(op, i), index); // a scalar operand ignores the index
        if (e->failed) return emit_constant(e, value->type->element, 0);
    }
    return emit_scalar_op(e, op, operands);
}

Scalar emit_element_anew(Emit *e, const Value *value, const IndexExpr *const *index) {
    int operand = kernel_operand(e->kernel, value);
    if (operand >= e->kernel->output_count) {
        Scalar staged;
        if (e->state->tile && tile_load(e, value, emit_element_number(e, value, index), &staged))
            return staged;
        LLVMValueRef device = e->state->device ? emit_index(e, e->state->device) : NULL;
        return emit_load(e, value, emit_address(e, value, index, device));
    }
    if (!value->def) return fail(e, value, "an argument is not stored:");
    const Op *op = value->def;
    if (op_has(op, TRAIT_POINTWISE) && op->code != OP_MAP) return emit_pointwise(e, value, index);
    Scalar result;
    if (emit_view(e, value, index, &result)) return result;
    if (lower_class(op, NULL) == LOWER_REDUCE) {
        Scalar *results = ARENA_ARRAY(e->arena, Scalar, op->result_count);
        if (emit_reduction_element(e, op, value->index, index, results))
            return results[value->index];
        return emit_constant(e, value->type->element, 0);
    }
    return fail(e, value, "no elementwise form of");
}

Scalar emit_element(Emit *e, const Value *value, const IndexExpr *const *index) {
    if (e->failed) return emit_constant(e, value->type->element, 0);
    EmitState *state = e->state;
    for (int64_t i = state->bindings.count - 1; i >= 0; i--) {
        if (state->bindings.data[i].value == value) return state->bindings.data[i].scalar;
    }
    if (state->depth >= MAX_ELEMENT_DEPTH)
        return fail(e, value, "an expression is nested too deeply at");
    MemoEntry key = {.value = value, .rank = value->type->rank, .index = index};
    key.device = state->device ? state->device->number : -1;
    key.hash = memo_hash(&key);
    const Scalar *known = memo_find(e, &key);
    if (known) return *known;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, key.rank, index, state->device, &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    state->depth++;
    Scalar result;
    if (!e->kernel->row_cached_count || !row_cache_load(e, value, index, &result))
        result = emit_element_anew(e, value, index);
    state->depth--;
    if (!e->failed) memo_add(e, &key, result);
    emit_excursion_end(e, &excursion);
    return result;
}

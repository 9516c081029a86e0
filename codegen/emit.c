// The core of emission: the function of a kernel, elements of values with memoisation and hoisting, index expressions, memory.
#include "codegen/emit_state.h"

#include <assert.h>
#include <string.h>

#include "codegen/lower.h"
#include "codegen/tile_stage.h"
#include "runtime/abi.h"

enum { MAX_ELEMENT_DEPTH = 600 }; // nesting of fused ops

// --- the function ---

static void set_text_attribute(Emit *e, LLVMValueRef function, const char *name, const char *value) {
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(
        e->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

void emit_function_attributes(Emit *e, LLVMValueRef function) {
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
    set_text_attribute(e, function, "target-cpu", e->target->cpu);
    if (e->target->features && *e->target->features)
        set_text_attribute(e, function, "target-features", e->target->features);
    if (e->target->isa == ISA_AVX512) set_text_attribute(e, function, "prefer-vector-width", "512");
    set_text_attribute(e, function, "no-trapping-math", "true");
}

// Do two operands name the same memory?
static bool same_memory(const KernelOperand *x, const KernelOperand *y) {
    const Buffer *a = x->buffer, *b = y->buffer;
    if (a == b) return true;
    if (!a || !b) return false;
    if (a->may_alias == b->number + 1 || b->may_alias == a->number + 1) return true;
    if (a->kind != b->kind) return false;
    if (a->kind == BUFFER_ARGUMENT || a->kind == BUFFER_RESULT) return a->index == b->index;
    return false;
}

static const KernelOperand *operand_at(const Kernel *kernel, int k) {
    return k < kernel->output_count ? &kernel->outputs[k] : &kernel->inputs[k - kernel->output_count];
}

static LLVMMetadataRef metadata_string(Emit *e, const char *text) {
    return LLVMMDStringInContext2(e->context, text, strlen(text));
}

// Alias scopes: one per distinct memory, and one more (the last) for private arrays.
static void make_alias_scopes(Emit *e) {
    EmitState *state = e->state;
    int count = e->kernel->output_count + e->kernel->input_count;
    LLVMMetadataRef domain_name = metadata_string(e, "kernel");
    LLVMMetadataRef domain = LLVMMDNodeInContext2(e->context, &domain_name, 1);
    LLVMMetadataRef *scopes = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    int *class = ARENA_ARRAY(e->arena, int, count + 1);
    for (int k = 0; k <= count; k++) {
        class[k] = k;
        for (int j = 0; j < k && k < count && class[k] == k; j++) {
            const KernelOperand *x = operand_at(e->kernel, j), *y = operand_at(e->kernel, k);
            if (same_memory(x, y) || (j < e->kernel->output_count && y->shares == j + 1)) class[k] = class[j];
        }
        LLVMMetadataRef parts[2] = {metadata_string(e, arena_printf(e->arena, "operand%d", k)), domain};
        scopes[k] = LLVMMDNodeInContext2(e->context, parts, 2);
    }
    state->scopes_in = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    state->scopes_out = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    LLVMMetadataRef *others = ARENA_ARRAY(e->arena, LLVMMetadataRef, count + 1);
    for (int k = 0; k <= count; k++) {
        int other_count = 0;
        for (int j = 0; j <= count; j++) {
            if (class[j] == j && class[k] != j) others[other_count++] = scopes[j];
        }
        state->scopes_in[k] = LLVMMDNodeInContext2(e->context, &scopes[class[k]], 1);
        state->scopes_out[k] = other_count ? LLVMMDNodeInContext2(e->context, others, (size_t)other_count) : NULL;
    }
}

static void set_alias_metadata(Emit *e, LLVMValueRef instruction, int operand) {
    if (operand < 0) operand = e->kernel->output_count + e->kernel->input_count;
    unsigned in = LLVMGetMDKindIDInContext(e->context, "alias.scope", 11);
    unsigned out = LLVMGetMDKindIDInContext(e->context, "noalias", 7);
    LLVMSetMetadata(instruction, in, LLVMMetadataAsValue(e->context, e->state->scopes_in[operand]));
    if (e->state->scopes_out[operand])
        LLVMSetMetadata(instruction, out, LLVMMetadataAsValue(e->context, e->state->scopes_out[operand]));
}

static void set_invariant(Emit *e, LLVMValueRef load) {
    LLVMMetadataRef empty = LLVMMDNodeInContext2(e->context, NULL, 0);
    unsigned kind = LLVMGetMDKindIDInContext(e->context, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(e->context, empty));
}

static void function_begin(Emit *e, const char *name) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0), i64 = emit_i64(e);
    LLVMTypeRef parameters[4] = {pointer, pointer, i64, i64};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 4, 0);
    e->function = LLVMAddFunction(e->module, name, type);
    emit_function_attributes(e, e->function);
    e->lane = LLVMGetParam(e->function, 0);
    e->begin = LLVMGetParam(e->function, 2);
    e->end = LLVMGetParam(e->function, 3);
    e->entry = LLVMAppendBasicBlockInContext(e->context, e->function, "entry");
    EmitState *state = ARENA_NEW(e->arena, EmitState);
    e->state = state;
    state->entry_tail = e->entry;
    e->index = index_builder_create(e->arena);
    RuntimeNumber own = {.is_device = true, .low = 0, .high = e->program->device_count - 1};
    vec_push(e->arena, &state->runtimes, own);
    int count = e->kernel->output_count + e->kernel->input_count;
    state->bases = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    state->operand_slots = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    state->operand_offsets = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    state->detours = ARENA_ARRAY(e->arena, StoreDetour, count);
    make_alias_scopes(e);
    state->root = state->scope = ARENA_NEW(e->arena, EmitScope);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(e->context, e->function, "body");
    LLVMPositionBuilderAtEnd(e->builder, body);
}

// Streamed stores are ordered by no barrier but this one.
static void emit_store_fence(Emit *e) {
    if (strncmp(e->target->triple, "x86_64", 6) != 0) {
        LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
        return;
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), NULL, 0, 0);
    unsigned id = LLVMLookupIntrinsicID("llvm.x86.sse.sfence", 19);
    LLVMBuildCall2(e->builder, type, LLVMGetIntrinsicDeclaration(e->module, id, NULL, 0), NULL, 0, "");
}

static void function_end(Emit *e) {
    if (e->state->needs_store_fence) emit_store_fence(e);
    LLVMBuildRetVoid(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->state->entry_tail);
    LLVMBuildBr(e->builder, LLVMGetNextBasicBlock(e->entry));
}

static bool emit_body(Emit *e, const char *name) {
    function_begin(e, name);
    const Lowering *lowering = lowering_of(e->kernel->kind);
    bool good = lowering->emit && lowering->emit(e);
    if (!lowering->emit)
        diag_unsupported(
            e->diags, e->kernel->loc, "'%.*s' is not supported in native code", SV_ARG(e->kernel->root->name));
    if (good && !e->failed) function_end(e);
    return good && !e->failed;
}

static void dispose_module(void *module) { LLVMDisposeModule(module); }
static void dispose_builder(void *builder) { LLVMDisposeBuilder(builder); }

LLVMModuleRef emit_kernel(Arena *arena, LLVMContextRef context, const DeviceProgram *program, const Target *target,
    const Kernel *kernel, const char *name, Diags *diags) {
    Emit *e = ARENA_NEW(arena, Emit);
    e->arena = arena;
    e->context = context;
    e->module = LLVMModuleCreateWithNameInContext(name, context);
    e->builder = LLVMCreateBuilderInContext(context);
    e->target = target;
    e->kernel = kernel;
    e->program = program;
    e->diags = diags;
    bool good = emit_body(e, name);
    dispose_builder(e->builder);
    if (good) return e->module;
    dispose_module(e->module);
    return NULL;
}

bool emit_trial(Emit *e, bool (*body)(Emit *e, void *user), void *user, IndexUses *uses) {
    Emit saved = *e;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    function_begin(e, "trial");
    e->state->uses = uses;
    bool good = body(e, user) && !e->failed;
    if (good) function_end(e);
    LLVMDeleteFunction(e->function);
    bool failed = e->failed;
    *e = saved;
    e->failed = e->failed || failed;
    LLVMPositionBuilderAtEnd(e->builder, block);
    return good;
}

void emit_record_use(Emit *e, IndexUse use) {
    if (!e->state->uses) return;
    for (int64_t id = 0; id < e->state->variables.count; id++) {
        if (!e->state->variables.data[id].is_reduced || !index_depends_on(use.index, (int)id)) continue;
        int64_t factor;
        use.is_in_fold = true;
        if (index_is_affine_in(use.index, (int)id, &factor) && (factor == 1 || factor == -1))
            use.is_fold_contiguous = true;
    }
    vec_push(e->arena, e->state->uses, use);
}

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
            if (m->hash != key->hash || m->value != key->value || m->device != key->device || m->rank != key->rank ||
                m->kind != key->kind)
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
    if (key->rank > 0) entry->index = arena_copy(e->arena, key->index, (size_t)key->rank * sizeof key->index[0]);
    entry->scalar = scalar;
    MemoEntry **bucket = &e->state->scope->memo[key->hash % MEMO_BUCKETS];
    entry->next = *bucket;
    *bucket = entry;
}

static MemoEntry address_key(
    const Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index) {
    const IndexExpr *device = e->state->device;
    MemoEntry key = {.value = value, .device = device ? device->number : -1, .kind = kind, .rank = count, .index = index};
    key.hash = memo_hash(&key);
    return key;
}

LLVMValueRef emit_known_address(Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index) {
    MemoEntry key = address_key(e, value, kind, count, index);
    const Scalar *known = memo_find(e, &key);
    return known ? known->value : NULL;
}

void emit_remember_address(
    Emit *e, const Value *value, int kind, int count, const IndexExpr *const *index, LLVMValueRef address) {
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
            assert(atom->id < e->state->variables.count && e->state->variables.data[atom->id].scope);
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
        if (e->state->bindings.data[i].scope->depth > depth) depth = e->state->bindings.data[i].scope->depth;
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
    return index_runtime(e->index, 0, 0, e->program->device_count - 1);
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
    number = is_mod ? LLVMBuildURem(e->builder, number, divisor, "") : LLVMBuildUDiv(e->builder, number, divisor, "");
    if (is_narrow) number = LLVMBuildZExt(e->builder, number, emit_i64(e), "");
    if (!is_mod && shift) number = LLVMBuildNSWSub(e->builder, number, emit_i64_constant(e, shift), "");
    return number;
}

static LLVMValueRef entry_load(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t byte_offset, const char *name) {
    LLVMValueRef at = emit_i64_constant(e, byte_offset);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), base, &at, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, address, name);
    set_invariant(e, load);
    return load;
}

static LLVMValueRef emit_runtime(Emit *e, int id) {
    RuntimeNumber number = e->state->runtimes.data[id];
    if (number.is_device) return entry_load(e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, device), "device");
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
        LLVMSetInitializer(table->global, LLVMConstArray2(emit_i64(e), numbers, (uint64_t)table->count));
        LLVMSetGlobalConstant(table->global, 1);
        LLVMSetLinkage(table->global, LLVMPrivateLinkage);
        LLVMSetUnnamedAddress(table->global, LLVMGlobalUnnamedAddr);
    }
    emit_record_use(e, (IndexUse){.kind = USE_NUMBER, .index = of});
    LLVMValueRef at[2] = {emit_i64_constant(e, 0), emit_index(e, of)};
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, array, table->global, at, 2, "");
    LLVMValueRef load = LLVMBuildLoad2(e->builder, emit_i64(e), address, "");
    set_invariant(e, load);
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
            const IndexExpr one = {.term_count = 1, .atoms = &x->atoms[i], .factors = &x->factors[i]};
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
    if (x->low >= low) return LLVMBuildICmp(e->builder, LLVMIntSLT, number, emit_i64_constant(e, high), "");
    if (x->high < high) return LLVMBuildICmp(e->builder, LLVMIntSGE, number, emit_i64_constant(e, low), "");
    number = LLVMBuildSub(e->builder, number, emit_i64_constant(e, low), "");
    return LLVMBuildICmp(e->builder, LLVMIntULT, number, emit_i64_constant(e, high - low), "");
}

const IndexExpr *emit_runtime_number(
    Emit *e, const Value *value, int rank, const IndexExpr *const *index, int64_t low, int64_t high) {
    RuntimeNumber number = {
        .value = value, .rank = rank, .device = e->state->device, .low = low, .high = high < low ? low : high};
    if (rank) number.index = arena_copy(e->arena, index, (size_t)rank * sizeof index[0]);
    for (int64_t i = 1; i < e->state->runtimes.count; i++) {
        const RuntimeNumber *r = &e->state->runtimes.data[i];
        if (r->value == value && r->device == number.device && r->low == number.low && r->high == number.high &&
            r->rank == rank && (rank == 0 || memcmp(r->index, index, (size_t)rank * sizeof index[0]) == 0))
            return index_runtime(e->index, (int)i, number.low, number.high);
    }
    vec_push(e->arena, &e->state->runtimes, number);
    return index_runtime(e->index, (int)e->state->runtimes.count - 1, number.low, number.high);
}

const IndexExpr *emit_table_lookup(
    Emit *e, int64_t count, const int64_t *numbers, const IndexExpr *at, int64_t low, int64_t high) {
    if (index_is_constant(at) && at->constant >= 0 && at->constant < count)
        return index_constant(e->index, numbers[at->constant]);
    int64_t id = 0;
    for (; id < e->state->tables.count; id++) {
        const IndexTable *table = &e->state->tables.data[id];
        if (table->count == count && memcmp(table->numbers, numbers, (size_t)count * sizeof numbers[0]) == 0) break;
    }
    if (id == e->state->tables.count) {
        IndexTable table = {.count = count, .numbers = arena_copy(e->arena, numbers, (size_t)count * sizeof numbers[0])};
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
        diag_unsupported(e->diags, op ? op->loc : value->loc, "%s '%.*s' in native code", why,
            SV_ARG(op ? op->name : SV("argument")));
    e->failed = true;
    return emit_constant(e, value->type->element, 0);
}

static Scalar emit_pointwise(Emit *e, const Value *value, const IndexExpr *const *index) {
    const Op *op = value->def;
    Scalar operands[3];
    if (op->operand_count > 3) return fail(e, value, "too many operands of");
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = emit_element(e, op_operand(op, i), index); // a scalar operand ignores the index
        if (e->failed) return emit_constant(e, value->type->element, 0);
    }
    return emit_scalar_op(e, op, operands);
}

Scalar emit_element_anew(Emit *e, const Value *value, const IndexExpr *const *index) {
    int operand = kernel_operand(e->kernel, value);
    if (operand >= e->kernel->output_count) {
        Scalar staged;
        if (e->state->tile && tile_load(e, value, emit_element_number(e, value, index), &staged)) return staged;
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
        if (emit_reduction_element(e, op, value->index, index, results)) return results[value->index];
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
    if (state->depth >= MAX_ELEMENT_DEPTH) return fail(e, value, "an expression is nested too deeply at");
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

// --- memory ---

LLVMTypeRef emit_register_type(Emit *e, ElementType element) {
    switch (element) {
    case ELEMENT_BF16: return LLVMBFloatTypeInContext(e->context);
    case ELEMENT_F16: return LLVMHalfTypeInContext(e->context);
    case ELEMENT_F64:
    case ELEMENT_C128: return LLVMDoubleTypeInContext(e->context);
    default: break;
    }
    ElementClass class = element_class(element);
    if (class == CLASS_FLOAT || class == CLASS_COMPLEX) return LLVMFloatTypeInContext(e->context);
    return LLVMIntTypeInContext(e->context, (unsigned)element_bits(element));
}

LLVMTypeRef emit_memory_type(Emit *e, ElementType element) {
    if (element_class(element) == CLASS_COMPLEX) return LLVMArrayType2(emit_register_type(e, element), 2);
    if (element_bytes(element) == 1) return LLVMInt8TypeInContext(e->context);
    return emit_register_type(e, element);
}

static LLVMValueRef entry_builder_begin(Emit *e) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderAtEnd(e->builder, e->state->entry_tail);
    return LLVMBasicBlockAsValue(block);
}

static void entry_builder_end(Emit *e, LLVMValueRef block) {
    LLVMPositionBuilderAtEnd(e->builder, LLVMValueAsBasicBlock(block));
}

// Loads an operand's slot and offset and the lane's bases in the entry block.
static void load_operand(Emit *e, int k) {
    EmitState *state = e->state;
    if (!state->device_bases) {
        LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
        state->device_bases = entry_load(e, pointer, e->lane, (int64_t)offsetof(RtLane, bases), "bases");
        state->slot_count = entry_load(e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, slot_count), "slots");
    }
    if (state->operand_slots[k]) return;
    LLVMValueRef operands = LLVMGetParam(e->function, 1);
    int64_t at = k * (int64_t)sizeof(RtOperand);
    state->operand_slots[k] = entry_load(e, emit_i64(e), operands, at + (int64_t)offsetof(RtOperand, slot), "slot");
    state->operand_offsets[k] = entry_load(e, emit_i64(e), operands, at + (int64_t)offsetof(RtOperand, offset), "offset");
}

static LLVMValueRef base_of(Emit *e, int k, LLVMValueRef device) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef at = LLVMBuildNSWMul(e->builder, device, e->state->slot_count, "");
    at = LLVMBuildNSWAdd(e->builder, at, e->state->operand_slots[k], "");
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, pointer, e->state->device_bases, &at, 1, "");
    LLVMValueRef base = LLVMBuildLoad2(e->builder, pointer, address, "base");
    set_invariant(e, base);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    return LLVMBuildInBoundsGEP2(e->builder, i8, base, &e->state->operand_offsets[k], 1, "");
}

LLVMValueRef emit_base(Emit *e, const Value *stored) {
    int k = kernel_operand(e->kernel, stored);
    assert(k >= 0);
    if (e->state->bases[k]) return e->state->bases[k];
    // Operands in the same memory have one base, so that equal addresses are seen to be equal.
    const KernelOperand *operand = operand_at(e->kernel, k);
    if (k >= e->kernel->output_count && operand->shares)
        return e->state->bases[k] = emit_base(e, e->kernel->outputs[operand->shares - 1].value);
    for (int j = 0; j < k; j++) {
        if (e->state->bases[j] && operand_at(e->kernel, j)->buffer == operand->buffer)
            return e->state->bases[k] = e->state->bases[j];
    }
    LLVMValueRef block = entry_builder_begin(e);
    load_operand(e, k);
    LLVMValueRef device = entry_load(e, emit_i64(e), e->lane, (int64_t)offsetof(RtLane, device), "device");
    e->state->bases[k] = base_of(e, k, device);
    entry_builder_end(e, block);
    return e->state->bases[k];
}

// Base address on the device of the current element, remembered in the scope where it is known.
static LLVMValueRef emit_remote_base(Emit *e, const Value *stored, LLVMValueRef device) {
    int k = kernel_operand(e->kernel, stored);
    LLVMValueRef block = entry_builder_begin(e);
    load_operand(e, k);
    entry_builder_end(e, block);
    const IndexExpr *at = e->state->device;
    if (!at) return base_of(e, k, device);
    LLVMValueRef base = emit_known_address(e, stored, ADDRESS_BASE, 0, NULL);
    if (base) return base;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, 0, NULL, at, &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    base = base_of(e, k, emit_index(e, at));
    emit_remember_address(e, stored, ADDRESS_BASE, 0, NULL, base);
    emit_excursion_end(e, &excursion);
    return base;
}

LLVMValueRef emit_operand_base(Emit *e, const Value *stored) {
    return e->state->device ? emit_remote_base(e, stored, NULL) : emit_base(e, stored);
}

const IndexExpr *emit_element_number(Emit *e, const Value *stored, const IndexExpr *const *index) {
    const Buffer *buffer = operand_at(e->kernel, kernel_operand(e->kernel, stored))->buffer;
    const IndexExpr *at = index_constant(e->index, 0);
    for (int d = 0; d < stored->type->rank; d++)
        at = index_add(e->index, at, index_scale(e->index, index[d], buffer->strides[d]));
    return at;
}

LLVMValueRef emit_address(Emit *e, const Value *stored, const IndexExpr *const *index, LLVMValueRef device) {
    int k = kernel_operand(e->kernel, stored);
    assert(k >= 0);
    const IndexExpr *at = emit_element_number(e, stored, index);
    IndexUse use = {.kind = k < e->kernel->output_count ? USE_STORE : USE_ADDRESS, .index = at, .value = stored};
    use.bytes = (int64_t)element_bytes(stored->type->element);
    emit_record_use(e, use);
    LLVMValueRef base = device ? emit_remote_base(e, stored, device) : emit_base(e, stored);
    LLVMValueRef number = emit_index(e, at);
    return LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, stored->type->element), base, &number, 1, "");
}

static LLVMValueRef part_address(Emit *e, ElementType element, LLVMValueRef address, int part) {
    LLVMValueRef at = emit_i64_constant(e, part);
    return LLVMBuildInBoundsGEP2(e->builder, emit_register_type(e, element), address, &at, 1, "");
}

static LLVMValueRef load_number(Emit *e, LLVMTypeRef type, LLVMValueRef address, unsigned alignment, int operand) {
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, address, "");
    LLVMSetAlignment(load, alignment);
    set_alias_metadata(e, load, operand);
    return load;
}

static void store_number(Emit *e, LLVMValueRef number, LLVMValueRef address, unsigned alignment, int operand) {
    LLVMValueRef store = LLVMBuildStore(e->builder, number, address);
    LLVMSetAlignment(store, alignment);
    set_alias_metadata(e, store, operand);
}

static Scalar load_scalar(Emit *e, ElementType element, LLVMValueRef address, int operand) {
    Scalar x = {.element = element};
    LLVMTypeRef type = emit_register_type(e, element);
    ElementClass class = element_class(element);
    unsigned size = (unsigned)element_bytes(element);
    if (class == CLASS_COMPLEX) {
        x.value = load_number(e, type, address, size / 2, operand);
        x.imag = load_number(e, type, part_address(e, element, address, 1), size / 2, operand);
        return x;
    }
    x.value = load_number(e, emit_memory_type(e, element), address, size, operand);
    if (size > 1 || element_bits(element) == 8) {
        if (class == CLASS_FLOAT && size == 1) x.value = emit_decode_float(e, element, x.value);
    } else if (class == CLASS_FLOAT) {
        x.value = emit_decode_float(e, element, x.value);
    } else {
        x.value = LLVMBuildTrunc(e->builder, x.value, type, "");
    }
    return x;
}

static void store_scalar(Emit *e, ElementType element, LLVMValueRef address, Scalar x, int operand) {
    ElementClass class = element_class(element);
    unsigned size = (unsigned)element_bytes(element);
    if (class == CLASS_COMPLEX) {
        store_number(e, x.value, address, size / 2, operand);
        store_number(e, x.imag, part_address(e, element, address, 1), size / 2, operand);
        return;
    }
    LLVMTypeRef type = emit_memory_type(e, element);
    LLVMValueRef number = x.value;
    if (class == CLASS_FLOAT && size == 1)
        number = emit_encode_float(e, element, number);
    else if (class == CLASS_SINT && element_bits(element) < 8)
        number = LLVMBuildSExt(e->builder, number, type, "");
    else if (size == 1 && element_bits(element) < 8)
        number = LLVMBuildZExt(e->builder, number, type, "");
    store_number(e, number, address, size, operand);
}

Scalar emit_load(Emit *e, const Value *stored, LLVMValueRef address) {
    return load_scalar(e, stored->type->element, address, kernel_operand(e->kernel, stored));
}

void emit_store(Emit *e, const Value *stored, LLVMValueRef address, Scalar x) {
    int k = kernel_operand(e->kernel, stored);
    const StoreDetour *detour = &e->state->detours[k];
    if (detour->array)
        emit_private_store(e, stored->type->element, detour->array, detour->place, x);
    else
        store_scalar(e, stored->type->element, address, x, k);
}

LLVMValueRef emit_scratch(Emit *e, int64_t offset) {
    LLVMValueRef block = entry_builder_begin(e);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMValueRef scratch = entry_load(e, pointer, e->lane, (int64_t)offsetof(RtLane, scratch), "scratch");
    LLVMValueRef at = emit_i64_constant(e, offset);
    scratch = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), scratch, &at, 1, "");
    entry_builder_end(e, block);
    return scratch;
}

Scalar emit_private_load(Emit *e, ElementType element, LLVMValueRef array, LLVMValueRef at) {
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, element), array, &at, 1, "");
    return load_scalar(e, element, address, -1);
}

void emit_private_store(Emit *e, ElementType element, LLVMValueRef array, LLVMValueRef at, Scalar x) {
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, element), array, &at, 1, "");
    store_scalar(e, element, address, x, -1);
}

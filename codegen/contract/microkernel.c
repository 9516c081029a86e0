// microkernel: the register tile of contractions, C[MR, NR] += A[MR, k] * B[k, NR],
// with all of C in vector registers.
//
// One step of k loads a row of B's panel as vectors and multiplies it with each of A's MR elements
// (a broadcast, which x86 folds into the multiply-add). The vectors are explicit, so the width does
// not depend on what LLVM's vectorisers think. Where the CPU multiplies groups of narrow elements,
// an element is a group of neighbouring k's, as wide as the sum that its dot product is added to.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"
#include "codegen/emit/shared.h"

enum { MAX_TILE_ROWS = 24, MAX_TILE_VECTORS = 8, CACHE_LINE = 64 };

ContractVectors contract_vectors(
    Emit *e, LLVMBuilderRef builder, const ContractRow *how, ElementType accumulator,
    ElementType operand) {
    int lanes = e->target->vector_bits / element_bits(accumulator);
    ContractVectors v = {
        .e = e,
        .builder = builder,
        .how = how,
        .accumulator = accumulator,
        .operand = operand,
        .lanes = lanes < 1 ? 1 : lanes,
        .scalar = emit_register_type(e, accumulator)};
    v.group = how->group == 1 ? v.scalar : LLVMInt32TypeInContext(e->context);
    v.vector = LLVMVectorType(v.scalar, (unsigned)v.lanes);
    v.groups = LLVMVectorType(v.group, (unsigned)v.lanes);
    return v;
}

LLVMValueRef contract_splat(const ContractVectors *v, LLVMValueRef group) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->e->context);
    LLVMValueRef undef = LLVMGetPoison(v->groups);
    LLVMValueRef one =
        LLVMBuildInsertElement(v->builder, undef, group, LLVMConstInt(i32, 0, 0), "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(i32, (unsigned)v->lanes));
    return LLVMBuildShuffleVector(v->builder, one, undef, mask, "");
}

static LLVMValueRef add(const ContractVectors *v, LLVMValueRef x, LLVMValueRef y) {
    return element_is_float(v->accumulator) ? LLVMBuildFAdd(v->builder, x, y, "")
                                            : LLVMBuildAdd(v->builder, x, y, "");
}

// Calls an intrinsic on vectors, as the types that this LLVM declares for them.
static LLVMValueRef call(
    const ContractVectors *v, const char *name, int count, const LLVMValueRef *operands) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name)), overload_count = 0;
    unsigned elements = (unsigned)(v->lanes * v->how->group);
    LLVMTypeRef overloads[2] = {v->vector, NULL}, parameters[3];
    if (LLVMIntrinsicIsOverloaded(id)) {
        overloads[1] = LLVMVectorType(emit_memory_type(v->e, v->operand), elements);
        overload_count = v->how->group > 1 ? 2 : 1; // of sums and, for dots, of what is multiplied
    }
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(v->e->module, id, overloads, overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(v->e->context, id, overloads, overload_count);
    LLVMGetParamTypes(type, parameters);
    LLVMValueRef arguments[3];
    for (int i = 0; i < count; i++)
        arguments[i] = LLVMBuildBitCast(v->builder, operands[i], parameters[i], "");
    LLVMValueRef result =
        LLVMBuildCall2(v->builder, type, function, arguments, (unsigned)count, "");
    return LLVMBuildBitCast(v->builder, result, v->vector, "");
}

LLVMValueRef contract_multiply_add(
    const ContractVectors *v, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
    LLVMValueRef product[3] = {sum, x, y}, fused[3] = {x, y, sum};
    switch (v->how->product) {
    case PRODUCT_DOT: return call(v, v->how->instruction, 3, product);
    case PRODUCT_DOT_AND_ADD: return add(v, sum, call(v, v->how->instruction, 2, product + 1));
    default: break;
    }
    if (!element_is_float(v->accumulator)) return add(v, LLVMBuildMul(v->builder, x, y, ""), sum);
    if (!v->e->target->has_fma) return add(v, LLVMBuildFMul(v->builder, x, y, ""), sum);
    return call(v, "llvm.fma", 3, fused);
}

LLVMValueRef contract_masked_load(
    Emit *e, LLVMTypeRef type, LLVMValueRef address, unsigned alignment, LLVMValueRef mask) {
    LLVMTypeRef overloads[2] = {type, LLVMPointerTypeInContext(e->context, 0)};
    unsigned id = LLVMLookupIntrinsicID("llvm.masked.load", 16);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, overloads, 2);
    LLVMTypeRef call = LLVMIntrinsicGetType(e->context, id, overloads, 2);
    LLVMValueRef arguments[4] = {address, NULL, NULL, NULL};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    bool has_alignment = LLVMCountParamTypes(call) == 4; // until LLVM 21
    int next = 1;
    if (has_alignment) arguments[next++] = LLVMConstInt(i32, alignment, 0);
    arguments[next++] = mask;
    arguments[next++] = LLVMConstNull(type);
    return LLVMBuildCall2(e->builder, call, function, arguments, (unsigned)next, "");
}

typedef struct Micro {
    Emit *e;
    LLVMBuilderRef builder;
    const Microkernel *what;
    Tile tile;
    ElementType element;
    int vectors, lanes;
    ContractVectors math;
    LLVMTypeRef scalar, vector;            // of C
    bool is_raised;                        // A is stored plus 128
    bool sums_excess;                      // in its loop, as nobody has done so before
    LLVMValueRef excess[MAX_TILE_VECTORS]; // is_raised: 128 times the sum of B's columns
    LLVMValueRef sums[MAX_TILE_ROWS][MAX_TILE_VECTORS];
    LLVMValueRef rows, mask;
} Micro;

static LLVMValueRef at(Micro *k, LLVMValueRef base, int64_t element) {
    LLVMValueRef index = emit_number(k->e, element);
    return LLVMBuildInBoundsGEP2(k->builder, k->scalar, base, &index, 1, "");
}

static LLVMValueRef load_vector(Micro *k, LLVMTypeRef type, LLVMValueRef address) {
    LLVMValueRef x = LLVMBuildLoad2(k->builder, type, address, "");
    LLVMSetAlignment(x, (unsigned)(k->lanes * (int)element_bytes(k->element)));
    return x;
}

// The lanes that exist of a last vector; what lies behind them may be no memory.
static LLVMValueRef load_part(Micro *k, LLVMValueRef address, int count) {
    enum { MOST_LANES = 64 };
    LLVMValueRef exists[MOST_LANES];
    LLVMTypeRef i1 = LLVMInt1TypeInContext(k->e->context);
    for (int i = 0; i < k->lanes; i++)
        exists[i] = LLVMConstInt(i1, i < count, 0);
    return contract_masked_load(
        k->e, k->math.groups, address, (unsigned)element_bytes(k->element),
        LLVMConstVector(exists, (unsigned)k->lanes));
}

static LLVMValueRef load_row(Micro *k, LLVMValueRef b, int vector) {
    LLVMValueRef address = at(k, b, vector * k->lanes);
    if (k->what->last_lanes > 0 && vector == k->vectors - 1)
        return load_part(k, address, k->what->last_lanes);
    LLVMValueRef x = load_vector(k, k->math.groups, address);
    if (k->what->rhs_stride) LLVMSetAlignment(x, (unsigned)element_bytes(k->element));
    return x;
}

// Bytes from a step's row of B to the next one's.
static int64_t rhs_step(const Micro *k) {
    int64_t stride = k->what->rhs_stride ? k->what->rhs_stride : k->tile.columns;
    return stride * (int64_t)element_bytes(k->element);
}

// The tile's accumulators, loaded from c or zero.
static void begin_sums(Micro *k, LLVMValueRef c, LLVMValueRef add) {
    for (int i = 0; i < k->tile.rows; i++) {
        for (int j = 0; j < k->vectors; j++) {
            k->sums[i][j] = LLVMConstNull(k->vector);
        }
    }
    LLVMContextRef context = k->e->context;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(k->builder));
    LLVMBasicBlockRef start = LLVMGetInsertBlock(k->builder);
    LLVMBasicBlockRef load = LLVMAppendBasicBlockInContext(context, function, "load");
    LLVMBasicBlockRef ready = LLVMAppendBasicBlockInContext(context, function, "ready");
    LLVMBuildCondBr(k->builder, add, load, ready);
    LLVMPositionBuilderAtEnd(k->builder, load);
    LLVMValueRef old[MAX_TILE_ROWS][MAX_TILE_VECTORS];
    for (int i = 0; i < k->tile.rows; i++) {
        for (int j = 0; j < k->vectors; j++) {
            old[i][j] =
                load_vector(k, k->vector, at(k, c, (int64_t)i * k->tile.columns + j * k->lanes));
        }
    }
    LLVMBuildBr(k->builder, ready);
    LLVMPositionBuilderAtEnd(k->builder, ready);
    for (int i = 0; i < k->tile.rows; i++) {
        for (int j = 0; j < k->vectors; j++) {
            LLVMValueRef phi = LLVMBuildPhi(k->builder, k->vector, "");
            LLVMValueRef values[2] = {k->sums[i][j], old[i][j]};
            LLVMBasicBlockRef blocks[2] = {start, load};
            LLVMAddIncoming(phi, values, blocks, 2);
            k->sums[i][j] = phi;
        }
    }
}

// The sums without what A is raised by.
static void take_excess_off(Micro *k) {
    for (int i = 0; i < k->tile.rows; i++) {
        for (int j = 0; j < k->vectors; j++)
            k->sums[i][j] = LLVMBuildSub(k->builder, k->sums[i][j], k->excess[j], "");
    }
}

LLVMValueRef contract_add_excess(const ContractVectors *v, LLVMValueRef row, LLVMValueRef sum) {
    enum { MOST_BYTES = 64 };
    LLVMValueRef bytes[MOST_BYTES];
    LLVMTypeRef type = LLVMInt8TypeInContext(v->e->context);
    unsigned count = (unsigned)(v->lanes * (int)element_bytes(v->accumulator));
    for (unsigned i = 0; i < count; i++)
        bytes[i] = LLVMConstInt(type, 0x80, 0);
    return contract_multiply_add(v, LLVMConstVector(bytes, count), row, sum);
}

// Multiply-adds of memory at two registers' sum would be two operations each on x86: the address is
// kept from being folded into them by an assembler text of no instruction. It is made here, not
// where it is used.
static LLVMValueRef in_one_register(Micro *k, LLVMValueRef address) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(k->e->context, 0);
    LLVMTypeRef type = LLVMFunctionType(pointer, &pointer, 1, 0);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(type, "", 0, "=r,0", 4, 1, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(k->builder, type, nothing, &address, 1, "");
}

// Reads the register in an assembler text of no instruction. AVX2's multiply-add may write its
// result over what is not read again, and sums that move from register to register need more of
// them.
static void read_again(Micro *k, LLVMValueRef vector) {
    LLVMTypeRef type = LLVMTypeOf(vector);
    LLVMTypeRef reader = LLVMFunctionType(LLVMVoidTypeInContext(k->e->context), &type, 1, 0);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(reader, "", 0, "x", 1, 1, 0, LLVMInlineAsmDialectATT, 0);
    LLVMBuildCall2(k->builder, reader, nothing, &vector, 1, "");
}

// Where A's groups of a step begin, `on` steps behind the one whose offset lies at `offset`.
static LLVMValueRef groups_at(Micro *k, LLVMValueRef image, LLVMValueRef offset, int on) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(k->e->context);
    LLVMValueRef distance = emit_number(k->e, on);
    offset = LLVMBuildInBoundsGEP2(k->builder, i64, offset, &distance, 1, "");
    LLVMValueRef moved = LLVMBuildLoad2(k->builder, i64, offset, "");
    LLVMTypeRef element = emit_memory_type(k->e, k->what->lhs.element);
    return LLVMBuildGEP2(k->builder, element, image, &moved, 1, "");
}

// One step of k: sums[i][j] += a[i] * b[j].
static void step(Micro *k, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef row[MAX_TILE_VECTORS] = {NULL};
    for (int j = 0; j < k->vectors; j++) {
        row[j] = load_row(k, b, j);
        if (k->sums_excess) k->excess[j] = contract_add_excess(&k->math, row[j], k->excess[j]);
    }
    LLVMTypeRef element = emit_memory_type(k->e, k->what->lhs.element);
    int64_t stride = k->what->has_offsets ? k->what->row_stride : k->what->how->group;
    for (int i = 0; i < k->tile.rows; i++) {
        LLVMValueRef distance = emit_number(k->e, i * stride);
        LLVMValueRef from = LLVMBuildInBoundsGEP2(k->builder, element, a, &distance, 1, "");
        LLVMValueRef one = LLVMBuildLoad2(k->builder, k->math.group, from, "");
        LLVMSetAlignment(one, (unsigned)element_bytes(k->what->lhs.element));
        LLVMValueRef x = contract_splat(&k->math, one);
        for (int j = 0; j < k->vectors; j++) {
            k->sums[i][j] = contract_multiply_add(&k->math, x, row[j], k->sums[i][j]);
        }
        if (k->vectors == 1 && k->e->target->isa == ISA_AVX2) read_again(k, x);
    }
}

// Few rows are multiplied as fast as memory is read.
static void ask_for_rhs(Micro *k, LLVMValueRef b) {
    enum { AHEAD = 4096 };
    int64_t word = (int64_t)element_bytes(k->element);
    for (int64_t at_byte = 0; at_byte < k->tile.columns * word; at_byte += CACHE_LINE)
        emit_prefetch(k->e, at(k, b, (AHEAD + at_byte) / word), false, PREFETCH_SECOND);
}

// The values that the loop over k carries from step to step: the sums of the tile, and those of the
// excess where nobody has made them before.
enum { MAX_CARRIED = MAX_TILE_ROWS * MAX_TILE_VECTORS + MAX_TILE_VECTORS };

typedef struct Carried {
    LLVMValueRef *values[MAX_CARRIED];
    int count;
} Carried;

static Carried carried_values(Micro *k) {
    Carried all = {.count = 0};
    for (int i = 0; i < k->tile.rows; i++)
        for (int j = 0; j < k->vectors; j++)
            all.values[all.count++] = &k->sums[i][j];
    for (int j = 0; j < k->vectors && k->sums_excess; j++)
        all.values[all.count++] = &k->excess[j];
    return all;
}

// Each phi is this value where control comes from this block.
static void come_from(
    const Carried *all, LLVMBasicBlockRef from, LLVMValueRef *phis, LLVMValueRef *values) {
    for (int i = 0; i < all->count; i++)
        LLVMAddIncoming(phis[i], &values[i], &from, 1);
}

// The values as they are at this point of emission.
static void take(const Carried *all, LLVMValueRef *values) {
    for (int i = 0; i < all->count; i++)
        values[i] = *all->values[i];
}

// Each value becomes a phi.
static void meet(Micro *k, const Carried *all, LLVMValueRef *phis) {
    for (int i = 0; i < all->count; i++)
        *all->values[i] = phis[i] = LLVMBuildPhi(k->builder, k->vector, "");
}

// Addresses of a step: of A's panel, or of the offsets of this and the next steps; of B's panel;
// and of what it prefetches of the next tile's sums and of B's next panel, NULL without.
enum { PLACE_A, PLACE_B, PLACE_SUMS, PLACE_PANEL, PLACES };
enum { SUMS_A_STEP = 16, PANEL_A_STEP = 32 }; // bytes

typedef struct Place {
    LLVMValueRef at[PLACES];
} Place;

static LLVMValueRef bytes_on(Micro *k, LLVMValueRef address, int64_t bytes) {
    LLVMValueRef distance = emit_number(k->e, bytes);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(k->e->context);
    return LLVMBuildInBoundsGEP2(k->builder, i8, address, &distance, 1, "");
}

static void ask_for(
    Micro *k, LLVMValueRef address, int64_t bytes, bool to_write, PrefetchLevel level) {
    for (int64_t at = 0; at < bytes; at += CACHE_LINE)
        emit_prefetch(k->e, bytes_on(k, address, at), to_write, level);
}

static Place steps_on(Micro *k, const Place *from, int64_t steps) {
    int64_t word = (int64_t)element_bytes(k->element);
    const int64_t bytes[PLACES] = {
        k->what->has_offsets ? (int64_t)sizeof(int64_t) : k->tile.rows * word, rhs_step(k),
        SUMS_A_STEP, PANEL_A_STEP};
    Place place = *from;
    for (int i = 0; i < PLACES; i++)
        if (from->at[i]) place.at[i] = bytes_on(k, from->at[i], steps * bytes[i]);
    return place;
}

// groups: where A's groups begin, if the loop knows it already; else NULL.
static void step_at(Micro *k, const Place *place, LLVMValueRef image, LLVMValueRef groups) {
    LLVMValueRef a = place->at[PLACE_A], b = place->at[PLACE_B];
    if (k->what->streams_rhs) ask_for_rhs(k, b);
    if (k->what->has_offsets) a = groups ? groups : groups_at(k, image, a, 0);
    step(k, a, b);
}

// The groups of two steps, found two steps early: a tile of one vector loads as often as it
// multiplies, so its loads would wait for their offset behind those of the step before.
static void find_groups(Micro *k, LLVMValueRef image, LLVMValueRef offset, LLVMValueRef *groups) {
    for (int i = 0; i < 2; i++)
        groups[i] = in_one_register(k, groups_at(k, image, offset, i));
}

// What two steps use soon, a few bytes of each at a time. Panels come from the second-level cache;
// the next panel of B, which stays while all of A's pass, comes into it; sums are further away.
static void ask_for_next(Micro *k, const Place *place) {
    enum { LHS_AHEAD = 512, RHS_AHEAD = 2048 };
    const Ahead *ahead = &k->what->ahead;
    int64_t word = (int64_t)element_bytes(k->element);
    const LLVMValueRef *at = place->at;
    if (ahead->sums) ask_for(k, at[PLACE_SUMS], 2 * SUMS_A_STEP, true, PREFETCH_FIRST);
    if (ahead->panel) ask_for(k, at[PLACE_PANEL], 2 * PANEL_A_STEP, false, PREFETCH_SECOND);
    LLVMValueRef lhs = bytes_on(k, at[PLACE_A], LHS_AHEAD);
    if (ahead->lhs) ask_for(k, lhs, 2 * k->tile.rows * word, false, PREFETCH_FIRST);
    int64_t row = k->tile.columns * word, steps = RHS_AHEAD / row;
    if (!ahead->rhs) return;
    LLVMValueRef rhs = bytes_on(k, at[PLACE_B], steps * rhs_step(k));
    ask_for(k, rhs, k->what->rhs_stride ? row : 2 * row, false, PREFETCH_FIRST);
    if (k->what->rhs_stride) ask_for(k, bytes_on(k, rhs, rhs_step(k)), row, false, PREFETCH_FIRST);
}

// One row of each place that the end of the tile writes and reads: all of them together would keep
// the loads of the next steps waiting.
static void ask_for_row(Micro *k) {
    LLVMBuilderRef b = k->builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(k->e->context, 0),
                i64 = LLVMInt64TypeInContext(k->e->context);
    for (int i = 0; i < k->what->ahead.places; i++) {
        LLVMValueRef place = bytes_on(k, k->rows, 2 * i * (int64_t)sizeof(int64_t));
        LLVMValueRef distance = bytes_on(k, place, (int64_t)sizeof(int64_t));
        LLVMValueRef at = LLVMBuildLoad2(b, pointer, place, "");
        distance = LLVMBuildLoad2(b, i64, distance, "");
        ask_for(k, at, (int64_t)k->what->ahead.lines * CACHE_LINE, false, PREFETCH_SECOND);
        at = LLVMBuildGEP2(b, LLVMInt8TypeInContext(k->e->context), at, &distance, 1, "");
        LLVMBuildStore(b, at, place);
    }
}

static void ask_for_rows(Micro *k, LLVMValueRef left) {
    if (k->what->ahead.places == 0) return;
    LLVMContextRef context = k->e->context;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(k->builder));
    LLVMBasicBlockRef ask = LLVMAppendBasicBlockInContext(context, function, "ask");
    LLVMBasicBlockRef go_on = LLVMAppendBasicBlockInContext(context, function, "go_on");
    LLVMValueRef rest = LLVMBuildAnd(k->builder, left, k->mask, "");
    LLVMValueRef is_time = LLVMBuildICmp(k->builder, LLVMIntEQ, rest, emit_number(k->e, 0), "");
    LLVMBuildCondBr(k->builder, is_time, ask, go_on);
    LLVMPositionBuilderAtEnd(k->builder, ask);
    ask_for_row(k);
    LLVMBuildBr(k->builder, go_on);
    LLVMPositionBuilderAtEnd(k->builder, go_on);
}

// do { step; if (--n == 0) break; step; } while (--n != 0): two steps for one update of addresses,
// as integer additions take the place of multiplications.
static void loop_over_k(Micro *k, const Place *first, LLVMValueRef image, LLVMValueRef count) {
    LLVMContextRef context = k->e->context;
    LLVMBasicBlockRef start = LLVMGetInsertBlock(k->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(start);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "k");
    LLVMBasicBlockRef second = LLVMAppendBasicBlockInContext(context, function, "second");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, function, "done");
    bool finds_groups = k->what->has_offsets && k->vectors == 1;
    LLVMValueRef groups[2] = {NULL, NULL}, first_groups[2], next_groups[2];
    if (finds_groups) find_groups(k, image, first->at[PLACE_A], first_groups);
    LLVMBuildBr(k->builder, body); // k >= 1
    LLVMPositionBuilderAtEnd(k->builder, body);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMValueRef n = LLVMBuildPhi(k->builder, LLVMInt64TypeInContext(context), "");
    Place place = {{NULL}};
    for (int i = 0; i < PLACES; i++)
        if (first->at[i]) place.at[i] = LLVMBuildPhi(k->builder, pointer, "");
    for (int i = 0; i < 2 && finds_groups; i++)
        groups[i] = LLVMBuildPhi(k->builder, pointer, "");
    Carried all = carried_values(k);
    LLVMValueRef phis[MAX_CARRIED], values[MAX_CARRIED], after_one[MAX_CARRIED];
    take(&all, values);
    meet(k, &all, phis);
    come_from(&all, start, phis, values);
    LLVMValueRef zero = emit_number(k->e, 0);
    ask_for_rows(k, n);
    ask_for_next(k, &place);
    Place next = steps_on(k, &place, 2);
    if (finds_groups) find_groups(k, image, next.at[PLACE_A], next_groups);
    step_at(k, &place, image, groups[0]);
    LLVMBasicBlockRef first_step = LLVMGetInsertBlock(k->builder);
    LLVMValueRef left = LLVMBuildSub(k->builder, n, emit_number(k->e, 1), "");
    LLVMValueRef more = LLVMBuildICmp(k->builder, LLVMIntNE, left, zero, "");
    LLVMBuildCondBr(k->builder, more, second, done);
    take(&all, after_one);
    LLVMPositionBuilderAtEnd(k->builder, second);
    Place two = steps_on(k, &place, 1);
    step_at(k, &two, image, groups[1]);
    take(&all, values);
    come_from(&all, second, phis, values);
    left = LLVMBuildSub(k->builder, n, emit_number(k->e, 2), "");
    more = LLVMBuildICmp(k->builder, LLVMIntNE, left, zero, "");
    LLVMBuildCondBr(k->builder, more, body, done);
    LLVMBasicBlockRef blocks[2] = {start, second};
    LLVMValueRef counts[2] = {count, left};
    LLVMAddIncoming(n, counts, blocks, 2);
    for (int i = 0; i < PLACES; i++) {
        LLVMValueRef places[2] = {first->at[i], next.at[i]};
        if (first->at[i]) LLVMAddIncoming(place.at[i], places, blocks, 2);
    }
    for (int i = 0; i < 2 && finds_groups; i++) {
        LLVMValueRef both[2] = {first_groups[i], next_groups[i]};
        LLVMAddIncoming(groups[i], both, blocks, 2);
    }
    LLVMPositionBuilderAtEnd(k->builder, done);
    meet(k, &all, phis);
    come_from(&all, first_step, phis, after_one);
    come_from(&all, second, phis, values);
}

static void store_sums(Micro *k, LLVMValueRef c) {
    for (int i = 0; i < k->tile.rows; i++) {
        for (int j = 0; j < k->vectors; j++) {
            LLVMValueRef address = at(k, c, (int64_t)i * k->tile.columns + j * k->lanes);
            LLVMValueRef store = LLVMBuildStore(k->builder, k->sums[i][j], address);
            LLVMSetAlignment(store, (unsigned)(k->lanes * (int)element_bytes(k->element)));
        }
    }
}

static LLVMTypeRef microkernel_type(Emit *e) {
    LLVMTypeRef parameters[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        parameters[i] = LLVMPointerTypeInContext(e->context, 0);
    parameters[PARAMETER_K] = parameters[PARAMETER_MASK] = LLVMInt64TypeInContext(e->context);
    parameters[PARAMETER_ADD] = LLVMInt1TypeInContext(e->context);
    return LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, PARAMETERS, 0);
}

bool microkernel_is_raised(const Microkernel *m) {
    return m->how->lhs == ELEMENT_I8 && m->lhs.element == ELEMENT_UI8;
}

static void emit_vectors(Emit *e, const Microkernel *microkernel) {
    LLVMValueRef function = e->function;
    ContractVectors math = contract_vectors(
        e, e->builder, microkernel->how, microkernel->element, microkernel->lhs.element);
    Micro *k = ARENA_NEW(e->arena, Micro);
    *k = (Micro){
        .e = e,
        .builder = e->builder,
        .what = microkernel,
        .tile = microkernel->tile,
        .element = microkernel->element,
        .vectors =
            microkernel->vectors ? microkernel->vectors : microkernel->tile.columns / math.lanes,
        .lanes = math.lanes,
        .math = math,
        .scalar = math.scalar,
        .vector = math.vector,
        .is_raised = microkernel_is_raised(microkernel),
    };
    k->sums_excess = k->is_raised && !microkernel->has_excess;
    for (int j = 0; j < k->vectors && k->sums_excess; j++)
        k->excess[j] = LLVMConstNull(k->vector);
    k->rows = LLVMGetParam(function, PARAMETER_ROWS);
    k->mask = LLVMGetParam(function, PARAMETER_MASK);
    LLVMValueRef c = LLVMGetParam(function, PARAMETER_C),
                 last = LLVMGetParam(function, PARAMETER_LAST);
    begin_sums(k, c, LLVMGetParam(function, PARAMETER_ADD));
    if (microkernel->has_excess) {
        for (int j = 0; j < k->vectors; j++)
            k->excess[j] = load_vector(k, k->vector, at(k, last, j * k->lanes));
        take_excess_off(k);
    }
    LLVMValueRef a = LLVMGetParam(function, PARAMETER_A);
    Place first = {{microkernel->has_offsets ? last : a, LLVMGetParam(function, PARAMETER_B)}};
    if (microkernel->ahead.sums)
        first.at[PLACE_SUMS] = at(k, c, (int64_t)k->tile.rows * k->tile.columns);
    if (microkernel->ahead.panel) first.at[PLACE_PANEL] = LLVMGetParam(function, PARAMETER_SOON);
    loop_over_k(k, &first, a, LLVMGetParam(function, PARAMETER_K));
    if (k->sums_excess) take_excess_off(k);
    store_sums(k, c);
}

static void emit_body(Emit *e, const void *what) {
    const Microkernel *microkernel = what;
    if (microkernel->how->product == PRODUCT_TILES) {
        microkernel_emit_tiles(e, microkernel);
    } else {
        emit_vectors(e, microkernel);
    }
}

static void print_form(StrBuf *name, const PanelForm *form) {
    strbuf_printf(
        name, "_%d_%lld_%lld_%lld", (int)form->element, (long long)form->width,
        (long long)form->group, (long long)form->k_step);
}

// All of the struct.
static const char *name_of(Arena *arena, const Microkernel *m) {
    StrBuf name = strbuf(arena);
    strbuf_printf(
        &name, "microkernel_%d_%d_%d_%d", contract_row_number(m->how), m->tile.rows,
        m->tile.columns, (int)m->element);
    print_form(&name, &m->lhs);
    print_form(&name, &m->rhs);
    if (m->vectors) strbuf_printf(&name, "_of_%d", m->vectors);
    if (m->has_excess) strbuf_printf(&name, "_less");
    const Ahead *ahead = &m->ahead;
    const char *const names[] = {"_lhs", "_rhs", "_sums", "_panel"};
    const bool asks[] = {ahead->lhs, ahead->rhs, ahead->sums, ahead->panel};
    for (int i = 0; i < 4; i++)
        if (asks[i]) strbuf_printf(&name, "%s", names[i]);
    if (ahead->places) strbuf_printf(&name, "_%dx%d", ahead->places, ahead->lines);
    if (ahead->blocks) strbuf_printf(&name, "_next%dx%d", ahead->blocks, ahead->block_lines);
    if (m->streams_rhs) strbuf_printf(&name, "_stream");
    if (m->has_offsets) strbuf_printf(&name, "_%lld", (long long)m->row_stride);
    if (m->rhs_stride) strbuf_printf(&name, "_by%lld", (long long)m->rhs_stride);
    if (m->last_lanes) strbuf_printf(&name, "_last%d", m->last_lanes);
    if (m->parts) strbuf_printf(&name, "_%dx%lld", m->parts, (long long)m->part_stride);
    return strbuf_cstring(&name);
}

void microkernel_call(Emit *e, const Microkernel *microkernel, const MicrokernelCall *call) {
    SharedFunction shared = {
        .name = name_of(e->arena, microkernel),
        .type = microkernel_type,
        .emit = emit_body,
        .what = microkernel,
        .what_bytes = sizeof *microkernel};
    LLVMValueRef arguments[PARAMETERS] = {call->a,    call->b,    call->c,    call->k,   call->add,
                                          call->last, call->soon, call->rows, call->mask};
    LLVMTypeRef types[PARAMETERS];
    LLVMGetParamTypes(microkernel_type(e), types);
    for (int i = 0; i < PARAMETERS; i++)
        if (!arguments[i]) arguments[i] = LLVMConstNull(types[i]);
    emit_shared_call(e, &shared, PARAMETERS, arguments);
}

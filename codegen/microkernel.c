// microkernel: the register tile of contractions, C[MR, NR] += A[MR, k] * B[k, NR], with all of C in vector registers.
//
// One step of k loads a row of B's panel as vectors and multiplies it with each of A's MR elements (a broadcast, which x86 folds into the
// multiply-add). The vectors are explicit, so the width does not depend on what LLVM's vectorisers think. Where the CPU multiplies groups of narrow
// elements, an element is a group of neighbouring k's, as wide as the sum that its dot product is added to.
#include "codegen/contraction.h"

enum { MAX_TILE_ROWS = 24, MAX_TILE_VECTORS = 8 };

typedef struct Micro {
    Emit *e;
    LLVMBuilderRef builder;
    const Microkernel *what;
    Tile tile;
    ElementType element;
    int vectors, lanes;
    LLVMTypeRef scalar, vector; // of C
    LLVMTypeRef group, groups;  // what is loaded of A, of B: one group, or one for each lane
    bool is_raised;             // A is stored plus 128
    LLVMValueRef excess[MAX_TILE_VECTORS]; // is_raised: 128 times the sum of B's columns
    LLVMValueRef sums[MAX_TILE_ROWS][MAX_TILE_VECTORS];
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

// One group in all lanes.
static LLVMValueRef splat(Micro *k, LLVMValueRef x) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->e->context);
    LLVMValueRef undef = LLVMGetPoison(k->groups);
    LLVMValueRef one = LLVMBuildInsertElement(k->builder, undef, x, LLVMConstInt(i32, 0, 0), "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(i32, (unsigned)k->lanes));
    return LLVMBuildShuffleVector(k->builder, one, undef, mask, "");
}

// The lanes of k->vector as elements of the operands.
static LLVMTypeRef narrow_vector(Micro *k) {
    ElementType element = k->what->lhs.element;
    unsigned count = (unsigned)(k->lanes * k->what->how->group);
    return LLVMVectorType(emit_memory_type(k->e, element), count);
}

static LLVMValueRef add(Micro *k, LLVMValueRef x, LLVMValueRef y) {
    return element_is_float(k->element) ? LLVMBuildFAdd(k->builder, x, y, "")
                                        : LLVMBuildAdd(k->builder, x, y, "");
}

// Calls an intrinsic on vectors, given the types that this LLVM declares for them.
static LLVMValueRef call(Micro *k, const char *name, int count, const LLVMValueRef *operands) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef overloads[2] = {k->vector, NULL}, parameters[3];
    unsigned overload_count = 0;
    if (LLVMIntrinsicIsOverloaded(id)) {
        LLVMTypeRef narrow = narrow_vector(k);
        overloads[1] = narrow;
        overload_count = strstr(name, "aarch64") ? 2 : 1;
    }
    LLVMValueRef function =
        LLVMGetIntrinsicDeclaration(k->e->module, id, overloads, overload_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(k->e->context, id, overloads, overload_count);
    LLVMGetParamTypes(type, parameters);
    LLVMValueRef arguments[3];
    for (int i = 0; i < count; i++)
        arguments[i] = LLVMBuildBitCast(k->builder, operands[i], parameters[i], "");
    LLVMValueRef result =
        LLVMBuildCall2(k->builder, type, function, arguments, (unsigned)count, "");
    return LLVMBuildBitCast(k->builder, result, k->vector, "");
}

// sum + a * b, in every lane: of elements, or of groups.
static LLVMValueRef multiply_add(Micro *k, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
    LLVMValueRef product[3] = {sum, x, y}, fused[3] = {x, y, sum};
    switch (k->what->how->product) {
    case PRODUCT_DOT: return call(k, k->what->how->instruction, 3, product);
    case PRODUCT_DOT_AND_ADD:
        return add(k, sum, call(k, k->what->how->instruction, 2, product + 1));
    default: break;
    }
    if (!element_is_float(k->element)) return add(k, LLVMBuildMul(k->builder, x, y, ""), sum);
    if (!k->e->target->has_fma) return add(k, LLVMBuildFMul(k->builder, x, y, ""), sum);
    return call(k, "llvm.fma", 3, fused);
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

// A constant byte in all bytes of a vector.
static LLVMValueRef splat_bytes(Micro *k, LLVMValueRef byte) {
    enum { MOST_BYTES = 64 };
    LLVMValueRef bytes[MOST_BYTES];
    unsigned count = (unsigned)(k->lanes * (int)element_bytes(k->element));
    for (unsigned i = 0; i < count; i++)
        bytes[i] = byte;
    return LLVMConstVector(bytes, count);
}

// One step of k: sums[i][j] += a[i] * b[j]. offset: address of this k's offset, NULL without.
static void step(Micro *k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef offset) {
    LLVMValueRef row[MAX_TILE_VECTORS] = {NULL};
    for (int j = 0; j < k->vectors; j++) {
        row[j] = load_vector(k, k->groups, at(k, b, j * k->lanes));
        if (!k->is_raised) continue;
        LLVMTypeRef byte = LLVMInt8TypeInContext(k->e->context);
        LLVMValueRef raised = splat_bytes(k, LLVMConstInt(byte, 0x80, 0));
        k->excess[j] = multiply_add(k, raised, row[j], k->excess[j]);
    }
    LLVMTypeRef element = emit_memory_type(k->e, k->what->lhs.element);
    if (offset) {
        LLVMTypeRef i64 = LLVMInt64TypeInContext(k->e->context);
        LLVMValueRef moved = LLVMBuildLoad2(k->builder, i64, offset, "");
        a = LLVMBuildInBoundsGEP2(k->builder, element, a, &moved, 1, "");
    }
    int64_t stride = offset ? k->what->row_stride : k->what->how->group;
    for (int i = 0; i < k->tile.rows; i++) {
        LLVMValueRef distance = emit_number(k->e, i * stride);
        LLVMValueRef from = LLVMBuildInBoundsGEP2(k->builder, element, a, &distance, 1, "");
        LLVMValueRef one = LLVMBuildLoad2(k->builder, k->group, from, "");
        LLVMSetAlignment(one, (unsigned)element_bytes(k->what->lhs.element));
        LLVMValueRef x = splat(k, one);
        for (int j = 0; j < k->vectors; j++) {
            k->sums[i][j] = multiply_add(k, x, row[j], k->sums[i][j]);
        }
    }
}

// for (; n > 0; n--) { step; a += rows; b += columns; } With offsets, those advance instead of a.
static void loop_over_k(
    Micro *k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef count, LLVMValueRef offsets) {
    LLVMContextRef context = k->e->context;
    const int rows = k->tile.rows, vectors = k->vectors;
    LLVMBasicBlockRef start = LLVMGetInsertBlock(k->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(start);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "k");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, function, "done");
    LLVMBuildBr(k->builder, body); // k >= 1
    LLVMPositionBuilderAtEnd(k->builder, body);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context),
                pointer = LLVMPointerTypeInContext(context, 0);
    LLVMValueRef n = LLVMBuildPhi(k->builder, i64, ""), pa = LLVMBuildPhi(k->builder, pointer, "");
    LLVMValueRef pb = LLVMBuildPhi(k->builder, pointer, "");
    LLVMValueRef phis[MAX_TILE_ROWS][MAX_TILE_VECTORS], first[MAX_TILE_ROWS][MAX_TILE_VECTORS];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < vectors; j++) {
            first[i][j] = k->sums[i][j];
            k->sums[i][j] = phis[i][j] = LLVMBuildPhi(k->builder, k->vector, "");
        }
    }
    LLVMValueRef excess[MAX_TILE_VECTORS];
    for (int j = 0; j < vectors && k->is_raised; j++)
        k->excess[j] = excess[j] = LLVMBuildPhi(k->builder, k->vector, "");
    bool has_offsets = k->what->has_offsets;
    LLVMValueRef one = emit_number(k->e, 1);
    step(k, has_offsets ? a : pa, pb, has_offsets ? pa : NULL);
    LLVMValueRef next_a =
        has_offsets ? LLVMBuildInBoundsGEP2(k->builder, i64, pa, &one, 1, "") : at(k, pa, rows);
    LLVMValueRef next[3] = {
        LLVMBuildSub(k->builder, n, one, ""), next_a, at(k, pb, k->tile.columns)};
    LLVMValueRef more = LLVMBuildICmp(k->builder, LLVMIntNE, next[0], emit_number(k->e, 0), "");
    LLVMBuildCondBr(k->builder, more, body, done);
    LLVMValueRef starts[3] = {count, has_offsets ? offsets : a, b}, counters[3] = {n, pa, pb};
    LLVMBasicBlockRef blocks[2] = {start, body};
    for (int p = 0; p < 3; p++) {
        LLVMValueRef values[2] = {starts[p], next[p]};
        LLVMAddIncoming(counters[p], values, blocks, 2);
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < vectors; j++) {
            LLVMValueRef values[2] = {first[i][j], k->sums[i][j]};
            LLVMAddIncoming(phis[i][j], values, blocks, 2);
        }
    }
    for (int j = 0; j < vectors && k->is_raised; j++) {
        LLVMValueRef values[2] = {LLVMConstNull(k->vector), k->excess[j]};
        LLVMAddIncoming(excess[j], values, blocks, 2);
    }
    LLVMPositionBuilderAtEnd(k->builder, done);
}

static void store_sums(Micro *k, LLVMValueRef c) {
    for (int i = 0; i < k->tile.rows; i++) {
        for (int j = 0; j < k->vectors; j++) {
            LLVMValueRef address = at(k, c, (int64_t)i * k->tile.columns + j * k->lanes);
            LLVMValueRef sum = k->sums[i][j];
            if (k->is_raised) sum = LLVMBuildSub(k->builder, sum, k->excess[j], "");
            LLVMValueRef store = LLVMBuildStore(k->builder, sum, address);
            LLVMSetAlignment(store, (unsigned)(k->lanes * (int)element_bytes(k->element)));
        }
    }
}

static LLVMTypeRef microkernel_type(Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef parameters[6] = {pointer,
                                 pointer,
                                 pointer,
                                 LLVMInt64TypeInContext(e->context),
                                 LLVMInt1TypeInContext(e->context),
                                 pointer};
    return LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 6, 0);
}

static void copy_target_attributes(Emit *e, LLVMValueRef function) {
    static const char *const names[] = {"target-cpu", "target-features", "prefer-vector-width"};
    for (int i = 0; i < 3; i++) {
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
            e->function, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
        if (attribute) LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
    }
    static const char *const flags[] = {"noinline", "nounwind"};
    for (int i = 0; i < 2; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(flags[i], strlen(flags[i]));
        LLVMAddAttributeAtIndex(
            function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
    }
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned i = 1; i <= 3; i++) {
        LLVMAddAttributeAtIndex(function, i, LLVMCreateEnumAttribute(e->context, noalias, 0));
    }
}

static void dispose_builder(void *builder) { LLVMDisposeBuilder(builder); }

static void emit_vectors(Emit *e, LLVMBuilderRef builder, const Microkernel *microkernel) {
    int lanes = e->target->vector_bits / element_bits(microkernel->element);
    if (lanes < 1) lanes = 1;
    LLVMValueRef function = microkernel->function;
    Micro *k = ARENA_NEW(e->arena, Micro);
    *k = (Micro){
        .e = e,
        .builder = builder,
        .what = microkernel,
        .tile = microkernel->tile,
        .element = microkernel->element,
        .vectors = microkernel->tile.columns / lanes,
        .lanes = lanes,
        .scalar = emit_register_type(e, microkernel->element),
        .is_raised = microkernel->how->lhs == ELEMENT_I8 && microkernel->lhs.element == ELEMENT_UI8,
    };
    k->vector = LLVMVectorType(k->scalar, (unsigned)lanes);
    bool single = microkernel->how->group == 1;
    k->group = single ? k->scalar : LLVMInt32TypeInContext(e->context);
    k->groups = LLVMVectorType(k->group, (unsigned)lanes);
    LLVMValueRef c = LLVMGetParam(function, 2);
    begin_sums(k, c, LLVMGetParam(function, 4));
    loop_over_k(
        k, LLVMGetParam(function, 0), LLVMGetParam(function, 1), LLVMGetParam(function, 3),
        LLVMGetParam(function, 5));
    store_sums(k, c);
}

void microkernel_emit(Emit *e, Microkernel *microkernel) {
    LLVMValueRef function = LLVMAddFunction(e->module, "microkernel", microkernel_type(e));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    copy_target_attributes(e, function);
    microkernel->function = function;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(e->context);
    arena_defer(e->arena, dispose_builder, builder);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(e->context, function, "entry"));
    if (microkernel->how->product == PRODUCT_TILES) {
        microkernel_emit_tiles(e, builder, microkernel);
    } else {
        emit_vectors(e, builder, microkernel);
    }
    LLVMBuildRetVoid(builder);
}

void microkernel_call(
    Emit *e, const Microkernel *microkernel, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
    LLVMValueRef k, LLVMValueRef add, LLVMValueRef offsets) {
    if (!offsets) offsets = LLVMConstNull(LLVMPointerTypeInContext(e->context, 0));
    LLVMValueRef arguments[6] = {a, b, c, k, add, offsets};
    LLVMBuildCall2(e->builder, microkernel_type(e), microkernel->function, arguments, 6, "");
}

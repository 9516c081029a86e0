// microkernel: the register tile of contractions, C[MR, NR] += A[MR, k] * B[k, NR], with all of C in vector registers.
//
// One step of k loads a row of B's panel as vectors and multiplies it with each of A's MR elements (a broadcast, which x86 folds into the
// multiply-add). The vectors are explicit, so the width does not depend on what LLVM's vectorisers think.
#include "codegen/contraction.h"

enum { MAX_TILE_ROWS = 24, MAX_TILE_VECTORS = 8 };

typedef struct Micro {
    Emit *e;
    LLVMBuilderRef builder;
    const Microkernel *what;
    Tile tile;
    ElementType element;
    int vectors, lanes;
    LLVMTypeRef scalar, vector;
    LLVMValueRef sums[MAX_TILE_ROWS][MAX_TILE_VECTORS];
} Micro;

static LLVMValueRef at(Micro *k, LLVMValueRef base, int64_t element) {
    LLVMValueRef index = emit_number(k->e, element);
    return LLVMBuildInBoundsGEP2(k->builder, k->scalar, base, &index, 1, "");
}

static LLVMValueRef load_vector(Micro *k, LLVMValueRef address) {
    LLVMValueRef x = LLVMBuildLoad2(k->builder, k->vector, address, "");
    LLVMSetAlignment(x, (unsigned)(k->lanes * (int)element_bytes(k->element)));
    return x;
}

static LLVMValueRef splat(Micro *k, LLVMValueRef x) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(k->e->context);
    LLVMValueRef undef = LLVMGetPoison(k->vector);
    LLVMValueRef one = LLVMBuildInsertElement(k->builder, undef, x, LLVMConstInt(i32, 0, 0), "");
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(i32, (unsigned)k->lanes));
    return LLVMBuildShuffleVector(k->builder, one, undef, mask, "");
}

static LLVMValueRef multiply_add(Micro *k, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum) {
    if (!element_is_float(k->element)) {
        return LLVMBuildAdd(k->builder, LLVMBuildMul(k->builder, x, y, ""), sum, "");
    }
    if (!k->e->target->has_fma) {
        return LLVMBuildFAdd(k->builder, LLVMBuildFMul(k->builder, x, y, ""), sum, "");
    }
    unsigned id = LLVMLookupIntrinsicID("llvm.fma", 8);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(k->e->module, id, &k->vector, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(k->e->context, id, &k->vector, 1);
    LLVMValueRef operands[3] = {x, y, sum};
    return LLVMBuildCall2(k->builder, type, function, operands, 3, "");
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
            old[i][j] = load_vector(k, at(k, c, (int64_t)i * k->tile.columns + j * k->lanes));
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

// One step of k: sums[i][j] += a[i] * b[j]. offset: address of this k's offset, NULL without.
static void step(Micro *k, LLVMValueRef a, LLVMValueRef b, LLVMValueRef offset) {
    LLVMValueRef row[MAX_TILE_VECTORS] = {NULL};
    for (int j = 0; j < k->vectors; j++) {
        row[j] = load_vector(k, at(k, b, j * k->lanes));
    }
    if (offset) {
        LLVMTypeRef i64 = LLVMInt64TypeInContext(k->e->context);
        LLVMValueRef moved = LLVMBuildLoad2(k->builder, i64, offset, "");
        a = LLVMBuildInBoundsGEP2(k->builder, k->scalar, a, &moved, 1, "");
    }
    int64_t stride = offset ? k->what->row_stride : 1;
    for (int i = 0; i < k->tile.rows; i++) {
        LLVMValueRef x = splat(k, LLVMBuildLoad2(k->builder, k->scalar, at(k, a, i * stride), ""));
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
    LLVMPositionBuilderAtEnd(k->builder, done);
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
    };
    k->vector = LLVMVectorType(k->scalar, (unsigned)lanes);
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
    if (microkernel->in_tiles) {
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

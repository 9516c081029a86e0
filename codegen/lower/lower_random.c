// lower_random: rng_bit_generator and rng, bit for bit as ir/eval/ops/eval_random.c.
//
// Sources: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011
// (ThreeFry2x32 with 20 rounds, Philox4x32 with 10); the layouts are XLA's. One step of the loops
// makes one block of the cipher: two (four) words, all stored.
#include "codegen/emit/lower.h"
#include "codegen/emit/stage/nest.h"

typedef const IndexExpr *Index;

typedef struct Random {
    const Op *op;
    const Value *bits;         // the result that holds the numbers
    bool is_threefry, is_wide; // 64-bit elements
    int split;                 // ThreeFry: the dimension cut in two; -1: blocks are elements
    LLVMValueRef key[2];       // words of the key
    LLVMValueRef counter[2];   // 64-bit halves
} Random;

static LLVMTypeRef i32_of(Emit *e) { return LLVMInt32TypeInContext(e->context); }
static LLVMValueRef u32(Emit *e, uint32_t x) { return LLVMConstInt(i32_of(e), x, 0); }
static LLVMValueRef u64(Emit *e, uint64_t x) { return LLVMConstInt(emit_i64(e), x, 0); }
static LLVMValueRef low_word(Emit *e, LLVMValueRef x) {
    return LLVMBuildTrunc(e->builder, x, i32_of(e), "");
}

static LLVMValueRef high_word(Emit *e, LLVMValueRef x) {
    return low_word(e, LLVMBuildLShr(e->builder, x, u64(e, 32), ""));
}

// --- the ciphers ---

static void threefry(Emit *e, const LLVMValueRef key[2], LLVMValueRef x[2]) {
    static const uint32_t rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    LLVMBuilderRef b = e->builder;
    LLVMValueRef parity =
        LLVMBuildXor(b, LLVMBuildXor(b, key[0], key[1], ""), u32(e, 0x1BD11BDA), "");
    LLVMValueRef keys[3] = {key[0], key[1], parity};
    x[0] = LLVMBuildAdd(b, x[0], keys[0], "");
    x[1] = LLVMBuildAdd(b, x[1], keys[1], "");
    for (int group = 0; group < 5; group++) {
        for (int round = 0; round < 4; round++) {
            x[0] = LLVMBuildAdd(b, x[0], x[1], "");
            LLVMValueRef turn[3] = {x[1], x[1], u32(e, rotations[(group & 1) * 4 + round])};
            x[1] = emit_intrinsic(e, "llvm.fshl", i32_of(e), 3, turn);
            x[1] = LLVMBuildXor(b, x[1], x[0], "");
        }
        x[0] = LLVMBuildAdd(b, x[0], keys[(group + 1) % 3], "");
        x[1] = LLVMBuildAdd(b, x[1], keys[(group + 2) % 3], "");
        x[1] = LLVMBuildAdd(b, x[1], u32(e, (uint32_t)group + 1), "");
    }
}

static void philox(Emit *e, const LLVMValueRef key[2], LLVMValueRef x[4]) {
    LLVMBuilderRef b = e->builder;
    LLVMValueRef k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        LLVMValueRef p =
            LLVMBuildMul(b, LLVMBuildZExt(b, x[0], emit_i64(e), ""), u64(e, 0xD2511F53), "");
        LLVMValueRef q =
            LLVMBuildMul(b, LLVMBuildZExt(b, x[2], emit_i64(e), ""), u64(e, 0xCD9E8D57), "");
        LLVMValueRef next0 = LLVMBuildXor(b, LLVMBuildXor(b, high_word(e, q), x[1], ""), k0, "");
        LLVMValueRef next2 = LLVMBuildXor(b, LLVMBuildXor(b, high_word(e, p), x[3], ""), k1, "");
        x[1] = low_word(e, q);
        x[3] = low_word(e, p);
        x[0] = next0;
        x[2] = next2;
        k0 = LLVMBuildAdd(b, k0, u32(e, 0x9E3779B9), "");
        k1 = LLVMBuildAdd(b, k1, u32(e, 0xBB67AE85), "");
    }
}

// --- the state ---

static LLVMValueRef state_word(Emit *e, const Value *state, int word) {
    int bytes = (int)element_bytes(state->type->element), parts = 8 / bytes;
    LLVMValueRef sum = u64(e, 0);
    for (int part = 0; part < parts; part++) {
        Index at = index_constant(e->index, word * parts + part);
        Scalar x = emit_element(e, state, &at);
        if (e->failed) return sum;
        LLVMValueRef wide = LLVMBuildZExt(e->builder, x.value, emit_i64(e), "");
        wide = LLVMBuildShl(e->builder, wide, u64(e, (uint64_t)part * bytes * 8), "");
        sum = LLVMBuildOr(e->builder, sum, wide, "");
    }
    return sum;
}

static bool state_fits(const Type *state) {
    size_t bytes = type_bytes(state);
    return element_is_integer(state->element) && state->rank == 1 && (bytes == 16 || bytes == 24) &&
           element_bits(state->element) >= 8;
}

static void read_state(Emit *e, Random *r) {
    const Value *state = op_operand(r->op, 0);
    LLVMValueRef key = state_word(e, state, 0);
    r->key[0] = low_word(e, key);
    r->key[1] = high_word(e, key);
    r->counter[0] = state_word(e, state, 1);
    r->counter[1] = type_bytes(state->type) == 24 ? state_word(e, state, 2) : key;
}

// The first even dimension, else the largest.
static int split_dimension(const Type *type) {
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] % 2 == 0) return d;
    }
    int largest = 0;
    for (int d = 1; d < type->rank; d++) {
        if (type->dims[d] > type->dims[largest]) largest = d;
    }
    return type->rank ? largest : -1;
}

static Random random_of(const Op *op) {
    Random r = {.op = op, .bits = op_result(op, 1), .split = -1};
    const Type *type = op_result_type(op, 1);
    r.is_wide = element_bits(type->element) == 64;
    r.is_threefry =
        op_int(op, NAME_RNG_ALGORITHM, RNG_ALGORITHM_DEFAULT) == RNG_ALGORITHM_THREE_FRY;
    if (r.is_threefry && !r.is_wide) r.split = split_dimension(type);
    return r;
}

// The index space of the blocks; the number of elements per block.
static int block_space(const Random *r, int64_t *dims) {
    const Type *type = r->bits->type;
    int64_t count = type_element_count(type);
    if (r->is_threefry) {
        for (int d = 0; d < type->rank; d++)
            dims[d] = d == r->split ? (type->dims[d] + 1) / 2 : type->dims[d];
        return type->rank;
    }
    int64_t per_block = r->is_wide ? 2 : 4;
    dims[0] = (count + per_block - 1) / per_block;
    return 1;
}

// --- storing ---

// Two words (the first is the low half) or one as an element.
static Scalar word_element(Emit *e, const Random *r, LLVMValueRef word, LLVMValueRef high) {
    ElementType element = r->bits->type->element;
    LLVMTypeRef type = emit_register_type(e, element);
    LLVMValueRef bits = word;
    if (r->is_wide) {
        LLVMValueRef top = LLVMBuildShl(
            e->builder, LLVMBuildZExt(e->builder, high, emit_i64(e), ""), u64(e, 32), "");
        bits = LLVMBuildOr(e->builder, LLVMBuildZExt(e->builder, word, emit_i64(e), ""), top, "");
    }
    unsigned width = (unsigned)element_bits(element);
    if (width < LLVMGetIntTypeWidth(LLVMTypeOf(bits)))
        bits = LLVMBuildTrunc(e->builder, bits, LLVMIntTypeInContext(e->context, width), "");
    Scalar x = {.element = element};
    bool is_small_float = element_is_float(element) && element_bytes(element) == 1;
    if (is_small_float && width < 8)
        bits = LLVMBuildZExt(e->builder, bits, LLVMInt8TypeInContext(e->context), "");
    x.value = is_small_float ? emit_decode_float(e, element, bits)
                             : LLVMBuildBitCast(e->builder, bits, type, "");
    return x;
}

static bool is_output(const Emit *e, const Value *value) {
    int k = kernel_operand(e->kernel, value);
    return k >= 0 && k < e->kernel->output_count;
}

static void store_element(
    Emit *e, const Random *r, const Index *at, LLVMValueRef word, LLVMValueRef high) {
    emit_store(e, r->bits, emit_address(e, r->bits, at), word_element(e, r, word, high));
}

static void threefry_block(Emit *e, const Random *r, const Index *index) {
    const Type *type = r->bits->type;
    int64_t dims[MAX_RANK];
    block_space(r, dims);
    Index number = index_linear(e->index, type->rank, dims, index);
    LLVMValueRef counter = LLVMBuildAdd(e->builder, r->counter[0], emit_index(e, number), "");
    LLVMValueRef x[2] = {low_word(e, counter), high_word(e, counter)};
    threefry(e, r->key, x);
    Index at[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        at[d] = d == r->split ? index_scale(e->index, index[d], 2) : index[d];
    store_element(e, r, at, x[0], x[1]);
    if (r->split < 0) return;
    at[r->split] = index_add_constant(e->index, at[r->split], 1);
    IndexTruth truth = index_in_range(at[r->split], 0, type->dims[r->split]);
    if (truth == INDEX_ALWAYS) store_element(e, r, at, x[1], NULL);
    if (truth != INDEX_SOMETIMES) return;
    EmitIf branch = emit_if(e, emit_index_in_range(e, at[r->split], 0, type->dims[r->split]));
    store_element(e, r, at, x[1], NULL);
    emit_end_if(e, &branch);
}

static void philox_block(Emit *e, const Random *r, const Index *index) {
    const Type *type = r->bits->type;
    int64_t count = type_element_count(type), per_block = r->is_wide ? 2 : 4;
    LLVMValueRef low = LLVMBuildAdd(e->builder, r->counter[0], emit_index(e, index[0]), "");
    LLVMValueRef carry = LLVMBuildICmp(e->builder, LLVMIntULT, low, r->counter[0], "");
    LLVMValueRef high = LLVMBuildAdd(
        e->builder, r->counter[1], LLVMBuildZExt(e->builder, carry, emit_i64(e), ""), "");
    LLVMValueRef x[4] = {
        low_word(e, low), high_word(e, low), low_word(e, high), high_word(e, high)};
    philox(e, r->key, x);
    for (int64_t k = 0; k < per_block; k++) {
        Index at[MAX_RANK],
            number = index_add_constant(e->index, index_scale(e->index, index[0], per_block), k);
        LLVMValueRef word = r->is_wide ? x[2 * k] : x[k], top = r->is_wide ? x[2 * k + 1] : NULL;
        IndexTruth truth = index_in_range(number, 0, count);
        index_delinear(e->index, number, type->rank, type->dims, at);
        if (truth == INDEX_ALWAYS) store_element(e, r, at, word, top);
        if (truth != INDEX_SOMETIMES) continue;
        EmitIf branch = emit_if(e, emit_index_in_range(e, number, 0, count));
        store_element(e, r, at, word, top);
        emit_end_if(e, &branch);
    }
}

static void store_block(Emit *e, void *user, const Index *index) {
    Random *r = user;
    read_state(e, r);
    if (e->failed) return;
    if (r->is_threefry)
        threefry_block(e, r, index);
    else
        philox_block(e, r, index);
}

// What a block stores, for the plan of the loops: each element is a function of the block's number.
static Stage *block_stage(Emit *e, const Random *r) {
    ExprBuilder *b = e->exprs;
    const Type *type = r->bits->type;
    int64_t dims[MAX_RANK], per_block = r->is_wide ? 2 : 4;
    int rank = block_space(r, dims);
    Index index[MAX_RANK], at[MAX_RANK];
    Stage *stage = stage_create(b, STAGE_MAP, 4);
    stage_add_axes(b, stage, rank, dims, index);
    const Expr *number = expr_number(b, ELEMENT_I64, index_linear(b->index, rank, dims, index));
    for (int64_t k = 0; !r->is_threefry && k < per_block; k++) {
        Index place = index_add_constant(b->index, index_scale(b->index, index[0], per_block), k);
        index_delinear(b->index, place, type->rank, type->dims, at);
        stage_add_store(stage, r->bits, at, number);
    }
    if (!r->is_threefry) return stage;
    for (int d = 0; d < type->rank; d++)
        at[d] = d == r->split ? index_scale(b->index, index[d], 2) : index[d];
    stage_add_store(stage, r->bits, at, number);
    if (r->split < 0) return stage;
    at[r->split] = index_add_constant(b->index, at[r->split], 1);
    Guard inside = {at[r->split], 0, type->dims[r->split]};
    const Expr *zero = expr_real(b, ELEMENT_I64, 0);
    stage_add_store(stage, r->bits, at, expr_choice(b, 1, &inside, NULL, number, zero));
    return stage;
}

static Stage *rng_stage(Emit *e, const Value *output) {
    ExprBuilder *b = e->exprs;
    const Type *type = output->type;
    Index index[MAX_RANK];
    Stage *stage = stage_create(b, STAGE_MAP, 1);
    stage_add_axes(b, stage, type->rank, type->dims, index);
    Index number = index_linear(b->index, type->rank, type->dims, index);
    stage_add_store(stage, output, index, expr_number(b, ELEMENT_I64, number));
    return stage;
}

static void emit_blocks(
    Emit *e, const Stage *stage, void (*element)(Emit *e, void *user, const Index *index),
    void *user) {
    const Space *space = space_plan(stage, arena_child(e->arena));
    space_emit(e, space, &(SpaceBody){.element = element, .user = user});
}

// The state after all blocks, by the lane that has the first chunk.
static void store_state(Emit *e, Random *r) {
    const Value *state = op_result(r->op, 0);
    if (!is_output(e, state)) return;
    int64_t dims[MAX_RANK], blocks = 1;
    int rank = block_space(r, dims);
    for (int d = 0; d < rank; d++)
        blocks *= dims[d];
    LLVMValueRef is_first = LLVMBuildICmp(e->builder, LLVMIntEQ, e->begin, u64(e, 0), "");
    LLVMValueRef is_some = LLVMBuildICmp(e->builder, LLVMIntSLT, e->begin, e->end, "");
    EmitIf branch = emit_if(e, LLVMBuildAnd(e->builder, is_first, is_some, ""));
    LLVMValueRef words[3] = {NULL};
    int word_count = (int)(type_bytes(state->type) / 8);
    for (int k = 0; k < word_count; k++)
        words[k] = state_word(e, op_operand(r->op, 0), k);
    LLVMValueRef before = words[1];
    words[1] = LLVMBuildAdd(e->builder, before, u64(e, (uint64_t)blocks), "");
    if (word_count == 3 && !r->is_threefry) {
        LLVMValueRef carry = LLVMBuildICmp(e->builder, LLVMIntULT, words[1], before, "");
        words[2] = LLVMBuildAdd(
            e->builder, words[2], LLVMBuildZExt(e->builder, carry, emit_i64(e), ""), "");
    }
    int bytes = (int)element_bytes(state->type->element), parts = 8 / bytes;
    for (int i = 0; i < word_count * parts && !e->failed; i++) {
        LLVMValueRef shifted = LLVMBuildLShr(
            e->builder, words[i / parts], u64(e, (uint64_t)(i % parts) * (uint64_t)bytes * 8), "");
        LLVMTypeRef type = emit_register_type(e, state->type->element);
        Scalar x = {
            .element = state->type->element,
            .value = LLVMBuildIntCast2(e->builder, shifted, type, 0, "")};
        Index at = index_constant(e->index, i);
        emit_store(e, state, emit_address(e, state, &at), x);
    }
    emit_end_if(e, &branch);
}

// --- rng: Philox of the op's place in the module ---

static void store_rng(Emit *e, void *user, const Index *index) {
    const Op *op = user;
    const Type *type = op_result_type(op, 0);
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->context);
    Index number = index_linear(e->index, type->rank, type->dims, index);
    LLVMValueRef at = emit_index(e, number);
    LLVMValueRef key[2] = {
        u32(e, (uint32_t)op->number), u32(e, (uint32_t)((uint64_t)op->number >> 32))};
    LLVMValueRef x[4] = {low_word(e, at), high_word(e, at), u32(e, 0), u32(e, 0)};
    philox(e, key, x);
    for (int k = 0; k < 4; k++)
        x[k] = LLVMBuildUIToFP(b, x[k], f64, "");
    LLVMValueRef tiny = LLVMConstReal(f64, 0x1p-32);
    LLVMValueRef u =
        LLVMBuildFMul(b, LLVMBuildFAdd(b, x[0], LLVMBuildFMul(b, x[1], tiny, ""), ""), tiny, "");
    LLVMValueRef v =
        LLVMBuildFMul(b, LLVMBuildFAdd(b, x[2], LLVMConstReal(f64, 0.5), ""), tiny, "");
    Index none[MAX_RANK] = {NULL};
    Scalar low = emit_convert(e, emit_element(e, op_operand(op, 0), none), ELEMENT_F64);
    Scalar high = emit_convert(e, emit_element(e, op_operand(op, 1), none), ELEMENT_F64);
    Scalar result = {.element = ELEMENT_F64};
    if (op_int(op, NAME_RNG_DISTRIBUTION, RNG_DISTRIBUTION_UNIFORM) == RNG_DISTRIBUTION_NORMAL) {
        LLVMValueRef log = emit_libm(e, "log", f64, 1, &v);
        LLVMValueRef radius = LLVMBuildFMul(b, LLVMConstReal(f64, -2), log, "");
        radius = emit_intrinsic(e, "llvm.sqrt", f64, 1, &radius);
        LLVMValueRef angle = LLVMBuildFMul(b, LLVMConstReal(f64, 6.283185307179586), u, "");
        LLVMValueRef normal = LLVMBuildFMul(b, radius, emit_libm(e, "cos", f64, 1, &angle), "");
        result.value = LLVMBuildFAdd(b, low.value, LLVMBuildFMul(b, high.value, normal, ""), "");
    } else {
        LLVMValueRef width = LLVMBuildFSub(b, high.value, low.value, "");
        result.value = LLVMBuildFAdd(b, low.value, LLVMBuildFMul(b, width, u, ""), "");
    }
    if (!element_is_float(type->element))
        result.value = emit_intrinsic(e, "llvm.floor", f64, 1, &result.value);
    const Value *output = op_result(op, 0);
    emit_store(e, output, emit_address(e, output, index), emit_convert(e, result, type->element));
}

// --- the kernel ---

void random_grid(Kernel *kernel, const Target *target) {
    (void)target;
    const Op *op = kernel->root;
    const Type *type = op_result_type(op, op->code == OP_RNG ? 0 : 1);
    kernel->bytes = (int64_t)type_bytes(type);
    kernel->flops = 40 * type_element_count(type);
    kernel->grid = grid_of_bytes(2 * kernel->bytes);
    kernel->scratch_bytes = 0;
}

static bool refuse(Emit *e, const char *why) {
    diag_unsupported(
        e->diags, e->kernel->root->loc, "'%.*s' %s is not supported in native code",
        SV_ARG(e->kernel->root->name), why);
    return false;
}

bool random_emit(Emit *e) {
    const Op *op = e->kernel->root;
    if (op->code == OP_RNG) {
        const Value *output = op_result(op, 0);
        if (element_class(output->type->element) == CLASS_COMPLEX)
            return refuse(e, "of complex numbers");
        emit_blocks(e, rng_stage(e, output), store_rng, (void *)(uintptr_t)op);
        return !e->failed;
    }
    if (!state_fits(op_operand_type(op, 0)))
        return refuse(e, "with a state that is not two or three ui64");
    if (element_bits(op_result_type(op, 1)->element) > 64) return refuse(e, "of complex numbers");
    Random *r = ARENA_NEW(e->arena, Random);
    *r = random_of(op);
    if (is_output(e, r->bits)) emit_blocks(e, block_stage(e, r), store_block, r);
    store_state(e, r);
    return !e->failed;
}

// Transposed operands. Where a nest's innermost loop runs across an operand's memory and the loop around it along that memory, the operand's
// tile is first read in its own order and transposed in registers into a local array; the loops then read the array contiguously.
//
// The transposition of k x k elements in k registers takes log2(k) rounds of exchanging blocks (Eklundh, IEEE Trans. Computers C-21, 1972).
#include "codegen/emit/tile_stage.h"

#include <string.h>

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

enum {
    FEW_TILES = 4, // along the inner variable: then the next tiles of the outer one come soon
    MOST_STAGE_BYTES = 64 << 10 // of all stages: they lie on the stack
};

int64_t tile_side(const Emit *e) {
    enum { ROW_BYTES = 256, SMALLEST = 32 };
    const Kernel *kernel = e->kernel;
    int64_t largest = 1,
            inputs = kernel->input_count < MAX_STAGES ? kernel->input_count : MAX_STAGES;
    for (int k = 0; k < kernel->output_count + kernel->input_count; k++) {
        bool is_output = k < kernel->output_count;
        const KernelOperand *operand =
            is_output ? &kernel->outputs[k] : &kernel->inputs[k - kernel->output_count];
        int64_t bytes = (int64_t)element_bytes(operand->value->type->element);
        if (bytes > largest) largest = bytes;
    }
    int64_t side = ROW_BYTES / largest;
    while (side > SMALLEST && side * side * largest * inputs > MOST_STAGE_BYTES)
        side /= 2;
    return side < SMALLEST ? SMALLEST : side;
}

// Elements per register and side of the squares that are transposed; 0: no good form.
static int square_side(const Emit *e, int64_t bytes) {
    int64_t fit = e->target->vector_bits / 8 / bytes;
    if (bytes > 8 || fit < 4) return 0;
    return fit > 16 ? 16 : (int)fit;
}

static LLVMValueRef exchange(
    Emit *e, LLVMValueRef a, LLVMValueRef b, int side, int block, bool high) {
    LLVMValueRef lanes[16];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    for (int j = 0; j < side; j++) { // a's block, then b's; or the other halves
        int from =
            high ? ((j & block) ? side + j : j + block) : ((j & block) ? side + j - block : j);
        lanes[j] = LLVMConstInt(i32, (unsigned)from, 0);
    }
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(lanes, (unsigned)side), "");
}

void emit_transpose_square(Emit *e, LLVMValueRef *lines, int side) {
    for (int block = 1; block < side; block *= 2) {
        for (int k = 0; k < side; k++) {
            if (k & block) continue;
            LLVMValueRef a = lines[k], b = lines[k | block];
            lines[k] = exchange(e, a, b, side, block, false);
            lines[k | block] = exchange(e, a, b, side, block, true);
        }
    }
}

// What the next tile reads at this place: its rows are too far from each other for the CPU to guess them.
static void prefetch(Emit *e, LLVMValueRef address) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0),
                i32 = LLVMInt32TypeInContext(e->context);
    unsigned id = LLVMLookupIntrinsicID("llvm.prefetch", strlen("llvm.prefetch"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &pointer, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, &pointer, 1);
    LLVMValueRef arguments[4] = {
        address, LLVMConstInt(i32, 0, 0), LLVMConstInt(i32, 3, 0), LLVMConstInt(i32, 1, 0)};
    LLVMBuildCall2(e->builder, type, function, arguments, 4, "");
}

// The tile's k x k squares: rows of memory (one per value of the inner variable) to rows of the array (one per value of the outer one).
static void transpose_tile(
    Emit *e, const TileScope *scope, LLVMValueRef from, int64_t stride, LLVMValueRef array,
    LLVMTypeRef type, int side, unsigned alignment) {
    int64_t tile = tile_side(e);
    EmitLoop *row = emit_loop_begin(e, number(e, 0), number(e, tile), side, tile, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), number(e, tile), side, tile, false);
    LLVMTypeRef vector = LLVMVectorType(type, (unsigned)side);
    LLVMValueRef lines[16];
    for (int k = 0; k < side; k++) {
        LLVMValueRef at = LLVMBuildNSWAdd(e->builder, row->phi, number(e, k), "");
        at = LLVMBuildNSWAdd(
            e->builder, LLVMBuildNSWMul(e->builder, at, number(e, stride), ""), column->phi, "");
        lines[k] = LLVMBuildLoad2(
            e->builder, vector, LLVMBuildInBoundsGEP2(e->builder, type, from, &at, 1, ""), "");
        LLVMSetAlignment(lines[k], alignment);
        int64_t ahead = scope->inner_extent > FEW_TILES * tile ? tile * stride : tile;
        at = LLVMBuildNSWAdd(e->builder, at, number(e, ahead), "");
        prefetch(e, LLVMBuildGEP2(e->builder, type, from, &at, 1, ""));
    }
    emit_transpose_square(e, lines, side);
    for (int k = 0; k < side; k++) {
        LLVMValueRef at = LLVMBuildNSWAdd(e->builder, column->phi, number(e, k), "");
        at = LLVMBuildNSWAdd(
            e->builder, LLVMBuildNSWMul(e->builder, at, number(e, tile), ""), row->phi, "");
        LLVMValueRef store = LLVMBuildStore(
            e->builder, lines[k], LLVMBuildInBoundsGEP2(e->builder, type, array, &at, 1, ""));
        LLVMSetAlignment(store, alignment);
    }
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

// A tile at the border, element by element.
static void copy_tile(
    Emit *e, const TileScope *tile, LLVMValueRef from, int64_t stride, LLVMValueRef array,
    LLVMTypeRef type, unsigned alignment) {
    LLVMValueRef rows = LLVMBuildNSWSub(e->builder, tile->inner_end, tile->inner_first, "");
    LLVMValueRef columns = LLVMBuildNSWSub(e->builder, tile->outer_end, tile->outer_first, "");
    int64_t side = tile_side(e);
    EmitLoop *row = emit_loop_begin(e, number(e, 0), rows, 1, side, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), columns, 1, side, false);
    LLVMValueRef at = LLVMBuildNSWMul(e->builder, row->phi, number(e, stride), "");
    at = LLVMBuildNSWAdd(e->builder, at, column->phi, "");
    LLVMValueRef to = LLVMBuildNSWMul(e->builder, column->phi, number(e, side), "");
    to = LLVMBuildNSWAdd(e->builder, to, row->phi, "");
    LLVMValueRef x = LLVMBuildLoad2(
        e->builder, type, LLVMBuildInBoundsGEP2(e->builder, type, from, &at, 1, ""), "");
    LLVMSetAlignment(x, alignment);
    LLVMValueRef store =
        LLVMBuildStore(e->builder, x, LLVMBuildInBoundsGEP2(e->builder, type, array, &to, 1, ""));
    LLVMSetAlignment(store, alignment);
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

// Fills the array before the tile's loops.
static void fill_stage(
    Emit *e, const TileScope *tile, TileStage *stage, const Value *stored, int side) {
    unsigned bytes = (unsigned)element_bytes(stored->type->element);
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, bytes * 8);
    stage->array = emit_alloca(e, type, tile_side(e) * tile_side(e), 64);
    LLVMValueRef base = emit_operand_base(e, stored, stage->device),
                 at = emit_index(e, stage->rest);
    at = LLVMBuildNSWAdd(e->builder, at, tile->outer_first, "");
    LLVMValueRef inner =
        LLVMBuildNSWMul(e->builder, tile->inner_first, number(e, stage->stride), "");
    at = LLVMBuildNSWAdd(e->builder, at, inner, "");
    LLVMValueRef from = LLVMBuildInBoundsGEP2(e->builder, type, base, &at, 1, "");
    LLVMValueRef full = number(e, tile_side(e));
    LLVMValueRef is_full = LLVMBuildAnd(
        e->builder,
        LLVMBuildICmp(
            e->builder, LLVMIntEQ, LLVMBuildSub(e->builder, tile->outer_end, tile->outer_first, ""),
            full, ""),
        LLVMBuildICmp(
            e->builder, LLVMIntEQ, LLVMBuildSub(e->builder, tile->inner_end, tile->inner_first, ""),
            full, ""),
        "");
    unsigned alignment = bytes;
    if (element_class(stored->type->element) == CLASS_COMPLEX) alignment /= 2;
    EmitIf branch = emit_if(e, is_full);
    transpose_tile(e, tile, from, stage->stride, stage->array, type, side, alignment);
    emit_else(e, &branch);
    copy_tile(e, tile, from, stage->stride, stage->array, type, alignment);
    emit_end_if(e, &branch);
}

bool tile_load(
    Emit *e, const Value *stored, const IndexExpr *at, const IndexExpr *device, Scalar *x) {
    TileScope *tile = e->state->tile;
    if (!tile || !tile->inner || e->state->scope != tile->inner->scope) return false;
    int side = square_side(e, (int64_t)element_bytes(stored->type->element));
    int64_t outer, inner;
    if (side == 0 || !index_is_affine_in(at, tile->outer->variable, &outer) ||
        !index_is_affine_in(at, tile->inner->variable, &inner) || outer != 1 || inner < side)
        return false;
    const IndexExpr *rest = index_sub(e->index, at, tile->outer->index);
    rest = index_sub(e->index, rest, index_scale(e->index, tile->inner->index, inner));
    EmitLoop *loop = NULL;
    int depth = emit_index_depth(e, rest), of_device = device ? emit_index_depth(e, device) : 0;
    EmitScope *target = emit_target_scope(e, depth > of_device ? depth : of_device, &loop),
              *home = tile->outer->scope->outer;
    if (target->depth > home->depth) return false;
    TileStage key = {
        .operand = kernel_operand(e->kernel, stored),
        .stride = inner,
        .rest = rest,
        .device = device};
    TileStage *stage = NULL;
    for (int i = 0; i < tile->count; i++) {
        TileStage *s = &tile->stages[i];
        if (s->operand == key.operand && s->stride == key.stride && s->rest == rest &&
            s->device == key.device)
            stage = s;
    }
    if (!stage) {
        int64_t bytes = tile_side(e) * tile_side(e) * (int64_t)element_bytes(stored->type->element);
        if (tile->count == MAX_STAGES || tile->bytes + bytes > MOST_STAGE_BYTES) return false;
        tile->bytes += bytes;
        stage = &tile->stages[tile->count++];
        *stage = key;
        EmitExcursion excursion = emit_excursion_begin(e, home, tile->outer);
        fill_stage(e, tile, stage, stored, side);
        emit_excursion_end(e, &excursion);
    }
    LLVMValueRef row = LLVMBuildNSWSub(e->builder, tile->outer->phi, tile->outer_first, "");
    LLVMValueRef column = LLVMBuildNSWSub(e->builder, tile->inner->phi, tile->inner_first, "");
    LLVMValueRef place = LLVMBuildNSWAdd(
        e->builder, LLVMBuildNSWMul(e->builder, row, number(e, tile_side(e)), ""), column, "");
    *x = emit_private_load(e, stored->type->element, stage->array, place);
    return true;
}

// Transposed operands. Where a nest's innermost loop runs across an operand's memory and the loop
// around it along that memory, the operand's tile is first read in its own order and transposed in
// registers into a local array; the loops then read the array contiguously.
//
// The transposition of k x k elements in k registers takes log2(k) rounds of exchanging blocks
// (Eklundh, IEEE Trans. Computers C-21, 1972).
#include "codegen/emit/tile_stage.h"

#include "codegen/emit/shared.h"

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

static void transpose_lines(Emit *e, LLVMValueRef *lines, int side) {
    for (int block = 1; block < side; block *= 2) {
        for (int k = 0; k < side; k++) {
            if (k & block) continue;
            LLVMValueRef a = lines[k], b = lines[k | block];
            lines[k] = exchange(e, a, b, side, block, false);
            lines[k | block] = exchange(e, a, b, side, block, true);
        }
    }
}

// void (ptr from, i64 from_stride, ptr to, i64 to_stride)
static LLVMTypeRef transpose_type(Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0),
                i64 = LLVMInt64TypeInContext(e->context);
    LLVMTypeRef parameters[4] = {pointer, i64, pointer, i64};
    return LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 4, 0);
}

// Of a square in memory.
static LLVMValueRef line_address(Emit *e, const Square *square, unsigned parameter, int k) {
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, square->bits);
    LLVMValueRef stride = LLVMGetParam(e->function, parameter + 1);
    LLVMValueRef at = LLVMBuildNSWMul(e->builder, stride, number(e, k), "");
    return LLVMBuildInBoundsGEP2(
        e->builder, type, LLVMGetParam(e->function, parameter), &at, 1, "");
}

static void emit_transpose(Emit *e, const void *what) {
    const Square *square = what;
    LLVMTypeRef vector =
        LLVMVectorType(LLVMIntTypeInContext(e->context, square->bits), (unsigned)square->side);
    LLVMValueRef lines[MAX_SQUARE];
    for (int k = 0; k < square->side; k++) {
        lines[k] = LLVMBuildLoad2(e->builder, vector, line_address(e, square, 0, k), "");
        LLVMSetAlignment(lines[k], square->alignment);
    }
    transpose_lines(e, lines, square->side);
    for (int k = 0; k < square->side; k++)
        LLVMSetAlignment(
            LLVMBuildStore(e->builder, lines[k], line_address(e, square, 2, k)), square->alignment);
}

// As a function: its shuffles take LLVM long.
void emit_transpose_square(Emit *e, const Square *square) {
    SharedFunction shared = {
        .name = arena_printf(
            e->arena, "transpose_%d_%u_%u", square->side, square->bits, square->alignment),
        .type = transpose_type,
        .emit = emit_transpose,
        .what = square,
        .what_bytes = sizeof *square};
    LLVMValueRef arguments[4] = {
        square->from, number(e, square->from_stride), square->to, number(e, square->to_stride)};
    emit_shared_call(e, &shared, 4, arguments);
}

// k x k squares: rows of `from` to columns of `to`.
static void transpose_squares(Emit *e, const TurnedCopy *copy, int side) {
    LLVMBuilderRef b = e->builder;
    int64_t tile = copy->side;
    EmitLoop *row = emit_loop_begin(e, number(e, 0), number(e, tile), side, tile, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), number(e, tile), side, tile, false);
    LLVMValueRef from = LLVMBuildNSWMul(b, row->phi, number(e, copy->from_stride), "");
    from = LLVMBuildNSWAdd(b, from, column->phi, "");
    // Its rows are too far from each other for the CPU to guess what the next tile reads.
    for (int k = 0; k < side && copy->ahead; k++) {
        LLVMValueRef at =
            LLVMBuildNSWAdd(b, from, number(e, k * copy->from_stride + copy->ahead), "");
        LLVMValueRef address = LLVMBuildGEP2(b, copy->type, copy->from, &at, 1, "");
        emit_prefetch(e, address, false, PREFETCH_FIRST);
    }
    LLVMValueRef to = LLVMBuildNSWMul(b, column->phi, number(e, copy->to_stride), "");
    to = LLVMBuildNSWAdd(b, to, row->phi, "");
    Square square = {
        .side = side,
        .bits = LLVMGetIntTypeWidth(copy->type),
        .alignment = copy->alignment,
        .from = LLVMBuildInBoundsGEP2(b, copy->type, copy->from, &from, 1, ""),
        .to = LLVMBuildInBoundsGEP2(b, copy->type, copy->to, &to, 1, ""),
        .from_stride = copy->from_stride,
        .to_stride = copy->to_stride};
    emit_transpose_square(e, &square);
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

// A tile at the border, element by element.
static void transpose_elements(Emit *e, const TurnedCopy *copy) {
    LLVMBuilderRef b = e->builder;
    EmitLoop *row = emit_loop_begin(e, number(e, 0), copy->rows, 1, copy->side, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), copy->columns, 1, copy->side, false);
    LLVMValueRef at = LLVMBuildNSWMul(b, row->phi, number(e, copy->from_stride), "");
    at = LLVMBuildNSWAdd(b, at, column->phi, "");
    LLVMValueRef to = LLVMBuildNSWMul(b, column->phi, number(e, copy->to_stride), "");
    to = LLVMBuildNSWAdd(b, to, row->phi, "");
    LLVMValueRef from = LLVMBuildInBoundsGEP2(b, copy->type, copy->from, &at, 1, "");
    LLVMValueRef x = LLVMBuildLoad2(b, copy->type, from, "");
    LLVMSetAlignment(x, copy->alignment);
    LLVMValueRef store =
        LLVMBuildStore(b, x, LLVMBuildInBoundsGEP2(b, copy->type, copy->to, &to, 1, ""));
    LLVMSetAlignment(store, copy->alignment);
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

bool tile_can_turn(const Emit *e, ElementType element) {
    return square_side(e, (int64_t)element_bytes(element)) > 0;
}

void tile_turn(Emit *e, ElementType element, TurnedCopy *copy) {
    LLVMBuilderRef b = e->builder;
    unsigned bytes = (unsigned)element_bytes(element);
    copy->type = LLVMIntTypeInContext(e->context, bytes * 8);
    copy->alignment = element_class(element) == CLASS_COMPLEX ? bytes / 2 : bytes;
    LLVMValueRef full = number(e, copy->side);
    LLVMValueRef is_full = LLVMBuildAnd(
        b, LLVMBuildICmp(b, LLVMIntEQ, copy->columns, full, ""),
        LLVMBuildICmp(b, LLVMIntEQ, copy->rows, full, ""), "");
    EmitIf branch = emit_if(e, is_full);
    transpose_squares(e, copy, square_side(e, bytes));
    emit_else(e, &branch);
    transpose_elements(e, copy);
    emit_end_if(e, &branch);
}

// Fills the array before the tile's loops: from rows of memory (one per value of the inner
// variable) to rows of the array (one per value of the outer one).
static void fill_stage(Emit *e, const TileScope *tile, TileStage *stage, const Value *stored) {
    LLVMBuilderRef b = e->builder;
    ElementType element = stored->type->element;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, (unsigned)element_bytes(element) * 8);
    int64_t side = tile_side(e);
    stage->array = emit_alloca(e, type, side * side, 64);
    LLVMValueRef base = emit_operand_base(e, stored, stage->device),
                 at = emit_index(e, stage->rest);
    at = LLVMBuildNSWAdd(b, at, tile->outer_first, "");
    LLVMValueRef inner = LLVMBuildNSWMul(b, tile->inner_first, number(e, stage->stride), "");
    at = LLVMBuildNSWAdd(b, at, inner, "");
    TurnedCopy copy = {
        .from = LLVMBuildInBoundsGEP2(b, type, base, &at, 1, ""),
        .to = stage->array,
        .from_stride = stage->stride,
        .to_stride = side,
        .side = side,
        .rows = LLVMBuildNSWSub(b, tile->inner_end, tile->inner_first, ""),
        .columns = LLVMBuildNSWSub(b, tile->outer_end, tile->outer_first, ""),
        .ahead = tile->inner_extent > FEW_TILES * side ? side * stage->stride : side};
    tile_turn(e, element, &copy);
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
        fill_stage(e, tile, stage, stored);
        emit_excursion_end(e, &excursion);
    }
    LLVMValueRef row = LLVMBuildNSWSub(e->builder, tile->outer->phi, tile->outer_first, "");
    LLVMValueRef column = LLVMBuildNSWSub(e->builder, tile->inner->phi, tile->inner_first, "");
    LLVMValueRef place = LLVMBuildNSWAdd(
        e->builder, LLVMBuildNSWMul(e->builder, row, number(e, tile_side(e)), ""), column, "");
    *x = emit_private_load(e, stored->type->element, stage->array, place);
    return true;
}

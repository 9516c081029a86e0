// Transposed operands. Where a nest's innermost loop runs across an operand's memory and the loop
// around it along that memory, the operand's tile is first read in its own order and transposed in
// registers into a local array; the loops then read the array contiguously.
//
// The transposition of k x k elements takes log2(k) rounds that interleave two registers each
// (a perfect shuffle: Stone, IEEE Trans. Computers C-20, 1971).
#include "codegen/emit/tile_stage.h"

#include "codegen/emit/shared.h"

#include <string.h>

static LLVMValueRef number(Emit *e, int64_t x) { return emit_i64_constant(e, x); }

enum {
    LINE = 64,
    MOST_STAGE_BYTES = 64 << 10 // of all stages: they lie on the stack
};

static int64_t largest_element(int count, const KernelOperand *operands) {
    int64_t largest = 1;
    for (int k = 0; k < count; k++) {
        int64_t bytes = (int64_t)element_bytes(operands[k].value->type->element);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

int64_t tile_side(const Emit *e) {
    enum { ROW_BYTES = 256, SMALLEST = 32 };
    const Kernel *kernel = e->kernel;
    int64_t inputs = kernel->input_count < MAX_STAGES ? kernel->input_count : MAX_STAGES;
    int64_t largest = largest_element(kernel->output_count, kernel->outputs),
            of_inputs = largest_element(kernel->input_count, kernel->inputs);
    if (of_inputs > largest) largest = of_inputs;
    int64_t side = ROW_BYTES / largest;
    while (side > SMALLEST && side * side * largest * inputs > MOST_STAGE_BYTES)
        side /= 2;
    return side < SMALLEST ? SMALLEST : side;
}

bool tile_goes_on(const Emit *e, int64_t inner_extent) {
    enum { FEW_TILES = 4 };
    return inner_extent > FEW_TILES * tile_side(e);
}

int64_t tile_line(const Emit *e) {
    return LINE / (int64_t)element_bytes(e->kernel->outputs[0].value->type->element);
}

int64_t tile_lines(const Emit *e) {
    enum { LINES_READ = 2 }; // of each of the operand's rows
    return LINES_READ * LINE / largest_element(e->kernel->input_count, e->kernel->inputs);
}

int tile_square_side(const Emit *e, int64_t bytes) {
    int64_t fit = e->target->vector_bits / 8 / bytes;
    if (bytes > 8 || fit < 4) return 0;
    return fit > 16 ? 16 : (int)fit;
}

// ---- squares
//
// A piece is what 128 bits of a row hold: `words` elements. Registers are pieces of several rows,
// one behind the other, so that all exchanges are between the same pieces of two registers: what
// every CPU has an instruction for, and LLVM selects in no time.

enum { PIECE_BITS = 128, MOST_WORDS = 16, MOST_ROWS = 4 };

typedef struct Pieces {
    const Square *square;
    int words, rows; // elements of a piece, pieces of a register
    LLVMTypeRef element;
} Pieces;

static LLVMValueRef line_address(Emit *e, const Pieces *p, unsigned parameter, int line) {
    LLVMValueRef stride = LLVMGetParam(e->function, parameter + 1);
    LLVMValueRef at = LLVMBuildNSWMul(e->builder, stride, number(e, line), "");
    LLVMValueRef base = LLVMGetParam(e->function, parameter);
    return LLVMBuildInBoundsGEP2(e->builder, p->element, base, &at, 1, "");
}

static LLVMValueRef shuffle(Emit *e, LLVMValueRef a, LLVMValueRef b, int count, const int *lanes) {
    LLVMValueRef numbers[2 * MAX_SQUARE];
    for (int i = 0; i < count; i++)
        numbers[i] = LLVMConstInt(LLVMInt32TypeInContext(e->context), (unsigned)lanes[i], 0);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(numbers, (unsigned)count), "");
}

// Half of the pieces of a, then of b: the first or the second ones, or every other one.
static LLVMValueRef half_of_each(
    Emit *e, const Pieces *p, LLVMValueRef a, LLVMValueRef b, bool in_turns, int which) {
    int lanes[MAX_SQUARE], half = p->rows / 2;
    for (int i = 0; i < p->square->side; i++) {
        int to = i / p->words, n = to % half;
        int piece = in_turns ? 2 * n + which : which * half + n;
        lanes[i] = (to / half * p->rows + piece) * p->words + i % p->words;
    }
    return shuffle(e, a, b, p->square->side, lanes);
}

// rows x rows pieces: a line's pieces become those of all lines at its place.
static void exchange_pieces(Emit *e, const Pieces *p, LLVMValueRef *lines) {
    LLVMValueRef x[MOST_ROWS];
    if (p->rows == 1) return;
    for (int i = 0; i < p->rows; i++)
        x[i] = half_of_each(e, p, lines[i & ~1], lines[i | 1], false, i & 1);
    for (int i = 0; i < p->rows; i++) {
        int from = i / 2;
        lines[i] = p->rows == 2 ? x[i] : half_of_each(e, p, x[from], x[from + 2], true, i & 1);
    }
}

// Elements of a and b in turns: of the first or the second half of each piece.
static LLVMValueRef interleave(
    Emit *e, const Pieces *p, LLVMValueRef a, LLVMValueRef b, bool second) {
    int lanes[MAX_SQUARE], side = p->square->side;
    for (int i = 0; i < side; i++) {
        int in_piece = i % p->words, half = second ? p->words / 2 : 0;
        lanes[i] = i - in_piece + half + in_piece / 2 + (in_piece & 1 ? side : 0);
    }
    return shuffle(e, a, b, side, lanes);
}

// words x words elements in each piece; log2(words) rounds that shuffle cards perfectly.
static void transpose_pieces(Emit *e, const Pieces *p, LLVMValueRef *lines) {
    for (int round = 1; round < p->words; round *= 2) {
        LLVMValueRef next[MOST_WORDS];
        for (int i = 0; i < p->words / 2; i++) {
            LLVMValueRef a = lines[i], b = lines[i + p->words / 2];
            next[2 * i] = interleave(e, p, a, b, false);
            next[2 * i + 1] = interleave(e, p, a, b, true);
        }
        memcpy(lines, next, (size_t)p->words * sizeof *lines);
    }
}

// void (ptr from, i64 from_stride, ptr to, i64 to_stride, i64 rows, i64 ahead)
static LLVMTypeRef transpose_type(Emit *e) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->context, 0),
                i64 = LLVMInt64TypeInContext(e->context);
    LLVMTypeRef parameters[6] = {pointer, i64, pointer, i64, i64, i64};
    return LLVMFunctionType(LLVMVoidTypeInContext(e->context), parameters, 6, 0);
}

// The address of a line of `from`, or of its last row.
static LLVMValueRef row_address(Emit *e, const Pieces *p, int line) {
    LLVMValueRef from = line_address(e, p, 0, line);
    if (!p->square->rows) return from;
    LLVMBuilderRef b = e->builder;
    LLVMValueRef rows = LLVMGetParam(e->function, 4), ahead = LLVMGetParam(e->function, 5);
    LLVMValueRef last = LLVMBuildNSWSub(b, rows, number(e, 1), "");
    last = LLVMBuildNSWMul(b, last, LLVMGetParam(e->function, 1), "");
    last = LLVMBuildInBoundsGEP2(b, p->element, LLVMGetParam(e->function, 0), &last, 1, "");
    LLVMValueRef exists = LLVMBuildICmp(b, LLVMIntSLT, number(e, line), rows, "");
    from = emit_choose(e, exists, from, last);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
    emit_prefetch(e, LLVMBuildGEP2(b, i8, from, &ahead, 1, ""), false, PREFETCH_SECOND);
    return from;
}

// All lines are read as they lie in memory, each once: where their distance is a power of two, they
// do not stay in the first-level cache together.
static void emit_transpose(Emit *e, const void *what) {
    const Square *square = what;
    int words = PIECE_BITS / (int)square->bits;
    Pieces p = {.square = square, .words = words < square->side ? words : square->side};
    p.rows = square->side / p.words;
    p.element = LLVMIntTypeInContext(e->context, square->bits);
    LLVMTypeRef type = LLVMVectorType(p.element, (unsigned)square->side);
    LLVMValueRef pieces[MOST_WORDS][MOST_ROWS], lines[MOST_WORDS];
    for (int k = 0; k < p.words; k++) {
        for (int i = 0; i < p.rows; i++) {
            LLVMValueRef from = row_address(e, &p, k + i * p.words);
            pieces[k][i] = LLVMBuildLoad2(e->builder, type, from, "");
            LLVMSetAlignment(pieces[k][i], square->alignment);
        }
        exchange_pieces(e, &p, pieces[k]);
    }
    for (int i = 0; i < p.rows; i++) {
        for (int k = 0; k < p.words; k++)
            lines[k] = pieces[k][i];
        transpose_pieces(e, &p, lines);
        for (int k = 0; k < p.words; k++) {
            LLVMValueRef to = line_address(e, &p, 2, i * p.words + k);
            LLVMSetAlignment(LLVMBuildStore(e->builder, lines[k], to), square->alignment);
        }
    }
}

// As a function: its shuffles take LLVM long.
void emit_transpose_square(Emit *e, const Square *square) {
    SharedFunction shared = {
        .name = arena_printf(
            e->arena, "transpose_%d_%u_%u%s", square->side, square->bits, square->alignment,
            square->rows ? "_rows" : ""),
        .type = transpose_type,
        .emit = emit_transpose,
        .what = square,
        .what_bytes = sizeof *square};
    LLVMValueRef arguments[6] = {
        square->from,
        number(e, square->from_stride),
        square->to,
        number(e, square->to_stride),
        square->rows ? square->rows : number(e, square->side),
        number(e, square->ahead)};
    emit_shared_call(e, &shared, 6, arguments);
}

// Where a square begins. The last one ends with the tile and repeats some of the one before it.
static LLVMValueRef square_at(Emit *e, LLVMValueRef first, LLVMValueRef end, int side) {
    LLVMValueRef last = LLVMBuildNSWSub(e->builder, end, number(e, side), "");
    LLVMValueRef is_last = LLVMBuildICmp(e->builder, LLVMIntSGT, first, last, "");
    return emit_choose(e, is_last, last, first);
}

// k x k squares: rows of `from` to columns of `to`. A tile at the border has k of both at least.
static void transpose_squares(Emit *e, const TurnedCopy *copy, int side, bool is_full) {
    LLVMBuilderRef b = e->builder;
    int64_t rows = copy->row_side, columns = copy->column_side;
    LLVMValueRef row_end = is_full ? number(e, rows) : copy->rows,
                 column_end = is_full ? number(e, columns) : copy->columns;
    EmitLoop *row = emit_loop_begin(e, number(e, 0), row_end, side, rows, false);
    LLVMValueRef row_at = is_full ? row->phi : square_at(e, row->phi, row_end, side);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), column_end, side, columns, false);
    LLVMValueRef column_at = is_full ? column->phi : square_at(e, column->phi, column_end, side);
    LLVMValueRef from = LLVMBuildNSWMul(b, row_at, number(e, copy->from_stride), "");
    from = LLVMBuildNSWAdd(b, from, column_at, "");
    LLVMValueRef to = LLVMBuildNSWMul(b, column_at, number(e, copy->to_stride), "");
    to = LLVMBuildNSWAdd(b, to, row_at, "");
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

// A tile at the border that is smaller than a square, element by element.
static void transpose_elements(Emit *e, const TurnedCopy *copy) {
    LLVMBuilderRef b = e->builder;
    EmitLoop *row = emit_loop_begin(e, number(e, 0), copy->rows, 1, copy->row_side, false);
    EmitLoop *column = emit_loop_begin(e, number(e, 0), copy->columns, 1, copy->column_side, false);
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
    return tile_square_side(e, (int64_t)element_bytes(element)) > 0;
}

void tile_turn(Emit *e, ElementType element, TurnedCopy *copy) {
    LLVMBuilderRef b = e->builder;
    unsigned bytes = (unsigned)element_bytes(element);
    copy->type = LLVMIntTypeInContext(e->context, bytes * 8);
    copy->alignment = element_class(element) == CLASS_COMPLEX ? bytes / 2 : bytes;
    LLVMValueRef is_full = LLVMBuildAnd(
        b, LLVMBuildICmp(b, LLVMIntEQ, copy->columns, number(e, copy->column_side), ""),
        LLVMBuildICmp(b, LLVMIntEQ, copy->rows, number(e, copy->row_side), ""), "");
    // a line of wide results has fewer elements than a register has narrow ones
    int64_t side = tile_square_side(e, bytes);
    if (side > copy->row_side) side = copy->row_side;
    if (side > copy->column_side) side = copy->column_side;
    EmitIf branch = emit_if(e, is_full);
    transpose_squares(e, copy, (int)side, true);
    emit_else(e, &branch);
    LLVMValueRef has_squares = LLVMBuildAnd(
        b, LLVMBuildICmp(b, LLVMIntSGE, copy->columns, number(e, side), ""),
        LLVMBuildICmp(b, LLVMIntSGE, copy->rows, number(e, side), ""), "");
    EmitIf border = emit_if(e, has_squares);
    transpose_squares(e, copy, (int)side, false);
    emit_else(e, &border);
    transpose_elements(e, copy);
    emit_end_if(e, &border);
    emit_end_if(e, &branch);
}

// Fills the array before the tile's loops: from rows of memory (one per value of the inner
// variable) to rows of the array (one per value of the outer one).
static void fill_stage(Emit *e, const TileScope *tile, TileStage *stage, const Value *stored) {
    LLVMBuilderRef b = e->builder;
    ElementType element = stored->type->element;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, (unsigned)element_bytes(element) * 8);
    stage->array = emit_alloca(e, type, tile->outer_side * tile->inner_side, 64);
    LLVMValueRef base = emit_operand_base(e, stored, stage->device),
                 at = emit_index(e, stage->rest);
    at = LLVMBuildNSWAdd(b, at, tile->outer_first, "");
    LLVMValueRef inner = LLVMBuildNSWMul(b, tile->inner_first, number(e, stage->stride), "");
    at = LLVMBuildNSWAdd(b, at, inner, "");
    TurnedCopy copy = {
        .from = LLVMBuildInBoundsGEP2(b, type, base, &at, 1, ""),
        .to = stage->array,
        .from_stride = stage->stride,
        .to_stride = tile->inner_side,
        .row_side = tile->inner_side,
        .column_side = tile->outer_side,
        .rows = LLVMBuildNSWSub(b, tile->inner_end, tile->inner_first, ""),
        .columns = LLVMBuildNSWSub(b, tile->outer_end, tile->outer_first, "")};
    stage->from = copy.from;
    tile_turn(e, element, &copy);
}

// Asks for the next tile, some of its lines beside each row of the loops: its rows are too far from
// each other for the CPU to guess, and memory would rest while the loops compute and write. Rows
// that are shorter than a tile's lie one behind the other.
static void read_ahead(
    Emit *e, const TileScope *tile, const TileStage *stage, const Value *stored) {
    int64_t bytes = (int64_t)element_bytes(stored->type->element), side = tile->outer_side;
    if (stage->stride < side) return;
    LLVMBuilderRef b = e->builder;
    EmitLoop *loop = NULL;
    EmitScope *row = emit_target_scope(e, tile->outer->scope->depth, &loop);
    EmitExcursion excursion = emit_excursion_begin(e, row, loop);
    int64_t ahead = tile->goes_on ? tile->inner_side * stage->stride : side;
    int64_t in_row = side * bytes / LINE, beside = tile->inner_side * bytes / LINE; // lines
    if (in_row == 0) in_row = 1;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, (unsigned)bytes * 8);
    LLVMValueRef first = LLVMBuildNSWSub(b, tile->outer->phi, tile->outer_first, "");
    first = LLVMBuildNSWMul(b, first, number(e, beside), "");
    for (int64_t k = 0; k < beside; k++) {
        LLVMValueRef line = LLVMBuildNSWAdd(b, first, number(e, k), "");
        LLVMValueRef of_tile = LLVMBuildUDiv(b, line, number(e, in_row), "");
        LLVMValueRef at = LLVMBuildNSWMul(b, of_tile, number(e, stage->stride), "");
        line = LLVMBuildURem(b, line, number(e, in_row), "");
        line = LLVMBuildNSWMul(b, line, number(e, LINE / bytes), "");
        at = LLVMBuildNSWAdd(b, LLVMBuildNSWAdd(b, at, line, ""), number(e, ahead), "");
        emit_prefetch(e, LLVMBuildGEP2(b, type, stage->from, &at, 1, ""), false, PREFETCH_SECOND);
    }
    emit_excursion_end(e, &excursion);
}

bool tile_load(
    Emit *e, const Value *stored, const IndexExpr *at, const IndexExpr *device, Scalar *x) {
    TileScope *tile = e->state->tile;
    if (!tile || !tile->inner || e->state->scope != tile->inner->scope) return false;
    int side = tile_square_side(e, (int64_t)element_bytes(stored->type->element));
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
        int64_t size = (int64_t)element_bytes(stored->type->element),
                bytes = tile->outer_side * tile->inner_side * size;
        if (tile->count == MAX_STAGES || tile->bytes + bytes > MOST_STAGE_BYTES) return false;
        tile->bytes += bytes;
        stage = &tile->stages[tile->count++];
        *stage = key;
        EmitExcursion excursion = emit_excursion_begin(e, home, tile->outer);
        fill_stage(e, tile, stage, stored);
        emit_excursion_end(e, &excursion);
        read_ahead(e, tile, stage, stored);
    }
    LLVMValueRef row = LLVMBuildNSWSub(e->builder, tile->outer->phi, tile->outer_first, "");
    LLVMValueRef column = LLVMBuildNSWSub(e->builder, tile->inner->phi, tile->inner_first, "");
    LLVMValueRef place = LLVMBuildNSWAdd(
        e->builder, LLVMBuildNSWMul(e->builder, row, number(e, tile->inner_side), ""), column, "");
    *x = emit_private_load(e, stored->type->element, stage->array, place);
    return true;
}

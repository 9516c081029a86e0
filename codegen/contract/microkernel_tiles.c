// microkernel_tiles: the register tile of contractions in the CPU's tile registers (Intel AMX).
//
// Tile registers hold up to 16 rows of 64 bytes. C takes up to four of them, down x across; one
// step of k loads `down` tiles of A (rows of k_step k's) and `across` tiles of B (rows of 16
// columns, each with as many k's as fill 4 bytes), and multiplies each with each. A register's
// shape is configured once per kernel, so that narrow products use small tiles.
//
// B's panel stays in the first-level cache while panels of A pass: what of A, and of the sums, is
// loaded goes around it (tileloaddt1), so that B may take most of it. What windows of a convolution
// read again stays, too; with streams_rhs A stays, and B goes around.
//
// Intel Architecture Instruction Set Extensions Programming Reference, chapter 3. The registers
// are numbered by us: a kernel configures them, multiplies and releases them, and calls nothing
// in between that could use them.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"

enum { SIDE = 16, ROW_BYTES = 64, WORD_BYTES = 4, CONFIG_BYTES = 64 };
enum { MOST_PLACES = MOST_ROW_PLACES + MOST_AHEAD_BLOCKS };
static const char load_near[] = "llvm.x86.tileloadd64", load_passing[] = "llvm.x86.tileloaddt164";

typedef struct Tiles {
    Emit *e;
    LLVMBuilderRef builder;
    const Microkernel *what;
    int down, across, rows; // tiles of C; rows of each
    int made;               // of those across
} Tiles;

static Tiles tiles_of(Emit *e, const Microkernel *what, LLVMBuilderRef builder) {
    int down = what->parts ? what->parts : (what->tile.rows + SIDE - 1) / SIDE;
    int across = what->tile.columns / SIDE;
    int made = what->vectors ? what->vectors : across; // lanes of a vector fill a tile's row
    return (Tiles){e, builder, what, down, across, what->tile.rows / down, made};
}

// Numbers of the registers: C from 0; A and B share 4 to 7.
static int c_register(const Tiles *t, int i, int j) { return i * t->across + j; }
static int a_register(const Tiles *t, int i) { return t->across == 1 ? 5 + i % 3 : 4 + i; }
static int b_register(const Tiles *t, int j) {
    return t->across == 1 ? 4 : t->down == 1 ? 5 + j % 3 : 6 + j;
}

static LLVMValueRef call(Tiles *t, const char *name, int count, LLVMValueRef *arguments) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(t->e->module, id, NULL, 0);
    LLVMTypeRef type = LLVMIntrinsicGetType(t->e->context, id, NULL, 0);
    return LLVMBuildCall2(t->builder, type, function, arguments, (unsigned)count, "");
}

static LLVMValueRef number_of(Tiles *t, int tile) {
    return LLVMConstInt(LLVMInt8TypeInContext(t->e->context), (unsigned)tile, 0);
}

// A tile of memory whose rows are `stride` bytes apart, into or out of a register.
static void move(
    Tiles *t, const char *name, int tile, LLVMValueRef base, int64_t offset, int64_t stride) {
    LLVMValueRef at = emit_number(t->e, offset);
    LLVMTypeRef byte = LLVMInt8TypeInContext(t->e->context);
    LLVMValueRef address = LLVMBuildInBoundsGEP2(t->builder, byte, base, &at, 1, "");
    LLVMValueRef arguments[3] = {number_of(t, tile), address, emit_number(t->e, stride)};
    call(t, name, 3, arguments);
}

// All tiles of C.
static void move_sums(Tiles *t, const char *name, LLVMValueRef c) {
    int64_t stride = (int64_t)t->what->tile.columns * WORD_BYTES;
    for (int i = 0; i < t->down; i++) {
        for (int j = 0; j < t->made; j++)
            move(t, name, c_register(t, i, j), c, i * t->rows * stride + j * ROW_BYTES, stride);
    }
}

static void begin_sums(Tiles *t, LLVMValueRef c, LLVMValueRef add) {
    LLVMContextRef context = t->e->context;
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(t->builder));
    LLVMBasicBlockRef load = LLVMAppendBasicBlockInContext(context, function, "load");
    LLVMBasicBlockRef clear = LLVMAppendBasicBlockInContext(context, function, "clear");
    LLVMBasicBlockRef ready = LLVMAppendBasicBlockInContext(context, function, "ready");
    LLVMBuildCondBr(t->builder, add, load, clear);
    LLVMPositionBuilderAtEnd(t->builder, load);
    move_sums(t, load_passing, c);
    LLVMBuildBr(t->builder, ready);
    LLVMPositionBuilderAtEnd(t->builder, clear);
    for (int i = 0; i < t->down * t->across; i++) {
        LLVMValueRef tile = number_of(t, i);
        call(t, "llvm.x86.tilezero", 1, &tile);
    }
    LLVMBuildBr(t->builder, ready);
    LLVMPositionBuilderAtEnd(t->builder, ready);
}

static int64_t step_bytes(const PanelForm *form) {
    return form->k_step * (int64_t)element_bytes(form->element);
}

// Bytes from row to row of A.
static int64_t row_bytes(const Tiles *t) {
    const Microkernel *what = t->what;
    return what->has_offsets ? what->row_stride * (int64_t)element_bytes(what->lhs.element)
                             : step_bytes(&what->lhs);
}

static void step(Tiles *t, LLVMValueRef a, LLVMValueRef b) {
    int64_t a_row = row_bytes(t), b_row = (int64_t)t->what->tile.columns * WORD_BYTES;
    bool a_stays = t->what->streams_rhs || t->what->has_offsets; // windows overlap
    const char *load_a = a_stays ? load_near : load_passing,
               *load_b = t->what->streams_rhs ? load_passing : load_near;
    int64_t part = t->rows * a_row;
    if (t->what->parts) part = t->what->part_stride * (int64_t)element_bytes(t->what->lhs.element);
    for (int i = 0; i < t->down; i++) {
        move(t, load_a, a_register(t, i), a, i * part, a_row);
        for (int j = 0; j < t->made; j++) {
            if (i == 0) move(t, load_b, b_register(t, j), b, (int64_t)j * ROW_BYTES, b_row);
            LLVMValueRef arguments[3] = {
                number_of(t, c_register(t, i, j)), number_of(t, a_register(t, i)),
                number_of(t, b_register(t, j))};
            call(t, t->what->how->instruction, 3, arguments);
        }
    }
}

static LLVMValueRef advance(Tiles *t, LLVMValueRef at, int64_t bytes) {
    LLVMValueRef distance = emit_number(t->e, bytes);
    return LLVMBuildInBoundsGEP2(
        t->builder, LLVMInt8TypeInContext(t->e->context), at, &distance, 1, "");
}

// A's step, and the next one's place: A itself, or the offset.
static LLVMValueRef step_of_lhs(Tiles *t, LLVMValueRef a, LLVMValueRef at) {
    if (!t->what->has_offsets) return at;
    LLVMValueRef offset = LLVMBuildLoad2(t->builder, LLVMInt64TypeInContext(t->e->context), at, "");
    LLVMTypeRef element = emit_memory_type(t->e, t->what->lhs.element);
    return LLVMBuildInBoundsGEP2(t->builder, element, a, &offset, 1, "");
}

static LLVMValueRef next_lhs(Tiles *t, LLVMValueRef at) {
    const PanelForm *lhs = &t->what->lhs;
    int64_t bytes = t->what->has_offsets ? (int64_t)sizeof(int64_t) : lhs->width * step_bytes(lhs);
    return advance(t, at, bytes);
}

// Word number n of the places.
static LLVMValueRef load_word(Tiles *t, LLVMTypeRef type, int n) {
    LLVMValueRef rows = LLVMGetParam(t->e->function, PARAMETER_ROWS);
    return LLVMBuildLoad2(t->builder, type, advance(t, rows, n * (int64_t)sizeof(int64_t)), "");
}

static void ask_for_lines(Tiles *t, int place, LLVMValueRef at) {
    const Ahead *ahead = &t->what->ahead;
    int lines = place < ahead->places ? ahead->lines : ahead->block_lines;
    for (int line = 0; line < lines; line++)
        emit_prefetch(t->e, advance(t, at, (int64_t)line * ROW_BYTES), false, PREFETCH_SECOND);
}

// for (; n > 0; n--) { step; a += rows * k_step; b += columns * k_step; }, with the next lines of
// each place. With has_offsets, a + *offset is the step, and the next offset the next one's.
static void loop_over_k(Tiles *t, LLVMValueRef a, LLVMValueRef b, LLVMValueRef count) {
    enum { COUNT, A, B, PLACE };
    LLVMContextRef context = t->e->context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context),
                pointer = LLVMPointerTypeInContext(context, 0);
    LLVMValueRef first = t->what->has_offsets ? LLVMGetParam(t->e->function, PARAMETER_LAST) : a;
    LLVMValueRef starts[PLACE + MOST_PLACES] = {count, first, b}, distances[MOST_PLACES];
    LLVMValueRef counters[PLACE + MOST_PLACES], next[PLACE + MOST_PLACES];
    int places = t->what->ahead.places + t->what->ahead.blocks;
    for (int i = 0; i < places; i++) {
        starts[PLACE + i] = load_word(t, pointer, 2 * i);
        distances[i] = load_word(t, i64, 2 * i + 1);
    }
    LLVMBasicBlockRef start = LLVMGetInsertBlock(t->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(start);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(context, function, "k");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(context, function, "done");
    LLVMBuildBr(t->builder, body); // k >= 1
    LLVMPositionBuilderAtEnd(t->builder, body);
    for (int p = 0; p < PLACE + places; p++)
        counters[p] = LLVMBuildPhi(t->builder, p == COUNT ? i64 : pointer, "");
    step(t, step_of_lhs(t, a, counters[A]), counters[B]);
    next[COUNT] = LLVMBuildSub(t->builder, counters[COUNT], emit_number(t->e, 1), "");
    next[A] = next_lhs(t, counters[A]);
    next[B] = advance(t, counters[B], t->what->rhs.width * step_bytes(&t->what->rhs));
    for (int i = 0; i < places; i++) {
        ask_for_lines(t, i, counters[PLACE + i]);
        next[PLACE + i] = LLVMBuildGEP2(
            t->builder, LLVMInt8TypeInContext(context), counters[PLACE + i], &distances[i], 1, "");
    }
    LLVMValueRef more = LLVMBuildICmp(t->builder, LLVMIntNE, next[COUNT], emit_number(t->e, 0), "");
    LLVMBuildCondBr(t->builder, more, body, done);
    LLVMBasicBlockRef blocks[2] = {start, body};
    for (int p = 0; p < PLACE + places; p++) {
        LLVMValueRef values[2] = {starts[p], next[p]};
        LLVMAddIncoming(counters[p], values, blocks, 2);
    }
    LLVMPositionBuilderAtEnd(t->builder, done);
}

void microkernel_emit_tiles(Emit *e, const Microkernel *microkernel) {
    Tiles t = tiles_of(e, microkernel, e->builder);
    LLVMValueRef function = e->function, c = LLVMGetParam(function, PARAMETER_C);
    begin_sums(&t, c, LLVMGetParam(function, PARAMETER_ADD));
    loop_over_k(
        &t, LLVMGetParam(function, PARAMETER_A), LLVMGetParam(function, PARAMETER_B),
        LLVMGetParam(function, PARAMETER_K));
    move_sums(&t, "llvm.x86.tilestored64", c);
}

// The configuration: palette 1; from byte 16 the bytes of a row of each register as 16 bits;
// from byte 48 the rows of each.
static void set_shape(uint8_t *config, int tile, int64_t rows, int64_t row_bytes) {
    config[16 + 2 * tile] = (uint8_t)row_bytes;
    config[48 + tile] = (uint8_t)rows;
}

static LLVMValueRef configuration(Tiles *t) {
    uint8_t config[CONFIG_BYTES] = {1};
    int64_t a_row = step_bytes(&t->what->lhs);
    for (int i = 0; i < t->down; i++) {
        set_shape(config, a_register(t, i), t->rows, a_row);
        for (int j = 0; j < t->across; j++)
            set_shape(config, c_register(t, i, j), t->rows, ROW_BYTES);
    }
    for (int j = 0; j < t->across; j++)
        set_shape(config, b_register(t, j), a_row / WORD_BYTES, ROW_BYTES);
    LLVMContextRef context = t->e->context;
    LLVMValueRef bytes = LLVMConstStringInContext2(context, (const char *)config, CONFIG_BYTES, 1);
    LLVMValueRef table = LLVMAddGlobal(t->e->module, LLVMTypeOf(bytes), "tiles");
    LLVMSetInitializer(table, bytes);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    LLVMSetAlignment(table, CONFIG_BYTES);
    return table;
}

void microkernel_begin(Emit *e, const Microkernel *microkernel) {
    if (microkernel->how->product != PRODUCT_TILES) return;
    Tiles t = tiles_of(e, microkernel, e->builder);
    LLVMValueRef table = configuration(&t);
    call(&t, "llvm.x86.ldtilecfg", 1, &table);
}

void microkernel_end(Emit *e, const Microkernel *microkernel) {
    if (microkernel->how->product != PRODUCT_TILES) return;
    Tiles t = tiles_of(e, microkernel, e->builder);
    call(&t, "llvm.x86.tilerelease", 0, NULL);
}

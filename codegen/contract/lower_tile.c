// lower_tile: tiles that reach beyond the whole array: copied in with zeros
// around, written back without them.
//
// The extents of each device's tile are a table in the kernel's module; rows (dimension 0) are the
// chunks.
#include "codegen/emit/lower.h"
#include "runtime/abi.h"

typedef struct TileLoops {
    Emit *e;
    const Type *type;
    const Buffer *tile;             // the argument or result
    LLVMValueRef extents[MAX_RANK]; // of this device
    EmitLoop *loops[MAX_RANK];
    const IndexExpr *index[MAX_RANK];
} TileLoops;

static LLVMValueRef number(const Emit *e, int64_t value) {
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (unsigned long long)value, true);
}

void tile_grid(Kernel *kernel, const Target *target) {
    (void)target;
    const Type *type = kernel->outputs[0].value->type;
    kernel->grid = type->dims[0] > 0 ? type->dims[0] : 1;
}

static void load_extents(TileLoops *tile) {
    Emit *e = tile->e;
    int rank = tile->type->rank;
    int64_t count = e->program->device_count * rank;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef *numbers = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = number(e, tile->tile->extents[i]);
    }
    LLVMValueRef table = LLVMConstArray2(i64, numbers, (uint64_t)count);
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(table), "extents");
    LLVMSetInitializer(global, table);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMValueRef place = number(e, (int64_t)offsetof(RtLane, device));
    LLVMValueRef address = LLVMBuildInBoundsGEP2(
        e->builder, LLVMInt8TypeInContext(e->context), e->lane, &place, 1, "");
    LLVMValueRef device = LLVMBuildLoad2(e->builder, i64, address, "device");
    LLVMValueRef row = LLVMBuildMul(e->builder, device, number(e, rank), "");
    for (int d = 0; d < rank; d++) {
        LLVMValueRef at = LLVMBuildAdd(e->builder, row, number(e, d), "");
        LLVMValueRef entry = LLVMBuildInBoundsGEP2(e->builder, i64, global, &at, 1, "");
        tile->extents[d] = LLVMBuildLoad2(e->builder, i64, entry, "extent");
    }
}

static void begin_tile(TileLoops *tile, Emit *e, const KernelOperand *operand) {
    *tile = (TileLoops){.e = e, .type = e->kernel->outputs[0].value->type, .tile = operand->buffer};
    load_extents(tile);
}

static LLVMValueRef minimum(const Emit *e, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, a, b, ""), a, b, "");
}

static void open_loop(TileLoops *tile, int d, LLVMValueRef start, LLVMValueRef stop) {
    bool innermost = d == tile->type->rank - 1;
    tile->loops[d] = emit_loop_begin(tile->e, start, stop, 1, tile->type->dims[d], innermost);
    tile->index[d] = tile->loops[d]->index;
}

static void close_loop(TileLoops *tile, int d) { emit_loop_end(tile->e, tile->loops[d]); }

// Stores an element: zero, or (value != NULL) the value's.
static void store_element(TileLoops *tile, const Value *value) {
    Emit *e = tile->e;
    const Value *output = e->kernel->outputs[0].value;
    Scalar x =
        value ? emit_element(e, value, tile->index) : emit_constant(e, output->type->element, 0);
    emit_store(e, output, emit_address(e, output, tile->index), x);
}

bool tile_in_emit(Emit *e) {
    TileLoops tile;
    begin_tile(&tile, e, &e->kernel->inputs[0]);
    const Value *argument = e->kernel->inputs[0].value;
    int last = tile.type->rank - 1;
    LLVMValueRef inside = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
    for (int d = 0; d < last; d++) {
        open_loop(
            &tile, d, d ? number(e, 0) : e->begin, d ? number(e, tile.type->dims[d]) : e->end);
        LLVMValueRef below =
            LLVMBuildICmp(e->builder, LLVMIntSLT, tile.loops[d]->phi, tile.extents[d], "");
        inside = LLVMBuildAnd(e->builder, inside, below, "");
    }
    LLVMValueRef start = last ? number(e, 0) : e->begin,
                 stop = last ? number(e, tile.type->dims[last]) : e->end;
    LLVMValueRef split = LLVMBuildSelect(e->builder, inside, tile.extents[last], number(e, 0), "");
    split = minimum(e, split, stop);
    split = LLVMBuildSelect(
        e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, split, start, ""), start, split, "");
    open_loop(&tile, last, start, split);
    store_element(&tile, argument);
    close_loop(&tile, last);
    open_loop(&tile, last, split, stop);
    store_element(&tile, NULL);
    close_loop(&tile, last);
    for (int d = last - 1; d >= 0; d--) {
        close_loop(&tile, d);
    }
    return !e->failed;
}

bool tile_out_emit(Emit *e) {
    TileLoops tile;
    begin_tile(&tile, e, &e->kernel->outputs[0]);
    int last = tile.type->rank - 1;
    for (int d = 0; d <= last; d++) {
        LLVMValueRef start = d ? number(e, 0) : e->begin;
        LLVMValueRef stop = d ? tile.extents[d] : minimum(e, e->end, tile.extents[d]);
        open_loop(&tile, d, start, stop);
    }
    store_element(&tile, op_operand(e->kernel->root, 0));
    for (int d = last; d >= 0; d--) {
        close_loop(&tile, d);
    }
    return !e->failed;
}

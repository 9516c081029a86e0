// matmul_zeros: of rows that other parts of a KERNEL_BLOCKS made, and a mask may have left little
// of, whole pieces that are zero are not multiplied: of A's block those for a block of K, of B,
// where rows are contracted, those of a panel.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"
#include "codegen/emit/shared.h"

enum { LINE = 64, FIND_ARGUMENTS = 5 };

// find(from, rows, bytes from row to row, lines of a row, i64 *found)
static LLVMTypeRef find_type(Emit *e) {
    LLVMTypeRef i64 = emit_i64(e), pointer = LLVMPointerTypeInContext(e->context, 0);
    LLVMTypeRef types[FIND_ARGUMENTS] = {pointer, i64, i64, i64, pointer};
    return LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, FIND_ARGUMENTS, 0);
}

typedef struct FindLoop {
    LLVMBasicBlockRef from, body;
    LLVMValueRef phi;
} FindLoop;

static FindLoop loop_begin(Emit *e, const char *name) {
    FindLoop loop = {.from = LLVMGetInsertBlock(e->builder)};
    loop.body = LLVMAppendBasicBlockInContext(e->context, e->function, name);
    LLVMBuildBr(e->builder, loop.body);
    LLVMPositionBuilderAtEnd(e->builder, loop.body);
    loop.phi = LLVMBuildPhi(e->builder, emit_i64(e), "");
    return loop;
}

// Goes around `count` times.
static void loop_end(Emit *e, FindLoop *loop, LLVMValueRef count) {
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder),
                      next = LLVMAppendBasicBlockInContext(e->context, e->function, "next");
    LLVMValueRef after = LLVMBuildAdd(e->builder, loop->phi, emit_i64_constant(e, 1), "");
    LLVMValueRef goes_on = LLVMBuildICmp(e->builder, LLVMIntULT, after, count, "");
    LLVMBuildCondBr(e->builder, goes_on, loop->body, next);
    LLVMValueRef values[2] = {emit_i64_constant(e, 0), after};
    LLVMBasicBlockRef blocks[2] = {loop->from, last};
    LLVMAddIncoming(loop->phi, values, blocks, 2);
    LLVMPositionBuilderAtEnd(e->builder, next);
}

// Signs do not count. Ends with the first row in which something is found.
static void find_emit(Emit *e, const void *what) {
    unsigned bits = (unsigned)element_bits(*(const ElementType *)what);
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context),
                lane = LLVMIntTypeInContext(e->context, bits);
    LLVMTypeRef line = LLVMVectorType(lane, LINE * 8 / bits);
    LLVMValueRef arguments[FIND_ARGUMENTS];
    LLVMGetParams(e->function, arguments);
    LLVMBuildStore(b, emit_i64_constant(e, 0), arguments[4]);
    FindLoop row = loop_begin(e, "row");
    LLVMValueRef at = LLVMBuildMul(b, row.phi, arguments[2], "");
    LLVMValueRef from = LLVMBuildGEP2(b, i8, arguments[0], &at, 1, "");
    FindLoop part = loop_begin(e, "line");
    LLVMValueRef sum = LLVMBuildPhi(b, line, "");
    LLVMValueRef place = LLVMBuildGEP2(b, line, from, &part.phi, 1, "");
    LLVMValueRef loaded = LLVMBuildLoad2(b, line, place, "");
    LLVMSetAlignment(loaded, bits / 8);
    LLVMValueRef sums[2] = {LLVMConstNull(line), LLVMBuildOr(b, sum, loaded, "")};
    LLVMBasicBlockRef blocks[2] = {part.from, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(sum, sums, blocks, 2);
    loop_end(e, &part, arguments[3]);
    LLVMValueRef ones[LINE];
    for (unsigned i = 0; i < LINE * 8 / bits; i++)
        ones[i] = LLVMConstInt(lane, 1, 0);
    LLVMValueRef numbers = LLVMBuildShl(b, sums[1], LLVMConstVector(ones, LINE * 8 / bits), "");
    LLVMValueRef any = LLVMBuildICmp(b, LLVMIntNE, numbers, LLVMConstNull(line), "");
    LLVMTypeRef mask = LLVMIntTypeInContext(e->context, LINE * 8 / bits);
    any = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildBitCast(b, any, mask, ""), LLVMConstNull(mask), "");
    LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(e->context, e->function, "found"),
                      no = LLVMAppendBasicBlockInContext(e->context, e->function, "none");
    LLVMBuildCondBr(b, any, yes, no);
    LLVMPositionBuilderAtEnd(b, yes);
    LLVMBuildStore(b, emit_i64_constant(e, 1), arguments[4]);
    LLVMBuildRetVoid(b);
    LLVMPositionBuilderAtEnd(b, no);
    loop_end(e, &row, arguments[1]);
}

// Is something in these rows, of whole lines each, not zero? i1
static LLVMValueRef find_numbers(
    Emit *e, ElementType element, LLVMValueRef from, LLVMValueRef rows, int64_t row_bytes,
    LLVMValueRef lines) {
    SharedFunction find = {
        .name = arena_printf(e->arena, "find_numbers_%d", element_bits(element)),
        .type = find_type,
        .emit = find_emit,
        .what = &element,
        .what_bytes = sizeof element};
    LLVMValueRef found = emit_alloca(e, emit_i64(e), 1, 8);
    LLVMValueRef arguments[FIND_ARGUMENTS] = {from, rows, emit_number(e, row_bytes), lines, found};
    emit_shared_call(e, &find, FIND_ARGUMENTS, arguments);
    LLVMValueRef number = LLVMBuildLoad2(e->builder, emit_i64(e), found, "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, number, emit_number(e, 0), "");
}

bool matmul_skips_zeros(const Matmul *x) {
    const RowBlock *block = &x->c.block;
    int64_t size = (int64_t)element_bytes(x->c.rhs_packed), lanes = x->blocks.tile.columns;
    if (!block->rows || !block->skips_zeros || x->blocks.k_blocks == 1) return false;
    if (block->is_depth) return x->blocks.kc * lanes * size % LINE == 0;
    return x->c.k.size % x->blocks.kc == 0 && x->blocks.kc * size % LINE == 0;
}

LLVMValueRef matmul_counts(Matmul *x, const IndexExpr *panel) {
    enum { LINES = 8 }; // looked at together
    Emit *e = x->e;
    if (!x->c.block.is_depth) return x->counts;
    int64_t elements = x->blocks.kc * x->blocks.tile.columns,
            bytes = elements * (int64_t)element_bytes(x->c.rhs_packed);
    LLVMValueRef from =
        matmul_scratch(x, x->rhs_at, x->c.rhs_packed, index_scale(e->index, panel, elements));
    int64_t row = bytes % (LINES * LINE) == 0 ? LINES * LINE : LINE;
    return find_numbers(
        e, x->c.rhs_packed, from, emit_number(e, bytes / row), row, emit_number(e, row / LINE));
}

// Of A's rows, for these k's: where they lie, or packed.
LLVMValueRef matmul_rows_count(Matmul *x, PackRange k) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    int64_t size = (int64_t)element_bytes(x->c.lhs_packed), row = blocks->kc * size;
    if (!x->reads_lhs) {
        LLVMValueRef from = emit_scratch(e, x->lhs_at);
        return find_numbers(
            e, x->c.lhs_packed, from, emit_number(e, blocks->mc), row, emit_number(e, row / LINE));
    }
    OperandPlace place;
    if (!contraction_place(e, &x->c, true, x->batch, &place)) e->failed = true;
    if (e->failed) return NULL;
    return find_numbers(
        e, x->c.lhs_packed, contraction_place_address(e, &place, x->m_first, k.first),
        emit_number(e, x->c.block.rows), place.line_stride * size, emit_number(e, row / LINE));
}

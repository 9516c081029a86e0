// lower_matmul: blocked, packed matrix products.
//
// The grid has one chunk per block of C (mc x nc of one batch entry), numbered so that neighbours
// share B: chunk = (batch * n_blocks + j) * m_blocks + i. A lane takes the neighbouring chunks
// [begin, end) of one (batch, j), its rows, together (or where one block has all rows, the
// neighbouring j's of a batch entry, up to nc columns):
//
//     for each (batch, j) that it meets:
//       pack B (K x nc), where that is kept
//       for each strip of its blocks of rows:
//         for each block of K:
//           pack B (kc x nc), where it is not kept
//           for each block of A of the strip:
//             pack A (mc x kc);  for each tile of C:  micro-kernel;  after the
//                                last block of K:  epilogue, store
//
// Of a product with few columns A is read where it lies.
// Where products are as fast as packing (tile registers), A's blocks are kept for the next columns.
// Tiles of C stay in registers over a block of K, and wait in the scratch for the next.
//
// Sums over K run in the same order however the chunks are dealt out, so the bits do not
// depend on the number of lanes.
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"
#include "codegen/emit/lower.h"

enum { MOST_STREAMED_ROWS = 32 };

// Of the chunks of one batch entry, a lane's first m_blocks meet all rows.
static LLVMValueRef meets_rows(Matmul *x, const IndexExpr *chunk) {
    Emit *e = x->e;
    LLVMValueRef number = emit_index(e, chunk);
    int64_t entry = x->blocks.m_blocks * x->blocks.n_blocks;
    LLVMValueRef in_entry = emit_index(e, index_mod(e->index, chunk, entry));
    LLVMValueRef done = emit_minimum(e, in_entry, LLVMBuildSub(e->builder, number, e->begin, ""));
    return LLVMBuildICmp(e->builder, LLVMIntSLT, done, emit_number(e, x->blocks.m_blocks), "");
}

// One block of A, for a block of K. are_new: i1, where A's blocks are kept: these rows are met for
// the first time.
static void multiply_rows(
    Matmul *x, LLVMValueRef are_new, const EmitLoop *k_block, PackRange k, PackRange all_k) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    x->m_first = index_scale(e->index, x->m_block, blocks->mc);
    x->m_count = emit_remaining(e, x->m_first, blocks->mc, x->c.m.size);
    if (blocks->keeps_lhs) {
        LLVMValueRef is_first =
            LLVMBuildICmp(e->builder, LLVMIntEQ, k_block->phi, emit_number(e, 0), "");
        EmitIf is_new = emit_if(e, LLVMBuildAnd(e->builder, is_first, are_new, ""));
        matmul_pack_rows(x, all_k);
        emit_end_if(e, &is_new);
    } else {
        matmul_pack_rows(x, k);
    }
    matmul_multiply_block(x, k_block->index, k.first, k.count);
}

// A block of K: its k's, and B's columns of them.
static PackRange begin_depth(Matmul *x, const EmitLoop *k_block) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    const IndexExpr *first = index_scale(e->index, k_block->index, blocks->kc);
    PackRange k = {first, emit_remaining(e, first, blocks->kc, x->c.k.size), blocks->kc};
    if (!blocks->keeps_rhs) matmul_pack_columns(x, k);
    return k;
}

// The blocks of A from `first` on, at most a strip of them, before `stop`.
static void multiply_strip(
    Matmul *x, const IndexExpr *column, const EmitLoop *strip, LLVMValueRef stop, PackRange all_k) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const ContractBlocks *blocks = &x->blocks;
    LLVMValueRef end = LLVMBuildNSWAdd(e->builder, strip->phi, emit_number(e, blocks->strip), "");
    LLVMValueRef count = LLVMBuildNSWSub(e->builder, emit_minimum(e, end, stop), strip->phi, "");
    EmitLoop *k_block = emit_loop_constant(e, blocks->k_blocks, false);
    PackRange k = begin_depth(x, k_block);
    EmitLoop *block = emit_loop_begin(e, emit_number(e, 0), count, 1, blocks->strip, false);
    x->strip_block = block->index;
    x->m_block = index_add(b, strip->index, block->index);
    const IndexExpr *chunk = index_add(b, index_scale(b, column, blocks->m_blocks), x->m_block);
    multiply_rows(x, blocks->keeps_lhs ? meets_rows(x, chunk) : NULL, k_block, k, all_k);
    emit_loop_end(e, block);
    emit_loop_end(e, k_block);
}

static void emit_chunks(Matmul *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const ContractBlocks *blocks = &x->blocks;
    int64_t columns = x->c.batch.size * blocks->n_blocks;
    ChunkGroups chunks = emit_chunk_groups(e, e->begin, e->end, blocks->m_blocks, columns);
    const IndexExpr *column = chunks.loop->index;
    index_delinear(
        b, index_div(b, column, blocks->n_blocks), x->c.batch.rank, x->c.batch.dims, x->batch);
    x->n_first = index_scale(b, index_mod(b, column, blocks->n_blocks), blocks->nc);
    x->n_count = emit_remaining(e, x->n_first, blocks->nc, x->c.n.size);
    PackRange all_k = {index_constant(b, 0), emit_number(e, x->c.k.size), x->c.k.size};
    if (blocks->keeps_rhs) matmul_pack_columns(x, all_k);
    EmitLoop *strip =
        emit_loop_begin(e, chunks.first, chunks.stop, blocks->strip, blocks->m_blocks, false);
    multiply_strip(x, column, strip, chunks.stop, all_k);
    emit_loop_end(e, strip);
    emit_loop_end(e, chunks.loop);
}

// One block has all rows: a lane's columns of a batch entry, nc at a time.
static void emit_columns(Matmul *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const ContractBlocks *blocks = &x->blocks;
    ChunkGroups chunks = emit_chunk_groups(e, e->begin, e->end, blocks->n_blocks, x->c.batch.size);
    index_delinear(b, chunks.loop->index, x->c.batch.rank, x->c.batch.dims, x->batch);
    int64_t together = blocks->nc / blocks->chunk_columns;
    EmitLoop *window =
        emit_loop_begin(e, chunks.first, chunks.stop, together, blocks->n_blocks, false);
    x->n_first = index_scale(b, window->index, blocks->chunk_columns);
    x->n_count = emit_remaining(e, x->n_first, blocks->nc, x->c.n.size);
    if (together > 1) {
        LLVMValueRef left = LLVMBuildNSWSub(e->builder, chunks.stop, window->phi, "");
        left = LLVMBuildNSWMul(e->builder, left, emit_number(e, blocks->chunk_columns), "");
        x->n_count = emit_minimum(e, x->n_count, left);
    }
    PackRange all_k = {index_constant(b, 0), emit_number(e, x->c.k.size), x->c.k.size};
    if (blocks->keeps_rhs) matmul_pack_columns(x, all_k);
    x->m_block = x->strip_block = index_constant(b, 0);
    LLVMValueRef are_new = LLVMBuildICmp(e->builder, LLVMIntEQ, window->phi, chunks.first, "");
    EmitLoop *k_block = emit_loop_constant(e, blocks->k_blocks, false);
    PackRange k = begin_depth(x, k_block);
    multiply_rows(x, are_new, k_block, k, all_k);
    emit_loop_end(e, k_block);
    emit_loop_end(e, window);
    emit_loop_end(e, chunks.loop);
}

// Element types without a micro-kernel, and contractions without products or results, are plain
// loops.
bool matmul_applies(const Contraction *c) {
    return c->k.size > 0 && c->m.size > 0 && c->n.size > 0 && c->batch.size > 0;
}

void matmul_set_grid(Kernel *kernel, const Contraction *c, const Target *target) {
    ContractBlocks blocks = contract_blocks(c, target);
    kernel->grid =
        c->batch.size * (c->block.rows ? c->block.count : blocks.n_blocks * blocks.m_blocks);
    kernel->scratch_bytes =
        blocks.lhs_bytes + blocks.rhs_bytes + blocks.tile_bytes + blocks.excess_bytes;
    matmul_set_costs(kernel, c);
}

// B's panels that stream from memory are asked for by the micro-kernel itself, further ahead.
static Ahead prefetched(const Matmul *x) {
    bool streams = x->microkernel.streams_rhs;
    if (x->c.in_tiles) return (Ahead){0};
    return (Ahead){
        .lhs = true,
        .rhs = !streams,
        .sums = x->blocks.k_blocks > 1,
        .panel = !streams && !x->blocks.rows_first};
}

bool matmul_emit_blocked(Emit *e, const Contraction *c) {
    Matmul *x = ARENA_NEW(e->arena, Matmul);
    x->e = e;
    x->c = *c;
    x->blocks = contract_blocks(c, e->target);
    x->lhs_at = 0;
    x->rhs_at = x->blocks.lhs_bytes;
    x->tiles_at = x->rhs_at + x->blocks.rhs_bytes;
    x->excess_at = x->tiles_at + x->blocks.tile_bytes;
    x->microkernel = (Microkernel){
        .tile = x->blocks.tile,
        .element = c->accumulator,
        .how = c->how,
        .lhs = x->blocks.lhs,
        .rhs = x->blocks.rhs,
        .has_excess = c->lhs_is_raised};
    x->panels = panels_find(e, c);
    int64_t streamed = c->in_tiles ? x->blocks.tile.rows : x->panels.load ? MOST_STREAMED_ROWS : 0;
    x->microkernel.streams_rhs = c->m.size <= streamed;
    x->microkernel.ahead = prefetched(x);
    matmul_read_lhs(x);
    matmul_read_rhs(x);
    matmul_stream(x);
    microkernel_begin(e, &x->microkernel);
    if (c->block.rows)
        matmul_emit_blocks(x);
    else if (x->blocks.m_blocks == 1)
        emit_columns(x);
    else
        emit_chunks(x);
    microkernel_end(e, &x->microkernel);
    return !e->failed;
}

// The kernel's product, if it does not take plain loops.
static bool find_product(const Kernel *kernel, const Target *target, Contraction *c) {
    if (target->reference_kernels || !contraction_of(kernel->root, target, c) || !matmul_applies(c))
        return false;
    contraction_find_rows(kernel, c);
    c->block = kernel->block;
    if (c->block.is_turned) contraction_exchange(c, target);
    return true;
}

void contract_grid(Kernel *kernel, const Target *target) {
    Contraction c;
    if (!find_product(kernel, target, &c)) {
        contract_reference_grid(kernel, target);
    } else if (!c.block.rows && few_rows_apply(kernel, &c, target)) {
        few_rows_set_grid(kernel, &c);
    } else {
        if (!c.block.rows) contraction_turn(&c, target);
        matmul_set_grid(kernel, &c, target);
    }
}

bool contract_emit(Emit *e) {
    Contraction c;
    if (!find_product(e->kernel, e->target, &c)) return contract_reference_emit(e);
    if (!c.block.rows) {
        if (few_rows_apply(e->kernel, &c, e->target)) return few_rows_emit(e, &c);
        contraction_turn(&c, e->target);
    }
    return matmul_emit_blocked(e, &c);
}

// matmul_blocks: products as parts of a KERNEL_BLOCKS: a chunk is a block of rows, of m or of k.
//
//     of m:  the first block of a batch entry packs its columns;  all tiles of the rows
//     of k:  adds the block's products to the sums of all tiles, which wait in the scratch;  after
//            the last block of a batch entry:  epilogue, store
#include "codegen/contract/contraction.h"
#include "codegen/emit/emit_state.h"

static void clear_sums(Matmul *x) {
    enum { LINE = 64 };
    Emit *e = x->e;
    LLVMValueRef zero = LLVMConstNull(LLVMInt8TypeInContext(e->context)),
                 bytes = emit_number(e, x->blocks.tile_bytes);
    LLVMBuildMemSet(e->builder, emit_scratch(e, x->tiles_at), zero, bytes, LINE);
}

static LLVMValueRef is_zero(Emit *e, const IndexExpr *number) {
    return LLVMBuildICmp(e->builder, LLVMIntEQ, emit_index(e, number), emit_number(e, 0), "");
}

static void block_of_rows(Matmul *x, const IndexExpr *block) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    int64_t rows = x->c.block.rows;
    PackRange all_k = {index_constant(e->index, 0), emit_number(e, x->c.k.size), x->c.k.size};
    EmitIf first = emit_if(e, is_zero(e, block));
    matmul_pack_columns(x, all_k);
    emit_end_if(e, &first);
    x->m_block = x->strip_block = index_constant(e->index, 0);
    x->m_first = index_scale(e->index, block, rows);
    x->m_count = emit_number(e, rows);
    x->row_stop = emit_index(e, index_add_constant(e->index, x->m_first, rows));
    if (matmul_skips_zeros(x)) clear_sums(x);
    EmitLoop *k_block = emit_loop_constant(e, blocks->k_blocks, false);
    const IndexExpr *k_first = index_scale(e->index, k_block->index, blocks->kc);
    PackRange k = {k_first, emit_remaining(e, k_first, blocks->kc, x->c.k.size), blocks->kc};
    matmul_pack_rows(x, k);
    if (matmul_skips_zeros(x)) x->counts = matmul_rows_count(x, k);
    if (!e->failed) matmul_multiply_block(x, k_block->index, k.first, k.count);
    emit_loop_end(e, k_block);
}

static void block_of_depth(Matmul *x, const IndexExpr *block) {
    Emit *e = x->e;
    const ContractBlocks *blocks = &x->blocks;
    int64_t rows = x->c.block.rows;
    PackRange k = {index_scale(e->index, block, rows), emit_number(e, rows), rows};
    if (matmul_skips_zeros(x)) {
        EmitIf first = emit_if(e, is_zero(e, block));
        clear_sums(x);
        emit_end_if(e, &first);
    }
    matmul_pack_columns(x, k);
    EmitLoop *m_block = emit_loop_constant(e, blocks->m_blocks, false);
    x->m_block = x->strip_block = m_block->index;
    x->m_first = index_scale(e->index, m_block->index, blocks->mc);
    x->m_count = emit_remaining(e, x->m_first, blocks->mc, x->c.m.size);
    matmul_pack_rows(x, k);
    matmul_multiply_block(x, block, k.first, k.count);
    emit_loop_end(e, m_block);
}

void matmul_emit_blocks(Matmul *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    int64_t count = x->c.block.count;
    EmitLoop *chunk = emit_chunk_loop(e);
    index_delinear(
        b, index_div(b, chunk->index, count), x->c.batch.rank, x->c.batch.dims, x->batch);
    const IndexExpr *block = index_mod(b, chunk->index, count);
    x->n_first = index_constant(b, 0);
    x->n_count = emit_number(e, x->c.n.size);
    if (x->c.block.is_depth)
        block_of_depth(x, block);
    else
        block_of_rows(x, block);
    emit_loop_end(e, chunk);
}

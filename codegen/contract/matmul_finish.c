// The end of a tile of a product: conversion, epilogue, stores.
#include "codegen/contract/contraction.h"

LLVMValueRef matmul_scratch(Matmul *x, int64_t offset, ElementType type, const IndexExpr *element) {
    Emit *e = x->e;
    LLVMValueRef index = emit_index(e, element);
    return LLVMBuildInBoundsGEP2(
        e->builder, emit_memory_type(e, type), emit_scratch(e, offset), &index, 1, "");
}

// The scalar of output o at an element of the contraction's result that is bound already.
static void store_output(
    Matmul *x, const Value *output, const IndexExpr *const *index, Scalar sum) {
    Emit *e = x->e;
    const Type *result = x->c.result->type;
    const IndexExpr *at[MAX_RANK];
    if (type_same_shape(output->type, result)) {
        for (int d = 0; d < result->rank; d++) {
            at[d] = index[d];
        }
    } else { // a reshape lies between
        const IndexExpr *number = index_linear(e->index, result->rank, result->dims, index);
        index_delinear(e->index, number, output->type->rank, output->type->dims, at);
    }
    Scalar value = output == x->c.result ? sum : emit_element(e, output, at);
    emit_store(e, output, emit_address(e, output, at), value);
}

// One element of a finished tile: convert, epilogue, store.
static void finish_element(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column,
    const IndexExpr *i, const IndexExpr *j) {
    Emit *e = x->e;
    const Contraction *c = &x->c;
    const IndexExpr *m[MAX_RANK], *n[MAX_RANK], *index[MAX_RANK];
    if (x->is_direct) {
        for (int d = 0; d + 1 < c->m.rank; d++) {
            m[d] = x->m_outer[d];
        }
        m[c->m.rank - 1] = index_add(e->index, row, i);
    } else {
        index_delinear(e->index, index_add(e->index, row, i), c->m.rank, c->m.dims, m);
    }
    index_delinear(e->index, index_add(e->index, column, j), c->n.rank, c->n.dims, n);
    if (c->conv) {
        conv_result_index(e, c, x->batch, m, n, index);
    } else {
        contraction_result_index(c, x->batch, m, n, index);
    }
    const IndexExpr *outer = x->tile_is_turned ? j : i, *inner = x->tile_is_turned ? i : j;
    int64_t width = x->tile_is_turned ? x->blocks.tile.rows : x->blocks.tile.columns;
    const IndexExpr *at =
        index_add(e->index, index_add(e->index, tile, index_scale(e->index, outer, width)), inner);
    Scalar sum =
        emit_private_load(e, c->accumulator, emit_scratch(e, x->tiles_at), emit_index(e, at));
    sum = emit_convert(e, sum, c->result->type->element);
    emit_bind(e, c->result, &sum);
    for (int o = 0; o < e->kernel->output_count; o++) {
        store_output(x, e->kernel->outputs[o].value, index, sum);
    }
    emit_bind(e, c->result, NULL);
}

void matmul_finish_tile(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column) {
    Tile size = x->blocks.tile;
    int64_t all_rows = x->is_direct ? x->c.m.dims[x->c.m.rank - 1] : x->c.m.size;
    LLVMValueRef zero = emit_number(x->e, 0);
    FinishRange rows = {zero, emit_remaining(x->e, row, size.rows, all_rows), size.rows};
    FinishRange columns = {
        zero, emit_remaining(x->e, column, size.columns, x->c.n.size), size.columns};
    matmul_finish_part(x, tile, row, column, rows, columns);
}

// The inner loop runs along the result's contiguous dimension.
void matmul_finish_part(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column,
    FinishRange rows, FinishRange columns) {
    Emit *e = x->e;
    bool by_rows = contraction_n_is_contiguous(&x->c);
    FinishRange out = by_rows ? rows : columns, in = by_rows ? columns : rows;
    EmitLoop *outer = emit_loop_begin(e, out.from, out.to, 1, out.extent, false);
    EmitLoop *inner = emit_loop_begin(e, in.from, in.to, 1, in.extent, true);
    const IndexExpr *i = by_rows ? outer->index : inner->index;
    const IndexExpr *j = by_rows ? inner->index : outer->index;
    finish_element(x, tile, row, column, i, j);
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
}

void matmul_set_costs(Kernel *kernel, const Contraction *c) {
    kernel->flops = 2 * c->batch.size * c->m.size * c->n.size * c->k.size;
    kernel->bytes =
        (int64_t)(type_bytes(c->lhs->type) + type_bytes(c->rhs->type) + type_bytes(c->result->type));
}

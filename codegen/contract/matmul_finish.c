// A tile of a product: the micro-kernel that makes it, and its end: conversion, epilogue, stores.
#include "codegen/contract/contraction.h"
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"
#include "codegen/emit/stage/stream.h"
#include "codegen/emit/tile_stage.h"

LLVMValueRef matmul_scratch(Matmul *x, int64_t offset, ElementType type, const IndexExpr *element) {
    Emit *e = x->e;
    LLVMValueRef index = emit_index(e, element);
    return LLVMBuildInBoundsGEP2(
        e->builder, emit_memory_type(e, type), emit_scratch(e, offset), &index, 1, "");
}

// The index in an output of an element of the contraction's result.
static void output_index(
    Matmul *x, const Value *output, const IndexExpr *const *index, const IndexExpr **at) {
    IndexBuilder *b = x->e->index;
    const Type *result = x->c.result->type;
    if (type_same_shape(output->type, result)) {
        for (int d = 0; d < result->rank; d++) {
            at[d] = index[d];
        }
    } else { // a reshape lies between
        const IndexExpr *number = index_linear(b, result->rank, result->dims, index);
        index_delinear(b, number, output->type->rank, output->type->dims, at);
    }
}

// The scalar of the output at an element of the contraction's result that is bound already: into
// memory, or to its place in a tile that is streamed out.
static void store_output(
    Matmul *x, const Value *output, const IndexExpr *const *index, Scalar sum, LLVMValueRef tiles,
    LLVMValueRef place) {
    Emit *e = x->e;
    const IndexExpr *at[MAX_RANK];
    output_index(x, output, index, at);
    Scalar value = output == x->c.result ? sum : emit_element(e, output, at);
    if (x->streams)
        emit_private_store(e, output->type->element, x->lines ? x->lines : tiles, place, value);
    else
        emit_store(e, output, emit_address(e, output, at), value);
}

// Of row `row` and column `column` of the batch entry.
static void result_index(
    Matmul *x, const IndexExpr *row, const IndexExpr *column, const IndexExpr **index) {
    Emit *e = x->e;
    const Contraction *c = &x->c;
    const IndexExpr *m[MAX_RANK], *n[MAX_RANK];
    if (x->is_direct) {
        int joined = x->row_stop ? 2 : 1, outer = c->m.rank - joined;
        for (int d = 0; d < outer; d++)
            m[d] = x->m_outer[d];
        index_delinear(e->index, row, joined, &c->m.dims[outer], &m[outer]);
    } else {
        index_delinear(e->index, row, c->m.rank, c->m.dims, m);
    }
    index_delinear(e->index, column, c->n.rank, c->n.dims, n);
    if (c->conv) {
        conv_result_index(e, c, x->batch, m, n, index);
    } else {
        contraction_result_index(c, x->batch, m, n, index);
    }
}

void matmul_multiply_tile(Matmul *x, const MicrokernelCall *call, const IndexExpr *column) {
    Emit *e = x->e;
    const Contraction *c = &x->c;
    int lanes = contract_lanes(c, e->target);
    int64_t width = x->blocks.tile.columns, rest = c->n.size % width;
    int last = (int)ceil_div(rest, lanes),
        part = x->microkernel.rhs_stride ? (int)(rest % lanes) : 0;
    if (rest == 0 || (last * lanes == width && part == 0)) {
        microkernel_call(e, &x->microkernel, call);
        return;
    }
    Microkernel narrow = x->microkernel;
    narrow.vectors = last;
    narrow.last_lanes = part;
    LLVMValueRef whole = emit_number(e, c->n.size - rest);
    EmitIf is_whole =
        emit_if(e, LLVMBuildICmp(e->builder, LLVMIntSLT, emit_index(e, column), whole, ""));
    microkernel_call(e, &x->microkernel, call);
    emit_else(e, &is_whole);
    microkernel_call(e, &narrow, call);
    emit_end_if(e, &is_whole);
}

// ---- what the end of a tile finds in memory, asked for while the tile is multiplied

// Memory that the end of the element at this row and column writes and reads.
static StoredElements stored_elements(Matmul *x, const IndexExpr *row, const IndexExpr *column) {
    Emit *e = x->e;
    const Value *result = x->c.result;
    StoredElements list = {.count = 0};
    const IndexExpr *index[MAX_RANK], *at[MAX_RANK];
    result_index(x, row, column, index);
    LLVMTypeRef type = emit_register_type(e, result->type->element);
    Scalar sum = {.element = result->type->element, .value = LLVMGetPoison(type)};
    emit_bind(e, result, &sum);
    for (int o = 0; o < e->kernel->output_count; o++) {
        const Value *output = e->kernel->outputs[o].value;
        output_index(x, output, index, at);
        if (!x->streams && !e->kernel->outputs[o].is_remote) {
            const IndexExpr *number = expr_element_number(e->exprs, output, at);
            stored_elements_add(&list, (StoredElement){output, number, NULL});
        }
        if (output != result) stored_elements_find(&list, expr_of(e->exprs, output, at));
    }
    emit_bind(e, result, NULL);
    return list;
}

// How far behind the first element the second lies, if that is known; else 0.
static int64_t distance_of(Emit *e, const StoredElement *x, const StoredElement *other) {
    const IndexExpr *distance = index_sub(e->index, other->at, x->at);
    return index_is_constant(distance) && other->stored == x->stored ? distance->low : 0;
}

// {address, bytes to the next row} of a place
static void put_row_place(
    Matmul *x, MicrokernelCall *call, LLVMValueRef address, LLVMValueRef distance) {
    Emit *e = x->e;
    LLVMValueRef numbers[2] = {address, distance};
    for (int n = 0; n < 2; n++) {
        LLVMValueRef place = emit_number(e, 2 * x->microkernel.ahead.places + n);
        place = LLVMBuildInBoundsGEP2(e->builder, emit_i64(e), call->rows, &place, 1, "");
        LLVMBuildStore(e->builder, numbers[n], place);
    }
    x->microkernel.ahead.places++;
}

// Tile registers: with each step one of every `parts` rows, so that all have been asked for in the
// end; while it is not the last block of K, of the sums, which are near.
static void put_row_places(
    Matmul *x, MicrokernelCall *call, LLVMValueRef address, int64_t distance, int64_t parts,
    LLVMValueRef is_last) {
    Emit *e = x->e;
    LLVMValueRef step = emit_number(e, distance * parts);
    if (is_last) step = emit_choose(e, is_last, step, emit_number(e, 0));
    for (int64_t part = 0; part < parts; part++) {
        LLVMValueRef before = emit_number(e, distance * part);
        LLVMTypeRef i8 = LLVMInt8TypeInContext(e->context);
        LLVMValueRef at = LLVMBuildGEP2(e->builder, i8, address, &before, 1, "");
        put_row_place(x, call, is_last ? emit_choose(e, is_last, at, call->c) : at, step);
    }
}

void matmul_ask_for_rows(
    Matmul *x, const IndexExpr *row, const IndexExpr *column, int64_t steps, LLVMValueRef is_last,
    MicrokernelCall *call) {
    enum { LINE = 64 };
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    bool by_rows = contraction_n_is_contiguous(&x->c), in_tiles = x->c.in_tiles;
    Tile tile = x->blocks.tile;
    int64_t rows = by_rows ? tile.rows : tile.columns, width = by_rows ? tile.columns : tile.rows;
    int64_t parts = in_tiles ? ceil_div(rows, steps) : 1; // of the rows, with a place each
    Ahead *ahead = &x->microkernel.ahead;
    ahead->places = ahead->lines = 0;
    int64_t most = MOST_ROW_PLACES + MOST_AHEAD_BLOCKS;
    call->rows = emit_alloca(e, emit_i64(e), 2 * most, 8);
    if (!in_tiles && steps < 2 * rows) return;
    const IndexExpr *below = index_add_constant(b, row, 1),
                    *right = index_add_constant(b, column, 1);
    StoredElements here = stored_elements(x, row, column),
                   next_row = stored_elements(x, by_rows ? below : row, by_rows ? column : right),
                   next = stored_elements(x, by_rows ? row : below, by_rows ? right : column);
    if (next_row.count != here.count || next.count != here.count) return;
    for (int i = 0; i < here.count && ahead->places + parts <= MOST_ROW_PLACES; i++) {
        const StoredElement *first = &here.list[i];
        int64_t size = (int64_t)element_bytes(first->stored->type->element), bytes = width * size;
        int64_t distance = distance_of(e, first, &next_row.list[i]) * size;
        if (distance == 0 || distance_of(e, first, &next.list[i]) != 1) continue;
        int lines = (int)(bytes / LINE) + (bytes % LINE != 0 || distance % LINE != 0);
        ahead->lines = lines > ahead->lines ? lines : ahead->lines;
        LLVMValueRef address = emit_address_at(e, first->stored, first->at, first->device);
        if (in_tiles)
            put_row_places(x, call, address, distance, parts, is_last);
        else
            put_row_place(x, call, address, emit_number(e, distance));
    }
    if (in_tiles) return;
    int64_t period = 2;
    while (2 * period * rows <= steps)
        period *= 2;
    // an even number of steps is left, or an odd one
    call->mask = emit_number(e, period - 2);
    if (is_last) call->mask = emit_choose(e, is_last, call->mask, emit_number(e, -1));
}

// These CPUs take numbers below the smallest normal one for zero, in dot products of bf16 as in
// their conversion to bf16. So they round all products of bf16, in whatever way the sums were made:
// what becomes of such numbers does not depend on the shape.
static bool rounds_normal(const Matmul *x) {
    const Contraction *c = &x->c;
    return c->lhs->type->element == ELEMENT_BF16 && c->rhs->type->element == ELEMENT_BF16 &&
           c->accumulator == ELEMENT_F32 && c->result->type->element == ELEMENT_BF16 &&
           target_has(x->e->target, "avx512bf16");
}

// One element of a finished tile: convert, epilogue, store.
static void finish_element(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column,
    const IndexExpr *i, const IndexExpr *j) {
    Emit *e = x->e;
    const Contraction *c = &x->c;
    const IndexExpr *index[MAX_RANK];
    result_index(x, index_add(e->index, row, i), index_add(e->index, column, j), index);
    const IndexExpr *outer = x->tile_is_turned ? j : i, *inner = x->tile_is_turned ? i : j;
    int64_t width = x->tile_is_turned ? x->blocks.tile.rows : x->blocks.tile.columns;
    const IndexExpr *at =
        index_add(e->index, index_add(e->index, tile, index_scale(e->index, outer, width)), inner);
    if (x->turned) at = index_add(e->index, index_scale(e->index, j, x->turned_rows), i);
    LLVMValueRef tiles = x->turned ? x->turned : emit_scratch(e, x->tiles_at);
    LLVMValueRef place = emit_index(e, at);
    Scalar sum = emit_private_load(e, c->accumulator, tiles, place);
    sum = rounds_normal(x) ? emit_round_normal(e, sum)
                           : emit_convert(e, sum, c->result->type->element);
    emit_bind(e, c->result, &sum);
    if (x->lines) place = emit_index(e, index_add(e->index, index_scale(e->index, i, width), j));
    for (int o = 0; o < e->kernel->output_count; o++) {
        store_output(x, e->kernel->outputs[o].value, index, sum, tiles, place);
    }
    emit_bind(e, c->result, NULL);
}

// Where the result's rows are contiguous (the pixels of a feature), its tiles are transposed in
// registers first: they are stored as they lie in memory.
static void turn_tile(Matmul *x, const IndexExpr *tile) {
    Emit *e = x->e;
    Tile size = x->blocks.tile;
    ElementType element = x->c.accumulator;
    int64_t bytes = (int64_t)element_bytes(element);
    int side = tile_square_side(e, bytes);
    if (contraction_n_is_contiguous(&x->c) || side == 0 || size.columns % side != 0) return;
    int64_t rows = (size.rows + side - 1) / side * side;
    LLVMValueRef turned = emit_alloca(e, emit_memory_type(e, element), size.columns * rows, 64);
    for (int64_t i = 0; i < size.rows; i += side) {
        int64_t exist = size.rows - i < side ? size.rows - i : side;
        EmitLoop *j = emit_loop_begin(
            e, emit_number(e, 0), emit_number(e, size.columns), side, size.columns, false);
        const IndexExpr *from = index_add(e->index, tile, j->index),
                        *to = index_scale(e->index, j->index, rows);
        LLVMValueRef at = emit_index(e, index_add_constant(e->index, to, i));
        Square square = {
            .side = side,
            .bits = (unsigned)bytes * 8,
            .alignment = (unsigned)bytes,
            .from = matmul_scratch(
                x, x->tiles_at, element, index_add_constant(e->index, from, i * size.columns)),
            .to =
                LLVMBuildInBoundsGEP2(e->builder, emit_memory_type(e, element), turned, &at, 1, ""),
            .from_stride = size.columns,
            .to_stride = rows,
            .rows = exist < side ? emit_number(e, exist) : NULL};
        emit_transpose_square(e, &square);
        emit_loop_end(e, j);
    }
    x->turned = turned;
    x->turned_rows = rows;
}

void matmul_finish_tile(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column) {
    Tile size = x->blocks.tile;
    int64_t all_rows = x->is_direct ? x->c.m.dims[x->c.m.rank - 1] : x->c.m.size;
    LLVMValueRef zero = emit_number(x->e, 0);
    FinishRange rows = {zero, NULL, size.rows};
    if (x->row_stop) {
        LLVMValueRef left = LLVMBuildNSWSub(x->e->builder, x->row_stop, emit_index(x->e, row), "");
        rows.to = emit_minimum(x->e, left, emit_number(x->e, size.rows));
    } else {
        rows.to = emit_remaining(x->e, row, size.rows, all_rows);
    }
    FinishRange columns = {
        zero, emit_remaining(x->e, column, size.columns, x->c.n.size), size.columns};
    turn_tile(x, tile);
    matmul_finish_part(x, tile, row, column, rows, columns);
    x->turned = NULL;
}

// Do stores around the caches pay? Beside few multiply-adds they do where results would not stay in
// the caches: with a short K, if a tile is a run of the result, and with tile registers. A product
// with a long K in these needs the second-level cache for its operands, and stores around it as
// soon as results would fill it.
static bool writes_matter(const Emit *e, const Contraction *c, const Tile *tile) {
    enum { SHORT = 256 };
    const Target *target = e->target;
    if (e->kernel->block.rows) return false; // the next part reads them
    if (c->in_tiles && !c->conv && c->k.size >= SHORT)
        return (int64_t)type_bytes(c->result->type) >= 2 * target->l2_bytes;
    bool are_runs = c->conv && c->n.size == tile->columns && c->batch.size == 1;
    return (c->in_tiles || (are_runs && c->k.size <= SHORT)) &&
           stream_fits(e->kernel, e->program->device_count, target);
}

void matmul_stream(Matmul *x) {
    enum { LINE = 64 };
    const Emit *e = x->e;
    const Contraction *c = &x->c;
    const KernelOperand *output = &e->kernel->outputs[0];
    const Tile *tile = &x->blocks.tile;
    int64_t size = (int64_t)element_bytes(output->value->type->element),
            word = (int64_t)element_bytes(c->accumulator);
    x->streams = writes_matter(e, c, tile) && contraction_n_is_contiguous(c) &&
                 e->kernel->output_count == 1 && !output->made && !output->is_remote &&
                 type_same_shape(output->value->type, c->result->type) && size <= word &&
                 c->n.size * size % LINE == 0 && tile->columns * size % LINE == 0;
    for (int i = 0; i < e->kernel->input_count; i++)
        if (e->kernel->inputs[i].shares) x->streams = false; // the lines are read anyway
    if (x->streams && size < word)
        x->lines = emit_alloca(
            x->e, emit_memory_type(x->e, output->value->type->element),
            (int64_t)tile->rows * tile->columns, LINE);
}

// Of an element of the output's array.
static const IndexExpr *output_number(Matmul *x, const IndexExpr *row, const IndexExpr *column) {
    const IndexExpr *index[MAX_RANK];
    result_index(x, row, column, index);
    return expr_element_number(x->e->exprs, x->e->kernel->outputs[0].value, index);
}

// Writes a finished tile around the caches: all at once, as the pixels of a row lie one behind the
// other but where the result is a tile of an array.
static void stream_tile(
    Matmul *x, const IndexExpr *tile, const IndexExpr *row, const IndexExpr *column,
    LLVMValueRef rows, LLVMValueRef columns) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    LLVMBuilderRef builder = e->builder;
    const Value *output = e->kernel->outputs[0].value;
    int64_t width = x->blocks.tile.columns, size = (int64_t)element_bytes(output->type->element);
    const IndexExpr *first = output_number(x, row, column),
                    *second = output_number(x, index_add_constant(b, row, 1), column);
    LLVMValueRef is_run = LLVMBuildICmp(
        builder, LLVMIntEQ, emit_index(e, index_sub(b, second, first)), emit_number(e, width), "");
    LLVMValueRef bytes = LLVMBuildNSWMul(builder, columns, emit_number(e, size), "");
    LLVMValueRef all = LLVMBuildNSWMul(builder, bytes, rows, "");
    bytes = LLVMBuildSelect(builder, is_run, all, bytes, "");
    rows = LLVMBuildSelect(builder, is_run, emit_number(e, 1), rows, "");
    EmitLoop *i = emit_loop_begin(e, emit_number(e, 0), rows, 1, x->blocks.tile.rows, false);
    const IndexExpr *row_at = index_scale(b, i->index, width);
    LLVMValueRef from;
    if (x->lines) {
        LLVMValueRef at = emit_index(e, row_at);
        LLVMTypeRef element = emit_memory_type(e, output->type->element);
        from = LLVMBuildInBoundsGEP2(builder, element, x->lines, &at, 1, "");
    } else {
        from = matmul_scratch(x, x->tiles_at, x->c.accumulator, index_add(b, tile, row_at));
    }
    const IndexExpr *to = output_number(x, index_add(b, row, i->index), column);
    stream_lines(e, emit_address_at(e, output, to, NULL), from, bytes);
    emit_loop_end(e, i);
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
    // LLVM takes the conversion for dearer than it is, and narrow vectors for better
    if (rounds_normal(x) || x->turned) inner->lanes = contract_lanes(&x->c, e->target);
    if (rounds_normal(x) && !x->turned && in.extent % (2 * inner->lanes) == 0) inner->lanes *= 2;
    if (x->turned) inner->is_tail = in.extent <= inner->lanes;
    const IndexExpr *i = by_rows ? outer->index : inner->index;
    const IndexExpr *j = by_rows ? inner->index : outer->index;
    finish_element(x, tile, row, column, i, j);
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
    if (x->streams) stream_tile(x, tile, row, column, rows.to, columns.to);
}

void matmul_finish_run(
    Matmul *x, const IndexExpr *tile, const IndexExpr *first, const IndexExpr *in_run, int64_t run,
    const IndexExpr *column) {
    Emit *e = x->e;
    Tile size = x->blocks.tile;
    LLVMValueRef zero = emit_number(e, 0);
    FinishRange rows = {zero, emit_remaining(e, in_run, size.rows, run), size.rows};
    FinishRange columns = {
        zero, emit_remaining(e, column, size.columns, x->c.n.size), size.columns};
    matmul_finish_part(x, tile, index_add(e->index, first, in_run), column, rows, columns);
}

void matmul_set_costs(Kernel *kernel, const Contraction *c) {
    kernel->flops = 2 * c->batch.size * c->m.size * c->n.size * c->k.size;
    kernel->bytes =
        (int64_t)(type_bytes(c->lhs->type) + type_bytes(c->rhs->type) + type_bytes(c->result->type));
}

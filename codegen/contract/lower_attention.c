// lower_attention: kernels of attention (plan/attention.h), one pass over the keys for a block of
// queries.
//
//     for each chunk (outer, block of queries) of the lane:
//       pack its queries
//       again: maxima = -inf, totals = 0, sums = 0
//       for each block of keys in which one may count:
//         pack keys and values, where they are not read in place
//         for each panel of queries (a tile's columns) for which one may count:
//           scores = keys x queries, tile by tile
//           new maxima; weights = exp(scores - maxima)
//           totals and sums times exp(old maxima - new maxima)
//           sums += values x weights, tile by tile
//       where blocks were skipped and a row has no key that counts for certain: again, all blocks
//       outputs
//
// Scores, weights and sums are [key or column][query]: a lane is a query, and all
// arithmetic on rows is between vectors.
//
// A chunk's result depends on its indices alone. Chunks of an outer index take turns from both
// ends, because under a causal mask the last blocks have the most keys.
#include "codegen/contract/attention_emit.h"
#include "codegen/emit/lower.h"

typedef const IndexExpr *Index;

void attention_grid(Kernel *kernel, const Target *target) {
    Attention *a = kernel->stage->attention;
    attention_set_blocks(a, target);
    kernel->grid = a->outer.extent * a->blocks.query_blocks;
    kernel->scratch_bytes = attention_scratch(a).bytes;
    int64_t scores = a->outer.extent * a->query.extent * a->key.extent;
    kernel->flops = 2 * scores * (a->depth.extent + a->column.extent);
    kernel->bytes = operands_bytes(kernel);
}

// ---- packing

// Where a packed operand's element goes: [panel][k / group][line][k % group].
typedef struct PackedOperand {
    const Expr *element;
    ElementType type;
    int64_t part, width, group, steps;
    bool is_column; // its lines are columns of values; else keys
} PackedOperand;

static Scalar packed_element(AttentionEmit *x, const PackedOperand *operand, Index line, Index k) {
    Emit *e = x->e;
    const Attention *a = x->a;
    Index key = index_add(e->index, x->key_first, operand->is_column ? k : line);
    key = attention_at_most(e, key, a->key.extent - 1);
    Substitution s =
        operand->is_column
            ? attention_place(x, NULL, key, NULL, attention_at_most(e, line, a->column.extent - 1))
            : attention_place(x, NULL, key, attention_at_most(e, k, a->depth.extent - 1), NULL);
    return emit_convert(e, emit_expr(e, expr_substitute(&s, operand->element)), operand->type);
}

static Scalar or_zero(Emit *e, Scalar x, LLVMValueRef exists) {
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(x.value));
    if (exists) x.value = LLVMBuildSelect(e->builder, exists, x.value, zero, "");
    return x;
}

// Does element `rest` of a group exist, or does it lie behind the last depth, or key? i1; NULL = it
// always exists.
static LLVMValueRef packed_exists(
    AttentionEmit *x, const PackedOperand *operand, Index k, int64_t rest) {
    if (operand->is_column) return attention_key_exists(x, k, rest == 0);
    if (rest == 0 || x->a->depth.extent % operand->group == 0) return NULL;
    LLVMValueRef depths = emit_number(x->e, x->a->depth.extent);
    return LLVMBuildICmp(x->e->builder, LLVMIntSLT, emit_index(x->e, k), depths, "");
}

// Element (line, step) of the panel.
static void pack_step(
    AttentionEmit *x, const PackedOperand *operand, Index panel, const EmitLoop *line,
    const EmitLoop *step) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    Scalar elements[2];
    Index number = index_add(b, index_scale(b, panel, operand->width), line->index);
    for (int64_t rest = 0; rest < operand->group; rest++) {
        Index k = index_add_constant(b, index_scale(b, step->index, operand->group), rest);
        elements[rest] =
            or_zero(e, packed_element(x, operand, number, k), packed_exists(x, operand, k, rest));
    }
    Index at = index_add(b, index_scale(b, panel, operand->steps), step->index);
    at = index_add(b, index_scale(b, at, operand->width), line->index);
    if (operand->group > 1)
        attention_store_pair(x, operand->part, at, elements);
    else
        emit_private_store(
            e, operand->type, emit_scratch(e, operand->part), emit_index(e, at), elements[0]);
}

// Panels of lines; the inner loop runs along the operand's memory, which is taken to be the columns
// of values and the depths of keys.
static void pack(
    AttentionEmit *x, const PackedOperand *operand, int64_t panels, LLVMValueRef steps) {
    Emit *e = x->e;
    EmitLoop *panel = emit_loop_constant(e, panels, false);
    EmitLoop *outer, *inner;
    if (operand->is_column) {
        outer = emit_loop_begin(e, emit_number(e, 0), steps, 1, operand->steps, false);
        inner = emit_loop_constant(e, operand->width, true);
        pack_step(x, operand, panel->index, inner, outer);
    } else {
        outer = emit_loop_constant(e, operand->width, false);
        inner = emit_loop_begin(e, emit_number(e, 0), steps, 1, operand->steps, true);
        pack_step(x, operand, panel->index, outer, inner);
    }
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
    emit_loop_end(e, panel);
}

// Row by row as they lie in memory, then transposed: [queries][steps] to [steps][queries].
static void pack_queries(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const AttentionBlocks *blocks = &x->blocks;
    int64_t lanes = blocks->scores.columns, group = blocks->score_row->group;
    int64_t steps = (blocks->depth_steps + blocks->side - 1) / blocks->side * blocks->side;
    int64_t depth = x->a->depth.extent;
    EmitLoop *panel = emit_loop_constant(e, blocks->panels, false);
    Index first = x->query_first;
    x->query_first = index_add(b, first, index_scale(b, panel->index, lanes));
    EmitLoop *line = emit_loop_constant(e, lanes, false);
    Index query = attention_query(x, line);
    for (int is_behind = 0; is_behind < 2; is_behind++) { // the last group's missing elements are 0
        int64_t from = is_behind ? depth : 0, to = is_behind ? blocks->depth_steps * group : depth;
        if (from == to) continue;
        EmitLoop *k = emit_loop_begin(e, emit_number(e, from), emit_number(e, to), 1, to, true);
        Scalar value = emit_constant(e, blocks->query_type, 0);
        if (!is_behind) {
            Substitution s = attention_place(x, query, NULL, k->index, NULL);
            value = emit_convert(
                e, emit_expr(e, expr_substitute(&s, x->a->queries)), blocks->query_type);
        }
        Index at = index_add(b, index_scale(b, line->index, steps * group), k->index);
        emit_private_store(
            e, blocks->query_type, emit_scratch(e, x->scratch.turned), emit_index(e, at), value);
        emit_loop_end(e, k);
    }
    emit_loop_end(e, line);
    AttentionTurn turn = {
        x->scratch.turned,
        steps,
        x->scratch.queries,
        lanes,
        lanes,
        steps,
        index_constant(b, 0),
        index_scale(b, panel->index, steps * lanes)};
    attention_turn(x, &turn);
    emit_loop_end(e, panel);
    x->query_first = first;
}

// Keys as rows of tile registers: [panel][depth / unit][key][unit]. Behind the last depth is 0.
static void pack_key_rows(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const AttentionBlocks *blocks = &x->blocks;
    int64_t rows = blocks->scores.rows, unit = blocks->unit * blocks->score_row->group;
    int64_t depth = x->a->depth.extent, all = blocks->depth_steps * blocks->score_row->group;
    PackedOperand keys = {.element = x->a->keys, .type = blocks->key_type};
    EmitLoop *key = emit_loop_begin(e, emit_number(e, 0), x->key_count, 1, blocks->keys, false);
    Index first = index_scale(b, index_div(b, key->index, rows), rows * all);
    first = index_add(b, first, index_scale(b, index_mod(b, key->index, rows), unit));
    for (int64_t k = 0; k < all; k += unit) {
        int64_t exist = depth - k < unit ? depth - k : unit;
        EmitLoop *in_unit = emit_loop_constant(e, unit, true);
        Index number = index_add_constant(b, in_unit->index, k);
        Scalar value = packed_element(x, &keys, key->index, number);
        if (exist < unit)
            value = or_zero(
                e, value,
                LLVMBuildICmp(e->builder, LLVMIntSLT, in_unit->phi, emit_number(e, exist), ""));
        Index at = index_add(b, index_add_constant(b, first, k * rows), in_unit->index);
        emit_private_store(
            e, blocks->key_type, emit_scratch(e, x->scratch.keys), emit_index(e, at), value);
        emit_loop_end(e, in_unit);
    }
    emit_loop_end(e, key);
}

// Columns of values as rows of tile registers: [panel][key / unit][column][unit], from pairs of
// keys side by side.
static void turn_values(AttentionEmit *x, LLVMValueRef groups) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const AttentionBlocks *blocks = &x->blocks;
    int64_t rows = blocks->product.rows, unit = blocks->unit;
    EmitLoop *panel = emit_loop_constant(e, blocks->columns / rows, false);
    EmitLoop *step =
        emit_loop_begin(e, emit_number(e, 0), groups, (int)unit, blocks->key_steps, false);
    Index at = index_add(b, index_scale(b, panel->index, blocks->key_steps), step->index);
    at = index_scale(b, at, rows);
    AttentionTurn turn = {x->scratch.pairs, rows, x->scratch.values, unit, unit, rows, at, at};
    attention_turn(x, &turn);
    emit_loop_end(e, step);
    emit_loop_end(e, panel);
}

// Keys and values of the block that are not read in place.
static void pack_block(AttentionEmit *x) {
    Emit *e = x->e;
    const AttentionBlocks *blocks = &x->blocks;
    if (blocks->in_tiles) {
        pack_key_rows(x);
    } else if (!blocks->keys_in_place) {
        PackedOperand keys = {
            .element = x->a->keys,
            .type = blocks->key_type,
            .part = x->scratch.keys,
            .width = blocks->scores.rows,
            .group = blocks->score_row->group,
            .steps = blocks->depth_steps,
        };
        pack(x, &keys, blocks->keys / blocks->scores.rows, emit_number(e, keys.steps));
    }
    if (!blocks->values_in_place) {
        PackedOperand values = {
            .element = x->a->values,
            .type = blocks->value_type,
            .part = blocks->in_tiles ? x->scratch.pairs : x->scratch.values,
            .width = blocks->product.rows,
            .group = blocks->product_row->group,
            .steps = blocks->key_steps,
            .is_column = true};
        LLVMValueRef groups = attention_key_groups(x);
        pack(x, &values, blocks->columns / blocks->product.rows, groups);
        if (blocks->in_tiles) turn_values(x, groups);
    }
}

// ---- products

static LLVMValueRef element_address(AttentionEmit *x, ElementType type, int64_t part, Index at) {
    Emit *e = x->e;
    LLVMValueRef index = emit_index(e, at);
    return LLVMBuildInBoundsGEP2(
        e->builder, emit_memory_type(e, type), emit_scratch(e, part), &index, 1, "");
}

static LLVMValueRef place_address(AttentionEmit *x, const Expr *load, Substitution *s) {
    return emit_address_at(x->e, load->stored, expr_substitute_index(s, load->at), NULL);
}

// scores[key][query] for the block and the panel. The last tile ends with the last key, and begins
// before the block where this has fewer keys than a tile.
static void multiply_scores(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const AttentionBlocks *blocks = &x->blocks;
    int64_t rows = blocks->scores.rows, lanes = blocks->scores.columns,
            group = blocks->score_row->group;
    LLVMValueRef zero = emit_number(e, 0);
    EmitLoop *tile = emit_loop_begin(e, zero, x->key_count, rows, blocks->keys, false);
    Index key = index_add(b, x->key_first, tile->index), row = tile->index;
    LLVMValueRef address, offsets = NULL;
    if (blocks->keys_in_place) {
        key = attention_at_most(e, key, x->a->key.extent - rows);
        row = index_sub(b, key, x->key_first);
        Substitution s = attention_place(x, NULL, key, index_constant(b, 0), NULL);
        address = place_address(x, x->a->keys, &s);
        offsets = emit_scratch(e, x->scratch.key_offsets);
    } else {
        address = element_address(
            x, blocks->key_type, x->scratch.keys, index_scale(b, row, blocks->depth_steps * group));
    }
    Index to = index_scale(b, index_add_constant(b, row, rows), lanes);
    int64_t steps = (blocks->depth_steps + blocks->side - 1) / blocks->side * blocks->side;
    Index query = index_scale(b, x->panel, steps * lanes * group);
    MicrokernelCall call = {
        .a = address,
        .b = element_address(x, blocks->query_type, x->scratch.queries, query),
        .c = element_address(x, x->a->accumulator, x->scratch.scores, to),
        .k = emit_number(e, blocks->depth_steps / blocks->unit),
        .last = offsets};
    microkernel_call(e, &x->score_kernel, &call);
    emit_loop_end(e, tile);
}

// sums[column][query] += values x weights
static void multiply_values(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const AttentionBlocks *blocks = &x->blocks;
    int64_t rows = blocks->product.rows, lanes = blocks->product.columns,
            group = blocks->product_row->group;
    LLVMValueRef steps = attention_key_groups(x);
    steps = LLVMBuildSDiv(e->builder, steps, emit_number(e, blocks->unit), "");
    EmitLoop *tile = emit_loop_begin(
        e, emit_number(e, 0), emit_number(e, blocks->columns), rows, blocks->columns, false);
    LLVMValueRef address, offsets = NULL;
    if (blocks->values_in_place) {
        Substitution s = attention_place(x, NULL, x->key_first, NULL, tile->index);
        address = place_address(x, x->a->values, &s);
        offsets = emit_scratch(e, x->scratch.value_offsets);
    } else {
        address = element_address(
            x, blocks->value_type, x->scratch.values,
            index_scale(b, tile->index, blocks->key_steps * group));
    }
    Index to = index_add(b, index_scale(b, x->panel, attention_sum_columns(x->a)), tile->index);
    MicrokernelCall call = {
        .a = address,
        .b = emit_scratch(e, x->scratch.weights),
        .c = element_address(x, x->a->accumulator, x->scratch.sums, index_scale(b, to, lanes)),
        .k = steps,
        .add = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, 0),
        .last = offsets};
    microkernel_call(e, &x->product_kernel, &call);
    emit_loop_end(e, tile);
}

static Microkernel microkernel_of(
    const AttentionEmit *x, const ContractRow *how, Tile tile, ElementType lhs, ElementType rhs) {
    int64_t group = how->group, step = group * x->blocks.unit;
    return (Microkernel){
        .tile = tile,
        .element = x->a->accumulator,
        .how = how,
        .lhs = {lhs, tile.rows, x->blocks.in_tiles ? step : group, step},
        .rhs = {rhs, tile.columns, group, step}};
}

static void set_microkernels(AttentionEmit *x) {
    const AttentionBlocks *blocks = &x->blocks;
    x->score_kernel =
        microkernel_of(x, blocks->score_row, blocks->scores, blocks->key_type, blocks->query_type);
    x->score_kernel.has_offsets = blocks->keys_in_place;
    x->score_kernel.row_stride = blocks->key_strides[0];
    x->product_kernel = microkernel_of(
        x, blocks->product_row, blocks->product, blocks->value_type, blocks->weight_type);
    x->product_kernel.has_offsets = blocks->values_in_place;
    x->product_kernel.row_stride = blocks->value_strides[1];
}

static void fill_offsets(AttentionEmit *x, int64_t part, int64_t count, int64_t stride) {
    Emit *e = x->e;
    EmitLoop *loop = emit_loop_constant(e, count, true);
    Scalar offset = {
        .element = ELEMENT_I64, .value = emit_index(e, index_scale(e->index, loop->index, stride))};
    emit_private_store(e, ELEMENT_I64, emit_scratch(e, part), loop->phi, offset);
    emit_loop_end(e, loop);
}

// ---- chunks

// i1: may a key of the block count for `queries` queries from query_first on?
static LLVMValueRef may_count(AttentionEmit *x, int64_t queries) {
    KeyRange range = attention_range(x, queries);
    return attention_may_count(x, &range);
}

static void multiply_panel(AttentionEmit *x) {
    multiply_scores(x);
    attention_weigh(x);
    multiply_values(x);
}

static LLVMValueRef bit(Emit *e, int value) {
    return LLVMConstInt(LLVMInt1TypeInContext(e->context), (unsigned long long)value, 0);
}

// One block of keys for all panels of the chunk. all: i1, nothing is skipped; skipped: a
// local, set where something is.
static void multiply_block(AttentionEmit *x, LLVMValueRef all, LLVMValueRef skipped) {
    Emit *e = x->e;
    int64_t lanes = x->blocks.scores.columns;
    Index chunk_first = x->query_first;
    LLVMValueRef counts = may_count(x, lanes * x->blocks.panels);
    EmitIf block = {0};
    if (counts) block = emit_if(e, LLVMBuildOr(e->builder, counts, all, ""));
    pack_block(x);
    EmitLoop *panel = emit_loop_constant(e, x->blocks.panels, false);
    x->panel = panel->index;
    x->query_first = index_add(e->index, chunk_first, index_scale(e->index, panel->index, lanes));
    EmitIf one = {0};
    if (counts) one = emit_if(e, LLVMBuildOr(e->builder, may_count(x, lanes), all, ""));
    multiply_panel(x);
    if (counts) {
        emit_else(e, &one);
        LLVMBuildStore(e->builder, bit(e, 1), skipped);
        emit_end_if(e, &one);
    }
    emit_loop_end(e, panel);
    if (counts) {
        emit_else(e, &block);
        LLVMBuildStore(e->builder, bit(e, 1), skipped);
        emit_end_if(e, &block);
    }
    x->query_first = chunk_first;
}

static void multiply_keys(AttentionEmit *x, LLVMValueRef all, LLVMValueRef skipped) {
    Emit *e = x->e;
    attention_begin_rows(x);
    EmitLoop *block = emit_loop_constant(e, x->blocks.key_blocks, false);
    x->key_first = index_scale(e->index, block->index, x->blocks.keys);
    x->key_count = emit_remaining(e, x->key_first, x->blocks.keys, x->a->key.extent);
    multiply_block(x, all, skipped);
    emit_loop_end(e, block);
}

// Has some row of the chunk a maximum that is not above the threshold? i1 in a local.
static void find_empty_rows(AttentionEmit *x, LLVMValueRef found) {
    Emit *e = x->e;
    int64_t lanes = x->blocks.scores.columns * x->blocks.panels;
    LLVMBuildStore(e->builder, bit(e, 0), found);
    EmitLoop *loop = emit_loop_constant(e, lanes, false);
    LLVMValueRef maximum = attention_load(x, x->scratch.maxima, loop->index).value;
    LLVMValueRef threshold = emit_constant(e, x->a->accumulator, x->a->threshold).value;
    LLVMValueRef above = LLVMBuildFCmp(e->builder, LLVMRealOGT, maximum, threshold, "");
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    LLVMValueRef before = LLVMBuildLoad2(e->builder, i1, found, "");
    LLVMValueRef now = LLVMBuildOr(e->builder, before, LLVMBuildNot(e->builder, above, ""), "");
    LLVMBuildStore(e->builder, now, found);
    emit_loop_end(e, loop);
}

static void stream_keys(AttentionEmit *x) {
    Emit *e = x->e;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(e->context);
    LLVMValueRef skipped = emit_alloca(e, i1, 1, 0), empty = emit_alloca(e, i1, 1, 0);
    LLVMBuildStore(e->builder, bit(e, 0), skipped);
    if (x->a->mask_count == 0) {
        multiply_keys(x, bit(e, 1), skipped);
        return;
    }
    LLVMBuildStore(e->builder, bit(e, 0), empty);
    EmitLoop *round = emit_loop_constant(e, 2, false);
    LLVMValueRef again = LLVMBuildAnd(
        e->builder, LLVMBuildLoad2(e->builder, i1, skipped, ""),
        LLVMBuildLoad2(e->builder, i1, empty, ""), "");
    LLVMValueRef is_second =
        LLVMBuildICmp(e->builder, LLVMIntEQ, round->phi, emit_number(e, 1), "");
    LLVMValueRef runs = LLVMBuildOr(e->builder, LLVMBuildNot(e->builder, is_second, ""), again, "");
    EmitIf branch = emit_if(e, runs);
    multiply_keys(x, is_second, skipped);
    find_empty_rows(x, empty);
    emit_end_if(e, &branch);
    emit_loop_end(e, round);
}

// The block of queries of a chunk: 0, last, 1, last but one ...
static Index query_block(AttentionEmit *x, Index number) {
    Emit *e = x->e;
    int64_t count = x->blocks.query_blocks;
    if (count <= 2) return number;
    LLVMValueRef half = emit_index(e, index_div(e->index, number, 2));
    LLVMValueRef from_end = LLVMBuildSub(e->builder, emit_number(e, count - 1), half, "");
    LLVMValueRef rest = emit_index(e, index_mod(e->index, number, 2));
    LLVMValueRef is_odd = LLVMBuildICmp(e->builder, LLVMIntEQ, rest, emit_number(e, 1), "");
    return emit_variable(e, LLVMBuildSelect(e->builder, is_odd, from_end, half, ""), count);
}

static void emit_chunks(AttentionEmit *x) {
    Emit *e = x->e;
    const AttentionBlocks *blocks = &x->blocks;
    EmitLoop *chunk = emit_chunk_loop(e);
    x->outer = index_div(e->index, chunk->index, blocks->query_blocks);
    Index number = query_block(x, index_mod(e->index, chunk->index, blocks->query_blocks));
    Index first = index_scale(e->index, number, blocks->panels * blocks->scores.columns);
    x->query_first = first;
    pack_queries(x);
    stream_keys(x);
    EmitLoop *panel = emit_loop_constant(e, blocks->panels, false);
    x->panel = panel->index;
    x->query_first =
        index_add(e->index, first, index_scale(e->index, panel->index, blocks->scores.columns));
    attention_finish(x);
    emit_loop_end(e, panel);
    emit_loop_end(e, chunk);
}

bool attention_emit(Emit *e) {
    AttentionEmit *x = ARENA_NEW(e->arena, AttentionEmit);
    x->e = e;
    x->stage = e->kernel->stage;
    x->a = x->stage->attention;
    x->blocks = x->a->blocks;
    x->scratch = attention_scratch(x->a);
    set_microkernels(x);
    x->reads_by_query = attention_reads_by_query(x);
    if (x->blocks.keys_in_place)
        fill_offsets(
            x, x->scratch.key_offsets, x->blocks.depth_steps,
            x->blocks.key_strides[1] * x->blocks.score_row->group);
    if (x->blocks.values_in_place)
        fill_offsets(x, x->scratch.value_offsets, x->blocks.key_steps, x->blocks.value_strides[0]);
    microkernel_begin(e, &x->score_kernel); // the tiles of both have the same shape
    emit_chunks(x);
    microkernel_end(e, &x->score_kernel);
    return !e->failed;
}

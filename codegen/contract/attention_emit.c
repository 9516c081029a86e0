// What the files of attention's kernels share: the scratch, and expressions at a place of the axes.
#include "codegen/contract/attention_emit.h"

#include "codegen/emit/tile_stage.h"

typedef const IndexExpr *Index;

enum { ALIGN = 64 };

// ---- scratch

static void reserve(AttentionScratch *scratch, int64_t *part, int64_t bytes) {
    *part = scratch->bytes;
    scratch->bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

int64_t attention_sum_columns(const Attention *a) {
    return round_up(a->blocks.columns, a->blocks.side);
}

AttentionScratch attention_scratch(const Attention *a) {
    const AttentionBlocks *blocks = &a->blocks;
    AttentionScratch s = {0};
    int64_t lanes = blocks->scores.columns;
    int64_t word = (int64_t)element_bytes(a->accumulator); // a step's elements of a lane fill one
    int64_t keys = blocks->keys + blocks->scores.rows;
    reserve(&s, &s.key_offsets, (blocks->depth_steps + OFFSETS_BEHIND) * 8);
    reserve(&s, &s.value_offsets, (blocks->key_steps + OFFSETS_BEHIND) * 8);
    reserve(
        &s, &s.queries,
        blocks->panels * round_up(blocks->depth_steps, blocks->side) * lanes * word);
    reserve(&s, &s.keys, blocks->keys_in_place ? 0 : keys * blocks->depth_steps * word);
    reserve(
        &s, &s.values, blocks->values_in_place ? 0 : blocks->columns * blocks->key_steps * word);
    reserve(&s, &s.scores, keys * lanes * word);
    s.weights = s.scores + blocks->scores.rows * lanes * word;
    if (blocks->product_row->group > 1) reserve(&s, &s.weights, blocks->key_steps * lanes * word);
    reserve(&s, &s.sums, blocks->panels * attention_sum_columns(a) * lanes * word);
    int64_t longest = round_up(blocks->depth_steps, blocks->side);
    if (longest < attention_sum_columns(a)) longest = attention_sum_columns(a);
    reserve(&s, &s.turned, lanes * longest * word);
    reserve(&s, &s.pairs, blocks->in_tiles ? blocks->columns * blocks->key_steps * word : 0);
    reserve(&s, &s.maxima, blocks->panels * lanes * word);
    reserve(&s, &s.totals, blocks->panels * lanes * word);
    int64_t *rows[] = {&s.block_maxima, &s.block_totals, &s.rescale, &s.reference};
    for (int i = 0; i < 4; i++)
        reserve(&s, rows[i], lanes * word);
    return s;
}

Scalar attention_load(AttentionEmit *x, int64_t part, Index at) {
    Emit *e = x->e;
    return emit_private_load(e, x->a->accumulator, emit_scratch(e, part), emit_index(e, at));
}

void attention_store(AttentionEmit *x, int64_t part, Index at, Scalar value) {
    Emit *e = x->e;
    emit_private_store(e, x->a->accumulator, emit_scratch(e, part), emit_index(e, at), value);
}

// ---- places

Substitution attention_place(AttentionEmit *x, Index query, Index key, Index depth, Index column) {
    const Attention *a = x->a;
    Substitution s = substitution(x->e->exprs, x->stage->exprs);
    s.variables[a->outer.variable] = x->outer;
    s.variables[a->query.variable] = query;
    s.variables[a->key.variable] = key;
    s.variables[a->depth.variable] = depth;
    s.variables[a->column.variable] = column;
    return s;
}

Index attention_at_most(Emit *e, Index x, int64_t last) {
    if (x->high <= last) return x;
    return emit_variable(e, emit_minimum(e, emit_index(e, x), emit_number(e, last)), last + 1);
}

Index attention_query(AttentionEmit *x, const EmitLoop *lane) {
    Index query = index_add(x->e->index, x->query_first, lane->index);
    return attention_at_most(x->e, query, x->a->query.extent - 1);
}

bool attention_reads_by_query(const AttentionEmit *x) {
    const Attention *a = x->a;
    int query = a->query.variable;
    IndexUses uses = {0};
    UseWalk walk = use_walk(x->stage->exprs, &uses);
    const Expr *of_scores[] = {a->score, a->summand, a->weight};
    for (int i = 0; i < 3; i++)
        uses_of_expr(&walk, of_scores[i]);
    for (int i = 0; i < uses.count; i++) {
        const IndexUse *use = &uses.data[i];
        bool is_place = use->kind == USE_ADDRESS || use->kind == USE_STORE;
        int64_t factor;
        if (index_depends_on(use->index, query) &&
            (is_place || !index_is_affine_in(use->index, query, &factor)))
            return true;
    }
    return false;
}

Index attention_lane_query(AttentionEmit *x, const EmitLoop *lane) {
    if (x->reads_by_query) return attention_query(x, lane);
    return index_add(x->e->index, x->query_first, lane->index);
}

static LLVMValueRef last_of(Emit *e, Index first, int64_t extent, int64_t all) {
    LLVMValueRef end =
        LLVMBuildAdd(e->builder, emit_index(e, first), emit_number(e, extent - 1), "");
    return emit_minimum(e, end, emit_number(e, all - 1));
}

KeyRange attention_range(AttentionEmit *x, int64_t queries) {
    Emit *e = x->e;
    return (KeyRange){
        emit_index(e, x->query_first), last_of(e, x->query_first, queries, x->a->query.extent),
        emit_index(e, x->key_first), last_of(e, x->key_first, x->blocks.keys, x->a->key.extent)};
}

LLVMValueRef attention_key_groups(AttentionEmit *x) {
    LLVMBuilderRef b = x->e->builder;
    int64_t group = x->blocks.product_row->group, unit = x->blocks.unit;
    LLVMValueRef size = emit_number(x->e, group * unit);
    LLVMValueRef units = LLVMBuildNSWAdd(b, x->key_count, emit_number(x->e, group * unit - 1), "");
    units = LLVMBuildSDiv(b, units, size, "");
    return LLVMBuildNSWMul(b, units, emit_number(x->e, unit), "");
}

LLVMValueRef attention_key_exists(AttentionEmit *x, Index key, bool is_first) {
    int64_t unit = x->blocks.unit;
    if (x->a->key.extent % (unit * x->blocks.product_row->group) == 0) return NULL;
    if (is_first && unit == 1) return NULL;
    return LLVMBuildICmp(x->e->builder, LLVMIntSLT, emit_index(x->e, key), x->key_count, "");
}

// ---- transposition

static LLVMTypeRef word_type(AttentionEmit *x) {
    return LLVMIntTypeInContext(x->e->context, (unsigned)element_bits(x->a->accumulator));
}

static LLVMValueRef word_address(AttentionEmit *x, int64_t part, Index at) {
    Emit *e = x->e;
    LLVMValueRef index = emit_index(e, at);
    return LLVMBuildInBoundsGEP2(e->builder, word_type(x), emit_scratch(e, part), &index, 1, "");
}

void attention_turn(AttentionEmit *x, const AttentionTurn *turn) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    int side = (int)x->blocks.side;
    LLVMValueRef zero = emit_number(e, 0);
    EmitLoop *row = emit_loop_begin(e, zero, emit_number(e, turn->rows), side, turn->rows, false);
    EmitLoop *column =
        emit_loop_begin(e, zero, emit_number(e, turn->columns), side, turn->columns, false);
    Index from = index_add(b, index_scale(b, row->index, turn->from_stride), column->index);
    Index to = index_add(b, index_scale(b, column->index, turn->to_stride), row->index);
    Square square = {
        .side = side,
        .bits = (unsigned)element_bits(x->a->accumulator),
        .alignment = (unsigned)element_bytes(x->a->accumulator),
        .from = word_address(x, turn->from, index_add(b, from, turn->from_at)),
        .to = word_address(x, turn->to, index_add(b, to, turn->to_at)),
        .from_stride = turn->from_stride,
        .to_stride = turn->to_stride};
    emit_transpose_square(e, &square);
    emit_loop_end(e, column);
    emit_loop_end(e, row);
}

void attention_store_pair(AttentionEmit *x, int64_t part, Index at, const Scalar *elements) {
    Emit *e = x->e;
    LLVMTypeRef i16 = LLVMInt16TypeInContext(e->context), i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef words[2];
    for (int i = 0; i < 2; i++)
        words[i] = LLVMBuildZExt(
            e->builder, LLVMBuildBitCast(e->builder, elements[i].value, i16, ""), i32, "");
    words[1] = LLVMBuildShl(e->builder, words[1], LLVMConstInt(i32, 16, 0), "");
    Scalar pair = {.element = ELEMENT_UI32};
    pair.value = LLVMBuildOr(e->builder, words[0], words[1], "");
    emit_private_store(e, pair.element, emit_scratch(e, part), emit_index(e, at), pair);
}

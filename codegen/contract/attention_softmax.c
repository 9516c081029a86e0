// attention_softmax: the online softmax of a block of keys, and what becomes of a finished row.
//
// With m the maximum of the scores so far and r = m, or 0 where m is minus infinity:
//     e = exp(score - r)      total = sum of e's      sums = sum of weight(e) * value
// A new maximum multiplies total and sums by exp(old m - new r), which is 0 where no key came before. In the end exp(r - offset) makes of them what the program's own
// offset gives: times 1 where that is the row's maximum; NaN where the maximum is minus infinity, as exp(-inf - -inf) is.
#include "codegen/contract/attention_emit.h"

#include <math.h>

typedef const IndexExpr *Index;

static Index in_panel(AttentionEmit *x, Index lane) {
    IndexBuilder *b = x->e->index;
    return index_add(b, index_scale(b, x->panel, x->blocks.scores.columns), lane);
}

static Scalar scalar(AttentionEmit *x, LLVMValueRef value) {
    return (Scalar){.element = x->a->accumulator, .value = value};
}

static LLVMValueRef greater(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef more = LLVMBuildFCmp(e->builder, LLVMRealOGT, x, y, "");
    return LLVMBuildSelect(e->builder, more, x, y, "");
}

static EmitLoop *lanes_begin(AttentionEmit *x) {
    return emit_loop_constant(x->e, x->blocks.scores.columns, true);
}

static void fill(AttentionEmit *x, int64_t part, int64_t count, double number) {
    EmitLoop *loop = emit_loop_constant(x->e, count, true);
    attention_store(x, part, loop->index, emit_constant(x->e, x->a->accumulator, number));
    emit_loop_end(x->e, loop);
}

void attention_begin_rows(AttentionEmit *x) {
    int64_t lanes = x->blocks.scores.columns * x->blocks.panels;
    fill(x, x->scratch.maxima, lanes, -(double)INFINITY);
    fill(x, x->scratch.totals, lanes, 0);
    fill(x, x->scratch.sums, lanes * x->blocks.columns, 0);
}

static Index score_at(AttentionEmit *x, Index key, Index lane) {
    IndexBuilder *b = x->e->index;
    Index row = index_add_constant(b, key, x->blocks.scores.rows);
    return index_add(b, index_scale(b, row, x->blocks.scores.columns), lane);
}

static Scalar convert_known(Emit *e, Substitution *s, const Expr *expr, ElementType type) {
    return emit_convert(e, emit_expr(e, expr_substitute(s, expr)), type);
}

// The program's scores from the products, and their maxima in the block.
static void make_scores(AttentionEmit *x) {
    Emit *e = x->e;
    const Attention *a = x->a;
    fill(x, x->scratch.block_maxima, x->blocks.scores.columns, -(double)INFINITY);
    EmitLoop *key = emit_loop_begin(e, emit_number(e, 0), x->key_count, 1, x->blocks.keys, false);
    EmitLoop *lane = lanes_begin(x);
    Index query = attention_query(x, lane), at = score_at(x, key->index, lane->index);
    Substitution s =
        attention_place(x, query, index_add(e->index, x->key_first, key->index), NULL, NULL);
    Scalar raw = emit_convert(e, attention_load(x, x->scratch.scores, at), a->raw->element);
    s.scalars[a->raw->id] = emit_known(e, raw);
    Scalar score = convert_known(e, &s, a->score, a->accumulator);
    attention_store(x, x->scratch.scores, at, score);
    Scalar maximum = attention_load(x, x->scratch.block_maxima, lane->index);
    attention_store(
        x, x->scratch.block_maxima, lane->index, scalar(x, greater(e, score.value, maximum.value)));
    emit_loop_end(e, lane);
    emit_loop_end(e, key);
}

// New maxima, and the factor for what was summed before.
static void raise_maxima(AttentionEmit *x) {
    Emit *e = x->e;
    MathType m = math_type(e, false);
    LLVMValueRef nothing = math_constant(&m, -(double)INFINITY);
    EmitLoop *lane = lanes_begin(x);
    Index row = in_panel(x, lane->index);
    LLVMValueRef old = attention_load(x, x->scratch.maxima, row).value;
    LLVMValueRef block = attention_load(x, x->scratch.block_maxima, lane->index).value;
    LLVMValueRef now = greater(e, block, old);
    LLVMValueRef reference =
        math_select(&m, math_equal(&m, now, nothing), math_constant(&m, 0), now);
    attention_store(x, x->scratch.maxima, row, scalar(x, now));
    attention_store(x, x->scratch.reference, lane->index, scalar(x, reference));
    LLVMValueRef rescale = math_exp(&m, math_sub(&m, old, reference));
    attention_store(x, x->scratch.rescale, lane->index, scalar(x, rescale));
    emit_loop_end(e, lane);
}

static void store_weight(AttentionEmit *x, Index key, Index lane, Scalar weight) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    int64_t group = x->blocks.product_row->group, lanes = x->blocks.product.columns;
    weight = emit_convert(e, emit_convert(e, weight, x->a->weighted), x->blocks.weight_type);
    Index at = index_add(b, index_scale(b, index_div(b, key, group), lanes), lane);
    at = index_add(b, index_scale(b, at, group), index_mod(b, key, group));
    emit_private_store(
        e, x->blocks.weight_type, emit_scratch(e, x->scratch.weights), emit_index(e, at), weight);
}

static void make_weights(AttentionEmit *x) {
    Emit *e = x->e;
    const Attention *a = x->a;
    MathType m = math_type(e, false);
    fill(x, x->scratch.block_totals, x->blocks.scores.columns, 0);
    EmitLoop *key = emit_loop_begin(e, emit_number(e, 0), x->key_count, 1, x->blocks.keys, false);
    EmitLoop *lane = lanes_begin(x);
    Index query = attention_query(x, lane);
    LLVMValueRef score =
        attention_load(x, x->scratch.scores, score_at(x, key->index, lane->index)).value;
    LLVMValueRef reference = attention_load(x, x->scratch.reference, lane->index).value;
    Substitution s =
        attention_place(x, query, index_add(e->index, x->key_first, key->index), NULL, NULL);
    s.scalars[a->e->id] = emit_known(e, scalar(x, math_exp(&m, math_sub(&m, score, reference))));
    Scalar summand = convert_known(e, &s, a->summand, a->accumulator);
    Scalar weight = convert_known(e, &s, a->weight, a->accumulator);
    store_weight(x, key->index, lane->index, weight);
    LLVMValueRef total = attention_load(x, x->scratch.block_totals, lane->index).value;
    attention_store(
        x, x->scratch.block_totals, lane->index, scalar(x, math_add(&m, total, summand.value)));
    emit_loop_end(e, lane);
    emit_loop_end(e, key);
}

// Where keys are multiplied in groups, the last group's missing ones weigh nothing.
static void fill_group(AttentionEmit *x) {
    Emit *e = x->e;
    int64_t group = x->blocks.product_row->group;
    if (group == 1 || x->a->key.extent % group == 0) return; // blocks are multiples of it
    LLVMValueRef stop = LLVMBuildAdd(e->builder, x->key_count, emit_number(e, group - 1), "");
    stop = LLVMBuildSDiv(e->builder, stop, emit_number(e, group), "");
    stop = LLVMBuildMul(e->builder, stop, emit_number(e, group), "");
    EmitLoop *key = emit_loop_begin(e, x->key_count, stop, 1, x->blocks.keys, false);
    EmitLoop *lane = lanes_begin(x);
    store_weight(x, key->index, lane->index, emit_constant(e, x->a->accumulator, 0));
    emit_loop_end(e, lane);
    emit_loop_end(e, key);
}

static void rescale_sums(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    MathType m = math_type(e, false);
    EmitLoop *lane = lanes_begin(x);
    Index row = in_panel(x, lane->index);
    LLVMValueRef total = attention_load(x, x->scratch.totals, row).value;
    LLVMValueRef factor = attention_load(x, x->scratch.rescale, lane->index).value;
    LLVMValueRef block = attention_load(x, x->scratch.block_totals, lane->index).value;
    total = math_add(&m, math_mul(&m, total, factor), block);
    attention_store(x, x->scratch.totals, row, scalar(x, total));
    emit_loop_end(e, lane);
    EmitLoop *column = emit_loop_constant(e, x->blocks.columns, false);
    lane = lanes_begin(x);
    Index at = index_add(b, index_scale(b, x->panel, x->blocks.columns), column->index);
    at = index_add(b, index_scale(b, at, x->blocks.scores.columns), lane->index);
    LLVMValueRef sum = attention_load(x, x->scratch.sums, at).value;
    factor = attention_load(x, x->scratch.rescale, lane->index).value;
    attention_store(x, x->scratch.sums, at, scalar(x, math_mul(&m, sum, factor)));
    emit_loop_end(e, lane);
    emit_loop_end(e, column);
}

void attention_weigh(AttentionEmit *x) {
    make_scores(x);
    raise_maxima(x);
    make_weights(x);
    fill_group(x);
    rescale_sums(x);
}

// ---- outputs

// What the program's own offset makes of total and sums.
static LLVMValueRef offset_factor(AttentionEmit *x, Substitution *s, LLVMValueRef maximum) {
    Emit *e = x->e;
    MathType m = math_type(e, false);
    LLVMValueRef is_nothing = math_equal(&m, maximum, math_constant(&m, -(double)INFINITY));
    LLVMValueRef reference = math_select(&m, is_nothing, math_constant(&m, 0), maximum);
    LLVMValueRef offset = math_constant(&m, 0);
    if (x->a->offset) offset = convert_known(e, s, x->a->offset, x->a->accumulator).value;
    return math_exp(&m, math_sub(&m, reference, offset));
}

void attention_finish(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const Attention *a = x->a;
    MathType m = math_type(e, false);
    int64_t lanes = x->blocks.scores.columns;
    LLVMValueRef count = emit_remaining(e, x->query_first, lanes, a->query.extent);
    EmitLoop *lane = emit_loop_begin(e, emit_number(e, 0), count, 1, lanes, false);
    Index query = index_add(b, x->query_first, lane->index);
    if (query->high >= a->query.extent)
        query = emit_variable(e, emit_index(e, query), a->query.extent);
    Index row = in_panel(x, lane->index);
    Scalar maximum = attention_load(x, x->scratch.maxima, row);
    Scalar total = attention_load(x, x->scratch.totals, row);
    const Expr *known_maximum = emit_known(e, maximum);
    Substitution in_row = attention_place(x, query, NULL, NULL, NULL);
    in_row.scalars[a->maximum->id] = known_maximum;
    LLVMValueRef factor = offset_factor(x, &in_row, maximum.value);
    total.value = math_mul(&m, total.value, factor);
    const Expr *known_total = emit_known(e, total);
    EmitLoop *column = emit_loop_constant(e, a->column.extent, true);
    Substitution s = attention_place(x, query, NULL, NULL, column->index);
    Index at = index_add(b, index_scale(b, x->panel, x->blocks.columns), column->index);
    at = index_add(b, index_scale(b, at, lanes), lane->index);
    Scalar sum = attention_load(x, x->scratch.sums, at);
    sum.value = math_mul(&m, sum.value, factor);
    s.scalars[a->maximum->id] = known_maximum;
    s.scalars[a->sum->id] = known_total;
    s.scalars[a->y->id] = emit_known(e, sum);
    for (int i = 0; i < x->stage->store_count && !e->failed; i++) {
        const Store *store = &x->stage->stores[i];
        Scalar value = emit_expr(e, expr_substitute(&s, store->value));
        LLVMValueRef to =
            emit_address_at(e, store->output, expr_substitute_index(&s, store->at), NULL);
        emit_store(e, store->output, to, value);
    }
    emit_loop_end(e, column);
    emit_loop_end(e, lane);
}

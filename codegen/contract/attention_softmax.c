// attention_softmax: the online softmax of a block of keys, and what becomes of a finished row.
//
// With m the maximum of the scores so far and r = m, or 0 where m is minus infinity:
//     e = exp(score - r)      total = sum of e's      sums = sum of weight(e) * value
// A new maximum multiplies total and sums by exp(old m - new r), which is 0 where no key came
// before. In the end exp(r - offset) makes of them what the program's own offset gives: times 1
// where that is the row's maximum; NaN where the maximum is minus infinity, as exp(-inf - -inf) is.
#include "codegen/contract/attention_emit.h"
#include "codegen/emit/math/emit_math.h"

#include <math.h>

typedef const IndexExpr *Index;

static Index in_panel(AttentionEmit *x, Index lane) {
    IndexBuilder *b = x->e->index;
    return index_add(b, index_scale(b, x->panel, x->blocks.scores.columns), lane);
}

static Scalar scalar(AttentionEmit *x, LLVMValueRef value) {
    return (Scalar){.element = x->a->accumulator, .value = value};
}

static MathType attention_math(AttentionEmit *x) {
    return math_type(x->e, x->a->accumulator == ELEMENT_F64);
}

// A NaN x is passed over: it comes back with the weights.
static LLVMValueRef greater(Emit *e, LLVMValueRef x, LLVMValueRef y) {
    LLVMValueRef is_greater = LLVMBuildFCmp(e->builder, LLVMRealOGT, x, y, "");
    return LLVMBuildSelect(e->builder, is_greater, x, y, "");
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
    fill(x, x->scratch.sums, lanes * attention_sum_columns(x->a), 0);
}

static Index score_at(AttentionEmit *x, Index key, Index lane) {
    IndexBuilder *b = x->e->index;
    Index row = index_add_constant(b, key, x->blocks.scores.rows);
    return index_add(b, index_scale(b, row, x->blocks.scores.columns), lane);
}

static Scalar convert_known(Emit *e, Substitution *s, const Expr *expr, ElementType type) {
    return emit_convert(e, emit_expr(e, expr_substitute(s, expr)), type);
}

// is_told: masks that leave all of the block's keys to all queries of the panel; NULL = none.
static void make_scores_under(AttentionEmit *x, const bool *is_told) {
    Emit *e = x->e;
    const Attention *a = x->a;
    EmitLoop *key = emit_loop_begin(e, emit_number(e, 0), x->key_count, 1, x->blocks.keys, false);
    EmitLoop *lane = lanes_begin(x);
    Index query = attention_lane_query(x, lane), at = score_at(x, key->index, lane->index);
    Substitution s =
        attention_place(x, query, index_add(e->index, x->key_first, key->index), NULL, NULL);
    for (int i = 0; is_told && i < a->mask_count; i++) {
        const Expr *known = expr_real(e->exprs, ELEMENT_I1, a->masks[i].kept);
        if (is_told[i]) ptr_map_set(&s.known, a->masks[i].condition, (void *)(uintptr_t)known);
    }
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

// The program's scores from the products, and their maxima in the block.
static void make_scores(AttentionEmit *x) {
    Emit *e = x->e;
    bool is_told[MAX_KEY_MASKS] = {false};
    fill(x, x->scratch.block_maxima, x->blocks.scores.columns, -(double)INFINITY);
    KeyRange range = attention_range(x, x->blocks.scores.columns);
    LLVMValueRef all = attention_must_count(x, &range, is_told);
    if (!all) {
        make_scores_under(x, NULL);
        return;
    }
    EmitIf no_mask = emit_if(e, all);
    make_scores_under(x, is_told);
    emit_else(e, &no_mask);
    make_scores_under(x, NULL);
    emit_end_if(e, &no_mask);
}

// New maxima, and the factor for what was summed before.
static void raise_maxima(AttentionEmit *x) {
    Emit *e = x->e;
    MathType m = attention_math(x);
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
    LLVMValueRef rescale = math_exp_at_most_one(&m, math_sub(&m, old, reference));
    attention_store(x, x->scratch.rescale, lane->index, scalar(x, rescale));
    emit_loop_end(e, lane);
}

// The weight at a key and what it adds to the total.
static Scalar weigh_key(AttentionEmit *x, Index key, const EmitLoop *lane, Scalar *summand) {
    Emit *e = x->e;
    const Attention *a = x->a;
    MathType m = attention_math(x);
    Index query = attention_lane_query(x, lane), at = score_at(x, key, lane->index);
    LLVMValueRef score = attention_load(x, x->scratch.scores, at).value;
    LLVMValueRef reference = attention_load(x, x->scratch.reference, lane->index).value;
    Index number = attention_at_most(e, index_add(e->index, x->key_first, key), a->key.extent - 1);
    Substitution s = attention_place(x, query, number, NULL, NULL);
    LLVMValueRef weight_of = math_exp_at_most_one(&m, math_sub(&m, score, reference));
    s.scalars[a->e->id] = emit_known(e, scalar(x, weight_of));
    *summand = convert_known(e, &s, a->summand, a->accumulator);
    Scalar weight = convert_known(e, &s, a->weight, a->weighted);
    return emit_convert(e, weight, x->blocks.weight_type);
}

static Scalar if_exists(AttentionEmit *x, LLVMValueRef exists, Scalar value) {
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value.value));
    value.value = LLVMBuildSelect(x->e->builder, exists, value.value, zero, "");
    return value;
}

// Weights of the keys of a group lie together; behind the last key they are 0.
static void weigh_group(AttentionEmit *x, const EmitLoop *step, const EmitLoop *lane) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    MathType m = attention_math(x);
    int64_t group = x->blocks.product_row->group, lanes = x->blocks.product.columns;
    LLVMValueRef total = attention_load(x, x->scratch.block_totals, lane->index).value;
    Scalar weights[2];
    for (int64_t rest = 0; rest < group; rest++) {
        Index key = index_add_constant(b, index_scale(b, step->index, group), rest);
        Scalar summand;
        weights[rest] = weigh_key(x, key, lane, &summand);
        LLVMValueRef exists = attention_key_exists(x, key, rest == 0);
        if (exists) {
            weights[rest] = if_exists(x, exists, weights[rest]);
            summand = if_exists(x, exists, summand);
        }
        total = math_add(&m, total, summand.value);
    }
    attention_store(x, x->scratch.block_totals, lane->index, scalar(x, total));
    Index at = index_add(b, index_scale(b, step->index, lanes), lane->index);
    if (group == 1)
        emit_private_store(
            e, x->blocks.weight_type, emit_scratch(e, x->scratch.weights), emit_index(e, at),
            weights[0]);
    else
        attention_store_pair(x, x->scratch.weights, at, weights);
}

static void make_weights(AttentionEmit *x) {
    Emit *e = x->e;
    fill(x, x->scratch.block_totals, x->blocks.scores.columns, 0);
    EmitLoop *step = emit_loop_begin(
        e, emit_number(e, 0), attention_key_groups(x), 1, x->blocks.key_steps, false);
    EmitLoop *lane = lanes_begin(x);
    weigh_group(x, step, lane);
    emit_loop_end(e, lane);
    emit_loop_end(e, step);
}

static void rescale_sums(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    MathType m = attention_math(x);
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
    Index at = index_add(b, index_scale(b, x->panel, attention_sum_columns(x->a)), column->index);
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
    rescale_sums(x);
}

// ---- outputs

// What the program's own offset makes of total and sums.
static LLVMValueRef offset_factor(AttentionEmit *x, Substitution *s, LLVMValueRef maximum) {
    Emit *e = x->e;
    MathType m = attention_math(x);
    LLVMValueRef is_nothing = math_equal(&m, maximum, math_constant(&m, -(double)INFINITY));
    LLVMValueRef reference = math_select(&m, is_nothing, math_constant(&m, 0), maximum);
    LLVMValueRef offset = math_constant(&m, 0);
    if (x->a->offset) offset = convert_known(e, s, x->a->offset, x->a->accumulator).value;
    return math_exp(&m, math_sub(&m, reference, offset));
}

// Row by row: totals as the program has them, and what sums are multiplied by (in `rescale`).
static void finish_rows(AttentionEmit *x) {
    Emit *e = x->e;
    MathType m = attention_math(x);
    EmitLoop *lane = emit_loop_constant(e, x->blocks.scores.columns, false);
    Index row = in_panel(x, lane->index);
    Scalar maximum = attention_load(x, x->scratch.maxima, row);
    Substitution s = attention_place(x, attention_query(x, lane), NULL, NULL, NULL);
    s.scalars[x->a->maximum->id] = emit_known(e, maximum);
    LLVMValueRef factor = offset_factor(x, &s, maximum.value);
    LLVMValueRef total = attention_load(x, x->scratch.totals, row).value;
    attention_store(x, x->scratch.totals, row, scalar(x, math_mul(&m, total, factor)));
    attention_store(x, x->scratch.rescale, lane->index, scalar(x, factor));
    emit_loop_end(e, lane);
}

// Do neighbouring queries lie together in the outputs?
static bool runs_along_queries(const AttentionEmit *x) {
    int64_t of_query, of_column;
    const Store *store = &x->stage->stores[0];
    return index_is_affine_in(store->at, x->a->query.variable, &of_query) && of_query == 1 &&
           !(index_is_affine_in(store->at, x->a->column.variable, &of_column) && of_column == 1);
}

static void store_outputs(AttentionEmit *x, Index query, Index column, Index lane, Scalar sum) {
    Emit *e = x->e;
    const Attention *a = x->a;
    MathType m = attention_math(x);
    Substitution s = attention_place(x, query, NULL, NULL, column);
    LLVMValueRef factor = attention_load(x, x->scratch.rescale, lane).value;
    sum.value = math_mul(&m, sum.value, factor);
    s.scalars[a->maximum->id] =
        emit_known(e, attention_load(x, x->scratch.maxima, in_panel(x, lane)));
    s.scalars[a->sum->id] = emit_known(e, attention_load(x, x->scratch.totals, in_panel(x, lane)));
    s.scalars[a->y->id] = emit_known(e, sum);
    for (int i = 0; i < x->stage->store_count && !e->failed; i++) {
        const Store *store = &x->stage->stores[i];
        Scalar value = emit_expr(e, expr_substitute(&s, store->value));
        LLVMValueRef to =
            emit_address_at(e, store->output, expr_substitute_index(&s, store->at), NULL);
        emit_store(e, store->output, to, value);
    }
}

// The inner loop runs along the outputs' memory; the sums lie along the queries.
void attention_finish(AttentionEmit *x) {
    Emit *e = x->e;
    IndexBuilder *b = e->index;
    const Attention *a = x->a;
    int64_t lanes = x->blocks.scores.columns, columns = attention_sum_columns(a);
    bool by_query = runs_along_queries(x);
    Index first = index_scale(b, x->panel, columns * lanes);
    finish_rows(x);
    if (!by_query) {
        AttentionTurn turn = {x->scratch.sums, lanes, x->scratch.turned,   columns, columns,
                              lanes,           first, index_constant(b, 0)};
        attention_turn(x, &turn);
    }
    LLVMValueRef zero = emit_number(e, 0), all = emit_number(e, a->column.extent);
    LLVMValueRef count = emit_remaining(e, x->query_first, lanes, a->query.extent);
    EmitLoop *outer = emit_loop_begin(
        e, zero, by_query ? all : count, 1, by_query ? a->column.extent : lanes, false);
    EmitLoop *inner = emit_loop_begin(
        e, zero, by_query ? count : all, 1, by_query ? lanes : a->column.extent, true);
    const EmitLoop *lane = by_query ? inner : outer, *column = by_query ? outer : inner;
    Index query = index_add(b, x->query_first, lane->index);
    if (query->high >= a->query.extent)
        query = emit_variable(e, emit_index(e, query), a->query.extent);
    Index at = by_query ? index_add(b, index_scale(b, column->index, lanes), lane->index)
                        : index_add(b, index_scale(b, lane->index, columns), column->index);
    if (by_query) at = index_add(b, first, at);
    Scalar sum = attention_load(x, by_query ? x->scratch.sums : x->scratch.turned, at);
    store_outputs(x, query, column->index, lane->index, sum);
    emit_loop_end(e, inner);
    emit_loop_end(e, outer);
}

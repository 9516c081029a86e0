// What the files of attention's kernels share: the scratch, and expressions at a place of the axes.
#include "codegen/contract/attention_emit.h"

typedef const IndexExpr *Index;

enum { ALIGN = 64 };

// ---- scratch

static void reserve(AttentionScratch *scratch, int64_t *part, int64_t bytes) {
    *part = scratch->bytes;
    scratch->bytes += (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

AttentionScratch attention_scratch(const Attention *a) {
    const AttentionBlocks *blocks = &a->blocks;
    AttentionScratch s = {0};
    int64_t lanes = blocks->scores.columns, word = 4; // a step's elements of a lane fill 4 bytes
    int64_t keys = blocks->keys + blocks->scores.rows;
    reserve(&s, &s.key_offsets, blocks->depth_steps * 8);
    reserve(&s, &s.value_offsets, blocks->key_steps * 8);
    reserve(&s, &s.queries, blocks->panels * blocks->depth_steps * lanes * word);
    reserve(&s, &s.keys, blocks->keys_in_place ? 0 : keys * blocks->depth_steps * word);
    reserve(
        &s, &s.values, blocks->values_in_place ? 0 : blocks->columns * blocks->key_steps * word);
    reserve(&s, &s.scores, keys * lanes * word);
    s.weights = s.scores + blocks->scores.rows * lanes * word;
    if (blocks->product_row->group > 1) reserve(&s, &s.weights, blocks->key_steps * lanes * word);
    reserve(&s, &s.sums, blocks->panels * blocks->columns * lanes * word);
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

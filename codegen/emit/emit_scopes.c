// What scopes remember, and where code may move to.
#include "codegen/emit/emit_state.h"

static MemoEntry **memo_bucket(EmitScope *scope, const void *key) {
    return &scope->memo[((uintptr_t)key >> 4) % MEMO_BUCKETS];
}

const Scalar *emit_memo_find(const Emit *e, const void *key, const IndexExpr *device) {
    for (EmitScope *scope = e->state->scope; scope; scope = scope->outer) {
        for (const MemoEntry *m = *memo_bucket(scope, key); m; m = m->next) {
            if (m->key == key && m->device == device) return &m->scalar;
        }
    }
    return NULL;
}

void emit_memo_add(Emit *e, const void *key, const IndexExpr *device, Scalar scalar) {
    MemoEntry *entry = ARENA_NEW(e->arena, MemoEntry), **bucket = memo_bucket(e->state->scope, key);
    *entry = (MemoEntry){key, device, scalar, *bucket};
    *bucket = entry;
}

EmitLoop *emit_vector_loop(const Emit *e) {
    for (const EmitScope *scope = e->state->scope; scope; scope = scope->outer) {
        if (scope->kind == SCOPE_LOOP) return scope->loop->vectorize ? scope->loop : NULL;
    }
    return NULL;
}

static int larger(int a, int b) { return a > b ? a : b; }

int emit_index_depth(Emit *e, const IndexExpr *x) {
    int depth = 0;
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->of) depth = larger(depth, emit_index_depth(e, atom->of));
        if (atom->kind == INDEX_VARIABLE && atom->id < e->state->variables.count) {
            const EmitScope *scope = e->state->variables.data[atom->id].scope;
            if (scope) depth = larger(depth, scope->depth);
        } else if (atom->kind == INDEX_RUNTIME) {
            const Expr *number = e->exprs->runtimes.data[atom->id].x;
            if (number) depth = larger(depth, emit_expr_depth(e, number));
        }
    }
    return depth;
}

static int list_depth(Emit *e, int count, const Expr *const *list) {
    int depth = 0;
    for (int i = 0; i < count; i++)
        depth = larger(depth, emit_expr_depth(e, list[i]));
    return depth;
}

static int guards_depth(Emit *e, int count, const Guard *guards) {
    int depth = 0;
    for (int i = 0; i < count; i++)
        depth = larger(depth, emit_index_depth(e, guards[i].x));
    return depth;
}

// A fold's own axes and accumulators are known nowhere, and count as nothing.
static int find_depth(Emit *e, const Expr *x) {
    int depth = larger(
        list_depth(e, x->operand_count, x->operands), guards_depth(e, x->guard_count, x->guards));
    if (x->at) depth = larger(depth, emit_index_depth(e, x->at));
    if (x->device) depth = larger(depth, emit_index_depth(e, x->device));
    const Fold *fold = x->fold;
    if (fold) {
        depth = larger(depth, list_depth(e, fold->count, fold->start));
        depth = larger(depth, list_depth(e, fold->count, fold->step));
        depth = larger(depth, list_depth(e, fold->result_count, fold->result));
        depth = larger(depth, guards_depth(e, fold->guard_count, fold->guards));
    }
    if (x->kind == EXPR_SCALAR && x->id < e->state->scalars.count) {
        const EmitScope *scope = e->state->scalars.data[x->id].scope;
        if (scope) depth = larger(depth, scope->depth);
    }
    return depth;
}

int emit_expr_depth(Emit *e, const Expr *x) {
    while (e->state->depths.count <= x->number)
        vec_push(e->arena, &e->state->depths, 0);
    if (!e->state->depths.data[x->number]) {
        int depth = find_depth(e, x);
        e->state->depths.data[x->number] = 1 + depth;
    }
    return e->state->depths.data[x->number] - 1;
}

EmitScope *emit_target_scope(Emit *e, int depth, EmitLoop **loop) {
    EmitScope *scope = e->state->scope;
    *loop = NULL;
    while (scope->kind == SCOPE_LOOP && scope->depth > depth) {
        *loop = scope->loop;
        scope = scope->outer;
    }
    return scope;
}

EmitExcursion emit_excursion_begin(Emit *e, EmitScope *target, EmitLoop *loop) {
    EmitExcursion x = {e->state->scope, LLVMGetInsertBlock(e->builder), loop};
    if (!loop) return x;
    e->state->scope = target;
    LLVMPositionBuilderAtEnd(e->builder, loop->preheader);
    return x;
}

void emit_excursion_end(Emit *e, const EmitExcursion *x) {
    if (!x->loop) return;
    x->loop->preheader = LLVMGetInsertBlock(e->builder);
    e->state->scope = x->scope;
    LLVMPositionBuilderAtEnd(e->builder, x->block);
}

// Expressions once per scope, outside of the loops that they do not depend on; elements of values.
#include "codegen/element/element.h"
#include "codegen/emit/emit_state.h"

Scalar emit_expr(Emit *e, const Expr *x) {
    if (e->failed) return emit_constant(e, x->element, 0);
    if (x->kind == EXPR_REAL || x->kind == EXPR_CONSTANT || x->kind == EXPR_SCALAR)
        return e->emit_anew(e, x);
    const Scalar *known = emit_memo_find(e, x, NULL);
    if (known) return *known;
    EmitLoop *loop;
    EmitScope *target = emit_target_scope(e, emit_expr_depth(e, x), &loop);
    EmitExcursion excursion = emit_excursion_begin(e, target, loop);
    Scalar result = e->emit_anew(e, x);
    if (!e->failed) emit_memo_add(e, x, NULL, result);
    emit_excursion_end(e, &excursion);
    return result;
}

const Expr *emit_known(Emit *e, Scalar x) {
    const Expr *scalar = expr_new_scalar(e->exprs, x.element);
    while (e->state->scalars.count <= scalar->id)
        vec_push(e->arena, &e->state->scalars, (KnownScalar){0});
    e->state->scalars.data[scalar->id] = (KnownScalar){e->state->scope, x};
    return scalar;
}

void emit_bind(Emit *e, const Value *value, const Scalar *scalar) {
    expr_bind(e->exprs, value, scalar ? emit_known(e, *scalar) : NULL);
}

Scalar emit_element(Emit *e, const Value *value, const IndexExpr *const *index) {
    const Expr *x = expr_of(e->exprs, value, index);
    e->failed = e->failed || e->exprs->failed;
    return emit_expr(e, x);
}

bool emit_scalar_region(Emit *e, const Region *region, const Scalar *arguments, Scalar *results) {
    emit_scope_push(e, SCOPE_BRANCH);
    const Expr **known =
        (const Expr **)arena_alloc_array(e->arena, region->arg_count + 1, sizeof(Expr *));
    int count = region_terminator(region)->operand_count;
    const Expr **exprs = (const Expr **)arena_alloc_array(e->arena, count + 1, sizeof(Expr *));
    for (int i = 0; i < region->arg_count; i++)
        known[i] = emit_known(e, arguments[i]);
    expr_of_region(e->exprs, region, known, exprs);
    e->failed = e->failed || e->exprs->failed;
    for (int i = 0; i < count; i++)
        results[i] = emit_expr(e, exprs[i]);
    emit_scope_pop(e);
    return !e->failed;
}

const IndexExpr *emit_runtime_number(
    Emit *e, const Value *value, const IndexExpr *const *index, int64_t low, int64_t high) {
    const Expr *x = expr_of(e->exprs, value, index);
    e->failed = e->failed || e->exprs->failed;
    return expr_start(e->exprs, x, low, high);
}

// Copies of expressions with other indices and scalars: into loops, into another builder. What the
// new indices decide is simplified away.
#include "codegen/expr/expr.h"

Substitution substitution(ExprBuilder *to, const ExprBuilder *from) {
    Substitution s = {.to = to, .from = from, .known = ptr_map(to->arena)};
    s.variable_count = from->variable_count;
    s.scalar_count = from->scalar_count;
    s.variables =
        (const IndexExpr **)arena_alloc_array(to->arena, s.variable_count + 1, sizeof(IndexExpr *));
    s.scalars = (const Expr **)arena_alloc_array(to->arena, s.scalar_count + 1, sizeof(Expr *));
    return s;
}

static const IndexExpr *variable_of(Substitution *s, const IndexAtom *atom) {
    if (atom->id < s->variable_count && s->variables[atom->id]) return s->variables[atom->id];
    return index_variable(s->to->index, atom->id, atom->high + 1);
}

static const IndexExpr *runtime_of(Substitution *s, const IndexAtom *atom) {
    const RuntimeNumber *number = &s->from->runtimes.data[atom->id];
    if (!number->x) return s->device ? s->device : expr_own_device(s->to);
    return expr_runtime(s->to, expr_substitute(s, number->x), atom->low, atom->high);
}

static const IndexExpr *table_of(Substitution *s, const IndexAtom *atom, const IndexExpr *of) {
    const IndexTable *table = &s->from->tables.data[atom->id];
    return expr_table(s->to, table->count, table->numbers, of);
}

const IndexExpr *expr_substitute_index(Substitution *s, const IndexExpr *x) {
    if (index_is_constant(x)) return index_constant(s->to->index, x->constant);
    const IndexExpr *known = ptr_map_get(&s->known, x);
    if (known) return known;
    IndexBuilder *index = s->to->index;
    const IndexExpr *sum = index_constant(index, x->constant);
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        const IndexExpr *of = atom->of ? expr_substitute_index(s, atom->of) : NULL, *term = NULL;
        switch (atom->kind) {
        case INDEX_VARIABLE: term = variable_of(s, atom); break;
        case INDEX_RUNTIME: term = runtime_of(s, atom); break;
        case INDEX_DIV: term = index_div(index, of, atom->by); break;
        case INDEX_MOD: term = index_mod(index, of, atom->by); break;
        case INDEX_TABLE: term = table_of(s, atom, of); break;
        }
        sum = index_add(index, sum, index_scale(index, term, x->factors[i]));
    }
    ptr_map_set(&s->known, x, (void *)(uintptr_t)sum);
    return sum;
}

Guard guard_substitute(Substitution *s, Guard guard) {
    return (Guard){expr_substitute_index(s, guard.x), guard.low, guard.high};
}

static const Guard *substitute_guards(Substitution *s, int count, const Guard *guards) {
    Guard *copies = ARENA_ARRAY(s->to->arena, Guard, count + 1);
    for (int i = 0; i < count; i++)
        copies[i] = guard_substitute(s, guards[i]);
    return copies;
}

static const Expr *const *substitute_all(Substitution *s, int count, const Expr *const *list) {
    const Expr **copies = (const Expr **)arena_alloc_array(s->to->arena, count + 1, sizeof(Expr *));
    for (int i = 0; i < count; i++)
        copies[i] = expr_substitute(s, list[i]);
    return copies;
}

static const Fold *substitute_fold(Substitution *s, const Fold *fold) {
    const Fold *known = ptr_map_get(&s->known, fold);
    if (known) return known;
    Fold copy = *fold;
    Guard *guards = ARENA_ARRAY(s->to->arena, Guard, fold->guard_count + 1);
    copy.guards = guards;
    copy.guard_count = 0;
    bool never = false;
    for (int i = 0; i < fold->guard_count; i++)
        never =
            !guard_add(guards, &copy.guard_count, guard_substitute(s, fold->guards[i])) || never;
    copy.accumulators = substitute_all(s, fold->count, fold->accumulators);
    copy.start = substitute_all(s, fold->count, fold->start);
    // steps that are never made leave the accumulators
    copy.step = substitute_all(s, fold->count, never ? fold->accumulators : fold->step);
    if (never) copy.guard_count = copy.axis_count = 0;
    copy.result = substitute_all(s, fold->result_count, fold->result);
    known = expr_intern_fold(s->to, &copy);
    ptr_map_set(&s->known, fold, (void *)(uintptr_t)known);
    return known;
}

static const Expr *substitute_load(Substitution *s, const Expr *x) {
    const IndexExpr *index[MAX_RANK];
    for (int d = 0; d < x->rank; d++)
        index[d] = expr_substitute_index(s, x->index[d]);
    const IndexExpr *device = x->device ? expr_substitute_index(s, x->device) : s->device;
    return expr_load(s->to, x->stored, device, index);
}

static const Expr *copy_of(Substitution *s, const Expr *x) {
    ExprBuilder *to = s->to;
    const Expr *const *operands = substitute_all(s, x->operand_count, x->operands);
    const IndexExpr *at = x->at && x->kind != EXPR_LOAD ? expr_substitute_index(s, x->at) : NULL;
    switch (x->kind) {
    case EXPR_REAL: return expr_real(to, x->element, x->real);
    case EXPR_CONSTANT: return expr_constant(to, x->elements, index_constant(to->index, x->id));
    case EXPR_TABLE: return expr_constant(to, x->elements, at);
    case EXPR_LOAD: return substitute_load(s, x);
    case EXPR_NUMBER: return expr_number(to, x->element, at);
    case EXPR_TEST:
        return expr_test(to, x->guard_count, substitute_guards(s, x->guard_count, x->guards));
    case EXPR_OP: return expr_op(to, x->op, operands);
    case EXPR_ARITHMETIC: return expr_arithmetic(to, x->code, operands[0], operands[1]);
    case EXPR_CONVERT: return expr_convert(to, operands[0], x->element);
    case EXPR_BITS: return expr_bits(to, x->element, x->operand_count, operands, at);
    case EXPR_SELECT: return expr_select(to, operands[0], operands[1], operands[2]);
    case EXPR_CHOICE:
        return expr_choice(
            to, x->guard_count, substitute_guards(s, x->guard_count, x->guards),
            x->operand_count > 2 ? operands[2] : NULL, operands[0], operands[1]);
    case EXPR_FOLD: return expr_fold(to, substitute_fold(s, x->fold), (int)x->id);
    case EXPR_LOCAL: return expr_local(to, x->element, (int)x->id, at);
    case EXPR_SCALAR:
        if (x->id < s->scalar_count && s->scalars[x->id]) return s->scalars[x->id];
        return expr_scalar(to, x->element, (int)x->id);
    }
    return NULL;
}

const Expr *expr_substitute(Substitution *s, const Expr *x) {
    if (x->kind == EXPR_FOLD && x->fold == s->fold) return s->results[x->id];
    const Expr *known = ptr_map_get(&s->known, x);
    if (known) return known;
    known = copy_of(s, x);
    ptr_map_set(&s->known, x, (void *)(uintptr_t)known);
    return known;
}

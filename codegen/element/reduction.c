// Bodies of reductions: which are one op on each result, and in which type they are summed.
#include "codegen/element/reduction.h"

// Result i of the body is one pointwise op of the arguments i and count + i?
static OpCode simple_op(const Region *body, int count, int i) {
    const Op *end = region_terminator(body);
    if (!end || i >= end->operand_count) return OP_COUNT;
    const Op *op = op_operand(end, i)->def;
    if (!op || op->parent != body || op->operand_count != 2 || !op_has(op, TRAIT_COMMUTES))
        return OP_COUNT;
    const Value *x = op_operand(op, 0), *y = op_operand(op, 1);
    const Value *first = body->args[i], *second = body->args[count + i];
    bool fits = (x == first && y == second) || (x == second && y == first);
    return fits ? op->code : OP_COUNT;
}

bool reduction_of(ExprBuilder *b, const Op *op, const Region *body, Reduction *r) {
    *r = (Reduction){.body = body, .count = body->arg_count / 2, .is_simple = true};
    if (r->count > MAX_REDUCED) {
        diag_unsupported(
            b->diags, op->loc, "'%.*s' with more than %d results is not supported in native code",
            SV_ARG(op->name), MAX_REDUCED);
        b->failed = true;
        return false;
    }
    for (int i = 0; i < r->count; i++) {
        ElementType element = body->args[i]->type->element;
        r->element[i] = r->accumulator[i] = element;
        r->simple[i] = simple_op(body, r->count, i);
        if (r->simple[i] == OP_COUNT) r->is_simple = false;
    }
    for (int i = 0; i < r->count && r->is_simple; i++) {
        OpCode code = r->simple[i];
        // the largest and the smallest as well: vectors have no bf16
        bool is_wide =
            code == OP_ADD || code == OP_MULTIPLY || code == OP_MAXIMUM || code == OP_MINIMUM;
        if (!is_wide || !element_is_float(r->element[i])) continue;
        if (r->element[i] == ELEMENT_F32 || r->element[i] == ELEMENT_F64) continue;
        r->accumulator[i] = ELEMENT_F32;
    }
    return true;
}

void reduction_begin(
    ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *start) {
    for (int i = 0; i < r->count; i++) {
        const Expr *wide = expr_convert(b, start[i], r->accumulator[i]);
        int k = fold_add_accumulator(b, draft, r->accumulator[i], wide);
        const Expr *sum = draft->accumulators[k];
        draft->result[draft->fold.result_count++] = expr_convert(b, sum, r->element[i]);
    }
}

void reduction_step(ExprBuilder *b, const Reduction *r, FoldDraft *draft, const Expr *const *x) {
    int first = draft->fold.count - r->count;
    if (!r->is_simple) {
        const Expr *arguments[2 * MAX_REDUCED];
        for (int i = 0; i < r->count; i++) {
            arguments[i] = draft->accumulators[first + i];
            arguments[r->count + i] = x[i];
        }
        expr_of_region(b, r->body, arguments, &draft->step[first]);
        return;
    }
    for (int i = 0; i < r->count; i++) {
        const Expr *wide = expr_convert(b, x[i], r->accumulator[i]);
        int k = first + i;
        draft->step[k] = expr_arithmetic(b, r->simple[i], draft->accumulators[k], wide);
    }
}

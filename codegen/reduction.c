// The folding step of reductions: see reduction.h.
#include "codegen/reduction.h"

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

bool reduction_of(Emit *e, const Op *op, const Region *body, Reduction *r) {
    *r = (Reduction){.op = op, .body = body, .count = body->arg_count / 2, .is_simple = true};
    if (r->count > MAX_REDUCED) {
        diag_unsupported(
            e->diags, op->loc, "'%.*s' with more than %d results is not supported in native code",
            SV_ARG(op->name), MAX_REDUCED);
        e->failed = true;
        return false;
    }
    for (int i = 0; i < r->count; i++) {
        ElementType element = body->args[i]->type->element;
        r->element[i] = r->accumulator[i] = element;
        r->simple[i] = simple_op(body, r->count, i);
        if (r->simple[i] == OP_COUNT) r->is_simple = false;
    }
    for (int i = 0; i < r->count && r->is_simple; i++) {
        bool sums = r->simple[i] == OP_ADD || r->simple[i] == OP_MULTIPLY;
        if (!sums || !element_is_float(r->element[i])) continue;
        if (r->element[i] == ELEMENT_F32 || r->element[i] == ELEMENT_F64) continue;
        r->accumulator[i] = ELEMENT_F32;
    }
    return true;
}

Scalar reduction_widen(Emit *e, const Reduction *r, int i, Scalar x) {
    return emit_convert(e, x, r->accumulator[i]);
}

Scalar reduction_finish(Emit *e, const Reduction *r, int i, Scalar accumulator) {
    return emit_convert(e, accumulator, r->element[i]);
}

void reduction_step(
    Emit *e, const Reduction *r, Scalar *accumulators, const Scalar *x, bool reassociate) {
    bool outer = e->reassociate;
    e->reassociate = reassociate && r->is_simple;
    if (r->is_simple) {
        for (int i = 0; i < r->count; i++) {
            Scalar both[2] = {accumulators[i], reduction_widen(e, r, i, x[i])};
            accumulators[i] = emit_arithmetic(e, r->simple[i], both[0], both[1]);
        }
    } else {
        Scalar arguments[2 * MAX_REDUCED];
        for (int i = 0; i < r->count; i++) {
            arguments[i] = accumulators[i];
            arguments[r->count + i] = x[i];
        }
        emit_scalar_region(e, r->body, arguments, accumulators);
    }
    e->reassociate = outer;
}

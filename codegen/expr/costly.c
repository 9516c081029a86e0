// Costly expressions: see costly.h.
#include "codegen/expr/costly.h"

#include "codegen/kernel/lower_class.h"

enum { COSTLY = 8, NOT_COSTLY = 1, IS_COSTLY };

bool expr_is_costly(PtrMap *known, const Expr *x, bool folds_count) {
    intptr_t found = (intptr_t)ptr_map_get(known, x);
    if (found) return found == IS_COSTLY;
    bool is_op = x->kind == EXPR_OP || x->kind == EXPR_ARITHMETIC;
    bool is_costly =
        (folds_count && x->kind == EXPR_FOLD) || (is_op && op_code_cost(x->code) >= COSTLY);
    for (int i = 0; i < x->operand_count && !is_costly; i++)
        is_costly = expr_is_costly(known, x->operands[i], folds_count);
    ptr_map_set(known, x, (void *)(intptr_t)(is_costly ? IS_COSTLY : NOT_COSTLY));
    return is_costly;
}

double expr_work(PtrMap *seen, const Expr *x) {
    if (ptr_map_get(seen, x)) return 0;
    ptr_map_set(seen, x, (void *)(uintptr_t)x);
    bool is_op = x->kind == EXPR_OP || x->kind == EXPR_ARITHMETIC;
    bool is_cheap = x->kind == EXPR_CONVERT || x->kind == EXPR_SELECT;
    double work = is_op ? op_code_cost(x->code) : is_cheap, steps = 1;
    for (int i = 0; i < x->operand_count; i++)
        work += expr_work(seen, x->operands[i]);
    for (int k = 0; x->fold && k < x->fold->axis_count; k++)
        steps *= (double)x->fold->axes[k].extent;
    for (int i = 0; x->fold && i < x->fold->count; i++)
        work += steps * expr_work(seen, x->fold->step[i]);
    return work;
}

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

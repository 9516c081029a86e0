// Along which dimension a value lies in memory, whatever views and ops stand between.
#include "codegen/element/contiguous.h"

#include "codegen/element/element.h"
#include "codegen/expr/uses.h"

// By how much x changes from one value of the variable to the next, at most places:
// divisions stay, remainders go on.
static int64_t index_step(const IndexExpr *x, int variable) {
    int64_t step = 0;
    for (int i = 0; i < x->term_count; i++) {
        const IndexAtom *atom = x->atoms[i];
        if (atom->kind == INDEX_VARIABLE && atom->id == variable) step += x->factors[i];
        if (atom->kind == INDEX_MOD) step += x->factors[i] * index_step(atom->of, variable);
    }
    return step;
}

int contiguous_dim(ExprBuilder *b, const Value *value) {
    const IndexExpr *index[MAX_RANK];
    int variables[MAX_RANK], rank = value->type->rank, best = -1;
    for (int d = 0; d < rank; d++) {
        variables[d] = expr_new_variable(b, false);
        index[d] = index_variable(b->index, variables[d], value->type->dims[d]);
    }
    IndexUses uses = {0};
    UseWalk walk = use_walk(b, &uses);
    uses_of_expr(&walk, expr_of(b, value, index));
    int64_t most = 0; // elements of the arrays that are read so
    for (int d = rank - 1; d >= 0; d--) {
        int64_t elements = 0;
        for (int64_t u = 0; u < uses.count; u++) {
            const IndexUse *use = &uses.data[u];
            int64_t step = use->stored ? index_step(use->index, variables[d]) : 0;
            if (step == 1 || step == -1) elements += type_element_count(use->stored->type);
        }
        if (elements <= most) continue;
        most = elements;
        best = d;
    }
    return best;
}

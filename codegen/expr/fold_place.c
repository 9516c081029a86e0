// The places of a fold, one after the other.
#include "codegen/expr/fold_place.h"

bool fold_next_place(FoldPlace *place) {
    const Fold *fold = place->fold;
    if (!place->is_started) {
        place->is_started = true;
        for (int k = 0; k < fold->axis_count; k++) {
            if (fold->axes[k].extent == 0) return false;
        }
        return true;
    }
    for (int k = fold->axis_count - 1; k >= 0; k--) {
        if (++place->at[k] < fold->axes[k].extent) return true;
        place->at[k] = 0;
    }
    return false;
}

void fold_substitute_place(Substitution *s, const FoldPlace *place) {
    for (int k = 0; k < place->fold->axis_count; k++)
        s->variables[place->fold->axes[k].variable] = index_constant(s->to->index, place->at[k]);
}

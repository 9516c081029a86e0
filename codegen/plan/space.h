// Loop nests: how a stage runs over its axes, planned from the index expressions of its data.
//
//   parts   axes that are divided or taken modulo a number are split into two loops
//           (all_gather: device and local index),
//   axes    neighbouring parts are joined to one loop where every address stays affine,
//   cuts    a loop runs piece by piece where conditions on it change (pad, concatenate), so
//           that no branch is left inside,
//   order   the loop in which most accesses are contiguous is innermost; a second one that is
//           contiguous for others (transposes) makes tiles.
#ifndef SHARDC_CODEGEN_PLAN_SPACE_H
#define SHARDC_CODEGEN_PLAN_SPACE_H

#include "codegen/expr/uses.h"
#include "codegen/plan/space_parts.h"
#include "codegen/plan/stage.h"

// What the stage reads and stores, with the substitution's indices.
void stage_uses(UseWalk *walk, Substitution *s, const Stage *stage);
// The same of a pass's loops; and what its folds begin with and give, outside of them.
void pass_uses(UseWalk *walk, Substitution *s, const RowPass *pass);
void pass_uses_around(UseWalk *walk, const RowPass *pass);
// The loops of the stage, over its parallel axes, and of its passes. scratch: reset by the call.
Space *space_plan(const Stage *stage, Arena *scratch);
// Is there no index of the dimension where this axis is at place `at`, and the others where `here`
// says? here: [axis_count], NULL = anywhere.
bool space_is_missing(const Space *space, int axis, int64_t at, const IndexExpr *const *here);

#endif

// Where loops are cut: a loop runs piece by piece where the conditions on its variable change (pad,
// concatenate), so that none is left to test inside of a piece.
//
// A boundary that a run-time number moves, the device's or a start index, has one cut at either end
// of where it can be. In between the condition stays, in the long pieces outside it is known:
//
//   i0 - r0 + 3 < 258, 0 <= r0 < 4      i0 < 255 always, 258 <= i0 never: cuts at 255 and 258
#ifndef SHARDC_CODEGEN_PLAN_CUTS_H
#define SHARDC_CODEGEN_PLAN_CUTS_H

#include "codegen/expr/uses.h"
#include "codegen/plan/space_parts.h"

enum { SMALL_DIVISOR = 8 }; // strides and dilations: worth a piece per remainder

// Does the condition hold on an interval [first, end) of part p's variable, and on nothing else?
bool condition_interval(
    const Space *space, int p, int variable, const IndexUse *use, int64_t *first, int64_t *end);
// Cuts every axis where the conditions on its first part change. variables: of the parts, their
// ids in the uses.
void make_cuts(Space *space, const int *variables, const IndexUses *uses);

#endif

// A door of analysis/: which ops may be removed, merged or moved.
#ifndef SHARDC_IR_EFFECTS_H
#define SHARDC_IR_EFFECTS_H

#include "ir/op.h"

// Does the op do something besides computing its results? Its regions are not looked at. A custom
// call says so itself; a func.call is taken to, as its callee is not looked at either.
bool op_has_own_effect(const Op *op);
bool op_has_effect(const Op *op); // regions included
// A call that is there to keep what computes its operands: it does nothing itself.
bool op_is_sink(const Op *op);

#endif

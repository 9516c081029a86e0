// Cumulative sums, products, maxima ...: a reduce_window whose windows reach to one end.
#ifndef SHARDC_IR_CUMULATIVE_H
#define SHARDC_IR_CUMULATIVE_H

#include "ir/op.h"

// The dimension along which the op, a reduce_window, makes element o of the elements 0 .. o, or of
// o .. n-1 (*is_reversed), and of nothing else; -1 when its windows are others.
int cumulative_dim(const Op *op, bool *is_reversed);

#endif

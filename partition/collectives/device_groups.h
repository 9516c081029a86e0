// Groups of devices, as collectives list them.
#ifndef SHARDC_PARTITION_DEVICE_GROUPS_H
#define SHARDC_PARTITION_DEVICE_GROUPS_H

#include "ir/attr.h"

// Is a sum over each group of `whole` the same as sums over the groups of `first` and
// then over those of `second`? Also every device of a group adds in the same order,
// so that all get the same bits.
bool groups_are_product(Arena *arena, const Attr *whole, const Attr *first, const Attr *second);

#endif

// Inside passes/: numbers that differ from device to device.
#ifndef SHARDC_CODEGEN_OWN_NUMBERS_H
#define SHARDC_CODEGEN_OWN_NUMBERS_H

#include "ir/builder.h"

// The device's line of a table [devices, count]: `count` numbers of the element type.
Value *own_numbers(
    Builder *builder, ElementType element, int64_t devices, int64_t count, const int64_t *numbers);

#endif

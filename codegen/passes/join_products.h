// Inside passes/: products that devices share.
#ifndef SHARDC_CODEGEN_JOIN_PRODUCTS_H
#define SHARDC_CODEGEN_JOIN_PRODUCTS_H

#include "ir/module.h"

// Replaces an all_reduce or a reduce_scatter of a product by one product of all devices' operands,
// where that pays. See join_products.c.
bool join_product(Module *module, Op *sum);

#endif

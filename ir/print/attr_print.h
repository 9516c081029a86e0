// Pieces of attributes as MLIR prints them, for the printer's pretty forms.
#ifndef SHARDC_IR_ATTR_PRINT_H
#define SHARDC_IR_ATTR_PRINT_H

#include "ir/attr.h"
#include "ir/print/symbol_print.h"

void print_float_bits(StrBuf *out, ElementType element, uint64_t bits); // a float's storage
void print_elements(StrBuf *out, const Attr *attr); // dense<..>, without the type
void print_dict(StrBuf *out, const Attr *attr);     // {a = 1 : i64, b}
void print_enum(StrBuf *out, const Attr *attr);     // #stablehlo<precision HIGH>
// [b, 0, f]x[0, i, o]->[b, 0, f]
void print_conv_dimension_numbers(StrBuf *out, const ConvDims *conv);
void print_sharding_list(StrBuf *out, const Attr *attr); // [<@mesh, [{}]>, ..]
void print_axes_per_dim(StrBuf *out, const Attr *attr);  // [{"x"}, {}]
void print_all_to_all(StrBuf *out, const Attr *attr);    // [{"x"}: 0->1]

#endif

// Names and strings as MLIR prints them.
#ifndef SHARDC_IR_SYMBOL_PRINT_H
#define SHARDC_IR_SYMBOL_PRINT_H

#include "base/strbuf.h"

bool is_word(StrView text);                   // needs no quotes as a name
void print_symbol(StrBuf *out, StrView text); // @name or @"odd name"

#endif

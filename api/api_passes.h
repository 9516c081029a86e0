// The passes of all folders by name: the rows of ir/pass/passes.def, in its order.
#ifndef SHARDC_API_PASSES_H
#define SHARDC_API_PASSES_H

#include "ir/pass/passes.h"

int pass_list_count(void);
const Pass *pass_list(int i);

// The pass of this name; NULL when there is none.
const Pass *pass_find(StrView name);
// All names, separated by commas: what the message says when there is none.
void pass_names(StrBuf *out);

#endif

// pass_table_ir: the rows of passes.def that ir/ has the functions of.
#include "ir/pass/passes.h"

#define PASSES_OF_IR
#include "ir/pass/pass_rows.h"

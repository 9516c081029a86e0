// pass_table_codegen: the rows of passes.def that codegen/ has the functions of.
#include "codegen/phases.h"
#include "ir/pass/passes.h"

#define PASSES_OF_CODEGEN
#include "ir/pass/pass_rows.h"

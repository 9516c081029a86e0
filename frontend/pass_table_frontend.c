// pass_table_frontend: the rows of passes.def that frontend/ has the functions of.
#include "ir/pass/passes.h"

#define PASSES_OF_FRONTEND
#include "ir/pass/pass_rows.h"

// pass_table_partition: the rows of passes.def that partition/ has the functions of.
#include "ir/pass/passes.h"

#define PASSES_OF_PARTITION
#include "ir/pass/pass_rows.h"

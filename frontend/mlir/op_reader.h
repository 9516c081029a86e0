// One op, in its generic form or its own.
#ifndef SHARDC_FRONTEND_MLIR_OP_READER_H
#define SHARDC_FRONTEND_MLIR_OP_READER_H

#include "frontend/mlir/syntax/mlir_reader.h"

bool read_op(Reader *reader, Region *region, Scope *scope);

#endif

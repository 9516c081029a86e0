// Ops in MLIR's generic form.
#ifndef SHARDC_FRONTEND_MLIR_GENERIC_READER_H
#define SHARDC_FRONTEND_MLIR_GENERIC_READER_H

#include "frontend/mlir/syntax/mlir_reader.h"

bool read_generic_op(Reader *reader, Draft *draft); // what stands behind the name

#endif

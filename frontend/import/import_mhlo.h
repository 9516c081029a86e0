// A door of import/: XLA's calls (@mhlo.NAME) of functions as CHLO's ops, by name.
#ifndef SHARDC_FRONTEND_IMPORT_MHLO_H
#define SHARDC_FRONTEND_IMPORT_MHLO_H

#include "ir/op.h"

// XLA writes functions that StableHLO does not have as custom calls. Those of
// one array to another are CHLO's.
//
//   before  %1 = stablehlo.custom_call @mhlo.erf(%0)
//   after   %1 = chlo.erf %0
//
// Calls that do not fit their function stay. The op that a call of this name is; OP_COUNT when it
// is none.
OpCode mhlo_call_op(StrView target);
// The other way; NULL: there is none.
const char *mhlo_call_target(OpCode code);

#endif

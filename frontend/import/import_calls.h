// Custom calls that XLA's compiler resolves itself: sorted candidates, marks on values; layouts of the others.
#ifndef SHARDC_FRONTEND_IMPORT_CALLS_H
#define SHARDC_FRONTEND_IMPORT_CALLS_H

#include "ir/pass/pass.h"

// import_calls: custom calls that need no function.
//
//   In      a verified module. @ApproxTopK (JAX's approx_max_k and approx_min_k); calls that only mark a value: annotate_device_placement,
//           LayoutConstraint, MoveToHost, MoveToDevice, InspectSharding, AssumeGatherIndicesInBound
//   Out     top_k or a sort by the call's comparator: exact, whatever recall was asked for; a marked value is the value
//           Operands and results of other calls have the layouts that the call says: transposed around it, and row-major for the function
//   Keeps   calls of other functions; these too where their operands and results do not fit
PassFn pass_import_calls;

#endif

// A door of import/: what the passes share that make ops of custom calls.
#ifndef SHARDC_FRONTEND_CUSTOM_CALLS_H
#define SHARDC_FRONTEND_CUSTOM_CALLS_H

#include "ir/op.h"
#include "ir/pass/pass.h"

// A call with this attribute becomes ops that know its layouts: nobody else may resolve them.
#define CALL_KEEPS_LAYOUTS "shardc.keeps_layouts"

// Handles one custom call, which it may erase; no other one. True: the module changed.
typedef bool ImportCall(Module *module, Arena *scratch, Op *call);

// Visits every custom call of the module, in bodies too, in the program's order.
PassResult import_custom_calls(Module *module, PassContext *pass, ImportCall *import);

// Puts ops in the place of the call; its results keep their shardings. False: the
// text does not verify with the call's operands, or returns other types than the
// call has; the call stays as it is.
//
//   text   ops of MLIR whose operands are called %operand0, %operand1 ..; ends with a return
//          of the call's results. Borrowed.
//   name   of the text in locations while it is read; the ops get the call's location
bool replace_custom_call(Module *module, Arena *scratch, Op *call, StrView name, StrView text);

// Would replace_custom_call do it? The module stays as it is.
bool custom_call_fits(Module *module, Arena *scratch, const Op *call, StrView name, StrView text);

#endif

// Checks that do not depend on what an op means: what the verifier's files share.
#ifndef SHARDC_IR_VERIFY_INTERNAL_H
#define SHARDC_IR_VERIFY_INTERNAL_H

#include "ir/infer/infer.h"

// operands and results: tensors of allowed elements
bool infer_check_tensors(Infer *infer, const Op *op);
bool infer_check_attrs(Infer *infer, const Op *op); // their kinds, and those that must be there
bool infer_has_one_class(OpCode code);  // the types of all operands and results are the same column
bool infer_takes_anything(OpCode code); // tokens, tuples, unranked tensors
bool infer_check_type(Infer *infer, const Op *op, const Type *type); // sizes that fit
// a user's sharding rule
bool infer_check_rule(Infer *infer, const Op *op, const ShardingRule *rule);
// What propagation wrote: #sdy.propagation_edges on an op, or a list of them.
bool infer_check_edges(Infer *infer, const Op *op, StrView name, const Attr *attr);

#endif

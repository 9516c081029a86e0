// Attributes without effect, because their names are misspelt.
#ifndef SHARDC_IR_UNKNOWN_ATTRIBUTES_H
#define SHARDC_IR_UNKNOWN_ATTRIBUTES_H

#include "ir/module.h"

// Warns of discardable attributes in the namespace sdy that Shardy does not have, and of those of
// other namespaces whose names are close to one that has a meaning here (mhlo.shardng): each with
// the name that may be meant. All others are their owners' affair. Shardy's own verifier accepts
// them, so this is for those who compile a program.
void warn_unknown_attributes(const Module *module, Diags *diags);

#endif

// Values that are padded so that they divide: what they hold without padding, what their padding
// holds, and how to change both.
#ifndef SHARDC_PARTITION_PADDED_VALUES_H
#define SHARDC_PARTITION_PADDED_VALUES_H

#include "ir/builder.h"

typedef struct PaddedValues {
    Module *module;
    Arena *scratch;
    PtrMap real;  // a padded value's type without padding: Value* to Type*
    PtrMap zeros; // the values whose padding is zero everywhere
    bool changed; // has anything been made?
} PaddedValues;

// The type without padding.
const Type *real_type(const PaddedValues *values, const Value *value);
// The type that divides by the value's sharding; the real one where there is nothing to divide.
const Type *divisible_type(const PaddedValues *values, const Value *value);

// The value with this type, no smaller than its real one: padding goes or comes, in every
// dimension.
Value *value_as(PaddedValues *values, Builder *builder, Value *value, const Type *type);
void operand_as(PaddedValues *values, Op *op, int i, const Type *type);

// The value with `fill`, a scalar, in place of its padding along the dimensions, given as bits.
Value *mask_padding(
    PaddedValues *values, Builder *builder, Value *value, unsigned dims, Value *fill);
// The same with zeros, which are known to be there or are put there.
Value *zero_padding(PaddedValues *values, Builder *builder, Value *value, unsigned dims);
bool padding_is_zero(const PaddedValues *values, const Value *value); // and where there is none
void set_padding_is_zero(PaddedValues *values, const Value *value);

// The value, which has got another type than `real`, is what the program meant with that type.
void set_real_type(PaddedValues *values, Value *value, const Type *real);
// Gives the users of a result or argument what divides. Its type is what its op makes of padded
// operands.
void settle(PaddedValues *values, Value *value);

#endif

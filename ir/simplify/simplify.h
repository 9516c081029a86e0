// The rewrites of canonicalize. Each looks at one op, and either leaves it or replaces it and says
// so.
#ifndef SHARDC_IR_SIMPLIFY_H
#define SHARDC_IR_SIMPLIFY_H

#include "ir/builder.h"
#include "ir/pass/passes.h"

typedef struct Simplifier {
    Module *module;
    PassContext *pass;
    bool changed;
} Simplifier;

// The families; true when the op was replaced (it is erased then).
// reshape, transpose, broadcast, slice, pad, concatenate ...
bool simplify_view(Simplifier *simplifier, Op *op);
// arithmetic, logic, select, compare, convert
bool simplify_pointwise(Simplifier *simplifier, Op *op);
bool simplify_control(Simplifier *simplifier, Op *op); // while, if, case, tuples

// Puts `value` in the place of the op's only result and erases the op. Refuses (false) when the
// types differ, or when the result has a sharding that the value does not have.
bool simplify_replace(Simplifier *simplifier, Op *op, Value *value);
// The same with a value that was just built: it takes the result's sharding.
bool simplify_replace_new(Simplifier *simplifier, Op *op, Value *value);
// May the op's result be replaced by something that is not a value of this sharding?
bool simplify_may_drop(const Op *op, const Value *value);

// A small op of constants becomes a constant (pass_fold's rewrite of one op); true
// when it did, and the op is erased.
bool fold_constant_op(Module *module, Arena *scratch, Op *op);

// The constant that defines the value; NULL when it is none.
const Attr *constant_value(const Value *value);
// The constant whose elements are all the same; NULL otherwise.
const Attr *splat_value(const Value *value);
// Is every element exactly this number (bool: 0 or 1; floats: of this sign too)?
bool is_splat_of(const Value *value, double number);
// A splat of the same element with another type.
Value *build_same_splat(Builder *builder, const Attr *splat, const Type *type);

#endif

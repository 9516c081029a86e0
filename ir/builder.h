// Making and changing ops. The inserter is the only way to add ops, so use lists are always right.
#ifndef SHARDC_IR_BUILDER_H
#define SHARDC_IR_BUILDER_H

#include "base/map.h"
#include "ir/module.h"

// Where the next op goes: before `before`, or at the end of `region` when before is NULL.
typedef struct Builder {
    Module *module;
    Region *region;
    Op *before;
    const Loc *loc; // given to the ops that are made
} Builder;

Builder builder_at_end(Module *module, Region *region);
Builder builder_before(Module *module, Op *op); // takes op's loc
Builder builder_after(Module *module, Op *op);  // takes op's loc

// A new op. Results get the types; regions are made empty (region_count of
// them). Nothing is verified here.
Op *build_op(
    Builder *builder, OpCode code, int operand_count, Value *const *operands, int result_count,
    const Type *const *result_types, int region_count);
Op *build_unregistered(
    Builder *builder, StrView name, int operand_count, Value *const *operands, int result_count,
    const Type *const *result_types, int region_count);
Value *region_add_arg(Module *module, Region *region, const Type *type, const Loc *loc);

// Shorthands for common ops; the result's type is inferred. Attributes as in StableHLO.
Value *build_unary(Builder *builder, OpCode code, Value *x);            // same type as x
Value *build_binary(Builder *builder, OpCode code, Value *x, Value *y); // same type as x
// type from the element type; i1 result
Value *build_compare(Builder *builder, int direction, Value *x, Value *y);
Value *build_select(Builder *builder, Value *predicate, Value *on_true, Value *on_false);
Value *build_convert(Builder *builder, Value *x, ElementType element);
Value *build_constant(Builder *builder, const Attr *elements);
// any real, integer or bool element type
Value *build_splat(Builder *builder, const Type *tensor, double number);
// both parts of complex numbers; of integers zeros
Value *build_negative_zeros(Builder *builder, const Type *tensor);
Value *build_splat_int(Builder *builder, const Type *tensor, int64_t number);
Value *build_iota(Builder *builder, const Type *tensor, int dimension);
Value *build_reshape(Builder *builder, Value *x, int rank, const int64_t *dims);
Value *build_transpose(Builder *builder, Value *x, const int64_t *permutation);
Value *build_broadcast_in_dim(
    Builder *builder, Value *x, const Type *tensor, const int64_t *dimensions);
Value *build_slice(
    Builder *builder, Value *x, const int64_t *start, const int64_t *limit,
    const int64_t *stride); // stride NULL = 1
Value *build_pad(
    Builder *builder, Value *x, Value *padding_value, const int64_t *low, const int64_t *high,
    const int64_t *interior); // interior NULL = 0
Value *build_concatenate(Builder *builder, int count, Value *const *operands, int dimension);
Value *build_dynamic_slice(Builder *builder, Value *x, Value *const *starts, const int64_t *sizes);
Value *build_dynamic_update_slice(Builder *builder, Value *x, Value *update, Value *const *starts);
// The device's line of a table [devices, count]: `count` numbers of the element type.
Value *build_own_numbers(
    Builder *builder, ElementType element, int64_t devices, int64_t count, const int64_t *numbers);
// Reduces over the dimensions with a body of one op (OP_ADD, OP_MAXIMUM ...) from its neutral
// element.
Value *build_reduce(Builder *builder, OpCode body, Value *x, int dim_count, const int64_t *dims);
// The constant that is neutral for the op on this element type: 0 for add, 1 for multiply,
// -inf (or lowest) for maximum, ...
const Attr *reduction_neutral(Context *context, OpCode body, const Type *scalar);
// A region `(a, b) { return body(a, b) }` on scalars, into an empty region.
void build_reduction_body(
    Module *module, Region *region, OpCode body, ElementType element, const Loc *loc);
// OP_RETURN, OP_FUNC_RETURN, OP_SDY_RETURN
void build_return(Builder *builder, OpCode code, int count, Value *const *values);

// Attributes and operands.
void op_set_operand(Op *op, int i, Value *value);
void op_add_operand(Module *module, Op *op, Value *value);
void op_remove_operand(Op *op, int i);
// The op gets other results: for ops whose number of results changes, a new op is made in its place
// and returned; the old one is erased. Results i of the old op are replaced by result map[i] of the
// new one (-1: it must be unused).
Op *op_with_results(Module *module, Op *op, int count, const Type *const *types, const int *map);

void value_replace_uses(Value *value, Value *with);                          // all uses
void value_replace_uses_except(Value *value, Value *with, const Op *except); // but those by one op
void op_erase(Op *op); // it must have no uses; its regions go with it
void op_move_before(Op *op, Op *before);
void op_move_to_end(Op *op, Region *region);
void region_remove_arg(Region *region, int i); // it must have no uses
void region_take(Region *to, Region *from);    // to is empty: takes arguments and ops
// What ends the region returns its operands by another op (build_return), as another op wants it.
void region_set_return(Region *region, OpCode code);

// Copies ops with operands renamed through a map from old to new values (PtrMap: Value* to Value*);
// values that are not in the map stay. The results of the copy are added to the map.

Op *op_clone(Builder *builder, const Op *op, PtrMap *values);
// arguments too
void region_clone_into(Module *module, Region *to, const Region *from, PtrMap *values);

#endif

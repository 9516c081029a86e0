// What the passes on the dialect shard share: propagation, partitioning, reshards and
// simplifications under MLIR's names.
#ifndef SHARDC_IR_SPMD_H
#define SHARDC_IR_SPMD_H

#include "ir/builder.h"
#include "ir/pass/passes.h"
#include "ir/source/grid.h"
#include "ir/source/source.h"

// Does the module write shardings as attributes of shard.shard, as LLVM 18 and 19 do?
bool module_has_inline_shardings(const Module *module);

// Grid axes of each dimension or loop.
typedef struct AxisSets {
    int count;
    IntSpan axes[MAX_LOOPS];
} AxisSets;

// The lists as an attribute, without empty ones at the end; `keep_one`: not less than one.
const Attr *axis_sets_attr(Context *context, const AxisSets *sets, bool keep_one);
const Attr *axes_attr(Context *context, IntSpan axes); // array<i16: ...>

// A shard.shard of the value, with a sharding of its own in front where the module writes them so.
Value *build_annotation(
    Builder *builder, Value *value, const ShardSpec *spec, bool for_users, bool is_inline);

// The type of one device's part. Dimensions whose parts differ or do not divide are dynamic.
const Type *spec_local_type(const Module *module, const Type *type, const ShardSpec *spec);

// The loops of an op that can be sharded, and of its operands and results (maps in this
// order); false where the op has none. Places of a map that no loop runs along (of zero
// points, repeated dimensions) are -1.
bool sharding_loops(const Op *op, Loops *loops);
// How a sharded reduction loop's parts are combined (SHARD_REDUCTION_*); false where that is not
// known.
bool loops_reduction(const Op *op, int64_t *reduction);

// One device's part as `from` lies, as `to` does; NULL after a diagnostic.
Value *reshard_part(
    Builder *builder, Diags *diags, Value *part, const Type *global, const ShardSpec *from,
    const ShardSpec *to);

// A collective on axes of a grid.
Op *build_shard_collective(
    Builder *builder, OpCode code, StrView grid, IntSpan axes, Value *value, const Type *result);
// Indices of the process along axes of the grid, or the grid's sizes there: results of one op.
Op *build_axes_query(Builder *builder, OpCode code, StrView grid, IntSpan axes);
Value *build_index(Builder *builder, int64_t number);
// x + y, x - y ... ; of indices that are known, or where one is neutral, no op is made.
Value *build_arith(Builder *builder, OpCode code, Value *x, Value *y);
// What a shard.all_slice with axes gives the process with these indices along them.
Value *build_own_slice(Module *module, Op *op, Value *const *indices);
bool number_of(const Value *value, int64_t *number); // of a scalar constant

#endif

// What the conversions of source dialects (arith, math, linalg, tosa, tensor, scf, shard) into the
// core share. They run after scalars have become tensors of rank 0 (import_sources.c).
#ifndef SHARDC_IR_SOURCE_H
#define SHARDC_IR_SOURCE_H

#include "ir/legalize/legalize.h"

// The value in the dimensions of the type: what has rank 0 or dimensions of size 1 is repeated.
Value *source_broadcast(Builder *builder, Value *value, const Type *type);
// The op of the core that computes the scalar function of a source op. i1 is one bit to arith, the
// number 0 or -1 (0 or 1 without sign), and a bool to the core. OP_COUNT where there is none.
OpCode source_scalar_op(const Op *op);
// What an elementwise op of a source dialect computes, on these operands; NULL
// where the core has no such op.
Value *source_compute(Builder *builder, const Op *op, Value *const *operands, const Type *result);
// Is the value zero everywhere (or nothing at all, as of tensor.empty)?
bool source_is_zero(const Value *value);
// A constant's elements, dense or a single number; NULL when the value is no constant.
const Attr *source_constant(const Value *value);
// Element i of a constant of integers, which may be a splat.
int64_t source_int(const Attr *elements, int64_t i);
// value + init, but for an init that is zero.
Value *source_add(Builder *builder, Value *value, Value *init);

// The product of two tensors. Every dimension is a letter: "mk,kn->mn"; what the
// result does not have is summed up.
Value *source_contract(
    Builder *builder, const char *spec, Value *lhs, Value *rhs, const Type *result);

enum { MAX_LOOPS = 20 };

// An affine map whose results are single dimensions: result i is dimension results[i].
typedef struct LoopMap {
    int dims, count;
    int results[MAX_LOOPS];
} LoopMap;
bool loop_map_parse(StrView text, LoopMap *map); // affine_map<(d0, d1) -> (d0)>; false for others

// The maps of a structured op's operands, and which of its loops are reductions.
typedef struct Loops {
    int count;
    bool is_reduction[MAX_LOOPS];
    int map_count;
    LoopMap maps[MAX_LOOPS];
} Loops;
const char *linalg_contraction(OpCode code);      // "mk,kn->mn" of linalg.matmul; NULL of others
bool loops_of_linalg(const Op *op, Loops *loops); // false where they are no plain maps

// Shardings in types (type_shardings.c); false after a diagnostic.
bool has_type_shardings(const Op *op); // of its results or, of a function, in its type
bool import_type_shardings(Module *module, PassContext *pass);

#endif

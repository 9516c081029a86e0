// What the conversion of the dialect shard into calls of MPI shares (shard_to_mpi.c has the pass).
// Numbers that are known are computed here and now: the place of a process whose rank the module
// says, sizes, offsets, conditions.
#ifndef SHARDC_IR_SPMD_MPI_H
#define SHARDC_IR_SPMD_MPI_H

#include "ir/spmd/spmd.h"

typedef struct Mpi {
    Module *module;
    PassContext *pass;
    Builder builder; // in front of the op that is converted
    bool changed, failed;
} Mpi;

// A diagnostic at the op; the pass fails.
bool mpi_fail(Mpi *m, const Op *op, const char *format, ...) __attribute__((format(printf, 3, 4)));

// ---- numbers ----
int64_t extent_of(const Value *value); // DIM_DYNAMIC where it is no constant
Value *mpi_constant(Mpi *m, ElementType element, int64_t number);
Value *mpi_cast(Mpi *m, Value *number, ElementType element); // between index and integers
Value *mpi_compare(Mpi *m, int predicate, Value *x, Value *y);
Value *mpi_select(Mpi *m, Value *condition, Value *on_true, Value *on_false);
// Ops that are made up to mpi_if_end run where the condition holds. False: nowhere, make none.
typedef struct MpiIf {
    Op *op; // scf.if; NULL where the condition is known to hold
    Builder outside;
} MpiIf;
bool mpi_if_begin(Mpi *m, Value *condition, MpiIf *branch);
void mpi_if_end(Mpi *m, MpiIf *branch);

// ---- processes ----
Value *mpi_world(Mpi *m);                                          // the communicator of all
Value *mpi_rank(Mpi *m, const Op *at);                             // an index
Value *mpi_axis_size(Mpi *m, StrView grid, int axis);              // an index
bool mpi_place(Mpi *m, const Op *at, StrView grid, Value **place); // along each axis of the grid
// The number of a place along some axes, the first one the major one.
Value *mpi_linear(Mpi *m, StrView grid, IntSpan axes, Value *const *place);
// Linear indices of the processes before and behind one along axes; -1 at the border.
void mpi_neighbors(Mpi *m, StrView grid, IntSpan axes, Value *const *place, Value *neighbors[2]);
Value *mpi_group(Mpi *m, const Op *collective); // the communicator of its group; NULL: it failed

// ---- buffers ----
Value *mpi_alloc(Mpi *m, ElementType element, int rank, Value *const *sizes);
Value *mpi_subview(Mpi *m, Value *array, Value *const *offsets, Value *const *sizes);
Value *mpi_copy(Mpi *m, Value *from, Value *to); // linalg.copy, which converts elements; `to`
Value *mpi_regroup(Mpi *m, OpCode code, Value *x, const Type *result, int merged, int count);
Value *mpi_to_buffer(Mpi *m, Value *value, bool read_only); // of a tensor; a buffer is itself
Value *mpi_to_tensor(Mpi *m, Value *buffer, const Type *tensor, bool writable);
// Is the value a tensor of known shape, or a buffer of one without gaps? Fails if not.
bool mpi_is_dense(Mpi *m, const Op *op, const Type *type);
// What linalg writes into a new tensor: linalg.fill, linalg.transpose
Value *mpi_into_empty(Mpi *m, OpCode code, Value *x, const Type *type, const Attr *permutation);

// ---- what is converted ----
void mpi_replace(Mpi *m, Op *op, Value *const *values);
void mpi_all_reduce(Mpi *m, Op *op);
void mpi_reduce_scatter(Mpi *m, Op *op);
void mpi_all_gather(Mpi *m, Op *op);
void mpi_update_halo(Mpi *m, Op *op);
void mpi_shard_shape(Mpi *m, Op *op);
// A sharding as tensors: split axes, halo sizes, offsets (mpi_sharding.c says how).
enum { MPI_SHARDING_PARTS = 3 };
bool mpi_is_sharding(const Type *type);
const Type *mpi_part_type(Mpi *m, int part);
bool mpi_sharding_tensors(Mpi *m, Op *sharding, Value **parts); // made in front of it
// Shardings that functions return, take or are called with become their tensors.
void mpi_expand_shardings(Mpi *m);

#endif

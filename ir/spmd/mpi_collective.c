// mpi_collective: reductions and gathers by MPI. It combines blocks along their first dimension;
// other dimensions are brought there and back by transposes.
#include "ir/spmd/mpi.h"

static const Type *shaped(const Mpi *m, const Type *type) {
    return type_shaped(m->module->context, type);
}

// The kind of reduction in MPI; -1 after a diagnostic.
static int mpi_reduction(Mpi *m, const Op *op) {
    int64_t kind = op_int(op, NAME_REDUCTION, SHARD_REDUCTION_sum);
    switch (kind) {
    case SHARD_REDUCTION_sum: return MPI_REDUCTION_MPI_SUM;
    case SHARD_REDUCTION_max: return MPI_REDUCTION_MPI_MAX;
    case SHARD_REDUCTION_min: return MPI_REDUCTION_MPI_MIN;
    case SHARD_REDUCTION_product: return MPI_REDUCTION_MPI_PROD;
    case SHARD_REDUCTION_bitwise_and: return MPI_REDUCTION_MPI_BAND;
    case SHARD_REDUCTION_bitwise_or: return MPI_REDUCTION_MPI_BOR;
    case SHARD_REDUCTION_bitwise_xor: return MPI_REDUCTION_MPI_BXOR;
    default: break;
    }
    StrView word = enum_keyword(ENUM_SHARD_REDUCTION, (int)kind);
    mpi_fail(
        m, op,
        "has the reduction '%.*s', which MPI does not have; write an average as a sum and "
        "a division",
        SV_ARG(word));
    return -1;
}

static Value *new_buffer(Mpi *m, ElementType element, int rank, const int64_t *dims) {
    Value *sizes[MAX_RANK];
    for (int d = 0; d < rank; d++)
        sizes[d] = build_index(&m->builder, dims[d]);
    return mpi_alloc(m, element, rank, sizes);
}

// One process alone reduces and gathers what it has.
static bool is_alone(Mpi *m, Op *op) {
    IntSpan axes = op_ints(op, NAME_GRID_AXES);
    if (grid_group_size(grid_shape(m->module, op_text(op, NAME_GRID)), axes) != 1) return false;
    Value *x = op_operand(op, 0);
    if (x->type != op_result_type(op, 0)) return false;
    mpi_replace(m, op, &x);
    return true;
}

static void build_reduction(
    Mpi *m, OpCode code, Value *from, Value *to, int reduction, Value *group) {
    Op *call = build_op(&m->builder, code, 3, (Value *[]){from, to, group}, 0, NULL, 0);
    op_set_attr(
        m->module, call, NAME_MPI_OP, attr_enum(m->module->context, ENUM_MPI_REDUCTION, reduction));
}

// The result of the op from a buffer of its shape.
static void finish(Mpi *m, Op *op, Value *buffer) {
    const Type *type = op_result_type(op, 0);
    if (type->kind == TYPE_TENSOR) buffer = mpi_to_tensor(m, buffer, type, false);
    mpi_replace(m, op, &buffer);
}

// A copy in elements of the result is reduced in place. As one dimension: MLIR 22 counts the
// elements of the first one alone where it calls MPI.
void mpi_all_reduce(Mpi *m, Op *op) {
    const Type *type = shaped(m, op_result_type(op, 0));
    if (is_alone(m, op) || !mpi_is_dense(m, op, op_operand_type(op, 0)) ||
        !mpi_is_dense(m, op, op_result_type(op, 0)))
        return;
    int reduction = mpi_reduction(m, op);
    if (reduction < 0) return;
    Value *from = mpi_to_buffer(m, op_operand(op, 0), true);
    Value *buffer = mpi_copy(m, from, new_buffer(m, type->element, type->rank, type->dims));
    Value *group = mpi_group(m, op), *flat = buffer;
    if (!group) return;
    if (type->rank > 1) {
        int64_t count = type_element_count(type);
        const Type *tensor = type_tensor(m->module->context, type->element, 1, &count);
        flat = mpi_regroup(
            m, OP_MEMREF_COLLAPSE_SHAPE, buffer, type_buffer_of(m->module->context, tensor), 0,
            type->rank);
    }
    build_reduction(m, OP_MPI_ALLREDUCE, flat, flat, reduction, group);
    finish(m, op, buffer);
}

// [.., n, part, ..] to [n, .., part, ..], or back
static const Attr *rotation(const Mpi *m, int rank, int dim, bool back) {
    int64_t permutation[MAX_RANK + 1];
    for (int d = 0; d < rank; d++) {
        if (back)
            permutation[d] = d < dim ? d + 1 : d == dim ? 0 : d;
        else
            permutation[d] = d == 0 ? dim : d <= dim ? d - 1 : d;
    }
    return attr_ints(m->module->context, rank, permutation);
}

static const Type *permuted(const Mpi *m, const Type *type, const Attr *permutation) {
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = type->dims[permutation->ints[d]];
    return type_with_dims(m->module->context, type, type->rank, dims);
}

// The type with dimension `dim` of size n*part as two, n and part; NULL where there is no room.
static const Type *split_dim(Mpi *m, const Op *op, const Type *type, int dim, int64_t n) {
    int64_t dims[MAX_RANK];
    if (type->rank == MAX_RANK) {
        mpi_fail(m, op, "has too many dimensions");
        return NULL;
    }
    for (int d = 0; d <= type->rank; d++)
        dims[d] = d < dim        ? type->dims[d]
                  : d == dim     ? n
                  : d == dim + 1 ? type->dims[dim] / n
                                 : type->dims[d - 1];
    return type_with_dims(m->module->context, type, type->rank + 1, dims);
}

// How many processes divide or join the dimension, by its sizes; 0 after a diagnostic.
static int64_t parts_of(Mpi *m, const Op *op, int64_t whole, int64_t part) {
    StrView grid = op_text(op, NAME_GRID);
    IntSpan axes = op_ints(op, NAME_GRID_AXES);
    int64_t size = grid_group_size(grid_shape(m->module, grid), axes);
    int64_t parts = part > 0 && whole % part == 0 ? whole / part : 0;
    if (parts > 0 && (size == DIM_DYNAMIC || size == parts)) return parts;
    mpi_fail(
        m, op,
        "has parts of %lld and a whole of %lld along its dimension, which do not fit its "
        "group of %lld processes",
        (long long)part, (long long)whole, (long long)size);
    return 0;
}

void mpi_reduce_scatter(Mpi *m, Op *op) {
    int dim = (int)op_int(op, NAME_SCATTER_AXIS, 0);
    Value *x = op_operand(op, 0);
    if (is_alone(m, op) || !mpi_is_dense(m, op, x->type) ||
        !mpi_is_dense(m, op, op_result_type(op, 0)))
        return;
    const Type *from = shaped(m, x->type), *to = shaped(m, op_result_type(op, 0));
    int reduction = mpi_reduction(m, op);
    int64_t parts = reduction < 0 ? 0 : parts_of(m, op, from->dims[dim], to->dims[dim]);
    if (parts == 0) return;
    Value *group = mpi_group(m, op), *blocks;
    if (!group) return;
    bool widens = from->element != to->element;
    if (dim == 0) {
        blocks = mpi_to_buffer(m, x, true);
        if (widens)
            blocks = mpi_copy(m, blocks, new_buffer(m, to->element, from->rank, from->dims));
    } else {
        const Type *split = split_dim(m, op, from, dim, parts);
        if (!split) return;
        if (x->type->kind != TYPE_TENSOR) x = mpi_to_tensor(m, x, from, false);
        x = mpi_regroup(m, OP_TENSOR_EXPAND_SHAPE, x, split, dim, 2);
        const Attr *permutation = rotation(m, split->rank, dim, false);
        const Type *rotated = permuted(m, split, permutation);
        x = mpi_into_empty(m, OP_LINALG_TRANSPOSE, x, rotated, permutation);
        blocks = new_buffer(m, to->element, rotated->rank, rotated->dims);
        mpi_copy(m, mpi_to_buffer(m, x, true), blocks);
    }
    Value *result = new_buffer(m, to->element, to->rank, to->dims);
    build_reduction(m, OP_MPI_REDUCE_SCATTER_BLOCK, blocks, result, reduction, group);
    bool owns_blocks = dim != 0 || widens; // buffers of tensors are given back by who makes them
    if (owns_blocks && op_result_type(op, 0)->kind != TYPE_TENSOR)
        build_op(&m->builder, OP_MEMREF_DEALLOC, 1, &blocks, 0, NULL, 0);
    finish(m, op, result);
}

// The group is as large as the types say.
static void assert_size(Mpi *m, Value *group, int64_t parts) {
    const Type *type = type_element(m->module->context, ELEMENT_I32);
    Op *size = build_op(&m->builder, OP_MPI_COMM_SIZE, 1, &group, 1, &type, 0);
    Value *expected = build_index(&m->builder, parts);
    Value *found = mpi_cast(m, op_result(size, 0), ELEMENT_INDEX);
    Value *fits = mpi_compare(m, ARITH_PREDICATE_eq, found, expected);
    Op *check = build_op(&m->builder, OP_CF_ASSERT, 1, &fits, 0, NULL, 0);
    op_set_attr(
        m->module, check, NAME_MSG,
        attr_string(
            m->module->context,
            SV("The communicator does not have as many processes as the gathered dimension has "
               "parts.")));
}

void mpi_all_gather(Mpi *m, Op *op) {
    Context *context = m->module->context;
    int dim = (int)op_int(op, NAME_GATHER_AXIS, 0);
    if (is_alone(m, op) || !mpi_is_dense(m, op, op_operand_type(op, 0)) ||
        !mpi_is_dense(m, op, op_result_type(op, 0)))
        return;
    const Type *from = shaped(m, op_operand_type(op, 0)), *to = shaped(m, op_result_type(op, 0));
    int64_t parts = parts_of(m, op, to->dims[dim], from->dims[dim]);
    const Type *joined = parts ? split_dim(m, op, to, dim, parts) : NULL;
    if (!joined) return;
    Value *x = mpi_to_buffer(m, op_operand(op, 0), true), *group = mpi_group(m, op);
    if (!group) return;
    assert_size(m, group, parts);
    const Attr *back = rotation(m, joined->rank, dim, true);
    const Type *gathered = permuted(m, joined, rotation(m, joined->rank, dim, false));
    Value *blocks = new_buffer(m, gathered->element, gathered->rank, gathered->dims);
    build_op(&m->builder, OP_MPI_ALLGATHER, 3, (Value *[]){x, blocks, group}, 0, NULL, 0);
    if (dim == 0) {
        finish(
            m, op,
            mpi_regroup(m, OP_MEMREF_COLLAPSE_SHAPE, blocks, type_buffer_of(context, to), 0, 2));
        return;
    }
    Value *tensor = mpi_to_tensor(m, blocks, gathered, false);
    tensor = mpi_into_empty(m, OP_LINALG_TRANSPOSE, tensor, joined, back);
    tensor = mpi_regroup(m, OP_TENSOR_COLLAPSE_SHAPE, tensor, to, dim, 2);
    if (op_result_type(op, 0)->kind != TYPE_TENSOR) tensor = mpi_to_buffer(m, tensor, false);
    mpi_replace(m, op, &tensor);
}

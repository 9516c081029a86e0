// mpi_halo: halos by messages between neighbours.
//
// A part is [low halo | own | high halo] along each split dimension. Dimensions are exchanged from
// the last one to the first: what is sent has the halos of the later dimensions, which are filled
// by then, and not those of the earlier ones. So corners arrive, too. Of each dimension first the
// low halos are filled, each process sends up and then receives from below, then the high ones:
//
//   process 0   [ .. | a b c | h h ]        the low halo of process 1 gets c,
//   process 1        [ l | d e f | .. ]     the high halo of process 0 gets d e
//
// A process at the border has no neighbour there, and begins the chain of messages: none waits for
// another in a circle.
#include "ir/spmd/mpi.h"

enum { TAG = 91 }; // of all messages: MPI keeps those between two processes in order

typedef struct Halo {
    Mpi *m;
    Value *array;
    ElementType element;
    int rank;
    Value *sizes[MAX_RANK];    // of the array
    Value *halos[MAX_RANK][2]; // low and high; NULL where the dimension is not split
    Value *offsets[MAX_RANK], *lengths[MAX_RANK]; // of what is exchanged now
    Value *world, *tag;
} Halo;

static Value *plus(Halo *h, Value *x, Value *y) {
    return build_arith(&h->m->builder, OP_ARITH_ADDI, x, y);
}

static Value *minus(Halo *h, Value *x, Value *y) {
    return build_arith(&h->m->builder, OP_ARITH_SUBI, x, y);
}

static Value *size_of(Halo *h, const MemRef *memref, int d) {
    Mpi *m = h->m;
    if (memref->dims[d] != DIM_DYNAMIC) return build_index(&m->builder, memref->dims[d]);
    const Type *index = type_element(m->module->context, ELEMENT_INDEX);
    Value *operands[] = {h->array, build_index(&m->builder, d)};
    return op_result(build_op(&m->builder, OP_MEMREF_DIM, 2, operands, 1, &index, 0), 0);
}

static bool prepare(Halo *h, const Op *op) {
    Mpi *m = h->m;
    MemRef memref;
    h->array = mpi_to_buffer(m, op_operand(op, 0), false);
    if (!memref_of(h->array->type, &memref))
        return mpi_fail(m, op, "needs a buffer whose layout is rows or strides");
    const Attr *sets = op_attr(op, NAME_SPLIT_AXES);
    IntSpan numbers = op_ints(op, NAME_STATIC_HALO_SIZES);
    h->element = memref.element;
    h->rank = memref.rank;
    for (int d = 0, at = 0, operand = 1; d < h->rank; d++) {
        h->sizes[d] = h->lengths[d] = size_of(h, &memref, d);
        h->offsets[d] = build_index(&m->builder, 0);
        if (d >= sets->count || sets->items[d]->count == 0) continue;
        for (int i = 0; i < 2; i++, at++) {
            bool is_known = numbers.data[at] != DIM_DYNAMIC;
            h->halos[d][i] = is_known ? build_index(&m->builder, numbers.data[at])
                                      : mpi_cast(m, op_operand(op, operand++), ELEMENT_INDEX);
        }
        Value **halo = h->halos[d];
        h->offsets[d] = halo[0];
        h->lengths[d] = minus(h, h->sizes[d], plus(h, halo[0], halo[1]));
        int64_t own = extent_of(h->lengths[d]);
        if (own != DIM_DYNAMIC && (extent_of(halo[0]) > own || extent_of(halo[1]) > own))
            return mpi_fail(
                m, op,
                "needs halos that the neighbours have: of dimension %d no more than what is "
                "left without them, %lld",
                d, (long long)own);
    }
    h->tag = mpi_constant(m, ELEMENT_I32, TAG);
    return true;
}

static void message(Halo *h, OpCode code, Value *buffer, Value *process) {
    Value *operands[] = {buffer, h->tag, mpi_cast(h->m, process, ELEMENT_I32), h->world};
    build_op(&h->m->builder, code, 4, operands, 0, NULL, 0);
}

static void copy(Halo *h, Value *from, Value *to) {
    build_op(&h->m->builder, OP_MEMREF_COPY, 2, (Value *[]){from, to}, 0, NULL, 0);
}

// Fills the low (side 0) or high halo of a dimension from the process `from`, and gives that of the
// process `to` its elements.
static void exchange(Halo *h, int d, int side, Value *from, Value *to) {
    Mpi *m = h->m;
    Value *zero = build_index(&m->builder, 0), *length = h->halos[d][side];
    if (extent_of(length) == 0) return;
    Value *has_from = mpi_compare(m, ARITH_PREDICATE_sge, from, zero);
    Value *has_to = mpi_compare(m, ARITH_PREDICATE_sge, to, zero);
    int64_t receives, sends;
    MpiIf sized, branch;
    if (number_of(has_from, &receives) && number_of(has_to, &sends) && !receives && !sends) return;
    if (!mpi_if_begin(m, mpi_compare(m, ARITH_PREDICATE_sgt, length, zero), &sized)) return;
    Value *own = h->offsets[d], *old_length = h->lengths[d];
    Value *end = minus(h, h->sizes[d], h->halos[d][1]); // of its own elements
    h->lengths[d] = length;
    Value *buffer = mpi_alloc(m, h->element, h->rank, h->lengths);
    if (mpi_if_begin(m, has_to, &branch)) {
        h->offsets[d] = side == 0 ? minus(h, end, length) : h->halos[d][0];
        copy(h, mpi_subview(m, h->array, h->offsets, h->lengths), buffer);
        message(h, OP_MPI_SEND, buffer, to);
        mpi_if_end(m, &branch);
    }
    if (mpi_if_begin(m, has_from, &branch)) {
        h->offsets[d] = side == 0 ? zero : end;
        message(h, OP_MPI_RECV, buffer, from);
        copy(h, buffer, mpi_subview(m, h->array, h->offsets, h->lengths));
        mpi_if_end(m, &branch);
    }
    build_op(&m->builder, OP_MEMREF_DEALLOC, 1, &buffer, 0, NULL, 0);
    mpi_if_end(m, &sized);
    h->offsets[d] = own;
    h->lengths[d] = old_length;
}

void mpi_update_halo(Mpi *m, Op *op) {
    const Attr *sets = op_attr(op, NAME_SPLIT_AXES);
    StrView grid = op_text(op, NAME_GRID);
    Value *result = op_operand(op, 0), *place[MAX_AXES], *neighbors[2];
    if (op_ints(op, NAME_STATIC_HALO_SIZES).count == 0) { // there are no halos
        mpi_replace(m, op, &result);
        return;
    }
    Halo h = {.m = m};
    if (!prepare(&h, op) || !mpi_place(m, op, grid, place)) return;
    h.world = mpi_world(m);
    for (int d = sets->count - 1; d >= 0; d--) {
        if (!h.halos[d][0]) continue;
        IntSpan axes = {sets->items[d]->ints, sets->items[d]->count};
        mpi_neighbors(m, grid, axes, place, neighbors);
        exchange(&h, d, 0, neighbors[0], neighbors[1]);
        exchange(&h, d, 1, neighbors[1], neighbors[0]);
        h.offsets[d] = build_index(&m->builder, 0);
        h.lengths[d] = h.sizes[d];
    }
    result = h.array;
    if (op_result_type(op, 0)->kind == TYPE_TENSOR)
        result = mpi_to_tensor(m, result, op_result_type(op, 0), true);
    mpi_replace(m, op, &result);
}

// shard_to_mpi: one device's program of the dialect shard as a program that calls MPI.
#include "ir/spmd/mpi.h"

static void replace_by_one(Mpi *m, Op *op, Value *value) { mpi_replace(m, op, &value); }

// --- queries ---

// Sizes that are known; what is not known is left to who runs the program.
static void convert_grid_shape(Mpi *m, Op *op) {
    IntSpan shape = grid_shape(m->module, op_text(op, NAME_GRID)), axes = op_ints(op, NAME_AXES);
    for (int i = 0; i < op->result_count; i++) {
        int64_t size = shape.data[axes.count > 0 ? axes.data[i] : i];
        if (size == DIM_DYNAMIC || !op_result(op, i)->uses) continue;
        value_replace_uses(op_result(op, i), build_index(&m->builder, size));
        m->changed = true;
    }
}

static void convert_multi_index(Mpi *m, Op *op) {
    IntSpan axes = op_ints(op, NAME_AXES);
    Value *place[MAX_AXES], *values[MAX_AXES];
    if (!mpi_place(m, op, op_text(op, NAME_GRID), place)) return;
    for (int i = 0; i < op->result_count; i++)
        values[i] = place[axes.count > 0 ? axes.data[i] : i];
    mpi_replace(m, op, values);
}

static void convert_neighbors(Mpi *m, Op *op) {
    Value *place[MAX_AXES], *neighbors[2];
    for (int i = 0; i < op->operand_count; i++)
        place[i] = op_operand(op, i);
    mpi_neighbors(m, op_text(op, NAME_GRID), op_ints(op, NAME_SPLIT_AXES), place, neighbors);
    mpi_replace(m, op, neighbors);
}

static void convert_get_sharding(Mpi *m, Op *op) {
    const Op *shard = op_operand(op, 0)->def;
    if (shard && shard->code == OP_SHARD_SHARD && shard->operand_count == 2)
        replace_by_one(m, op, op_operand(shard, 1));
}

static void convert_all_slice(Mpi *m, Op *op) {
    IntSpan axes = op_ints(op, NAME_GRID_AXES);
    Value *place[MAX_AXES], *indices[MAX_AXES];
    const Type *type = op_result_type(op, 0);
    if (axes.count == 0) { // of one process alone
        Value *x = op_operand(op, 0);
        if (x->type != type)
            x = op_result(build_op(&m->builder, OP_TENSOR_CAST, 1, &x, 1, &type, 0), 0);
        replace_by_one(m, op, x);
        return;
    }
    if (!mpi_place(m, op, op_text(op, NAME_GRID), place)) return;
    for (int i = 0; i < axes.count; i++)
        indices[i] = place[axes.data[i]];
    replace_by_one(m, op, build_own_slice(m->module, op, indices));
}

static bool visit(Op *op, void *user) {
    Mpi *m = user;
    if (op_dialect(op) != DIALECT_SHARD || op->code == OP_SHARD_GRID) return true;
    m->builder = builder_before(m->module, op);
    switch (op->code) { // NOLINT(hicpp-multiway-paths-covered): the others are left, and refused
    case OP_SHARD_GRID_SHAPE: convert_grid_shape(m, op); break;
    case OP_SHARD_PROCESS_LINEAR_INDEX: replace_by_one(m, op, mpi_rank(m, op)); break;
    case OP_SHARD_PROCESS_MULTI_INDEX: convert_multi_index(m, op); break;
    case OP_SHARD_NEIGHBORS: convert_neighbors(m, op); break;
    case OP_SHARD_GET_SHARDING: convert_get_sharding(m, op); break;
    case OP_SHARD_SHARD_SHAPE: mpi_shard_shape(m, op); break;
    case OP_SHARD_ALL_SLICE: convert_all_slice(m, op); break;
    case OP_SHARD_ALL_REDUCE: mpi_all_reduce(m, op); break;
    case OP_SHARD_ALL_GATHER: mpi_all_gather(m, op); break;
    case OP_SHARD_REDUCE_SCATTER: mpi_reduce_scatter(m, op); break;
    case OP_SHARD_UPDATE_HALO: mpi_update_halo(m, op); break;
    default: break;
    }
    return !m->failed;
}

// --- what is left ---

static bool is_used(const Op *op) {
    for (int i = 0; i < op->result_count; i++) {
        if (op_result(op, i)->uses) return true;
    }
    return false;
}

// The last op first: what an erased op used may be unused then.
static void erase_unused(Mpi *m, Region *region) {
    for (Op *op = region->last, *prev; op; op = prev) {
        prev = op->prev;
        for (int i = 0; i < op->region_count; i++)
            erase_unused(m, op->regions[i]);
        bool is_value = op_dialect(op) == DIALECT_SHARD ? !op_has(op, TRAIT_COLLECTIVE)
                                                        : op->code == OP_ARITH_CONSTANT;
        if (!is_value || op->result_count == 0 || is_used(op)) continue;
        op_erase(op);
        m->changed = true;
    }
}

typedef struct Constants {
    PtrMap seen; // of a value, to its constant
    Op *behind;  // the first op behind the constants
} Constants;

// Every scalar constant once, at the function's beginning. Bodies of linalg's ops keep theirs.
static void gather_constants(Constants *constants, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        bool is_body = op_dialect(op) == DIALECT_LINALG;
        for (int i = 0; i < op->region_count && !is_body; i++)
            gather_constants(constants, op->regions[i]);
        const Attr *value = op->code == OP_ARITH_CONSTANT ? op_attr(op, NAME_VALUE) : NULL;
        if (!value || op->extra) continue;
        Op *first = ptr_map_get(&constants->seen, value);
        bool is_first = op == constants->behind;
        if (is_first) constants->behind = next;
        if (first) {
            value_replace_uses(op_result(op, 0), op_result(first, 0));
            op_erase(op);
            continue;
        }
        ptr_map_set(&constants->seen, value, op);
        if (!is_first) op_move_before(op, constants->behind);
    }
}

static bool refuse(Op *op, void *user) {
    Mpi *m = user;
    bool may_stay = op->code == OP_SHARD_GRID || op->code == OP_SHARD_GRID_SHAPE ||
                    op->code == OP_SHARD_SHARDING; // that goes with what uses it
    if (op_dialect(op) == DIALECT_SHARD && !may_stay) {
        diag_error(
            m->pass->diags, op->loc,
            "failed to legalize operation '%.*s' that was explicitly marked illegal: %s",
            SV_ARG(op->name),
            op_has(op, TRAIT_COLLECTIVE)
                ? "there is no conversion of this collective into calls of MPI; the program runs "
                  "without one (shardc run)"
                : "it is of a program for all devices; shard-partition makes it one device's");
        return false;
    }
    for (int i = 0; i < op->result_count && op->code != OP_SHARD_SHARDING; i++) {
        if (mpi_is_sharding(op_result_type(op, i)))
            return mpi_fail(m, op, "has a sharding as its result that is no call's or return's");
    }
    return true;
}

//   In      one device's program: collectives and queries of the dialect shard, on tensors or
//           buffers (memref).
//   Out     no op of the dialect but the grids, and grid_shape of sizes that are not known: calls
//           of MPI on buffers, arithmetic, conditions. Every scalar constant stands once, first in
//           its function.
//   Knows   the rank in a module's dlti.map, "MPI:comm_world_rank": what follows from it is
//           computed.
//   Fails   where MPI has no counterpart, with a diagnostic.
//
//   before  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
//   after   %1 = bufferization.to_buffer %x read_only : tensor<8xf32> to memref<8xf32>
//           %2 = memref.alloc() : memref<8xf32>
//           linalg.copy ins(%1 : memref<8xf32>) outs(%2 : memref<8xf32>)
//           %3 = mpi.comm_world : !mpi.comm
//           mpi.allreduce(%2, %2, MPI_SUM, %3) : memref<8xf32>, memref<8xf32>
//           %0 = bufferization.to_tensor %2 restrict : memref<8xf32> to tensor<8xf32>
PassResult pass_convert_shard_to_mpi(Module *module, PassContext *pass) {
    Mpi m = {.module = module, .pass = pass};
    region_walk(module->body, visit, &m);
    if (!m.failed) mpi_expand_shardings(&m);
    if (m.failed) return PASS_FAILED;
    erase_unused(&m, module->body);
    if (!region_walk(module->body, refuse, &m)) return PASS_FAILED;
    if (!m.changed) return PASS_UNCHANGED;
    for (Op *op = module->body->first; op; op = op->next) {
        if (op->code != OP_FUNC) continue;
        Constants constants = {ptr_map(pass->scratch), func_body(op)->first};
        gather_constants(&constants, func_body(op));
    }
    return PASS_CHANGED;
}

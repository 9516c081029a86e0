// split_sorts: sorts of long rows in two levels, each of which keeps all lanes busy.
//
//   In      a device program in canonical form.
//   Out     a sort of long rows first sorts runs of them as rows of their own. The second sort is
//           marked with the runs' length (SORTED_RUNS): each of its parts finds where its ranks
//           begin and end in every run. Lengths depend on the shape alone. What remains behind the
//           last whole run is a run, too.
//   Keeps   what the program computes: sorts are stable, and runs lie in the order of the row.
//
//   before  %1 = sort(%0 : [1048576])
//   after   %1 = sort(reshape(%0) : [16, 65536]) along 1
//           %2 = sort(reshape(%1) : [1048576]) {shardc.sorted_runs = 65536}
//
//   source  Varman, Scheufler, Iyer, Ricard, "Merging Multiple Lists on Hierarchical-Memory
//           Multiprocessors", Journal of Parallel and Distributed Computing 12, 1991
#include "codegen/kernel/kernel.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    LEAST_RUN = 1 << 17, // elements; several runs of so many are sorted as fast as the row
    MOST_RUNS = 64,      // of a row
    LEAST_RUNS = 3
};

static int sorted_dimension(const Op *op) {
    int64_t d = op_int(op, NAME_DIMENSION, -1);
    return (int)(d < 0 ? d + op_operand_type(op, 0)->rank : d);
}

// The largest number of equal runs that are neither short nor many; with none of them, runs of any
// length of which one is shorter. 0 = the row stays whole.
static int64_t run_length(int64_t count) {
    int64_t most = count / LEAST_RUN < MOST_RUNS ? count / LEAST_RUN : MOST_RUNS;
    if (most < LEAST_RUNS) return 0;
    for (int64_t runs = most; 2 * runs > most; runs--) {
        if (count % runs == 0) return count / runs;
    }
    return count / most;
}

// x from `start` to `limit` along dimension d, with [limit - start] as [runs, run] if there are
// runs.
static Value *cut(Builder *builder, Value *x, int d, int64_t start, int64_t limit, int64_t runs) {
    int64_t starts[MAX_RANK] = {0}, limits[MAX_RANK], dims[MAX_RANK];
    int rank = 0;
    for (int i = 0; i < x->type->rank; i++) {
        limits[i] = i == d ? limit : x->type->dims[i];
        if (i == d && runs) dims[rank++] = runs;
        dims[rank++] = i != d ? limits[i] : (limit - start) / (runs ? runs : 1);
    }
    starts[d] = start;
    if (limit - start < x->type->dims[d]) x = build_slice(builder, x, starts, limits, NULL);
    return runs ? build_reshape(builder, x, rank, dims) : x;
}

// The op's sort of other operands, along dimension d.
static Op *sort_alike(
    Module *module, Builder *builder, const Op *op, Value *const *operands, int d) {
    PtrMap values = ptr_map(module->arena);
    Op *sort = op_clone(builder, op, &values);
    for (int i = 0; i < op->operand_count; i++) {
        op_set_operand(sort, i, operands[i]);
        op_result(sort, i)->type = operands[i]->type;
    }
    op_set_attr(module, sort, NAME_DIMENSION, attr_int(module->context, d, ELEMENT_I64));
    return sort;
}

static bool split_sort(Op *op, void *user) {
    if (op->code != OP_SORT) return false;
    Module *module = user;
    bool was_marked = op_extra(op, SORTED_RUNS) != NULL;
    int d = sorted_dimension(op), rank = op_operand_type(op, 0)->rank;
    op_set_extra(module, op, SV(SORTED_RUNS), NULL); // nobody else knows
    if (rank == 0 || rank == MAX_RANK) return was_marked;
    int64_t count = op_operand_type(op, 0)->dims[d], run = run_length(count);
    if (!run || type_element_count(op_operand_type(op, 0)) == 0) return was_marked;
    Builder builder = builder_before(module, op);
    int64_t runs = count / run, whole = runs * run;
    Value **pieces = ARENA_ARRAY(module->arena, Value *, op->operand_count);
    for (int i = 0; i < op->operand_count; i++)
        pieces[i] = cut(&builder, op_operand(op, i), d, 0, whole, runs);
    const Op *first = sort_alike(module, &builder, op, pieces, d + 1), *rest = NULL;
    if (whole < count) {
        for (int i = 0; i < op->operand_count; i++)
            pieces[i] = cut(&builder, op_operand(op, i), d, whole, count, 0);
        rest = sort_alike(module, &builder, op, pieces, d);
    }
    for (int i = 0; i < op->operand_count; i++) {
        int64_t dims[MAX_RANK];
        for (int j = 0; j < rank; j++)
            dims[j] = j == d ? whole : op_operand_type(op, 0)->dims[j];
        Value *both[2] = {build_reshape(&builder, op_result(first, i), rank, dims)};
        if (rest) {
            both[1] = op_result(rest, i);
            both[0] = build_concatenate(&builder, 2, both, d);
        }
        op_set_operand(op, i, both[0]);
    }
    op_set_extra(module, op, SV(SORTED_RUNS), attr_int(module->context, run, ELEMENT_I64));
    return true;
}

PassResult pass_split_sorts(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_sort, module);
}

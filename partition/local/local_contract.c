// local_contract: ops that sum over dimensions, on tiles: dot_general, reduce, and ops
// over whole trailing dimensions.
//
// Where a summed dimension is sharded, each device sums its own part. The sdy.all_reduce that
// insert_reshards has put behind the op adds the parts; only reductions whose body is no single
// op (argmax) are finished here.
#include "partition/local/local.h"
#include "partition/reshard/reshard_rules.h"

// ---- dot_general ----

// Which result dimension each operand dimension becomes; -1 = contracted.
static void dot_result_dims(
    const DotDims *dims, const Type *operand, bool is_lhs, int lhs_rank, int *to) {
    IntSpan batch = is_lhs ? dims->lhs_batch : dims->rhs_batch;
    IntSpan contracting = is_lhs ? dims->lhs_contracting : dims->rhs_contracting;
    int next = batch.count;
    if (!is_lhs) next = lhs_rank - dims->lhs_contracting.count;
    for (int d = 0; d < operand->rank; d++) {
        to[d] = -1;
        for (int i = 0; i < batch.count; i++) {
            if (batch.data[i] == d) to[d] = i;
        }
        if (to[d] < 0 && !ints_contain(contracting, d)) to[d] = next++;
    }
}

// The operand as the result wants it, with its contracting dimensions as they are.
static bool dot_operand_sharding(
    Local *local, const Op *op, int i, const int *to, const Sharding **wanted) {
    const Value *operand = op_operand(op, i);
    *wanted = sharding_select_dims(
        local->context, local_sharding(op_result(op, 0)), operand->type->rank, to);
    for (int d = 0; d < operand->type->rank; d++) {
        if (to[d] >= 0) continue;
        const Sharding *own = local_sharding(operand);
        if (!sharding_set_dim(local, wanted, operand->type->rank, d, own, d)) {
            diag_unsupported(
                local->diags, op->loc,
                "contracting dimension %d of operand %d is sharded over axes that the result uses",
                d, i);
            return false;
        }
    }
    return true;
}

static DotDims dot_dims(const Op *op, int64_t *last) {
    if (op->code == OP_DOT_GENERAL) return *op_attr(op, NAME_DOT_DIMENSION_NUMBERS)->dot;
    static const int64_t first = 0;
    *last = op_operand_type(op, 0)->rank - 1;
    return (DotDims){.lhs_contracting = {last, 1}, .rhs_contracting = {&first, 1}};
}

bool local_dot_general(Local *local, const Op *op) {
    int64_t last;
    const DotDims numbers = dot_dims(op, &last), *dims = &numbers;
    Value *operands[2];
    const Sharding *wanted[2];
    for (int i = 0; i < 2; i++) {
        const Value *operand = op_operand(op, i);
        int to[MAX_RANK];
        dot_result_dims(dims, operand->type, i == 0, op_operand_type(op, 0)->rank, to);
        if (!dot_operand_sharding(local, op, i, to, &wanted[i])) return false;
        operands[i] = local_value_as(local, operand, wanted[i]);
    }
    for (int c = 0; c < dims->lhs_contracting.count; c++) {
        int d[2] = {(int)dims->lhs_contracting.data[c], (int)dims->rhs_contracting.data[c]};
        DimTiles lhs = tiles_of(local, op_operand_type(op, 0), wanted[0], d[0]);
        DimTiles rhs = tiles_of(local, op_operand_type(op, 1), wanted[1], d[1]);
        if (!tiles_equal(&lhs, &rhs)) {
            diag_unsupported(
                local->diags, op->loc, "contracting dimensions %d and %d are sharded differently",
                d[0], d[1]);
            return false;
        }
        for (int i = 0; i < 2; i++) {
            Value *zero = tiles_are_padded(&lhs) ? local_zero(local, operands[i]->type) : NULL;
            operands[i] = local_mask_padding(local, operands[i], &lhs, d[i], zero);
        }
    }
    const Sharding *out = local_sharding(op_result(op, 0));
    const Type *type = local_type(local, op_result_type(op, 0), out);
    Op *made = local_clone(local, op, 2, operands, &type);
    if (!made) return false;
    local_set(local, op_result(op, 0), op_result(made, 0));
    return true;
}

// ---- reduce ----

// Sharding of the operands: kept dimensions as the result's, reduced ones as operand 0's.
static bool reduce_operand_sharding(
    Local *local, const Op *op, IntSpan reduced, const Sharding **wanted) {
    const Type *type = op_operand_type(op, 0);
    int from[MAX_RANK], kept = 0;
    for (int d = 0; d < type->rank; d++)
        from[d] = ints_contain(reduced, d) ? -1 : kept++;
    *wanted =
        sharding_select_dims(local->context, local_sharding(op_result(op, 0)), type->rank, from);
    for (int i = 0; i < reduced.count; i++) {
        int d = (int)reduced.data[i];
        const Sharding *own = local_sharding(op_operand(op, 0));
        if (!sharding_set_dim(local, wanted, type->rank, d, own, d)) {
            diag_unsupported(
                local->diags, op->loc, "reduced dimension %d is sharded over axes of the result",
                d);
            return false;
        }
    }
    return true;
}

// The axes that shard reduced dimensions.
static AxisList reduced_axes(const Sharding *sharding, IntSpan reduced) {
    AxisList axes = {0};
    for (int i = 0; sharding && i < reduced.count; i++) {
        const DimSharding *dim = &sharding->dims[reduced.data[i]];
        for (int a = 0; a < dim->axis_count; a++)
            axes.axes[axes.count++] = dim->axes[a];
    }
    return axes;
}

// Is the value the constant that changes nothing in the reduction?
static bool is_neutral(Local *local, const Value *value, OpCode body) {
    const Op *def = value->def;
    if (!def || !op_has(def, TRAIT_CONSTANT) || def->code == OP_IOTA) return false;
    return attr_equal(
        op_attr(def, NAME_VALUE), reduction_neutral(local->context, body, value->type));
}

// Every device's partial results side by side in a new leading dimension, reduced once more.
static bool combine_partials(
    Local *local, const Op *op, Op *made, Value *const *inits, const Mesh *mesh,
    const AxisList *axes, const Sharding *out) {
    int count = op->result_count;
    Value **operands = ARENA_ARRAY(local->scratch, Value *, 2 * count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, count);
    AxisList *per_dim = ARENA_ARRAY(local->scratch, AxisList, MAX_RANK);
    per_dim[0] = *axes;
    for (int i = 0; i < count; i++) {
        Value *partial = op_result(made, i);
        types[i] = partial->type;
        int64_t dims[MAX_RANK + 1] = {1};
        for (int d = 0; d < partial->type->rank; d++)
            dims[d + 1] = partial->type->dims[d];
        int rank = partial->type->rank + 1;
        if (rank > MAX_RANK) return local_absent(local, op);
        Value *x = build_reshape(&local->builder, partial, rank, dims);
        dims[0] = axis_list_size(mesh, axes->axes, axes->count);
        operands[i] = emit_all_gather(local, x, mesh, per_dim, dims);
        operands[count + i] = inits[i];
    }
    Op *last = local_clone(local, op, 2 * count, operands, types);
    if (!last) return false;
    op_set_attr(local->module, last, NAME_DIMENSIONS, attr_ints(local->context, 1, &(int64_t){0}));
    for (int i = 0; i < count; i++) {
        local_set_as(local, op_result(op, i), op_result(last, i), out);
    }
    return true;
}

bool local_reduce(Local *local, const Op *op) {
    IntSpan reduced = op_ints(op, NAME_DIMENSIONS);
    int count = op->result_count;
    const Sharding *in, *out = local_sharding(op_result(op, 0));
    if (!reduce_operand_sharding(local, op, reduced, &in)) return false;
    AxisList axes = reduced_axes(in, reduced);
    const Mesh *mesh = local_mesh(local, in);
    if (!mesh) axes.count = 0;
    OpCode body = count == 1 ? region_reduction_op(op->regions[0]) : OP_COUNT;

    Value **operands = ARENA_ARRAY(local->scratch, Value *, 2 * count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, count);
    for (int i = 0; i < count; i++) {
        const Value *operand = op_operand(op, i), *init = op_operand(op, count + i);
        Value *x = local_value_as(local, operand, in);
        Value *start = local_value_as(local, init, NULL);
        if (body != OP_COUNT && axes.count && !is_neutral(local, init, body)) {
            start = local_only_on_first(local, start, body, mesh, axes.axes, axes.count);
        }
        for (int r = 0; r < reduced.count; r++) {
            int d = (int)reduced.data[r];
            DimTiles tiles = tiles_of(local, operand->type, in, d);
            if (!tiles_are_padded(&tiles)) continue;
            Value *fill = local_value_as(local, init, NULL);
            if (body != OP_COUNT) {
                fill = build_constant(
                    &local->builder, reduction_neutral(local->context, body, fill->type));
            }
            x = local_mask_padding(local, x, &tiles, d, fill);
        }
        operands[i] = x;
        operands[count + i] = start;
        types[i] = local_type(local, op_result_type(op, i), out);
    }
    Op *made = local_clone(local, op, 2 * count, operands, types);
    if (!made) return false;
    if (body == OP_COUNT && axes.count) {
        return combine_partials(local, op, made, operands + count, mesh, &axes, out);
    }
    for (int i = 0; i < count; i++) {
        local_set_as(local, op_result(op, i), op_result(made, i), out);
    }
    return true;
}

// ---- ops that need some dimensions whole: sort, fft, cholesky, triangular_solve ----

// The dimensions, as bits, that the op works along.
static unsigned whole_dims(const Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    unsigned minor_two = rank >= 2 ? 3u << (rank - 2) : 1u;
    if (op->code == OP_SORT) return 1u << sort_dimension(op);
    if (op->code == OP_FFT)
        return (1u << rank) - (1u << (rank - op_ints(op, NAME_FFT_LENGTH).count));
    return minor_two;
}

bool local_whole_dims(Local *local, const Op *op) {
    const Sharding *sharding =
        sharding_without_dims(local->context, local_sharding(op_result(op, 0)), whole_dims(op));
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = local_value_as(local, op_operand(op, i), sharding);
    }
    for (int i = 0; i < op->result_count; i++) {
        types[i] = local_type(local, op_result_type(op, i), sharding);
    }
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    for (int i = 0; i < op->result_count; i++) {
        local_set_as(local, op_result(op, i), op_result(made, i), sharding);
    }
    return true;
}

// The columns of the right side (the rows, where x op(a) = b) may be sharded; the matrix is whole.
bool local_triangular_solve(Local *local, const Op *op) {
    int rank = op_operand_type(op, 0)->rank;
    unsigned solved = 1u << (op_int(op, NAME_LEFT_SIDE, 0) ? rank - 2 : rank - 1);
    const Sharding *out =
        sharding_without_dims(local->context, local_sharding(op_result(op, 0)), solved);
    const Sharding *matrix = sharding_without_dims(local->context, out, 3u << (rank - 2));
    Value *operands[2] = {
        local_value_as(local, op_operand(op, 0), matrix),
        local_value_as(local, op_operand(op, 1), out),
    };
    const Type *type = local_type(local, op_result_type(op, 0), out);
    Op *made = local_clone(local, op, 2, operands, &type);
    if (!made) return false;
    local_set_as(local, op_result(op, 0), op_result(made, 0), out);
    return true;
}

// Every device computes the whole result and takes its tile.
bool local_replicate(Local *local, const Op *op) {
    Value **operands = ARENA_ARRAY(local->scratch, Value *, op->operand_count);
    const Type **types = ARENA_ARRAY(local->scratch, const Type *, op->result_count);
    for (int i = 0; i < op->operand_count; i++) {
        operands[i] = local_value_as(local, op_operand(op, i), NULL);
    }
    for (int i = 0; i < op->result_count; i++)
        types[i] = op_result_type(op, i);
    Op *made = local_clone(local, op, op->operand_count, operands, types);
    if (!made) return false;
    for (int i = 0; i < op->result_count; i++) {
        local_set_as(local, op_result(op, i), op_result(made, i), NULL);
    }
    return true;
}

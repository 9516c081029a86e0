// mpi_process: which process of the grid this is, its neighbours and its groups.
#include "ir/spmd/mpi.h"

static const Type *mpi_type(Mpi *m, const char *text) {
    Context *context = m->module->context;
    const Type type = {.kind = TYPE_OPAQUE, .encoding = context_name(context, strview(text))};
    return type_intern(context, &type);
}

Value *mpi_world(Mpi *m) {
    const Type *type = mpi_type(m, "!mpi.comm");
    return op_result(build_op(&m->builder, OP_MPI_COMM_WORLD, 0, NULL, 1, &type, 0), 0);
}

// "MPI:comm_world_rank" = 5 in an attribute of dlti
static bool find_rank(StrView text, int64_t *rank) {
    static const char key[] = "\"MPI:comm_world_rank\"";
    const char *end = text.data + text.size;
    if (!strview_starts_with(text, SV("#dlti."))) return false;
    for (const char *p = text.data; p + sizeof key <= end; p++) {
        if (memcmp(p, key, sizeof key - 1) != 0) continue;
        p += sizeof key - 1;
        while (p < end && (*p == ' ' || *p == '='))
            p++;
        const char *digits = p;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        return strview_to_int64((StrView){digits, (size_t)(p - digits)}, rank);
    }
    return false;
}

// What the module, or the function, says of the process that the program is made for.
static bool known_rank(const Op *op, int64_t *rank) {
    for (; op; op = op_parent_op(op)) {
        const Attr *dict = op->extra;
        for (int i = 0; dict && i < dict->count; i++) {
            const Attr *item = dict->items[i];
            if (item->kind == ATTR_OPAQUE && find_rank(item->text, rank)) return true;
        }
    }
    return false;
}

Value *mpi_rank(Mpi *m, const Op *at) {
    int64_t known;
    if (known_rank(at, &known)) return build_index(&m->builder, known);
    Value *world = mpi_world(m);
    const Type *types[] = {
        mpi_type(m, "!mpi.retval"), type_element(m->module->context, ELEMENT_I32)};
    Op *op = build_op(&m->builder, OP_MPI_COMM_RANK, 1, &world, 2, types, 0);
    return mpi_cast(m, op_result(op, 1), ELEMENT_INDEX);
}

Value *mpi_axis_size(Mpi *m, StrView grid, int axis) {
    int64_t known = grid_shape(m->module, grid).data[axis], number = axis;
    if (known != DIM_DYNAMIC) return build_index(&m->builder, known);
    return op_result(
        build_axes_query(&m->builder, OP_SHARD_GRID_SHAPE, grid, (IntSpan){&number, 1}), 0);
}

bool mpi_place(Mpi *m, const Op *at, StrView grid, Value **place) {
    IntSpan shape = grid_shape(m->module, grid);
    Value *linear = mpi_rank(m, at);
    int64_t rank = extent_of(linear), devices = 1;
    for (int i = 0; i < shape.count; i++)
        devices = extent_times(devices, shape.data[i]);
    if (rank != DIM_DYNAMIC && devices != DIM_DYNAMIC) {
        if (rank >= devices)
            return mpi_fail(
                m, at, "is of the process with rank %lld, but grid @%.*s has %lld processes",
                (long long)rank, SV_ARG(grid), (long long)devices);
        for (int i = shape.count - 1; i >= 0; i--) {
            place[i] = build_index(&m->builder, rank % shape.data[i]);
            rank /= shape.data[i];
        }
        return true;
    }
    if (shape.count == 1) {
        place[0] = linear;
        return true;
    }
    Value *operands[MAX_AXES + 1] = {linear};
    const Type *types[MAX_AXES];
    int count = 1;
    for (int i = 0; i < shape.count; i++) {
        types[i] = linear->type;
        if (shape.data[i] == DIM_DYNAMIC) operands[count++] = mpi_axis_size(m, grid, i);
    }
    Op *parts =
        build_op(&m->builder, OP_AFFINE_DELINEARIZE, count, operands, shape.count, types, 0);
    op_set_attr(
        m->module, parts, NAME_STATIC_BASIS,
        attr_ints(m->module->context, shape.count, shape.data));
    for (int i = 0; i < shape.count; i++)
        place[i] = op_result(parts, i);
    return true;
}

Value *mpi_linear(Mpi *m, StrView grid, IntSpan axes, Value *const *place) {
    Value *linear = NULL;
    for (int i = 0; i < axes.count; i++) {
        Value *at = place[axes.data[i]];
        if (linear) {
            Value *size = mpi_axis_size(m, grid, (int)axes.data[i]);
            at = build_arith(
                &m->builder, OP_ARITH_ADDI, build_arith(&m->builder, OP_ARITH_MULI, linear, size),
                at);
        }
        linear = at;
    }
    return linear ? linear : build_index(&m->builder, 0);
}

// The process at a place along the axes that is `place` elsewhere.
static Value *process_beside(
    Mpi *m, StrView grid, IntSpan axes, Value *const *place, Value *along) {
    Value *moved[MAX_AXES];
    int64_t all[MAX_AXES];
    int rank = grid_shape(m->module, grid).count;
    for (int i = 0; i < rank; i++) {
        moved[i] = place[i];
        all[i] = i;
    }
    for (int i = axes.count - 1; i >= 0; i--) {
        Value *size = mpi_axis_size(m, grid, (int)axes.data[i]);
        moved[axes.data[i]] =
            i == 0 ? along : build_arith(&m->builder, OP_ARITH_REMSI, along, size);
        if (i > 0) along = build_arith(&m->builder, OP_ARITH_DIVSI, along, size);
    }
    return mpi_linear(m, grid, (IntSpan){all, rank}, moved);
}

void mpi_neighbors(Mpi *m, StrView grid, IntSpan axes, Value *const *place, Value *neighbors[2]) {
    Builder *b = &m->builder;
    Value *along = mpi_linear(m, grid, axes, place), *one = build_index(b, 1);
    Value *last = one;
    for (int i = 0; i < axes.count; i++)
        last = build_arith(b, OP_ARITH_MULI, last, mpi_axis_size(m, grid, (int)axes.data[i]));
    last = build_arith(b, OP_ARITH_SUBI, last, one);
    Value *none = build_index(b, -1), *zero = build_index(b, 0);
    for (int i = 0; i < 2; i++) {
        Value *at_border = i == 0 ? mpi_compare(m, ARITH_PREDICATE_sge, zero, along)
                                  : mpi_compare(m, ARITH_PREDICATE_sge, along, last);
        Value *beside = build_arith(b, i == 0 ? OP_ARITH_SUBI : OP_ARITH_ADDI, along, one);
        Value *process = process_beside(m, grid, axes, place, beside);
        neighbors[i] = mpi_select(m, at_border, none, process);
    }
}

// Processes whose places differ along the axes alone, in the order of their places: of the whole
// grid in order that is the world.
Value *mpi_group(Mpi *m, const Op *collective) {
    StrView grid = op_text(collective, NAME_GRID);
    IntSpan axes = op_ints(collective, NAME_GRID_AXES);
    int64_t others[MAX_AXES];
    int rank = grid_shape(m->module, grid).count, count = 0;
    bool is_world = axes.count == rank;
    for (int i = 0; i < rank; i++) {
        is_world = is_world && axes.data[i] == i;
        if (!ints_contain(axes, i)) others[count++] = i;
    }
    Value *world = mpi_world(m);
    if (is_world) return world;
    Value *place[MAX_AXES];
    if (!mpi_place(m, collective, grid, place)) return NULL;
    Value *color = mpi_linear(m, grid, (IntSpan){others, count}, place);
    Value *key = mpi_linear(m, grid, axes, place);
    Value *operands[] = {world, mpi_cast(m, color, ELEMENT_I32), mpi_cast(m, key, ELEMENT_I32)};
    return op_result(build_op(&m->builder, OP_MPI_COMM_SPLIT, 3, operands, 1, &world->type, 0), 0);
}

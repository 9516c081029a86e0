// mpi_sharding: shardings as numbers: the shape of a process's part, and a sharding as tensors.
#include "ir/spmd/mpi.h"

// --- shard_shape ---

// [4, %n] with operands from *operand on
static void mixed(Mpi *m, const Op *op, IntSpan numbers, int *operand, Value **values) {
    for (int i = 0; i < numbers.count; i++)
        values[i] = numbers.data[i] != DIM_DYNAMIC
                        ? build_index(&m->builder, numbers.data[i])
                        : mpi_cast(m, op_operand(op, (*operand)++), ELEMENT_INDEX);
}

static int dynamic_count(IntSpan numbers) {
    int count = 0;
    for (int i = 0; i < numbers.count; i++)
        count += numbers.data[i] == DIM_DYNAMIC;
    return count;
}

// Element `at` of the list.
static Value *element(Mpi *m, Value *const *list, int count, Value *at) {
    int64_t known;
    if (number_of(at, &known) && known >= 0 && known < count) return list[known];
    int64_t size = count;
    const Type *type = type_tensor(m->module->context, ELEMENT_INDEX, 1, &size);
    Value *table =
        op_result(build_op(&m->builder, OP_TENSOR_FROM_ELEMENTS, count, list, 1, &type, 0), 0);
    Value *operands[] = {table, at};
    return op_result(build_op(&m->builder, OP_TENSOR_EXTRACT, 2, operands, 1, &at->type, 0), 0);
}

// size / parts, the last size % parts places one more
static Value *even_part(Mpi *m, Value *size, Value *place, Value *parts) {
    Builder *b = &m->builder;
    Value *part = build_arith(b, OP_ARITH_DIVSI, size, parts);
    Value *rest = build_arith(b, OP_ARITH_REMSI, size, parts);
    Value *first = build_arith(b, OP_ARITH_SUBI, parts, rest);
    Value *has_more = mpi_compare(m, ARITH_PREDICATE_sge, place, first);
    Value *zero = build_index(b, 0), *one = build_index(b, 1);
    Value *more = mpi_select(m, has_more, one, zero);
    return build_arith(b, OP_ARITH_ADDI, part, more);
}

void mpi_shard_shape(Mpi *m, Op *op) {
    IntSpan dims = op_ints(op, NAME_DIMS_STATIC), device = op_ints(op, NAME_DEVICE_STATIC);
    int operand = 0, sharding_operand = dynamic_count(dims);
    const Op *sharding =
        sharding_operand < op->operand_count ? op_operand(op, sharding_operand)->def : NULL;
    ShardSpec spec;
    if (!sharding || !shard_spec_of_sharding(sharding, &spec)) {
        mpi_fail(
            m, op, "needs a shard.sharding as its sharding, not one that comes from elsewhere");
        return;
    }
    IntSpan shape = grid_shape(m->module, spec.grid);
    Value **sizes = ARENA_ARRAY(m->pass->scratch, Value *, dims.count + 1), *place[MAX_AXES];
    Value **offsets = ARENA_ARRAY(m->pass->scratch, Value *, spec.offsets.count + 1);
    if (device.count != shape.count ||
        op->operand_count != sharding_operand + 1 + dynamic_count(device)) {
        mpi_fail(m, op, "needs an index for each of the grid's %d dimensions", shape.count);
        return;
    }
    mixed(m, op, dims, &operand, sizes);
    operand++;
    mixed(m, op, device, &operand, place);
    operand = dynamic_count(spec.halo_sizes);
    mixed(m, sharding, spec.offsets, &operand, offsets);
    Builder *b = &m->builder;
    int first = 0; // offset of the dimension
    for (int d = 0; d < dims.count; d++) {
        IntSpan axes = spec_axes(&spec, d);
        if (axes.count == 0) continue;
        Value *at = mpi_linear(m, spec.grid, axes, place), *parts = build_index(b, 1);
        for (int i = 0; i < axes.count; i++)
            parts = build_arith(
                b, OP_ARITH_MULI, parts, mpi_axis_size(m, spec.grid, (int)axes.data[i]));
        int64_t known = grid_group_size(shape, axes);
        if (spec.offsets.count == 0) {
            sizes[d] = even_part(m, sizes[d], at, parts);
            continue;
        }
        if (known == DIM_DYNAMIC || first + known + 1 > spec.offsets.count) {
            mpi_fail(m, op, "needs a grid of known sizes for a sharding with offsets");
            return;
        }
        int count = (int)known + 1;
        Value *next = build_arith(b, OP_ARITH_ADDI, at, build_index(b, 1));
        Value *from = element(m, offsets + first, count, at);
        Value *to = element(m, offsets + first, count, next);
        sizes[d] = build_arith(b, OP_ARITH_SUBI, to, from);
        first += count;
    }
    mpi_replace(m, op, sizes);
}

// --- shardings as tensors ---

bool mpi_is_sharding(const Type *type) {
    return type->kind == TYPE_OPAQUE && strview_is(type->encoding, "!shard.sharding");
}

static const Type *table_type(Mpi *m, ElementType element, int64_t rows, int64_t columns) {
    return type_tensor(m->module->context, element, 2, (int64_t[]){rows, columns});
}

const Type *mpi_part_type(Mpi *m, int part) {
    return table_type(m, part == 0 ? ELEMENT_I16 : ELEMENT_I64, DIM_DYNAMIC, DIM_DYNAMIC);
}

static Value *empty_table(Mpi *m, ElementType element, int64_t rows, int64_t columns) {
    const Type *type = table_type(m, element, rows, columns);
    return op_result(build_op(&m->builder, OP_TENSOR_EMPTY, 0, NULL, 1, &type, 0), 0);
}

// A list as a tensor: a constant where all its numbers are known.
static Value *list_tensor(
    Mpi *m, ElementType element, int rank, const int64_t *dims, const int64_t *numbers,
    Value *const *values) {
    Context *context = m->module->context;
    const Type *type = type_tensor(context, element, rank, dims);
    int count = (int)type_element_count(type);
    bool is_known = true;
    for (int i = 0; i < count; i++)
        is_known = is_known && numbers[i] != DIM_DYNAMIC;
    if (!is_known)
        return op_result(
            build_op(&m->builder, OP_TENSOR_FROM_ELEMENTS, count, values, 1, &type, 0), 0);
    int16_t *narrow = ARENA_ARRAY(m->pass->scratch, int16_t, count + 1);
    for (int i = 0; i < count; i++)
        narrow[i] = (int16_t)numbers[i];
    bool is_narrow = element == ELEMENT_I16;
    return build_constant(
        &m->builder, attr_elements(
                         context, type, false, is_narrow ? (const void *)narrow : numbers,
                         (size_t)count * element_bytes(element)));
}

static Value *insert_row(Mpi *m, Value *row, Value *table, int64_t at, int64_t count) {
    Context *context = m->module->context;
    Value *operands[] = {row, table};
    Op *op = build_op(&m->builder, OP_TENSOR_INSERT_SLICE, 2, operands, 1, &table->type, 0);
    op_set_attr(m->module, op, NAME_STATIC_OFFSETS, attr_ints(context, 2, (int64_t[]){at, 0}));
    op_set_attr(m->module, op, NAME_STATIC_SIZES, attr_ints(context, 2, (int64_t[]){1, count}));
    op_set_attr(m->module, op, NAME_STATIC_STRIDES, attr_ints(context, 2, (int64_t[]){1, 1}));
    return op_result(op, 0);
}

// Row d: the axes of dimension d, then -1.
static Value *axes_table(Mpi *m, const Attr *sets) {
    int64_t most = 0;
    for (int d = 0; d < sets->count; d++)
        most = sets->items[d]->count > most ? sets->items[d]->count : most;
    const Type *type = table_type(m, ELEMENT_I16, sets->count, most);
    Value *table = mpi_into_empty(m, OP_LINALG_FILL, mpi_constant(m, ELEMENT_I16, -1), type, NULL);
    for (int d = 0; d < sets->count; d++) {
        int64_t count = sets->items[d]->count;
        if (count == 0) continue;
        Value *row = list_tensor(m, ELEMENT_I16, 1, &count, sets->items[d]->ints, NULL);
        table = insert_row(m, row, table, d, count);
    }
    return table;
}

// Row i: the offsets of split dimension i, then the least i64. NULL after a diagnostic.
static Value *offsets_table(Mpi *m, const Op *op, const ShardSpec *spec, Value *const *values) {
    IntSpan shape = grid_shape(m->module, spec->grid), offsets = spec->offsets;
    if (offsets.count == 0) return empty_table(m, ELEMENT_I64, 0, 0);
    int64_t rows = 0, most = 0, first = 0;
    for (int d = 0; d < spec->split_axes->count; d++) {
        IntSpan axes = spec_axes(spec, d);
        int64_t size = grid_group_size(shape, axes);
        if (axes.count == 0) continue;
        if (size == DIM_DYNAMIC || size >= offsets.count) {
            mpi_fail(m, op, "needs a grid of known sizes for a sharding with offsets");
            return NULL;
        }
        most = size + 1 > most ? size + 1 : most;
        rows++;
    }
    const Type *type = table_type(m, ELEMENT_I64, rows, most);
    Value *none = mpi_constant(m, ELEMENT_I64, INT64_MIN);
    Value *table = mpi_into_empty(m, OP_LINALG_FILL, none, type, NULL);
    for (int d = 0, row = 0; d < spec->split_axes->count; d++) {
        IntSpan axes = spec_axes(spec, d);
        if (axes.count == 0) continue;
        int64_t count = grid_group_size(shape, axes) + 1;
        Value *list = list_tensor(m, ELEMENT_I64, 1, &count, offsets.data + first, values + first);
        table = insert_row(m, list, table, row++, count);
        first += count;
    }
    return table;
}

// Operands of the sharding from *operand on, as i64; numbers where they are known.
static Value **i64_values(Mpi *m, const Op *op, IntSpan numbers, int *operand) {
    Value **values = ARENA_ARRAY(m->pass->scratch, Value *, numbers.count + 1);
    bool is_known = dynamic_count(numbers) == 0;
    for (int i = 0; i < numbers.count && !is_known; i++)
        values[i] = numbers.data[i] != DIM_DYNAMIC
                        ? mpi_constant(m, ELEMENT_I64, numbers.data[i])
                        : mpi_cast(m, op_operand(op, (*operand)++), ELEMENT_I64);
    return values;
}

bool mpi_sharding_tensors(Mpi *m, Op *op, Value **parts) {
    ShardSpec spec;
    if (!shard_spec_of_sharding(op, &spec)) return mpi_fail(m, op, "has no split axes");
    m->builder = builder_before(m->module, op);
    int operand = 0;
    Value **halos = i64_values(m, op, spec.halo_sizes, &operand);
    Value **offsets = i64_values(m, op, spec.offsets, &operand);
    parts[0] = axes_table(m, spec.split_axes);
    int64_t dims[] = {spec.halo_sizes.count / 2, 2};
    parts[1] = spec.halo_sizes.count == 0
                   ? empty_table(m, ELEMENT_I64, 0, 0)
                   : list_tensor(m, ELEMENT_I64, 2, dims, spec.halo_sizes.data, halos);
    parts[2] = offsets_table(m, op, &spec, offsets);
    for (int i = 0; i < MPI_SHARDING_PARTS && parts[2]; i++) {
        const Type *type = mpi_part_type(m, i);
        parts[i] = op_result(build_op(&m->builder, OP_TENSOR_CAST, 1, &parts[i], 1, &type, 0), 0);
    }
    return parts[2] != NULL;
}

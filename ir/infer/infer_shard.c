// infer_shard: grids, shardings and collectives of the dialect shard, with MLIR's diagnostics.
#include "base/checked.h"
#include "ir/infer/infer.h"

#include <stdarg.h>

typedef struct Grid {
    const Op *op; // NULL: of a size that is not known
    StrView name;
    IntSpan shape;
} Grid;

// A problem that MLIR reports without the op's name.
static void report(Infer *infer, const Op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void report(Infer *infer, const Op *op, const char *format, ...) {
    StrBuf text = strbuf(infer->diags->arena);
    va_list arguments;
    va_start(arguments, format);
    strbuf_vprintf(&text, format, arguments);
    va_end(arguments);
    diag_error(infer->diags, op->loc, "%s", strbuf_cstring(&text));
}
#define fail(...) (report(__VA_ARGS__), false)

static bool check_list(Infer *infer, const Op *op, AttrName name) {
    const Attr *attr = op_attr(op, name);
    StrView text = op_attr_text(op->code, name);
    if (attr && attr->kind != ATTR_INTS)
        return infer_fail(infer, op, "attribute '%.*s' must be a list of integers", SV_ARG(text));
    return attr || infer_fail(infer, op, "requires attribute '%.*s'", SV_ARG(text));
}

static bool check_index(Infer *infer, const Op *op, AttrName name, int64_t *number) {
    const Attr *attr = op_attr(op, name);
    StrView text = op_attr_text(op->code, name);
    if (!attr || attr->kind != ATTR_INT)
        return infer_fail(infer, op, "requires attribute '%.*s', an integer", SV_ARG(text));
    *number = attr->integer;
    return true;
}

static const Op *find_grid(const Infer *infer, StrView name) {
    if (infer->symbols) {
        const Op *op = str_map_get(infer->symbols, name);
        return op && op->code == OP_SHARD_GRID ? op : NULL;
    }
    for (const Op *op = infer->module->body->first; op; op = op->next) {
        if (op->code == OP_SHARD_GRID && strview_equal(op_text(op, NAME_SYM_NAME), name)) return op;
    }
    return NULL;
}

static bool find_shape(Infer *infer, const Op *op, Grid *grid) {
    const Attr *name = op_attr(op, NAME_GRID);
    if (!name || name->kind != ATTR_SYMBOL)
        return infer_fail(infer, op, "requires attribute 'grid'");
    grid->name = name->text;
    grid->op = find_grid(infer, name->text);
    if (!grid->op)
        return fail(infer, op, "Undefined required grid symbol \"%.*s\".", SV_ARG(name->text));
    grid->shape = op_ints(grid->op, NAME_SHAPE);
    return true;
}

bool infer_shard_grid(Infer *infer, const Op *op) {
    if (!check_list(infer, op, NAME_SHAPE)) return false;
    IntSpan shape = op_ints(op, NAME_SHAPE);
    if (shape.count == 0)
        return fail(infer, op, "rank of grid is expected to be a positive integer");
    if (shape.count > MAX_AXES)
        return fail(infer, op, "grids of more than %d dimensions are not supported", MAX_AXES);
    int64_t devices = 1;
    for (int i = 0; i < shape.count; i++) {
        int64_t size = shape.data[i];
        if (size == DIM_DYNAMIC) continue;
        if (size < 0)
            return fail(
                infer, op, "dimension size of a grid is expected to be non-negative or dynamic");
        if (size > 0 && !checked_mul(devices, size, &devices))
            return fail(infer, op, "the grid has too many devices");
    }
    return true;
}

static bool check_axes(Infer *infer, const Op *op, const Grid *grid, IntSpan axes) {
    for (int i = 0; i < axes.count; i++) {
        if (ints_find((IntSpan){axes.data, i}, axes.data[i]) >= 0)
            return fail(infer, op, "Grid axes contains duplicate elements.");
    }
    for (int i = 0; i < axes.count; i++) {
        if (axes.data[i] >= 0 && axes.data[i] < grid->shape.count) continue;
        return fail(
            infer, op,
            "0-based grid axis index %lld is out of bounds. The referenced grid \"%.*s\" is of "
            "rank %d.",
            (long long)axes.data[i], SV_ARG(grid->name), grid->shape.count);
    }
    return true;
}

// The devices along the axes; DIM_DYNAMIC where they are not known.
static int64_t group_size(const Grid *grid, IntSpan axes) {
    int64_t size = 1;
    for (int i = 0; i < axes.count; i++) {
        int64_t axis = grid->shape.data[axes.data[i]];
        if (axis == DIM_DYNAMIC) return DIM_DYNAMIC;
        size *= axis;
    }
    return size;
}

static bool find_group(Infer *infer, const Op *op, Grid *grid, int64_t *size) {
    if (op_attr(op, NAME_GRID_AXES) && !check_list(infer, op, NAME_GRID_AXES)) return false;
    IntSpan axes = op_ints(op, NAME_GRID_AXES);
    if (!find_shape(infer, op, grid) || !check_axes(infer, op, grid, axes)) return false;
    *size = group_size(grid, axes);
    return true;
}

// --- queries ---

static bool check_result_count(Infer *infer, const Op *op, int expected) {
    if (op->result_count == expected) return true;
    return fail(
        infer, op, "Unexpected number of results %d. Expected %d.", op->result_count, expected);
}

static void give_indices(Infer *infer, const Op *op) {
    for (int i = 0; i < op->result_count; i++)
        infer->types[i] = type_element(infer->context, ELEMENT_INDEX);
}

bool infer_shard_axes_query(Infer *infer, const Op *op) {
    Grid grid;
    if (op_attr(op, NAME_AXES) && !check_list(infer, op, NAME_AXES)) return false;
    IntSpan axes = op_ints(op, NAME_AXES);
    if (!find_shape(infer, op, &grid) || !check_axes(infer, op, &grid, axes)) return false;
    give_indices(infer, op);
    return check_result_count(infer, op, axes.count > 0 ? axes.count : grid.shape.count);
}

bool infer_shard_linear_index(Infer *infer, const Op *op) {
    Grid grid;
    give_indices(infer, op);
    return find_shape(infer, op, &grid);
}

bool infer_shard_neighbors(Infer *infer, const Op *op) {
    Grid grid;
    give_indices(infer, op);
    if (!check_list(infer, op, NAME_SPLIT_AXES) || !find_shape(infer, op, &grid)) return false;
    if (op->operand_count != grid.shape.count)
        return infer_fail(
            infer, op, "needs one index for each of the grid's %d dimensions", grid.shape.count);
    return check_axes(infer, op, &grid, op_ints(op, NAME_SPLIT_AXES));
}

// --- shardings ---

// Axes of all lists: not negative, in the grid (when it is known), each once.
static bool check_axis_sets(
    Infer *infer, const Op *op, const Grid *grid, const Attr *sets, IntSpan partial) {
    int64_t seen[MAX_AXES * 2];
    int count = 0;
    if (!sets || sets->kind != ATTR_ARRAY)
        return infer_fail(infer, op, "requires attribute 'split_axes', lists of grid axes");
    for (int i = 0; i <= sets->count; i++) {
        bool is_last = i == sets->count;
        if (!is_last && sets->items[i]->kind != ATTR_INTS)
            return infer_fail(infer, op, "requires attribute 'split_axes', lists of grid axes");
        IntSpan axes = is_last ? partial : (IntSpan){sets->items[i]->ints, sets->items[i]->count};
        for (int a = 0; a < axes.count; a++) {
            int64_t axis = axes.data[a];
            if (axis < 0) return fail(infer, op, "grid axis is expected to be non-negative");
            if (ints_find((IntSpan){seen, count}, axis) >= 0)
                return fail(infer, op, "grid axis duplicated");
            if (grid->op && axis >= grid->shape.count)
                return check_axes(infer, op, grid, (IntSpan){&axis, 1});
            if (count == MAX_AXES * 2)
                return fail(infer, op, "the sharding has too many grid axes");
            seen[count++] = axis;
        }
    }
    return true;
}

static int sharded_dims(const Attr *sets) {
    int count = 0;
    for (int i = 0; i < sets->count; i++)
        count += sets->items[i]->count > 0;
    return count;
}

// As many offsets for each sharded dimension as there are shards, and one; from 0, not falling.
static bool check_offsets(Infer *infer, const Op *op, const Grid *grid, const Attr *sets) {
    IntSpan offsets = op_ints(op, NAME_STATIC_SHARDED_DIMS_OFFSETS);
    int at = 0;
    for (int i = 0; i < sets->count; i++) {
        IntSpan axes = {sets->items[i]->ints, sets->items[i]->count};
        if (axes.count == 0) continue;
        int64_t shards = group_size(grid, axes);
        if (shards == DIM_DYNAMIC) return true;
        if (offsets.count - at < shards + 1)
            return fail(
                infer, op, "sharded dims offsets has wrong length: dimension %d needs %lld", i,
                (long long)shards + 1);
        for (int64_t s = 0; s <= shards; s++) {
            int64_t offset = offsets.data[at + s];
            int64_t before = s ? offsets.data[at + s - 1] : 0;
            bool known = offset != DIM_DYNAMIC && before != DIM_DYNAMIC;
            if (known && (s ? offset < before : offset != 0))
                return fail(infer, op, "sharded dims offsets must begin with 0 and not decrease");
        }
        at += (int)shards + 1;
    }
    return at == offsets.count || fail(infer, op, "sharded dims offsets has wrong length");
}

bool infer_shard_sharding(Infer *infer, const Op *op) {
    Grid grid;
    if (!find_shape(infer, op, &grid) || !infer_mixed(infer, op)) return false;
    const Attr *sets = op_attr(op, NAME_SPLIT_AXES);
    if (!check_axis_sets(infer, op, &grid, sets, (IntSpan){NULL, 0})) return false;
    const Attr *halos = op_attr(op, NAME_STATIC_HALO_SIZES);
    const Attr *offsets = op_attr(op, NAME_STATIC_SHARDED_DIMS_OFFSETS);
    if (halos && halos->count > 0 && offsets && offsets->count > 0)
        return infer_fail(infer, op, "halo sizes and shard offsets are mutually exclusive");
    if (halos && halos->count > 0) {
        if (halos->kind != ATTR_INTS || halos->count != 2 * sharded_dims(sets))
            return infer_fail(infer, op, "halo sizes must be specified for all split axes.");
        for (int i = 0; i < halos->count; i++) {
            if (halos->ints[i] < 0 && halos->ints[i] != DIM_DYNAMIC)
                return infer_fail(infer, op, "halo sizes must not be negative");
        }
    }
    if (offsets && offsets->count > 0) {
        if (offsets->kind != ATTR_INTS)
            return infer_fail(infer, op, "sharded dims offsets must be integers");
        if (!check_offsets(infer, op, &grid, sets)) return false;
    }
    return true;
}

static bool is_sharding_type(const Type *type) {
    return type->kind == TYPE_OPAQUE && strview_is(type->encoding, "!shard.sharding");
}

bool infer_shard_shard(Infer *infer, const Op *op) {
    if (op->operand_count < 1 || op->operand_count > 2)
        return infer_fail(infer, op, "expected 2 operands, but found %d", op->operand_count);
    const Type *type = op_operand_type(op, 0);
    infer->types[0] = type;
    const Attr *sets = op_attr(op, NAME_SPLIT_AXES);
    if (op->operand_count == 2) {
        const Op *sharding = op_operand(op, 1)->def;
        if (!is_sharding_type(op_operand_type(op, 1)))
            return infer_fail(infer, op, "operand #1 must be a sharding");
        if (sets) return infer_fail(infer, op, "has two shardings");
        sets = sharding && sharding->code == OP_SHARD_SHARDING ? op_attr(sharding, NAME_SPLIT_AXES)
                                                               : NULL;
    } else {
        const Attr *name = op_attr(op, NAME_GRID);
        if (!name || name->kind != ATTR_SYMBOL) return infer_fail(infer, op, "requires a sharding");
        Grid grid = {.name = name->text, .op = find_grid(infer, name->text)};
        if (grid.op) grid.shape = op_ints(grid.op, NAME_SHAPE);
        if (op_attr(op, NAME_PARTIAL_AXES) && !check_list(infer, op, NAME_PARTIAL_AXES))
            return false;
        if (!check_axis_sets(infer, op, &grid, sets, op_ints(op, NAME_PARTIAL_AXES))) return false;
    }
    if (type->kind == TYPE_TENSOR && !type->unranked && sets && sets->kind == ATTR_ARRAY &&
        sets->count > type->rank && sharded_dims(sets) > 0)
        return infer_fail(
            infer, op, "has a sharding of %d dimensions for a tensor of rank %d", sets->count,
            type->rank);
    return true;
}

bool infer_shard_shard_shape(Infer *infer, const Op *op) {
    give_indices(infer, op);
    if (!check_list(infer, op, NAME_DIMS_STATIC) || !check_list(infer, op, NAME_DEVICE_STATIC))
        return false;
    return infer_mixed(infer, op) &&
           check_result_count(infer, op, op_ints(op, NAME_DIMS_STATIC).count);
}

// --- collectives ---

// The shape of a tensor, or of a buffer where the op takes buffers; NULL of others.
static const Type *ranked(const Infer *infer, const Op *op, const Value *value) {
    bool takes_buffers = op->code == OP_SHARD_ALL_REDUCE || op->code == OP_SHARD_ALL_GATHER ||
                         op->code == OP_SHARD_REDUCE_SCATTER || op->code == OP_SHARD_UPDATE_HALO;
    if (value->type->kind != TYPE_TENSOR && !takes_buffers) return NULL;
    return type_shaped(infer->context, value->type);
}

// The shapes of operand 0 and of the result, of one rank.
static bool find_types(Infer *infer, const Op *op, const Type **from, const Type **to) {
    if (op->operand_count < 1) return infer_fail(infer, op, "requires an operand");
    *from = ranked(infer, op, op_operand(op, 0));
    *to = ranked(infer, op, op_result(op, 0));
    if (!*from) return infer_fail(infer, op, "operand #0 must be ranked tensor of any type values");
    if (!*to) return infer_fail(infer, op, "result #0 must be ranked tensor of any type values");
    return (*from)->rank == (*to)->rank ||
           infer_fail(infer, op, "failed to verify that all of {input, result} have same rank");
}

static bool same_elements(Infer *infer, const Op *op, const Type *from, const Type *to) {
    return from->element == to->element ||
           infer_fail(
               infer, op, "failed to verify that all of {input, result} have same element type");
}

static bool same_dims(const Type *from, const Type *to) {
    for (int d = 0; d < from->rank; d++) {
        if (!dims_fit(from->dims[d], to->dims[d])) return false;
    }
    return true;
}

static const char *dim_text(Infer *infer, int64_t size) {
    return size == DIM_DYNAMIC ? "dynamic"
                               : arena_printf(infer->diags->arena, "%lld", (long long)size);
}

static bool check_dim(Infer *infer, const Op *op, int d, int64_t expected, int64_t found) {
    if (found == DIM_DYNAMIC || found == expected) return true;
    return fail(
        infer, op, "Dimension size mismatch for result axis %d. Expected %s, but got %lld.", d,
        dim_text(infer, expected), (long long)found);
}

static int64_t multiplied(int64_t size, int64_t by) {
    int64_t product;
    if (size == DIM_DYNAMIC || by == DIM_DYNAMIC || !checked_mul(size, by, &product))
        return DIM_DYNAMIC;
    return product;
}

static int64_t divided(int64_t size, int64_t by) {
    return size == DIM_DYNAMIC || by == DIM_DYNAMIC || by == 0 ? DIM_DYNAMIC : size / by;
}

static bool check_dim_number(
    Infer *infer, const Op *op, const char *what, int64_t axis, const Type *type) {
    if (axis >= 0 && axis < type->rank) return true;
    return fail(
        infer, op, "%s axis %lld is out of bounds [0, %d).", what, (long long)axis, type->rank);
}

// The device in the group: an index for each of the group's axes.
static bool check_device(Infer *infer, const Op *op, const Grid *grid, AttrName name) {
    if (!check_list(infer, op, name) || !infer_mixed(infer, op)) return false;
    IntSpan device = op_ints(op, name), axes = op_ints(op, NAME_GRID_AXES);
    StrView text = op_attr_text(op->code, name);
    if (device.count != axes.count)
        return fail(
            infer, op, "In-group device \"%.*s\" has unexpected multi-index size %d. Expected %d.",
            SV_ARG(text), device.count, axes.count);
    for (int i = 0; i < device.count; i++) {
        int64_t index = device.data[i], size = grid->shape.data[axes.data[i]];
        if (index == DIM_DYNAMIC || (index >= 0 && (size == DIM_DYNAMIC || index < size))) continue;
        return fail(
            infer, op,
            "Out of bounds coordinate %d for in-group device \"%.*s\". Got %lld, but expected "
            "value in the range [0, %s].",
            i, SV_ARG(text), (long long)index,
            size == DIM_DYNAMIC ? "unknown" : dim_text(infer, size - 1));
    }
    return true;
}

// What gathers: one dimension grows by the group.
static bool check_gather(
    Infer *infer, const Op *op, const Type *from, const Type *to, int64_t size) {
    int64_t axis;
    if (!check_index(infer, op, NAME_GATHER_AXIS, &axis)) return false;
    if (!check_dim_number(infer, op, "Gather", axis, from)) return false;
    for (int d = 0; d < from->rank; d++) {
        int64_t expected = d == axis ? multiplied(from->dims[d], size) : from->dims[d];
        if (!check_dim(infer, op, d, expected, to->dims[d])) return false;
    }
    return true;
}

// What scatters or slices: one dimension is divided among the group.
static bool check_division(
    Infer *infer, const Op *op, AttrName name, const char *what, const Type *from, const Type *to,
    int64_t size) {
    int64_t axis;
    if (!check_index(infer, op, name, &axis)) return false;
    if (!check_dim_number(infer, op, what, axis, from)) return false;
    for (int d = 0; d < from->rank; d++) {
        if (d != axis && !check_dim(infer, op, d, from->dims[d], to->dims[d])) return false;
    }
    int64_t extent = from->dims[axis];
    if (extent != DIM_DYNAMIC && size != DIM_DYNAMIC && (size == 0 || extent % size != 0))
        return fail(
            infer, op,
            "Operand dimension size %lld is not divisible by collective device group size %lld "
            "for tensor axis %lld.",
            (long long)extent, (long long)size, (long long)axis);
    return check_dim(infer, op, (int)axis, divided(extent, size), to->dims[axis]);
}

bool infer_shard_all_gather(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    return find_group(infer, op, &grid, &size) && check_gather(infer, op, from, to, size);
}

bool infer_shard_gather(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    return find_group(infer, op, &grid, &size) && check_gather(infer, op, from, to, size) &&
           check_device(infer, op, &grid, NAME_ROOT);
}

bool infer_shard_all_reduce(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to)) return false;
    if (!same_dims(from, to))
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    return find_group(infer, op, &grid, &size);
}

bool infer_shard_all_slice(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    return find_group(infer, op, &grid, &size) &&
           check_division(infer, op, NAME_SLICE_AXIS, "Slice", from, to, size);
}

bool infer_shard_all_to_all(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size, split, concat;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to) ||
        !find_group(infer, op, &grid, &size) || !check_index(infer, op, NAME_SPLIT_AXIS, &split) ||
        !check_index(infer, op, NAME_CONCAT_AXIS, &concat) ||
        !check_dim_number(infer, op, "Split", split, from) ||
        !check_dim_number(infer, op, "Concat", concat, from))
        return false;
    for (int d = 0; d < from->rank; d++) {
        int64_t expected = from->dims[d];
        if (d == concat && split != concat) expected = multiplied(expected, size);
        if (d == split && split != concat) expected = divided(expected, size);
        if (!check_dim(infer, op, d, expected, to->dims[d])) return false;
    }
    return true;
}

bool infer_shard_broadcast(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    if (!same_dims(from, to))
        return infer_fail(
            infer, op, "failed to verify that all of {input, result} have same shape");
    return find_group(infer, op, &grid, &size) && check_device(infer, op, &grid, NAME_ROOT);
}

bool infer_shard_send(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    AttrName name = op->code == OP_SHARD_SEND ? NAME_DESTINATION : NAME_SOURCE;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    if (!same_dims(from, to))
        return infer_fail(
            infer, op, "failed to verify that all of {input, result} have same shape");
    if (!find_group(infer, op, &grid, &size)) return false;
    return (name == NAME_SOURCE && !op_attr(op, name)) || check_device(infer, op, &grid, name);
}

bool infer_shard_reduce(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to)) return false;
    if (!same_dims(from, to))
        return infer_fail(
            infer, op, "failed to verify that all of {input, result} have same shape");
    return find_group(infer, op, &grid, &size) && check_device(infer, op, &grid, NAME_ROOT);
}

bool infer_shard_reduce_scatter(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    return find_types(infer, op, &from, &to) && find_group(infer, op, &grid, &size) &&
           check_division(infer, op, NAME_SCATTER_AXIS, "Scatter", from, to, size);
}

bool infer_shard_scatter(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    return find_group(infer, op, &grid, &size) &&
           check_division(infer, op, NAME_SCATTER_AXIS, "Scatter", from, to, size) &&
           check_device(infer, op, &grid, NAME_ROOT);
}

bool infer_shard_shift(Infer *infer, const Op *op) {
    Grid grid;
    int64_t size, axis, offset;
    const Type *from, *to;
    if (!find_types(infer, op, &from, &to) || !same_elements(infer, op, from, to)) return false;
    if (!same_dims(from, to))
        return infer_fail(infer, op, "requires the same shape for all operands and results");
    if (!find_group(infer, op, &grid, &size) || !check_index(infer, op, NAME_SHIFT_AXIS, &axis) ||
        !check_index(infer, op, NAME_OFFSET, &offset))
        return false;
    return ints_contain(op_ints(op, NAME_GRID_AXES), axis) ||
           fail(
               infer, op, "Invalid shift axis %lld. It must be one of the grouping grid axes.",
               (long long)axis);
}

bool infer_shard_update_halo(Infer *infer, const Op *op) {
    Grid grid;
    if (op->operand_count < 1) return infer_fail(infer, op, "requires an operand");
    infer->types[0] = op_operand_type(op, 0);
    if (!find_shape(infer, op, &grid) ||
        !check_axis_sets(infer, op, &grid, op_attr(op, NAME_SPLIT_AXES), (IntSpan){NULL, 0}) ||
        !check_list(infer, op, NAME_STATIC_HALO_SIZES) || !infer_mixed(infer, op))
        return false;
    const Attr *sets = op_attr(op, NAME_SPLIT_AXES);
    const Type *type = ranked(infer, op, op_operand(op, 0));
    if (type && sets->count > type->rank)
        return infer_fail(infer, op, "has more split axes than the tensor has dimensions");
    IntSpan halos = op_ints(op, NAME_STATIC_HALO_SIZES);
    if (halos.count != 2 * sharded_dims(sets))
        return infer_fail(infer, op, "halo sizes must be specified for all split axes.");
    int at = 0;
    for (int d = 0; type && d < sets->count; d++) {
        if (sets->items[d]->count == 0) continue;
        int64_t low = halos.data[at], high = halos.data[at + 1];
        at += 2;
        if ((low < 0 && low != DIM_DYNAMIC) || (high < 0 && high != DIM_DYNAMIC))
            return infer_fail(infer, op, "halo sizes must not be negative");
        bool known = low >= 0 && high >= 0 && type->dims[d] != DIM_DYNAMIC;
        if (known && (low > type->dims[d] || high > type->dims[d] - low))
            return infer_fail(infer, op, "halo sizes of dimension %d exceed its size", d);
    }
    return true;
}

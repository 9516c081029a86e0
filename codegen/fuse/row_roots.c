// row_roots: kernels that are made row by row.
//
// A reduction over the last dimensions whose result is used for the same row's elements is a part
// of the kernel that uses it: a row is in the cache when it is read again. Such a kernel may also
// store what others read later, of the row as a whole or of its elements. What it would compute in
// several passes is kept (plan/rows.h), so long as that fits into the cache. The same holds of
// reductions over other dimensions: their rows are columns of memory, of which blocks side by side
// are made together.
#include "codegen/fuse/cost.h"
#include "codegen/fuse/readers.h"
#include "codegen/target/target.h"

enum {
    FEW_ROWS = 16,
    LEAST_VECTORS = 4,
    SEARCH_DEPTH = 8,
    FEW_ROWS_BYTES = 128 << 10,
    SMALL_BYTES = 32 << 10, // one lane makes it all
    LINE = 64,
    LEAST_STEPS = 16
};

static int last_dim(const Type *type) { // of more than one place
    int last = type->rank - 1;
    while (last > 0 && type->dims[last] == 1)
        last--;
    return last;
}

// Are the reduced dimensions the operand's last? Else *by_columns: the last one stays.
static bool reduces_rows(const Op *op, bool *by_columns) {
    const Type *type = op_operand_type(op, 0);
    IntSpan dims = op_ints(op, NAME_DIMENSIONS);
    bool is_reduced[MAX_RANK] = {false}, is_kept_behind = false, is_reduced_before = false;
    *by_columns = false;
    for (int i = 0; i < dims.count; i++)
        is_reduced[dims.data[i]] = true;
    for (int d = type->rank - 1; d >= 0; d--) {
        if (type->dims[d] == 1) continue;
        if (is_reduced[d] && is_kept_behind) is_reduced_before = true;
        if (!is_reduced[d] && !is_kept_behind) *by_columns = true;
        is_kept_behind = is_kept_behind || !is_reduced[d];
    }
    *by_columns = *by_columns && is_reduced_before;
    return *by_columns || !is_reduced_before;
}

// Columns are worth it where lines of them fit into the cache, and are many.
static bool columns_pay(
    const Fusion *fusion, const FusionRoot *root, uint32_t row_axes, const Op *reduce) {
    const Type *type = op_operand_type(reduce, 0);
    int64_t bytes = (int64_t)element_bytes(type->element), columns = 1, of_root = 1;
    int64_t steps = cost_reduced_elements(reduce);
    for (int a = 0; a < root->type->rank; a++)
        *(row_axes >> a & 1 ? &columns : &of_root) *= root->type->dims[a];
    if (root->kind == KERNEL_REDUCE) of_root = cost_reduced_elements(root->op);
    if (of_root > steps) steps = of_root; // what is reduced may be less than what is made of it
    return steps >= LEAST_STEPS && steps <= fusion->plan->target->l2_bytes / 2 / LINE &&
           type->dims[last_dim(type)] * bytes >= LINE &&
           (columns * bytes >= FEW_ROWS * LINE || columns * steps * bytes <= SMALL_BYTES);
}

// Bytes of what the kernel makes, or reduces.
static int64_t bytes_made(const FusionRoot *root) {
    return (int64_t)type_bytes(
        root->kind == KERNEL_REDUCE ? op_operand_type(root->op, 0) : root->type);
}

// Rows of this reduction's elements are worth it where they have several vectors each, and are
// many, as one row is made by one lane. Few rows must be short: those that are reduced, and those
// that are made of them.
static bool rows_pay(
    const Fusion *fusion, const FusionRoot *root, uint32_t row_axes, const Op *reduce) {
    bool by_columns;
    if (!reduces_rows(reduce, &by_columns)) return false;
    if (by_columns) return columns_pay(fusion, root, row_axes, reduce);
    const Type *type = op_operand_type(reduce, 0);
    int64_t rows = 1, row_bytes = cost_reduced_elements(reduce) * element_bytes(type->element);
    for (int a = 0; a < root->type->rank; a++)
        rows *= row_axes >> a & 1 ? root->type->dims[a] : 1;
    return row_bytes >= LEAST_VECTORS * fusion->plan->target->vector_bits / 8 &&
           (rows >= FEW_ROWS ||
            ((int64_t)type_bytes(type) <= FEW_ROWS_BYTES && bytes_made(root) <= FEW_ROWS_BYTES));
}

// The axes that are dimensions of the value; *is_whole: all dimensions are axes.
static uint32_t axes_read(const Value *value, const DimMap *map, bool *is_whole) {
    uint32_t axes = 0;
    *is_whole = true;
    for (int d = 0; d < value->type->rank; d++) {
        if (map->axis[d] >= 0)
            axes |= (uint32_t)1 << map->axis[d];
        else if (value->type->dims[d] != 1)
            *is_whole = false;
    }
    return axes;
}

static uint32_t unit_axes(const Type *type) {
    uint32_t axes = 0;
    for (int a = 0; a < type->rank; a++)
        axes |= (uint32_t)(type->dims[a] == 1) << a;
    return axes;
}

// May kernels of this root run row by row at all?
static bool may_have_rows(const FusionRoot *root, const Value *value) {
    if (root->region != value->def->parent || root->is_closed || root->moves_lanes) return false;
    if (root->fused_ops > FUSED_OPS_LIMIT || root->members.count >= 16) return false;
    bool by_columns;
    if (root->kind == KERNEL_REDUCE)
        return root->op->code == OP_REDUCE && root->op->result_count == 1 &&
               reduces_rows(root->op, &by_columns);
    return root->kind == KERNEL_LOOP;
}

// Does this reader see, for each of its rows, the value's elements of that row
// alone? row_axes: those of the rows.
static bool reads_by_rows(const Value *value, const Reader *reader, uint32_t row_axes) {
    bool is_whole;
    uint32_t units = unit_axes(reader->root->type);
    return (row_axes & ~units & ~axes_read(value, &reader->map, &is_whole)) == 0;
}

// The axes of the rows of which the kernel would read what is made of a reduction: *row_axes.
static bool is_of_rows(
    const Value *value, const Op *reduce, const Reader *reader, uint32_t *row_axes,
    bool *by_columns) {
    const FusionRoot *root = reader->root;
    bool is_whole, root_by_columns;
    if (!reduces_rows(reduce, by_columns)) return false;
    if (root->has_rows && root->by_columns != *by_columns) return false;
    uint32_t axes = axes_read(value, &reader->map, &is_whole) | unit_axes(root->type);
    if (!is_whole || (root->has_rows && axes != root->row_axes)) return false;
    uint32_t all = ((uint32_t)1 << root->type->rank) - 1;
    if (root->kind == KERNEL_REDUCE && axes != all) return false;
    if (root->kind == KERNEL_REDUCE && reduces_rows(root->op, &root_by_columns) &&
        root_by_columns != *by_columns)
        return false;
    // the elements of a row lie side by side, or those of columns
    if (root->kind == KERNEL_LOOP && axes != all &&
        (axes >> last_dim(root->type) & 1) != *by_columns)
        return false;
    *row_axes = axes;
    return true;
}

static void set_rows(FusionRoot *root, uint32_t row_axes, bool by_columns) {
    if (root->has_rows) return;
    root->has_rows = true;
    root->by_columns = by_columns;
    root->row_axes = row_axes;
    for (int64_t i = 0; i < root->maps.count; i++) {
        for (int d = 0; d < MAX_RANK; d++) {
            signed char *axis = &root->maps.data[i].axis[d];
            if (*axis >= 0 && !(row_axes >> *axis & 1)) *axis = -1;
        }
    }
}

// Does a reduction down columns read the value only at the element that it makes of its own result?
// Then there is nothing to keep of a column, and one fold of both is faster (join_reductions.c).
static bool is_beside(const Readers *readers, const FusionRoot *root, bool by_columns) {
    if (root->kind != KERNEL_REDUCE || root->has_rows || !by_columns) return false;
    for (int i = 0; i < readers->count; i++) {
        if (readers->list[i].root == root && readers->list[i].path != 0) return false;
    }
    return true;
}

bool rows_take(const Fusion *fusion, const Value *value, const Readers *readers) {
    const Op *op = value->def;
    if (value_info(fusion, value)->is_forced || readers->is_nested || readers->count == 0)
        return false;
    if (op->code != OP_REDUCE || op->result_count != 1) return false;
    FusionRoot *root = readers->list[0].root;
    uint32_t row_axes = 0, others = 0;
    bool by_columns = false;
    if (!may_have_rows(root, value)) return false;
    for (int i = 0; i < readers->count; i++) {
        if (readers->list[i].root != root) return false;
        if (!is_of_rows(value, op, &readers->list[i], i ? &others : &row_axes, &by_columns))
            return false;
        if (i && others != row_axes) return false;
    }
    if (is_beside(readers, root, by_columns)) return false;
    if (!rows_pay(fusion, root, row_axes, op)) return false;
    set_rows(root, row_axes, by_columns);
    return true;
}

// The reduction of rows of which the value is made, element by element.
static const Op *reduction_behind(const Value *value, int depth) {
    const Op *op = value->def;
    if (!op || depth == 0) return NULL;
    bool by_columns;
    if (op->code == OP_REDUCE)
        return op->result_count == 1 && reduces_rows(op, &by_columns) ? op : NULL;
    if (!op_has(op, TRAIT_POINTWISE) && op->code != OP_RESHAPE) return NULL;
    for (int i = 0; i < op->operand_count; i++) {
        const Op *reduce = reduction_behind(op_operand(op, i), depth - 1);
        if (reduce) return reduce;
    }
    return NULL;
}

// The axes of the rows that the kernel would have if it stored the value.
static bool axes_to_join(
    const Fusion *fusion, const Value *value, const Reader *reader, uint32_t *row_axes,
    bool *by_columns) {
    const FusionRoot *root = reader->root;
    const Op *reduce = reduction_behind(value, SEARCH_DEPTH);
    bool is_reduce = value->def->code == OP_REDUCE;
    bool fits = reduce && is_of_rows(value, reduce, reader, row_axes, by_columns);
    if (is_reduce && !fits) return false;
    if (root->has_rows) {
        *row_axes = root->row_axes;
        *by_columns = root->by_columns;
        return true;
    }
    if (root->kind == KERNEL_REDUCE) {
        *row_axes = ((uint32_t)1 << root->type->rank) - 1;
        reduce = root->op;
        if (!reduces_rows(reduce, by_columns)) return false;
    } else if (!fits) {
        return false;
    }
    return rows_pay(fusion, root, *row_axes, reduce);
}

// Could a product or convolution store the value as it leaves the registers?
static bool is_epilogue(const Value *value, int depth) {
    const Op *op = value->def;
    if (!op || depth == 0) return false;
    KernelKind kind;
    if (lower_class(op, &kind) == LOWER_KERNEL)
        return kind == KERNEL_CONTRACT || kind == KERNEL_CONV;
    bool joins_panels = op->code == OP_RESHAPE && is_of_panels(op_operand(op, 0));
    if (!op_has(op, TRAIT_POINTWISE) && !joins_panels) return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (is_epilogue(op_operand(op, i), depth - 1)) return true;
    }
    return false;
}

static bool may_join(
    const Fusion *fusion, const Value *value, const Readers *readers, const Reader *through,
    uint32_t *row_axes, bool *by_columns) {
    const FusionRoot *root = through->root;
    if (is_epilogue(value, SEARCH_DEPTH)) return false;
    if (!may_have_rows(root, value) || !axes_to_join(fusion, value, through, row_axes, by_columns))
        return false;
    if (readers->first_position <= root->position || readers->is_nested) return false;
    if (is_beside(readers, root, *by_columns)) return false;
    for (int i = 0; i < readers->count; i++) {
        const Reader *reader = &readers->list[i];
        if (reader->root == root ? !reads_by_rows(value, reader, *row_axes)
                                 : reader->root->position <= root->position)
            return false;
    }
    return true;
}

// ---- statistics of one row

enum { MOST_STATISTICS = 8 };

// The reductions of rows that a value is made of, element by element.
typedef struct Statistics {
    int count, left; // values that may still be looked at
    const Op *list[MOST_STATISTICS];
} Statistics;

static void find_statistics(const Value *value, Statistics *found) {
    const Op *op = value->def;
    bool by_columns;
    if (!op || found->left-- <= 0 || found->count == MOST_STATISTICS) return;
    if (op->code == OP_REDUCE) {
        if (op->result_count == 1 && reduces_rows(op, &by_columns) && !by_columns)
            found->list[found->count++] = op;
        return;
    }
    bool is_on_the_way =
        op_has(op, TRAIT_POINTWISE) || op->code == OP_RESHAPE || op->code == OP_BROADCAST_IN_DIM;
    for (int i = 0; i < op->operand_count && is_on_the_way; i++)
        find_statistics(op_operand(op, i), found);
}

// Is there a reduction of the same rows that both are made with?
static bool share_statistic(const Op *a, const Op *b) {
    enum { MOST_VALUES = 64 };
    Statistics of_a = {.left = MOST_VALUES}, of_b = {.left = MOST_VALUES};
    find_statistics(op_operand(a, 0), &of_a);
    find_statistics(op_operand(b, 0), &of_b);
    for (int i = 0; i < of_a.count; i++) {
        for (int k = 0; k < of_b.count; k++) {
            if (of_a.list[i] == of_b.list[k] &&
                cost_reduced_elements(of_a.list[i]) == cost_reduced_elements(a))
                return true;
        }
    }
    return false;
}

// The kernel of another reduction of the same rows with the help of the same statistic of them, as
// a softmax's sum and the sum of what a label selects with their maximum: what both read of a row
// comes from memory once. NULL = none.
static FusionRoot *rows_beside(
    const Fusion *fusion, const Value *value, const Readers *readers, DimMap *map) {
    enum { MOST_LOOKED_AT = 16 };
    const Op *op = value->def;
    bool by_columns;
    if (op->code != OP_REDUCE || op->result_count != 1 || !reduces_rows(op, &by_columns) ||
        by_columns || readers->is_nested)
        return NULL;
    uint32_t all = ((uint32_t)1 << value->type->rank) - 1;
    int64_t last = fusion->roots.count - MOST_LOOKED_AT;
    for (int64_t i = fusion->roots.count - 1; i >= 0 && i >= last; i--) {
        FusionRoot *root = fusion->roots.data[i];
        bool is_alike = root->kind == KERNEL_REDUCE && may_have_rows(root, value) && !root->sends &&
                        type_same_shape(root->type, value->type) &&
                        (!root->has_rows || (!root->by_columns && root->row_axes == all)) &&
                        type_same_shape(op_operand_type(root->op, 0), op_operand_type(op, 0)) &&
                        readers->first_position > root->position;
        bool is_read_later = is_alike;
        for (int k = 0; k < readers->count && is_read_later; k++)
            is_read_later = readers->list[k].root->position > root->position;
        if (!is_read_later || !rows_pay(fusion, root, all, root->op) ||
            !share_statistic(root->op, op))
            continue;
        set_rows(root, all, false);
        *map = map_identity(value->type->rank);
        return root;
    }
    return NULL;
}

// ---- who joins

FusionRoot *rows_to_join(
    const Fusion *fusion, const Value *value, const Readers *readers, DimMap *map) {
    for (int i = 0; i < readers->count; i++) {
        FusionRoot *root = readers->list[i].root;
        uint32_t row_axes = 0;
        bool by_columns = false;
        if (!may_join(fusion, value, readers, &readers->list[i], &row_axes, &by_columns)) continue;
        set_rows(root, row_axes, by_columns);
        *map = readers->list[i].map;
        for (int d = 0; d < MAX_RANK; d++) {
            if (map->axis[d] >= 0 && !(row_axes >> map->axis[d] & 1)) map->axis[d] = -1;
        }
        return root;
    }
    return rows_beside(fusion, value, readers, map);
}

bool rows_keep(const Value *value, const Readers *readers) {
    const FusionRoot *root = readers->count ? readers->list[0].root : NULL;
    if (!root || !root->has_rows || readers->is_nested) return false;
    for (int i = 0; i < readers->count; i++) {
        const Reader *reader = &readers->list[i];
        if (reader->root != root || !reads_by_rows(value, reader, root->row_axes)) return false;
    }
    return value->def->code != OP_PAD && value->def->code != OP_CONCATENATE;
}

// Gather and scatter.
#include "ir/infer/infer.h"

// Each number in [0, limit); `range` says what limit is, for the message.
static bool check_range(
    Infer *infer, const Op *op, const char *name, const char *range, IntSpan ints, int64_t limit) {
    for (int i = 0; i < ints.count; i++) {
        if (ints.data[i] >= 0 && ints.data[i] < limit) continue;
        return infer_fail(
            infer, op,
            "Expects each element of %s to be in range [0, %s) i.e. [0, %lld). got: %lld.", name,
            range, (long long)limit, (long long)ints.data[i]);
    }
    return true;
}

static bool is_sorted(IntSpan ints) {
    for (int i = 1; i < ints.count; i++) {
        if (ints.data[i - 1] > ints.data[i]) return false;
    }
    return true;
}

static bool repeats(IntSpan ints) {
    for (int i = 0; i < ints.count; i++) {
        for (int j = 0; j < i; j++) {
            if (ints.data[i] == ints.data[j]) return true;
        }
    }
    return false;
}

// Reports a number that is in both lists or twice in one.
static bool check_disjoint(
    Infer *infer, const Op *op, const char *first_name, IntSpan first, const char *second_name,
    IntSpan second) {
    for (int i = 0; i < first.count + second.count; i++) {
        int64_t number = i < first.count ? first.data[i] : second.data[i - first.count];
        for (int j = 0; j < i; j++) {
            int64_t other = j < first.count ? first.data[j] : second.data[j - first.count];
            if (number != other) continue;
            return infer_fail(
                infer, op, "has duplicated dimension from %s and %s: %lld", first_name, second_name,
                (long long)number);
        }
    }
    return true;
}

static bool check_sorted(
    Infer *infer, const Op *op, const char *name, char separator, IntSpan ints) {
    if (is_sorted(ints)) return true;
    return infer_fail(
        infer, op,
        separator == ',' ? "expects %s to be sorted, got: [%s]"
                         : "Expects %s to be sorted; got: [%s].",
        name, infer_ints_text(infer, ints.data, ints.count));
}

// Longer lists than ranks are wrong; the checks that follow are quadratic.
static bool check_lengths(Infer *infer, const Op *op, int count, const IntSpan *lists) {
    for (int i = 0; i < count; i++) {
        if (lists[i].count > MAX_RANK)
            return infer_fail(
                infer, op, "has a list of %d dimensions, more than %d", lists[i].count, MAX_RANK);
    }
    return true;
}

// The size of one index (how many operand dimensions it names).
static int64_t index_size(const Type *indices, int64_t index_vector_dim) {
    return index_vector_dim == indices->rank ? 1 : indices->dims[index_vector_dim];
}

// The dimensions of operand and indices that go together, by the names of the op's attributes.
typedef struct IndexBatching {
    const char *operand_name;
    IntSpan operand;
    const char *indices_name;
    IntSpan indices;
} IndexBatching;

// separator: of gather's messages a comma, of scatter's a semicolon.
static bool check_index_batching(
    Infer *infer, const Op *op, char separator, const IndexBatching *batches,
    int64_t index_vector_dim, const Type *operand, const Type *indices) {
    const char *name = batches->indices_name, *stop = separator == ',' ? "" : ".";
    if (repeats(batches->indices))
        return infer_fail(
            infer, op,
            separator == ',' ? "expects %s to not repeat, got: [%s]"
                             : "Expects %s to not repeat; got: [%s].",
            name, infer_ints_text(infer, batches->indices.data, batches->indices.count));
    if (ints_contain(batches->indices, index_vector_dim))
        return infer_fail(
            infer, op, "expects %s not to include index_vector_dim %lld%s", name,
            (long long)index_vector_dim, stop);
    if (batches->operand.count != batches->indices.count)
        return infer_fail(
            infer, op, "%s and %s should have the same size%s", batches->operand_name, name, stop);
    for (int i = 0; i < batches->operand.count; i++) {
        int64_t a = operand->dims[batches->operand.data[i]];
        int64_t b = indices->dims[batches->indices.data[i]];
        if (!dims_fit(a, b))
            return infer_fail(
                infer, op, "%s[%d] and %s[%d] must have compatible sizes, but got %lld and %lld%s",
                batches->operand_name, i, name, i, (long long)a, (long long)b, stop);
    }
    return true;
}

static bool check_gather_lists(Infer *infer, const Op *op, const GatherDims *gather) {
    const Type *operand = op_operand_type(op, 0), *indices = op_operand_type(op, 1);
    IntSpan collapsed = gather->collapsed_slice_dims, batching = gather->operand_batching_dims;
    IntSpan index_batching = gather->start_indices_batching_dims;
    if (!check_range(
            infer, op, "collapsed_slice_dims", "rank-of('operand')", collapsed, operand->rank) ||
        !check_range(
            infer, op, "operand_batching_dims", "rank-of('operand')", batching, operand->rank) ||
        !check_sorted(infer, op, "collapsed_slice_dims", ',', collapsed) ||
        !check_sorted(infer, op, "operand_batching_dims", ',', batching) ||
        !check_disjoint(
            infer, op, "collapsed_slice_dims", collapsed, "operand_batching_dims", batching) ||
        !check_range(
            infer, op, "start_index_map", "rank-of('operand')", gather->start_index_map,
            operand->rank) ||
        !check_disjoint(
            infer, op, "start_index_map", gather->start_index_map, "operand_batching_dims",
            batching) ||
        !check_range(
            infer, op, "start_indices_batching_dims", "rank-of('start_indices')", index_batching,
            indices->rank))
        return false;
    const IndexBatching batches = {
        "operand_batching_dims", batching, "start_indices_batching_dims", index_batching};
    return check_index_batching(
        infer, op, ',', &batches, gather->index_vector_dim, operand, indices);
}

// The slice's sizes: an attribute of gather, an operand of dynamic_gather. There they are
// DIM_DYNAMIC unless the operand is constant; `unknown` is the room for these.
static bool infer_slice_sizes(Infer *infer, const Op *op, int64_t *unknown, IntSpan *sizes) {
    if (op->code == OP_GATHER) {
        *sizes = op_ints(op, NAME_SLICE_SIZES);
        return true;
    }
    const Type *type = op_operand_type(op, 2);
    int rank = op_operand_type(op, 0)->rank;
    if (type->rank != 1 || !element_is_integer(type->element) || dim_is_dynamic(type->dims[0]))
        return infer_fail(
            infer, op,
            "operand #2 must be statically shaped 1-dimensional tensor of integer values, but got "
            "'%s'",
            infer_type_text(infer, type));
    if (type->dims[0] != rank)
        return infer_fail(
            infer, op, "slice_sizes size (%lld) not equal to operand rank (%d)",
            (long long)type->dims[0], rank);
    const Op *def = op_operand(op, 2)->def;
    if (def && def->code == OP_CONSTANT) *sizes = op_ints(def, NAME_VALUE);
    if (sizes->count == rank) return true;
    for (int d = 0; d < rank; d++)
        unknown[d] = DIM_DYNAMIC;
    *sizes = (IntSpan){unknown, rank};
    return true;
}

static bool check_slice_sizes(
    Infer *infer, const Op *op, const GatherDims *gather, IntSpan sizes, bool is_unknown) {
    const Type *operand = op_operand_type(op, 0);
    if (sizes.count != operand->rank)
        return infer_fail(
            infer, op, "slice_sizes size (%d) not equal to operand rank (%d)", sizes.count,
            operand->rank);
    for (int d = 0; d < sizes.count; d++) {
        int64_t size = sizes.data[d], limit = operand->dims[d];
        if (is_unknown) continue;
        if (size < 0 || (!dim_is_dynamic(limit) && size > limit))
            return infer_fail(
                infer, op,
                "slice size (%lld) is out of bounds for operand dimension (%lld) at index %d",
                (long long)size, (long long)limit, d);
    }
    const struct {
        const char *name;
        IntSpan dims;
    } dropped[] = {
        {"collapsed_slice_dims", gather->collapsed_slice_dims},
        {"operand_batching_dims", gather->operand_batching_dims},
    };
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < dropped[k].dims.count; i++) {
            int64_t size = sizes.data[dropped[k].dims.data[i]];
            if (size > 1)
                return infer_fail(
                    infer, op,
                    "Expects that for each dim in %s, slice_sizes[dim] should be <= 1, but got "
                    "%lld",
                    dropped[k].name, (long long)size);
        }
    }
    return true;
}

// The sizes of the dimension numbers' lists beside each other and the operands.
static bool check_gather_sizes(
    Infer *infer, const Op *op, const GatherDims *gather, const Type *operand,
    const Type *indices) {
    int64_t vector_dim = gather->index_vector_dim;
    if (vector_dim < 0 || vector_dim > indices->rank)
        return infer_fail(
            infer, op,
            "Expects index_vector_dim to be in range [0, rank-of('start_indices')] i.e. [0, %d]. "
            "got: %lld.",
            indices->rank, (long long)vector_dim);
    if (!element_is_integer(indices->element) || indices->quant)
        return infer_fail(
            infer, op, "operand #1 must be ranked tensor of integer values, but got '%s'",
            infer_type_text(infer, indices));
    if (!check_sorted(infer, op, "offset_dims", ',', gather->offset_dims)) return false;
    if (repeats(gather->offset_dims))
        return infer_fail(
            infer, op, "expects offset_dims to not repeat, got: [%s]",
            infer_ints_text(infer, gather->offset_dims.data, gather->offset_dims.count));
    int dropped = gather->collapsed_slice_dims.count + gather->operand_batching_dims.count;
    if (gather->offset_dims.count + dropped != operand->rank)
        return infer_fail(
            infer, op,
            "offset_dims size (%d) plus collapse_slice_dims size (%d) plus operand_batching_dims "
            "size (%d) "
            "is not equal to operand rank (%d)",
            gather->offset_dims.count, gather->collapsed_slice_dims.count,
            gather->operand_batching_dims.count, operand->rank);
    int64_t index_length = index_size(indices, vector_dim);
    if (!dim_is_dynamic(index_length) && gather->start_index_map.count != index_length)
        return infer_fail(
            infer, op,
            "start_index_map size (%d) is not equal to size of index dimension (%lld) of "
            "start_indices "
            "(%lld)",
            gather->start_index_map.count, (long long)vector_dim, (long long)index_length);
    return true;
}

// Offset dims have the sizes of the slice that are kept, in order; the others those of the indices.
static void gather_dims(
    const GatherDims *gather, const int64_t *sizes, const Type *indices, int rank, int64_t *dims) {
    int next_operand = 0, next_index = 0;
    for (int d = 0; d < rank; d++) {
        if (ints_contain(gather->offset_dims, d)) {
            while (ints_contain(gather->collapsed_slice_dims, next_operand) ||
                   ints_contain(gather->operand_batching_dims, next_operand))
                next_operand++;
            dims[d] = sizes[next_operand++];
        } else {
            if (next_index == gather->index_vector_dim) next_index++;
            dims[d] = indices->dims[next_index++];
        }
    }
}

bool infer_gather(Infer *infer, const Op *op) {
    const Type *operand = op_operand_type(op, 0), *indices = op_operand_type(op, 1);
    int64_t unknown[MAX_RANK] = {0};
    IntSpan sizes = {unknown, 0};
    const Attr *attr = op_attr(op, NAME_DIMENSION_NUMBERS);
    if (!infer_slice_sizes(infer, op, unknown, &sizes)) return false;
    const GatherDims *gather = attr->gather;
    IntSpan lists[] = {
        gather->offset_dims, gather->collapsed_slice_dims, gather->operand_batching_dims,
        gather->start_indices_batching_dims, gather->start_index_map};
    if (!check_lengths(infer, op, 5, lists)) return false;
    if (!check_gather_sizes(infer, op, gather, operand, indices)) return false;
    if (!check_gather_lists(infer, op, gather) ||
        !check_slice_sizes(infer, op, gather, sizes, sizes.data == unknown))
        return false;

    int batch_rank = indices->rank - (gather->index_vector_dim < indices->rank ? 1 : 0);
    int rank = batch_rank + gather->offset_dims.count;
    if (rank > MAX_RANK)
        return infer_fail(infer, op, "result has more than %d dimensions", MAX_RANK);
    if (!check_range(infer, op, "offset_dims", "implied-result-rank", gather->offset_dims, rank))
        return false;
    int64_t dims[MAX_RANK] = {0};
    gather_dims(gather, sizes.data, indices, rank, dims);
    infer_set(infer, 0, infer_tensor_like(infer, operand, rank, dims));
    return true;
}

static bool check_scatter_lists(
    Infer *infer, const Op *op, const ScatterDims *scatter, const Type *operand,
    const Type *indices, const Type *updates) {
    IntSpan window = scatter->update_window_dims, inserted = scatter->inserted_window_dims;
    IntSpan batching = scatter->input_batching_dims;
    IntSpan index_batching = scatter->scatter_indices_batching_dims;
    if (!check_sorted(infer, op, "update_window_dims", ';', window)) return false;
    if (repeats(window))
        return infer_fail(
            infer, op, "Expects update_window_dims to not repeat; got: [%s].",
            infer_ints_text(infer, window.data, window.count));
    if (!check_range(
            infer, op, "update_window_dims", "rank-of('updates')", window, updates->rank) ||
        !check_disjoint(
            infer, op, "inserted_window_dims", inserted, "input_batching_dims", batching) ||
        !check_sorted(infer, op, "inserted_window_dims", ';', inserted) ||
        !check_range(
            infer, op, "inserted_window_dims", "rank-of('operand')", inserted, operand->rank) ||
        !check_sorted(infer, op, "input_batching_dims", ';', batching) ||
        !check_range(
            infer, op, "input_batching_dims", "rank-of('operand')", batching, operand->rank) ||
        !check_disjoint(
            infer, op, "scatter_dims_to_operand_dims", scatter->scatter_dims_to_operand_dims,
            "input_batching_dims", batching) ||
        !check_range(
            infer, op, "scatter_dims_to_operand_dims", "rank-of('operand')",
            scatter->scatter_dims_to_operand_dims, operand->rank) ||
        !check_range(
            infer, op, "scatter_indices_batching_dims", "rank-of('scatter_indices')",
            index_batching, indices->rank))
        return false;
    const IndexBatching batches = {
        "input_batching_dims", batching, "scatter_indices_batching_dims", index_batching};
    return check_index_batching(
        infer, op, ';', &batches, scatter->index_vector_dim, operand, indices);
}

// The update's window dimensions fit into the operand, its others are the indices' batch
// dimensions.
static bool check_update_dims(
    Infer *infer, const Op *op, const ScatterDims *scatter, const Type *operand,
    const Type *indices, const Type *updates) {
    int next_operand = 0, next_index = 0;
    for (int d = 0; d < updates->rank; d++) {
        int64_t size = updates->dims[d];
        if (ints_contain(scatter->update_window_dims, d)) {
            while (ints_contain(scatter->inserted_window_dims, next_operand) ||
                   ints_contain(scatter->input_batching_dims, next_operand))
                next_operand++;
            int64_t limit = operand->dims[next_operand++];
            if (!dim_is_dynamic(limit) && !dim_is_dynamic(size) && size > limit)
                return infer_fail(
                    infer, op,
                    "expects bounds of the window dimensions of updates to not exceed the bounds "
                    "of the "
                    "corresponding dimensions of operand. For dimension %d, updates bound is %lld, "
                    "operand "
                    "bound is %lld.",
                    d, (long long)size, (long long)limit);
            continue;
        }
        if (next_index == scatter->index_vector_dim) next_index++;
        int64_t expected = indices->dims[next_index++];
        if (!dims_fit(size, expected))
            return infer_fail(
                infer, op,
                "expects bounds of the scatter dimensions of updates to be same as the bounds of "
                "the "
                "corresponding dimensions of scatter indices. For scatter dimension %d, updates "
                "bound is "
                "%lld , scatter_indices bound is %lld.",
                d, (long long)size, (long long)expected);
    }
    return true;
}

static bool check_scatter(
    Infer *infer, const Op *op, const ScatterDims *scatter, const Type *operand,
    const Type *indices, const Type *updates) {
    IntSpan lists[] = {
        scatter->update_window_dims, scatter->inserted_window_dims, scatter->input_batching_dims,
        scatter->scatter_indices_batching_dims, scatter->scatter_dims_to_operand_dims};
    if (!check_lengths(infer, op, 5, lists)) return false;
    int64_t vector_dim = scatter->index_vector_dim;
    if (vector_dim < 0 || vector_dim > indices->rank)
        return infer_fail(
            infer, op,
            "Expects index_vector_dim to be in range [0, rank-of('scatter_indices')] i.e. [0, %d]. "
            "got: "
            "%lld.",
            indices->rank, (long long)vector_dim);
    int window_rank = scatter->update_window_dims.count;
    int batch_rank = indices->rank - (vector_dim < indices->rank ? 1 : 0);
    if (updates->rank != batch_rank + window_rank)
        return infer_fail(
            infer, op,
            "expects updates tensor must be of rank %d ( == rank-of('scatter_indices') - 1 + "
            "size-of('update_window_dims'), where 'scatter_indices' is expanded by a trailing 1 "
            "dimension "
            "if 'index_vector_dim' == rank-of('scatter_indices')), but got %d.",
            batch_rank + window_rank, updates->rank);
    int operand_rank =
        window_rank + scatter->inserted_window_dims.count + scatter->input_batching_dims.count;
    if (operand_rank != operand->rank)
        return infer_fail(
            infer, op,
            "Expects rank-of operand to match size-of('update_window_dims') + "
            "size-of('inserted_window_dims') + size-of('input_batching_dims') i.e. %d but got %d.",
            operand_rank, operand->rank);
    if (!check_scatter_lists(infer, op, scatter, operand, indices, updates)) return false;
    int64_t index_length = index_size(indices, vector_dim);
    if (!dim_is_dynamic(index_length) &&
        scatter->scatter_dims_to_operand_dims.count != index_length)
        return infer_fail(
            infer, op,
            "Scatter op has %d elements in scatter_dims_to_operand_dims and the bound of dimension "
            "index_vector_dim=%lld of scatter_indices is %lld. These two numbers must be equal.",
            scatter->scatter_dims_to_operand_dims.count, (long long)vector_dim,
            (long long)index_length);
    return check_update_dims(infer, op, scatter, operand, indices, updates);
}

// inputs, indices, updates: n inputs, one tensor of indices, n updates
bool infer_scatter(Infer *infer, const Op *op) {
    int count = op->operand_count / 2;
    if (op->operand_count < 3 || op->operand_count % 2 == 0)
        return infer_fail(
            infer, op, "expects inputs, indices and as many updates as inputs, but has %d operands",
            op->operand_count);
    if (op->result_count != count)
        return infer_fail(infer, op, "expects %d results, but has %d", count, op->result_count);
    const Attr *attr = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS);
    const Type *indices = op_operand_type(op, count);
    if (!element_is_integer(indices->element) || indices->quant)
        return infer_fail(
            infer, op, "operand #%d must be ranked tensor of integer or index values, but got '%s'",
            count, infer_type_text(infer, indices));
    const Type *operand = op_operand_type(op, 0), *updates = op_operand_type(op, count + 1);
    for (int i = 1; i < count; i++) {
        if (!shapes_fit(operand, op_operand_type(op, i)))
            return infer_fail(infer, op, "Not all inputs have compatible shapes.");
        if (!shapes_fit(updates, op_operand_type(op, count + 1 + i)))
            return infer_fail(infer, op, "Not all updates have compatible shapes.");
    }
    if (!check_scatter(infer, op, attr->scatter, operand, indices, updates)) return false;

    const Type **types = ARENA_ARRAY(infer->diags->arena, const Type *, 3 * (int64_t)count);
    for (int i = 0; i < count; i++) {
        types[i] = op_operand_type(op, i); // the region takes (input, update)
        types[count + i] = infer_tensor_like(infer, op_operand_type(op, count + 1 + i), 0, NULL);
    }
    const Type **accumulators = types + 2 * (int64_t)count;
    IntSpan scalars = {0};
    if (!infer_reducer(
            infer, op, op->regions[0], count, types, types + count, scalars, accumulators))
        return false;
    for (int i = 0; i < count; i++) {
        const Type *input = op_operand_type(op, i);
        infer_set(infer, i, infer_tensor_like(infer, accumulators[i], input->rank, input->dims));
    }
    return true;
}

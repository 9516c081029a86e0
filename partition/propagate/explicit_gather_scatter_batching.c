// explicit_gather_scatter_batching: indices that count along with their own
// dimension become batching dimensions.
//
//   In      gathers and scatters; a component of their index vectors may be an iota along dimension
//           b of the indices, as x[jnp.arange(n), columns] is written
//   Out     dimension b of the indices and the input's dimension are batching
//           dimensions; the component is gone
//   Keeps   index vectors of one component. Cannot fail.
//
//   before  %i = concatenate %iota, %columns, dim = 1
//           gather(%x, %i) collapsed_slice_dims = [0, 1], start_index_map = [0, 1],
//               slice_sizes = [1, 1]
//   after   gather(%x, %columns) collapsed_slice_dims = [1], operand_batching_dims = [0],
//               start_indices_batching_dims = [0], start_index_map = [1], slice_sizes = [1, 1]
//
// A batching dimension passes its sharding through; an indexed one is masked and reduced.
#include "ir/builder.h"
#include "partition/passes.h"

#include <string.h>

typedef struct Batcher {
    Module *module;
    Arena *scratch;
    bool changed;
} Batcher;

// Gather and scatter alike: the lists of their dimension numbers.
typedef struct Indexing {
    IntSpan *removed;          // collapsed or inserted dims of the input
    IntSpan *input_batching;   // dims of the input
    IntSpan *indices_batching; // dims of the indices, one for each of these
    IntSpan *map;              // component to dim of the input
    int vector_dim;
    const Type *input;
    int indices; // the operand
} Indexing;

// ---- which dimension a value counts along ----

static bool is_zero(const Value *value) {
    const Op *def = value->def;
    if (def && def->code == OP_BROADCAST_IN_DIM) return is_zero(op_operand(def, 0));
    if (!def || (def->code != OP_CONSTANT && def->code != OP_SDY_CONSTANT)) return false;
    const Attr *elements = op_attr(def, NAME_VALUE);
    return elements->is_splat && attr_element_int(elements, 0) == 0;
}

// The dimension of a reshape's result that is dimension d of its operand, which
// alone is larger than 1; -1 = none.
static int reshaped_dim(const Type *from, const Type *to, int d) {
    int place = -1;
    for (int i = 0; i < from->rank; i++) {
        if (i != d && from->dims[i] != 1) return -1;
    }
    for (int i = 0; i < to->rank; i++) {
        if (to->dims[i] == from->dims[d])
            place = i;
        else if (to->dims[i] != 1)
            return -1;
    }
    return place;
}

// Ops are followed this far.
enum { MAX_DEPTH = 8 };

static int counted_dim(const Value *value, int depth);

static int counts_iota(const Op *op, int depth) {
    (void)depth;
    return (int)op_int(op, NAME_IOTA_DIMENSION, 0);
}

static int counts_operand(const Op *op, int depth) { return counted_dim(op_operand(op, 0), depth); }

static int counts_reshape(const Op *op, int depth) {
    int d = counted_dim(op_operand(op, 0), depth);
    return d < 0 ? d : reshaped_dim(op_operand_type(op, 0), op_result_type(op, 0), d);
}

// select(x < 0, _, x), which is x where x counts from 0.
static int counts_select(const Op *op, int depth) {
    const Op *predicate = op_operand(op, 0)->def;
    if (!predicate || predicate->code != OP_COMPARE) return -1;
    if (op_int(predicate, NAME_COMPARISON_DIRECTION, -1) != DIRECTION_LT) return -1;
    if (counted_dim(op_operand(predicate, 0), depth) < 0) return -1;
    return is_zero(op_operand(predicate, 1)) ? counted_dim(op_operand(op, 2), depth) : -1;
}

static int counts_broadcast(const Op *op, int depth) {
    int from = counted_dim(op_operand(op, 0), depth);
    if (from < 0) return -1;
    int to = (int)op_ints(op, NAME_BROADCAST_DIMENSIONS).data[from];
    return op_operand_type(op, 0)->dims[from] == op_result_type(op, 0)->dims[to] ? to : -1;
}

// Does the integer type hold 0 .. size - 1?
static bool counts_to(ElementType element, int64_t size) {
    int bits = element_bits(element);
    return element_is_integer(element) && (bits >= 32 || size <= INT64_C(1) << (bits - 1));
}

typedef int CountedFn(const Op *op, int depth);

typedef struct CountsRow {
    char unused;
    CountedFn *counts; // NULL: nothing is known of the elements
} CountsRow;

static const CountsRow counting_ops[OP_COUNT] = {
#define COUNTS(x) .counts = counts_##x,
#include "ir/dialects/partition_rows.def"
};

// Along which dimension the elements are 0, 1, 2 ...; -1 = they are not known to be.
static int counted_dim(const Value *value, int depth) {
    const Op *op = value->def;
    if (!op || op->result_count != 1 || depth == MAX_DEPTH || !type_is_static(value->type))
        return -1;
    CountedFn *counts = counting_ops[op->code].counts;
    if (!counts) return -1;
    int d = counts(op, depth + 1);
    return d >= 0 && counts_to(value->type->element, value->type->dims[d]) ? d : -1;
}

// The dimension of the indices along which component c of the index vectors counts.
static int component_dim(const Value *indices, int vector_dim, int64_t c) {
    const Op *op = indices->def;
    if (!op || op->code != OP_CONCATENATE) return -1;
    if (op_int(op, NAME_DIMENSION, 0) != vector_dim) return -1;
    for (int i = 0; i < op->operand_count; i++) {
        int64_t size = op_operand_type(op, i)->dims[vector_dim];
        if (c < size) return size == 1 ? counted_dim(op_operand(op, i), 0) : -1;
        c -= size;
    }
    return -1;
}

// ---- rewriting ----

// The indices without component c: the operands of their concatenation but one.
static Value *without_component(Batcher *batcher, Op *op, Value *indices, int vector_dim, int c) {
    Op *joined = indices->def;
    Value **parts = ARENA_ARRAY(batcher->scratch, Value *, joined->operand_count);
    int count = 0;
    int64_t start = 0;
    for (int i = 0; i < joined->operand_count; i++) {
        if (start != c) parts[count++] = op_operand(joined, i);
        start += op_operand_type(joined, i)->dims[vector_dim];
    }
    if (count == 1) return parts[0];
    Builder builder = builder_before(batcher->module, op);
    return build_concatenate(&builder, count, parts, vector_dim);
}

static IntSpan span_without(Arena *arena, IntSpan span, int at) {
    int64_t *data = ARENA_ARRAY(arena, int64_t, span.count);
    int count = 0;
    for (int i = 0; i < span.count; i++) {
        if (i != at) data[count++] = span.data[i];
    }
    return (IntSpan){.data = data, .count = count};
}

static IntSpan span_with(Arena *arena, IntSpan span, int at, int64_t number) {
    int64_t *data = ARENA_ARRAY(arena, int64_t, span.count + 1);
    for (int i = 0; i <= span.count; i++)
        data[i] = i < at ? span.data[i] : i == at ? number : span.data[i - 1];
    return (IntSpan){.data = data, .count = span.count + 1};
}

// One component of the index vectors becomes a batching dimension; false when none does.
static bool batch_component(Batcher *batcher, Op *op, const Indexing *indexing) {
    Value *indices = op_operand(op, indexing->indices);
    int vector_dim = indexing->vector_dim;
    if (vector_dim >= indices->type->rank || indexing->map->count < 2) return false;
    for (int c = 0; c < indexing->map->count; c++) {
        int64_t d = indexing->map->data[c];
        int removed = ints_find(*indexing->removed, d);
        int b = component_dim(indices, vector_dim, c);
        if (removed < 0 || b < 0 || b == vector_dim) continue;
        if (ints_find(*indexing->indices_batching, b) >= 0) continue;
        if (indices->type->dims[b] != indexing->input->dims[d]) continue;
        op_set_operand(
            op, indexing->indices, without_component(batcher, op, indices, vector_dim, c));
        int at = 0; // batching dims are sorted
        while (at < indexing->input_batching->count && indexing->input_batching->data[at] < d)
            at++;
        Arena *arena = batcher->scratch;
        *indexing->map = span_without(arena, *indexing->map, c);
        *indexing->removed = span_without(arena, *indexing->removed, removed);
        *indexing->input_batching = span_with(arena, *indexing->input_batching, at, d);
        *indexing->indices_batching = span_with(arena, *indexing->indices_batching, at, b);
        return true;
    }
    return false;
}

static void batch_gather(Batcher *batcher, Op *op) {
    GatherDims dims = *op_attr(op, NAME_DIMENSION_NUMBERS)->gather;
    const Indexing indexing = {
        .removed = &dims.collapsed_slice_dims,
        .input_batching = &dims.operand_batching_dims,
        .indices_batching = &dims.start_indices_batching_dims,
        .map = &dims.start_index_map,
        .vector_dim = (int)dims.index_vector_dim,
        .input = op_operand_type(op, 0),
        .indices = 1,
    };
    bool changed = false;
    while (batch_component(batcher, op, &indexing))
        changed = true;
    if (!changed) return;
    const Attr prototype = {.kind = ATTR_GATHER_DIMS, .gather = &dims};
    op_set_attr(
        batcher->module, op, NAME_DIMENSION_NUMBERS,
        attr_intern(batcher->module->context, &prototype));
    batcher->changed = true;
}

static void batch_scatter(Batcher *batcher, Op *op) {
    ScatterDims dims = *op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    const Indexing indexing = {
        .removed = &dims.inserted_window_dims,
        .input_batching = &dims.input_batching_dims,
        .indices_batching = &dims.scatter_indices_batching_dims,
        .map = &dims.scatter_dims_to_operand_dims,
        .vector_dim = (int)dims.index_vector_dim,
        .input = op_operand_type(op, 0),
        .indices = (op->operand_count - 1) / 2,
    };
    bool changed = false;
    while (batch_component(batcher, op, &indexing))
        changed = true;
    if (!changed) return;
    const Attr prototype = {.kind = ATTR_SCATTER_DIMS, .scatter = &dims};
    op_set_attr(
        batcher->module, op, NAME_SCATTER_DIMENSION_NUMBERS,
        attr_intern(batcher->module->context, &prototype));
    batcher->changed = true;
}

static bool visit(Op *op, void *user) {
    if (op->code == OP_GATHER) batch_gather(user, op);
    if (op->code == OP_SCATTER) batch_scatter(user, op);
    return true;
}

PassResult pass_explicit_gather_scatter_batching(Module *module, PassContext *pass) {
    Batcher batcher = {.module = module, .scratch = pass->scratch};
    region_walk(module->body, visit, &batcher);
    return batcher.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

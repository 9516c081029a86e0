// split_scatters: scatters into few elements in parts, which lanes share.
//
//   In      a device program in canonical form.
//   Out     where updates are many times as many as the elements that they go to, and each is of
//           few elements, P parts of the updates are combined with arrays of their own, and these
//           with the operand. Which updates are in a part depends on the shapes alone, so the bits
//           do not depend on the number of threads. Larger updates are cut by the lanes, which all
//           go through them.
//   Keeps   what the program computes, but for the order of combination.
//
//   before  scatter(%x : [256], %at : [65536, 1], %u : [65536]) : add
//   after   %1 = scatter(dense<-0.0> : [16, 256], reshape(%at) : [16, 4096, 1], reshape(%u))
//                for each of the 16
//           %2 = reduce(%1) over [0] : [256]
//           %3 = add(%x, %2)
#include "ir/builder.h"
#include "ir/pass/passes.h"

enum {
    MANY_UPDATES = 32 << 10, // elements of all updates from which on parts are worth it
    FEW_ELEMENTS = 32, // of one update: from so many on lanes share each, or the operand's rows
    PARTS_LOW = 4,
    PARTS_HIGH = 16,
    LEAST_GAIN = 8 // elements of updates for each element of the parts' arrays
};

// An order of combination is as good as another, and some number is neutral.
static bool has_neutral(OpCode body) {
    return body == OP_ADD || body == OP_MULTIPLY || body == OP_MINIMUM || body == OP_MAXIMUM ||
           body == OP_AND || body == OP_OR || body == OP_XOR;
}

// The number of parts that the longest dimension of the updates which counts them is cut into, and
// that dimension; 0 = they stay together.
static int64_t parts_of(const Op *op, int *cut) {
    if (op->operand_count != 3 || op->result_count != 1) return 0;
    const ScatterDims *dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    const Type *array = op_operand_type(op, 0), *updates = op_operand_type(op, 2);
    int64_t all = type_element_count(updates), into = type_element_count(array), size = 1, each = 1;
    if (!has_neutral(region_reduction_op(op->regions[0])) || all < MANY_UPDATES || into == 0 ||
        dims->input_batching_dims.count > 0 || array->element != updates->element ||
        array->rank == MAX_RANK || updates->rank == MAX_RANK ||
        op_operand_type(op, 1)->rank == MAX_RANK)
        return 0;
    for (int d = 0; d < updates->rank; d++) {
        if (ints_contain(dims->update_window_dims, d)) {
            each *= updates->dims[d];
        } else if (updates->dims[d] > size) {
            size = updates->dims[d];
            *cut = d;
        }
    }
    int64_t most = all / LEAST_GAIN / into;
    if (most > PARTS_HIGH) most = PARTS_HIGH;
    if (each >= FEW_ELEMENTS || most < PARTS_LOW || size < most) return 0;
    for (int64_t parts = most; 2 * parts > most; parts--) {
        if (size % parts == 0) return parts;
    }
    return most; // some updates are in no part
}

// x from `from` to `to` in dimension d.
static Value *build_range(Builder *builder, Value *x, int d, int64_t from, int64_t to) {
    int64_t start[MAX_RANK] = {0}, limit[MAX_RANK];
    for (int i = 0; i < x->type->rank; i++)
        limit[i] = x->type->dims[i];
    if (from == 0 && to == limit[d]) return x;
    start[d] = from;
    limit[d] = to;
    return build_slice(builder, x, start, limit, NULL);
}

// x with dimension `cut` as two: parts, and what is in one, without what no part has.
static Value *build_parts(Builder *builder, Value *x, int cut, int64_t parts) {
    int64_t dims[MAX_RANK], size = x->type->dims[cut];
    x = build_range(builder, x, cut, 0, size - size % parts);
    for (int d = 0, to = 0; d < x->type->rank; d++) {
        if (d == cut) dims[to++] = parts;
        dims[to++] = d == cut ? x->type->dims[d] / parts : x->type->dims[d];
    }
    return build_reshape(builder, x, x->type->rank + 1, dims);
}

// The span with every number from `from` on larger by one.
static IntSpan moved(IntSpan span, int64_t from, int64_t *storage) {
    for (int i = 0; i < span.count; i++)
        storage[i] = span.data[i] + (span.data[i] >= from);
    return (IntSpan){.data = storage, .count = span.count};
}

// Sets the dimensions of the scatter whose operand has the parts first, its indices and updates
// have them before the dimensions that are cut.
static void set_dims(
    Module *module, Op *scatter, const ScatterDims *old, int cut, int cut_indices) {
    int64_t window[MAX_RANK], inserted[MAX_RANK], map[MAX_RANK], zero = 0, of_parts = cut_indices;
    const ScatterDims dims = {
        .update_window_dims = moved(old->update_window_dims, cut, window),
        .inserted_window_dims = moved(old->inserted_window_dims, 0, inserted),
        .input_batching_dims = {.data = &zero, .count = 1},
        .scatter_indices_batching_dims = {.data = &of_parts, .count = 1},
        .scatter_dims_to_operand_dims = moved(old->scatter_dims_to_operand_dims, 0, map),
        .index_vector_dim = old->index_vector_dim + (old->index_vector_dim >= cut_indices)};
    const Attr prototype = {.kind = ATTR_SCATTER_DIMS, .scatter = &dims};
    op_set_attr(
        module, scatter, NAME_SCATTER_DIMENSION_NUMBERS, attr_intern(module->context, &prototype));
}

// The operand with the last updates, which no part has.
static Value *build_rest(Builder *builder, Op *op, int cut, int cut_indices, int64_t parts) {
    int64_t size = op_operand_type(op, 2)->dims[cut], from = size - size % parts;
    if (from == size) return op_operand(op, 0);
    PtrMap values = ptr_map(builder->module->arena);
    Op *rest = op_clone(builder, op, &values);
    op_set_operand(rest, 1, build_range(builder, op_operand(op, 1), cut_indices, from, size));
    op_set_operand(rest, 2, build_range(builder, op_operand(op, 2), cut, from, size));
    op_move_before(rest, op);
    return op_result(rest, 0);
}

static bool split_scatter(Op *op, void *user) {
    Module *module = user;
    int cut = 0, cut_indices = 0;
    int64_t parts = op->code == OP_SCATTER ? parts_of(op, &cut) : 0;
    if (parts == 0) return false;
    const ScatterDims *dims = op_attr(op, NAME_SCATTER_DIMENSION_NUMBERS)->scatter;
    for (int d = 0; d < cut; d++)
        cut_indices += !ints_contain(dims->update_window_dims, d);
    if (cut_indices >= dims->index_vector_dim) cut_indices++;
    const Type *array = op_operand_type(op, 0);
    int64_t sizes[MAX_RANK] = {parts}, first = 0;
    for (int d = 0; d < array->rank; d++)
        sizes[d + 1] = array->dims[d];
    const Type *type = type_tensor(module->context, array->element, array->rank + 1, sizes);
    const Type *scalar = type_scalar(module->context, array->element);
    OpCode body = region_reduction_op(op->regions[0]);
    Builder builder = builder_before(module, op);
    // 0 + -0 is not -0
    Value *neutral =
        body == OP_ADD ? build_negative_zeros(&builder, scalar)
                       : build_constant(&builder, reduction_neutral(module->context, body, scalar));
    Value *operands[3] = {
        build_broadcast_in_dim(&builder, neutral, type, NULL),
        build_parts(&builder, op_operand(op, 1), cut_indices, parts),
        build_parts(&builder, op_operand(op, 2), cut, parts)};
    Op *scatter = build_op(&builder, OP_SCATTER, 3, operands, 1, &type, 1);
    set_dims(module, scatter, dims, cut, cut_indices);
    build_reduction_body(module, scatter->regions[0], body, array->element, op->loc);
    Value *sum = build_reduce(&builder, body, op_result(scatter, 0), 1, &first);
    op_set_operand(sum->def, 1, neutral);
    Value *rest = build_rest(&builder, op, cut, cut_indices, parts);
    value_replace_uses(op_result(op, 0), build_binary(&builder, body, rest, sum));
    op_erase(op);
    return true;
}

PassResult pass_split_scatters(Module *module, PassContext *pass) {
    (void)pass;
    return pass_over_main(module, split_scatter, module);
}

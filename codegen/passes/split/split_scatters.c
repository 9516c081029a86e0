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
#include "codegen/kernel/lower_class.h"
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
    int64_t all = type_element_count(updates), size = 1, each = 1;
    if (!has_neutral(region_reduction_op(op->regions[0])) || all < MANY_UPDATES ||
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
    if (each >= FEW_ELEMENTS) return 0;
    int64_t most = all / LEAST_GAIN / type_element_count(array);
    for (int64_t parts = most < PARTS_HIGH ? most : PARTS_HIGH; parts >= PARTS_LOW; parts--) {
        if (size % parts == 0) return parts;
    }
    return 0;
}

// x with dimension `cut` as two: parts, and what is in one.
static Value *build_parts(Builder *builder, Value *x, int cut, int64_t parts) {
    int64_t dims[MAX_RANK];
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

static void split_scatter(Module *module, Op *op) {
    int cut = 0, cut_indices = 0;
    int64_t parts = parts_of(op, &cut);
    if (parts == 0) return;
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
    value_replace_uses(op_result(op, 0), build_binary(&builder, body, op_operand(op, 0), sum));
    op_erase(op);
}

static void split_region(Module *module, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        if (op->code == OP_SCATTER) {
            split_scatter(module, op);
        } else if (lower_class(op, NULL) == LOWER_CONTROL) {
            for (int r = 0; r < op->region_count; r++)
                split_region(module, op->regions[r]);
        }
    }
}

PassResult pass_split_scatters(Module *module, PassContext *pass) {
    (void)pass;
    const Op *main = module_entry(module, (StrView){0});
    if (!main) return PASS_UNCHANGED;
    split_region(module, func_body(main));
    return PASS_CHANGED;
}

// shard_simplify: collectives of the dialect shard made fewer, and its queries resolved. The
// contracts stand at the passes.
#include "ir/scalar/scalar.h"
#include "ir/spmd/spmd.h"

typedef struct Simplifier {
    Module *module;
    bool changed;
} Simplifier;

static PassResult run(Module *module, bool (*visit)(Op *op, void *user)) {
    Simplifier simplifier = {.module = module};
    region_walk(module->body, visit, &simplifier);
    return simplifier.changed ? PASS_CHANGED : PASS_UNCHANGED;
}

static void replace(Simplifier *s, Op *op, Value *value) {
    value_replace_uses(op_result(op, 0), value);
    op_erase(op);
    s->changed = true;
}

// --- canonical form ---

// A collective among one device alone is its operand.
static bool visit_canonicalize(Op *op, void *user) {
    Simplifier *s = user;
    bool has_axes = op_ints(op, NAME_GRID_AXES).count > 0;
    bool is_candidate = op_dialect(op) == DIALECT_SHARD && op_has(op, TRAIT_COLLECTIVE) &&
                        op->code != OP_SHARD_UPDATE_HALO && op->code != OP_SHARD_SHIFT;
    if (is_candidate && !has_axes && op_operand_type(op, 0) == op_result_type(op, 0))
        replace(s, op, op_operand(op, 0));
    return true;
}

//   In      any verified module.
//   Out     no collective of shard without axes whose operand has the result's type; sums do not
//           say that they are sums (they are read so).
//
//   before  %0 = shard.all_gather %x on @g gather_axis = 0 : tensor<4xf32> -> tensor<4xf32>
//   after   %x
PassResult pass_canonicalize_shard(Module *module, PassContext *pass) {
    (void)pass;
    return run(module, visit_canonicalize);
}

// --- simplifications ---

static bool same_group(const Op *a, const Op *b) {
    const Attr *axes = op_attr(a, NAME_GRID_AXES);
    return strview_equal(op_text(a, NAME_GRID), op_text(b, NAME_GRID)) &&
           axes == op_attr(b, NAME_GRID_AXES);
}

static int64_t reduction_of(const Op *op) {
    return op_int(op, NAME_REDUCTION, SHARD_REDUCTION_sum);
}

// The reduction that the op may be moved in front of: f(reduce(x), reduce(y)) = reduce(f(x, y)).
// Not the extrema of unsigned integers: all_reduce compares them as signed ones. Nor ops on i1,
// whose numbers are 0 and -1 in arith, and 0 and 1 in an all_reduce.
static bool commuting_reduction(const Op *op, int64_t *reduction) {
    if (op_dialect(op) != DIALECT_ARITH || op_has(op, TRAIT_UNSIGNED) ||
        op_result_type(op, 0)->element == ELEMENT_I1)
        return false;
    switch (op_code_scalar(op->code)) { // NOLINT(hicpp-multiway-paths-covered): sums and extrema
    case SCALAR_add: *reduction = SHARD_REDUCTION_sum; return true;
    case SCALAR_maximum: *reduction = SHARD_REDUCTION_max; return true;
    case SCALAR_minimum: *reduction = SHARD_REDUCTION_min; return true;
    default: return false;
    }
}

// A reduction by all_reduce in the types that the op works on, used by the op alone.
static Op *own_reduction(const Op *op, int i, int64_t reduction) {
    Op *reduce = op_operand(op, i)->def;
    if (!reduce || reduce->code != OP_SHARD_ALL_REDUCE || reduction_of(reduce) != reduction ||
        op_operand_type(reduce, 0) != op_result_type(reduce, 0) ||
        !value_has_one_use(op_result(reduce, 0)))
        return NULL;
    return reduce;
}

static void fold_shape(Simplifier *s, Op *op) {
    IntSpan shape = grid_shape(s->module, op_text(op, NAME_GRID)), axes = op_ints(op, NAME_AXES);
    int64_t left[MAX_AXES];
    int count = 0, total = op->result_count;
    for (int i = 0; i < total; i++) {
        int64_t axis = axes.count > 0 ? axes.data[i] : i;
        if (shape.data[axis] == DIM_DYNAMIC) left[count++] = axis;
    }
    if (count == total) return;
    Builder builder = builder_before(s->module, op);
    Op *rest = count > 0 ? build_axes_query(
                               &builder, OP_SHARD_GRID_SHAPE, op_text(op, NAME_GRID),
                               (IntSpan){left, count})
                         : NULL;
    for (int i = 0, next = 0; i < total; i++) {
        int64_t axis = axes.count > 0 ? axes.data[i] : i;
        bool is_known = !rest || shape.data[axis] != DIM_DYNAMIC;
        Value *value = is_known ? build_index(&builder, shape.data[axis]) : op_result(rest, next++);
        value_replace_uses(op_result(op, i), value);
    }
    op_erase(op);
    s->changed = true;
}

static bool visit_simplify(Op *op, void *user) {
    Simplifier *s = user;
    int64_t reduction;
    if (op->code == OP_SHARD_GRID_SHAPE) {
        fold_shape(s, op);
        return true;
    }
    if (!commuting_reduction(op, &reduction)) return true;
    Op *x = own_reduction(op, 0, reduction), *y = own_reduction(op, 1, reduction);
    if (!x || !y || x == y || !same_group(x, y)) return true;
    Builder builder = builder_before(s->module, op);
    Value *inner = build_arith(&builder, op->code, op_operand(x, 0), op_operand(y, 0));
    PtrMap none = ptr_map(s->module->arena);
    Op *outer = op_clone(&builder, x, &none);
    op_set_operand(outer, 0, inner);
    replace(s, op, op_result(outer, 0));
    op_erase(x);
    op_erase(y);
    return true;
}

//   In      any verified module.
//   Out     the sum of two all_reduces by sum among one group, which nothing else uses, is one
//           all_reduce of a sum; of max and min alike, with sign. grid_shape of known sizes are
//           constants.
PassResult pass_simplify_shard(Module *module, PassContext *pass) {
    (void)pass;
    return run(module, visit_simplify);
}

// --- process indices ---

static bool visit_multi_index(Op *op, void *user) {
    Simplifier *s = user;
    if (op->code != OP_SHARD_PROCESS_MULTI_INDEX) return true;
    Module *module = s->module;
    StrView grid = op_text(op, NAME_GRID);
    IntSpan axes = op_ints(op, NAME_AXES);
    Builder builder = builder_before(module, op);
    const Type *index = type_element(module->context, ELEMENT_INDEX);
    Op *linear = build_op(&builder, OP_SHARD_PROCESS_LINEAR_INDEX, 0, NULL, 1, &index, 0);
    op_set_attr(module, linear, NAME_GRID, attr_symbol(module->context, grid));
    Op *shape = build_axes_query(&builder, OP_SHARD_GRID_SHAPE, grid, (IntSpan){NULL, 0});
    Value *operands[MAX_AXES + 1] = {op_result(linear, 0)};
    const Type *types[MAX_AXES];
    int64_t basis[MAX_AXES];
    int count = shape->result_count;
    for (int i = 0; i < count; i++) {
        operands[i + 1] = op_result(shape, i);
        types[i] = index;
        basis[i] = DIM_DYNAMIC;
    }
    Op *parts = build_op(&builder, OP_AFFINE_DELINEARIZE, count + 1, operands, count, types, 0);
    op_set_attr(module, parts, NAME_STATIC_BASIS, attr_ints(module->context, count, basis));
    for (int i = 0; i < op->result_count; i++) {
        int axis = axes.count > 0 ? (int)axes.data[i] : i;
        value_replace_uses(op_result(op, i), op_result(parts, axis));
    }
    op_erase(op);
    s->changed = true;
    return true;
}

//   In      any verified module.
//   Out     no process_multi_index: the linear index by the grid's shape.
PassResult pass_lower_multi_index(Module *module, PassContext *pass) {
    (void)pass;
    return run(module, visit_multi_index);
}

// --- all_slice ---

// The process's place in its group, and the group's size: numbers of the sizes that are
// known, else of the grid at run time.
static Value *group_place(
    Builder *builder, StrView grid, IntSpan axes, Value *const *place, Value **size,
    int64_t *known_size) {
    IntSpan shape = grid_shape(builder->module, grid);
    int64_t open[MAX_AXES];
    int open_count = 0;
    for (int i = 0; i < axes.count; i++) {
        if (shape.data[axes.data[i]] == DIM_DYNAMIC) open[open_count++] = axes.data[i];
    }
    Op *sizes =
        open_count > 0
            ? build_axes_query(builder, OP_SHARD_GRID_SHAPE, grid, (IntSpan){open, open_count})
            : NULL;
    Value *linear = place[0];
    *known_size = grid_group_size(shape, axes);
    *size = NULL;
    for (int i = 0, next = 0; i < axes.count; i++) {
        int64_t known = shape.data[axes.data[i]];
        Value *extent =
            known == DIM_DYNAMIC && sizes ? op_result(sizes, next++) : build_index(builder, known);
        *size = *size ? build_arith(builder, OP_ARITH_MULI, *size, extent) : extent;
        if (i == 0) continue;
        linear = build_arith(builder, OP_ARITH_MULI, linear, extent);
        linear = build_arith(builder, OP_ARITH_ADDI, linear, place[i]);
    }
    return linear;
}

static Value *dim_of(Builder *builder, Value *x, int d) {
    const Type *index = type_element(builder->module->context, ELEMENT_INDEX);
    Value *number = build_index(builder, d);
    return op_result(build_op(builder, OP_TENSOR_DIM, 2, (Value *[]){x, number}, 1, &index, 0), 0);
}

static void assert_divides(Builder *builder, Value *extent, Value *size) {
    Module *module = builder->module;
    const Type *predicate = type_element(module->context, ELEMENT_I1);
    Value *operands[] = {
        build_arith(builder, OP_ARITH_REMUI, extent, size), build_index(builder, 0)};
    Op *compare = build_op(builder, OP_ARITH_CMPI, 2, operands, 1, &predicate, 0);
    op_set_attr(
        module, compare, NAME_PREDICATE,
        attr_enum(module->context, ENUM_ARITH_PREDICATE, ARITH_PREDICATE_eq));
    Value *holds = op_result(compare, 0);
    Op *check = build_op(builder, OP_CF_ASSERT, 1, &holds, 0, NULL, 0);
    op_set_attr(
        module, check, NAME_MSG,
        attr_string(
            module->context,
            SV("Slicing a tensor with axis size that is not exactly divisible by the grid process "
               "group size is not supported.")));
}

Value *build_own_slice(Module *module, Op *op, Value *const *indices) {
    IntSpan axes = op_ints(op, NAME_GRID_AXES);
    Context *context = module->context;
    Builder builder = builder_before(module, op);
    Value *x = op_operand(op, 0), *size;
    const Type *type = x->type, *result = op_result_type(op, 0);
    int dim = (int)op_int(op, NAME_SLICE_AXIS, 0);
    int64_t known_size;
    Value *place = group_place(&builder, op_text(op, NAME_GRID), axes, indices, &size, &known_size);
    int64_t extent = type->dims[dim];
    bool is_known = extent != DIM_DYNAMIC && known_size > 0;
    Value *part;
    if (is_known) {
        part = build_index(&builder, extent / known_size);
    } else {
        Value *whole =
            extent == DIM_DYNAMIC ? dim_of(&builder, x, dim) : build_index(&builder, extent);
        assert_divides(&builder, whole, size);
        part = build_arith(&builder, OP_ARITH_DIVUI, whole, size);
    }
    Value *operands[MAX_RANK + 3] = {x};
    int count = 1;
    int64_t offsets[MAX_RANK] = {0}, sizes[MAX_RANK], strides[MAX_RANK];
    offsets[dim] = DIM_DYNAMIC;
    operands[count++] = build_arith(&builder, OP_ARITH_MULI, place, part);
    int64_t dims[MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        strides[d] = 1;
        sizes[d] = d == dim && is_known ? extent / known_size
                   : d == dim           ? DIM_DYNAMIC
                                        : type->dims[d];
        dims[d] = sizes[d];
        if (sizes[d] == DIM_DYNAMIC) operands[count++] = d == dim ? part : dim_of(&builder, x, d);
    }
    const Type *made = type_with_dims(context, type, type->rank, dims);
    Op *slice = build_op(&builder, OP_TENSOR_EXTRACT_SLICE, count, operands, 1, &made, 0);
    op_set_attr(module, slice, NAME_STATIC_OFFSETS, attr_ints(context, type->rank, offsets));
    op_set_attr(module, slice, NAME_STATIC_SIZES, attr_ints(context, type->rank, sizes));
    op_set_attr(module, slice, NAME_STATIC_STRIDES, attr_ints(context, type->rank, strides));
    Value *value = op_result(slice, 0);
    if (made != result)
        value = op_result(build_op(&builder, OP_TENSOR_CAST, 1, &value, 1, &result, 0), 0);
    return value;
}

static bool visit_all_slice(Op *op, void *user) {
    Simplifier *s = user;
    if (op->code != OP_SHARD_ALL_SLICE) return true;
    IntSpan axes = op_ints(op, NAME_GRID_AXES);
    if (axes.count == 0) return true;
    Builder builder = builder_before(s->module, op);
    Op *place =
        build_axes_query(&builder, OP_SHARD_PROCESS_MULTI_INDEX, op_text(op, NAME_GRID), axes);
    Value *indices[MAX_AXES];
    for (int i = 0; i < axes.count; i++)
        indices[i] = op_result(place, i);
    replace(s, op, build_own_slice(s->module, op, indices));
    return true;
}

//   In      any verified module.
//   Out     no all_slice with axes: tensor.extract_slice at the process's place in its group; where
//           sizes are not known, cf.assert that they divide.
PassResult pass_lower_all_slice(Module *module, PassContext *pass) {
    (void)pass;
    return run(module, visit_all_slice);
}
